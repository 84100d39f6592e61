//! Ships whose minds are LScript: they hunt, fire, mend, flee, call each other, and have ships built.
//!
//! All they do is in `scripts/`; here is only what there is, how it moves, and which effects there are. Its level `hostile`
//! has ships in it whose scripts try to stop the world.
//!
//! Never: decides anything for a ship; keeps anything outside the world but what workers have on their desks.
//!
//! Laws
//! 1. A ship's mind is a row in the world. Saves, rewinds and other machines need nothing else.
//! 2. A script that ends early changes nothing; what went wrong is counted in the ship and told by `describe`.
#![no_std]

extern crate alloc;

mod level;

mod parts;

mod minds;

mod game;

pub use game::{ENTRY, Skirmish};
