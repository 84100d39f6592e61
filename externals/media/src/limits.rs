//! All limits of imports. A file above one is refused with an error that names the limit.

/// The largest source file, in bytes; also the largest sum of a file and the files beside it that it names.
pub const SOURCE_BYTES_MAX: u64 = 1 << 30;

/// The most bytes of decoded data (pixels, samples, vertices) that one import may hold at a time.
pub const DECODED_BYTES_MAX: u64 = 2 << 30;

/// The most products of one import.
pub const PRODUCTS_MAX: usize = 1 << 16;

/// The most warnings of one import; the rest is counted.
pub const WARNINGS_MAX: usize = 100;

/// The largest width and height of an image, in pixels.
pub const SIDE_MAX: u32 = 16_384;

/// The most pixels of one import, over all faces and frames: 8192 × 8192. They take 16 bytes each while they are processed.
pub const PIXELS_MAX: u64 = 1 << 26;

/// The most frames of an animated texture.
pub const SEQUENCE_FRAMES_MAX: u32 = 2048;

/// The most samples of one import, over all channels and permutations: 23 minutes of stereo at 48 kHz.
pub const SAMPLES_MAX: u64 = 1 << 27;

/// The most channels of a sound.
pub const CHANNELS_MAX: u64 = 8;

/// The lowest sample rate, in hertz.
pub const SAMPLE_RATE_MIN: u32 = 1000;

/// The highest sample rate, in hertz.
pub const SAMPLE_RATE_MAX: u32 = 192_000;

/// The most permutations of a sound.
pub const PERMUTATIONS_MAX: u64 = 256;

/// The largest font file, in bytes.
pub const FONT_BYTES_MAX: u64 = 64 << 20;

/// The most ranges of characters of a font.
pub const COVERAGE_RANGES_MAX: usize = 1 << 14;
