//! The file index of a tree, by which unchanged files need not be read.
//!
//! Laws
//! 1. A file whose stamp equals the one in the index is unchanged, unless it was written so shortly before it was read
//!    that another write could have left the same modification time. Such a file is *racy* (as in git's index) and is
//!    read again.
//! 2. The index is one file, written whole, with a checksum. A damaged one, or one of another version, is treated as
//!    missing.
//! 3. It records the inputs that each tag was built from, so that every rebuild can state its [`RebuildReason`].
//! 4. It is a cache: an entry that turns out to be wrong is replaced.
//!
//! Cost: time and memory in proportion to the file: at most 20 bytes of heap for each byte. Held by
//! `tests/growth.rs` of the tool.

mod encoding;
mod rebuild_reason;

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::Path;

use host::files::{self, FileError};
use host::walk::{Stamp, Walk};

use crate::content_key::{self, Key};
use crate::limits::{INDEX_BYTES_MAX, RACY_NANOSECONDS};

pub use rebuild_reason::RebuildReason;

/// The files of a tree, by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Index {
    entries: BTreeMap<String, Entry>,
    is_changed: bool,
}

/// One file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its stamp when it was read.
    pub stamp: Stamp,
    /// Whether it may have changed since without its stamp showing it.
    pub is_racy: bool,
    /// The hash of its content.
    pub content: Key,
    /// What was built from it, if it is a tag.
    pub made: Option<BuildRecord>,
}

/// What was built from a tag.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BuildRecord {
    /// The key of its packed text in the store.
    pub key: Key,
    /// The fingerprint of its class.
    pub fingerprint: u64,
    /// Whether there was something to report. If so, it is built again at every start, so that the report appears
    /// again.
    pub is_reported: bool,
    /// The paths of the tags it refers to, one per line.
    references: String,
    /// The inputs of its postprocess: paths and their keys; a key of zeros for a tag that was missing.
    pub reads: Vec<(String, Key)>,
    /// The key of its postprocessed form in the store; zeros if it has none.
    pub ready: Key,
    /// The tags that it is made from, and the hashes of their texts; a key of zeros for one that was missing.
    pub parents: Vec<(String, Key)>,
}

impl BuildRecord {
    /// A tag whose text was packed under this key by a class with this fingerprint.
    #[must_use]
    pub fn new(key: Key, fingerprint: u64) -> BuildRecord {
        BuildRecord { key, fingerprint, ..BuildRecord::default() }
    }

    /// With the paths of the tags it refers to, sorted and without duplicates.
    #[must_use]
    pub fn with_references<'a>(mut self, references: impl IntoIterator<Item = &'a str>) -> BuildRecord {
        let sorted: BTreeSet<&str> = references.into_iter().collect();
        self.references = sorted.into_iter().collect::<Vec<_>>().join("\n");
        self
    }

    /// The paths of the tags it refers to, sorted.
    pub fn references(&self) -> impl Iterator<Item = &str> {
        self.references.lines()
    }
}

impl Entry {
    /// A file that was read at a time (nanoseconds since 1970), after its stamp was taken.
    #[must_use]
    pub fn read(stamp: Stamp, content: Key, time: i64) -> Entry {
        let is_racy = stamp.modified.saturating_add(RACY_NANOSECONDS) >= time;
        Entry { stamp, is_racy, content, made: None }
    }

    /// Whether a file with this stamp is certainly the one that was read.
    #[must_use]
    pub fn is_certainly(&self, stamp: &Stamp) -> bool {
        self.stamp == *stamp && !self.is_racy
    }
}

impl Index {
    /// Reads the index from a file. A missing or damaged one is empty; the latter is reported.
    #[must_use]
    pub fn load(path: &Path) -> (Index, Option<String>) {
        let bytes = match files::read_at_most(path, INDEX_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return (Index::default(), None),
            Err(error) => return (Index::default(), Some(error.to_string())),
        };
        match encoding::read(&bytes) {
            Some(entries) => (Index { entries, is_changed: false }, None),
            None => {
                let told =
                    format!("{}: it is damaged or from another version; all tags are built again", path.display());
                (Index::default(), Some(told))
            }
        }
    }

    /// Writes the index to a file, if it changed since it was read.
    pub fn save(&mut self, path: &Path) -> Result<(), FileError> {
        if self.is_changed {
            files::write_atomically(path, &[&encoding::write(&self.entries)])?;
            self.is_changed = false;
        }
        Ok(())
    }

    /// Its bytes, for a background writer, if it changed since.
    #[must_use]
    pub fn to_be_saved(&mut self) -> Option<Vec<u8>> {
        std::mem::take(&mut self.is_changed).then(|| encoding::write(&self.entries))
    }

    /// The entry of a file.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Entry> {
        self.entries.get(path)
    }

    /// All files, by path.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(path, entry)| (path.as_str(), entry))
    }

    /// Sets the entry of a file.
    pub fn set(&mut self, path: &str, entry: Entry) {
        if self.entries.get(path) == Some(&entry) {
            return;
        }
        self.is_changed = true;
        self.entries.insert(path.to_string(), entry);
    }

    /// Removes a file.
    pub fn remove(&mut self, path: &str) {
        self.is_changed |= self.entries.remove(path).is_some();
    }

    /// Removes all files that are not in the tree.
    pub fn keep_only(&mut self, walk: &Walk) {
        let before = self.entries.len();
        let mut there = walk.files.iter().map(|file| file.path.as_str()).peekable();
        self.entries.retain(|path, _| {
            while there.next_if(|file| *file < path.as_str()).is_some() {}
            there.next_if_eq(&path.as_str()).is_some()
        });
        self.is_changed |= self.entries.len() != before;
    }

    /// The files of the tree that must be read: new, changed or racy ones, by their number in the walk.
    #[must_use]
    pub fn uncertain(&self, walk: &Walk) -> Vec<usize> {
        let mut known = self.entries.iter().peekable();
        let mut uncertain = Vec::new();
        for (number, file) in walk.files.iter().enumerate() {
            while known.next_if(|(path, _)| **path < file.path).is_some() {}
            let entry = known.next_if(|(path, _)| **path == file.path);
            if !entry.is_some_and(|(_, entry)| entry.is_certainly(&file.stamp)) {
                uncertain.push(number);
            }
        }
        uncertain
    }

    /// The keys of everything that was built from the tree's tags: the live set of the store.
    #[must_use]
    pub fn needed(&self) -> BTreeSet<Key> {
        let made = self.entries.values().filter_map(|entry| entry.made.as_ref());
        // Without its mark a tag would be taken from the store, and its reports would be missing.
        made.flat_map(|made| {
            [made.key, made.ready].into_iter().chain(made.is_reported.then(|| content_key::of_mark(&made.key)))
        })
        .collect()
    }
}

#[cfg(test)]
mod tests;
