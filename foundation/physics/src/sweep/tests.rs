use alloc::sync::Arc;
use alloc::vec::Vec;

use base::Vec2;
use proptest::prelude::*;

use super::*;
use crate::height_field::HeightField;

fn moving(from: Vec3, translation: Vec3) -> Motion {
    Motion { translation, ..Motion::at_rest(Pose::new(from, Quat::IDENTITY)) }
}

fn vector(range: core::ops::Range<f32>) -> impl Strategy<Value = Vec3> {
    (range.clone(), range.clone(), range).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

/// A square sheet in the xy plane that faces up.
fn sheet(half: f32, cells: u32) -> Shape {
    let place = |index: u32| (index as f32 / cells as f32 * 2.0 - 1.0) * half;
    let vertices: Vec<Vec3> =
        (0..=cells).flat_map(|y| (0..=cells).map(move |x| Vec3::new(place(x), place(y), 0.0))).collect();
    let cell = |x: u32, y: u32| y * (cells + 1) + x;
    let triangles: Vec<[u32; 3]> = (0..cells)
        .flat_map(|y| {
            (0..cells).flat_map(move |x| {
                [[cell(x, y), cell(x + 1, y), cell(x + 1, y + 1)], [cell(x, y), cell(x + 1, y + 1), cell(x, y + 1)]]
            })
        })
        .collect();
    Shape::Mesh(Arc::new(Mesh::new(&vertices, &triangles).unwrap()))
}

fn walls() -> [Shape; 4] {
    let heights = alloc::vec![0.01; 169];
    let field = HeightField::new(13, &heights, Vec2::splat(0.5), |_, _| false).unwrap();
    let wall = Shape::Box(Vec3::new(3.0, 3.0, 0.01));
    let compound = Compound::new([
        (Pose::new(Vec3::Z * -5.0, Quat::IDENTITY), Shape::Sphere(0.1)),
        (Pose::IDENTITY, wall.clone()),
    ]);
    [wall, sheet(3.0, 7), Shape::HeightField(Arc::new(field)), Shape::Compound(Arc::new(compound.unwrap()))]
}

#[test]
fn a_sphere_hits_a_wall_at_the_exact_time() {
    let hit = sweep(
        &Shape::Sphere(0.5),
        &moving(Vec3::Z * 4.5, Vec3::Z * -8.0),
        &Shape::Box(Vec3::ONE),
        &Motion::at_rest(Pose::IDENTITY),
    );
    let hit = hit.unwrap();
    assert!((hit.time - 3.0 / 8.0).abs() < 1e-3 && hit.time <= 3.0 / 8.0, "{hit:?}");
    assert!(hit.normal.distance(-Vec3::Z) < 1e-4);
    assert!(hit.anchor.distance(Vec3::Z * -0.5) < 2e-3);
}

#[test]
fn touching_bodies_that_do_not_approach_do_not_hit() {
    for wall in walls() {
        let middle = if matches!(wall, Shape::HeightField(_)) { Vec3::new(3.0, 3.0, 0.0) } else { Vec3::ZERO };
        let surface = if matches!(wall, Shape::Mesh(_)) { 0.0 } else { 0.01 };
        for height in [0.0, -1e-4, 1e-4] {
            for displacement in [Vec3::X, Vec3::Z, Vec3::new(1.0, 1.0, 0.1), Vec3::new(-2.0, 0.5, 0.0)] {
                let from = middle + Vec3::Z * (surface + 0.2 + height);
                let body = Shape::Box(Vec3::new(0.3, 0.1, 0.2));
                let hit = sweep(&body, &moving(from, displacement), &wall, &Motion::at_rest(Pose::IDENTITY));
                assert_eq!(hit, None, "{wall:?} {height} {displacement:?}");
            }
            let from = middle + Vec3::Z * (surface + 0.2 + height);
            let hit =
                sweep(&Shape::Sphere(0.2), &moving(from, Vec3::Z * -1.0), &wall, &Motion::at_rest(Pose::IDENTITY));
            assert!(hit.is_some_and(|hit| hit.time <= 2e-4), "{hit:?}");
        }
    }
}

#[test]
fn a_rotating_rod_hits_a_body_in_its_path() {
    let rod = Shape::Box(Vec3::new(2.0, 0.05, 0.05));
    let turning = Motion { rotation: Vec3::Z * number::PI, ..Motion::at_rest(Pose::IDENTITY) };
    let ball = Motion::at_rest(Pose::new(Vec3::new(0.0, 1.5, 0.0), Quat::IDENTITY));
    let hit = sweep(&rod, &turning, &Shape::Sphere(0.1), &ball).unwrap();
    // A quarter turn, less the angle of radius and half width.
    let expected = 0.5 - 0.15 / 1.5 / number::PI;
    assert!((hit.time - expected).abs() < 2e-3, "{} {expected}", hit.time);
    let other_way = sweep(&Shape::Sphere(0.1), &ball, &rod, &turning).unwrap();
    assert!((other_way.time - hit.time).abs() < 1e-4);
}

#[test]
fn a_moving_compound_hits_with_its_foremost_child() {
    let parts = [-1.0, 0.0, 1.5].map(|x| (Pose::new(Vec3::X * x, Quat::IDENTITY), Shape::Sphere(0.25)));
    let train = Shape::Compound(Arc::new(Compound::new(parts).unwrap()));
    let hit = sweep(
        &train,
        &moving(Vec3::ZERO, Vec3::X * 10.0),
        &Shape::Box(Vec3::ONE),
        &Motion::at_rest(Pose::new(Vec3::X * 5.0, Quat::IDENTITY)),
    );
    let hit = hit.unwrap();
    assert!((hit.time - 0.225).abs() < 1e-3, "{hit:?}");
    assert_eq!(hit.child, u64::from(Compound::pack_id(2, 0)) << 32);
    assert!(hit.anchor.distance(Vec3::X * 1.75) < 2e-3, "{hit:?}");
}

#[test]
fn a_moving_mesh_hits_a_mesh() {
    let hit = sweep(
        &sheet(0.5, 1),
        &moving(Vec3::new(0.1, 0.2, 3.0), Vec3::Z * -6.0),
        &sheet(3.0, 6),
        &Motion::at_rest(Pose::IDENTITY),
    );
    assert!((hit.unwrap().time - 0.5).abs() < 1e-3);
    let hit = sweep(
        &sheet(0.5, 20),
        &moving(Vec3::new(0.1, 0.2, 3.0), Vec3::Z * -6.0),
        &sheet(3.0, 6),
        &Motion::at_rest(Pose::IDENTITY),
    );
    assert!((hit.unwrap().time - 0.5).abs() < 1e-3);
}

#[test]
fn a_box_that_slides_just_above_a_triangle_floor_hits_nothing() {
    let floor = sheet(10.0, 20);
    for height in [1e-4, 2e-4, 4e-4, 6e-4, 1e-3] {
        let from = Vec3::new(-5.0, 0.3, 0.25 + height);
        let hit = sweep(
            &Shape::Box(Vec3::splat(0.25)),
            &moving(from, Vec3::new(10.0, 0.7, 0.0)),
            &floor,
            &Motion::at_rest(Pose::IDENTITY),
        );
        assert_eq!(hit, None, "{height}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_fast_sphere_never_tunnels_through_a_thin_wall(
        which in 0usize..4, at in (-2.5f32..2.5, -2.5f32..2.5), slope in (-8.0f32..8.0, -8.0f32..8.0), part in 0.02f32..0.98,
        turn in vector(-3.0..3.0), offset in vector(-50.0..50.0),
    ) {
        // 1,000 m/s for 10 ms, through a point of the wall.
        let wall = &walls()[which];
        let middle = if which == 2 { Vec3::new(3.0, 3.0, 0.0) } else { Vec3::ZERO };
        let displacement = Vec3::new(slope.0, slope.1, -4.0).normal() * 10.0;
        let aim = middle + Vec3::new(at.0, at.1, 0.0);
        let from = aim - displacement * part;
        if from.z < 0.12 || (from + displacement).z > -0.1 {
            return Ok(());
        }
        let pose = Pose::new(offset, Quat::from_rotation_vector(turn));
        let motion = Motion { translation: pose.direction(displacement), rotation: turn, ..Motion::at_rest(Pose::new(pose.point(from), Quat::IDENTITY)) };
        let hit = sweep(&Shape::Sphere(0.05), &motion, wall, &Motion::at_rest(pose));
        let Some(hit) = hit else { return Err(TestCaseError::fail("it passed")) };
        let height = from.z + displacement.z * hit.time - if which == 1 { 0.0 } else { 0.01 };
        prop_assert!(height > 0.04 && height < 0.052, "{}", height);
        prop_assert!(hit.normal.distance(-pose.direction(Vec3::Z)) < 1e-2, "{:?}", hit);
    }

    #[test]
    fn bodies_touch_at_the_time_of_impact_and_are_separated_before(
        half in vector(0.1..1.0), other in vector(0.1..1.0), from in vector(-4.0..4.0), displacement in vector(-8.0..8.0),
        turns in (vector(-3.0..3.0), vector(-3.0..3.0)), pivot in vector(-0.5..0.5),
    ) {
        let (a, b) = (Shape::Box(half), Shape::Capsule { half: other.x, radius: other.y });
        let motion_a = Motion { translation: displacement, rotation: turns.0, pivot, ..Motion::at_rest(Pose::new(from, Quat::from_rotation_vector(turns.1))) };
        let motion_b = Motion { rotation: turns.1, ..Motion::at_rest(Pose::new(other, Quat::from_rotation_vector(turns.0))) };
        let apart = |time: f32| distance(&Convex::of(&a).unwrap(), &motion_a.at(time), &Convex::of(&b).unwrap(), &motion_b.at(time)).distance;
        if apart(0.0) < 1e-3 {
            return Ok(());
        }
        let hit = sweep(&a, &motion_a, &b, &motion_b);
        let until = hit.map_or(1.0, |hit| hit.time);
        for step in 0..=50 {
            prop_assert!(apart(until * step as f32 / 50.0) > 0.0);
        }
        if let Some(hit) = hit {
            prop_assert!(apart(hit.time) < 2e-3, "{}", apart(hit.time));
        }
    }

    #[test]
    fn arbitrary_motions_terminate(from in vector(-1e6..1e6), displacement in vector(-1e9..1e9), scale in prop_oneof![Just(1.0f32), Just(0.0), Just(1e-9), Just(f32::NAN), Just(1e20)], turn in vector(-1e3..1e3)) {
        let motion = Motion { translation: displacement * scale, rotation: turn, ..Motion::at_rest(Pose::new(from * scale, Quat::IDENTITY)) };
        for wall in walls() {
            for body in [Shape::Sphere(0.05), Shape::Box(Vec3::new(1.0, 1e-6, 10.0)), sheet(1.0, 2)] {
                if let Some(hit) = sweep(&body, &motion, &wall, &Motion::at_rest(Pose::IDENTITY)) {
                    prop_assert!(hit.time >= 0.0 && hit.time <= 1.0 && hit.normal.is_finite());
                }
            }
        }
    }
}
