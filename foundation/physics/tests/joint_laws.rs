//! What joints never do: depend on crews or on restoring, or harm a world by making no sense.

mod common;

use base::{Handle, Pcg, Quat, Random, Vec3};
use common::Scene;
use common::machines::{Car, Ragdoll, WORLD, bridge, stairs, with_ground};
use host::crew::Crew;
use physics::joint::{self, Kind};
use physics::{Body, Capacities, Draft, Joint, Shape, TouchKind, flag};
use proptest::prelude::*;
use state::{Alone, Heap, Workers};

/// Ragdolls on stairs, a car, a bridge, and chains that whip through all of it.
fn fair() -> Scene {
    let mut scene = with_ground(256, 256);
    stairs(&mut scene, 6);
    for number in 0..3 {
        let doll = Ragdoll::new(&mut scene, Vec3::new(0.1 * number as f32, number as f32 - 1.0, 2.0));
        scene.edit(doll.bodies[1], |body| body.velocity = Vec3::new(2.0 + number as f32, 0.5, 0.0));
    }
    let car = Car::new(&mut scene, Vec3::new(-12.0, 0.0, 0.0));
    car.drive(&mut scene, 30.0, 400.0);
    car.steer(&mut scene, 0.1);
    bridge(&mut scene, 12, 3.0);
    for chain in 0..4 {
        let mut last = WORLD;
        for number in 0..10 {
            let at = Vec3::new(5.0 + number as f32 * 0.5, chain as f32, 6.0);
            let link = scene.add(Shape::Sphere(0.15), 100.0, at, |_| {});
            scene.join(Draft::ball(last, link, at - Vec3::new(0.25, 0.0, 0.0)).breaking(2000.0, 0.0));
            last = link;
        }
        scene.edit(last, |body| body.velocity = Vec3::new(-10.0, 0.0, 20.0));
    }
    scene
}

#[test]
fn crews_of_any_size_give_the_same_world() {
    let run = |workers: &dyn Workers| {
        let mut scene = fair();
        let mut hashes = Vec::new();
        for _ in 0..90 {
            scene.step_with(workers);
            hashes.push(scene.world.hash());
        }
        hashes
    };
    let alone = run(&Alone);
    for workers in [2, 8] {
        assert_eq!(run(&Crew::new(workers)), alone, "{workers}");
    }
    assert_eq!(run(&Crew::new(3).with_shuffle(7)), alone);
}

#[test]
fn a_world_that_is_restored_goes_on_as_it_did() {
    let (mut scene, mut other) = (fair(), fair());
    for step in 0..60 {
        let snapshot = scene.world.snapshot(&Heap);
        scene.step();
        let hash = scene.world.hash();
        // The other has been elsewhere in between.
        other.world.restore(&snapshot);
        other.step();
        assert_eq!(other.world.hash(), hash, "step {step}");
        other.step();
    }
}

#[test]
fn joined_bodies_collide_only_if_their_joint_says_so() {
    for is_colliding in [false, true] {
        let mut scene = with_ground(16, 16);
        let one = scene.add(Shape::Sphere(0.5), 1.0, Vec3::new(0.0, 0.0, 5.0), |_| {});
        let two = scene.add(Shape::Sphere(0.5), 1.0, Vec3::new(0.6, 0.0, 5.0), |_| {});
        let draft = Draft::rope(one, two, [Vec3::new(0.0, 0.0, 5.0), Vec3::new(0.6, 0.0, 5.0)], 5.0);
        scene.join(if is_colliding { draft.colliding() } else { draft });
        scene.run(40);
        let way = scene.body(one).position.distance(scene.body(two).position);
        assert_eq!(way > 0.9, is_colliding, "{way}");
    }
}

