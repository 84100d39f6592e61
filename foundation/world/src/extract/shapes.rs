//! The meshes of geometry tags, so that objects without a model can be shown by their bodies.

use alloc::vec::Vec;
use core::f32::consts::{FRAC_PI_2, TAU};

use base::{StringId, Vec3, hash, number};
use physics::Shape;
use physics::height_field::HeightField;
use physics::pose::Pose;
use view::{ShapeCatalogue, ShapeMesh};

use crate::rules::Rules;

/// The most triangles of one mesh; a finer height field is shown coarser.
const TRIANGLES_MAX: usize = 1 << 18;
/// The sides of a sphere or a capsule within a compound.
const ROUND_SIDES: u32 = 16;

impl Rules {
    /// The meshes of the geometry that bodies have. It follows from the content: it is made anew when that has changed.
    pub fn shape_catalogue(&self) -> ShapeCatalogue {
        let mut catalogue = ShapeCatalogue::default();
        for (number, prototype) in self.prototypes.iter().enumerate() {
            let view::Shape::Mesh { name } = prototype.appearance.shape else { continue };
            let Some(shape) = self.prototypes.shapes().get(number as u32) else { continue };
            catalogue.meshes.entry(name).or_insert_with(|| {
                let mut mesh = ShapeMesh::default();
                add(shape, &Pose::IDENTITY, &mut mesh);
                mesh
            });
        }
        catalogue.version = version(&catalogue);
        catalogue
    }
}

/// A hash of everything in a catalogue.
fn version(catalogue: &ShapeCatalogue) -> u64 {
    let mut bytes: Vec<u8> = Vec::new();
    for (name, mesh) in &catalogue.meshes {
        bytes.extend_from_slice(base::plain::bytes_of::<StringId>(name));
        let parts = mesh.points.iter().flat_map(|point| point.to_array());
        bytes.extend(parts.flat_map(f32::to_le_bytes));
        bytes.extend(mesh.triangles.iter().flatten().copied().flat_map(u32::to_le_bytes));
    }
    hash::hash(&bytes)
}

/// Adds a shape in a pose.
fn add(shape: &Shape, pose: &Pose, mesh: &mut ShapeMesh) {
    match shape {
        Shape::Sphere(radius) => round(0.0, *radius, pose, mesh),
        Shape::Capsule { half, radius } => round(*half, *radius, pose, mesh),
        Shape::Box(half) => cuboid(*half, pose, mesh),
        Shape::Hull(hull) => triangles(hull.triangles(), pose, mesh),
        Shape::Mesh(found) => triangles(found.triangles(), pose, mesh),
        Shape::HeightField(field) => height_field(field, pose, mesh),
        Shape::Compound(compound) => {
            // Compounds are not nested, so the recursion is one level deep.
            compound.children().iter().for_each(|child| add(&child.shape, &pose.compose(&child.pose), mesh));
        }
    }
}

/// Adds triangles with corners of their own, so that faces are shaded flat.
fn triangles(found: impl Iterator<Item = [Vec3; 3]>, pose: &Pose, mesh: &mut ShapeMesh) {
    for corners in found.take(TRIANGLES_MAX.saturating_sub(mesh.triangles.len())) {
        let first = mesh.points.len() as u32;
        mesh.points.extend(corners.map(|corner| pose.point(corner)));
        mesh.triangles.push([first, first + 1, first + 2]);
    }
}

fn cuboid(half: Vec3, pose: &Pose, mesh: &mut ShapeMesh) {
    let corner = |bits: u32| {
        let side = |bit: u32, half: f32| if bits >> bit & 1 == 1 { half } else { -half };
        Vec3::new(side(0, half.x), side(1, half.y), side(2, half.z))
    };
    // Counter-clockwise seen from outside.
    const FACES: [[u32; 4]; 6] = [[1, 3, 7, 5], [0, 4, 6, 2], [2, 6, 7, 3], [0, 1, 5, 4], [4, 5, 7, 6], [0, 2, 3, 1]];
    let faces = FACES.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]);
    triangles(faces.map(|face| face.map(corner)), pose, mesh);
}

/// Adds a capsule along the z axis; a sphere if its half length is 0.
fn round(half: f32, radius: f32, pose: &Pose, mesh: &mut ShapeMesh) {
    let first = mesh.points.len() as u32;
    let rings = ROUND_SIDES / 2;
    // The ring at the equator is there twice: the cylinder of a capsule lies between both.
    for ring in 0..=rings + 1 {
        let (step, centre) = if ring <= rings / 2 { (ring, -half) } else { (ring - 1, half) };
        let (up, out) = number::sin_cos((step as f32 / rings as f32 * 2.0 - 1.0) * FRAC_PI_2);
        for side in 0..ROUND_SIDES {
            let (sin, cos) = number::sin_cos(side as f32 / ROUND_SIDES as f32 * TAU);
            let point = Vec3::new(cos * out * radius, sin * out * radius, up * radius + centre);
            mesh.points.push(pose.point(point));
        }
    }
    for ring in 0..=rings {
        for side in 0..ROUND_SIDES {
            let at = |ring: u32, side: u32| first + ring * ROUND_SIDES + side % ROUND_SIDES;
            let [a, b, c, d] = [at(ring, side), at(ring, side + 1), at(ring + 1, side + 1), at(ring + 1, side)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
}

fn height_field(field: &HeightField, pose: &Pose, mesh: &mut ShapeMesh) {
    let [columns, rows] = field.sides();
    let mut stride = 1;
    while ((columns / stride) as usize) * ((rows / stride) as usize) * 2 > TRIANGLES_MAX {
        stride += 1;
    }
    let steps = |count: u32| (0..count - 1).step_by(stride as usize).chain([count - 1]);
    let first = mesh.points.len() as u32;
    for row in steps(rows) {
        mesh.points.extend(steps(columns).map(|column| pose.point(field.sample(column, row))));
    }
    let width = steps(columns).count() as u32;
    for (row, y) in steps(rows).enumerate().take_while(|(_, y)| *y < rows - 1) {
        for (column, x) in steps(columns).enumerate().take_while(|(_, x)| *x < columns - 1) {
            if field.is_hole(x, y) {
                continue;
            }
            let corner = first + row as u32 * width + column as u32;
            // Split along the diagonal from the minimum to the maximum corner, as physics does.
            let [a, b, c, d] = [corner, corner + 1, corner + width + 1, corner + width];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
}
