//! What a plan reads: the folders, their tables, and the options that tags keep for their sources.

use std::path::Path;

use host::files;
use host::walk::Walk;
use media::{Importer, Options};
use tags::Tag;
use tags::limits::TEXT_BYTES_MAX;
use tags::pack::Prepared;
use tags::packed::Reflected;
use view::classes::SourceRecord;

use super::export::Exporter;
use super::index::ImportEntry;
use super::intake::imported_beside;
use super::layout;
use crate::classes::Classes;
use crate::tree::IMPORTED;

/// The folders and tables that a plan reads.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The folder of sources.
    pub data: &'a Path,
    /// The files in it.
    pub sources: &'a Walk,
    /// The folder of tags.
    pub tree: &'a Path,
    /// The files in it.
    pub tags: &'a Walk,
    /// The classes.
    pub classes: &'a Classes,
    /// The importers.
    pub importers: &'a [Importer],
    /// The exporters.
    pub exporters: &'a [Exporter],
}

/// The options of a source: those its tag gives, and those that were asked for. One without a value is dropped.
pub fn options_of(
    around: Surroundings<'_>,
    importer: &Importer,
    entry: Option<&ImportEntry>,
    source: &str,
    asked: &[(String, String)],
) -> Vec<(String, String)> {
    let main = entry.and_then(|entry| around.tags.find(entry.made.first()?));
    let mut given = match (entry, main) {
        (Some(entry), Some(tag)) if tag.stamp == entry.tag && entry.error.is_empty() => entry.options.clone(),
        (_, Some(tag)) => options_in(around, &tag.path, source).unwrap_or_default(),
        (Some(entry), None) if entry.error.is_empty() => entry.options.clone(),
        // Without an index, as in a fresh clone, the tags beside say which of them this source made. The options of a failed
        // import are not kept: one of them may be the mistake.
        (_, None) => tags_of(around, source).find_map(|tag| options_in(around, tag, source)).unwrap_or_default(),
    };
    // An option that is asked for concerns the importers that have it: sources of other kinds may be imported with them.
    let has = |(name, _): &&(String, String)| importer.options.iter().any(|option| option.name == *name);
    for (name, value) in asked.iter().filter(has) {
        given.retain(|(given, _)| given != name);
        if !value.is_empty() {
            given.push((name.clone(), value.clone()));
        }
    }
    settled_options(importer, given)
}

/// Options without those that have their defaults, sorted. The later one of a name counts. Wrong ones stay, so that the
/// import reports them.
#[must_use]
pub fn settled_options(importer: &Importer, given: Vec<(String, String)>) -> Vec<(String, String)> {
    let mut options = Options::new(importer.options);
    let mut wrong: Vec<(String, String)> = Vec::new();
    for (name, value) in given {
        if options.set(&name, &value).is_err() {
            wrong.push((name, value));
        }
    }
    let mut options: Vec<(String, String)> =
        options.given().iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
    options.extend(wrong);
    options
}

/// The tags that a source may have made as its main one: those with its stem.
fn tags_of<'a>(around: Surroundings<'a>, source: &str) -> impl Iterator<Item = &'a str> {
    let stem = format!("{}.", layout::stem(source));
    let files = &around.tags.files;
    let first = files.partition_point(|file| file.path < stem);
    let is_of = move |path: &str| path.strip_prefix(&stem).is_some_and(|class| !class.contains('.'));
    let beside = files[first..].iter().map(|file| file.path.as_str());
    let stem = layout::stem(source).to_string();
    beside.take_while(move |path| path.starts_with(&stem)).filter(move |path| is_of(path))
}

/// A tag of which only the source is read.
#[derive(Tag)]
#[tag(class = "origin")]
#[repr(C)]
pub(crate) struct Origin {
    source: SourceRecord,
}

/// The options that a tag was imported with, if it was made from this source.
pub fn options_in(around: Surroundings<'_>, path: &str, made_from: &str) -> Option<Vec<(String, String)>> {
    let class = around.classes.prepared(path.rsplit_once('.')?.1)?;
    let origin;
    let (class, text) = match class.class().root().field("source") {
        Some(_) => (class, read_text(&around.tree.join(path))?),
        None => {
            origin = Prepared::new(Origin::class());
            let beside = around.tree.join(format!("{path}.{IMPORTED}"));
            (&origin, format!("@origin\n!set source {}\n", imported_beside(&beside)?.1))
        }
    };
    let packed = class.pack_text(&text).packed;
    let Reflected::Record(source) = packed.reflect(class.class()).get("source") else { return None };
    if ![text_of(source.get("file")), text_of(source.get("intermediate"))].iter().any(|file| file == made_from) {
        return None;
    }
    let Reflected::Series(rows) = source.get("options") else { return None };
    let row = |row| match row {
        Reflected::Record(row) => Some((text_of(row.get("name")), text_of(row.get("value")))),
        _ => None,
    };
    Some(rows.each().filter_map(row).collect())
}

/// The text of a file, if it can be read.
pub fn read_text(path: &Path) -> Option<String> {
    let bytes = files::read_at_most(path, TEXT_BYTES_MAX as u64).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn text_of(value: Reflected<'_>) -> String {
    match value {
        Reflected::Text(text) | Reflected::Name(text, _) => text.to_string(),
        _ => String::new(),
    }
}
