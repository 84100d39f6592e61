//! Reports: an error or a warning about a source, with its place and a remedy.

use alloc::format;
use alloc::string::String;
use core::fmt::Write;

use crate::source::{Lines, Span};

/// The most characters of a source line that a report shows.
const SHOWN_MAX: usize = 240;

/// The severity of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The source works, but probably not as intended.
    Warning,
    /// The source does not work; a default is used instead.
    Error,
}

/// One error or warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Its severity.
    pub severity: Severity,
    /// Its place in the source.
    pub span: Span,
    /// What was expected and what was found.
    pub message: String,
    /// The remedy; may be empty.
    pub help: String,
}

impl Report {
    /// An error.
    pub fn error(span: Span, message: impl Into<String>) -> Report {
        Report { severity: Severity::Error, span, message: message.into(), help: String::new() }
    }

    /// A warning.
    pub fn warning(span: Span, message: impl Into<String>) -> Report {
        Report { severity: Severity::Warning, span, message: message.into(), help: String::new() }
    }

    /// The same report with a remedy.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Report {
        self.help = help.into();
        self
    }

    /// The report for people: file, line and column, the line itself, a marker under the place, and the remedy.
    pub fn render(&self, name: &str, source: &str, lines: &Lines) -> String {
        let place = lines.place(source, self.span.start);
        let kind = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let text = lines.text(source, place.line);
        let number = format!("{}", place.line);
        let gutter = " ".repeat(number.len());
        let column = place.column as usize - 1;
        let is_long = text.chars().nth(SHOWN_MAX).is_some();
        let from = if is_long { column.saturating_sub(SHOWN_MAX / 2) } else { 0 };
        let mut shown: String = text.chars().skip(from).take(SHOWN_MAX).map(visible).collect();
        let is_cut = text.chars().nth(from + SHOWN_MAX).is_some();
        let left = shown.chars().count().saturating_sub(column - from).max(1);
        let wanted = self.span.text(source).lines().next().unwrap_or("").chars().take(SHOWN_MAX).count();
        let mut pointer = format!("{}{}", " ".repeat(column - from), "^".repeat(wanted.clamp(1, left)));
        if from > 0 {
            (shown, pointer) = (format!("…{shown}"), format!(" {pointer}"));
        }
        if is_cut {
            shown.push('…');
        }
        let message: String = self.message.chars().map(visible).collect();
        let mut out = format!("{name}:{}:{}: {kind}: {message}\n", place.line, place.column);
        let _ = write!(out, "{gutter} |\n{number} | {shown}\n{gutter} | {pointer}\n");
        if !self.help.is_empty() {
            let help: String = self.help.chars().map(visible).collect();
            let _ = writeln!(out, "{gutter} = {help}");
        }
        out
    }
}

/// A character as it is shown: control and bidirectional characters, which would garble a terminal, are replaced.
fn visible(letter: char) -> char {
    match letter {
        '\t' => ' ',
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => '\u{fffd}',
        _ if letter.is_control() => '\u{fffd}',
        _ => letter,
    }
}

/// The candidate closest to a misspelt word by edit distance, if any is close enough.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).clamp(1, 3);
    let scored = candidates.into_iter().map(|candidate| (distance(word, candidate, limit), candidate));
    scored.filter(|(score, _)| *score <= limit).min().map(|(_, candidate)| candidate)
}

/// The optimal string alignment distance (Damerau 1964): insertions, deletions, substitutions and swaps of neighbours,
/// in any letter case. Distances above `limit` are not distinguished. The derives of tags have their own copy, since a
/// procedural macro cannot use this crate without building it twice.
fn distance(left: &str, right: &str, limit: usize) -> usize {
    const LONGEST: usize = 64;
    if left.eq_ignore_ascii_case(right) {
        return 0;
    }
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len().abs_diff(right.len()) > limit || left.len() > LONGEST || right.len() > LONGEST {
        return limit + 1;
    }
    let mut rows = [[0_usize; LONGEST + 1]; 3];
    for (column, cell) in rows[1].iter_mut().enumerate() {
        *cell = column;
    }
    for (row, letter) in left.iter().enumerate() {
        let [before, above, current] = &mut rows;
        current[0] = row + 1;
        for (column, other) in right.iter().enumerate() {
            let exchange = above[column] + usize::from(!letter.eq_ignore_ascii_case(other));
            let mut best = exchange.min(above[column + 1] + 1).min(current[column] + 1);
            let is_swap = row > 0 && column > 0 && *letter == right[column - 1] && left[row - 1] == *other;
            if is_swap {
                best = best.min(before[column - 1] + 1);
            }
            current[column + 1] = best;
        }
        rows.rotate_left(1);
    }
    rows[1][right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_shows_the_line_and_points_at_the_place() {
        let source = "!set mass 12\n!set hull wrnog";
        let report = Report::error(Span::new(23, 28), "`wrnog` is not known").with_help("did you mean `wrong`?");
        let expected = "a.ship:2:11: error: `wrnog` is not known\n  |\n2 | !set hull wrnog\n  |           ^^^^^\n  = did you mean `wrong`?\n";
        assert_eq!(report.render("a.ship", source, &Lines::of(source)), expected);
    }

    #[test]
    fn a_report_at_the_end_of_a_file_has_a_marker() {
        let source = "!set a";
        let report = Report::error(Span::new(6, 6), "expected a value");
        assert!(report.render("a", source, &Lines::of(source)).contains("1 | !set a\n  |       ^\n"));
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let source = format!("{} wrong {}", "a".repeat(1000), "b".repeat(1000));
        let shown = Report::error(Span::new(1001, 1006), "no").render("a", &source, &Lines::of(&source));
        let expected = format!(
            "a:1:1002: error: no\n  |\n1 | …{} wrong {}…\n  | {}^^^^^\n",
            "a".repeat(119),
            "b".repeat(114),
            " ".repeat(121),
        );
        assert_eq!(shown, expected);
    }

    #[test]
    fn control_and_bidirectional_characters_are_replaced() {
        let source = "\"\u{1b}[2J\u{202e}\" + \t1";
        let shown = Report::error(Span::new(0, 1), "found `\u{1b}`").render("a", source, &Lines::of(source));
        assert_eq!(shown, "a:1:1: error: found `\u{fffd}`\n  |\n1 | \"\u{fffd}[2J\u{fffd}\" +  1\n  | ^\n");
    }

    #[test]
    fn the_closest_word_is_found_and_nonsense_is_not() {
        let words = ["CurHealth", "MaxHealth", "count", "distance"];
        assert_eq!(closest("CurHelath", words), Some("CurHealth"));
        assert_eq!(closest("maxhealth", words), Some("MaxHealth"));
        assert_eq!(closest("cuont", words), Some("count"));
        assert_eq!(closest("xyz", words), None);
        assert_eq!(closest("", words), None);
    }
}
