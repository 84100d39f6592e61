//! Planets, zones, water and wind: orbits close, falls match their formulas, sleeping bodies wake when fields change.

use crate::common;

use base::number::{double, max, min};
use base::{Handle, Quat, Vec3};
use common::Scene;
use physics::limits::FORCE_FIELDS_MAX;
use physics::{Body, Capacities, ForceField, Shape, flag};
use state::{Heap, Workers};

fn set(scene: &mut Scene, pulls: &[ForceField]) {
    let (physics, settings) = (&scene.physics, &scene.settings);
    scene.world.set_up(|world| physics.set_force_fields(world, settings, pulls));
}

fn stone(scene: &mut Scene, position: Vec3, velocity: Vec3) -> Handle<Body> {
    scene.add(Shape::Sphere(0.1), 1000.0, position, |body| body.velocity = velocity)
}

/// The energy per kilogram of a body in orbit about a planet of radius 10 and strength 90 at the origin.
fn energy(body: &Body) -> f64 {
    let double = |vector: Vec3| [f64::from(vector.x), f64::from(vector.y), f64::from(vector.z)];
    let square = |vector: Vec3| double(vector).iter().map(|part| part * part).sum::<f64>();
    square(body.velocity) / 2.0 - 9000.0 / square(body.position).sqrt()
}

#[test]
fn an_orbit_closes_and_keeps_its_energy_for_a_hundred_revolutions() {
    for (speed, substeps, rounds) in [(21.213_203, 4, 100), (18.0, 1, 100), (24.0, 4, 20)] {
        let mut scene = Scene::new(2, 0.0);
        (scene.settings.seconds, scene.settings.substeps) = (0.01, substeps);
        set(&mut scene, &[ForceField::planet(Vec3::ZERO, 10.0, 90.0)]);
        let moon = stone(&mut scene, Vec3::new(20.0, 0.0, 0.0), Vec3::new(0.0, speed, 0.0));
        let first = energy(scene.body(moon));
        // Kepler: the semi-major axis and the period.
        let long = -4500.0 / first;
        let period = std::f64::consts::TAU * (long * long * long / 9000.0).sqrt();
        let steps = (period * f64::from(rounds) * 100.0).round() as u32;
        let (mut worst, mut nearest, mut farthest) = (0.0_f64, f32::MAX, 0.0_f32);
        for step in 0..steps {
            scene.step();
            let body = scene.body(moon);
            worst = double::max(worst, (energy(body) / first - 1.0).abs());
            if step > steps / rounds * (rounds - 1) {
                let away = body.position.length();
                (nearest, farthest) = (min(nearest, away), max(farthest, away));
            }
        }
        assert!(worst < 5e-4, "{speed}: its energy was off by {worst}");
        let other = 2.0 * long as f32 - 20.0;
        let (least, most) = (min(other, 20.0), max(other, 20.0));
        assert!((nearest / least - 1.0).abs() < 2e-3 && (farthest / most - 1.0).abs() < 2e-3, "{nearest} {farthest}");
        assert!(scene.body(moon).position.z.abs() < 1e-3, "it stays in its plane");
    }
}

#[test]
fn two_bodies_that_attract_each_other_orbit_their_common_centre() {
    let mut scene = Scene::new(2, 0.0);
    scene.settings.seconds = 0.01;
    let speed = (10.0_f32 * 5.0 / 4.0).sqrt();
    let one = scene.add(Shape::Sphere(1.0), 1.0, Vec3::new(-5.0, 0.0, 0.0), |body| {
        (body.velocity, body.owner) = (Vec3::new(0.0, -speed, 0.0), 1);
    });
    let other = scene.add(Shape::Sphere(1.0), 1.0, Vec3::new(5.0, 0.0, 0.0), |body| {
        (body.velocity, body.owner) = (Vec3::new(0.0, speed, 0.0), 2);
    });
    for _ in 0..20_000 {
        let of = |handle: Handle<Body>| {
            let body = scene.body(handle);
            let pull = ForceField::planet(body.position, 5.0, 10.0);
            ForceField { velocity: body.velocity, owner: body.owner, ..pull }
        };
        let pulls = [of(one), of(other)];
        set(&mut scene, &pulls);
        scene.step();
        let apart = scene.body(one).position.distance(scene.body(other).position);
        assert!((apart - 10.0).abs() < 0.05, "{apart}");
    }
    let middle = (scene.body(one).position + scene.body(other).position) * 0.5;
    assert!(middle.length() < 0.02, "{middle:?}");
}

