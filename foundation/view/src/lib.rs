//! What is to be shown and heard?
//!
//! A frame is what a world gives to whoever shows it: plain values, and nothing that leads back. So far it holds lines, which tell
//! people and machines what physics knows of a world.
//!
//! Never: knows a world, a window or a device; decides how something is drawn.
//!
//! Laws
//! 1. A frame follows from the world alone: equal worlds give equal frames, in equal order.
//! 2. A frame is bounded. It takes all of its memory when it is made; what finds no room is left out, and counted.
//! 3. Every number in it is finite.
#![no_std]

extern crate alloc;

pub mod limits;

pub mod colour;
pub mod topic;

pub mod kind;

pub mod line;

pub mod frame;

pub use colour::Colour;
pub use frame::{Frame, Round, Solid};
pub use kind::Kind;
pub use line::Line;
pub use topic::{Topic, Topics};
