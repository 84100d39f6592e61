//! Corrupt black boxes: any bytes give a consistent report or a clear error.

mod common;

use std::sync::OnceLock;

use base::bytes::ByteWriter;
use base::hash::{hash, mix};
use common::{Recording, Take, Town, cases};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use relay::crash_report::{BackupError, CrashReportError};
use relay::{BlackBox, CrashReport, Event, Sealed};
use state::World;
use state::limits::PAGE_BYTES;

const PROGRESS: usize = PAGE_BYTES;
const PLACES: usize = 2 * PAGE_BYTES;
const JOURNALS: usize = 3 * PAGE_BYTES;
const JOURNAL_BYTES: usize = 8192;
const BACKUPS: usize = JOURNALS + 3 * JOURNAL_BYTES;

/// A valid box after some sixty cycles, with a panic message.
fn sound_box() -> &'static [u8] {
    static BOX: OnceLock<Vec<u8>> = OnceLock::new();
    BOX.get_or_init(|| {
        let mut recording = Take { first: 7, ..Take::USUAL }.begin();
        recording.run_to(64);
        BlackBox::last_words(&mut recording.bytes, "a bell fell");
        recording.bytes
    })
}

/// A world with some content, to check that it stays unchanged.
fn some_world(town: &Town) -> World {
    let mut world = town.world(3);
    town.run_to(&mut world, 8, 3);
    world
}

/// Asserts that any bytes give an error with a message, or a consistent report whose backups match their hashes.
fn assert_sound(bytes: &[u8]) -> Option<CrashReport<'_>> {
    let report = match CrashReport::read(bytes) {
        Ok(report) => report,
        Err(error) => {
            assert!(error.to_string().contains("expected") || error == CrashReportError::HeadDamaged, "{error}");
            return None;
        }
    };
    let cycles: Vec<u64> = report.records.iter().map(|record| record.inputs.cycle()).collect();
    assert!(cycles.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1])), "{cycles:?}");
    assert!(cycles.iter().all(|cycle| report.record(*cycle).is_some()));
    assert!(report.backups.is_sorted_by_key(|backup| std::cmp::Reverse(backup.cycle)));
    let events: usize = report.records.iter().map(|record| record.inputs.events().len()).sum();
    let held = events * size_of::<(u16, Event)>() + report.records.len() * 64 + report.last_words.len();
    assert!(held <= 8 * bytes.len(), "{held} bytes were made of {}", bytes.len());
    assert!(report.last_words.len() <= 3 * 2048, "each byte that is no letter may become one of three");

    let town = Town::new();
    for backup in &report.backups {
        let mut world = some_world(&town);
        let (before, hash_before) = (world.bytes().to_vec(), world.hash());
        match backup.load(&mut world) {
            Ok(()) => {
                assert_eq!((world.cycle(), world.hash()), (backup.cycle, backup.hash));
                town.step(&mut world, None);
            }
            Err(complaint) => {
                assert!(!complaint.to_string().is_empty());
                assert!(world.bytes() == before, "{complaint}: the world is as it was");
                assert_eq!(world.hash(), hash_before);
                town.step(&mut world, None);
            }
        }
    }
    Some(report)
}

/// Recomputes the checksum of the head.
fn sign_head(bytes: &mut [u8]) {
    let checksum = hash(&bytes[..PAGE_BYTES - 8]);
    bytes[PAGE_BYTES - 8..PAGE_BYTES].copy_from_slice(&checksum.to_le_bytes());
}

