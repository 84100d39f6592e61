//! Values written as bytes, and read back from bytes nobody vouches for.
//!
//! Everything is little-endian and unaligned. A varint holds seven bits per byte, lowest first, the highest bit of a
//! byte saying that another follows. Byte strings and texts are their length as a varint, then their bytes.
//!
//! Laws
//! 1. A value has exactly one form: what is read and written again gives the same bytes. A varint that is longer than
//!    it needs to be is an error.
//! 2. A reader never panics and takes nothing from the heap: byte strings and texts are lent from the input.
//! 3. An error says what was expected, where, and what was found. The reader then stays where it was.
//! 4. A writer writes what it is given; a text above the maximum that both sides know is a mistake of ours and panics.
//! 5. Floats keep their bits. Whoever stores one that came from outside makes it canonical first.

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

/// Something bytes can be written to: a growing vector, a slice, a hash.
pub trait ByteWriter {
    /// Takes the bytes as they are.
    fn put(&mut self, bytes: &[u8]);

    define_writes! {
        write_u8: u8, write_u16: u16, write_u32: u32, write_u64: u64,
        write_i8: i8, write_i16: i16, write_i32: i32, write_i64: i64,
        write_f32: f32, write_f64: f64,
    }

    /// Writes a number in as few bytes as it needs: one below 128, ten at most.
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

    /// Writes a number of either sign in as few bytes as its distance from zero needs: 0, −1, 1, −2 … as 0, 1, 2, 3 …
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

/// Writes into a slice and never beyond it.
///
/// What no longer fits is not written but still counted, so that only the end needs a check: [`finish`](Self::finish).
#[derive(Debug)]
pub struct SliceWriter<'bytes> {
    slice: &'bytes mut [u8],
    length: usize,
}

/// More was written than a slice can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full {
    /// How many bytes there was room for.
    pub capacity: usize,
    /// How many would have been needed.
    pub needed: usize,
}

impl<'bytes> SliceWriter<'bytes> {
    /// Begins at the front of the slice.
    #[inline]
    pub const fn new(slice: &'bytes mut [u8]) -> SliceWriter<'bytes> {
        SliceWriter { slice, length: 0 }
    }

    /// How many bytes were written, or would have been with room for them.
    #[inline]
    pub const fn length(&self) -> usize {
        self.length
    }

    /// Whether everything so far did fit.
    #[inline]
    pub const fn fits(&self) -> bool {
        self.length <= self.slice.len()
    }

    /// The bytes written, if all of them did fit.
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

/// Only counts: how long would it be?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteCounter {
    /// How many bytes were given.
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
