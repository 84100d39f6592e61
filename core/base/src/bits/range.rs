//! Quantised float ranges.

use crate::number::double;

/// A float range, ends included, quantised in equal steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatRange {
    lower: f32,
    upper: f32,
    bits: u32,
}

impl FloatRange {
    /// From `lower` to `upper` in `bits` bits, 1 to 32. Panics if the ends are not finite or not in order.
    ///
    /// In a symmetric range (`lower` is `-upper`) with two bits or more, one bit pattern is unused, so that the number
    /// of steps is even and zero is exact.
    pub const fn new(lower: f32, upper: f32, bits: u32) -> FloatRange {
        assert!(lower.is_finite() && upper.is_finite() && lower < upper, "a range has two ends, the lower one first");
        assert!(bits >= 1 && bits <= 32, "a range has 1 to 32 bits");
        FloatRange { lower, upper, bits }
    }

    /// From `-upper` to `upper`, with 2 to 32 bits; zero is exact.
    pub const fn around_zero(upper: f32, bits: u32) -> FloatRange {
        assert!(bits >= 2, "both ends and zero need two bits");
        FloatRange::new(-upper, upper, bits)
    }

    /// The bits of a value.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.bits
    }

    /// The number of steps, which is the largest code.
    #[inline]
    pub const fn steps(self) -> u32 {
        let unused = self.lower == -self.upper && self.bits > 1;
        (u32::MAX >> (32 - self.bits)) - unused as u32
    }

    /// The distance of neighbouring values. The error is at most half of it (plus `f32` rounding).
    #[inline]
    pub const fn step(self) -> f32 {
        ((self.upper as f64 - self.lower as f64) / self.steps() as f64) as f32
    }

    /// The code of the nearest value. Values outside are clamped, NaN becomes `lower`.
    #[inline]
    pub const fn step_of(self, value: f32) -> u32 {
        let (lower, upper, steps) = (self.lower as f64, self.upper as f64, self.steps() as f64);
        let part = (value as f64 - lower) / (upper - lower);
        // The cast truncates and turns NaN into 0.
        (double::clamp(part, 0.0, 1.0) * steps + 0.5) as u32
    }

    /// The value of a code; the last one for larger codes.
    #[inline]
    pub const fn value_of(self, step: u32) -> f32 {
        let part = double::min(step as f64 / self.steps() as f64, 1.0);
        double::lerp(self.lower as f64, self.upper as f64, part) as f32
    }
}
