//! The chains that the skirmish must give, on every machine and in every build. A number here changes only together with its
//! tags, with what scripts mean, or with the layout of its world; the commit that changes it says why.
#![allow(clippy::disallowed_methods, reason = "a test may have threads of its own")]

use std::sync::Arc;

use astrarium::Content;
use astrarium::session::{Session, Start};
use astrarium::state::{Alone, Heap, Settings, Workers};
use astrarium::tags::Key;
use astrarium::tags::library::Ready;
use skirmish::ENTRY;

/// Every job on a thread of its own.
struct Many;

impl Workers for Many {
    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync)) {
        std::thread::scope(|scope| {
            for number in (0..count).rev() {
                scope.spawn(move || job(number));
            }
        });
    }

    fn crew(&self) -> u32 {
        16
    }
}

/// The tags of a level under keys of their own, so that a comment in one of them, or another way of packing, is no other way for
/// the ships.
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
    let (many, _) = play(level, cycles, shuffled, &Many);
    assert_eq!((alone.as_str(), many.as_str()), (expected, expected), "{tale}");
    tale
}

#[test]
fn scripted_ships_go_their_way() {
    check("skirmish", 60, "ec451c432d279e11");
}

#[test]
fn hostile_scripts_are_stopped_and_the_world_goes_on() {
    let tale = check("hostile", 60, "d1a45f89eb2c0c04");
    let halted =
        tale.lines().find(|line| line.contains("halted")).and_then(|line| line.split(' ').next()?.parse().ok());
    assert!(halted.is_some_and(|halted: u32| halted > 500) && tale.contains("ships/hostile.ship:"), "{tale}");
}

#[test]
fn the_battle_goes_its_way() {
    let tale = check("battle", 200, "d437c3fbefc464d2");
    assert!(!tale.contains("halted") && !tale.contains("default was used"), "{tale}");
}
