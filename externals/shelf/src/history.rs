//! Earlier versions of tags and earlier contents, for films, saves and rewinding.
//!
//! Laws
//! 1. A version is found by the id of its path and the first half of its key, as long as the store has it and the
//!    fingerprint of its class is unchanged.
//! 2. A content is the list of all paths and keys of a library. It is saved under the library's identity in
//!    `.astrarium/contents`; the newest [`CONTENTS_MAX`] are kept.
//!    A damaged one is written again when its content is in force the next time, and that is told.
//! 3. [`History::keep`] does not wait until anything is written.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::bytes::{ByteReader, ByteWriter};
use base::hash::hash;
use host::background::BackgroundWriter;
use host::files;
use tags::library::{Change, Ready};
use tags::packed::Packed;
use tags::{Classes, Library, TagPath};

use crate::content_key::{self, Key};
use crate::limits::{CONTENT_BYTES_MAX, LOADED_TAGS_MAX, OBJECTS_AT_ONCE};
use crate::store::Store;

pub use crate::limits::CONTENTS_MAX;

const MAGIC: &[u8; 8] = b"ASTRCONT";
const EXTENSION: &str = "content";

/// The earlier versions and contents that are stored beside a tree.
#[derive(Debug)]
pub struct History {
    home: PathBuf,
    classes: Arc<Classes>,
    /// The known paths, by their ids.
    paths: BTreeMap<u64, TagPath>,
    writer: BackgroundWriter,
    troubles: Vec<String>,
}

impl History {
    /// The history in a folder `.astrarium`, for tags at these paths.
    #[must_use]
    pub fn new<'a>(home: &Path, classes: Arc<Classes>, paths: impl IntoIterator<Item = &'a str>) -> History {
        let paths = paths.into_iter().filter_map(|path| TagPath::new(path).ok());
        let paths = paths.map(|path| (path.id().number(), path)).collect();
        History { home: home.to_path_buf(), classes, paths, writer: BackgroundWriter::new(4), troubles: Vec::new() }
    }

    /// Loads a version of a tag. Waits for the disk.
    #[must_use]
    pub fn fetch(&self, change: Change) -> Option<Ready> {
        let path = self.paths.get(&change.path.number())?.clone();
        let store = Store::open(&self.home.join("store")).ok()?;
        let key = store.key_of_half(change.key)?;
        let packed = Packed::check_parts(&store.get(&key)?).ok()?;
        self.is_current(&packed).then(|| Ready { path, key, packed: Arc::new(packed) })
    }

    /// Loads all tags of an earlier content. Waits for the disk.
    #[must_use]
    pub fn content_of(&self, identity: u64) -> Option<Vec<Ready>> {
        let bytes = files::read_at_most(&self.path_of(identity), CONTENT_BYTES_MAX).ok()?;
        let rows = read(&bytes)?;
        let store = Store::open(&self.home.join("store")).ok()?;
        let keys: Vec<Key> = rows.iter().map(|(_, key)| *key).collect();
        let packed = store.get_many(&keys, OBJECTS_AT_ONCE, |_, bytes| {
            let packed = Packed::check_parts(bytes?).ok()?;
            self.is_current(&packed).then(|| Arc::new(packed))
        });
        rows.into_iter().zip(packed).map(|((path, key), packed)| Some(Ready { path, key, packed: packed? })).collect()
    }

    /// Saves the content of a library, so that it can be loaded later.
    pub fn keep(&mut self, library: &Library) {
        while self.writer.poll().is_some() {}
        let mut rows: Vec<(&TagPath, Key)> = library.tags().map(|ready| (&ready.path, ready.key)).collect();
        rows.sort_unstable();
        for (path, _) in &rows {
            self.paths.entry(path.id().number()).or_insert_with(|| (*path).clone());
        }
        let path = self.path_of(library.identity());
        let bytes = write(&rows);
        match files::read_at_most(&path, CONTENT_BYTES_MAX) {
            Ok(found) if found == bytes => return,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            _ => self.troubles.push(format!("{}: it is damaged, and is written again", path.display())),
        }
        if files::make_folder(&self.home.join("contents")).is_err() {
            return;
        }
        let _ = files::keep_newest(&self.home.join("contents"), EXTENSION, CONTENTS_MAX);
        // If the queue is full, this content cannot be restored after the program ends; nothing else is affected.
        let _ = self.writer.submit(path, bytes);
    }

    /// The damage that was found since the last call, for people.
    pub fn take_troubles(&mut self) -> Vec<String> {
        std::mem::take(&mut self.troubles)
    }

    fn is_current(&self, packed: &Packed) -> bool {
        self.classes.by_id(packed.class()).is_some_and(|known| known.fits(packed))
    }

    fn path_of(&self, identity: u64) -> PathBuf {
        self.home.join("contents").join(format!("{identity:016x}.{EXTENSION}"))
    }
}

fn write(rows: &[(&TagPath, Key)]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.write_u64(0);
    bytes.write_varint(rows.len() as u64);
    for (path, key) in rows {
        bytes.write_text(path.as_str(), tags::limits::PATH_BYTES_MAX);
        bytes.put(&key.0);
    }
    let check = hash(&bytes[16..]);
    bytes[8..16].copy_from_slice(&check.to_le_bytes());
    bytes
}

fn read(bytes: &[u8]) -> Option<Vec<(TagPath, Key)>> {
    let mut reader = ByteReader::new(bytes);
    let is_ours = reader.take(8).ok()? == MAGIC;
    if reader.read_u64().ok()? != hash(&bytes[16..]) || !is_ours {
        return None;
    }
    let count = reader.read_count(LOADED_TAGS_MAX, 1 + content_key::BYTES).ok()?;
    let mut rows = Vec::with_capacity(count);
    for _ in 0..count {
        let path = TagPath::new(reader.read_text(tags::limits::PATH_BYTES_MAX).ok()?).ok()?;
        rows.push((path, Key(reader.take(content_key::BYTES).ok()?.try_into().ok()?)));
    }
    reader.finish().ok()?;
    Some(rows)
}

#[cfg(test)]
mod tests;
