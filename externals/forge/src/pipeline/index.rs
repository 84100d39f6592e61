//! What was imported last time: one entry for each source.
//!
//! Laws
//! 1. The index is a cache. Without it, or with any byte of it damaged, sources are imported again, with the same result.
//! 2. An entry is trusted only if the stamp of the file proves that it was not written since.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use base::bytes::{ByteReader, ByteWriter, ReadError};
use base::hash::hash;
use host::files::{self, FileError};
use host::walk::Stamp;
use shelf::limits::RACY_NANOSECONDS;
use tags::Key;

/// The file of the index of imports, in the folder that the tree keeps for tools.
pub const IMPORTS: &str = "imports";

/// The file of the index of exports.
pub const EXPORTS: &str = "exports";

const MAGIC: &[u8; 8] = b"ASTRIMPT";
const VERSION: u32 = 2;
const INDEX_BYTES_MAX: u64 = 1 << 30;
const ENTRIES_MAX: usize = 1 << 20;
const TEXT_BYTES_MAX: usize = 1 << 16;
/// The fewest bytes of an entry, of a read file and of a text.
const ENTRY_BYTES_MIN: usize = 2 * 24 + 32 + 4;

/// All entries by the path of the source, relative to the folder of sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportIndex {
    /// The entries.
    pub entries: BTreeMap<String, ImportEntry>,
}

/// What is known of one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportEntry {
    /// The file itself.
    pub file: SeenFile,
    /// The files it named, relative to the folder of sources.
    pub beside: Vec<(String, SeenFile)>,
    /// The importer and its version.
    pub importer: String,
    /// The version of the importer.
    pub version: u32,
    /// The options that differ from their defaults.
    pub options: Vec<(String, String)>,
    /// The stamp of its main tag when the options were read from it.
    pub tag: Stamp,
    /// The tags it made, the main one first; relative to the tree.
    pub made: Vec<String>,
    /// The containers of these tags, relative to the tree.
    pub containers: Vec<String>,
    /// Why it could not be imported; empty if it could.
    pub error: String,
}

/// A file as it was when it was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeenFile {
    /// Its stamp.
    pub stamp: Stamp,
    /// The hash of its bytes.
    pub content: Key,
    /// Whether it was written so shortly before that its stamp proves nothing.
    pub is_racy: bool,
}

impl SeenFile {
    /// A file with this stamp and content, read at a time in nanoseconds since 1970.
    #[must_use]
    pub fn new(stamp: Stamp, content: Key, time: i64) -> SeenFile {
        SeenFile { stamp, content, is_racy: stamp.modified.saturating_add(RACY_NANOSECONDS) >= time }
    }

    /// Whether a stamp proves that the file is unchanged.
    #[must_use]
    pub fn is_certainly(&self, stamp: &Stamp) -> bool {
        !self.is_racy && self.stamp == *stamp
    }
}

impl ImportIndex {
    /// The index of imports of a tree, from the tree's folder for tools. Any fault gives an empty one, and a line that says so.
    #[must_use]
    pub fn open(home: &Path) -> (ImportIndex, Option<String>) {
        ImportIndex::open_file(home, IMPORTS)
    }

    /// The index in a file of that folder.
    #[must_use]
    pub fn open_file(home: &Path, file: &str) -> (ImportIndex, Option<String>) {
        let path = home.join(file);
        let bytes = match files::read_at_most(&path, INDEX_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return (ImportIndex::default(), None),
            Err(error) => return (ImportIndex::default(), Some(error.to_string())),
        };
        match ImportIndex::decode(&bytes) {
            Some(index) => (index, None),
            None => {
                let told = format!("{}: it is damaged or from another version; it is made anew", path.display());
                (ImportIndex::default(), Some(told))
            }
        }
    }

    /// Writes the index of imports.
    pub fn save(&self, home: &Path) -> Result<(), FileError> {
        self.save_file(home, IMPORTS)
    }

    /// Writes it into a file of that folder.
    pub fn save_file(&self, home: &Path, file: &str) -> Result<(), FileError> {
        files::make_folder(home)?;
        files::write_atomically(&home.join(file), &[&self.encode()])
    }

    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut body: Vec<u8> = Vec::new();
        body.write_varint(self.entries.len() as u64);
        for (path, entry) in &self.entries {
            body.write_text(path, TEXT_BYTES_MAX);
            write_seen(&mut body, &entry.file);
            body.write_varint(entry.beside.len() as u64);
            for (path, seen) in &entry.beside {
                body.write_text(path, TEXT_BYTES_MAX);
                write_seen(&mut body, seen);
            }
            body.write_text(&entry.importer, TEXT_BYTES_MAX);
            body.write_u32(entry.version);
            body.write_varint(entry.options.len() as u64);
            for (name, value) in &entry.options {
                body.write_text(name, TEXT_BYTES_MAX);
                body.write_text(value, TEXT_BYTES_MAX);
            }
            write_stamp(&mut body, &entry.tag);
            for paths in [&entry.made, &entry.containers] {
                body.write_varint(paths.len() as u64);
                paths.iter().for_each(|path| body.write_text(path, TEXT_BYTES_MAX));
            }
            body.write_text(clipped(&entry.error), TEXT_BYTES_MAX);
        }
        let mut bytes = MAGIC.to_vec();
        bytes.write_u32(VERSION);
        bytes.write_u64(hash(&body));
        bytes.extend(body);
        bytes
    }

    /// The index in some bytes, if they are one.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<ImportIndex> {
        let mut reader = ByteReader::new(bytes);
        let is_ours = reader.take(MAGIC.len()).ok()? == MAGIC && reader.read_u32().ok()? == VERSION;
        let check = reader.read_u64().ok()?;
        if !is_ours || bytes.get(20..).map(hash) != Some(check) {
            return None;
        }
        let mut entries = BTreeMap::new();
        for _ in 0..reader.read_count(ENTRIES_MAX, ENTRY_BYTES_MIN).ok()? {
            let (path, entry) = read_entry(&mut reader).ok()?;
            entries.insert(path, entry);
        }
        reader.finish().ok()?;
        Some(ImportIndex { entries })
    }
}

