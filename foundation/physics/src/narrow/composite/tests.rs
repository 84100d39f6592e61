use alloc::sync::Arc;
use alloc::vec::Vec;

use base::{Quat, Vec2, Vec3, number};
use proptest::prelude::*;

use crate::distance::{Convex, distance};
use crate::height_field::HeightField;
use crate::manifold::Manifolds;
use crate::mesh::Mesh;
use crate::narrow::collide;
use crate::pose::Pose;
use crate::shape::{Compound, Shape};

/// A flat triangle floor with cells of one metre, from `-cells / 2` to `cells / 2`.
fn floor(cells: u32) -> Shape {
    ground(cells, |_, _| 0.0)
}

fn ground(cells: u32, height: impl Fn(f32, f32) -> f32) -> Shape {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for row in 0..=cells {
        for column in 0..=cells {
            let (x, y) = (column as f32 - cells as f32 * 0.5, row as f32 - cells as f32 * 0.5);
            vertices.push(Vec3::new(x, y, height(x, y)));
            if row < cells && column < cells {
                let low = row * (cells + 1) + column;
                triangles.extend([[low, low + 1, low + cells + 2], [low, low + cells + 2, low + cells + 1]]);
            }
        }
    }
    Shape::Mesh(Arc::new(Mesh::new(&vertices, &triangles).unwrap()))
}

fn flat_field(cells: usize) -> Shape {
    let heights = alloc::vec![0.0; (cells + 1) * (cells + 1)];
    Shape::HeightField(Arc::new(HeightField::new(cells + 1, &heights, Vec2::ONE, |_, _| false).unwrap()))
}

/// A box as twelve triangles.
fn box_mesh(half: Vec3) -> Shape {
    let corner = |index: u32| {
        let side = |bit: u32, half: f32| if index & bit == 0 { -half } else { half };
        Vec3::new(side(1, half.x), side(2, half.y), side(4, half.z))
    };
    let vertices: Vec<Vec3> = (0..8).map(corner).collect();
    let sides = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles: Vec<[u32; 3]> = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let mesh = Mesh::new(&vertices, &triangles).unwrap();
    assert!(mesh.is_closed());
    Shape::Mesh(Arc::new(mesh))
}

fn touches(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, margin: f32) -> Manifolds {
    let mut found = Manifolds::default();
    collide(a, pose_a, b, pose_b, margin, &mut found);
    for manifold in found.as_slice() {
        assert!((manifold.normal.length() - 1.0).abs() < 1e-3, "{manifold:?}");
        assert!(manifold.points().iter().all(|point| point.anchor.is_finite() && point.separation <= margin * 1.001));
        let features: Vec<u32> = manifold.points().iter().map(|point| point.feature).collect();
        let is_single = |feature: &&u32| features.iter().filter(|other| other == feature).count() == 1;
        assert_eq!(features.iter().filter(is_single).count(), features.len(), "{manifold:?}");
    }
    found
}

fn deepest(found: &Manifolds) -> Option<f32> {
    found.as_slice().iter().map(|manifold| manifold.min_separation()).reduce(number::min)
}

