//! Our own scenes with any number of workers: what a brush cycle takes, stage by stage.
//!
//!     peers-workers [SCENE…] [--workers 1,2,4] [--cycles 200] [--turns 3]
//!
//! A scene is one of the scenes of physics (`"pile 4000"`; `"ball @16384"` has room for 16,384 bodies), or a level of a game
//! (`sandbox/crowd`, `skirmish/fleet`, `quarry/convoy`). Each is played from its start with each number of workers, in turns; every
//! turn must end with the same hash. A time is the mean over the cycles of each cycle's minimum, in microseconds of wall time.

#[path = "../../../foundation/physics/scenes/description.rs"]
#[expect(dead_code, reason = "the outcome of a scene is checked elsewhere")]
mod description;

#[path = "../../../foundation/physics/scenes/ours.rs"]
mod ours;

#[cfg(feature = "games")]
mod level;
mod measured;
mod scene;

use measured::Measured;

/// What is measured unless other scenes are named.
const SCENES: [&str; 10] = [
    "ball @16",
    "ball @16384",
    "crowd 0 1 @16",
    "crowd 0 1 @16384",
    "crowd 100 50",
    "pile 1000",
    "pile 4000",
    "sandbox/crowd",
    "skirmish/fleet",
    "quarry/convoy",
];

/// How long, and how often.
#[derive(Clone, Copy)]
struct Steps {
    before: usize,
    measured: usize,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut scenes, mut workers, mut cycles, mut turns) = (Vec::new(), vec![1, 2], 100, 3);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|word| word.parse().ok()).expect("a number was expected");
        match argument.as_str() {
            "--cycles" => cycles = number(),
            "--turns" => turns = number(),
            "--workers" => {
                let list = arguments.next().expect("a list of numbers was expected");
                workers = list.split(',').map(|word| word.parse().expect("a number was expected")).collect();
            }
            _ => scenes.push(argument),
        }
    }
    if scenes.is_empty() {
        scenes.extend(SCENES.map(str::to_owned));
    }
    let steps = Steps { before: 60, measured: cycles };
    for scene in &scenes {
        let mut all: Vec<(u32, Vec<Measured>)> = workers.iter().map(|workers| (*workers, Vec::new())).collect();
        for _ in 0..turns {
            for (workers, measured) in &mut all {
                measured.push(play(scene, *workers, steps));
            }
        }
        measured::print(scene, &all);
    }
}

fn play(name: &str, workers: u32, steps: Steps) -> Measured {
    #[cfg(feature = "games")]
    if let Some((game, level)) = name.split_once('/') {
        return level::play(game, level, workers, steps);
    }
    scene::play(name, workers, steps)
}
