//! LZ4 compression in pieces of 4 MiB, each prefixed with its compressed length in 32 bits.
//!
//! The only door to the LZ4 crate. Compresses blocks of worlds at some 1 GB/s.
//!
//! Law: decompressed data has exactly the length that the caller expects; nothing is written beyond it.

use alloc::vec::Vec;

use base::bytes::{ByteReader, ByteWriter, Found, Offset, ReadError};

use crate::film::limits::COMPRESSED_PIECE_BYTES;

/// Appends the bytes, compressed.
pub fn compress(bytes: &[u8], out: &mut Vec<u8>) {
    for piece in bytes.chunks(COMPRESSED_PIECE_BYTES) {
        let start = out.len();
        out.resize(start + 4 + lz4_flex::block::get_maximum_output_size(piece.len()), 0);
        let written = lz4_flex::block::compress_into(piece, &mut out[start + 4..]);
        let written = written.expect("the buffer has the maximum compressed size");
        out[start..start + 4].copy_from_slice(&(written as u32).to_le_bytes());
        out.truncate(start + 4 + written);
    }
}

/// Decompresses the output of [`compress`] of exactly `into.len()` bytes.
pub fn decompress(reader: &mut ByteReader<'_>, into: &mut [u8]) -> Result<(), ReadError> {
    const EXPECTED: &str = "compressed bytes";
    for piece in into.chunks_mut(COMPRESSED_PIECE_BYTES) {
        let offset = Offset::Byte(reader.offset() as u64);
        let length = reader.read_u32()? as usize;
        let compressed = reader.take(length)?;
        let needed = piece.len() as u64;
        let written = lz4_flex::block::decompress_into(compressed, piece).unwrap_or(0);
        if written as u64 != needed {
            return Err(ReadError { expected: EXPECTED, offset, found: Found::End { needed, left: written as u64 } });
        }
    }
    Ok(())
}

/// Appends the length and the compressed bytes, where the reader does not know the length.
pub fn compress_with_length(bytes: &[u8], out: &mut Vec<u8>) {
    out.write_varint(bytes.len() as u64);
    compress(bytes, out);
}

/// Decompresses the output of [`compress_with_length`], up to a length.
pub fn decompress_with_length(reader: &mut ByteReader<'_>, length_max: usize) -> Result<Vec<u8>, ReadError> {
    let offset = Offset::Byte(reader.offset() as u64);
    let length = reader.read_varint()?;
    // LZ4 expands one byte to 255 at most.
    let max = (reader.left() as u64).saturating_mul(255).min(length_max as u64);
    if length > max {
        return Err(ReadError { expected: "compressed bytes", offset, found: Found::TooMany { count: length, max } });
    }
    let mut bytes = alloc::vec![0; length as usize];
    decompress(reader, &mut bytes)?;
    Ok(bytes)
}
