//! The battle: ships that fight, everything about them in scripts. What is played exactly is in `battle/rules.md`.
//!
//! Contenders take turns with so many cycles each of a battle of their own, while nobody else runs. What happens in it is
//! counted and must be the same for all, but for chance.

mod contender;

mod bevy;

use std::fmt::Write;

use contender::{Contender, Played, Scene};

use crate::measure::{Row, Times};

/// The scenes: ships awake, and those of half of them with sleepers.
const SCENES: [Scene; 5] = [
    Scene { name: "1,000 ships", ships: 1_000, buoys: 0 },
    Scene { name: "5,000 ships", ships: 5_000, buoys: 0 },
    Scene { name: "10,000 ships", ships: 10_000, buoys: 0 },
    Scene { name: "20,000 ships", ships: 20_000, buoys: 0 },
    Scene { name: "12,500 ships, 37,500 asleep", ships: 12_500, buoys: 37_500 },
];

/// So many cycles pass before anything is measured: all have found a target, and there are ships to be replaced.
const CYCLES_BEFORE: u32 = 300;

/// How many cycles a turn has.
const CYCLES: u32 = 50;

/// How many turns everybody has.
const TURNS: u32 = 16;

/// All rows.
pub fn run() -> Vec<Row> {
    let mut contenders = bevy::all();
    let mut rows = Vec::new();
    for scene in SCENES {
        rows.extend(compare(scene, &mut contenders));
    }
    rows
}

fn compare(scene: Scene, contenders: &mut [Box<dyn Contender>]) -> Vec<Row> {
    let mut all: Vec<Measured> = Vec::new();
    for contender in contenders.iter_mut() {
        contender.play(scene, CYCLES_BEFORE);
        all.push(Measured { name: contender.name(), ..Measured::default() });
    }
    for _ in 0..TURNS {
        for (contender, measured) in contenders.iter_mut().zip(&mut all) {
            measured.add(&contender.play(scene, CYCLES));
        }
    }
    for contender in contenders.iter_mut() {
        contender.end();
    }
    agree(scene, &all);
    let Some((ours, peers)) = all.split_first() else { return Vec::new() };
    let mut rows = Vec::new();
    for peer in peers {
        let what = format!("{}: brush cycle", scene.name);
        rows.push(Row::new(&what, &ours.wall, &peer.wall, &peer.name));
        rows.push(Row::new(what + ": processor", &ours.processor, &peer.processor, &peer.name));
    }
    rows
}

/// What was measured of a contender.
#[derive(Default)]
struct Measured {
    name: String,
    wall: Times,
    processor: Times,
    sum: Played,
    turns: u32,
}

impl Measured {
    fn add(&mut self, played: &Played) {
        self.wall.add(played.wall / CYCLES);
        self.processor.add(played.processor / CYCLES);
        self.sum.shots += played.shots;
        self.sum.hits += played.hits;
        self.sum.deaths += played.deaths;
        self.sum.ships += played.ships;
        self.sum.hull += played.hull;
        self.turns += 1;
    }

    /// Shots, hits and deaths per second of the battle, ships there, and their mean hull.
    fn told(&self) -> [f64; 5] {
        let seconds = f64::from(self.turns * CYCLES) / 100.0;
        let each = |count: u64| count as f64 / seconds;
        let ships = self.sum.ships as f64;
        let Played { shots, hits, deaths, hull, .. } = self.sum;
        [each(shots), each(hits), each(deaths), ships / f64::from(self.turns), hull / ships]
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
        let [shots, hits, deaths, ships, hull] = told;
        let write = writeln!(
            table,
            "    shots {shots:8.0}, hits {hits:8.0}, deaths {deaths:6.1}, ships {ships:8.1}, mean hull {hull:5.1}: {}",
            measured.name
        );
        write.expect("a string takes everything");
        for (what, (found, expected)) in
            ["shots", "hits", "deaths", "ships", "mean hull"].iter().zip(told.into_iter().zip(all[0].told()))
        {
            // Of counts, so much is chance; means are surer than that.
            let seconds = f64::from(measured.turns * CYCLES) / 100.0;
            let chance = DEVIATIONS * (expected / seconds).sqrt();
            if (found - expected).abs() > expected * DIFFERENCE + chance {
                differing.push(format!("{}: {what} {found:.1}, not {expected:.1}", measured.name));
            }
        }
    }
    eprint!("{table}");
    assert!(differing.is_empty(), "{}: this was another battle: {}", scene.name, differing.join("; "));
}
