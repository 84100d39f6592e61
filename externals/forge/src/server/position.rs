//! Positions of the protocol: lines from zero, and columns in UTF-16 code units or, if negotiated, bytes.
//!
//! Laws
//! 1. Lines end with `
//! `, `\r
//! ` or `\r`, and nothing else.
//! 2. Every position maps to a character boundary: beyond a line to its end, beyond the text to its end, and within a
//!    character to its start.
//! 3. The position of a byte maps back to that byte.

use lsp_types::{Position, PositionEncodingKind, Range};
use script::source::Span;

/// The position encoding of a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// In bytes.
    Utf8,
    /// UTF-16 code units: supported by every client.
    #[default]
    Utf16,
}

impl Encoding {
    /// Bytes if the client supports them, since they need no conversion.
    pub fn choose(offered: &[PositionEncodingKind]) -> Encoding {
        if offered.contains(&PositionEncodingKind::UTF8) { Encoding::Utf8 } else { Encoding::Utf16 }
    }

    /// Its name in the protocol.
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    /// The length of a text in units.
    fn units(self, text: &str) -> usize {
        match self {
            Encoding::Utf8 => text.len(),
            Encoding::Utf16 => text.encode_utf16().count(),
        }
    }

    /// The byte of a line at this many units.
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

/// The starts of the lines of a text.
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

    /// Follows a change: the bytes `start..end` of the text before became the next `length` bytes of `text`. Costs the lines after it.
    pub fn follow(&mut self, text: &str, start: usize, end: usize, length: usize) {
        // The byte before the change may have been the `\r` of a line end that now goes on, or no longer does.
        let first = self.starts.partition_point(|line| *line < start.max(1));
        let last = self.starts.partition_point(|line| *line <= end).max(first);
        let from = start.saturating_sub(1);
        let bytes = text.as_bytes();
        let found = bytes[from..start + length].iter().enumerate().filter_map(|(index, byte)| {
            let next = from + index + 1;
            let is_end = *byte == b'\n' || *byte == b'\r' && bytes.get(next) != Some(&b'\n');
            is_end.then_some(next)
        });
        let found: Vec<usize> = found.collect();
        for line in &mut self.starts[last..] {
            *line = *line - end + start + length;
        }
        self.starts.splice(first..last, found);
    }

    /// The byte of a position.
    pub fn byte(&self, text: &str, position: Position) -> usize {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line).copied() else { return text.len() };
        start + self.encoding.byte(self.line(text, line), position.character as usize)
    }

    /// The position of a byte; within a character, of its start.
    pub fn position(&self, text: &str, byte: usize) -> Position {
        let mut byte = byte.min(text.len());
        while !text.is_char_boundary(byte) {
            byte -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= byte).saturating_sub(1);
        let before = text.get(self.starts[line]..byte).unwrap_or("");
        Position { line: small(line), character: small(self.encoding.units(before)) }
    }

    /// The range of a span.
    pub fn range(&self, text: &str, span: Span) -> Range {
        let (start, end) = (span.start as usize, span.end.max(span.start) as usize);
        Range { start: self.position(text, start), end: self.position(text, end) }
    }

    /// The range of a whole text.
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
    fn invalid_positions_map_to_the_nearest_before() {
        let text = "a\u{1F600}b\r\ncd";
        let wide = LineTable::of(text, Encoding::Utf16);
        assert_eq!(wide.byte(text, at(0, 2)), 1, "within a character");
        assert_eq!(wide.byte(text, at(0, 99)), 6, "beyond a line");
        assert_eq!(wide.byte(text, at(99, 0)), text.len(), "beyond the text");
        assert_eq!(LineTable::of(text, Encoding::Utf8).byte(text, at(0, 3)), 1);
    }

    proptest! {
        #[test]
        fn a_table_that_follows_changes_is_that_of_the_new_text(
            text in "[ab\r\n]{0,20}", edits in prop::collection::vec((0_usize..30, 0_usize..30, "[ab\r\n]{0,5}"), 0..6),
        ) {
            let mut text = text;
            let mut lines = LineTable::of(&text, Encoding::Utf8);
            for (one, other, new) in edits {
                let (start, end) = (one.min(other).min(text.len()), one.max(other).min(text.len()));
                text.replace_range(start..end, &new);
                lines.follow(&text, start, end, new.len());
                prop_assert_eq!(&lines.starts, &LineTable::of(&text, Encoding::Utf8).starts);
            }
        }
    }

    proptest! {
        #[test]
        fn bytes_and_positions_round_trip(text in "[a-zü😀\r\n]{0,40}") {
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
        fn any_position_maps_to_a_character_boundary(text in "\\PC{0,40}", line in 0_u32..9, character: u32) {
            for encoding in [Encoding::Utf8, Encoding::Utf16] {
                let byte = LineTable::of(&text, encoding).byte(&text, at(line, character));
                prop_assert!(text.is_char_boundary(byte));
            }
        }
    }
}
