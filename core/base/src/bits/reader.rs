//! The decoder of [`BitWriter`](super::BitWriter)'s output, for untrusted bits.

use super::{FloatRange, bits_for, rotation_range, unfold_direction};
use crate::bytes::{Found, Offset, ReadError};
use crate::number;
use crate::quaternion::Quat;
use crate::vector::{Vec2, Vec3, Vec4};

/// Reads bits from the front of a slice. See the laws of [`bits`](super).
///
/// After an error, the position is somewhere within the malformed value.
#[derive(Clone, Debug)]
pub struct BitReader<'bytes> {
    bytes: &'bytes [u8],
    offset: u64,
}

impl<'bytes> BitReader<'bytes> {
    /// Starts at the front.
    #[inline]
    pub const fn new(bytes: &'bytes [u8]) -> BitReader<'bytes> {
        BitReader { bytes, offset: 0 }
    }

    /// The number of bits read.
    #[inline]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The number of bits left, padding included.
    #[inline]
    pub const fn left(&self) -> u64 {
        self.bytes.len() as u64 * 8 - self.offset
    }

    /// Reads `bits` bits. Panics unless it is 1 to 64.
    #[inline]
    pub fn read_bits(&mut self, bits: u32) -> Result<u64, ReadError> {
        self.read_bits_of("bits", bits)
    }

    /// Reads a boolean.
    #[inline]
    pub fn read_bool(&mut self) -> Result<bool, ReadError> {
        self.read_bits_of("a truth", 1).map(|bit| bit == 1)
    }

    /// Reads a number below `count`. Panics for a count of zero.
    #[inline]
    pub fn read_below(&mut self, count: u64) -> Result<u64, ReadError> {
        assert!(count > 0, "no number is below zero");
        self.read_span("a number", count - 1)
    }

    /// Reads a number from `min` to `max`. Panics if these are not in order.
    #[inline]
    pub fn read_ranged(&mut self, min: i64, max: i64) -> Result<i64, ReadError> {
        assert!(min <= max, "{min} is above {max}");
        let number = self.read_span("a number in a range", max.wrapping_sub(min).cast_unsigned())?;
        Ok(min.wrapping_add(number.cast_signed()))
    }

    /// Reads a quantised float.
    #[inline]
    pub fn read_float(&mut self, range: FloatRange) -> Result<f32, ReadError> {
        let offset = self.offset;
        let number = self.read_bits_of("a float in a range", range.bits())?;
        let max = u64::from(range.steps());
        if number > max {
            return Err(error("a float in a range", offset, Found::OutOfRange { number, max }));
        }
        Ok(range.value_of(number as u32))
    }

    /// Reads a unit vector.
    pub fn read_direction(&mut self, bits: u32) -> Result<Vec3, ReadError> {
        let range = FloatRange::around_zero(1.0, bits);
        let x = self.read_float(range)?;
        let y = self.read_float(range)?;
        Ok(unfold_direction(Vec2::new(x, y)))
    }

    /// Reads a unit quaternion.
    pub fn read_rotation(&mut self, bits: u32) -> Result<Quat, ReadError> {
        let offset = self.offset;
        let range = rotation_range(bits);
        let largest = self.read_bits_of("a rotation", 2)? as usize;
        let mut numbers = Vec4::ZERO;
        for index in (0..4).filter(|&index| index != largest) {
            numbers[index] = self.read_float(range)?;
        }
        let rest = 1.0 - numbers.length_squared();
        if rest < 0.0 {
            return Err(error("a rotation", offset, Found::NotUnit));
        }
        numbers[largest] = number::sqrt(rest);
        Ok(Quat::from_vector(numbers).normal())
    }

    /// An error unless only zero padding is left.
    pub fn finish(mut self) -> Result<(), ReadError> {
        let (offset, left) = (self.offset, self.left());
        match left {
            0 => Ok(()),
            1..8 if self.read_bits(left as u32)? == 0 => Ok(()),
            1..8 => Err(error("zeros up to the end", offset, Found::Padding)),
            _ => Err(error("the end", offset, Found::More { left })),
        }
    }

    #[inline]
    fn read_span(&mut self, expected: &'static str, max: u64) -> Result<u64, ReadError> {
        if max == 0 {
            return Ok(0);
        }
        let offset = self.offset;
        let number = self.read_bits_of(expected, bits_for(max))?;
        if number <= max { Ok(number) } else { Err(error(expected, offset, Found::OutOfRange { number, max })) }
    }

    #[inline]
    fn read_bits_of(&mut self, expected: &'static str, bits: u32) -> Result<u64, ReadError> {
        assert!((1..=64).contains(&bits), "{bits} bits at once");
        let (needed, left) = (u64::from(bits), self.left());
        if needed > left {
            return Err(error(expected, self.offset, Found::End { needed, left }));
        }
        let ahead = &self.bytes[(self.offset / 8) as usize..];
        let shift = (self.offset % 8) as u32;
        let value = match ahead.first_chunk() {
            Some(word) if shift + bits <= 64 => u64::from_le_bytes(*word) >> shift,
            _ => {
                // Up to nine bytes, as many as there are.
                let mut word = [0; 16];
                let length = if ahead.len() < 9 { ahead.len() } else { 9 };
                word[..length].copy_from_slice(&ahead[..length]);
                (u128::from_le_bytes(word) >> shift) as u64
            }
        };
        self.offset += needed;
        Ok(value & (u64::MAX >> (64 - bits)))
    }
}

#[cold]
fn error(expected: &'static str, offset: u64, found: Found) -> ReadError {
    ReadError { expected, offset: Offset::Bit(offset), found }
}
