//! How bodies behave: rest, stacks, friction, restitution, free motion, sleep, events, tunnelling.

use crate::common;

use base::Vec3;
use common::{Scene, crowd, description};
use physics::{Body, ContactEventKind, Shape, flag};

fn ground(scene: &mut Scene) {
    scene.add(Shape::Box(Vec3::new(50.0, 50.0, 1.0)), 0.0, Vec3::new(0.0, 0.0, -1.0), |_| {});
}

#[test]
fn a_box_falls_and_rests() {
    let mut scene = Scene::new(8, 9.81);
    ground(&mut scene);
    let cube = scene.add(Shape::Box(Vec3::splat(0.5)), 1.0, Vec3::new(0.0, 0.0, 3.0), |_| {});
    scene.run(240);
    let body = *scene.body(cube);
    assert!((body.position.z - 0.5).abs() < 0.01, "{body:?}");
    assert!(body.position.xy().length() < 1e-3, "{body:?}");
    assert!(body.is(flag::ASLEEP), "{body:?}");
}

/// A tower of cubes with a top of another density, without sleep, after twenty seconds: its sideways drift and the largest
/// penetration.
fn tower(count: u32, top_density: f32) -> (f32, f32) {
    let mut scene = Scene::of(&description::tower(count, top_density, 0.0), 64);
    scene.run(1200);
    let cubes: Vec<Body> = scene.bodies().into_iter().filter(|body| !body.is(flag::STATIC)).collect();
    let drift = cubes.iter().map(|cube| cube.position.xy().length()).fold(0.0, base::number::max);
    let height = |cube: usize| cubes[cube].position.z;
    let depths = (1..cubes.len()).map(|cube| 1.0 - (height(cube) - height(cube - 1)));
    (drift, depths.fold(0.5 - height(0), base::number::max))
}

#[test]
fn towers_stand() {
    for (count, top_density, drift_max, depth_max) in
        [(10, 1.0, 1e-4, 0.005), (20, 1.0, 1e-4, 0.01), (40, 1.0, 0.005, 0.015), (10, 100.0, 0.005, 0.03)]
    {
        let (drift, depth) = tower(count, top_density);
        assert!(
            drift <= drift_max && depth <= depth_max,
            "{count} cubes, {top_density}: drift {drift}, penetration {depth}"
        );
    }
}

#[test]
fn a_tower_of_forty_cubes_falls_asleep_where_it_stands() {
    let mut scene = Scene::of(&description::tower(40, 1.0, 0.0), 64);
    scene.settings.sleep_seconds = physics::Settings::default().sleep_seconds;
    scene.run(300);
    for body in scene.bodies().iter().filter(|body| !body.is(flag::STATIC)) {
        assert!(body.is(flag::ASLEEP) && body.position.xy().length() < 1e-4, "{body:?}");
    }
}

#[test]
fn a_ball_with_restitution_one_bounces_to_its_initial_height() {
    let mut scene = Scene::of(&description::bounce(), 8);
    let (mut bounces, mut was_falling, mut highest, mut heights) = (0, true, 0.0_f32, Vec::new());
    for _ in 0..4000 {
        scene.step();
        let body = scene.bodies()[1];
        let energy = body.velocity.z * body.velocity.z / (2.0 * description::GRAVITY) + body.position.z
            - description::BOUNCE_RADIUS;
        let is_falling = body.velocity.z < 0.0;
        highest = base::number::max(highest, energy);
        if was_falling && !is_falling {
            bounces += 1;
        }
        if !was_falling && is_falling {
            heights.push(energy);
        }
        was_falling = is_falling;
        if bounces == 15 {
            break;
        }
    }
    let last = heights[13];
    assert!((last / description::BOUNCE_HEIGHT - 1.0).abs() < 0.002, "{last}");
}

#[test]
fn a_pile_comes_to_rest_within_its_walls() {
    let mut scene = crowd(300, false);
    let half = 0.6 * 10.0 + 0.6;
    scene.run(300);
    for body in scene.bodies().iter().filter(|body| !body.is(flag::STATIC)) {
        assert!(body.position.abs().max_component() < half, "{body:?}");
        assert!(body.velocity.length() < 1.0, "{body:?}");
    }
}

