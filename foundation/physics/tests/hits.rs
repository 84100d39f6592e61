//! Sleeping bodies that are hit: what happens to them is what happens to bodies awake and at rest.

use base::{Handle, Pcg, Quat, Random, Vec3, number};
use host::thread_pool::ThreadPool;
use physics::pose::Pose;
use physics::shape::Compound;
use physics::{Body, Capacities, Shape, flag};
use state::{Alone, Workers};

use crate::common::Scene;
use crate::common::machines::{Ragdoll, with_ground};

/// Two equal balls in space, the second at rest, asleep or awake; their velocities after the impact.
fn balls(speed: f32, restitution: f32, is_asleep: bool) -> [f32; 2] {
    let mut scene = Scene::new(4, 0.0);
    scene.settings.seconds = 0.01;
    // It comes near within a step or two, at every speed.
    let gap = 0.4 + number::max(speed * 0.013, 1.0e-4);
    let first = scene.add(Shape::Sphere(0.2), 149.0, Vec3::new(-gap, 0.0, 0.0), |body| {
        (body.velocity, body.restitution) = (Vec3::new(speed, 0.0, 0.0), restitution);
    });
    let second = scene.add(Shape::Sphere(0.2), 149.0, Vec3::ZERO, |body| {
        body.restitution = restitution;
        if is_asleep {
            (body.rest_seconds, body.flags) = (1.0, body.flags | flag::ASLEEP);
        }
    });
    scene.run(10);
    [first, second].map(|ball| scene.body(ball).velocity.x)
}

#[test]
fn a_sleeping_ball_takes_half_of_the_momentum_at_every_speed() {
    for speed in [0.01, 0.03, 0.1, 0.3, 1.0, 2.0, 5.0, 20.0, 100.0, 300.0, 1000.0] {
        for restitution in [0.0, 1.0] {
            let (asleep, awake) = (balls(speed, restitution, true), balls(speed, restitution, false));
            let right = [(1.0 - restitution) * speed * 0.5, (1.0 + restitution) * speed * 0.5];
            for ((asleep, awake), right) in asleep.into_iter().zip(awake).zip(right) {
                assert!((asleep - awake).abs() <= 1.0e-4 * speed, "{speed} m/s: {asleep} asleep, {awake} awake");
                assert!((asleep - right).abs() <= 0.01 * speed, "{speed} m/s, {restitution}: {asleep}, not {right}");
            }
        }
    }
}

/// A row of balls with gaps, hit by one ball; all velocities some steps later.
fn row(count: usize, gap: f32, speed: f32, is_asleep: bool) -> Vec<f32> {
    let mut scene = Scene::new(count as u32 + 8, 0.0);
    let mut balls = vec![scene.add(Shape::Sphere(0.5), 1.0, Vec3::new(-1.1, 0.0, 0.0), |body| {
        (body.velocity, body.restitution) = (Vec3::new(speed, 0.0, 0.0), 1.0);
    })];
    for number in 0..count {
        let place = Vec3::new(number as f32 * (1.0 + gap), 0.0, 0.0);
        balls.push(scene.add(Shape::Sphere(0.5), 1.0, place, |body| {
            body.restitution = 1.0;
            if is_asleep {
                (body.rest_seconds, body.flags) = (1.0, body.flags | flag::ASLEEP);
            }
        }));
    }
    scene.run(20);
    balls.iter().map(|ball| scene.body(*ball).velocity.x).collect()
}

#[test]
fn a_row_of_sleeping_balls_passes_the_hit_on_within_the_step() {
    for gap in [0.001, 0.008, 0.015] {
        for speed in [3.0, 6.0] {
            let (asleep, awake) = (row(5, gap, speed, true), row(5, gap, speed, false));
            for (asleep, awake) in asleep.iter().zip(&awake) {
                assert!((asleep - awake).abs() < 0.02 * speed, "{gap} m, {speed} m/s: {asleep:?}, awake {awake:?}");
            }
            assert!((asleep.iter().sum::<f32>() - speed).abs() < 1.0e-3 * speed, "{asleep:?}");
        }
    }
}

