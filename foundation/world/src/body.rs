//! From the body record of a tag to a shape and an initial body.
//!
//! Laws
//! 1. A tag's shape and the body its objects begin with follow from the content alone, and are made once, when it is loaded.
//! 2. A shape that cannot be built (no size, no points, a degenerate hull) gives no body and a [`BodyError`]: `tag check` reports it, and
//!    the objects are warned of.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use base::{Quat, StringId, Vec2, Vec3, number};
use physics::error::ShapeError;
use physics::height_field::{HeightField, HeightFieldError};
use physics::limits::{CHILDREN_MAX, HEIGHT_FIELD_SIDE_MAX, MESH_TRIANGLES_MAX};
use physics::mass::Weight;
use physics::mesh::{Mesh, MeshError};
use physics::pose::Pose;
use physics::shape::{Compound, CompoundError};
use physics::{Body, Mass, Shape, flag};
use tags::Library;
use tags::packed::View;

use crate::classes::{BodyRecord, Geometry, GeometryKind, ObjectTag, PartName, ShapeName};

/// Why a body cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyError {
    /// Its shape is that of a geometry, and it names none, or one that does not exist.
    NoGeometry,
    /// Its geometry cannot be built; the path of the geometry, if it is known.
    Geometry(String, GeometryError),
    /// Its primitive shape cannot be built.
    Shape(ShapeError),
    /// It moves, and its geometry encloses no volume; the path of the geometry, if it is known.
    Open(String),
    /// Its mass is out of range.
    Mass,
}

/// Why a geometry cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeometryError {
    /// A hull.
    Hull(ShapeError),
    /// A mesh with this number of points.
    Mesh(MeshError, usize),
    /// A mesh whose list of indices has this length, which is no multiple of three.
    Indices(usize),
    /// A height field with this number of heights and of columns.
    HeightField(HeightFieldError, usize, u32),
    /// A part of a compound, by its number.
    Part(usize, ShapeError),
    /// A compound.
    Compound(CompoundError),
}

impl GeometryError {
    /// The field of the geometry where the mistake is.
    pub fn field(&self) -> &'static str {
        match self {
            GeometryError::Hull(_) | GeometryError::Mesh(MeshError::Vertex(_), _) => "points",
            GeometryError::Mesh(..) | GeometryError::Indices(_) => "triangles",
            GeometryError::HeightField(HeightFieldError::Spacing, ..) => "spacing",
            GeometryError::HeightField(..) => "heights",
            GeometryError::Part(..) | GeometryError::Compound(_) => "parts",
        }
    }
}

impl fmt::Display for BodyError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BodyError::NoGeometry => to.write_str("its shape is `geometry`, but there is no such geometry"),
            BodyError::Geometry(path, error) if path.is_empty() => error.fmt(to),
            BodyError::Geometry(path, error) => write!(to, "`{path}`: {error}"),
            BodyError::Shape(error) => error.fmt(to),
            BodyError::Open(path) => write!(to, "`{path}` encloses no volume, and a body that moves needs one"),
            BodyError::Mass => to.write_str("its mass or density is out of range"),
        }
    }
}

