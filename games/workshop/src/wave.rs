//! Sounds from oscillators and noise, and WAV files of them.

use astrarium::base::number::{clamp, exp, sin};
use astrarium::base::{Pcg, Random};

/// Samples per second.
pub const RATE: f32 = 48_000.0;

const TURN: f32 = core::f32::consts::TAU;

/// One channel of samples.
#[derive(Clone, Debug, Default)]
pub struct Wave(pub Vec<f32>);

impl Wave {
    /// Silence of this many seconds.
    pub fn silence(seconds: f32) -> Wave {
        Wave(vec![0.0; (seconds * RATE) as usize])
    }

    /// Adds a tone whose frequency and strength are functions of time in seconds. `shape` makes the wave of its phase.
    pub fn tone(&mut self, shape: fn(f32) -> f32, frequency: impl Fn(f32) -> f32, strength: impl Fn(f32) -> f32) {
        let mut phase = 0.0;
        for (index, sample) in self.0.iter_mut().enumerate() {
            let time = index as f32 / RATE;
            *sample += shape(phase) * strength(time);
            phase += frequency(time) / RATE;
            if phase >= 1.0 {
                phase -= 1.0;
            }
        }
    }

    /// Adds noise through a low-pass and a high-pass of one pole each, whose cut-offs are functions of time.
    pub fn noise(&mut self, seed: u64, low_pass: impl Fn(f32) -> f32, high_pass: f32, strength: impl Fn(f32) -> f32) {
        let mut random = Pcg::new(seed, 1);
        let (mut low, mut slow) = (0.0, 0.0);
        let slow_part = 1.0 - exp(-TURN * high_pass / RATE);
        for (index, sample) in self.0.iter_mut().enumerate() {
            let time = index as f32 / RATE;
            let part = 1.0 - exp(-TURN * low_pass(time) / RATE);
            low += (random.between(-1.0, 1.0) - low) * part;
            slow += (low - slow) * slow_part;
            *sample += (low - slow) * strength(time);
        }
    }

    /// Adds another wave, beginning at a time; what reaches beyond the end begins anew at the start, if it loops.
    pub fn add(&mut self, other: &Wave, seconds: f32, strength: f32, loops: bool) {
        let (start, length) = ((seconds * RATE) as usize, self.0.len());
        for (index, sample) in other.0.iter().enumerate() {
            let at = start + index;
            if at < length || loops {
                self.0[at % length] += sample * strength;
            }
        }
    }

    /// Bends loud samples, so that none exceeds 1.
    pub fn saturate(mut self, drive: f32) -> Wave {
        for sample in &mut self.0 {
            let value = clamp(*sample * drive, -3.0, 3.0);
            *sample = value * (27.0 + value * value) / (27.0 + 9.0 * value * value);
        }
        self
    }

    /// The end is blended into the start over this many seconds, which makes it loop without a click.
    pub fn looped(mut self, seconds: f32) -> Wave {
        let blend = ((seconds * RATE) as usize).min(self.0.len() / 2);
        let rest = self.0.len() - blend;
        for index in 0..blend {
            let part = index as f32 / blend as f32;
            self.0[index] = self.0[index] * part + self.0[rest + index] * (1.0 - part);
        }
        self.0.truncate(rest);
        self
    }

    /// A WAV file with 16 bits per sample; `loops`: with a loop over all of it.
    pub fn file(&self, loops: bool) -> Vec<u8> {
        let data: Vec<u8> =
            self.0.iter().flat_map(|sample| ((clamp(*sample, -1.0, 1.0) * 32_000.0) as i16).to_le_bytes()).collect();
        let (rate, frames) = (RATE as u32, self.0.len() as u32);
        let mut format = Vec::new();
        format.extend([1u16, 1].iter().flat_map(|number| number.to_le_bytes()));
        format.extend([rate, rate * 2].iter().flat_map(|number| number.to_le_bytes()));
        format.extend([2u16, 16].iter().flat_map(|number| number.to_le_bytes()));
        let mut chunks = vec![(b"fmt ", format), (b"data", data)];
        if loops {
            let numbers = [0, 0, 0, 60, 0, 0, 0, 1, 0, 0, 0, 0, frames.saturating_sub(1), 0, 0u32];
            chunks.push((b"smpl", numbers.iter().flat_map(|number| number.to_le_bytes()).collect()));
        }
        let total: usize = 4 + chunks.iter().map(|(_, bytes)| 8 + bytes.len()).sum::<usize>();
        let mut out = b"RIFF".to_vec();
        out.extend((total as u32).to_le_bytes());
        out.extend(b"WAVE");
        for (name, bytes) in chunks {
            out.extend(name);
            out.extend((bytes.len() as u32).to_le_bytes());
            out.extend(bytes);
        }
        out
    }
}

/// A sine of a phase from 0 to 1.
pub fn sine(phase: f32) -> f32 {
    sin(phase * TURN)
}

/// A saw-tooth.
pub fn saw(phase: f32) -> f32 {
    phase * 2.0 - 1.0
}

/// A triangle.
pub fn triangle(phase: f32) -> f32 {
    (phase - 0.5).abs() * 4.0 - 1.0
}

/// A strength that rises within `attack` seconds and then falls by a factor of e in every `decay` seconds.
pub fn pluck(attack: f32, decay: f32) -> impl Fn(f32) -> f32 {
    move |time| if time < attack { time / attack } else { exp((attack - time) / decay) }
}
