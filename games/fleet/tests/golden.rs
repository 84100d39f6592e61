//! The golden chain of Fleet, the same on every machine and in every build. The number changes with the tags, with the
//! semantics of scripts, or with the layout of the world; the commit that changes it says why.

use astrarium::test_checks::assert_chain;
use fleet::ENTRY;

#[test]
fn a_battle_of_two_computers_keeps_its_chain() {
    let description = assert_chain(&ENTRY, "battle", 300, "7657a29f1a2ddaf6");
    assert!(!description.contains("halted") && !description.contains("default was used"), "{description}");
}
