//! What is known of every file of a tree, so that those that did not change need not be read.
//!
//! Laws
//! 1. A file whose stamp is the one in the index is unchanged, unless it was written so shortly before it was read that it
//!    could have been written once more without its age showing it. Such a file is *racy*, and is read again.
//! 2. The index is one flat file, written whole, with a checksum over all of it. One that is damaged, or of another
//!    version, is the same as none.
//! 3. It says of each file what it was made from, so that whatever is made anew can say why: see [`Reason`].
//! 4. It is a note, not the truth: whoever finds that it is wrong changes it.

mod flat;
mod reason;

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::Path;

use host::files::{self, FileError};
use host::walk::{Stamp, Walk};

use crate::key::{self, Key};
use crate::limits::{INDEX_BYTES_MAX, RACY_NANOSECONDS};

pub use reason::Reason;

/// What is known of the files of a tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Index {
    entries: BTreeMap<String, Entry>,
    is_changed: bool,
}

/// What is known of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// What it was like when it was read.
    pub stamp: Stamp,
    /// Whether it may have changed since, although its stamp did not.
    pub is_racy: bool,
    /// Of what it holds.
    pub content: Key,
    /// What was made of it, if it is a tag and something was.
    pub made: Option<Made>,
}

/// What was made of a tag.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Made {
    /// Under which key its packed text lies in the store.
    pub key: Key,
    /// Of its class: what decides how it is packed.
    pub fingerprint: u64,
    /// Whether there was something to report. If so, it is made again at every start, so that it is told again.
    pub is_reported: bool,
    /// The paths of the tags it refers to, one per line.
    references: String,
    /// What its postprocess may read: paths, each with the key of what was there; a key of zeros for what was not.
    pub reads: Vec<(String, Key)>,
    /// Under which key it lies in the store when it is postprocessed; zeros if that was never done.
    pub ready: Key,
}

impl Made {
    /// Of a tag whose text was packed under this key by a class of this fingerprint.
    #[must_use]
    pub fn new(key: Key, fingerprint: u64) -> Made {
        Made { key, fingerprint, ..Made::default() }
    }

    /// With the paths of the tags it refers to, each counted once, in order.
    #[must_use]
    pub fn with_references<'a>(mut self, references: impl IntoIterator<Item = &'a str>) -> Made {
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
    /// A file that was read at a time (nanoseconds since 1970) after it was found to be like this.
    #[must_use]
    pub fn read(stamp: Stamp, content: Key, time: i64) -> Entry {
        let is_racy = stamp.modified.saturating_add(RACY_NANOSECONDS) >= time;
        Entry { stamp, is_racy, content, made: None }
    }

    /// Whether a file that is like this now certainly is the one that was read.
    #[must_use]
    pub fn is_certainly(&self, stamp: &Stamp) -> bool {
        self.stamp == *stamp && !self.is_racy
    }
}

impl Index {
    /// Reads the index from a file. One that is not there is empty, and so is one that is damaged, of which is told.
    #[must_use]
    pub fn load(path: &Path) -> (Index, Option<String>) {
        let bytes = match files::read_at_most(path, INDEX_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return (Index::default(), None),
            Err(error) => return (Index::default(), Some(error.to_string())),
        };
        match flat::read(&bytes) {
            Some(entries) => (Index { entries, is_changed: false }, None),
            None => {
                let told = format!("{}: is damaged or from another version; everything is made anew", path.display());
                (Index::default(), Some(told))
            }
        }
    }

    /// Writes it to a file, if it has changed since it was read.
    pub fn save(&mut self, path: &Path) -> Result<(), FileError> {
        if self.is_changed {
            files::write_atomically(path, &[&flat::write(&self.entries)])?;
            self.is_changed = false;
        }
        Ok(())
    }

    /// Its bytes, to be written by somebody else, if it has changed since.
    #[must_use]
    pub fn to_be_saved(&mut self) -> Option<Vec<u8>> {
        std::mem::take(&mut self.is_changed).then(|| flat::write(&self.entries))
    }

    /// What is known of a file.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Entry> {
        self.entries.get(path)
    }

    /// All files, by path.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(path, entry)| (path.as_str(), entry))
    }

    /// Notes what is known of a file.
    pub fn set(&mut self, path: &str, entry: Entry) {
        if self.entries.get(path) == Some(&entry) {
            return;
        }
        self.is_changed = true;
        self.entries.insert(path.to_string(), entry);
    }

    /// Forgets a file.
    pub fn remove(&mut self, path: &str) {
        self.is_changed |= self.entries.remove(path).is_some();
    }

    /// Forgets all files that are not in the tree.
    pub fn keep_only(&mut self, walk: &Walk) {
        let before = self.entries.len();
        let mut there = walk.files.iter().map(|file| file.path.as_str()).peekable();
        self.entries.retain(|path, _| {
            while there.next_if(|file| *file < path.as_str()).is_some() {}
            there.next_if_eq(&path.as_str()).is_some()
        });
        self.is_changed |= self.entries.len() != before;
    }

    /// The files of the tree that must be looked at: new, changed, or racy. By number in the walk.
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

    /// The keys of everything that was made of the tree's tags: what the store must keep.
    #[must_use]
    pub fn needed(&self) -> BTreeSet<Key> {
        let made = self.entries.values().filter_map(|entry| entry.made.as_ref());
        // Without its mark, a tag would come from the store, and nothing would be told about it.
        made.flat_map(|made| {
            [made.key, made.ready].into_iter().chain(made.is_reported.then(|| key::of_mark(&made.key)))
        })
        .collect()
    }
}

#[cfg(test)]
mod tests;
