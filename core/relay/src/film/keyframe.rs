//! Keyframes: the block of a cycle, whole or as a patch of an earlier whole one.
//!
//! Body of a whole one: the chain in 64 bits, and the block, compressed.
//!
//! Body of a patched one: the chain and the cycle of the whole one that it follows from, in 64 bits each; the length of
//! the patch as a varint; and the patch, compressed.

use alloc::vec::Vec;

use base::bytes::{ByteReader, ByteWriter, Found, Offset, ReadError};
use base::compression::EXPANSION_MAX;

use crate::film::compression::{compress, compress_with_length, decompress, decompress_with_length};
use crate::film::limits::COMPRESSED_PIECE_BYTES;
use crate::film::patch;

/// The header of a keyframe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keyframe {
    /// The chain over the hashes of all safe cycles up to it.
    pub chain: u64,
    /// The cycle of the whole keyframe that it is a patch of. `None`: it is whole.
    pub base: Option<u64>,
}

/// Encodes a whole keyframe, replacing the content of `out`.
pub fn encode_whole(chain: u64, block: &[u8], out: &mut Vec<u8>) {
    out.clear();
    out.write_u64(chain);
    compress(block, out);
}

/// Encodes a keyframe as a patch of an earlier block, replacing the content of `out`; `spare` is a scratch buffer.
pub fn encode_patch(chain: u64, base: (u64, &[u8]), block: &[u8], spare: &mut Vec<u8>, out: &mut Vec<u8>) {
    out.clear();
    spare.clear();
    patch::write(base.1, block, spare);
    out.write_u64(chain);
    out.write_u64(base.0);
    compress_with_length(spare, out);
}

/// Decodes a whole keyframe into `block`, which gets the expected length. A length that the body cannot hold is refused before any
/// memory is taken; whoever knows the plan of the block compares the length with it before.
pub fn decode_whole(body: &[u8], length: u64, block: &mut Vec<u8>) -> Result<Keyframe, ReadError> {
    let (chain, mut reader) = look_at_whole(body, length)?;
    block.clear();
    block.resize(length as usize, 0);
    decompress(&mut reader, block)?;
    reader.finish()?;
    Ok(Keyframe { chain, base: None })
}

/// The first bytes of the block of a whole keyframe with this length, at most [`COMPRESSED_PIECE_BYTES`]: from them a reader learns
/// which content the block needs, and with it the plan, before it takes memory for all.
pub fn decode_start(body: &[u8], length: u64) -> Result<Vec<u8>, ReadError> {
    let (_, mut reader) = look_at_whole(body, length)?;
    let mut start = alloc::vec![0; length.min(COMPRESSED_PIECE_BYTES as u64) as usize];
    decompress(&mut reader, &mut start)?;
    Ok(start)
}

/// The chain of a whole keyframe, and its compressed block, if that can be so long.
fn look_at_whole(body: &[u8], length: u64) -> Result<(u64, ByteReader<'_>), ReadError> {
    let mut reader = ByteReader::new(body);
    let chain = reader.read_u64()?;
    let max = (reader.left() as u64).saturating_mul(EXPANSION_MAX);
    if length > max {
        let (offset, found) = (Offset::Byte(reader.offset() as u64), Found::TooMany { count: length, max });
        return Err(ReadError { expected: "a compressed block", offset, found });
    }
    Ok((chain, reader))
}

/// Decodes the header of a patched keyframe.
pub fn look_at_patch(body: &[u8]) -> Result<Keyframe, ReadError> {
    let mut reader = ByteReader::new(body);
    Ok(Keyframe { chain: reader.read_u64()?, base: Some(reader.read_u64()?) })
}

/// Decodes a patched keyframe into a block that holds its base.
pub fn decode_patch(body: &[u8], block: &mut [u8]) -> Result<Keyframe, ReadError> {
    let mut reader = ByteReader::new(body);
    let keyframe = Keyframe { chain: reader.read_u64()?, base: Some(reader.read_u64()?) };
    // The longest patch: three words for every second word.
    let patch = decompress_with_length(&mut reader, block.len().saturating_mul(4))?;
    reader.finish()?;
    patch::apply(&patch, block)?;
    Ok(keyframe)
}
