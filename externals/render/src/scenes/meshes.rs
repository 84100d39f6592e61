//! Meshes of scenes: hulls and stones.

use base::Vec3;
use view::ShapeMesh;

use crate::scenes::dice::Dice;

/// A long hull of eight-sided sections.
pub fn hull(length: f32, width: f32, height: f32) -> ShapeMesh {
    let sections = [(-0.5, 0.55), (-0.42, 0.95), (-0.1, 1.0), (0.1, 0.86), (0.32, 0.62), (0.46, 0.3), (0.5, 0.12)];
    let outline =
        [(1.0, 0.25), (0.72, 0.8), (0.3, 1.0), (-0.3, 1.0), (-0.72, 0.8), (-1.0, 0.25), (-0.8, -0.7), (0.8, -0.7)];
    let mut mesh = ShapeMesh::default();
    for (along, size) in sections {
        let ring = outline.map(|(y, z)| Vec3::new(along * length, y * width * 0.5 * size, z * height * 0.5 * size));
        mesh.points.extend(ring);
    }
    close(&mut mesh, sections.len() as u32, outline.len() as u32);
    mesh
}

/// A small craft with wings.
pub fn fighter() -> ShapeMesh {
    let corners = [
        (1.3, 0.0, 0.0),
        (-0.9, 1.1, 0.0),
        (-0.6, 0.3, 0.32),
        (-0.6, -0.3, 0.32),
        (-0.9, -1.1, 0.0),
        (-0.7, 0.0, -0.22),
        (0.3, 0.22, 0.12),
        (0.3, -0.22, 0.12),
    ];
    let points = corners.map(|(x, y, z)| Vec3::new(x, y, z)).to_vec();
    let triangles = vec![
        [0, 6, 7],
        [6, 2, 3],
        [6, 3, 7],
        [0, 1, 6],
        [1, 2, 6],
        [0, 7, 4],
        [7, 3, 4],
        [0, 5, 1],
        [0, 4, 5],
        [1, 5, 2],
        [2, 5, 3],
        [3, 5, 4],
    ];
    ShapeMesh { points, triangles }
}

/// Joins rings of points, and closes both ends.
fn close(mesh: &mut ShapeMesh, rings: u32, around: u32) {
    for ring in 0..rings - 1 {
        for side in 0..around {
            let next = (side + 1) % around;
            let (a, b) = (ring * around + side, ring * around + next);
            let (c, d) = (a + around, b + around);
            mesh.triangles.push([a, b, c]);
            mesh.triangles.push([b, d, c]);
        }
    }
    for side in 1..around - 1 {
        mesh.triangles.push([0, side + 1, side]);
        let last = (rings - 1) * around;
        mesh.triangles.push([last, last + side, last + side + 1]);
    }
}

/// A lump of stone: a sphere of triangles, dented by a few planes and some noise.
pub fn rock(seed: u32, divisions: u32, roughness: f32) -> ShapeMesh {
    let mut dice = Dice(seed.wrapping_mul(977).wrapping_add(5));
    let cuts: Vec<(Vec3, f32)> =
        (0..9).map(|_| (dice.within(Vec3::ONE).normal_or(Vec3::X), dice.between(0.6, 0.95))).collect();
    let steps = 4 * divisions;
    let around = steps * 2;
    let mut mesh = ShapeMesh::default();
    for ring in 0..=steps {
        let (sine, cosine) = base::number::sin_cos(ring as f32 / steps as f32 * base::number::PI);
        for side in 0..around {
            let (y, x) = base::number::sin_cos(side as f32 / around as f32 * base::number::TAU);
            let direction = Vec3::new(x * sine, y * sine, cosine);
            let bump = 1.0 + roughness * 0.25 * (dice.unit() - 0.5) * sine;
            let mut point = direction * bump;
            for (normal, distance) in &cuts {
                let over = point.dot(*normal) - distance;
                if over > 0.0 {
                    point -= *normal * (over * 0.92);
                }
            }
            mesh.points.push(point);
        }
    }
    for ring in 0..steps {
        for side in 0..around {
            let next = (side + 1) % around;
            let (a, b) = (ring * around + side, ring * around + next);
            let (c, d) = (a + around, b + around);
            mesh.triangles.push([a, c, b]);
            mesh.triangles.push([b, c, d]);
        }
    }
    mesh
}
