//! Loading: the roots of a level, the transitive closure of their references, and the bulk data of those tags.
//!
//! Laws
//! 1. The same files give the same tags, reports and order, whatever is cached and however many threads run.
//! 2. No file stops the loading. Errors, missing tags and cycles are reported, and the rest is loaded.
//! 3. A tag is loaded once. The traversal is iterative, and the number of tags is limited.
//! 4. Unchanged files are not read: their packed form comes from the store. Every rebuild states its reason.
//! 5. Tags are read, packed and postprocessed in parallel; at most [`OPEN_FILES_MAX`] files are open.
//! 6. Bulk data is identified by its digest. Resident data is read whole; a file that does not match its tag is reported
//!    and not given to the game. Of all other bulk data only the length and the directory are checked: its blocks are
//!    read on demand ([`blocks`](crate::blocks)).

mod build;
mod bulk;
mod cycles;
mod missing;
mod postprocess;
mod traversal;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tags::library::Ready;
use tags::limits::TEXT_BYTES_MAX;
use tags::packed::Packed;
use tags::{Classes, Library, TagPath};

use crate::content_key::{self, Key};
use crate::index::RebuildReason;
use crate::limits::{BULK_BYTES_ALL_MAX, BULK_BYTES_MAX, LOADED_TAGS_MAX, REPORTS_MAX};
use crate::report::TagReport;
use crate::tree::Shelf;
use traversal::Traversal;

pub use crate::limits::OPEN_FILES_MAX;
pub(crate) use build::ancestry_reports;

/// The root that stands for all tags.
pub const EVERYTHING: &str = "*";

/// The limits of one load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadLimits {
    /// The most tags.
    pub tags: usize,
    /// The largest bulk file in bytes.
    pub bulk_bytes_each: u64,
    /// All resident bulk data together, in bytes.
    pub bulk_bytes: u64,
}

impl Default for LoadLimits {
    fn default() -> LoadLimits {
        LoadLimits { tags: LOADED_TAGS_MAX, bulk_bytes_each: BULK_BYTES_MAX, bulk_bytes: BULK_BYTES_ALL_MAX }
    }
}

/// The result of a load.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The tags, by path.
    pub tags: BTreeMap<String, LoadedTag>,
    /// Their resident bulk data, by digest.
    pub bulk: BTreeMap<[u8; 32], Arc<[u8]>>,
    /// Errors and warnings, by path.
    pub reports: Vec<TagReport>,
    /// The tags that were built, and why.
    pub built: BTreeMap<String, RebuildReason>,
    /// Tags with errors in their text, for which defaults are used.
    pub unsound: BTreeSet<String>,
}

/// One tag.
#[derive(Debug, Clone)]
pub struct LoadedTag {
    /// The key of its current version: covers everything that decides its bytes.
    pub key: Key,
    /// The packed form that the game reads.
    pub packed: Arc<Packed>,
    /// The key of its packed text.
    pub(crate) text_key: Key,
    /// Its packed text, before the postprocess.
    pub(crate) text_packed: Arc<Packed>,
}

impl Loaded {
    /// The tags as a library takes them.
    pub fn ready(&self) -> impl Iterator<Item = Ready> {
        self.tags.iter().filter_map(|(path, tag)| tag.ready(path))
    }

    /// A library of all loaded tags, with their classes.
    #[must_use]
    pub fn library(&self, classes: Arc<Classes>) -> Library {
        let mut library = Library::with_classes(classes);
        library.apply(self.ready());
        self.bulk.iter().for_each(|(digest, bytes)| library.add_bulk(*digest, Arc::clone(bytes)));
        library
    }
}

impl LoadedTag {
    pub(crate) fn new(key: Key, packed: Packed) -> LoadedTag {
        let packed = Arc::new(packed);
        LoadedTag { key, packed: Arc::clone(&packed), text_key: key, text_packed: packed }
    }

