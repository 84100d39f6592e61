//! Contact manifolds: a normal and up to four points.
//!
//! Laws
//! 1. The normal points from the first shape to the second and has unit length.
//! 2. A point's anchor is half-way between both surfaces, relative to the position of the first body, along the world axes: so it
//!    is as exact far from the origin as near it.
//! 3. A negative separation is an overlap. Points up to the margin apart are reported too: they are speculative contacts, which
//!    may close within the step.
//! 4. A feature id stays the same as long as the same vertices, edges and faces touch. No two points of a manifold share one.
//! 5. The order of points is a function of the shapes and poses alone.

use base::Vec3;

use crate::limits::{MANIFOLDS_MAX, POINTS_MAX};

/// A contact point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ManifoldPoint {
    /// Its position relative to the first body's.
    pub anchor: Vec3,
    /// The distance of the surfaces; negative if they overlap.
    pub separation: f32,
    /// The feature id.
    pub feature: u32,
}

/// The contact of two convex pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Manifold {
    /// From the first to the second.
    pub normal: Vec3,
    /// The children or triangles that touch: the first shape's in the upper half, the second's in the lower. Zero for simple
    /// shapes.
    pub child: u64,
    /// The points.
    pub points: [ManifoldPoint; POINTS_MAX],
    /// The number of points.
    pub count: u32,
}

/// All manifolds of a pair of shapes.
#[derive(Clone, Debug, Default)]
pub struct Manifolds {
    list: [Manifold; MANIFOLDS_MAX],
    count: usize,
    dropped: u32,
}

impl Manifold {
    /// Its points.
    #[inline]
    pub fn points(&self) -> &[ManifoldPoint] {
        &self.points[..self.count as usize]
    }

    /// Adds a point unless it is full.
    #[inline]
    pub fn push(&mut self, point: ManifoldPoint) {
        if let Some(anchor) = self.points.get_mut(self.count as usize) {
            *anchor = point;
            self.count += 1;
        }
    }

    /// The smallest separation: of the deepest point.
    #[inline]
    pub fn min_separation(&self) -> f32 {
        self.points().iter().fold(f32::INFINITY, |smallest, point| base::number::min(smallest, point.separation))
    }

    /// As seen from the second shape, whose position is `offset` from the first's.
    #[inline]
    #[must_use]
    pub fn flipped(mut self, offset: Vec3) -> Manifold {
        self.normal = -self.normal;
        self.child = self.child.rotate_left(32);
        for point in &mut self.points[..self.count as usize] {
            point.anchor -= offset;
        }
        self
    }
}

impl Manifolds {
    /// The manifolds.
    #[inline]
    pub fn as_slice(&self) -> &[Manifold] {
        &self.list[..self.count]
    }

    /// The manifolds, mutable.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [Manifold] {
        &mut self.list[..self.count]
    }

    /// The number dropped beyond the capacity.
    pub fn dropped(&self) -> u32 {
        self.dropped
    }

    /// Counts manifolds that were dropped elsewhere.
    #[inline]
    pub fn add_dropped(&mut self, count: u32) {
        self.dropped += count;
    }

    /// Removes all.
    #[inline]
    pub fn clear(&mut self) {
        (self.count, self.dropped) = (0, 0);
    }

    /// Adds a manifold that has points. Beyond the capacity the shallowest is dropped; of equals, the one with the highest child.
    pub fn push(&mut self, manifold: Manifold) {
        if manifold.count == 0 {
            return;
        }
        if let Some(anchor) = self.list.get_mut(self.count) {
            *anchor = manifold;
            self.count += 1;
            return;
        }
        self.dropped += 1;
        let rank = |manifold: &Manifold| (manifold.min_separation(), manifold.child);
        let last = self.list.iter_mut().reduce(|worst, other| if rank(other) > rank(worst) { other } else { worst });
        if let Some(last) = last.filter(|last| rank(last) > rank(&manifold)) {
            *last = manifold;
        }
    }
}
