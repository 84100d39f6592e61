//! What things made of several bodies do.

mod common;

use base::number::{abs, cos, max, sin};
use base::{Quat, Vec3};
use common::Scene;
use common::machines::{Car, Ragdoll, WORLD, apart, bridge, stairs, with_ground};
use physics::{Capacities, Draft, Shape, flag};

#[test]
fn ragdolls_fall_down_the_stairs_within_their_limits_and_calm_down() {
    let mut asleep = 0;
    for push in [3.0, 3.3, 3.9, 4.2] {
        let mut scene = with_ground(64, 64);
        stairs(&mut scene, 10);
        let doll = Ragdoll::new(&mut scene, Vec3::new(0.0, 0.0, 2.8));
        scene.edit(doll.bodies[1], |body| body.velocity = Vec3::new(push, 0.5, 0.0));
        let (mut beyond, mut far) = (0.0, 0.0);
        for _ in 0..700 {
            scene.step();
            beyond = max(beyond, doll.beyond(&scene));
            far = max(far, doll.apart(&scene));
        }
        // Six degrees.
        assert!(beyond < 0.105, "{push}: {beyond}");
        assert!(far < 0.01, "{push}: {far}");
        let fastest = doll.bodies.iter().map(|body| scene.body(*body).velocity.length()).fold(0.0, max);
        assert!(fastest < 0.15, "{push}: {fastest}");
        assert!(scene.body(doll.bodies[0]).position.x > 2.0, "{:?}", scene.body(doll.bodies[0]));
        asleep += u32::from(doll.bodies.iter().all(|body| scene.body(*body).is(flag::ASLEEP)));
    }
    assert!(asleep >= 3, "{asleep}");
}

#[test]
fn a_bridge_of_ropes_bears_a_load() {
    let mut scene = with_ground(64, 64);
    let (planks, joints) = bridge(&mut scene, 20, 5.0);
    let load = scene.add(Shape::Box(Vec3::splat(0.4)), 200.0 / 0.512, Vec3::new(0.0, 0.0, 5.0), |_| {});
    scene.run(900);
    let far = joints.iter().map(|joint| apart(&scene, *joint)).fold(0.0, max);
    assert!(far < 0.01, "{far}");
    let height = scene.body(load).position.z;
    assert!(height > 3.0 && scene.body(load).velocity.length() < 0.1, "{:?}", scene.body(load));
    assert!(planks.iter().all(|plank| scene.body(*plank).velocity.length() < 0.2));
}

#[test]
fn a_car_drives_steers_and_brakes() {
    let mut scene = with_ground(64, 64);
    let car = Car::new(&mut scene, Vec3::ZERO);
    scene.run(120);
    let rest = *scene.body(car.hull);
    assert!(rest.velocity.length() < 0.02 && rest.position.xy().length() < 0.02, "{rest:?}");
    assert!(abs(rest.position.z - 0.69) < 0.02, "{rest:?}");
    car.drive(&mut scene, 40.0, 250.0);
    scene.run(180);
    let fast = *scene.body(car.hull);
    assert!(abs(fast.velocity.x) > 5.0 && abs(fast.velocity.y) < 0.3, "{fast:?}");
    car.steer(&mut scene, 0.3);
    scene.run(60);
    let turned = *scene.body(car.hull);
    assert!(abs(turned.spin.z) > 0.2, "{turned:?}");
    assert!(turned.orientation.rotate(Vec3::Z).z > 0.95, "{turned:?}");
    car.steer(&mut scene, 0.0);
    car.drive(&mut scene, 0.0, 1500.0);
    scene.run(240);
    let still = *scene.body(car.hull);
    assert!(still.velocity.length() < 0.02 && still.spin.length() < 0.02, "{still:?}");
}

#[test]
fn a_car_jumps_a_ramp_and_lands_on_its_wheels() {
    let mut scene = with_ground(64, 64);
    let slope = 0.2_f32;
    scene.add(Shape::Box(Vec3::new(4.0, 3.0, 0.5)), 0.0, Vec3::new(20.0, 0.0, 0.2), |body| {
        body.orientation = Quat::from_axis_angle(Vec3::Y, -slope);
        body.friction = 0.8;
    });
    let car = Car::new(&mut scene, Vec3::ZERO);
    scene.run(60);
    for body in car.wheels.iter().chain([&car.hull]) {
        scene.edit(*body, |body| body.velocity = Vec3::new(15.0, 0.0, 0.0));
    }
    for wheel in &car.wheels {
        scene.edit(*wheel, |body| body.spin = Vec3::new(0.0, 15.0 / 0.35, 0.0));
    }
    let (mut highest, mut flight) = (0.0, 0);
    for _ in 0..300 {
        scene.step();
        highest = max(highest, scene.body(car.hull).position.z);
        let is_up = car.wheels.iter().all(|wheel| scene.body(*wheel).position.z > 1.0);
        flight += u32::from(is_up);
    }
    let body = *scene.body(car.hull);
    assert!(highest > 2.0 && flight > 10, "{highest} {flight}");
    assert!(body.orientation.rotate(Vec3::Z).z > 0.95 && body.position.z < 0.8, "{body:?}");
    assert!(car.joints.iter().all(|joint| scene.joint(*joint).way > -0.16 && scene.joint(*joint).way < 0.21));
}

