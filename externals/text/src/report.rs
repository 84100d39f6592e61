//! Reports about texts: what is wrong, where, and what to do.

use std::fmt;

/// The severity of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It can be read, but perhaps not as intended.
    Warning,
    /// It cannot be read; another language or the id is used instead.
    Error,
}

/// One error or warning.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Report {
    /// The file, as it was named; empty if there is none.
    pub file: String,
    /// The line, from one; zero if there is none.
    pub line: u32,
    /// The column in characters, from one; zero if there is none.
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
    /// The place of a byte of a text. A byte beyond the end, or within a letter, counts as the end or that letter.
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
    fn a_report_has_place_message_and_help() {
        let place = Place::of("de/ship.ftl", "a\nbc", 3);
        assert_eq!(
            Report::error(&place, "it is wrong", "fix it").to_string(),
            "de/ship.ftl:2:2: error: it is wrong\n  = fix it"
        );
        assert_eq!(Report::warning(&Place::default(), "no file", "").to_string(), "warning: no file");
    }
}
