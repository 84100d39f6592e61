//! Laws of joints: results depend neither on workers nor on restoring, and invalid joints do no harm.

use crate::common;

use base::{Handle, Pcg, Quat, Random, Vec3};
use common::Scene;
use common::machines::{Car, Ragdoll, WORLD, bridge, stairs, with_ground};
use host::thread_pool::ThreadPool;
use physics::joint::{self, JointKind};
use physics::{Body, Capacities, ContactEventKind, Joint, JointDefinition, Shape, flag};
use proptest::prelude::*;
use state::{Alone, Heap, Workers};

/// Ragdolls on stairs, a car, a bridge, and chains that are whipped through all of them.
fn fairground() -> Scene {
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
            scene
                .join(JointDefinition::ball(last, link, at - Vec3::new(0.25, 0.0, 0.0)).with_break_limits(2000.0, 0.0));
            last = link;
        }
        scene.edit(last, |body| body.velocity = Vec3::new(-10.0, 0.0, 20.0));
    }
    scene
}

#[test]
fn any_number_of_workers_gives_the_same_world() {
    let run = |workers: &dyn Workers| {
        let mut scene = fairground();
        let mut hashes = Vec::new();
        for _ in 0..90 {
            scene.step_with(workers);
            hashes.push(scene.world.hash());
        }
        hashes
    };
    let alone = run(&Alone);
    for workers in [2, 8] {
        assert_eq!(run(&ThreadPool::new(workers)), alone, "{workers}");
    }
    assert_eq!(run(&ThreadPool::new(3).with_shuffle(7)), alone);
}

#[test]
fn a_restored_world_continues_identically() {
    let (mut scene, mut other) = (fairground(), fairground());
    for step in 0..60 {
        let snapshot = scene.world.snapshot(&Heap);
        scene.step();
        let hash = scene.world.hash();
        // The working memory of the other has seen another step in between.
        other.world.restore(&snapshot);
        other.step();
        assert_eq!(other.world.hash(), hash, "step {step}");
        other.step();
    }
}

#[test]
fn joined_bodies_collide_only_with_the_flag() {
    for is_colliding in [false, true] {
        let mut scene = with_ground(16, 16);
        let one = scene.add(Shape::Sphere(0.5), 1.0, Vec3::new(0.0, 0.0, 5.0), |_| {});
        let two = scene.add(Shape::Sphere(0.5), 1.0, Vec3::new(0.6, 0.0, 5.0), |_| {});
        let rope = JointDefinition::rope(one, two, [Vec3::new(0.0, 0.0, 5.0), Vec3::new(0.6, 0.0, 5.0)], 5.0);
        scene.join(if is_colliding { rope.with_collision() } else { rope });
        scene.run(40);
        let distance = scene.body(one).position.distance(scene.body(two).position);
        assert_eq!(distance > 0.9, is_colliding, "{distance}");
    }
}

#[test]
fn a_joint_without_its_body_is_removed_and_reported() {
    let mut scene = with_ground(16, 16);
    let one = scene.add(Shape::Sphere(0.1), 1.0, Vec3::new(0.0, 0.0, 5.0), |_| {});
    let two = scene.add(Shape::Sphere(0.1), 1.0, Vec3::new(0.0, 0.0, 4.0), |_| {});
    scene.join(JointDefinition::ball(WORLD, one, Vec3::new(0.0, 0.0, 5.5)));
    scene.join(JointDefinition::ball(one, two, Vec3::new(0.0, 0.0, 4.5)));
    scene.run(120);
    assert!(scene.body(two).is(flag::ASLEEP));
    let physics = &scene.physics;
    scene.world.set_up(|world| physics.remove(world, one));
    scene.step();
    let events = scene.physics.parts.events.get(&scene.world);
    assert!(events.iter().any(|event| event.is(ContactEventKind::JointBroke) && event.first == two), "{events:?}");
    assert_eq!(scene.physics.parts.joints.count(&scene.world), 0);
    scene.run(30);
    assert!(scene.body(two).position.z < 3.5, "{:?}", scene.body(two).position);
}

/// Mass ratios up to a million and fast rotation, without contacts or gravity: joints add no energy.
#[test]
fn joints_between_unequal_fast_rotating_bodies_add_no_energy() {
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
                (body.angular_velocity, body.velocity) = (spin, velocity);
            }));
        }
        for pair in bodies.windows(2) {
            let [one, two] = [scene.body(pair[0]).position, scene.body(pair[1]).position];
            let (middle, axis) = ((one + two) * 0.5, random.on_sphere());
            scene.join(match kind {
                0 => JointDefinition::fixed(pair[0], pair[1], middle),
                1 => JointDefinition::hinge(pair[0], pair[1], middle, axis).with_limits(-0.5, 0.5),
                2 => JointDefinition::slider(pair[0], pair[1], middle, axis),
                3 => JointDefinition::ball(pair[0], pair[1], middle),
                4 => JointDefinition::cone(pair[0], pair[1], middle, axis, (0.5, 0.5)),
                _ => JointDefinition::rod(pair[0], pair[1], [one, two]),
            });
        }
        let energy = |scene: &Scene| scene.bodies().iter().map(common::kinetic).sum::<f64>();
        let before = energy(&scene);
        for step in 0..120 {
            scene.step();
            let now = energy(&scene);
            assert!(
                now <= before * 1.001,
                "world {seed}, joints of kind {kind}, step {step}: energy rises from {before} J to {now} J"
            );
        }
    }
}

