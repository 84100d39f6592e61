//! The golden chains of the skirmish, the same on every machine and in every build. A number here changes only with the
//! tags, with the semantics of scripts, or with the layout of the world; the commit that changes it says why.

use astrarium::test_checks::assert_chain;
use skirmish::ENTRY;

fn check(level: &str, cycles: u64, expected: &str) -> String {
    assert_chain(&ENTRY, level, cycles, expected)
}

#[test]
fn scripted_ships_keep_their_chain() {
    check("skirmish", 60, "e76bee31a8f67fc8");
}

#[test]
fn hostile_scripts_are_stopped_and_the_world_keeps_running() {
    let description = check("hostile", 60, "bdca11ef09511b70");
    let halted =
        description.lines().find(|line| line.contains("halted")).and_then(|line| line.split(' ').next()?.parse().ok());
    assert!(
        halted.is_some_and(|halted: u32| halted > 500) && description.contains("ships/hostile.ship:"),
        "{description}"
    );
}

#[test]
fn the_battle_keeps_its_chain() {
    let description = check("battle", 200, "a02b39c62e27e4cd");
    assert!(!description.contains("halted") && !description.contains("default was used"), "{description}");
}
