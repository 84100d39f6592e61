//! Many touches of one pair of bodies become few manifolds.
//!
//! A box on a floor touches a dozen triangles, all in the same direction: for the solver that is one manifold of four points.
//!
//! Laws
//! 1. Touches whose directions differ by less than [`SAME`] are one side. Its direction is that of its deepest touch.
//! 2. Points at the same place are one point: the deeper one.
//! 3. A side has the lowest number of the children that make it.
//! 4. A side is left out if another, much shorter way out ends its deepest touch too.
//! 5. If there are more sides than there is room for, those that are least deep go, and are counted.

use base::{Vec3, number};

use super::clip::{self, Over};
use crate::limits::{MANIFOLDS_MAX, POINTS_MAX};
use crate::manifold::{Manifold, ManifoldPoint, Manifolds};

/// Directions with at least this cosine between them are one (eight degrees).
const SAME: f32 = 0.99;

/// A way out is much shorter if it is less than this part of another.
const SHORTER: f32 = 0.6;

/// How many points of a side are kept until four are chosen.
const ROOM: usize = 16;

/// The sides that were found so far.
pub(super) struct Gather {
    sides: [Side; MANIFOLDS_MAX],
    count: usize,
    refused: u32,
    /// The squared distance below which two points are one.
    near: f32,
}

#[derive(Clone, Copy, Default)]
struct Side {
    normal: Vec3,
    deepest: f32,
    /// The child of the deepest touch.
    child_deepest: u64,
    child: u64,
    points: [ManifoldPoint; ROOM],
    count: usize,
}

impl Gather {
    /// Empty. Points nearer to each other than this are one.
    #[inline]
    pub fn new(near: f32) -> Gather {
        Gather { sides: [Side::default(); MANIFOLDS_MAX], count: 0, refused: 0, near: near * near }
    }

    /// Whether nothing was found.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds a touch.
    pub fn add(&mut self, normal: Vec3, child: u64, points: &[ManifoldPoint]) {
        let deepest = points.iter().fold(f32::INFINITY, |least, point| number::min(least, point.separation));
        if points.is_empty() || !(normal.x + normal.y + normal.z + deepest).is_finite() {
            return;
        }
        let near = self.near;
        if let Some(side) = self.sides[..self.count].iter_mut().find(|side| side.normal.dot(normal) >= SAME) {
            if deepest < side.deepest {
                (side.normal, side.deepest, side.child_deepest) = (normal, deepest, child);
            }
            side.child = side.child.min(child);
            for point in points {
                side.push(point, near);
            }
            return;
        }
        let mut side = Side { normal, deepest, child_deepest: child, child, ..Side::default() };
        for point in points {
            side.push(point, near);
        }
        if let Some(place) = self.sides.get_mut(self.count) {
            *place = side;
            self.count += 1;
            return;
        }
        self.refused += 1;
        let rank = |side: &Side| (side.deepest, side.child);
        let last = self.sides.iter_mut().reduce(|worst, other| if rank(other) > rank(worst) { other } else { worst });
        if let Some(last) = last.filter(|last| rank(last) > rank(&side)) {
            *last = side;
        }
    }

    /// Leaves out sides whose touch ends when the body leaves by another, much shorter way: of a corner that overlaps, single triangles
    /// know only long ways out. `deepest_after` is how deep a child still is after the body was moved.
    pub fn settle(&mut self, deepest_after: impl Fn(u64, Vec3) -> f32) {
        for index in (0..self.count).rev() {
            let side = self.sides[index];
            let is_shorter = |other: &&Side| other.deepest < 0.0 && other.deepest > side.deepest * SHORTER;
            let is_left = |other: &Side| {
                let way = other.normal * (other.deepest * -1.01);
                deepest_after(side.child_deepest, way) > side.deepest * SHORTER
            };
            if self.sides[..self.count].iter().filter(is_shorter).any(is_left) {
                self.sides[index..self.count].rotate_left(1);
                self.count -= 1;
            }
        }
    }

    /// Hands over what was found, each manifold as `place` makes it.
    pub fn finish(mut self, found: &mut Manifolds, place: impl Fn(Manifold) -> Manifold) {
        for side in &mut self.sides[..self.count] {
            side.keep_four();
            let mut manifold = Manifold { normal: side.normal, child: side.child, ..Manifold::default() };
            for point in &side.points[..side.count] {
                manifold.push(*point);
            }
            let manifold = place(manifold);
            if super::is_sound(&manifold) {
                found.push(manifold);
            }
        }
        found.refuse(self.refused);
    }
}

impl Side {
    fn push(&mut self, point: &ManifoldPoint, near: f32) {
        let points = &mut self.points[..self.count];
        if let Some(index) = points.iter().position(|same| same.place.distance_squared(point.place) <= near) {
            let (same, is_free) = (points[index], points.iter().all(|other| other.feature != point.feature));
            // Corners of the body have the lowest features: they are the steadiest, unless they are clearly not the deepest.
            let slack = number::sqrt(near) * 0.1;
            if point.feature < same.feature && is_free && point.separation < same.separation + slack {
                points[index] = *point;
            } else if point.separation < same.separation - slack {
                points[index] = ManifoldPoint { feature: same.feature, ..*point };
            }
            return;
        }
        if self.count == ROOM {
            self.keep_four();
        }
        let mut point = *point;
        // Each turn rules out one of the points, so it ends.
        while self.points[..self.count].iter().any(|other| other.feature == point.feature) {
            point.feature = point.feature.wrapping_add(1);
        }
        self.points[self.count] = point;
        self.count += 1;
    }

    fn keep_four(&mut self) {
        if self.count <= POINTS_MAX {
            return;
        }
        let across = self.normal.perpendicular().normal();
        let along = self.normal.cross(across);
        let mut over = [Over::default(); ROOM];
        for (over, (index, point)) in over.iter_mut().zip((0..).zip(&self.points[..self.count])) {
            let (u, v) = (point.place.dot(across), point.place.dot(along));
            *over = Over { u, v, height: point.separation, feature: index };
        }
        let count = clip::keep_four(&mut over[..self.count], self.slack());
        let points = self.points;
        for (place, over) in self.points.iter_mut().zip(&over[..count]) {
            *place = points[over.feature as usize];
        }
        self.count = count;
    }

    /// Heights that differ by less than this, a ten-thousandth of how far the points are apart, make no difference.
    fn slack(&self) -> f32 {
        let first = self.points[0].place;
        let far = |most, point: &ManifoldPoint| number::max(most, first.distance_squared(point.place));
        number::sqrt(self.points[..self.count].iter().fold(0.0, far)) * 1e-4
    }
}
