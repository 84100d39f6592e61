//! Which sources must be imported, and why.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use host::files;
use host::walk::Stamp;
use media::importers::find;
use media::numbered::Numbered;
use media::{Importer, Options};
use shelf::content_key;
use tags::{Key, TagPath};

use super::export::{self, exported_from};
use super::index::{ImportEntry, ImportIndex, SeenFile};
use super::job::Job;
use super::layout;
use super::surroundings::{Surroundings, options_of, read_text};
use crate::classes::Classes;
use crate::limits::SKIPPED_MAX;

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
    /// It is the same file as one that is no longer there.
    Moved(String),
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
            Reason::Moved(from) => write!(formatter, "it was moved from {from}"),
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
    /// Sources of the index that no longer exist, or are now parts of another source.
    pub vanished: Vec<VanishedSource>,
    /// What of the folder of sources is left out, and why: links, names that are no text, folders that cannot be read.
    pub skipped: Vec<String>,
}

/// A source of the index that is not imported any longer. Its tags stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VanishedSource {
    /// Its path.
    pub source: String,
    /// The tags that it made.
    pub made: Vec<String>,
    /// Where the same file is now.
    pub moved_to: Option<String>,
    /// The source that it is now a part of: a frame of a sequence, a take of a sound.
    pub part_of: Option<String>,
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

/// Makes a plan. Stamps that turn out to be newer than their content are brought up to date in the index.
pub fn plan(around: Surroundings<'_>, request: &Request, index: &mut ImportIndex) -> Plan {
    let mut plan = Plan::default();
    let versions = versions(around.classes);
    plan.skipped = skipped(around);
    let parts = gathered(around, request, index);
    let mut moves = Moves::new(around, index);
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
        if let Some(owner) = parts.get(file.path.as_str()) {
            if let Some(entry) = index.entries.remove(&file.path) {
                let part_of = Some(owner.clone());
                plan.vanished.push(VanishedSource {
                    source: file.path.clone(),
                    made: entry.made,
                    moved_to: None,
                    part_of,
                });
            }
            continue;
        }
        let stem = layout::stem(&file.path).to_lowercase();
        if let Some(first) = stems.insert((stem, importer.name), &file.path) {
            plan.doubled.push((first.to_string(), file.path.clone()));
            continue;
        }
        if !request.has(&file.path) {
            continue;
        }
        let entry = index.entries.get(&file.path);
        let from = if entry.is_none() { moves.find(around, importer, &file.path, &file.stamp) } else { None };
        let options = match from.as_deref().and_then(|from| index.entries.get_key_value(from)) {
            Some((from, former)) => options_of(around, importer, Some(former), from, &request.options),
            None => options_of(around, importer, entry, &file.path, &request.options),
        };
        let reason = match entry {
            None if from.is_some() => from.map(Reason::Moved),
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
            let moved_to = moves.done.remove(&source);
            plan.vanished.push(VanishedSource { source, made: entry.made, moved_to, part_of: None });
        }
    }
    plan
}

/// What of the folder of sources is left out, a line each.
fn skipped(around: Surroundings<'_>) -> Vec<String> {
    let oddities = &around.sources.oddities;
    let mut lines: Vec<String> = oddities.iter().take(SKIPPED_MAX).map(ToString::to_string).collect();
    if oddities.len() > SKIPPED_MAX {
        lines.push(format!("{} more files or folders are left out for such reasons", oddities.len() - SKIPPED_MAX));
    }
    lines
}

/// The sources that are parts of others, which their options make sequences of numbered files; and of which.
fn gathered(around: Surroundings<'_>, request: &Request, index: &ImportIndex) -> BTreeMap<String, String> {
    let mut parts: BTreeMap<String, String> = BTreeMap::new();
    for file in &around.sources.files {
        let (folder, name) = file.path.rsplit_once('/').map_or(("", file.path.as_str()), |split| split);
        let (Some(importer), Some(numbered)) = (find(around.importers, &file.path), Numbered::read(name)) else {
            continue;
        };
        if parts.contains_key(&file.path) {
            continue;
        }
        let asked: &[(String, String)] = if request.has(&file.path) { &request.options } else { &[] };
        let given = options_of(around, importer, index.entries.get(&file.path), &file.path, asked);
        let mut options = Options::new(importer.options);
        given.iter().for_each(|(name, value)| drop(options.set(name, value)));
        if !(importer.gathers)(&options) {
            continue;
        }
        let later = (1..).map(|files| match folder {
            "" => numbered.later(files),
            _ => format!("{folder}/{}", numbered.later(files)),
        });
        for path in later.take_while(|path| around.sources.find(path).is_some()) {
            parts.insert(path, file.path.clone());
        }
    }
    parts
}

/// Sources of the index that are no longer there, to find where they are now.
struct Moves {
    /// By the hash of their bytes; with their size and importer.
    gone: BTreeMap<Key, (String, u64, String)>,
    sizes: BTreeSet<u64>,
    /// Where those that were found are now.
    done: BTreeMap<String, String>,
}

impl Moves {
    fn new(around: Surroundings<'_>, index: &ImportIndex) -> Moves {
        let gone = index.entries.iter().filter(|(source, entry)| {
            around.sources.find(source).is_none() && entry.error.is_empty() && entry.file.content.0 != [0; 32]
        });
        let gone: BTreeMap<_, _> = gone
            .map(|(source, entry)| {
                (entry.file.content, (source.clone(), entry.file.stamp.size, entry.importer.clone()))
            })
            .collect();
        Moves { sizes: gone.values().map(|(_, size, _)| *size).collect(), gone, done: BTreeMap::new() }
    }

    /// Where a new source was before. Its bytes are read only if one of its size is gone.
    fn find(&mut self, around: Surroundings<'_>, importer: &Importer, source: &str, stamp: &Stamp) -> Option<String> {
        if stamp.size == 0 || !self.sizes.contains(&stamp.size) {
            return None;
        }
        let bytes = files::read_at_most(&around.data.join(source), stamp.size).ok()?;
        let (from, _, by) = self.gone.get(&content_key::of(&bytes))?;
        if by != importer.name || self.done.contains_key(from) {
            return None;
        }
        let from = from.clone();
        self.done.insert(from.clone(), source.to_string());
        Some(from)
    }
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

/// The containers that a tag names, relative to the tree.
fn containers_in(around: Surroundings<'_>, path: &str) -> Vec<String> {
    let class = path.rsplit_once('.').and_then(|(_, class)| around.classes.prepared(class));
    let (Some(class), Ok(path), Some(text)) = (class, TagPath::new(path), read_text(&around.tree.join(path))) else {
        return Vec::new();
    };
    class.pack_text(&text).packed.files().map(|file| layout::beside(&path, file.file)).collect()
}

/// The classes whose version is not 1.
fn versions(classes: &Classes) -> Vec<(String, u32)> {
    let all = classes.names().filter_map(|name| classes.class(name));
    all.filter(|class| class.version != 1).map(|class| (class.name.clone(), class.version)).collect()
}
