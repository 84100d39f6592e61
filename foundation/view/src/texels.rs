//! Texels of the formats of bitmaps, decoded in software: for renderers without block compression, and for tools.
//!
//! Laws
//! 1. Any bytes of the right length decode; a block that the format reserves is black.
//! 2. The same bytes give the same texels on every machine: integers only.

mod bc6h;
mod bc7;
mod partitions;

use alloc::vec::Vec;

use crate::classes::bitmap::TexelFormat;

/// The bytes of one layer of a level; none if that is more than memory can have.
pub fn layer_bytes(format: TexelFormat, width: u32, height: u32) -> Option<usize> {
    let blocks = || (width.div_ceil(4) as usize).checked_mul(height.div_ceil(4) as usize);
    let texels = || (width as usize).checked_mul(height as usize);
    match format {
        TexelFormat::Bc1 | TexelFormat::Bc4 => blocks()?.checked_mul(8),
        TexelFormat::Bc3 | TexelFormat::Bc5 | TexelFormat::Bc7 | TexelFormat::Bc6h => blocks()?.checked_mul(16),
        TexelFormat::Rgba8 => texels()?.checked_mul(4),
        TexelFormat::Rgba16f => texels()?.checked_mul(8),
    }
}

/// Whether its texels are half floats.
pub const fn is_float(format: TexelFormat) -> bool {
    matches!(format, TexelFormat::Bc6h | TexelFormat::Rgba16f)
}

/// The texels of a layer in 8 bits per channel, in the order of rows. A single channel is grey, the third component of normals
/// is computed, and floats are clamped to 0…1. None if the bytes are not those of that many texels.
pub fn decode(bytes: &[u8], width: u32, height: u32, format: TexelFormat) -> Option<Vec<[u8; 4]>> {
    if layer_bytes(format, width, height)? != bytes.len() {
        return None;
    }
    match format {
        TexelFormat::Rgba8 => Some(bytes.as_chunks::<4>().0.to_vec()),
        TexelFormat::Rgba16f => {
            let unit = |half: u16| to_unit(half_to_f32(half));
            let read = |texel: &[u8; 8]| [0, 2, 4, 6].map(|at| unit(u16::from_le_bytes([texel[at], texel[at + 1]])));
            Some(bytes.as_chunks::<8>().0.iter().map(read).collect())
        }
        TexelFormat::Bc1 => Some(blocks::<8, _>(bytes, width, height, |block| colours(block, true))),
        TexelFormat::Bc3 => Some(blocks::<16, _>(bytes, width, height, |block| {
            let (first, second) = halves(block);
            let (mut texels, alphas) = (colours(second, false), channel(first));
            texels.iter_mut().zip(alphas).for_each(|(texel, alpha)| texel[3] = alpha);
            texels
        })),
        TexelFormat::Bc4 => {
            Some(blocks::<8, _>(bytes, width, height, |block| channel(block).map(|grey| [grey, grey, grey, 255])))
        }
        TexelFormat::Bc5 => Some(blocks::<16, _>(bytes, width, height, |block| {
            let (first, second) = halves(block);
            let (x, y) = (channel(first), channel(second));
            core::array::from_fn(|at| [x[at], y[at], normal_z(x[at], y[at]), 255])
        })),
        TexelFormat::Bc7 => Some(blocks::<16, _>(bytes, width, height, bc7::decode_block)),
        TexelFormat::Bc6h => Some(blocks::<16, _>(bytes, width, height, |block| {
            bc6h::decode_block(block).map(|[red, green, blue]| {
                let [red, green, blue] = [red, green, blue].map(|half| to_unit(half_to_f32(half)));
                [red, green, blue, 255]
            })
        })),
    }
}

/// The texels of a layer of half floats, as floats in linear light; of other formats, none.
pub fn decode_floats(bytes: &[u8], width: u32, height: u32, format: TexelFormat) -> Option<Vec<[f32; 4]>> {
    if layer_bytes(format, width, height)? != bytes.len() {
        return None;
    }
    match format {
        TexelFormat::Rgba16f => {
            let read =
                |texel: &[u8; 8]| [0, 2, 4, 6].map(|at| half_to_f32(u16::from_le_bytes([texel[at], texel[at + 1]])));
            Some(bytes.as_chunks::<8>().0.iter().map(read).collect())
        }
        TexelFormat::Bc6h => Some(blocks::<16, _>(bytes, width, height, |block| {
            bc6h::decode_block(block).map(|[red, green, blue]| {
                let [red, green, blue] = [red, green, blue].map(half_to_f32);
                [red, green, blue, 1.0]
            })
        })),
        _ => None,
    }
}

/// A half float.
pub fn half_to_f32(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let exponent = u32::from(half >> 10 & 0x1f);
    let mantissa = u32::from(half & 0x3ff);
    let magnitude = match exponent {
        // Subnormal: exact, since 24 bits hold all of it.
        0 => return f32::from_bits(sign | (mantissa as f32 / 16_777_216.0).to_bits()),
        31 => 0x7f80_0000 | mantissa << 13,
        _ => (exponent + 112) << 23 | mantissa << 13,
    };
    f32::from_bits(sign | magnitude)
}

fn to_unit(value: f32) -> u8 {
    if value >= 1.0 {
        255
    } else if value > 0.0 {
        (value * 255.0 + 0.5) as u8
    } else {
        0
    }
}