/// The kinetic energy of all bodies, linear and angular.
fn energy(scene: &Scene) -> f64 {
    let of = |body: &Body| {
        let straight = f64::from(body.velocity.length_squared() / body.inverse_mass);
        let turn = (body.rotation * body.principal_axes).rotate_back(body.angular_velocity);
        let inertia = body.inverse_inertia.to_array().map(|inverse| 1.0 / inverse);
        0.5 * (straight + f64::from(turn.times(turn).dot(Vec3::from_array(inertia))))
    };
    scene.bodies().iter().filter(|body| body.inverse_mass > 0.0).map(of).sum()
}

#[test]
fn a_gas_keeps_its_energy() {
    let mut scene = crowd(300, true);
    let before = energy(&scene);
    for _ in 0..60 {
        scene.run(5);
        let now = energy(&scene) / before;
        assert!(now < 1.01 && now > 0.97, "{now}");
    }
}

/// Bodies on a slope: gravity is rotated instead of the ground.
fn slope(sine: f32) -> Scene {
    let mut scene = Scene::new(8, 9.81);
    ground(&mut scene);
    scene.edit_fixed_friction(1.0);
    let cosine = base::number::sqrt(1.0 - sine * sine);
    scene.settings.gravity = Vec3::new(9.81 * sine, 0.0, -9.81 * cosine);
    scene.settings.sleep_seconds = 0.0;
    scene
}

#[test]
fn a_ball_rolls_down_a_slope_without_slipping() {
    let mut scene = slope(0.3);
    let ball = scene.add(Shape::Sphere(0.5), 1.0, Vec3::new(0.0, 0.0, 0.5), |body| body.friction = 1.0);
    scene.run(120);
    let body = scene.body(ball);
    let expected = 5.0 / 7.0 * 9.81 * 0.3 * 2.0;
    assert!((body.velocity.x / expected - 1.0).abs() < 0.01, "{body:?} {expected}");
    assert!((body.angular_velocity.y * 0.5 - body.velocity.x).abs() < 0.02, "{body:?}");
}

#[test]
fn a_box_slides_where_the_slope_exceeds_its_friction() {
    for (sine, friction) in [(0.3, 0.2), (0.3, 0.28), (0.3, 0.35), (0.3, 0.6), (0.6, 0.5), (0.6, 0.8)] {
        let mut scene = slope(sine);
        let half = Vec3::new(0.5, 0.5, 0.25);
        // Equal friction coefficients combine to themselves.
        scene.edit_fixed_friction(friction);
        let cube = scene.add(Shape::Box(half), 1.0, Vec3::new(0.0, 0.0, 0.25), |body| body.friction = friction);
        scene.run(120);
        let body = scene.body(cube);
        let cosine = base::number::sqrt(1.0 - sine * sine);
        let expected = base::number::max(9.81 * (sine - friction * cosine) * 2.0, 0.0);
        assert!((body.velocity.x - expected).abs() < 0.02 + 0.02 * expected, "{sine} {friction}: {body:?} {expected}");
        assert!(expected > 0.0 || body.position.x < 0.01, "{sine} {friction}: {body:?}");
    }
}

#[test]
fn spinning_and_rolling_bodies_come_to_rest() {
    let mut scene = Scene::new(8, 9.81);
    ground(&mut scene);
    let cube = scene.add(Shape::Box(Vec3::splat(0.5)), 1.0, Vec3::new(0.0, 0.0, 0.5), |body| {
        body.angular_velocity = Vec3::new(0.0, 0.0, 5.0);
    });
    let ball = |rolling: f32| {
        move |body: &mut Body| (body.velocity, body.rolling_resistance) = (Vec3::new(1.0, 0.0, 0.0), rolling)
    };
    let easy = scene.add(Shape::Sphere(0.5), 1.0, Vec3::new(0.0, 5.0, 0.5), ball(0.0));
    let hard = scene.add(Shape::Sphere(0.5), 1.0, Vec3::new(0.0, -5.0, 0.5), ball(0.02));
    scene.run(300);
    assert_eq!(scene.body(cube).angular_velocity, Vec3::ZERO);
    assert!(scene.body(cube).position.xy().length() < 0.01, "{:?}", scene.body(cube));
    assert!((scene.body(easy).velocity.x - 5.0 / 7.0).abs() < 0.02, "{:?}", scene.body(easy));
    assert!(scene.body(hard).velocity.length() < 0.01, "{:?}", scene.body(hard));
}

