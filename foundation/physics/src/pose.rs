//! Where a body is and how it is turned, ready to turn many vectors.

use base::{Mat3, Quat, Vec3};

/// A place and a turn.
#[derive(Clone, Copy, Debug)]
pub struct Pose {
    /// Where the origin of the shape is.
    pub position: Vec3,
    /// How it is turned: the columns are its axes.
    pub axes: Mat3,
}

impl Pose {
    /// At the origin, not turned.
    pub const IDENTITY: Pose = Pose { position: Vec3::ZERO, axes: Mat3::IDENTITY };

    /// At a place, turned.
    #[inline]
    pub fn new(position: Vec3, orientation: Quat) -> Pose {
        Pose { position, axes: orientation.matrix() }
    }

    /// A point of the shape, in the world.
    #[inline]
    pub fn point(&self, point: Vec3) -> Vec3 {
        self.direction(point) + self.position
    }

    /// A direction of the shape, in the world.
    #[inline]
    pub fn direction(&self, direction: Vec3) -> Vec3 {
        let [x, y, z] = self.axes.columns;
        x * direction.x + y * direction.y + z * direction.z
    }

    /// A point of the world, as the shape sees it.
    #[inline]
    pub fn point_back(&self, point: Vec3) -> Vec3 {
        self.direction_back(point - self.position)
    }

    /// A direction of the world, as the shape sees it.
    #[inline]
    pub fn direction_back(&self, direction: Vec3) -> Vec3 {
        let [x, y, z] = self.axes.columns;
        Vec3::new(x.dot(direction), y.dot(direction), z.dot(direction))
    }

    /// Another pose, as this one sees it.
    #[inline]
    pub fn back(&self, other: &Pose) -> Pose {
        let [x, y, z] = other.axes.columns;
        let axes = Mat3::from_columns(self.direction_back(x), self.direction_back(y), self.direction_back(z));
        Pose { position: self.point_back(other.position), axes }
    }

    /// A pose within this one, in the world.
    #[inline]
    pub fn inner(&self, inner: &Pose) -> Pose {
        let [x, y, z] = inner.axes.columns;
        let axes = Mat3::from_columns(self.direction(x), self.direction(y), self.direction(z));
        Pose { position: self.point(inner.position), axes }
    }
}
