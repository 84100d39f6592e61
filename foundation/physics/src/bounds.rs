//! Boxes along the axes: what is asked first, because it costs least.
//!
//! Laws
//! 1. A box that holds nothing touches nothing and changes no box that it is joined with; a box with a number that is not one
//!    touches nothing either.
//! 2. Whatever is made larger by rounding is made larger by enough: a box never misses what it was made around.

use base::{Vec3, number};

use crate::pose::Pose;

/// A box along the axes of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Its least corner.
    pub least: Vec3,
    /// Its greatest corner.
    pub most: Vec3,
}

/// A box that moves along a straight line, or a ray if the box is a point, ready to be asked about many boxes.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    from: Vec3,
    inverse: Vec3,
    half: Vec3,
}

impl Bounds {
    /// Holds nothing.
    pub const EMPTY: Bounds = Bounds { least: Vec3::splat(f32::INFINITY), most: Vec3::splat(f32::NEG_INFINITY) };

    /// The least box around some points.
    #[inline]
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Bounds {
        points.into_iter().fold(Bounds::EMPTY, |bounds, point| bounds.with(&Bounds { least: point, most: point }))
    }

    /// From its middle and half its size.
    #[inline]
    pub fn centred(middle: Vec3, half: Vec3) -> Bounds {
        Bounds { least: middle - half, most: middle + half }
    }

    /// Whether two boxes have a point in common.
    #[inline]
    pub fn touches(&self, other: &Bounds) -> bool {
        // All at once: to ask one after the other takes longer than to compare.
        (self.least.x <= other.most.x)
            & (self.least.y <= other.most.y)
            & (self.least.z <= other.most.z)
            & (other.least.x <= self.most.x)
            & (other.least.y <= self.most.y)
            & (other.least.z <= self.most.z)
    }

    /// The least box around both.
    #[inline]
    #[must_use]
    pub fn with(&self, other: &Bounds) -> Bounds {
        Bounds { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    /// Larger by this on every side.
    #[inline]
    #[must_use]
    pub fn grown(&self, by: f32) -> Bounds {
        Bounds { least: self.least - Vec3::splat(by), most: self.most + Vec3::splat(by) }
    }

    /// The point in its middle.
    #[inline]
    pub fn middle(&self) -> Vec3 {
        self.least * 0.5 + self.most * 0.5
    }

    /// From its middle to its greatest corner.
    #[inline]
    pub fn half(&self) -> Vec3 {
        self.most * 0.5 - self.least * 0.5
    }

    /// The area of half its sides: how likely it is met.
    #[inline]
    pub fn area(&self) -> f32 {
        let size = self.most - self.least;
        size.x * size.y + size.y * size.z + size.z * size.x
    }

    /// The least box, along the world's axes, around this box as it lies in a pose.
    #[inline]
    #[must_use]
    pub fn moved(&self, pose: &Pose) -> Bounds {
        let half = self.half();
        let [x, y, z] = pose.axes.columns;
        Bounds::centred(pose.point(self.middle()), (x * half.x).abs() + (y * half.y).abs() + (z * half.z).abs())
    }

    /// The least box, as a pose sees it, around this box of the world.
    #[inline]
    #[must_use]
    pub fn moved_back(&self, pose: &Pose) -> Bounds {
        let half = self.half();
        let [x, y, z] = pose.axes.columns;
        let turned = Vec3::new(half.dot(x.abs()), half.dot(y.abs()), half.dot(z.abs()));
        Bounds::centred(pose.point_back(self.middle()), turned)
    }

    /// The squared distance between two boxes; zero if they touch.
    #[inline]
    pub fn distance_squared(&self, other: &Bounds) -> f32 {
        let gap = (other.least - self.most).max(self.least - other.most).max(Vec3::ZERO);
        gap.length_squared()
    }
}

impl Line {
    /// Steeper than this and a box is as good as beside the line: large enough for any length, small enough never to overflow.
    const INVERSE_MAX: f32 = 1e30;

    /// A point that moves along a direction, which has length one if lengths are to be distances.
    #[inline]
    pub fn new(from: Vec3, direction: Vec3) -> Line {
        Line::of_box(from, direction, Vec3::ZERO)
    }

    /// A box with this middle and half size that moves along a direction.
    #[inline]
    pub fn of_box(from: Vec3, direction: Vec3, half: Vec3) -> Line {
        let invert = |value: f32| {
            let inverse = number::clamp(1.0 / value, -Line::INVERSE_MAX, Line::INVERSE_MAX);
            if value == 0.0 { Line::INVERSE_MAX } else { inverse }
        };
        Line { from, inverse: Vec3::new(invert(direction.x), invert(direction.y), invert(direction.z)), half }
    }

    /// How far along the line it enters a box, if it does so within a length. Within the box, zero.
    #[inline]
    pub fn enters(&self, least: Vec3, most: Vec3, length: f32) -> Option<f32> {
        let first = (least - self.half - self.from).times(self.inverse);
        let second = (most + self.half - self.from).times(self.inverse);
        let near = number::max(first.min(second).max_component(), 0.0);
        // Three roundings on the way here: what is hit on the very edge stays hit.
        let far = number::min(first.max(second).min_component() * 1.000_001, length);
        (near <= far).then_some(near)
    }
}
