//! What a decoder of images gives: samples as the file has them.

use view::classes::bitmap::ColourSpace;

use crate::bitmap::surface::Surface;
use crate::bitmap::transfer::{SRGB, linear_from_srgb};

/// An image as its file has it: rows from top to bottom, the channels of a pixel together.
#[derive(Debug)]
pub struct Raster {
    /// Its width in pixels, at least 1.
    pub width: u32,
    /// Its height in pixels, at least 1.
    pub height: u32,
    /// Its channels per pixel: 1 grey, 2 grey and alpha, 3 colour, 4 colour and alpha.
    pub channels: usize,
    /// Its samples: `width × height × channels`.
    pub samples: Samples,
    /// Whether its colours have been multiplied by its alpha.
    pub is_premultiplied: bool,
}

/// Samples of one of three precisions. Those of integers stand for 0…1.
#[derive(Debug)]
pub enum Samples {
    U8(Vec<u8>),
    U16(Vec<u16>),
    F32(Vec<f32>),
}

impl Raster {
    /// Whether its values are floats, which may exceed 1.
    #[must_use]
    pub fn is_hdr(&self) -> bool {
        matches!(self.samples, Samples::F32(_))
    }

    /// Whether it has one channel of values, and no colours.
    #[must_use]
    pub fn is_grey(&self) -> bool {
        self.channels < 3
    }

    /// Its texels in linear light. Floats are clamped to 0…65,504, the largest half float; also says whether any was.
    #[must_use]
    pub fn to_surface(&self, space: ColourSpace) -> (Surface, bool) {
        let mut clamped = false;
        let texels = match &self.samples {
            Samples::U8(samples) => {
                let table: [f32; 256] = match space {
                    ColourSpace::Srgb => std::array::from_fn(|code: usize| SRGB.linear(code as u8)),
                    ColourSpace::Linear => std::array::from_fn(|code: usize| code as f32 / 255.0),
                };
                self.texels(samples, |code| table[usize::from(code)], |code| f32::from(code) / 255.0)
            }
            Samples::U16(samples) => {
                let table: Vec<f32> = match space {
                    ColourSpace::Srgb => {
                        (0..=u16::MAX).map(|code| linear_from_srgb(f64::from(code) / 65_535.0) as f32).collect()
                    }
                    ColourSpace::Linear => (0..=u16::MAX).map(|code| f32::from(code) / 65_535.0).collect(),
                };
                self.texels(samples, |code| table[usize::from(code)], |code| f32::from(code) / 65_535.0)
            }
            Samples::F32(samples) => {
                let mut bounded = |value: f32, max: f32| {
                    let inside = if value > max {
                        max
                    } else if value >= 0.0 {
                        value
                    } else {
                        0.0
                    };
                    clamped |= inside != value;
                    inside
                };
                let mut texels = self.texels(samples, |value| value, |value| value);
                for texel in &mut texels {
                    for channel in &mut texel[..3] {
                        let value = bounded(*channel, 65_504.0);
                        *channel = match space {
                            ColourSpace::Srgb => linear_from_srgb(f64::from(value)).min(65_504.0) as f32,
                            ColourSpace::Linear => value,
                        };
                    }
                    texel[3] = bounded(texel[3], 1.0);
                }
                texels
            }
        };
        (Surface { width: self.width, height: self.height, texels }, clamped)
    }

    fn texels<T: Copy>(&self, samples: &[T], colour: impl Fn(T) -> f32, alpha: impl Fn(T) -> f32) -> Vec<[f32; 4]> {
        let pixels = samples.chunks_exact(self.channels);
        match self.channels {
            1 => pixels.map(|pixel| grey(colour(pixel[0]), 1.0)).collect(),
            2 => pixels.map(|pixel| grey(colour(pixel[0]), alpha(pixel[1]))).collect(),
            3 => pixels.map(|pixel| [colour(pixel[0]), colour(pixel[1]), colour(pixel[2]), 1.0]).collect(),
            _ => pixels.map(|pixel| [colour(pixel[0]), colour(pixel[1]), colour(pixel[2]), alpha(pixel[3])]).collect(),
        }
    }
}

fn grey(value: f32, alpha: f32) -> [f32; 4] {
    [value, value, value, alpha]
}
