//! Triggers report bodies that enter and leave them, at any speed.

use crate::common;

use std::sync::Arc;

use base::{Handle, Pcg, Quat, Random, Vec3};
use common::Scene;
use host::thread_pool::ThreadPool;
use physics::pose::Pose;
use physics::shape::Compound;
use physics::{Body, ContactEventKind, Shape, flag};

const GATE: Vec3 = Vec3::new(0.05, 5.0, 5.0);

fn gate(scene: &mut Scene, at: Vec3) -> Handle<Body> {
    scene.add(Shape::Box(GATE), 0.0, at, |body| body.flags |= flag::TRIGGER)
}

/// Steps, and collects the events of a trigger and one body: true for entering, false for leaving.
fn passages(scene: &mut Scene, steps: u32, pair: [Handle<Body>; 2]) -> Vec<bool> {
    let mut passages = Vec::new();
    for _ in 0..steps {
        scene.step();
        for event in scene.physics.parts.events.get(&scene.world) {
            if pair.contains(&event.first) && pair.contains(&event.second) {
                assert!(event.is(ContactEventKind::Entered) || event.is(ContactEventKind::Left), "{event:?}");
                passages.push(event.is(ContactEventKind::Entered));
            }
        }
    }
    passages
}

const BODIES: [(Shape, bool); 4] = [
    (Shape::Sphere(0.1), false),
    (Shape::Box(Vec3::new(0.1, 0.2, 0.1)), false),
    (Shape::Sphere(0.01), true),
    (Shape::Capsule { half: 0.3, radius: 0.05 }, true),
];

#[test]
fn crossing_bodies_enter_and_leave_and_are_not_stopped() {
    for speed in [1.0, 5.0, 20.0, 90.0, 300.0, 1000.0, 10_000.0] {
        for (shape, is_point) in BODIES {
            let mut scene = Scene::new(8, 0.0);
            let gate = gate(&mut scene, Vec3::ZERO);
            let direction = Vec3::new(1.0, 0.3, 0.0).normal();
            let velocity = direction * speed;
            let body = scene.add(shape.clone(), 1.0, direction * -1.5, |body| {
                body.velocity = velocity;
                body.flags |= if is_point { flag::POINT } else { 0 };
            });
            let steps = (4.0 / speed * 60.0) as u32 + 3;
            assert_eq!(passages(&mut scene, steps, [gate, body]), [true, false], "{speed} {shape:?} {is_point}");
            let end = scene.body(body);
            assert_eq!(end.velocity, velocity);
            let expected = direction * (speed * steps as f32 / 60.0 - 1.5);
            assert!(end.position.distance(expected) < 1e-3 * expected.length(), "{end:?}");
        }
    }
}

#[test]
fn events_come_in_the_order_along_the_path() {
    let mut scene = Scene::new(16, 0.0);
    // Slots against the direction of flight, so that their order cannot explain the result.
    let gates = [3.0, 2.0, 1.0].map(|x| gate(&mut scene, Vec3::X * x));
    let wall = scene.add(Shape::Box(GATE), 0.0, Vec3::X * 4.0, |_| {});
    let shot = scene.add(Shape::Sphere(0.02), 1.0, Vec3::ZERO, |body| {
        (body.velocity, body.restitution) = (Vec3::X * 600.0, 1.0);
        body.flags |= flag::POINT;
    });
    scene.step();
    let events = scene.physics.parts.events.get(&scene.world).to_vec();
    let partner = |index: usize| if events[index].first == shot { events[index].second } else { events[index].first };
    let expected = [wall, gates[2], gates[2], gates[1], gates[1], gates[0], gates[0]];
    assert_eq!(
        (0..events.len()).map(partner).collect::<Vec<_>>(),
        expected,
        "each trigger is reported once per passage"
    );
    for (index, kind) in [ContactEventKind::Entered, ContactEventKind::Left].into_iter().cycle().take(6).enumerate() {
        assert!(events[index + 1].is(kind), "{events:?}");
    }
    assert!(events[0].is(ContactEventKind::Hit), "impacts come before trigger events");
    assert!(scene.body(shot).velocity.x < -500.0);
}

