//! Bytes made smaller: LZ4, in pieces of 4 MiB, each with its squeezed length before it, in 32 bits.
//!
//! The only door to the LZ4 crate. Some 1 GB/s in, for blocks of worlds.
//!
//! Law: what is expanded has exactly the length that whoever asks expects, and is never written beyond it.

use alloc::vec::Vec;

use base::bytes::{ByteReader, ByteWriter, Found, Offset, ReadError};

use crate::film::limits::SQUEEZED_BYTES;

/// Appends the bytes, squeezed.
pub fn squeeze(bytes: &[u8], out: &mut Vec<u8>) {
    for piece in bytes.chunks(SQUEEZED_BYTES) {
        let start = out.len();
        out.resize(start + 4 + lz4_flex::block::get_maximum_output_size(piece.len()), 0);
        let written = lz4_flex::block::compress_into(piece, &mut out[start + 4..]);
        let written = written.expect("there is room for the most that it can come to");
        out[start..start + 4].copy_from_slice(&(written as u32).to_le_bytes());
        out.truncate(start + 4 + written);
    }
}

/// Reads what [`squeeze`] wrote of bytes of this length.
pub fn expand(reader: &mut ByteReader<'_>, into: &mut [u8]) -> Result<(), ReadError> {
    const EXPECTED: &str = "squeezed bytes";
    for piece in into.chunks_mut(SQUEEZED_BYTES) {
        let offset = Offset::Byte(reader.offset() as u64);
        let length = reader.read_u32()? as usize;
        let squeezed = reader.take(length)?;
        let needed = piece.len() as u64;
        let written = lz4_flex::block::decompress_into(squeezed, piece).unwrap_or(0);
        if written as u64 != needed {
            return Err(ReadError { expected: EXPECTED, offset, found: Found::End { needed, left: written as u64 } });
        }
    }
    Ok(())
}

/// Appends a length and the bytes, squeezed: for bytes whose length nobody else knows.
pub fn squeeze_with_length(bytes: &[u8], out: &mut Vec<u8>) {
    out.write_varint(bytes.len() as u64);
    squeeze(bytes, out);
}

/// Reads what [`squeeze_with_length`] wrote, if it is at most so long.
pub fn expand_with_length(reader: &mut ByteReader<'_>, length_max: usize) -> Result<Vec<u8>, ReadError> {
    let offset = Offset::Byte(reader.offset() as u64);
    let length = reader.read_varint()?;
    // LZ4 cannot make more than 255 bytes of one.
    let most = (reader.left() as u64).saturating_mul(255).min(length_max as u64);
    if length > most {
        return Err(ReadError { expected: "squeezed bytes", offset, found: Found::TooMany { count: length, most } });
    }
    let mut bytes = alloc::vec![0; length as usize];
    expand(reader, &mut bytes)?;
    Ok(bytes)
}
