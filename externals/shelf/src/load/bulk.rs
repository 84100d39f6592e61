//! The bulk data of loaded tags: files beside them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use host::clock::time_of_day;
use host::files::{FileError, read_shared};
use host::parallel;
use host::walk::Stamp;
use script::report::Report;
use tags::packed::Packed;

use super::{LoadLimits, Loaded};
use crate::content_key::{self, Key};
use crate::index::Entry;
use crate::report::{TagReport, span_of};
use crate::tree::{Shelf, open_files};

/// A bulk file: its bytes and their key, or the reason why there are none.
type ReadBulk = Result<(Key, Arc<[u8]>), BulkError>;

/// Why a bulk file is not loaded.
#[derive(Debug)]
enum BulkError {
    Missing,
    LevelLimit { bytes: u64 },
    File(FileError),
}

impl fmt::Display for BulkError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BulkError::Missing => out.write_str("it does not exist"),
            BulkError::LevelLimit { bytes } => {
                write!(out, "the bulk data of a level exceeds its limit of {bytes} bytes")
            }
            BulkError::File(error) => error.fmt(out),
        }
    }
}

/// A file that tags name.
struct BulkFile {
    path: String,
    stamp: Stamp,
    /// The key of its content, if the index is certain of it.
    known: Option<Key>,
}

/// A reference to a file: path and packed form of the tag, the number of the reference in it, and the number of the
/// file.
type Naming<'a> = (&'a str, &'a Packed, usize, usize);

/// Reads each file once, unless its content is loaded already, and checks it against its tags.
pub(super) fn load(shelf: &mut Shelf, limits: &LoadLimits, loaded: &mut Loaded) {
    let (namings, places) = named(loaded);
    let files = read(shelf, limits, places, &loaded.bulk);
    let mut reports = Vec::new();
    let mut found = Vec::new();
    for (path, packed, number, place) in namings {
        let Some(named) = packed.files().nth(number) else { continue };
        match judge(&named, &files[place]) {
            Ok(bytes) => found.push((named.digest, bytes)),
            Err((message, help)) => {
                let source = shelf.text(path);
                let report = Report::error(span_of(&source, named.place), message).with_help(help);
                reports.push(TagReport::in_text(path, &source, report));
            }
        }
    }
    loaded.bulk.extend(found);
    loaded.reports.extend(reports);
}

/// All references to files that are not loaded, and the paths of those files.
fn named(loaded: &Loaded) -> (Vec<Naming<'_>>, Vec<String>) {
    let mut namings = Vec::new();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut places = Vec::new();
    for (path, tag) in &loaded.tags {
        for (number, named) in tag.packed.files().enumerate() {
            if loaded.bulk.contains_key(&named.digest) {
                continue;
            }
            let file = bulk_path_of(path, named.file);
            let place = *numbers.entry(file).or_insert_with_key(|file| {
                places.push(file.clone());
                places.len() - 1
            });
            namings.push((path.as_str(), &*tag.packed, number, place));
        }
    }
    (namings, places)
}

/// The path of a file that a tag names, relative to the root.
pub(crate) fn bulk_path_of(tag: &str, file: &str) -> String {
    match tag.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{file}"),
        None => file.to_string(),
    }
}

/// The bytes, if they match the tag; otherwise a message and a help text.
fn judge(named: &tags::packed::File<'_>, file: &ReadBulk) -> Result<Arc<[u8]>, (String, String)> {
    let name = named.file;
    let again = "import the data again, so that tag and file agree".to_string();
    let (key, bytes) = file.as_ref().map_err(|trouble| (format!("the file `{name}`: {trouble}"), again.clone()))?;
    let length = bytes.len() as u64;
    if named.digest == [0; 32] {
        let help = format!("write `{{ file \"{name}\", bytes {length}, hash \"{key}\" }}`");
        return Err((format!("the tag gives no hash for the file `{name}`, so it is not loaded"), help));
    }
    if named.bytes != 0 && named.bytes != length {
        return Err((format!("the file `{name}`: expected {} bytes, found {length}", named.bytes), again));
    }
    if key.0 != named.digest {
        let help = format!("import the data again, or write `hash \"{key}\"`");
        return Err((format!("the file `{name}` is not the one that was imported: its hash differs"), help));
    }
    Ok(Arc::clone(bytes))
}

fn read(
    shelf: &mut Shelf,
    limits: &LoadLimits,
    paths: Vec<String>,
    there: &BTreeMap<[u8; 32], Arc<[u8]>>,
) -> Vec<ReadBulk> {
    let mut bytes_all = there.values().fold(0_u64, |sum, bytes| sum.saturating_add(bytes.len() as u64));
    let mut look = |path: String| -> Result<BulkFile, BulkError> {
        let Some(file) = shelf.walk.find(&path) else { return Err(BulkError::Missing) };
        let stamp = file.stamp;
        if bytes_all.saturating_add(stamp.size) > limits.bulk_bytes {
            return Err(BulkError::LevelLimit { bytes: limits.bulk_bytes });
        }
        bytes_all = bytes_all.saturating_add(stamp.size);
        let known = shelf.index.get(&path).filter(|entry| entry.is_certainly(&stamp)).map(|entry| entry.content);
        Ok(BulkFile { path, stamp, known })
    };
    let places: Vec<Result<BulkFile, BulkError>> = paths.into_iter().map(&mut look).collect();
    let time = time_of_day();
    let found: Vec<&BulkFile> = places.iter().flatten().collect();
    let files = parallel::many(found.len(), open_files(), |number| {
        let place = found[number];
        let path = shelf.root.join(&place.path);
        let bytes = read_shared(&path, limits.bulk_bytes_each).map_err(BulkError::File)?;
        // A file written meanwhile may have another content.
        let is_same = bytes.len() as u64 == place.stamp.size && Stamp::of(&path) == Some(place.stamp);
        let known = place.known.filter(|_| is_same);
        Ok((known.unwrap_or_else(|| content_key::of(&bytes)), bytes))
    });
    let mut files = files.into_iter();
    let finish = |place: Result<BulkFile, BulkError>| -> ReadBulk {
        let BulkFile { path, stamp, known } = place?;
        let (key, bytes) = files.next().expect("each file that was found has a result")?;
        if known.is_none() {
            shelf.index.set(&path, Entry::read(stamp, key, time));
        }
        Ok((key, bytes))
    };
    places.into_iter().map(finish).collect()
}
