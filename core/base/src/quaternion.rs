//! Rotations as unit quaternions.
//!
//! Laws
//! 1. A rotation is a quaternion of length one: x, y, z along the axis, w the cosine of half the angle. `q` and `-q`
//!    are the same rotation.
//! 2. `a * b` rotates by b first, then by a. Angles are in radians, right-handed: about z, x rotates towards y.
//! 3. Every function but the product normalises its result, so long products need [`Quat::normal`].
//! 4. Degenerate arguments give the identity, never NaN.

use core::ops::{Mul, MulAssign, Neg};

use crate::matrix::Mat3;
use crate::number;
use crate::plain::Plain;
use crate::vector::{Vec3, Vec4};

#[cfg(test)]
mod tests;

/// A rotation.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Quat {
    /// Along the first axis.
    pub x: f32,
    /// Along the second axis.
    pub y: f32,
    /// Along the third axis.
    pub z: f32,
    /// The cosine of half the angle.
    pub w: f32,
}

/// From this cosine of half the angle on, linear interpolation is as accurate as spherical, and safer.
const NEARLY_THE_SAME: f32 = 0.9995;
/// From this sine on, Euler angles are in gimbal lock.
const NEARLY_UPRIGHT: f32 = 0.999_99;
/// Below this squared length of their sum, two directions are opposite.
const NEARLY_OPPOSITE: f32 = 1e-12;

impl Quat {
    /// The identity.
    pub const IDENTITY: Quat = Quat::new(0.0, 0.0, 0.0, 1.0);

    /// From its four components, not normalised.
    #[inline]
    pub const fn new(x: f32, y: f32, z: f32, w: f32) -> Quat {
        Quat { x, y, z, w }
    }

    /// From its vector and scalar part, not normalised.
    #[inline]
    pub const fn from_parts(axis: Vec3, w: f32) -> Quat {
        Quat::new(axis.x, axis.y, axis.z, w)
    }

    /// A rotation about an axis of any length. A zero axis gives the identity.
    #[inline]
    pub fn from_axis_angle(axis: Vec3, radians: f32) -> Quat {
        let axis = axis.normal();
        if axis == Vec3::ZERO {
            return Quat::IDENTITY;
        }
        let (sine, cosine) = number::sin_cos(radians / 2.0);
        Quat::from_parts(axis * sine, cosine)
    }

    /// From a rotation vector (exponential map): axis times angle in radians.
    #[inline]
    pub fn from_rotation_vector(rotation: Vec3) -> Quat {
        exponential_map(rotation).normal()
    }

    /// The rotation vector (logarithm): axis times angle, of length at most π.
    #[inline]
    pub fn rotation_vector(self) -> Vec3 {
        let short = if self.w < 0.0 { -self } else { self };
        let sine = short.axis_part().length();
        let scale = if sine > 0.0 { 2.0 * number::atan2(sine, short.w) / sine } else { 2.0 };
        short.axis_part() * scale
    }

    /// The shortest rotation between two directions of any length. For opposite directions a fixed perpendicular axis
    /// is chosen; a zero direction gives the identity.
    pub fn between(from: Vec3, to: Vec3) -> Quat {
        let (from, to) = (from.normal(), to.normal());
        let middle = from + to;
        if from == Vec3::ZERO || to == Vec3::ZERO {
            Quat::IDENTITY
        } else if middle.length_squared() < NEARLY_OPPOSITE {
            Quat::from_parts(from.perpendicular(), 0.0)
        } else {
            // The two diagonals of the rhombus are the sine and the cosine of half the angle: exact for every angle.
            let axis = from.cross(middle).normal();
            Quat::from_parts(axis * from.distance(to), middle.length()).normal()
        }
    }

