//! Bodies that turn fast: no part of them passes through a thin plate.

use base::Vec3;
use physics::{JointDefinition, Shape, flag};

use crate::common::Scene;

/// A rod of four metres turns about the z axis, beside a plate that it must hit; how far it is past the plate at most.
fn turn_rod(scene: &mut Scene, rod: Shape, spin: f32, steps: u32) -> f32 {
    scene.settings.seconds = 0.01;
    let start = 0.6_f32;
    let plate = Vec3::new(1.5, 0.0, 0.0);
    scene.add(Shape::Box(Vec3::new(0.3, 0.01, 1.0)), 0.0, plate, |_| {});
    let rod = scene.add(rod, 100.0, Vec3::ZERO, |body| {
        body.rotation = base::Quat::from_axis_angle(Vec3::Z, start);
        body.angular_velocity.z = -spin;
        body.flags |= flag::NEVER_SLEEPS;
    });
    let mut past = f32::NEG_INFINITY;
    for _ in 0..steps {
        scene.step();
        let body = scene.body(rod);
        // As long as it lies across the plate's line, both ends are on their sides: one above, one below.
        let along = body.rotation.rotate(Vec3::X);
        let offset = body.position;
        let at_plate = offset.y + along.y / along.x * (plate.x - offset.x);
        let reaches = (plate.x - offset.x) / along.x;
        if along.x > 0.5 && reaches < 2.0 {
            past = base::number::max(past, -at_plate);
        }
        if offset.length() > 0.3 {
            break;
        }
    }
    past
}

#[test]
fn a_rod_that_turns_does_not_pass_a_thin_plate() {
    for spin in [3.0, 12.0, 24.0, 36.0, 48.0, 72.0, 100.0, 144.0, 200.0, 300.0, 400.0, 500.0] {
        let mut scene = Scene::new(4, 0.0);
        let past = turn_rod(&mut scene, Shape::Box(Vec3::new(2.0, 0.05, 0.05)), spin, 60);
        assert!(past < 0.0, "{spin} rad/s: the rod is {past} m past the plate");
    }
}

#[test]
fn a_propeller_and_a_long_screw_do_not_pass_a_thin_plate() {
    let blade = |angle: f32| {
        let turn = base::Quat::from_axis_angle(Vec3::Z, angle);
        (physics::pose::Pose::new(turn.rotate(Vec3::new(1.0, 0.0, 0.0)), turn), Shape::Box(Vec3::new(1.0, 0.05, 0.02)))
    };
    let blades = [blade(0.0), blade(core::f32::consts::PI)];
    let propeller = Shape::Compound(physics::shape::Compound::new(blades).expect("two blades").into());
    for spin in [12.0, 60.0, 144.0, 400.0] {
        for shape in [propeller.clone(), Shape::Capsule { half: 1.9, radius: 0.05 }] {
            let mut scene = Scene::new(4, 0.0);
            let shape = match shape {
                // The long axis of a capsule is z; a compound lays it down.
                Shape::Capsule { .. } => {
                    let turn = base::Quat::from_axis_angle(Vec3::Y, core::f32::consts::FRAC_PI_2);
                    let laid = (physics::pose::Pose::new(Vec3::ZERO, turn), shape);
                    Shape::Compound(physics::shape::Compound::new([laid]).expect("one part").into())
                }
                other => other,
            };
            let past = turn_rod(&mut scene, shape, spin, 60);
            assert!(past < 0.0, "{spin} rad/s: {past} m past the plate");
        }
    }
}

#[test]
fn a_rod_that_turns_wakes_what_it_hits() {
    for spin in [6.0, 36.0, 144.0] {
        let mut scene = Scene::new(4, 0.0);
        scene.settings.seconds = 0.01;
        let ball = scene.add(Shape::Sphere(0.1), 100.0, Vec3::new(1.5, 0.0, 0.0), |body| {
            (body.rest_seconds, body.flags) = (1.0, body.flags | flag::ASLEEP);
        });
        let rod = scene.add(Shape::Box(Vec3::new(2.0, 0.05, 0.05)), 100.0, Vec3::ZERO, |body| {
            body.rotation = base::Quat::from_axis_angle(Vec3::Z, 0.6);
            body.angular_velocity.z = -spin;
        });
        let before = scene.body(rod).angular_velocity.z;
        scene.run(20);
        let (ball, rod) = (scene.body(ball), scene.body(rod));
        assert!(ball.velocity.length() > 0.3 * spin, "{spin} rad/s: {ball:?}");
        assert!(rod.angular_velocity.z > before, "{spin} rad/s: {rod:?}");
    }
}

/// A rod that turns about a hinge at this place along it, towards a plate: how far it has passed the plate at most, in radians, and
/// the largest distance between the anchors of the hinge.
fn turn_hinged_rod(spin: f32, hinge_at: f32, plate: f32, driven: bool) -> (f32, f32) {
    let mut scene = Scene::with(
        physics::Capacities { joints: 4, ..physics::Capacities::for_bodies(4) },
        0.0,
        state::world::Settings::default(),
    );
    scene.settings.seconds = 0.01;
    scene.add(Shape::Box(Vec3::new(0.3, 0.01, 1.0)), 0.0, Vec3::new(plate, 0.0, 0.0), |_| {});
    let turn = base::Quat::from_axis_angle(Vec3::Z, 0.6);
    let pivot = Vec3::ZERO;
    let rod = scene.add(Shape::Box(Vec3::new(2.0, 0.05, 0.05)), 100.0, pivot, |body| {
        let offset = turn.rotate(Vec3::new(-hinge_at, 0.0, 0.0));
        (body.rotation, body.position) = (turn, pivot + offset);
        body.angular_velocity.z = -spin;
        body.velocity = Vec3::new(0.0, 0.0, -spin).cross(offset);
        body.flags |= flag::NEVER_SLEEPS;
    });
    let hinge = JointDefinition::hinge(crate::common::machines::WORLD, rod, pivot, Vec3::Z);
    let hinge = scene.join(hinge);
    if driven {
        scene.edit_joint(hinge, |joint| (joint.motor_speed, joint.motor_force) = (-spin, 1.0e3));
    }
    let (mut past, mut apart, mut angle) = (0.0, 0.0, 0.6_f32);
    for _ in 0..40 {
        let before = scene.body(rod).rotation;
        scene.step();
        let step = (scene.body(rod).rotation * before.conjugate()).rotation_vector().z;
        angle += step;
        // From 0.6 rad down to the plate, or by a rebound round to its other side.
        past = base::number::max(past, base::number::max(-angle, angle - core::f32::consts::TAU));
        apart = base::number::max(apart, crate::common::machines::apart(&scene, hinge));
    }
    (past, apart)
}

#[test]
fn a_hinged_rod_does_not_pass_a_thin_plate() {
    for spin in [3.0, 6.0, 12.0, 24.0, 36.0, 48.0, 60.0, 72.0, 90.0, 100.0, 120.0, 144.0, 150.0] {
        for (hinge_at, plate) in [(0.0, 1.5), (0.0, 0.8), (-1.9, 1.5), (-1.9, 3.0), (-1.0, 1.2)] {
            for driven in [false, true] {
                let (past, apart) = turn_hinged_rod(spin, hinge_at, plate, driven);
                let name = format!("{spin} rad/s about {hinge_at} m, plate at {plate} m, driven: {driven}");
                assert!(past < 0.02, "{name}: {past} rad past the plate");
                assert!(apart < 0.05, "{name}: the hinge is {apart} m open");
            }
        }
    }
}