/// The start of a text that fits.
fn clipped(text: &str) -> &str {
    let end = (0..=text.len().min(TEXT_BYTES_MAX)).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

fn write_stamp(bytes: &mut Vec<u8>, stamp: &Stamp) {
    bytes.write_u64(stamp.size);
    bytes.write_i64(stamp.modified);
    bytes.write_u64(stamp.number);
}

fn write_seen(bytes: &mut Vec<u8>, seen: &SeenFile) {
    write_stamp(bytes, &seen.stamp);
    bytes.put(&seen.content.0);
    bytes.write_u8(u8::from(seen.is_racy));
}

fn read_stamp(reader: &mut ByteReader<'_>) -> Result<Stamp, ReadError> {
    Ok(Stamp { size: reader.read_u64()?, modified: reader.read_i64()?, number: reader.read_u64()? })
}

fn read_seen(reader: &mut ByteReader<'_>) -> Result<SeenFile, ReadError> {
    let stamp = read_stamp(reader)?;
    let mut content = [0; 32];
    content.copy_from_slice(reader.take(32)?);
    Ok(SeenFile { stamp, content: Key(content), is_racy: reader.read_u8()? != 0 })
}

fn read_entry(reader: &mut ByteReader<'_>) -> Result<(String, ImportEntry), ReadError> {
    let text = |reader: &mut ByteReader<'_>| reader.read_text(TEXT_BYTES_MAX).map(str::to_string);
    let path = text(reader)?;
    let file = read_seen(reader)?;
    let mut beside = Vec::new();
    for _ in 0..reader.read_count(ENTRIES_MAX, 1)? {
        beside.push((text(reader)?, read_seen(reader)?));
    }
    let (importer, version) = (text(reader)?, reader.read_u32()?);
    let mut options = Vec::new();
    for _ in 0..reader.read_count(ENTRIES_MAX, 2)? {
        options.push((text(reader)?, text(reader)?));
    }
    let tag = read_stamp(reader)?;
    let mut paths = [Vec::new(), Vec::new()];
    for list in &mut paths {
        for _ in 0..reader.read_count(ENTRIES_MAX, 1)? {
            list.push(text(reader)?);
        }
    }
    let [made, containers] = paths;
    Ok((path, ImportEntry { file, beside, importer, version, options, tag, made, containers, error: text(reader)? }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn example() -> ImportIndex {
        let stamp = Stamp { size: 3, modified: -5, number: 7 };
        let file = SeenFile::new(stamp, Key([1; 32]), 0);
        let entry = ImportEntry {
            file,
            beside: vec![("ships/hull.bin".into(), file)],
            importer: "model".into(),
            version: 3,
            options: vec![("up".into(), "z".into())],
            tag: stamp,
            made: vec!["ships/corvette.model".into(), "ships/corvette/materials/hull.material".into()],
            containers: vec!["ships/corvette.model-abc.bulk".into()],
            error: String::new(),
        };
        ImportIndex { entries: BTreeMap::from([("ships/corvette.glb".to_string(), entry)]) }
    }

    #[test]
    fn an_index_is_read_as_it_was_written() {
        assert_eq!(ImportIndex::decode(&example().encode()), Some(example()));
        assert_eq!(ImportIndex::decode(&ImportIndex::default().encode()), Some(ImportIndex::default()));
    }

    #[test]
    fn a_damaged_index_is_none() {
        let bytes = example().encode();
        for at in 0..bytes.len() {
            assert_eq!(ImportIndex::decode(&bytes[..at]), None, "cut at {at}");
            let mut altered = bytes.clone();
            altered[at] ^= 1;
            assert_eq!(ImportIndex::decode(&altered), None, "byte {at}");
        }
    }

    #[test]
    fn a_file_written_a_moment_ago_is_not_certain() {
        let stamp = Stamp { size: 1, modified: 10 * RACY_NANOSECONDS, number: 0 };
        assert!(!SeenFile::new(stamp, Key([0; 32]), stamp.modified + 5).is_certainly(&stamp));
        assert!(SeenFile::new(stamp, Key([0; 32]), stamp.modified + 2 * RACY_NANOSECONDS).is_certainly(&stamp));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn arbitrary_bytes_with_the_right_checksum_are_an_index_or_none(body: Vec<u8>) {
            let mut bytes = MAGIC.to_vec();
            bytes.write_u32(VERSION);
            bytes.write_u64(hash(&body));
            bytes.extend(body);
            let _ = ImportIndex::decode(&bytes);
        }
    }
}
