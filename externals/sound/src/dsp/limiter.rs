//! The limiter at the end: it looks ahead, so that no sample exceeds the ceiling and no gain jumps.
//!
//! The gain that each sample needs is spread over the frames before it: the least of the last frames (by a monotonic queue),
//! then a slow recovery, then the mean of as many frames. Each of the three stays below what the sample needs.

use base::number;

use crate::dsp::{StereoBlock, approach};
use crate::limits::{BLOCK_FRAMES, SAMPLE_RATE};

/// The frames it looks ahead: 1.3 ms, by which everything is later.
pub const AHEAD: usize = 64;

/// A limiter.
#[derive(Clone, Debug)]
pub struct Limiter {
    ceiling: f32,
    release: f32,
    left: [f32; AHEAD],
    right: [f32; AHEAD],
    /// The gains over which the mean is taken, and their sum in 2⁻³² units: integers, so that it cannot drift.
    means: [u64; AHEAD],
    sum: u64,
    recovering: f32,
    /// Needed gains that could still be the least, with their frames; a ring.
    queue: [(u64, f32); QUEUE],
    first: usize,
    length: usize,
    frame: u64,
}

const UNIT: u64 = 1 << 32;

/// A sample leaves `AHEAD` frames after it came: its need counts in that frame too.
const QUEUE: usize = AHEAD + 1;

impl Limiter {
    /// With a ceiling as a factor.
    #[must_use]
    pub fn new(ceiling: f32) -> Limiter {
        Limiter {
            ceiling,
            release: approach(1.0 / SAMPLE_RATE as f32, 0.08),
            left: [0.0; AHEAD],
            right: [0.0; AHEAD],
            means: [UNIT; AHEAD],
            sum: UNIT * AHEAD as u64,
            recovering: 1.0,
            queue: [(0, 1.0); QUEUE],
            first: 0,
            length: 0,
            frame: 0,
        }
    }

    /// Changes the ceiling for all samples to come.
    pub fn set_ceiling(&mut self, ceiling: f32) {
        self.ceiling = number::clamp(ceiling, 0.001, 1.0);
    }

    /// The factor it applies now.
    #[must_use]
    pub fn gain(&self) -> f32 {
        (self.sum / AHEAD as u64) as f32 / UNIT as f32
    }

    /// Limits a block in place. Samples that are no numbers become silence.
    pub fn process(&mut self, block: &mut StereoBlock) {
        for index in 0..BLOCK_FRAMES {
            let left = if block.left[index].is_finite() { block.left[index] } else { 0.0 };
            let right = if block.right[index].is_finite() { block.right[index] } else { 0.0 };
            let peak = number::max(number::abs(left), number::abs(right));
            let needed = if peak > self.ceiling { self.ceiling / peak } else { 1.0 };
            let least = self.least(needed);
            self.recovering = number::min(least, self.recovering + (1.0 - self.recovering) * self.release);

            let place = (self.frame % AHEAD as u64) as usize;
            let unit = (self.recovering * UNIT as f32) as u64;
            self.sum = self.sum - self.means[place] + unit;
            self.means[place] = unit;
            let gain = self.gain();
            // The samples that were put there AHEAD frames ago, whose needs all gains of the mean respect.
            let (old_left, old_right) = (self.left[place], self.right[place]);
            (self.left[place], self.right[place]) = (left, right);
            block.left[index] = number::clamp(old_left * gain, -self.ceiling, self.ceiling);
            block.right[index] = number::clamp(old_right * gain, -self.ceiling, self.ceiling);
            self.frame += 1;
        }
    }

    /// The least of the needed gains of the last `AHEAD` frames and this one.
    fn least(&mut self, needed: f32) -> f32 {
        while self.length > 0 && self.queue[self.last()].1 >= needed {
            self.length -= 1;
        }
        if self.length > 0 && self.queue[self.first].0 + (AHEAD as u64) < self.frame {
            self.first = (self.first + 1) % QUEUE;
            self.length -= 1;
        }
        self.length += 1;
        let last = self.last();
        self.queue[last] = (self.frame, needed);
        self.queue[self.first].1
    }

    fn last(&self) -> usize {
        (self.first + self.length + QUEUE - 1) % QUEUE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(input: impl Fn(usize) -> f32, blocks: usize) -> Vec<f32> {
        let mut limiter = Limiter::new(0.9);
        let mut block = StereoBlock::SILENCE;
        let mut output = Vec::new();
        for number in 0..blocks {
            for index in 0..BLOCK_FRAMES {
                block.left[index] = input(number * BLOCK_FRAMES + index);
                block.right[index] = -block.left[index];
            }
            limiter.process(&mut block);
            output.extend_from_slice(&block.left);
        }
        output
    }

    #[test]
    fn what_is_below_the_ceiling_is_only_later() {
        let input = |frame: usize| number::sin(frame as f32 * 0.05) * 0.8;
        let output = limit(input, 10);
        let expected: Vec<f32> = (0..4800 - AHEAD).map(input).collect();
        assert_eq!(output[AHEAD..], expected);
    }

    #[test]
    fn nothing_exceeds_the_ceiling_and_no_gain_jumps() {
        let loud = |frame: usize| if (1000..3000).contains(&frame) { 8.0 } else { 0.5 };
        let output = limit(|frame| number::sin(frame as f32 * 0.05) * loud(frame), 60);
        assert!(output.iter().all(|sample| sample.abs() <= 0.9));
        let before = 1000 + AHEAD;
        let jump = output[before - 40..before].windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
        assert!(jump < 0.06, "{jump}");
        let late = output[26_000..].iter().fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
        assert!(late > 0.49, "it recovers: {late}");
    }

    #[test]
    fn samples_that_are_no_numbers_are_silence() {
        let output = limit(|frame| if frame.is_multiple_of(3) { f32::NAN } else { f32::INFINITY }, 3);
        assert!(output.iter().all(|sample| *sample == 0.0));
    }
}
