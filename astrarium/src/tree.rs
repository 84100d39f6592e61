//! A game's tags, from where they are: part of the program, or a tree of files, which may be followed while the game runs.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use shelf::Shelf;
use shelf::headers;
use shelf::kept::Kept;
use shelf::living::{Living, News};
use shelf::load::{LoadLimits, Loaded};
use tags::library::{Change, Ready};
use tags::{Classes, Library};

use crate::content::{self, Arrivals, Content, Feed, Remembered};
use crate::game::GameEntry;

impl GameEntry {
    /// The tags of a level as they are now: those of the program, or those of the game's tree, which is not followed. What is wrong
    /// with the program's is an error; what is wrong with a tree is told by [`Content::take_lines`].
    pub fn content(&self, level: &str) -> Result<Content, String> {
        let Some(root) = self.tags.folder else { return content::built_in(self, level) };
        let (classes, lines) = classes_of(self, root)?;
        let roots = (self.tags.roots)(level);
        let roots: Vec<&str> = roots.iter().map(String::as_str).collect();
        let mut shelf = Shelf::open(root, Arc::clone(&classes)).map_err(|error| error.to_string())?;
        let loaded = shelf.load(&roots, &LoadLimits::default());
        let kept = kept_beside(root, &classes, &loaded);
        let lines = lines.into_iter().chain(loaded.reports.iter().map(ToString::to_string)).collect::<Vec<String>>();
        let mut content = content_of(classes, loaded).with_feed(Box::new(Remembered { kept }));
        lines.into_iter().for_each(|line| content.note(line));
        Ok(content)
    }
}

/// The tags of a level from a tree, which is followed, and what people should know about them.
pub fn open(entry: &GameEntry, level: &str, root: &Path) -> Result<(Content, Vec<String>), String> {
    let (classes, mut lines) = classes_of(entry, root)?;
    let roots = (entry.tags.roots)(level);
    let roots: Vec<&str> = roots.iter().map(String::as_str).collect();
    let begun = Living::begin(root, Arc::clone(&classes), &roots, &LoadLimits::default());
    let (living, loaded) = begun.map_err(|error| error.to_string())?;
    lines.extend(loaded.reports.iter().map(ToString::to_string));
    let kept = kept_beside(root, &classes, &loaded);
    Ok((content_of(classes, loaded).with_feed(Box::new(Tree { living, kept })), lines))
}

/// The classes of a game and of a tree, and what is wrong with the tree's.
fn classes_of(entry: &GameEntry, root: &Path) -> Result<(Arc<Classes>, Vec<String>), String> {
    let mut classes = (entry.tags.classes)();
    // Tools know a game's own classes from here. That it cannot be written costs only them.
    let written = headers::write_down(&classes, &shelf::tree::home_of(root));
    let mut lines: Vec<String> = written.err().map(|error| error.to_string()).into_iter().collect();
    let reports =
        headers::add_from_tree_over(&mut classes, root, entry.tags.texts).map_err(|error| error.to_string())?;
    lines.extend(reports.iter().map(ToString::to_string));
    Ok((Arc::new(classes), lines))
}

fn content_of(classes: Arc<Classes>, loaded: Loaded) -> Content {
    let mut content = Content::new(classes, loaded.ready());
    let Loaded { bulk, .. } = loaded;
    bulk.into_iter().for_each(|(digest, bytes)| content.add_bulk(digest, bytes));
    content
}

fn kept_beside(root: &Path, classes: &Arc<Classes>, loaded: &Loaded) -> Kept {
    Kept::new(&shelf::tree::home_of(root), Arc::clone(classes), loaded.tags.keys().map(String::as_str))
}

struct Tree {
    living: Living,
    kept: Kept,
}

impl Feed for Tree {
    fn poll(&mut self) -> Arrivals {
        let News { ready, bulk, reports, settled, gone, headers } = self.living.poll();
        let mut lines: Vec<String> = reports.iter().map(ToString::to_string).collect();
        let broken: BTreeSet<&str> =
            reports.iter().filter(|report| report.is_error()).map(|report| report.path.as_str()).collect();
        lines.extend(
            broken.iter().map(|path| format!("{path}: until that is mended, its last good version stays in force")),
        );
        lines.extend(settled.iter().map(|path| format!("{path}: nothing is wrong with it any more")));
        lines.extend(gone.iter().map(|path| format!("{path}: its file is gone; its last version stays in force")));
        lines.extend(
            headers.iter().map(|path| format!("{path}: a class changed; it counts when the game is started again")),
        );
        lines.extend(self.living.take_troubles());
        Arrivals { tags: ready, bulk, lines }
    }

    fn fetch(&mut self, change: Change) -> Option<Ready> {
        self.kept.fetch(change)
    }

    fn content_of(&mut self, identity: u64) -> Option<Vec<Ready>> {
        self.kept.content_of(identity)
    }

    fn keep(&mut self, library: &Library) {
        self.kept.keep(library);
    }
}
