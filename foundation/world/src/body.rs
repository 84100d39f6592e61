//! From the body record of a tag to a shape and an initial body.
//!
//! Laws
//! 1. A tag's shape and the body its objects begin with follow from the content alone, and are made once, when it is loaded.
//! 2. A shape that cannot be built (no size, no points, a degenerate hull) gives no body, and its objects are warned of.

use alloc::sync::Arc;
use alloc::vec::Vec;

use base::{Quat, StringId, Vec2, Vec3};
use physics::error::ShapeError;
use physics::height_field::HeightField;
use physics::mass::Weight;
use physics::mesh::Mesh;
use physics::pose::Pose;
use physics::shape::Compound;
use physics::{Body, Mass, Shape, flag};
use tags::Library;

use crate::classes::{BodyRecord, Geometry, GeometryKind, ObjectTag, PartName, ShapeName};

/// The shape of a tag's objects; none if there is none or it cannot be built.
pub fn shape_of(content: &Library, tag: StringId) -> Option<Shape> {
    let view = content.get_as::<ObjectTag>(tag)?;
    let body = &view.body;
    match body.shape.get() {
        ShapeName::None => None,
        ShapeName::Sphere => Shape::sphere(body.radius).ok(),
        ShapeName::Capsule => capsule(body.length, body.radius).ok(),
        ShapeName::Box => Shape::cuboid(body.half).ok(),
        ShapeName::Geometry => geometry(content, body.geometry.id()),
    }
}

/// Whether a tag describes a body at all.
pub fn is_described(content: &Library, tag: StringId) -> bool {
    content.get_as::<ObjectTag>(tag).is_some_and(|view| !matches!(view.body.shape.get(), ShapeName::None))
}

/// The initial body of a tag's objects. `number` is that of its shape.
pub fn body_of(content: &Library, tag: StringId, shape: &Shape, number: u32) -> Option<Body> {
    let view = content.get_as::<ObjectTag>(tag)?;
    let described = &view.body;
    let is_moved_by_none = described.fixed.is_true() || described.kinematic.is_true();
    let mass = if is_moved_by_none { Mass::NONE } else { mass_of(shape, described)? };
    let mut body = Body::new((number, shape), &mass, Vec3::ZERO, Quat::IDENTITY);
    body.friction = described.friction;
    body.restitution = described.restitution;
    body.rolling_resistance = described.rolling;
    body.linear_damping = described.damping;
    body.angular_damping = described.angular_damping;
    body.gravity_scale = described.gravity;
    body.layers = 1 << described.layer.min(31);
    let meets = view.each(&described.collides_with);
    if !meets.is_empty() {
        body.mask = meets.iter().fold(0, |bits, layer| bits | 1 << layer.min(&31));
    }
    for (is_so, bit) in [
        (described.fixed.is_true(), flag::STATIC),
        (described.trigger.is_true(), flag::TRIGGER),
        (described.upright.is_true(), flag::FIXED_ROTATION),
        (described.never_sleeps.is_true(), flag::NEVER_SLEEPS),
        (described.point.is_true(), flag::POINT),
    ] {
        body.flags |= if is_so { bit } else { 0 };
    }
    body.is_valid().then_some(body)
}

/// A capsule; with a length of 0 it is a sphere.
fn capsule(length: f32, radius: f32) -> Result<Shape, ShapeError> {
    if length == 0.0 { Shape::sphere(radius) } else { Shape::capsule(length / 2.0, radius) }
}

fn mass_of(shape: &Shape, described: &BodyRecord) -> Option<Mass> {
    let weight = if described.mass > 0.0 { Weight::Total(described.mass) } else { Weight::Density(described.density) };
    Mass::of(shape, weight).ok()
}

fn geometry(content: &Library, tag: StringId) -> Option<Shape> {
    let view = content.get_as::<Geometry>(tag)?;
    match view.kind.get() {
        GeometryKind::Hull => Shape::hull(view.each(&view.points)).ok(),
        GeometryKind::Mesh => {
            let (triangles, _) = view.each(&view.triangles).as_chunks::<3>();
            Some(Shape::Mesh(Arc::new(Mesh::new(view.each(&view.points), triangles).ok()?)))
        }
        GeometryKind::HeightField => {
            let spacing = Vec2::splat(view.spacing);
            let field =
                HeightField::new(view.columns as usize, view.each(&view.heights), spacing, |_, _| false).ok()?;
            Some(Shape::HeightField(Arc::new(field)))
        }
        GeometryKind::Compound => {
            let mut parts = Vec::new();
            for part in view.each(&view.parts) {
                let shape = match part.shape.get() {
                    PartName::Sphere => Shape::sphere(part.radius),
                    PartName::Capsule => capsule(part.length, part.radius),
                    PartName::Box => Shape::cuboid(part.half),
                    PartName::Hull => Shape::hull(view.each(&part.points)),
                };
                let turn = Quat::between(Vec3::X, part.facing.normal_or(Vec3::X));
                parts.push((Pose::new(part.position, turn), shape.ok()?));
            }
            Some(Shape::Compound(Arc::new(Compound::new(parts).ok()?)))
        }
    }
}
