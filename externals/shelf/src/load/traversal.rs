//! Breadth-first traversal of references from the roots: unchanged tags come from the store, the others are built from
//! their texts.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use host::walk::Stamp;
use script::report::closest;
use tags::limits::TEXT_BYTES_MAX;
use tags::pack::Prepared;
use tags::packed::Packed;
use tags::{Classes, TagPath};

use super::build::{self, BuiltTag};
use super::{EVERYTHING, LoadLimits, Loaded, LoadedTag, class_name, missing};
use crate::content_key::{self, Key};
use crate::index::BuildRecord;
use crate::report::TagReport;
use crate::tree::{Shelf, open_files};

/// A tag to be loaded.
#[derive(Debug, Clone)]
pub(super) struct WantedTag {
    pub(super) path: String,
    pub(super) stamp: Stamp,
    /// Its key in the store, according to the index.
    key: Key,
}

impl WantedTag {
    pub(super) fn class<'a>(&self, classes: &'a Classes) -> &'a Prepared {
        classes.get(class_name(&self.path)).expect("only what has a class is wanted")
    }
}

pub(super) struct Traversal<'a> {
    shelf: &'a mut Shelf,
    limits: LoadLimits,
    there: &'a BTreeMap<String, LoadedTag>,
    /// All paths referred to. Only queried, never iterated.
    seen: HashSet<String>,
    /// Paths of the next wave.
    wave: Vec<String>,
    /// Paths without a tag.
    missing: BTreeSet<String>,
    is_full: bool,
    loaded: Loaded,
}

