//! The meshes of shapes: spheres, capsules, boxes with bevelled edges, markers, and the meshes of a catalogue.
//!
//! A mesh is made for the proportions of a shape, rounded, and scaled to its size: so a level with thousands of different boxes
//! needs few of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::number::{max, round, sin_cos};
use base::{StringId, Vec2, Vec3};
use view::{Shape, ShapeCatalogue, ShapeMesh};

use crate::limits::{SHAPES_MAX, TRIANGLES_MAX};
use crate::resources::mesh::{Extent, MeshLod, MeshResource};
use crate::resources::model::ModelResource;
use crate::resources::vertices::box_uv;

/// The model of a shape, and the scale along its axes at which it has the shape's size.
#[derive(Clone, Debug)]
pub struct ShapeModel {
    /// The model, without material.
    pub model: Arc<ModelResource>,
    /// Its scale.
    pub scale: Vec3,
}

/// The meshes that have been made.
#[derive(Debug, Default)]
pub struct ShapeModels {
    models: BTreeMap<ShapeKey, Arc<ModelResource>>,
    /// The version of the catalogue whose meshes are kept.
    catalogue: u64,
}

/// The proportions of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ShapeKey {
    Marker,
    Sphere,
    /// The length by the radius, in quarters.
    Capsule(u32),
    /// The half extents by the greatest one, in sixteenths.
    Box([u8; 3]),
    Mesh(StringId),
}

/// The steps of a box's proportions.
const BOX_STEPS: f32 = 16.0;
/// The width of a bevel, as a part of the smallest half extent.
const BEVEL: f32 = 0.09;
/// The rings of spheres and capsules from pole to pole, for each level of detail.
const RINGS: [u32; 6] = [48, 24, 16, 10, 6, 4];

impl ShapeModels {
    /// None yet.
    pub fn new() -> ShapeModels {
        ShapeModels::default()
    }

    /// Empties it when there are too many.
    pub(super) fn begin_picture(&mut self) {
        if self.models.len() > SHAPES_MAX {
            self.models.clear();
        }
    }

    /// The model of a shape; none if there is nothing to be shown.
    pub(super) fn get(
        &mut self,
        shape: &Shape,
        catalogue: &ShapeCatalogue,
        serial: impl FnOnce() -> u64,
    ) -> Option<ShapeModel> {
        if self.catalogue != catalogue.version {
            self.models.retain(|key, _| !matches!(key, ShapeKey::Mesh(_)));
            self.catalogue = catalogue.version;
        }
        let (key, scale) = key_of(shape)?;
        if !scale.is_finite() || scale.abs().max_component() > 1e9 {
            return None;
        }
        if let Some(model) = self.models.get(&key) {
            return Some(ShapeModel { model: Arc::clone(model), scale });
        }
        let lods = match key {
            ShapeKey::Marker => vec![marker()],
            ShapeKey::Sphere => RINGS.map(|rings| capsule(rings, 0.0)).into(),
            ShapeKey::Capsule(quarters) => RINGS.map(|rings| capsule(rings, quarters as f32 / 4.0)).into(),
            ShapeKey::Box(steps) => {
                let half = Vec3::from_array(steps.map(|step| f32::from(step) / BOX_STEPS));
                vec![bevelled_box(half), flat_box(half)]
            }
            ShapeKey::Mesh(name) => vec![creased_mesh(catalogue.meshes.get(&name)?)?],
        };
        let bounds = Extent::around(&lods[0].positions);
        let model = Arc::new(ModelResource::of_mesh(serial(), MeshResource { slot: None, bounds, lods }));
        self.models.insert(key, Arc::clone(&model));
        Some(ShapeModel { model, scale })
    }
}

fn key_of(shape: &Shape) -> Option<(ShapeKey, Vec3)> {
    let splat = Vec3::splat;
    match *shape {
        Shape::None => None,
        Shape::Marker { radius } => (radius > 0.0).then_some((ShapeKey::Marker, splat(radius))),
        Shape::Sphere { radius } => (radius > 0.0).then_some((ShapeKey::Sphere, splat(radius))),
        Shape::Capsule { radius, length } if radius > 0.0 && length >= 0.0 => {
            // Longer capsules are as if cut off by nothing: the ratio is limited, the scale along z makes up for it.
            let ratio = length / radius;
            let quarters = base::number::clamp(round(ratio * 4.0), 0.0, 4096.0);
            let height = (ratio + 2.0) / (quarters / 4.0 + 2.0);
            Some((ShapeKey::Capsule(quarters as u32), Vec3::new(radius, radius, radius * height)))
        }
        Shape::Capsule { .. } => None,
        Shape::Box { half } => {
            let most = half.max_component();
            let is_sound = half.is_finite() && half.to_array().iter().all(|side| *side >= 0.0) && most > 0.0;
            let steps = half.to_array().map(|side| max(round(side / most * BOX_STEPS), 1.0));
            let scale = [0, 1, 2].map(|axis| half[axis] / (steps[axis] / BOX_STEPS));
            is_sound.then_some((ShapeKey::Box(steps.map(|step| step as u8)), Vec3::from_array(scale)))
        }
        Shape::Mesh { name } => Some((ShapeKey::Mesh(name), Vec3::ONE)),
    }
}

