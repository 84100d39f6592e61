//! Recording a black box: whenever the writer stops, the bytes lead to the last complete cycle.

mod common;

use common::{BRUSHES_PER_SAFE, LEVEL, Recording, SCHEDULE, Take, Town, cases, sealed};
use host::allocation::{CountingAllocator, allocations_while_forbidden, forbid};
use proptest::prelude::*;
use relay::black_box::{BlackBox, Purpose};
use relay::{CrashReport, Sealed};
use state::Snapshot;
use state::backups::Schedule;
use state::limits::PAGE_BYTES;
use state::memory::Heap;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn after_every_write_the_newest_and_the_oldest_backup_lead_to_the_last_complete_cycle() {
    let mut recording = Take::USUAL.begin();
    recording.assert_newest_and_oldest_replay();
    while recording.world.cycle() < 130 {
        recording.step(&mut |recording| recording.assert_newest_and_oldest_replay());
    }
    let cycles: Vec<u64> = recording.report().backups.iter().map(|backup| backup.cycle).collect();
    assert_eq!(cycles, [129, 126, 123, 120, 100]);
}

#[test]
fn a_box_may_begin_at_any_cycle() {
    for first in [1234, 7, 1, 5, 19, 20, 21, 39, 60] {
        let mut recording = Take { first, ..Take::USUAL }.begin();
        recording.assert_newest_and_oldest_replay();
        let report = recording.report();
        assert_eq!((report.complete, report.backups.len(), report.records.len()), (first, 1, 0));
        assert_eq!(report.backups[0].cycle, first);
        while recording.world.cycle() < first + 25 {
            recording.step(&mut |recording| recording.assert_newest_and_oldest_replay());
        }
    }
}

#[test]
fn the_first_backup_of_a_run_is_kept_as_long_as_a_long_one() {
    let mut recording = Take { first: 7, ..Take::USUAL }.begin();
    recording.run_to(39);
    assert_eq!(recording.report().backups.last().map(|backup| backup.cycle), Some(7));
    recording.run_to(40);
    assert_eq!(recording.report().backups.last().map(|backup| backup.cycle), Some(20));
}

/// A process killed while it copies a backup: the place is marked empty, and its bytes are arbitrary.
#[test]
fn while_any_backup_is_written_another_leads_to_the_last_cycle() {
    for first in [0, 17, 58] {
        let mut recording = Take { first, ..Take::USUAL }.begin();
        while recording.world.cycle() < first + 70 {
            recording.step(&mut |recording| {
                let report = recording.report();
                for lost in report.backups.iter().filter(|_| report.backups.len() > 1) {
                    let others = || report.backups.iter().filter(|backup| backup.cycle != lost.cycle);
                    let is_replayable = others().any(|other| Recording::has_inputs(&report, other));
                    assert!(is_replayable, "without {} at {}", lost.cycle, report.complete);
                }
            });
        }
    }
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn any_schedule_keeps_the_last_cycle_reachable(
        short_cycles in 0..12_u32,
        short_count in 0..4_u32,
        long_cycles in 1..40_u32,
        long_count in 2..4_u32,
        first in 0..60_u64,
        cycles in 1..90_u64,
    ) {
        let schedule = Schedule { short_cycles, short_count, long_cycles, long_count };
        let mut recording = Take { first, schedule, journal_bytes: 16384, ..Take::USUAL }.begin();
        while recording.world.cycle() < first + cycles {
            recording.step(&mut |recording| {
                let report = recording.report();
                assert!(Recording::has_inputs(&report, report.backups.first().expect("one is whole")));
            });
        }
        recording.assert_newest_and_oldest_replay();
    }
}

