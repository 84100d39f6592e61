//! Texels into the formats of graphics processors. This is the door to the crate `block_compression`.
//!
//! Blocks are compressed independently, so the number of threads cannot change a result. A surface whose sides are not
//! multiples of 4 is padded with copies of its last column and row. The choice of the encoder and its speed and quality
//! are in docs/decisions/0041-block-compression.md.

use block_compression::decode::decompress_blocks_as_rgba8;
use block_compression::encode::{compress_rgba8, compress_rgba16};
use block_compression::{BC6HSettings, BC7Settings, CompressionVariant};
use half::f16;
use view::classes::bitmap::{ColourSpace, TexelFormat};

use crate::bitmap::surface::Surface;
use crate::bitmap::transfer::SRGB;

/// How much time the encoders of BC7 and BC6H take for quality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// For a quick look: one mode.
    Fast,
    /// One mode, and partitions for the blocks whose error is visible.
    Normal,
    /// Partitions for all blocks.
    High,
}

/// The squared error of a block, summed over its 16 texels and their channels, above which BC7 tries more modes:
/// a peak signal-to-noise ratio of 36 dB over three channels.
const VISIBLE_ERROR: u32 = 768;

/// The difference of the bits of half floats within a block up to which one pair of BC6H endpoints is enough: 1024 is
/// a factor of 2 in brightness. There are 16 steps between the endpoints, so the error stays below 2 %.
const SMOOTH_SPAN: u16 = 512;

/// The texels of a surface in a format.
#[must_use]
pub fn compress(surface: &Surface, format: TexelFormat, space: ColourSpace, effort: Effort) -> Vec<u8> {
    match format {
        TexelFormat::Rgba8 => surface.texels.iter().flat_map(|texel| codes(*texel, space)).collect(),
        TexelFormat::Rgba16f => {
            let halves = surface.texels.iter().flat_map(|texel| texel.map(f16::from_f32));
            halves.flat_map(f16::to_le_bytes).collect()
        }
        TexelFormat::Bc6h => blocks(surface, 16, &|texels, out| compress_bc6h(texels, out, effort)),
        TexelFormat::Bc7 => blocks(surface, 16, &|texels, out| compress_bc7(&coded(texels, space), out, effort)),
        TexelFormat::Bc1 => plain_blocks(surface, CompressionVariant::BC1, 8, space),
        TexelFormat::Bc3 => plain_blocks(surface, CompressionVariant::BC3, 16, space),
        TexelFormat::Bc4 => plain_blocks(surface, CompressionVariant::BC4, 8, space),
        TexelFormat::Bc5 => plain_blocks(surface, CompressionVariant::BC5, 16, space),
    }
}

/// The peak signal-to-noise ratio of a surface in BC1, as the mean squared error of its 8-bit codes. Infinite quality
/// is an error of 0.
#[must_use]
pub fn bc1_error(surface: &Surface, space: ColourSpace) -> f64 {
    let errors = blocks(surface, 4, &|texels, out| {
        let block = coded(texels, space);
        let mut stored = [0; 8];
        compress_rgba8(CompressionVariant::BC1, &block, &mut stored, 4, 4, 16);
        out.copy_from_slice(&error(CompressionVariant::BC1, &block, &stored, 3).to_le_bytes());
    });
    let errors = errors.as_chunks::<4>().0;
    let sum: u64 = errors.iter().map(|error| u64::from(u32::from_le_bytes(*error))).sum();
    sum as f64 / (errors.len() as f64 * 48.0)
}

fn plain_blocks(surface: &Surface, variant: CompressionVariant, bytes: usize, space: ColourSpace) -> Vec<u8> {
    blocks(surface, bytes, &|texels, out| compress_rgba8(variant, &coded(texels, space), out, 4, 4, 16))
}

fn compress_bc6h(texels: &[[f32; 4]; 16], out: &mut [u8], effort: Effort) {
    let halves = texels.map(|texel| texel.map(f16::from_f32));
    let is_smooth = (0..3).all(|channel| {
        let bits = halves.map(|texel| texel[channel].to_bits());
        bits.iter().max().zip(bits.iter().min()).is_some_and(|(max, min)| max - min <= SMOOTH_SPAN)
    });
    let settings = match effort {
        Effort::High => BC6HSettings::basic(),
        Effort::Normal if !is_smooth => BC6HSettings::fast(),
        Effort::Fast | Effort::Normal => BC6HSettings::very_fast(),
    };
    compress_rgba16(CompressionVariant::BC6H(settings), halves.as_flattened(), out, 4, 4, 16);
}

