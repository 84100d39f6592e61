//! How two shapes touch: a direction, and a few points.
//!
//! Laws
//! 1. The normal points from the first shape to the second, and has length one.
//! 2. A point's place is half-way between both surfaces, seen from the position of the first body, along the axes of the world: so
//!    it is as exact far from the origin as near it.
//! 3. A separation below zero is an overlap. Points as far as the margin are told too, so that what will touch in this cycle
//!    is known.
//! 4. A feature is the same number as long as the same corners, edges and faces touch. No two points of a manifold have the same.
//! 5. Points come in an order that follows from the shapes and poses alone.

use base::Vec3;

use crate::limits::{MANIFOLDS_MAX, POINTS_MAX};

/// A point at which two shapes touch, or will soon.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ManifoldPoint {
    /// Where, seen from the position of the first.
    pub place: Vec3,
    /// How far the surfaces are apart there.
    pub separation: f32,
    /// What touches what.
    pub feature: u32,
}

/// One side on which two shapes touch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Manifold {
    /// From the first to the second.
    pub normal: Vec3,
    /// Which children touch, for shapes that have any: those of the first in the upper half. Zero for whole shapes.
    pub child: u64,
    /// The points.
    pub points: [ManifoldPoint; POINTS_MAX],
    /// How many they are.
    pub count: u32,
}

/// All sides on which two shapes touch.
#[derive(Clone, Debug, Default)]
pub struct Manifolds {
    list: [Manifold; MANIFOLDS_MAX],
    count: usize,
    refused: u32,
}

impl Manifold {
    /// Its points.
    #[inline]
    pub fn points(&self) -> &[ManifoldPoint] {
        &self.points[..self.count as usize]
    }

    /// Adds a point if there is room.
    #[inline]
    pub fn push(&mut self, point: ManifoldPoint) {
        if let Some(place) = self.points.get_mut(self.count as usize) {
            *place = point;
            self.count += 1;
        }
    }

    /// The deepest separation.
    #[inline]
    pub fn deepest(&self) -> f32 {
        self.points().iter().fold(f32::INFINITY, |least, point| base::number::min(least, point.separation))
    }

    /// The same seen from the second shape, whose position is `offset` from the first's.
    #[inline]
    #[must_use]
    pub fn turned(mut self, offset: Vec3) -> Manifold {
        self.normal = -self.normal;
        self.child = self.child.rotate_left(32);
        for point in &mut self.points[..self.count as usize] {
            point.place -= offset;
        }
        self
    }
}

impl Manifolds {
    /// Those that were found.
    #[inline]
    pub fn as_slice(&self) -> &[Manifold] {
        &self.list[..self.count]
    }

    /// The same, to be changed.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [Manifold] {
        &mut self.list[..self.count]
    }

    /// How many found no room.
    pub fn refused(&self) -> u32 {
        self.refused
    }

    /// Counts some that found no room elsewhere.
    #[inline]
    pub fn refuse(&mut self, count: u32) {
        self.refused += count;
    }

    /// Forgets all.
    #[inline]
    pub fn clear(&mut self) {
        (self.count, self.refused) = (0, 0);
    }

    /// Adds one that has points. If there is no room, the one that is least deep goes; of equals, the one with the highest child.
    pub fn push(&mut self, manifold: Manifold) {
        if manifold.count == 0 {
            return;
        }
        if let Some(place) = self.list.get_mut(self.count) {
            *place = manifold;
            self.count += 1;
            return;
        }
        self.refused += 1;
        let rank = |manifold: &Manifold| (manifold.deepest(), manifold.child);
        let last = self.list.iter_mut().reduce(|worst, other| if rank(other) > rank(worst) { other } else { worst });
        if let Some(last) = last.filter(|last| rank(last) > rank(&manifold)) {
            *last = manifold;
        }
    }
}