#[test]
fn a_tumbling_body_keeps_its_energy_and_angular_momentum() {
    let mut scene = Scene::new(4, 0.0);
    let half = Vec3::new(0.2, 0.5, 1.0);
    let racket = scene.add(Shape::Box(half), 1.0, Vec3::ZERO, |body| body.angular_velocity = Vec3::new(0.01, 4.0, 0.0));
    let momentum = |scene: &Scene| {
        let body = scene.body(racket);
        let local = body.rotation.rotate_back(body.angular_velocity);
        let inertia = body.inverse_inertia.to_array().map(|inverse| 1.0 / inverse);
        body.rotation.rotate(local.times(Vec3::from_array(inertia)))
    };
    let (energy_before, before) = (energy(&scene), momentum(&scene));
    let mut flips = 0;
    for _ in 0..60 {
        let side = scene.body(racket).rotation.rotate_back(scene.body(racket).angular_velocity).y;
        scene.run(60);
        let other = scene.body(racket).rotation.rotate_back(scene.body(racket).angular_velocity).y;
        flips += u32::from(side * other < 0.0);
        assert!((energy(&scene) / energy_before - 1.0).abs() < 0.005, "{}", energy(&scene) / energy_before);
        assert!((momentum(&scene).length() / before.length() - 1.0).abs() < 0.005, "{:?} {before:?}", momentum(&scene));
    }
    assert!(flips >= 5, "rotation about the intermediate axis is unstable (Dzhanibekov effect): {flips} flips");
    assert!(momentum(&scene).normal().dot(before.normal()) > 0.99, "{:?} {before:?}", momentum(&scene));
}

#[test]
fn free_fall_and_damping_match_their_closed_forms() {
    let mut scene = Scene::new(4, 9.81);
    let stone = scene.add(Shape::Sphere(0.5), 1.0, Vec3::ZERO, |body| body.velocity = Vec3::new(3.0, 0.0, 5.0));
    let slowed = scene.add(Shape::Sphere(0.5), 1.0, Vec3::new(0.0, 50.0, 0.0), |body| {
        (body.velocity, body.linear_damping, body.gravity_scale) = (Vec3::new(10.0, 0.0, 0.0), 0.5, 0.0);
        (body.angular_velocity, body.angular_damping) = (Vec3::new(0.0, 0.0, 10.0), 1.0);
    });
    scene.run(120);
    let (stone, slowed) = (scene.body(stone), scene.body(slowed));
    let expected = Vec3::new(6.0, 0.0, 10.0 - 0.5 * 9.81 * 4.0);
    assert!((stone.position - expected).length() < 1e-3, "{stone:?} {expected:?}");
    assert!((stone.velocity.z - (5.0 - 9.81 * 2.0)).abs() < 1e-3, "{stone:?}");
    assert!((slowed.velocity.x / (10.0 * base::number::exp(-1.0)) - 1.0).abs() < 0.005, "{slowed:?}");
    assert!((slowed.angular_velocity.z / (10.0 * base::number::exp(-2.0)) - 1.0).abs() < 0.01, "{slowed:?}");
}

#[test]
fn a_heap_falls_asleep_and_wakes_when_its_ground_is_removed() {
    let mut scene = Scene::new(64, 9.81);
    let plate = scene.add(Shape::Box(Vec3::new(9.0, 9.0, 0.5)), 0.0, Vec3::new(0.0, 0.0, -0.5), |_| {});
    let bodies: Vec<_> = (0..27_u32)
        .map(|number| {
            let at = Vec3::new((number % 3) as f32, (number / 3 % 3) as f32, (number / 9) as f32) - Vec3::ONE;
            let place = at * 0.95 + Vec3::new(0.02 * at.z, 0.01 * at.z, 1.6);
            let shape = if number % 4 == 0 { Shape::Sphere(0.45) } else { Shape::Box(Vec3::splat(0.45)) };
            scene.add(shape, 1.0, place, |body| body.rolling_resistance = 0.02)
        })
        .collect();
    scene.run(600);
    for body in &bodies {
        let body = scene.body(*body);
        assert!(body.is(flag::ASLEEP), "{body:?}");
        assert!(body.position.z > 0.45 - 0.01, "{body:?}");
    }
    let physics = &scene.physics;
    scene.world.set_up(|world| physics.remove(world, plate));
    scene.run(30);
    for body in &bodies {
        let body = scene.body(*body);
        assert!(!body.is(flag::ASLEEP) && body.velocity.z < -1.0, "{body:?}");
    }
}

