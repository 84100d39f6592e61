//! Merges the contacts of a pair of bodies into few manifolds.
//!
//! A box on a floor touches a dozen triangles, all with the same normal: the solver gets one manifold of four points.
//!
//! Laws
//! 1. Contacts whose normals differ by less than [`SAME_NORMAL_COSINE`] are one manifold. Its normal is that of its deepest
//!    contact.
//! 2. Points at the same position are one point: the deeper one.
//! 3. A manifold has the lowest child of its contacts.
//! 4. A manifold is dropped if a much shorter displacement along another one resolves its deepest contact too.
//! 5. Beyond the capacity the shallowest manifolds are dropped and counted.

use base::{Vec3, number};

use super::reduction::{self, ClipPoint};
use crate::limits::{MANIFOLDS_MAX, POINTS_MAX};
use crate::manifold::{Manifold, ManifoldPoint, Manifolds};

/// Normals with at least this cosine (eight degrees) are merged.
const SAME_NORMAL_COSINE: f32 = 0.99;

/// A displacement is much shorter if it is less than this fraction of another.
const SHORTER_RATIO: f32 = 0.6;

/// Points kept per manifold until four are chosen.
const POINTS_KEPT: usize = 16;

/// The manifolds so far.
pub(super) struct ManifoldMerger {
    manifolds: [MergedManifold; MANIFOLDS_MAX],
    count: usize,
    dropped: u32,
    /// Points closer than this are merged.
    merge_distance_squared: f32,
    /// Points that are farther than this from being as deep as the deepest are not near: see [`reduction`].
    near: f32,
}

#[derive(Clone, Copy, Default)]
struct MergedManifold {
    normal: Vec3,
    min_separation: f32,
    /// The child of the deepest contact.
    deepest_child: u64,
    child: u64,
    points: [ManifoldPoint; POINTS_KEPT],
    count: usize,
}

impl ManifoldMerger {
    /// Empty. Points closer than this are merged.
    #[inline]
    pub fn new(merge_distance: f32) -> ManifoldMerger {
        ManifoldMerger {
            manifolds: [MergedManifold::default(); MANIFOLDS_MAX],
            count: 0,
            dropped: 0,
            merge_distance_squared: merge_distance * merge_distance,
            near: f32::INFINITY,
        }
    }

    /// For the parts of a form that may be round below: points that hover higher than this above it are kept last.
    #[inline]
    pub fn with_near(self, near: f32) -> ManifoldMerger {
        ManifoldMerger { near, ..self }
    }

    /// Whether there are no contacts.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds a contact.
    pub fn add(&mut self, normal: Vec3, child: u64, points: &[ManifoldPoint]) {
        let min_separation =
            points.iter().fold(f32::INFINITY, |smallest, point| number::min(smallest, point.separation));
        if points.is_empty() || !(normal.x + normal.y + normal.z + min_separation).is_finite() {
            return;
        }
        let (merge_distance_squared, near) = (self.merge_distance_squared, self.near);
        if let Some(manifold) =
            self.manifolds[..self.count].iter_mut().find(|manifold| manifold.normal.dot(normal) >= SAME_NORMAL_COSINE)
        {
            if min_separation < manifold.min_separation {
                (manifold.normal, manifold.min_separation, manifold.deepest_child) = (normal, min_separation, child);
            }
            manifold.child = manifold.child.min(child);
            for point in points {
                manifold.push(point, merge_distance_squared, near);
            }
            return;
        }
        let mut manifold =
            MergedManifold { normal, min_separation, deepest_child: child, child, ..MergedManifold::default() };
        for point in points {
            manifold.push(point, merge_distance_squared, near);
        }
        if let Some(place) = self.manifolds.get_mut(self.count) {
            *place = manifold;
            self.count += 1;
            return;
        }
        self.dropped += 1;
        let rank = |manifold: &MergedManifold| (manifold.min_separation, manifold.child);
        let last =
            self.manifolds.iter_mut().reduce(|worst, other| if rank(other) > rank(worst) { other } else { worst });
        if let Some(last) = last.filter(|last| rank(last) > rank(&manifold)) {
            *last = manifold;
        }
    }

