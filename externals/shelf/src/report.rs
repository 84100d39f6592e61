//! Reports about files of the tree, for people and for tools.

use std::fmt;

use host::walk::Walk;
use script::parse::parse;
use script::report::{Report, Severity, closest};
use script::source::{Lines, Place, Span};

use tags::packed::INHERITED;

use crate::limits::REPORTS_PER_TAG_MAX;

/// An error or warning about a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagReport {
    /// The path relative to the root.
    pub path: String,
    /// Line and column, if the file has a text.
    pub place: Option<Place>,
    /// Message, severity and help.
    pub report: Report,
    /// The whole report as it is printed.
    pub rendered: String,
}

impl TagReport {
    /// A report about a place in a text.
    #[must_use]
    pub fn in_text(path: &str, source: &str, report: Report) -> TagReport {
        TagReport::at(path, source, &Lines::of(source), report)
    }

    /// Reports about several places of a text; of very many the first ones, and the number omitted.
    #[must_use]
    pub fn all_in_text(path: &str, source: &str, reports: Vec<Report>) -> Vec<TagReport> {
        if reports.is_empty() {
            return Vec::new();
        }
        let lines = Lines::of(source);
        let left_out = reports.len().saturating_sub(REPORTS_PER_TAG_MAX);
        // Errors are omitted last.
        let mut reports = reports;
        reports.sort_by_key(|report| std::cmp::Reverse(report.severity));
        reports.truncate(REPORTS_PER_TAG_MAX);
        let mut all: Vec<TagReport> =
            reports.into_iter().map(|report| TagReport::at(path, source, &lines, report)).collect();
        if left_out > 0 {
            let message = format!("{left_out} more reports about this file are omitted");
            all.push(TagReport::at(path, source, &lines, Report::warning(Span::default(), message)));
        }
        all
    }

    fn at(path: &str, source: &str, lines: &Lines, report: Report) -> TagReport {
        TagReport {
            path: path.to_string(),
            place: Some(lines.place(source, report.span.start)),
            rendered: report.render(path, source, lines),
            report,
        }
    }

    /// A report about a whole file.
    #[must_use]
    pub fn of_file(path: &str, message: &str, help: &str) -> TagReport {
        let report = Report::error(Span::default(), message).with_help(help);
        let help = if help.is_empty() { String::new() } else { format!("\n  = {help}") };
        TagReport { path: path.to_string(), place: None, report, rendered: format!("{path}: error: {message}{help}\n") }
    }

    /// Whether it is an error.
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

/// The span of a reference that begins at a byte; of an inherited one, that of the path behind `!from`.
pub(crate) fn link_span(source: &str, start: u32) -> Span {
    match start {
        INHERITED => parse(source).from_path().unwrap_or_default(),
        start => span_of(source, start),
    }
}

/// The span of the value that begins at a byte: a string up to its end, otherwise one letter.
pub(crate) fn span_of(source: &str, start: u32) -> Span {
    let rest = usize::try_from(start).ok().and_then(|start| source.get(start..)).unwrap_or("");
    let length = match rest.strip_prefix('"').and_then(|inner| inner.find(['"', '\n'])) {
        Some(inner) => inner + 2,
        None => rest.chars().next().map_or(0, char::len_utf8),
    };
    Span::new(start, start.saturating_add(u32::try_from(length).unwrap_or(0)))
}

/// The help text for a path without a tag.
pub(crate) fn advice(walk: &Walk, path: &str) -> String {
    if walk.folders.binary_search_by(|folder| folder.as_str().cmp(path)).is_ok() {
        return "a folder has that name, a file is expected".into();
    }
    if let Some(oddity) = walk.oddities.iter().find(|oddity| oddity.path == path) {
        return oddity.to_string();
    }
    let folded = path.to_lowercase();
    let paths = || walk.files.iter().map(|file| file.path.as_str());
    if let Some(other) = paths().find(|other| other.to_lowercase() == folded) {
        return format!("did you mean `{other}`? Letter case counts");
    }
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let beside = paths().filter_map(|other| {
        let (other_folder, other_name) = other.rsplit_once('/').unwrap_or(("", other));
        (other_folder == folder).then_some(other_name)
    });
    if let Some(near) = closest(name, beside) {
        let near = if folder.is_empty() { near.to_string() } else { format!("{folder}/{near}") };
        return format!("did you mean `{near}`?");
    }
    match paths().find(|other| other.rsplit('/').next() == Some(name)) {
        Some(moved) => format!("did you mean `{moved}`?"),
        None => "create it, or remove the reference".into(),
    }
}
