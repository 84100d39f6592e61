//! The proof passes a sound game, and names the fault of an unsound one.

use crate::common;

use astrarium::proof::{Proof, Verdict};
use common::{LAMPS, run_to, tiny};

fn prove(level: &str, cycles: u64) -> Proof {
    Proof { level: level.to_string(), cycles, seed: 3, players: 2, workers: vec![2, 5] }
}

fn failed(verdicts: &[Verdict]) -> Vec<&Verdict> {
    verdicts.iter().filter(|verdict| verdict.chain.is_none()).collect()
}

#[test]
fn the_sandbox_passes_the_proof() {
    let mut session = tiny(3);
    run_to(&mut session, 103);
    let verdicts = prove("tiny", 103).run(&sandbox::ENTRY);
    assert!(verdicts.len() >= 12, "{verdicts:?}");
    for verdict in &verdicts {
        assert_eq!((verdict.chain, verdict.trouble.as_str()), (Some(session.chain()), ""), "{}", verdict.run);
    }
}

#[test]
fn a_sound_game_passes_however_few_cycles_are_run() {
    for cycles in [0, 1, 4, 5, 20] {
        let verdicts = prove("sound", cycles).run(&LAMPS);
        assert!(failed(&verdicts).is_empty(), "{cycles} cycles: {verdicts:?}");
    }
}

#[test]
fn a_counter_outside_the_world_is_named_with_its_field() {
    let verdicts = prove("counts outside", 20).run(&LAMPS);
    assert!(verdicts[0].chain.is_some(), "the reference run is sound");
    let again = verdicts.iter().find(|verdict| verdict.run == "again").unwrap();
    assert_eq!(again.chain, None);
    for part in ["house", "meter", "fault"] {
        assert!(again.trouble.contains(part), "{} does not say {part}", again.trouble);
    }
    assert_eq!(failed(&verdicts).len(), verdicts.len() - 1);
}

#[test]
fn a_fault_after_the_last_safe_cycle_is_found_too() {
    let verdicts = prove("late counter", 9).run(&LAMPS);
    assert_eq!(failed(&verdicts).len(), verdicts.len() - 1, "{verdicts:?}");
    assert!(verdicts[1].trouble.contains("fault"), "{}", verdicts[1].trouble);
}

#[test]
fn a_run_that_panics_is_reported_and_the_others_continue() {
    let verdicts = prove("breaks when checked", 150).run(&LAMPS);
    let failed = failed(&verdicts);
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert_eq!((failed[0].run.as_str(), failed[0].trouble.as_str()), ("checked", "stopped: a checked world"));
    assert!(verdicts.len() > 3 && verdicts.last().unwrap().chain.is_some());
}

#[test]
fn a_game_that_always_panics_has_no_reference() {
    let verdicts = prove("breaks in painting", 150).run(&LAMPS);
    assert_eq!(verdicts.len(), 1);
    assert!(verdicts[0].chain.is_none() && verdicts[0].trouble.starts_with("stopped: a fuse blew"), "{verdicts:?}");
}
