use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;

fn square() -> Vec<Vec3> {
    vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y]
}

fn check_refused(vertices: &[Vec3], triangles: &[[u32; 3]], expected: MeshError) {
    assert_eq!(Mesh::new(vertices, triangles).unwrap_err(), expected);
}

#[test]
fn invalid_meshes_are_refused_with_the_reason() {
    check_refused(&[], &[], MeshError::Empty);
    check_refused(&square(), &[], MeshError::Empty);
    check_refused(&square(), &[[0, 1, 1], [2, 2, 2]], MeshError::Empty);
    check_refused(&square(), &[[0, 1, 2], [0, 4, 1]], MeshError::Triangle(1));
    check_refused(&square(), &[[u32::MAX, 1, 2]], MeshError::Triangle(0));
    for bad in [f32::NAN, f32::INFINITY, -f32::INFINITY, 1.1e6, -1e30] {
        check_refused(&[Vec3::ZERO, Vec3::X * bad, Vec3::Y], &[[0, 1, 2]], MeshError::Vertex(1));
    }
    check_refused(&square(), &vec![[0, 1, 2]; MESH_TRIANGLES_MAX + 1], MeshError::TooMany);
    check_refused(&vec![Vec3::ZERO; 3 * MESH_TRIANGLES_MAX + 1], &[[0, 1, 2]], MeshError::TooMany);
}

#[test]
fn degenerate_triangles_are_counted_and_indices_stay() {
    let sliver = Vec3::new(0.5, 1e-8, 0.0);
    let vertices = [square(), vec![sliver]].concat();
    let mesh = Mesh::new(&vertices, &[[0, 0, 1], [0, 1, 2], [0, 1, 4], [0, 2, 3]]).unwrap();
    assert_eq!(mesh.degenerate_count(), 2);
    let mut found = Vec::new();
    mesh.visit_overlapping(&mesh.aabb(), |triangle| {
        found.push(triangle);
        true
    });
    found.sort_unstable();
    assert_eq!(found, [1, 3]);
    assert_eq!(mesh.triangles().count(), 2);
}

/// Two triangles over the edge from the origin to `y`; the second has its apex at `beyond`.
fn check_edge(beyond: Vec3, expected: EdgeKind) {
    // The same vertices listed twice: adjacency is found by position.
    let vertices = [Vec3::ZERO, Vec3::Y, -Vec3::X, Vec3::Y, Vec3::ZERO, beyond];
    let mesh = Mesh::new(&vertices, &[[0, 1, 2], [3, 4, 5]]).unwrap();
    let triangle = mesh.triangle(0);
    assert_eq!(triangle.normal, Vec3::Z);
    assert_eq!(triangle.edges, [expected, EdgeKind::Open, EdgeKind::Open], "{beyond:?}");
    assert_eq!(mesh.triangle(1).edges[0], expected);
    assert_eq!(triangle.neighbour_apexes[0], beyond);
    assert!(!mesh.is_closed());
}

#[test]
fn edges_are_classified_by_the_dihedral_angle() {
    check_edge(Vec3::new(1.0, 0.0, 0.0), EdgeKind::Flat);
    check_edge(Vec3::new(1.0, 0.0, 0.01), EdgeKind::Flat);
    check_edge(Vec3::new(1.0, 0.3, 0.1), EdgeKind::Concave);
    check_edge(Vec3::new(0.0, 0.3, 1.0), EdgeKind::Concave);
    check_edge(Vec3::new(1.0, -0.3, -0.1), EdgeKind::Convex);
    check_edge(Vec3::new(0.0, 0.3, -1.0), EdgeKind::Convex);
    check_edge(Vec3::new(-1.0, 0.3, -0.1), EdgeKind::Convex);
}

#[test]
fn both_sides_of_a_sheet_have_separate_adjacency() {
    let mesh = Mesh::new(&square(), &[[0, 1, 2], [0, 2, 3], [0, 2, 1], [0, 3, 2]]).unwrap();
    assert!(mesh.is_closed());
    for triangle in 0..4 {
        let triangle = mesh.triangle(triangle);
        assert_eq!(triangle.edges.iter().filter(|&&edge| edge == EdgeKind::Flat).count(), 1, "the diagonal");
        assert_eq!(triangle.edges.iter().filter(|&&edge| edge == EdgeKind::Convex).count(), 2, "the boundary");
    }
}

#[test]
fn a_thousand_triangles_at_one_edge_have_no_neighbours() {
    let fan = (0..1000).map(|at| {
        let (sine, cosine) = base::number::sin_cos(at as f32 * 0.006);
        Vec3::new(cosine, 0.0, sine)
    });
    let vertices: Vec<Vec3> = [Vec3::ZERO, Vec3::Y].into_iter().chain(fan).collect();
    let triangles: Vec<[u32; 3]> = (2..1002).map(|apex| [0, 1, apex]).collect();
    let mesh = Mesh::new(&vertices, &triangles).unwrap();
    assert!((0..1000).all(|triangle| mesh.triangle(triangle).edges == [EdgeKind::Open; 3]));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_lists_give_a_mesh_or_an_error(
        numbers in prop::collection::vec(prop_oneof![8 => -1e3f32..1e3, 1 => Just(0.0), 1 => any::<f32>()], 9..60),
        scale in prop_oneof![Just(1.0f32), Just(1e-6), Just(1e-3), Just(1e-12), Just(1e3)],
        triangles in prop::collection::vec([0u32..20, 0u32..20, 0u32..21], 0..80),
    ) {
        let vertices: Vec<Vec3> = numbers.chunks_exact(3).map(|own| Vec3::new(own[0], own[1], own[2]) * scale).collect();
        let limit = vertices.len() as u32;
        let triangles: Vec<[u32; 3]> = triangles.into_iter().map(|own| own.map(|corner| if corner == 20 { 20 } else { corner % limit })).collect();
        if let Ok(mesh) = Mesh::new(&vertices, &triangles) {
            let mut count = 0;
            mesh.visit_overlapping(&mesh.aabb(), |triangle| {
                let triangle = mesh.triangle(triangle);
                assert!((triangle.normal.length() - 1.0).abs() < 1e-3, "{triangle:?}");
                count += 1;
                true
            });
            prop_assert_eq!(count + mesh.degenerate_count() as usize, triangles.len());
        }
    }
}
