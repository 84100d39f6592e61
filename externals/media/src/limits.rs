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

/// The most pixels of one import, over all faces and frames: 8192 × 8192. They take some 20 bytes each while they are processed.
pub const PIXELS_MAX: u64 = 1 << 26;

/// The pixels of an image that any file may give, however short: 4096 × 4096, some 340 MB while they are processed.
pub const PIXELS_FREE: u64 = 1 << 24;

/// How many pixels more an image may have for each byte of its file. Only large areas of one colour are denser: a bit per pixel and the
/// best compression give 8,000.
pub const PIXELS_PER_BYTE: u64 = 64;

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

/// The largest JSON, in bytes. Its values take at most eight times as much.
pub const JSON_BYTES_MAX: u64 = 128 << 20;

/// The deepest nesting of JSON.
pub const JSON_DEPTH_MAX: usize = 64;

/// The most nodes of a scene.
pub const NODES_MAX: usize = 1 << 17;

/// The deepest nesting of nodes.
pub const NODE_DEPTH_MAX: usize = 256;

/// The most meshes, materials, skins, clips, images and buffers of a scene, of each.
pub const SCENE_ITEMS_MAX: usize = 1 << 16;

/// The most buffers of a scene.
pub const BUFFERS_MAX: usize = 256;

/// The most triangle corners of all meshes of a scene.
pub const CORNERS_MAX: u64 = 1 << 26;

/// How many triangle corners a scene may have for each byte of its files: a strip of 8-bit indices has three. Only files
/// that use the same numbers again and again reach it.
pub const CORNERS_PER_BYTE: u64 = 4;

/// The corners that any scene may have, however small its files.
pub const CORNERS_FREE: u64 = 1 << 16;

/// The most elements of an accessor without bytes.
pub const ZEROS_MAX: usize = 1 << 20;

/// The largest coordinate of a vertex or a node, in metres.
pub const COORDINATE_MAX: f32 = 1e7;

/// The most frames of an animation: frames have 16 bits.
pub const FRAMES_MAX: usize = 1 << 16;

/// The most values of all sampled curves of a scene.
pub const CURVE_SAMPLES_MAX: u64 = 1 << 26;

/// The most hulls of a convex decomposition.
pub const PARTS_MAX: usize = 64;

/// The most corners of a face of a polygon mesh.
pub const FACE_CORNERS_MAX: usize = 4096;

/// The most levels of detail of a mesh.
pub const LODS_MAX: usize = 8;
