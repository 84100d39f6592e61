//! Queries over many bodies: ray casts, shape casts, overlaps and closest bodies.
//!
//! The caller has the bodies in a slice or in a block, and a BVH over their boxes.
//!
//! Laws
//! 1. Hits are sorted by distance (or time), then by key. They are a function of the bodies alone, not of their order or the BVH.
//! 2. Hits go into a slice of the caller's. Beyond its length the farthest are dropped and counted.
//! 3. A query tests no more bodies than its budget; [`Budget::is_spent`] says whether some were skipped. Only then do the hits
//!    depend on the BVH.
//! 4. Nothing is allocated.

use base::{Vec3, number};

use crate::aabb::SweptAabb;
use crate::bvh::Bvh;
use crate::closest_points::closest_points;
use crate::distance::Distance;
use crate::overlap::is_overlapping;
use crate::pose::Pose;
use crate::ray::{self, RayHit};
use crate::shape::Shape;
use crate::sweep::{self, Motion, SweepHit};

#[cfg(test)]
mod tests;

/// A body as queries see it.
#[derive(Clone, Copy, Debug)]
pub struct QueryBody<'world> {
    /// Its unique key.
    pub key: u64,
    /// Its shape.
    pub shape: &'world Shape,
    /// Its pose.
    pub pose: Pose,
    /// The bits of its layers.
    pub layers: u32,
}

/// The bodies of a query, by their index in the BVH.
pub trait QueryBodies {
    /// The body with an index; none if it is to be skipped.
    fn item(&self, index: u32) -> Option<QueryBody<'_>>;
}

/// The number of bodies that may still be tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    left: u32,
    is_spent: bool,
}

/// A query: bodies, a BVH over them, a layer mask and a budget.
pub struct Query<'world, T: QueryBodies + ?Sized> {
    /// The bodies.
    pub bodies: &'world T,
    /// A BVH over boxes that contain theirs.
    pub bvh: &'world Bvh,
    /// Only bodies in one of these layers are hit.
    pub layers: u32,
    /// The number of bodies that may still be tested.
    pub budget: Budget,
}

/// A hit: the body, its rank, and what was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueryHit<T> {
    /// The key of the body.
    pub key: u64,
    /// The distance or the time.
    pub rank: f32,
    /// What was found.
    pub found: T,
}

/// Sorted hits, up to the length of the caller's slice.
pub struct QueryHits<'buffer, T> {
    buffer: &'buffer mut [QueryHit<T>],
    count: usize,
    dropped: u32,
}

impl Budget {
    /// This many bodies may be tested.
    pub fn new(bodies: u32) -> Budget {
        Budget { left: bodies, is_spent: false }
    }

    /// The number of bodies that may still be tested.
    pub fn left(&self) -> u32 {
        self.left
    }

    /// Whether a body was skipped because the budget was used up.
    pub fn is_spent(&self) -> bool {
        self.is_spent
    }

    fn take(&mut self) -> bool {
        self.is_spent |= self.left == 0;
        self.left = self.left.saturating_sub(1);
        !self.is_spent
    }
}

impl<'buffer, T: Copy> QueryHits<'buffer, T> {
    /// Empty, over the caller's slice.
    pub fn new(buffer: &'buffer mut [QueryHit<T>]) -> QueryHits<'buffer, T> {
        QueryHits { buffer, count: 0, dropped: 0 }
    }

    /// The hits, sorted.
    pub fn as_slice(&self) -> &[QueryHit<T>] {
        &self.buffer[..self.count]
    }

    /// The number of dropped hits.
    pub fn dropped(&self) -> u32 {
        self.dropped
    }

    /// Inserts a hit.
    fn add(&mut self, hit: QueryHit<T>) {
        let rank = |hit: &QueryHit<T>| (hit.rank, hit.key);
        let position = self.as_slice().partition_point(|other| rank(other) < rank(&hit));
        let is_full = self.count == self.buffer.len();
        self.dropped = self.dropped.saturating_add(u32::from(is_full));
        if position == self.buffer.len() {
            return;
        }
        self.count += usize::from(!is_full);
        self.buffer[position..self.count].rotate_right(1);
        self.buffer[position] = hit;
    }

    /// Hits beyond this rank would be dropped.
    fn rank_max(&self, otherwise: f32) -> f32 {
        match self.buffer.last() {
            Some(last) if self.count == self.buffer.len() => number::min(last.rank, otherwise),
            _ => otherwise,
        }
    }
}

impl<T: QueryBodies + ?Sized> Query<'_, T> {
    /// The first body that a ray hits.
    pub fn ray_first(&mut self, origin: Vec3, direction: Vec3, length: f32) -> Option<QueryHit<RayHit>> {
        let mut buffer =
            [QueryHit { key: 0, rank: 0.0, found: RayHit { distance: 0.0, normal: Vec3::ZERO, child: 0 } }];
        let mut hits = QueryHits::new(&mut buffer);
        self.cast_rays(origin, direction, length, |hits| hits.rank_max(length), &mut hits);
        hits.as_slice().first().copied()
    }