fn vector(range: core::ops::Range<f32>) -> impl Strategy<Value = Vec3> {
    (range.clone(), range.clone(), range).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

fn hull() -> impl Strategy<Value = Shape> {
    let points = prop::collection::vec(vector(-0.6..0.6), 8..30);
    points.prop_filter_map("a hull", |points| Shape::hull(&points).ok())
}

fn convex() -> impl Strategy<Value = Shape> {
    prop_oneof![
        (0.1f32..0.8).prop_map(Shape::Sphere),
        (0.1f32..0.8, 0.1f32..0.4).prop_map(|(half, radius)| Shape::Capsule { half, radius }),
        vector(0.1..0.8).prop_map(Shape::Box),
        hull(),
    ]
}

#[test]
fn a_box_on_a_triangle_floor_has_four_contact_points() {
    for floor in [floor(20), flat_field(20)] {
        let ground_pose = Pose::new(Vec3::new(-0.3, 0.2, 1.0), Quat::IDENTITY);
        let at = match floor {
            Shape::HeightField(_) => Vec3::new(9.1, 9.4, 1.49),
            _ => Vec3::new(0.1, 0.4, 1.49),
        };
        let found =
            touches(&floor, &ground_pose, &Shape::Box(Vec3::new(1.6, 2.2, 0.5)), &Pose::new(at, Quat::IDENTITY), 0.02);
        let [manifold] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(manifold.normal, Vec3::Z);
        assert_eq!(manifold.points().len(), 4);
        let mut features: Vec<u32> = manifold.points().iter().map(|point| point.feature).collect();
        features.sort_unstable();
        assert_eq!(features, [0, 1, 2, 3], "the lower vertices");
        for point in manifold.points() {
            assert!((point.separation + 0.01).abs() < 1e-5);
            let seen = point.anchor + ground_pose.position - at;
            assert!((number::abs(seen.x) - 1.6).abs() < 1e-4 && (number::abs(seen.y) - 2.2).abs() < 1e-4);
        }
    }
}

#[test]
fn a_sphere_between_floor_and_wall_touches_only_both() {
    let corner = ground(8, |x, _| if x > 0.5 { 4.0 } else { 0.0 });
    // The wall rises from x = 0 to x = 1 with a slope of four.
    let wall = Vec3::new(-4.0, 0.0, 1.0).normal();
    let radius = 0.5;
    // A millimetre deep in both.
    let x = (radius - 0.001 - wall.z * (radius - 0.001)) / wall.x;
    let at = Vec3::new(x, 0.3, radius - 0.001);
    let found = touches(&corner, &Pose::IDENTITY, &Shape::Sphere(radius), &Pose::new(at, Quat::IDENTITY), 0.01);
    assert_eq!(found.as_slice().len(), 2, "{found:?}");
    for manifold in found.as_slice() {
        let is_known = [Vec3::Z, wall].iter().any(|normal| normal.distance(manifold.normal) < 1e-3);
        assert!(is_known, "{manifold:?}");
        assert!((manifold.min_separation() + 0.001).abs() < 1e-4);
    }
}

#[test]
fn a_box_on_a_ridge_is_pushed_straight_up() {
    let ridge = ground(8, |x, _| -number::abs(x));
    let pose = Pose::new(Vec3::new(0.0, 0.3, 0.495), Quat::IDENTITY);
    let found = touches(&ridge, &Pose::IDENTITY, &Shape::Box(Vec3::splat(0.5)), &pose, 0.01);
    let [manifold] = found.as_slice() else { panic!("{found:?}") };
    assert!(manifold.normal.distance(Vec3::Z) < 1e-4, "{manifold:?}");
    assert!((manifold.min_separation() + 0.005).abs() < 1e-4);
    assert!(manifold.points().len() >= 2);
}

#[test]
fn a_box_beside_a_table_is_pushed_sideways() {
    let table = box_mesh(Vec3::new(2.0, 2.0, 1.0));
    let pose = Pose::new(Vec3::new(2.49, 0.0, 0.2), Quat::IDENTITY);
    let found = touches(&table, &Pose::IDENTITY, &Shape::Box(Vec3::splat(0.5)), &pose, 0.02);
    let [manifold] = found.as_slice() else { panic!("{found:?}") };
    assert!(manifold.normal.distance(Vec3::X) < 1e-4, "{manifold:?}");
    assert!((manifold.min_separation() + 0.01).abs() < 1e-4);
}

#[test]
fn bodies_behind_a_floor_do_not_touch_it() {
    let pose = Pose::new(Vec3::new(0.2, 0.3, -0.2), Quat::IDENTITY);
    for body in [Shape::Sphere(0.4), Shape::Box(Vec3::splat(0.4)), Shape::Capsule { half: 0.1, radius: 0.3 }] {
        assert_eq!(deepest(&touches(&floor(4), &Pose::IDENTITY, &body, &pose, 0.02)), None);
    }
}

#[test]
fn holes_of_a_height_field_hold_nothing() {
    let heights = alloc::vec![0.0; 81];
    let field = HeightField::new(9, &heights, Vec2::ONE, |x, y| (x, y) == (4, 4)).unwrap();
    let field = Shape::HeightField(Arc::new(field));
    let at = |x, z| {
        touches(&field, &Pose::IDENTITY, &Shape::Sphere(0.2), &Pose::new(Vec3::new(x, 4.5, z), Quat::IDENTITY), 0.01)
    };
    assert!(at(4.5, 0.1).as_slice().is_empty());
    assert_eq!(at(3.5, 0.1).as_slice().len(), 1);
    // The boundary can be touched from the side.
    let found = at(4.1, 0.05);
    assert!(found.as_slice()[0].normal.x > 0.5, "{found:?}");
}

#[test]
fn a_cube_mesh_stands_on_ground_as_a_box_does() {
    let cube = box_mesh(Vec3::splat(0.5));
    let turn = Quat::from_axis_angle(Vec3::Z, 0.3);
    for (ground, x) in [(floor(8), 0.2), (flat_field(8), 4.2), (box_mesh(Vec3::new(4.0, 4.0, 0.001)), 0.2)] {
        let pose = Pose::new(Vec3::new(x, x, 0.497), turn);
        let found = touches(&ground, &Pose::IDENTITY, &cube, &pose, 0.02);
        let [manifold] = found.as_slice() else { panic!("{found:?}") };
        assert!(manifold.normal.distance(Vec3::Z) < 1e-4, "{manifold:?}");
        assert_eq!(manifold.points().len(), 4);
        let depth = if matches!(&ground, Shape::Mesh(mesh) if mesh.is_closed()) { 0.004 } else { 0.003 };
        assert!(manifold.points().iter().all(|point| (point.separation + depth).abs() < 1e-4), "{manifold:?}");
    }
}

#[test]
fn two_cube_meshes_touch_edge_to_edge() {
    let cube = box_mesh(Vec3::splat(0.5));
    let reach = 0.5 * number::SQRT_2;
    let below = Pose::new(Vec3::ZERO, Quat::from_axis_angle(Vec3::X, number::PI / 4.0));
    let above = Pose::new(Vec3::Z * (2.0 * reach - 0.003), Quat::from_axis_angle(Vec3::Y, number::PI / 4.0));
    let found = touches(&cube, &below, &cube, &above, 0.02);
    let [manifold] = found.as_slice() else { panic!("{found:?}") };
    assert!(manifold.normal.distance(Vec3::Z) < 1e-3, "{manifold:?}");
    assert!((manifold.min_separation() + 0.003).abs() < 1e-4);
}

#[test]
fn all_children_of_a_compound_touch_at_once() {
    let leg = Shape::Box(Vec3::new(0.05, 0.05, 0.4));
    let place = |x, y| Pose::new(Vec3::new(x, y, 0.0), Quat::IDENTITY);
    let legs = [place(-1.0, -1.0), place(1.0, -1.0), place(-1.0, 1.0), place(1.0, 1.0)].map(|pose| (pose, leg.clone()));
    let table = Shape::Compound(Arc::new(Compound::new(legs).unwrap()));
    let pose = Pose::new(Vec3::new(0.0, 0.0, 0.39), Quat::from_axis_angle(Vec3::Z, 0.5));
    for ground in [Shape::Box(Vec3::new(5.0, 5.0, 0.0)), floor(8)] {
        for is_turned in [false, true] {
            let found = match is_turned {
                false => touches(&ground, &Pose::IDENTITY, &table, &pose, 0.02),
                true => touches(&table, &pose, &ground, &Pose::IDENTITY, 0.02),
            };
            let [manifold] = found.as_slice() else { panic!("{found:?}") };
            assert!((manifold.normal.z.abs() - 1.0).abs() < 1e-4);
            let far = manifold.points().iter().map(|point| {
                let place = if is_turned { point.anchor + pose.position } else { point.anchor };
                place.xy().length()
            });
            assert_eq!(far.filter(|&far| far > 1.3).count(), 4, "one point at each leg: {manifold:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bodies_on_a_flat_floor_are_pushed_straight_up(
        body in convex(), at in (-2.0f32..2.0, -2.0f32..2.0), turn in vector(-3.0..3.0), depth in -0.015f32..0.05,
    ) {
        let floors = [(floor(8), 0.0), (flat_field(8), 4.0)];
        for (floor, middle) in floors {
            let turn = Quat::from_rotation_vector(turn);
            let lowest = -body.aabb(&Pose::new(Vec3::ZERO, turn)).min.z;
            // A body whose center is below the floor does not touch it.
            let middle_height = if let Shape::Hull(hull) = &body { turn.rotate(hull.center()).z } else { 0.0 };
            let depth = number::min(depth, (lowest + middle_height) * 0.5);
            let pose = Pose::new(Vec3::new(at.0 + middle, at.1 + middle, lowest - depth), turn);
            let found = touches(&floor, &Pose::IDENTITY, &body, &pose, 0.02);
            prop_assert_eq!(found.as_slice().len(), 1, "{:?}", found);
            let manifold = found.as_slice()[0];
            prop_assert!(manifold.normal.distance(Vec3::Z) < 1e-5, "{:?}", manifold);
            prop_assert!((manifold.min_separation() + depth).abs() < 1e-3, "{} {:?}", depth, manifold);
        }
    }

    #[test]
    fn a_box_mesh_pushes_as_a_box_does(
        half in vector(0.6..1.5), body in convex(), at in vector(-2.5..2.5), turn in vector(-3.0..3.0),
    ) {
        let pose = Pose::new(at, Quat::from_rotation_vector(turn));
        let own_pose = Pose::new(Vec3::new(0.3, -0.1, 0.2), Quat::from_axis_angle(Vec3::Y, 0.7));
        let expected = touches(&Shape::Box(half), &own_pose, &body, &pose, 0.05);
        let found = touches(&box_mesh(half), &own_pose, &body, &pose, 0.05);
        let other_way = touches(&body, &pose, &box_mesh(half), &own_pose, 0.05);
        prop_assert_eq!(deepest(&found), deepest(&other_way));
        let own = Shape::Box(half);
        let convex = |shape| Convex::of(shape).expect("both are convex");
        let apart = distance(&convex(&own), &own_pose, &convex(&body), &pose).distance;
        match (deepest(&expected), deepest(&found)) {
            // Separated near a vertex, face axes report less than the distance and triangles may report more: only a bound holds.
            (_, Some(least)) if apart > 0.0 => prop_assert!(least > -5e-3, "{} {:?}", apart, found),
            (_, None) if apart > 0.0 => prop_assert!(apart > 0.02, "{}", apart),
            // Deeper, single triangles cannot know the least penetration.
            (Some(expected), Some(least)) if expected > -0.08 => {
                // The penetration may be that of a single triangle, but never a much larger one.
                prop_assert!(least < expected * 0.3 + 5e-3, "{} {:?}", expected, found);
                prop_assert!(least > expected * 2.0 - 0.025, "{} {:?}", expected, found);
            }
            (Some(expected), None) => prop_assert!(expected < -0.08, "{}", expected),
            _ => {}
        }
    }

    #[test]
    fn arbitrary_poses_give_finite_manifolds_or_none(
        body in convex(), at in vector(-1e7..1e7), scale in prop_oneof![Just(0.0f32), Just(1e-7), Just(1e-3), Just(1.0), Just(f32::NAN), Just(1e30)],
        turn in vector(-3.0..3.0),
    ) {
        let pose = Pose::new(at * scale, Quat::from_rotation_vector(turn));
        for ground in [floor(6), flat_field(6), box_mesh(Vec3::ONE)] {
            touches(&ground, &Pose::IDENTITY, &body, &pose, 0.02);
            touches(&body, &pose, &ground, &Pose::IDENTITY, 0.02);
            touches(&ground, &Pose::IDENTITY, &box_mesh(Vec3::splat(0.4)), &pose, 0.02);
        }
    }
}
