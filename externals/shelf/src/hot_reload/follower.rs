//! The follower of a tree: turns changed files into changed tags.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use host::background::BackgroundWriter;
use host::files::FileError;
use host::walk::WalkLimits;
use host::watch::Watch;
use tags::Classes;

use super::{HeaderChange, ReadClasses, TreeChanges};
use crate::containers::{Containers, path_beside};
use crate::folders::Folders;
use crate::limits::{FILES_WAITING_MAX, KEPT_AT_ONCE_BYTES, TROUBLES_MAX};
use crate::load::{EVERYTHING, LoadLimits, Loaded, LoadedTag, class_name};
use crate::report::TagReport;
use crate::tree::Shelf;

pub(super) struct TreeFollower {
    shelf: Shelf,
    /// Reads the classes again, if they may change.
    read: Option<ReadClasses>,
    /// None until the first advance, so that the start does not wait for the watcher. One for each folder.
    watch: Option<Vec<Watch>>,
    limits: LoadLimits,
    roots: Vec<String>,
    /// The tags that the game has.
    tags: BTreeMap<String, LoadedTag>,
    /// The bulk data that it has, by digest.
    bulk: BTreeMap<[u8; 32], Arc<[u8]>>,
    /// Tags whose text has errors and never had a good version.
    unsound: BTreeSet<String>,
    /// Those whose reports were made before, and still hold.
    still: BTreeSet<String>,
    /// Paths with reports.
    reported: BTreeSet<String>,
    /// Tags whose containers are not stored yet.
    unkept: BTreeSet<String>,
    writer: BackgroundWriter,
    troubles: Vec<String>,
    watch_trouble: Option<String>,
}

impl fmt::Debug for TreeFollower {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("TreeFollower").field("shelf", &self.shelf).field("roots", &self.roots).finish_non_exhaustive()
    }
}

impl TreeFollower {
    pub(super) fn begin(
        folders: Folders,
        classes: Arc<Classes>,
        read: Option<ReadClasses>,
        roots: &[&str],
        limits: &LoadLimits,
    ) -> Result<(TreeFollower, Loaded), FileError> {
        let mut shelf = Shelf::open_folders(folders, classes)?;
        let loaded = shelf.load(roots, limits);
        let following = TreeFollower {
            troubles: shelf.troubles().to_vec(),
            shelf,
            read,
            watch: None,
            limits: *limits,
            roots: roots.iter().map(|root| root.replace('\\', "/")).collect(),
            tags: loaded.tags.clone(),
            bulk: loaded.bulk.clone(),
            unsound: loaded.unsound.clone(),
            still: BTreeSet::new(),
            reported: loaded.reports.iter().map(|report| report.path.clone()).collect(),
            unkept: loaded.tags.keys().filter(|path| names_files(&loaded.tags, path)).cloned().collect(),
            writer: BackgroundWriter::new(FILES_WAITING_MAX),
            watch_trouble: None,
        };
        Ok((following, loaded))
    }

    pub(super) fn containers(&self) -> &Arc<Containers> {
        self.shelf.containers()
    }

    /// Waits up to this long for changed files, and builds the changed tags.
    pub(super) fn advance(&mut self, patience: Duration) -> TreeChanges {
        let patience = if self.unkept.is_empty() { patience } else { Duration::ZERO };
        let (changed, trouble) = match &mut self.watch {
            Some(watches) => {
                let mut changed = Vec::new();
                let count = u32::try_from(watches.len()).unwrap_or(1).max(1);
                for watch in watches.iter_mut() {
                    let is_idle = changed.is_empty() && !patience.is_zero();
                    changed.extend(if is_idle { watch.wait(patience / count) } else { watch.poll() });
                }
                changed.sort_unstable();
                changed.dedup();
                (changed, watches.iter().find_map(Watch::trouble))
            }
            None => self.begin_to_watch(patience),
        };
        if trouble != self.watch_trouble {
            self.troubles.extend(trouble.clone());
            self.watch_trouble = trouble;
        }
        if !changed.is_empty() {
            return self.follow(&changed);
        }
        self.keep_containers(KEPT_AT_ONCE_BYTES);
        TreeChanges::default()
    }

    /// Starts watching. Returns the paths that may have changed since the tree was opened.
    fn begin_to_watch(&mut self, patience: Duration) -> (Vec<String>, Option<String>) {
        let folders = self.shelf.folders().all().to_vec();
        let begun: Result<Vec<Watch>, FileError> =
            folders.iter().map(|folder| Watch::begin(folder, &WalkLimits::default()).map(|(watch, _)| watch)).collect();
        let walked = begun.and_then(|watches| Ok((watches, self.shelf.folders().walk()?)));
        match walked {
            Ok((watches, walk)) => {
                let trouble = watches.iter().find_map(Watch::trouble);
                self.watch = Some(watches);
                (self.shelf.uncertain_since(&walk), trouble)
            }
            Err(error) => {
                std::thread::sleep(patience);
                (Vec::new(), Some(error.to_string()))
            }
        }
    }

