//! Determinism: any number of workers and any restored block give the same result, at every step.

use crate::common;

use base::{Handle, Vec3};
use common::{Scene, crowd};
use host::thread_pool::ThreadPool;
use physics::{Body, Shape};
use state::{Alone, Heap, Workers};

/// A scene that is played with interventions.
struct Film {
    name: &'static str,
    make: fn() -> Scene,
    steps: u32,
    /// The final hash, on every machine and in every build.
    hash: u64,
}

const FILMS: [Film; 3] = [
    Film { name: "pile", make: || crowd(300, false), steps: 40, hash: 0x4995_d3cf_3e35_f941 },
    Film { name: "gas", make: || crowd(300, true), steps: 30, hash: 0x7cc1_cdda_318f_99a4 },
    Film { name: "tower that falls over", make: falling_tower, steps: 110, hash: 0x5e59_c24c_c953_0684 },
];

#[test]
fn results_depend_neither_on_workers_nor_on_the_build() {
    let mut found = Vec::new();
    for film in &FILMS {
        let alone = play(film, &Alone);
        for workers in [2, 3, 8, 16] {
            // Shuffled pools run the jobs in another order; in the others, workers go through the phases together.
            for crew in [ThreadPool::new(workers).with_shuffle(u64::from(workers)), ThreadPool::new(workers)] {
                assert_eq!(play(film, &crew), alone, "{} with {workers} workers", film.name);
            }
        }
        found.push((film.name, alone, film.hash));
    }
    assert!(found.iter().all(|(_, hash, expected)| hash == expected), "{found:#x?}");
}

#[test]
fn restoring_before_any_step_changes_nothing() {
    for film in &FILMS {
        let mut scene = (film.make)();
        let mut added = Vec::new();
        for step in 0..film.steps {
            meddle(&mut scene, step, &mut added);
            // A new world, with working memory that has seen no step.
            let mut fresh = (film.make)();
            fresh.shapes = scene.shapes.clone();
            let copy = scene.world.snapshot(&Heap);
            fresh.world.restore(&copy);
            scene.step();
            fresh.step();
            assert_eq!(fresh.world.hash(), scene.world.hash(), "{} at step {step}", film.name);
        }
    }
}

fn play(film: &Film, workers: &dyn Workers) -> u64 {
    let mut scene = (film.make)();
    let mut added = Vec::new();
    for step in 0..film.steps {
        meddle(&mut scene, step, &mut added);
        scene.step_with(workers);
    }
    scene.world.hash()
}

/// A tower of twelve cubes, pushed at the top; it may fall asleep once it has fallen.
fn falling_tower() -> Scene {
    let mut scene = Scene::new(40, 9.81);
    scene.add(Shape::Box(Vec3::new(50.0, 50.0, 1.0)), 0.0, Vec3::new(0.0, 0.0, -1.0), |_| {});
    for number in 0..12 {
        scene.add(Shape::Box(Vec3::splat(0.5)), 1.0, Vec3::new(0.0, 0.0, 0.5 + number as f32), |body| {
            body.velocity.x = 0.3 * number as f32;
        });
    }
    scene
}

/// Adds a body now and then, pushes it a little later, and removes it again.
fn meddle(scene: &mut Scene, step: u32, added: &mut Vec<Handle<Body>>) {
    match step % 20 {
        5 => {
            let shape = Shape::Capsule { half: 0.3, radius: 0.2 };
            added
                .push(scene.add(shape, 3.0, Vec3::new(0.3, 0.2, 2.0), |body| {
                    body.angular_velocity = Vec3::new(1.0, 2.0, 3.0)
                }));
        }
        11 => scene.edit(added[added.len() - 1], |body| body.add_impulse(Vec3::new(2.0, -1.0, 4.0))),
        17 => {
            let (physics, last) = (&scene.physics, added[added.len() - 1]);
            scene.world.set_up(|world| physics.remove(world, last));
        }
        _ => {}
    }
}