#[test]
fn the_duration_of_a_fall_to_a_planet_matches_the_formula() {
    let mut scene = Scene::new(2, 0.0);
    scene.settings.seconds = 0.01;
    set(&mut scene, &[ForceField::planet(Vec3::ZERO, 10.0, 10.0)]);
    let body = stone(&mut scene, Vec3::new(0.0, 0.0, 40.0), Vec3::ZERO);
    // From rest at h down to r: √(h³/2μ) · (√(x(1−x)) + acos √x), with x = r/h, and v² = 2μ(1/r − 1/h).
    let (height, surface) = (40.0_f64, 10.0_f64);
    let part = surface / height;
    let seconds =
        (height * height * height / 2000.0).sqrt() * ((part * (1.0 - part)).sqrt() + double::acos(part.sqrt()));
    let speed = (2000.0 * (1.0 / surface - 1.0 / height)).sqrt();
    scene.run((seconds * 100.0).floor() as u32);
    let left = (seconds * 100.0).fract() / 100.0 * speed;
    let (place, found) = (f64::from(scene.body(body).position.z), f64::from(-scene.body(body).velocity.z));
    assert!((place - surface - left).abs() < 0.02, "{place}");
    assert!((found / speed - 1.0).abs() < 0.01, "{found} instead of {speed}");
    // Inside, it passes the centre and leaves on the other side.
    let mut lowest = 0.0;
    for _ in 0..2000 {
        scene.step();
        lowest = min(lowest, scene.body(body).position.z);
    }
    assert!((lowest + 40.0).abs() < 0.1, "{lowest}");
}

#[test]
fn bodies_come_to_rest_on_all_sides_of_a_planet() {
    let mut scene = Scene::new(32, 0.0);
    scene.add(Shape::Sphere(10.0), 0.0, Vec3::ZERO, |_| {});
    set(&mut scene, &[ForceField::planet(Vec3::ZERO, 10.0, 10.0)]);
    let mut bodies = Vec::new();
    for axis in [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z] {
        bodies.push(scene.add(Shape::Box(Vec3::splat(0.4)), 500.0, axis * 12.0, |_| {}));
        bodies.push(scene.add(Shape::Sphere(0.3), 500.0, axis * 14.0, |body| body.rolling_resistance = 0.05));
    }
    scene.run(1500);
    for body in bodies {
        let body = scene.body(body);
        assert!(body.is(flag::ASLEEP), "{body:?}");
        let height = body.position.length();
        assert!(height > 10.25 && height < 11.3, "{height}");
    }
}

#[test]
fn sleeping_bodies_wake_only_when_their_acceleration_changes() {
    let mut scene = Scene::new(8, 0.0);
    scene.add(Shape::Sphere(10.0), 0.0, Vec3::ZERO, |_| {});
    let planet = ForceField::planet(Vec3::ZERO, 10.0, 10.0);
    let moon = |x: f32| ForceField::planet(Vec3::new(x, 0.0, 0.0), 2.0, 1.0);
    set(&mut scene, &[planet, moon(60.0)]);
    let body = scene.add(Shape::Box(Vec3::splat(0.4)), 500.0, Vec3::new(0.0, 0.0, 10.4), |_| {});
    scene.run(200);
    assert!(scene.body(body).is(flag::ASLEEP));
    // A moon that passes at a distance does not wake the body.
    for step in 0..100 {
        set(&mut scene, &[planet, moon(60.0 - step as f32 * 0.3)]);
        scene.step();
        assert!(scene.body(body).is(flag::ASLEEP), "{step}");
    }
    // The planet's gravity fades: the body wakes, and floats in place while nothing pushes it.
    let mut awake = 0;
    for step in 0..100 {
        let strength = 10.0 * (1.0 - step as f32 / 100.0);
        set(&mut scene, &[ForceField { strength, ..planet }]);
        scene.step();
        awake += u32::from(!scene.body(body).is(flag::ASLEEP));
    }
    assert!(awake > 80, "it was awake in {awake} of them");
    set(&mut scene, &[]);
    scene.run(200);
    assert!(scene.body(body).is(flag::ASLEEP));
    // An acceleration upwards lifts it.
    set(&mut scene, &[ForceField::zone(Vec3::Z)]);
    scene.run(200);
    assert!(scene.body(body).position.z > 12.0);
}

