use alloc::vec::Vec;

use base::{Quat, Vec3};

use super::collide;
use crate::manifold::{Manifold, Manifolds};
use crate::pose::Pose;
use crate::shape::Shape;

const HALF_ROOT: f32 = base::number::SQRT_HALF;
const ROOT: f32 = base::number::SQRT_2;
const UNIT: Shape = Shape::Box(Vec3::splat(0.5));

fn one(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Manifold {
    let mut found = Manifolds::default();
    collide(a, pose_a, b, pose_b, 0.05, &mut found);
    found.as_slice().first().copied().unwrap_or_default()
}

fn at(x: f32, y: f32, z: f32) -> Pose {
    Pose { position: Vec3::new(x, y, z), ..Pose::IDENTITY }
}

fn turned(x: f32, y: f32, z: f32, rotation: Vec3) -> Pose {
    Pose::new(Vec3::new(x, y, z), Quat::from_rotation_vector(rotation))
}

/// Checks the normal and all separations of two shapes, the second in a pose.
fn check(a: &Shape, b: &Shape, pose: &Pose, normal: Vec3, separations: &[f32]) {
    for swapped in [false, true] {
        let found = if swapped { one(b, pose, a, &Pose::IDENTITY) } else { one(a, &Pose::IDENTITY, b, pose) };
        let normal = if swapped { -normal } else { normal };
        let mut measured: Vec<f32> = found.points().iter().map(|point| point.separation).collect();
        measured.sort_by(f32::total_cmp);
        let near =
            measured.len() == separations.len() && measured.iter().zip(separations).all(|(a, b)| (a - b).abs() < 2e-4);
        assert!(near, "{a:?} {b:?} {pose:?}: {measured:?}, not {separations:?}");
        assert!(
            separations.is_empty() || found.normal.distance(normal) < 1e-3,
            "{a:?} {b:?} {pose:?}: {:?}",
            found.normal
        );
    }
}

#[test]
fn spheres_touch_at_one_point() {
    let ball = Shape::Sphere(0.5);
    check(&ball, &ball, &at(0.9, 0.0, 0.0), Vec3::X, &[-0.1]);
    check(&ball, &ball, &at(0.0, 1.04, 0.0), Vec3::Y, &[0.04]);
    check(&ball, &ball, &at(0.0, 1.06, 0.0), Vec3::Y, &[]);
}

#[test]
fn concentric_spheres_are_pushed_apart() {
    let found = one(&Shape::Sphere(0.5), &at(7.0, 7.0, 7.0), &Shape::Sphere(0.25), &at(7.0, 7.0, 7.0));
    assert_eq!((found.normal, found.points[0].separation), (Vec3::Z, -0.75));
}

#[test]
fn capsules_touch_side_by_side_and_end_to_end() {
    let capsule = Shape::Capsule { half: 1.0, radius: 0.25 };
    check(&capsule, &capsule, &at(0.45, 0.0, 0.5), Vec3::X, &[-0.05, -0.05]);
    check(&capsule, &capsule, &at(0.0, 0.0, 2.45), Vec3::Z, &[-0.05]);
    check(&capsule, &capsule, &turned(0.45, 0.0, 0.5, Vec3::X), Vec3::X, &[-0.05]);
    check(&capsule, &capsule, &turned(0.45, 0.0, 0.0, Vec3::Y * 0.02), Vec3::X, &[-0.07, -0.03]);
    check(&Shape::Sphere(0.5), &capsule, &at(0.0, 0.7, 0.3), Vec3::Y, &[-0.05]);
    check(&Shape::Sphere(0.5), &capsule, &at(0.0, 0.0, 1.7), Vec3::Z, &[-0.05]);
}

#[test]
fn spheres_touch_faces_and_edges_of_boxes_and_from_inside() {
    let ball = Shape::Sphere(0.5);
    check(&UNIT, &ball, &at(0.9, 0.2, -0.3), Vec3::X, &[-0.1]);
    let edge = 0.5 + 0.5 * HALF_ROOT;
    check(&UNIT, &ball, &at(edge, edge, 0.1), Vec3::new(1.0, 1.0, 0.0).normal(), &[0.0]);
    check(&UNIT, &ball, &at(0.0, 0.1, -0.4), -Vec3::Z, &[-0.6]);
}

#[test]
fn a_capsule_lies_on_a_box_with_two_points() {
    let capsule = Shape::Capsule { half: 0.3, radius: 0.25 };
    let flat = Vec3::X * (core::f32::consts::PI / 2.0);
    check(&UNIT, &capsule, &turned(0.1, 0.0, 0.74, flat), Vec3::Z, &[-0.01, -0.01]);
    check(&UNIT, &capsule, &turned(0.1, 0.7, 0.74, flat), Vec3::Z, &[-0.01, -0.01]);
    check(&UNIT, &capsule, &at(0.1, 0.2, 1.04), Vec3::Z, &[-0.01]);
    check(&UNIT, &capsule, &turned(0.1, 0.0, 0.45, flat), Vec3::Z, &[-0.3, -0.3]);
    let along = 0.5 + 0.24 * HALF_ROOT;
    check(&UNIT, &capsule, &at(along, along, 0.0), Vec3::new(1.0, 1.0, 0.0).normal(), &[-0.01, -0.01]);
}

#[test]
fn a_box_rests_on_a_box_with_four_points() {
    check(&UNIT, &UNIT, &at(0.0, 0.0, 0.99), Vec3::Z, &[-0.01; 4]);
    check(&UNIT, &UNIT, &at(0.3, -0.2, 0.99), Vec3::Z, &[-0.01; 4]);
    check(&UNIT, &UNIT, &turned(0.0, 0.0, 1.02, Vec3::Z * 0.7), Vec3::Z, &[0.02; 4]);
    check(&UNIT, &UNIT, &at(0.0, 0.0, 1.06), Vec3::Z, &[]);
}

#[test]
fn boxes_touch_with_crossed_edges() {
    let quarter = core::f32::consts::FRAC_PI_4;
    let roof = turned(0.0, 0.0, 0.0, Vec3::X * quarter);
    let other = turned(0.0, 0.0, ROOT - 0.01, Vec3::Y * quarter);
    let found = one(&UNIT, &roof, &UNIT, &other);
    assert_eq!(found.count, 1);
    assert!(found.normal.distance(Vec3::Z) < 1e-4 && (found.points[0].separation + 0.01).abs() < 1e-4, "{found:?}");
    assert!(found.points[0].anchor.distance(Vec3::Z * (HALF_ROOT - 0.005)) < 1e-4, "{found:?}");
}

#[test]
fn features_persist_while_a_resting_box_jitters() {
    for (x, yaw) in [(0.0, 0.0), (0.25, 0.0), (0.25, 0.4), (0.0, core::f32::consts::FRAC_PI_4)] {
        let features = |shift: f32| {
            let rotation = Vec3::new(shift, -shift, yaw + shift);
            let found = one(&UNIT, &Pose::IDENTITY, &UNIT, &turned(x + shift, -shift, 0.995 + shift, rotation));
            let mut features: Vec<u32> = found.points().iter().map(|point| point.feature).collect();
            features.sort_unstable();
            features.dedup();
            assert_eq!(features.len(), 4, "{x} {yaw} {found:?}");
            features
        };
        for shift in [-1e-4, -1e-5, -1e-6, 1e-6, 1e-5, 1e-4] {
            assert_eq!(features(shift), features(0.0), "at {x}, rotated by {yaw}, moved by {shift}");
        }
    }
}
