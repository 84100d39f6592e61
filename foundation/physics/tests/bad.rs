//! Invalid input: it is refused or reported, and the world keeps running.

use crate::common;

use std::sync::Arc;

use base::plain::pod_read_unaligned;
use base::{Handle, Pcg, Quat, Random, Vec3, number};
use common::Scene;
use physics::error::ShapeError;
use physics::mass::Weight;
use physics::mesh::{Mesh, MeshError};
use physics::{Body, Capacities, Contact, ContactEventKind, Joint, JointDefinition, Mass, Shape, flag};

fn ground(scene: &mut Scene) {
    scene.add(Shape::Box(Vec3::new(50.0, 50.0, 1.0)), 0.0, Vec3::new(0.0, 0.0, -1.0), |_| {});
}

fn scene_of(capacities: Capacities, gravity: f32) -> Scene {
    Scene::with(capacities, gravity, state::world::Settings::default())
}

fn fastest(scene: &Scene) -> f32 {
    scene.bodies().iter().map(|body| body.velocity.length()).fold(0.0, number::max)
}

fn expect_sound(scene: &Scene, what: &str) {
    let parts = &scene.physics.parts;
    for body in scene.bodies() {
        assert!(body.is_valid(), "{what}: {body:?}");
    }
    for contact in parts.contacts.get(&scene.world) {
        let vectors = [contact.normal, contact.friction_impulse, contact.rolling_impulse];
        let is_finite = contact.normal_impulses.iter().chain([&contact.twist_impulse]).all(|number| number.is_finite());
        assert!(is_finite && vectors.iter().all(|vector| vector.is_finite()), "{what}: {contact:?}");
    }
    let keys: Vec<_> = parts.contacts.get(&scene.world).iter().map(Contact::key).collect();
    assert!(keys.windows(2).all(|pair| pair[0] < pair[1]), "{what}: contacts are out of order");
    for (_, joint) in parts.joints.iterate(&scene.world) {
        assert!(joint.is_valid(), "{what}: {joint:?}");
    }
}

#[test]
fn invalid_masses_are_refused() {
    let cube = Shape::Box(Vec3::splat(0.5));
    for mass in [0.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-45, 1e39_f64 as f32] {
        for weight in [Weight::Density(mass), Weight::Total(mass)] {
            assert_eq!(Mass::of(&cube, weight), Err(ShapeError::Mass), "{weight:?}");
        }
        let one = Mass::of(&cube, Weight::Total(1.0)).expect("a kilogram is a mass");
        assert_eq!(one.with_mass(mass), Err(ShapeError::Mass), "{mass}");
    }
}

type Change = fn(&mut Body);

#[test]
fn an_invalid_body_is_quarantined_and_reported() {
    let changes: [(&str, Change); 12] = [
        ("negative mass", |body| body.inverse_mass = -1.0),
        ("infinite inverse mass", |body| body.inverse_mass = f32::INFINITY),
        ("NaN as the mass", |body| body.inverse_mass = f32::NAN),
        ("NaN as a position", |body| body.position.x = f32::NAN),
        ("too far away", |body| body.position.x = 1e30),
        ("speed", |body| body.velocity.y = f32::INFINITY),
        ("spin", |body| body.angular_velocity.z = f32::NAN),
        ("turn", |body| body.rotation = Quat::new(f32::NAN, 0.0, 0.0, 1.0)),
        ("inertia", |body| body.inverse_inertia.x = f32::NAN),
        ("roughness", |body| body.friction = f32::NAN),
        ("reach", |body| body.bounding_radius = f32::INFINITY),
        ("force", |body| body.force = Vec3::splat(f32::NAN)),
    ];
    for (name, change) in changes {
        let mut scene = Scene::new(8, 9.81);
        ground(&mut scene);
        let good = scene.add(Shape::Sphere(0.5), 1.0, Vec3::new(0.0, 0.0, 0.5), |_| {});
        let bad = scene.add(Shape::Sphere(0.5), 1.0, Vec3::new(0.3, 0.0, 1.4), change);
        scene.step();
        let events = scene.physics.parts.events.get(&scene.world).to_vec();
        let is_reported = events.iter().any(|event| event.is(ContactEventKind::Quarantined) && event.first == bad);
        assert!(is_reported && scene.body(bad).is(flag::QUARANTINED), "{name}");
        assert_eq!(scene.physics.parts.counts.get(&scene.world).quarantined, 1, "{name}");
        scene.run(60);
        assert!(scene.body(good).position.distance(Vec3::new(0.0, 0.0, 0.5)) < 0.01, "{name}");
        expect_sound(&scene, name);
    }
}

