//! Exactness: whoever restores a block and steps gets what everybody gets, at every single step, with any crew.

mod common;

use base::{Handle, Vec3};
use common::{Scene, crowd};
use host::crew::Crew;
use physics::{Body, Shape};
use state::{Alone, Heap, Workers};

/// A scene, and what happens in it on the way.
struct Film {
    name: &'static str,
    make: fn() -> Scene,
    steps: u32,
    /// The hash at the end, on every machine and in every build.
    hash: u64,
}

const FILMS: [Film; 3] = [
    Film { name: "pile", make: || crowd(300, false), steps: 40, hash: 0x775f_f4d2_8a9a_e20b },
    Film { name: "gas", make: || crowd(300, true), steps: 30, hash: 0x5aff_b9b7_98f1_4abb },
    Film { name: "tower that falls over", make: falling_tower, steps: 110, hash: 0xe9be_a281_94ee_6451 },
];

#[test]
fn every_crew_gives_the_same_and_so_does_every_build() {
    let mut found = Vec::new();
    for film in &FILMS {
        let alone = play(film, &Alone);
        for workers in [2, 3, 8, 16] {
            // Shuffled crews hand out every job in an order of their own; the others go through rounds together.
            for crew in [Crew::new(workers).with_shuffle(u64::from(workers)), Crew::new(workers)] {
                assert_eq!(play(film, &crew), alone, "{} with {workers} workers", film.name);
            }
        }
        found.push((film.name, alone, film.hash));
    }
    assert!(found.iter().all(|(_, hash, expected)| hash == expected), "{found:#x?}");
}

#[test]
fn restoring_and_stepping_is_stepping_at_every_single_step() {
    for film in &FILMS {
        let mut scene = (film.make)();
        let mut added = Vec::new();
        for step in 0..film.steps {
            meddle(&mut scene, step, &mut added);
            // In a world and with room to work in that have seen nothing before.
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

/// A tower of twelve cubes, pushed at the top, that may fall asleep as it lies.
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

/// Adds a body now and then, pushes it a little later, and takes it away again.
fn meddle(scene: &mut Scene, step: u32, added: &mut Vec<Handle<Body>>) {
    match step % 20 {
        5 => {
            let shape = Shape::Capsule { half: 0.3, radius: 0.2 };
            added.push(scene.add(shape, 3.0, Vec3::new(0.3, 0.2, 2.0), |body| body.spin = Vec3::new(1.0, 2.0, 3.0)));
        }
        11 => scene.edit(added[added.len() - 1], |body| body.add_impulse(Vec3::new(2.0, -1.0, 4.0))),
        17 => {
            let (physics, last) = (&scene.physics, added[added.len() - 1]);
            scene.world.set_up(|world| physics.remove(world, last));
        }
        _ => {}
    }
}
