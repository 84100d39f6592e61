//! A source of texts, split into entries that are parsed one by one.
//!
//! Fluent's parser recurses as deep as its input is nested, and panics inside a letter when an escape is truncated. So
//! its input is bounded and checked beforehand.

use std::sync::Arc;

use fluent_bundle::FluentResource;
use fluent_syntax::ast;
use fluent_syntax::parser::{ErrorKind, ParserError};

use crate::limits::{ENTRY_BYTES_MAX, NESTING_MAX, REPORTS_MAX, SOURCE_BYTES_MAX};
use crate::report::{Place, Report};

/// One message or term.
pub(crate) struct Piece {
    /// The parsed resource: exactly one message or term.
    pub resource: Arc<FluentResource>,
    /// Where it begins.
    pub place: Place,
}

impl Piece {
    /// The message or term.
    pub fn entry(&self) -> &ast::Entry<&str> {
        self.resource.get_entry(0).expect("a piece has exactly one entry")
    }
}

/// The valid entries of a source.
pub(crate) fn read(file: &str, bytes: &[u8], reports: &mut Vec<Report>) -> Vec<Piece> {
    let whole = Place { file: file.to_owned(), line: 1, column: 1 };
    if bytes.len() > SOURCE_BYTES_MAX {
        let message = format!("it has {} bytes, and at most {SOURCE_BYTES_MAX} are read", bytes.len());
        complain(reports, Report::error(&whole, message, "divide it into several files"));
        return Vec::new();
    }
    let text = match str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let valid = str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or("");
            let place = Place::of(file, valid, valid.len());
            complain(reports, Report::error(&place, "expected UTF-8 text", "save the file as UTF-8"));
            return Vec::new();
        }
    };
    let mut pieces = Vec::new();
    for (line, entry) in cut(text) {
        let place = Place { line, ..whole.clone() };
        match read_entry(entry) {
            Ok(Some(resource)) => pieces.push(Piece { resource: Arc::new(resource), place }),
            Ok(None) => {}
            Err((byte, message, help)) => {
                let within = Place::of(file, entry, byte);
                let place = Place { line: line + within.line - 1, ..within };
                complain(reports, Report::error(&place, message, help));
            }
        }
    }
    pieces
}

/// Adds a report, unless there are too many.
pub(crate) fn complain(reports: &mut Vec<Report>, report: Report) {
    if reports.len() < REPORTS_MAX {
        reports.push(report);
    }
}

/// Splits a text into runs of lines that each hold at most one entry, with the numbers of their first lines.
fn cut(text: &str) -> Vec<(u32, &str)> {
    let mut pieces = Vec::new();
    let (mut start, mut start_line, mut at) = (0, 1, 0);
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let is_start = line.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '-' | '#'));
        if is_start {
            pieces.push((start_line, &text[start..at]));
            (start, start_line) = (at, number);
        }
        at += line.len();
    }
    pieces.push((start_line, &text[start..]));
    pieces.retain(|(_, piece)| !piece.trim().is_empty());
    pieces
}

/// Parses one entry; none if it is a comment. An error comes with its byte and a help text.
fn read_entry(text: &str) -> Result<Option<FluentResource>, (usize, String, String)> {
    if text.len() > ENTRY_BYTES_MAX {
        let message = format!("this entry has {} bytes, and at most {ENTRY_BYTES_MAX} are read", text.len());
        return Err((0, message, String::from("divide it into several")));
    }
    if let Some(byte) = find_too_deep(text) {
        let help = format!("at most {NESTING_MAX} levels are allowed: make terms of the inner ones");
        return Err((byte, String::from("this bracket is nested too deeply"), help));
    }
    if let Some(byte) = find_cut_escape(text) {
        let help = String::from("write `\\u` and 4, or `\\U` and 6 hexadecimal digits");
        return Err((byte, String::from("this escape is too short"), help));
    }
    match FluentResource::try_new(text.to_owned()) {
        Ok(resource) => Ok((resource.entries().count() == 1).then_some(resource)),
        Err((_, errors)) => {
            let first = errors.into_iter().next().unwrap_or(UNKNOWN);
            let (message, help) = explain(text, &first);
            Err((first.pos.start, message, help))
        }
    }
}

const UNKNOWN: ParserError = ParserError { pos: 0..0, slice: None, kind: ErrorKind::MissingValue };

/// The bracket context of an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Between `{` and `}`.
    Placeable,
    /// Between `{ … ->` and `}`.
    Variants,
    /// Between `(` and `)`.
    Arguments,
}

