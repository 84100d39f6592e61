//! Text: shaped with parley, rasterised with swash into one atlas that both renderers draw from.
//!
//! Laws
//! 1. Any text gives a layout: characters that no font has are boxes, control characters are spaces, and what is beyond
//!    [`TEXT_BYTES_MAX`] is left out.
//! 2. Layouts, glyphs and fonts are bounded by [`crate::limits`]. An atlas that is full is emptied with the next picture.
//! 3. Glyphs lie at quarters of a physical pixel along the line, and their baselines at whole ones.
//! 4. Only the embedded font and the fonts of tags are used, never those of the system: a text looks the same everywhere.

mod atlas;
mod fonts;
mod layout;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use base::Vec2;
use tags::Library;
use view::{BulkSource, Rect, TextMeasure, TextStyle};

use crate::limits::TEXT_BYTES_MAX;
use crate::reports::Reports;

pub use atlas::{AtlasGlyph, GlyphAtlas, GlyphKey};
use fonts::Fonts;
use layout::Layouts;
pub use layout::{LaidGlyph, TextLayout};

/// Lays out and rasterises text.
pub struct Text {
    fonts: Fonts,
    layouts: Layouts,
    atlas: GlyphAtlas,
    reports: Reports,
}

/// A glyph of the atlas at its place in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlyphQuad {
    /// The left edge, in physical pixels.
    pub left: i32,
    /// The top edge, in physical pixels.
    pub top: i32,
    /// Where it lies in the atlas, and its size.
    pub glyph: AtlasGlyph,
}

impl Text {
    /// With the embedded font alone.
    pub fn new() -> Text {
        Text { fonts: Fonts::new(), layouts: Layouts::new(), atlas: GlyphAtlas::new(), reports: Reports::default() }
    }

    /// Call before each picture: takes the fonts that were asked for from the content, and empties an atlas that has become
    /// full. Layouts are made again when a font has arrived or changed.
    pub fn update(&mut self, content: &Library, bulk: &dyn BulkSource) {
        if self.fonts.update(content, bulk, &mut self.reports) {
            self.layouts.clear();
        }
        self.atlas.begin_picture();
    }

    /// The layout of a text that is broken at a width; from the cache if it was asked for lately.
    pub fn layout(&mut self, text: &str, style: &TextStyle, width: f32) -> Arc<TextLayout> {
        let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
        self.layouts.get(text, style, width, &mut self.fonts, &mut self.reports)
    }

    /// Adds the glyphs of a text within a rectangle in logical pixels, of which `scale` physical pixels make one.
    pub fn place(&mut self, text: &str, style: &TextStyle, rect: Rect, scale: f32, out: &mut Vec<GlyphQuad>) {
        let layout = self.layout(text, style, rect.max.x - rect.min.x);
        let scale = if scale.is_finite() { base::number::clamp(scale, 0.125, 16.0) } else { 1.0 };
        for glyph in &layout.glyphs {
            let x = (rect.min.x + glyph.x) * scale;
            let y = base::number::round((rect.min.y + glyph.y) * scale);
            // Beyond these, nothing is on a picture.
            if !(-1e6..1e6).contains(&x) || !(-1e6..1e6).contains(&y) {
                continue;
            }
            let quarters = base::number::floor(x * 4.0 + 0.5) as i32;
            let key = GlyphKey::new(glyph.font, glyph.id, glyph.size * scale, quarters.rem_euclid(4) as u8);
            let Some(found) = self.atlas.glyph(key, &self.fonts, &mut self.reports) else { continue };
            if found.width > 0 {
                let left = quarters.div_euclid(4) + i32::from(found.left);
                out.push(GlyphQuad { left, top: y as i32 - i32::from(found.top), glyph: found });
            }
        }
    }

    /// The atlas, for the renderer that draws it.
    pub fn atlas(&self) -> &GlyphAtlas {
        &self.atlas
    }

    /// What was found to be missing or broken since the last call.
    pub fn take_reports(&mut self) -> Vec<String> {
        self.reports.take()
    }
}

impl Default for Text {
    fn default() -> Text {
        Text::new()
    }
}

impl TextMeasure for Text {
    fn measure(&mut self, text: &str, style: &TextStyle, width: f32) -> Vec2 {
        self.layout(text, style, width).size
    }

    fn caret(&mut self, text: &str, style: &TextStyle, width: f32, byte: usize) -> (Vec2, f32) {
        self.layout(text, style, width).caret(byte)
    }

    fn byte_at(&mut self, text: &str, style: &TextStyle, width: f32, point: Vec2) -> usize {
        text.floor_char_boundary(self.layout(text, style, width).byte_at(point))
    }
}
