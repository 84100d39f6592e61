//! Who is there, and what causes what?
//!
//! A world of objects that are made from tags: what they are, where they are, whom they see, and what they do to one another.
//! [`stages`] lists what happens in a cycle, in its order; it is the page to read first.
//!
//! Never: reads a clock, a file or a socket; takes memory while stepping; lets an object write another's variables.
//!
//! Laws
//! 1. An object changes itself, and asks for everything else: what it asks for is queued at a brush and painted in order.
//! 2. Everything that can go wrong has a name, a counter in the world and a line for people, and the world goes on.
//! 3. An object with nothing to do costs nothing.
//! 4. What is not in the block follows from the content: moulds, zones, tables.
#![no_std]

extern crate alloc;

pub mod limits;

pub mod classes;

pub mod object;

pub mod condition;

pub mod field;
pub mod level;

pub mod sets;
pub mod space;

pub mod parts;

pub mod body;
pub mod joining;

pub mod mould;

pub mod desk;

pub mod query;

pub mod log;

pub mod renewal;

pub mod rules;

pub mod telling;
pub mod watch;

pub mod doing;

pub mod mind;

pub mod links;
pub mod place;

pub mod drawing;
pub mod explain;
pub mod renew;

pub mod stages;

pub mod start;

pub use classes::{GLOBALS, Globals, ObjectTag, Scenario, classes};
pub use condition::Condition;
pub use object::Object;
pub use rules::{Cycle, LEVEL, Own, Rules};
pub use stages::Given;
