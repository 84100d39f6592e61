//! Matrices of three and of four columns.
//!
//! Laws
//! 1. A matrix is its columns; a vector is a column and stands on the right: `(a * b) * v` is `a * (b * v)`.
//! 2. Products are summed from the first column to the last.
//! 3. Space is right-handed. A view looks along −z with x to the right and y up, and clip space has a depth of 0 to 1.
//! 4. What cannot be inverted has no inverse: [`Mat3::inverse`] and [`Mat4::inverse`] give none, never infinities.

use core::ops::{Add, Mul, Sub};

use crate::plain::Plain;
use crate::vector::{Vec3, Vec4};

#[cfg(test)]
mod tests;
mod view;

/// Three columns of three: a rotation, a scaling, an inertia.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Mat3 {
    /// Where the three axes go.
    pub columns: [Vec3; 3],
}

/// Four columns of four: any movement of space, or a view.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Mat4 {
    /// Where the three axes and the origin go.
    pub columns: [Vec4; 4],
}

impl Mat3 {
    /// Changes nothing.
    pub const IDENTITY: Mat3 = Mat3::from_diagonal(Vec3::ONE);
    /// Gives zero for everything.
    pub const ZERO: Mat3 = Mat3::from_columns(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);

    /// From where the three axes go.
    #[inline]
    pub const fn from_columns(x: Vec3, y: Vec3, z: Vec3) -> Mat3 {
        Mat3 { columns: [x, y, z] }
    }

    /// Stretches each axis by its own factor.
    #[inline]
    pub const fn from_diagonal(factors: Vec3) -> Mat3 {
        Mat3::from_columns(
            Vec3::new(factors.x, 0.0, 0.0),
            Vec3::new(0.0, factors.y, 0.0),
            Vec3::new(0.0, 0.0, factors.z),
        )
    }

    /// The matrix that takes the cross product: `cross_with(a) * b` is `a.cross(b)`.
    #[inline]
    pub const fn cross_with(vector: Vec3) -> Mat3 {
        let Vec3 { x, y, z } = vector;
        Mat3::from_columns(Vec3::new(0.0, z, -y), Vec3::new(-z, 0.0, x), Vec3::new(y, -x, 0.0))
    }

    /// The outer product: `outer(a, b) * c` is `a * b.dot(c)`, but for rounding.
    #[inline]
    pub fn outer(left: Vec3, right: Vec3) -> Mat3 {
        Mat3::from_columns(left * right.x, left * right.y, left * right.z)
    }

    /// Rows become columns. For a rotation this is the inverse, and exact.
    #[inline]
    pub const fn transpose(self) -> Mat3 {
        let [x, y, z] = self.columns;
        Mat3::from_columns(Vec3::new(x.x, y.x, z.x), Vec3::new(x.y, y.y, z.y), Vec3::new(x.z, y.z, z.z))
    }

    /// How much a volume grows; negative if space is mirrored.
    #[inline]
    pub const fn determinant(self) -> f32 {
        let [x, y, z] = self.columns;
        x.dot(y.cross(z))
    }

    /// The matrix that undoes this one; none if the determinant is zero, subnormal, infinite or NaN.
    #[inline]
    pub fn inverse(self) -> Option<Mat3> {
        let [x, y, z] = self.columns;
        let determinant = self.determinant();
        let cofactors = Mat3::from_columns(y.cross(z), z.cross(x), x.cross(y)).transpose();
        determinant.is_normal().then(|| cofactors * (1.0 / determinant))
    }

    /// The same movement in four columns, with the origin at `position`.
    #[inline]
    pub const fn with_position(self, position: Vec3) -> Mat4 {
        let [x, y, z] = self.columns;
        Mat4 { columns: [x.with_w(0.0), y.with_w(0.0), z.with_w(0.0), position.with_w(1.0)] }
    }
}

impl Mat4 {
    /// Changes nothing.
    pub const IDENTITY: Mat4 = Mat3::IDENTITY.with_position(Vec3::ZERO);

    /// From where the three axes and the origin go.
    #[inline]
    pub const fn from_columns(x: Vec4, y: Vec4, z: Vec4, w: Vec4) -> Mat4 {
        Mat4 { columns: [x, y, z, w] }
    }

    /// Moves a point. The result's fourth number is left out: for views, see [`project`](Mat4::project).
    #[inline]
    pub fn move_point(self, point: Vec3) -> Vec3 {
        (self * point.with_w(1.0)).xyz()
    }

    /// Turns and stretches a direction, without moving it.
    #[inline]
    pub fn move_direction(self, direction: Vec3) -> Vec3 {
        (self * direction.with_w(0.0)).xyz()
    }

    /// Moves a point and divides by the fourth number; none if that is not positive, which means: behind the viewer.
    #[inline]
    pub fn project(self, point: Vec3) -> Option<Vec3> {
        let clip = self * point.with_w(1.0);
        (clip.w > 0.0).then(|| clip.xyz() / clip.w)
    }

