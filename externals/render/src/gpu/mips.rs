//! Bitmaps as square images of 8-bit texels with all their levels.

use base::number::{clamp, floor, min};
use view::classes::bitmap::{AlphaKind, ColourSpace};
use view::texels::decode;

use crate::resources::TextureResource;

/// The levels of a square image, the largest first.
pub struct MipChain {
    /// Their texels.
    pub levels: Vec<Vec<[u8; 4]>>,
}

/// What is between the texels of an image that becomes larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stretch {
    /// Linear interpolation.
    Linear,
    /// The nearest texel: edges stay sharp.
    Nearest,
}

/// The layers of a texture at a side, each with all its levels. None if its bytes are not texels.
pub fn decoded(texture: &TextureResource, side: u32, stretch: Stretch) -> Option<Vec<MipChain>> {
    let is_colour = texture.colour_space == ColourSpace::Srgb;
    (0..texture.layers)
        .map(|layer| {
            let source = texture.levels.iter().rev().find(|level| level.width.max(level.height) >= side);
            let source = source.or(texture.levels.first())?;
            let bytes = source.bytes.len() / texture.layers as usize;
            let texels = source.bytes.get(layer as usize * bytes..(layer as usize + 1) * bytes)?;
            let mut texels = decode(texels, source.width, source.height, texture.format)?;
            if texture.alpha == AlphaKind::Premultiplied {
                texels.iter_mut().for_each(undo_premultiplication);
            }
            Some(mip_chain(stretched(&texels, [source.width, source.height], side, stretch), side, is_colour))
        })
        .collect()
}

fn undo_premultiplication(texel: &mut [u8; 4]) {
    let [red, green, blue, alpha] = texel.map(u32::from);
    if alpha > 0 {
        let divided = [red, green, blue].map(|value| (value * 255 / alpha).min(255) as u8);
        texel[..3].copy_from_slice(&divided);
    }
}

/// An image stretched to a square.
fn stretched(texels: &[[u8; 4]], [width, height]: [u32; 2], side: u32, stretch: Stretch) -> Vec<[u8; 4]> {
    if width == side && height == side {
        return texels.to_vec();
    }
    if stretch == Stretch::Nearest {
        // The texel in which the middle of the new one lies.
        let place = |at: u32, length: u32| (2 * at + 1) * length / (2 * side);
        let at = |at: u32| texels[(place(at / side, height) * width + place(at % side, width)) as usize];
        return (0..side * side).map(at).collect();
    }
    let place = |at: u32, length: u32| {
        let at = clamp((at as f32 + 0.5) * length as f32 / side as f32 - 0.5, 0.0, (length - 1) as f32);
        (at as u32, (at as u32 + 1).min(length - 1), at - floor(at))
    };
    let at = |x: u32, y: u32| texels[(y * width + x) as usize].map(f32::from);
    let mut result = Vec::with_capacity((side * side) as usize);
    for y in 0..side {
        let (top, bottom, down) = place(y, height);
        for x in 0..side {
            let (left, right, across) = place(x, width);
            let corners = [at(left, top), at(right, top), at(left, bottom), at(right, bottom)];
            result.push(std::array::from_fn(|channel| {
                let [a, b, c, d] = corners.map(|corner| corner[channel]);
                let (upper, lower) = (a + (b - a) * across, c + (d - c) * across);
                (upper + (lower - upper) * down + 0.5) as u8
            }));
        }
    }
    result
}

/// All levels below an image. Colours are averaged by their squares, which is close to averaging light.
pub fn mip_chain(texels: Vec<[u8; 4]>, side: u32, is_colour: bool) -> MipChain {
    let mut levels = vec![texels];
    let mut length = side;
    while length > 1 {
        let half = length / 2;
        let above = &levels[levels.len() - 1];
        let level = (0..half * half).map(|at| {
            let first = (at / half * 2 * length + at % half * 2) as usize;
            let four =
                [above[first], above[first + 1], above[first + length as usize], above[first + length as usize + 1]];
            std::array::from_fn(|channel| {
                average(four.map(|texel| u32::from(texel[channel])), is_colour && channel < 3)
            })
        });
        let level = level.collect();
        levels.push(level);
        length = half;
    }
    MipChain { levels }
}

fn average(four: [u32; 4], is_colour: bool) -> u8 {
    if is_colour {
        let squares: u32 = four.iter().map(|value| value * value).sum();
        min(base::number::sqrt(squares as f32 * 0.25) + 0.5, 255.0) as u8
    } else {
        ((four.iter().sum::<u32>() + 2) / 4) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretched_image_keeps_its_corners() {
        let texels = [[0, 0, 0, 255], [255, 0, 0, 255]];
        let square = stretched(&texels, [2, 1], 8, Stretch::Linear);
        assert_eq!((square[0], square[7], square.len()), ([0, 0, 0, 255], [255, 0, 0, 255], 64));
        assert!(square[3][0] > 60 && square[3][0] < 128, "{:?}", square[3]);
        let square = stretched(&texels, [2, 1], 8, Stretch::Nearest);
        assert_eq!((square[3], square[4], square.len()), ([0, 0, 0, 255], [255, 0, 0, 255], 64));
    }

    #[test]
    fn levels_end_with_the_average() {
        let chain = mip_chain(vec![[10, 20, 30, 40]; 16], 4, false);
        assert_eq!(chain.levels.iter().map(Vec::len).collect::<Vec<_>>(), [16, 4, 1]);
        assert_eq!(chain.levels[2], [[10, 20, 30, 40]]);
        assert_eq!(average([0, 255, 0, 255], true), 180);
        assert_eq!(average([0, 255, 0, 255], false), 128);
    }
}
