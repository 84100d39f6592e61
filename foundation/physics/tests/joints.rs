//! Behaviour of each kind of joint.

use crate::common;

use base::number::{cos, max, sin, wrap_angle};
use base::{Handle, Quat, Vec3};
use common::Scene;
use physics::{Body, Capacities, ContactEventKind, JointDefinition, Shape};

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
        let turn = (body.rotation * body.principal_axes).rotate_back(body.angular_velocity);
        let inertia = body.inverse_inertia.to_array().map(|inverse| 1.0 / inverse);
        let turning = turn.times(turn).dot(Vec3::from_array(inertia));
        let mass = 1.0 / body.inverse_mass;
        0.5 * mass * body.velocity.length_squared() + 0.5 * turning + mass * -scene.settings.gravity.z * body.position.z
    };
    scene.bodies().iter().filter(|body| body.inverse_mass > 0.0).map(one).sum()
}

#[test]
fn a_pendulum_keeps_its_period_length_and_energy() {
    let mut scene = scene(G);
    let angle = 0.1;
    let bob = ball(&mut scene, Vec3::new(sin(angle), 0.0, -cos(angle)), 1.0);
    scene.join(JointDefinition::ball(WORLD, bob, Vec3::ZERO));
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
    assert!((period / expected - 1.0).abs() < 0.005, "period {period} s instead of {expected} s");
    let after = energy(&scene);
    let swing = G * (1.0 - cos(angle));
    assert!((after - before).abs() < 0.05 * swing, "energy {before} J, then {after} J, of an amplitude of {swing} J");
}

#[test]
fn a_pendulum_from_the_horizontal_keeps_its_energy() {
    let mut scene = scene(G);
    let bob = ball(&mut scene, Vec3::X, 1.0);
    scene.join(JointDefinition::ball(WORLD, bob, Vec3::ZERO));
    scene.run(1200);
    let after = energy(&scene);
    assert!(after.abs() < 0.03 * G, "{after}");
}

#[test]
fn a_chain_whose_last_link_is_twenty_times_as_heavy_does_not_stretch() {
    let mut scene = scene(G);
    // Twelve links of 1 m; the first is anchored at its centre.
    let half = Vec3::new(0.5, 0.1, 0.1);
    let links: Vec<_> = (0..12)
        .map(|number| {
            brick(&mut scene, half, Vec3::new(number as f32, 0.0, 0.0), if number == 11 { 20.0 } else { 1.0 })
        })
        .collect();
    scene.join(JointDefinition::ball(WORLD, links[0], Vec3::ZERO));
    for number in 0..11 {
        let at = Vec3::new(number as f32 + 0.5, 0.0, 0.0);
        scene.join(JointDefinition::ball(links[number], links[number + 1], at));
    }
    let end = |scene: &Scene| {
        let body = scene.body(links[11]);
        (body.position + body.rotation.rotate(Vec3::new(0.5, 0.0, 0.0))).length()
    };
    scene.edit(links[11], |body| body.velocity = Vec3::new(0.0, 0.0, 40.0));
    let (mut longest, mut fastest) = (0.0_f32, 0.0_f32);
    for _ in 0..900 {
        scene.step();
        longest = max(longest, end(&scene));
        fastest = max(fastest, scene.body(links[11]).velocity.length());
    }
    assert!(longest <= 11.6, "stretched to {longest} m");
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
        scene.join(JointDefinition::ball(above, links[number], Vec3::new(0.0, 0.0, -(number as f32))));
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
    let hinge = scene.join(JointDefinition::hinge(WORLD, door, Vec3::ZERO, Vec3::Z).with_limits(-0.5, 1.5));
    scene.edit(door, |body| body.add_impulse_at(Vec3::new(0.0, 20.0, 0.0), Vec3::new(1.0, 0.0, 0.0)));
    for _ in 0..240 {
        scene.step();
        let angle = scene.joint(hinge).coordinate;
        assert!(angle < 1.51 && angle > -0.51, "{angle}");
    }
    scene.edit_joint(hinge, |joint| joint.drive(-1.0, 50.0));
    scene.run(60);
    let now = scene.joint(hinge);
    assert!((now.speed + 1.0).abs() < 0.01, "{now:?}");
    scene.run(240);
    let now = scene.joint(hinge);
    assert!((now.coordinate + 0.5).abs() < 0.01 && now.speed.abs() < 0.01, "{now:?}");
    scene.edit_joint(hinge, |joint| joint.drive_to(1.0, 2.0, 100.0));
    scene.run(120);
    let now = scene.joint(hinge);
    assert!((now.coordinate - 1.0).abs() < 0.01 && now.speed.abs() < 0.01, "{now:?}");
    assert!((wrap_angle(scene.body(door).rotation.euler().z) - 1.0).abs() < 0.02);
    // A motor weaker than the load yields.
    scene.edit_joint(hinge, |joint| joint.drive(0.0, 1.0));
    for _ in 0..60 {
        scene.edit(door, |body| body.add_force_at(Vec3::new(0.0, 0.0, 0.0), Vec3::ZERO));
        scene.edit(door, |body| body.add_torque(Vec3::new(0.0, 0.0, -5.0)));
        scene.step();
    }
    assert!(scene.joint(hinge).coordinate < 0.5, "{:?}", scene.joint(hinge));
}

#[test]
fn a_hinge_angle_exceeds_one_turn() {
    let mut scene = scene(0.0);
    let wheel = brick(&mut scene, Vec3::splat(0.5), Vec3::ZERO, 1.0);
    let hinge = scene
        .join(JointDefinition::hinge(WORLD, wheel, Vec3::ZERO, Vec3::Y).with_limits(-9.0, 9.0).with_motor(5.0, 100.0));
    scene.run(90);
    assert!((scene.joint(hinge).coordinate - 7.5).abs() < 0.1, "{}", scene.joint(hinge).coordinate);
    scene.run(60);
    assert!((scene.joint(hinge).coordinate - 9.0).abs() < 0.01, "{}", scene.joint(hinge).coordinate);
}

