//! The golden chains of the quarry, the same on every machine and in every build. A number here changes only with the
//! tags, with the behaviour of physics, or with the layout of the world; the commit that changes it says why.

use astrarium::test_checks::assert_chain;
use quarry::ENTRY;

fn check(level: &str, cycles: u64, expected: &str) -> String {
    assert_chain(&ENTRY, level, cycles, expected)
}

#[test]
fn a_heap_under_fire_keeps_its_chain() {
    let description = check("heap", 40, "771ff9fd680a9fde");
    assert!(
        !description.contains("halted") && !description.contains("used up") && !description.contains("not finite"),
        "{description}"
    );
}

#[test]
fn a_gas_keeps_its_chain() {
    check("gas", 20, "933e6890bec434a5");
}

#[test]
fn towers_keep_their_chain() {
    check("towers", 60, "b3e574190c1eb2b9");
}

#[test]
fn ragdolls_keep_their_chain() {
    check("ragdolls", 60, "f3ec49d41cb7624d");
}

#[test]
fn a_convoy_keeps_its_chain() {
    check("convoy", 80, "40b8c6b62c7af23b");
}

#[test]
fn a_planet_with_its_moon_keeps_its_chain() {
    check("planet", 80, "60cb1cc9a39d35e6");
}
