//! Pictures of imported media, for people: a contact sheet of a bitmap, the waveform of a sound.
//!
//! Laws
//! 1. A picture has at most [`SIDE_MAX`] × [`SIDE_MAX`] pixels; larger mip levels are shown smaller.
//! 2. What does not fit its description is a [`PictureError`], not a panic.

mod sheet;
#[cfg(test)]
mod tests;
mod waveform;

use std::error::Error;
use std::fmt;
use std::io::Cursor;

use image::{ImageFormat, RgbaImage};

pub use sheet::{SheetLevel, contact_sheet};
pub use waveform::{ShownSound, ShownTake, waveform};

/// The largest side of a picture, in pixels.
pub const SIDE_MAX: u32 = 4096;

/// The gap around what a picture shows, in pixels.
const GAP: u32 = 8;

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PictureError {
    /// There is nothing to show: no mip levels, no samples.
    Empty(&'static str),
    /// A part has not the bytes that the tag describes, or its codec refuses them.
    Part(String),
}

impl fmt::Display for PictureError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PictureError::Empty(what) => write!(formatter, "it has no {what} to show"),
            PictureError::Part(what) => {
                write!(formatter, "its bulk data does not fit the tag: {what}; import it again")
            }
        }
    }
}

impl Error for PictureError {}

/// A picture: red, green, blue and alpha as 8-bit sRGB; rows from top to bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
    /// Its pixels.
    pub pixels: Vec<[u8; 4]>,
}

impl Picture {
    /// A picture of one colour.
    #[must_use]
    pub fn filled(width: u32, height: u32, colour: [u8; 4]) -> Picture {
        Picture { width, height, pixels: vec![colour; width as usize * height as usize] }
    }

    /// The pixel at a column and a row.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 4] {
        self.pixels[y as usize * self.width as usize + x as usize]
    }

    /// Sets a pixel; outside of the picture nothing happens.
    pub fn set(&mut self, x: u32, y: u32, colour: [u8; 4]) {
        if x < self.width && y < self.height {
            self.pixels[y as usize * self.width as usize + x as usize] = colour;
        }
    }

    /// It as a PNG file.
    #[must_use]
    pub fn to_png(&self) -> Vec<u8> {
        let image = RgbaImage::from_raw(self.width, self.height, self.pixels.as_flattened().to_vec())
            .expect("a picture has as many pixels as its sides say");
        let mut file = Cursor::new(Vec::new());
        image.write_to(&mut file, ImageFormat::Png).expect("8-bit RGBA can be written to memory as PNG");
        file.into_inner()
    }
}
