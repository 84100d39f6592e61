//! The battle: ships that fight, everything about them in scripts. What is played exactly is in `battle/rules.md`.
//!
//! Contenders take turns with so many cycles each of a battle of their own, while nobody else runs. What happens in it is
//! counted and must be the same for all, but for chance.

#[expect(dead_code, reason = "who is there at the start our level says by itself")]
mod rules;

mod contender;

mod bevy;
mod ours;

use std::fmt::Write;

use contender::{Contender, Played, Scene};

use crate::measure::{Row, Times};

/// The scenes: ships awake, and ships among sleepers.
const SCENES: [Scene; 6] = [
    Scene { name: "1,000 ships", ships: 1_000, buoys: 0 },
    Scene { name: "5,000 ships", ships: 5_000, buoys: 0 },
    Scene { name: "10,000 ships", ships: 10_000, buoys: 0 },
    Scene { name: "20,000 ships", ships: 20_000, buoys: 0 },
    Scene { name: "12,500 ships", ships: 12_500, buoys: 0 },
    Scene { name: "12,500 ships, 37,500 asleep", ships: 12_500, buoys: 37_500 },
];

/// The scenes for which there are goals: the largest, and that with sleepers. The latter comes after the same without them.
const LARGEST: usize = 3;
const WITHOUT_SLEEPERS: usize = 4;
const WITH_SLEEPERS: usize = 5;

/// So many cycles pass before anything is measured: all have found a target, and there are ships to be replaced.
const CYCLES_BEFORE: u32 = 300;

/// How many cycles a turn has.
const CYCLES: u32 = 50;

/// How many turns everybody has.
const TURNS: u32 = 16;

/// How long a brush cycle may take, in microseconds.
const CYCLE_MAX: f64 = 10_000.0;

/// How many times as fast as others' scripts we want to be.
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

/// The rows of a scene: ours first, then all others.
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

/// How long each phase of a cycle takes.
fn share(measured: &Measured) -> Vec<Row> {
    let phases = measured.phases.iter();
    phases.map(|(name, times)| Row::new(*name, times, &measured.wall, "the whole brush cycle")).collect()
}

/// What was measured of a contender.
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

    /// Hits and deaths per second of the battle, ships there, and their mean hull.
    fn told(&self) -> [f64; 4] {
        let Played { hits, deaths, ships, hull, .. } = self.sum;
        let seconds = self.seconds();
        [hits as f64 / seconds, deaths as f64 / seconds, ships as f64 / f64::from(self.turns), hull / ships as f64]
    }

    /// How long it was measured, in seconds of the battle.
    fn seconds(&self) -> f64 {
        f64::from(self.turns * CYCLES) / 100.0
    }
}

/// How much of each number a contender may differ from the first, and how many standard deviations of chance it may besides.
const DIFFERENCE: f64 = 0.03;
const DEVIATIONS: f64 = 5.0;

/// Tells what happened, and stops the run if it was not the same battle.
fn agree(scene: Scene, all: &[Measured]) {
    let mut table = format!("{}, per second of the battle\n", scene.name);
    let mut differing = Vec::new();
    for measured in all {
        let told = measured.told();
        let [hits, deaths, ships, hull] = told;
        let write = writeln!(
            table,
            "    hits {hits:8.0}, deaths {deaths:6.1}, ships {ships:8.1}, mean hull {hull:5.1}: {}",
            measured.name
        );
        write.expect("a string takes everything");
        for (what, (found, expected)) in
            ["hits", "deaths", "ships", "mean hull"].iter().zip(told.into_iter().zip(all[0].told()))
        {
            // Of counts, so much is chance; means are surer than that.
            let chance = DEVIATIONS * (expected / measured.seconds()).sqrt();
            if (found - expected).abs() > expected * DIFFERENCE + chance {
                differing.push(format!("{}: {what} {found:.1}, not {expected:.1}", measured.name));
            }
        }
    }
    eprint!("{table}");
    assert!(differing.is_empty(), "{}: this was another battle: {}", scene.name, differing.join("; "));
}
