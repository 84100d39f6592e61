//! The battle: fighting ships whose whole behaviour is scripted. The exact rules are in `battle/rules.md`.
//!
//! Contenders take turns: each runs some cycles of its own battle while the others are idle. Events are counted, and the counts
//! must agree within chance.

#[expect(dead_code, reason = "our level defines its own initial ships")]
mod rules;

mod contender;

mod bevy;
mod ours;

use std::fmt::Write;

use contender::{Contender, Played, Scene};

use crate::measure::{Row, Times};

/// The scenes: awake ships, and awake ships among sleeping objects.
const SCENES: [Scene; 6] = [
    Scene { name: "1,000 ships", ships: 1_000, buoys: 0 },
    Scene { name: "5,000 ships", ships: 5_000, buoys: 0 },
    Scene { name: "10,000 ships", ships: 10_000, buoys: 0 },
    Scene { name: "20,000 ships", ships: 20_000, buoys: 0 },
    Scene { name: "12,500 ships", ships: 12_500, buoys: 0 },
    Scene { name: "12,500 ships, 37,500 asleep", ships: 12_500, buoys: 37_500 },
];

/// The scenes with goals: the largest, and the one with sleeping objects, which follows the same scene without them.
const LARGEST: usize = 3;
const WITHOUT_SLEEPERS: usize = 4;
const WITH_SLEEPERS: usize = 5;

/// Cycles before the measurement: by then all ships have found a target, and some wait to be replaced.
const CYCLES_BEFORE: u32 = 300;

/// Cycles per turn.
const CYCLES: u32 = 50;

/// Turns per contender.
const TURNS: u32 = 16;

/// The goal for a brush cycle, in microseconds.
const CYCLE_MAX: f64 = 10_000.0;

/// The goal for the ratio to other contenders with scripts.
const TIMES_AHEAD: f64 = 3.0;

/// All rows.
pub fn run() -> Vec<Row> {
    let mut contenders: Vec<Box<dyn Contender>> = vec![Box::new(ours::Ours::default())];
    contenders.extend(bevy::all());
    let measured: Vec<Vec<Measured>> = SCENES.iter().map(|scene| take_turns(*scene, &mut contenders)).collect();
    let mut rows = Vec::new();
    for (number, (scene, all)) in SCENES.iter().zip(&measured).enumerate() {
        rows.extend(compare(*scene, all, matches!(number, LARGEST | WITH_SLEEPERS)));
    }
    rows.extend(share(&measured[LARGEST][0]));
    let each = |number: usize| measured[number][0].processor.each(SCENES[number].ships, 1000.0);
    for (number, scene) in SCENES.iter().enumerate().take(LARGEST) {
        let what = format!("one of {}, in nanoseconds of the processor", scene.name);
        rows.push(Row::new(what, &each(number), &each(LARGEST), format!("one of {}", SCENES[LARGEST].name)));
    }
    let (with, without) = (&measured[WITH_SLEEPERS][0], &measured[WITHOUT_SLEEPERS][0]);
    let what = format!("{}: brush cycle: processor", SCENES[WITH_SLEEPERS].name);
    rows.push(Row::new(what, &with.processor, &without.processor, "the same without those asleep"));
    rows
}

fn take_turns(scene: Scene, contenders: &mut [Box<dyn Contender>]) -> Vec<Measured> {
    let mut all: Vec<Measured> = Vec::new();
    for contender in contenders.iter_mut() {
        contender.play(scene, CYCLES_BEFORE);
        all.push(Measured { name: contender.name(), is_scripted: contender.is_scripted(), ..Measured::default() });
    }
    for _ in 0..TURNS {
        for (contender, measured) in contenders.iter_mut().zip(&mut all) {
            measured.add(&contender.play(scene, CYCLES), &contender.phases());
        }
    }
    contenders.iter_mut().for_each(|contender| contender.end());
    agree(scene, &all);
    all
}

