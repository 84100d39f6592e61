//! Stacks of bodies stand, and stand still.

use crate::common;

use base::number::{cos, max, sin};
use base::{Handle, Pcg, Quat, Random, Vec3};
use common::Scene;
use physics::{Body, Shape};

/// The number of steps: twenty seconds.
const STEPS: u32 = 1200;

/// A scene with ground, in which nothing sleeps.
struct Site {
    scene: Scene,
    start: Vec<(Handle<Body>, Vec3)>,
}

/// The largest sideways drift, and the highest speed in the last second.
#[derive(Debug)]
struct Outcome {
    drift: f32,
    speed: f32,
}

impl Site {
    fn new() -> Site {
        let mut scene = Scene::new(256, 9.81);
        scene.settings.sleep_seconds = 0.0;
        scene.add(Shape::Box(Vec3::new(50.0, 50.0, 1.0)), 0.0, Vec3::new(0.0, 0.0, -1.0), |_| {});
        Site { scene, start: Vec::new() }
    }

    /// Adds a box and records its start.
    fn put(&mut self, half: Vec3, density: f32, at: Vec3, change: impl FnOnce(&mut Body)) {
        let handle = self.scene.add(Shape::Box(half), density, at, change);
        self.start.push((handle, at));
    }

    fn play(&mut self) -> Outcome {
        let mut speed = 0.0;
        for step in 0..STEPS {
            self.scene.step();
            if step + 60 >= STEPS {
                let speeds = self.start.iter().map(|(handle, _)| self.scene.body(*handle).velocity.length());
                speed = speeds.fold(speed, max);
            }
        }
        let drifts = self.start.iter().map(|(handle, at)| (self.scene.body(*handle).position - *at).xy().length());
        Outcome { drift: drifts.fold(0.0, max), speed }
    }
}

/// A tower of one-metre cubes, each displaced by up to `aside`, with a top of another density.
fn tower(count: u32, aside: f32, seed: u64, top_density: f32) -> Outcome {
    let mut site = Site::new();
    let mut random = Pcg::new(seed, 1);
    for number in 0..count {
        let density = if number + 1 == count { top_density } else { 1.0 };
        let (x, y) = (random.between(-aside, aside), random.between(-aside, aside));
        site.put(Vec3::splat(0.5), density, Vec3::new(x, y, 0.5 + number as f32), |_| {});
    }
    site.play()
}

fn check(what: &str, outcome: &Outcome, drift_max: f32, speed_max: f32) {
    println!("{what}: {outcome:?}");
    assert!(outcome.drift <= drift_max && outcome.speed <= speed_max, "{what}: {outcome:?}");
}

#[test]
fn crooked_towers_stand() {
    for (count, aside, drift_max) in [(20, 0.005, 0.01), (40, 0.001, 0.02), (40, 0.005, 0.06)] {
        for seed in 0..3 {
            check(&format!("{count}, {aside}, {seed}"), &tower(count, aside, seed, 1.0), drift_max, 0.03);
        }
    }
}

#[test]
fn heavy_bodies_rest_on_light_ones() {
    for (count, density) in [(2, 100.0), (2, 1000.0), (10, 10.0), (10, 100.0), (20, 10.0)] {
        for aside in [0.0, 0.003] {
            check(&format!("{density} on {count}, {aside}"), &tower(count, aside, 2, density), 0.02, 0.03);
        }
    }
}

#[test]
fn pyramids_stand_still() {
    for gap in [0.0, 0.02] {
        let mut site = Site::new();
        for row in 0..12 {
            for number in 0..12 - row {
                let x = (number as f32 - (11 - row) as f32 * 0.5) * (1.0 + gap);
                site.put(Vec3::splat(0.5), 1.0, Vec3::new(x, 0.0, 0.5 + row as f32), |_| {});
            }
        }
        check(&format!("gap {gap}"), &site.play(), 0.01, 0.005);
    }
}

#[test]
fn a_wall_of_bricks_stands_still() {
    let mut site = Site::new();
    for row in 0..12_u32 {
        for number in 0..10 {
            let x = number as f32 + 0.3 * (row % 2) as f32;
            site.put(Vec3::new(0.5, 0.25, 0.25), 1.0, Vec3::new(x, 0.0, 0.25 + 0.5 * row as f32), |_| {});
        }
    }
    check("wall", &site.play(), 0.015, 0.005);
}

/// Their ends are flush with the sides of the bricks below.
#[test]
fn crossed_bricks_stand_still() {
    for aside in [0.0, 0.005] {
        let mut site = Site::new();
        let mut random = Pcg::new(1, 1);
        for row in 0..20_u32 {
            let (x, y) = (random.between(-aside, aside), random.between(-aside, aside));
            for side in [-0.7, 0.7] {
                let (half, at) = match row % 2 {
                    0 => (Vec3::new(1.0, 0.3, 0.25), Vec3::new(x, y + side, 0.25 + 0.5 * row as f32)),
                    _ => (Vec3::new(0.3, 1.0, 0.25), Vec3::new(x + side, y, 0.25 + 0.5 * row as f32)),
                };
                site.put(half, 1.0, at, |_| {});
            }
        }
        check(&format!("aside {aside}"), &site.play(), 0.005, 0.005);
    }
}

/// Cards leaning against each other in pairs, with cards lying across; three storeys.
#[test]
fn houses_of_cards_stand_still() {
    for (lean, friction) in [(0.3, 0.8), (0.4, 0.8), (0.3, 0.5)] {
        let mut site = Site::new();
        site.scene.edit_fixed_friction(friction);
        let (wide, thick, long) = (0.35, 0.01, 0.5);
        let (sine, cosine) = (sin(lean), cos(lean));
        let pitch = 4.0 * (long * sine + thick * cosine) + 0.05;
        let mut height = 0.0;
        for pairs in (1..=3).rev() {
            let place = |number: i32, count: i32| (number as f32 - (count - 1) as f32 * 0.5) * pitch;
            for number in 0..pairs {
                for side in [-1.0, 1.0] {
                    let x = place(number, pairs) + side * (long * sine + thick * cosine);
                    let at = Vec3::new(x, 0.0, height + long * cosine + thick * sine);
                    site.put(Vec3::new(thick, wide, long), 1.0, at, |body| {
                        body.rotation = Quat::from_rotation_vector(Vec3::Y * (-side * lean));
                        body.friction = friction;
                    });
                }
            }
            height += 2.0 * (long * cosine + thick * sine);
            for number in 0..pairs - 1 {
                let at = Vec3::new(place(number, pairs - 1), 0.0, height + thick);
                let half = Vec3::new(pitch * 0.5 - 0.002, wide, thick);
                site.put(half, 1.0, at, |body| body.friction = friction);
            }
            height += 2.0 * thick;
        }
        check(&format!("lean {lean}, friction {friction}"), &site.play(), 0.005, 0.005);
    }
}
