//! Axis-aligned bounding boxes, and the slab test (Kay and Kajiya 1986) for rays and swept boxes.
//!
//! Laws
//! 1. The empty box overlaps nothing and is the neutral element of the union. A box with a NaN coordinate overlaps nothing.
//! 2. Rounding never shrinks a box: an AABB always contains the points it was built from.

use base::{Vec3, number};

use crate::pose::Pose;

/// An axis-aligned bounding box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The corner with the smallest coordinates.
    pub min: Vec3,
    /// The corner with the largest coordinates.
    pub max: Vec3,
}

/// A box swept along a line (a ray if its half extent is zero), prepared for slab tests against many boxes.
#[derive(Clone, Copy, Debug)]
pub struct SweptAabb {
    origin: Vec3,
    inverse_direction: Vec3,
    half_extent: Vec3,
}

impl Aabb {
    /// Contains nothing.
    pub const EMPTY: Aabb = Aabb { min: Vec3::splat(f32::INFINITY), max: Vec3::splat(f32::NEG_INFINITY) };

    /// The smallest box around some points.
    #[inline]
    pub fn from_points(points: impl IntoIterator<Item = Vec3>) -> Aabb {
        points.into_iter().fold(Aabb::EMPTY, |bounds, point| bounds.union(&Aabb { min: point, max: point }))
    }

    /// From the center and the half extent.
    #[inline]
    pub fn from_center(center: Vec3, half_extent: Vec3) -> Aabb {
        Aabb { min: center - half_extent, max: center + half_extent }
    }

    /// Whether it is finite and not inverted, so that it contains its center.
    #[inline]
    pub fn is_valid(&self) -> bool {
        let size = self.max - self.min;
        self.min.is_finite() && self.max.is_finite() && size.x >= 0.0 && size.y >= 0.0 && size.z >= 0.0
    }

    /// Whether two boxes share a point.
    #[inline]
    pub fn overlaps(&self, other: &Aabb) -> bool {
        // No short circuit: branching costs more than the six comparisons.
        (self.min.x <= other.max.x)
            & (self.min.y <= other.max.y)
            & (self.min.z <= other.max.z)
            & (other.min.x <= self.max.x)
            & (other.min.y <= self.max.y)
            & (other.min.z <= self.max.z)
    }

    /// Whether another box lies inside.
    #[inline]
    pub fn contains(&self, other: &Aabb) -> bool {
        let within = |low: Vec3, high: Vec3| low.x <= high.x && low.y <= high.y && low.z <= high.z;
        within(self.min, other.min) && within(other.max, self.max)
    }

    /// The smallest box around both.
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Aabb) -> Aabb {
        Aabb { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Expanded by a margin on every side.
    #[inline]
    #[must_use]
    pub fn expanded(&self, margin: f32) -> Aabb {
        Aabb { min: self.min - Vec3::splat(margin), max: self.max + Vec3::splat(margin) }
    }

    /// The center.
    #[inline]
    pub fn center(&self) -> Vec3 {
        self.min * 0.5 + self.max * 0.5
    }

    /// From the center to the largest corner.
    #[inline]
    pub fn half_extent(&self) -> Vec3 {
        self.max * 0.5 - self.min * 0.5
    }

    /// Half the surface area: what the surface area heuristic weighs.
    #[inline]
    pub fn half_area(&self) -> f32 {
        let size = self.max - self.min;
        size.x * size.y + size.y * size.z + size.z * size.x
    }

    /// The world AABB of this box in a pose.
    #[inline]
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Aabb {
        let half_extent = self.half_extent();
        let [x, y, z] = pose.axes.columns;
        Aabb::from_center(
            pose.point(self.center()),
            (x * half_extent.x).abs() + (y * half_extent.y).abs() + (z * half_extent.z).abs(),
        )
    }

    /// The AABB of this world-space box in the local frame of a pose.
    #[inline]
    #[must_use]
    pub fn inverse_transformed(&self, pose: &Pose) -> Aabb {
        let half_extent = self.half_extent();
        let [x, y, z] = pose.axes.columns;
        let rotated = Vec3::new(half_extent.dot(x.abs()), half_extent.dot(y.abs()), half_extent.dot(z.abs()));
        Aabb::from_center(pose.local_point(self.center()), rotated)
    }

    /// The squared distance between two boxes; zero if they overlap.
    #[inline]
    pub fn distance_squared(&self, other: &Aabb) -> f32 {
        let gap = (other.min - self.max).max(self.min - other.max).max(Vec3::ZERO);
        gap.length_squared()
    }
}

impl SweptAabb {
    /// Clamp for the inverse of a direction component: larger than any length needs, small enough that no product overflows.
    const INVERSE_DIRECTION_MAX: f32 = 1e30;

    /// A ray. The direction has unit length if entry parameters are to be distances.
    #[inline]
    pub fn ray(origin: Vec3, direction: Vec3) -> SweptAabb {
        SweptAabb::new(origin, direction, Vec3::ZERO)
    }

    /// A box with this center and half extent, swept along a direction.
    #[inline]
    pub fn new(origin: Vec3, direction: Vec3, half_extent: Vec3) -> SweptAabb {
        let invert = |value: f32| {
            let inverse_direction =
                number::clamp(1.0 / value, -SweptAabb::INVERSE_DIRECTION_MAX, SweptAabb::INVERSE_DIRECTION_MAX);
            if value == 0.0 { SweptAabb::INVERSE_DIRECTION_MAX } else { inverse_direction }
        };
        SweptAabb {
            origin,
            inverse_direction: Vec3::new(invert(direction.x), invert(direction.y), invert(direction.z)),
            half_extent,
        }
    }

    /// The parameter at which the sweep enters a box, if it does so within a length; zero if it starts inside.
    #[inline]
    pub fn enter(&self, min: Vec3, max: Vec3, length: f32) -> Option<f32> {
        let to_min = (min - self.half_extent - self.origin).times(self.inverse_direction);
        let to_max = (max + self.half_extent - self.origin).times(self.inverse_direction);
        let entry = number::max(to_min.min(to_max).max_component(), 0.0);
        // Three roundings led here; the factor keeps grazing hits.
        let exit = number::min(to_min.max(to_max).min_component() * 1.000_001, length);
        (entry <= exit).then_some(entry)
    }
}