/// More bodies in a row than rounds in which sleeping bodies are found.
#[test]
fn a_long_row_of_sleeping_balls_passes_the_hit_on_as_one_awake() {
    for speed in [3.0, 20.0, 100.0] {
        for gap in [0.001, 0.008, 0.05] {
            let (asleep, awake) = (row(30, gap, speed, true), row(30, gap, speed, false));
            let momentum = asleep.iter().sum::<f32>();
            assert!((momentum - speed).abs() < 1.0e-3 * speed, "{gap} m, {speed} m/s: {momentum} of {asleep:?}");
            for (asleep, awake) in asleep.iter().zip(&awake) {
                assert!((asleep - awake).abs() < 0.02 * speed, "{gap} m, {speed} m/s: {asleep:?}, awake {awake:?}");
            }
        }
    }
}

#[test]
fn in_the_last_round_what_is_out_of_reach_sleeps_on() {
    let mut scene = Scene::new(64, 0.0);
    let sleeper = |scene: &mut Scene, place: Vec3| {
        scene.add(Shape::Sphere(0.5), 1.0, place, |body| {
            (body.rest_seconds, body.flags) = (1.0, body.flags | flag::ASLEEP);
        })
    };
    scene.add(Shape::Sphere(0.5), 1.0, Vec3::new(-1.1, 0.0, 0.0), |body| {
        (body.velocity, body.restitution) = (Vec3::new(20.0, 0.0, 0.0), 1.0);
    });
    let row: Vec<_> = (0..40).map(|number| sleeper(&mut scene, Vec3::new(number as f32 * 1.008, 0.0, 0.0))).collect();
    let aside: Vec<_> = (0..5).map(|number| sleeper(&mut scene, Vec3::new(number as f32 * 4.0, 9.0, 0.0))).collect();
    scene.run(3);
    assert!(!scene.body(row[12]).is(flag::ASLEEP), "more than eight of the row are awake");
    assert!(aside.iter().all(|body| scene.body(*body).is(flag::ASLEEP)));
}

/// Towers of boxes on ground, asleep after a while, or kept awake.
fn towers(count: u32, height: u32, is_restless: bool) -> (Scene, Vec<Handle<Body>>) {
    let bodies = count * (height + 1) + 1;
    let mut scene = Scene::with(Capacities::for_bodies(bodies), 9.81, state::world::Settings::default());
    scene.add(Shape::Box(Vec3::new(500.0, 500.0, 1.0)), 0.0, Vec3::new(0.0, 0.0, -1.0), |_| {});
    let mut boxes = Vec::new();
    for tower in 0..count {
        for level in 0..height {
            let place = Vec3::new((tower % 32) as f32 * 4.0, (tower / 32) as f32 * 4.0, 0.5 + level as f32);
            boxes.push(scene.add(Shape::Box(Vec3::splat(0.5)), 1.0, place, |body| {
                body.flags |= if is_restless { flag::NEVER_SLEEPS } else { 0 };
            }));
        }
    }
    scene.run(60);
    (scene, boxes)
}

/// A ball flies at the top of each tower.
fn hit_towers(scene: &mut Scene, count: u32, height: u32) -> Vec<Handle<Body>> {
    let at = |tower: u32| Vec3::new((tower % 32) as f32 * 4.0 - 1.0, (tower / 32) as f32 * 4.0, height as f32 - 0.5);
    let fire = |tower: u32| {
        scene.add(Shape::Sphere(0.3), 5.0, at(tower), |body| {
            body.velocity = Vec3::new(5.0 + (tower % 7) as f32, 0.0, 0.0)
        })
    };
    (0..count).map(fire).collect()
}

