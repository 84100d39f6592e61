//! What becomes of those that are fast.

mod common;

use base::{Pcg, Quat, Random, Vec3};
use common::{Scene, kinetic};
use physics::{Body, Draft, Shape, flag};

/// A wall whose near side is at x = 0.
fn wall(scene: &mut Scene, thick: f32, change: impl FnOnce(&mut Body)) {
    let half = thick * 0.5;
    scene.add(Shape::Box(Vec3::new(half, 20.0, 20.0)), 0.0, Vec3::new(half, 0.0, 0.0), change);
}

/// A plate turns several times within a step and is stopped somewhere between.
#[test]
fn what_turns_fast_gains_nothing_where_it_hits_a_wall() {
    let (mut random, mut flights) = (Pcg::new(3, 3), 0);
    for number in 0..300 {
        let mut scene = Scene::new(4, 0.0);
        let restitution = if number % 2 == 0 { 0.0 } else { random.unit() };
        wall(&mut scene, 1.0, |body| (body.restitution, body.friction) = (restitution, random.unit()));
        let half = Vec3::new(random.between(0.02, 0.2), random.between(0.2, 0.5), random.between(0.2, 1.0));
        let plate = scene.add(Shape::Box(half), 1.0, Vec3::new(-1.5, 0.0, 0.0), |body| {
            body.velocity = Vec3::new(random.between(1.0, 60.0), 0.0, 0.0);
            body.spin = random.on_sphere() * random.between(1.0, 200.0);
            body.orientation = Quat::from_rotation_vector(random.in_sphere() * 3.0);
        });
        let mut before = kinetic(scene.body(plate));
        for step in 0..30 {
            scene.step();
            let now = kinetic(scene.body(plate));
            // What it meets in flight is no affair of the solver, which has its own laws.
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
fn who_is_upright_does_not_turn_whatever_wakes_it() {
    let mut scene = Scene::new(8, 9.81);
    scene.add(Shape::Box(Vec3::new(20.0, 20.0, 1.0)), 0.0, Vec3::new(0.0, 0.0, -1.0), |_| {});
    let walker =
        scene.add(Shape::Box(Vec3::splat(0.5)), 1.0, Vec3::new(0.0, 0.0, 0.5), |body| body.flags |= flag::UPRIGHT);
    scene.run(120);
    assert!(scene.body(walker).is(flag::ASLEEP));
    scene.add(Shape::Sphere(0.05), 100.0, Vec3::new(-9.0, 0.3, 0.7), |body| body.velocity = Vec3::new(900.0, 0.0, 0.0));
    scene.run(5);
    let body = scene.body(walker);
    assert!(!body.is(flag::ASLEEP) && body.velocity.x > 0.3, "{body:?}");
    assert_eq!((body.spin, body.orientation), (Vec3::ZERO, Quat::IDENTITY));
}

/// How deep a box is in the wall: how far its farthest corner is beyond x = 0.
fn depth(body: &Body, half: Vec3) -> f32 {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| body.orientation.rotate(axis).x.abs());
    body.position.x + Vec3::from_array(axes).dot(half)
}

/// A corner that touches the wall leaves it as the body turns, while the others come. What the solver sees to may still go deep.
#[test]
fn what_turns_at_a_wall_seldom_comes_into_it_with_another_corner() {
    let mut random = Pcg::new(4, 4);
    let mut deep = 0;
    for _ in 0..1000 {
        let mut scene = Scene::new(4, 0.0);
        wall(&mut scene, 1.0, |_| {});
        let half = Vec3::new(random.between(0.1, 0.4), random.between(0.1, 0.4), 1.0);
        let bar = scene.add(Shape::Box(half), 1.0, Vec3::ZERO, |body| {
            body.orientation = Quat::from_rotation_vector(random.in_sphere() * 3.0);
            body.position.x = -depth(body, half) - 0.0005;
            body.velocity = Vec3::new(random.between(20.0, 100.0), 0.0, 0.0);
            body.spin = random.on_sphere() * random.between(0.0, 100.0);
        });
        let depths = (0..3).map(|_| {
            scene.step();
            depth(scene.body(bar), half)
        });
        deep += u32::from(depths.fold(0.0, base::number::max) > 0.1);
    }
    // 25 of a thousand; if only the first touch counted, 182.
    assert!(deep < 40, "{deep}");
}

/// It is slow, and yet what pushes it is too heavy for the wall.
#[test]
fn who_is_deep_in_a_thin_wall_is_not_rammed_through_it() {
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

/// Three light balls on a rope before a thin wall; behind it, a heavy one that drags them along.
#[test]
fn walls_are_stronger_than_joints() {
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
                let draft = if number % 2 == 0 { Draft::rod(last, ball, ends) } else { Draft::ball(last, ball, at) };
                scene.join(draft);
                last = ball;
                ball
            })
            .collect();
        let before = kinetic(scene.body(heavy));
        for step in 0..60 {
            scene.step();
            let bodies = light.iter().map(|ball| scene.body(*ball));
            // Whoever is dragged past its edge has come round it.
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
