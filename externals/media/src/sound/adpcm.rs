//! IMA ADPCM: 4 bits per sample, by the recommendation of the Interactive Multimedia Association (1992).
//!
//! The layout of a part is that of [`view::classes::sound::SampleFormat::ImaAdpcm`].

const STEPS: [i32; 89] = [
    7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97, 107,
    118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876, 963,
    1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894,
    6484, 7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794,
    32767,
];

const INDEX_CHANGES: [i32; 8] = [-1, -1, -1, -1, 2, 4, 6, 8];

/// The state of a channel: both sides follow it.
#[derive(Clone, Copy, Debug, Default)]
struct Predictor {
    sample: i32,
    index: i32,
}

impl Predictor {
    /// The code that comes nearest to a sample.
    fn encode(&mut self, sample: i16) -> u8 {
        let step = STEPS[self.index as usize];
        let difference = i32::from(sample) - self.sample;
        let magnitude = ((difference.abs() * 4) / step).min(7) as u8;
        let code = if difference < 0 { magnitude | 8 } else { magnitude };
        self.follow(code);
        code
    }

    /// The sample of a code.
    fn follow(&mut self, code: u8) -> i16 {
        let step = STEPS[self.index as usize];
        let magnitude = i32::from(code & 7);
        let change = step / 8 + step * (magnitude & 4) / 4 + step * (magnitude & 2) / 4 + step * (magnitude & 1) / 4;
        let sample = if code & 8 == 0 { self.sample + change } else { self.sample - change };
        self.sample = sample.clamp(i32::from(i16::MIN), i32::from(i16::MAX));
        self.index = (self.index + INDEX_CHANGES[usize::from(code & 7)]).clamp(0, 88);
        self.sample as i16
    }
}

/// Encodes parts of a sound, one after the other. The step of a channel carries over to its next part.
#[derive(Debug)]
pub struct Encoder {
    indices: Vec<i32>,
}

impl Encoder {
    /// For a number of channels.
    #[must_use]
    pub fn new(channels: usize) -> Encoder {
        Encoder { indices: vec![0; channels] }
    }

    /// One part. All channels have the same length, at least 1.
    pub fn part(&mut self, channels: &[&[i16]]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (channel, index) in channels.iter().zip(&self.indices) {
            bytes.extend(channel[0].to_le_bytes());
            bytes.extend([*index as u8, 0]);
        }
        for (channel, index) in channels.iter().zip(&mut self.indices) {
            let mut predictor = Predictor { sample: i32::from(channel[0]), index: *index };
            for pair in channel[1..].chunks(2) {
                let low = predictor.encode(pair[0]);
                let high = pair.get(1).map_or(0, |sample| predictor.encode(*sample));
                bytes.push(low | high << 4);
            }
            *index = predictor.index;
        }
        bytes
    }
}

/// Decodes a part: the samples of each channel. `None` if it has not the bytes of that many frames.
#[must_use]
pub fn decode_part(bytes: &[u8], channels: usize, frames: usize) -> Option<Vec<Vec<i16>>> {
    let code_bytes = frames.checked_sub(1)?.div_ceil(2);
    if bytes.len() != channels * (4 + code_bytes) {
        return None;
    }
    let (heads, codes) = bytes.split_at(channels * 4);
    let mut decoded = Vec::with_capacity(channels);
    for channel in 0..channels {
        let head = &heads[channel * 4..][..4];
        let first = i16::from_le_bytes([head[0], head[1]]);
        let mut predictor = Predictor { sample: i32::from(first), index: i32::from(head[2].min(88)) };
        let mut samples = vec![first];
        for byte in &codes[channel * code_bytes..][..code_bytes] {
            samples.push(predictor.follow(byte & 15));
            if samples.len() < frames {
                samples.push(predictor.follow(byte >> 4));
            }
        }
        decoded.push(samples);
    }
    Some(decoded)
}
