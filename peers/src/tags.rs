//! Tags: loading a level from loose files, and checking an unchanged tree, against Bevy's asset server and processor.
//!
//! Contenders take turns, each with its own folder of the same assets in its preferred format; all files are in the page cache
//! before the first turn. Loading ends when every asset was visited once, counted and summed, and every reference followed. If
//! the sums differ, the run stops.

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

/// Turns per contender, and per slow contender.
const TURNS: u32 = 10;
const SLOW_TURNS: u32 = 5;
/// The requested limit of open files, which Bevy's processor needs.
const OPEN_FILES: u64 = 131_072;
/// The number of saves of a tag.
const SAVES: u32 = 40;

/// All rows.
pub fn run() -> Vec<Row> {
    allow_open_files();
    let mut rows = load_level();
    rows.extend(start_unchanged("8,000 tags, nothing changed", LEVEL, None));
    rows.extend(start_unchanged("39,000 tags, nothing changed", GAME, Some(300)));
    rows
}

/// Raises the limit of open files, which peers need. Only privileged processes can exceed the hard limit.
fn allow_open_files() {
    let most = getrlimit(Resource::Nofile).maximum;
    let allow = |most| setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most });
    if let Err(error) = allow(Some(OPEN_FILES)).or_else(|_| allow(most)) {
        eprintln!("the limit of open files is unchanged: {error}");
    }
}

/// A level, from an empty store and from a warm one. A game does not wait until an empty store is filled, so that has a
/// separate row.
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
        assert!(tally == expected, "our contender holds other assets than the content");
        saved.must(|| shelf.save().map_err(|error| error.to_string()));
        drop(shelf);
        let (tally, _) = warm.must(|| ours::load(&tree, &content, &classes));
        assert!(tally == expected, "our contender holds other assets than the content");
        for (asked, peer) in &mut peers {
            let tally = peer.time(|| bevy::load(binaries.path(), &content, *asked));
            assert!(tally.is_none_or(|tally| tally == expected), "{peer:?} holds other assets than the content");
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

/// Hot reload: the time from saving a tag until the game has it.
fn save_to_game(content: &Content, tree: &Path, classes: &Arc<Classes>) -> Row {
    let mut playing = ours::Playing::begin(tree, content, classes).expect("the tree exists");
    let mut seen = Measured::new("ours");
    for turn in 0..=SAVES {
        let mut asset = content.asset(turn * 37 % content.shape.assets);
        asset.numbers[0] = turn as f32;
        seen.must(|| {
            ours::save(tree, content, &asset, turn % 2 == 0)?;
            playing.wait_for(content, asset.number, asset.numbers[0])
        });
        // A pause, as between the edits of a designer.
        std::thread::sleep(Duration::from_millis(100));
    }
    goal("a saved tag until the game has it, 8,000 followed", &seen, Duration::from_millis(100))
}

/// An unchanged tree, and the goal for detecting that in milliseconds.
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
        assert!(tally == expected, "our contender holds other assets than the content");
        peer.time(|| processor::process(binaries.path(), processed.path(), &content));
    }
    let mut all = rows(what, &ours, &peer);
    all.extend(most.map(|most| goal(what, &ours, Duration::from_millis(most))));
    all.extend(rows(&format!("{what}, all loaded"), &loaded, &peer));
    all
}
