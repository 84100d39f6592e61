//! Comparing and merging versions of a file: semantically if it is a tag, otherwise by lines.
//!
//! Laws
//! 1. Any two texts can be compared, and any three merged. The result says whether that was done by lines, and why.
//! 2. No edit of either side is lost: it is in the merged text, or in a conflict marked there.

use crate::diff::{Change, ChangeKind, diff};
use crate::merge::merge as merge_meaning;
use tags::class::Class;
use tags::header::{HEADER, vocabulary};

use crate::classes::{Classes, head_of};
use crate::line_merge::{Line, compare as compare_lines, merge as merge_lines};

/// The difference between two texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison<'a> {
    /// Semantic changes.
    Changes(Vec<Change>),
    /// Lines, and the reason.
    Lines(Vec<Line<'a>>, String),
}

/// The result of a three-way merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedFile {
    /// The text.
    pub text: String,
    /// The conflicts, one line each.
    pub conflicts: Vec<String>,
    /// Why it was merged by lines, if it was.
    pub by_lines: Option<String>,
}

/// The class of a file: by its extension, or by the first line of a text. A class that is not declared has no fields,
/// so that all of them are unknown, and is compared like that.
pub fn class_of(classes: &Classes, path: &str, texts: &[&str]) -> Option<Class> {
    let extension = path.rsplit(['/', '\\']).next().and_then(|name| name.rsplit_once('.')).map(|(_, class)| class);
    let by_path = extension.and_then(|name| classes.class(name));
    let heads: Vec<(&str, u32)> = texts.iter().filter_map(|text| head_of(text)).collect();
    let (name, _) = heads.first().copied().unzip();
    if name == Some(HEADER) {
        return Some(class_of_headers());
    }
    by_path.or_else(|| classes.class(name?)).cloned().or_else(|| {
        let version = heads.iter().map(|(_, version)| *version).max()?;
        Some(Class { version, ..Class::new(name?) })
    })
}

/// The class of headers: attributes, records and names of choices are the same if they have the same name.
fn class_of_headers() -> Class {
    let mut class = vocabulary::class();
    for record in
        class.records.iter_mut().filter(|record| matches!(record.name.as_str(), "attribute" | "record" | "name"))
    {
        record.key =
            record.fields.iter().position(|field| field.name == "name").and_then(|key| u32::try_from(key).ok());
        // A default is of any kind.
        if let Some(default) = record.fields.iter().position(|field| field.name == "default") {
            record.fields.remove(default);
        }
    }
    class
}

/// Compares two texts.
pub fn compare<'a>(before: &'a str, after: &'a str, class: Option<&Class>) -> Comparison<'a> {
    let by_lines = |why: String| Comparison::Lines(compare_lines(before, after), why);
    match class.map(|class| diff(before, after, class)) {
        None => by_lines(String::from("they name no class")),
        Some(Err(refusal)) => by_lines(refusal.message),
        // Texts with the same meaning may still differ.
        Some(Ok(changes)) if changes.is_empty() && before != after => {
            by_lines(String::from("they have the same meaning and differ only in notation"))
        }
        Some(Ok(changes)) => Comparison::Changes(changes),
    }
}

/// Three-way merge.
pub fn merge(base: &str, ours: &str, theirs: &str, class: Option<&Class>) -> MergedFile {
    let why = match class.map(|class| merge_meaning(base, ours, theirs, class)) {
        Some(Ok(merged)) => {
            let or_nothing = |text: Option<String>| text.unwrap_or_else(|| String::from("removed"));
            let told = merged.conflicts.into_iter().map(|conflict| {
                format!(
                    "`{}`: ours {}, theirs {}",
                    conflict.place,
                    or_nothing(conflict.ours),
                    or_nothing(conflict.theirs)
                )
            });
            return MergedFile { text: merged.text, conflicts: told.collect(), by_lines: None };
        }
        Some(Err(refusal)) => refusal.message,
        None => String::from("they name no class"),
    };
    let merged = merge_lines(base, ours, theirs);
    let conflicts = (1..=merged.conflicts).map(|number| format!("the lines between the marks, number {number}"));
    MergedFile { text: merged.text, conflicts: conflicts.collect(), by_lines: Some(why) }
}

/// A change on one line for people.
pub fn told(change: &Change) -> String {
    let Change { place, kind, before, after } = change;
    let short = |text: &Option<String>| text.as_deref().map_or(String::from("nothing"), shortened);
    match kind {
        ChangeKind::Added => format!("+ {place}: {}", short(after)),
        ChangeKind::Removed => format!("- {place}: {}", short(before)),
        ChangeKind::Changed => format!("  {place}: {} → {}", short(before), short(after)),
        ChangeKind::Moved => format!("  {place}: moved from #{} to #{}", short(before), short(after)),
        ChangeKind::Note => format!("  {place}: note {} → {}", short(before), short(after)),
    }
}

fn shortened(text: &str) -> String {
    const SHOWN_MAX: usize = 200;
    let line: String =
        text.chars().take(SHOWN_MAX).map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    if text.chars().nth(SHOWN_MAX).is_some() { format!("{line}…") } else { line }
}
