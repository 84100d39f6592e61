//! Collision shapes: created when content is loaded, shared, never changed.
//!
//! | shape | what it is |
//! |---|---|
//! | sphere | around the origin |
//! | capsule | all points within a radius of a segment on the z axis |
//! | box | along the axes, around the origin |
//! | hull | the convex hull of some points |
//! | mesh | triangles; bodies collide with their front faces |
//! | height field | heights over a grid: ground |
//! | compound | several of these, each with a pose |
//!
//! Laws
//! 1. Lengths are in metres, and every number of a shape is finite: anything else is refused at construction.
//! 2. Meshes, height fields and compounds have a BVH, whose order is fixed at construction.

use alloc::sync::Arc;

use base::Vec3;

use crate::aabb::Aabb;
use crate::error::ShapeError;
use crate::height_field::HeightField;
use crate::hull::Hull;
use crate::limits::{SIZE_MAX, SIZE_MIN};
use crate::mesh::Mesh;
use crate::pose::Pose;
use crate::surface::Surface;

mod compound;

pub use compound::{Child, Compound, CompoundError};

/// The shape of a body.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A sphere with this radius.
    Sphere(f32),
    /// All points within `radius` of the segment from `-half` to `half` on the z axis.
    Capsule {
        /// Half the length of the segment.
        half: f32,
        /// The radius.
        radius: f32,
    },
    /// A box with this half extent.
    Box(Vec3),
    /// A convex hull.
    Hull(Arc<Hull>),
    /// A triangle mesh.
    Mesh(Arc<Mesh>),
    /// A height field.
    HeightField(Arc<HeightField>),
    /// Several shapes.
    Compound(Arc<Compound>),
}

impl Shape {
    /// A sphere.
    pub fn sphere(radius: f32) -> Result<Shape, ShapeError> {
        Shape::Sphere(radius).checked()
    }

    /// A capsule around the z axis; `half` is half the length of its segment.
    pub fn capsule(half: f32, radius: f32) -> Result<Shape, ShapeError> {
        Shape::Capsule { half, radius }.checked()
    }

    /// A box, by its half extent.
    pub fn cuboid(half: Vec3) -> Result<Shape, ShapeError> {
        Shape::Box(half).checked()
    }

    /// The convex hull of some points.
    pub fn hull(points: &[Vec3]) -> Result<Shape, ShapeError> {
        Ok(Shape::Hull(Arc::new(Hull::new(points)?)))
    }

    /// Checks the laws of shapes.
    pub fn checked(self) -> Result<Shape, ShapeError> {
        match self {
            Shape::Sphere(radius) => check_size(radius)?,
            Shape::Capsule { half, radius } => {
                check_size(half)?;
                check_size(radius)?;
            }
            Shape::Box(half) => half.to_array().into_iter().try_for_each(check_size)?,
            Shape::Hull(_) | Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_) => {}
        }
        Ok(self)
    }

    /// Its AABB in a pose. Tight except for meshes, height fields and compounds.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let half = match self {
            &Shape::Sphere(radius) => Vec3::splat(radius),
            &Shape::Capsule { half, radius } => (pose.axes.columns[2] * half).abs() + Vec3::splat(radius),
            &Shape::Box(half) => {
                let [x, y, z] = pose.axes.columns;
                (x * half.x).abs() + (y * half.y).abs() + (z * half.z).abs()
            }
            Shape::Hull(hull) => return Aabb::from_points(hull.vertices().iter().map(|&vertex| pose.point(vertex))),
            Shape::Mesh(mesh) => return mesh.aabb().transformed(pose),
            Shape::HeightField(height_field) => return height_field.aabb().transformed(pose),
            Shape::Compound(compound) => return compound.bvh().aabb().transformed(pose),
        };
        Aabb { min: pose.position - half, max: pose.position + half }
    }
}

impl Shape {
    /// The shape of a moving body: a closed mesh is its convex parts, if it could be cut.
    #[must_use]
    pub fn moving(&self) -> Option<Shape> {
        let Shape::Mesh(mesh) = self else { return None };
        match mesh.parts() {
            [] => None,
            [part] => Some(Shape::Hull(Arc::clone(part))),
            parts => {
                let children = parts.iter().map(|part| (Pose::IDENTITY, Shape::Hull(Arc::clone(part))));
                Compound::new(children).ok().map(|compound| Shape::Compound(Arc::new(compound)))
            }
        }
    }

    /// The radius of the bounding sphere around a point of its local space.
    pub fn bounding_radius(&self, from: Vec3) -> f32 {
        match self {
            Shape::Sphere(radius) => from.length() + radius,
            Shape::Capsule { half, radius } => {
                let end = Vec3::new(0.0, 0.0, *half);
                base::number::max(from.distance(end), from.distance(-end)) + radius
            }
            Shape::Box(half) => (from.abs() + *half).length(),
            Shape::Hull(hull) => hull
                .vertices()
                .iter()
                .fold(0.0, |bounding_radius, vertex| base::number::max(bounding_radius, from.distance(*vertex))),
            Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_) => {
                let aabb = self.aabb(&Pose::IDENTITY);
                ((aabb.center() - from).abs() + aabb.half_extent()).length()
            }
        }
    }

    /// The radius of a sphere that fits inside: a body that moves no farther cannot tunnel through it. Of a closed
    /// mesh, half its thickness; other surfaces have none; of a compound, the smallest of its children.
    pub fn inscribed_radius(&self) -> f32 {
        match self {
            Shape::Sphere(radius) | Shape::Capsule { radius, .. } => *radius,
            Shape::Box(half) => half.min_component(),
            Shape::Hull(hull) => hull.inscribed_radius(),
            Shape::Mesh(mesh) => mesh.half_thickness(),
            Shape::HeightField(_) => 0.0,
            Shape::Compound(compound) => {
                let inscribed_radius = compound.children().iter().map(|child| child.shape.inscribed_radius());
                inscribed_radius.fold(f32::INFINITY, base::number::min)
            }
        }
    }
}

fn check_size(size: f32) -> Result<(), ShapeError> {
    match size {
        _ if !size.is_finite() => Err(ShapeError::NotFinite),
        _ if size < SIZE_MIN => Err(ShapeError::TooSmall),
        _ if size > SIZE_MAX => Err(ShapeError::TooLarge),
        _ => Ok(()),
    }
}