    /// Rotations about the fixed axes (extrinsic xyz): by `angles.x` about x, then by `angles.y` about y, then by
    /// `angles.z` about z.
    pub fn from_euler(angles: Vec3) -> Quat {
        let (sine_x, cosine_x) = number::sin_cos(angles.x / 2.0);
        let (sine_y, cosine_y) = number::sin_cos(angles.y / 2.0);
        let (sine_z, cosine_z) = number::sin_cos(angles.z / 2.0);
        Quat::new(
            sine_x * cosine_y * cosine_z - cosine_x * sine_y * sine_z,
            cosine_x * sine_y * cosine_z + sine_x * cosine_y * sine_z,
            cosine_x * cosine_y * sine_z - sine_x * sine_y * cosine_z,
            cosine_x * cosine_y * cosine_z + sine_x * sine_y * sine_z,
        )
    }

    /// The angles of [`from_euler`](Quat::from_euler): y from −π/2 to π/2, the others from −π to π. In gimbal lock
    /// x is zero.
    pub fn euler(self) -> Vec3 {
        let Quat { x, y, z, w } = self;
        let sine_y = number::clamp(2.0 * (w * y - z * x), -1.0, 1.0);
        if number::abs(sine_y) > NEARLY_UPRIGHT {
            let about_z = number::atan2(2.0 * (w * z - x * y), 1.0 - 2.0 * (x * x + z * z));
            return Vec3::new(0.0, number::HALF_PI * number::sign(sine_y), about_z);
        }
        Vec3::new(
            number::atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y)),
            number::asin(sine_y),
            number::atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)),
        )
    }

    /// The rotation of an orthonormal matrix (Shepperd 1978). Any other matrix gives some rotation.
    pub fn from_matrix(matrix: Mat3) -> Quat {
        let [a, b, c] = matrix.columns;
        // Starts from the largest component: dividing by it is safe.
        let quat = if a.x + b.y + c.z > 0.0 {
            Quat::new(b.z - c.y, c.x - a.z, a.y - b.x, 1.0 + a.x + b.y + c.z)
        } else if a.x >= b.y && a.x >= c.z {
            Quat::new(1.0 + a.x - b.y - c.z, a.y + b.x, c.x + a.z, b.z - c.y)
        } else if b.y >= c.z {
            Quat::new(a.y + b.x, 1.0 - a.x + b.y - c.z, b.z + c.y, c.x - a.z)
        } else {
            Quat::new(c.x + a.z, b.z + c.y, 1.0 - a.x - b.y + c.z, a.y - b.x)
        };
        quat.normal()
    }

    /// The rotation matrix, orthonormal for a unit quaternion.
    #[inline]
    pub fn matrix(self) -> Mat3 {
        let Quat { x, y, z, w } = self;
        Mat3::from_columns(
            Vec3::new(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
            Vec3::new(2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)),
            Vec3::new(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)),
        )
    }

    /// The vector part: the axis times the sine of half the angle.
    #[inline]
    pub const fn axis_part(self) -> Vec3 {
        Vec3::new(self.x, self.y, self.z)
    }

    /// The components, w last.
    #[inline]
    pub const fn to_vector(self) -> Vec4 {
        Vec4::new(self.x, self.y, self.z, self.w)
    }

    /// From components, w last, not normalised.
    #[inline]
    pub const fn from_vector(vector: Vec4) -> Quat {
        Quat::new(vector.x, vector.y, vector.z, vector.w)
    }

    /// The cosine of half the angle between two rotations; negative if one of them should be negated first.
    #[inline]
    pub const fn dot(self, other: Quat) -> f32 {
        self.to_vector().dot(other.to_vector())
    }

    /// The conjugate: the inverse of a unit quaternion, exact.
    #[inline]
    pub const fn conjugate(self) -> Quat {
        Quat::new(-self.x, -self.y, -self.z, self.w)
    }

    /// Normalised; the identity if the length is degenerate.
    #[inline]
    pub fn normal(self) -> Quat {
        Quat::from_vector(self.to_vector().normal_or(Vec4::W))
    }

    /// Rotates a vector: 30 multiplications and additions. For many vectors, [`matrix`](Quat::matrix) is cheaper.
    #[inline]
    pub fn rotate(self, vector: Vec3) -> Vec3 {
        let axis = self.axis_part();
        let across = axis.cross(vector) * 2.0;
        vector + across * self.w + axis.cross(across)
    }

    /// Rotates a vector by the inverse.
    #[inline]
    pub fn rotate_back(self, vector: Vec3) -> Vec3 {
        self.conjugate().rotate(vector)
    }

    /// The angle between two rotations, from 0 to π.
    #[inline]
    pub fn angle_to(self, other: Quat) -> f32 {
        (self.conjugate() * other).rotation_vector().length()
    }

    /// Normalised linear interpolation (nlerp) along the shorter arc: cheap, not of constant speed.
    #[inline]
    pub fn nlerp(self, to: Quat, part: f32) -> Quat {
        let to = if self.dot(to) < 0.0 { -to } else { to };
        Quat::from_vector(self.to_vector().lerp(to.to_vector(), part)).normal()
    }

    /// Spherical linear interpolation (slerp, Shoemake 1985) along the shorter arc.
    pub fn slerp(self, to: Quat, part: f32) -> Quat {
        let cosine = self.dot(to);
        let (to, cosine) = if cosine < 0.0 { (-to, -cosine) } else { (to, cosine) };
        if cosine > NEARLY_THE_SAME {
            return self.nlerp(to, part);
        }
        let angle = number::acos(cosine);
        let from_part = number::sin((1.0 - part) * angle);
        let to_part = number::sin(part * angle);
        Quat::from_vector(self.to_vector() * from_part + to.to_vector() * to_part).normal()
    }

    /// Integrates an angular velocity (radians per second, world axes) over some time, exactly.
    #[inline]
    pub fn turned(self, angular_velocity: Vec3, seconds: f32) -> Quat {
        (exponential_map(angular_velocity * seconds) * self).normal()
    }

    /// The same to first order, for small steps: no sine, no cosine. The angle is 2·atan(angle/2),
    /// a little less.
    #[inline]
    pub fn integrate(self, angular_velocity: Vec3, seconds: f32) -> Quat {
        (Quat::from_parts(angular_velocity * (seconds / 2.0), 1.0) * self).normal()
    }

    /// Whether all components are finite.
    #[inline]
    pub const fn is_finite(self) -> bool {
        self.to_vector().is_finite()
    }

    /// Canonical: see [`number::canonical`].
    #[inline]
    pub const fn canonical(self) -> Quat {
        Quat::from_vector(self.to_vector().canonical())
    }
}

/// The exponential map: of unit length up to rounding, or NaN for a non-finite vector.
#[inline]
fn exponential_map(rotation: Vec3) -> Quat {
    let radians = rotation.length();
    let (sine, cosine) = number::sin_cos(radians / 2.0);
    let scale = if radians > 0.0 { sine / radians } else { 0.5 };
    Quat::from_parts(rotation * scale, cosine)
}

impl Default for Quat {
    fn default() -> Quat {
        Quat::IDENTITY
    }
}

/// The same rotation with negated components.
impl Neg for Quat {
    type Output = Quat;

    #[inline]
    fn neg(self) -> Quat {
        Quat::from_vector(-self.to_vector())
    }
}

impl Mul for Quat {
    type Output = Quat;

    #[inline]
    fn mul(self, other: Quat) -> Quat {
        let (a, b) = (self, other);
        Quat::new(
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
            a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        )
    }
}

impl Mul<Vec3> for Quat {
    type Output = Vec3;

    #[inline]
    fn mul(self, vector: Vec3) -> Vec3 {
        self.rotate(vector)
    }
}

impl MulAssign for Quat {
    #[inline]
    fn mul_assign(&mut self, other: Quat) {
        *self = *self * other;
    }
}
