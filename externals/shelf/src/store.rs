//! A content-addressed store: immutable objects of bytes, found by their keys.
//!
//! Laws
//! 1. An object is returned as it was put, or not at all. Every object and every table has a checksum: damage at any
//!    byte is detected, and only means that the object is built again.
//! 2. Objects lie in packs: files that are written whole, once, and never changed. Each has its own table, so there is
//!    no central index to keep consistent.
//! 3. Any number of processes may use one store. Each sees the packs that existed when it opened the store, and its
//!    own. An object that another process removes is built again.
//! 4. [`Store::put_in_order`] compacts: it keeps all live objects, and of the others the most recent ones that fit into
//!    the limit.
//! 5. The store does not know what an object is. The key is the caller's, and covers everything that decides the
//!    object's bytes.
//!
//! Cost: opening takes time and memory in proportion to the tables of the packs: at most 8 bytes of heap for each
//! byte. Held by `tests/growth.rs` of the tool.

mod batch_read;
mod pack;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use host::background::BackgroundWriter;
use host::files::{self, FileError};
use host::walk::{WalkLimits, walk};

use crate::content_key::Key;
use crate::limits::{OBJECT_BYTES_MAX, PACK_BYTES, PACK_OBJECTS_MAX, PACKS_MANY, PACKS_MAX};
use pack::{Pack, PackError};

const EXTENSION: &str = "pack";

/// A store in a folder.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    /// The newest first.
    packs: Vec<Pack>,
    troubles: Vec<String>,
}

/// The size of a store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fullness {
    /// The number of packs.
    pub packs: usize,
    /// The number of objects in them, duplicates included.
    pub objects: usize,
    /// The bytes of the packs.
    pub bytes: u64,
}

impl Store {
    /// Opens the store in a folder, which is created if necessary. Damaged packs are removed and listed by
    /// [`Store::troubles`]; packs of another version of the program are left alone.
    pub fn open(folder: &Path) -> Result<Store, FileError> {
        files::make_folder(folder)?;
        let found = walk(folder, &WalkLimits { entries: PACKS_MAX, depth: 1, threads: 1 })?;
        let mut files: Vec<_> =
            found.files.into_iter().filter(|file| file.path.ends_with(&format!(".{EXTENSION}"))).collect();
        files.sort_unstable_by(|one, other| (other.stamp.modified, &other.path).cmp(&(one.stamp.modified, &one.path)));
        let mut store = Store { folder: folder.to_path_buf(), packs: Vec::new(), troubles: Vec::new() };
        let opened = host::parallel::many(files.len(), host::parallel::threads(), |number| {
            Pack::open(&folder.join(&files[number].path))
        });
        for pack in opened {
            match pack {
                Ok(pack) => store.packs.push(pack),
                Err(PackError::Foreign) => {}
                Err(PackError::Unreadable(error)) => store.troubles.push(error.to_string()),
                Err(PackError::Damaged(path, what)) => {
                    store
                        .troubles
                        .push(format!("{}: {what}; it is removed, and its tags are built again", path.display()));
                    // If it cannot be removed, it is found again next time.
                    let _ = files::remove(&path);
                }
            }
        }
        Ok(store)
    }

    /// The problems of the packs that were found.
    #[must_use]
    pub fn troubles(&self) -> &[String] {
        &self.troubles
    }

    /// Whether an object is listed in a table.
    #[must_use]
    pub fn has(&self, key: &Key) -> bool {
        self.find(key).is_some()
    }

    /// The key of an object of which only the first half is known, as `Key::half` gives it.
    #[must_use]
    pub fn key_of_half(&self, half: u128) -> Option<Key> {
        self.packs.iter().find_map(|pack| pack.key_from(&half.to_le_bytes()))
    }

