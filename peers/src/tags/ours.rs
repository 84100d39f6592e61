//! Our contender: a tree of tags, loaded into a library.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::tags::{Bulk, Classes, Library, Record, Reference, Series, Tag, Text};
use shelf::Shelf;
use shelf::hot_reload::HotReload;
use shelf::load::LoadLimits;

use super::content::{Asset, Content, Tally};
use super::text;

/// An asset as a class of tags.
#[derive(Tag)]
#[tag(class = "asset")]
#[repr(C)]
struct Held {
    number: u32,
    name: Text,
    mass: f32,
    cost: f32,
    life: f32,
    elements: Series<Part>,
    references: Series<Reference<Held>>,
    #[tag(resident)]
    bulk: Bulk,
}

/// A part of an asset.
#[derive(Record)]
#[repr(C)]
struct Part {
    #[tag(key)]
    name: Text,
    x: f32,
    y: f32,
    z: f32,
    size: f32,
}

/// The name of the tree.
pub fn classes() -> Arc<Classes> {
    Arc::new(Classes::new().with::<Held>())
}

/// Loads the first tag of a tree and all tags it refers to, visits them, and returns their sums; or why that failed.
pub fn load(tree: &Path, content: &Content, classes: &Arc<Classes>) -> Result<(Tally, Shelf), String> {
    let mut shelf = open(tree, classes)?;
    let loaded = shelf.load(&[&path(content, 0)], &LoadLimits::default());
    if let Some(report) = loaded.reports.first() {
        return Err(format!("{report:?}"));
    }
    let library = loaded.library(Arc::clone(classes));
    let mut tally = Tally::default();
    for (_, view) in library.of_class::<Held>() {
        let held = view.get();
        tally.asset(held.number, view.text(&held.name), [held.mass, held.cost, held.life]);
        for part in view.each(&held.elements) {
            tally.element(view.text(&part.name), [part.x, part.y, part.z, part.size]);
        }
        for other in view.each(&held.references).iter().filter_map(|reference| library.follow(reference)) {
            tally.reference(held.number, other.get().number);
        }
        tally.bulk(library.bulk(&held.bulk));
    }
    Ok((tally, shelf))
}

/// Checks the tree for changes since the last time, and returns the number of tags.
pub fn start(tree: &Path, classes: &Arc<Classes>) -> Result<usize, String> {
    let shelf = open(tree, classes)?;
    match shelf.index().uncertain(shelf.walk()).len() {
        0 => Ok(shelf.index().entries().filter(|(_, entry)| entry.made.is_some()).count()),
        count => Err(format!("{count} files must be read")),
    }
}

/// A game with hot reload: all tags are loaded, and changes are reported.
pub struct Playing {
    living: HotReload,
    library: Library,
}

impl Playing {
    /// Loads the first tag of a tree and all tags it refers to.
    pub fn begin(tree: &Path, content: &Content, classes: &Arc<Classes>) -> Result<Playing, String> {
        let (living, loaded) =
            HotReload::begin(tree, Arc::clone(classes), &[&path(content, 0)], &LoadLimits::default())
                .map_err(|error| error.to_string())?;
        Ok(Playing { living, library: loaded.library(Arc::clone(classes)) })
    }

    /// Waits until the game has a tag of this number with this mass.
    pub fn wait_for(&mut self, content: &Content, number: u32, mass: f32) -> Result<(), String> {
        let path = path(content, number);
        let deadline = Instant::now() + LONGEST;
        while Instant::now() < deadline {
            self.library.apply(self.living.wait(LONGEST).ready);
            if self.library.find::<Held>(&path).is_some_and(|view| view.get().mass == mass) {
                return Ok(());
            }
        }
        Err(format!("{path} was not reloaded after {} s", LONGEST.as_secs()))
    }
}

/// Saves a tag as an editor does: in place, or by replacing the file.
pub fn save(tree: &Path, content: &Content, asset: &Asset, is_in_place: bool) -> Result<(), String> {
    let (path, text) = (tree.join(path(content, asset.number)), text::text(content, asset));
    let save = || {
        if is_in_place {
            return fs::write(&path, &text);
        }
        let aside = path.with_extension("aside");
        fs::write(&aside, &text)?;
        fs::rename(&aside, &path)
    };
    save().map_err(|error| error.to_string())
}

/// The timeout.
const LONGEST: Duration = Duration::from_secs(5);

fn path(content: &Content, number: u32) -> String {
    format!("{}.{}", content.path(number), text::EXTENSION)
}

fn open(tree: &Path, classes: &Arc<Classes>) -> Result<Shelf, String> {
    Shelf::open(tree, Arc::clone(classes)).map_err(|error| error.to_string())
}
