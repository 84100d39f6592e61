//! Physics: piles, gases, towers, bounces and shots, ours and rapier's.
//!
//! Contenders take turns with a scene from its start to its end. A step costs the same whenever the scene is played, so
//! what counts of every step is the least of all turns, and then their mean.

#[expect(dead_code, reason = "how near bodies touch, and how fast they may be, only others have to be told")]
mod scene;

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

/// The scenes that are measured: what they are called, how often they are played, and how long a step may take in microseconds.
const SCENES: [(&str, usize, Option<f64>); 4] =
    [("pile 1000", 4, None), ("pile 4000", 3, Some(10_000.0)), ("gas 1000", 4, None), ("gas 4000", 3, Some(4_500.0))];

/// The scene in which threads, bytes and times of saving are measured.
const PILE: &str = "pile 4000";

/// A second to begin to fall or to mix, then four that are measured.
const STEPS: Steps = Steps { before: 60, measured: 240 };

/// How often the pile is played with each number of threads, and how long.
const TURNS_OF_THREADS: usize = 3;
const STEPS_OF_THREADS: Steps = Steps { before: 60, measured: 120 };

/// How many times as fast two threads are to be.
const TWO_THREADS: f64 = 1.9;

/// How often it is saved and restored, and how long both may take together, in microseconds.
const TURNS_OF_KEEPING: usize = 6;
const KEEPING_MAX: f64 = 300.0;

/// How many bytes a body of the pile may have, all its contacts included.
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

/// What came of a scene for one contender, from all its turns.
struct Measured {
    name: String,
    /// The first time it was played. The others were the same.
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
        assert!(is_same, "{name}: the same scene ends the same every time");
        Measured { name, first, processor, wall, cycle }
    }
}

/// The rows of a scene: ours first, then all others.
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
            assert_eq!(hashes[0], hashes[1], "{name}: the number of threads changes nothing");
            [one, two]
        })
        .collect();
    let share = |[one, two]: &[Measured; 2]| Times::known(two.wall.least() / one.wall.least());
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

/// The pile saved and restored, and what it takes.
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
    let moving = Scene::named(PILE).expect("it was played").moving();
    let each = |kept: &Kept| Times::known(kept.bytes as f64 / moving as f64);
    let what = format!("{PILE}: bytes of a body and its contacts");
    rows.push(Row::new(&what, &each(&kept), &each(&others), format!("{}, bincode 1.3.3", peer.name())));
    rows.push(Row::new(what, &each(&kept), &Times::known(BYTES_MAX), "the goal").with_goal(1.0));
    rows
}

/// How much a contender may differ from the first in its mean height and, in a pile, in how many pairs touch, as a share. In a gas
/// that depends on how deep and how long bodies overlap when they bounce, which is not a matter of the scene.
const HEIGHTS: f64 = 0.1;
const PAIRS: f64 = 0.2;

/// Tells what came of a scene, and stops the run if it was not the same for all.
fn agree(scene: &str, all: &[Measured], judge: Option<&mut Rapier>) {
    let Some(judge) = judge else { return };
    eprintln!("{scene}, after one second; after five; and how its bodies lie then, in millimetres");
    let overlaps: Vec<Overlaps> = all.iter().map(|measured| judge.judge(scene, &measured.first.bodies)).collect();
    for (measured, Overlaps { touching, mean, deepest }) in all.iter().zip(&overlaps) {
        let told = |Tally { pairs, energy, height }: Tally| {
            format!("solved pairs {pairs:5}, energy {energy:8.1} J, mean height {height:5.3} m")
        };
        let [first, last] = measured.first.tallies.map(told);
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
        assert!(!is_other, "{scene}: {} played another scene", measured.name);
    }
}