#[test]
fn towers_that_sleep_fall_as_those_that_are_awake() {
    let play = |is_restless: bool| {
        let (mut scene, boxes) = towers(8, 3, is_restless);
        let are_asleep = boxes.iter().all(|one| scene.body(*one).is(flag::ASLEEP));
        assert_ne!(are_asleep, is_restless);
        hit_towers(&mut scene, 8, 3);
        scene.run(12);
        boxes.iter().map(|one| (scene.body(*one).position, scene.body(*one).velocity)).collect::<Vec<_>>()
    };
    for (asleep, awake) in play(false).into_iter().zip(play(true)) {
        assert!(asleep.0.distance(awake.0) < 0.01, "{asleep:?} asleep, {awake:?} awake");
        assert!(asleep.1.distance(awake.1) < 0.2, "{asleep:?} asleep, {awake:?} awake");
    }
}

#[test]
fn many_sleeping_towers_hit_at_once_keep_momentum_and_are_the_same_with_any_number_of_workers() {
    let play = |workers: &dyn Workers| {
        let (mut scene, boxes) = towers(1000, 3, false);
        let balls = hit_towers(&mut scene, 1000, 3);
        let momentum = |scene: &Scene| {
            let all = boxes.iter().chain(&balls).map(|one| scene.body(*one));
            all.map(|body| body.velocity.x / body.inverse_mass).sum::<f32>()
        };
        let before = momentum(&scene);
        for _ in 0..4 {
            scene.step_with(workers);
        }
        // Friction at the ground takes a little; a wall would take all.
        let after = momentum(&scene);
        assert!(after > 0.9 * before && after < 1.001 * before, "{before} N s before, {after} after");
        assert!(boxes.iter().filter(|one| scene.body(**one).is(flag::ASLEEP)).count() < 10);
        scene.world.hash()
    };
    let alone = play(&Alone);
    for workers in [2, 3, 16] {
        assert_eq!(play(&ThreadPool::new(workers).with_shuffle(u64::from(workers))), alone, "{workers} workers");
    }
}

#[test]
fn a_bowling_ball_goes_through_sleeping_pins_as_through_others() {
    let play = |is_restless: bool| {
        let mut scene = Scene::new(16, 9.81);
        scene.add(Shape::Box(Vec3::new(50.0, 50.0, 1.0)), 0.0, Vec3::new(0.0, 0.0, -1.0), |body| body.friction = 0.3);
        let mut pins = Vec::new();
        for line in 0..4 {
            for place in 0..=line {
                let at = Vec3::new(line as f32 * 0.26, (place as f32 - line as f32 * 0.5) * 0.3, 0.19);
                // A pin stands on a foot: a flat box.
                let foot = Pose::new(Vec3::new(0.0, 0.0, -0.16), Quat::IDENTITY);
                let parts = [
                    (Pose::IDENTITY, Shape::Capsule { half: 0.13, radius: 0.06 }),
                    (foot, Shape::Box(Vec3::new(0.04, 0.04, 0.03))),
                ];
                let shape = Shape::Compound(Compound::new(parts).expect("two parts").into());
                pins.push(scene.add(shape, 300.0, at, |body| {
                    body.flags |= if is_restless { flag::NEVER_SLEEPS } else { 0 };
                }));
            }
        }
        scene.run(120);
        assert!(is_restless || pins.iter().all(|pin| scene.body(*pin).is(flag::ASLEEP)));
        let ball = scene.add(Shape::Sphere(0.11), 1170.0, Vec3::new(-2.0, 0.04, 0.11), |body| body.velocity.x = 6.0);
        let mut speeds = Vec::new();
        for _ in 0..120 {
            scene.step();
            speeds.push(scene.body(ball).velocity.x);
        }
        let down = pins.iter().filter(|pin| scene.body(**pin).rotation.rotate(Vec3::Z).z < 0.8).count();
        (speeds, down)
    };
    let ((asleep, down), (awake, down_awake)) = (play(false), play(true));
    assert!(down.min(down_awake) >= 5 && down.abs_diff(down_awake) <= 2, "{down} pins are down, {down_awake} awake");
    // The first hit, before small differences grow.
    let hit = awake.iter().position(|speed| *speed < 5.0).expect("it hits");
    assert!(asleep[hit] > 3.0 && (asleep[hit] - awake[hit]).abs() < 0.1, "{asleep:?}, awake {awake:?}");
}

