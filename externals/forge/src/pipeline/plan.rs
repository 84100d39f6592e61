//! Which sources must be imported, and why.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use host::files;
use host::walk::{Stamp, Walk};
use media::importers::find;
use media::{Importer, Options};
use shelf::content_key;
use tags::limits::TEXT_BYTES_MAX;
use tags::pack::Prepared;
use tags::packed::Reflected;
use tags::{Tag, TagPath};
use view::classes::SourceRecord;

use super::export::{self, Exporter, exported_from};
use super::index::{ImportEntry, ImportIndex, SeenFile};
use super::intake::imported_beside;
use super::job::Job;
use super::layout;
use crate::classes::Classes;
use crate::tree::IMPORTED;

/// Why a source is imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It is new here.
    New,
    /// Its bytes changed.
    Changed,
    /// A file that it names changed, appeared or vanished.
    BesideChanged(String),
    /// Its importer has another version.
    ImporterChanged,
    /// Its options changed.
    OptionsChanged,
    /// A tag that it makes, or the container of one, is missing.
    FileMissing(String),
    /// It was asked for.
    Forced,
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::New => formatter.write_str("it is new"),
            Reason::Changed => formatter.write_str("it changed"),
            Reason::BesideChanged(path) => write!(formatter, "{path} changed"),
            Reason::ImporterChanged => formatter.write_str("its importer has a new version"),
            Reason::OptionsChanged => formatter.write_str("its options changed"),
            Reason::FileMissing(path) => write!(formatter, "{path} is missing"),
            Reason::Forced => formatter.write_str("it was asked for"),
        }
    }
}

/// What there is to do.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The imports, in the order of their sources.
    pub jobs: Vec<(Job, Reason)>,
    /// The number of sources that are unchanged.
    pub unchanged: usize,
    /// Sources that could not be imported last time and did not change since, with their errors.
    pub failed: Vec<(String, String)>,
    /// Sources that make the same tag as an earlier one: both paths. They are not imported.
    pub doubled: Vec<(String, String)>,
    /// Files that no importer takes, counted by extension.
    pub unknown: BTreeMap<String, usize>,
    /// Sources of the index that no longer exist, with the tags they made.
    pub vanished: Vec<(String, Vec<String>)>,
}

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The sources or folders to import, relative to the folder of sources; all if there are none.
    pub only: Vec<String>,
    /// Options for these sources, on top of those that their tags give.
    pub options: Vec<(String, String)>,
    /// Whether unchanged sources are imported too.
    pub is_forced: bool,
}

impl Request {
    /// Whether a source is asked for.
    #[must_use]
    pub fn has(&self, source: &str) -> bool {
        let is_below = |asked: &String| source.strip_prefix(asked.as_str()).is_some_and(|rest| rest.starts_with('/'));
        self.only.is_empty() || self.only.iter().any(|asked| asked == source || is_below(asked))
    }
}

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

/// Makes a plan. Stamps that turn out to be newer than their content are brought up to date in the index.
pub fn plan(around: Surroundings<'_>, request: &Request, index: &mut ImportIndex) -> Plan {
    let mut plan = Plan::default();
    let versions = versions(around.classes);
    let mut stems: BTreeMap<(String, &str), &str> = BTreeMap::new();
    for file in &around.sources.files {
        let Some(importer) = find(around.importers, &file.path) else {
            if file.path == export::DECLARATIONS || export::find(around.exporters, &file.path).is_some() {
                continue;
            }
            let extension = file.path.rsplit_once('.').map_or("", |(_, extension)| extension);
            *plan.unknown.entry(extension.to_ascii_lowercase()).or_default() += 1;
            continue;
        };
        let stem = layout::stem(&file.path).to_lowercase();
        if let Some(first) = stems.insert((stem, importer.name), &file.path) {
            plan.doubled.push((first.to_string(), file.path.clone()));
            continue;
        }
        if !request.has(&file.path) {
            continue;
        }
        let entry = index.entries.get(&file.path);
        let options = options_of(around, importer, entry, &file.path, &request.options);
        let reason = match entry {
            _ if request.is_forced => Some(Reason::Forced),
            None => Some(Reason::New),
            Some(entry) => reason(around, importer, entry, &file.path, &file.stamp, &options),
        };
        match (reason, entry) {
            (None, Some(entry)) if !entry.error.is_empty() => {
                plan.failed.push((file.path.clone(), entry.error.clone()))
            }
            (None, _) => {
                plan.unchanged += 1;
                refresh(around, index, &file.path, &file.stamp);
            }
            (Some(reason), _) => {
                let job = Job {
                    source: file.path.clone(),
                    importer: importer.name.to_string(),
                    options,
                    versions: versions.clone(),
                    exported_from: exported_from(around.exporters, around.sources, &file.path).unwrap_or_default(),
                };
                plan.jobs.push((job, reason));
            }
        }
    }
    let is_gone = |source: &String| around.sources.find(source).is_none() && request.has(source);
    let gone: Vec<String> = index.entries.keys().filter(|source| is_gone(source)).cloned().collect();
    for source in gone {
        if let Some(entry) = index.entries.remove(&source) {
            plan.vanished.push((source, entry.made));
        }
    }
    plan
}

