//! Sounds: the class of what is heard.

use base::{StringId, Truth};
use tags::{Bulk, Choice, Names, Record, Reference, Series, Tag};

use crate::classes::source::SourceRecord;

/// A sound. One source file gives one permutation, and with the option `permutations` numbered files beside it give further
/// ones in the same tag. A tag written by hand needs no permutation of its own: it lists other sounds in `alternatives`.
#[derive(Tag)]
#[tag(class = "sound")]
#[repr(C)]
pub struct Sound {
    /// The file it was imported from.
    pub source: SourceRecord,
    /// The format of its samples.
    #[tag(read_only, default = "\"pcm16\"")]
    pub format: Choice<SampleFormat>,
    /// The number of frames per second. A frame has one sample for each channel.
    #[tag(read_only, unit = "Hz", range(0, 192000))]
    pub sample_rate: u32,
    /// The number of its channels: 1 mono, 2 left and right, 6 front left, front right, centre, low frequencies, back left,
    /// back right.
    #[tag(read_only, range(0, 8))]
    pub channels: u32,
    /// The number of frames of its longest permutation.
    #[tag(read_only, unit = "frames")]
    pub frames: u32,
    /// The number of frames in each part but the last of a permutation.
    #[tag(read_only, unit = "frames")]
    pub part_frames: u32,
    /// The integrated loudness of the source by ITU-R BS.1770-4 (EBU R 128), before `gain`. −70 is silence.
    #[tag(read_only, unit = "LUFS", range(-70, 20), default = -70)]
    pub loudness: f32,
    /// The true peak of the source by ITU-R BS.1770-4, before `gain`.
    #[tag(read_only, unit = "dBTP", range(-200, 20), default = -200)]
    pub peak: f32,
    /// The gain that the import applied to reach its target loudness. It is already in the samples.
    #[tag(read_only, unit = "dB", range(-100, 100), default = 0)]
    pub gain: f32,
    /// Whether it loops.
    #[tag(read_only, default = false)]
    pub loops: Truth,
    /// The first frame of the loop.
    #[tag(read_only, unit = "frames")]
    pub loop_start: u32,
    /// The frame after the last one of the loop.
    #[tag(read_only, unit = "frames")]
    pub loop_end: u32,
    /// Its permutations: takes of the same sound, one of which is played each time.
    #[tag(read_only)]
    pub permutations: Series<Permutation>,
    /// Its samples.
    #[tag(read_only)]
    pub data: Bulk,
    /// How likely permutations are played. One that is not listed has weight 1.
    pub weights: Series<PermutationWeight>,
    /// Other sounds that are played instead, chosen by weight together with the permutations.
    pub alternatives: Series<SoundAlternative>,
    /// The gain with which it is played.
    #[tag(unit = "dB", range(-60, 20), step = 0.5, default = 0)]
    pub volume: f32,
    /// The distance up to which it is heard at full volume.
    #[tag(unit = "m", range(0, 10000), default = 1)]
    pub distance_min: f32,
    /// The distance beyond which it is not heard. 0: it is heard everywhere.
    #[tag(unit = "m", range(0, 100000), default = 50)]
    pub distance_max: f32,
    /// How its volume falls between these distances.
    #[tag(default = "\"inverse\"")]
    pub rolloff: Choice<Rolloff>,
    /// The bus of the mix on which it is played.
    #[tag(default = "\"effects\"")]
    pub bus: StringId,
    /// A factor on its audibility when there are more sounds than voices: the audible and important ones are played.
    #[tag(range(0, 1000), default = 1)]
    pub priority: f32,
    /// The most of its kind that are heard at one time: the most audible ones. 0: any number.
    #[tag(range(0, 256), default = 0)]
    pub voices_max: u32,
    /// A factor on its pitch: 2 is an octave higher, and twice as fast.
    #[tag(range(0.1, 8), default = 1)]
    pub pitch: f32,
    /// The greatest random difference in volume, louder or softer.
    #[tag(unit = "dB", range(0, 20), default = 0)]
    pub volume_variation: f32,
    /// The greatest random difference in pitch, higher or lower.
    #[tag(unit = "semitones", range(0, 24), default = 0)]
    pub pitch_variation: f32,
    /// The strength of the Doppler effect: 1 as in air, 0 none.
    #[tag(range(0, 10), default = 1)]
    pub doppler: f32,
    /// How much walls between it and the listener muffle it: 1 as usual, 0 not at all.
    #[tag(range(0, 1), default = 1)]
    pub occlusion: f32,
    /// A factor on the reverb send of its bus.
    #[tag(range(0, 4), default = 1)]
    pub reverb: f32,
    /// The time in which it reaches its volume. Music that follows other music fades in while the other fades out.
    #[tag(unit = "s", range(0, 60), default = 0)]
    pub fade_in: f32,
    /// The time in which it falls silent when it is stopped.
    #[tag(unit = "s", range(0, 60), default = 0)]
    pub fade_out: f32,
    /// Of music: its beats in a minute, from its beginning on. 0: it has none, and other music follows it at once.
    #[tag(range(0, 1000), default = 0)]
    pub tempo: f32,
    /// Of music: the beats of a bar.
    #[tag(unit = "beats", range(1, 64), default = 4)]
    pub bar: u32,
    /// Of music: the place at which other music may follow it. The two are faded by `fade_out` of the one and `fade_in` of the other.
    #[tag(default = "\"bar\"")]
    pub follow: Choice<Follow>,
}

