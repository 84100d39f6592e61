//! Bodies that fall, stack, roll, collide and break: what physics does, as tags and LScript alone.
//!
//! The level `heap` has everything in a pit under fire, `gas` has bodies that lose nothing, `towers` has what stands until it is hit.
//!
//! Never: decides anything in Rust.
//!
//! Laws
//! 1. Every tag and header of `tags/` is listed here: a test compares.
#![no_std]

extern crate alloc;

use alloc::string::String;

use astrarium::{GameEntry, ObjectGame, TagsEntry, world};

/// The quarry as the command line knows it.
pub const ENTRY: GameEntry = GameEntry {
    name: "quarry",
    about: "bodies that fall, stack, roll, collide and break",
    levels: &["heap", "gas", "towers"],
    tags: TagsEntry { classes: world::classes, texts: TEXTS, folder: None, roots: |_| alloc::vec![String::from("*")] },
    make: ObjectGame::make,
};

/// Paths and texts of files of `tags/`.
macro_rules! texts {
    ($($path:literal)*) => { &[$(($path, include_str!(concat!("../tags/", $path))),)*] };
}

/// The tags and headers that are part of the program.
const TEXTS: &[(&str, &str)] = texts! {
    "geometry/boulder.geometry"
    "geometry/dumbbell.geometry"
    "geometry/pit.geometry"
    "globals.globals"
    "levels/gas.scenario"
    "levels/heap.scenario"
    "levels/towers.scenario"
    "thing.header"
    "things/atom.thing"
    "things/ball.thing"
    "things/barrel.thing"
    "things/block.thing"
    "things/boulder.thing"
    "things/crate.thing"
    "things/dumbbell.thing"
    "things/grain.thing"
    "things/ground.thing"
    "things/gun.thing"
    "things/plank.thing"
    "things/plate.thing"
    "things/ram.thing"
    "things/shot.thing"
    "things/wall.thing"
};