/// Decodes blocks of 4 × 4 texels into rows.
fn blocks<const N: usize, T: Copy + Default>(
    bytes: &[u8],
    width: u32,
    height: u32,
    decode: impl Fn(&[u8; N]) -> [T; 16],
) -> Vec<T> {
    let (width, height) = (width as usize, height as usize);
    let mut texels = alloc::vec![T::default(); width * height];
    let across = width.div_ceil(4);
    for (index, block) in bytes.as_chunks::<N>().0.iter().enumerate() {
        let (left, top) = (index % across * 4, index / across * 4);
        let decoded = decode(block);
        for y in top..height.min(top + 4) {
            let columns = width.min(left + 4) - left;
            let row = (y - top) * 4;
            texels[y * width + left..][..columns].copy_from_slice(&decoded[row..row + columns]);
        }
    }
    texels
}

fn halves(block: &[u8; 16]) -> (&[u8; 8], &[u8; 8]) {
    let (parts, _) = block.as_chunks::<8>();
    (&parts[0], &parts[1])
}

/// A BC1 block. With `may_cut`, blocks of the first colour not above the second have a transparent fourth colour.
fn colours(block: &[u8; 8], may_cut: bool) -> [[u8; 4]; 16] {
    let ends = [0, 2].map(|at| u16::from_le_bytes([block[at], block[at + 1]]));
    let expand = |colour: u16| {
        let (red, green, blue) = (colour >> 11, colour >> 5 & 63, colour & 31);
        [red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2]
    };
    let [first, second] = ends.map(expand);
    let mix = |a: u16, b: u16| -> [u8; 4] {
        let [red, green, blue] =
            core::array::from_fn(|at| ((first[at] * a + second[at] * b + (a + b) / 2) / (a + b)) as u8);
        [red, green, blue, 255]
    };
    let palette = if ends[0] > ends[1] || !may_cut {
        [mix(1, 0), mix(0, 1), mix(2, 1), mix(1, 2)]
    } else {
        [mix(1, 0), mix(0, 1), mix(1, 1), [0; 4]]
    };
    let indices = u32::from_le_bytes([block[4], block[5], block[6], block[7]]);
    core::array::from_fn(|at| palette[(indices >> (2 * at) & 3) as usize])
}

/// One channel of BC3, BC4 and BC5.
fn channel(block: &[u8; 8]) -> [u8; 16] {
    let bits = u64::from_le_bytes(*block);
    let (first, second) = (u16::from(block[0]), u16::from(block[1]));
    let mix = |part: u16, of: u16| ((first * (of - part) + second * part + of / 2) / of) as u8;
    let palette = if first > second {
        [block[0], block[1], mix(1, 7), mix(2, 7), mix(3, 7), mix(4, 7), mix(5, 7), mix(6, 7)]
    } else {
        [block[0], block[1], mix(1, 5), mix(2, 5), mix(3, 5), mix(4, 5), 0, 255]
    };
    core::array::from_fn(|at| palette[(bits >> (16 + 3 * at) & 7) as usize])
}

/// The third component of a unit normal, in the mapping of −1…1 to 0…255.
fn normal_z(x: u8, y: u8) -> u8 {
    let [a, b] = [x, y].map(|code| f32::from(code) / 127.5 - 1.0);
    let rest = 1.0 - a * a - b * b;
    let z = if rest > 0.0 { base::number::sqrt(rest) } else { 0.0 };
    (z * 127.5 + 128.0) as u8
}

/// Reads bits, the lowest first.
struct BlockBits {
    bits: u128,
}

impl BlockBits {
    fn new(block: &[u8; 16]) -> BlockBits {
        BlockBits { bits: u128::from_le_bytes(*block) }
    }

    fn take(&mut self, count: u32) -> u32 {
        let taken = (self.bits & ((1 << count) - 1)) as u32;
        self.bits >>= count;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_floats_are_read() {
        for (half, value) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x0001, 5.960_464_5e-8),
            (0x7bff, 65504.0),
            (0x8000, -0.0),
            (0x3555, 0.333_251_95),
        ] {
            assert_eq!(half_to_f32(half).to_bits(), f32::to_bits(value));
        }
        assert!(half_to_f32(0x7c00).is_infinite() && half_to_f32(0x7e00).is_nan());
    }

    #[test]
    fn blocks_are_cut_at_the_edges_of_an_image() {
        let mut block = [0; 8];
        block[..2].copy_from_slice(&0xf800_u16.to_le_bytes());
        let bytes = [block, block].concat();
        let texels = decode(&bytes, 5, 3, TexelFormat::Bc1).unwrap();
        assert_eq!(texels, alloc::vec![[255, 0, 0, 255]; 15]);
        assert_eq!(decode(&bytes, 9, 3, TexelFormat::Bc1), None);
        assert_eq!(decode(&bytes, u32::MAX, u32::MAX, TexelFormat::Rgba16f), None);
    }

    #[test]
    fn any_block_decodes() {
        let mut random = base::Pcg::new(7, 1);
        for format in [
            TexelFormat::Bc1,
            TexelFormat::Bc3,
            TexelFormat::Bc4,
            TexelFormat::Bc5,
            TexelFormat::Bc7,
            TexelFormat::Bc6h,
        ] {
            let bytes: Vec<u8> =
                (0..layer_bytes(format, 64, 64).unwrap()).map(|_| base::Random::next_u32(&mut random) as u8).collect();
            assert_eq!(decode(&bytes, 64, 64, format).map(|texels| texels.len()), Some(4096));
        }
    }
}
