//! What joints do.

mod common;

use base::number::{cos, max, sin, wrap_angle};
use base::{Handle, Quat, Vec3};
use common::Scene;
use physics::{Body, Capacities, Draft, Shape, TouchKind};

const G: f32 = 9.81;
const WORLD: Handle<Body> = Handle::NONE;

fn scene(gravity: f32) -> Scene {
    let capacities = Capacities { joints: 128, ..Capacities::for_bodies(128) };
    let mut scene = Scene::with(capacities, gravity, state::world::Settings::default());
    scene.settings.sleep_seconds = 0.0;
    scene
}

fn ball(scene: &mut Scene, at: Vec3, mass: f32) -> Handle<Body> {
    let radius = 0.1;
    let density = mass / (4.0 / 3.0 * core::f32::consts::PI * radius * radius * radius);
    scene.add(Shape::Sphere(radius), density, at, |_| {})
}

fn brick(scene: &mut Scene, half: Vec3, at: Vec3, mass: f32) -> Handle<Body> {
    scene.add(Shape::Box(half), mass / (8.0 * half.x * half.y * half.z), at, |_| {})
}

fn energy(scene: &Scene) -> f32 {
    let one = |body: &Body| {
        let turn = (body.orientation * body.inertia_turn).rotate_back(body.spin);
        let inertia = body.inverse_inertia.to_array().map(|inverse| 1.0 / inverse);
        let turning = turn.times(turn).dot(Vec3::from_array(inertia));
        let mass = 1.0 / body.inverse_mass;
        0.5 * mass * body.velocity.length_squared() + 0.5 * turning + mass * -scene.settings.gravity.z * body.position.z
    };
    scene.bodies().iter().filter(|body| body.inverse_mass > 0.0).map(one).sum()
}

#[test]
fn a_pendulum_keeps_its_time_its_length_and_its_energy() {
    let mut scene = scene(G);
    let angle = 0.1;
    let bob = ball(&mut scene, Vec3::new(sin(angle), 0.0, -cos(angle)), 1.0);
    scene.join(Draft::ball(WORLD, bob, Vec3::ZERO));
    let before = energy(&scene);
    let (mut crossings, mut last) = (Vec::new(), scene.body(bob).position.x);
    for step in 1..=1200 {
        scene.step();
        let body = *scene.body(bob);
        assert!((body.position.length() - 1.0).abs() < 1e-3, "{step}: {:?}", body.position);
        let x = body.position.x;
        if last > 0.0 && x <= 0.0 {
            crossings.push((step - 1) as f32 + last / (last - x));
        }
        last = x;
    }
    // A ball of radius 0.1 at 1 m: its own inertia counts by 0.4 %.
    let expected = core::f32::consts::TAU * ((1.0 + 0.004) / G).sqrt();
    let expected = expected * (1.0 + angle * angle / 16.0);
    let periods = crossings.len() - 1;
    let period = (crossings[periods] - crossings[0]) / periods as f32 / 60.0;
    assert!((period / expected - 1.0).abs() < 0.005, "{period} {expected}");
    let after = energy(&scene);
    let swing = G * (1.0 - cos(angle));
    assert!((after - before).abs() < 0.05 * swing, "{before} {after} of {swing}");
}

#[test]
fn a_pendulum_from_the_horizontal_keeps_its_energy() {
    let mut scene = scene(G);
    let bob = ball(&mut scene, Vec3::X, 1.0);
    scene.join(Draft::ball(WORLD, bob, Vec3::ZERO));
    scene.run(1200);
    let after = energy(&scene);
    assert!(after.abs() < 0.03 * G, "{after}");
}

#[test]
fn a_chain_whose_last_link_is_twenty_times_as_heavy_does_not_stretch() {
    let mut scene = scene(G);
    // Twelve links of a metre; the first is held in its middle.
    let half = Vec3::new(0.5, 0.1, 0.1);
    let links: Vec<_> = (0..12)
        .map(|number| {
            brick(&mut scene, half, Vec3::new(number as f32, 0.0, 0.0), if number == 11 { 20.0 } else { 1.0 })
        })
        .collect();
    scene.join(Draft::ball(WORLD, links[0], Vec3::ZERO));
    for number in 0..11 {
        let at = Vec3::new(number as f32 + 0.5, 0.0, 0.0);
        scene.join(Draft::ball(links[number], links[number + 1], at));
    }
    let end = |scene: &Scene| {
        let body = scene.body(links[11]);
        (body.position + body.orientation.rotate(Vec3::new(0.5, 0.0, 0.0))).length()
    };
    scene.edit(links[11], |body| body.velocity = Vec3::new(0.0, 0.0, 40.0));
    let (mut longest, mut fastest) = (0.0_f32, 0.0_f32);
    for _ in 0..900 {
        scene.step();
        longest = max(longest, end(&scene));
        fastest = max(fastest, scene.body(links[11]).velocity.length());
    }
    assert!(longest <= 11.6, "{longest}");
}

