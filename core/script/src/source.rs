//! Spans of a source in bytes, and their lines and columns for people.

use alloc::vec::Vec;
use core::ops::Range;

/// The largest source, in bytes. Offsets fit 32 bits without overflow in sums.
pub const SOURCE_BYTES_MAX: usize = 1 << 30;

/// A half-open range of bytes of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// Its first byte.
    pub start: u32,
    /// The byte after its last.
    pub end: u32,
}

impl Span {
    /// From one byte up to another.
    pub const fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// From the start of this one to the end of another.
    pub const fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end }
    }

    /// As a range of indices.
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Its text.
    pub fn text(self, source: &str) -> &str {
        source.get(self.range()).unwrap_or("")
    }
}

/// A line and a column, both counted from one; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// Where the lines of a source start.
#[derive(Clone, Debug)]
pub struct Lines {
    starts: Vec<u32>,
}

impl Lines {
    /// The lines of a source.
    pub fn of(source: &str) -> Lines {
        let after = source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(index, _)| index as u32 + 1);
        Lines { starts: core::iter::once(0).chain(after).collect() }
    }

    /// Where each line starts.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// The line and column of a byte.
    pub fn place(&self, source: &str, byte: u32) -> Place {
        let line = self.starts.partition_point(|start| *start <= byte).max(1) - 1;
        let before = source.get(self.starts[line] as usize..byte as usize).unwrap_or("");
        Place { line: line as u32 + 1, column: before.chars().count() as u32 + 1 }
    }

    /// The text of a line, counted from one, without its end.
    pub fn text<'a>(&self, source: &'a str, line: u32) -> &'a str {
        let index = line.saturating_sub(1) as usize;
        let start = self.starts.get(index).copied().unwrap_or(source.len() as u32) as usize;
        let end = self.starts.get(index + 1).map_or(source.len(), |next| *next as usize);
        source.get(start..end).unwrap_or("").trim_end_matches(['\n', '\r'])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let source = "ab\nüx\n";
        let lines = Lines::of(source);
        let place = |byte| {
            let Place { line, column } = lines.place(source, byte);
            (line, column)
        };
        assert_eq!([place(0), place(2), place(3), place(5), place(7)], [(1, 1), (1, 3), (2, 1), (2, 2), (3, 1)]);
        assert_eq!(lines.text(source, 2), "üx");
        assert_eq!(lines.text(source, 3), "");
        assert_eq!(lines.text(source, 9), "");
    }
}
