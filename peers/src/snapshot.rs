//! Save, restore and hash: our block against the worlds of others, and against plain memory.
//!
//! Contenders take turns. A turn is a new world and a few rounds; the others are idle meanwhile, so that the caches are as
//! warm as in a game. A round: a fifth of the objects is replaced, all are modified, and the world is saved; one object in a
//! hundred is modified, and the world is saved; a fifth is replaced, all are modified, and the world is saved and hashed; the
//! same again, and it is restored. After each of these all contenders must hold the same objects.

mod scene;

mod columns;
mod contender;

mod bevy_ecs;
mod bevy_ggrs;
mod hecs;
mod ours;

mod memcpy;

use bevy_ecs::BevyEcs;
use bevy_ggrs::BevyGgrs;
use contender::Contender;
use hecs::Hecs;
use memcpy::Memcpy;
use ours::Ours;
use scene::{Object, Scene, Tally};

use crate::measure::{Row, Times};

const SEED: u64 = 2026;

/// Turns per contender, and rounds per turn. The first round of a turn warms the caches and is not measured.
struct Turns {
    count: u32,
    rounds: u32,
}

const SIZES: [(u32, Turns); 2] = [(10_000, Turns { count: 16, rounds: 9 }), (100_000, Turns { count: 8, rounds: 6 })];

/// The number of objects for which our block has 8 MiB.
const EIGHT_MIB_OBJECTS: u32 = 51_960;
const EIGHT_MIB: usize = 8 * 1024 * 1024;
const EIGHT_MIB_TURNS: Turns = Turns { count: 12, rounds: 30 };

/// Creates a contender with these objects in its world.
type Maker = fn(&[Object]) -> Box<dyn Contender>;

/// Our contender is the first.
const MAKERS: [Maker; 5] = [
    |objects| Box::new(Ours::new(objects)),
    |objects| Box::new(BevyGgrs::new(objects)),
    |objects| Box::new(BevyEcs::new(objects)),
    |objects| Box::new(Hecs::new(objects)),
    |objects| Box::new(Memcpy::new(objects)),
];

/// The measurements of a contender.
#[derive(Clone, Default)]
struct Measured {
    name: &'static str,
    save: Times,
    save_little: Times,
    restore: Times,
    save_and_hash: Times,
}

/// The operations, with their names and times.
type Operation = (&'static str, fn(&Measured) -> &Times);

const OPERATIONS: [Operation; 4] = [
    ("save", |times| &times.save),
    ("restore", |times| &times.restore),
    ("save + hash", |times| &times.save_and_hash),
    ("save, 1 % written", |times| &times.save_little),
];

/// All rows.
pub fn run() -> Vec<Row> {
    let mut rows = Vec::new();
    for (count, turns) in &SIZES {
        rows.extend(compare(*count, turns));
    }
    rows.extend(measure_eight_mib());
    rows
}

fn compare(count: u32, turns: &Turns) -> Vec<Row> {
    let mut measured = MAKERS.map(|_| Measured::default());
    for turn in 0..turns.count {
        let tallies: Vec<_> = MAKERS
            .iter()
            .zip(&mut measured)
            .map(|(maker, measured)| take_turn(&mut Scene::new(count, SEED + u64::from(turn)), *maker, turns, measured))
            .collect();
        for (tallies_of_peer, measured) in tallies.iter().zip(&measured) {
            assert!(*tallies_of_peer == tallies[0], "{} holds other objects than our world", measured.name);
        }
    }
    let [ours, peers @ ..] = measured;
    let mut rows = Vec::new();
    for (operation, times) in OPERATIONS {
        for peer in peers.iter().filter(|peer| operation != "restore" || !peer.name.starts_with("memcpy")) {
            let row = Row::new(format!("{count} objects: {operation}"), times(&ours), times(peer), peer.name);
            rows.push(Row { goal: goal(operation, peer.name), ..row });
        }
    }
    rows
}

fn goal(operation: &str, peer: &str) -> Option<f64> {
    match operation {
        "save" if peer.starts_with("bevy_ggrs") => Some(50.0),
        "save" if peer.starts_with("memcpy") => Some(1.0 / 1.3),
        _ => None,
    }
}

/// Runs a new world; returns its content after every step.
fn take_turn(scene: &mut Scene, maker: Maker, turns: &Turns, measured: &mut Measured) -> Vec<Tally> {
    let mut contender = maker(&scene.first());
    measured.name = contender.name();
    let mut tallies = play_round(scene, &mut *contender, &mut Measured::default()).to_vec();
    for _ in 0..turns.rounds {
        tallies.extend(play_round(scene, &mut *contender, measured));
    }
    tallies
}

fn play_round(scene: &mut Scene, contender: &mut dyn Contender, measured: &mut Measured) -> [Tally; 4] {
    // Not measured: evicts the restore of the previous round from the caches.
    change(scene, contender);
    contender.save();

    change(scene, contender);
    measured.save.time(|| contender.save());
    let first = contender.tally();

    contender.touch(scene.places(false));
    measured.save_little.time(|| contender.save());
    let second = contender.tally();

    change(scene, contender);
    measured.save_and_hash.time(|| contender.save_and_hash());
    let third = contender.tally();

    change(scene, contender);
    measured.restore.time(|| contender.restore());
    contender.find_again();
    let fourth = contender.tally();
    assert_eq!(fourth, third, "{} restored a different world than it saved", contender.name());
    [first, second, third, fourth]
}

/// Replaces a fifth of the objects and modifies all.
fn change(scene: &mut Scene, contender: &mut dyn Contender) {
    contender.churn(&scene.churn());
    contender.touch(scene.places(true));
}

/// The block of a whole level: the cost of saving and hashing it in every cycle.
fn measure_eight_mib() -> Vec<Row> {
    let mut scene = Scene::new(EIGHT_MIB_OBJECTS, SEED);
    let first = scene.first();
    let bytes = Ours::new(&first).bytes().len();
    assert!(bytes.abs_diff(EIGHT_MIB) < EIGHT_MIB / 100, "a block of {bytes} bytes is not 8 MiB");
    let [mut ours, mut plain] = [(); 2].map(|()| EightMib::default());
    for _ in 0..EIGHT_MIB_TURNS.count {
        ours.take_turn(&mut scene, Ours::new(&first), Ours::hash);
        plain.take_turn(&mut scene, Memcpy::new(&first), Memcpy::hash);
    }
    vec![
        Row::new("8 MiB: save", &ours.save, &plain.save, "memcpy of the block").with_goal(1.0 / 1.3),
        Row::new("8 MiB: hash", &ours.hash, &plain.hash, "XXH3 of the block"),
        Row::new("8 MiB: save + hash", &ours.save_and_hash, &plain.save_and_hash, "memcpy and XXH3 of the block"),
        Row::new("8 MiB: save + hash", &ours.save_and_hash, &Times::known(600.0), "the goal").with_goal(1.0),
    ]
}

/// The measurements of a block of 8 MiB.
#[derive(Default)]
struct EightMib {
    save: Times,
    hash: Times,
    save_and_hash: Times,
}

impl EightMib {
    fn take_turn<C: Contender>(&mut self, scene: &mut Scene, mut contender: C, hash: fn(&mut C) -> u64) {
        contender.save();
        for _ in 0..EIGHT_MIB_TURNS.rounds {
            change(scene, &mut contender);
            self.save.time(|| contender.save());
            change(scene, &mut contender);
            self.hash.time(|| hash(&mut contender));
            change(scene, &mut contender);
            self.save_and_hash.time(|| contender.save_and_hash());
        }
    }
}