#[test]
fn a_moving_trigger_reports_bodies_it_passes() {
    for speed in [3.0, 400.0] {
        let mut scene = Scene::new(8, 0.0);
        let ball = scene.add(Shape::Sphere(0.2), 0.0, Vec3::ZERO, |_| {});
        let flying = scene.add(Shape::Sphere(0.2), 1.0, Vec3::new(-1.5, 0.1, 0.0), |body| {
            body.velocity = Vec3::X * speed;
            body.flags |= flag::TRIGGER;
        });
        let steps = (3.0 / speed * 60.0) as u32 + 2;
        assert_eq!(passages(&mut scene, steps, [ball, flying]), [true, false], "{speed}");
    }
}

/// A lift through a thin gate, a gate that moves over a thing, and a rod that turns through a gate beside it.
#[test]
fn kinematic_bodies_pass_triggers_within_a_step() {
    for speed in [3.0, 40.0, 400.0, 5_000.0] {
        for is_gate_moving in [false, true] {
            let mut scene = Scene::new(8, 0.0);
            let gate = gate(&mut scene, Vec3::ZERO);
            let body = scene.add(Shape::Box(Vec3::splat(0.1)), 1.0, Vec3::ZERO, |_| {});
            let moving = if is_gate_moving { gate } else { body };
            scene.edit(moving, |body| {
                (body.inverse_mass, body.inverse_inertia) = (0.0, Vec3::ZERO);
                body.flags = body.flags & !flag::STATIC | flag::NEVER_SLEEPS;
                (body.position, body.velocity) = (Vec3::new(-1.5, 0.0, 0.0), Vec3::X * speed);
            });
            let steps = (4.0 / speed * 60.0) as u32 + 3;
            let found = passages(&mut scene, steps, [gate, body]);
            assert_eq!(found, [true, false], "{speed} m/s, the gate moves: {is_gate_moving}");
        }
    }
    for spin in [3.0, 60.0] {
        let mut scene = Scene::new(8, 0.0);
        let gate = scene.add(Shape::Box(Vec3::new(0.2, 0.01, 0.2)), 0.0, Vec3::new(1.5, 0.0, 0.0), |body| {
            body.flags |= flag::TRIGGER;
        });
        let rod = scene.add(Shape::Box(Vec3::new(2.0, 0.02, 0.02)), 1.0, Vec3::ZERO, |body| {
            (body.inverse_mass, body.inverse_inertia) = (0.0, Vec3::ZERO);
            body.flags |= flag::NEVER_SLEEPS;
            body.rotation = Quat::from_axis_angle(Vec3::Z, 0.6);
            body.angular_velocity.z = -spin;
        });
        let steps = (1.2 / spin * 60.0) as u32 + 1;
        assert_eq!(passages(&mut scene, steps, [gate, rod]), [true, false], "{spin} rad/s");
    }
}

#[test]
fn two_fast_bodies_tell_of_their_passage_once() {
    let mut scene = Scene::new(8, 0.0);
    let [one, other] = [-1.5, 1.5].map(|x| {
        scene.add(Shape::Sphere(0.2), 1.0, Vec3::new(x, 0.0, 0.0), |body| body.velocity = Vec3::X * (-400.0 * x))
    });
    scene.edit(one, |body| body.flags |= flag::TRIGGER);
    assert_eq!(passages(&mut scene, 3, [one, other]), [true, false]);
}

