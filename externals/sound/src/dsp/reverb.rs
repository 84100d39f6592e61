//! The one reverb: a feedback delay network of eight lines (Jot and Chaigne 1991) with a Hadamard matrix.

use base::number;

use crate::dsp::{StereoBlock, TINY};
use crate::limits::{BLOCK_FRAMES, SAMPLE_RATE};

const LINES: usize = 8;

/// The lengths of the lines in frames: primes, so that their echoes do not coincide.
const LENGTHS: [usize; LINES] = [1_427, 1_637, 1_871, 2_053, 2_311, 2_677, 3_011, 3_389];

const DELAY_MAX: usize = SAMPLE_RATE as usize / 4;

/// The blocks of silence after which it may stop.
const CHECK_BLOCKS: u32 = 8;

/// The settings of a reverb.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReverbSettings {
    /// Its volume as a factor.
    pub volume: f32,
    /// The time in which it falls by 60 dB, in seconds.
    pub decay: f32,
    /// How much faster high frequencies fall, from 0 to 1.
    pub damping: f32,
    /// The time before the first reflection, in seconds.
    pub delay: f32,
}

/// A reverb.
#[derive(Clone, Debug)]
pub struct Reverb {
    settings: ReverbSettings,
    gains: [f32; LINES],
    lines: [Vec<f32>; LINES],
    places: [usize; LINES],
    damped: [f32; LINES],
    delay: Vec<f32>,
    delay_place: usize,
    volume: f32,
    is_silent: bool,
    /// Whether it fades out with the next block, and forgets what it heard.
    is_leaving: bool,
    quiet_blocks: u32,
}

impl Reverb {
    /// Silent, with these settings. Allocates about 130 KB.
    #[must_use]
    pub fn new(settings: ReverbSettings) -> Reverb {
        let mut reverb = Reverb {
            settings,
            gains: [0.0; LINES],
            lines: LENGTHS.map(|length| vec![0.0; length]),
            places: [0; LINES],
            damped: [0.0; LINES],
            delay: vec![0.0; DELAY_MAX],
            delay_place: 0,
            volume: settings.volume,
            is_silent: true,
            is_leaving: false,
            quiet_blocks: 0,
        };
        reverb.set(settings);
        reverb
    }

    /// Changes its settings; what sounds goes on with them.
    pub fn set(&mut self, settings: ReverbSettings) {
        self.settings = settings;
        for (gain, length) in self.gains.iter_mut().zip(LENGTHS) {
            let seconds = length as f32 / SAMPLE_RATE as f32;
            *gain = number::pow(10.0, -3.0 * seconds / number::max(settings.decay, 0.05));
        }
    }

    /// Fades out with the next block, and forgets what it heard: the place is another one.
    pub fn leave(&mut self) {
        self.is_leaving = !self.is_silent;
    }

    /// Adds the reverb of a mono block to a stereo block.
    pub fn process(&mut self, input: &[f32; BLOCK_FRAMES], out: &mut StereoBlock) {
        let has_input = input.iter().any(|sample| *sample != 0.0);
        if self.is_silent && !has_input {
            self.volume = self.settings.volume;
            return;
        }
        self.is_silent = false;
        let damping = number::clamp(self.settings.damping, 0.0, 0.99);
        let pass = 1.0 - damping;
        let delay = number::clamp(self.settings.delay * SAMPLE_RATE as f32, 0.0, (DELAY_MAX - 1) as f32) as usize;
        let goal = if self.is_leaving { 0.0 } else { self.settings.volume };
        let volume_step = (goal - self.volume) / BLOCK_FRAMES as f32;
        let mut peak = 0.0_f32;
        for (index, sample) in input.iter().enumerate() {
            self.delay[self.delay_place] = *sample;
            let fresh = self.delay[(self.delay_place + DELAY_MAX - delay) % DELAY_MAX] + TINY;
            self.delay_place = (self.delay_place + 1) % DELAY_MAX;

            for line in 0..LINES {
                let echo = self.lines[line][self.places[line]] * self.gains[line];
                self.damped[line] += pass * (echo - self.damped[line]);
            }
            let mut taps = self.damped;
            let left = taps[0] - taps[2] + taps[4] - taps[6];
            let right = taps[1] - taps[3] + taps[5] - taps[7];
            hadamard(&mut taps);
            for line in 0..LINES {
                let place = self.places[line];
                self.lines[line][place] = taps[line] + fresh;
                self.places[line] = if place + 1 == LENGTHS[line] { 0 } else { place + 1 };
            }
            self.volume += volume_step;
            out.left[index] += left * self.volume;
            out.right[index] += right * self.volume;
            peak = number::max(peak, number::max(number::abs(left), number::abs(right)));
        }
        self.volume = goal;
        self.rest(has_input, peak);
    }

