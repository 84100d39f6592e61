//! A canvas: what is drawn flat over the world, in order: rectangles, images, text. The interface is drawn on one.
//!
//! Lengths are logical pixels from the top left corner; `scale` physical pixels make a logical one.

use alloc::string::String;
use alloc::vec::Vec;

use base::{StringId, Vec2};

use crate::moment::Span;

/// A colour in sRGB, and an opacity, each from 0 to 255; colours are not multiplied by opacity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rgba {
    /// Red.
    pub red: u8,
    /// Green.
    pub green: u8,
    /// Blue.
    pub blue: u8,
    /// Opacity.
    pub alpha: u8,
}

/// A rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// The top left corner.
    pub min: Vec2,
    /// The bottom right corner.
    pub max: Vec2,
}

/// One thing on a canvas. All texts lie in `Canvas::texts`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CanvasItem {
    /// A rectangle, filled and with a border; corners may be round.
    Quad {
        /// Where.
        rect: Rect,
        /// The colour that fills it.
        fill: Rgba,
        /// The colour of the border.
        border: Rgba,
        /// The width of the border, inside the rectangle.
        border_width: f32,
        /// The radius of the corners.
        radius: f32,
    },
    /// An image.
    Image {
        /// Where.
        rect: Rect,
        /// The bitmap tag.
        bitmap: StringId,
        /// The part of the bitmap that is shown, from 0 to 1.
        part: Rect,
        /// The colour by which it is multiplied.
        tint: Rgba,
    },
    /// A line.
    Line {
        /// Its start.
        from: Vec2,
        /// Its end.
        to: Vec2,
        /// Its width.
        width: f32,
        /// Its colour.
        colour: Rgba,
    },
    /// Text, broken at `width`.
    Text {
        /// The rectangle of the text: lines begin at its top left.
        rect: Rect,
        /// The bytes of the text in `Canvas::texts`.
        text: Span,
        /// How it is set.
        style: TextStyle,
        /// Its colour.
        colour: Rgba,
    },
    /// From here on, only what lies within this rectangle is drawn.
    Clip {
        /// The rectangle.
        rect: Rect,
    },
    /// The last clip ends.
    Unclip,
}

/// How text is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextStyle {
    /// The font tag; none: the default font.
    pub font: StringId,
    /// The size of the font, in logical pixels per em.
    pub size: f32,
    /// Where lines lie in the width: 0 left, 0.5 centred, 1 right.
    pub align: f32,
    /// Whether lines are broken at the width of the rectangle.
    pub wraps: bool,
}

/// What is drawn flat over the world.
#[derive(Clone, Debug, Default)]
pub struct Canvas {
    /// The size in logical pixels.
    pub size: Vec2,
    /// Physical pixels per logical pixel.
    pub scale: f32,
    /// What is drawn, in order.
    pub items: Vec<CanvasItem>,
    /// The texts of the items.
    pub texts: String,
}

/// Measures text, so that interfaces can be laid out without knowing how text is drawn.
pub trait TextMeasure {
    /// The size of a text that is broken at this width; infinite: not broken.
    fn measure(&mut self, text: &str, style: &TextStyle, width: f32) -> Vec2;

    /// The position of the caret before the character at this byte, as its top and height.
    fn caret(&mut self, text: &str, style: &TextStyle, width: f32, byte: usize) -> (Vec2, f32);

    /// The byte of the character nearest to a point.
    fn byte_at(&mut self, text: &str, style: &TextStyle, width: f32, point: Vec2) -> usize;
}

impl Canvas {
    /// Empties it, and keeps its memory.
    pub fn clear(&mut self) {
        self.items.clear();
        self.texts.clear();
    }

    /// Adds text. Text beyond four gigabytes is left out.
    pub fn text(&mut self, rect: Rect, text: &str, style: TextStyle, colour: Rgba) {
        let (Ok(first), Ok(count)) = (u32::try_from(self.texts.len()), u32::try_from(text.len())) else { return };
        self.texts.push_str(text);
        self.items.push(CanvasItem::Text { rect, text: Span { first, count }, style, colour });
    }

    /// The text of a span; empty if it lies outside.
    pub fn text_of(&self, text: Span) -> &str {
        let first = text.first as usize;
        self.texts.get(first..first.saturating_add(text.count as usize)).unwrap_or_default()
    }
}