#[test]
fn fast_joined_bodies_pass_triggers_within_a_step() {
    let capacities = physics::Capacities { joints: 4, ..physics::Capacities::for_bodies(8) };
    let mut scene = Scene::with(capacities, 0.0, state::world::Settings::default());
    let gate = gate(&mut scene, Vec3::ZERO);
    let links = [0.0, 0.6]
        .map(|y| scene.add(Shape::Sphere(0.2), 100.0, Vec3::new(-1.5, y, 0.0), |body| body.velocity = Vec3::X * 400.0));
    scene.join(physics::JointDefinition::ball(links[0], links[1], Vec3::new(-1.5, 0.3, 0.0)));
    assert_eq!(passages(&mut scene, 3, [gate, links[0]]), [true, false]);
}

type Change = fn(&mut Body);

#[test]
fn filtered_and_distant_bodies_are_not_reported() {
    let cases: [(Vec3, Change); 3] =
        [(Vec3::ZERO, |body| body.mask = 2), (Vec3::new(0.0, 5.5, 0.0), |_| {}), (Vec3::ZERO, |body| body.group = 7)];
    for (aside, change) in cases {
        let mut scene = Scene::new(8, 0.0);
        let gate = scene.add(Shape::Box(GATE), 0.0, Vec3::ZERO, |body| {
            body.flags |= flag::TRIGGER;
            body.group = 7;
        });
        let body = scene.add(Shape::Sphere(0.1), 1.0, Vec3::X * -3.0 + aside, |body| {
            body.velocity = Vec3::X * 500.0;
            change(body);
        });
        assert!(passages(&mut scene, 4, [gate, body]).is_empty());
    }
}

#[test]
fn entering_and_leaving_alternate_and_match_the_positions() {
    for seed in 0..16 {
        let mut random = Pcg::new(seed, 5);
        let mut scene = Scene::new(64, 0.0);
        scene.walls(4.0, |body| (body.restitution, body.friction) = (1.0, 0.0));
        let gates: Vec<_> = (0..3).map(|number| gate(&mut scene, Vec3::X * (number as f32 * 2.0 - 2.0))).collect();
        let bodies: Vec<_> = (0..12)
            .map(|number| {
                let (shape, is_point) = BODIES[number % BODIES.len()].clone();
                let velocity = random.in_sphere() * if number % 3 == 0 { 20.0 } else { 400.0 };
                scene.add(shape, 1.0, random.in_sphere() * 3.0, |body| {
                    (body.velocity, body.restitution) = (velocity, 1.0);
                    body.flags |= flag::NEVER_SLEEPS | if is_point { flag::POINT } else { 0 };
                })
            })
            .collect();
        let mut is_in = vec![false; gates.len() * bodies.len()];
        let mut count = 0;
        for _ in 0..60 {
            scene.step();
            for event in scene.physics.parts.events.get(&scene.world) {
                let place =
                    |list: &[Handle<Body>]| list.iter().position(|one| *one == event.first || *one == event.second);
                let (Some(gate), Some(body)) = (place(&gates), place(&bodies)) else { continue };
                let state = &mut is_in[gate * bodies.len() + body];
                assert_eq!(event.is(ContactEventKind::Entered), !*state, "seed {seed}: {event:?}");
                assert!(event.is(ContactEventKind::Entered) || event.is(ContactEventKind::Left));
                *state = !*state;
                count += 1;
            }
        }
        assert!(count > 100, "{count}");
        // A body that was reported inside was so at the start of the last step.
        for (index, is_in) in is_in.into_iter().enumerate() {
            let body = scene.body(bodies[index % bodies.len()]);
            let gate = scene.body(gates[index / bodies.len()]);
            let apart = (body.last_position - gate.position).abs();
            let is_near = apart.x <= GATE.x + body.bounding_radius + 0.02 && apart.y <= GATE.y + body.bounding_radius;
            assert!(is_near || !is_in, "seed {seed}: {body:?}");
        }
    }
}

/// The bodies that a body touches, by the contacts of the last step.
fn touching(scene: &Scene, body: Handle<Body>) -> Vec<Handle<Body>> {
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some((other, next)) = scene.physics.touching(&scene.world, body, from) {
        found.push(other);
        from = next;
    }
    found
}

