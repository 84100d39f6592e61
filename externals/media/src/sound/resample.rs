//! Resampling by a windowed sinc.
//!
//! Output frame `n` lies at `n · from / to` input frames, a fraction with few different phases: the kernel of each
//! phase is computed once. The window is Blackman's; when the rate falls, the kernel is stretched, so that nothing
//! above the new Nyquist frequency is left.

use base::number::double;

use crate::sound::decode::Waveform;

/// Zero crossings of the sinc on each side.
const ZERO_CROSSINGS: usize = 32;

/// The share of the lower Nyquist frequency that passes.
const PASS: f64 = 0.96;

/// The sound at another sample rate. Kernels take 256 bytes for each hertz of the higher rate, if the rates share no divisor.
#[must_use]
pub fn resample(sound: &Waveform, rate: u32) -> Waveform {
    let divisor = greatest_divisor(sound.rate, rate);
    let (from, to) = (u64::from(sound.rate / divisor), u64::from(rate / divisor));
    let cutoff = if rate < sound.rate { f64::from(rate) / f64::from(sound.rate) } else { 1.0 } * PASS;
    let phases = (0..to).map(|phase| Kernel::new(phase as f64 / to as f64, cutoff, ZERO_CROSSINGS));
    let kernels: Vec<Kernel> = phases.collect();
    let frames = scaled(sound.frames() as u64, sound.rate, rate).max(1);
    let channels = sound.channels.iter().map(|channel| {
        let frame = |frame: u64| {
            let place = frame * from;
            kernels[(place % to) as usize].apply(channel, (place / to) as usize)
        };
        (0..frames).map(frame).collect()
    });
    Waveform { rate, channels: channels.collect() }
}

/// A place in frames at another sample rate, rounded.
#[must_use]
pub fn scaled(frame: u64, from: u32, to: u32) -> u64 {
    (frame * u64::from(to) + u64::from(from) / 2) / u64::from(from)
}

/// The weights of the samples around a place between two samples.
pub struct Kernel {
    /// The samples before the place, the one at or just before it included.
    before: usize,
    weights: Vec<f32>,
}

impl Kernel {
    /// The kernel for a place `phase` behind a sample, with a cutoff relative to the Nyquist frequency.
    #[must_use]
    pub fn new(phase: f64, cutoff: f64, zero_crossings: usize) -> Kernel {
        let reach = zero_crossings as f64 / cutoff;
        let before = double::ceil(reach) as usize;
        let weights: Vec<f64> = (0..before * 2)
            .map(|index| {
                let distance = index as f64 - (before as f64 - 1.0) - phase;
                if distance.abs() >= reach {
                    return 0.0;
                }
                let turn = double::PI * distance / reach;
                let window = 0.42 + 0.5 * double::cos(turn) + 0.08 * double::cos(2.0 * turn);
                let angle = double::PI * distance * cutoff;
                let sinc = if angle.abs() < 1e-9 { 1.0 } else { double::sin(angle) / angle };
                sinc * window
            })
            .collect();
        // The weights sum up to 1, so that a constant stays what it is.
        let sum: f64 = weights.iter().sum();
        Kernel { before, weights: weights.iter().map(|weight| (weight / sum) as f32).collect() }
    }

    /// The value at the place behind a frame. Beyond its ends a sound is silent.
    #[must_use]
    pub fn apply(&self, samples: &[f32], frame: usize) -> f32 {
        let first = frame as i64 - (self.before as i64 - 1);
        let skipped = (-first).clamp(0, self.weights.len() as i64) as usize;
        let start = ((first + skipped as i64) as usize).min(samples.len());
        self.weights[skipped..].iter().zip(&samples[start..]).map(|(weight, sample)| weight * sample).sum()
    }
}

fn greatest_divisor(first: u32, second: u32) -> u32 {
    if second == 0 { first } else { greatest_divisor(second, first % second) }
}