    /// The object of a key.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        self.get_many(std::slice::from_ref(key), 1, |_, object| object.map(<[u8]>::to_vec)).pop().flatten()
    }

    /// Calls `look` with the object of each key, or with none, and returns the results in the order of the keys. Runs
    /// on as many threads as allowed; each has one file open.
    pub fn get_many<R: Send>(
        &self,
        keys: &[Key],
        threads: usize,
        look: impl Fn(usize, Option<&[u8]>) -> R + Sync,
    ) -> Vec<R> {
        let wanted: Vec<_> = keys.iter().map(|key| self.find(key)).collect();
        batch_read::read(&self.packs, keys, &wanted, threads, look)
    }

    /// Puts objects; those that exist already, and those above the size limit, are skipped.
    pub fn put(&mut self, objects: &[(Key, &[u8])]) -> Result<(), FileError> {
        let new: Vec<(Key, &[u8])> = objects.iter().filter(|(key, _)| !self.has(key)).copied().collect();
        self.write(&new, None)
    }

    /// Puts objects that exist already but were found damaged.
    pub fn replace(&mut self, objects: &[(Key, &[u8])]) -> Result<(), FileError> {
        self.write(objects, None)
    }

    /// Puts objects through the background writer. Until they are written they are not found.
    pub fn put_later(&mut self, objects: &[(Key, &[u8])], writer: &BackgroundWriter) -> Result<(), FileError> {
        let new: Vec<(Key, &[u8])> = objects.iter().filter(|(key, _)| !self.has(key)).copied().collect();
        self.write(&new, Some(writer))
    }

    /// The size of the store.
    #[must_use]
    pub fn fullness(&self) -> Fullness {
        self.packs.iter().fold(Fullness::default(), |sum, pack| Fullness {
            packs: sum.packs + 1,
            objects: sum.objects + pack.rows().len(),
            bytes: sum.bytes.saturating_add(pack.bytes()),
        })
    }

    /// Whether [`Store::put_in_order`] is worth its time.
    #[must_use]
    pub fn is_out_of_order(&self, bytes_max: u64) -> bool {
        let small = self.packs.iter().filter(|pack| is_small(pack)).count();
        small > PACKS_MANY || self.fullness().bytes > bytes_max
    }

    /// Compacts small packs into large ones. If the store exceeds its limit, large packs are rewritten too, without the
    /// excess. Holds one pack in memory at a time.
    pub fn put_in_order(&mut self, needed: &BTreeSet<Key>, bytes_max: u64) -> Result<(), FileError> {
        let is_full = self.fullness().bytes > bytes_max;
        let packs = std::mem::take(&mut self.packs);
        let (old, rest): (Vec<Pack>, Vec<Pack>) = packs.into_iter().partition(|pack| is_full || is_small(pack));
        self.packs = rest;
        let kept = kept(&old, needed, if is_full { bytes_max } else { u64::MAX });
        match self.rewrite(&old, kept) {
            Ok(()) => {
                let new: BTreeSet<&Path> = self.packs.iter().map(Pack::path).collect();
                for pack in old.iter().filter(|pack| !new.contains(pack.path())) {
                    // Another process may have been faster.
                    let _ = files::remove(pack.path());
                }
                Ok(())
            }
            Err(error) => {
                self.packs.extend(old);
                Err(error)
            }
        }
    }

    fn rewrite(&mut self, old: &[Pack], mut kept: BTreeSet<Key>) -> Result<(), FileError> {
        let mut batch: Vec<(Key, Vec<u8>)> = Vec::new();
        let mut batch_bytes = 0_u64;
        // The oldest first, so that the order of age is preserved.
        for pack in old.iter().rev() {
            let keys: Vec<Key> = pack.rows().iter().map(|row| row.key).filter(|key| kept.contains(key)).collect();
            let wanted: Vec<_> = keys.iter().map(|key| pack.find(key).map(|row| (0, row))).collect();
            let packs = std::slice::from_ref(pack);
            let objects = batch_read::read(packs, &keys, &wanted, 1, |_, object| object.map(<[u8]>::to_vec));
            for (key, object) in keys.into_iter().zip(objects) {
                let Some(object) = object else { continue };
                kept.remove(&key);
                let length = object.len() as u64;
                if batch_bytes.saturating_add(length) > PACK_BYTES || batch.len() >= PACK_OBJECTS_MAX {
                    self.write_owned(&mut batch)?;
                    batch_bytes = 0;
                }
                batch_bytes += length;
                batch.push((key, object));
            }
        }
        self.write_owned(&mut batch)
    }

    fn write_owned(&mut self, batch: &mut Vec<(Key, Vec<u8>)>) -> Result<(), FileError> {
        let borrowed: Vec<(Key, &[u8])> = batch.iter().map(|(key, bytes)| (*key, bytes.as_slice())).collect();
        let written = self.write(&borrowed, None);
        batch.clear();
        written
    }

    /// Writes objects into packs of limited size, through the background writer if it has capacity.
    fn write(&mut self, objects: &[(Key, &[u8])], writer: Option<&BackgroundWriter>) -> Result<(), FileError> {
        let mut sorted: Vec<_> = objects.iter().filter(|(_, bytes)| bytes.len() <= OBJECT_BYTES_MAX).copied().collect();
        sorted.sort_unstable_by_key(|(key, _)| *key);
        sorted.dedup_by_key(|(key, _)| *key);
        let mut left = &sorted[..];
        if !left.is_empty() {
            // The folder may have been deleted meanwhile.
            files::make_folder(&self.folder)?;
        }
        while !left.is_empty() {
            let mut bytes = 0_u64;
            let fitting = left.iter().take(PACK_OBJECTS_MAX).take_while(|(_, object)| {
                bytes = bytes.saturating_add(object.len() as u64);
                bytes <= PACK_BYTES
            });
            let (now, later) = left.split_at(fitting.count().max(1));
            let (pack, bytes) = Pack::of(&self.folder, EXTENSION, now);
            write_by(writer, pack.path(), bytes)?;
            self.packs.retain(|other| other.path() != pack.path());
            self.packs.insert(0, pack);
            left = later;
        }
        Ok(())
    }

    /// The pack of an object, and its row there.
    fn find(&self, key: &Key) -> Option<(usize, pack::Row)> {
        self.packs.iter().enumerate().find_map(|(number, pack)| pack.find(key).map(|row| (number, row)))
    }
}

/// Writes a file, through the background writer if it has capacity.
pub(crate) fn write_by(writer: Option<&BackgroundWriter>, path: &Path, bytes: Vec<u8>) -> Result<(), FileError> {
    let refused = match writer {
        Some(writer) => writer.submit(path.to_path_buf(), bytes).err().map(|refused| refused.bytes),
        None => Some(bytes),
    };
    refused.map_or(Ok(()), |bytes| files::write_atomically(path, &[&bytes]))
}

fn is_small(pack: &Pack) -> bool {
    pack.bytes() < PACK_BYTES / 2
}

/// The objects of some packs worth keeping: all live ones, then the most recent.
fn kept(packs: &[Pack], needed: &BTreeSet<Key>, bytes_max: u64) -> BTreeSet<Key> {
    let mut kept = BTreeSet::new();
    let mut bytes = 0_u64;
    for is_needed in [true, false] {
        for pack in packs {
            for row in pack.rows().iter().filter(|row| needed.contains(&row.key) == is_needed) {
                let room = bytes.saturating_add(u64::from(row.length));
                if (is_needed || room <= bytes_max) && kept.insert(row.key) {
                    bytes = room;
                }
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests;
