//! Fonts: the class of typefaces.

use base::Truth;
use tags::{Bulk, Record, Reference, Series, Tag, Text};

use crate::classes::source::SourceRecord;

/// A typeface. Its outlines and layout tables are kept as the font file has them, so that a renderer shapes text with the
/// rules of the font.
#[derive(Tag)]
#[tag(class = "font")]
#[repr(C)]
pub struct Font {
    /// The file it was imported from.
    pub source: SourceRecord,
    /// The name of its family.
    #[tag(read_only)]
    pub family: Text,
    /// The name of its style within the family: "Regular", "Bold Italic".
    #[tag(read_only)]
    pub style: Text,
    /// Its weight: 400 regular, 700 bold.
    #[tag(read_only, range(0, 1000), default = 400)]
    pub weight: u32,
    /// Whether it is italic or oblique.
    #[tag(read_only)]
    pub italic: Truth,
    /// Whether all its glyphs have the same width.
    #[tag(read_only)]
    pub monospaced: Truth,
    /// The number of font units in an em, to which all its measures refer.
    #[tag(read_only, unit = "units", range(16, 16384), default = 1000)]
    pub units_per_em: u32,
    /// The height of the line above the baseline.
    #[tag(read_only, unit = "units")]
    pub ascent: i32,
    /// The depth of the line below the baseline, negative.
    #[tag(read_only, unit = "units")]
    pub descent: i32,
    /// The space between two lines.
    #[tag(read_only, unit = "units")]
    pub line_gap: i32,
    /// The height of its capital letters; 0 if the font does not say.
    #[tag(read_only, unit = "units")]
    pub capital_height: i32,
    /// The height of its lower case letters without ascenders; 0 if the font does not say.
    #[tag(read_only, unit = "units")]
    pub x_height: i32,
    /// The number of its glyphs.
    #[tag(read_only, range(0, 65535))]
    pub glyphs: u32,
    /// The Unicode characters it has, as ranges in ascending order.
    #[tag(read_only)]
    pub coverage: Series<CoverageRange>,
    /// The part of the bulk data that has the font file.
    #[tag(read_only)]
    pub part: u32,
    /// The font file.
    #[tag(read_only)]
    pub data: Bulk,
    /// The fonts that are asked, in this order, for characters that it does not have.
    pub fallbacks: Series<Reference<Font>>,
    /// The factor by which it is scaled, so that fonts used together have the same apparent size.
    #[tag(range(0.1, 10), step = 0.01, default = 1)]
    pub scale: f32,
}

/// A range of Unicode characters.
#[derive(Record)]
#[repr(C)]
pub struct CoverageRange {
    /// The code point of its first character.
    #[tag(key)]
    pub first: u32,
    /// The code point of its last character.
    pub last: u32,
}
