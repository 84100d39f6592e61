//! Layouts: where each glyph of a text lies. The ones asked for lately are kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::hash::hash;
use base::{StringId, Vec2};
use parley::editing::Cursor;
use parley::layout::{Affinity, Alignment, AlignmentOptions, PositionedLayoutItem};
use parley::style::{FontFamily, FontFamilyName, OverflowWrap, StyleProperty};
use parley::{Layout, LayoutContext};
use view::TextStyle;

use crate::limits::{LAYOUT_TEXT_BYTES_MAX, LAYOUTS_MAX, TEXT_SIZE_MAX};
use crate::reports::Reports;
use crate::text::fonts::Fonts;

/// A text that was laid out, in logical pixels from its top left corner.
pub struct TextLayout {
    /// Its width and height.
    pub size: Vec2,
    /// Its glyphs.
    pub glyphs: Vec<LaidGlyph>,
    layout: Layout<()>,
    /// Added to all horizontal positions, for the alignment of lines that are not broken.
    shift: f32,
    text: Box<str>,
}

/// A glyph at its place in a layout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaidGlyph {
    /// The number of its font.
    pub font: u16,
    /// The number of the glyph in the font; 0: a box.
    pub id: u16,
    /// The size of the font, in logical pixels per em.
    pub size: f32,
    /// The x of its origin.
    pub x: f32,
    /// The y of its baseline.
    pub y: f32,
}

/// The layouts that are kept, in two generations: when the younger is full, it replaces the older.
pub struct Layouts {
    context: LayoutContext<()>,
    young: BTreeMap<LayoutKey, Arc<TextLayout>>,
    old: BTreeMap<LayoutKey, Arc<TextLayout>>,
    young_bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LayoutKey {
    text: u64,
    bytes: usize,
    font: StringId,
    /// The bits of size, width and alignment.
    numbers: [u32; 3],
    wraps: bool,
}

impl Layouts {
    pub fn new() -> Layouts {
        Layouts { context: LayoutContext::new(), young: BTreeMap::new(), old: BTreeMap::new(), young_bytes: 0 }
    }

    pub fn clear(&mut self) {
        self.young.clear();
        self.old.clear();
        self.young_bytes = 0;
    }

    pub fn get(
        &mut self,
        text: &str,
        style: &TextStyle,
        width: f32,
        fonts: &mut Fonts,
        reports: &mut Reports,
    ) -> Arc<TextLayout> {
        let style = sound(style);
        let width = if width.is_nan() { f32::INFINITY } else { base::number::max(width, 0.0) };
        let key = LayoutKey {
            text: hash(text.as_bytes()),
            bytes: text.len(),
            font: style.font,
            numbers: [style.size, width, style.align].map(f32::to_bits),
            wraps: style.wraps,
        };
        let known = self.young.get(&key).or_else(|| self.old.get(&key)).filter(|known| *known.text == *text);
        let layout = match known {
            Some(known) => Arc::clone(known),
            None => Arc::new(self.make(text, &style, width, fonts, reports)),
        };
        if self.young.insert(key, Arc::clone(&layout)).is_none() {
            self.young_bytes += text.len();
        }
        if self.young.len() > LAYOUTS_MAX || self.young_bytes > LAYOUT_TEXT_BYTES_MAX {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        layout
    }

    fn make(
        &mut self,
        text: &str,
        style: &TextStyle,
        width: f32,
        fonts: &mut Fonts,
        reports: &mut Reports,
    ) -> TextLayout {
        let shown = without_controls(text);
        let (names, factor) = fonts.families(style.font);
        let families: Vec<FontFamilyName<'_>> = names.iter().map(|name| FontFamilyName::named(name)).collect();
        let mut builder = self.context.ranged_builder(&mut fonts.context, &shown, 1.0, false);
        builder.push_default(StyleProperty::FontFamily(FontFamily::List(families.into())));
        builder.push_default(StyleProperty::FontSize(style.size * factor));
        builder.push_default(StyleProperty::OverflowWrap(OverflowWrap::Anywhere));
        let mut layout: Layout<()> = builder.build(&shown);
        layout.break_all_lines((style.wraps && width.is_finite()).then_some(width));
        let alignment = match style.align {
            ..0.25 => Alignment::Left,
            ..0.75 => Alignment::Center,
            _ => Alignment::Right,
        };
        layout.align(alignment, AlignmentOptions::default());
        let is_free = width.is_finite() && !style.wraps;
        let shift = if is_free { (width - layout.width()) * style.align } else { 0.0 };
        let mut glyphs = Vec::new();
        for line in layout.lines() {
            for item in line.items() {
                let PositionedLayoutItem::GlyphRun(run) = item else { continue };
                let Some(font) = fonts.number(run.run().font()) else { continue };
                let size = run.run().font_size();
                for glyph in run.positioned_glyphs() {
                    if glyph.id == 0 {
                        reports.general("missing glyph", || {
                            let start: String = text.chars().take(40).collect();
                            format!("the text {start:?} has characters that no font has: they are drawn as boxes")
                        });
                    }
                    let id = u16::try_from(glyph.id).unwrap_or(0);
                    glyphs.push(LaidGlyph { font, id, size, x: glyph.x + shift, y: glyph.y });
                }
            }
        }
        let size = Vec2::new(layout.width(), layout.height());
        TextLayout { size, glyphs, layout, shift, text: text.into() }
    }
}

impl TextLayout {
    /// The top of the caret before a byte, and its height.
    pub fn caret(&self, byte: usize) -> (Vec2, f32) {
        let byte = self.text.floor_char_boundary(byte);
        let place = Cursor::from_byte_index(&self.layout, byte, Affinity::Downstream).geometry(&self.layout, 1.0);
        (Vec2::new(place.x0 as f32 + self.shift, place.y0 as f32), (place.y1 - place.y0) as f32)
    }

    /// The byte of the character nearest to a point.
    pub fn byte_at(&self, point: Vec2) -> usize {
        let point = if point.is_finite() { point } else { Vec2::ZERO };
        Cursor::from_point(&self.layout, point.x - self.shift, point.y).index().min(self.text.len())
    }
}

/// A style with numbers that can be used.
fn sound(style: &TextStyle) -> TextStyle {
    let size = if style.size.is_finite() { base::number::clamp(style.size, 1.0, TEXT_SIZE_MAX) } else { 16.0 };
    let align = if style.align.is_finite() { base::number::clamp(style.align, 0.0, 1.0) } else { 0.0 };
    TextStyle { size, align, ..*style }
}

/// The text with spaces for control characters but line breaks; every character stays at its byte.
fn without_controls(text: &str) -> String {
    let shown = |character: char| match character {
        '\n' | '\r' => character,
        '\0'..' ' | '\x7f' => ' ',
        // Two bytes, as these control characters have.
        '\u{80}'..='\u{9f}' => '\u{a0}',
        _ => character,
    };
    text.chars().map(shown).collect()
}
