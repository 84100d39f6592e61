//! A range of floats in equal steps.

use crate::number::double;

/// A range of floats, both ends included, told in steps of equal size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatRange {
    least: f32,
    most: f32,
    bits: u32,
}

impl FloatRange {
    /// From `least` to `most` in `bits` bits, 1 to 32. Panics if the ends are not finite or not in order.
    ///
    /// In a range around zero (`least` is `-most`) with two bits or more, one pattern of bits is unused, so that the
    /// number of steps is even and zero is one of the values.
    pub const fn new(least: f32, most: f32, bits: u32) -> FloatRange {
        assert!(least.is_finite() && most.is_finite() && least < most, "a range has two ends, the lower one first");
        assert!(bits >= 1 && bits <= 32, "a range has 1 to 32 bits");
        FloatRange { least, most, bits }
    }

    /// From `-most` to `most`, with 2 to 32 bits, so that zero is one of the values.
    pub const fn around_zero(most: f32, bits: u32) -> FloatRange {
        assert!(bits >= 2, "both ends and zero need two bits");
        FloatRange::new(-most, most, bits)
    }

    /// How many bits a value takes.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.bits
    }

    /// How many steps lead from one end to the other: the largest number a value can have.
    #[inline]
    pub const fn steps(self) -> u32 {
        let unused = self.least == -self.most && self.bits > 1;
        (u32::MAX >> (32 - self.bits)) - unused as u32
    }

    /// How far two neighbouring values are apart. What comes back is off by at most half of it (and the rounding of an
    /// `f32`).
    #[inline]
    pub const fn step(self) -> f32 {
        ((self.most as f64 - self.least as f64) / self.steps() as f64) as f32
    }

    /// The number of the nearest value. What is outside becomes the nearer end, NaN becomes `least`.
    #[inline]
    pub const fn step_of(self, value: f32) -> u32 {
        let (least, most, steps) = (self.least as f64, self.most as f64, self.steps() as f64);
        let part = (value as f64 - least) / (most - least);
        // The cast cuts towards zero and turns NaN into 0.
        (double::clamp(part, 0.0, 1.0) * steps + 0.5) as u32
    }

    /// The value with a number; the last one for numbers beyond it.
    #[inline]
    pub const fn value_of(self, step: u32) -> f32 {
        let part = double::min(step as f64 / self.steps() as f64, 1.0);
        double::lerp(self.least as f64, self.most as f64, part) as f32
    }
}
