//! A pack: one file of objects.
//!
//! `ASTRPACK`, a version, the number of objects, a checksum of the table; then the table, sorted by key: key, offset,
//! length, checksum; then the objects, each aligned to 16 bytes.

use std::path::{Path, PathBuf};

use base::bytes::{ByteReader, ByteWriter};
use base::hash::{hash, hash_with_seed};
use host::files::{FileError, Reader};

use crate::content_key::{self, Key};
use crate::limits::{OBJECT_BYTES_MAX, PACK_OBJECTS_MAX};

const MAGIC: &[u8; 8] = b"ASTRPACK";
const VERSION: u32 = 1;
const HEAD_BYTES: usize = 24;
const ROW_BYTES: usize = 52;
const ALIGN: u64 = 16;

/// The row of an object in the table of its pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) key: Key,
    pub(super) offset: u64,
    pub(super) length: u32,
    check: u64,
}

impl Row {
    /// Whether these are the object's bytes.
    pub(super) fn fits(&self, bytes: &[u8]) -> bool {
        checksum(&self.key, bytes) == self.check
    }

    pub(super) fn end(&self) -> u64 {
        self.offset.saturating_add(u64::from(self.length))
    }
}

#[derive(Debug)]
pub(super) struct Pack {
    path: PathBuf,
    rows: Vec<Row>,
    bytes: u64,
}

#[derive(Debug)]
pub(super) enum PackError {
    Unreadable(FileError),
    Damaged(PathBuf, String),
    /// Of another version of the program, which may still use it.
    Foreign,
}

impl Pack {
    /// Reads the table of a pack, and no object.
    pub(super) fn open(path: &Path) -> Result<Pack, PackError> {
        let reader = Reader::open(path).map_err(PackError::Unreadable)?;
        let bytes = reader.length();
        let damaged = |what: &str| PackError::Damaged(path.to_path_buf(), what.to_string());
        let mut head = [0; HEAD_BYTES];
        if bytes < HEAD_BYTES as u64 {
            return Err(damaged("it is too short for a pack"));
        }
        reader.read_at(0, &mut head).map_err(PackError::Unreadable)?;
        if head[..8] == MAGIC[..] && head[8..12] != VERSION.to_le_bytes() {
            return Err(PackError::Foreign);
        }
        let (count, check) = read_head(&head).ok_or_else(|| damaged("it does not begin like a pack"))?;
        let table_bytes = count * ROW_BYTES;
        if bytes < (HEAD_BYTES + table_bytes) as u64 {
            return Err(damaged("it is shorter than its table"));
        }
        let mut table = vec![0; table_bytes];
        reader.read_at(HEAD_BYTES as u64, &mut table).map_err(PackError::Unreadable)?;
        if hash(&table) != check {
            return Err(damaged("its table is damaged"));
        }
        let rows = read_table(&table, bytes).ok_or_else(|| damaged("its table is inconsistent"))?;
        Ok(Pack { path: path.to_path_buf(), rows, bytes })
    }

    /// A new pack of objects, sorted by key, and the bytes to write to its path. Its name is derived from its table.
    pub(super) fn of(folder: &Path, extension: &str, objects: &[(Key, &[u8])]) -> (Pack, Vec<u8>) {
        assert!(objects.is_sorted_by(|one, other| one.0 < other.0), "the keys of a pack are sorted and unique");
        let mut offset = aligned((HEAD_BYTES + objects.len() * ROW_BYTES) as u64);
        let mut rows = Vec::with_capacity(objects.len());
        for (key, object) in objects {
            let length = u32::try_from(object.len()).expect("objects above the limit were passed over");
            rows.push(Row { key: *key, offset, length, check: checksum(key, object) });
            offset = aligned(offset + u64::from(length));
        }
        let mut table = Vec::with_capacity(objects.len() * ROW_BYTES);
        for row in &rows {
            table.put(&row.key.0);
            table.write_u64(row.offset);
            table.write_u32(row.length);
            table.write_u64(row.check);
        }
        let mut whole = Vec::with_capacity(usize::try_from(offset).unwrap_or(0));
        whole.put(MAGIC);
        whole.write_u32(VERSION);
        whole.write_u32(u32::try_from(rows.len()).expect("a pack has fewer objects"));
        whole.write_u64(hash(&table));
        whole.put(&table);
        for (row, (_, object)) in rows.iter().zip(objects) {
            // The offsets were computed in the same order.
            whole.resize(usize::try_from(row.offset).expect("it is in memory"), 0);
            whole.put(object);
        }
        let mut name = content_key::of(&table).to_string();
        name.truncate(32);
        let path = folder.join(format!("{name}.{extension}"));
        (Pack { path, rows, bytes: whole.len() as u64 }, whole)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The first key that begins with these bytes.
    pub(super) fn key_from(&self, start: &[u8]) -> Option<Key> {
        let place = self.rows.partition_point(|row| row.key.0.as_slice() < start);
        self.rows.get(place).map(|row| row.key).filter(|key| key.0.starts_with(start))
    }

    pub(super) fn find(&self, key: &Key) -> Option<Row> {
        let place = self.rows.binary_search_by(|row| row.key.cmp(key)).ok()?;
        self.rows.get(place).copied()
    }
}

fn read_head(head: &[u8]) -> Option<(usize, u64)> {
    let mut reader = ByteReader::new(head);
    let is_ours = reader.take(MAGIC.len()).ok()? == MAGIC && reader.read_u32().ok()? == VERSION;
    let count = usize::try_from(reader.read_u32().ok()?).ok()?;
    let check = reader.read_u64().ok()?;
    (is_ours && count <= PACK_OBJECTS_MAX).then_some((count, check))
}

/// The rows, if they are sorted and lie within the file.
fn read_table(table: &[u8], bytes: u64) -> Option<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::with_capacity(table.len() / ROW_BYTES);
    let mut reader = ByteReader::new(table);
    while reader.left() > 0 {
        let key = Key(reader.take(content_key::BYTES).ok()?.try_into().ok()?);
        let offset = reader.read_u64().ok()?;
        let length = reader.read_u32().ok()?;
        let check = reader.read_u64().ok()?;
        let row = Row { key, offset, length, check };
        let is_small = usize::try_from(length).is_ok_and(|length| length <= OBJECT_BYTES_MAX);
        let is_next = rows.last().is_none_or(|last| last.key < key);
        if !is_small || !is_next || row.end() > bytes {
            return None;
        }
        rows.push(row);
    }
    Some(rows)
}

fn checksum(key: &Key, bytes: &[u8]) -> u64 {
    hash_with_seed(bytes, hash(&key.0))
}

fn aligned(offset: u64) -> u64 {
    offset.div_ceil(ALIGN) * ALIGN
}
