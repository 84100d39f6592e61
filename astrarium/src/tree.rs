//! A game's tags from a tree of files, which is followed while the game runs.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use shelf::headers;
use shelf::kept::Kept;
use shelf::living::{Living, News};
use shelf::load::{LoadLimits, Loaded};
use tags::Library;
use tags::library::{Change, Ready};

use crate::content::{Arrivals, Content, Feed};
use crate::game::GameEntry;

/// The tags of a level from a tree, and what people should know about them.
pub fn open(entry: &GameEntry, level: &str, root: &Path) -> Result<(Content, Vec<String>), String> {
    let mut classes = (entry.tags.classes)();
    let home = shelf::tree::home_of(root);
    // Tools know a game's own classes from here. That it cannot be written costs only them.
    let mut lines: Vec<String> =
        headers::write_down(&classes, &home).err().map(|error| error.to_string()).into_iter().collect();
    let reports = headers::add_from_tree(&mut classes, root).map_err(|error| error.to_string())?;
    lines.extend(reports.iter().map(ToString::to_string));
    let classes = Arc::new(classes);
    let roots = (entry.tags.roots)(level);
    let roots: Vec<&str> = roots.iter().map(String::as_str).collect();
    let begun = Living::begin(root, Arc::clone(&classes), &roots, &LoadLimits::default());
    let (living, loaded) = begun.map_err(|error| error.to_string())?;
    lines.extend(loaded.reports.iter().map(ToString::to_string));
    let kept = Kept::new(&home, Arc::clone(&classes), loaded.tags.keys().map(String::as_str));
    let mut content = Content::new(classes, loaded.ready());
    let Loaded { bulk, .. } = loaded;
    bulk.into_iter().for_each(|(digest, bytes)| content.add_bulk(digest, bytes));
    Ok((content.with_feed(Box::new(Tree { living, kept })), lines))
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
