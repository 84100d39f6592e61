//! Ambient occlusion baked into vertex colours, by rays over the hemisphere of each corner.

use astrarium::base::Vec3;
use astrarium::base::hash::mix;
use astrarium::base::number::{cos, max, min, sin, sqrt};

use crate::mesh::Mesh;

/// Rays per corner.
const RAYS: usize = 32;

/// The brightness of each corner of each triangle, from 0 to 1. `reach` is the distance within which surfaces darken one
/// another; 0: they do not.
pub fn brightness(mesh: &Mesh, reach: f32) -> Vec<[f32; 3]> {
    if reach == 0.0 {
        return vec![[1.0; 3]; mesh.triangles.len()];
    }
    let bounds: Vec<(Vec3, f32)> = mesh.triangles.iter().map(|triangle| sphere_around(&triangle.corners)).collect();
    mesh.triangles
        .iter()
        .enumerate()
        .map(|(number, triangle)| {
            let middle = (triangle.corners[0] + triangle.corners[1] + triangle.corners[2]) * (1.0 / 3.0);
            // Panels differ a little, so that large flat hulls have life.
            let shade = 0.94 + 0.06 * (mix(number as u64 / 2, 0x9e37) >> 40) as f32 / (1 << 24) as f32;
            let mut corner = 0;
            triangle.corners.map(|point| {
                let from = point * 0.96 + middle * 0.04 + triangle.normals[corner] * (reach * 0.004);
                let open = openness(mesh, &bounds, from, triangle.normals[corner], reach);
                corner += 1;
                (0.35 + 0.65 * open) * shade
            })
        })
        .collect()
}

fn sphere_around(corners: &[Vec3; 3]) -> (Vec3, f32) {
    let centre = (corners[0] + corners[1] + corners[2]) * (1.0 / 3.0);
    (centre, corners.iter().fold(0.0, |radius, corner| max(radius, (*corner - centre).length())))
}

/// The part of the hemisphere that is open, weighted by the cosine.
fn openness(mesh: &Mesh, bounds: &[(Vec3, f32)], from: Vec3, normal: Vec3, reach: f32) -> f32 {
    let side = if normal.z.abs() < 0.9 { normal.cross(Vec3::Z) } else { normal.cross(Vec3::X) }.normal_or(Vec3::Y);
    let other = normal.cross(side);
    let near: Vec<usize> =
        (0..bounds.len()).filter(|index| (bounds[*index].0 - from).length() < bounds[*index].1 + reach).collect();
    let mut open = 0.0;
    for ray in 0..RAYS {
        let part = (ray as f32 + 0.5) / RAYS as f32;
        let angle = ray as f32 * 2.399_963;
        let (radius, height) = (sqrt(part), sqrt(1.0 - part));
        let way = side * (cos(angle) * radius) + other * (sin(angle) * radius) + normal * height;
        let hit = near.iter().filter_map(|index| distance(&mesh.triangles[*index].corners, from, way));
        let nearest = hit.fold(reach, min);
        open += nearest / reach;
    }
    open / RAYS as f32
}

/// The distance along a ray to a triangle (Möller and Trumbore 1997).
fn distance(corners: &[Vec3; 3], from: Vec3, way: Vec3) -> Option<f32> {
    let (one, two) = (corners[1] - corners[0], corners[2] - corners[0]);
    let across = way.cross(two);
    let determinant = one.dot(across);
    if determinant.abs() < 1e-9 {
        return None;
    }
    let offset = from - corners[0];
    let u = offset.dot(across) / determinant;
    let turned = offset.cross(one);
    let v = way.dot(turned) / determinant;
    let along = two.dot(turned) / determinant;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && along > 1e-4).then_some(along)
}