    /// Drops manifolds that a much shorter displacement along another one resolves: at an overlapping vertex single triangles
    /// only know long ways out. `separation_after` is a child's separation after the body was displaced.
    pub fn drop_redundant(&mut self, separation_after: impl Fn(u64, Vec3) -> f32) {
        for index in (0..self.count).rev() {
            let manifold = self.manifolds[index];
            let is_shorter = |other: &&MergedManifold| {
                other.min_separation < 0.0 && other.min_separation > manifold.min_separation * SHORTER_RATIO
            };
            let is_resolved = |other: &MergedManifold| {
                let displacement = other.normal * (other.min_separation * -1.01);
                separation_after(manifold.deepest_child, displacement) > manifold.min_separation * SHORTER_RATIO
            };
            if self.manifolds[..self.count].iter().filter(is_shorter).any(is_resolved) {
                self.manifolds[index..self.count].rotate_left(1);
                self.count -= 1;
            }
        }
    }

    /// Adds the manifolds to `found`, each transformed by `place`.
    pub fn finish(mut self, found: &mut Manifolds, place: impl Fn(Manifold) -> Manifold) {
        for merged in &mut self.manifolds[..self.count] {
            merged.reduce_to_four(self.near);
            let mut manifold = Manifold { normal: merged.normal, child: merged.child, ..Manifold::default() };
            for point in &merged.points[..merged.count] {
                manifold.push(*point);
            }
            let manifold = place(manifold);
            if super::is_finite(&manifold) {
                found.push(manifold);
            }
        }
        found.add_dropped(self.dropped);
    }
}

impl MergedManifold {
    fn push(&mut self, point: &ManifoldPoint, merge_distance_squared: f32, near: f32) {
        let points = &mut self.points[..self.count];
        if let Some(index) =
            points.iter().position(|same| same.anchor.distance_squared(point.anchor) <= merge_distance_squared)
        {
            let (same, is_free) = (points[index], points.iter().all(|other| other.feature != point.feature));
            // Vertices of the body have the lowest features: they are the most persistent, unless they are clearly shallower.
            let tolerance = number::sqrt(merge_distance_squared) * 0.1;
            if point.feature < same.feature && is_free && point.separation < same.separation + tolerance {
                points[index] = *point;
            } else if point.separation < same.separation - tolerance {
                points[index] = ManifoldPoint { feature: same.feature, ..*point };
            }
            return;
        }
        if self.count == POINTS_KEPT {
            self.reduce_to_four(near);
        }
        let mut point = *point;
        // Each iteration rules out one point, so it ends.
        while self.points[..self.count].iter().any(|other| other.feature == point.feature) {
            point.feature = point.feature.wrapping_add(1);
        }
        self.points[self.count] = point;
        self.count += 1;
    }

    fn reduce_to_four(&mut self, near: f32) {
        if self.count <= POINTS_MAX {
            return;
        }
        let across = self.normal.perpendicular().normal();
        let along = self.normal.cross(across);
        let mut over = [ClipPoint::default(); POINTS_KEPT];
        for (over, (index, point)) in over.iter_mut().zip((0..).zip(&self.points[..self.count])) {
            let (u, v) = (point.anchor.dot(across), point.anchor.dot(along));
            *over = ClipPoint { u, v, separation: point.separation, feature: index };
        }
        let count = reduction::reduce_to_near_four(&mut over[..self.count], self.tolerance(), near);
        let points = self.points;
        for (place, over) in self.points.iter_mut().zip(&over[..count]) {
            *place = points[over.feature as usize];
        }
        self.count = count;
    }

    /// Separations that differ by less than 1e-4 of the points' extent count as equal.
    fn tolerance(&self) -> f32 {
        let first = self.points[0].anchor;
        let farthest = |largest, point: &ManifoldPoint| number::max(largest, first.distance_squared(point.anchor));
        number::sqrt(self.points[..self.count].iter().fold(0.0, farthest)) * 1e-4
    }
}
