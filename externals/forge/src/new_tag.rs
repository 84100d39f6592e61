//! The text of a new tag: required fields, and documentation of all of them.
//!
//! Laws
//! 1. The text is valid: packing it gives no reports.
//! 2. Fields without a default are set to their zero value; fields with one are commented out. Hidden, runtime and
//!    read-only fields are omitted.

use std::fmt::Write;

use tags::class::{Class, Field, Kind};

/// The text of a new tag of a class.
pub fn blank(class: &Class) -> String {
    let mut text = match class.version {
        1 => format!("@{}\n", class.name),
        version => format!("@{} {version}\n", class.name),
    };
    for line in class.help.lines() {
        comment(&mut text, line);
    }
    for field in class.root().fields.iter().filter(|field| !(field.is_hidden || field.is_runtime || field.is_read_only))
    {
        text.push('\n');
        for line in field.help.lines() {
            comment(&mut text, line);
        }
        comment(&mut text, &description(class, field));
        let value = field.default.clone().or_else(|| zero(field)).unwrap_or_default();
        let is_set = field.default.is_none() && !value.is_empty();
        // A default may span several lines; a comment must not.
        let value = value.replace(['\n', '\r'], " ");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}!set {} {}", if is_set { "" } else { "// " }, field.name, or_dots(&value));
    }
    text
}

/// The kind, unit and range of a field on one line.
pub fn description(class: &Class, field: &Field) -> String {
    let mut text = field.kind.in_words();
    if let Kind::Series(of) = &field.kind
        && let Kind::Record(number) = &**of
        && let Some(record) = class.record(*number)
    {
        let names: Vec<&str> = record.fields.iter().map(|field| field.name.as_str()).collect();
        let _ = write!(text, " with {}", names.join(", "));
    }
    if let Kind::Record(number) = &field.kind
        && let Some(record) = class.record(*number)
    {
        let names: Vec<&str> = record.fields.iter().map(|field| field.name.as_str()).collect();
        let _ = write!(text, " with {}", names.join(", "));
    }
    if let Some((least, most)) = field.range {
        let _ = write!(text, ", {least} to {most}");
    }
    if !field.unit.is_empty() {
        let _ = write!(text, " {}", field.unit);
    }
    if field.is_expert {
        text.push_str(", for experts");
    }
    text
}

fn comment(text: &mut String, line: &str) {
    // A comment that begins with a question mark would be a designer's note.
    let _ = writeln!(text, "// {}", line.trim());
}

fn or_dots(value: &str) -> &str {
    if value.is_empty() { "…" } else { value }
}

/// The zero value of a field, if it can be written and is allowed.
fn zero(field: &Field) -> Option<String> {
    let (least, most) = field.range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let number = || (least <= 0.0 && 0.0 <= most).then(|| String::from("0"));
    match &field.kind {
        Kind::Number(_) | Kind::Angle | Kind::Formula => number(),
        Kind::Truth => Some(String::from("false")),
        Kind::Identifier => Some(String::from("#0")),
        Kind::StringId | Kind::Text | Kind::Reference(_) => Some(String::from("\"\"")),
        Kind::Vector(2) => Some(String::from("vec(0, 0)")),
        Kind::Vector(3) => Some(String::from("vec(0, 0, 0)")),
        Kind::Choice(names) => names.first().map(|named| format!("\"{}\"", named.name.replace('"', "\"\""))),
        Kind::Flags(_) | Kind::Series(_) => Some(String::from("[]")),
        _ => None,
    }
}
