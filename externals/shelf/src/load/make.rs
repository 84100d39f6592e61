//! Reading texts and making packed tags of them, by all processors.

use std::path::PathBuf;

use host::clock::time_of_day;
use host::files::{FileError, ReadLimits, read_many};
use host::parallel;
use host::walk::Stamp;
use script::report::Report;
use script::source::Span;
use tags::limits::TEXT_BYTES_MAX;
use tags::pack::Prepared;
use tags::packed::Packed;

use super::gather::Wanted;
use crate::index::{self, Entry, Reason};
use crate::key::{self, Key};
use crate::limits::TEXTS_BYTES;
use crate::report::TagReport;
use crate::tree::{Shelf, open_files};

/// What became of a tag that was read.
pub(super) struct Made {
    pub(super) path: String,
    /// What is known of its file now.
    pub(super) entry: Option<Entry>,
    /// Its packed form, and whether it is not in the store yet. None if it could not be read.
    pub(super) packed: Option<(Key, Packed, bool)>,
    /// Why it was made, if it was.
    pub(super) reason: Option<Reason>,
    pub(super) reports: Vec<TagReport>,
    /// Whether there is something to report about its text.
    pub(super) is_reported: bool,
}

/// Cuts the tags into parts whose texts fit into memory together.
pub(super) fn parts(all: &[Wanted]) -> Vec<&[Wanted]> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut bytes = 0_u64;
    for (number, wanted) in all.iter().enumerate() {
        let size = wanted.stamp.size;
        if bytes.saturating_add(size) > TEXTS_BYTES && number > start {
            parts.push(&all[start..number]);
            (start, bytes) = (number, 0);
        }
        bytes = bytes.saturating_add(size);
    }
    parts.push(&all[start..]);
    parts
}

/// Reads the texts; takes from the store what is there although the index did not know; makes the rest.
pub(super) fn make(part: &[Wanted], shelf: &Shelf) -> Vec<Made> {
    let texts = read(part, shelf);
    let stored = look_up(part, &texts, shelf);
    parallel::many(part.len(), parallel::threads(), |number| {
        let wanted = &part[number];
        match &texts[number] {
            Ok(text) => finish(wanted, text, stored[number].as_ref(), shelf),
            Err(error) => Made {
                path: wanted.path.clone(),
                entry: None,
                packed: None,
                reason: None,
                reports: vec![TagReport::of_file(&wanted.path, &error.to_string(), "")],
                is_reported: false,
            },
        }
    })
}

struct Text {
    bytes: Vec<u8>,
    stamp: Stamp,
    /// Before it was read.
    time: i64,
    content: Key,
    key: Key,
}

fn read(part: &[Wanted], shelf: &Shelf) -> Vec<Result<Text, FileError>> {
    let paths: Vec<PathBuf> = part.iter().map(|wanted| shelf.root.join(&wanted.path)).collect();
    let limits = ReadLimits { bytes_each: TEXT_BYTES_MAX as u64, open_files: open_files() };
    let time = time_of_day();
    read_many(&paths, &limits, |number, bytes| {
        let bytes = bytes?;
        let wanted = &part[number];
        let content = key::of(&bytes);
        let key = key::of_packed(wanted.class(&shelf.classes), &content);
        Ok(Text { bytes, stamp: wanted.stamp, time, content, key })
    })
}

/// What the store has of them, but for those that something is to be reported about: they are made again, so that it is.
fn look_up(part: &[Wanted], texts: &[Result<Text, FileError>], shelf: &Shelf) -> Vec<Option<Packed>> {
    let Some(store) = &shelf.store else { return part.iter().map(|_| None).collect() };
    let is_reported = |key: &Key| store.has(&key::of_mark(key));
    let key = |text: &Result<Text, FileError>| text.as_ref().map_or(Key::default(), |text| text.key);
    let keys = texts.iter().map(key).map(|key| if is_reported(&key) { Key::default() } else { key });
    let keys: Vec<Key> = keys.collect();
    store.get_many(&keys, open_files(), |_, bytes| bytes.and_then(|bytes| Packed::check_parts(bytes).ok()))
}

fn finish(wanted: &Wanted, text: &Text, stored: Option<&Packed>, shelf: &Shelf) -> Made {
    let mut entry = Entry::read(text.stamp, text.content, text.time);
    let class = wanted.class(&shelf.classes);
    let mut made = index::Made::new(text.key, class.fingerprint());
    let before = shelf.index.get(&wanted.path);
    let before = before.and_then(|entry| Some((&entry.content, entry.made.as_ref()?)));
    if let Some((_, before)) = before {
        (made.reads, made.ready) = (before.reads.clone(), before.ready);
    }
    if let Some(packed) = stored {
        entry.made = Some(made.with_references(packed.links().map(|link| link.path)));
        let packed = Some((text.key, packed.clone(), false));
        return Made {
            path: wanted.path.clone(),
            entry: Some(entry),
            packed,
            reason: None,
            reports: Vec::new(),
            is_reported: false,
        };
    }
    let reason = Reason::between(before, &class.class().name, &text.content, &made);
    let (packed, reports) = pack(class, &wanted.path, &text.bytes);
    made.is_reported = !reports.is_empty();
    let is_reported = made.is_reported;
    entry.made = Some(made.with_references(packed.links().map(|link| link.path)));
    Made {
        path: wanted.path.clone(),
        entry: Some(entry),
        packed: Some((text.key, packed, true)),
        reason: Some(reason),
        reports,
        is_reported,
    }
}

fn pack(class: &Prepared, path: &str, bytes: &[u8]) -> (Packed, Vec<TagReport>) {
    let source = String::from_utf8_lossy(bytes);
    let made = class.pack_text(&source);
    let no_text = std::str::from_utf8(bytes).err().map(|error| {
        let start = u32::try_from(error.valid_up_to()).unwrap_or(u32::MAX);
        Report::error(Span::new(start, start), "expected a text in UTF-8, found other bytes")
            .with_help("save the file as UTF-8")
    });
    let reports = no_text.into_iter().chain(made.reports).collect();
    (made.packed, TagReport::all_in_text(path, &source, reports))
}
