//! Continuous collision detection of fast bodies.

use crate::common;

use base::{Pcg, Quat, Random, Vec3};
use common::{Scene, kinetic};
use physics::{Body, JointDefinition, Shape, flag};

/// A wall whose front face is at x = 0.
fn wall(scene: &mut Scene, thick: f32, change: impl FnOnce(&mut Body)) {
    let half = thick * 0.5;
    scene.add(Shape::Box(Vec3::new(half, 20.0, 20.0)), 0.0, Vec3::new(half, 0.0, 0.0), change);
}

/// A plate rotates several times within a step and hits at some angle.
#[test]
fn an_impact_of_a_fast_rotating_body_adds_no_energy() {
    let (mut random, mut flights) = (Pcg::new(3, 3), 0);
    for number in 0..300 {
        let mut scene = Scene::new(4, 0.0);
        let restitution = if number % 2 == 0 { 0.0 } else { random.unit() };
        wall(&mut scene, 1.0, |body| (body.restitution, body.friction) = (restitution, random.unit()));
        let half = Vec3::new(random.between(0.02, 0.2), random.between(0.2, 0.5), random.between(0.2, 1.0));
        let plate = scene.add(Shape::Box(half), 1.0, Vec3::new(-1.5, 0.0, 0.0), |body| {
            body.velocity = Vec3::new(random.between(1.0, 60.0), 0.0, 0.0);
            body.angular_velocity = random.on_sphere() * random.between(1.0, 200.0);
            body.rotation = Quat::from_rotation_vector(random.in_sphere() * 3.0);
        });
        let mut before = kinetic(scene.body(plate));
        for step in 0..30 {
            scene.step();
            let now = kinetic(scene.body(plate));
            // Only steps without contacts: the solver has its own tolerance.
            if scene.physics.parts.contacts.get(&scene.world).is_empty() {
                flights += 1;
                assert!(now < before * 1.0001, "{number}, step {step}: {now} J after {before} J");
            }
            before = now;
        }
    }
    assert!(flights > 5000, "{flights}");
}

#[test]
fn an_upright_body_does_not_rotate_when_an_impact_wakes_it() {
    let mut scene = Scene::new(8, 9.81);
    scene.add(Shape::Box(Vec3::new(20.0, 20.0, 1.0)), 0.0, Vec3::new(0.0, 0.0, -1.0), |_| {});
    let walker = scene
        .add(Shape::Box(Vec3::splat(0.5)), 1.0, Vec3::new(0.0, 0.0, 0.5), |body| body.flags |= flag::FIXED_ROTATION);
    scene.run(120);
    assert!(scene.body(walker).is(flag::ASLEEP));
    scene.add(Shape::Sphere(0.05), 100.0, Vec3::new(-9.0, 0.3, 0.7), |body| body.velocity = Vec3::new(900.0, 0.0, 0.0));
    scene.run(5);
    let body = scene.body(walker);
    assert!(!body.is(flag::ASLEEP) && body.velocity.x > 0.3, "{body:?}");
    assert_eq!((body.angular_velocity, body.rotation), (Vec3::ZERO, Quat::IDENTITY));
}

/// Penetration depth of a box in the wall: how far its farthest corner is beyond x = 0.
fn depth(body: &Body, half: Vec3) -> f32 {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| body.rotation.rotate(axis).x.abs());
    body.position.x + Vec3::from_array(axes).dot(half)
}

/// A corner leaves the wall as the body rotates, while another approaches. Contacts of the solver may still penetrate.
#[test]
fn a_body_rotating_at_a_wall_seldom_penetrates_with_another_corner() {
    let mut random = Pcg::new(4, 4);
    let mut deep = 0;
    for _ in 0..1000 {
        let mut scene = Scene::new(4, 0.0);
        wall(&mut scene, 1.0, |_| {});
        let half = Vec3::new(random.between(0.1, 0.4), random.between(0.1, 0.4), 1.0);
        let bar = scene.add(Shape::Box(half), 1.0, Vec3::ZERO, |body| {
            body.rotation = Quat::from_rotation_vector(random.in_sphere() * 3.0);
            body.position.x = -depth(body, half) - 0.0005;
            body.velocity = Vec3::new(random.between(20.0, 100.0), 0.0, 0.0);
            body.angular_velocity = random.on_sphere() * random.between(0.0, 100.0);
        });
        let depths = (0..3).map(|_| {
            scene.step();
            depth(scene.body(bar), half)
        });
        deep += u32::from(depths.fold(0.0, base::number::max) > 0.1);
    }
    // 25 of a thousand; with only the first time of impact, 182.
    assert!(deep < 40, "{deep}");
}

/// The pushed body is slow, but the one behind it too heavy for the contact with the wall.
#[test]
fn a_body_deep_in_a_thin_wall_is_not_pushed_through_it() {
    for speed in [1.0, 3.0, 10.0, 14.0] {
        let mut scene = Scene::new(4, 0.0);
        wall(&mut scene, 0.02, |_| {});
        let half = Vec3::splat(0.5);
        let pushed = scene.add(Shape::Box(half), 1.0, Vec3::new(-0.1, 0.0, 0.0), |_| {});
        let ram = |body: &mut Body| body.velocity = Vec3::new(speed, 0.0, 0.0);
        scene.add(Shape::Box(half), 1.0e6, Vec3::new(-1.1, 0.0, 0.0), ram);
        for step in 0..120 {
            scene.step();
            let body = scene.body(pushed);
            assert!(body.position.x < 0.0, "{speed} m/s, step {step}: {body:?}");
        }
    }
}

/// Three light balls on a chain in front of a thin wall; behind it, a heavy one that drags them.
#[test]
fn joints_do_not_drag_bodies_through_walls() {
    let (mut random, mut steps) = (Pcg::new(5, 5), 0);
    for number in 0..60 {
        let mut scene = Scene::new(8, 0.0);
        wall(&mut scene, 0.02, |body| body.friction = random.unit());
        let speed = [2.0, 10.0, 60.0][number % 3] * random.between(0.5, 1.5);
        let heavy = scene.add(Shape::Sphere(0.4), 10_000.0, Vec3::new(1.0, 0.0, 0.0), |body| {
            body.velocity = Vec3::new(speed, speed * random.between(-0.2, 0.2), 0.0);
        });
        let mut last = heavy;
        let light: Vec<_> = (0..3)
            .map(|place| {
                let at = Vec3::new(-0.3 * (place + 1) as f32, 0.0, random.between(-0.05, 0.05));
                let ball = scene.add(Shape::Sphere(0.1), 100.0, at, |_| {});
                let ends = [scene.body(last).position, at];
                let joint = if number % 2 == 0 {
                    JointDefinition::rod(last, ball, ends)
                } else {
                    JointDefinition::ball(last, ball, at)
                };
                scene.join(joint);
                last = ball;
                ball
            })
            .collect();
        let before = kinetic(scene.body(heavy));
        for step in 0..60 {
            scene.step();
            let bodies = light.iter().map(|ball| scene.body(*ball));
            // A ball dragged past the edge of the wall went around it.
            if bodies.clone().any(|body| body.position.y.abs() > 19.0 || body.position.z.abs() > 19.0) {
                break;
            }
            if let Some(body) = bodies.clone().find(|body| body.position.x >= 0.0) {
                panic!("{number}, step {step}: {body:?}");
            }
            steps += 1;
            let now: f64 = scene.bodies().iter().map(kinetic).sum();
            assert!(now < before * 1.02, "{number}, step {step}: {now} J after {before} J");
        }
    }
    assert!(steps > 3000, "{steps}");
}
