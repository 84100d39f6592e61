//! LZ4 compression in pieces of 4 MiB, each prefixed with its compressed length in 32 bits.
//!
//! Compresses blocks of worlds at some 1 GB/s.
//!
//! Law: decompressed data has exactly the length that the caller expects; nothing is written beyond it.

use alloc::vec::Vec;

use base::bytes::{ByteReader, ByteWriter, Found, Offset, ReadError};
use base::compression;

use crate::film::limits::COMPRESSED_PIECE_BYTES;

/// Appends the bytes, compressed.
pub fn compress(bytes: &[u8], out: &mut Vec<u8>) {
    for piece in bytes.chunks(COMPRESSED_PIECE_BYTES) {
        let start = out.len();
        out.extend([0; 4]);
        let written = compression::compress(piece, out);
        out[start..start + 4].copy_from_slice(&(written as u32).to_le_bytes());
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
        compression::decompress(compressed, piece).map_err(|error| {
            let left = error.found.unwrap_or(0) as u64;
            ReadError { expected: EXPECTED, offset, found: Found::End { needed, left } }
        })?;
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
    let max = (reader.left() as u64).saturating_mul(compression::EXPANSION_MAX).min(length_max as u64);
    if length > max {
        return Err(ReadError { expected: "compressed bytes", offset, found: Found::TooMany { count: length, max } });
    }
    let mut bytes = alloc::vec![0; length as usize];
    decompress(reader, &mut bytes)?;
    Ok(bytes)
}
