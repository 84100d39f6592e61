//! Capacity: a world with much more of it than it uses behaves like one with just enough.

use crate::common;

use base::Vec3;
use common::Scene;
use common::description::SceneDescription;
use host::thread_pool::ThreadPool;
use physics::{Body, Shape};
use state::{Alone, Workers};

/// Plays with bodies that come, touch, sleep and go, the last slot first; with capacity for this many.
fn play(bodies: u32) -> Vec<Vec<Body>> {
    let mut scene = Scene::new(bodies, 9.81);
    scene.add(Shape::Box(Vec3::new(50.0, 50.0, 1.0)), 0.0, Vec3::new(0.0, 0.0, -1.0), |_| {});
    let mut handles = Vec::new();
    let mut seen = Vec::new();
    for number in 0..90 {
        let at = Vec3::new((number % 9) as f32 * 0.9, (number / 9) as f32 * 0.9, 0.6 + (number % 4) as f32 * 0.3);
        let shape = if number % 3 == 0 { Shape::Box(Vec3::splat(0.4)) } else { Shape::Sphere(0.45) };
        handles.push(scene.add(shape, 1.0, at, |_| {}));
    }
    for round in 0..6 {
        scene.run(if round == 3 { 120 } else { 20 });
        seen.push(scene.bodies());
        for handle in handles.drain(handles.len() - 15..) {
            scene.remove(handle);
        }
    }
    scene.run(5);
    assert_eq!((handles.len(), scene.physics.parts.contacts.count(&scene.world)), (0, 0));
    seen
}

#[test]
fn room_that_is_not_used_changes_no_bit() {
    assert!(play(91) == play(5000), "the capacity shows");
}

#[test]
fn ragdolls_and_cars_move_the_same_with_any_number_of_workers() {
    let description = SceneDescription::named("crowd 6 4").expect("there is such a scene");
    let play = |workers: &dyn Workers| {
        let mut scene = Scene::of(&description, 200);
        for _ in 0..40 {
            scene.step_with(workers);
        }
        scene.bodies()
    };
    let alone = play(&Alone);
    for workers in [2, 5] {
        assert!(alone == play(&ThreadPool::new(workers)), "{workers} workers");
    }
    assert!(alone == play(&ThreadPool::new(3).with_shuffle(7)), "shuffled");
}
