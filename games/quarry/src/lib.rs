//! A showcase of physics in tags and LScript alone: bodies that fall, stack, roll, collide, break and are joined.
//!
//! The level `heap` has bodies of every kind in a pit under fire, `gas` bodies that lose no energy, `towers` buildings
//! that stand until they are hit, `ragdolls` people of joined capsules who fall down stairs, `convoy` trucks with
//! trailers and a turret, steered over hills by scripts, `planet` a round ground and a moon.
//!
//! Never: decides anything in Rust.
//!
//! Laws
//! 1. All of `tags/` is part of the program: the build script lists it.
#![no_std]

extern crate alloc;

use alloc::string::String;

use astrarium::{GameEntry, ObjectGame, TagsEntry};

/// The quarry as the command line knows it.
pub const ENTRY: GameEntry = GameEntry {
    name: "quarry",
    about: "bodies that fall, stack, roll, collide and break",
    build: 0,
    levels: &["heap", "gas", "towers", "ragdolls", "convoy", "planet"],
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
