//! The golden chains of the quarry, the same on every machine and in every build. A number here changes only with the
//! tags, with the behaviour of physics, or with the layout of the world; the commit that changes it says why.

use astrarium::test_checks::assert_chain;
use quarry::ENTRY;

fn check(level: &str, cycles: u64, expected: &str) -> String {
    assert_chain(&ENTRY, level, cycles, expected)
}

#[test]
fn a_heap_under_fire_keeps_its_chain() {
    let description = check("heap", 40, "819ceed39c121aa8");
    assert!(
        !description.contains("halted") && !description.contains("used up") && !description.contains("not finite"),
        "{description}"
    );
}

#[test]
fn a_gas_keeps_its_chain() {
    check("gas", 20, "6d613333295ba3b3");
}

#[test]
fn towers_keep_their_chain() {
    check("towers", 60, "62f0e05a45a9e608");
}

#[test]
fn ragdolls_keep_their_chain() {
    check("ragdolls", 60, "428a767483452005");
}

#[test]
fn a_convoy_keeps_its_chain() {
    check("convoy", 80, "1a853d646cc29617");
}

#[test]
fn a_planet_with_its_moon_keeps_its_chain() {
    check("planet", 80, "3183c81d81a048a6");
}
