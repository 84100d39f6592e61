//! Physics: piles, gases, towers, bounces and shots, ours and rapier's.
//!
//! Contenders take turns to run a scene from start to end. A step costs the same in every turn, so the minimum over all
//! turns counts for each step, and then their mean.

#[expect(dead_code, reason = "the contact distance and the speed limit are settings of peers only")]
mod scene;

use scene::description;

#[path = "../../foundation/physics/scenes/ours.rs"]
mod our_scene;

mod contender;

mod detection;
mod ours;
mod quality;
mod rapier;

use contender::{Contender, Kept, Played, Steps, Way};
use ours::Ours;
use rapier::Rapier;
use scene::{Overlaps, Scene, Tally};

use crate::measure::{Row, Times};

/// The measured scenes: name, number of turns, and the goal for a step in microseconds.
const SCENES: [(&str, usize, Option<f64>); 5] = [
    ("pile 1000", 4, None),
    ("pile 4000", 3, Some(10_000.0)),
    ("gas 1000", 4, None),
    ("gas 4000", 3, Some(4_500.0)),
    ("crowd 100 50", 2, None),
];

/// The scene for threads, memory and save times.
const PILE: &str = "pile 4000";

/// One second to start falling or mixing, then four measured seconds.
const STEPS: Steps = Steps { before: 60, measured: 240 };

/// Turns and steps of the pile for each number of threads.
const TURNS_OF_THREADS: usize = 3;
const STEPS_OF_THREADS: Steps = Steps { before: 60, measured: 120 };

/// The goal for the speedup of two threads.
const TWO_THREADS: f64 = 1.9;

/// The number of saves and restores, and the goal for both together in microseconds.
const TURNS_OF_KEEPING: usize = 6;
const KEEPING_MAX: f64 = 300.0;

/// The goal for the bytes of a body of the pile, its contacts included.
const BYTES_MAX: f64 = 800.0;

/// All rows.
pub fn run() -> Vec<Row> {
    let mut ours = Ours;
    let mut peers: Vec<Rapier> = ["", "deterministic"].into_iter().filter_map(Rapier::start).collect();
    let mut rows = Vec::new();
    for (scene, turns, goal) in SCENES {
        let all: Vec<&mut dyn Contender> =
            std::iter::once(&mut ours as &mut dyn Contender).chain(peers.iter_mut().map(|peer| peer as _)).collect();
        let measured = take_turns(scene, 1, turns, all);
        agree(scene, &measured, peers.first_mut());
        rows.extend(compare(scene, &measured, goal));
    }
    rows.extend(compare_threads(&mut ours, Rapier::start("parallel")));
    if let Some(peer) = peers.first_mut() {
        rows.extend(compare_keeping(&mut ours, peer));
        rows.extend(quality::compare(&mut ours, peer));
    }
    rows.extend(detection::compare());
    rows
}

/// The result of a scene for one contender, over all turns.
struct Measured {
    name: String,
    /// The first turn. The others had the same outcome.
    first: Played,
    processor: Times,
    wall: Times,
    cycle: Times,
}

fn take_turns(scene: &str, threads: u32, turns: usize, mut contenders: Vec<&mut dyn Contender>) -> Vec<Measured> {
    let mut all: Vec<Vec<Played>> = contenders.iter().map(|_| Vec::new()).collect();
    for _ in 0..turns {
        for (contender, played) in contenders.iter_mut().zip(&mut all) {
            played.push(contender.play(scene, threads, STEPS));
        }
    }
    let names = contenders.iter().map(|contender| contender.name());
    names.zip(all).map(|(name, played)| Measured::new(name, played)).collect()
}

impl Measured {
    fn new(name: String, mut played: Vec<Played>) -> Measured {
        let envelope = |times: fn(&Played) -> &Vec<u64>| {
            let steps = (0..times(&played[0]).len())
                .map(|step| Times::of_nanoseconds(played.iter().map(|played| times(played)[step])));
            Times::per_part(steps.collect())
        };
        let (processor, wall) = (envelope(|played| &played.processor), envelope(|played| &played.wall));
        let cycle = envelope(|played| &played.cycle);
        let first = played.swap_remove(0);
        let hash = Scene::hash(&first.bodies);
        let is_same = played.iter().all(|other| Scene::hash(&other.bodies) == hash);
        assert!(is_same, "{name}: every turn of a scene has the same outcome");
        Measured { name, first, processor, wall, cycle }
    }
}

/// The rows of a scene: ours against each peer.
fn compare(scene: &str, all: &[Measured], goal: Option<f64>) -> Vec<Row> {
    let Some((ours, peers)) = all.split_first() else { return Vec::new() };
    let what = format!("{scene}: one step, one thread: processor");
    let mut rows: Vec<Row> =
        peers.iter().map(|peer| Row::new(&what, &ours.processor, &peer.processor, &peer.name)).collect();
    if let Some(most) = goal {
        rows.push(Row::new(&what, &ours.processor, &Times::known(most), "the goal").with_goal(1.0));
        if let Some(peer) = peers.first() {
            let what = format!("{scene}: the whole brush cycle around the step, one thread: processor");
            rows.push(Row::new(what, &ours.cycle, &peer.processor, format!("{}, the step alone", peer.name)));
        }
    }
    rows
}

