//! The encoding of the index: `ASTRINDX`, a version, a checksum of the rest; the number of files; and each of them.

use std::collections::BTreeMap;

use base::bytes::{ByteReader, ByteWriter, ReadError};
use base::hash::hash;
use host::walk::Stamp;

use super::{BuildRecord, Entry};
use crate::content_key::{self, Key};
use crate::limits::{INDEX_FILES_MAX, INDEX_TEXT_BYTES_MAX, READS_MAX};

const MAGIC: &[u8; 8] = b"ASTRINDX";
const VERSION: u32 = 2;
const HEAD_BYTES: usize = 20;
/// The fewest bytes of an entry.
const ENTRY_BYTES_LEAST: usize = 1 + 24 + 1 + content_key::BYTES;
const IS_RACY: u8 = 1;
const IS_MADE: u8 = 2;
const IS_REPORTED: u8 = 4;

pub(super) fn write(entries: &BTreeMap<String, Entry>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD_BYTES + entries.len() * 256);
    bytes.put(MAGIC);
    bytes.write_u32(VERSION);
    bytes.write_u64(0);
    // Entries beyond the limits are omitted: their files are read again.
    let fitting = || entries.iter().filter(|(path, entry)| fits(path, entry)).take(INDEX_FILES_MAX);
    bytes.write_varint(fitting().count() as u64);
    for (path, entry) in fitting() {
        write_entry(&mut bytes, path, entry);
    }
    let check = hash(&bytes[HEAD_BYTES..]);
    bytes[HEAD_BYTES - 8..HEAD_BYTES].copy_from_slice(&check.to_le_bytes());
    bytes
}

fn fits(path: &str, entry: &Entry) -> bool {
    let is_short = |text: &str| text.len() <= INDEX_TEXT_BYTES_MAX;
    let is_small = |made: &BuildRecord| {
        is_short(&made.references) && made.reads.len() <= READS_MAX && made.reads.iter().all(|(path, _)| is_short(path))
    };
    is_short(path) && entry.made.as_ref().is_none_or(is_small)
}

fn write_entry(bytes: &mut Vec<u8>, path: &str, entry: &Entry) {
    let made = entry.made.as_ref();
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    bytes.write_text(path, INDEX_TEXT_BYTES_MAX);
    bytes.write_u64(entry.stamp.size);
    bytes.write_i64(entry.stamp.modified);
    bytes.write_u64(entry.stamp.number);
    bytes.write_u8(
        flag(entry.is_racy, IS_RACY)
            | flag(made.is_some(), IS_MADE)
            | flag(made.is_some_and(|made| made.is_reported), IS_REPORTED),
    );
    bytes.put(&entry.content.0);
    if let Some(made) = made {
        bytes.put(&made.key.0);
        bytes.put(&made.ready.0);
        bytes.write_u64(made.fingerprint);
        bytes.write_text(&made.references, INDEX_TEXT_BYTES_MAX);
        write_rows(bytes, &made.reads);
        write_rows(bytes, &made.parents);
    }
}

fn write_rows(bytes: &mut Vec<u8>, rows: &[(String, Key)]) {
    bytes.write_varint(rows.len() as u64);
    for (path, key) in rows {
        bytes.write_text(path, INDEX_TEXT_BYTES_MAX);
        bytes.put(&key.0);
    }
}

fn read_rows(reader: &mut ByteReader) -> Result<Vec<(String, Key)>, ReadError> {
    let count = reader.read_count(READS_MAX, 1 + content_key::BYTES)?;
    let mut rows = Vec::with_capacity(count);
    for _ in 0..count {
        rows.push((reader.read_text(INDEX_TEXT_BYTES_MAX)?.to_string(), read_key(reader)?));
    }
    Ok(rows)
}

/// None unless the bytes are a whole index of this version.
pub(super) fn read(bytes: &[u8]) -> Option<BTreeMap<String, Entry>> {
    let mut reader = ByteReader::new(bytes);
    let is_ours = reader.take(MAGIC.len()).ok()? == MAGIC && reader.read_u32().ok()? == VERSION;
    let check = reader.read_u64().ok()?;
    if !is_ours || hash(&bytes[HEAD_BYTES..]) != check {
        return None;
    }
    let count = reader.read_count(INDEX_FILES_MAX, ENTRY_BYTES_LEAST).ok()?;
    let mut entries = Vec::with_capacity(count);
    for _ in 0..count {
        entries.push(read_entry(&mut reader).ok()?);
    }
    reader.finish().ok()?;
    // Already sorted, which makes it fast.
    Some(entries.into_iter().collect())
}

fn read_entry(reader: &mut ByteReader) -> Result<(String, Entry), ReadError> {
    let path = reader.read_text(INDEX_TEXT_BYTES_MAX)?.to_string();
    let stamp = Stamp { size: reader.read_u64()?, modified: reader.read_i64()?, number: reader.read_u64()? };
    let flags = reader.read_u8()?;
    let content = read_key(reader)?;
    let made = if flags & IS_MADE == 0 { None } else { Some(read_made(reader, flags & IS_REPORTED != 0)?) };
    Ok((path, Entry { stamp, is_racy: flags & IS_RACY != 0, content, made }))
}

fn read_made(reader: &mut ByteReader, is_reported: bool) -> Result<BuildRecord, ReadError> {
    let (key, ready) = (read_key(reader)?, read_key(reader)?);
    let fingerprint = reader.read_u64()?;
    let references = reader.read_text(INDEX_TEXT_BYTES_MAX)?.to_string();
    let (reads, parents) = (read_rows(reader)?, read_rows(reader)?);
    Ok(BuildRecord { key, fingerprint, is_reported, references, reads, ready, parents })
}

fn read_key(reader: &mut ByteReader) -> Result<Key, ReadError> {
    let mut key = Key::default();
    key.0.copy_from_slice(reader.take(content_key::BYTES)?);
    Ok(key)
}