    /// Stops when nothing is left, so that it costs nothing; and when a number is none.
    fn rest(&mut self, has_input: bool, peak: f32) {
        let is_quiet = !has_input && peak < 1e-6;
        self.quiet_blocks = if is_quiet { self.quiet_blocks + 1 } else { 0 };
        let longest = DELAY_MAX / BLOCK_FRAMES + LENGTHS[LINES - 1] / BLOCK_FRAMES;
        let is_broken = self.damped.iter().any(|state| !state.is_finite());
        let is_left = core::mem::take(&mut self.is_leaving);
        if is_broken || is_left || self.quiet_blocks > longest as u32 + CHECK_BLOCKS {
            self.lines.iter_mut().for_each(|line| line.fill(0.0));
            self.delay.fill(0.0);
            self.damped = [0.0; LINES];
            self.is_silent = true;
            self.quiet_blocks = 0;
        }
    }
}

/// The fast Walsh–Hadamard transform of eight numbers, scaled to keep their energy.
fn hadamard(values: &mut [f32; LINES]) {
    for half in [1, 2, 4] {
        for start in (0..LINES).step_by(2 * half) {
            for index in start..start + half {
                let (first, second) = (values[index], values[index + half]);
                (values[index], values[index + half]) = (first + second, first - second);
            }
        }
    }
    for value in values {
        *value *= 0.353_553_4;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: ReverbSettings = ReverbSettings { volume: 1.0, decay: 1.0, damping: 0.2, delay: 0.0 };

    fn energy(block: &StereoBlock) -> f32 {
        block.left.iter().chain(&block.right).map(|sample| sample * sample).sum()
    }

    #[test]
    fn it_falls_by_sixty_decibels_in_its_time_and_stops() {
        let mut reverb = Reverb::new(ReverbSettings { damping: 0.0, ..SETTINGS });
        let mut input = [0.0; BLOCK_FRAMES];
        let mut energies = Vec::new();
        for block in 0..400 {
            input[0] = if block == 0 { 1.0 } else { 0.0 };
            let mut out = StereoBlock::SILENCE;
            reverb.process(&input, &mut out);
            energies.push(energy(&out));
        }
        let around = |block: usize| energies[block - 5..block + 5].iter().sum::<f32>();
        let fall = 10.0 * number::log10(around(120) / around(20));
        assert!((-66.0..-54.0).contains(&fall), "{fall} dB in a second");
        assert!(reverb.is_silent && energies[399] == 0.0, "silence costs nothing");
    }

    #[test]
    fn it_never_rises_by_itself_and_mends_itself() {
        let mut reverb = Reverb::new(SETTINGS);
        let mut out = StereoBlock::SILENCE;
        reverb.process(&[f32::NAN; BLOCK_FRAMES], &mut out);
        for _ in 0..20 {
            out.clear();
            reverb.process(&[0.5; BLOCK_FRAMES], &mut out);
        }
        assert!(out.peak() < 100.0);
    }
}
