//! The golden chains of the quarry, the same on every machine and in every build. A number here changes only with the
//! tags, with the behaviour of physics, or with the layout of the world; the commit that changes it says why.

use astrarium::test_checks::assert_chain;
use quarry::ENTRY;

fn check(level: &str, cycles: u64, expected: &str) -> String {
    assert_chain(&ENTRY, level, cycles, expected)
}

#[test]
fn a_heap_under_fire_keeps_its_chain() {
    let description = check("heap", 40, "a98f8bf6d6e57fa3");
    assert!(
        !description.contains("halted") && !description.contains("used up") && !description.contains("not finite"),
        "{description}"
    );
}

#[test]
fn a_gas_keeps_its_chain() {
    check("gas", 20, "ed4270923b5dbdfa");
}

#[test]
fn towers_keep_their_chain() {
    check("towers", 60, "9b83e067593f8277");
}

#[test]
fn ragdolls_keep_their_chain() {
    check("ragdolls", 60, "49df327e94275419");
}

#[test]
fn a_convoy_keeps_its_chain() {
    check("convoy", 80, "3cd795321b2cbf2e");
}

#[test]
fn a_planet_with_its_moon_keeps_its_chain() {
    check("planet", 80, "f7d1e61ca9965f99");
}
