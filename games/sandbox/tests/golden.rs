//! The golden chains of the sandbox, the same on every machine and in every build. A number here changes only with the
//! behaviour of the sandbox or with the layout of its world; the commit that changes it says why.
#![allow(clippy::disallowed_methods, reason = "a test may have threads of its own")]

use astrarium::Content;
use astrarium::session::{Session, Start};
use astrarium::state::{Heap, Settings, Workers};
use sandbox::{ENTRY, Level};

/// Runs jobs in reverse order, which must not matter.
struct Backwards;

impl Workers for Backwards {
    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync)) {
        (0..count).rev().for_each(job);
    }

    fn threads(&self) -> u32 {
        1
    }
}

/// Runs jobs on separate threads, four at a time.
struct Fours;

impl Workers for Fours {
    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync)) {
        for four in (0..count).step_by(4) {
            std::thread::scope(|scope| {
                for number in four..count.min(four + 4) {
                    scope.spawn(move || job(number));
                }
            });
        }
    }

    fn threads(&self) -> u32 {
        4
    }
}

fn chain(level: &str, cycles: u64, settings: Settings, workers: &dyn Workers) -> u64 {
    let start = Start { level: level.into(), seed: 1, players: 2, settings };
    assert!(Level::named(level).is_some());
    let mut session = Session::begin(&ENTRY, Content::none(), &start, &Heap).expect("the level exists");
    for _ in 0..cycles {
        session.step(workers);
    }
    session.chain()
}

/// Small enough for an interpreter that detects undefined behaviour and randomizes what the language leaves open.
#[test]
fn a_tiny_world_keeps_its_chain() {
    let (cycles, expected) = if cfg!(miri) { (5, "ef7caadae1b39f04") } else { (15, "79d9c65049c0b6c4") };
    let shuffled = Settings { shuffle: 9, garbage: 0x5a, ..Settings::default() };
    let found = [
        chain("tiny", cycles, Settings::default(), &Backwards),
        chain("tiny", cycles, shuffled, &Fours),
        chain("tiny", cycles, Settings { is_checked: false, ..Settings::default() }, &Fours),
    ];
    assert_eq!(found.map(|chain| format!("{chain:016x}")), [expected; 3]);
}

#[test]
#[cfg(not(miri))]
fn a_meadow_keeps_its_chain() {
    let found = chain("meadow", 100, Settings { is_checked: false, ..Settings::default() }, &Backwards);
    assert_eq!(format!("{found:016x}"), "d0c2c6e086dfa460");
}
