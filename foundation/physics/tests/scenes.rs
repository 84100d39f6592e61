//! What bodies do.

mod common;

use base::Vec3;
use common::{Scene, crowd};
use physics::{Shape, TouchKind, flag};

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

#[test]
fn a_tower_of_twenty_cubes_stands() {
    let mut scene = Scene::new(64, 9.81);
    ground(&mut scene);
    let cubes: Vec<_> = (0..20)
        .map(|number| scene.add(Shape::Box(Vec3::splat(0.5)), 1.0, Vec3::new(0.0, 0.0, 0.5 + number as f32), |_| {}))
        .collect();
    scene.settings.sleep_seconds = 0.0;
    scene.run(1200);
    let top = *scene.body(cubes[19]);
    assert!(top.position.xy().length() < 0.005, "{:?}", top.position);
    let deepest = cubes.windows(2).map(|pair| 1.0 - (scene.body(pair[1]).position.z - scene.body(pair[0]).position.z));
    let deepest = deepest.fold(0.0, base::number::max);
    assert!(deepest < 0.022, "{deepest}");
}

#[test]
fn a_ball_that_gives_all_back_bounces_as_high_again() {
    let mut scene = Scene::new(8, 9.81);
    ground(&mut scene);
    let ball = scene.add(Shape::Sphere(0.5), 1.0, Vec3::new(0.0, 0.0, 5.5), |body| body.restitution = 1.0);
    scene.settings.sleep_seconds = 0.0;
    let (mut bounces, mut was_falling, mut highest, mut heights) = (0, true, 0.0_f32, Vec::new());
    for _ in 0..4000 {
        scene.step();
        let body = scene.body(ball);
        let energy = body.velocity.z * body.velocity.z / (2.0 * 9.81) + body.position.z - 0.5;
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
    assert!((last / 5.0 - 1.0).abs() < 0.002, "{last}");
}

#[test]
fn a_pile_comes_to_rest_within_its_walls() {
    let mut scene = crowd(1000, false);
    let half = 0.6 * 10.0 + 0.6;
    scene.run(300);
    for body in scene.bodies().iter().filter(|body| !body.is(flag::FIXED)) {
        assert!(body.position.abs().max_component() < half, "{body:?}");
        assert!(body.velocity.length() < 1.0, "{body:?}");
    }
}

#[test]
fn a_gas_keeps_its_energy() {
    let mut scene = crowd(1000, true);
    let energy = |scene: &Scene| -> f64 {
        scene
            .bodies()
            .iter()
            .filter(|body| body.inverse_mass > 0.0)
            .map(|body| {
                let straight = f64::from(body.velocity.length_squared() / body.inverse_mass);
                let turn = (body.orientation * body.inertia_turn).rotate_back(body.spin);
                let turning = turn.times(turn);
                let inertia =
                    Vec3::new(1.0 / body.inverse_inertia.x, 1.0 / body.inverse_inertia.y, 1.0 / body.inverse_inertia.z);
                straight + f64::from(turning.dot(inertia))
            })
            .sum()
    };
    let before = energy(&scene);
    scene.run(300);
    let after = energy(&scene);
    assert!((after / before - 1.0).abs() < 0.1, "{before} {after}");
}

#[test]
fn who_begins_and_ceases_to_touch_is_told() {
    let mut scene = Scene::new(8, 9.81);
    ground(&mut scene);
    let ball = scene.add(Shape::Sphere(0.5), 1.0, Vec3::new(0.0, 0.0, 1.0), |body| body.restitution = 0.9);
    let mut told = Vec::new();
    for _ in 0..120 {
        scene.step();
        told.extend(scene.physics.parts.touches.get(&scene.world).iter().copied());
    }
    assert!(told.len() >= 2 && told[0].is(TouchKind::Began) && told[1].is(TouchKind::Ended), "{told:?}");
    assert_eq!(told[0].second, ball);
    assert!((told[0].speed - 3.13).abs() < 0.1 && told[0].normal.z > 0.99, "{told:?}");
}

#[test]
fn nothing_passes_through_a_wall_however_fast_it_is() {
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
                    let touches = scene.physics.parts.touches.get(&scene.world);
                    is_struck |= touches.iter().any(|touch| touch.is(TouchKind::Struck) || touch.is(TouchKind::Began));
                }
                let body = scene.body(ball);
                assert!(body.position.x < 0.0 || body.position.y.abs() > 5.0, "{speed} {shape:?} {body:?}");
                assert!(is_struck, "{speed} {aside} {shape:?}: {body:?}");
                // A box that hits with a corner spins, and what it keeps is shared otherwise.
                let (least, most) = if matches!(shape, Shape::Box(_)) { (0.1, 0.8) } else { (0.49, 0.51) };
                let part = -body.velocity.x / speed;
                assert!((least..most).contains(&part), "{speed} {shape:?} {is_point} {body:?}");
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
fn a_shot_wakes_what_it_hits() {
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
