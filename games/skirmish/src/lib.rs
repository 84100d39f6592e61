//! Ships controlled by LScript: they hunt, fire, repair, flee, call each other, and order new ships.
//!
//! All of it is in `tags/`: headers declare the classes, tags the objects and their behaviour. They are compiled into
//! the program, so that it can be played without files; `play --tags` loads others. In the level `hostile` some ships
//! have scripts that try to stop the world; the level `battle` uses everything that a world offers.
//!
//! Never: decides anything in Rust.
//!
//! Laws
//! 1. Every tag and header of `tags/` is listed here; a test compares them.
#![no_std]

extern crate alloc;

use alloc::string::String;

use astrarium::{GameEntry, ObjectGame, TagsEntry, world};

/// The skirmish as the command line knows it.
pub const ENTRY: GameEntry = GameEntry {
    name: "skirmish",
    about: "ships controlled by LScript, some with scripts that attack the world itself",
    build: 0,
    levels: &["skirmish", "fleet", "hostile", "battle"],
    tags: TagsEntry {
        classes: world::classes,
        texts: TEXTS,
        containers: &[],
        folder: None,
        roots: |_| alloc::vec![String::from("*")],
    },
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
