//! What is to be shown and heard?
//!
//! A frame is what a world hands to a renderer: plain values without references to the world. It holds lines that show
//! the state of physics to people and machines. What it shows and plays are tags of the media [`classes`].
//!
//! Never: knows a world, a window or a device; decides how something is drawn.
//!
//! Laws
//! 1. A frame follows from the world alone: equal worlds give equal frames, in equal order.
//! 2. A frame is bounded. It allocates all of its memory when it is created; lines beyond its capacity are left out and
//!    counted.
//! 3. Every number in it is finite.
#![no_std]

extern crate alloc;

pub mod limits;

pub mod colour;
pub mod topic;

pub mod kind;

pub mod line;

pub mod frame;

pub mod classes;

pub use colour::Colour;
pub use frame::{Frame, Round, Solid};
pub use kind::Kind;
pub use line::Line;
pub use topic::{Topic, Topics};