#[test]
fn dominoes_that_sleep_fall_one_after_the_other() {
    let play = |is_restless: bool| {
        let mut scene = Scene::new(32, 9.81);
        scene.add(Shape::Box(Vec3::new(50.0, 50.0, 1.0)), 0.0, Vec3::new(0.0, 0.0, -1.0), |_| {});
        let stone = |number: usize| Vec3::new(number as f32 * 0.5, 0.0, 0.5);
        let stones: Vec<_> = (0..20)
            .map(|number| {
                scene.add(Shape::Box(Vec3::new(0.06, 0.25, 0.5)), 500.0, stone(number), |body| {
                    body.flags |= if is_restless { flag::NEVER_SLEEPS } else { 0 };
                })
            })
            .collect();
        scene.run(60);
        scene.edit(stones[0], |body| {
            body.wake();
            (body.velocity.x, body.angular_velocity.y) = (0.8, 1.6);
        });
        let mut fallen = Vec::new();
        for step in 0..600 {
            scene.step();
            if fallen.len() < stones.len() && scene.body(stones[fallen.len()]).rotation.rotate(Vec3::Z).z < 0.9 {
                fallen.push(step);
            }
        }
        fallen
    };
    let (asleep, awake) = (play(false), play(true));
    assert_eq!(asleep.len(), 20, "{asleep:?}");
    let last = |fallen: &[i32]| fallen.last().copied().unwrap_or(0);
    assert!((last(&asleep) - last(&awake)).abs() <= last(&awake) / 50 + 1, "{asleep:?} asleep, {awake:?} awake");
}

#[test]
fn the_rack_of_a_billiard_table_opens_asleep_as_awake() {
    let play = |is_restless: bool, speed: f32| {
        let mut scene = Scene::new(32, 9.81);
        scene.settings.seconds = 0.01;
        scene.add(Shape::Box(Vec3::new(5.0, 5.0, 1.0)), 0.0, Vec3::new(0.0, 0.0, -1.0), |body| body.friction = 0.0);
        let radius = 0.0286;
        let mut balls = Vec::new();
        let put = |scene: &mut Scene, at: Vec3, speed: f32| {
            scene.add(Shape::Sphere(radius), 1700.0, at, |body| {
                (body.restitution, body.friction) = (0.95, 0.1);
                body.velocity.x = speed;
                body.flags |= if is_restless { flag::NEVER_SLEEPS } else { 0 };
            })
        };
        for line in 0..5 {
            for place in 0..=line {
                let gap = radius * 2.0 + 0.0002;
                let at = Vec3::new(line as f32 * gap * 0.866, (place as f32 - line as f32 * 0.5) * gap, radius);
                balls.push(put(&mut scene, at, 0.0));
            }
        }
        scene.run(100);
        balls.push(put(&mut scene, Vec3::new(-0.6, 0.003, radius), speed));
        let momentum =
            |scene: &Scene| balls.iter().map(|ball| scene.body(*ball).velocity).fold(Vec3::ZERO, |sum, one| sum + one);
        let before = momentum(&scene);
        let steps = (0.6 / (speed * 0.01)) as u32 + 3;
        scene.run(steps);
        (before, momentum(&scene), balls.iter().map(|ball| scene.body(*ball).velocity.length()).fold(0.0, number::max))
    };
    for speed in [1.0, 4.0, 10.0] {
        let (asleep, awake) = (play(false, speed), play(true, speed));
        assert!(asleep.1.x > 0.85 * asleep.0.x, "{speed} m/s: {asleep:?}, awake {awake:?}");
        assert!(asleep.1.distance(awake.1) < 0.05 * speed, "{speed} m/s: {asleep:?}, awake {awake:?}");
    }
}

