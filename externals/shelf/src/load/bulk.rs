//! The bulk data of loaded tags: resident data is read, other data is checked.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use host::clock::time_of_day;
use host::files::{FileError, read_shared};
use host::parallel;
use host::walk::Stamp;
use script::report::Report;
use tags::packed::{File, Packed};

use super::{LoadLimits, Loaded};
use crate::containers::{self, ContainerError, HashedFile, path_beside};
use crate::content_key::{self, Key};
use crate::index::Entry;
use crate::report::{TagReport, span_of};
use crate::tree::{Shelf, open_files};

/// What is known of a file: its length, its key if it is known, and its bytes if it is resident; or why it cannot be
/// used.
type Examined = Result<ExaminedBulk, BulkFault>;

/// Why a bulk file cannot be used.
#[derive(Debug)]
enum BulkFault {
    Missing,
    LevelLimit { bytes: u64 },
    File(FileError),
    Container(ContainerError),
}

impl fmt::Display for BulkFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BulkFault::Missing => out.write_str("it does not exist"),
            BulkFault::LevelLimit { bytes } => {
                write!(out, "the resident bulk data of a level exceeds its limit of {bytes} bytes")
            }
            BulkFault::File(error) => error.fmt(out),
            BulkFault::Container(ContainerError::Bulk(tags::bulk::BulkError::Magic)) => {
                out.write_str("it is no bulk container, and only resident data may be any file")
            }
            BulkFault::Container(error) => error.fmt(out),
        }
    }
}

struct ExaminedBulk {
    length: u64,
    key: Option<Key>,
    bytes: Option<Arc<[u8]>>,
}

/// A file that tags name.
struct BulkFile {
    path: String,
    stamp: Stamp,
    /// The key of its content, if the index is certain of it.
    known: Option<Key>,
    is_resident: bool,
}

/// A reference to a file: path and packed form of the tag, the number of the reference in it, and the number of the
/// file.
type Naming<'a> = (&'a str, &'a Packed, usize, usize);

/// Examines each file once, unless its content is loaded already, and checks it against its tags.
pub(super) fn load(shelf: &mut Shelf, limits: &LoadLimits, loaded: &mut Loaded) {
    loaded.tags.iter().for_each(|(path, tag)| shelf.containers.set_tag(path, &tag.packed));
    let (namings, places) = named(loaded);
    let files = examine(shelf, limits, places, &loaded.bulk);
    let mut reports = Vec::new();
    let mut found = Vec::new();
    for (path, packed, number, place) in namings {
        let Some(named) = packed.files().nth(number) else { continue };
        match judge(&named, &files[place]) {
            Ok(bytes) => found.extend(bytes.map(|bytes| (named.digest, bytes))),
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

/// All references to files that are not loaded, and the paths of those files, each with whether it is resident for one
/// of its tags.
fn named(loaded: &Loaded) -> (Vec<Naming<'_>>, Vec<(String, bool)>) {
    let mut namings = Vec::new();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut places: Vec<(String, bool)> = Vec::new();
    for (path, tag) in &loaded.tags {
        for (number, named) in tag.packed.files().enumerate() {
            if named.is_resident && loaded.bulk.contains_key(&named.digest) {
                continue;
            }
            let file = path_beside(path, named.file);
            let place = *numbers.entry(file).or_insert_with_key(|file| {
                places.push((file.clone(), false));
                places.len() - 1
            });
            places[place].1 |= named.is_resident;
            namings.push((path.as_str(), &*tag.packed, number, place));
        }
    }
    (namings, places)
}

/// The bytes of resident data, if the file matches the tag; otherwise a message and a help text.
fn judge(named: &File<'_>, file: &Examined) -> Result<Option<Arc<[u8]>>, (String, String)> {
    let name = named.file;
    let again = "import the data again, so that tag and file agree".to_string();
    let file = file.as_ref().map_err(|trouble| (format!("the file `{name}`: {trouble}"), again.clone()))?;
    let length = file.length;
    if named.digest == [0; 32] {
        let help = match &file.key {
            Some(key) => format!("write `{{ file \"{name}\", bytes {length}, hash \"{key}\" }}`"),
            None => "import the data again, or ask `astrarium tag check` for the hash".to_string(),
        };
        return Err((format!("the tag gives no hash for the file `{name}`, so it is not loaded"), help));
    }
    if named.bytes != 0 && named.bytes != length {
        return Err((format!("the file `{name}`: expected {} bytes, found {length}", named.bytes), again));
    }
    if let Some(key) = file.key.filter(|key| key.0 != named.digest) {
        let help = format!("import the data again, or write `hash \"{key}\"`");
        return Err((format!("the file `{name}` is not the one that was imported: its hash differs"), help));
    }
    Ok(file.bytes.clone().filter(|_| named.is_resident))
}

fn examine(
    shelf: &mut Shelf,
    limits: &LoadLimits,
    paths: Vec<(String, bool)>,
    there: &BTreeMap<[u8; 32], Arc<[u8]>>,
) -> Vec<Examined> {
    let mut bytes_all = there.values().fold(0_u64, |sum, bytes| sum.saturating_add(bytes.len() as u64));
    let mut look = |(path, is_resident): (String, bool)| -> Result<BulkFile, BulkFault> {
        let Some(file) = shelf.walk.find(&path) else { return Err(BulkFault::Missing) };
        let stamp = file.stamp;
        if is_resident {
            bytes_all = bytes_all.saturating_add(stamp.size);
        }
        if is_resident && bytes_all > limits.bulk_bytes {
            bytes_all -= stamp.size;
            return Err(BulkFault::LevelLimit { bytes: limits.bulk_bytes });
        }
        let known = shelf.index.get(&path).filter(|entry| entry.is_certainly(&stamp)).map(|entry| entry.content);
        Ok(BulkFile { path, stamp, known, is_resident })
    };
    let places: Vec<Result<BulkFile, BulkFault>> = paths.into_iter().map(&mut look).collect();
    let time = time_of_day();
    let found: Vec<&BulkFile> = places.iter().flatten().collect();
    let files = parallel::many(found.len(), open_files(), |number| {
        let place = found[number];
        let path = shelf.folders.file(&place.path).0;
        if !place.is_resident {
            let length = containers::check(&path).map_err(BulkFault::Container)?;
            return Ok(ExaminedBulk { length, key: place.known, bytes: None });
        }
        let bytes = read_shared(&path, limits.bulk_bytes_each).map_err(BulkFault::File)?;
        // A file written meanwhile may have another content.
        let is_same = bytes.len() as u64 == place.stamp.size && Stamp::of(&path) == Some(place.stamp);
        let known = place.known.filter(|_| is_same);
        let key = Some(known.unwrap_or_else(|| content_key::of(&bytes)));
        Ok(ExaminedBulk { length: bytes.len() as u64, key, bytes: Some(bytes) })
    });
    let mut files = files.into_iter();
    let finish = |place: Result<BulkFile, BulkFault>| -> Examined {
        let BulkFile { path, stamp, known, .. } = place?;
        let file = files.next().expect("each file that was found has a result");
        match (known, &file) {
            (Some(digest), _) => {
                shelf.containers.set_hashed(&path, HashedFile { stamp, digest, time: i64::MAX });
            }
            (None, Ok(ExaminedBulk { key: Some(key), .. })) => shelf.index.set(&path, Entry::read(stamp, *key, time)),
            (None, _) => {}
        }
        file
    };
    places.into_iter().map(finish).collect()
}
