//! A scene of physics, in a world with nothing else.

use std::time::Instant;

use host::pages::Pages;
use host::thread_pool::ThreadPool;
use physics::{Capacities, Physics, Shapes};
use state::{Layout, World};

use crate::Steps;
use crate::description::SceneDescription;
use crate::measured::Measured;
use crate::ours;

/// Plays a scene; `NAME @BODIES` has room for this many bodies.
pub fn play(name: &str, workers: u32, steps: Steps) -> Measured {
    let (name, room) = name.split_once('@').map_or((name, None), |(name, room)| (name.trim(), Some(room)));
    let scene = SceneDescription::named(name).expect("there is such a scene");
    let capacities = match room {
        Some(bodies) => Capacities::for_bodies(bodies.parse().expect("a number of bodies")),
        None => ours::capacities(&scene),
    };
    let mut layout = Layout::of_world("workers");
    layout.system("physics");
    let physics = Physics::new(&mut layout, capacities);
    let checks = state::world::Settings { is_checked: false, garbage: 0, shuffle: 0 };
    let mut world = World::new(&layout.finish(), &Pages, checks, 1);
    let shapes = world.set_up(|world| {
        let mut bodies = Vec::new();
        let shapes = ours::build(&scene, |body| bodies.push(physics.add(world, body).expect("the capacity suffices")));
        for joint in ours::joints(&scene, &bodies) {
            physics.add_joint(world, &joint).expect("the capacity suffices");
        }
        shapes
    });
    let (shapes, settings, pool) = (Shapes::new(shapes), ours::settings(&scene), ThreadPool::new(workers));
    let mut measured = Measured::default();
    for cycle in 0..steps.before + steps.measured {
        if cycle <= steps.before {
            measured.cycles.clear();
        }
        measured.cycles.push(Vec::new());
        let mut last = Instant::now();
        let mut lap = |measured: &mut Measured, stage: &str| {
            let now = Instant::now();
            measured.add(stage, (now - last).as_nanos() as u64);
            last = now;
        };
        world.simulate(&pool, &[]);
        lap(&mut measured, "freeze");
        physics.step_in_laps(&mut world, &shapes, &settings, &pool, &mut |phase| lap(&mut measured, phase.name()));
        world.rest();
        lap(&mut measured, "rest");
        if cycle % 5 == 4 {
            measured.hash = world.hash();
            lap(&mut measured, "hash");
        }
    }
    let counts = physics.parts.counts.get(&world);
    assert_eq!(counts.pairs_refused + counts.contacts_refused + counts.quarantined, 0, "no capacity is exceeded");
    measured.hash = world.hash();
    measured
}
