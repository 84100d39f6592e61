//! Saves: round trips; corrupt files are refused or harmless.

use crate::common;

use common::fleet::Fleet;
use common::nonsense::{apply, change, live_fully, structure};
use common::{CHECKED, assert_same, cases};
use proptest::prelude::*;
use proptest::sample::Index;
use state::save::{HEADER_BYTES, SaveError, SaveHeader, load};
use state::{Alone, World};

const BUILD: u64 = 0x1234_5678_9abc_def0;
const LEVEL: &str = "harbour";

/// A whole file for the bytes of a block, with valid checksums. The block may be invalid.
fn file_of(world: &mut World, block: &[u8]) -> Vec<u8> {
    // The hash of the world is made right where the block can be one.
    let before = world.bytes().to_vec();
    let is_possible = world.adopt(block).is_ok();
    let hash = world.hash();
    if is_possible {
        world.adopt(&before).expect("it was this world's block");
    }
    let mut header = SaveHeader::of(world, hash, BUILD, LEVEL);
    header.checksum = base::hash::hash(block);
    header.cycle = u64::from_le_bytes(block[..8].try_into().expect("eight bytes"));
    let mut file = header.encode().to_vec();
    file.extend_from_slice(block);
    file
}

fn saved(world: &mut World) -> Vec<u8> {
    let block = world.bytes().to_vec();
    file_of(world, &block)
}

/// Loads a file that must be refused, and checks that the world is unchanged.
fn refused(world: &mut World, file: &[u8]) -> SaveError {
    let (bytes, hash, phase) = (world.bytes().to_vec(), world.hash(), world.phase());
    let frozen = world.frozen().bytes().to_vec();
    let error = load(world, file, LEVEL).expect_err("it should be refused");
    assert!(world.bytes() == bytes, "the world changed");
    assert!(world.frozen().bytes() == frozen, "the frozen world changed");
    assert_eq!((world.hash(), world.phase()), (hash, phase));
    assert!(!error.to_string().is_empty());
    error
}

#[test]
fn a_save_gives_the_same_world_and_the_same_future() {
    let fleet = Fleet::new();
    let mut world = fleet.seasoned(CHECKED, 5, 12);
    let file = saved(&mut world);
    let mut other = fleet.seasoned(CHECKED, 77, 3);
    let header = load(&mut other, &file, LEVEL).expect("it was just saved");
    assert_eq!((header.cycle, header.level.as_str(), header.game.as_str()), (12, LEVEL, "fleet"));
    assert_eq!(header.hash, other.hash());
    for cycle in 0..10 {
        assert_same(&mut world, &mut other, &format!("{cycle} cycles later"));
        fleet.step(&mut world, &Alone);
        fleet.step(&mut other, &Alone);
    }
    assert!(world.bytes() == other.bytes());
}

#[test]
fn a_save_whose_world_has_another_hash_than_its_header_is_refused() {
    let fleet = Fleet::new();
    let mut world = fleet.seasoned(CHECKED, 5, 12);
    let (mut file, right) = (saved(&mut world), world.hash());
    let header = SaveHeader { hash: right ^ 1, ..SaveHeader::decode(&file).expect("it was just saved") };
    file[..HEADER_BYTES].copy_from_slice(&header.encode());
    let mut other = fleet.seasoned(CHECKED, 77, 3);
    let error = refused(&mut other, &file);
    assert!(matches!(error, SaveError::Hash { expected, found } if (expected, found) == (right ^ 1, right)), "{error}");
}

#[test]
fn saving_twice_gives_the_same_file() {
    let fleet = Fleet::new();
    let mut world = fleet.seasoned(CHECKED, 5, 12);
    let mut again = fleet.seasoned(CHECKED, 5, 12);
    let file = saved(&mut world);
    assert!(file == saved(&mut world));
    assert!(file == saved(&mut again));
    load(&mut again, &file, LEVEL).expect("it was just saved");
    assert!(file == saved(&mut again), "loading and saving again gives the same file");
}

#[test]
fn headers_round_trip() {
    let fleet = Fleet::new();
    let mut world = fleet.world(CHECKED, 5);
    let hash = world.hash();
    for level in ["", "a", "éé", &"x".repeat(48)] {
        let header = SaveHeader::of(&world, hash, BUILD, level);
        assert_eq!(SaveHeader::decode(&header.encode()), Ok(header));
    }
}

#[test]
fn errors_of_truncated_and_extended_files_name_the_expected_length() {
    let fleet = Fleet::new();
    let mut world = fleet.seasoned(CHECKED, 5, 3);
    let mut file = saved(&mut world);
    let whole = file.len() as u64;
    let lengths = (0..HEADER_BYTES + 3).chain((HEADER_BYTES..file.len()).step_by(4093)).chain([file.len() - 1]);
    for length in lengths {
        let error = refused(&mut world, &file[..length]);
        let expected = if length < HEADER_BYTES { HEADER_BYTES as u64 } else { whole };
        assert_eq!(error, SaveError::Length { expected, found: length as u64 });
    }
    file.push(0);
    assert_eq!(refused(&mut world, &file), SaveError::Length { expected: whole, found: whole + 1 });
}

