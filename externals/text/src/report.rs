//! What is wrong with texts, where, and what to do about it.

use std::fmt;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It reads, but perhaps not as meant.
    Warning,
    /// It does not read; another language or the id takes its place.
    Error,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Report {
    /// The file, as it was named; empty if it is about none.
    pub file: String,
    /// The line, from one; zero if it is about no line.
    pub line: u32,
    /// The column, from one, in characters; zero if it is about no line.
    pub column: u32,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to do; may be empty.
    pub help: String,
}

impl Report {
    pub(crate) fn error(place: &Place, message: impl Into<String>, help: impl Into<String>) -> Report {
        let Place { file, line, column } = place.clone();
        Report { file, line, column, severity: Severity::Error, message: message.into(), help: help.into() }
    }

    pub(crate) fn warning(place: &Place, message: impl Into<String>, help: impl Into<String>) -> Report {
        Report { severity: Severity::Warning, ..Report::error(place, message, help) }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(formatter, "{}:", self.file)?;
        }
        if self.line > 0 {
            write!(formatter, "{}:{}:", self.line, self.column)?;
        }
        if !self.file.is_empty() || self.line > 0 {
            write!(formatter, " ")?;
        }
        let kind = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(formatter, "{kind}: {}", self.message)?;
        if self.help.is_empty() { Ok(()) } else { write!(formatter, "\n  = {}", self.help) }
    }
}

/// A place in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl Place {
    /// The place of a byte of a text. A byte beyond the end, or within a letter, counts as the letter's or the end.
    pub fn of(file: &str, text: &str, byte: usize) -> Place {
        let before = text.get(..text.floor_char_boundary(byte)).unwrap_or(text);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() as u32 + 1;
        let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) as u32 + 1;
        Place { file: file.to_owned(), line, column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_letters_from_one() {
        let check = |text: &str, byte: usize, line: u32, column: u32| {
            assert_eq!(Place::of("", text, byte), Place { file: String::new(), line, column }, "{text:?} {byte}");
        };
        check("", 0, 1, 1);
        check("", 9, 1, 1);
        check("ab\nc", 3, 2, 1);
        check("ä=b", 2, 1, 2);
        check("ä=b", 1, 1, 1);
        check("a\n", 2, 2, 1);
    }

    #[test]
    fn a_report_says_where_what_and_what_to_do() {
        let place = Place::of("de/ship.ftl", "a\nbc", 3);
        assert_eq!(
            Report::error(&place, "it is wrong", "fix it").to_string(),
            "de/ship.ftl:2:2: error: it is wrong\n  = fix it"
        );
        assert_eq!(Report::warning(&Place::default(), "no file", "").to_string(), "warning: no file");
    }
}