/// The first bracket that is nested too deep. Up to the first syntax error in the entry, no bracket is deeper for
/// Fluent's parser than here: quotes enclose strings only within brackets, and round brackets are text outside.
fn find_too_deep(text: &str) -> Option<usize> {
    let mut modes: Vec<Mode> = Vec::new();
    let mut bytes = text.bytes().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        let is_text = matches!(modes.last(), None | Some(Mode::Variants));
        match byte {
            b'{' => modes.push(Mode::Placeable),
            b'(' if !is_text => modes.push(Mode::Arguments),
            b'}' | b')' if byte == b'}' || !is_text => {
                modes.pop();
            }
            b'-' if !is_text && bytes.peek().is_some_and(|(_, next)| *next == b'>') => {
                modes.pop();
                modes.push(Mode::Variants);
            }
            b'"' if !is_text => skip_string(&mut bytes),
            _ => {}
        }
        if modes.len() > NESTING_MAX {
            return Some(at);
        }
    }
    None
}

fn skip_string(bytes: &mut impl Iterator<Item = (usize, u8)>) {
    while let Some((_, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'"' | b'\n' => return,
            _ => {}
        }
    }
}

/// A `\u` in a possible string, with a non-ASCII letter among its digits.
fn find_cut_escape(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let escapes = text.match_indices('\\').filter_map(|(at, _)| match bytes.get(at + 1) {
        Some(b'u') => Some((at, 4)),
        Some(b'U') => Some((at, 6)),
        _ => None,
    });
    let is_cut = |(at, wanted): &(usize, usize)| {
        let digits = &bytes[at + 2..];
        let count = digits.iter().take(*wanted).take_while(|byte| byte.is_ascii_hexdigit()).count();
        let line = text[..*at].rsplit('\n').next().unwrap_or("");
        count < *wanted && digits.get(count).is_some_and(|byte| !byte.is_ascii()) && line.contains('"')
    };
    escapes.into_iter().find(is_cut).map(|(at, _)| at)
}

/// The message and help text for an error of Fluent's parser.
fn explain(text: &str, error: &ParserError) -> (String, String) {
    use ErrorKind::*;
    // For an invalid attribute, Fluent's parser reports the beginning of its line.
    let rest = text.get(error.pos.start..).unwrap_or("");
    if rest.trim_start().starts_with('.') && matches!(error.kind, ExpectedCharRange { .. }) {
        return (String::from("this attribute is malformed"), String::from("an attribute is `.name = text`"));
    }
    let message = match &error.kind {
        ExpectedToken(token) => format!("expected `{token}`"),
        ExpectedCharRange { range } if range.contains('\n') => String::from("expected the end of the line"),
        ExpectedCharRange { range } if range == "0-9" => String::from("expected a digit"),
        ExpectedCharRange { .. } => String::from("expected a name, which begins with a letter"),
        ExpectedMessageField { entry_id } | ExpectedTermField { entry_id } => format!("`{entry_id}` has no text"),
        UnknownEscapeSequence(_) => String::from("unknown escape sequence"),
        UnbalancedClosingBrace => String::from("there is no `{` for this `}`"),
        MissingDefaultVariant => String::from("none of the variants is the default"),
        other => other.to_string(),
    };
    let help = match &error.kind {
        ExpectedToken('=') => {
            "an entry is `name = text`; the dots of an id are written as dashes: \"ship.hit\" is `ship-hit`"
        }
        ExpectedToken('}') | UnbalancedClosingBrace => "`{ … }` encloses a placeable; a literal bracket is `{ \"{\" }`",
        ExpectedCharRange { range } if range.contains('\n') => "each variant has its own line, after `->`",
        ExpectedCharRange { .. } => "further lines of a text are indented with spaces, not with tabs",
        ExpectedMessageField { .. } | ExpectedTermField { .. } | MissingValue => "write a text after `=` or `]`",
        MissingDefaultVariant | MultipleDefaultVariants => "put a `*` before exactly one variant: `*[other] …`",
        ForbiddenCallee => "functions are written in capital letters: `NUMBER($count)`",
        UnterminatedStringLiteral => "end the string with `\"` on the same line",
        UnknownEscapeSequence(_) | InvalidUnicodeEscapeSequence(_) => {
            "the known escapes are `\\\\`, `\\\"`, `\\u0041` and `\\U01F602`"
        }
        ExpectedInlineExpression | ExpectedLiteral => {
            "write a parameter `$name`, a term `-name`, a message `name`, a string or a number"
        }
        _ => "",
    };
    (message, help.to_owned())
}

#[cfg(test)]
mod tests;
