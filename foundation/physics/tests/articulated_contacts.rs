//! Articulations that stand on, fall on or are swung against static bodies.

use crate::common;

use base::number::{abs, max, min};
use base::{Handle, Quat, Vec3};
use common::machines::{WORLD, apart, with_ground};
use common::{Scene, kinetic};
use physics::{Body, Joint, JointDefinition, Shape};

fn brick(scene: &mut Scene, half: Vec3, at: Vec3, mass: f32) -> Handle<Body> {
    scene.add(Shape::Box(half), mass / (8.0 * half.x * half.y * half.z), at, |_| {})
}

fn energy(scene: &Scene) -> f64 {
    let height = |body: &Body| f64::from(-scene.settings.gravity.z * body.position.z / body.inverse_mass);
    let bodies = scene.bodies();
    bodies.iter().filter(|body| body.inverse_mass > 0.0).map(|body| kinetic(body) + height(body)).sum()
}

#[test]
fn a_light_foot_carries_the_load_joined_to_it() {
    for mass in [1.0, 10.0, 100.0, 1000.0] {
        let mut scene = with_ground(16, 16);
        let foot = brick(&mut scene, Vec3::new(0.3, 0.3, 0.1), Vec3::new(0.0, 0.0, 1.1), 1.0);
        let load = brick(&mut scene, Vec3::new(0.3, 0.3, 0.3), Vec3::new(0.0, 0.0, 1.5), mass);
        scene.join(JointDefinition::fixed(foot, load, Vec3::new(0.0, 0.0, 1.2)));
        let (mut lowest, mut before) = (f32::INFINITY, energy(&scene));
        for _ in 0..240 {
            scene.step();
            lowest = min(lowest, scene.body(foot).position.z);
            let now = energy(&scene);
            assert!(now < before * 1.001, "{mass} kg: energy rises from {before} J to {now} J");
            before = now;
        }
        assert!(lowest > 0.09, "{mass} kg: the foot sinks to {lowest}");
        assert!(scene.body(load).velocity.length() < 0.01, "{mass}: {:?}", scene.body(load));
        assert!(abs(scene.body(load).position.z - 0.5) < 0.01, "{mass}: {:?}", scene.body(load));
    }
}

#[test]
fn joined_bodies_bounce_back_to_their_height() {
    for joined in [1, 2, 5] {
        let mut scene = with_ground(16, 16);
        scene.settings.sleep_seconds = 0.0;
        let bodies: Vec<_> = (0..=joined)
            .map(|number| {
                let at = Vec3::new(0.5 * number as f32, 0.0, 1.2);
                scene.add(Shape::Sphere(0.2), 100.0, at, |body| body.restitution = 1.0)
            })
            .collect();
        for pair in bodies.windows(2) {
            let at = scene.body(pair[0]).position + Vec3::new(0.25, 0.0, 0.0);
            scene.join(JointDefinition::fixed(pair[0], pair[1], at));
        }
        let (mut lowest, mut highest) = (f32::INFINITY, 0.0);
        for _ in 0..90 {
            scene.step();
            let height = scene.body(bodies[0]).position.z;
            lowest = min(lowest, height);
            highest = if lowest < 0.3 { max(highest, height) } else { highest };
        }
        assert!(highest > 1.1 && highest < 1.21, "{joined} joints: {highest} after {lowest}");
    }
}

/// Ten links of 1 kg with 100 kg at their end, deflected by 0.9 rad, with this speed at the end.
fn chain(scene: &mut Scene, pivot: Vec3, speed: f32) -> (Vec<Handle<Body>>, Vec<Handle<Joint>>) {
    let turn = Quat::from_axis_angle(Vec3::Y, 0.9);
    let along = turn.rotate(-Vec3::Z) * 0.4;
    let (mut bodies, mut joints): (Vec<Handle<Body>>, _) = (Vec::new(), Vec::new());
    for number in 0..11 {
        let from = pivot + along * number as f32;
        let at = from + along * 0.5;
        let body = if number < 10 {
            brick(scene, Vec3::new(0.05, 0.05, 0.19), at, 1.0)
        } else {
            scene.add(Shape::Sphere(0.2), 100.0 / (4.188_79 * 0.008), at, |_| {})
        };
        let spin = Vec3::new(0.0, -speed / (along.length() * 10.5), 0.0);
        scene.edit(body, |body| {
            (body.rotation, body.angular_velocity, body.velocity) = (turn, spin, spin.cross(at - pivot));
        });
        joints.push(scene.join(JointDefinition::ball(bodies.last().copied().unwrap_or(WORLD), body, from)));
        bodies.push(body);
    }
    (bodies, joints)
}

#[test]
fn a_chain_with_a_heavy_end_holds_when_swung_against_a_wall() {
    for (height, speed) in [(5.0, 0.0), (5.0, 8.0), (3.5, 0.0), (3.5, 8.0)] {
        let mut scene = with_ground(64, 64);
        let half = Vec3::new(0.05, 3.0, height * 0.5);
        scene.add(Shape::Box(half), 0.0, Vec3::new(0.05, 0.0, half.z), |_| {});
        let (bodies, joints) = chain(&mut scene, Vec3::new(-0.3, 0.0, 6.0), speed);
        let (mut far, mut farthest) = (0.0, f32::NEG_INFINITY);
        for _ in 0..300 {
            scene.step();
            far = joints.iter().map(|joint| apart(&scene, *joint)).fold(far, max);
            let places = bodies.iter().map(|body| scene.body(*body).position);
            farthest = places.filter(|place| place.z < height).map(|place| place.x).fold(farthest, max);
        }
        assert!(far < 0.001, "wall {height}, speed {speed}: anchors {far} apart");
        assert!(farthest < -0.04, "wall {height}, speed {speed}: centre of mass at x = {farthest}");
    }
}
