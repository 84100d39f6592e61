//! A game's tags from their source: built in, or a tree of files, which may be followed while the game runs.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use shelf::Shelf;
use shelf::headers;
use shelf::history::History;
use shelf::hot_reload::{HeaderChange, HotReload, ReadClasses, TreeChanges};
use shelf::load::{LoadLimits, Loaded};
use tags::Classes;

use crate::content::{self, Arrivals, Content, Feed, Remembered};
use crate::error::Error;
use crate::game::GameEntry;
use crate::mods::folders;

impl GameEntry {
    /// The current tags of a level: the built-in ones, or those of the game's tree, which is not followed. A fault in
    /// built-in tags is an error; faults in a tree are reported by [`Content::take_lines`].
    pub fn content(&self, level: &str) -> Result<Content, Error> {
        let Some(root) = self.tags.folder else { return content::built_in(self, level) };
        let (classes, lines) = classes_of(self, root)?;
        let roots = (self.tags.roots)(level);
        let roots: Vec<&str> = roots.iter().map(String::as_str).collect();
        let mut shelf = Shelf::open_folders(folders(root, self.tags.mods), Arc::clone(&classes))?;
        let loaded = shelf.load(&roots, &LoadLimits::default());
        let history = history_beside(root, &classes, &loaded);
        let lines = lines.into_iter().chain(loaded.reports.iter().map(ToString::to_string)).collect::<Vec<String>>();
        let containers = Arc::clone(shelf.containers());
        let content = content_of(classes, loaded).with_containers(containers);
        let mut content = content.with_feed(Box::new(Remembered { history }));
        lines.into_iter().for_each(|line| content.note(line));
        Ok(content)
    }
}

/// The tags of a level from a tree, which is followed, and messages for people about them.
pub fn open(entry: &GameEntry, level: &str, root: &Path) -> Result<(Content, Vec<String>), Error> {
    let (classes, mut lines) = classes_of(entry, root)?;
    let roots = (entry.tags.roots)(level);
    let roots: Vec<&str> = roots.iter().map(String::as_str).collect();
    let (folder, read_classes) = (root.to_path_buf(), *entry);
    let read: ReadClasses = Box::new(move || {
        let mut classes = (read_classes.tags.classes)();
        let tree = folders(&folder, read_classes.tags.mods);
        let reports = headers::add_from_folders(&mut classes, &tree, read_classes.tags.texts).ok()?;
        Some((classes, reports))
    });
    let folders = folders(root, entry.tags.mods);
    let begun = HotReload::begin_folders(folders, Arc::clone(&classes), Some(read), &roots, &LoadLimits::default());
    let (reload, loaded) = begun?;
    lines.extend(loaded.reports.iter().map(ToString::to_string));
    let history = history_beside(root, &classes, &loaded);
    let content = content_of(classes, loaded).with_containers(Arc::clone(reload.containers()));
    Ok((content.with_feed(Box::new(Tree { reload, history })), lines))
}

/// The classes of a game and of a tree, and the faults found in the tree's.
fn classes_of(entry: &GameEntry, root: &Path) -> Result<(Arc<Classes>, Vec<String>), Error> {
    let mut classes = (entry.tags.classes)();
    // Tools read a game's own classes from this file. A failed write affects only them.
    let written = headers::write_down(&classes, &shelf::tree::home_of(root));
    let mut lines: Vec<String> = match written {
        Ok(damaged) => {
            damaged.iter().map(|path| format!("{}: was damaged, and is written anew", path.display())).collect()
        }
        Err(error) => vec![error.to_string()],
    };
    let reports = headers::add_from_folders(&mut classes, &folders(root, entry.tags.mods), entry.tags.texts)?;
    lines.extend(reports.iter().map(ToString::to_string));
    Ok((Arc::new(classes), lines))
}

fn content_of(classes: Arc<Classes>, loaded: Loaded) -> Content {
    let mut content = Content::new(classes, loaded.ready());
    let Loaded { bulk, .. } = loaded;
    bulk.into_iter().for_each(|(digest, bytes)| content.add_bulk(digest, bytes));
    content
}

fn history_beside(root: &Path, classes: &Arc<Classes>, loaded: &Loaded) -> History {
    History::new(&shelf::tree::home_of(root), Arc::clone(classes), loaded.tags.keys().map(String::as_str))
}

/// What becomes of changed headers and libraries, a line each.
fn told(change: &HeaderChange) -> Vec<String> {
    let (paths, mut lines) = (change.paths.join(", "), Vec::new());
    if !change.counts.is_empty() {
        lines.push(format!("{paths}: changed, for all tags of the class {}", change.counts.join(", ")));
    }
    if !change.waits.is_empty() {
        let waits = change.waits.join(", ");
        lines.push(format!("{paths}: the fields of {waits} changed; that takes effect when the game is restarted"));
    }
    lines
}

struct Tree {
    reload: HotReload,
    history: History,
}

impl Feed for Tree {
    fn poll(&mut self) -> Arrivals {
        let TreeChanges { ready, bulk, bulk_files, reports, never_sound, settled, gone, headers } = self.reload.poll();
        let mut lines: Vec<String> = reports.iter().map(ToString::to_string).collect();
        let broken: BTreeSet<&str> =
            reports.iter().filter(|report| report.is_error()).map(|report| report.path.as_str()).collect();
        lines.extend(broken.iter().map(|path| match never_sound.iter().any(|never| never == path) {
            true => format!("{path}: it has no version without errors yet; what is right in it counts"),
            false => format!("{path}: its last good version stays in force until the errors are fixed"),
        }));
        lines.extend(settled.iter().map(|path| format!("{path}: the errors are fixed")));
        lines.extend(gone.iter().map(|path| format!("{path}: its file was deleted; its last version stays in force")));
        lines.extend(headers.iter().flat_map(told));
        lines.extend(self.reload.take_troubles());
        lines.extend(self.history.take_troubles());
        Arrivals { tags: ready, bulk, has_new_blocks: !bulk_files.is_empty(), lines }
    }

    fn history(&mut self) -> Option<&mut History> {
        Some(&mut self.history)
    }
}
