//! Incremental build: reads texts and packs them, in parallel.

use std::path::PathBuf;

use host::clock::time_of_day;
use host::files::{FileError, ReadLimits, read_many};
use host::parallel;
use host::walk::Stamp;
use script::ast::Tree;
use script::parse::parse;
use script::report::Report;
use script::source::Span;
use tags::TagPath;
use tags::ancestry::{Ancestry, may_have_from};
use tags::compose::{InheritedReport, Layer};
use tags::limits::TEXT_BYTES_MAX;
use tags::pack::Prepared;
use tags::packed::Packed;

use super::traversal::WantedTag;
use crate::content_key::{self, Key};
use crate::folders::inputs;
use crate::index::{self, Entry, RebuildReason};
use crate::limits::TEXTS_BYTES;
use crate::report::TagReport;
use crate::tree::{Shelf, open_files};

/// The result for one tag.
pub(super) struct BuiltTag {
    pub(super) path: String,
    /// The new index entry of its file.
    pub(super) entry: Option<Entry>,
    /// Its packed form, and whether it must be put into the store. None if it could not be read.
    pub(super) packed: Option<(Key, Packed, bool)>,
    /// Why it was built, if it was.
    pub(super) reason: Option<RebuildReason>,
    pub(super) reports: Vec<TagReport>,
    /// Whether its text has reports.
    pub(super) is_reported: bool,
}