#[test]
fn contact_events_report_begin_and_end() {
    let mut scene = Scene::new(8, 9.81);
    ground(&mut scene);
    let ball = scene.add(Shape::Sphere(0.5), 1.0, Vec3::new(0.0, 0.0, 1.0), |body| body.restitution = 0.9);
    let mut events = Vec::new();
    for _ in 0..120 {
        scene.step();
        events.extend(scene.physics.parts.events.get(&scene.world).iter().copied());
    }
    assert!(
        events.len() >= 2 && events[0].is(ContactEventKind::Began) && events[1].is(ContactEventKind::Ended),
        "{events:?}"
    );
    assert_eq!(events[0].second, ball);
    assert!((events[0].speed - 3.13).abs() < 0.1 && events[0].normal.z > 0.99, "{events:?}");
}

#[test]
fn no_body_tunnels_through_a_wall_at_any_speed() {
    for speed in [50.0, 200.0, 400.0, 1000.0, 10_000.0] {
        for (shape, is_point) in
            [(Shape::Sphere(0.05), false), (Shape::Box(Vec3::splat(0.05)), false), (Shape::Sphere(0.01), true)]
        {
            for aside in [0.0, 0.3, 0.8] {
                let mut scene = Scene::new(8, 0.0);
                scene.add(Shape::Box(Vec3::new(0.01, 5.0, 5.0)), 0.0, Vec3::ZERO, |_| {});
                let velocity = Vec3::new(speed, speed * aside, 0.0);
                let ball = scene.add(shape.clone(), 1.0, Vec3::new(-3.0, -2.0, 0.1), |body| {
                    body.velocity = velocity;
                    body.restitution = 0.5;
                    body.flags |= if is_point { flag::POINT } else { 0 };
                });
                let mut is_struck = false;
                for _ in 0..30 {
                    scene.step();
                    let events = scene.physics.parts.events.get(&scene.world);
                    is_struck |=
                        events.iter().any(|event| event.is(ContactEventKind::Hit) || event.is(ContactEventKind::Began));
                }
                let body = scene.body(ball);
                assert!(body.position.x < 0.0 || body.position.y.abs() > 5.0, "{speed} {shape:?} {body:?}");
                assert!(is_struck, "{speed} {aside} {shape:?}: {body:?}");
                // A box that hits with a vertex starts to rotate and keeps less linear velocity.
                let (lowest, highest) = if matches!(shape, Shape::Box(_)) { (0.1, 0.8) } else { (0.49, 0.51) };
                let part = -body.velocity.x / speed;
                assert!((lowest..highest).contains(&part), "{speed} {shape:?} {is_point} {body:?}");
            }
        }
    }
}

#[test]
fn a_fast_ball_between_two_walls_bounces_several_times_in_one_step() {
    let mut scene = Scene::new(8, 0.0);
    for side in [-1.0, 1.0] {
        scene.add(Shape::Box(Vec3::new(0.01, 5.0, 5.0)), 0.0, Vec3::new(side, 0.0, 0.0), |body| body.friction = 0.0);
    }
    let ball = scene.add(Shape::Sphere(0.1), 1.0, Vec3::ZERO, |body| {
        body.velocity = Vec3::new(300.0, 0.0, 0.0);
        (body.restitution, body.friction) = (1.0, 0.0);
    });
    scene.settings.impacts_max = 8;
    for _ in 0..100 {
        scene.step();
        let body = scene.body(ball);
        assert!(body.position.x.abs() < 0.99, "{body:?}");
        assert!((body.velocity.x.abs() - 300.0).abs() < 0.5, "{body:?}");
    }
    let impacts = scene.physics.parts.counts.get(&scene.world).impacts;
    assert!((250..300).contains(&impacts), "5 m a step between walls 1.78 m apart: {impacts}");
}

#[test]
fn a_shot_wakes_the_body_it_hits() {
    let mut scene = Scene::new(8, 9.81);
    ground(&mut scene);
    let cube = scene.add(Shape::Box(Vec3::splat(0.5)), 1.0, Vec3::new(0.0, 0.0, 0.5), |_| {});
    scene.run(120);
    assert!(scene.body(cube).is(flag::ASLEEP));
    scene
        .add(Shape::Sphere(0.05), 100.0, Vec3::new(-20.0, 0.0, 0.7), |body| body.velocity = Vec3::new(900.0, 0.0, 0.0));
    scene.run(5);
    let body = scene.body(cube);
    assert!(!body.is(flag::ASLEEP) && body.velocity.x > 1.0, "{body:?}");
}
