//! The sRGB transfer function (IEC 61966-2-1), as tables that are the same on every machine.

use std::sync::LazyLock;

use base::number::double;

/// The linear light of an sRGB value between 0 and 1.
#[must_use]
pub fn linear_from_srgb(value: f64) -> f64 {
    if value <= 0.040_45 { value / 12.92 } else { double::pow((value + 0.055) / 1.055, 2.4) }
}

/// The tables for 8 bits per channel.
pub struct SrgbTable {
    /// The linear light of each code.
    linear: [f32; 256],
    /// The linear light halfway between each code and the next, where rounding changes.
    halfway: [f32; 255],
    /// The code with which the search begins, for each 1024th of linear light.
    first: [u8; STEPS + 1],
}

const STEPS: usize = 1024;

/// The one instance: it is computed on first use, from constants.
pub static SRGB: LazyLock<SrgbTable> = LazyLock::new(SrgbTable::new);

impl SrgbTable {
    fn new() -> SrgbTable {
        let linear = std::array::from_fn(|code| linear_from_srgb(code as f64 / 255.0) as f32);
        let halfway: [f32; 255] = std::array::from_fn(|code| linear_from_srgb((code as f64 + 0.5) / 255.0) as f32);
        let first = std::array::from_fn(|step| {
            let from = step as f32 / STEPS as f32;
            halfway.iter().take_while(|limit| **limit <= from).count() as u8
        });
        SrgbTable { linear, halfway, first }
    }

    /// The linear light of a code.
    #[must_use]
    pub fn linear(&self, code: u8) -> f32 {
        self.linear[usize::from(code)]
    }

    /// The code nearest to a linear value, which is clamped to 0…1. NaN gives 0.
    #[must_use]
    pub fn code(&self, linear: f32) -> u8 {
        let clamped = if linear >= 1.0 {
            1.0
        } else if linear > 0.0 {
            linear
        } else {
            0.0
        };
        let mut code = self.first[(clamped * STEPS as f32) as usize];
        while code < 255 && clamped >= self.halfway[usize::from(code)] {
            code += 1;
        }
        code
    }
}

#[cfg(test)]
mod tests {
    use super::{SRGB, linear_from_srgb};

    #[test]
    fn every_code_is_found_again_and_values_are_rounded_to_the_nearest() {
        for code in 0..=255 {
            assert_eq!(SRGB.code(SRGB.linear(code)), code);
        }
        for step in 0..=10_000 {
            let value = f64::from(step) / 10_000.0;
            let expected = (value * 255.0).round();
            let found = f64::from(SRGB.code(linear_from_srgb(value) as f32));
            assert!((found - expected).abs() < 1e-9 || (value * 255.0).fract() - 0.5 < 1e-4, "{value}");
        }
        assert_eq!((SRGB.code(-1.0), SRGB.code(f32::NAN), SRGB.code(7.0)), (0, 0, 255));
        assert!((linear_from_srgb(0.5) - 0.214_041).abs() < 1e-6);
    }
}