/// A capsule of radius 1 along z with smooth normals; a sphere if its length is 0.
fn capsule(rings: u32, length: f32) -> MeshLod {
    let columns = rings * 2;
    let mut lod = MeshLod { error: 1.25 / (rings * rings) as f32, ..MeshLod::default() };
    // The ring at the equator is there twice, once for each end.
    let rows: Vec<(u32, f32)> =
        (0..=rings / 2).map(|ring| (ring, 0.5)).chain((rings / 2..=rings).map(|ring| (ring, -0.5))).collect();
    for (ring, side) in &rows {
        let (sine, cosine) = sin_cos(*ring as f32 / rings as f32 * base::number::PI);
        for column in 0..=columns {
            let part = column as f32 / columns as f32;
            let (y, x) = sin_cos(part * base::number::TAU);
            let normal = Vec3::new(x * sine, y * sine, cosine);
            lod.normals.push(normal);
            lod.positions.push(normal + Vec3::new(0.0, 0.0, side * length));
            lod.uvs[0].push(Vec2::new(part, *ring as f32 / rings as f32));
        }
    }
    let wide = columns + 1;
    for row in 0..rows.len() as u32 - 1 {
        if length == 0.0 && row == rings / 2 {
            continue;
        }
        for column in 0..columns {
            let (a, b) = (row * wide + column, (row + 1) * wide + column);
            if row > 0 {
                lod.indices.extend([a, b, a + 1]);
            }
            if row + 2 < rows.len() as u32 {
                lod.indices.extend([a + 1, b, b + 1]);
            }
        }
    }
    lod
}

/// A box with flat sides.
fn flat_box(half: Vec3) -> MeshLod {
    let mut lod = MeshLod { error: 0.03, ..MeshLod::default() };
    for axis in 0..3 {
        for sign in [1.0, -1.0] {
            side(&mut lod, axis, sign, half, 0.0);
        }
    }
    lod
}

/// A box whose edges and corners are cut, with normals that make them catch the light.
fn bevelled_box(half: Vec3) -> MeshLod {
    let smallest = base::number::min(half.x, base::number::min(half.y, half.z));
    let bevel = smallest * BEVEL;
    let mut lod = MeshLod::default();
    for axis in 0..3 {
        for sign in [1.0, -1.0] {
            side(&mut lod, axis, sign, half, bevel);
        }
    }
    // The edges: between two sides along the third axis; each end has the normal of the edge.
    let corner = |signs: [f32; 3], outer: usize| {
        let inner = Vec3::from_array([0, 1, 2].map(|axis| signs[axis] * (half[axis] - bevel)));
        let mut point = inner;
        point[outer] = signs[outer] * half[outer];
        point
    };
    for along in 0..3 {
        let (first, second) = ((along + 1) % 3, (along + 2) % 3);
        for (a, b) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            let signs = |end: f32| {
                let mut signs = [0.0; 3];
                (signs[along], signs[first], signs[second]) = (end, a, b);
                signs
            };
            let mut normal = Vec3::ZERO;
            (normal[first], normal[second]) = (a, b);
            let points = [
                corner(signs(-1.0), first),
                corner(signs(1.0), first),
                corner(signs(1.0), second),
                corner(signs(-1.0), second),
            ];
            polygon(&mut lod, &points, normal.normal_or(Vec3::Z));
        }
    }
    for bits in 0..8 {
        let signs = [0, 1, 2].map(|axis| if bits >> axis & 1 == 1 { 1.0 } else { -1.0 });
        let points = [corner(signs, 0), corner(signs, 1), corner(signs, 2)];
        polygon(&mut lod, &points, Vec3::from_array(signs).normal_or(Vec3::Z));
    }
    lod
}

