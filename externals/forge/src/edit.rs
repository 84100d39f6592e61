//! Changing tags by place, and writing them.
//!
//! Laws
//! 1. All edits of a file are made or none, and its other bytes stay as they are.
//! 2. An edit that would bring a mistake into a tag that it did not have before is refused, unless somebody insists.
//! 3. A file is written whole, only if it differs, and only if nobody changed it since it was read.

use std::path::Path;

use host::files;
use script::report::{Report, Severity};
use tags::document::{Document, Refusal};
use tags::limits::TEXT_BYTES_MAX;
use tags::notes;
use tags::place::Place;

use crate::finding::Finding;
use crate::tree::Tree;

/// One change of a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// A place gets a value, which is an expression.
    Set(Place, String),
    /// What is at a place is taken away.
    Remove(Place),
    /// A value gets a note; an empty one takes it away.
    Note(Place, String),
}

/// The texts of a tag before and after edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The text as it was.
    pub before: String,
    /// The text as it would be.
    pub after: String,
    /// What is wrong with it then that was not before.
    pub findings: Vec<Finding>,
}

/// Makes edits of a tag's text, in order. Nothing is written.
pub fn edit(tree: &Tree, tag: usize, edits: &[Edit]) -> Result<Edited, String> {
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
        done.map_err(|refusal| told(&tree.shown(file.path.as_str()), &refusal))?;
    }
    let after = document.text().to_string();
    let (old, new) = (class.pack_text(&before), class.pack_text(&after));
    let was_there = |report: &&Report| old.reports.iter().any(|other| other.message == report.message);
    let is_new = |report: &&Report| report.severity == Severity::Error && !was_there(report);
    let reports: Vec<Report> = new.reports.iter().filter(is_new).cloned().collect();
    let findings = Finding::of_reports(&tree.shown(file.path.as_str()), &after, &reports);
    Ok(Edited { before, after, findings })
}

/// Puts a text in the place of another in a file, if it is still that other. Whether there was something to do.
pub fn write(file: &Path, before: &str, after: &str) -> Result<bool, String> {
    if before == after {
        return Ok(false);
    }
    match files::replace(file, before.as_bytes(), &[after.as_bytes()], TEXT_BYTES_MAX as u64) {
        Ok(true) => Ok(true),
        Ok(false) => Err(format!("{}: somebody else changed it meanwhile; it is left as it is", file.display())),
        Err(error) => Err(error.to_string()),
    }
}

/// A refusal in one line, with the file.
pub fn told(file: &str, refusal: &Refusal) -> String {
    match refusal.help.as_str() {
        "" => format!("{file}: {}", refusal.message),
        help => format!("{file}: {}; {help}", refusal.message),
    }
}