#[test]
fn a_heavy_weight_on_a_chain_hangs_still() {
    let mut scene = scene(G);
    let links: Vec<_> = (0..12)
        .map(|number| {
            ball(&mut scene, Vec3::new(0.0, 0.0, -0.5 - number as f32), if number == 11 { 1000.0 } else { 1.0 })
        })
        .collect();
    for number in 0..12 {
        let above = if number == 0 { WORLD } else { links[number - 1] };
        scene.join(Draft::ball(above, links[number], Vec3::new(0.0, 0.0, -(number as f32))));
    }
    scene.run(300);
    let body = scene.body(links[11]);
    assert!((body.position.z + 11.5).abs() < 0.005, "{:?}", body.position);
    assert!(body.velocity.length() < 0.01, "{:?}", body.velocity);
}

#[test]
fn a_door_stops_at_its_limits_and_is_driven_by_its_motor() {
    let mut scene = scene(0.0);
    let door = brick(&mut scene, Vec3::new(0.5, 0.05, 1.0), Vec3::new(0.5, 0.0, 0.0), 10.0);
    let hinge = scene.join(Draft::hinge(WORLD, door, Vec3::ZERO, Vec3::Z).limited(-0.5, 1.5));
    scene.edit(door, |body| body.add_impulse_at(Vec3::new(0.0, 20.0, 0.0), Vec3::new(1.0, 0.0, 0.0)));
    for _ in 0..240 {
        scene.step();
        let way = scene.joint(hinge).way;
        assert!(way < 1.51 && way > -0.51, "{way}");
    }
    scene.edit_joint(hinge, |joint| joint.drive(-1.0, 50.0));
    scene.run(60);
    let now = scene.joint(hinge);
    assert!((now.speed + 1.0).abs() < 0.01, "{now:?}");
    scene.run(240);
    let now = scene.joint(hinge);
    assert!((now.way + 0.5).abs() < 0.01 && now.speed.abs() < 0.01, "{now:?}");
    scene.edit_joint(hinge, |joint| joint.drive_to(1.0, 2.0, 100.0));
    scene.run(120);
    let now = scene.joint(hinge);
    assert!((now.way - 1.0).abs() < 0.01 && now.speed.abs() < 0.01, "{now:?}");
    assert!((wrap_angle(scene.body(door).orientation.euler().z) - 1.0).abs() < 0.02);
    // Too weak a motor gives way.
    scene.edit_joint(hinge, |joint| joint.drive(0.0, 1.0));
    for _ in 0..60 {
        scene.edit(door, |body| body.add_force_at(Vec3::new(0.0, 0.0, 0.0), Vec3::ZERO));
        scene.edit(door, |body| body.add_torque(Vec3::new(0.0, 0.0, -5.0)));
        scene.step();
    }
    assert!(scene.joint(hinge).way < 0.5, "{:?}", scene.joint(hinge));
}

#[test]
fn a_hinge_goes_round_more_than_once() {
    let mut scene = scene(0.0);
    let wheel = brick(&mut scene, Vec3::splat(0.5), Vec3::ZERO, 1.0);
    let hinge = scene.join(Draft::hinge(WORLD, wheel, Vec3::ZERO, Vec3::Y).limited(-9.0, 9.0).driven(5.0, 100.0));
    scene.run(90);
    assert!((scene.joint(hinge).way - 7.5).abs() < 0.1, "{}", scene.joint(hinge).way);
    scene.run(60);
    assert!((scene.joint(hinge).way - 9.0).abs() < 0.01, "{}", scene.joint(hinge).way);
}

#[test]
fn a_lift_slides_and_is_held_by_its_motor() {
    let mut scene = scene(G);
    let cabin = brick(&mut scene, Vec3::splat(0.5), Vec3::ZERO, 100.0);
    let axis = Vec3::Z;
    let slider = scene.join(Draft::slider(WORLD, cabin, Vec3::new(2.0, 0.0, 0.0), axis).limited(-2.0, 3.0));
    scene.run(120);
    let body = *scene.body(cabin);
    assert!((body.position - Vec3::new(0.0, 0.0, -2.0)).length() < 0.01, "{body:?}");
    assert!(body.orientation.angle_to(Quat::IDENTITY) < 0.005, "{body:?}");
    scene.edit_joint(slider, |joint| joint.drive_to(1.0, 1.0, 2000.0));
    scene.run(60);
    assert!((scene.joint(slider).speed - 1.0).abs() < 0.01, "{:?}", scene.joint(slider));
    scene.run(300);
    let body = *scene.body(cabin);
    assert!((body.position - Vec3::new(0.0, 0.0, 1.0)).length() < 0.01, "{body:?}");
    // Not strong enough for the weight: it sinks.
    scene.edit_joint(slider, |joint| joint.drive(0.0, 900.0));
    scene.run(60);
    let fall = scene.joint(slider).speed;
    assert!((fall + (G - 9.0)).abs() < 0.05, "{fall}");
}