#[test]
fn a_joint_whose_body_is_gone_is_taken_out_and_told() {
    let mut scene = with_ground(16, 16);
    let one = scene.add(Shape::Sphere(0.1), 1.0, Vec3::new(0.0, 0.0, 5.0), |_| {});
    let two = scene.add(Shape::Sphere(0.1), 1.0, Vec3::new(0.0, 0.0, 4.0), |_| {});
    scene.join(Draft::ball(WORLD, one, Vec3::new(0.0, 0.0, 5.5)));
    scene.join(Draft::ball(one, two, Vec3::new(0.0, 0.0, 4.5)));
    scene.run(120);
    assert!(scene.body(two).is(flag::ASLEEP));
    let physics = &scene.physics;
    scene.world.set_up(|world| physics.remove(world, one));
    scene.step();
    let told = scene.physics.parts.touches.get(&scene.world);
    assert!(told.iter().any(|touch| touch.is(TouchKind::Broke) && touch.first == two), "{told:?}");
    assert_eq!(scene.physics.parts.joints.count(&scene.world), 0);
    scene.run(30);
    assert!(scene.body(two).position.z < 3.5, "{:?}", scene.body(two).position);
}

/// Bodies of one to a million times the mass that turn as fast as they like, and nothing else: joints give them nothing.
#[test]
fn joints_between_unequal_bodies_that_turn_fast_give_them_no_energy() {
    for seed in 0..60 {
        let mut random = Pcg::new(seed, 31);
        let mut scene = Scene::with(
            Capacities { joints: 16, ..Capacities::for_bodies(16) },
            0.0,
            state::world::Settings::default(),
        );
        scene.settings.substeps = 1 + random.below(6);
        let count = 2 + random.below(6);
        let (mut bodies, kind) = (Vec::new(), random.below(6));
        for number in 0..count {
            let half = Vec3::new(random.between(0.02, 0.5), random.between(0.02, 0.5), random.between(0.02, 0.5));
            let density = common::worlds::spread(&mut random, 1.0, 1.0e4);
            let (spin, velocity) = (random.in_sphere() * (100.0 / half.length()), random.in_sphere() * 20.0);
            let at = Vec3::new(1.2 * number as f32, 0.0, 0.0);
            bodies.push(scene.add(Shape::Box(half), density, at, |body| {
                (body.spin, body.velocity) = (spin, velocity);
            }));
        }
        for pair in bodies.windows(2) {
            let [one, two] = [scene.body(pair[0]).position, scene.body(pair[1]).position];
            let (middle, axis) = ((one + two) * 0.5, random.on_sphere());
            scene.join(match kind {
                0 => Draft::fixed(pair[0], pair[1], middle),
                1 => Draft::hinge(pair[0], pair[1], middle, axis).limited(-0.5, 0.5),
                2 => Draft::slider(pair[0], pair[1], middle, axis),
                3 => Draft::ball(pair[0], pair[1], middle),
                4 => Draft::cone(pair[0], pair[1], middle, axis, (0.5, 0.5)),
                _ => Draft::rod(pair[0], pair[1], [one, two]),
            });
        }
        let energy = |scene: &Scene| scene.bodies().iter().map(common::kinetic).sum::<f64>();
        let before = energy(&scene);
        for step in 0..120 {
            scene.step();
            let now = energy(&scene);
            assert!(
                now <= before * 1.001,
                "world {seed}, joints of kind {kind}, step {step}: {before} J, then {now} J"
            );
        }
    }
}