/// Divides the tags into batches whose texts fit into memory together.
pub(super) fn parts(all: &[WantedTag]) -> Vec<&[WantedTag]> {
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

/// Reads the texts; takes tags from the store that the index did not know; builds the rest.
pub(super) fn make(part: &[WantedTag], shelf: &Shelf) -> Vec<BuiltTag> {
    let texts = read(part, shelf);
    let stored = look_up(part, &texts, shelf);
    parallel::many(part.len(), parallel::threads(), |number| {
        let wanted = &part[number];
        match &texts[number] {
            Ok(text) => finish(wanted, text, stored[number].as_ref(), shelf),
            Err(error) => BuiltTag {
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
    /// Its stamp before it was read.
    time: i64,
    content: Key,
    key: Key,
    /// Its syntax tree and the tags that it is made from, if it may have any.
    made_from: Option<(Tree, Ancestry)>,
}

impl Text {
    fn parents(&self) -> Vec<(String, Key)> {
        self.made_from.as_ref().map_or_else(Vec::new, |(_, ancestry)| inputs(ancestry))
    }
}

fn read(part: &[WantedTag], shelf: &Shelf) -> Vec<Result<Text, FileError>> {
    let files: Vec<(PathBuf, u32)> = part.iter().map(|wanted| shelf.folders.file(&wanted.path)).collect();
    let paths: Vec<PathBuf> = files.iter().map(|(file, _)| file.clone()).collect();
    let limits = ReadLimits { bytes_each: TEXT_BYTES_MAX as u64, open_files: open_files() };
    let time = time_of_day();
    read_many(&paths, &limits, |number, bytes| {
        let bytes = bytes?;
        let wanted = &part[number];
        let content = content_key::of(&bytes);
        let made_from = made_from(&bytes, wanted, files[number].1, shelf);
        let parents = made_from.as_ref().map_or_else(Vec::new, |(_, ancestry)| inputs(ancestry));
        let key = content_key::of_composed(wanted.class(&shelf.classes), &content, &parents);
        Ok(Text { bytes, stamp: wanted.stamp, time, content, key, made_from })
    })
}

fn made_from(bytes: &[u8], wanted: &WantedTag, folder: u32, shelf: &Shelf) -> Option<(Tree, Ancestry)> {
    let source = String::from_utf8_lossy(bytes);
    if !may_have_from(&source) {
        return None;
    }
    let (tree, path) = (parse(&source), TagPath::new(&wanted.path).ok()?);
    let ancestry = shelf.ancestry(&path, folder, &source, &tree);
    Some((tree, ancestry))
}

/// The tags that the store has, except for those with reports: they are built again, so that the reports appear.
fn look_up(part: &[WantedTag], texts: &[Result<Text, FileError>], shelf: &Shelf) -> Vec<Option<Packed>> {
    let Some(store) = &shelf.store else { return part.iter().map(|_| None).collect() };
    let is_reported = |key: &Key| store.has(&content_key::of_mark(key));
    let key = |text: &Result<Text, FileError>| text.as_ref().map_or(Key::default(), |text| text.key);
    let keys = texts.iter().map(key).map(|key| if is_reported(&key) { Key::default() } else { key });
    let keys: Vec<Key> = keys.collect();
    store.get_many(&keys, open_files(), |_, bytes| bytes.and_then(|bytes| Packed::check_parts(bytes).ok()))
}

fn finish(wanted: &WantedTag, text: &Text, stored: Option<&Packed>, shelf: &Shelf) -> BuiltTag {
    let mut entry = Entry::read(text.stamp, text.content, text.time);
    let class = wanted.class(&shelf.classes);
    let mut made = index::BuildRecord::new(text.key, class.fingerprint());
    made.parents = text.parents();
    let before = shelf.index.get(&wanted.path);
    let before = before.and_then(|entry| Some((&entry.content, entry.made.as_ref()?)));
    if let Some((_, before)) = before {
        (made.reads, made.ready) = (before.reads.clone(), before.ready);
    }
    if let Some(packed) = stored {
        entry.made = Some(made.with_references(packed.links().map(|link| link.path)));
        let packed = Some((text.key, packed.clone(), false));
        return BuiltTag {
            path: wanted.path.clone(),
            entry: Some(entry),
            packed,
            reason: None,
            reports: Vec::new(),
            is_reported: false,
        };
    }
    let reason = RebuildReason::between(before, &class.class().name, &text.content, &made);
    let (packed, reports) = pack(class, &wanted.path, text);
    made.is_reported = !reports.is_empty();
    let is_reported = made.is_reported;
    entry.made = Some(made.with_references(packed.links().map(|link| link.path)));
    BuiltTag {
        path: wanted.path.clone(),
        entry: Some(entry),
        packed: Some((text.key, packed, true)),
        reason: Some(reason),
        reports,
        is_reported,
    }
}

fn pack(class: &Prepared, path: &str, text: &Text) -> (Packed, Vec<TagReport>) {
    let source = String::from_utf8_lossy(&text.bytes);
    let made = match &text.made_from {
        None => class.pack_text(&source),
        Some((tree, ancestry)) => class.pack_from(&source, tree, &ancestry.parents()),
    };
    let no_text = std::str::from_utf8(&text.bytes).err().map(|error| {
        let start = u32::try_from(error.valid_up_to()).unwrap_or(u32::MAX);
        Report::error(Span::new(start, start), "expected a text in UTF-8, found other bytes")
            .with_help("save the file as UTF-8")
    });
    let of_parents = text.made_from.as_ref().map(|(_, ancestry)| ancestry_reports(ancestry, &made.inherited));
    let (from, of_parents) = of_parents.unwrap_or_default();
    let reports = no_text.into_iter().chain(from).chain(made.reports).collect();
    let mut reports = TagReport::all_in_text(path, &source, reports);
    reports.extend(of_parents);
    (made.packed, reports)
}

/// The report about the chain of tags that a tag is made from, and those about what it inherits from them.
pub(crate) fn ancestry_reports(ancestry: &Ancestry, inherited: &[InheritedReport]) -> (Option<Report>, Vec<TagReport>) {
    let of_parents = inherited.iter().filter_map(|found| match found.layer {
        Layer::Parent(number) => {
            let source = &ancestry.tags.get(number as usize)?.source;
            Some(TagReport::in_text(&source.shown, &source.text, found.report.clone()))
        }
        _ => None,
    });
    (ancestry.report.clone(), of_parents.collect())
}