#[test]
fn a_car_with_its_brakes_on_stands_still_on_a_slope() {
    let mut scene = with_ground(64, 64);
    let slope = 0.3;
    scene.settings.gravity = Vec3::new(9.81 * sin(slope), 0.0, -9.81 * cos(slope));
    scene.settings.sleep_seconds = 0.0;
    let car = Car::new(&mut scene, Vec3::ZERO);
    car.drive(&mut scene, 0.0, 1500.0);
    scene.run(120);
    let before = scene.body(car.hull).position;
    scene.run(600);
    let way = scene.body(car.hull).position - before;
    assert!(way.length() < 0.01, "{way:?}");
    // Without brakes it rolls.
    for joint in &car.joints {
        scene.edit_joint(*joint, |joint| joint.coast());
    }
    scene.run(120);
    assert!(scene.body(car.hull).velocity.x > 4.0, "{:?}", scene.body(car.hull).velocity);
}

#[test]
fn a_turret_turns_on_a_moving_hull_and_follows_it() {
    let capacities = Capacities { joints: 16, ..Capacities::for_bodies(16) };
    let mut scene = Scene::with(capacities, 0.0, state::world::Settings::default());
    let brick = |scene: &mut Scene, half: Vec3, at: Vec3, mass: f32| {
        scene.add(Shape::Box(half), mass / (8.0 * half.x * half.y * half.z), at, |_| {})
    };
    let hull = brick(&mut scene, Vec3::new(10.0, 3.0, 2.0), Vec3::ZERO, 50_000.0);
    let turret = brick(&mut scene, Vec3::new(1.0, 1.0, 0.5), Vec3::new(5.0, 0.0, 2.5), 800.0);
    let gun = brick(&mut scene, Vec3::new(2.0, 0.1, 0.1), Vec3::new(7.5, 0.0, 2.7), 100.0);
    let base = scene.join(Draft::hinge(hull, turret, Vec3::new(5.0, 0.0, 2.0), Vec3::Z));
    let cradle = Draft::hinge(turret, gun, Vec3::new(6.0, 0.0, 2.7), -Vec3::Y).limited(-0.1, 1.2);
    let cradle = scene.join(cradle);
    scene.edit_joint(base, |joint| joint.drive_to(2.5, 1.0, 50_000.0));
    scene.edit_joint(cradle, |joint| joint.drive_to(0.6, 0.5, 20_000.0));
    let mut far = 0.0;
    for step in 0..600 {
        scene.edit(hull, |body| {
            body.add_local_force_at(
                Vec3::new(400_000.0, 0.0, 0.0),
                Vec3::new(-10.0, if step < 300 { 1.0 } else { -2.0 }, 0.5),
            );
        });
        scene.step();
        far = max(far, max(apart(&scene, base), apart(&scene, cradle)));
    }
    let (yaw, pitch) = (scene.joint(base), scene.joint(cradle));
    assert!(scene.body(hull).velocity.length() > 10.0);
    assert!(far < 0.002, "{far}");
    assert!(abs(yaw.way - 2.5) < 0.01 && abs(pitch.way - 0.6) < 0.01, "{} {}", yaw.way, pitch.way);
    // It is where its angle says, seen from the hull.
    let hull = *scene.body(hull);
    let aim = hull.orientation.rotate_back(scene.body(turret).orientation.rotate(Vec3::X));
    assert!(aim.distance(Vec3::new(cos(2.5), sin(2.5), 0.0)) < 0.02, "{aim:?}");
}

#[test]
fn a_door_on_the_world_sleeps_and_wakes() {
    let capacities = Capacities { joints: 16, ..Capacities::for_bodies(16) };
    let mut scene = Scene::with(capacities, 0.0, state::world::Settings::default());
    let door = scene.add(Shape::Box(Vec3::new(0.5, 0.05, 1.0)), 10.0, Vec3::new(0.5, 0.0, 0.0), |_| {});
    let handle = scene.add(Shape::Sphere(0.1), 10.0, Vec3::new(1.0, 0.2, 0.0), |_| {});
    let hinge = scene.join(Draft::hinge(WORLD, door, Vec3::ZERO, Vec3::Z));
    scene.join(Draft::fixed(door, handle, Vec3::new(1.0, 0.1, 0.0)));
    scene.run(60);
    assert!(scene.body(door).is(flag::ASLEEP) && scene.body(handle).is(flag::ASLEEP));
    scene.edit_joint(hinge, |joint| joint.drive(1.0, 100.0));
    scene.run(60);
    assert!(!scene.body(door).is(flag::ASLEEP) && !scene.body(handle).is(flag::ASLEEP));
    assert!(scene.joint(hinge).way > 0.8, "{}", scene.joint(hinge).way);
    scene.edit_joint(hinge, |joint| joint.drive(0.0, 100.0));
    scene.run(90);
    assert!(scene.body(door).is(flag::ASLEEP) && scene.body(handle).is(flag::ASLEEP));
    // Whoever pushes one wakes both.
    scene.edit(handle, |body| body.add_impulse(Vec3::new(0.0, 1.0, 0.0)));
    scene.run(2);
    assert!(!scene.body(door).is(flag::ASLEEP) && !scene.body(handle).is(flag::ASLEEP));
}