#[test]
fn degenerate_triangles_are_counted_and_never_hit() {
    let (corner, side) = (Vec3::new(-5.0, -5.0, 0.0), 10.0);
    let point = |x: f32, y: f32| corner + Vec3::new(x, y, 0.0) * side;
    let points = [point(0.0, 0.0), point(1.0, 0.0), point(1.0, 1.0), point(0.0, 1.0), point(0.5, 0.0)];
    assert_eq!(Mesh::new(&points, &[[0, 0, 1], [0, 4, 1], [2, 2, 2]]).map(|_| ()), Err(MeshError::Empty));
    let mesh = Mesh::new(&points, &[[0, 1, 2], [0, 2, 3], [0, 4, 1], [3, 3, 1], [2, 2, 2]]).expect("a floor");
    assert_eq!(mesh.degenerate_count(), 3);
    let mut scene = Scene::new(8, 9.81);
    scene.add(Shape::Mesh(Arc::new(mesh)), 0.0, Vec3::ZERO, |_| {});
    let balls = [Vec3::new(0.0, -4.9, 1.0), Vec3::new(1.0, 1.0, 1.0), Vec3::new(-4.0, 4.0, 1.0)]
        .map(|at| scene.add(Shape::Sphere(0.5), 1.0, at, |_| {}));
    scene.run(120);
    for ball in balls {
        assert!((scene.body(ball).position.z - 0.5).abs() < 0.01, "{:?}", scene.body(ball));
    }
}

/// The surface of a cube, facing outwards or inwards.
fn cube(is_inside_out: bool) -> Mesh {
    let points: Vec<Vec3> = (0..8_u32)
        .map(|index| {
            let side = |bit: u32| if index & bit == 0 { -1.0 } else { 1.0 };
            Vec3::new(side(1), side(2), side(4))
        })
        .collect();
    let hull = physics::hull::Hull::new(&points).expect("a cube");
    let turn = |[a, b, c]: [Vec3; 3]| if is_inside_out { [a, c, b] } else { [a, b, c] };
    let corners: Vec<Vec3> = hull.triangles().flat_map(turn).collect();
    let triangles: Vec<[u32; 3]> = (0..12).map(|index| [0, 1, 2].map(|at| index * 3 + at)).collect();
    Mesh::new(&corners, &triangles).expect("triangles")
}

#[test]
fn an_inside_out_mesh_has_no_mass_and_collides_from_inside() {
    let right = Shape::Mesh(Arc::new(cube(false)));
    let wrong = Shape::Mesh(Arc::new(cube(true)));
    assert!(Mass::of(&right, Weight::Density(1.0)).is_ok());
    assert_eq!(Mass::of(&wrong, Weight::Density(1.0)), Err(ShapeError::NotClosed));
    // As a room it is valid: a ball inside stays inside.
    let mut scene = Scene::new(8, 9.81);
    scene.add(wrong, 0.0, Vec3::ZERO, |_| {});
    let ball = scene.add(Shape::Sphere(0.2), 1.0, Vec3::ZERO, |body| {
        (body.velocity, body.restitution) = (Vec3::new(300.0, 200.0, 100.0), 0.9);
    });
    for _ in 0..300 {
        scene.step();
        let body = scene.body(ball);
        assert!(body.position.abs().max_component() < 0.9, "{body:?}");
    }
}