/// The pile with one thread and with two.
fn compare_threads(ours: &mut Ours, mut peer: Option<Rapier>) -> Vec<Row> {
    let mut contenders: Vec<&mut dyn Contender> = vec![ours];
    contenders.extend(peer.as_mut().map(|peer| peer as &mut dyn Contender));
    let mut all: Vec<[Vec<Played>; 2]> = contenders.iter().map(|_| Default::default()).collect();
    for _ in 0..TURNS_OF_THREADS {
        for (contender, both) in contenders.iter_mut().zip(&mut all) {
            for (threads, played) in (1..).zip(both) {
                played.push(contender.play(PILE, threads, STEPS_OF_THREADS));
            }
        }
    }
    let names = contenders.iter().map(|contender| contender.name());
    let all: Vec<[Measured; 2]> = names
        .zip(all)
        .map(|(name, both)| {
            let [one, two] = both.map(|played| Measured::new(name.clone(), played));
            let hashes = [&one, &two].map(|measured| Scene::hash(&measured.first.bodies));
            assert_eq!(hashes[0], hashes[1], "{name}: the number of threads does not change the outcome");
            [one, two]
        })
        .collect();
    let share = |[one, two]: &[Measured; 2]| Times::known(two.wall.minimum() / one.wall.minimum());
    let Some((ours, peers)) = all.split_first() else { return Vec::new() };
    let what = format!("{PILE}: one step, two threads: wall");
    let mut rows = vec![Row::new(&what, &ours[1].wall, &ours[0].wall, "ours with one thread").with_goal(TWO_THREADS)];
    for peer in peers {
        rows.push(Row::new(&what, &ours[1].wall, &peer[1].wall, &peer[1].name));
        let what = format!("{PILE}: wall time of two threads, as a share of one");
        rows.push(Row::new(what, &share(ours), &share(peer), &peer[1].name));
    }
    rows
}

/// Saving and restoring the pile: times and memory.
fn compare_keeping(ours: &mut Ours, peer: &mut Rapier) -> Vec<Row> {
    let steps = STEPS.before + STEPS.measured;
    let both =
        |way: &Way| Times::of_nanoseconds(way.save.iter().zip(&way.restore).map(|(save, restore)| save + restore));
    let (kept, others) = (ours.keep(PILE, steps, TURNS_OF_KEEPING), peer.keep(PILE, steps, TURNS_OF_KEEPING));
    let what = format!("{PILE}: save and restore: processor");
    let times = both(&kept.ways[0]);
    let mut rows: Vec<Row> = others
        .ways
        .iter()
        .map(|way| Row::new(&what, &times, &both(way), format!("{}, {}", peer.name(), way.name)))
        .collect();
    rows.push(Row::new(what, &times, &Times::known(KEEPING_MAX), "the goal").with_goal(1.0));
    let moving = Scene::named(PILE).expect("the scene was run").moving();
    let each = |kept: &Kept| Times::known(kept.bytes as f64 / moving as f64);
    let what = format!("{PILE}: bytes of a body and its contacts");
    rows.push(Row::new(&what, &each(&kept), &each(&others), format!("{}, bincode 1.3.3", peer.name())));
    rows.push(Row::new(what, &each(&kept), &Times::known(BYTES_MAX), "the goal").with_goal(1.0));
    rows
}

/// The allowed relative difference from the first contender in mean height and, in a pile, in touching pairs. In a gas, the
/// touching pairs depend on the depth and duration of bounces, which the scene does not determine.
const HEIGHTS: f64 = 0.1;
const PAIRS: f64 = 0.2;

/// Prints the outcome of a scene, and stops the run if contenders disagree.
fn agree(scene: &str, all: &[Measured], judge: Option<&mut Rapier>) {
    let Some(judge) = judge else { return };
    eprintln!("{scene}, after one second; after five; and the contacts of its bodies then, in millimetres");
    let overlaps: Vec<Overlaps> = all.iter().map(|measured| judge.judge(scene, &measured.first.bodies)).collect();
    for (measured, Overlaps { touching, mean, deepest }) in all.iter().zip(&overlaps) {
        let describe = |Tally { pairs, energy, height }: Tally| {
            format!("solved pairs {pairs:5}, energy {energy:8.1} J, mean height {height:5.3} m")
        };
        let [first, last] = measured.first.tallies.map(describe);
        let (mean, deepest) = (mean * 1000.0, deepest * 1000.0);
        eprintln!(
            "    {first}; {last}; {touching:5} touch, overlap {mean:4.2}, at most {deepest:5.1}: {}",
            measured.name
        );
    }
    for (measured, theirs) in all.iter().zip(&overlaps) {
        let differs = |ours: f64, theirs: f64, share: f64| (theirs - ours).abs() > ours * share;
        let mut heights = all[0].first.tallies.iter().zip(measured.first.tallies);
        let is_other = heights.any(|(ours, theirs)| differs(ours.height, theirs.height, HEIGHTS))
            || scene.starts_with("pile") && differs(f64::from(overlaps[0].touching), f64::from(theirs.touching), PAIRS);
        assert!(!is_other, "{scene}: {} has a different outcome", measured.name);
    }
}