fn compress_bc7(block: &[u8; 64], out: &mut [u8], effort: Effort) {
    let is_opaque = block.iter().skip(3).step_by(4).all(|alpha| *alpha == 255);
    let (quick, thorough, channels) = if is_opaque {
        (BC7Settings::opaque_ultra_fast(), BC7Settings::opaque_very_fast(), 3)
    } else {
        (BC7Settings::alpha_ultrafast(), BC7Settings::alpha_very_fast(), 4)
    };
    let [quick, thorough] = [quick, thorough].map(CompressionVariant::BC7);
    compress_rgba8(quick, block, out, 4, 4, 16);
    let is_done = match effort {
        Effort::Fast => true,
        Effort::Normal => error(quick, block, out, channels) <= VISIBLE_ERROR,
        Effort::High => error(quick, block, out, channels) == 0,
    };
    if !is_done {
        compress_rgba8(thorough, block, out, 4, 4, 16);
    }
}

/// The squared error of a compressed block, summed over its texels and first channels.
fn error(variant: CompressionVariant, block: &[u8; 64], stored: &[u8], channels: usize) -> u32 {
    let mut back = [0; 64];
    decompress_blocks_as_rgba8(variant, 4, 4, stored, &mut back);
    let texels = block.as_chunks::<4>().0.iter().zip(back.as_chunks::<4>().0);
    texels
        .flat_map(|(texel, back)| texel[..channels].iter().zip(&back[..channels]))
        .map(|(code, back)| u32::from(code.abs_diff(*back)))
        .map(|difference| difference * difference)
        .sum()
}

/// The 8-bit codes of a block.
fn coded(texels: &[[f32; 4]; 16], space: ColourSpace) -> [u8; 64] {
    let mut block = [0; 64];
    for (texel, to) in texels.iter().zip(block.as_chunks_mut::<4>().0) {
        *to = codes(*texel, space);
    }
    block
}

/// The 8-bit codes of a texel. Alpha is linear always.
fn codes(texel: [f32; 4], space: ColourSpace) -> [u8; 4] {
    let [red, green, blue, alpha] = texel;
    match space {
        ColourSpace::Srgb => [SRGB.code(red), SRGB.code(green), SRGB.code(blue), linear_code(alpha)],
        ColourSpace::Linear => texel.map(linear_code),
    }
}

/// Casts saturate, so that values outside 0…1 are clamped and NaN gives 0.
fn linear_code(value: f32) -> u8 {
    (value * 255.0 + 0.5) as u8
}

type CompressBlock<'a> = &'a (dyn Fn(&[[f32; 4]; 16], &mut [u8]) + Sync);

/// Compresses the blocks of a surface, row by row, on all cores.
fn blocks(surface: &Surface, bytes: usize, compress: CompressBlock<'_>) -> Vec<u8> {
    let columns = surface.width.div_ceil(4) as usize;
    let rows = surface.height.div_ceil(4) as usize;
    let mut out = vec![0; columns * rows * bytes];
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(rows.div_ceil(16));
    let rows_each = rows.div_ceil(workers);
    let row_bytes = columns * bytes;
    if workers == 1 {
        block_rows(surface, 0, row_bytes, bytes, &mut out, compress);
        return out;
    }
    std::thread::scope(|scope| {
        for (worker, out) in out.chunks_mut(rows_each * row_bytes).enumerate() {
            scope.spawn(move || block_rows(surface, worker * rows_each, row_bytes, bytes, out, compress));
        }
    });
    out
}

fn block_rows(
    surface: &Surface,
    first_row: usize,
    row_bytes: usize,
    bytes: usize,
    out: &mut [u8],
    compress: CompressBlock<'_>,
) {
    for (row, out) in out.chunks_exact_mut(row_bytes).enumerate() {
        for (column, out) in out.chunks_exact_mut(bytes).enumerate() {
            let texels = std::array::from_fn(|texel| {
                let x = (column * 4 + texel % 4).min(surface.width as usize - 1);
                let y = ((first_row + row) * 4 + texel / 4).min(surface.height as usize - 1);
                surface.texels[y * surface.width as usize + x]
            });
            compress(&texels, out);
        }
    }
}
