//! The chains that the quarry must give, on every machine and in every build. A number here changes only together with its
//! tags, with what physics does, or with the layout of its world; the commit that changes it says why.

use std::sync::Arc;

use astrarium::Content;
use astrarium::session::{Session, Start};
use astrarium::state::{Alone, Heap, Settings, Workers};
use astrarium::tags::Key;
use astrarium::tags::library::Ready;
use quarry::ENTRY;

/// The last job first.
struct Backwards;

impl Workers for Backwards {
    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync)) {
        (0..count).rev().for_each(job);
    }

    fn crew(&self) -> u32 {
        16
    }
}

/// The tags of a level under keys of their own, so that a comment in one of them, or another way of packing, is no other way for
/// the bodies.
fn content(level: &str) -> Content {
    let built_in = ENTRY.content(level).expect("its own tags are right");
    let named = |ready: &Ready| {
        let mut key = Key::default();
        key.0[..8].copy_from_slice(&ready.path.id().number().to_le_bytes());
        Ready { key, ..ready.clone() }
    };
    Content::new(Arc::clone(built_in.classes()), built_in.library().tags().map(named))
}

fn play(level: &str, cycles: u64, settings: Settings, workers: &dyn Workers) -> (String, String) {
    let start = Start { level: level.into(), seed: 1, players: 2, settings };
    let mut session = Session::begin(&ENTRY, content(level), &start, &Heap).expect("the level is there");
    for _ in 0..cycles {
        session.step(workers);
    }
    let told = session.game().describe(session.world()) + "\n" + &session.game().troubles().join("\n");
    (format!("{:016x}", session.chain()), told)
}

fn check(level: &str, cycles: u64, expected: &str) -> String {
    let shuffled = Settings { shuffle: 9, garbage: 0x5a, ..Settings::default() };
    let (alone, tale) = play(level, cycles, Settings::default(), &Alone);
    let (many, _) = play(level, cycles, shuffled, &Backwards);
    assert_eq!((alone.as_str(), many.as_str()), (expected, expected), "{tale}");
    tale
}

#[test]
fn a_heap_under_fire_goes_its_way() {
    let tale = check("heap", 40, "430ce4f455b2dcb5");
    assert!(!tale.contains("halted") && !tale.contains("no room") && !tale.contains("not finite"), "{tale}");
}

#[test]
fn a_gas_goes_its_way() {
    check("gas", 20, "fc80c0ea31eaab66");
}

#[test]
fn towers_go_their_way() {
    check("towers", 60, "e19d1665bcd0a087");
}

#[test]
fn ragdolls_go_their_way() {
    check("ragdolls", 60, "61a48bd33f1205fc");
}

#[test]
fn a_convoy_goes_its_way() {
    check("convoy", 80, "9a10d2451bf90dab");
}

#[test]
fn a_planet_with_its_moon_goes_its_way() {
    check("planet", 80, "23635511b703621a");
}