/// The rows of a scene: ours against each peer.
fn compare(scene: Scene, all: &[Measured], has_goal: bool) -> Vec<Row> {
    let Some((ours, peers)) = all.split_first() else { return Vec::new() };
    let mut rows = Vec::new();
    let what = format!("{}: brush cycle", scene.name);
    for peer in peers {
        let row = Row::new(&what, &ours.wall, &peer.wall, &peer.name);
        rows.push(if has_goal && peer.is_scripted { row.with_goal(TIMES_AHEAD) } else { row });
        rows.push(Row::new(format!("{what}: processor"), &ours.processor, &peer.processor, &peer.name));
    }
    if has_goal {
        rows.push(
            Row::new(what, &ours.wall, &Times::known(CYCLE_MAX), "the goal: 100 cycles per second").with_goal(1.0),
        );
    }
    rows
}

/// The duration of each phase of a cycle.
fn share(measured: &Measured) -> Vec<Row> {
    let phases = measured.phases.iter();
    phases.map(|(name, times)| Row::new(*name, times, &measured.wall, "the whole brush cycle")).collect()
}

/// The measurements of a contender.
#[derive(Default)]
struct Measured {
    name: String,
    is_scripted: bool,
    wall: Times,
    processor: Times,
    phases: Vec<(&'static str, Times)>,
    sum: Played,
    turns: u32,
}

impl Measured {
    fn add(&mut self, played: &Played, phases: &[(&'static str, std::time::Duration)]) {
        self.wall.add(played.wall / CYCLES);
        self.processor.add(played.processor / CYCLES);
        self.phases.resize(phases.len(), ("", Times::default()));
        for ((name, times), (phase, time)) in self.phases.iter_mut().zip(phases) {
            *name = *phase;
            times.add(*time / CYCLES);
        }
        self.sum.hits += played.hits;
        self.sum.deaths += played.deaths;
        self.sum.ships += played.ships;
        self.sum.hull += played.hull;
        self.turns += 1;
    }

    /// Hits and deaths per second of battle time, the number of ships, and their mean hull.
    fn summary(&self) -> [f64; 4] {
        let Played { hits, deaths, ships, hull, .. } = self.sum;
        let seconds = self.seconds();
        [hits as f64 / seconds, deaths as f64 / seconds, ships as f64 / f64::from(self.turns), hull / ships as f64]
    }

    /// The measured duration, in seconds of battle time.
    fn seconds(&self) -> f64 {
        f64::from(self.turns * CYCLES) / 100.0
    }
}

/// The allowed relative difference from the first contender, and the allowed number of standard deviations on top of it.
const DIFFERENCE: f64 = 0.03;
const DEVIATIONS: f64 = 5.0;

/// Prints the counts, and stops the run if the battles differ.
fn agree(scene: Scene, all: &[Measured]) {
    let mut table = format!("{}, per second of the battle\n", scene.name);
    let mut differing = Vec::new();
    for measured in all {
        let summary = measured.summary();
        let [hits, deaths, ships, hull] = summary;
        let write = writeln!(
            table,
            "    hits {hits:8.0}, deaths {deaths:6.1}, ships {ships:8.1}, mean hull {hull:5.1}: {}",
            measured.name
        );
        write.expect("writing to a string cannot fail");
        for (what, (found, expected)) in
            ["hits", "deaths", "ships", "mean hull"].iter().zip(summary.into_iter().zip(all[0].summary()))
        {
            // The standard deviation of a count; means vary less.
            let chance = DEVIATIONS * (expected / measured.seconds()).sqrt();
            if (found - expected).abs() > expected * DIFFERENCE + chance {
                differing.push(format!("{}: {what} {found:.1}, not {expected:.1}", measured.name));
            }
        }
    }
    eprint!("{table}");
    assert!(differing.is_empty(), "{}: the battle differs: {}", scene.name, differing.join("; "));
}