#[test]
fn a_body_asleep_in_a_zone_falls_when_the_zone_is_removed() {
    let mut scene = Scene::new(4, 9.81);
    let calm = ForceField::zone(Vec3::ZERO).replacing().in_sphere(Vec3::ZERO, 5.0);
    set(&mut scene, &[calm]);
    let body = stone(&mut scene, Vec3::ZERO, Vec3::ZERO);
    scene.run(100);
    assert!(scene.body(body).is(flag::ASLEEP) && scene.body(body).position == Vec3::ZERO);
    set(&mut scene, &[]);
    scene.run(60);
    assert!((scene.body(body).position.z + 4.905).abs() < 0.01, "{:?}", scene.body(body).position);
}

#[test]
fn a_body_that_starts_to_fall_in_weak_gravity_does_not_fall_asleep() {
    let mut scene = Scene::new(4, 0.02);
    let body = stone(&mut scene, Vec3::ZERO, Vec3::ZERO);
    scene.run(600);
    assert!((scene.body(body).position.z + 1.0).abs() < 0.01, "{:?}", scene.body(body).position);
}

#[test]
fn bodies_take_on_the_velocity_of_their_medium() {
    let mut scene = Scene::new(4, 10.0);
    // Water that bears half of the weight, flows along x, and has drag.
    let half = Vec3::new(100.0, 10.0, 10.0);
    let water = ForceField::zone(Vec3::Z * 5.0).with_medium(2.0, Vec3::X);
    set(&mut scene, &[water.in_box(Vec3::ZERO, half, Quat::IDENTITY)]);
    let body = stone(&mut scene, Vec3::new(0.0, 0.0, 9.0), Vec3::new(0.0, 3.0, 0.0));
    scene.edit(body, |body| body.angular_velocity = Vec3::X * 5.0);
    scene.run(240);
    let Body { velocity, angular_velocity: spin, .. } = *scene.body(body);
    assert!((velocity - Vec3::new(1.0, 0.0, -2.5)).length() < 0.02, "{velocity:?}");
    assert!(spin.length() < 0.02, "{spin:?}");
    // Below the water there is no medium.
    scene.run(600);
    assert!(scene.body(body).velocity.z < -20.0);
}

#[test]
fn extreme_fields_leave_bodies_valid() {
    let mut scene = Scene::new(4, 10.0);
    let storm = ForceField::zone(Vec3::X * 1e30).with_medium(1e30, Vec3::X * 1e30);
    let hole = ForceField::planet(Vec3::new(0.0, 0.0, 5.0), 0.0, 1e30);
    let nonsense = ForceField::zone(Vec3::splat(f32::NAN));
    set(&mut scene, &[storm, hole, nonsense]);
    let body = stone(&mut scene, Vec3::ZERO, Vec3::ZERO);
    scene.run(100);
    assert!(!scene.body(body).is(flag::QUARANTINED) && scene.body(body).is_valid());
    set(&mut scene, &[hole; FORCE_FIELDS_MAX + 9]);
    assert_eq!(scene.physics.parts.force_fields.count(&scene.world), FORCE_FIELDS_MAX as u32);
    scene.run(100);
    assert!(!scene.body(body).is(flag::QUARANTINED) && scene.body(body).is_valid());
}

/// Runs jobs in reverse order.
struct Backwards;

impl Workers for Backwards {
    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync)) {
        (0..count).rev().for_each(job);
    }

    fn threads(&self) -> u32 {
        8
    }
}

#[test]
fn results_depend_on_the_block_alone_and_not_on_workers() {
    let make = || {
        let mut scene = Scene::with(Capacities::for_bodies(256), 0.0, state::world::Settings::default());
        scene.add(Shape::Sphere(10.0), 0.0, Vec3::ZERO, |_| {});
        for index in 0..200_u32 {
            let turn = index as f32 * 0.7;
            let at = Vec3::new(base::number::cos(turn), base::number::sin(turn), index as f32 * 0.01 - 1.0);
            stone(&mut scene, at.normal() * (12.0 + index as f32 * 0.05), Vec3::new(0.0, 1.0, 0.0));
        }
        let air = ForceField::zone(Vec3::ZERO).with_medium(0.2, Vec3::X).in_sphere(Vec3::ZERO, 15.0);
        set(&mut scene, &[ForceField::planet(Vec3::ZERO, 10.0, 10.0), air]);
        scene
    };
    let (mut one, mut many) = (make(), make());
    for step in 0..60 {
        one.step();
        many.step_with(&Backwards);
        assert_eq!(one.bodies(), many.bodies(), "{step}");
        if step == 30 {
            // Another program continues from the block.
            let mut other = make();
            other.world.restore(&one.world.snapshot(&Heap));
            many = other;
        }
    }
}
