//! The bulk that loaded tags name: files beside them.

use std::collections::BTreeMap;
use std::sync::Arc;

use host::clock::time_of_day;
use host::files::read_shared;
use host::parallel;
use host::walk::Stamp;
use script::report::Report;
use tags::packed::Packed;

use super::{LoadLimits, Loaded};
use crate::index::Entry;
use crate::key::{self, Key};
use crate::report::{TagReport, span_of};
use crate::tree::{Shelf, open_files};

/// A file of bulk: its bytes and their key, or why there are none.
type File = Result<(Key, Arc<[u8]>), String>;

/// A file that tags name.
struct Place {
    path: String,
    stamp: Stamp,
    /// Of its content, if that is certain.
    known: Option<Key>,
}

/// Where a tag names a file: the tag, the number of the file in it, and the number of the place.
type Naming<'a> = (&'a str, &'a Packed, usize, usize);

/// Reads each file once, whoever names it, unless what its tags want is there already; and holds it against what they say.
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

/// All places where files are named whose bytes are not there, and the paths of those files.
fn named(loaded: &Loaded) -> (Vec<Naming<'_>>, Vec<String>) {
    let mut namings = Vec::new();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut places = Vec::new();
    for (path, tag) in &loaded.tags {
        for (number, named) in tag.packed.files().enumerate() {
            if loaded.bulk.contains_key(&named.digest) {
                continue;
            }
            let file = place_of(path, named.file);
            let place = *numbers.entry(file).or_insert_with_key(|file| {
                places.push(file.clone());
                places.len() - 1
            });
            namings.push((path.as_str(), &*tag.packed, number, place));
        }
    }
    (namings, places)
}

/// The path of a file that a tag names, from the root.
pub(crate) fn place_of(tag: &str, file: &str) -> String {
    match tag.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{file}"),
        None => file.to_string(),
    }
}

/// The bytes, if they are what the tag says; otherwise what is wrong, and what to do.
fn judge(named: &tags::packed::File<'_>, file: &File) -> Result<Arc<[u8]>, (String, String)> {
    let name = named.file;
    let again = "import the data again, so that tag and file agree".to_string();
    let (key, bytes) = file.as_ref().map_err(|trouble| (format!("the file `{name}`: {trouble}"), again.clone()))?;
    let length = bytes.len() as u64;
    if named.digest == [0; 32] {
        let help = format!("write `{{ file \"{name}\", bytes {length}, hash \"{key}\" }}`");
        return Err((format!("the tag does not say which hash the file `{name}` has, so it is not loaded"), help));
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
) -> Vec<File> {
    let mut bytes_all = there.values().fold(0_u64, |sum, bytes| sum.saturating_add(bytes.len() as u64));
    let mut look = |path: String| -> Result<Place, String> {
        let Some(file) = shelf.walk.find(&path) else { return Err("it is not there".into()) };
        let stamp = file.stamp;
        if bytes_all.saturating_add(stamp.size) > limits.bulk_bytes {
            return Err(format!("all bulk of a level may have {} bytes, and there is more", limits.bulk_bytes));
        }
        bytes_all = bytes_all.saturating_add(stamp.size);
        let known = shelf.index.get(&path).filter(|entry| entry.is_certainly(&stamp)).map(|entry| entry.content);
        Ok(Place { path, stamp, known })
    };
    let places: Vec<Result<Place, String>> = paths.into_iter().map(&mut look).collect();
    let time = time_of_day();
    let files = parallel::many(places.len(), open_files(), |number| {
        let place = places[number].as_ref().map_err(String::clone)?;
        let path = shelf.root.join(&place.path);
        let bytes = read_shared(&path, limits.bulk_bytes_each).map_err(|error| error.to_string())?;
        // One that was written since it was looked at may be another.
        let is_same = bytes.len() as u64 == place.stamp.size && Stamp::of(&path) == Some(place.stamp);
        let known = place.known.filter(|_| is_same);
        Ok((known.unwrap_or_else(|| key::of(&bytes)), bytes))
    });
    for (place, file) in places.iter().zip(&files) {
        if let (Ok(Place { path, stamp, known: None }), Ok((key, _))) = (place, file) {
            shelf.index.set(path, Entry::read(*stamp, *key, time));
        }
    }
    files
}