#[test]
fn too_few_or_coplanar_points_are_no_hull() {
    let flat: Vec<Vec3> = (0..9_u32).map(|index| Vec3::new((index % 3) as f32, (index / 3) as f32, 0.0)).collect();
    for (points, expected) in [
        (vec![], ShapeError::TooFewPoints),
        (vec![Vec3::ONE; 3], ShapeError::TooFewPoints),
        (flat, ShapeError::Flat),
        (vec![Vec3::splat(f32::NAN); 8], ShapeError::NotFinite),
        (vec![Vec3::ZERO, Vec3::X * 1e7, Vec3::Y, Vec3::Z], ShapeError::TooLarge),
    ] {
        assert_eq!(Shape::hull(&points).map(|_| ()), Err(expected), "{points:?}");
    }
    assert!(Shape::hull(&[Vec3::ONE; 8]).is_err(), "all points coincide");
}

/// Spawns this many in one place. Returns the highest speed, and the smallest distance between two after these steps.
fn spawn(count: u32, shape: &Shape, steps: u32, gravity: f32) -> (f32, f32) {
    let mut scene = Scene::new(count + 8, gravity);
    scene.settings.sleep_seconds = 0.0;
    if gravity > 0.0 {
        ground(&mut scene);
    }
    for _ in 0..count {
        scene.add(shape.clone(), 1.0, Vec3::new(0.0, 0.0, 2.0), |_| {});
    }
    let mut most = 0.0;
    for _ in 0..steps {
        scene.step();
        most = number::max(most, fastest(&scene));
    }
    expect_sound(&scene, "overlapping spawns");
    let moving: Vec<Body> = scene.bodies().into_iter().filter(|body| !body.is(flag::STATIC)).collect();
    let mut nearest = f32::INFINITY;
    for (number, one) in moving.iter().enumerate() {
        for other in &moving[number + 1..] {
            nearest = number::min(nearest, one.position.distance(other.position));
        }
    }
    (most, nearest)
}

#[test]
fn overlapping_spawns_separate_without_exploding() {
    // Each is pushed away from the next by at most 3 m/s, and no faster in a crowd. With gravity they also fall.
    for (count, shape, gravity) in [
        (100, Shape::Sphere(0.2), 0.0),
        (60, Shape::Box(Vec3::splat(0.2)), 0.0),
        (60, Shape::Capsule { half: 0.2, radius: 0.1 }, 0.0),
        (100, Shape::Sphere(0.2), 9.81),
    ] {
        let (speed, nearest) = spawn(count, &shape, 240, gravity);
        println!("{count} {shape:?}: {speed} m/s, nearest {nearest} m");
        let fallen = number::sqrt(2.0 * gravity * 2.0);
        assert!(speed < 7.0 + fallen, "{count} {shape:?}: {speed}");
        assert!(nearest > 0.15, "{count} {shape:?}: {nearest}");
    }
}

#[test]
fn two_thousand_bodies_in_one_place_stay_slow() {
    // Two million pairs, with a capacity of about 24 thousand.
    let (speed, _) = spawn(2000, &Shape::Sphere(0.2), 4, 9.81);
    println!("2000: {speed} m/s");
    assert!(speed < 20.0, "{speed}");
}

#[test]
fn an_overflowing_acceleration_does_not_affect_neighbours() {
    let heap = || {
        let mut scene = Scene::new(80, 9.81);
        ground(&mut scene);
        for number in 0..60 {
            let at = Vec3::new((number % 8) as f32 * 0.9, (number / 8) as f32 * 0.9, 0.45);
            scene.add(Shape::Sphere(0.5), 1.0, at, |body| body.flags |= flag::NEVER_SLEEPS);
        }
        scene
    };
    let (mut scene, mut twin) = (heap(), heap());
    scene.run(30);
    scene.add(Shape::Sphere(0.5), 1.0, Vec3::new(3.0, 3.0, 0.6), |body| body.gravity_scale = 1e38);
    twin.add(Shape::Sphere(0.5), 1.0, Vec3::new(3.0, 3.0, 0.6), |body| body.gravity_scale = 1e38);
    // The working memory of the twin has seen none of the steps before.
    twin.world.restore(&scene.world.snapshot(&state::Heap));
    let contacts = scene.physics.parts.contacts.get(&scene.world).len();
    for step in 0..3 {
        scene.step();
        twin.step();
        assert_eq!(scene.world.hash(), twin.world.hash(), "step {step}");
        assert!(scene.physics.parts.contacts.get(&scene.world).len() >= contacts, "step {step}");
    }
    assert_eq!(scene.physics.parts.counts.get(&scene.world).quarantined, 0);
    expect_sound(&scene, "an infinite acceleration");
}

