//! Normals and tangents of surfaces that have none.

use base::{Vec3, Vec4};

use crate::scene::surface::MeshSurface;

/// Gives a surface flat normals, as glTF asks for: every triangle gets vertices of its own.
pub fn add_flat(surface: &mut MeshSurface) {
    let corners: Vec<u32> = surface.triangles.iter().flatten().copied().collect();
    fn spread<T: Copy>(values: &mut Vec<T>, corners: &[u32]) {
        if !values.is_empty() {
            *values = corners.iter().map(|corner| values[*corner as usize]).collect();
        }
    }
    spread(&mut surface.positions, &corners);
    spread(&mut surface.tangents, &corners);
    spread(&mut surface.uvs[0], &corners);
    spread(&mut surface.uvs[1], &corners);
    spread(&mut surface.colours, &corners);
    spread(&mut surface.joints, &corners);
    spread(&mut surface.weights, &corners);
    surface.triangles =
        (0..corners.len() as u32 / 3).map(|triangle| [3 * triangle, 3 * triangle + 1, 3 * triangle + 2]).collect();
    surface.normals = vec![Vec3::Z; surface.positions.len()];
    for triangle in &surface.triangles {
        let [a, b, c] = triangle.map(|corner| surface.positions[corner as usize]);
        let normal = (b - a).cross(c - a).normal_or(Vec3::Z);
        triangle.iter().for_each(|corner| surface.normals[*corner as usize] = normal);
    }
}

/// Gives a surface smooth normals: the mean of the triangles at each position, weighted by area (Gouraud 1971).
pub fn add_smooth(surface: &mut MeshSurface) {
    let key = |at: usize| surface.positions[at].canonical().to_array().map(f32::to_bits);
    let mut order: Vec<u32> = (0..surface.positions.len() as u32).collect();
    order.sort_unstable_by_key(|at| (key(*at as usize), *at));
    let mut first = vec![0_u32; order.len()];
    for same in order.chunk_by(|one, other| key(*one as usize) == key(*other as usize)) {
        same.iter().for_each(|at| first[*at as usize] = same[0]);
    }
    let mut sums = vec![Vec3::ZERO; order.len()];
    for triangle in &surface.triangles {
        let [a, b, c] = triangle.map(|corner| surface.positions[corner as usize]);
        let area = (b - a).cross(c - a);
        if area.is_finite() {
            triangle.iter().for_each(|corner| sums[first[*corner as usize] as usize] += area);
        }
    }
    surface.normals = first.iter().map(|first| sums[*first as usize].normal_or(Vec3::Z)).collect();
}

/// Gives a surface tangents along its first texture coordinates (Lengyel 2001): the mean over the triangles of each
/// vertex, orthogonal to its normal, and the sign of the bitangent. Nothing without normals and texture coordinates.
pub fn add_tangents(surface: &mut MeshSurface) {
    if surface.uvs[0].is_empty() || surface.normals.is_empty() {
        return;
    }
    let count = surface.positions.len();
    let mut sums = vec![(Vec3::ZERO, Vec3::ZERO); count];
    for triangle in &surface.triangles {
        let [a, b, c] = triangle.map(|corner| surface.positions[corner as usize]);
        let [ta, tb, tc] = triangle.map(|corner| surface.uvs[0][corner as usize]);
        let (one, two) = (b - a, c - a);
        let (uv_one, uv_two) = (tb - ta, tc - ta);
        let area = uv_one.cross(uv_two);
        if area == 0.0 {
            continue;
        }
        let sign = if area < 0.0 { -1.0 } else { 1.0 };
        // Divided by the size of the area it would be weighted by stretch; so it is weighted by area instead.
        let along = (one * uv_two.y - two * uv_one.y) * sign;
        let across = (two * uv_one.x - one * uv_two.x) * sign;
        if along.is_finite() && across.is_finite() {
            for corner in triangle {
                let sum = &mut sums[*corner as usize];
                *sum = (sum.0 + along, sum.1 + across);
            }
        }
    }
    surface.tangents = (0..count)
        .map(|at| {
            let (normal, (along, across)) = (surface.normals[at], sums[at]);
            let tangent = (along - normal * normal.dot(along)).normal_or(normal.perpendicular());
            // Texture coordinates grow downwards, bitangents upwards.
            let sign = if normal.cross(tangent).dot(across) < 0.0 { 1.0 } else { -1.0 };
            Vec4::new(tangent.x, tangent.y, tangent.z, sign)
        })
        .collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Vec2;

    fn square() -> MeshSurface {
        let corner = |x: f32, y: f32| Vec3::new(x, y, 0.0);
        MeshSurface {
            positions: vec![corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)],
            uvs: [vec![Vec2::new(0.0, 1.0), Vec2::new(1.0, 1.0), Vec2::new(1.0, 0.0), Vec2::new(0.0, 0.0)], Vec::new()],
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            ..MeshSurface::default()
        }
    }

    #[test]
    fn flat_and_smooth_normals_point_outwards() {
        let mut flat = square();
        add_flat(&mut flat);
        assert_eq!((flat.positions.len(), flat.uvs[0].len(), flat.normals.len()), (6, 6, 6));
        assert!(flat.normals.iter().all(|normal| *normal == Vec3::Z));
        let mut smooth = square();
        add_smooth(&mut smooth);
        assert_eq!(smooth.normals, vec![Vec3::Z; 4]);
    }

    #[test]
    fn tangents_follow_the_first_texture_coordinate() {
        let mut surface = square();
        add_smooth(&mut surface);
        add_tangents(&mut surface);
        assert_eq!(
            surface.tangents,
            vec![Vec4::new(1.0, 0.0, 0.0, 1.0); 4],
            "as in glTF for an image that is not mirrored"
        );
        surface.uvs[0].iter_mut().for_each(|uv| uv.x = -uv.x);
        add_tangents(&mut surface);
        assert_eq!(surface.tangents, vec![Vec4::new(-1.0, 0.0, 0.0, -1.0); 4], "mirrored");
    }
}