impl fmt::Display for GeometryError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            GeometryError::Hull(error) => error.fmt(to),
            GeometryError::Mesh(MeshError::Empty, _) => to.write_str("no triangle of the mesh has an area"),
            GeometryError::Mesh(MeshError::TooMany, _) => {
                write!(to, "the mesh has more than {MESH_TRIANGLES_MAX} triangles")
            }
            GeometryError::Mesh(MeshError::Vertex(index), _) => {
                write!(to, "point {index} of the mesh is not finite or too far away")
            }
            GeometryError::Mesh(MeshError::Triangle(index), points) => {
                write!(to, "triangle {index} of the mesh has an index beyond its {points} points")
            }
            GeometryError::Indices(count) => {
                write!(to, "a mesh has three indices for each triangle, and {count} is no multiple of three")
            }
            GeometryError::HeightField(HeightFieldError::Side, ..) => {
                write!(to, "each side of a height field has 2 to {HEIGHT_FIELD_SIDE_MAX} heights")
            }
            GeometryError::HeightField(HeightFieldError::Spacing, ..) => {
                to.write_str("the height field is too small or too large")
            }
            GeometryError::HeightField(HeightFieldError::Heights, count, columns) => {
                write!(to, "the height field has {count} heights, which do not fill rows of {columns}")
            }
            GeometryError::HeightField(HeightFieldError::Height(index), ..) => {
                write!(to, "height {index} of the height field is not finite or too large")
            }
            GeometryError::Part(index, error) => write!(to, "part {index} of the compound: {error}"),
            GeometryError::Compound(CompoundError::Empty) => to.write_str("the compound has no parts"),
            GeometryError::Compound(CompoundError::TooMany) => {
                write!(to, "the compound has more than {CHILDREN_MAX} parts")
            }
            GeometryError::Compound(CompoundError::Pose(index) | CompoundError::HeightField(index)) => {
                write!(to, "part {index} of the compound has no place that is finite and near enough")
            }
        }
    }
}

/// The shape of a tag's objects and the body they begin with; none if the tag describes none. `number` is that of the shape.
pub fn build(content: &Library, tag: StringId, number: u32) -> Result<Option<(Shape, Body)>, BodyError> {
    let Some(view) = content.get_as::<ObjectTag>(tag) else { return Ok(None) };
    let path = content.path(view.body.geometry.id()).map_or("", |path| path.as_str());
    let geometry = content.get_as::<Geometry>(view.body.geometry.id());
    let Some(shape) = shape_of(view, geometry, path)? else { return Ok(None) };
    let body = body_of(view, &shape, (number, path))?;
    Ok(Some((shape, body)))
}

/// The shape of a body; none if there is none. `path` is that of its geometry.
pub fn shape_of(
    view: View<'_, ObjectTag>,
    geometry: Option<View<'_, Geometry>>,
    path: &str,
) -> Result<Option<Shape>, BodyError> {
    let body = &view.get().body;
    let shape = match body.shape.get() {
        ShapeName::None => return Ok(None),
        ShapeName::Sphere => Shape::sphere(body.radius),
        ShapeName::Capsule => capsule(body.length, body.radius),
        ShapeName::Box => Shape::cuboid(body.half),
        ShapeName::Cylinder => cylinder(body.length, body.radius),
        ShapeName::Cone => cone(body.length, body.radius),
        ShapeName::Geometry => {
            let geometry = geometry.ok_or(BodyError::NoGeometry)?;
            let made = geometry_of(geometry, body.fixed.is_true());
            return made.map(Some).map_err(|error| BodyError::Geometry(path.into(), error));
        }
    };
    shape.map(Some).map_err(BodyError::Shape)
}

/// The initial body of a tag's objects, from its shape, with the number of the shape and the path of its geometry.
pub fn body_of(view: View<'_, ObjectTag>, shape: &Shape, (number, path): (u32, &str)) -> Result<Body, BodyError> {
    let described = &view.get().body;
    let is_moved_by_none = described.fixed.is_true() || described.kinematic.is_true();
    let mass = match is_moved_by_none {
        true => Mass::NONE,
        false => mass_of(shape, described).map_err(|error| match error {
            ShapeError::NotClosed => BodyError::Open(path.into()),
            _ => BodyError::Mass,
        })?,
    };
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
    if body.is_valid() { Ok(body) } else { Err(BodyError::Mass) }
}

/// A capsule; with a length of 0 it is a sphere.
fn capsule(length: f32, radius: f32) -> Result<Shape, ShapeError> {
    if length == 0.0 { Shape::sphere(radius) } else { Shape::capsule(length / 2.0, radius) }
}

