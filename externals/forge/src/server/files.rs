//! The file operations of the server as a trait, so that tests can use a file system in memory.
//!
//! Paths are absolute, with `/` as separator.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::time::SystemTime;

use host::parallel::{self, many};

use super::limits::{FILE_BYTES_MAX, FILES_MAX};

/// The number of bytes that [`Files::head`] returns: most files say in them what they are, also behind a comment.
pub const HEAD_BYTES: usize = 1024;

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name, without the folder.
    pub name: String,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// A stamp that changes with the file.
    pub stamp: u64,
}

/// Whether a file is to be read, by its path and its head.
pub type FileFilter = dyn Fn(&str, &[u8]) -> bool + Sync;

/// A file system.
pub trait Files {
    /// The text of a file. None if it is missing, not valid UTF-8, or longer than [`FILE_BYTES_MAX`].
    fn read(&self, path: &str) -> Option<String>;

    /// The first [`HEAD_BYTES`] of a file, or as many as there are.
    fn head(&self, path: &str) -> Vec<u8>;

    /// The texts of many files, in their order; none for those that `is_wanted` rejects by path and head.
    fn read_many(&self, paths: &[String], is_wanted: &FileFilter) -> Vec<Option<String>> {
        paths.iter().map(|path| is_wanted(path, &self.head(path)).then(|| self.read(path)).flatten()).collect()
    }

    /// The entries of a folder, by name. Links are omitted: they may lead out of the tree, or form cycles.
    fn list(&self, folder: &str) -> Vec<Entry>;

    /// The entries of many folders, in their order.
    fn list_many(&self, folders: &[&str]) -> Vec<Vec<Entry>> {
        folders.iter().map(|folder| self.list(folder)).collect()
    }

    /// Whether there is a file or a folder.
    fn is_there(&self, path: &str) -> bool;
}

/// The disk of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &str) -> Option<String> {
        let bytes = host::files::read_at_most(Path::new(path), FILE_BYTES_MAX).ok()?;
        let mut text = String::from_utf8(bytes).ok()?;
        // The byte order mark that some editors write.
        if text.starts_with('\u{feff}') {
            text.remove(0);
        }
        Some(text)
    }

    fn head(&self, path: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        if let Ok(file) = File::open(path) {
            let _ = file.take(HEAD_BYTES as u64).read_to_end(&mut bytes);
        }
        bytes
    }

    fn read_many(&self, paths: &[String], is_wanted: &FileFilter) -> Vec<Option<String>> {
        // More threads than processors: most of the time is spent waiting for the disk.
        many(paths.len(), parallel::threads() * 4, |number| {
            let path = &paths[number];
            is_wanted(path, &self.head(path)).then(|| self.read(path)).flatten()
        })
    }

    fn list(&self, folder: &str) -> Vec<Entry> {
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let entries = entries.filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            // For a link this describes the link itself, which is neither a folder nor a file.
            let metadata = entry.metadata().ok()?;
            let is_left_out = !metadata.is_dir() && !metadata.is_file();
            let since = metadata.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
            let nanoseconds = since.map_or(0, |since| since.as_nanos() as u64);
            let stamp = nanoseconds.rotate_left(20) ^ metadata.len();
            (!is_left_out).then_some(Entry { name, is_folder: metadata.is_dir(), stamp })
        });
        let mut entries: Vec<Entry> = entries.take(FILES_MAX).collect();
        entries.sort_unstable_by(|left, right| left.name.cmp(&right.name));
        entries
    }

    fn list_many(&self, folders: &[&str]) -> Vec<Vec<Entry>> {
        many(folders.len(), parallel::threads() * 4, |number| self.list(folders[number]))
    }

    fn is_there(&self, path: &str) -> bool {
        Path::new(path).exists()
    }
}

/// A file system in memory: absolute paths and texts.
#[derive(Clone, Debug, Default)]
pub struct Memory(pub BTreeMap<String, String>);

impl Files for Memory {
    fn read(&self, path: &str) -> Option<String> {
        self.0.get(path).cloned()
    }

    fn head(&self, path: &str) -> Vec<u8> {
        self.0.get(path).map_or(Vec::new(), |text| text.bytes().take(HEAD_BYTES).collect())
    }

    fn list(&self, folder: &str) -> Vec<Entry> {
        let start = format!("{folder}/");
        let mut entries: Vec<Entry> = Vec::new();
        for (path, text) in self.0.range(start.clone()..) {
            let Some(rest) = path.strip_prefix(&start) else { break };
            let (name, is_folder) = rest.split_once('/').map_or((rest, false), |(name, _)| (name, true));
            if entries.iter().all(|entry| entry.name != name) {
                let stamp = text.bytes().fold(0, |sum: u64, byte| sum.rotate_left(5) ^ u64::from(byte));
                entries.push(Entry { name: name.to_string(), is_folder, stamp });
            }
        }
        entries
    }

    fn is_there(&self, path: &str) -> bool {
        self.0.contains_key(path) || !self.list(path).is_empty()
    }
}
