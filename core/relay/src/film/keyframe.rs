//! Keyframes: the block of a cycle, whole or as a patch of an earlier whole one.
//!
//! Body of a whole one: the chain in 64 bits, and the block, squeezed.
//!
//! Body of a patched one: the chain and the cycle of the whole one that it follows from, in 64 bits each; the length of the
//! patch as a varint; and the patch, squeezed.

use alloc::vec::Vec;

use base::bytes::{ByteReader, ByteWriter, ReadError};

use crate::film::patch;
use crate::film::squeeze::{expand, expand_with_length, squeeze, squeeze_with_length};

/// What a keyframe says beside its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keyframe {
    /// The number over the hashes of all safe cycles up to it.
    pub chain: u64,
    /// The cycle of the whole keyframe of its take that it is a patch of. None: it is whole.
    pub base: Option<u64>,
}

/// The body of a whole keyframe, in place of what is in `out`.
pub fn encode_whole(chain: u64, block: &[u8], out: &mut Vec<u8>) {
    out.clear();
    out.write_u64(chain);
    squeeze(block, out);
}

/// The body of a keyframe that is a patch of the block of an earlier one, in place of what is in `out`; `spare` is memory to be
/// used again.
pub fn encode_patch(chain: u64, base: (u64, &[u8]), block: &[u8], spare: &mut Vec<u8>, out: &mut Vec<u8>) {
    out.clear();
    spare.clear();
    patch::write(base.1, block, spare);
    out.write_u64(chain);
    out.write_u64(base.0);
    squeeze_with_length(spare, out);
}

/// Reads the body of a whole keyframe into a block, which has the right length.
pub fn decode_whole(body: &[u8], block: &mut [u8]) -> Result<Keyframe, ReadError> {
    let mut reader = ByteReader::new(body);
    let chain = reader.read_u64()?;
    expand(&mut reader, block)?;
    reader.finish()?;
    Ok(Keyframe { chain, base: None })
}

/// What the body of a patched keyframe says, without its block.
pub fn look_at_patch(body: &[u8]) -> Result<Keyframe, ReadError> {
    let mut reader = ByteReader::new(body);
    Ok(Keyframe { chain: reader.read_u64()?, base: Some(reader.read_u64()?) })
}

/// Reads the body of a patched keyframe into a block that holds the one it follows from.
pub fn decode_patch(body: &[u8], block: &mut [u8]) -> Result<Keyframe, ReadError> {
    let mut reader = ByteReader::new(body);
    let keyframe = Keyframe { chain: reader.read_u64()?, base: Some(reader.read_u64()?) };
    // No patch is longer: three words for every second one.
    let patch = expand_with_length(&mut reader, block.len().saturating_mul(4))?;
    reader.finish()?;
    patch::apply(&patch, block)?;
    Ok(keyframe)
}