/// Where other music may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum Follow {
    /// At the next bar.
    Bar,
    /// At the next beat.
    Beat,
    /// Anywhere.
    AtOnce,
}

/// How the volume of a sound falls with the distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum Rolloff {
    /// With one over the distance, as in the open air; lowered so that it is silent at `distance_max`.
    Inverse,
    /// Evenly, to silence at `distance_max`.
    Linear,
    /// With the square of `linear`: fast at first, slowly at the end.
    Squared,
    /// Not at all, up to `distance_max`.
    Constant,
}

/// The format of samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum SampleFormat {
    /// Signed 16-bit samples, little-endian, the channels interleaved.
    Pcm16,
    /// IMA ADPCM, 4 bits per sample. Each part can be decoded alone: for each channel its first sample as 16 bits, the
    /// index of the step as 8 bits and a zero byte; then the remaining samples of the first channel, two per byte with the
    /// earlier one in the low half, then those of the second, each channel beginning at a whole byte.
    ImaAdpcm,
}

/// A take of a sound.
#[derive(Record)]
#[repr(C)]
pub struct Permutation {
    /// Its name: that of its source file, without the extension.
    #[tag(key)]
    pub name: StringId,
    /// The part of the bulk data with which it begins.
    pub first_part: u32,
    /// The number of its parts: about half a second each, so that a long sound is played while it is read.
    pub parts: u32,
    /// The number of its frames.
    #[tag(unit = "frames")]
    pub frames: u32,
}

/// How likely a permutation is played.
#[derive(Record)]
#[repr(C)]
pub struct PermutationWeight {
    /// The name of the permutation.
    #[tag(key)]
    pub name: StringId,
    /// Its weight: twice the weight is chosen twice as often, and one of weight 0 never.
    #[tag(range(0, 1000), default = 1)]
    pub weight: f32,
    /// The probability that it is skipped after it was chosen, and another one is chosen.
    #[tag(range(0, 1), default = 0)]
    pub skip_fraction: f32,
}

/// Another sound that is played instead.
#[derive(Record)]
#[repr(C)]
pub struct SoundAlternative {
    /// The sound.
    #[tag(key)]
    pub sound: Reference<Sound>,
    /// Its weight beside those of the permutations.
    #[tag(range(0, 1000), default = 1)]
    pub weight: f32,
}
