//! Byte encoding, with a decoder for untrusted input.
//!
//! Little-endian and unaligned. A varint (LEB128) has seven bits per byte, lowest first; the highest bit of a byte says
//! that another follows. Byte strings and texts are prefixed with their length as a varint.
//!
//! Laws
//! 1. The encoding is canonical: decoding and encoding gives the same bytes. An overlong varint is an error.
//! 2. A reader never panics and does not allocate: byte strings and texts are borrowed from the input.
//! 3. An error says what was expected, at which offset, and what was found. The reader is then unchanged.
//! 4. A writer panics if a text exceeds the maximum that both sides know.
//! 5. Floats keep their bits. Code that stores a float from outside canonicalises it first.

use alloc::vec::Vec;

mod error;
mod reader;
#[cfg(test)]
mod tests;

pub use error::{Found, Offset, ReadError};
pub use reader::ByteReader;

/// The longest varint, in bytes.
pub const VARINT_BYTES_MAX: usize = 10;

macro_rules! define_writes {
    ($($name:ident: $number:ident),* $(,)?) => {$(
        #[doc = concat!("Writes the ", stringify!($number), "'s bytes, lowest first.")]
        #[inline]
        fn $name(&mut self, value: $number) {
            self.put(&value.to_le_bytes());
        }
    )*};
}

/// A sink of bytes: a growing vector, a slice, a hasher.
pub trait ByteWriter {
    /// Appends raw bytes.
    fn put(&mut self, bytes: &[u8]);

    define_writes! {
        write_u8: u8, write_u16: u16, write_u32: u32, write_u64: u64,
        write_i8: i8, write_i16: i16, write_i32: i32, write_i64: i64,
        write_f32: f32, write_f64: f64,
    }

    /// Writes an unsigned varint: one byte below 128, ten at most.
    fn write_varint(&mut self, value: u64) {
        let mut bytes = [0; VARINT_BYTES_MAX];
        let mut length = 0;
        let mut left = value;
        while left >= 0x80 {
            bytes[length] = left as u8 | 0x80;
            left >>= 7;
            length += 1;
        }
        bytes[length] = left as u8;
        self.put(&bytes[..=length]);
    }

    /// Writes a signed varint with zigzag encoding: 0, −1, 1, −2 … as 0, 1, 2, 3 …
    #[inline]
    fn write_varint_signed(&mut self, value: i64) {
        self.write_varint(((value << 1) ^ (value >> 63)).cast_unsigned());
    }

    /// Writes a length and the bytes. Panics above `length_max`, which the reader must know too.
    fn write_bytes(&mut self, bytes: &[u8], length_max: usize) {
        assert!(bytes.len() <= length_max, "{} bytes where at most {length_max} are allowed", bytes.len());
        self.write_varint(bytes.len() as u64);
        self.put(bytes);
    }

    /// Writes a text as UTF-8. Panics above `length_max` bytes, which the reader must know too.
    #[inline]
    fn write_text(&mut self, text: &str, length_max: usize) {
        self.write_bytes(text.as_bytes(), length_max);
    }
}

impl ByteWriter for Vec<u8> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// A sink of fixed size.
///
/// Bytes that do not fit are dropped but counted, so that only the end needs a check: [`finish`](Self::finish).
#[derive(Debug)]
pub struct SliceWriter<'bytes> {
    slice: &'bytes mut [u8],
    length: usize,
}

/// More was written than fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full {
    /// The capacity in bytes.
    pub capacity: usize,
    /// The bytes needed.
    pub needed: usize,
}

impl<'bytes> SliceWriter<'bytes> {
    /// Starts at the front of the slice.
    #[inline]
    pub const fn new(slice: &'bytes mut [u8]) -> SliceWriter<'bytes> {
        SliceWriter { slice, length: 0 }
    }

    /// The number of bytes written, those that did not fit included.
    #[inline]
    pub const fn length(&self) -> usize {
        self.length
    }

    /// Whether everything fit so far.
    #[inline]
    pub const fn fits(&self) -> bool {
        self.length <= self.slice.len()
    }

    /// The bytes written, if all of them fit.
    pub fn finish(self) -> Result<&'bytes mut [u8], Full> {
        let capacity = self.slice.len();
        self.slice.get_mut(..self.length).ok_or(Full { capacity, needed: self.length })
    }
}

impl ByteWriter for SliceWriter<'_> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        let end = self.length.saturating_add(bytes.len());
        if let Some(room) = self.slice.get_mut(self.length..end) {
            room.copy_from_slice(bytes);
        }
        self.length = end;
    }
}

/// A sink that only counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteCounter {
    /// The number of bytes.
    pub length: usize,
}

impl ByteWriter for ByteCounter {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
    }
}

impl core::fmt::Display for Full {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "{} bytes do not fit into {}", self.needed, self.capacity)
    }
}

impl core::error::Error for Full {}
