//! Vectors in double precision, for hull construction, mass integrals and GJK: plain arrays with the few operations these need.

use base::Vec3;

/// A vector of three doubles.
pub(crate) type Vector64 = [f64; 3];

/// Converts from single precision.
#[inline]
pub(crate) fn widen(vector: Vec3) -> Vector64 {
    vector.to_array().map(f64::from)
}

/// Rounds to single precision.
#[inline]
pub(crate) fn narrow(vector: Vector64) -> Vec3 {
    Vec3::from_array(vector.map(|part| part as f32))
}

#[inline]
pub(crate) fn dot(a: Vector64, b: Vector64) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
pub(crate) fn cross(a: Vector64, b: Vector64) -> Vector64 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline]
pub(crate) fn add(a: Vector64, b: Vector64) -> Vector64 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline]
pub(crate) fn subtract(a: Vector64, b: Vector64) -> Vector64 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline]
pub(crate) fn scale(a: Vector64, by: f64) -> Vector64 {
    a.map(|part| part * by)
}

#[inline]
pub(crate) fn length_squared(a: Vector64) -> f64 {
    dot(a, a)
}
