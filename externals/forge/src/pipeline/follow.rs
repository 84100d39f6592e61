//! What of a tag follows the import, whatever people wrote there: read-only fields, and lists in which they only put
//! comments.
//!
//! A read-only field says what is in the bulk data (the size of a texture, the parts of its mip levels), so another value
//! would be wrong. Comments inside a value that is replaced move above its field.

use script::token::{TokenKind, tokens};
use tags::class::{Class, Field, Kind};
use tags::pack::Prepared;
use tags::packed::write_text;

use crate::document::{Document, Refusal};
use crate::field_path::FieldPath;
use crate::merge::{Conflict, MARK};

/// The field with the source record, whose parts the merge decides about.
const SOURCE: &str = "source";

/// A text in which some fields have the imported values.
#[derive(Clone, Debug)]
pub struct Followed {
    /// The text.
    pub text: String,
    /// Edits of read-only fields, which do not count.
    pub overruled: Vec<Conflict>,
}

/// Our text with the imported values of the read-only fields that people touched. Without a base it is not known whether
/// they did, and nothing is reported.
pub fn follow(base: Option<&str>, ours: &str, theirs: &str, class: &Prepared) -> Result<Followed, Refusal> {
    let table = class.class();
    let mut followed = Followed { text: ours.to_string(), overruled: Vec::new() };
    let [of_base, of_theirs] = [base.unwrap_or(""), theirs].map(|text| Document::new(text, table));
    let is_followed = |field: &&Field| {
        field.is_read_only && !field.is_runtime && field.name != SOURCE && !matches!(field.kind, Kind::Bulk)
    };
    for field in table.root().fields.iter().filter(is_followed) {
        let place = FieldPath::root().field(&field.name);
        let value = |document: &Document<'_>| document.get(&place).ok().map(|found| found.text.to_string());
        let mine = value(&Document::new(&followed.text, table));
        let (before, imported) = (value(&of_base), value(&of_theirs));
        if mine == imported || mine == before && base.is_some() {
            continue;
        }
        if base.is_some_and(|base| !is_same_meaning([base, ours], &field.name, class)) {
            followed.overruled.push(Conflict {
                place: place.clone(),
                base: before,
                ours: mine,
                theirs: imported.clone(),
            });
        }
        followed.text = replaced(&followed.text, &place, imported.as_deref(), table)?;
    }
    Ok(followed)
}

/// Our text with the imported values of the fields of some conflicts in which people changed nothing but notation and
/// comments; none if there is no such field.
pub fn follow_comments(
    [base, ours, theirs]: [&str; 3],
    conflicts: &[Conflict],
    class: &Prepared,
) -> Result<Option<String>, Refusal> {
    let table = class.class();
    let mut names: Vec<&str> = conflicts.iter().filter_map(|conflict| conflict.place.first_field()).collect();
    names.dedup();
    let theirs = Document::new(theirs, table);
    let mut text = None;
    for name in names.into_iter().filter(|name| *name != SOURCE && is_same_meaning([base, ours], name, class)) {
        let place = FieldPath::root().field(name);
        let imported = theirs.get(&place).ok().map(|found| found.text.to_string());
        let before = text.as_deref().unwrap_or(ours);
        text = Some(replaced(before, &place, imported.as_deref(), table)?);
    }
    Ok(text)
}

/// Whether a field has the same value in two texts, however it is written.
fn is_same_meaning(texts: [&str; 2], name: &str, class: &Prepared) -> bool {
    let [one, other] = texts.map(|text| {
        let packed = class.pack_text(text).packed;
        let mut written = String::new();
        write_text(&packed.reflect(class.class()).get(name), &mut written);
        written
    });
    one == other
}

/// A text with another value of a field, or without it. Comments inside the former value are put above the field.
fn replaced(text: &str, place: &FieldPath, value: Option<&str>, class: &Class) -> Result<String, Refusal> {
    let mut document = Document::new(text, class);
    let former = document.get(place).ok().map(|found| found.text.to_string()).unwrap_or_default();
    match value {
        None => document.remove(place)?,
        Some(value) => document.set(place, value)?,
    }
    let is_kept = |comment: &&str| !comment.starts_with(MARK) && !value.is_some_and(|value| value.contains(*comment));
    let found = tokens(&former);
    let comments = found.iter().filter(|token| token.kind == TokenKind::Comment);
    let comments: Vec<&str> = comments.map(|token| token.span.text(&former).trim_end()).filter(is_kept).collect();
    let mut text = document.text().to_string();
    if comments.is_empty() {
        return Ok(text);
    }
    let start = document.get(place).map_or(text.len(), |found| found.span.start as usize);
    let line = text[..start].rfind("!set").map_or(text.len(), |set| text[..set].rfind('\n').map_or(0, |end| end + 1));
    text.insert_str(line, &comments.iter().map(|comment| format!("{comment}\n")).collect::<String>());
    Ok(text)
}
