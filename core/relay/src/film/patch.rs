//! Delta encoding of blocks, in words of eight bytes.
//!
//! A patch is a sequence of runs: the number of equal words, the number of different ones (both as varints), and the
//! different words. After the last run the blocks are equal.
//!
//! Law: any bytes as a patch change nothing outside the block.

use alloc::vec::Vec;

use base::bytes::{ByteReader, ByteWriter, Found, Offset, ReadError};

const WORD: usize = 8;
/// Bytes compared at once where nothing differs.
const STRIDE: usize = 512;

/// Appends the patch from `base` to `block`. Some 8 GB/s where they are equal.
///
/// # Panics
/// If they are not equally long, or not of whole words.
pub fn write(base: &[u8], block: &[u8], out: &mut Vec<u8>) {
    assert!(base.len() == block.len() && block.len().is_multiple_of(WORD), "two blocks of one plan");
    let mut written = 0;
    let mut at = 0;
    while let Some(start) = first_difference(base, block, at) {
        let end = first_same(base, block, start);
        out.write_varint(((start - written) / WORD) as u64);
        out.write_varint(((end - start) / WORD) as u64);
        out.put(&block[start..end]);
        (written, at) = (end, end);
    }
}

/// Applies a patch to `block`, which holds the base.
pub fn apply(patch: &[u8], block: &mut [u8]) -> Result<(), ReadError> {
    let mut reader = ByteReader::new(patch);
    let mut at: usize = 0;
    while reader.left() > 0 {
        let offset = Offset::Byte(reader.offset() as u64);
        let [same, other] = [reader.read_varint()?, reader.read_varint()?];
        let max = ((block.len() - at) / WORD) as u64;
        let count = same.saturating_add(other);
        if count > max {
            return Err(ReadError { expected: "words of a block", offset, found: Found::TooMany { count, max } });
        }
        let start = at + same as usize * WORD;
        let length = other as usize * WORD;
        block[start..start + length].copy_from_slice(reader.take(length)?);
        at = start + length;
    }
    Ok(())
}

fn first_difference(base: &[u8], block: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while at < block.len() {
        let end = (at + STRIDE).min(block.len());
        if base[at..end] != block[at..end] {
            let words = base[at..end].chunks(WORD).zip(block[at..end].chunks(WORD));
            return words.into_iter().position(|(left, right)| left != right).map(|index| at + index * WORD);
        }
        at = end;
    }
    None
}

fn first_same(base: &[u8], block: &[u8], from: usize) -> usize {
    let words = base[from..].chunks(WORD).zip(block[from..].chunks(WORD));
    let count = words.take_while(|(left, right)| left != right).count();
    from + count * WORD
}
