//! The decoder of [`ByteWriter`](super::ByteWriter)'s output, for untrusted bytes.

use super::{Found, Offset, ReadError, VARINT_BYTES_MAX};

/// Reads values from the front of a slice. See the laws of [`bytes`](super).
#[derive(Clone, Debug)]
pub struct ByteReader<'bytes> {
    bytes: &'bytes [u8],
    offset: usize,
}

macro_rules! define_reads {
    ($($name:ident: $number:ident $words:literal),* $(,)?) => {$(
        #[doc = concat!("Reads ", $words, " of little-endian bytes.")]
        #[inline]
        pub fn $name(&mut self) -> Result<$number, ReadError> {
            self.array($words).map($number::from_le_bytes)
        }
    )*};
}

impl<'bytes> ByteReader<'bytes> {
    /// Starts at the front.
    #[inline]
    pub const fn new(bytes: &'bytes [u8]) -> ByteReader<'bytes> {
        ByteReader { bytes, offset: 0 }
    }

    /// The number of bytes read.
    #[inline]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// The number of bytes left.
    #[inline]
    pub const fn left(&self) -> usize {
        self.bytes.len() - self.offset
    }

    define_reads! {
        read_u8: u8 "a u8", read_u16: u16 "a u16", read_u32: u32 "a u32", read_u64: u64 "a u64",
        read_i8: i8 "an i8", read_i16: i16 "an i16", read_i32: i32 "an i32", read_i64: i64 "an i64",
        read_f32: f32 "an f32", read_f64: f64 "an f64",
    }

    /// Reads an unsigned varint. An overlong one is an error.
    pub fn read_varint(&mut self) -> Result<u64, ReadError> {
        const EXPECTED: &str = "a varint";
        let mut value = 0;
        let ahead = &self.bytes[self.offset..];
        for (index, &byte) in ahead.iter().take(VARINT_BYTES_MAX).enumerate() {
            value |= u64::from(byte & 0x7f) << (7 * index);
            if byte & 0x80 == 0 {
                // The tenth byte has only the highest bit; the last of several bytes is not zero.
                let is_shortest = if index == VARINT_BYTES_MAX - 1 { byte == 1 } else { byte != 0 || index == 0 };
                if !is_shortest {
                    return Err(self.error(EXPECTED, Found::NotShortest));
                }
                self.offset += index + 1;
                return Ok(value);
            }
        }
        let left = ahead.len() as u64;
        let needed = left + 1;
        let is_cut = ahead.len() < VARINT_BYTES_MAX;
        Err(self.error(EXPECTED, if is_cut { Found::End { needed, left } } else { Found::NotShortest }))
    }

    /// Reads a signed varint.
    #[inline]
    pub fn read_varint_signed(&mut self) -> Result<i64, ReadError> {
        self.read_varint().map(|value| (value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    /// Reads the number of following items, each of at least `item_bytes_min` bytes.
    ///
    /// It is at most `count_max`, and no larger than the rest of the bytes can hold, so that memory for all items may
    /// be allocated.
    pub fn read_count(&mut self, count_max: usize, item_bytes_min: usize) -> Result<usize, ReadError> {
        self.read_count_of("items", count_max, item_bytes_min)
    }

    /// Borrows exactly this many bytes.
    #[inline]
    pub fn take(&mut self, length: usize) -> Result<&'bytes [u8], ReadError> {
        match self.bytes[self.offset..].get(..length) {
            Some(bytes) => {
                self.offset += length;
                Ok(bytes)
            }
            None => Err(self.end(length, "bytes")),
        }
    }

    /// Borrows a byte string of at most `length_max`.
    pub fn read_bytes(&mut self, length_max: usize) -> Result<&'bytes [u8], ReadError> {
        let length = self.read_count_of("bytes", length_max, 1)?;
        self.take(length)
    }

    /// Borrows a text of at most `length_max` bytes.
    pub fn read_text(&mut self, length_max: usize) -> Result<&'bytes str, ReadError> {
        let mut ahead = self.clone();
        let bytes = ahead.read_bytes(length_max)?;
        let text = core::str::from_utf8(bytes)
            .map_err(|error| self.error("text", Found::NotText { valid: error.valid_up_to() as u64 }))?;
        *self = ahead;
        Ok(text)
    }

    /// An error unless all bytes were read.
    pub fn finish(self) -> Result<(), ReadError> {
        match self.left() {
            0 => Ok(()),
            left => Err(self.error("the end", Found::More { left: left as u64 })),
        }
    }

    fn read_count_of(&mut self, items: &'static str, count_max: usize, bytes_min: usize) -> Result<usize, ReadError> {
        let mut ahead = self.clone();
        let count = ahead.read_varint()?;
        let (max, left) = (count_max as u64, ahead.left() as u64);
        let needed = count.saturating_mul(bytes_min as u64);
        if count > max {
            return Err(self.error(items, Found::TooMany { count, max }));
        }
        if needed > left {
            return Err(ahead.error(items, Found::End { needed, left }));
        }
        *self = ahead;
        // It is at most `count_max`, which is a usize.
        Ok(count as usize)
    }

    #[inline]
    fn array<const LENGTH: usize>(&mut self, expected: &'static str) -> Result<[u8; LENGTH], ReadError> {
        match self.bytes[self.offset..].first_chunk() {
            Some(array) => {
                self.offset += LENGTH;
                Ok(*array)
            }
            None => Err(self.end(LENGTH, expected)),
        }
    }

    #[cold]
    fn end(&self, needed: usize, expected: &'static str) -> ReadError {
        self.error(expected, Found::End { needed: needed as u64, left: self.left() as u64 })
    }

    #[cold]
    fn error(&self, expected: &'static str, found: Found) -> ReadError {
        ReadError { expected, offset: Offset::Byte(self.offset as u64), found }
    }
}