#[test]
fn a_journal_that_overflows_has_no_gaps_and_the_next_one_starts_empty() {
    let mut recording = Take { journal_bytes: 4096, events_max: 60, ..Take::USUAL }.begin();
    let (mut overflows, mut recoveries) = (0, 0);
    while recording.world.cycle() < 400 {
        let events_max = recording.events_max;
        recording.step(&mut |recording| {
            let report = recording.report();
            let cycles: Vec<u64> = report.records.iter().map(|record| record.inputs.cycle()).collect();
            assert!(cycles.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{cycles:?}");
            assert!(report.records.iter().all(|record| record.inputs == sealed(record.inputs.cycle(), events_max)));
        });
        let report = recording.report();
        if Recording::has_inputs(&report, &report.backups[0]) {
            recording.assert_newest_and_oldest_replay();
            recoveries += 1;
        } else {
            overflows += 1;
            let since_long = report.complete % u64::from(SCHEDULE.long_cycles);
            assert!(since_long > BRUSHES_PER_SAFE, "the first record of a journal always fits: {}", report.complete);
        }
    }
    assert!(overflows > 20 && recoveries > 50, "{overflows} cycles could not be replayed, {recoveries} could");
}

#[test]
fn journals_are_reused() {
    let mut recording = Take { journal_bytes: 4096, ..Take::USUAL }.begin();
    for cycle in (0..3000).step_by(37) {
        recording.run_to(cycle);
        recording.assert_newest_and_oldest_replay();
    }
}

#[test]
fn after_a_record_that_does_not_fit_no_smaller_one_is_written() {
    let town = Town::new();
    let mut world = town.world(1);
    let purpose = Take { journal_bytes: 4096, ..Take::USUAL }.purpose(&world);
    let mut bytes = vec![0; purpose.bytes() as usize];
    let mut black_box = BlackBox::new(&purpose, &mut bytes, &mut world);
    // The events of three players with 50 each take more than half a journal.
    let large = common::sealed_exactly(0, 50);
    for inputs in [&large, &common::sealed_exactly(1, 50), &Sealed::empty(2)] {
        let hash = world.hash();
        black_box.record_inputs(&mut bytes, &mut world, hash, inputs);
    }
    let cycles: Vec<u64> =
        CrashReport::read(&bytes).unwrap().records.iter().map(|record| record.inputs.cycle()).collect();
    assert_eq!(cycles, [0]);
}

#[test]
fn a_journal_is_used_to_the_last_byte() {
    let town = Town::new();
    let record = 24 + {
        let mut bytes = Vec::new();
        sealed(0, 64).write(&mut bytes);
        bytes.len()
    };
    let is_kept = |inputs: &Sealed| {
        let mut world = town.world(1);
        let purpose = Take { journal_bytes: 4096, ..Take::USUAL }.purpose(&world);
        let mut bytes = vec![0; purpose.bytes() as usize];
        let mut black_box = BlackBox::new(&purpose, &mut bytes, &mut world);
        let mut kept = 0;
        loop {
            let hash = world.hash();
            black_box.record_inputs(&mut bytes, &mut world, hash, inputs);
            let after = &bytes[3 * PAGE_BYTES + 4096..3 * PAGE_BYTES + 8192];
            assert!(after.iter().all(|byte| *byte == 0), "the next journal is still empty");
            let used = u64::from_le_bytes(bytes[3 * PAGE_BYTES + 8..3 * PAGE_BYTES + 16].try_into().unwrap());
            if used == kept {
                return used;
            }
            kept = used;
        }
    };
    assert_eq!(is_kept(&sealed(0, 64)), ((4096 - 16) / record * record) as u64);
    // An empty cycle takes 24 + 2 bytes.
    assert_eq!(is_kept(&Sealed::empty(0)), (4096 - 16) / 26 * 26);
}

#[test]
fn recording_does_not_allocate() {
    let mut recording = Take { journal_bytes: 4096, events_max: 60, ..Take::USUAL }.begin();
    let before = allocations_while_forbidden();
    while recording.world.cycle() < 130 {
        let cycle = recording.world.cycle();
        let inputs = common::is_safe(cycle).then(|| sealed(cycle / BRUSHES_PER_SAFE, 60));
        let Recording { town, world, bytes, black_box, .. } = &mut recording;
        if let Some(inputs) = &inputs {
            let hash = world.hash();
            forbid(|| black_box.record_inputs(bytes, world, hash, inputs));
        }
        town.step(world, inputs.as_ref());
        forbid(|| black_box.complete(bytes, world));
        forbid(|| BlackBox::last_words(bytes, "as planned"));
    }
    forbid(|| recording.black_box.begin_anew(&mut recording.bytes, &mut recording.world));
    assert_eq!(allocations_while_forbidden() - before, 0);
}

/// Restores an earlier world, as loading and rewinding do.
fn go_back(recording: &mut Recording, snapshot: &Snapshot) {
    recording.world.restore(snapshot);
    recording.hashes.retain(|cycle, _| *cycle <= recording.world.cycle());
}

#[test]
fn rewinding_starts_a_new_run() {
    // Back to a safe cycle, to a cycle in between, to one just completed.
    for (to, from) in [(20, 63), (23, 63), (60, 61), (10, 12), (10, 2000)] {
        let mut recording = Take::USUAL.begin();
        recording.run_to(to);
        let snapshot = recording.world.snapshot(&Heap);
        recording.run_to(from);
        go_back(&mut recording, &snapshot);
        // From here on the players send different events.
        recording.events_max = 5;
        if common::is_safe(to) {
            // The new run begins before the first inputs are written.
            recording.step(&mut |recording| recording.assert_newest_and_oldest_replay());
        }
        for _ in 0..50 {
            recording.step(&mut |_| ());
            recording.assert_newest_and_oldest_replay();
            let report = recording.report();
            assert!(report.backups.iter().all(|backup| (to..=report.complete).contains(&backup.cycle)), "{to} {from}");
        }
    }
}

#[test]
fn jumping_ahead_starts_a_new_run() {
    let mut recording = Take::USUAL.begin();
    recording.run_to(12);
    let mut ahead = recording.town.world(6);
    recording.town.run_to(&mut ahead, 1003, 3);
    recording.world.adopt(ahead.bytes()).unwrap();
    recording.hashes = [(1003, recording.world.hash())].into();
    for _ in 0..30 {
        recording.step(&mut |_| ());
        recording.assert_newest_and_oldest_replay();
    }
}

#[test]
fn the_panic_message_is_kept_and_truncated_between_characters() {
    let mut recording = Take::USUAL.begin();
    assert_eq!(recording.report().last_words, "");
    BlackBox::last_words(&mut recording.bytes, "out of bells");
    assert_eq!(recording.report().last_words, "out of bells");
    let long = "x".repeat(2047) + "ü and more";
    BlackBox::last_words(&mut recording.bytes, &long);
    assert_eq!(recording.report().last_words, "x".repeat(2047));
    BlackBox::last_words(&mut recording.bytes, "");
    assert_eq!(recording.report().last_words, "");
    BlackBox::last_words(&mut [], "nowhere to write");
    recording.run_to(30);
    recording.assert_newest_and_oldest_replay();
}

#[test]
fn a_report_contains_the_description_of_the_box() {
    let mut recording = Take { first: 13, ..Take::USUAL }.begin();
    recording.run_to(31);
    let report = recording.report();
    assert_eq!(report.purpose, Take::USUAL.purpose(&recording.world));
    assert_eq!((report.purpose.game.as_str(), report.purpose.level.as_str()), ("town", LEVEL));
    assert_eq!(report.complete, 31);
    let cycles: Vec<u64> = report.records.iter().map(|record| record.inputs.cycle()).collect();
    assert_eq!(cycles, [3, 4, 5, 6]);
    assert_eq!(report.record(6).unwrap().hash_before, recording.hashes[&30]);
    assert!(report.record(7).is_none() && report.record(2).is_none());
}

#[test]
fn an_absurd_description_has_no_size() {
    let world = Town::new().world(1);
    let usual = Take::USUAL.purpose(&world);
    let with = |change: &dyn Fn(&mut Purpose)| {
        let mut purpose = usual.clone();
        change(&mut purpose);
        purpose.bytes()
    };
    assert_eq!(usual.bytes() as usize, 3 * PAGE_BYTES + 3 * 8192 + SCHEDULE.places() * world.plan().bytes());
    assert_eq!(with(&|purpose| purpose.schedule.long_count = 1), 0, "one would be lost while it is written");
    assert_eq!(with(&|purpose| purpose.schedule.long_cycles = 0), 0);
    assert_eq!(with(&|purpose| purpose.schedule.short_count = 63), 0);
    assert_eq!(with(&|purpose| purpose.schedule.short_count = u32::MAX), 0);
    assert_eq!(with(&|purpose| purpose.journal_bytes = 0), 0);
    assert_eq!(with(&|purpose| purpose.journal_bytes = 5000), 0);
    assert_eq!(with(&|purpose| purpose.block_bytes += 1), 0);
    assert_eq!(with(&|purpose| purpose.block_bytes = u64::MAX - 4095), 0);
    assert!(with(&|purpose| purpose.schedule.short_cycles = 0) > 0, "no short ones are due then");
}

#[test]
fn a_box_of_the_wrong_length_is_refused() {
    let recording = Take::USUAL.begin();
    let mut bytes = recording.bytes.clone();
    bytes.push(0);
    assert!(CrashReport::read(&bytes).is_err());
    assert!(CrashReport::read(&recording.bytes[..recording.bytes.len() - 1]).is_err());
}
