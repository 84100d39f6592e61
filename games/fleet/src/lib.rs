//! Fleet: a strategy game in space. Two sides gather ore, build ships and fight for relays; a computer plays either, or both.
//!
//! All of it is in `tags/`: headers declare the classes, scripts in `lib/` say how ships fly and opponents think, and tags
//! hold every number. `README.md` in this folder says how it is played and what is where.
//!
//! Never: decides anything in Rust.
//!
//! Laws
//! 1. All of `tags/` is part of the program: the build script lists it.
#![no_std]

extern crate alloc;

use alloc::string::String;

use astrarium::{GameEntry, ObjectGame, TagsEntry};

/// Fleet as the command line knows it.
pub const ENTRY: GameEntry = GameEntry {
    name: "fleet",
    about: "a strategy game in space: gather, build, command; relays or the last station decide",
    build: 0,
    levels: &["battle", "fencer", "miser", "wall", "duel", "relay", "blockade", "dreadnought", "clash"],
    tags: TagsEntry {
        classes: astrarium::classes,
        texts: embedded::TEXTS,
        containers: embedded::CONTAINERS,
        folder: None,
        mods: &[],
        roots: |_| alloc::vec![String::from("*")],
    },
    make: ObjectGame::make,
};

mod embedded {
    include!(concat!(env!("OUT_DIR"), "/tags.rs"));
}