#[test]
fn a_crowd_beyond_the_capacity_stays_above_the_ground() {
    let capacities = Capacities { contacts: 400, pairs: 800, ..Capacities::for_bodies(208) };
    let mut scene = Scene::with(capacities, 9.81, state::world::Settings::default());
    for _ in 0..200 {
        scene.add(Shape::Box(Vec3::splat(0.25)), 1.0, Vec3::new(0.0, 0.0, 0.5), |_| {});
    }
    // The ground has the highest slot.
    scene.add(Shape::Box(Vec3::new(20.0, 20.0, 1.0)), 0.0, Vec3::new(0.0, 0.0, -1.0), |_| {});
    for step in 0..120 {
        scene.step();
        let lowest = scene
            .bodies()
            .iter()
            .filter(|body| !body.is(flag::STATIC))
            .map(|body| body.position.z)
            .fold(1.0, number::min);
        assert!(lowest > 0.0, "step {step}: {lowest}");
    }
    let counts = scene.physics.parts.counts.get(&scene.world);
    assert!(counts.pairs_refused > 10 && counts.contacts_refused > 1000, "{counts:?}");
    expect_sound(&scene, "a crowd without room");
}

#[test]
fn no_body_passes_a_wall_at_a_million_metres_per_second() {
    for shape in [Shape::Sphere(0.05), Shape::Box(Vec3::splat(0.05)), Shape::Capsule { half: 0.1, radius: 0.02 }] {
        for speed_max in [1e5, 1e7] {
            let mut scene = Scene::new(8, 0.0);
            scene.settings.speed_max = speed_max;
            scene.add(Shape::Box(Vec3::new(0.01, 5.0, 5.0)), 0.0, Vec3::ZERO, |_| {});
            let ball = scene.add(shape.clone(), 1.0, Vec3::new(-3.0, 0.2, 0.1), |body| {
                (body.velocity, body.angular_velocity) = (Vec3::new(1e6, 0.0, 0.0), Vec3::new(10.0, 20.0, 30.0));
            });
            for _ in 0..10 {
                scene.step();
                let body = scene.body(ball);
                assert!(body.position.x < 0.0, "{shape:?}: {body:?}");
            }
            expect_sound(&scene, "a million metres a second");
        }
    }
}

#[test]
fn very_small_and_very_large_bodies_coexist() {
    let sizes = [1e-6, 1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6];
    for small in sizes {
        for large in sizes.into_iter().filter(|large| *large >= small) {
            let mut scene = Scene::new(8, 9.81);
            scene.add(Shape::Box(Vec3::splat(large)), 0.0, Vec3::new(0.0, 0.0, -large), |_| {});
            for (number, shape) in
                [Shape::Sphere(small), Shape::Box(Vec3::splat(small)), Shape::Capsule { half: small, radius: small }]
                    .into_iter()
                    .enumerate()
            {
                let at = Vec3::new(small * (4.0 * number as f32 - 4.0), 0.0, small * 2.5);
                if Mass::of(&shape, Weight::Density(1000.0)).is_ok() {
                    scene.add(shape, 1000.0, at, |body| body.angular_velocity = Vec3::new(1.0, 2.0, 3.0));
                }
            }
            scene.run(60);
            expect_sound(&scene, "scales");
            assert_eq!(scene.physics.parts.counts.get(&scene.world).quarantined, 0, "{small} on {large}");
            for body in scene.bodies().iter().filter(|body| !body.is(flag::STATIC)) {
                let is_beside = body.position.xy().length() > large;
                assert!(body.position.z > -0.1 * small - 0.01 || is_beside, "{small} on {large}: {body:?}");
            }
        }
    }
}

