//! Benchmarks against other engines and libraries, in one run.
//!
//! Never: gives one side less work than the other; shows a number that was not measured in the run, unless it says so.
//!
//! Laws
//! 1. Both sides are measured in one run, in turns, many times. The minimum counts; the median shows how noisy the machine
//!    was.
//! 2. Both sides get the same work, and end with the same objects, which are counted and summed; otherwise the run stops.
//! 3. Times are in microseconds. A ratio is peer / ours: above 1 ours is better.

mod measure;
mod program;

mod battle;
mod import;
mod physics;
mod sandbox;
mod script;
mod snapshot;
mod tags;

use std::process::ExitCode;

use measure::{Row, print_json, print_table};

/// A benchmark: its name, its description, and its function.
type Bench = (&'static str, &'static str, fn() -> Vec<Row>);

const BENCHES: [Bench; 7] = [
    ("snapshot", "save, restore and hash a world of 10,000 and 100,000 objects", snapshot::run),
    ("sandbox", "our world with one worker and with two, with sleeping and awake objects", sandbox::run),
    ("script", "call scripts and read their texts", script::run),
    ("battle", "a battle of ships that are controlled by scripts", battle::run),
    ("physics", "piles, gases, towers, bounces and shots", physics::run),
    ("import", "import a project of sounds, textures, models and texts; encode BC7", import::run),
    ("tags", "load a level from loose files, and detect that no file changed", tags::run),
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (options, names): (Vec<&str>, Vec<&str>) =
        words.iter().map(String::as_str).partition(|word| word.starts_with('-'));
    let bench = BENCHES.iter().find(|(name, ..)| names == [*name]);
    let (Some((name, _, run)), true) = (bench, options.iter().all(|option| *option == "--json")) else {
        explain(&words.join(" "));
        return ExitCode::FAILURE;
    };
    let rows = run();
    if options.is_empty() {
        print_table(name, &rows);
    } else {
        print_json(name, &rows);
    }
    ExitCode::SUCCESS
}

fn explain(given: &str) {
    eprintln!("expected peers NAME [--json], found \"{given}\"; NAME is one of");
    for (name, about, _) in BENCHES {
        eprintln!("    {name:<10} {about}");
    }
}
