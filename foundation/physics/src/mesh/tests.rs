use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;

fn corners() -> Vec<Vec3> {
    vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y]
}

fn check_refused(vertices: &[Vec3], triangles: &[[u32; 3]], expected: MeshError) {
    assert_eq!(Mesh::new(vertices, triangles).unwrap_err(), expected);
}

#[test]
fn what_makes_no_mesh_is_refused_with_its_reason() {
    check_refused(&[], &[], MeshError::Empty);
    check_refused(&corners(), &[], MeshError::Empty);
    check_refused(&corners(), &[[0, 1, 1], [2, 2, 2]], MeshError::Empty);
    check_refused(&corners(), &[[0, 1, 2], [0, 4, 1]], MeshError::Triangle(1));
    check_refused(&corners(), &[[u32::MAX, 1, 2]], MeshError::Triangle(0));
    for bad in [f32::NAN, f32::INFINITY, -f32::INFINITY, 1.1e6, -1e30] {
        check_refused(&[Vec3::ZERO, Vec3::X * bad, Vec3::Y], &[[0, 1, 2]], MeshError::Vertex(1));
    }
    check_refused(&corners(), &vec![[0, 1, 2]; MESH_TRIANGLES_MAX + 1], MeshError::TooMany);
    check_refused(&vec![Vec3::ZERO; 3 * MESH_TRIANGLES_MAX + 1], &[[0, 1, 2]], MeshError::TooMany);
}

#[test]
fn triangles_without_an_area_are_counted_and_keep_their_numbers() {
    let sliver = Vec3::new(0.5, 1e-8, 0.0);
    let vertices = [corners(), vec![sliver]].concat();
    let mesh = Mesh::new(&vertices, &[[0, 0, 1], [0, 1, 2], [0, 1, 4], [0, 2, 3]]).unwrap();
    assert_eq!(mesh.dropped(), 2);
    let mut found = Vec::new();
    mesh.each_in(&mesh.bounds(), |triangle| {
        found.push(triangle);
        true
    });
    found.sort_unstable();
    assert_eq!(found, [1, 3]);
    assert_eq!(mesh.triangles().count(), 2);
}

/// Two triangles over the edge from the origin to `y`, of which the second goes to a corner beyond.
fn check_edge(beyond: Vec3, expected: Edge) {
    // The same corners listed twice: neighbours are found by place.
    let vertices = [Vec3::ZERO, Vec3::Y, -Vec3::X, Vec3::Y, Vec3::ZERO, beyond];
    let mesh = Mesh::new(&vertices, &[[0, 1, 2], [3, 4, 5]]).unwrap();
    let facet = mesh.facet(0);
    assert_eq!(facet.normal, Vec3::Z);
    assert_eq!(facet.edges, [expected, Edge::Open, Edge::Open], "{beyond:?}");
    assert_eq!(mesh.facet(1).edges[0], expected);
    assert_eq!(facet.apexes[0], beyond);
    assert!(!mesh.is_closed());
}

#[test]
fn edges_know_what_lies_beyond() {
    check_edge(Vec3::new(1.0, 0.0, 0.0), Edge::Flat);
    check_edge(Vec3::new(1.0, 0.0, 0.01), Edge::Flat);
    check_edge(Vec3::new(1.0, 0.3, 0.1), Edge::Concave);
    check_edge(Vec3::new(0.0, 0.3, 1.0), Edge::Concave);
    check_edge(Vec3::new(1.0, -0.3, -0.1), Edge::Convex);
    check_edge(Vec3::new(0.0, 0.3, -1.0), Edge::Convex);
    check_edge(Vec3::new(-1.0, 0.3, -0.1), Edge::Convex);
}

#[test]
fn both_sides_of_a_sheet_have_their_own_neighbours() {
    let mesh = Mesh::new(&corners(), &[[0, 1, 2], [0, 2, 3], [0, 2, 1], [0, 3, 2]]).unwrap();
    assert!(mesh.is_closed());
    for triangle in 0..4 {
        let facet = mesh.facet(triangle);
        assert_eq!(facet.edges.iter().filter(|&&edge| edge == Edge::Flat).count(), 1, "the diagonal");
        assert_eq!(facet.edges.iter().filter(|&&edge| edge == Edge::Convex).count(), 2, "the rim");
    }
}

#[test]
fn a_thousand_triangles_at_one_edge_are_all_strangers() {
    let fan = (0..1000).map(|at| {
        let (sine, cosine) = base::number::sin_cos(at as f32 * 0.006);
        Vec3::new(cosine, 0.0, sine)
    });
    let vertices: Vec<Vec3> = [Vec3::ZERO, Vec3::Y].into_iter().chain(fan).collect();
    let triangles: Vec<[u32; 3]> = (2..1002).map(|apex| [0, 1, apex]).collect();
    let mesh = Mesh::new(&vertices, &triangles).unwrap();
    assert!((0..1000).all(|triangle| mesh.facet(triangle).edges == [Edge::Open; 3]));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hostile_lists_give_a_mesh_or_a_reason(
        numbers in prop::collection::vec(prop_oneof![8 => -1e3f32..1e3, 1 => Just(0.0), 1 => any::<f32>()], 9..60),
        scale in prop_oneof![Just(1.0f32), Just(1e-6), Just(1e-3), Just(1e-12), Just(1e3)],
        triangles in prop::collection::vec([0u32..20, 0u32..20, 0u32..21], 0..80),
    ) {
        let vertices: Vec<Vec3> = numbers.chunks_exact(3).map(|own| Vec3::new(own[0], own[1], own[2]) * scale).collect();
        let limit = vertices.len() as u32;
        let triangles: Vec<[u32; 3]> = triangles.into_iter().map(|own| own.map(|corner| if corner == 20 { 20 } else { corner % limit })).collect();
        if let Ok(mesh) = Mesh::new(&vertices, &triangles) {
            let mut count = 0;
            mesh.each_in(&mesh.bounds(), |triangle| {
                let facet = mesh.facet(triangle);
                assert!((facet.normal.length() - 1.0).abs() < 1e-3, "{facet:?}");
                count += 1;
                true
            });
            prop_assert_eq!(count + mesh.dropped() as usize, triangles.len());
        }
    }
}