#[test]
fn what_is_fixed_is_one_piece() {
    let mut scene = scene(0.0);
    let one = brick(&mut scene, Vec3::splat(0.5), Vec3::ZERO, 1.0);
    let two = brick(&mut scene, Vec3::splat(0.5), Vec3::new(1.0, 0.0, 0.0), 30.0);
    scene.join(Draft::fixed(one, two, Vec3::new(0.5, 0.0, 0.0)));
    scene.edit(one, |body| body.add_impulse_at(Vec3::new(0.0, 10.0, 5.0), Vec3::new(-0.5, 0.0, 0.3)));
    for _ in 0..300 {
        scene.step();
        let (first, second) = (*scene.body(one), *scene.body(two));
        let apart = first.orientation.rotate_back(second.position - first.position);
        assert!((apart - Vec3::X).length() < 0.005, "{apart:?}");
        assert!(first.orientation.angle_to(second.orientation) < 0.01);
    }
    let momentum = scene.body(one).velocity * 1.0 + scene.body(two).velocity * 30.0;
    assert!((momentum - Vec3::new(0.0, 10.0, 5.0)).length() < 0.01, "{momentum:?}");
}

#[test]
fn a_spring_swings_as_often_as_it_says() {
    for (hertz, tolerance) in [(0.5, 0.01), (2.0, 0.01), (5.0, 0.02)] {
        let mut scene = scene(0.0);
        let bob = ball(&mut scene, Vec3::new(2.0, 0.0, 0.0), 3.0);
        let spring = Draft::spring(WORLD, bob, [Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0)], hertz, 0.0);
        let spring = scene.join(spring);
        scene.edit(bob, |body| body.position.x = 2.5);
        let (mut crossings, mut last, mut highest) = (Vec::new(), 0.5, 0.0_f32);
        for step in 1..=600 {
            scene.step();
            let way = scene.joint(spring).way - 2.0;
            if last > 0.0 && way <= 0.0 {
                crossings.push((step - 1) as f32 + last / (last - way));
            }
            if step > 400 {
                highest = max(highest, way);
            }
            last = way;
        }
        let periods = crossings.len() - 1;
        let found = periods as f32 * 60.0 / (crossings[periods] - crossings[0]);
        assert!((found / hertz - 1.0).abs() < tolerance, "{found} {hertz}");
        assert!((highest / 0.5 - 1.0).abs() < 0.06, "{hertz}: {highest}");
    }
}

#[test]
fn a_damped_spring_comes_to_rest_without_swinging() {
    let mut scene = scene(0.0);
    let bob = ball(&mut scene, Vec3::new(2.0, 0.0, 0.0), 3.0);
    let anchors = [Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0)];
    scene.join(Draft::spring(WORLD, bob, anchors, 2.0, 1.0));
    scene.edit(bob, |body| body.position.x = 3.0);
    for _ in 0..120 {
        scene.step();
        assert!(scene.body(bob).position.x > 1.99, "{:?}", scene.body(bob).position);
    }
    assert!((scene.body(bob).position.x - 2.0).abs() < 0.01);
}

#[test]
fn a_rope_is_slack_until_it_is_taut() {
    let mut scene = scene(G);
    let bob = ball(&mut scene, Vec3::new(0.0, 0.0, -0.5), 5.0);
    scene.join(Draft::rope(WORLD, bob, [Vec3::ZERO, Vec3::new(0.0, 0.0, -0.5)], 2.0));
    scene.run(30);
    let free = 0.5 * G * 0.25;
    assert!((scene.body(bob).position.z + 0.5 + free).abs() < 0.05, "{:?}", scene.body(bob).position);
    let mut longest = 0.0_f32;
    for _ in 0..300 {
        scene.step();
        longest = max(longest, scene.body(bob).position.length());
    }
    assert!(longest < 2.005, "{longest}");
    assert!((scene.body(bob).position.z + 2.0).abs() < 0.005 && scene.body(bob).velocity.length() < 0.01);
}

#[test]
fn a_joint_breaks_at_its_force_and_tells() {
    for (force, breaks) in [(60.0, false), (40.0, true)] {
        let mut scene = scene(G);
        let weight = ball(&mut scene, Vec3::new(0.0, 0.0, -1.0), 5.0);
        scene.join(Draft::ball(WORLD, weight, Vec3::ZERO).breaking(force, 0.0));
        let mut told = Vec::new();
        for _ in 0..60 {
            scene.step();
            told.extend(scene.physics.parts.touches.get(&scene.world).iter().copied());
        }
        assert_eq!(told.iter().any(|touch| touch.is(TouchKind::Broke) && touch.first == weight), breaks, "{told:?}");
        assert_eq!(scene.body(weight).position.z < -2.0, breaks);
        assert_eq!(scene.physics.parts.joints.count(&scene.world), u32::from(!breaks));
        assert_eq!(scene.physics.parts.counts.get(&scene.world).joints_broken, u64::from(breaks));
    }
}
