//! The place that an event of contact reports.

use base::Vec3;
use physics::{ContactEventKind, Shape};

use crate::common::Scene;

/// The places of all impacts of a ball that is thrown at ground at z = 0 and at a wall at x = 0.
#[test]
fn the_place_of_an_impact_lies_on_the_surface() {
    let mut found = 0;
    for (speed, gravity, is_point) in [
        (0.5, 9.81, false),
        (9.9, 9.81, false),
        (9.9, 0.0, false),
        (4.0, 0.0, false),
        (60.0, 9.81, false),
        (800.0, 0.0, false),
        (800.0, 0.0, true),
        (3.0, 0.0, true),
    ] {
        for (number, shape) in [Shape::Sphere(0.3), Shape::Box(Vec3::new(0.3, 0.4, 0.3))].into_iter().enumerate() {
            for lift in [0.35, 0.47, 0.55, 1.0] {
                let mut scene = Scene::new(4, gravity);
                scene.settings.seconds = 0.01;
                scene.add(Shape::Box(Vec3::new(50.0, 50.0, 1.0)), 0.0, Vec3::new(0.0, 0.0, -1.0), |_| {});
                scene.add(shape.clone(), 1.0, Vec3::new(0.2, 0.1, lift), |body| {
                    (body.velocity, body.restitution) = (Vec3::new(0.3, 0.0, -speed), 0.7);
                    body.flags |= if is_point { physics::flag::POINT } else { 0 };
                });
                for _ in 0..60 {
                    scene.step();
                    let events: Vec<_> = scene.physics.parts.events.get(&scene.world).to_vec();
                    for event in events {
                        let is_begin = event.is(ContactEventKind::Began) || event.is(ContactEventKind::Hit);
                        if is_begin {
                            found += 1;
                            let high = event.point.z;
                            assert!(high.abs() < 0.001, "{speed} m/s, shape {number}: {high} m above, {event:?}");
                        }
                    }
                }
            }
        }
    }
    assert!(found > 60, "{found}");
}

#[test]
fn two_bodies_that_meet_report_the_place_between_them() {
    for speed in [1.0, 4.0] {
        let mut scene = Scene::new(4, 0.0);
        scene.settings.seconds = 0.01;
        for (at, velocity) in [(-0.52, speed), (0.52, -speed)] {
            scene.add(Shape::Sphere(0.5), 1.0, Vec3::new(at, 0.0, 0.0), |body| body.velocity.x = velocity);
        }
        let mut places = Vec::new();
        for _ in 0..10 {
            scene.step();
            places.extend(scene.physics.parts.events.get(&scene.world).iter().map(|event| event.point));
        }
        assert!(places.len() == 1 && places[0].length() < 0.005, "{speed} m/s: {places:?}");
    }
}