#[test]
fn many_bodies_are_added_and_removed() {
    let mut scene = Scene::new(256, 9.81);
    ground(&mut scene);
    let mut random = Pcg::new(11, 0);
    let mut living: Vec<Handle<Body>> = Vec::new();
    let ball = scene.add(Shape::Sphere(0.3), 1.0, Vec3::new(0.0, 0.0, 30.0), |_| {});
    let template = *scene.body(ball);
    for step in 0..60 {
        for handle in living.drain(..living.len() / 2) {
            scene.remove(handle);
            // Removing it again does nothing.
            scene.remove(handle);
        }
        for _ in 0..80 {
            let position = Vec3::new(random.between(-3.0, 3.0), random.between(-3.0, 3.0), random.between(0.0, 3.0));
            living.extend(scene.put(Body { position, last_position: position, ..template }));
        }
        scene.step();
        expect_sound(&scene, &format!("step {step}"));
        let living_count = scene.bodies().len();
        assert_eq!(living_count, living.len() + 2, "step {step}");
    }
}

#[test]
fn bodies_beyond_the_capacity_are_refused() {
    let mut scene = Scene::new(4, 9.81);
    let first = scene.add(Shape::Sphere(0.5), 1.0, Vec3::ZERO, |_| {});
    let body = *scene.body(first);
    let made: Vec<_> = (0..6).map(|_| scene.put(body)).collect();
    assert_eq!(made.iter().filter(|made| made.is_some()).count(), 3);
    assert!(made[..3].iter().all(Option::is_some), "the first contacts are kept");
    scene.remove(first);
    assert!(scene.put(body).is_some(), "a removed body frees its slot");
    scene.run(10);
    expect_sound(&scene, "full of bodies");
}

/// Balls on the ground in a row, with these capacities.
fn row(count: u32, capacities: Capacities) -> (Scene, Vec<Handle<Body>>) {
    let mut scene = scene_of(capacities, 9.81);
    ground(&mut scene);
    let balls = (0..count)
        .map(|number| scene.add(Shape::Sphere(0.5), 1.0, Vec3::new(number as f32 * 2.0 - 10.0, 0.0, 0.5), |_| {}))
        .collect();
    (scene, balls)
}

#[test]
fn beyond_the_capacity_contacts_with_the_highest_keys_are_left_out() {
    let (mut scene, balls) = row(8, Capacities { contacts: 5, ..Capacities::for_bodies(16) });
    scene.step();
    let contacts = scene.physics.parts.contacts.get(&scene.world);
    let expected: Vec<(u16, u16)> = balls[..5].iter().map(|ball| (0, ball.slot())).collect();
    assert_eq!(contacts.iter().map(Contact::pair).collect::<Vec<_>>(), expected);
    assert_eq!(scene.physics.parts.counts.get(&scene.world).contacts_refused, 3);
    // Before the balls with contacts fall asleep and free the capacity.
    scene.run(20);
    for (number, ball) in balls.iter().enumerate() {
        let z = scene.body(*ball).position.z;
        assert!(if number < 5 { (z - 0.5).abs() < 0.01 } else { z < 0.2 }, "{number}: {z}");
    }
    expect_sound(&scene, "full of contacts");
}

#[test]
fn beyond_the_capacity_pairs_of_the_lowest_slots_are_kept() {
    let (mut scene, balls) = row(8, Capacities { pairs: 5, ..Capacities::for_bodies(16) });
    scene.step();
    let contacts = scene.physics.parts.contacts.get(&scene.world);
    let expected: Vec<(u16, u16)> = balls[..5].iter().map(|ball| (0, ball.slot())).collect();
    assert_eq!(contacts.iter().map(Contact::pair).collect::<Vec<_>>(), expected);
    assert_eq!(scene.physics.parts.counts.get(&scene.world).pairs_refused, 1, "pairs were dropped in one step");
    scene.run(60);
    expect_sound(&scene, "full of pairs");
}

