use base::{Pcg, Quat, Random, Vec3};

use super::*;
use crate::distance::{Convex, distance};
use crate::mesh::Mesh;

/// A random point in a cube.
fn point(random: &mut Pcg, size: f32) -> Vec3 {
    let mut number = || random.between(-size, size);
    Vec3::new(number(), number(), number())
}

#[test]
fn triangles_overlap_where_their_distance_is_zero() {
    let mut random = Pcg::new(4, 4);
    let mut meetings = 0;
    for case in 0..4000 {
        // Also far from the origin, coplanar or nearly degenerate.
        let place = point(&mut random, if case % 3 == 0 { 1000.0 } else { 1.0 });
        let mut triangle = || {
            let flat = Vec3::new(1.0, 1.0, if case % 5 == 0 { 0.0 } else { 1.0 });
            [(); 3].map(|()| place + point(&mut random, 1.0).times(flat))
        };
        let (one, other) = (triangle(), triangle());
        let found = distance(&Convex::of_triangle(one), &Pose::IDENTITY, &Convex::of_triangle(other), &Pose::IDENTITY);
        // Within rounding either result is right.
        let near = place.abs().max_component() * 1e-6 + 1e-5;
        let meets = do_triangles_overlap(one, other);
        assert!(meets || found.distance > 0.0 || is_thin(&one) || is_thin(&other) || found.distance < near, "{case}");
        assert!(!meets || found.distance <= near, "{case}: {}", found.distance);
        meetings += u32::from(meets);
    }
    assert!((500..3500).contains(&meetings), "{meetings}");
}

/// Whether it is nearly degenerate.
fn is_thin([a, b, c]: &[Vec3; 3]) -> bool {
    (*b - *a).cross(*c - *a).length() < 1e-3
}

#[test]
fn meshes_overlap_where_some_of_their_triangles_do() {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).expect("a valid mesh");
    let triangles: alloc::vec::Vec<[Vec3; 3]> = mesh.triangles().collect();
    let shape = Shape::Mesh(mesh.into());
    let mut random = Pcg::new(8, 4);
    let mut meetings = 0;
    for case in 0..500 {
        let mut pose = || {
            let [x, y, z] = point(&mut random, 1.0).to_array();
            Pose::new(point(&mut random, 0.7), Quat { x, y, z, w: 1.0 }.normal())
        };
        let (one, other) = (pose(), pose());
        let all = |pose: Pose| triangles.iter().map(move |triangle| triangle.map(|point| pose.point(point)));
        let expected = all(one).any(|first| all(other).any(|second| do_triangles_overlap(first, second)));
        assert_eq!(is_overlapping(&shape, &one, &shape, &other), expected, "{case}");
        meetings += u32::from(expected);
    }
    assert!((100..450).contains(&meetings), "{meetings}");
}