/// One side of a box, inset by the bevel.
fn side(lod: &mut MeshLod, axis: usize, sign: f32, half: Vec3, bevel: f32) {
    let (first, second) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut normal = Vec3::ZERO;
    normal[axis] = sign;
    let points = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(a, b)| {
        let mut point = Vec3::ZERO;
        point[axis] = sign * half[axis];
        point[first] = a * (half[first] - bevel);
        point[second] = b * (half[second] - bevel);
        point
    });
    polygon(lod, &points, normal);
}

/// A convex polygon with one normal, wound to face along it.
fn polygon(lod: &mut MeshLod, points: &[Vec3], normal: Vec3) {
    let first = lod.positions.len() as u32;
    let faces = (points[1] - points[0]).cross(points[2] - points[0]).dot(normal) > 0.0;
    for point in points {
        lod.positions.push(*point);
        lod.normals.push(normal);
        lod.uvs[0].push(box_uv(*point, normal));
    }
    for corner in 1..points.len() as u32 - 1 {
        let (a, b) = if faces { (corner, corner + 1) } else { (corner + 1, corner) };
        lod.indices.extend([first, first + a, first + b]);
    }
}

/// A marker of radius 1: a slender dart that points along x.
fn marker() -> MeshLod {
    let (nose, left, right) = (Vec3::X, Vec3::new(-0.7, 0.62, 0.0), Vec3::new(-0.7, -0.62, 0.0));
    let (top, bottom, tail) = (Vec3::new(-0.45, 0.0, 0.3), Vec3::new(-0.45, 0.0, -0.14), Vec3::new(-0.4, 0.0, 0.0));
    let middle = Vec3::new(-0.3, 0.0, 0.04);
    let faces = [
        [nose, left, top],
        [nose, top, right],
        [nose, bottom, left],
        [nose, right, bottom],
        [top, left, tail],
        [right, top, tail],
        [left, bottom, tail],
        [bottom, right, tail],
    ];
    let mut lod = MeshLod::default();
    for points in faces {
        let normal = (points[1] - points[0]).cross(points[2] - points[0]).normal_or(Vec3::Z);
        // The notch at the tail faces backwards, all else away from the middle.
        let is_tail = points[2] == tail;
        let outwards = if is_tail { -Vec3::X } else { points[0] + points[1] + points[2] - middle * 3.0 };
        let outward = if normal.dot(outwards) < 0.0 { -normal } else { normal };
        polygon(&mut lod, &points, outward);
    }
    lod
}

/// A mesh of a catalogue: smooth where its triangles meet at a small angle, with edges elsewhere. None if it has no triangle that
/// can be drawn.
fn creased_mesh(mesh: &ShapeMesh) -> Option<MeshLod> {
    let triangles: Vec<_> = mesh
        .triangles
        .iter()
        .take(TRIANGLES_MAX as usize / 3)
        .filter_map(|corners| {
            let points = corners.map(|corner| mesh.points.get(corner as usize).copied().unwrap_or_default());
            let area = (points[1] - points[0]).cross(points[2] - points[0]);
            let normal = area.normal();
            (points.iter().all(|point| point.is_finite()) && normal != Vec3::ZERO).then_some((*corners, points, area))
        })
        .collect();
    // The areas around each point, one after the other.
    let mut around: Vec<(u32, Vec3)> =
        triangles.iter().flat_map(|(corners, _, area)| corners.map(|corner| (corner, *area))).collect();
    around.sort_by_key(|(corner, _)| *corner);
    let mut lod = MeshLod::default();
    for (corners, points, area) in &triangles {
        let flat = area.normal();
        let first = lod.normals.len();
        polygon(&mut lod, points, flat);
        for (at, corner) in corners.iter().enumerate() {
            let start = around.partition_point(|(other, _)| other < corner);
            let own = around[start..].iter().take_while(|(other, _)| other == corner).take(NEIGHBOURS_MAX);
            let sum = own
                .map(|(_, other)| *other)
                .filter(|other| other.normal().dot(flat) > CREASE_COSINE)
                .fold(Vec3::ZERO, |sum, other| sum + other);
            lod.normals[first + at] = sum.normal_or(flat);
        }
    }
    (!lod.indices.is_empty()).then_some(lod)
}

/// Triangles that meet at a smaller angle than this are smooth: its cosine, of 34 degrees.
const CREASE_COSINE: f32 = 0.83;
/// The most triangles around a point that smooth it.
const NEIGHBOURS_MAX: usize = 64;
