//! Editing tags by field path, and writing the files.
//!
//! Laws
//! 1. All edits of a file are made or none, and its other bytes stay.
//! 2. An edit that would add an error to a tag, change a read-only field, set a number between its steps, or set what is no field and
//!    resembles one, is refused, unless the caller insists.
//! 3. A file is written whole, only if it differs, and only if it has not changed since it was read.

use std::collections::BTreeMap;
use std::path::Path;

use crate::document::Document;
use crate::field_path::{FieldPath, PathStep};
use crate::notes;
use host::files;
use script::parse::parse;
use script::report::{Report, Severity, closest};
use script::source::Span;
use script::token::tokens;
use tags::TagPath;
use tags::class::Class;
use tags::limits::TEXT_BYTES_MAX;
use tags::pack::Prepared;

use crate::edit_error::EditError;
use crate::finding::Finding;
use crate::source_lookup::place_at;
use crate::tree::Tree;

/// One edit of a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Sets the value at a field path to an expression.
    Set(FieldPath, String),
    /// Removes the value at a field path.
    Remove(FieldPath),
    /// Sets the note of a value; an empty one removes it.
    Note(FieldPath, String),
}

/// The text of a tag before and after edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The old text.
    pub before: String,
    /// The new text.
    pub after: String,
    /// Errors of the new text that the old one did not have.
    pub findings: Vec<Finding>,
}

/// Applies edits to a tag's text, in order. Nothing is written.
pub fn edit(tree: &Tree, tag: usize, edits: &[Edit]) -> Result<Edited, EditError> {
    let file = &tree.tags[tag];
    let class = tree.classes.named(file.path.class())?;
    let before = tree.read(file.path.as_str())?;
    let mut document = Document::new(&before, class.class());
    for edit in edits {
        let done = match edit {
            Edit::Set(place, value) => document.set(place, value),
            Edit::Remove(place) => document.remove(place),
            Edit::Note(place, note) => notes::set(&mut document, place, note),
        };
        done.map_err(|refusal| EditError::Refused { file: tree.shown(file.path.as_str()), refusal })?;
    }
    let values = edits.iter().filter_map(|edit| match edit {
        Edit::Set(place, _) => document.get(place).ok().map(|found| found.span),
        Edit::Remove(_) | Edit::Note(..) => None,
    });
    let values: Vec<Span> = values.collect();
    let after = document.text().to_string();
    let of_field = |source: &str| errors_by_field(tree, &file.path, class, source);
    let mut reports = added_errors((of_field(&before), of_field(&after)), &values);
    for edit in edits {
        if let Edit::Set(place, value) = edit {
            let span = document.get(place).map_or(Span::default(), |found| found.span);
            reports.extend(not_by_hand(class.class(), place, value).map(|message| Report::error(span, message)));
            reports.extend(
                resembling(class, place, &before).map(|(message, help)| Report::error(span, message).with_help(help)),
            );
        }
    }
    let findings = Finding::of_reports(&tree.shown(file.path.as_str()), &after, &reports);
    Ok(Edited { before, after, findings })
}

/// A variable of its own that an edit would give the tag, though it resembles a field and nothing in the tag has its name.
fn resembling(class: &Prepared, place: &FieldPath, before: &str) -> Option<(String, String)> {
    let PathStep::Field(name) = place.steps.first()? else { return None };
    let class = class.class();
    let fields = || class.root().fields.iter().filter(|field| !field.is_runtime);
    let is_field = fields().any(|field| field.name == *name || field.former.iter().any(|former| former.name == *name));
    let is_named = || tokens(before).iter().any(|token| token.span.text(before) == name);
    if !class.is_open || is_field || name.starts_with("On") || is_named() {
        return None;
    }
    let like = closest(name, fields().map(|field| field.name.as_str()))?;
    let message = format!("`{name}` is not a field of `{}`, and nothing in the tag has this name", class.name);
    Some((message, format!("did you mean `{like}`?")))
}

/// Why a person should not set a field to a value: it is read-only, or the number is not one of its steps.
fn not_by_hand(class: &Class, place: &FieldPath, value: &str) -> Option<String> {
    let [PathStep::Field(name), rest @ ..] = place.steps.as_slice() else { return None };
    let (_, field) = class.root().field(name)?;
    if field.is_read_only {
        return Some(format!("`{name}` is read-only: the engine or an import writes it"));
    }
    let step = field.step.filter(|_| rest.is_empty())?;
    let number: f64 = value.trim().parse().ok()?;
    let start = field.range.map_or(0.0, |(min, _)| min);
    let is_step = |from: f64| ((number - from) / step - ((number - from) / step).round()).abs() < 1e-6;
    if is_step(0.0) || is_step(start) {
        return None;
    }
    Some(format!("`{name}`: expected a number in steps of {step}, found {number}"))
}

/// The errors that edits added: those in the values that were set, and of each field as many as it had fewer before.
fn added_errors((before, after): (ErrorsByField, ErrorsByField), values: &[Span]) -> Vec<Report> {
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for (field, _) in before {
        *known.entry(field).or_default() += 1;
    }
    let is_set = |report: &Report| values.iter().any(|value| (value.start..value.end).contains(&report.span.start));
    let added = after.into_iter().filter(|(field, report)| match known.get_mut(field) {
        Some(left) if *left > 0 => {
            *left -= 1;
            is_set(report)
        }
        _ => true,
    });
    added.map(|(_, report)| report).collect()
}

/// Errors, each with its field.
type ErrorsByField = Vec<(String, Report)>;

/// The errors of a tag with this text, each with its field. Elements are not told apart, since an edit may move them.
fn errors_by_field(tree: &Tree, path: &TagPath, class: &Prepared, source: &str) -> ErrorsByField {
    let parsed = parse(source);
    let ancestry = tree.ancestry(path, source, &parsed);
    let errors = class
        .pack_from(source, &parsed, &ancestry.parents())
        .reports
        .into_iter()
        .filter(|report| report.severity == Severity::Error);
    let with_field = errors.map(|report| {
        let place = place_at(source, &parsed, Some(class.class()), report.span.start);
        (FieldPath::new(&place).map_or(place, |place| place.without_elements()), report)
    });
    with_field.collect()
}

/// Replaces the text of a file, if it is still the expected one. Returns whether it was written.
pub fn write(file: &Path, before: &str, after: &str) -> Result<bool, EditError> {
    if before == after {
        return Ok(false);
    }
    match files::replace(file, before.as_bytes(), &[after.as_bytes()], TEXT_BYTES_MAX as u64)? {
        true => Ok(true),
        false => Err(EditError::ChangedMeanwhile { file: file.to_path_buf() }),
    }
}
