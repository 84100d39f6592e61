//! Shows pictures in a window without a graphics processor.

use std::fmt;
use std::num::NonZeroU32;

use softbuffer::{Context, Surface};

use super::{Window, WindowError};
use crate::limits::WINDOW_SIDE_MAX;

/// Shows pictures in a window by copying them there. Must be dropped in `WindowClient::closed` at the latest.
pub struct Painter {
    window: Window,
    surface: Surface<Window, Window>,
}

impl Painter {
    /// A painter of a window.
    pub fn new(window: &Window) -> Result<Painter, WindowError> {
        let failed = failed("preparing a window for pictures");
        let context = Context::new(window.clone()).map_err(failed)?;
        let surface = Surface::new(&context, window.clone()).map_err(failed)?;
        Ok(Painter { window: window.clone(), surface })
    }

    /// Shows a picture: rows from the top, four bytes red, green, blue, alpha per pixel, in sRGB. A picture of another size than
    /// the window is scaled by repeating and leaving out pixels. The cost is a copy of the window's pixels.
    pub fn show(&mut self, picture: &[u8], size: [u32; 2]) -> Result<(), WindowError> {
        let pixels = pixels_of(picture, size)?;
        let [width, height] = self.window.size();
        let (Some(wide), Some(high)) = (NonZeroU32::new(width), NonZeroU32::new(height)) else {
            return Ok(());
        };
        let failed = failed("showing a picture");
        self.surface.resize(wide, high).map_err(failed)?;
        let mut buffer = self.surface.buffer_mut().map_err(failed)?;
        copy(pixels, size, &mut buffer, [width, height]);
        self.window.about_to_present();
        buffer.present().map_err(failed)
    }
}

impl fmt::Debug for Painter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Painter").field("window", &self.window).finish_non_exhaustive()
    }
}

fn failed(doing: &'static str) -> impl Fn(softbuffer::SoftBufferError) -> WindowError + Copy {
    move |error| WindowError::Picture { doing, cause: error.to_string() }
}

/// The pixels of a picture, if there are as many as its size says.
fn pixels_of(picture: &[u8], size: [u32; 2]) -> Result<&[[u8; 4]], WindowError> {
    let expected = size[0].min(WINDOW_SIDE_MAX) as usize * size[1].min(WINDOW_SIDE_MAX) as usize * 4;
    let (pixels, rest) = picture.as_chunks();
    if !rest.is_empty() || picture.len() != expected || expected == 0 {
        return Err(WindowError::PictureSize { expected, found: picture.len() });
    }
    Ok(pixels)
}

/// Copies a picture into a buffer of `0RGB` numbers, nearest neighbour.
fn copy(pixels: &[[u8; 4]], from: [u32; 2], buffer: &mut [u32], to: [u32; 2]) {
    let [from_width, from_height] = from.map(|side| side as usize);
    let [width, height] = to.map(|side| side as usize);
    for (y, row) in buffer.chunks_exact_mut(width).take(height).enumerate() {
        let first = (y * from_height / height) * from_width;
        let source = &pixels[first..first + from_width];
        if from_width == width {
            row.iter_mut().zip(source).for_each(|(place, pixel)| *place = packed(*pixel));
        } else {
            row.iter_mut().enumerate().for_each(|(x, place)| *place = packed(source[x * from_width / width]));
        }
    }
}

fn packed([red, green, blue, _]: [u8; 4]) -> u32 {
    u32::from_be_bytes([0, red, green, blue])
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: [u8; 4] = [255, 0, 0, 255];
    const BLUE: [u8; 4] = [0, 0, 255, 255];

    #[test]
    fn pictures_are_copied_and_scaled() {
        let mut same = [0; 2];
        copy(&[RED, BLUE], [2, 1], &mut same, [2, 1]);
        assert_eq!(same, [0xff_00_00, 0x00_00_ff]);
        let mut larger = [9; 8];
        copy(&[RED, BLUE], [2, 1], &mut larger, [4, 2]);
        let row = [0xff_00_00, 0xff_00_00, 0x00_00_ff, 0x00_00_ff];
        assert_eq!(larger, [row, row].concat()[..]);
        let mut smaller = [9];
        copy(&[RED, BLUE, BLUE, RED], [2, 2], &mut smaller, [1, 1]);
        assert_eq!(smaller, [0xff_00_00]);
    }

    #[test]
    fn bytes_that_do_not_fit_their_size_are_an_error() {
        assert!(pixels_of(&[0; 16], [2, 2]).is_ok());
        for (bytes, size) in [(15, [2, 2]), (16, [2, 1]), (0, [0, 0]), (0, [0, 9]), (16, [u32::MAX, u32::MAX])] {
            assert!(
                matches!(pixels_of(&vec![0; bytes], size), Err(WindowError::PictureSize { .. })),
                "{bytes} {size:?}"
            );
        }
    }
}
