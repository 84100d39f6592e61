//! 3×3 matrices.
//!
//! Laws
//! 1. Column-major; vectors are columns: `(a * b) * v` is `a * (b * v)`.
//! 2. Products are summed from the first column to the last.
//! 3. A singular matrix has no inverse: [`Mat3::inverse`] returns `None`, never infinities.

use core::ops::{Add, Mul, Sub};

use crate::plain::Plain;
use crate::vector::Vec3;

#[cfg(test)]
mod tests;

/// A 3×3 matrix: a rotation, a scaling, an inertia tensor.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Mat3 {
    /// The images of the three axes.
    pub columns: [Vec3; 3],
}

impl Mat3 {
    /// The identity.
    pub const IDENTITY: Mat3 = Mat3::from_diagonal(Vec3::ONE);
    /// The zero matrix.
    pub const ZERO: Mat3 = Mat3::from_columns(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);

    /// From the images of the three axes.
    #[inline]
    pub const fn from_columns(x: Vec3, y: Vec3, z: Vec3) -> Mat3 {
        Mat3 { columns: [x, y, z] }
    }

    /// A diagonal matrix: scales each axis.
    #[inline]
    pub const fn from_diagonal(factors: Vec3) -> Mat3 {
        Mat3::from_columns(
            Vec3::new(factors.x, 0.0, 0.0),
            Vec3::new(0.0, factors.y, 0.0),
            Vec3::new(0.0, 0.0, factors.z),
        )
    }

    /// The cross-product (skew-symmetric) matrix: `cross_with(a) * b` is `a.cross(b)`.
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

    /// The transpose. For a rotation this is the inverse, and exact.
    #[inline]
    pub const fn transpose(self) -> Mat3 {
        let [x, y, z] = self.columns;
        Mat3::from_columns(Vec3::new(x.x, y.x, z.x), Vec3::new(x.y, y.y, z.y), Vec3::new(x.z, y.z, z.z))
    }

    /// The determinant.
    #[inline]
    pub const fn determinant(self) -> f32 {
        let [x, y, z] = self.columns;
        x.dot(y.cross(z))
    }

    /// The inverse; `None` if the determinant is zero, subnormal, infinite or NaN.
    #[inline]
    pub fn inverse(self) -> Option<Mat3> {
        let [x, y, z] = self.columns;
        let determinant = self.determinant();
        let cofactors = Mat3::from_columns(y.cross(z), z.cross(x), x.cross(y)).transpose();
        determinant.is_normal().then(|| cofactors * (1.0 / determinant))
    }
}

impl Default for Mat3 {
    fn default() -> Mat3 {
        Mat3::IDENTITY
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