#[test]
fn joints_beyond_the_capacity_are_refused() {
    let (mut scene, balls) = row(8, Capacities { joints: 3, ..Capacities::for_bodies(16) });
    let made: Vec<Option<Handle<Joint>>> = balls
        .windows(2)
        .map(|pair| {
            let draft = JointDefinition::ball(pair[0], pair[1], scene.body(pair[0]).position + Vec3::X);
            let physics = &scene.physics;
            scene.world.set_up(|world| physics.add_joint(world, &draft))
        })
        .collect();
    assert!(made[..3].iter().all(Option::is_some) && made[3..].iter().all(Option::is_none), "{made:?}");
    assert_eq!(scene.physics.parts.counts.get(&scene.world).joints_refused, 4);
    scene.run(60);
    expect_sound(&scene, "full of joints");
}

#[test]
fn events_beyond_the_capacity_are_dropped_and_counted() {
    let (mut scene, balls) = row(8, Capacities { events: 3, ..Capacities::for_bodies(16) });
    scene.step();
    let events: Vec<_> = scene.physics.parts.events.get(&scene.world).iter().map(|event| event.second).collect();
    assert_eq!(events, balls[..3]);
    assert_eq!(scene.physics.parts.counts.get(&scene.world).events_refused, 5);
}

#[test]
fn minimal_capacities_are_harmless() {
    let (mut scene, balls) = row(3, Capacities { bodies: 4, contacts: 1, pairs: 0, joints: 1, events: 1 });
    scene.step();
    scene.remove(balls[1]);
    scene.run(30);
    expect_sound(&scene, "no room");
}

#[test]
fn arbitrary_bytes_in_the_block_are_harmless() {
    for seed in 0..100 {
        let mut random = Pcg::new(seed, 9);
        let mut scene = common::machines::with_ground(32, 32);
        common::machines::Ragdoll::new(&mut scene, Vec3::ZERO);
        scene.run(2);
        let (bodies, joints, contacts) =
            (scene.physics.parts.bodies, scene.physics.parts.joints, scene.physics.parts.contacts);
        let handles: Vec<_> = bodies.iterate(&scene.world).map(|(handle, _)| handle).collect();
        let joint_handles: Vec<_> = joints.iterate(&scene.world).map(|(handle, _)| handle).collect();
        scene.world.set_up(|world| {
            for handle in handles.into_iter().filter(|handle| handle.slot() % 3 == (seed % 3) as u16) {
                let change = scramble(bodies.get(world, handle), &mut random);
                *bodies.get_mut(world, handle) = change;
            }
            for handle in joint_handles.into_iter().filter(|handle| handle.slot() % 2 == (seed % 2) as u16) {
                let change = scramble(joints.get(world, handle), &mut random);
                *joints.get_mut(world, handle) = change;
            }
            for index in 0..contacts.count(world) {
                let change = scramble(&contacts.get(world)[index as usize], &mut random);
                if let Some(mut contact) = contacts.get_mut(world, index) {
                    *contact = change;
                }
            }
            for _ in 0..random.below(20) {
                contacts.push(world, scramble(&Contact::default(), &mut random));
            }
        });
        for _ in 0..4 {
            scene.step();
        }
        expect_sound(&scene, &format!("seed {seed}"));
    }
}

/// A copy with some or all of its bytes changed.
fn scramble<T: base::Plain>(value: &T, random: &mut Pcg) -> T {
    let mut bytes = base::plain::bytes_of(value).to_vec();
    let part = [0.02, 0.2, 1.0][random.below(3) as usize];
    for byte in &mut bytes {
        if random.chance(part) {
            *byte = random.next_u32() as u8;
        }
    }
    pod_read_unaligned(&bytes)
}
