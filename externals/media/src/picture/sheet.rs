//! The contact sheet of a bitmap: its largest mip level, and the others in a column beside it.

use view::classes::bitmap::{AlphaKind, TexelFormat};

use super::{GAP, Picture, PictureError, SIDE_MAX};
use crate::bitmap::decompress::decompress;
use crate::codec::guarded;

/// The largest side of a shown mip level, in pixels.
const LEVEL_SIDE_MAX: u32 = 1024;

const PAPER: [u8; 4] = [40, 40, 44, 255];

/// The two greys of the squares behind transparent texels, and their size.
const SQUARES: [[u8; 3]; 2] = [[102; 3], [153; 3]];
const SQUARE: u32 = 8;

/// A mip level of one layer.
#[derive(Clone, Copy, Debug)]
pub struct SheetLevel<'a> {
    /// Its width in texels.
    pub width: u32,
    /// Its height in texels.
    pub height: u32,
    /// Its texels in the format of the bitmap.
    pub bytes: &'a [u8],
}

/// The contact sheet of a bitmap, from the mip levels of one layer, the largest first.
pub fn contact_sheet(
    levels: &[SheetLevel<'_>],
    format: TexelFormat,
    alpha: AlphaKind,
) -> Result<Picture, PictureError> {
    let mut shown: Vec<Picture> = Vec::new();
    let mut room = SIDE_MAX - LEVEL_SIDE_MAX;
    for (number, level) in levels.iter().enumerate() {
        // All levels are shown at the scale of the first.
        let mut picture = picture_of(number, level, format)?;
        let side_max = levels[0].width.max(levels[0].height);
        let halvings = (0..31).find(|halvings| side_max >> halvings <= LEVEL_SIDE_MAX).unwrap_or(0);
        (0..halvings).for_each(|_| picture = half(&picture));
        // The levels of a valid bitmap fit.
        let Some(rest) = room.checked_sub(picture.height + GAP).filter(|_| picture.width <= LEVEL_SIDE_MAX) else {
            break;
        };
        room = rest;
        shown.push(picture);
    }
    let (first, rest) = shown.split_first().ok_or(PictureError::Empty("mip levels"))?;
    let column = rest.iter().map(|level| level.width).max().map_or(0, |width| width + GAP);
    let stack: u32 = rest.iter().map(|level| level.height + GAP).sum();
    let (width, height) = (GAP + first.width + GAP + column, GAP + (first.height + GAP).max(stack));
    let mut sheet = Picture::filled(width, height, PAPER);
    place(&mut sheet, first, (GAP, GAP), alpha);
    let mut top = GAP;
    for level in rest {
        place(&mut sheet, level, (GAP + first.width + GAP, top), alpha);
        top += level.height + GAP;
    }
    Ok(sheet)
}

fn picture_of(number: usize, level: &SheetLevel<'_>, format: TexelFormat) -> Result<Picture, PictureError> {
    let SheetLevel { width, height, bytes } = *level;
    let wrong =
        || PictureError::Part(format!("mip level {number} has {} bytes for {width} × {height} texels", bytes.len()));
    // A texel has at least half a byte.
    if width == 0 || height == 0 || u64::from(width) * u64::from(height) > bytes.len() as u64 * 2 {
        return Err(wrong());
    }
    let texels = guarded(|| Ok(decompress(bytes, width, height, format)));
    let pixels = texels.map_err(|error| PictureError::Part(error.to_string()))?.ok_or_else(wrong)?;
    Ok(Picture { width, height, pixels })
}

/// The picture at half its size; a side of 1 stays.
fn half(picture: &Picture) -> Picture {
    let (width, height) = ((picture.width / 2).max(1), (picture.height / 2).max(1));
    let mut half = Picture::filled(width, height, [0; 4]);
    for y in 0..height {
        for x in 0..width {
            let corners = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(right, down)| {
                picture.pixel((x * 2 + right).min(picture.width - 1), (y * 2 + down).min(picture.height - 1))
            });
            let mean = |channel: usize| {
                let sum: u32 = corners.iter().map(|corner| u32::from(corner[channel])).sum();
                ((sum + 2) / 4) as u8
            };
            half.set(x, y, [mean(0), mean(1), mean(2), mean(3)]);
        }
    }
    half
}

/// Draws a level over squares, which are seen where it is transparent.
fn place(sheet: &mut Picture, level: &Picture, (left, top): (u32, u32), alpha: AlphaKind) {
    for y in 0..level.height {
        for x in 0..level.width {
            let [red, green, blue, opacity] = level.pixel(x, y);
            let opacity = if alpha == AlphaKind::None { 255 } else { u32::from(opacity) };
            let square = SQUARES[((x / SQUARE + y / SQUARE) % 2) as usize];
            let over = |code: u8, behind: u8| {
                let own = match alpha {
                    AlphaKind::Premultiplied => u32::from(code) * 255,
                    AlphaKind::None | AlphaKind::Mask | AlphaKind::Blend => u32::from(code) * opacity,
                };
                ((own + u32::from(behind) * (255 - opacity) + 127) / 255).min(255) as u8
            };
            let colour = [over(red, square[0]), over(green, square[1]), over(blue, square[2]), 255];
            sheet.set(left + x, top + y, colour);
        }
    }
}