    /// Writes everything, waiting for the disk: at the end.
    pub(super) fn save(&mut self) {
        self.writer.finish();
        self.keep_containers(u64::MAX);
        let saved = self.shelf.save();
        self.note(saved);
    }

    /// Writes new versions without waiting, so that they can be fetched. The index can be rebuilt, and is written only
    /// on request.
    pub(super) fn save_later(&mut self, with_index: bool) {
        while let Some(finished) = self.writer.poll() {
            self.note(finished.result);
        }
        let saved = self.shelf.save_later(&self.writer, with_index);
        self.note(saved);
    }

    fn note(&mut self, saved: Result<(), FileError>) {
        if let Err(error) = saved {
            self.troubles.push(error.to_string());
            self.troubles.truncate(TROUBLES_MAX);
        }
    }

    pub(super) fn take_troubles(&mut self) -> Vec<String> {
        std::mem::take(&mut self.troubles)
    }

    fn follow(&mut self, changed: &[String]) -> TreeChanges {
        let mut news = TreeChanges::default();
        let mut again = BTreeSet::new();
        let mut files = BTreeSet::new();
        let mut declarations = Vec::new();
        for path in changed {
            let is_there = self.shelf.look_again(path).is_some();
            if class_name(path) == "header" || self.is_library(path) {
                declarations.push(path.clone());
            } else if self.tags.contains_key(path) && !is_there {
                news.gone.push(path.clone());
                let message = "the file is gone; the game keeps the last version of the tag";
                news.reports.push(TagReport::of_file(path, message, "put it back, or remove the references to it"));
            } else if self.shelf.classes().get(class_name(path)).is_some() {
                again.insert(path.clone());
            } else {
                files.insert(path.clone());
            }
        }
        again.extend(self.made_from(changed));
        if !declarations.is_empty() {
            again.extend(self.renew_classes(declarations, &mut news));
        }
        let wanted = self.wanted(&again);
        let mut touched = self.load(&wanted, &mut news);
        touched.extend(self.namers(&files, &mut news));
        self.load_bulk(&touched, &mut news);
        self.unkept.extend(touched.into_iter().filter(|path| names_files(&self.tags, path)));
        self.settle(&wanted, &mut news);
        news
    }

    /// Whether a file is a library of a class.
    fn is_library(&self, path: &str) -> bool {
        let mut libraries = self.shelf.classes().iter().flat_map(|class| &class.class().libraries);
        libraries.any(|library| library.path == path)
    }

    /// The tags of the game that are made from one of these, directly or not.
    fn made_from(&self, changed: &[String]) -> Vec<String> {
        let is_child = |path: &&String| {
            let made = self.shelf.index().get(path).and_then(|entry| entry.made.as_ref());
            let mut parents = made.into_iter().flat_map(|made| &made.parents);
            // A tag of a mod is shown with the mod's name.
            parents.any(|(parent, _)| changed.iter().any(|path| parent.rsplit(':').next() == Some(path.as_str())))
        };
        self.tags.keys().filter(is_child).cloned().collect()
    }

    /// Reads the classes again. Returns the tags of those whose change counts at once.
    fn renew_classes(&mut self, paths: Vec<String>, news: &mut TreeChanges) -> Vec<String> {
        let mut change = HeaderChange { paths, ..HeaderChange::default() };
        let Some((classes, reports)) = self.read.as_ref().and_then(|read| read()) else {
            change.waits = change.paths.clone();
            news.headers.push(change);
            return Vec::new();
        };
        news.reports.extend(reports.iter().filter(|report| change.paths.contains(&report.path)).cloned());
        // A header with errors keeps its last version.
        if reports.iter().any(|report| report.is_error() && change.paths.contains(&report.path)) {
            return Vec::new();
        }
        let renewed = self.shelf.classes().renewed(classes);
        let is_changed = |path: &&String| renewed.changed.iter().any(|class| class_name(path) == class);
        let again = self.tags.keys().filter(is_changed).cloned().collect();
        self.shelf.classes = Arc::new(renewed.classes);
        (change.counts, change.waits) = (renewed.changed, renewed.waiting);
        news.headers.push(change);
        again
    }

    /// The paths among these that belong to the game, or should.
    fn wanted(&self, paths: &BTreeSet<String>) -> BTreeSet<String> {
        let is_everything = self.roots.iter().any(|root| root == EVERYTHING);
        let is_wanted = |path: &String| is_everything || self.tags.contains_key(path) || self.roots.contains(path);
        let (mut wanted, others): (BTreeSet<String>, BTreeSet<String>) = paths.iter().cloned().partition(is_wanted);
        if !others.is_empty() {
            let links = self.tags.values().flat_map(|tag| tag.packed.links());
            wanted.extend(links.filter(|link| others.contains(link.path)).map(|link| link.path.to_string()));
        }
        wanted
    }

