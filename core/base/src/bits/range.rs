//! Quantised float ranges.

use crate::number::double;

/// A float range, ends included, quantised in equal steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatRange {
    least: f32,
    most: f32,
    bits: u32,
}

impl FloatRange {
    /// From `least` to `most` in `bits` bits, 1 to 32. Panics if the ends are not finite or not in order.
    ///
    /// In a symmetric range (`least` is `-most`) with two bits or more, one bit pattern is unused, so that the number
    /// of steps is even and zero is exact.
    pub const fn new(least: f32, most: f32, bits: u32) -> FloatRange {
        assert!(least.is_finite() && most.is_finite() && least < most, "a range has two ends, the lower one first");
        assert!(bits >= 1 && bits <= 32, "a range has 1 to 32 bits");
        FloatRange { least, most, bits }
    }

    /// From `-most` to `most`, with 2 to 32 bits; zero is exact.
    pub const fn around_zero(most: f32, bits: u32) -> FloatRange {
        assert!(bits >= 2, "both ends and zero need two bits");
        FloatRange::new(-most, most, bits)
    }

    /// The bits of a value.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.bits
    }

    /// The number of steps, which is the largest code.
    #[inline]
    pub const fn steps(self) -> u32 {
        let unused = self.least == -self.most && self.bits > 1;
        (u32::MAX >> (32 - self.bits)) - unused as u32
    }

    /// The distance of neighbouring values. The error is at most half of it (plus `f32` rounding).
    #[inline]
    pub const fn step(self) -> f32 {
        ((self.most as f64 - self.least as f64) / self.steps() as f64) as f32
    }

    /// The code of the nearest value. Values outside are clamped, NaN becomes `least`.
    #[inline]
    pub const fn step_of(self, value: f32) -> u32 {
        let (least, most, steps) = (self.least as f64, self.most as f64, self.steps() as f64);
        let part = (value as f64 - least) / (most - least);
        // The cast truncates and turns NaN into 0.
        (double::clamp(part, 0.0, 1.0) * steps + 0.5) as u32
    }

    /// The value of a code; the last one for larger codes.
    #[inline]
    pub const fn value_of(self, step: u32) -> f32 {
        let part = double::min(step as f64 / self.steps() as f64, 1.0);
        double::lerp(self.least as f64, self.most as f64, part) as f32
    }
}
