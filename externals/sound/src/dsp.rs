//! Signal processing: levels, filters, dynamics and the reverb. Everything here works on blocks, allocates when it is made and
//! never later, and gives the same bits everywhere.

pub mod compressor;
pub mod limiter;
pub mod reverb;

use base::number;

use crate::limits::{BLOCK_FRAMES, SAMPLE_RATE};

/// Added to what runs in circles, so that it never becomes so small that processors slow down (denormal numbers).
pub const TINY: f32 = 1e-18;

/// A stereo block, the channels apart.
#[derive(Clone, Debug)]
pub struct StereoBlock {
    /// The left channel.
    pub left: [f32; BLOCK_FRAMES],
    /// The right channel.
    pub right: [f32; BLOCK_FRAMES],
}

impl StereoBlock {
    /// Silence.
    pub const SILENCE: StereoBlock = StereoBlock { left: [0.0; BLOCK_FRAMES], right: [0.0; BLOCK_FRAMES] };

    /// Makes it silent.
    pub fn clear(&mut self) {
        self.left.fill(0.0);
        self.right.fill(0.0);
    }

    /// The greatest absolute sample.
    #[must_use]
    pub fn peak(&self) -> f32 {
        let peak = |channel: &[f32]| channel.iter().fold(0.0, |peak, sample| number::max(peak, number::abs(*sample)));
        number::max(peak(&self.left), peak(&self.right))
    }
}

/// The factor of a level in decibels.
#[must_use]
pub fn amplitude(decibels: f32) -> f32 {
    number::pow(10.0, decibels / 20.0)
}

/// The level of a factor in decibels; −200 for silence.
#[must_use]
pub fn decibels(amplitude: f32) -> f32 {
    if amplitude > 1e-10 { 20.0 * number::log10(amplitude) } else { -200.0 }
}

/// The coefficient of a one-pole low-pass filter with a cut-off frequency in hertz. 1, which changes nothing, from 19 kHz on.
#[must_use]
pub fn low_pass(hertz: f32) -> f32 {
    if hertz < 19_000.0 { 1.0 - number::exp(-number::TAU * number::max(hertz, 1.0) / SAMPLE_RATE as f32) } else { 1.0 }
}

/// The part of a difference that is made up in one step of `seconds`, to make up 63 % in `time` seconds.
#[must_use]
pub fn approach(seconds: f32, time: f32) -> f32 {
    if time > 0.0 { 1.0 - number::exp(-seconds / time) } else { 1.0 }
}

/// `value` if it is finite, `otherwise` if not, within limits.
#[must_use]
pub fn finite(value: f32, otherwise: f32, lower: f32, upper: f32) -> f32 {
    number::clamp(if value.is_finite() { value } else { otherwise }, lower, upper)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_factors_of_ten_per_twenty_decibels() {
        assert!((amplitude(-20.0) - 0.1).abs() < 1e-6);
        assert!((decibels(amplitude(-33.0)) + 33.0).abs() < 1e-3);
        assert_eq!(decibels(0.0), -200.0);
    }

    #[test]
    fn numbers_that_are_none_are_replaced() {
        assert_eq!(finite(f32::NAN, 1.0, 0.0, 2.0), 1.0);
        assert_eq!(finite(f32::INFINITY, 1.0, 0.0, 2.0), 1.0);
        assert_eq!(finite(7.0, 1.0, 0.0, 2.0), 2.0);
    }

    #[test]
    fn a_low_pass_lets_low_frequencies_through() {
        let gain = |frequency: f32| {
            let (coefficient, mut state, mut peak) = (low_pass(1000.0), 0.0_f32, 0.0_f32);
            for frame in 0..48_000 {
                state += coefficient * (number::sin(number::TAU * frequency * frame as f32 / 48_000.0) - state);
                if frame > 4_800 {
                    peak = peak.max(state.abs());
                }
            }
            decibels(peak)
        };
        assert!(gain(50.0) > -0.1, "{}", gain(50.0));
        assert!((-4.0..-2.0).contains(&gain(1000.0)), "{}", gain(1000.0));
        assert!(gain(8000.0) < -15.0, "{}", gain(8000.0));
    }
}