#[test]
fn every_changed_bit_of_the_header_is_refused() {
    let fleet = Fleet::new();
    let mut world = fleet.seasoned(CHECKED, 5, 3);
    let mut file = saved(&mut world);
    for byte in 0..HEADER_BYTES {
        for bit in 0..common::repeat(8, 1) {
            file[byte] ^= 1 << bit;
            let error = refused(&mut world, &file);
            match byte {
                0..8 => assert_eq!(error, SaveError::NotASave),
                8..12 => assert!(matches!(error, SaveError::Format { .. })),
                _ => assert_eq!(error, SaveError::HeaderDamaged),
            }
            file[byte] ^= 1 << bit;
        }
    }
    load(&mut world, &file, LEVEL).expect("it is whole again");
}

#[test]
fn files_of_other_kinds_and_future_formats_have_different_errors() {
    let fleet = Fleet::new();
    let mut world = fleet.seasoned(CHECKED, 5, 3);
    let file = saved(&mut world);
    assert_eq!(refused(&mut world, b"\x89PNG\r\n\x1a\n and so on"), SaveError::NotASave);
    assert_eq!(refused(&mut world, &vec![0; file.len()]), SaveError::NotASave);
    assert_eq!(refused(&mut world, b"ASTR"), SaveError::Length { expected: 256, found: 4 });
    let mut future = file.clone();
    future[8] = 3;
    let error = refused(&mut world, &future);
    assert_eq!(error, SaveError::Format { found: 3 });
    assert!(error.to_string().contains("newer version"), "{error}");
    let past = [&file[..8], &[0; 300]].concat();
    let error = refused(&mut world, &past);
    assert_eq!(error, SaveError::Format { found: 0 });
    assert!(!error.to_string().contains("newer version"), "{error}");
}

#[test]
fn a_save_of_another_game_level_or_layout_is_named() {
    let fleet = Fleet::new();
    let mut world = fleet.seasoned(CHECKED, 5, 3);
    let other = Fleet::called("armada");
    let mut other_world = other.world(CHECKED, 5);
    let file = saved(&mut other_world);
    let error = refused(&mut world, &file).to_string();
    assert!(error.contains("another game: expected fleet, found armada"), "{error}");
    let file = saved(&mut world);
    let error = load(&mut world, &file, "reef").expect_err("another level").to_string();
    assert!(error.contains("another level: expected reef, found harbour"), "{error}");
    let mut layout = state::Layout::of_world("fleet");
    layout.system("sky");
    layout.single::<u32>("weather");
    let mut bare = World::new(&layout.finish(), &state::Heap, CHECKED, 1);
    let bare_hash = bare.hash();
    let error = load(&mut bare, &file, LEVEL).expect_err("another layout").to_string();
    assert!(error.contains(&format!("another layout: expected {:016x}, found", bare.plan().hash())), "{error}");
    assert_eq!(bare.hash(), bare_hash);
}

#[test]
fn a_header_with_a_valid_checksum_is_still_validated() {
    let fleet = Fleet::new();
    let mut world = fleet.seasoned(CHECKED, 5, 3);
    let file = saved(&mut world);
    let forge = |changes: &[(usize, u8)]| {
        let mut forged = file.clone();
        changes.iter().for_each(|(at, byte)| forged[*at] = *byte);
        let checksum = base::hash::hash(&forged[..248]);
        forged[248..256].copy_from_slice(&checksum.to_le_bytes());
        forged
    };
    let nonsense: [&[(usize, u8)]; 8] = [
        &[(12, 255)],           // wrong header size
        &[(64, 64)],            // a game's name longer than its field
        &[(64, 255)],           // much longer
        &[(128, 200)],          // a level's name longer than its field
        &[(65, 0xff)],          // not UTF-8
        &[(100, 1)],            // non-zero bytes after the game's name
        &[(190, 1)],            // non-zero bytes after the level's name
        &[(200, 1), (247, 99)], // non-zero reserved bytes
    ];
    for changes in nonsense {
        let error = refused(&mut world, &forge(changes));
        assert_eq!(error, SaveError::HeaderDamaged, "{changes:?}");
    }
    refused(&mut world, &forge(&[(32, 9)])); // not the cycle of the block
    refused(&mut world, &forge(&[(48, 9)])); // wrong block size
    load(&mut world, &forge(&[]), LEVEL).expect("nothing was changed");
}

