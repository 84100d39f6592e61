//! A first world: small agents that move, meet, breed, die, message and damage each other, among plants that grow.
//!
//! It exists to be inspected, proven and measured: tests, `astrarium prove` and the benchmarks share its levels. It
//! does nothing that a game could not do.
//!
//! Never: keeps anything outside the world; uses anything that `core` does not offer.
//!
//! Laws
//! 1. Agents of a team beat the next team, greet their own, and leave the third alone.
//! 2. A plant that is full-grown sleeps and costs nothing until it is bitten.
//! 3. When an array, the pool or a queue is full, a birth, a diary or a message does not happen. Nothing else changes.
#![no_std]

extern crate alloc;

pub mod level;

pub mod parts;

mod cells;
mod plants;

mod agents;
mod painting;
mod showing;

mod game;

pub use game::{ENTRY, Sandbox};
pub use level::Level;
