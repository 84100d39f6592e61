//! Ours beside others', in one run.
//!
//! Never: lets one side do less than the other; keeps a number that the run did not measure, unless it says so.
//!
//! Laws
//! 1. Both sides are measured in one process, in turns, many times. What counts is the least of many; the median says
//!    how noisy the machine was.
//! 2. Both sides are given the same work, and at the end hold the same objects: counted and summed, or the run stops.
//! 3. Times are in microseconds. A ratio is peer / ours: above 1 ours is better.

mod measure;
mod program;

mod battle;
mod physics;
mod sandbox;
mod script;
mod snapshot;
mod tags;

use std::process::ExitCode;

use measure::{Row, print_json, print_table};

/// A benchmark: its name, what it compares, and how it is run.
type Bench = (&'static str, &'static str, fn() -> Vec<Row>);

const BENCHES: [Bench; 6] = [
    ("snapshot", "save, restore and hash a world of 10,000 and 100,000 objects", snapshot::run),
    ("sandbox", "our own world with one worker and with two, asleep and awake", sandbox::run),
    ("script", "call scripts and read their texts", script::run),
    ("battle", "ships that fight, everything about them in scripts", battle::run),
    ("physics", "piles, gases, towers, bounces and shots", physics::run),
    ("tags", "load a level from loose files, and find out that nothing changed", tags::run),
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
    eprintln!("peers NAME [--json] was expected, \"{given}\" was found; NAME is one of");
    for (name, about, _) in BENCHES {
        eprintln!("    {name:<10} {about}");
    }
}
