//! Kinematic bodies that move or turn fast: they pass nothing that lies in their way.

use base::{Quat, Vec3};
use physics::{JointDefinition, Shape, flag};

use crate::common::Scene;

/// Makes a body kinematic.
fn kinematic(body: &mut physics::Body) {
    (body.inverse_mass, body.inverse_inertia) = (0.0, Vec3::ZERO);
    body.flags |= flag::NEVER_SLEEPS;
}

fn asleep(body: &mut physics::Body, is_asleep: bool) {
    if is_asleep {
        (body.rest_seconds, body.flags) = (1.0, body.flags | flag::ASLEEP);
    }
}

#[test]
fn a_fast_plate_takes_along_what_lies_in_its_way() {
    for speed in [2.0, 10.0, 40.0, 100.0, 300.0, 1000.0] {
        for is_asleep in [false, true] {
            for shape in [Shape::Sphere(0.25), Shape::Box(Vec3::splat(0.2)), Shape::Capsule { half: 0.3, radius: 0.1 }]
            {
                let mut scene = Scene::new(4, 0.0);
                scene.settings.seconds = 0.01;
                let ball = scene.add(shape.clone(), 100.0, Vec3::ZERO, |body| asleep(body, is_asleep));
                let plate =
                    scene.add(Shape::Box(Vec3::new(0.02, 2.0, 2.0)), 100.0, Vec3::new(-0.9, 0.0, 0.0), |body| {
                        kinematic(body);
                        body.velocity.x = speed;
                    });
                for _ in 0..(2.0 / (speed * 0.01)) as u32 + 3 {
                    scene.step();
                    let (ball, plate) = (scene.body(ball), scene.body(plate));
                    assert_eq!(plate.velocity.x, speed);
                    assert!(ball.position.x > plate.position.x, "{speed} m/s, asleep {is_asleep}, {shape:?}: {ball:?}");
                }
                let ball = scene.body(ball);
                assert!(ball.velocity.x > speed * 0.99, "{speed} m/s, asleep {is_asleep}, {shape:?}: {ball:?}");
            }
        }
    }
}

#[test]
fn a_rotor_hits_what_lies_beside_it() {
    for spin in [3.0, 12.0, 36.0, 72.0, 150.0, 300.0] {
        for is_asleep in [false, true] {
            let mut scene = Scene::new(4, 0.0);
            scene.settings.seconds = 0.01;
            let ball = scene.add(Shape::Sphere(0.1), 100.0, Vec3::new(1.5, 0.0, 0.0), |body| asleep(body, is_asleep));
            scene.add(Shape::Box(Vec3::new(2.0, 0.03, 0.2)), 100.0, Vec3::ZERO, |body| {
                kinematic(body);
                body.rotation = Quat::from_axis_angle(Vec3::Z, 0.6);
                body.angular_velocity.z = -spin;
            });
            scene.run((0.7 / (spin * 0.01)) as u32 + 2);
            let ball = scene.body(ball);
            assert!(ball.velocity.y < -1.4 * spin, "{spin} rad/s, asleep {is_asleep}: {ball:?}");
        }
    }
}

#[test]
fn a_fast_plate_takes_the_whole_chain_along() {
    for speed in [10.0, 60.0, 200.0] {
        let capacities = physics::Capacities { joints: 4, ..physics::Capacities::for_bodies(4) };
        let mut scene = Scene::with(capacities, 0.0, state::world::Settings::default());
        scene.settings.seconds = 0.01;
        let links = [0.0, 0.6].map(|y| scene.add(Shape::Sphere(0.2), 100.0, Vec3::new(0.0, y, 0.0), |_| {}));
        scene.join(JointDefinition::ball(links[0], links[1], Vec3::new(0.0, 0.3, 0.0)));
        let plate = scene.add(Shape::Box(Vec3::new(0.02, 2.0, 2.0)), 100.0, Vec3::new(-0.9, 0.3, 0.0), |body| {
            kinematic(body);
            body.velocity.x = speed;
        });
        for _ in 0..(2.0 / (speed * 0.01)) as u32 + 3 {
            scene.step();
            for link in links {
                let (link, plate) = (scene.body(link), scene.body(plate));
                assert!(link.position.x > plate.position.x, "{speed} m/s: {link:?}");
            }
        }
    }
}

#[test]
fn a_fast_plate_drives_a_row_into_the_next() {
    let mut scene = Scene::new(16, 0.0);
    scene.settings.seconds = 0.01;
    let row: Vec<_> =
        (0..8).map(|at| scene.add(Shape::Sphere(0.1), 100.0, Vec3::new(at as f32 * 0.25, 0.0, 0.0), |_| {})).collect();
    let plate = scene.add(Shape::Box(Vec3::new(0.02, 1.0, 1.0)), 100.0, Vec3::new(-1.0, 0.0, 0.0), |body| {
        kinematic(body);
        body.velocity.x = 120.0;
    });
    for _ in 0..20 {
        scene.step();
        let plate = scene.body(plate).position.x;
        for ball in &row {
            assert!(scene.body(*ball).position.x > plate, "{:?}", scene.body(*ball));
        }
    }
}

