//! A first world: small agents that move, meet, breed, die, message and damage one another, among plants that grow.
//!
//! It is here to be looked at, proven and measured: its scenes are shared by tests, by `astrarium prove` and by the
//! benchmarks. There is nothing in it that a game could not do.
//!
//! Never: keeps anything outside the world; asks for anything `core` does not offer.
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

mod game;

pub use game::{ENTRY, Sandbox};
pub use level::Level;
