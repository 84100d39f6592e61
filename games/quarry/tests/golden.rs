//! The golden chains of the quarry, the same on every machine and in every build. A number here changes only with the
//! tags, with the behaviour of physics, or with the layout of the world; the commit that changes it says why.

use astrarium::test_checks::assert_chain;
use quarry::ENTRY;

fn check(level: &str, cycles: u64, expected: &str) -> String {
    assert_chain(&ENTRY, level, cycles, expected)
}

#[test]
fn a_heap_under_fire_keeps_its_chain() {
    let description = check("heap", 40, "49a06afd2c306fd9");
    assert!(
        !description.contains("halted") && !description.contains("used up") && !description.contains("not finite"),
        "{description}"
    );
}

#[test]
fn a_gas_keeps_its_chain() {
    check("gas", 20, "f4bc6614bb990b97");
}

#[test]
fn towers_keep_their_chain() {
    check("towers", 60, "03a4bc3382170096");
}

#[test]
fn ragdolls_keep_their_chain() {
    check("ragdolls", 60, "a62abd9e9f3a3ec1");
}

#[test]
fn a_convoy_keeps_its_chain() {
    check("convoy", 80, "595be950daa83840");
}

#[test]
fn a_planet_with_its_moon_keeps_its_chain() {
    check("planet", 80, "0993ccb2cf9e746b");
}
