//! A showcase of physics in tags and LScript alone: bodies that fall, stack, roll, collide, break and are joined.
//!
//! The level `heap` has bodies of every kind in a pit under fire, `gas` bodies that lose no energy, `towers` buildings
//! that stand until they are hit, `ragdolls` people of joined capsules who fall down stairs, `convoy` trucks with
//! trailers and a turret, steered over hills by scripts, `planet` a round ground and a moon.
//!
//! Never: decides anything in Rust.
//!
//! Laws
//! 1. Every tag and header of `tags/` is listed here; a test compares them.
#![no_std]

extern crate alloc;

use alloc::string::String;

use astrarium::{GameEntry, ObjectGame, TagsEntry, world};

/// The quarry as the command line knows it.
pub const ENTRY: GameEntry = GameEntry {
    name: "quarry",
    about: "bodies that fall, stack, roll, collide and break",
    build: 0,
    levels: &["heap", "gas", "towers", "ragdolls", "convoy", "planet"],
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
    "dolls/chest.thing"
    "dolls/head.thing"
    "dolls/lower_arm.thing"
    "dolls/pelvis.thing"
    "dolls/shin.thing"
    "dolls/thigh.thing"
    "dolls/upper_arm.thing"
    "geometry/boulder.geometry"
    "geometry/country.geometry"
    "geometry/dumbbell.geometry"
    "geometry/pit.geometry"
    "geometry/stairs.geometry"
    "geometry/turret.geometry"
    "globals.globals"
    "levels/convoy.scenario"
    "levels/gas.scenario"
    "levels/heap.scenario"
    "levels/planet.scenario"
    "levels/ragdolls.scenario"
    "levels/towers.scenario"
    "thing.header"
    "things/atom.thing"
    "things/ball.thing"
    "things/barrel.thing"
    "things/block.thing"
    "things/boulder.thing"
    "things/country.thing"
    "things/crate.thing"
    "things/depot.thing"
    "things/dumbbell.thing"
    "things/grain.thing"
    "things/ground.thing"
    "things/gun.thing"
    "things/moon.thing"
    "things/planet.thing"
    "things/plank.thing"
    "things/plate.thing"
    "things/ram.thing"
    "things/shot.thing"
    "things/stairs.thing"
    "things/wall.thing"
    "vehicle.header"
    "vehicles/trailer.vehicle"
    "vehicles/truck.vehicle"
    "vehicles/turret.thing"
    "vehicles/wheel.thing"
};
