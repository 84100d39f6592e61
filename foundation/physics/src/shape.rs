//! Shapes: what bodies are made of. Made when content is loaded, shared, never changed.
//!
//! | shape | what it is |
//! |---|---|
//! | sphere | a ball around the origin |
//! | capsule | all within a radius of a piece of the z axis |
//! | box | six sides along the axes, around the origin |
//! | hull | the least convex body around some points |
//! | mesh | triangles; bodies collide with their front sides |
//! | field | heights over a grid: ground |
//! | compound | several of these at places of their own |
//!
//! Laws
//! 1. Lengths are in metres, and every number of a shape is finite: whatever cannot be made so is refused when it is made.
//! 2. Meshes, fields and compounds are found through a hierarchy of boxes; its order is decided when it is made.

use base::Vec3;

use crate::pose::Pose;

/// What a body is made of.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A ball with this radius.
    Sphere(f32),
    /// All within `radius` of the points from `-half` to `half` on the z axis.
    Capsule {
        /// Half the length of the piece.
        half: f32,
        /// How far it reaches from it.
        radius: f32,
    },
    /// From `-half` to `half`.
    Box(Vec3),
}

/// A box along the axes of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Its least corner.
    pub least: Vec3,
    /// Its greatest corner.
    pub most: Vec3,
}

impl Shape {
    /// The least box around it, as it lies.
    pub fn bounds(&self, pose: &Pose) -> Bounds {
        let half = match *self {
            Shape::Sphere(radius) => Vec3::splat(radius),
            Shape::Capsule { half, radius } => (pose.axes.columns[2] * half).abs() + Vec3::splat(radius),
            Shape::Box(half) => {
                let [x, y, z] = pose.axes.columns;
                (x * half.x).abs() + (y * half.y).abs() + (z * half.z).abs()
            }
        };
        Bounds { least: pose.position - half, most: pose.position + half }
    }
}

impl Bounds {
    /// Whether two boxes have a point in common.
    #[inline]
    pub fn touches(&self, other: &Bounds) -> bool {
        self.least.x <= other.most.x
            && self.least.y <= other.most.y
            && self.least.z <= other.most.z
            && other.least.x <= self.most.x
            && other.least.y <= self.most.y
            && other.least.z <= self.most.z
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
}
