//! From the roots to everything they lead to, wave by wave: from the store what is certain, the rest from its text.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use host::walk::Stamp;
use script::report::closest;
use tags::limits::TEXT_BYTES_MAX;
use tags::pack::Prepared;
use tags::packed::Packed;
use tags::{Classes, TagPath};

use super::make::{self, Made};
use super::{EVERYTHING, LoadLimits, Loaded, LoadedTag, class_name, missing};
use crate::key::{self, Key};
use crate::report::TagReport;
use crate::tree::{Shelf, open_files};

/// A tag that is to be loaded.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) path: String,
    pub(super) stamp: Stamp,
    /// Under which it should be in the store, by the index.
    key: Key,
}

impl Wanted {
    pub(super) fn class<'a>(&self, classes: &'a Classes) -> &'a Prepared {
        classes.get(class_name(&self.path)).expect("only what has a class is wanted")
    }
}

pub(super) struct Loading<'a> {
    shelf: &'a mut Shelf,
    limits: LoadLimits,
    there: &'a BTreeMap<String, LoadedTag>,
    /// All paths that anybody referred to. Only asked, never gone through.
    seen: HashSet<String>,
    /// Those of them that are still to be looked at.
    wave: Vec<String>,
    /// Those that there is no tag at.
    missing: BTreeSet<String>,
    is_full: bool,
    loaded: Loaded,
}

impl<'a> Loading<'a> {
    pub(super) fn new(
        shelf: &'a mut Shelf,
        limits: &LoadLimits,
        there: &'a BTreeMap<String, LoadedTag>,
    ) -> Loading<'a> {
        Loading {
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
        if self.is_full {
            let message = format!("more than {} tags are needed; the rest is left out", self.limits.tags);
            self.report(TagReport::of_file(".", &message, "a level must do with fewer"));
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
                        let advice = missing::advice(&self.shelf.walk, path.as_str());
                        self.report(TagReport::of_file(path.as_str(), "there is no such tag", &advice));
                    }
                }
                Err(wrong) => self.report(TagReport::of_file(root, &wrong.to_string(), "")),
            }
        }
    }

    /// All files of known classes are needed. Of the others, those that look like tags are looked at, so that a class that nobody
    /// declared is told.
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

    /// Whether a file of no known class begins as a tag of one: with `@` and its extension.
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

    /// Notes that a tag is needed.
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

    /// Which of the tags can come from the store, and which must be read. Those that can are followed at once, by what the
    /// index knows of their references.
    fn gather(&mut self) -> (Vec<Wanted>, Vec<Wanted>) {
        let (mut known, mut unknown) = (Vec::new(), Vec::new());
        while let Some(path) = self.wave.pop() {
            let Some(wanted) = self.wanted(path) else { continue };
            let certain = self.shelf.index.get(&wanted.path).filter(|entry| entry.is_certainly(&wanted.stamp));
            let fingerprint = wanted.class(&self.shelf.classes).fingerprint();
            let made = certain.and_then(|entry| entry.made.as_ref());
            match made.filter(|made| made.fingerprint == fingerprint && !made.is_reported).cloned() {
                Some(made) => {
                    made.references().for_each(|reference| self.see(reference));
                    known.push(Wanted { key: made.key, ..wanted });
                }
                None => unknown.push(wanted),
            }
        }
        unknown.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        (known, unknown)
    }

    fn wanted(&mut self, path: String) -> Option<Wanted> {
        let Some(stamp) = self.shelf.walk.find(&path).map(|file| file.stamp) else {
            self.missing.insert(path);
            return None;
        };
        let name = class_name(&path);
        if self.shelf.classes.get(name).is_some() {
            return Some(Wanted { path, stamp, key: Key::default() });
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

    /// Takes tags out of the store. Gives back those that are not there.
    fn fetch(&mut self, known: Vec<Wanted>) -> Vec<Wanted> {
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

    /// Reads tags, and makes those that are not in the store.
    fn build(&mut self, unknown: Vec<Wanted>, lost: Vec<Wanted>) {
        self.shelf.is_damaged |= !lost.is_empty();
        let all: Vec<Wanted> = unknown.into_iter().chain(lost).collect();
        for part in make::parts(&all) {
            for made in make::make(part, self.shelf) {
                self.take(made);
            }
        }
    }

    fn take(&mut self, made: Made) {
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
                self.shelf.made.push((key::of_mark(&key), None));
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

/// Extensions of texts that are no tags: headers, notes, scripts.
const NO_TAGS: [&str; 3] = ["header", "notes", "lsc"];