#[test]
fn a_failed_load_does_not_change_the_phase() {
    let fleet = Fleet::new();
    let mut world = World::new(&fleet.plan, &state::Heap, CHECKED, 1);
    assert_eq!(world.phase(), state::phase::Phase::SettingUp);
    let mut block = world.bytes().to_vec();
    let region = fleet.plan.regions().iter().find(|region| region.name == "ships").expect("there are ships");
    block[region.bytes.start] ^= 1;
    let file = file_of(&mut world, &block);
    assert!(matches!(refused(&mut world, &file), SaveError::Inconsistent(_)));
    fleet.ships.create(&mut world).expect("it is still setting up");
}

#[test]
fn after_a_failed_cycle_and_a_failed_load_the_frozen_world_can_be_saved() {
    let fleet = Fleet::new();
    let mut world = fleet.seasoned(CHECKED, 5, 3);
    let before = world.bytes().to_vec();
    let mut file = saved(&mut world);
    let region = fleet.plan.regions().iter().find(|region| region.name == "ships").expect("there are ships");
    file[HEADER_BYTES + region.bytes.start] ^= 1;
    let file = file_of(&mut world, &file[HEADER_BYTES..]);
    common::panic_message(|| {
        world.simulate(&Alone, &[&state::each(fleet.ships, |ship| ship.next.hull += 1)]);
        fleet.push.paint(&mut world, |_, _| panic!("in the middle of a cycle"));
    });
    load(&mut world, &file, LEVEL).expect_err("the count of ships is wrong");
    assert!(world.frozen().bytes() == before, "the frozen world was lost");
    world.adopt(&before).expect("it was saved");
    assert!(world.bytes() == before);
}

#[test]
fn a_cycle_count_out_of_range_is_refused() {
    let fleet = Fleet::new();
    let mut world = fleet.seasoned(CHECKED, 5, 3);
    let mut block = world.bytes().to_vec();
    for cycle in [u64::MAX, u64::MAX - 1, 1 << 60] {
        block[..8].copy_from_slice(&cycle.to_le_bytes());
        let file = file_of(&mut world, &block);
        let error = refused(&mut world, &file).to_string();
        assert!(error.contains(&format!("it is at cycle {cycle}")), "{error}");
    }
}

#[test]
fn counters_saturate() {
    let fleet = Fleet::new();
    let mut world = fleet.seasoned(CHECKED, 5, 3);
    let mut block = world.bytes().to_vec();
    for region in fleet.plan.regions() {
        let start = region.bytes.start;
        let at = match region.name.as_str() {
            "time" => 32..40,
            "ships" | "mines" | "hold" => start + 12..start + 16,
            "log" | "push" | "hit" | "launch" | "bell" => start + 8..start + 12,
            "hold bytes" => start + 12..start + 20,
            _ => 0..0,
        };
        block[at].fill(0xff);
    }
    let file = file_of(&mut world, &block);
    load(&mut world, &file, LEVEL).expect("every bit may be changed");
    for _ in 0..20 {
        live_fully(&fleet, &mut world, 6);
    }
    let report = state::report::memory_report(&world);
    assert_eq!(report.entries_refused, u64::MAX);
    for row in report.rows.iter().filter(|row| row.unit != "value") {
        assert_eq!(row.refused, u64::from(u32::MAX), "{}", row.region);
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn any_changed_bits_of_the_block_are_refused(places in prop::collection::vec((any::<Index>(), 0..8_u8), 1..5)) {
        let fleet = Fleet::new();
        let mut world = fleet.seasoned(CHECKED, 5, 3);
        let mut file = saved(&mut world);
        let whole = file.clone();
        for (place, bit) in places {
            let place = HEADER_BYTES + place.index(file.len() - HEADER_BYTES);
            file[place] ^= 1 << bit;
        }
        if file != whole {
            prop_assert_eq!(refused(&mut world, &file), SaveError::BlockDamaged);
        }
    }

    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..600), is_begun_well: bool) {
        let fleet = Fleet::new();
        let mut world = fleet.world(CHECKED, 5);
        let start: &[u8] = if is_begun_well { b"ASTRSAVE\x01\0\0\0" } else { b"" };
        refused(&mut world, &[start, &bytes].concat());
    }
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn corrupt_blocks_with_valid_checksums_are_refused_or_harmless(
        changes in prop::collection::vec((any::<Index>(), any::<Index>(), change(), 0..8), 1..4),
        cycles in 0..8_u32,
    ) {
        let fleet = Fleet::new();
        let mut world = fleet.seasoned(CHECKED, 5, cycles);
        let mut block = world.bytes().to_vec();
        let groups = structure(&fleet.plan, &block);
        for (group, place, change, anywhere) in changes {
            let group = &groups[group.index(groups.len())];
            let place = if anywhere == 0 { place.index(block.len()) } else { group[place.index(group.len())] };
            apply(&mut block, place, change);
        }
        let file = file_of(&mut world, &block);
        let mut other = fleet.world(CHECKED, 9);
        let before = other.bytes().to_vec();
        match load(&mut other, &file, LEVEL) {
            Ok(_) => live_fully(&fleet, &mut other, 3),
            Err(_) => prop_assert!(other.bytes() == before, "the world changed"),
        }
    }
}
