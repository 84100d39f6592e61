//! What is wrong with a file of the tree, for people and for tools.

use std::fmt;

use script::report::{Report, Severity};
use script::source::{Lines, Place, Span};

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagReport {
    /// Which, relative to the root.
    pub path: String,
    /// Where in it, if it has a text.
    pub place: Option<Place>,
    /// What.
    pub report: Report,
    /// All of it, as a person reads it.
    pub rendered: String,
}

impl TagReport {
    /// About a place of a text.
    #[must_use]
    pub fn in_text(path: &str, source: &str, report: Report) -> TagReport {
        let lines = Lines::of(source);
        TagReport {
            path: path.to_string(),
            place: Some(lines.place(source, report.span.start)),
            rendered: report.render(path, source, &lines),
            report,
        }
    }

    /// About a whole file.
    #[must_use]
    pub fn of_file(path: &str, message: &str, help: &str) -> TagReport {
        let report = Report::error(Span::default(), message).with_help(help);
        let help = if help.is_empty() { String::new() } else { format!("\n  = {help}") };
        TagReport { path: path.to_string(), place: None, report, rendered: format!("{path}: error: {message}{help}\n") }
    }

    /// Whether something does not work.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.report.severity == Severity::Error
    }
}

impl fmt::Display for TagReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.rendered.trim_end())
    }
}
