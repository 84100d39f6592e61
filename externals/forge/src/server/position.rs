//! Places as an editor counts them: lines from zero, and within a line units of UTF-16 or, where it is offered, bytes.
//!
//! Laws
//! 1. Lines end with `\n`, `\r\n` or `\r`, and with nothing else.
//! 2. Every place means a byte between two characters: beyond a line it means its end, beyond the text the text's end, and
//!    within a character the character's start.
//! 3. A byte's place means that byte again.

use lsp_types::{Position, PositionEncodingKind, Range};
use script::source::Span;

/// How an editor counts within a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// In bytes.
    Utf8,
    /// In units of UTF-16: what every editor understands.
    #[default]
    Utf16,
}

impl Encoding {
    /// Bytes if they are offered, for they cost nothing to count.
    pub fn choose(offered: &[PositionEncodingKind]) -> Encoding {
        if offered.contains(&PositionEncodingKind::UTF8) { Encoding::Utf8 } else { Encoding::Utf16 }
    }

    /// How the protocol calls it.
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    /// How many units a text has.
    fn units(self, text: &str) -> usize {
        match self {
            Encoding::Utf8 => text.len(),
            Encoding::Utf16 => text.encode_utf16().count(),
        }
    }

    /// The byte of a line that so many units mean.
    fn byte(self, line: &str, units: usize) -> usize {
        match self {
            Encoding::Utf8 => {
                let mut byte = units.min(line.len());
                while !line.is_char_boundary(byte) {
                    byte -= 1;
                }
                byte
            }
            Encoding::Utf16 => {
                let mut passed = 0;
                for (byte, letter) in line.char_indices() {
                    passed += letter.len_utf16();
                    if passed > units {
                        return byte;
                    }
                }
                line.len()
            }
        }
    }
}

/// Where the lines of a text start.
#[derive(Clone, Debug)]
pub struct LineTable {
    starts: Vec<usize>,
    encoding: Encoding,
}

impl LineTable {
    /// The lines of a text.
    pub fn of(text: &str, encoding: Encoding) -> LineTable {
        let bytes = text.as_bytes();
        let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        LineTable { starts: std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect(), encoding }
    }

    /// The byte a place means.
    pub fn byte(&self, text: &str, position: Position) -> usize {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line).copied() else { return text.len() };
        start + self.encoding.byte(self.line(text, line), position.character as usize)
    }

    /// The place of a byte; of one within a character, the character's.
    pub fn position(&self, text: &str, byte: usize) -> Position {
        let mut byte = byte.min(text.len());
        while !text.is_char_boundary(byte) {
            byte -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= byte).saturating_sub(1);
        let before = text.get(self.starts[line]..byte).unwrap_or("");
        Position { line: small(line), character: small(self.encoding.units(before)) }
    }

    /// The places of a span.
    pub fn range(&self, text: &str, span: Span) -> Range {
        let (start, end) = (span.start as usize, span.end.max(span.start) as usize);
        Range { start: self.position(text, start), end: self.position(text, end) }
    }

    /// From the first place of a text to its last.
    pub fn whole(&self, text: &str) -> Range {
        Range { start: Position::default(), end: self.position(text, text.len()) }
    }

    /// A line without its end.
    fn line<'a>(&self, text: &'a str, line: usize) -> &'a str {
        let start = self.starts.get(line).copied().unwrap_or(text.len());
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        text.get(start..end).unwrap_or("").trim_end_matches(['\n', '\r'])
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn wide_characters_count_as_an_editor_counts_them() {
        let text = "a\u{1F600}ü\r\nb\rc\n";
        let (short, wide) = (LineTable::of(text, Encoding::Utf8), LineTable::of(text, Encoding::Utf16));
        for (byte, in_bytes, in_units) in [
            (0, at(0, 0), at(0, 0)),
            (1, at(0, 1), at(0, 1)),
            (5, at(0, 5), at(0, 3)),
            (7, at(0, 7), at(0, 4)),
            (9, at(1, 0), at(1, 0)),
            (11, at(2, 0), at(2, 0)),
            (13, at(3, 0), at(3, 0)),
        ] {
            assert_eq!((short.position(text, byte), wide.position(text, byte)), (in_bytes, in_units), "{byte}");
            assert_eq!((short.byte(text, in_bytes), wide.byte(text, in_units)), (byte, byte));
        }
    }

    #[test]
    fn places_that_are_not_there_mean_the_nearest_before() {
        let text = "a\u{1F600}b\r\ncd";
        let wide = LineTable::of(text, Encoding::Utf16);
        assert_eq!(wide.byte(text, at(0, 2)), 1, "within a character");
        assert_eq!(wide.byte(text, at(0, 99)), 6, "beyond a line");
        assert_eq!(wide.byte(text, at(99, 0)), text.len(), "beyond the text");
        assert_eq!(LineTable::of(text, Encoding::Utf8).byte(text, at(0, 3)), 1);
    }

    proptest! {
        #[test]
        fn every_byte_has_a_place_that_means_it(text in "[a-zü😀\r\n]{0,40}") {
            for encoding in [Encoding::Utf8, Encoding::Utf16] {
                let lines = LineTable::of(&text, encoding);
                for (byte, letter) in text.char_indices() {
                    let is_inner = letter == '\n' && text[..byte].ends_with('\r');
                    if !is_inner {
                        prop_assert_eq!(lines.byte(&text, lines.position(&text, byte)), byte);
                    }
                }
                prop_assert_eq!(lines.byte(&text, lines.position(&text, text.len())), text.len());
            }
        }

        #[test]
        fn any_place_means_a_boundary(text in "\\PC{0,40}", line in 0_u32..9, character: u32) {
            for encoding in [Encoding::Utf8, Encoding::Utf16] {
                let byte = LineTable::of(&text, encoding).byte(&text, at(line, character));
                prop_assert!(text.is_char_boundary(byte));
            }
        }
    }
}