    /// Rows become columns.
    #[inline]
    pub const fn transpose(self) -> Mat4 {
        let [x, y, z, w] = self.columns;
        Mat4::from_columns(
            Vec4::new(x.x, y.x, z.x, w.x),
            Vec4::new(x.y, y.y, z.y, w.y),
            Vec4::new(x.z, y.z, z.z, w.z),
            Vec4::new(x.w, y.w, z.w, w.w),
        )
    }

    /// How much a volume grows; negative if space is mirrored.
    #[inline]
    pub const fn determinant(self) -> f32 {
        let (upper, lower) = self.minors();
        determinant_of(upper, lower)
    }

    /// The matrix that undoes this one; none if the determinant is zero, subnormal, infinite or NaN.
    pub fn inverse(self) -> Option<Mat4> {
        let [x, y, z, w] = self.columns;
        let (upper, lower) = self.minors();
        let determinant = determinant_of(upper, lower);
        // One output row per pair: what the other three columns span.
        let row = |a: Vec4, [b0, b1, b2, b3, b4, b5]: [f32; 6]| {
            Vec4::new(
                a.y * b5 - a.z * b4 + a.w * b3,
                -a.x * b5 + a.z * b2 - a.w * b1,
                a.x * b4 - a.y * b2 + a.w * b0,
                -a.x * b3 + a.y * b1 - a.z * b0,
            )
        };
        let cofactors = Mat4::from_columns(row(y, lower), -row(x, lower), row(w, upper), -row(z, upper));
        determinant.is_normal().then(|| cofactors.transpose() * (1.0 / determinant))
    }

    /// The two-by-two determinants of the first two and of the last two columns, rows 01 02 03 12 13 23.
    const fn minors(self) -> ([f32; 6], [f32; 6]) {
        let [x, y, z, w] = self.columns;
        (minors_of(x, y), minors_of(z, w))
    }
}

const fn minors_of(a: Vec4, b: Vec4) -> [f32; 6] {
    [
        a.x * b.y - b.x * a.y,
        a.x * b.z - b.x * a.z,
        a.x * b.w - b.x * a.w,
        a.y * b.z - b.y * a.z,
        a.y * b.w - b.y * a.w,
        a.z * b.w - b.z * a.w,
    ]
}

const fn determinant_of(upper: [f32; 6], lower: [f32; 6]) -> f32 {
    upper[0] * lower[5] - upper[1] * lower[4] + upper[2] * lower[3] + upper[3] * lower[2] - upper[4] * lower[1]
        + upper[5] * lower[0]
}

impl Default for Mat3 {
    fn default() -> Mat3 {
        Mat3::IDENTITY
    }
}

impl Default for Mat4 {
    fn default() -> Mat4 {
        Mat4::IDENTITY
    }
}

impl Mul<Vec3> for Mat3 {
    type Output = Vec3;

    #[inline]
    fn mul(self, vector: Vec3) -> Vec3 {
        let [x, y, z] = self.columns;
        x * vector.x + y * vector.y + z * vector.z
    }
}

impl Mul for Mat3 {
    type Output = Mat3;

    #[inline]
    fn mul(self, other: Mat3) -> Mat3 {
        Mat3 { columns: other.columns.map(|column| self * column) }
    }
}

impl Mul<f32> for Mat3 {
    type Output = Mat3;

    #[inline]
    fn mul(self, factor: f32) -> Mat3 {
        Mat3 { columns: self.columns.map(|column| column * factor) }
    }
}

impl Add for Mat3 {
    type Output = Mat3;

    #[inline]
    fn add(self, other: Mat3) -> Mat3 {
        let ([a, b, c], [d, e, f]) = (self.columns, other.columns);
        Mat3::from_columns(a + d, b + e, c + f)
    }
}

impl Sub for Mat3 {
    type Output = Mat3;

    #[inline]
    fn sub(self, other: Mat3) -> Mat3 {
        let ([a, b, c], [d, e, f]) = (self.columns, other.columns);
        Mat3::from_columns(a - d, b - e, c - f)
    }
}

impl Mul<Vec4> for Mat4 {
    type Output = Vec4;

    #[inline]
    fn mul(self, vector: Vec4) -> Vec4 {
        let [x, y, z, w] = self.columns;
        x * vector.x + y * vector.y + z * vector.z + w * vector.w
    }
}

impl Mul for Mat4 {
    type Output = Mat4;

    #[inline]
    fn mul(self, other: Mat4) -> Mat4 {
        Mat4 { columns: other.columns.map(|column| self * column) }
    }
}

impl Mul<f32> for Mat4 {
    type Output = Mat4;

    #[inline]
    fn mul(self, factor: f32) -> Mat4 {
        Mat4 { columns: self.columns.map(|column| column * factor) }
    }
}
