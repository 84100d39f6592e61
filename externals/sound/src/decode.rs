//! Decoding: the bytes of one part of a sound become samples of one or two channels.

use view::classes::sound::SampleFormat;

use crate::limits::PART_FRAMES_MAX;

/// The step sizes of IMA ADPCM (Interactive Multimedia Association 1992).
const STEPS: [i32; 89] = [
    7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97, 107,
    118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876, 963,
    1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894,
    6484, 7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794,
    32767,
];

const STEP_CHANGES: [i32; 8] = [-1, -1, -1, -1, 2, 4, 6, 8];

/// The decoded samples of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Samples {
    /// 1 or 2: more channels are folded down to left and right.
    pub channels: u32,
    /// The frames, their channels interleaved.
    pub samples: Vec<i16>,
}

impl Samples {
    /// The number of its frames.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.samples.len() / self.channels.max(1) as usize
    }
}

/// The form of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartForm {
    /// The format.
    pub format: SampleFormat,
    /// The number of channels, from 1 to 8.
    pub channels: u32,
    /// The number of frames.
    pub frames: u32,
}

/// Why a part cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongLength {
    /// The number of bytes that it should have.
    pub expected: usize,
    /// The number of bytes that it has.
    pub found: usize,
}

/// Decodes a part. Cost: about 4 ns per sample; memory: two bytes per sample of at most two channels.
///
/// # Errors
/// If the bytes are not those of that many frames.
pub fn decode(bytes: &[u8], form: &PartForm) -> Result<Samples, WrongLength> {
    let channels = form.channels.clamp(1, 8) as usize;
    let frames = form.frames.min(PART_FRAMES_MAX) as usize;
    let expected = match form.format {
        SampleFormat::Pcm16 => channels * frames * 2,
        SampleFormat::ImaAdpcm if frames == 0 => 0,
        SampleFormat::ImaAdpcm => channels * (4 + (frames - 1).div_ceil(2)),
    };
    if bytes.len() != expected {
        return Err(WrongLength { expected, found: bytes.len() });
    }
    let interleaved = match form.format {
        SampleFormat::Pcm16 => bytes.as_chunks::<2>().0.iter().map(|pair| i16::from_le_bytes(*pair)).collect(),
        SampleFormat::ImaAdpcm => decode_adpcm(bytes, channels, frames),
    };
    Ok(fold(interleaved, channels))
}

fn decode_adpcm(bytes: &[u8], channels: usize, frames: usize) -> Vec<i16> {
    let mut samples = vec![0_i16; channels * frames];
    if frames == 0 {
        return samples;
    }
    let code_bytes = (frames - 1).div_ceil(2);
    let (heads, codes) = bytes.split_at(channels * 4);
    for channel in 0..channels {
        let head = &heads[channel * 4..][..4];
        let first = i16::from_le_bytes([head[0], head[1]]);
        let (mut sample, mut index) = (i32::from(first), usize::from(head[2].min(88)));
        samples[channel] = first;
        let codes = &codes[channel * code_bytes..][..code_bytes];
        for frame in 1..frames {
            let byte = codes[(frame - 1) / 2];
            let code = if frame % 2 == 1 { byte & 15 } else { byte >> 4 };
            let step = STEPS[index];
            let magnitude = i32::from(code & 7);
            let change =
                step / 8 + step * (magnitude & 4) / 4 + step * (magnitude & 2) / 4 + step * (magnitude & 1) / 4;
            sample = if code & 8 == 0 { sample + change } else { sample - change };
            sample = sample.clamp(i32::from(i16::MIN), i32::from(i16::MAX));
            index = (index as i32 + STEP_CHANGES[usize::from(code & 7)]).clamp(0, 88) as usize;
            samples[frame * channels + channel] = sample as i16;
        }
    }
    samples
}

/// Folds more than two channels down to left and right, by ITU-R BS.775 and lowered so that nothing clips.
fn fold(samples: Vec<i16>, channels: usize) -> Samples {
    if channels <= 2 {
        return Samples { channels: channels as u32, samples };
    }
    // In 1/256: front left, front right, centre, low frequencies, then pairs of left and right.
    let weights = |channel: usize| match channel {
        0 => (256, 0),
        1 => (0, 256),
        2 => (181, 181),
        3 => (0, 0),
        other if other % 2 == 0 => (181, 0),
        _ => (0, 181),
    };
    let most: i32 = (0..channels).map(|channel| weights(channel).0).sum();
    let folded = samples.chunks_exact(channels).flat_map(|frame| {
        let (mut left, mut right) = (0_i32, 0_i32);
        for (channel, sample) in frame.iter().enumerate() {
            let (to_left, to_right) = weights(channel);
            left += i32::from(*sample) * to_left;
            right += i32::from(*sample) * to_right;
        }
        [left / most, right / most].map(|sample| sample.clamp(i32::from(i16::MIN), i32::from(i16::MAX)) as i16)
    });
    Samples { channels: 2, samples: folded.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pcm_is_read_as_it_is() {
        let form = PartForm { format: SampleFormat::Pcm16, channels: 2, frames: 2 };
        let samples = decode(&[1, 0, 255, 255, 0, 128, 255, 127], &form).unwrap();
        assert_eq!(samples, Samples { channels: 2, samples: vec![1, -1, -32768, 32767] });
        assert_eq!(samples.frames(), 2);
    }

    #[test]
    fn adpcm_follows_its_codes() {
        // The first sample is 100 with the step 7; code 7 adds 7/8 + 7 + 3 + 1 = 11, then the step is 16; code 8 subtracts 2.
        let form = PartForm { format: SampleFormat::ImaAdpcm, channels: 1, frames: 3 };
        let samples = decode(&[100, 0, 0, 0, 0x87], &form).unwrap();
        assert_eq!(samples.samples, [100, 111, 109]);
    }

    #[test]
    fn bytes_of_another_length_are_refused() {
        for format in [SampleFormat::Pcm16, SampleFormat::ImaAdpcm] {
            let form = PartForm { format, channels: 1, frames: 100 };
            assert!(decode(&[0; 7], &form).is_err());
            assert!(decode(&[], &form).is_err());
            assert!(decode(&[], &PartForm { frames: 0, ..form }).is_ok());
        }
    }

    #[test]
    fn any_bytes_of_the_right_length_decode() {
        let form = PartForm { format: SampleFormat::ImaAdpcm, channels: 1, frames: 513 };
        let bytes: Vec<u8> = (0..260_u32).map(|byte| (byte * 151 % 256) as u8).collect();
        assert_eq!(decode(&bytes, &form).unwrap().frames(), 513);
    }

    #[test]
    fn six_channels_become_two_that_do_not_clip() {
        let form = PartForm { format: SampleFormat::Pcm16, channels: 6, frames: 1 };
        let all: Vec<u8> = [32767_i16; 6].iter().flat_map(|sample| sample.to_le_bytes()).collect();
        assert_eq!(decode(&all, &form).unwrap().samples, [32767, 32767]);
        let left: Vec<u8> = [30000_i16, 0, 0, 0, 0, 0].iter().flat_map(|sample| sample.to_le_bytes()).collect();
        let folded = decode(&left, &form).unwrap();
        assert!(folded.samples[0] > 10_000 && folded.samples[1] == 0);
    }
}
