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

use alloc::sync::Arc;

use base::Vec3;

pub use crate::bounds::Bounds;
use crate::error::ShapeError;
use crate::facet::Surface;
use crate::field::Field;
use crate::hull::Hull;
use crate::limits::{SIZE_LEAST, SIZE_MOST};
use crate::mesh::Mesh;
use crate::pose::Pose;

mod compound;

pub use compound::{Child, Compound, CompoundError};

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
    /// The least convex body around some points.
    Hull(Arc<Hull>),
    /// Triangles.
    Mesh(Arc<Mesh>),
    /// Ground.
    Field(Arc<Field>),
    /// Several shapes.
    Compound(Arc<Compound>),
}

impl Shape {
    /// A ball.
    pub fn sphere(radius: f32) -> Result<Shape, ShapeError> {
        Shape::Sphere(radius).checked()
    }

    /// All within `radius` of a piece of the z axis; `half` is half its length.
    pub fn capsule(half: f32, radius: f32) -> Result<Shape, ShapeError> {
        Shape::Capsule { half, radius }.checked()
    }

    /// A box, by half its sizes.
    pub fn cuboid(half: Vec3) -> Result<Shape, ShapeError> {
        Shape::Box(half).checked()
    }

    /// The hull of some points.
    pub fn hull(points: &[Vec3]) -> Result<Shape, ShapeError> {
        Ok(Shape::Hull(Arc::new(Hull::new(points)?)))
    }

    /// The same, if it keeps the laws of shapes; otherwise why it does not.
    pub fn checked(self) -> Result<Shape, ShapeError> {
        match self {
            Shape::Sphere(radius) => check_size(radius)?,
            Shape::Capsule { half, radius } => {
                check_size(half)?;
                check_size(radius)?;
            }
            Shape::Box(half) => half.to_array().into_iter().try_for_each(check_size)?,
            Shape::Hull(_) | Shape::Mesh(_) | Shape::Field(_) | Shape::Compound(_) => {}
        }
        Ok(self)
    }

    /// The least box around it, as it lies.
    pub fn bounds(&self, pose: &Pose) -> Bounds {
        let half = match self {
            &Shape::Sphere(radius) => Vec3::splat(radius),
            &Shape::Capsule { half, radius } => (pose.axes.columns[2] * half).abs() + Vec3::splat(radius),
            &Shape::Box(half) => {
                let [x, y, z] = pose.axes.columns;
                (x * half.x).abs() + (y * half.y).abs() + (z * half.z).abs()
            }
            Shape::Hull(hull) => return Bounds::around(hull.vertices().iter().map(|&vertex| pose.point(vertex))),
            Shape::Mesh(mesh) => return mesh.bounds().moved(pose),
            Shape::Field(field) => return field.bounds().moved(pose),
            Shape::Compound(compound) => return compound.tree().bounds().moved(pose),
        };
        Bounds { least: pose.position - half, most: pose.position + half }
    }
}

impl Shape {
    /// How far it reaches from a point of its own.
    pub fn reach(&self, from: Vec3) -> f32 {
        match self {
            Shape::Sphere(radius) => from.length() + radius,
            Shape::Capsule { half, radius } => {
                let end = Vec3::new(0.0, 0.0, *half);
                base::number::max(from.distance(end), from.distance(-end)) + radius
            }
            Shape::Box(half) => (from.abs() + *half).length(),
            Shape::Hull(hull) => {
                hull.vertices().iter().fold(0.0, |reach, vertex| base::number::max(reach, from.distance(*vertex)))
            }
            Shape::Mesh(_) | Shape::Field(_) | Shape::Compound(_) => {
                let bounds = self.bounds(&Pose::IDENTITY);
                ((bounds.middle() - from).abs() + bounds.half()).length()
            }
        }
    }

    /// The radius of the largest ball within it, or nearly: what moves no farther than that cannot pass through it. Surfaces have
    /// no thickness; a compound is as thin as its thinnest child.
    pub fn inner(&self) -> f32 {
        match self {
            Shape::Sphere(radius) | Shape::Capsule { radius, .. } => *radius,
            Shape::Box(half) => half.min_component(),
            Shape::Hull(hull) => hull.inner(),
            Shape::Mesh(_) | Shape::Field(_) => 0.0,
            Shape::Compound(compound) => {
                let inner = compound.children().iter().map(|child| child.shape.inner());
                inner.fold(f32::INFINITY, base::number::min)
            }
        }
    }
}

fn check_size(size: f32) -> Result<(), ShapeError> {
    match size {
        _ if !size.is_finite() => Err(ShapeError::NotFinite),
        _ if size < SIZE_LEAST => Err(ShapeError::TooSmall),
        _ if size > SIZE_MOST => Err(ShapeError::TooLarge),
        _ => Ok(()),
    }
}