#[test]
fn a_sleeping_ragdoll_wakes_whole_in_the_step_of_the_hit() {
    let mut scene = with_ground(40, 40);
    let ragdoll = Ragdoll::new(&mut scene, Vec3::ZERO);
    scene.run(900);
    assert!(ragdoll.bodies.iter().all(|body| scene.body(*body).is(flag::ASLEEP)), "it rests");
    let chest = scene.body(ragdoll.bodies[1]).position;
    let momentum = |scene: &Scene| {
        let bodies = ragdoll.bodies.iter().map(|body| scene.body(*body));
        bodies.fold(Vec3::ZERO, |sum, body| sum + body.velocity * (1.0 / body.inverse_mass))
    };
    for (speed, side) in [(8.0, Vec3::Z), (300.0, Vec3::Z)] {
        let from = chest + side * (0.5 + speed * 0.02);
        let ball = scene.add(Shape::Sphere(0.1), 2000.0, from, |body| body.velocity = side * -speed);
        let mut last = scene.body(ball).velocity;
        for _ in 0..20 {
            scene.step();
            let now = scene.body(ball).velocity;
            if now.distance(last) > 0.3 * speed {
                break;
            }
            last = now;
        }
        let are_awake = ragdoll.bodies.iter().all(|body| !scene.body(*body).is(flag::ASLEEP));
        assert!(are_awake, "{speed} m/s: all of it is awake in the step of the hit");
        assert!(momentum(&scene).length() > 0.0);
        scene.remove(ball);
        scene.run(900);
    }
}

#[test]
fn a_limb_that_is_pushed_moves_with_its_sleeping_ragdoll() {
    let mut scene = with_ground(40, 40);
    let ragdoll = Ragdoll::new(&mut scene, Vec3::ZERO);
    scene.run(900);
    scene.edit(ragdoll.bodies[1], |body| body.add_impulse(Vec3::new(0.0, 0.0, 150.0)));
    scene.step();
    assert!(ragdoll.bodies.iter().all(|body| !scene.body(*body).is(flag::ASLEEP)));
    assert!(ragdoll.apart(&scene) < 0.02, "{}", ragdoll.apart(&scene));
}

#[test]
fn a_body_in_space_that_drifts_slowly_does_not_fall_asleep() {
    let mut scene = Scene::new(4, 0.0);
    let slow = scene.add(Shape::Sphere(0.2), 1.0, Vec3::ZERO, |body| body.velocity.x = 0.01);
    scene.run(600);
    let body = scene.body(slow);
    assert!((body.velocity.x - 0.01).abs() < 1.0e-6 && (body.position.x - 0.1).abs() < 1.0e-3, "{body:?}");
}

#[test]
fn shots_that_pass_by_wake_nothing() {
    let mut scene = Scene::new(64, 0.0);
    let mut random = Pcg::new(5, 5);
    let resting: Vec<_> = (0..20)
        .map(|number| {
            scene.add(Shape::Sphere(0.5), 1.0, Vec3::new(number as f32 * 2.0, 0.0, 0.0), |body| {
                (body.rest_seconds, body.flags) = (1.0, body.flags | flag::ASLEEP);
            })
        })
        .collect();
    for number in 0..20 {
        let side = if number % 2 == 0 { 0.7 } else { -0.7 };
        let from = Vec3::new(-3.0, side, random.between(-0.2, 0.2));
        scene.add(Shape::Sphere(0.05), 100.0, from, |body| {
            (body.velocity.x, body.group) = (500.0 + number as f32 * 20.0, 1);
        });
    }
    scene.run(10);
    assert!(resting.iter().all(|one| scene.body(*one).is(flag::ASLEEP)));
}
