//! rapier, in separate programs: one for each of its features. The protocol is documented in `peers/rapier`.

use std::str::FromStr;

use super::contender::{Contender, Kept, Played, Steps, Way};
use super::scene::{Moving, Overlaps, Scene, Tally};
use crate::program::Program;

/// A program that runs scenes in rapier.
pub struct Rapier {
    program: Program,
    feature: &'static str,
}

impl Rapier {
    /// Builds it with a feature, or without any, and starts it; or prints why that failed.
    pub fn start(feature: &'static str) -> Option<Rapier> {
        match Program::start("rapier", feature) {
            Ok(program) => Some(Rapier { program, feature }),
            Err(why) => {
                eprintln!("skipped: rapier {feature}, because {why}");
                None
            }
        }
    }

    /// The penetration depths of the bodies of a scene, for any contender, measured by parry.
    pub fn judge(&mut self, scene: &str, bodies: &[Moving]) -> Overlaps {
        let numbers: Vec<String> = bodies.iter().flat_map(Moving::numbers).map(|number| number.to_string()).collect();
        let words = self.ask(&format!("judge\t{scene}\t{}", numbers.join("\t")));
        Overlaps { touching: number(&words[0]), mean: number(&words[1]), deepest: number(&words[2]) }
    }

    fn ask(&mut self, question: &str) -> Vec<String> {
        self.program.ask(question).split('\t').map(str::to_owned).collect()
    }
}

impl Contender for Rapier {
    fn name(&self) -> String {
        match self.feature {
            "" => self.program.greeting.clone(),
            "deterministic" => format!("{}, enhanced-determinism", self.program.greeting),
            feature => format!("{}, {feature}", self.program.greeting),
        }
    }

    fn play(&mut self, scene: &str, threads: u32, steps: Steps) -> Played {
        let Steps { before, measured } = steps;
        let words = self.ask(&format!("play\t{scene}\t{threads}\t{before}\t{measured}"));
        let (times, bodies) = words[6..].split_at(measured * 2);
        let times: Vec<u64> = times.iter().map(|word| number(word)).collect();
        Played {
            tallies: [tally(&words[..3]), tally(&words[3..6])],
            bodies: moving(bodies),
            processor: times.iter().step_by(2).copied().collect(),
            wall: times.iter().skip(1).step_by(2).copied().collect(),
            cycle: Vec::new(),
        }
    }

    fn watch(&mut self, scene: &str, steps: usize, every: usize) -> Vec<Vec<Moving>> {
        let words = self.ask(&format!("watch\t{scene}\t{steps}\t{every}"));
        let bodies = moving(&words);
        let count = Scene::named(scene).expect("the scene was run").moving();
        bodies.chunks(count).map(<[Moving]>::to_vec).collect()
    }

    fn keep(&mut self, scene: &str, steps: usize, turns: usize) -> Kept {
        let words = self.ask(&format!("keep\t{scene}\t{steps}\t{turns}"));
        let numbers: Vec<u64> = words.iter().map(|word| number(word)).collect();
        let every = |from: usize| numbers.iter().skip(from).step_by(4).copied().collect();
        let bytes = Way { name: "bincode 1.3.3", save: every(1), restore: every(2) };
        let clones = Way { name: "clones of its parts", save: every(3), restore: every(4) };
        Kept { bytes: numbers[0], ways: vec![bytes, clones] }
    }
}

fn tally(words: &[String]) -> Tally {
    Tally { pairs: number(&words[0]), energy: number(&words[1]), height: number(&words[2]) }
}

fn moving(words: &[String]) -> Vec<Moving> {
    let numbers: Vec<f32> = words.iter().map(|word| number(word)).collect();
    Moving::of_numbers(&numbers)
}

fn number<T: FromStr>(word: &str) -> T {
    let Ok(number) = word.parse() else { panic!("expected a number, found \"{word}\"") };
    number
}
