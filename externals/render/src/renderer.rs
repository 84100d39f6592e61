//! What every renderer can do.

use std::fmt;

use tags::Library;
use view::{BulkSource, Picture, PictureSettings};

use crate::limits::PICTURE_SIDE_MAX;
use crate::text::Text;

/// Draws pictures.
pub trait Renderer {
    /// Draws a picture. Content that is not there yet is drawn as a default and requested from `bulk`; this never waits for
    /// it.
    fn draw(&mut self, picture: &Picture<'_>, content: &Library, bulk: &dyn BulkSource) -> Result<(), RenderError>;

    /// What the player prefers from now on: quality, resolution, brightness and colours.
    fn set_settings(&mut self, settings: PictureSettings);

    /// The pixels of the last picture. A renderer for a graphics processor waits for it.
    fn read_pixels(&mut self) -> Result<Pixels, RenderError>;

    /// The time that each pass of a recent picture took, in the order of the passes.
    fn pass_times(&self) -> &[PassTime];

    /// The number of resources of the last picture that were drawn as defaults because they are still being loaded. A
    /// screenshot is complete when it is zero.
    fn loading(&self) -> usize;

    /// What was found to be missing or broken since the last call: each tag once per version.
    fn take_reports(&mut self) -> Vec<String>;

    /// The text it draws, by which interfaces are measured.
    fn text(&mut self) -> &mut Text;
}

/// A picture as bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pixels {
    /// Its width and height.
    pub size: [u32; 2],
    /// Four bytes for each pixel, red, green, blue and opacity in sRGB, the rows from top to bottom.
    pub bytes: Vec<u8>,
}

/// The time that a pass took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassTime {
    /// The name of the pass.
    pub name: &'static str,
    /// The time.
    pub milliseconds: f32,
}

/// Why a picture was not drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenderError {
    /// A side of the picture is zero or larger than [`PICTURE_SIDE_MAX`].
    Size {
        /// Its width and height.
        size: [u32; 2],
    },
    /// No picture has been drawn yet.
    NoPicture,
    /// No graphics device can be used.
    NoDevice {
        /// What the system says.
        why: String,
    },
    /// The graphics device failed, and has to be opened again.
    DeviceLost {
        /// What the system says.
        why: String,
    },
}

impl Pixels {
    /// Red, green, blue and opacity of a pixel; none outside.
    pub fn at(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        let [width, height] = self.size;
        let at = (x < width && y < height).then_some(y as usize * width as usize + x as usize)?;
        self.bytes.as_chunks::<4>().0.get(at).copied()
    }

    /// A hash of its size and its bytes.
    pub fn hash(&self) -> u64 {
        base::hash::mix(base::hash::hash(&self.bytes), u64::from(self.size[0]) << 32 | u64::from(self.size[1]))
    }
}

/// Whether a picture of this size can be drawn.
pub fn check_size(size: [u32; 2]) -> Result<(), RenderError> {
    let is_sound = size.iter().all(|side| (1..=PICTURE_SIDE_MAX).contains(side));
    if is_sound { Ok(()) } else { Err(RenderError::Size { size }) }
}

impl fmt::Display for RenderError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RenderError::Size { size: [width, height] } => {
                write!(
                    formatter,
                    "a picture of {width} × {height} pixels: each side must be from 1 to {PICTURE_SIDE_MAX}"
                )
            }
            RenderError::NoPicture => write!(formatter, "no picture has been drawn yet"),
            RenderError::NoDevice { why } => write!(formatter, "no graphics device: {why}"),
            RenderError::DeviceLost { why } => write!(formatter, "the graphics device was lost: {why}"),
        }
    }
}

impl std::error::Error for RenderError {}
