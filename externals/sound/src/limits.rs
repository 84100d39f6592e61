//! The limits of the mixer.

/// The rate of all output, in frames per second. A frame has one sample for each of two channels.
pub const SAMPLE_RATE: u32 = 48_000;
/// The frames of a block: 10 ms. Parameters change linearly within a block, and commands take effect between two.
pub const BLOCK_FRAMES: usize = 480;
/// The usual number of voices that are heard at one time.
pub const VOICES_USUAL: u32 = 64;
/// The most voices that may be heard at one time.
pub const VOICES_MAX: u32 = 256;
/// The most slots of the engine: a voice that fades out keeps its slot.
pub const SLOTS_MAX: usize = 384;
/// The most buses of a mix.
pub const BUSES_MAX: usize = 16;
/// The parts of a sound that a voice holds: some seconds in advance.
pub const WINDOW_PARTS: usize = 8;
/// The most frames of a source for one of output.
pub const STEP_MAX: u32 = 8;
/// The most commands on their way to the engine.
pub const COMMANDS_MAX: usize = 1 << 13;
/// The most retired samples on their way back.
pub const RETIRED_MAX: usize = 1 << 13;
/// The most frames of one part of a sound.
pub const PART_FRAMES_MAX: u32 = 1 << 18;
/// The most frames of a sound.
pub const SOUND_FRAMES_MAX: u32 = 1 << 30;
/// The most permutations and alternatives of a sound.
pub const CHOICES_MAX: usize = 4096;
/// How many times a sound may name another one to be played instead.
pub const ALTERNATIVES_DEPTH_MAX: u32 = 8;
/// The bytes of decoded parts that are kept.
pub const PARTS_BYTES_MAX: usize = 64 << 20;
/// The most parts that are decoded for one frame of the view: about 3 ms.
pub const DECODES_MAX: u32 = 16;
/// The most listeners.
pub const LISTENERS_MAX: usize = 8;
/// The most reports that wait to be taken.
pub const REPORTS_MAX: usize = 256;

const _: () = assert!(SLOTS_MAX >= VOICES_MAX as usize, "every voice has a slot");
const _: () = assert!(VOICES_USUAL <= VOICES_MAX, "the usual number is possible");
