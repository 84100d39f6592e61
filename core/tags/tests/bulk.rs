//! Bulk containers: parts come back as they were added; any other bytes are refused or read without harm.
#![allow(unsafe_code, reason = "an allocator that counts has to be one")]
#![allow(clippy::disallowed_types, reason = "each thread counts for itself")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use base::hash::{Hasher, hash};
use base::random::{Pcg, Random};
use proptest::prelude::*;
use tags::bulk::{
    BLOCK_BYTES, BlockRow, BulkError, BulkWriter, Codec, Directory, HEADER_BYTES, decode_block, read_part,
};
use tags::limits::{BULK_NAME_BYTES_MAX, BULK_PARTS_MAX};

struct Counting;

thread_local! {
    /// The bytes allocated by this thread. Those of other threads, such as the test runner's, do not count.
    static TAKEN: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: forwards every call to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        TAKEN.with(|taken| taken.set(taken.get() + layout.size() as u64));
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: guaranteed by the caller.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static HEAP: Counting = Counting;

fn bytes_taken<R>(work: impl FnOnce() -> R) -> (R, u64) {
    let before = TAKEN.with(Cell::get);
    let result = work();
    (result, TAKEN.with(Cell::get) - before)
}

fn parse(file: &[u8]) -> Result<Directory, BulkError> {
    let (directory, taken) = bytes_taken(|| Directory::parse(file, file.len() as u64));
    assert!(taken <= 4 * file.len() as u64, "{taken} bytes of memory for {} bytes", file.len());
    directory
}

fn container(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = BulkWriter::new();
    for (number, (name, bytes)) in parts.iter().enumerate() {
        assert_eq!(writer.add_part(name, bytes), Ok(number as u32));
    }
    writer.finish()
}

/// Half noise, half gradient.
fn pixels(count: usize) -> Vec<u8> {
    let mut random = Pcg::new(7, 0);
    (0..count).map(|at| if at % 100_000 < 50_000 { random.next_u32() as u8 } else { (at / 64) as u8 }).collect()
}

/// Corrects the checksum of a directory after a change.
fn seal(file: &mut [u8]) {
    use base::bytes::ByteWriter;
    let Ok(end) = Directory::end_of(file, file.len() as u64) else { return };
    let mut hasher = Hasher::new();
    hasher.put(&file[..HEADER_BYTES - 8]);
    hasher.put(&file[HEADER_BYTES..end as usize]);
    file[HEADER_BYTES - 8..HEADER_BYTES].copy_from_slice(&hasher.finish().to_le_bytes());
}

#[test]
fn parts_of_every_length_come_back() {
    let lengths = [0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES, 3 * BLOCK_BYTES + 17];
    let parts: Vec<Vec<u8>> = lengths.iter().map(|&length| pixels(length)).collect();
    let named: Vec<(&str, &[u8])> = parts.iter().map(|part| ("mip", &part[..])).collect();
    let file = container(&named);
    let directory = parse(&file).unwrap();
    for (index, part) in parts.iter().enumerate() {
        assert_eq!(directory.parts()[index].bytes, part.len() as u64);
        assert_eq!(read_part(&file, &directory, index).as_ref(), Ok(part));
    }
    assert!(directory.blocks().iter().any(|block| block.codec == Codec::Raw), "noise is stored as it is");
    assert!(directory.blocks().iter().any(|block| block.codec == Codec::Lz4), "a gradient is compressed");
}

#[test]
fn an_empty_container_is_valid() {
    let file = BulkWriter::new().finish();
    let directory = parse(&file).unwrap();
    assert!(directory.parts().is_empty() && directory.blocks().is_empty());
    assert_eq!(directory.end(), file.len() as u64);
}

#[test]
fn the_directory_needs_only_the_bytes_before_the_blocks() {
    let file = container(&[("a", &pixels(600_000)), ("b", b"text")]);
    let end = Directory::end_of(&file[..HEADER_BYTES], file.len() as u64).unwrap();
    let start = &file[..end as usize];
    assert_eq!(Directory::parse(start, file.len() as u64), parse(&file));
    let (needed, found) = (end, end - 1);
    let cut = Directory::parse(&start[..start.len() - 1], file.len() as u64);
    assert_eq!(cut, Err(BulkError::DirectoryLength { needed, found }));
}

#[test]
fn a_part_is_found_by_its_name_and_the_first_of_two_wins() {
    let directory = parse(&container(&[("a", b"1"), ("imported", b"2"), ("imported", b"3")])).unwrap();
    assert_eq!(directory.find("imported"), Some(1));
    assert_eq!(directory.find("b"), None);
}

#[test]
fn a_block_is_decoded_alone() {
    let bytes = pixels(4 * BLOCK_BYTES + 5);
    let file = container(&[("before", b"x"), ("pixels", &bytes)]);
    let directory = parse(&file).unwrap();
    let blocks = directory.parts()[1].blocks.clone();
    let row = directory.blocks()[blocks.start as usize + 2];
    let stored = &file[row.offset as usize..][..row.stored_bytes as usize];
    let mut out = b"kept".to_vec();
    decode_block(&row, stored, &mut out).unwrap();
    assert_eq!(&out[..4], b"kept");
    assert_eq!(&out[4..], &bytes[2 * BLOCK_BYTES..3 * BLOCK_BYTES]);
}

#[test]
fn too_long_names_and_too_many_parts_are_refused_and_nothing_is_added() {
    let mut writer = BulkWriter::new();
    let name = "n".repeat(BULK_NAME_BYTES_MAX + 1);
    assert_eq!(writer.add_part(&name, b"1"), Err(BulkError::Name { part: 0 }));
    assert_eq!(writer.add_part(&name[1..], b"1"), Ok(0));
    for _ in 1..BULK_PARTS_MAX {
        writer.add_part("", b"").unwrap();
    }
    assert_eq!(writer.add_part("", b""), Err(BulkError::Parts { found: BULK_PARTS_MAX as u64 + 1 }));
    assert_eq!(parse(&writer.finish()).unwrap().parts().len(), BULK_PARTS_MAX);
}

#[test]
fn another_format_is_named() {
    let mut file = container(&[]);
    file[4] = 2;
    assert_eq!(parse(&file), Err(BulkError::Format { found: 2 }));
    assert_eq!(parse(b"ABL"), Err(BulkError::Magic));
    assert!(matches!(parse(b"ABLK"), Err(BulkError::Cut(_))));
}

#[test]
fn a_header_that_announces_more_than_the_file_holds_is_refused_without_memory() {
    let mut file = container(&[]);
    file[8..12].copy_from_slice(&65_536_u32.to_le_bytes());
    let (result, taken) = bytes_taken(|| Directory::parse(&file, file.len() as u64));
    assert!(matches!(result, Err(BulkError::DirectoryLength { .. })), "{result:?}");
    assert_eq!(taken, 0);
    file[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(parse(&file), Err(BulkError::Blocks { found: u32::MAX.into() }));
}

#[test]
fn blocks_that_share_their_stored_bytes_are_refused() {
    let mut file = container(&[("a", &[0; 3 * BLOCK_BYTES])]);
    let row = HEADER_BYTES + 20 + 25;
    let first: [u8; 8] = file[row - 25..row - 17].try_into().unwrap();
    file[row..row + 8].copy_from_slice(&first);
    assert_eq!(parse(&file), Err(BulkError::DirectoryChecksum));
    seal(&mut file);
    assert_eq!(parse(&file), Err(BulkError::BlockPlace { block: 1 }));
}

#[test]
fn a_bomb_is_refused() {
    let bytes = vec![0; BLOCK_BYTES];
    let mut stored = Vec::new();
    base::compression::compress(&bytes, &mut stored);
    let stored_bytes = stored.len() as u32;
    let good =
        BlockRow { offset: 0, stored_bytes, bytes: BLOCK_BYTES as u32, checksum: hash(&bytes), codec: Codec::Lz4 };
    let mut out = Vec::new();
    assert_eq!(decode_block(&good, &stored, &mut out), Ok(()));
    out.clear();
    // More than a block, more than LZ4 can expand, and another length than the data has.
    for bytes in [BLOCK_BYTES as u32 + 1, u32::MAX, stored_bytes * 255 + 1, BLOCK_BYTES as u32 - 1] {
        let (result, taken) = bytes_taken(|| decode_block(&BlockRow { bytes, ..good }, &stored, &mut out));
        assert!(result.is_err(), "{bytes} bytes");
        assert!(out.is_empty() && taken <= BLOCK_BYTES as u64, "{taken} bytes of memory");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_parts_come_back(
        parts in prop::collection::vec(("\\PC{0,20}", prop::collection::vec(any::<u8>(), 0..300), 0_usize..1500), 0..6),
    ) {
        let parts: Vec<(&str, Vec<u8>)> =
            parts.iter().map(|(name, bytes, times)| (&name[..], bytes.repeat(*times))).collect();
        let named: Vec<(&str, &[u8])> = parts.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
        let file = container(&named);
        let directory = parse(&file).unwrap();
        prop_assert_eq!(directory.parts().len(), parts.len());
        for (index, (name, bytes)) in parts.iter().enumerate() {
            prop_assert_eq!(&*directory.parts()[index].name, *name);
            prop_assert_eq!(&read_part(&file, &directory, index).unwrap(), bytes);
        }
        prop_assert_eq!(container(&named), file);
    }

    #[test]
    fn any_bytes_are_refused_or_read_without_harm(tail in prop::collection::vec(any::<u8>(), 0..400), small in any::<bool>()) {
        let mut file = b"ABLK\x01\0\0\0".to_vec();
        file.extend(&tail);
        if small && file.len() >= HEADER_BYTES {
            // Counts that fit, so that the rows are looked at.
            for at in [8, 12, 16] {
                file[at] %= 6;
                file[at + 1..at + 4].fill(0);
            }
            seal(&mut file);
        }
        harmless(&file)?;
    }

    #[test]
    fn damage_anywhere_is_refused_or_read_without_harm(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
        is_sealed in any::<bool>(),
    ) {
        let parts: [(&str, &[u8]); 3] = [("a", &[1; 3000]), ("b", b"short"), ("c", &pixels(BLOCK_BYTES + 300)[BLOCK_BYTES - 300..])];
        let whole = container(&parts);
        let end = Directory::end_of(&whole, whole.len() as u64).unwrap() as usize;
        let mut file = whole.clone();
        for (place, value) in damage {
            // Half of the damage is to the directory.
            let length = if value % 2 == 0 { end } else { file.len() };
            file[place.index(length)] ^= value;
        }
        if let Some(cut) = cut {
            file.truncate(cut.index(file.len()));
        }
        if is_sealed && file.len() >= HEADER_BYTES {
            seal(&mut file);
        }
        harmless(&file)?;
        if !is_sealed && let Ok(directory) = parse(&file) {
            for (index, (_, bytes)) in parts.iter().enumerate() {
                if let Ok(read) = read_part(&file, &directory, index) {
                    prop_assert_eq!(&read[..], *bytes, "damage was not noticed");
                }
            }
        }
    }
}

/// Reads everything that can be read.
fn harmless(file: &[u8]) -> Result<(), TestCaseError> {
    let Ok(directory) = parse(file) else { return Ok(()) };
    let mut bytes_all = 0;
    for (index, part) in directory.parts().iter().enumerate() {
        if let Ok(bytes) = read_part(file, &directory, index) {
            prop_assert_eq!(bytes.len() as u64, part.bytes);
        }
        bytes_all += part.bytes;
    }
    prop_assert!(bytes_all <= 255 * file.len() as u64, "{bytes_all} bytes from {}", file.len());
    Ok(())
}
