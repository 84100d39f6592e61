//! Ships whose minds are LScript: they hunt, fire, mend, flee, call each other, and have ships built.
//!
//! All of it is in `tags/`: the classes are its headers, what there is and how it behaves are its tags. They are part of this
//! program, so that it can be played without them; `play --tags` takes others. The level `hostile` has ships in it whose scripts
//! try to stop the world, the level `battle` has all that a world offers.
//!
//! Never: decides anything in Rust.
//!
//! Laws
//! 1. Every tag and header of `tags/` is listed here: a test compares.
#![no_std]

extern crate alloc;

use alloc::string::String;

use astrarium::{GameEntry, ObjectGame, TagsEntry, world};

/// The skirmish as the command line knows it.
pub const ENTRY: GameEntry = GameEntry {
    name: "skirmish",
    about: "ships whose minds are LScript, some of them hostile to the world itself",
    levels: &["skirmish", "fleet", "hostile", "battle"],
    tags: TagsEntry { classes: world::classes, texts: TEXTS, folder: None, roots: |_| alloc::vec![String::from("*")] },
    make: ObjectGame::make,
};

/// Paths and texts of files of `tags/`.
macro_rules! texts {
    ($($path:literal)*) => { &[$(($path, include_str!(concat!("../tags/", $path))),)*] };
}

/// The tags and headers that are part of the program.
const TEXTS: &[(&str, &str)] = texts! {
    "carrier.header"
    "commander.header"
    "commanders/admiral.commander"
    "commanders/commodore.commander"
    "events/battle.events"
    "events/skirmish.events"
    "globals.globals"
    "levels/battle.mission"
    "levels/fleet.scenario"
    "levels/hostile.scenario"
    "levels/skirmish.scenario"
    "mine.header"
    "mines/mine.mine"
    "mission.header"
    "ship.header"
    "ships/carrier.carrier"
    "ships/corvette.ship"
    "ships/fighter.ship"
    "ships/frigate.ship"
    "ships/hostile.ship"
    "turret.header"
    "turrets/flak.turret"
};
