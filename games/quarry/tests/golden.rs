//! The chains that the quarry must give, on every machine and in every build. A number here changes only together with its
//! tags, with what physics does, or with the layout of its world; the commit that changes it says why.

use astrarium::trials::goes_its_way;
use quarry::ENTRY;

fn check(level: &str, cycles: u64, expected: &str) -> String {
    goes_its_way(&ENTRY, level, cycles, expected)
}

#[test]
fn a_heap_under_fire_goes_its_way() {
    let tale = check("heap", 40, "054d494ba3e6152b");
    assert!(!tale.contains("halted") && !tale.contains("no room") && !tale.contains("not finite"), "{tale}");
}

#[test]
fn a_gas_goes_its_way() {
    check("gas", 20, "39f79bc2160d4aca");
}

#[test]
fn towers_go_their_way() {
    check("towers", 60, "965ecfdf9780be12");
}

#[test]
fn ragdolls_go_their_way() {
    check("ragdolls", 60, "5a98888c80261173");
}

#[test]
fn a_convoy_goes_its_way() {
    check("convoy", 80, "a2748667f894a1fb");
}

#[test]
fn a_planet_with_its_moon_goes_its_way() {
    check("planet", 80, "687302c9b9c8faeb");
}