/// The sides of cylinders and cones. Their hulls are as large in section as the circle: so volume and inertia are those of round ones, up to
/// a hundred-thousandth, and the surface lies within a third of a percent of the radius.
const SIDES: usize = 32;

/// The points of a circle around the z axis at a height.
fn circle(radius: f32, height: f32) -> impl Iterator<Item = Vec3> {
    let turn = 2.0 * core::f64::consts::PI / SIDES as f64;
    let wide = f64::from(radius) * number::double::sqrt(turn / number::double::sin(turn));
    (0..SIDES).map(move |side| {
        let (sine, cosine) = number::double::sin_cos(turn * side as f64);
        Vec3::new((wide * cosine) as f32, (wide * sine) as f32, height)
    })
}

/// A cylinder around the z axis.
fn cylinder(length: f32, radius: f32) -> Result<Shape, ShapeError> {
    let points: Vec<Vec3> = circle(radius, -length / 2.0).chain(circle(radius, length / 2.0)).collect();
    Shape::hull(&points)
}

/// A cone around the z axis, with its point up and its centre of mass a quarter of its length above its base.
fn cone(length: f32, radius: f32) -> Result<Shape, ShapeError> {
    let point = Vec3::new(0.0, 0.0, length * 0.75);
    let points: Vec<Vec3> = circle(radius, -length / 4.0).chain([point]).collect();
    Shape::hull(&points)
}

fn mass_of(shape: &Shape, described: &BodyRecord) -> Result<Mass, ShapeError> {
    let weight = if described.mass > 0.0 { Weight::Total(described.mass) } else { Weight::Density(described.density) };
    Mass::of(shape, weight)
}

/// The shape of a geometry. That of a fixed body has no convex parts, which take time to find and only count for bodies that move.
pub fn geometry_of(view: View<'_, Geometry>, is_fixed: bool) -> Result<Shape, GeometryError> {
    match view.get().kind.get() {
        GeometryKind::Hull => Shape::hull(view.each(&view.get().points)).map_err(GeometryError::Hull),
        GeometryKind::Mesh => {
            let (triangles, rest) = view.each(&view.get().triangles).as_chunks::<3>();
            if !rest.is_empty() {
                return Err(GeometryError::Indices(triangles.len() * 3 + rest.len()));
            }
            let points = view.each(&view.get().points);
            let mesh = if is_fixed { Mesh::fixed(points, triangles) } else { Mesh::new(points, triangles) };
            let mesh = mesh.map_err(|error| GeometryError::Mesh(error, points.len()))?;
            Ok(Shape::Mesh(Arc::new(mesh)))
        }
        GeometryKind::HeightField => {
            let (spacing, columns) = (Vec2::splat(view.get().spacing), view.get().columns);
            let heights = view.each(&view.get().heights);
            let field = HeightField::new(columns as usize, heights, spacing, |_, _| false);
            let field = field.map_err(|error| GeometryError::HeightField(error, heights.len(), columns))?;
            Ok(Shape::HeightField(Arc::new(field)))
        }
        GeometryKind::Compound => {
            let mut parts = Vec::new();
            for (index, part) in view.each(&view.get().parts).iter().enumerate() {
                let shape = match part.shape.get() {
                    PartName::Sphere => Shape::sphere(part.radius),
                    PartName::Capsule => capsule(part.length, part.radius),
                    PartName::Box => Shape::cuboid(part.half),
                    PartName::Cylinder => cylinder(part.length, part.radius),
                    PartName::Cone => cone(part.length, part.radius),
                    PartName::Hull => Shape::hull(view.each(&part.points)),
                };
                let turn = Quat::between(Vec3::X, part.facing.normal_or(Vec3::X));
                let shape = shape.map_err(|error| GeometryError::Part(index, error))?;
                parts.push((Pose::new(part.position, turn), shape));
            }
            Ok(Shape::Compound(Arc::new(Compound::new(parts).map_err(GeometryError::Compound)?)))
        }
    }
}