#[test]
fn invalid_definitions_are_refused() {
    let mut scene = with_ground(16, 2);
    let body = scene.add(Shape::Sphere(0.1), 1.0, Vec3::Z, |_| {});
    let stale = scene.add(Shape::Sphere(0.1), 1.0, Vec3::Z, |_| {});
    let physics = &scene.physics;
    scene.world.set_up(|world| physics.remove(world, stale));
    let refused = [
        JointDefinition::ball(WORLD, WORLD, Vec3::ZERO),
        JointDefinition::ball(body, body, Vec3::ZERO),
        JointDefinition::ball(body, stale, Vec3::ZERO),
        JointDefinition::ball(body, Handle::from_raw(77), Vec3::ZERO),
        JointDefinition::ball(WORLD, body, Vec3::splat(f32::NAN)),
        JointDefinition::hinge(WORLD, body, Vec3::ZERO, Vec3::Z).with_limits(f32::NEG_INFINITY, 1.0),
        JointDefinition::hinge(WORLD, body, Vec3::ZERO, Vec3::Z).with_spring(-1.0, 1.0),
        JointDefinition::hinge(WORLD, body, Vec3::ZERO, Vec3::Z).with_motor(1.0, f32::INFINITY),
    ];
    for definition in &refused {
        assert!(scene.world.set_up(|world| physics.add_joint(world, definition)).is_none(), "{definition:?}");
    }
    assert_eq!(scene.physics.parts.counts.get(&scene.world).joints_dropped, refused.len() as u64);
    let good = JointDefinition::hinge(WORLD, body, Vec3::ZERO, Vec3::ZERO);
    let made = [0, 1, 2].map(|_| scene.world.set_up(|world| physics.add_joint(world, &good)).is_some());
    assert_eq!(made, [true, true, false]);
    assert_eq!(scene.physics.parts.counts.get(&scene.world).joints_refused, 1);
}

/// A joint of random numbers, as a damaged save may contain it.
fn random_joint(random: &mut Pcg, bodies: &[Handle<Body>]) -> Joint {
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
        first_rotation: if random.below(4) == 0 { Quat::new(turn.x, turn.y, turn.z, 1.0) } else { Quat::IDENTITY },
        second_rotation: Quat::from_rotation_vector(Vec3::new(0.1, 2.0, -0.3)),
        lower: wild[0],
        upper: wild[1],
        swing_max: wild[2],
        rest: wild[3],
        hertz: wild[4],
        damping_ratio: wild[5],
        drag: wild[14],
        motor_speed: wild[6],
        motor_target: wild[7],
        motor_force: wild[8],
        steering: wild[9],
        break_force: 0.0,
        break_torque: 0.0,
        impulses: core::array::from_fn(|index| if random.below(3) == 0 { wild[index] } else { 0.0 }),
        coordinate: wild[10],
        speed: wild[11],
        force: wild[12],
        torque: wild[13],
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn invalid_joints_do_no_harm(seed in any::<u64>()) {
        let mut scene = with_ground(32, 32);
        let mut random = Pcg::new(seed, 1);
        let bodies: Vec<_> = (0..10)
            .map(|number| scene.add(Shape::Box(Vec3::splat(0.3)), 50.0, Vec3::new(number as f32, 0.0, 2.0), |_| {}))
            .collect();
        let joints = scene.physics.parts.joints;
        for _ in 0..16 {
            let joint = random_joint(&mut random, &bodies);
            scene.world.set_up(|world| {
                let (_, mut place) = joints.create(world).expect("the capacity suffices");
                *place = joint;
            });
        }
        for _ in 0..20 {
            scene.step();
            for body in scene.bodies() {
                prop_assert!(body.is_valid(), "{body:?}");
            }
            for (_, joint) in joints.iterate(&scene.world) {
                prop_assert!(joint.is_valid(), "{joint:?}");
            }
        }
    }
}

#[test]
fn every_kind_has_a_number() {
    for number in 0..6 {
        assert_eq!(JointKind::of(number).map(|kind| kind as u32), Some(number));
    }
    assert_eq!(JointKind::of(6), None);
    assert_eq!(joint::IMPULSES, 10);
}
