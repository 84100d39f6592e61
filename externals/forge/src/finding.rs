//! Findings: errors and warnings about files of a tree.

use script::report::{Report, Severity};
use script::source::{Lines, Place, Span};

/// An error or warning about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its severity.
    pub severity: Severity,
    /// The file, as it is shown to people.
    pub file: String,
    /// Line and column, if there are any.
    pub place: Option<Place>,
    /// What was expected and what was found.
    pub message: String,
    /// What to do; may be empty.
    pub help: String,
    /// The whole finding as it is printed, with an excerpt of the source; ends with a line end.
    pub rendered: String,
}

impl Finding {
    /// A finding about a whole file.
    pub fn about(severity: Severity, file: &str, message: impl Into<String>, help: impl Into<String>) -> Finding {
        let (message, help) = (message.into(), help.into());
        let kind = word(severity);
        let advice = if help.is_empty() { String::new() } else { format!(" = {help}\n") };
        let rendered = format!("{file}: {kind}: {message}\n{advice}");
        Finding { severity, file: file.to_string(), place: None, message, help, rendered }
    }

    /// An error about a whole file.
    pub fn error(file: &str, message: impl Into<String>, help: impl Into<String>) -> Finding {
        Finding::about(Severity::Error, file, message, help)
    }

    /// A warning about a whole file.
    pub fn warning(file: &str, message: impl Into<String>, help: impl Into<String>) -> Finding {
        Finding::about(Severity::Warning, file, message, help)
    }

    /// The reports about a source.
    pub fn of_reports(file: &str, source: &str, reports: &[Report]) -> Vec<Finding> {
        if reports.is_empty() {
            return Vec::new();
        }
        let lines = Lines::of(source);
        reports.iter().map(|report| Finding::of_report(file, source, &lines, report)).collect()
    }

    /// One report about a source.
    pub fn of_report(file: &str, source: &str, lines: &Lines, report: &Report) -> Finding {
        Finding {
            severity: report.severity,
            file: file.to_string(),
            place: Some(lines.place(source, report.span.start)),
            message: report.message.clone(),
            help: report.help.clone(),
            rendered: report.render(file, source, lines),
        }
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// "error" or "warning".
    pub fn word(&self) -> &'static str {
        word(self.severity)
    }
}

/// The span of the token at a byte: a text in quotes, a name, a number.
pub fn span_at(source: &str, byte: u32) -> Span {
    let rest = source.get(byte as usize..).unwrap_or("");
    let length = match rest.strip_prefix('"') {
        Some(inner) => inner.find(['"', '\n']).map_or(rest.len(), |end| end + 2),
        None => rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len()),
    };
    let end = (byte as usize).saturating_add(length.min(rest.len()));
    Span::new(byte, u32::try_from(end).unwrap_or(u32::MAX))
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_at_a_byte_is_found_in_any_text() {
        let source = "!set a \"b/c.d\" // ü";
        let at = |byte| span_at(source, byte).text(source);
        assert_eq!([at(7), at(1), at(18), at(100), at(19)], ["\"b/c.d\"", "set", "ü", "", ""]);
        assert_eq!(span_at("\"never", 0).text("\"never"), "\"never");
    }

    #[test]
    fn a_finding_about_a_file_has_no_line() {
        let finding = Finding::error("a.ship", "it is a folder", "rename it");
        assert_eq!(finding.rendered, "a.ship: error: it is a folder\n = rename it\n");
        assert_eq!((finding.place, finding.word()), (None, "error"));
    }
}
