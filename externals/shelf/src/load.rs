//! Everything that a game needs: the roots, the tags they refer to, those that these refer to, and their bulk.
//!
//! Laws
//! 1. The same files give the same tags, reports and order, whatever is remembered and however many threads there are.
//! 2. Nothing that a file holds stops the loading. What is wrong, missing or goes in circles is reported, and the rest is
//!    loaded.
//! 3. A tag is loaded once, whoever refers to it. There is no recursion, and the number of tags is limited.
//! 4. What did not change is not read: its packed form comes from the store. Everything else says why it was made anew.
//! 5. Tags are read, packed and postprocessed by all processors; no more files are open than [`OPEN_FILES_MAX`].
//! 6. Bulk is known by its digest alone. A file that is not what its tag says is reported, and is not given to the game.

mod bulk;
mod circles;
mod gather;
mod make;
mod missing;
mod postprocess;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tags::library::Ready;
use tags::limits::TEXT_BYTES_MAX;
use tags::packed::Packed;
use tags::{Library, TagPath};

use crate::index::Reason;
use crate::key::Key;
use crate::limits::{BULK_BYTES_ALL_MAX, BULK_BYTES_MAX, LOADED_TAGS_MAX, REPORTS_MAX};
use crate::report::TagReport;
use crate::tree::Shelf;
use gather::Loading;

pub(crate) use bulk::place_of;

pub use crate::limits::OPEN_FILES_MAX;

/// A root that stands for every tag there is.
pub const EVERYTHING: &str = "*";

/// How much may be loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadLimits {
    /// Most tags.
    pub tags: usize,
    /// Most bytes of one file of bulk.
    pub bulk_bytes_each: u64,
    /// Most bytes of all bulk.
    pub bulk_bytes: u64,
}

impl Default for LoadLimits {
    fn default() -> LoadLimits {
        LoadLimits { tags: LOADED_TAGS_MAX, bulk_bytes_each: BULK_BYTES_MAX, bulk_bytes: BULK_BYTES_ALL_MAX }
    }
}

/// What was loaded.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The tags, by path.
    pub tags: BTreeMap<String, LoadedTag>,
    /// Their bulk, by digest.
    pub bulk: BTreeMap<[u8; 32], Arc<[u8]>>,
    /// What is wrong, by path.
    pub reports: Vec<TagReport>,
    /// Which tags were made anew, and why.
    pub built: BTreeMap<String, Reason>,
    /// Whose text has errors, so that defaults take their place.
    pub unsound: BTreeSet<String>,
}

/// One tag.
#[derive(Debug, Clone)]
pub struct LoadedTag {
    /// Names what it is now: made of all that decides it.
    pub key: Key,
    /// What the game reads.
    pub packed: Arc<Packed>,
    /// Names what its text alone was packed to.
    pub(crate) text_key: Key,
    /// What its text alone was packed to; before the postprocess.
    pub(crate) text_packed: Arc<Packed>,
}

impl Loaded {
    /// The tags as a library takes them.
    pub fn ready(&self) -> impl Iterator<Item = Ready> {
        self.tags.iter().filter_map(|(path, tag)| tag.ready(path))
    }

    /// A library of all that was loaded.
    #[must_use]
    pub fn library(&self) -> Library {
        let mut library = Library::new();
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
    /// Loads the roots and everything they lead to. With [`EVERYTHING`] among them, that is all tags of the tree.
    #[must_use]
    pub fn load(&mut self, roots: &[&str], limits: &LoadLimits) -> Loaded {
        let mut loaded = self.load_texts(roots, limits, &BTreeMap::new());
        circles::report(self, &mut loaded);
        loaded.reports.extend(missing::conflicts(&loaded));
        self.postprocess(&mut loaded);
        self.load_bulk(&mut loaded, limits);
        self.sort_reports(&mut loaded);
        loaded
    }

    /// The packed forms of tags and of those they lead to, by path, as their texts alone give them: nothing is postprocessed, and
    /// no bulk is read. For tools.
    #[must_use]
    pub fn packed(&mut self, paths: &[&str]) -> BTreeMap<String, Arc<Packed>> {
        let loaded = self.load_texts(paths, &LoadLimits::default(), &BTreeMap::new());
        loaded.tags.into_iter().map(|(path, tag)| (path, tag.text_packed)).collect()
    }

    /// Loads the roots and what they lead to, but for tags that are there already: they are neither loaded nor followed.
    /// Nothing is postprocessed.
    pub(crate) fn load_texts(
        &mut self,
        roots: &[&str],
        limits: &LoadLimits,
        there: &BTreeMap<String, LoadedTag>,
    ) -> Loaded {
        Loading::new(self, limits, there).load(roots)
    }

    /// Postprocesses the tags whose class does so, unless what they depend on is as it was. Gives those that are others now.
    pub(crate) fn postprocess(&mut self, loaded: &mut Loaded) -> Vec<String> {
        postprocess::run(self, loaded)
    }

    /// Loads the bulk that is not there yet.
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
            let message = format!("there are {left_out} more reports, which are left out");
            loaded.reports.push(TagReport::of_file(".", &message, ""));
        }
    }

    /// The text of a tag, for showing a place in it; empty if it cannot be read.
    pub(crate) fn text(&self, path: &str) -> String {
        let bytes = host::files::read_at_most(&self.root.join(path), TEXT_BYTES_MAX as u64).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// The class that a path names.
pub(crate) fn class_name(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, class)| class)
}

#[cfg(test)]
mod tests;