fn put_u64(bytes: &mut [u8], at: usize, value: u64) {
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

/// Writes records with valid checksums into a journal.
fn forge_journal(bytes: &mut [u8], number: usize, bodies: &[(u64, Vec<u8>)]) {
    let mut journal = Vec::new();
    for (hash_before, body) in bodies {
        journal.write_u64(body.len() as u64);
        journal.write_u64(mix(*hash_before, hash(body)));
        journal.write_u64(*hash_before);
        journal.extend(body);
    }
    journal.truncate(JOURNAL_BYTES - 16);
    let start = JOURNALS + number * JOURNAL_BYTES;
    put_u64(bytes, start + 8, journal.len() as u64);
    bytes[start + 16..start + 16 + journal.len()].copy_from_slice(&journal);
}

fn body_of(inputs: &Sealed) -> Vec<u8> {
    let mut body = Vec::new();
    inputs.write(&mut body);
    body
}

#[test]
fn a_valid_box_is_accepted() {
    let report = assert_sound(sound_box()).expect("nothing was done to it");
    assert_eq!((report.complete, report.last_words.as_str()), (64, "a bell fell"));
    assert_eq!(report.backups.len(), 5);
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn any_bytes_give_a_report_or_an_error(bytes in vec(any::<u8>(), 0..9000), begins_right in any::<bool>()) {
        let mut bytes = bytes;
        if begins_right {
            let length = bytes.len().min(12);
            bytes[..length].copy_from_slice(&sound_box()[..length]);
        }
        prop_assert!(assert_sound(&bytes).is_none());
    }

    #[test]
    fn any_other_length_is_an_error(length in any::<Index>(), more in 0..9000_usize) {
        let sound = sound_box();
        prop_assert!(assert_sound(&sound[..length.index(sound.len())]).is_none());
        let mut longer = sound.to_vec();
        longer.resize(sound.len() + 1 + more, 0);
        prop_assert!(assert_sound(&longer).is_none());
    }

    #[test]
    fn bits_flipped_anywhere_are_survived(flips in vec((any::<Index>(), 0..8), 1..20)) {
        let mut bytes = sound_box().to_vec();
        for (place, bit) in flips {
            let place = place.index(bytes.len());
            bytes[place] ^= 1_u8 << bit;
        }
        assert_sound(&bytes);
    }

    #[test]
    fn a_forged_head_is_survived(flips in vec((12..160_usize, any::<u8>()), 1..6)) {
        let mut bytes = sound_box().to_vec();
        for (place, value) in flips {
            bytes[place] = value;
        }
        sign_head(&mut bytes);
        assert_sound(&bytes);
    }

    #[test]
    fn a_head_with_absurd_numbers_is_survived(
        journal_bytes in prop_oneof![Just(0), Just(u32::MAX), Just(u32::MAX - 4095), any::<u32>()],
        block_bytes in prop_oneof![Just(0), Just(u64::MAX), Just(u64::MAX - 4095), any::<u64>()],
        schedule in vec(prop_oneof![Just(0), Just(u32::MAX), 0..70_u32], 4),
        changes in any::<[bool; 3]>(),
    ) {
        let mut bytes = sound_box().to_vec();
        if changes[0] {
            bytes[12..16].copy_from_slice(&journal_bytes.to_le_bytes());
        }
        if changes[1] {
            put_u64(&mut bytes, 32, block_bytes);
        }
        if changes[2] {
            for (index, number) in schedule.iter().enumerate() {
                bytes[40 + index * 4..44 + index * 4].copy_from_slice(&number.to_le_bytes());
            }
        }
        sign_head(&mut bytes);
        assert_sound(&bytes);
    }

    #[test]
    fn forged_progress_and_places_are_survived(
        complete in any::<u64>(),
        words in any::<u64>(),
        rows in vec((0..5_usize, 0..2_u64, any::<u64>(), any::<u64>()), 0..4),
        noise in vec(any::<u8>(), 200),
    ) {
        let mut bytes = sound_box().to_vec();
        put_u64(&mut bytes, PROGRESS, complete);
        put_u64(&mut bytes, PROGRESS + 64, words);
        bytes[PROGRESS + 72..PROGRESS + 272].copy_from_slice(&noise);
        for (place, is_whole, cycle, hash) in rows {
            put_u64(&mut bytes, PLACES + place * 24, is_whole);
            put_u64(&mut bytes, PLACES + place * 24 + 8, cycle);
            put_u64(&mut bytes, PLACES + place * 24 + 16, hash);
        }
        prop_assert_eq!(assert_sound(&bytes).map(|report| report.complete), Some(complete));
    }

    #[test]
    fn forged_journals_are_survived(
        number in 0..3_usize,
        used in prop_oneof![any::<u64>(), 0..9000_u64],
        bodies in vec((any::<u64>(), vec(any::<u8>(), 0..60)), 0..30),
        cycles in vec(prop_oneof![0..20_u64, Just(u64::MAX), Just(u64::MAX - 1)], 0..20),
        keeps_length in any::<bool>(),
    ) {
        let mut bytes = sound_box().to_vec();
        let forged = cycles.iter().map(|cycle| (1, body_of(&Sealed::empty(*cycle))));
        forge_journal(&mut bytes, number, &forged.chain(bodies).collect::<Vec<_>>());
        if !keeps_length {
            put_u64(&mut bytes, JOURNALS + number * JOURNAL_BYTES + 8, used);
        }
        assert_sound(&bytes);
    }

    #[test]
    fn a_record_is_read_as_written_or_is_missing(flips in vec((0..3_usize, any::<Index>(), 0..8), 1..4)) {
        let mut bytes = sound_box().to_vec();
        for (number, place, bit) in flips {
            let start = JOURNALS + number * JOURNAL_BYTES;
            let used = u64::from_le_bytes(bytes[start + 8..start + 16].try_into().unwrap()) as usize;
            bytes[start + 16 + place.index(used.clamp(1, JOURNAL_BYTES - 16))] ^= 1_u8 << bit;
        }
        let sound = CrashReport::read(sound_box()).unwrap();
        for record in assert_sound(&bytes).expect("the head is whole").records {
            prop_assert_eq!(Some(&record), sound.record(record.inputs.cycle()));
        }
    }

    #[test]
    fn a_damaged_backup_is_refused_and_the_others_stay_valid(
        flips in vec((any::<Index>(), 0..8), 1..4),
        which in 0..5_usize,
    ) {
        let mut bytes = sound_box().to_vec();
        let block = (bytes.len() - BACKUPS) / 5;
        let start = BACKUPS + which * block;
        for (place, bit) in flips {
            bytes[start + place.index(block)] ^= 1_u8 << bit;
        }
        let report = assert_sound(&bytes).expect("the head is whole");
        let town = Town::new();
        let loaded = report.backups.iter().filter(|backup| backup.load(&mut some_world(&town)).is_ok()).count();
        // It may still be valid: the flip may have hit a dead slot, or been undone by another.
        prop_assert!((4..=5).contains(&loaded), "{loaded} of 5 load");
    }

    /// A backup with a flipped bit and matching hashes, if it is consistent, loads and steps like any other.
    #[test]
    fn a_consistent_forged_backup_runs(place in any::<Index>(), bit in 0..8, which in 0..5_usize) {
        let mut bytes = sound_box().to_vec();
        let block = (bytes.len() - BACKUPS) / 5;
        let start = BACKUPS + which * block;
        bytes[start + place.index(block)] ^= 1_u8 << bit;
        let town = Town::new();
        let mut world = some_world(&town);
        if world.adopt(&bytes[start..start + block]).is_ok() {
            put_u64(&mut bytes, PLACES + which * 24 + 8, world.cycle());
            put_u64(&mut bytes, PLACES + which * 24 + 16, world.hash());
            let report = assert_sound(&bytes).expect("the head is whole");
            prop_assert!(report.backups.iter().all(|backup| backup.load(&mut some_world(&town)).is_ok()));
        }
    }
}

#[test]
fn only_records_after_the_last_gap_count() {
    let mut bytes = sound_box().to_vec();
    let record = |cycle| (cycle, body_of(&Sealed::empty(cycle)));
    forge_journal(&mut bytes, 0, &[record(1), record(2), record(4)]);
    forge_journal(&mut bytes, 1, &[record(9), record(7), record(8)]);
    forge_journal(&mut bytes, 2, &[record(10), record(10)]);
    let report = assert_sound(&bytes).expect("the head is whole");
    let cycles: Vec<u64> = report.records.iter().map(|record| record.inputs.cycle()).collect();
    assert_eq!(cycles, [10], "of two records for a cycle, the second is ignored");
    forge_journal(&mut bytes, 2, &[record(10), record(11)]);
    let report = assert_sound(&bytes).expect("the head is whole");
    let cycles: Vec<u64> = report.records.iter().map(|record| record.inputs.cycle()).collect();
    assert_eq!(cycles, [7, 8, 9, 10, 11]);
}

#[test]
fn a_record_with_trailing_bytes_ends_its_journal() {
    let mut bytes = sound_box().to_vec();
    for number in [0, 2] {
        forge_journal(&mut bytes, number, &[]);
    }
    let mut longer = body_of(&Sealed::empty(2));
    longer.push(0);
    forge_journal(&mut bytes, 1, &[(1, body_of(&Sealed::empty(1))), (2, longer), (3, body_of(&Sealed::empty(3)))]);
    let report = assert_sound(&bytes).expect("the head is whole");
    assert_eq!(report.records.len(), 1);
}

#[test]
fn errors_say_what_was_expected_and_what_was_found() {
    let words = |bytes: &[u8]| CrashReport::read(bytes).expect_err("it is damaged").to_string();
    let sound = sound_box();
    assert!(words(b"").contains("begins with ASTRCRSH"));
    assert!(words(b"ASTRSAVE and so on").contains("begins with ASTRCRSH"));
    assert!(words(&sound[..100]).contains("found 100"));
    let mut other = sound.to_vec();
    other[8] = 9;
    assert!(words(&other).contains("expected crash report format 1, found 9"));
    let mut other = sound.to_vec();
    other[20] ^= 1;
    assert!(words(&other).contains("the head is damaged"));
    let length = sound.len();
    assert!(words(&sound[..length - 1]).contains(&format!("expected {length} bytes, found {}", length - 1)));
}

#[test]
fn a_backup_with_the_wrong_cycle_is_named() {
    let mut bytes = sound_box().to_vec();
    let report = CrashReport::read(&bytes).unwrap();
    let newest = report.backups[0].cycle;
    let row = (0..5).map(|place| PLACES + place * 24).find(|row| bytes[row + 8..row + 16] == newest.to_le_bytes());
    put_u64(&mut bytes, row.unwrap() + 8, 77);
    let report = CrashReport::read(&bytes).unwrap();
    let complaint = report.backups[0].load(&mut some_world(&Town::new())).expect_err("the row lies");
    let BackupError::Damaged { cycle: 77, found_cycle, .. } = complaint else { panic!("{complaint}") };
    assert_eq!(found_cycle, newest);
    let told = complaint.to_string();
    assert!(told.contains("of cycle 77") && told.contains(&format!("of cycle {newest}")), "{told}");
}

/// The recording that the tests corrupt must itself be valid.
#[test]
fn the_undamaged_box_replays() {
    let mut recording: Recording = Take { first: 7, ..Take::USUAL }.begin();
    recording.run_to(64);
    recording.assert_newest_and_oldest_replay();
}
