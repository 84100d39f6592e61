//! The thickness of a closed mesh: how far it may move in a step before it could pass through a surface.

use alloc::vec::Vec;

use base::Vec3;
use base::number::{abs, max, min};

use super::Mesh;
use super::decomposition::volume_of;
use crate::aabb::SweptAabb;
use crate::surface::Surface;

/// Most triangles that are measured.
const SAMPLES_MAX: usize = 256;
/// The part of the measured area that may be thinner: sharp edges and tips are thin, and do not matter.
const THINNER: f32 = 0.1;

/// Half of the thickness that nearly all of the surface has: the distance through the inside from a triangle to the one behind it.
pub(super) fn half_thickness(mesh: &Mesh) -> f32 {
    let step = mesh.triangles.len().div_ceil(SAMPLES_MAX);
    let extent = mesh.aabb().half_extent();
    let mut samples: Vec<(f32, f32)> = Vec::with_capacity(SAMPLES_MAX);
    for number in (0..mesh.triangles.len()).step_by(step) {
        let normal = mesh.triangles[number].normal;
        if normal == Vec3::ZERO {
            continue;
        }
        let [a, b, c] = mesh.triangle_vertices(number as u32);
        let area = (b - a).cross(c - a).length() * 0.5;
        samples.push((through(mesh, number as u32, (a + b + c) * (1.0 / 3.0), -normal, extent.length() * 2.0), area));
    }
    samples.sort_by(|one, other| one.0.total_cmp(&other.0));
    let total = samples.iter().fold(0.0, |sum, (_, area)| sum + area);
    let mut below = 0.0;
    let quantile = samples.iter().find(|(_, area)| {
        below += area;
        below >= total * THINNER
    });
    // Of a surface with many dents the ridges are thin; the volume by the area is half the thickness of a plate, and less than the
    // inscribed radius of anything convex.
    let area = mesh.triangles().fold(0.0, |sum, [a, b, c]| sum + (b - a).cross(c - a).length() * 0.5);
    let mean = volume_of(mesh.triangles()) / area;
    min(max(quantile.map_or(0.0, |(thickness, _)| thickness * 0.5), mean), extent.min_component())
}

/// The distance along a ray to the first other triangle whose back it meets.
fn through(mesh: &Mesh, from: u32, origin: Vec3, direction: Vec3, length: f32) -> f32 {
    let mut nearest = length;
    mesh.bvh.visit_swept(&SweptAabb::ray(origin, direction), length, |number, _| {
        let normal = mesh.triangles[number as usize].normal;
        let slope = normal.dot(direction);
        if number != from && slope > 1.0e-6 {
            let points = mesh.triangle_vertices(number);
            let distance = (points[0] - origin).dot(normal) / slope;
            let at = origin + direction * distance;
            let is_inside = (0..3).all(|edge| {
                let (start, end) = (points[edge], points[(edge + 1) % 3]);
                // On the edge between two triangles the ray must not miss both.
                (end - start).cross(at - start).dot(normal) >= -1.0e-5 * abs((end - start).length_squared())
            });
            if distance > 0.0 && is_inside {
                nearest = min(nearest, distance);
            }
        }
        nearest
    });
    nearest
}