    /// Whether a ray hits any body.
    pub fn ray_any(&mut self, origin: Vec3, direction: Vec3, length: f32) -> bool {
        let mut buffer =
            [QueryHit { key: 0, rank: 0.0, found: RayHit { distance: 0.0, normal: Vec3::ZERO, child: 0 } }];
        let mut hits = QueryHits::new(&mut buffer);
        self.cast_rays(origin, direction, length, |hits| if hits.count > 0 { -1.0 } else { length }, &mut hits);
        hits.count > 0
    }

    /// All bodies that a ray hits, each at its first hit.
    pub fn ray_all(&mut self, origin: Vec3, direction: Vec3, length: f32, hits: &mut QueryHits<RayHit>) {
        self.cast_rays(origin, direction, length, |_| length, hits);
    }

    /// The first body that a moving shape hits.
    pub fn sweep_first(&mut self, shape: &Shape, motion: &Motion) -> Option<QueryHit<SweepHit>> {
        let none = SweepHit { time: 0.0, normal: Vec3::ZERO, anchor: Vec3::ZERO, child: 0 };
        let mut buffer = [QueryHit { key: 0, rank: 0.0, found: none }];
        let mut hits = QueryHits::new(&mut buffer);
        self.cast_sweeps(shape, motion, |hits| hits.rank_max(1.0), &mut hits);
        hits.as_slice().first().copied()
    }

    /// All bodies that a moving shape hits, each at its first hit.
    pub fn sweep_all(&mut self, shape: &Shape, motion: &Motion, hits: &mut QueryHits<SweepHit>) {
        self.cast_sweeps(shape, motion, |_| 1.0, hits);
    }

    /// All bodies that overlap a shape, sorted by key.
    pub fn overlaps(&mut self, shape: &Shape, pose: &Pose, hits: &mut QueryHits<()>) {
        let (bodies, layers, budget) = (self.bodies, self.layers, &mut self.budget);
        let aabb = shape.aabb(pose);
        self.bvh.visit_overlapping(&aabb, |index| {
            let Some(item) = in_layers(bodies, layers, index) else { return true };
            if !budget.take() {
                return false;
            }
            if is_overlapping(shape, pose, item.shape, &item.pose) {
                hits.add(QueryHit { key: item.key, rank: 0.0, found: () });
            }
            true
        });
    }

    /// The bodies closest to a shape, within a distance. Points are relative to the shape's position.
    pub fn closest(&mut self, shape: &Shape, pose: &Pose, distance_max: f32, hits: &mut QueryHits<Distance>) {
        let (bodies, layers, budget) = (self.bodies, self.layers, &mut self.budget);
        let aabb = shape.aabb(pose);
        if hits.buffer.is_empty() || distance_max < 0.0 {
            return;
        }
        self.bvh.visit_within(&aabb, distance_max, |index| {
            let limit = hits.rank_max(distance_max);
            let Some(item) = in_layers(bodies, layers, index) else { return limit };
            if !budget.take() {
                return -1.0;
            }
            if let Some(found) = closest_points(shape, pose, item.shape, &item.pose, limit) {
                hits.add(QueryHit { key: item.key, rank: found.distance, found });
            }
            hits.rank_max(distance_max)
        });
    }

    fn cast_rays(
        &mut self,
        origin: Vec3,
        direction: Vec3,
        length: f32,
        limit: impl Fn(&QueryHits<RayHit>) -> f32,
        hits: &mut QueryHits<RayHit>,
    ) {
        let (bodies, layers, budget) = (self.bodies, self.layers, &mut self.budget);
        let swept = SweptAabb::ray(origin, direction.normal());
        if hits.buffer.is_empty() {
            return;
        }
        self.bvh.visit_swept(&swept, length, |index, _| {
            let length = limit(hits);
            let Some(item) = in_layers(bodies, layers, index) else { return length };
            if !budget.take() {
                return -1.0;
            }
            if let Some(found) = ray::cast(item.shape, &item.pose, origin, direction, length) {
                hits.add(QueryHit { key: item.key, rank: found.distance, found });
            }
            limit(hits)
        });
    }

    fn cast_sweeps(
        &mut self,
        shape: &Shape,
        motion: &Motion,
        limit: impl Fn(&QueryHits<SweepHit>) -> f32,
        hits: &mut QueryHits<SweepHit>,
    ) {
        let (bodies, layers, budget) = (self.bodies, self.layers, &mut self.budget);
        if hits.buffer.is_empty() {
            return;
        }
        self.bvh.visit_swept(&sweep::swept_aabb(shape, motion), 1.0, |index, _| {
            let time = limit(hits);
            let Some(item) = in_layers(bodies, layers, index) else { return time };
            if !budget.take() {
                return -1.0;
            }
            if let Some(found) = sweep::sweep_before(shape, motion, item.shape, &Motion::at_rest(item.pose), time) {
                hits.add(QueryHit { key: item.key, rank: found.time, found });
            }
            limit(hits)
        });
    }
}

fn in_layers<T: QueryBodies + ?Sized>(bodies: &T, layers: u32, index: u32) -> Option<QueryBody<'_>> {
    bodies.item(index).filter(|item| item.layers & layers != 0)
}
