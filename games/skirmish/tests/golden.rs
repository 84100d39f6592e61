//! The golden chains of the skirmish, the same on every machine and in every build. A number here changes only with the
//! tags, with the semantics of scripts, or with the layout of the world; the commit that changes it says why.

use astrarium::test_checks::assert_chain;
use skirmish::ENTRY;

fn check(level: &str, cycles: u64, expected: &str) -> String {
    assert_chain(&ENTRY, level, cycles, expected)
}

#[test]
fn scripted_ships_keep_their_chain() {
    check("skirmish", 60, "7c2044b6ee3820a9");
}

#[test]
fn hostile_scripts_are_stopped_and_the_world_keeps_running() {
    let description = check("hostile", 60, "d426472b4d75555e");
    let halted =
        description.lines().find(|line| line.contains("halted")).and_then(|line| line.split(' ').next()?.parse().ok());
    assert!(
        halted.is_some_and(|halted: u32| halted > 500) && description.contains("ships/hostile.ship:"),
        "{description}"
    );
}

#[test]
fn the_battle_keeps_its_chain() {
    let description = check("battle", 200, "671b1ea35136db0e");
    assert!(!description.contains("halted") && !description.contains("default was used"), "{description}");
}
