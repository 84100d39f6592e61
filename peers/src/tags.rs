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

use bevy::Asked;
use content::{Content, GAME, LEVEL};
use folder::Folder;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use turns::{Measured, rows};

use crate::measure::Row;

const SEED: u64 = 2026;

/// How often everybody has a turn, and those who are slow. The first turn is for the caches and not measured.
const TURNS: u32 = 12;
const SLOW_TURNS: u32 = 3;

/// All rows.
pub fn run() -> Vec<Row> {
    allow_open_files();
    let mut rows = load_level();
    rows.extend(start_unchanged());
    rows
}

/// Others need more open files than a machine allows at first; we do not.
fn allow_open_files() {
    let limit = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum }) {
        eprintln!("the limit of open files stays as it is: {error}");
    }
}

fn load_level() -> Vec<Row> {
    let content = Content::new(LEVEL, SEED);
    let expected = content.tally();
    let binaries = Folder::of_binaries("level-binaries", &content);
    let tags = Folder::of_tags("level-tags", &content);
    let mut ours = Measured::new("ours");
    let mut peers = [
        (Asked::First, Measured::new("Bevy 0.19.1, the first asked for")),
        (Asked::All, Measured::new("Bevy 0.19.1, all asked for")),
    ];
    for _ in 0..=TURNS {
        ours.time(|| ours::parse_all(tags.path(), &content));
        for (asked, peer) in &mut peers {
            let tally = peer.time(|| bevy::load(binaries.path(), &content, *asked));
            assert!(tally.is_none_or(|tally| tally == expected), "{peer:?} held other assets than there are");
        }
    }
    peers.iter().flat_map(|(_, peer)| rows("8,000 tags, texts read and parsed only", &ours, peer)).collect()
}

fn start_unchanged() -> Vec<Row> {
    let content = Content::new(GAME, SEED);
    let binaries = Folder::of_binaries("game-binaries", &content);
    let processed = Folder::new("game-processed");
    let tags = Folder::of_tags("game-tags", &content);
    let mut ours = Measured::new("ours");
    let mut peer = Measured::new("Bevy 0.19.1, asset processor");
    for _ in 0..=SLOW_TURNS {
        let count = ours.time(|| ours::stat_all(tags.path()));
        assert!(count.is_none_or(|count| count == u64::from(content.shape.assets)), "{count:?} files were found");
        peer.time(|| processor::process(binaries.path(), processed.path(), &content));
    }
    rows("39,000 files, walked and asked for their times only", &ours, &peer).into()
}