    /// Loads tags again. Returns the paths of changed ones.
    fn load(&mut self, paths: &BTreeSet<String>, news: &mut TreeChanges) -> BTreeSet<String> {
        if paths.is_empty() {
            return BTreeSet::new();
        }
        let mut before: BTreeMap<String, LoadedTag> = BTreeMap::new();
        for path in paths {
            before.extend(self.tags.remove_entry(path));
        }
        let roots: Vec<&str> = paths.iter().map(String::as_str).collect();
        let loaded = self.shelf.load_texts(&roots, &self.limits, &self.tags);
        let (mut changed, mut same) = (BTreeSet::new(), BTreeSet::new());
        for (path, tag) in loaded.tags {
            let is_sound = !loaded.unsound.contains(&path);
            let last = before.remove(&path);
            match last {
                Some(last) if !is_sound && !self.unsound.contains(&path) => {
                    self.tags.insert(path, last);
                }
                last => {
                    if is_sound {
                        self.unsound.remove(&path);
                    } else {
                        self.unsound.insert(path.clone());
                    }
                    if last.as_ref().is_some_and(|last| last.text_key == tag.text_key) {
                        same.insert(path.clone());
                        self.tags.extend(last.map(|last| (path, last)));
                    } else {
                        changed.insert(path.clone());
                        self.tags.insert(path, tag);
                    }
                }
            }
        }
        // A tag that could not be read keeps its version.
        self.tags.extend(before);
        // What was said of a text is not said again while the text stays.
        let is_told = |report: &TagReport| same.contains(&report.path) && self.reported.contains(&report.path);
        self.still = loaded.reports.iter().filter(|report| is_told(report)).map(|report| report.path.clone()).collect();
        news.reports.extend(loaded.reports.into_iter().filter(|report| !self.still.contains(&report.path)));
        self.postprocess(changed, news)
    }

    fn postprocess(&mut self, mut changed: BTreeSet<String>, news: &mut TreeChanges) -> BTreeSet<String> {
        let mut all = Loaded { tags: std::mem::take(&mut self.tags), ..Loaded::default() };
        changed.extend(self.shelf.postprocess(&mut all));
        self.tags = all.tags;
        news.reports.extend(all.reports);
        let ready = changed.iter().filter_map(|path| self.tags.get(path)?.ready(path));
        news.ready.extend(ready);
        changed
    }

    /// The tags whose bulk data lies in one of these files.
    fn namers(&self, files: &BTreeSet<String>, news: &mut TreeChanges) -> Vec<String> {
        if files.is_empty() {
            return Vec::new();
        }
        let mut namers = Vec::new();
        for (path, tag) in &self.tags {
            let named = tag.packed.files().map(|named| path_beside(path, named.file));
            let mut named = named.filter(|file| files.contains(file)).peekable();
            if named.peek().is_some() {
                namers.push(path.clone());
                news.bulk_files.extend(named);
            }
        }
        news.bulk_files.sort_unstable();
        news.bulk_files.dedup();
        namers
    }

    /// Stores the containers of a few of the tags that wait for it, for films and saves.
    fn keep_containers(&mut self, bytes_at_once: u64) {
        let waiting: Vec<&str> = self.unkept.iter().map(String::as_str).collect();
        if waiting.is_empty() {
            return;
        }
        let containers = self.shelf.containers();
        let kept = containers.keep(&waiting, bytes_at_once).and_then(|count| containers.limit().map(|()| count));
        match kept {
            Ok(count) => self.unkept = self.unkept.iter().skip(count).cloned().collect(),
            Err(error) => {
                self.unkept.clear();
                self.note(Err(error));
            }
        }
    }

    fn load_bulk(&mut self, touched: &BTreeSet<String>, news: &mut TreeChanges) {
        let tags = touched.iter().filter_map(|path| Some((path.clone(), self.tags.get(path)?.clone())));
        let tags: BTreeMap<String, LoadedTag> = tags.filter(|(_, tag)| tag.packed.files().next().is_some()).collect();
        if tags.is_empty() {
            return;
        }
        let known: BTreeSet<[u8; 32]> = self.bulk.keys().copied().collect();
        let mut all = Loaded { tags, bulk: std::mem::take(&mut self.bulk), ..Loaded::default() };
        self.shelf.load_bulk(&mut all, &self.limits);
        let new = all.bulk.iter().filter(|(digest, _)| !known.contains(*digest));
        news.bulk.extend(new.map(|(digest, bytes)| (*digest, Arc::clone(bytes))));
        self.bulk = all.bulk;
        news.reports.extend(all.reports);
    }

    /// Determines the paths whose reports are resolved.
    fn settle(&mut self, looked_at: &BTreeSet<String>, news: &mut TreeChanges) {
        let now: BTreeSet<String> = news.reports.iter().map(|report| report.path.clone()).collect();
        let still = std::mem::take(&mut self.still);
        let is_settled =
            |path: &&String| self.reported.contains(*path) && !now.contains(*path) && !still.contains(*path);
        let settled = looked_at.iter().filter(is_settled);
        news.settled = settled.cloned().collect();
        for path in &news.settled {
            self.reported.remove(path);
        }
        news.never_sound = now.iter().filter(|path| self.unsound.contains(*path)).cloned().collect();
        self.reported.extend(now);
    }
}

fn names_files(tags: &BTreeMap<String, LoadedTag>, path: &str) -> bool {
    tags.get(path).is_some_and(|tag| tag.packed.files().next().is_some())
}