    pub(crate) fn ready(&self, path: &str) -> Option<Ready> {
        Some(Ready { path: TagPath::new(path).ok()?, key: self.key, packed: Arc::clone(&self.packed) })
    }
}

impl Shelf {
    /// Loads the roots and the closure of their references. With [`EVERYTHING`] among them, all tags of the tree.
    #[must_use]
    pub fn load(&mut self, roots: &[&str], limits: &LoadLimits) -> Loaded {
        let mut loaded = self.load_texts(roots, limits, &BTreeMap::new());
        self.add_made(&mut loaded);
        cycles::report(self, &mut loaded);
        loaded.reports.extend(missing::conflicts(&loaded));
        self.postprocess(&mut loaded);
        self.load_bulk(&mut loaded, limits);
        self.sort_reports(&mut loaded);
        loaded
    }

    /// The packed texts of tags and of all tags they lead to, by path, neither postprocessed nor with bulk data. For
    /// tools.
    #[must_use]
    pub fn packed(&mut self, paths: &[&str]) -> BTreeMap<String, Arc<Packed>> {
        let loaded = self.load_texts(paths, &LoadLimits::default(), &BTreeMap::new());
        loaded.tags.into_iter().map(|(path, tag)| (path, tag.text_packed)).collect()
    }

    /// Loads the closure of the roots except for tags that are `there` already, which are neither loaded nor followed.
    /// Nothing is postprocessed.
    pub(crate) fn load_texts(
        &mut self,
        roots: &[&str],
        limits: &LoadLimits,
        there: &BTreeMap<String, LoadedTag>,
    ) -> Loaded {
        Traversal::new(self, limits, there).load(roots)
    }

    /// Adds the tags that lie in no file. A text without a path or a class of its own is no tag.
    fn add_made(&mut self, loaded: &mut Loaded) {
        for (path, text) in self.folders.made() {
            let Some(class) = TagPath::new(path).ok().and_then(|path| self.classes.get(path.class())) else { continue };
            let made = class.pack_text(text);
            loaded.reports.extend(made.reports.into_iter().map(|report| TagReport::in_text(path, text, report)));
            let tag = LoadedTag::new(content_key::of_packed(class, &content_key::of(text.as_bytes())), made.packed);
            if !self.store.as_ref().is_some_and(|store| store.has(&tag.key)) {
                self.made.push((tag.key, Some(Arc::clone(&tag.packed))));
            }
            loaded.tags.insert(path.clone(), tag);
        }
    }

    /// Postprocesses the tags whose class has a postprocess and whose inputs changed. Returns the paths of changed
    /// tags.
    pub(crate) fn postprocess(&mut self, loaded: &mut Loaded) -> Vec<String> {
        postprocess::run(self, loaded)
    }

    /// Loads the resident bulk data that is missing, and checks the other.
    pub(crate) fn load_bulk(&mut self, loaded: &mut Loaded, limits: &LoadLimits) {
        bulk::load(self, limits, loaded);
    }

    pub(crate) fn sort_reports(&self, loaded: &mut Loaded) {
        let order = |report: &TagReport| (report.path.clone(), report.report.span.start, report.report.message.clone());
        loaded.reports.sort_by_cached_key(order);
        loaded.reports.dedup();
        if loaded.reports.len() > REPORTS_MAX {
            let left_out = loaded.reports.len() - REPORTS_MAX;
            loaded.reports.truncate(REPORTS_MAX);
            let message = format!("{left_out} more reports are omitted");
            loaded.reports.push(TagReport::of_file(".", &message, ""));
        }
    }

    /// The text of a tag, for showing an excerpt; empty if it cannot be read.
    pub(crate) fn text(&self, path: &str) -> String {
        let bytes = host::files::read_at_most(&self.folders.file(path).0, TEXT_BYTES_MAX as u64).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// The class that a path's extension names.
pub(crate) fn class_name(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, class)| class)
}

#[cfg(test)]
mod tests;
