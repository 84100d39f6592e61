//! A compressor: a feed-forward one with a smoothed peak detector (Giannoulis, Massberg and Reiss 2012).

use base::number;

use crate::dsp::{StereoBlock, amplitude, approach, decibels};
use crate::limits::{BLOCK_FRAMES, SAMPLE_RATE};

/// The frames for which one gain is computed; within them it changes linearly.
const RUN: usize = 48;

/// The settings of a compressor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompressorSettings {
    /// The level from which on it works, in decibels.
    pub threshold: f32,
    /// How many decibels above the threshold become one. 1: it does nothing.
    pub ratio: f32,
    /// The part of a rise that is followed in one frame.
    pub attack: f32,
    /// The part of a fall that is followed in one frame.
    pub release: f32,
    /// The factor behind it.
    pub gain: f32,
}

impl CompressorSettings {
    /// Does nothing.
    pub const OFF: CompressorSettings =
        CompressorSettings { threshold: 0.0, ratio: 1.0, attack: 1.0, release: 1.0, gain: 1.0 };

    /// With times in milliseconds and a gain in decibels.
    #[must_use]
    pub fn new(threshold: f32, ratio: f32, attack: f32, release: f32, gain: f32) -> CompressorSettings {
        let frame = 1.0 / SAMPLE_RATE as f32;
        CompressorSettings {
            threshold,
            ratio: number::max(ratio, 1.0),
            attack: approach(frame, attack / 1000.0),
            release: approach(frame, release / 1000.0),
            gain: amplitude(gain),
        }
    }
}

/// A compressor.
#[derive(Clone, Debug)]
pub struct Compressor {
    level: f32,
    gain: f32,
}

impl Compressor {
    /// At rest.
    pub const NEW: Compressor = Compressor { level: 0.0, gain: 1.0 };

    /// Compresses a block in place.
    pub fn process(&mut self, block: &mut StereoBlock, settings: &CompressorSettings) {
        if settings.ratio <= 1.0 && settings.gain == 1.0 && self.gain == 1.0 {
            return;
        }
        for start in (0..BLOCK_FRAMES).step_by(RUN) {
            let left = &mut block.left[start..start + RUN];
            let right = &mut block.right[start..start + RUN];
            for (left, right) in left.iter().zip(right.iter()) {
                let peak = number::max(number::abs(*left), number::abs(*right));
                let part = if peak > self.level { settings.attack } else { settings.release };
                self.level += part * (peak - self.level);
            }
            let above = number::max(decibels(self.level) - settings.threshold, 0.0);
            let target = amplitude(above * (1.0 / settings.ratio - 1.0)) * settings.gain;
            let step = (target - self.gain) / RUN as f32;
            for (left, right) in left.iter_mut().zip(right) {
                self.gain += step;
                *left *= self.gain;
                *right *= self.gain;
            }
            self.gain = target;
        }
        if !self.level.is_finite() || self.level < 1e-9 {
            self.level = 0.0;
        }
    }
}

const _: () = assert!(BLOCK_FRAMES.is_multiple_of(RUN));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_twelve_decibels_above_becomes_three() {
        let settings = CompressorSettings::new(-18.0, 4.0, 5.0, 100.0, 0.0);
        let mut compressor = Compressor::NEW;
        let mut block = StereoBlock::SILENCE;
        for _ in 0..100 {
            block.left.fill(amplitude(-6.0));
            block.right.fill(amplitude(-30.0));
            compressor.process(&mut block, &settings);
        }
        assert!((decibels(block.left[479]) + 15.0).abs() < 0.2, "{}", decibels(block.left[479]));
        assert!((decibels(block.right[479]) + 39.0).abs() < 0.2, "both channels have one gain");
    }

    #[test]
    fn what_is_below_stays() {
        let settings = CompressorSettings::new(-18.0, 4.0, 5.0, 100.0, 0.0);
        let mut block = StereoBlock::SILENCE;
        block.left.fill(0.05);
        let mut compressor = Compressor::NEW;
        compressor.process(&mut block, &settings);
        assert!(block.left.iter().all(|sample| (sample - 0.05).abs() < 1e-6));
    }
}
