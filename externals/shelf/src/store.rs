//! What was made once: pieces of bytes, found by their keys.
//!
//! Laws
//! 1. A piece is given back as it was put in, or not at all. Every piece and every table has a checksum, so damage at
//!    any byte is noticed, and only means that the piece must be made again.
//! 2. Pieces lie in packs: files that are written whole, once, and never changed. Each has a table of its own, so nothing
//!    else has to be kept in step with them.
//! 3. Any number of processes may use one store at once. Each sees the packs that were there when it opened the store,
//!    and its own. What one removes under another's hands, the other makes again.
//! 4. [`Store::put_in_order`] keeps all pieces that are needed, and of the others those put in last, as far as the limit
//!    allows.
//! 5. Nothing here says what a piece is. The key is the caller's, made of all that decides the piece's bytes.

mod pack;
mod reading;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use host::background::BackgroundWriter;
use host::files::{self, FileError};
use host::walk::{WalkLimits, walk};

use crate::key::Key;
use crate::limits::{PACK_BYTES, PACK_PIECES_MAX, PACKS_MANY, PACKS_MAX, PIECE_BYTES_MAX};
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

/// How full a store is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fullness {
    /// How many packs there are.
    pub packs: usize,
    /// How many pieces lie in them, each as often as it does.
    pub pieces: usize,
    /// How many bytes the packs have.
    pub bytes: u64,
}

impl Store {
    /// Opens the store in a folder, which is made if need be. Packs that are damaged are removed, and told by
    /// [`Store::troubles`]; those of another version of the program are left alone.
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
                    store.troubles.push(format!(
                        "{}: {what}; it is removed, and what was in it will be made again",
                        path.display()
                    ));
                    // If it cannot be removed, it is found again next time.
                    let _ = files::remove(&path);
                }
            }
        }
        Ok(store)
    }

    /// What was wrong with the packs that were found.
    #[must_use]
    pub fn troubles(&self) -> &[String] {
        &self.troubles
    }

    /// Whether a piece is said to be there.
    #[must_use]
    pub fn has(&self, key: &Key) -> bool {
        self.find(key).is_some()
    }

    /// The key of a piece of which only the first half is known, as `Key::half` gives it.
    #[must_use]
    pub fn key_of_half(&self, half: u128) -> Option<Key> {
        self.packs.iter().find_map(|pack| pack.key_from(&half.to_le_bytes()))
    }

    /// The piece of a key.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        self.get_many(std::slice::from_ref(key), 1, |_, piece| piece.map(<[u8]>::to_vec)).pop().flatten()
    }

    /// What `look` makes of the piece of each key, in the order of the keys, or of nothing where there is none. It is
    /// called by as many threads as allowed, each of which has one file open.
    pub fn get_many<R: Send>(
        &self,
        keys: &[Key],
        threads: usize,
        look: impl Fn(usize, Option<&[u8]>) -> R + Sync,
    ) -> Vec<R> {
        let wanted: Vec<_> = keys.iter().map(|key| self.find(key)).collect();
        reading::read(&self.packs, keys, &wanted, threads, look)
    }

    /// Puts pieces in; those that are there already are passed over, and so are those above the limit.
    pub fn put(&mut self, pieces: &[(Key, &[u8])]) -> Result<(), FileError> {
        let new: Vec<(Key, &[u8])> = pieces.iter().filter(|(key, _)| !self.has(key)).copied().collect();
        self.write(&new, None)
    }

    /// Puts pieces in although they are there: who asked for them found them damaged.
    pub fn replace(&mut self, pieces: &[(Key, &[u8])]) -> Result<(), FileError> {
        self.write(pieces, None)
    }

    /// Puts pieces in without waiting for the disk. Until they are written they are as good as lost.
    pub fn put_later(&mut self, pieces: &[(Key, &[u8])], writer: &BackgroundWriter) -> Result<(), FileError> {
        let new: Vec<(Key, &[u8])> = pieces.iter().filter(|(key, _)| !self.has(key)).copied().collect();
        self.write(&new, Some(writer))
    }

    /// How full it is.
    #[must_use]
    pub fn fullness(&self) -> Fullness {
        self.packs.iter().fold(Fullness::default(), |sum, pack| Fullness {
            packs: sum.packs + 1,
            pieces: sum.pieces + pack.rows().len(),
            bytes: sum.bytes.saturating_add(pack.bytes()),
        })
    }

    /// Whether [`Store::put_in_order`] is worth its time.
    #[must_use]
    pub fn is_out_of_order(&self, bytes_max: u64) -> bool {
        let small = self.packs.iter().filter(|pack| is_small(pack)).count();
        small > PACKS_MANY || self.fullness().bytes > bytes_max
    }

    /// Writes small packs together into large ones. If the store holds more than it should, large ones too, without what is
    /// too much. Holds one pack in memory at a time, or as much as one holds.
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
        // The oldest first, so that the newest are the newest again.
        for pack in old.iter().rev() {
            let keys: Vec<Key> = pack.rows().iter().map(|row| row.key).filter(|key| kept.contains(key)).collect();
            let wanted: Vec<_> = keys.iter().map(|key| pack.find(key).map(|row| (0, row))).collect();
            let packs = std::slice::from_ref(pack);
            let pieces = reading::read(packs, &keys, &wanted, 1, |_, piece| piece.map(<[u8]>::to_vec));
            for (key, piece) in keys.into_iter().zip(pieces) {
                let Some(piece) = piece else { continue };
                kept.remove(&key);
                let length = piece.len() as u64;
                if batch_bytes.saturating_add(length) > PACK_BYTES || batch.len() >= PACK_PIECES_MAX {
                    self.write_owned(&mut batch)?;
                    batch_bytes = 0;
                }
                batch_bytes += length;
                batch.push((key, piece));
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

    /// Writes pieces into packs that are not too large; by somebody else, if there is somebody with room.
    fn write(&mut self, pieces: &[(Key, &[u8])], writer: Option<&BackgroundWriter>) -> Result<(), FileError> {
        let mut sorted: Vec<_> = pieces.iter().filter(|(_, bytes)| bytes.len() <= PIECE_BYTES_MAX).copied().collect();
        sorted.sort_unstable_by_key(|(key, _)| *key);
        sorted.dedup_by_key(|(key, _)| *key);
        let mut left = &sorted[..];
        if !left.is_empty() {
            // Somebody may have deleted it while we ran.
            files::make_folder(&self.folder)?;
        }
        while !left.is_empty() {
            let mut bytes = 0_u64;
            let fitting = left.iter().take(PACK_PIECES_MAX).take_while(|(_, piece)| {
                bytes = bytes.saturating_add(piece.len() as u64);
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

    /// In which pack a piece lies, and where in it.
    fn find(&self, key: &Key) -> Option<(usize, pack::Row)> {
        self.packs.iter().enumerate().find_map(|(number, pack)| pack.find(key).map(|row| (number, row)))
    }
}

/// Writes a file: by somebody else, if there is somebody with room.
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

/// Which pieces of some packs are worth keeping: everything needed, and then what was put in last.
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