/// Brings the stamps of an unchanged source up to date, so that its bytes are not read again.
fn refresh(around: Surroundings<'_>, index: &mut ImportIndex, source: &str, stamp: &Stamp) {
    let Some(entry) = index.entries.get_mut(source) else { return };
    let time = host::clock::time_of_day();
    if !entry.file.is_certainly(stamp) {
        entry.file = SeenFile::new(*stamp, entry.file.content, time);
    }
    for (path, seen) in &mut entry.beside {
        if let Some(found) = around.sources.find(path).filter(|found| !seen.is_certainly(&found.stamp)) {
            *seen = SeenFile::new(found.stamp, seen.content, time);
        }
    }
    if let Some(tag) = entry.made.first().and_then(|main| around.tags.find(main)) {
        entry.tag = tag.stamp;
    }
}

fn reason(
    around: Surroundings<'_>,
    importer: &Importer,
    entry: &ImportEntry,
    source: &str,
    stamp: &Stamp,
    options: &[(String, String)],
) -> Option<Reason> {
    if entry.importer != importer.name || entry.version != importer.version {
        return Some(Reason::ImporterChanged);
    }
    if entry.options != options {
        return Some(Reason::OptionsChanged);
    }
    if !is_same(around, source, &entry.file, stamp) {
        return Some(Reason::Changed);
    }
    let has_changed = |path: &str, seen: &SeenFile| match around.sources.find(path) {
        Some(found) => !is_same(around, path, seen, &found.stamp),
        None => seen.content.0 != [0; 32],
    };
    if let Some((path, _)) = entry.beside.iter().find(|(path, seen)| has_changed(path, seen)) {
        return Some(Reason::BesideChanged(path.clone()));
    }
    let missing = entry.made.iter().chain(&entry.containers).find(|path| around.tags.find(path).is_none());
    if let Some(path) = missing {
        return Some(Reason::FileMissing(path.clone()));
    }
    // A main tag that was put back from elsewhere may name an earlier container.
    let main = entry.made.first().and_then(|main| around.tags.find(main)).filter(|main| main.stamp != entry.tag)?;
    let named = containers_in(around, &main.path).into_iter().find(|path| around.tags.find(path).is_none());
    named.map(Reason::FileMissing)
}

/// Whether a file has the content it had. Its bytes are read only if its stamp proves nothing.
fn is_same(around: Surroundings<'_>, path: &str, seen: &SeenFile, stamp: &Stamp) -> bool {
    if seen.is_certainly(stamp) {
        return true;
    }
    let is_same_size = seen.stamp.size == stamp.size;
    is_same_size
        && files::read_at_most(&around.data.join(path), stamp.size)
            .is_ok_and(|bytes| content_key::of(&bytes) == seen.content)
}

/// The options of a source: those its tag gives, and those that were asked for.
fn options_of(
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
    given.extend(asked.iter().filter(has).cloned());
    // The later one of a name counts. Wrong ones stay, so that the import reports them.
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
fn options_in(around: Surroundings<'_>, path: &str, made_from: &str) -> Option<Vec<(String, String)>> {
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

/// The containers that a tag names, relative to the tree.
fn containers_in(around: Surroundings<'_>, path: &str) -> Vec<String> {
    let class = path.rsplit_once('.').and_then(|(_, class)| around.classes.prepared(class));
    let (Some(class), Ok(path), Some(text)) = (class, TagPath::new(path), read_text(&around.tree.join(path))) else {
        return Vec::new();
    };
    class.pack_text(&text).packed.files().map(|file| layout::beside(&path, file.file)).collect()
}

fn read_text(path: &Path) -> Option<String> {
    let bytes = files::read_at_most(path, TEXT_BYTES_MAX as u64).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn text_of(value: Reflected<'_>) -> String {
    match value {
        Reflected::Text(text) | Reflected::Name(text, _) => text.to_string(),
        _ => String::new(),
    }
}

/// The classes whose version is not 1.
fn versions(classes: &Classes) -> Vec<(String, u32)> {
    let all = classes.names().filter_map(|name| classes.class(name));
    all.filter(|class| class.version != 1).map(|class| (class.name.clone(), class.version)).collect()
}
