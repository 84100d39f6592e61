//! A rigid transform with its rotation as a matrix, ready to transform many vectors.

use base::{Mat3, Quat, Vec3};

/// A position and a rotation.
#[derive(Clone, Copy, Debug)]
pub struct Pose {
    /// The position of the shape's origin.
    pub position: Vec3,
    /// The rotation; its columns are the shape's axes.
    pub axes: Mat3,
}

impl Pose {
    /// At the origin, not rotated.
    pub const IDENTITY: Pose = Pose { position: Vec3::ZERO, axes: Mat3::IDENTITY };

    /// From a position and a rotation.
    #[inline]
    pub fn new(position: Vec3, rotation: Quat) -> Pose {
        Pose { position, axes: rotation.matrix() }
    }

    /// From local to world space.
    #[inline]
    pub fn point(&self, point: Vec3) -> Vec3 {
        self.direction(point) + self.position
    }

    /// A direction from local to world space.
    #[inline]
    pub fn direction(&self, direction: Vec3) -> Vec3 {
        let [x, y, z] = self.axes.columns;
        x * direction.x + y * direction.y + z * direction.z
    }

    /// A point from world to local space.
    #[inline]
    pub fn local_point(&self, point: Vec3) -> Vec3 {
        self.local_direction(point - self.position)
    }

    /// A direction from world to local space.
    #[inline]
    pub fn local_direction(&self, direction: Vec3) -> Vec3 {
        let [x, y, z] = self.axes.columns;
        Vec3::new(x.dot(direction), y.dot(direction), z.dot(direction))
    }

    /// Another pose relative to this one.
    #[inline]
    pub fn local_pose(&self, other: &Pose) -> Pose {
        let [x, y, z] = other.axes.columns;
        let axes = Mat3::from_columns(self.local_direction(x), self.local_direction(y), self.local_direction(z));
        Pose { position: self.local_point(other.position), axes }
    }

    /// The world pose of a child whose pose is relative to this one.
    #[inline]
    pub fn compose(&self, child: &Pose) -> Pose {
        let [x, y, z] = child.axes.columns;
        let axes = Mat3::from_columns(self.direction(x), self.direction(y), self.direction(z));
        Pose { position: self.point(child.position), axes }
    }
}
