//! Tags: a level from loose files, and a tree in which nothing changed; beside Bevy's asset server and its processor.
//!
//! Contenders take turns, each with a folder of its own with the same assets, as it likes them best; what they need is in
//! the memory of the machine before the first turn. Loading ends when everything was looked at once: counted and summed, and
//! every reference followed. All must have held the same, or the run stops.

mod content;

mod binary;
mod text;

mod folder;
mod turns;

mod bevy;
mod ours;
mod processor;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ::tags::Classes;
use bevy::Asked;
use content::{Content, GAME, LEVEL, Shape};
use folder::Folder;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use turns::{Measured, goal, rows};

use crate::measure::Row;

const SEED: u64 = 2026;

/// How often everybody has a turn, and those who are slow.
const TURNS: u32 = 10;
const SLOW_TURNS: u32 = 5;
/// How many open files are asked for, on behalf of Bevy's processor.
const OPEN_FILES: u64 = 131_072;
/// How often a tag is saved.
const SAVES: u32 = 40;

/// All rows.
pub fn run() -> Vec<Row> {
    allow_open_files();
    let mut rows = load_level();
    rows.extend(start_unchanged("8,000 tags, nothing changed", LEVEL, None));
    rows.extend(start_unchanged("39,000 tags, nothing changed", GAME, Some(300)));
    rows
}

/// Others need more open files than a machine allows at first; we do not. Only some may allow themselves more than the most.
fn allow_open_files() {
    let most = getrlimit(Resource::Nofile).maximum;
    let allow = |most| setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most });
    if let Err(error) = allow(Some(OPEN_FILES)).or_else(|_| allow(most)) {
        eprintln!("the limit of open files stays as it is: {error}");
    }
}

/// A level, from an empty store and from a warm one. What an empty store is filled with is not waited for in a game, so that
/// it has a row of its own.
fn load_level() -> Vec<Row> {
    let content = Content::new(LEVEL, SEED);
    let expected = content.tally();
    let binaries = Folder::of_binaries("level-binaries", &content);
    let project = Folder::of_tags("level-tags", &content);
    let (tree, classes) = (project.path().join("tags"), ours::classes());
    let [mut empty, mut saved, mut warm] = ["loading them", "saved", "store warm"].map(Measured::new);
    let mut peers = [
        (Asked::First, Measured::new("Bevy 0.19.1, the first asked for")),
        (Asked::All, Measured::new("Bevy 0.19.1, all asked for")),
    ];
    for _ in 0..=TURNS {
        let _ = std::fs::remove_dir_all(project.path().join(".astrarium"));
        let (tally, mut shelf) = empty.must(|| ours::load(&tree, &content, &classes));
        assert!(tally == expected, "we held other assets than there are");
        saved.must(|| shelf.save().map_err(|error| error.to_string()));
        drop(shelf);
        let (tally, _) = warm.must(|| ours::load(&tree, &content, &classes));
        assert!(tally == expected, "we held other assets than there are");
        for (asked, peer) in &mut peers {
            let tally = peer.time(|| bevy::load(binaries.path(), &content, *asked));
            assert!(tally.is_none_or(|tally| tally == expected), "{peer:?} held other assets than there are");
        }
    }
    let mut all = Vec::new();
    for (what, ours, most) in [("8,000 tags, store warm", &warm, 250), ("8,000 tags, store empty", &empty, 1000)] {
        all.extend(peers.iter().flat_map(|(_, peer)| rows(what, ours, peer)));
        all.push(goal(what, ours, Duration::from_millis(most)));
    }
    all.extend(rows("8,000 tags, the empty store filled", &saved, &empty));
    all.push(save_to_game(&content, &tree, &classes));
    all
}

/// From before a tag is saved until the game has it, while it follows the level.
fn save_to_game(content: &Content, tree: &Path, classes: &Arc<Classes>) -> Row {
    let mut playing = ours::Playing::begin(tree, content, classes).expect("the tree is there");
    let mut seen = Measured::new("ours");
    for turn in 0..=SAVES {
        let mut asset = content.asset(turn * 37 % content.shape.assets);
        asset.numbers[0] = turn as f32;
        seen.must(|| {
            ours::save(tree, content, &asset, turn % 2 == 0)?;
            playing.wait_for(content, asset.number, asset.numbers[0])
        });
        // A designer takes his time.
        std::thread::sleep(Duration::from_millis(100));
    }
    goal("a saved tag until the game has it, 8,000 followed", &seen, Duration::from_millis(100))
}

/// A tree in which nothing changed since the last time; and at most how many milliseconds it should take to know it.
fn start_unchanged(what: &str, shape: Shape, most: Option<u64>) -> Vec<Row> {
    let content = Content::new(shape, SEED);
    let expected = content.tally();
    let binaries = Folder::of_binaries("unchanged-binaries", &content);
    let processed = Folder::new("unchanged-processed");
    let project = Folder::of_tags("unchanged-tags", &content);
    let (tree, classes) = (project.path().join("tags"), ours::classes());
    let [mut ours, mut loaded] = ["knowing it", "loading them"].map(Measured::new);
    let mut peer = Measured::new("Bevy 0.19.1, asset processor");
    let (_, mut shelf) = loaded.must(|| ours::load(&tree, &content, &classes));
    shelf.save().expect("the store is filled");
    drop(shelf);
    for _ in 0..=SLOW_TURNS {
        for _ in 0..TURNS {
            let count = ours.must(|| ours::start(&tree, &classes));
            assert_eq!(count, content.shape.assets as usize, "tags were known");
        }
        let (tally, _) = loaded.must(|| ours::load(&tree, &content, &classes));
        assert!(tally == expected, "we held other assets than there are");
        peer.time(|| processor::process(binaries.path(), processed.path(), &content));
    }
    let mut all = rows(what, &ours, &peer);
    all.extend(most.map(|most| goal(what, &ours, Duration::from_millis(most))));
    all.extend(rows(&format!("{what}, all loaded"), &loaded, &peer));
    all
}
