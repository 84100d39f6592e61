//! Editing tags by field path, and writing the files.
//!
//! Laws
//! 1. All edits of a file are made or none, and its other bytes stay.
//! 2. An edit that would add an error to a tag is refused, unless the caller insists.
//! 3. A file is written whole, only if it differs, and only if it has not changed since it was read.

use std::path::Path;

use crate::document::Document;
use crate::field_path::FieldPath;
use crate::notes;
use host::files;
use script::report::{Report, Severity};
use tags::limits::TEXT_BYTES_MAX;

use crate::edit_error::EditError;
use crate::finding::Finding;
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
    let after = document.text().to_string();
    let (old, new) = (class.pack_text(&before), class.pack_text(&after));
    let was_there = |report: &&Report| old.reports.iter().any(|other| other.message == report.message);
    let is_new = |report: &&Report| report.severity == Severity::Error && !was_there(report);
    let reports: Vec<Report> = new.reports.iter().filter(is_new).cloned().collect();
    let findings = Finding::of_reports(&tree.shown(file.path.as_str()), &after, &reports);
    Ok(Edited { before, after, findings })
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