impl<'a> Traversal<'a> {
    pub(super) fn new(
        shelf: &'a mut Shelf,
        limits: &LoadLimits,
        there: &'a BTreeMap<String, LoadedTag>,
    ) -> Traversal<'a> {
        Traversal {
            shelf,
            limits: *limits,
            there,
            seen: HashSet::new(),
            wave: Vec::new(),
            missing: BTreeSet::new(),
            is_full: false,
            loaded: Loaded::default(),
        }
    }

    pub(super) fn load(mut self, roots: &[&str]) -> Loaded {
        self.begin(roots);
        while !self.wave.is_empty() {
            let (known, unknown) = self.gather();
            let lost = self.fetch(known);
            self.build(unknown, lost);
        }
        let reports = missing::reports(self.shelf, &self.loaded, &self.missing);
        self.loaded.reports.extend(reports);
        missing::misplaced(self.shelf, &mut self.loaded);
        missing::mistakes(self.shelf, &mut self.loaded, self.there);
        if self.is_full {
            let message = format!("more than {} tags are needed; the rest is not loaded", self.limits.tags);
            self.report(TagReport::of_file(".", &message, "reduce the number of tags of the level"));
        }
        self.loaded
    }

    fn begin(&mut self, roots: &[&str]) {
        for root in roots {
            if *root == EVERYTHING {
                self.see_everything();
                continue;
            }
            match TagPath::new(root) {
                Ok(path) => {
                    self.see(path.as_str());
                    if self.shelf.walk.find(path.as_str()).is_none() {
                        let advice = crate::report::advice(&self.shelf.walk, path.as_str());
                        self.report(TagReport::of_file(path.as_str(), "there is no such tag", &advice));
                    }
                }
                Err(wrong) => self.report(TagReport::of_file(root, &wrong.to_string(), "")),
            }
        }
    }

    /// All files of known classes are loaded. Others are opened if they look like tags, so that a missing class is
    /// reported.
    fn see_everything(&mut self) {
        let names: Vec<String> = self.shelf.walk.files.iter().map(|file| file.path.clone()).collect();
        for path in names {
            let is_known = self.shelf.classes.get(class_name(&path)).is_some();
            if !is_known && !self.says_its_class(&path) {
                continue;
            }
            match TagPath::new(&path) {
                Ok(path) => self.see(path.as_str()),
                Err(wrong) => self.report(TagReport::of_file(&path, &wrong.to_string(), "rename the file")),
            }
        }
    }

    /// Whether a file of an unknown class begins like a tag: with `@` and its extension.
    fn says_its_class(&self, path: &str) -> bool {
        let is_small = self.shelf.walk.find(path).is_some_and(|file| file.stamp.size <= TEXT_BYTES_MAX as u64);
        let extension = class_name(path);
        if !is_small || extension.is_empty() || NO_TAGS.contains(&extension) {
            return false;
        }
        let text = self.shelf.text(path);
        let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("//"));
        first.and_then(|line| line.strip_prefix('@')).is_some_and(|class| class.trim() == extension)
    }

    /// Adds a tag to the next wave.
    fn see(&mut self, path: &str) {
        if self.seen.contains(path) || self.there.contains_key(path) {
            return;
        }
        if self.seen.len() >= self.limits.tags {
            self.is_full = true;
            return;
        }
        self.seen.insert(path.to_string());
        self.wave.push(path.to_string());
    }

    /// Divides the wave into tags that can come from the store and tags that must be read. The former are followed at
    /// once, by the references in the index.
    fn gather(&mut self) -> (Vec<WantedTag>, Vec<WantedTag>) {
        let (mut known, mut unknown) = (Vec::new(), Vec::new());
        while let Some(path) = self.wave.pop() {
            let Some(wanted) = self.wanted(path) else { continue };
            let certain = self.shelf.index.get(&wanted.path).filter(|entry| entry.is_certainly(&wanted.stamp));
            let fingerprint = wanted.class(&self.shelf.classes).fingerprint();
            let made = certain.and_then(|entry| entry.made.as_ref());
            let is_whole = |made: &&BuildRecord| {
                made.fingerprint == fingerprint && !made.is_reported && self.has_parents(&made.parents)
            };
            match made.filter(is_whole).cloned() {
                Some(made) => {
                    made.references().for_each(|reference| self.see(reference));
                    known.push(WantedTag { key: made.key, ..wanted });
                }
                None => unknown.push(wanted),
            }
        }
        unknown.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        (known, unknown)
    }

    /// Whether the tags that a tag was made from are certainly the same.
    fn has_parents(&self, parents: &[(String, Key)]) -> bool {
        parents.iter().all(|(path, content)| {
            let stamp = self.shelf.walk.find(path).map(|file| file.stamp);
            let entry = self.shelf.index.get(path);
            stamp.zip(entry).is_some_and(|(stamp, entry)| entry.is_certainly(&stamp) && entry.content == *content)
        })
    }

    fn wanted(&mut self, path: String) -> Option<WantedTag> {
        let Some(stamp) = self.shelf.walk.find(&path).map(|file| file.stamp) else {
            self.missing.insert(path);
            return None;
        };
        let name = class_name(&path);
        if self.shelf.classes.get(name).is_some() {
            return Some(WantedTag { path, stamp, key: Key::default() });
        }
        let classes = self.shelf.classes.iter().map(|class| class.class().name.as_str());
        let help = match closest(name, classes) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "declare it in Rust, or in a header in the tree".into(),
        };
        let message = format!("there is no class `{name}`, which its extension names");
        self.report(TagReport::of_file(&path, &message, &help));
        None
    }

    /// Takes tags out of the store. Returns those that are missing there.
    fn fetch(&mut self, known: Vec<WantedTag>) -> Vec<WantedTag> {
        let Some(store) = &self.shelf.store else { return known };
        let keys: Vec<Key> = known.iter().map(|wanted| wanted.key).collect();
        let found =
            store.get_many(&keys, open_files(), |_, bytes| bytes.and_then(|bytes| Packed::check_parts(bytes).ok()));
        let mut lost = Vec::new();
        for (wanted, packed) in known.into_iter().zip(found) {
            match packed {
                Some(packed) => self.add(wanted.path, wanted.key, packed),
                None => lost.push(wanted),
            }
        }
        lost
    }

    /// Reads tags, and builds those that are not in the store.
    fn build(&mut self, unknown: Vec<WantedTag>, lost: Vec<WantedTag>) {
        self.shelf.is_damaged |= !lost.is_empty();
        let all: Vec<WantedTag> = unknown.into_iter().chain(lost).collect();
        for part in build::parts(&all) {
            for made in build::make(part, self.shelf) {
                self.take(made);
            }
        }
    }

    fn take(&mut self, made: BuiltTag) {
        if made.reports.iter().any(TagReport::is_error) {
            self.loaded.unsound.insert(made.path.clone());
        }
        self.loaded.reports.extend(made.reports);
        if let Some(entry) = made.entry {
            self.shelf.index.set(&made.path, entry);
        }
        if let Some(reason) = made.reason {
            self.loaded.built.insert(made.path.clone(), reason);
        }
        if let Some((key, packed, is_new)) = made.packed {
            self.add(made.path.clone(), key, packed);
            let added = self.loaded.tags.get(&made.path).filter(|_| is_new);
            self.shelf.made.extend(added.map(|tag| (key, Some(Arc::clone(&tag.packed)))));
            if made.is_reported {
                self.shelf.made.push((content_key::of_mark(&key), None));
            }
        }
    }

    fn add(&mut self, path: String, key: Key, packed: Packed) {
        for link in packed.links() {
            self.see(link.path);
        }
        self.loaded.tags.insert(path, LoadedTag::new(key, packed));
    }

    fn report(&mut self, report: TagReport) {
        self.loaded.reports.push(report);
    }
}

/// Extensions of texts that are not tags: headers and notes.
const NO_TAGS: [&str; 2] = ["header", "notes"];
