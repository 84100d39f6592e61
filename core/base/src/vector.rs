//! Vectors of two, three and four `f32`.
//!
//! Scalar operations in a fixed order, written once for all three: the compiler may vectorise, but not reorder them, so
//! the bits are the same with every instruction set.
//!
//! Laws
//! 1. Sums over components go from left to right: x, then y, then z, then w.
//! 2. Operations between vectors work component by component with the rules of [`number`].
//! 3. [`Vec3::normal`] and everything built on it gives zero, never NaN, for degenerate vectors.

use core::ops::{Add, AddAssign, Div, DivAssign, Index, IndexMut, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::number;
use crate::plain::Plain;

#[macro_use]
mod table;
#[cfg(test)]
mod tests;

define_vector!(
    /// Two numbers: a point or a direction in a plane.
    Vec2 { x 0, y 1 }
);
define_vector!(
    /// Three numbers: a point or a direction in space.
    Vec3 { x 0, y 1, z 2 }
);
define_vector!(
    /// Four numbers: a point or a direction in homogeneous coordinates, or a colour.
    Vec4 { x 0, y 1, z 2, w 3 }
);

impl Vec2 {
    /// The direction of the first axis.
    pub const X: Vec2 = Vec2::new(1.0, 0.0);
    /// The direction of the second axis.
    pub const Y: Vec2 = Vec2::new(0.0, 1.0);

    /// The direction at an angle, in radians from x towards y.
    #[inline]
    pub fn from_angle(radians: f32) -> Vec2 {
        let (sine, cosine) = number::sin_cos(radians);
        Vec2::new(cosine, sine)
    }

    /// The angle from −π to π, from x towards y. Zero has the angle 0.
    #[inline]
    pub fn angle(self) -> f32 {
        number::atan2(self.y, self.x)
    }

    /// A quarter turn from x towards y. Exact.
    #[inline]
    pub const fn turned_left(self) -> Vec2 {
        Vec2::new(-self.y, self.x)
    }

    /// The z of the cross product: positive if `other` lies to the left.
    #[inline]
    pub const fn cross(self, other: Vec2) -> f32 {
        self.x * other.y - self.y * other.x
    }

    /// The same with a third number.
    #[inline]
    pub const fn with_z(self, z: f32) -> Vec3 {
        Vec3::new(self.x, self.y, z)
    }
}

impl Vec3 {
    /// The direction of the first axis.
    pub const X: Vec3 = Vec3::new(1.0, 0.0, 0.0);
    /// The direction of the second axis.
    pub const Y: Vec3 = Vec3::new(0.0, 1.0, 0.0);
    /// The direction of the third axis.
    pub const Z: Vec3 = Vec3::new(0.0, 0.0, 1.0);

    /// The cross product: perpendicular to both, right-handed (X × Y = Z). Parallel vectors give zero or nearly so.
    #[inline]
    pub const fn cross(self, other: Vec3) -> Vec3 {
        Vec3::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    /// A direction perpendicular to this one: always the same for the same vector, but not continuous. Zero gives
    /// [`Vec3::X`].
    #[inline]
    pub fn perpendicular(self) -> Vec3 {
        // Leave out the smallest component: the rest is longest.
        let Vec3 { x, y, z } = self.abs();
        let candidate = if x <= y && x <= z {
            Vec3::new(0.0, -self.z, self.y)
        } else if y <= z {
            Vec3::new(self.z, 0.0, -self.x)
        } else {
            Vec3::new(-self.y, self.x, 0.0)
        };
        candidate.normal_or(Vec3::X)
    }

    /// The angle between two directions, from 0 to π. Exact also for nearly parallel ones; 0 if one of them is zero.
    #[inline]
    pub fn angle_to(self, other: Vec3) -> f32 {
        number::atan2(self.cross(other).length(), self.dot(other))
    }

    /// The first two numbers.
    #[inline]
    pub const fn xy(self) -> Vec2 {
        Vec2::new(self.x, self.y)
    }

    /// The same with a fourth number: 1 for a point, 0 for a direction.
    #[inline]
    pub const fn with_w(self, w: f32) -> Vec4 {
        Vec4::new(self.x, self.y, self.z, w)
    }
}

impl Vec4 {
    /// The direction of the first axis.
    pub const X: Vec4 = Vec4::new(1.0, 0.0, 0.0, 0.0);
    /// The direction of the second axis.
    pub const Y: Vec4 = Vec4::new(0.0, 1.0, 0.0, 0.0);
    /// The direction of the third axis.
    pub const Z: Vec4 = Vec4::new(0.0, 0.0, 1.0, 0.0);
    /// The direction of the fourth axis: the origin, as a point.
    pub const W: Vec4 = Vec4::new(0.0, 0.0, 0.0, 1.0);

    /// The first three numbers.
    #[inline]
    pub const fn xyz(self) -> Vec3 {
        Vec3::new(self.x, self.y, self.z)
    }
}
