//! Bit packing, for the network.
//!
//! Bit n of a stream is bit n % 8 of byte n / 8, counted from the lowest. A number of several bits has its lowest bit
//! first. The last byte is padded with zeros.
//!
//! Laws
//! 1. Writer and reader call the same functions with the same ranges in the same order. The stream does not describe
//!    itself.
//! 2. A reader never panics, whatever the bits. An error says what was expected, at which bit, and what was found.
//! 3. Integers and booleans are exact. Floats, directions and rotations are quantised to the nearest step of their
//!    range; the ends and (in a symmetric range) zero are exact.
//! 4. The writer panics if a number is outside the range that both sides know.

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

/// The bits of a number from 0 to `max`: 0 for 0, 64 for the largest.
#[inline]
pub const fn bits_for(max: u64) -> u32 {
    u64::BITS - max.leading_zeros()
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
    /// Starts at the next byte of the sink.
    #[inline]
    pub const fn new(sink: Sink) -> BitWriter<Sink> {
        BitWriter { sink, pending: 0, pending_bits: 0, length: 0 }
    }

    /// The number of bits written.
    #[inline]
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// Pads the last byte with zeros and returns the sink. Without this call the last bits are lost.
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
            // With all 64 bits free there is no remainder, and a shift by 64 would overflow.
            self.pending = value.checked_shr(room).unwrap_or(0);
            self.pending_bits = bits - room;
        }
        self.length += u64::from(bits);
    }

    /// Writes a boolean.
    #[inline]
    pub fn write_bool(&mut self, value: bool) {
        self.write_bits(u64::from(value), 1);
    }

    /// Writes a number below `count` in the bits of `count - 1`. Panics if it is not below.
    #[inline]
    pub fn write_below(&mut self, value: u64, count: u64) {
        assert!(value < count, "{value} is not below {count}");
        self.write_span(value, count - 1);
    }

    /// Writes a number from `min` to `max` in the bits of their difference (none if they are equal). Panics outside
    /// of them.
    #[inline]
    pub fn write_ranged(&mut self, value: i64, min: i64, max: i64) {
        assert!(min <= value && value <= max, "{value} is not from {min} to {max}");
        self.write_span(value.wrapping_sub(min).cast_unsigned(), max.wrapping_sub(min).cast_unsigned());
    }

    /// Writes a quantised float; see [`FloatRange::step_of`].
    #[inline]
    pub fn write_float(&mut self, value: f32, range: FloatRange) {
        self.write_bits(u64::from(range.step_of(value)), range.bits());
    }

    /// Writes a unit vector with octahedral encoding in two times `bits` bits, 2 to 32. The zero vector is written as
    /// z.
    ///
    /// The six axes are exact. The error of others is at most 5 / 2^bits radians from 3 bits on.
    pub fn write_direction(&mut self, direction: Vec3, bits: u32) {
        let point = fold_direction(direction);
        self.write_float(point.x, FloatRange::around_zero(1.0, bits));
        self.write_float(point.y, FloatRange::around_zero(1.0, bits));
    }

    /// Writes a unit quaternion with smallest-three encoding in 2 bits and three times `bits` bits, 4 to 32.
    ///
    /// It decodes to itself or its negative, the largest component positive, with an error of at most 6 / 2^bits
    /// radians. The identity is exact.
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
    fn write_span(&mut self, value: u64, max: u64) {
        if max > 0 {
            self.write_bits(value, bits_for(max));
        }
    }
}

/// The range of the three smaller components. From 4 bits on, rounding cannot make them too long to be decoded.
const fn rotation_range(bits: u32) -> FloatRange {
    assert!(bits >= 4, "a rotation needs four bits per number");
    FloatRange::around_zero(number::SQRT_HALF, bits)
}

/// Octahedral mapping of directions to a square: the lower half is folded over the corners.
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

/// Mirrors a point at the edge of its quadrant: an involution.
fn fold(point: Vec2) -> Vec2 {
    let sign = |value: f32| if value < 0.0 { -1.0 } else { 1.0 };
    Vec2::new((1.0 - number::abs(point.y)) * sign(point.x), (1.0 - number::abs(point.x)) * sign(point.y))
}
