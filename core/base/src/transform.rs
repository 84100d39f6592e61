//! Where something is, and where it will be.
//!
//! Laws
//! 1. A [`Transform`] scales, then turns, then moves. `a * b` does b first: it takes b from a's space to the outside.
//! 2. Scale is one number for all directions, so that products and inverses are transforms again.
//! 3. A [`Motion`] looks ahead in a straight line and an even turn. It knows no force: it is what may be shown between
//!    two cycles, not what will be.

use core::ops::Mul;

use crate::matrix::Mat4;
use crate::number;
use crate::plain::Plain;
use crate::quaternion::Quat;
use crate::vector::Vec3;

#[cfg(test)]
mod tests;

/// Turned, moved and scaled.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Transform {
    /// How it is turned: length one.
    pub rotation: Quat,
    /// Where its origin is.
    pub position: Vec3,
    /// How much larger it is: never zero.
    pub scale: f32,
}

/// A place and how it changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Plain)]
#[repr(C)]
pub struct Motion {
    /// Where it is.
    pub position: Vec3,
    /// How far it moves in a second.
    pub velocity: Vec3,
    /// How it is turned: length one.
    pub rotation: Quat,
    /// How far it turns in a second, in radians about the axes of the world.
    pub angular_velocity: Vec3,
}

impl Transform {
    /// Changes nothing.
    pub const IDENTITY: Transform = Transform::new(Quat::IDENTITY, Vec3::ZERO);

    /// Turned and moved, not scaled.
    #[inline]
    pub const fn new(rotation: Quat, position: Vec3) -> Transform {
        Transform { rotation, position, scale: 1.0 }
    }

    /// Takes a point from inside to the outside.
    #[inline]
    pub fn move_point(self, point: Vec3) -> Vec3 {
        self.rotation.rotate(point * self.scale) + self.position
    }

    /// Turns and scales a direction from inside to the outside, without moving it.
    #[inline]
    pub fn move_direction(self, direction: Vec3) -> Vec3 {
        self.rotation.rotate(direction * self.scale)
    }

    /// The transform that undoes this one; none if the scale is zero, subnormal, infinite or NaN.
    #[inline]
    pub fn inverse(self) -> Option<Transform> {
        if !self.scale.is_normal() {
            return None;
        }
        let scale = 1.0 / self.scale;
        let rotation = self.rotation.conjugate();
        Some(Transform { rotation, position: rotation.rotate(self.position) * -scale, scale })
    }

    /// From this one to another: position and scale in a straight line, rotation the short way at constant speed.
    #[inline]
    pub fn lerp(self, to: Transform, part: f32) -> Transform {
        Transform {
            rotation: self.rotation.slerp(to.rotation, part),
            position: self.position.lerp(to.position, part),
            scale: number::lerp(self.scale, to.scale, part),
        }
    }

    /// The same as a matrix.
    #[inline]
    pub fn matrix(self) -> Mat4 {
        (self.rotation.matrix() * self.scale).with_position(self.position)
    }

    /// As it may be stored: see [`number::canonical`].
    #[inline]
    pub const fn canonical(self) -> Transform {
        Transform {
            rotation: self.rotation.canonical(),
            position: self.position.canonical(),
            scale: number::canonical(self.scale),
        }
    }
}

impl Motion {
    /// Where it is that many seconds later (or earlier), if nothing happens to it. Zero seconds only normalise the
    /// rotation.
    #[inline]
    pub fn at(self, seconds: f32) -> Motion {
        Motion {
            position: self.position + self.velocity * seconds,
            rotation: self.rotation.turned(self.angular_velocity, seconds),
            ..self
        }
    }

    /// The place alone, not scaled.
    #[inline]
    pub const fn transform(self) -> Transform {
        Transform::new(self.rotation, self.position)
    }

    /// How fast a point of it moves, which is given from the outside.
    #[inline]
    pub fn velocity_at(self, point: Vec3) -> Vec3 {
        self.velocity + self.angular_velocity.cross(point - self.position)
    }

    /// As it may be stored: see [`number::canonical`].
    #[inline]
    pub const fn canonical(self) -> Motion {
        Motion {
            position: self.position.canonical(),
            velocity: self.velocity.canonical(),
            rotation: self.rotation.canonical(),
            angular_velocity: self.angular_velocity.canonical(),
        }
    }
}

impl Default for Transform {
    fn default() -> Transform {
        Transform::IDENTITY
    }
}

/// Does `inner` first. The rotation is not normalised: see [`Quat::normal`].
impl Mul for Transform {
    type Output = Transform;

    #[inline]
    fn mul(self, inner: Transform) -> Transform {
        Transform {
            rotation: self.rotation * inner.rotation,
            position: self.move_point(inner.position),
            scale: self.scale * inner.scale,
        }
    }
}

impl From<Transform> for Mat4 {
    fn from(transform: Transform) -> Mat4 {
        transform.matrix()
    }
}