fn put(scene: &mut Scene, body: Handle<Body>, at: Vec3) {
    let physics = &scene.physics;
    scene.world.set_up(|world| {
        physics.wake_around(world, body);
        physics.parts.bodies.get_mut(world, body).position = at;
    });
}

#[test]
fn each_touching_body_is_found_once_and_a_reused_slot_is_another_body() {
    let mut scene = Scene::new(8, 0.0);
    let ball = |x: f32| (Pose::new(Vec3::X * x, Quat::IDENTITY), Shape::Sphere(0.5));
    let pair = Shape::Compound(Arc::new(Compound::new([ball(-1.0), ball(1.0)]).expect("two balls")));
    let twin = scene.add(pair, 1.0, Vec3::ZERO, |_| {});
    let gate = scene.add(Shape::Box(Vec3::splat(4.0)), 0.0, Vec3::ZERO, |body| body.flags |= flag::TRIGGER);
    let plate = scene.add(Shape::Box(Vec3::new(4.0, 4.0, 0.5)), 0.0, Vec3::Z * -0.99, |_| {});
    let near = scene.add(Shape::Sphere(0.5), 1.0, Vec3::new(1.0, 1.0, 0.175), |_| {});
    scene.step();
    assert_eq!(touching(&scene, twin), [gate, plate]);
    assert_eq!(touching(&scene, gate), [twin, near]);
    assert_eq!(touching(&scene, plate), [twin]);
    scene.remove(twin);
    assert_eq!((touching(&scene, gate), touching(&scene, plate)), (vec![near], vec![]));
    let other = scene.add(Shape::Sphere(0.5), 1.0, Vec3::Z * 2.0, |_| {});
    assert_eq!((other.slot(), touching(&scene, other)), (twin.slot(), vec![]));
    assert_eq!(passages(&mut scene, 1, [gate, other]), [true]);
}

#[test]
fn a_body_moved_away_leaves_and_one_moved_inside_does_not_enter_again() {
    for (to, expected) in [(Vec3::Y, vec![]), (Vec3::Y * 20.0, vec![false])] {
        for mover in 0..2 {
            let mut scene = Scene::new(8, 0.0);
            let gate = gate(&mut scene, Vec3::ZERO);
            let ball = scene.add(Shape::Sphere(0.5), 1.0, Vec3::ZERO, |_| {});
            // With and without time to fall asleep.
            for steps in [1, 60] {
                let body = [gate, ball][mover];
                let before = scene.body(body).position;
                let first = if steps == 1 { vec![true] } else { vec![] };
                assert_eq!(passages(&mut scene, steps, [gate, ball]), first);
                put(&mut scene, body, before + to);
                assert_eq!(passages(&mut scene, 3, [gate, ball]), expected);
                put(&mut scene, body, before);
                let back = if expected.is_empty() { vec![] } else { vec![true] };
                assert_eq!(passages(&mut scene, 3, [gate, ball]), back);
            }
        }
    }
}

#[test]
fn events_do_not_depend_on_workers() {
    let make = || {
        let mut scene = Scene::new(512, 0.0);
        scene.walls(6.0, |body| body.restitution = 1.0);
        gate(&mut scene, Vec3::ZERO);
        gate(&mut scene, Vec3::X * 2.0);
        let mut random = Pcg::new(3, 3);
        for number in 0..300 {
            let (at, velocity) = (random.in_sphere() * 5.0, random.in_sphere() * 300.0);
            scene.add(Shape::Sphere(0.1), 1.0, at, |body| {
                (body.velocity, body.restitution) = (velocity, 1.0);
                body.flags |= if number % 2 == 0 { flag::POINT } else { 0 };
            });
        }
        scene
    };
    let (mut alone, mut crewed) = (make(), make());
    let crew = ThreadPool::new(4);
    for _ in 0..20 {
        alone.step();
        crewed.step_with(&crew);
        assert_eq!(alone.world.hash(), crewed.world.hash());
    }
}