#[test]
fn a_lift_slides_and_is_held_by_its_motor() {
    let mut scene = scene(G);
    let cabin = brick(&mut scene, Vec3::splat(0.5), Vec3::ZERO, 100.0);
    let axis = Vec3::Z;
    let slider =
        scene.join(JointDefinition::slider(WORLD, cabin, Vec3::new(2.0, 0.0, 0.0), axis).with_limits(-2.0, 3.0));
    scene.run(120);
    let body = *scene.body(cabin);
    assert!((body.position - Vec3::new(0.0, 0.0, -2.0)).length() < 0.01, "{body:?}");
    assert!(body.rotation.angle_to(Quat::IDENTITY) < 0.005, "{body:?}");
    scene.edit_joint(slider, |joint| joint.drive_to(1.0, 1.0, 2000.0));
    scene.run(60);
    assert!((scene.joint(slider).speed - 1.0).abs() < 0.01, "{:?}", scene.joint(slider));
    scene.run(300);
    let body = *scene.body(cabin);
    assert!((body.position - Vec3::new(0.0, 0.0, 1.0)).length() < 0.01, "{body:?}");
    // Weaker than the weight: the cabin sinks.
    scene.edit_joint(slider, |joint| joint.drive(0.0, 900.0));
    scene.run(60);
    let fall = scene.joint(slider).speed;
    assert!((fall + (G - 9.0)).abs() < 0.05, "{fall}");
}

#[test]
fn fixed_bodies_move_as_one() {
    let mut scene = scene(0.0);
    let one = brick(&mut scene, Vec3::splat(0.5), Vec3::ZERO, 1.0);
    let two = brick(&mut scene, Vec3::splat(0.5), Vec3::new(1.0, 0.0, 0.0), 30.0);
    scene.join(JointDefinition::fixed(one, two, Vec3::new(0.5, 0.0, 0.0)));
    scene.edit(one, |body| body.add_impulse_at(Vec3::new(0.0, 10.0, 5.0), Vec3::new(-0.5, 0.0, 0.3)));
    for _ in 0..300 {
        scene.step();
        let (first, second) = (*scene.body(one), *scene.body(two));
        let offset = first.rotation.rotate_back(second.position - first.position);
        assert!((offset - Vec3::X).length() < 0.005, "{offset:?}");
        assert!(first.rotation.angle_to(second.rotation) < 0.01);
    }
    let momentum = scene.body(one).velocity * 1.0 + scene.body(two).velocity * 30.0;
    assert!((momentum - Vec3::new(0.0, 10.0, 5.0)).length() < 0.01, "{momentum:?}");
}

#[test]
fn a_spring_oscillates_at_its_frequency() {
    for (hertz, tolerance) in [(0.5, 0.01), (2.0, 0.01), (5.0, 0.02)] {
        let mut scene = scene(0.0);
        let bob = ball(&mut scene, Vec3::new(2.0, 0.0, 0.0), 3.0);
        let spring = JointDefinition::spring(WORLD, bob, [Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0)], hertz, 0.0);
        let spring = scene.join(spring);
        scene.edit(bob, |body| body.position.x = 2.5);
        let (mut crossings, mut last, mut highest) = (Vec::new(), 0.5, 0.0_f32);
        for step in 1..=600 {
            scene.step();
            let displacement = scene.joint(spring).coordinate - 2.0;
            if last > 0.0 && displacement <= 0.0 {
                crossings.push((step - 1) as f32 + last / (last - displacement));
            }
            if step > 400 {
                highest = max(highest, displacement);
            }
            last = displacement;
        }
        let periods = crossings.len() - 1;
        let found = periods as f32 * 60.0 / (crossings[periods] - crossings[0]);
        assert!((found / hertz - 1.0).abs() < tolerance, "{found} Hz instead of {hertz} Hz");
        assert!((highest / 0.5 - 1.0).abs() < 0.06, "{hertz} Hz: amplitude {highest}");
    }
}

#[test]
fn a_critically_damped_spring_does_not_overshoot() {
    let mut scene = scene(0.0);
    let bob = ball(&mut scene, Vec3::new(2.0, 0.0, 0.0), 3.0);
    let anchors = [Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0)];
    scene.join(JointDefinition::spring(WORLD, bob, anchors, 2.0, 1.0));
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
    scene.join(JointDefinition::rope(WORLD, bob, [Vec3::ZERO, Vec3::new(0.0, 0.0, -0.5)], 2.0));
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
fn a_joint_breaks_at_its_force_and_reports_it() {
    for (force, breaks) in [(60.0, false), (40.0, true)] {
        let mut scene = scene(G);
        let weight = ball(&mut scene, Vec3::new(0.0, 0.0, -1.0), 5.0);
        scene.join(JointDefinition::ball(WORLD, weight, Vec3::ZERO).with_break_limits(force, 0.0));
        let mut events = Vec::new();
        for _ in 0..60 {
            scene.step();
            events.extend(scene.physics.parts.events.get(&scene.world).iter().copied());
        }
        assert_eq!(
            events.iter().any(|event| event.is(ContactEventKind::JointBroke) && event.first == weight),
            breaks,
            "{events:?}"
        );
        assert_eq!(scene.body(weight).position.z < -2.0, breaks);
        assert_eq!(scene.physics.parts.joints.count(&scene.world), u32::from(!breaks));
        assert_eq!(scene.physics.parts.counts.get(&scene.world).joints_broken, u64::from(breaks));
    }
}