#[test]
fn a_row_before_a_fast_plate_keeps_its_order() {
    for (speed, is_asleep) in [(120.0, false), (30.0, false), (30.0, true)] {
        let mut scene = Scene::new(16, 0.0);
        scene.settings.seconds = 0.01;
        let row: Vec<_> = (0..8)
            .map(|at| {
                let place = Vec3::new(at as f32 * 0.25, 0.0, 0.0);
                scene.add(Shape::Sphere(0.1), 100.0, place, |body| asleep(body, is_asleep))
            })
            .collect();
        scene.add(Shape::Box(Vec3::new(0.02, 1.0, 1.0)), 100.0, Vec3::new(-0.5, 0.0, 0.0), |body| {
            kinematic(body);
            body.velocity.x = speed;
        });
        for _ in 0..(3.0 / (speed * 0.01)) as u32 + 2 {
            scene.step();
            let places: Vec<_> = row.iter().map(|ball| scene.body(*ball).position.x).collect();
            let is_in_order = places.windows(2).all(|pair| pair[0] < pair[1]);
            assert!(is_in_order, "{speed} m/s, asleep {is_asleep}: {places:?}");
        }
    }
}

#[test]
fn a_plate_and_a_ball_rebound_by_their_restitution() {
    for speed in [5.0, 50.0, 500.0] {
        for restitution in [0.0, 0.5, 1.0] {
            let mut scene = Scene::new(4, 0.0);
            scene.settings.seconds = 0.01;
            let ball = scene.add(Shape::Sphere(0.1), 100.0, Vec3::ZERO, |body| body.restitution = restitution);
            scene.add(Shape::Box(Vec3::new(0.02, 1.0, 1.0)), 100.0, Vec3::new(-0.7, 0.0, 0.0), |body| {
                kinematic(body);
                body.velocity.x = speed;
            });
            scene.run((1.4 / (speed * 0.01)) as u32 + 2);
            let (found, right) = (scene.body(ball).velocity.x, speed * (1.0 + restitution));
            assert!((found - right).abs() < 0.01 * right, "{speed} m/s, {restitution}: {found}, not {right}");
        }
    }
}

#[test]
fn what_is_carried_fast_is_not_disturbed() {
    // On a train, and on a disc.
    for (speed, spin) in [(60.0, 0.0), (0.0, 1.0)] {
        let mut scene = Scene::new(8, 9.81);
        scene.settings.seconds = 0.01;
        let floor = scene.add(Shape::Box(Vec3::new(4.0, 4.0, 0.05)), 100.0, Vec3::new(0.0, 0.0, -0.05), |body| {
            kinematic(body);
            (body.velocity.x, body.angular_velocity.z, body.friction) = (speed, spin, 1.0);
        });
        let load: Vec<_> = [(0.5, 0.0), (-0.4, 0.5), (0.0, -0.6)]
            .into_iter()
            .map(|(x, y)| {
                let place = Vec3::new(x, y, 0.1);
                scene.add(Shape::Box(Vec3::new(0.2, 0.2, 0.1)), 100.0, place, |body| {
                    body.velocity = Vec3::new(speed, 0.0, 0.0) + Vec3::new(0.0, 0.0, spin).cross(place);
                    (body.angular_velocity.z, body.friction) = (spin, 1.0);
                })
            })
            .collect();
        let place = |scene: &Scene, body| {
            let (floor, body) = (scene.body(floor), scene.body(body));
            floor.rotation.rotate_back(body.position - floor.position)
        };
        let before: Vec<_> = load.iter().map(|body| place(&scene, *body)).collect();
        scene.run(100);
        for (body, before) in load.iter().zip(before) {
            let now = place(&scene, *body);
            assert!(now.distance(before) < 0.02, "{speed} m/s, {spin} rad/s: from {before:?} to {now:?}");
        }
    }
}

#[test]
fn a_plate_drives_nothing_through_a_wall() {
    for speed in [5.0, 50.0, 200.0] {
        let mut scene = Scene::new(4, 0.0);
        scene.settings.seconds = 0.01;
        scene.add(Shape::Box(Vec3::new(0.05, 3.0, 3.0)), 0.0, Vec3::new(1.0, 0.0, 0.0), |_| {});
        let ball = scene.add(Shape::Sphere(0.1), 100.0, Vec3::new(0.5, 0.0, 0.0), |_| {});
        scene.add(Shape::Box(Vec3::new(0.02, 1.0, 1.0)), 100.0, Vec3::new(-0.7, 0.0, 0.0), |body| {
            kinematic(body);
            body.velocity.x = speed;
        });
        for _ in 0..(3.0 / (speed * 0.01)) as u32 + 10 {
            scene.step();
            let ball = scene.body(ball);
            assert!(ball.position.x < 0.95 && ball.velocity.is_finite(), "{speed} m/s: {ball:?}");
        }
    }
}

#[test]
fn a_thick_wall_that_comes_fast_pushes_small_bodies_before_it() {
    for is_asleep in [false, true] {
        let mut scene = Scene::new(4, 0.0);
        scene.settings.seconds = 0.01;
        let ball = scene.add(Shape::Sphere(0.05), 100.0, Vec3::ZERO, |body| asleep(body, is_asleep));
        let wall = scene.add(Shape::Box(Vec3::splat(2.0)), 100.0, Vec3::new(-2.5, 0.0, 0.0), |body| {
            kinematic(body);
            body.velocity.x = 80.0;
        });
        for _ in 0..5 {
            scene.step();
            let (ball, wall) = (scene.body(ball), scene.body(wall));
            let gap = ball.position.x - wall.position.x - 2.05;
            assert!(gap > -0.01, "asleep {is_asleep}: {gap} m: {ball:?}");
        }
    }
}
