//! Values written as bits, for the network, where every bit is paid for.
//!
//! Bit n of a stream is bit n % 8 of byte n / 8, counted from the lowest. A number of several bits has its lowest bit
//! first. The last byte is filled up with zeros.
//!
//! Laws
//! 1. Writer and reader call the same functions with the same ranges in the same order. The stream does not describe
//!    itself.
//! 2. A reader never panics, whatever the bits. An error says what was expected, at which bit, and what was found.
//! 3. Numbers and truths come back as they were. Floats, directions and rotations come back as the nearest step of
//!    their range, the ends and (in a range around zero) zero exactly.
//! 4. A number outside the range that both sides know is a mistake of ours and panics in the writer.

use crate::bytes::ByteWriter;
use crate::number;
use crate::quaternion::Quat;
use crate::vector::{Vec2, Vec3};

mod range;
mod reader;
#[cfg(test)]
mod tests;

pub use range::FloatRange;
pub use reader::BitReader;

/// How many bits a number from 0 to `most` needs. None for 0, all 64 for the largest.
#[inline]
pub const fn bits_for(most: u64) -> u32 {
    u64::BITS - most.leading_zeros()
}

/// Writes bits to any [`ByteWriter`], eight bytes at a time.
#[derive(Debug)]
pub struct BitWriter<Sink> {
    sink: Sink,
    pending: u64,
    pending_bits: u32,
    length: u64,
}

impl<Sink: ByteWriter> BitWriter<Sink> {
    /// Begins with the next byte of the sink.
    #[inline]
    pub const fn new(sink: Sink) -> BitWriter<Sink> {
        BitWriter { sink, pending: 0, pending_bits: 0, length: 0 }
    }

    /// How many bits were written.
    #[inline]
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// Fills up the last byte with zeros and gives the sink back. Without this call the last bits are lost.
    pub fn finish(mut self) -> Sink {
        let bytes = self.pending_bits.div_ceil(8) as usize;
        self.sink.put(&self.pending.to_le_bytes()[..bytes]);
        self.sink
    }

    /// Writes the lowest `bits` bits, 1 to 64. Panics if the value has more.
    #[inline]
    pub fn write_bits(&mut self, value: u64, bits: u32) {
        assert!((1..=64).contains(&bits), "{bits} bits at once");
        assert!(bits_for(value) <= bits, "{value} in {bits} bits");
        self.pending |= value << self.pending_bits;
        let room = 64 - self.pending_bits;
        if bits < room {
            self.pending_bits += bits;
        } else {
            self.sink.put(&self.pending.to_le_bytes());
            // With all 64 bits free nothing is left over, and a shift by 64 is none.
            self.pending = value.checked_shr(room).unwrap_or(0);
            self.pending_bits = bits - room;
        }
        self.length += u64::from(bits);
    }

    /// Writes a truth in one bit.
    #[inline]
    pub fn write_bool(&mut self, value: bool) {
        self.write_bits(u64::from(value), 1);
    }

    /// Writes one of the `count` numbers from 0 in as few bits as `count - 1` needs. Panics if it is none of them.
    #[inline]
    pub fn write_below(&mut self, value: u64, count: u64) {
        assert!(value < count, "{value} is not below {count}");
        self.write_span(value, count - 1);
    }

    /// Writes a number from `least` to `most` in as few bits as their distance needs, none if they are the same. Panics
    /// outside of them.
    #[inline]
    pub fn write_ranged(&mut self, value: i64, least: i64, most: i64) {
        assert!(least <= value && value <= most, "{value} is not from {least} to {most}");
        self.write_span(value.wrapping_sub(least).cast_unsigned(), most.wrapping_sub(least).cast_unsigned());
    }

    /// Writes the nearest step of a range; see [`FloatRange::step_of`].
    #[inline]
    pub fn write_float(&mut self, value: f32, range: FloatRange) {
        self.write_bits(u64::from(range.step_of(value)), range.bits());
    }

    /// Writes a direction in two times `bits` bits, 2 to 32. A vector without direction is written as z.
    ///
    /// The six axes come back exactly. Others are off by at most 5 / 2^bits radians from 3 bits on.
    pub fn write_direction(&mut self, direction: Vec3, bits: u32) {
        let point = fold_direction(direction);
        self.write_float(point.x, FloatRange::around_zero(1.0, bits));
        self.write_float(point.y, FloatRange::around_zero(1.0, bits));
    }

    /// Writes a rotation in 2 bits and three times `bits` bits, 4 to 32: all numbers but the largest, and which one
    /// that is.
    ///
    /// Comes back as itself or its negative, the largest number positive, off by at most 6 / 2^bits radians. The
    /// identity comes back exactly.
    pub fn write_rotation(&mut self, rotation: Quat, bits: u32) {
        let range = rotation_range(bits);
        let numbers = rotation.normal().to_vector();
        let sizes = numbers.abs();
        let mut largest = 0;
        for index in 1..4 {
            if sizes[index] > sizes[largest] {
                largest = index;
            }
        }
        let sign = if numbers[largest] < 0.0 { -1.0 } else { 1.0 };
        self.write_bits(largest as u64, 2);
        for index in (0..4).filter(|&index| index != largest) {
            self.write_float(numbers[index] * sign, range);
        }
    }

    #[inline]
    fn write_span(&mut self, value: u64, most: u64) {
        if most > 0 {
            self.write_bits(value, bits_for(most));
        }
    }
}

/// What the three smaller numbers of a rotation can be. From 4 bits on, rounding cannot make them too long to be read.
const fn rotation_range(bits: u32) -> FloatRange {
    assert!(bits >= 4, "a rotation needs four bits per number");
    FloatRange::around_zero(number::SQRT_HALF, bits)
}

/// The sphere's directions on a square: an octahedron, its lower half folded out over the corners.
fn fold_direction(direction: Vec3) -> Vec2 {
    let Vec3 { x, y, z } = direction.normal_or(Vec3::Z);
    let sum = number::abs(x) + number::abs(y) + number::abs(z);
    let point = Vec2::new(x / sum, y / sum);
    if z < 0.0 { fold(point) } else { point }
}

/// The direction of a point on the square.
fn unfold_direction(point: Vec2) -> Vec3 {
    let z = 1.0 - number::abs(point.x) - number::abs(point.y);
    let flat = if z < 0.0 { fold(point) } else { point };
    flat.with_z(z).normal_or(Vec3::Z)
}

/// Mirrors a point at the edge of its quadrant: folding twice gives it back.
fn fold(point: Vec2) -> Vec2 {
    let sign = |value: f32| if value < 0.0 { -1.0 } else { 1.0 };
    Vec2::new((1.0 - number::abs(point.y)) * sign(point.x), (1.0 - number::abs(point.x)) * sign(point.y))
}
