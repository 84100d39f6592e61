//! The chains that the sandbox must give, on every machine and in every build. A number here changes only together with
//! what happens in the sandbox, or with the layout of its world; the commit that changes it says why.
#![allow(clippy::disallowed_methods, reason = "a test may have threads of its own")]

use astrarium::Content;
use astrarium::session::{Session, Start};
use astrarium::state::{Heap, Settings, Workers};
use sandbox::{ENTRY, Level};

/// Jobs last to first, which must not matter.
struct Backwards;

impl Workers for Backwards {
    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync)) {
        (0..count).rev().for_each(job);
    }

    fn crew(&self) -> u32 {
        1
    }
}

/// Jobs on threads of their own, in fours.
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

    fn crew(&self) -> u32 {
        4
    }
}

fn chain(level: &str, cycles: u64, settings: Settings, workers: &dyn Workers) -> u64 {
    let start = Start { level: level.into(), seed: 1, players: 2, settings };
    assert!(Level::named(level).is_some());
    let mut session = Session::begin(&ENTRY, Content::none(), &start, &Heap).expect("the level is there");
    for _ in 0..cycles {
        session.step(workers);
    }
    session.chain()
}

/// Small enough for an interpreter that looks for undefined behaviour and draws what the language leaves open at random.
#[test]
fn a_tiny_world_goes_its_way() {
    let (cycles, expected) = if cfg!(miri) { (5, "f8dd76f3dc415d82") } else { (15, "0cd2b8993d0cbdef") };
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
fn a_meadow_goes_its_way() {
    let found = chain("meadow", 100, Settings { is_checked: false, ..Settings::default() }, &Backwards);
    assert_eq!(format!("{found:016x}"), "82212db8af5a68d5");
}
