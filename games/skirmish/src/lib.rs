//! Ships controlled by LScript: they hunt, fire, repair, flee, call each other, and order new ships.
//!
//! All of it is in `tags/`: headers declare the classes, tags the objects and their behaviour. They are compiled into
//! the program, so that it can be played without files; `play --tags` loads others. In the level `hostile` some ships
//! have scripts that try to stop the world; the level `battle` uses everything that a world offers.
//!
//! Never: decides anything in Rust.
//!
//! Laws
//! 1. All of `tags/` is part of the program: the build script lists it.
#![no_std]

extern crate alloc;

use alloc::string::String;

use astrarium::{GameEntry, ObjectGame, TagsEntry};

/// The skirmish as the command line knows it.
pub const ENTRY: GameEntry = GameEntry {
    name: "skirmish",
    about: "ships controlled by LScript, some with scripts that attack the world itself",
    build: 0,
    levels: &["skirmish", "fleet", "hostile", "battle"],
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
