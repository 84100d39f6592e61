//! Texels from the formats of graphics processors, as people look at them. With [`super::compress`], this is the door to
//! the crate `block_compression`.

use block_compression::decode::{decompress_blocks_as_rgba8, decompress_blocks_as_rgba16f};
use block_compression::{BC6HSettings, BC7Settings, CompressionVariant};
use half::f16;
use view::classes::bitmap::TexelFormat;

use crate::bitmap::transfer::SRGB;

/// The texels of a layer as 8-bit codes for a screen. A single channel is shown as grey, the third component of normals
/// is computed, and floats are mapped by x ∕ (1 + x), so that every brightness is seen. `None` if the bytes are not those
/// of that many texels.
#[must_use]
pub fn decompress(bytes: &[u8], width: u32, height: u32, format: TexelFormat) -> Option<Vec<[u8; 4]>> {
    let texels = width as usize * height as usize;
    match format {
        TexelFormat::Rgba8 => {
            let (codes, rest) = bytes.as_chunks::<4>();
            (codes.len() == texels && rest.is_empty()).then(|| codes.to_vec())
        }
        TexelFormat::Rgba16f => {
            let (halves, rest) = bytes.as_chunks::<8>();
            let read = |texel: &[u8; 8]| [0, 2, 4, 6].map(|at| f16::from_le_bytes([texel[at], texel[at + 1]]));
            (halves.len() == texels && rest.is_empty())
                .then(|| halves.iter().map(|texel| mapped(read(texel))).collect())
        }
        TexelFormat::Bc6h => {
            let variant = CompressionVariant::BC6H(BC6HSettings::very_fast());
            let (wide, high) = padded(variant, bytes, width, height)?;
            let mut halves = vec![f16::ZERO; wide as usize * high as usize * 4];
            decompress_blocks_as_rgba16f(variant, wide, high, bytes, &mut halves);
            let shown: Vec<[u8; 4]> = halves
                .as_chunks::<4>()
                .0
                .iter()
                .map(|[red, green, blue, _]| mapped([*red, *green, *blue, f16::ONE]))
                .collect();
            Some(cut(&shown, wide, width, height))
        }
        TexelFormat::Bc1 => blocks(CompressionVariant::BC1, bytes, width, height, |texel| texel),
        TexelFormat::Bc3 => blocks(CompressionVariant::BC3, bytes, width, height, |texel| texel),
        TexelFormat::Bc4 => blocks(CompressionVariant::BC4, bytes, width, height, |[grey, ..]| [grey, grey, grey, 255]),
        TexelFormat::Bc5 => blocks(CompressionVariant::BC5, bytes, width, height, with_z),
        TexelFormat::Bc7 => {
            let variant = CompressionVariant::BC7(BC7Settings::opaque_ultra_fast());
            blocks(variant, bytes, width, height, |texel| texel)
        }
    }
}

/// The half floats of BC6H blocks of whole sides, for tests.
#[cfg(test)]
pub fn halves(bytes: &[u8], width: u32, height: u32) -> Vec<[f32; 4]> {
    let mut halves = vec![f16::ZERO; width as usize * height as usize * 4];
    let variant = CompressionVariant::BC6H(BC6HSettings::very_fast());
    decompress_blocks_as_rgba16f(variant, width, height, bytes, &mut halves);
    halves.as_chunks::<4>().0.iter().map(|texel| texel.map(f16::to_f32)).collect()
}

fn blocks(
    variant: CompressionVariant,
    bytes: &[u8],
    width: u32,
    height: u32,
    show: fn([u8; 4]) -> [u8; 4],
) -> Option<Vec<[u8; 4]>> {
    let (wide, high) = padded(variant, bytes, width, height)?;
    let mut codes = vec![0; wide as usize * high as usize * 4];
    decompress_blocks_as_rgba8(variant, wide, high, bytes, &mut codes);
    let shown: Vec<[u8; 4]> = codes.as_chunks::<4>().0.iter().map(|texel| show(*texel)).collect();
    Some(cut(&shown, wide, width, height))
}

/// The sides in whole blocks, if the bytes are those of that many blocks.
fn padded(variant: CompressionVariant, bytes: &[u8], width: u32, height: u32) -> Option<(u32, u32)> {
    let (wide, high) = (width.next_multiple_of(4), height.next_multiple_of(4));
    (bytes.len() == variant.blocks_byte_size(wide, high)).then_some((wide, high))
}

/// The upper left rectangle of rows of `wide` texels.
fn cut(texels: &[[u8; 4]], wide: u32, width: u32, height: u32) -> Vec<[u8; 4]> {
    texels.chunks_exact(wide as usize).take(height as usize).flat_map(|row| &row[..width as usize]).copied().collect()
}

fn mapped([red, green, blue, alpha]: [f16; 4]) -> [u8; 4] {
    let code = |value: f16| {
        let value = value.to_f32();
        // Infinity over infinity is not a number; it is the brightest value.
        SRGB.code(if value.is_infinite() { 1.0 } else { value / (1.0 + value) })
    };
    [code(red), code(green), code(blue), (alpha.to_f32() * 255.0 + 0.5) as u8]
}

fn with_z([x, y, ..]: [u8; 4]) -> [u8; 4] {
    let [a, b] = [x, y].map(|code| f64::from(code) / 127.5 - 1.0);
    let rest = 1.0 - a * a - b * b;
    let z = if rest > 0.0 { base::number::double::sqrt(rest) } else { 0.0 };
    [x, y, (z * 127.5 + 128.0) as u8, 255]
}
