//! The chains that the skirmish must give, on every machine and in every build. A number here changes only together with its
//! tags, with what scripts mean, or with the layout of its world; the commit that changes it says why.

use astrarium::trials::goes_its_way;
use skirmish::ENTRY;

fn check(level: &str, cycles: u64, expected: &str) -> String {
    goes_its_way(&ENTRY, level, cycles, expected)
}

#[test]
fn scripted_ships_go_their_way() {
    check("skirmish", 60, "76e96d3060e5f511");
}

#[test]
fn hostile_scripts_are_stopped_and_the_world_goes_on() {
    let tale = check("hostile", 60, "f1e3a17daafc548d");
    let halted =
        tale.lines().find(|line| line.contains("halted")).and_then(|line| line.split(' ').next()?.parse().ok());
    assert!(halted.is_some_and(|halted: u32| halted > 500) && tale.contains("ships/hostile.ship:"), "{tale}");
}

#[test]
fn the_battle_goes_its_way() {
    let tale = check("battle", 200, "245783a63909e86a");
    assert!(!tale.contains("halted") && !tale.contains("default was used"), "{tale}");
}