#[test]
fn drafts_that_make_no_sense_are_refused() {
    let mut scene = with_ground(16, 2);
    let body = scene.add(Shape::Sphere(0.1), 1.0, Vec3::Z, |_| {});
    let stale = scene.add(Shape::Sphere(0.1), 1.0, Vec3::Z, |_| {});
    let physics = &scene.physics;
    scene.world.set_up(|world| physics.remove(world, stale));
    let refused = [
        Draft::ball(WORLD, WORLD, Vec3::ZERO),
        Draft::ball(body, body, Vec3::ZERO),
        Draft::ball(body, stale, Vec3::ZERO),
        Draft::ball(body, Handle::from_raw(77), Vec3::ZERO),
        Draft::ball(WORLD, body, Vec3::splat(f32::NAN)),
        Draft::hinge(WORLD, body, Vec3::ZERO, Vec3::Z).limited(f32::NEG_INFINITY, 1.0),
        Draft::hinge(WORLD, body, Vec3::ZERO, Vec3::Z).sprung(-1.0, 1.0),
        Draft::hinge(WORLD, body, Vec3::ZERO, Vec3::Z).driven(1.0, f32::INFINITY),
    ];
    for draft in &refused {
        assert!(scene.world.set_up(|world| physics.add_joint(world, draft)).is_none(), "{draft:?}");
    }
    assert_eq!(scene.physics.parts.counts.get(&scene.world).joints_dropped, refused.len() as u64);
    let good = Draft::hinge(WORLD, body, Vec3::ZERO, Vec3::ZERO);
    let made = [0, 1, 2].map(|_| scene.world.set_up(|world| physics.add_joint(world, &good)).is_some());
    assert_eq!(made, [true, true, false]);
    assert_eq!(scene.physics.parts.counts.get(&scene.world).joints_refused, 1);
}

/// A joint as a save from nowhere may hold it.
fn nonsense(random: &mut Pcg, bodies: &[Handle<Body>]) -> Joint {
    let mut number = || match random.below(12) {
        0 => f32::NAN,
        1 => f32::INFINITY,
        2 => -1.0e30,
        3 => 3.0e38,
        4 => 1.0e-40,
        5 => 0.0,
        6 => 1.0e6,
        _ => random.between(-3.0, 3.0),
    };
    let mut vector = || Vec3::new(number(), number(), number());
    let (first_anchor, second_anchor, turn) = (vector(), vector(), vector());
    let wild: [f32; 16] = core::array::from_fn(|_| number());
    let mut end = || match random.below(6) {
        0 => Handle::from_raw(random.below(u32::MAX)),
        1 => WORLD,
        _ => bodies[random.below(bodies.len() as u32) as usize],
    };
    Joint {
        first: end(),
        second: end(),
        kind: random.below(7),
        flags: random.below(8),
        first_anchor,
        second_anchor,
        first_turn: if random.below(4) == 0 { Quat::new(turn.x, turn.y, turn.z, 1.0) } else { Quat::IDENTITY },
        second_turn: Quat::from_rotation_vector(Vec3::new(0.1, 2.0, -0.3)),
        least: wild[0],
        most: wild[1],
        swing_most: wild[2],
        rest: wild[3],
        hertz: wild[4],
        damping: wild[5],
        drag: wild[14],
        motor_speed: wild[6],
        motor_goal: wild[7],
        motor_force: wild[8],
        steering: wild[9],
        break_force: 0.0,
        break_torque: 0.0,
        impulses: core::array::from_fn(|index| if random.below(3) == 0 { wild[index] } else { 0.0 }),
        way: wild[10],
        speed: wild[11],
        force: wild[12],
        torque: wild[13],
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn joints_that_make_no_sense_harm_nobody(seed in any::<u64>()) {
        let mut scene = with_ground(32, 32);
        let mut random = Pcg::new(seed, 1);
        let bodies: Vec<_> = (0..10)
            .map(|number| scene.add(Shape::Box(Vec3::splat(0.3)), 50.0, Vec3::new(number as f32, 0.0, 2.0), |_| {}))
            .collect();
        let joints = scene.physics.parts.joints;
        for _ in 0..16 {
            let wild = nonsense(&mut random, &bodies);
            scene.world.set_up(|world| {
                let (_, mut place) = joints.create(world).expect("there is room");
                *place = wild;
            });
        }
        for _ in 0..20 {
            scene.step();
            for body in scene.bodies() {
                prop_assert!(body.is_sound(), "{body:?}");
            }
            for (_, joint) in joints.iterate(&scene.world) {
                prop_assert!(joint.is_sound(), "{joint:?}");
            }
        }
    }
}

#[test]
fn every_kind_has_a_number() {
    for number in 0..6 {
        assert_eq!(Kind::of(number).map(|kind| kind as u32), Some(number));
    }
    assert_eq!(Kind::of(6), None);
    assert_eq!(joint::SLOTS, 10);
}
