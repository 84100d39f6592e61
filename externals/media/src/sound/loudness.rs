//! Loudness by ITU-R BS.1770-4 (as EBU R 128 uses it), and true peak.
//!
//! Samples are K-weighted (a shelf and a high pass), the mean square is taken over blocks of 400 ms that overlap by
//! three quarters, and blocks below −70 LUFS, then those 10 LU below the mean of the rest, are left out. The filters are
//! derived for any sample rate from the analogue prototypes (as libebur128 does). A sound shorter than 400 ms is one block
//! of its own length: the standard does not define its loudness.

use base::number::double;

use crate::sound::decode::Waveform;
use crate::sound::resample::Kernel;

/// The loudness of silence.
pub const SILENCE: f64 = -70.0;

/// The integrated loudness of sounds, as if they were parts of one programme, in LUFS; at least [`SILENCE`].
#[must_use]
pub fn integrated_loudness(sounds: &[Waveform]) -> f64 {
    let powers: Vec<f64> = sounds.iter().flat_map(block_powers).collect();
    let audible = |threshold: f64| {
        let loud: Vec<f64> = powers.iter().copied().filter(|power| loudness(*power) > threshold).collect();
        if loud.is_empty() { None } else { Some(loud.iter().sum::<f64>() / loud.len() as f64) }
    };
    let Some(ungated) = audible(SILENCE) else { return SILENCE };
    let relative = loudness(ungated) - 10.0;
    let gated = audible(if relative > SILENCE { relative } else { SILENCE }).unwrap_or(ungated);
    let found = loudness(gated);
    if found > SILENCE { found } else { SILENCE }
}

/// The true peak of a sound, in dBTP: the largest value of the signal at four times its sample rate.
#[must_use]
pub fn true_peak(sound: &Waveform) -> f64 {
    let kernels = [1, 2, 3].map(|quarter| Kernel::new(f64::from(quarter) / 4.0, 1.0, 12));
    let mut peak = 0.0f32;
    for channel in &sound.channels {
        for (frame, sample) in channel.iter().enumerate() {
            peak = larger(peak, sample.abs());
            for kernel in &kernels {
                peak = larger(peak, kernel.apply(channel, frame).abs());
            }
        }
    }
    decibels(f64::from(peak))
}

/// An amplitude in decibels; at least −200.
#[must_use]
pub fn decibels(amplitude: f64) -> f64 {
    if amplitude > 1e-10 { 20.0 * double::log10(amplitude) } else { -200.0 }
}

/// The amplitude of decibels.
#[must_use]
pub fn amplitude(decibels: f64) -> f64 {
    double::pow(10.0, decibels / 20.0)
}

fn larger(first: f32, second: f32) -> f32 {
    if second > first { second } else { first }
}

fn loudness(power: f64) -> f64 {
    if power > 0.0 { -0.691 + 10.0 * double::log10(power) } else { -200.0 }
}

/// The weighted mean squares of the blocks of a sound.
fn block_powers(sound: &Waveform) -> Vec<f64> {
    let step = (sound.rate / 10) as usize;
    let frames = sound.frames();
    // The sums of squares of steps of 100 ms; a block has four.
    let mut sums = vec![0.0; frames.div_ceil(step)];
    for (index, channel) in sound.channels.iter().enumerate() {
        let weight = channel_weight(index, sound.channels.len());
        if weight == 0.0 {
            continue;
        }
        let mut filter = KWeighting::new(f64::from(sound.rate));
        for (samples, sum) in channel.chunks(step).zip(&mut sums) {
            for sample in samples {
                let weighted = filter.next(f64::from(*sample));
                *sum += weight * weighted * weighted;
            }
        }
    }
    if frames < step * 4 {
        return vec![sums.iter().sum::<f64>() / frames as f64];
    }
    let whole = &sums[..frames / step];
    whole.windows(4).map(|steps| steps.iter().sum::<f64>() / (step * 4) as f64).collect()
}

/// Surround channels count 1.41-fold, low frequencies not at all.
fn channel_weight(index: usize, count: usize) -> f64 {
    match (count, index) {
        (6 | 8, 3) => 0.0,
        (4, 2..) | (5, 3..) | (6 | 8, 4..) => 1.41,
        _ => 1.0,
    }
}

/// The K-weighting of one channel: two filters of second order, one after the other.
struct KWeighting {
    shelf: Biquad,
    high_pass: Biquad,
}

impl KWeighting {
    fn new(rate: f64) -> KWeighting {
        let warped = |frequency: f64| double::tan(double::PI * frequency / rate);
        let k = warped(1_681.974_450_955_533);
        let q = 0.707_175_236_955_419_6;
        let high = double::pow(10.0, 3.999_843_853_973_347 / 20.0);
        let band = double::pow(high, 0.499_666_774_154_541_6);
        let scale = 1.0 + k / q + k * k;
        let shelf = Biquad::new(
            [
                (high + band * k / q + k * k) / scale,
                2.0 * (k * k - high) / scale,
                (high - band * k / q + k * k) / scale,
            ],
            [2.0 * (k * k - 1.0) / scale, (1.0 - k / q + k * k) / scale],
        );
        let k = warped(38.135_470_876_024_44);
        let q = 0.500_327_037_323_877_3;
        let scale = 1.0 + k / q + k * k;
        let high_pass = Biquad::new([1.0, -2.0, 1.0], [2.0 * (k * k - 1.0) / scale, (1.0 - k / q + k * k) / scale]);
        KWeighting { shelf, high_pass }
    }

    fn next(&mut self, sample: f64) -> f64 {
        self.high_pass.next(self.shelf.next(sample))
    }
}

/// A filter of second order (transposed direct form II).
struct Biquad {
    forward: [f64; 3],
    back: [f64; 2],
    state: [f64; 2],
}

impl Biquad {
    fn new(forward: [f64; 3], back: [f64; 2]) -> Biquad {
        Biquad { forward, back, state: [0.0; 2] }
    }

    fn next(&mut self, sample: f64) -> f64 {
        let out = self.forward[0] * sample + self.state[0];
        self.state[0] = self.forward[1] * sample - self.back[0] * out + self.state[1];
        self.state[1] = self.forward[2] * sample - self.back[1] * out;
        out
    }
}
