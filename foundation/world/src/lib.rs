//! Which objects are there, and what causes what?
//!
//! A world of objects made from tags: their state, position and bodies, the queries their scripts can ask and the effects they can
//! have. [`stages`] lists the stages of a cycle in order; it is the page to read first. [`effects`] and [`queries`] are the tables of
//! what scripts can do and ask.
//!
//! Never: reads a clock, a file or a socket; allocates while stepping; lets an object write another's variables.
//!
//! Laws
//! 1. An object changes only itself. Every other effect is queued at a brush and painted in order.
//! 2. Every runtime error is a condition with a counter in the world and a log line, and the world keeps running.
//! 3. An object with nothing to do sleeps and costs nothing.
//! 4. State outside the block follows from the content: prototypes, trigger volumes, tables.
#![no_std]

extern crate alloc;

pub mod limits;

pub mod classes;

pub mod object;
pub mod question;

pub mod pose;

pub mod cue;

pub mod condition;

pub mod profiling;

pub mod force_field;

pub mod way_settings;

pub mod level;

pub mod way_map;

pub mod sets;
pub mod space;

pub mod parts;

pub mod way_solids;

pub mod body;
pub mod joint_request;

pub mod tag_checks;

pub mod appearance;
pub mod tag_values;

pub mod tag_program;

pub mod animation;

pub mod prototype;

pub mod workspaces;

pub mod media_lengths;

pub mod presentation;

pub mod query;

pub mod log;
pub mod queries;

pub mod renewal;

pub mod rules;

pub mod obstacle;
pub mod warnings;
pub mod watch;
pub mod way_building;

pub mod joints;
pub mod links;

pub mod animation_change;
pub mod embodiment;

pub mod effects;

pub mod object_context;
pub mod vocabulary;

pub mod animating;
pub mod place;

pub mod developer;
pub mod drawing;
pub mod explain;

pub mod inspection;

pub mod evaluation;

pub mod extract;
pub mod renew;

pub mod stages;

pub mod costs;

pub mod start;

pub mod conversion;

pub use classes::{GLOBALS, Globals, ObjectTag, Scenario};
pub use condition::Condition;
pub use costs::{LineCost, TagCost};
pub use object::Object;
pub use profiling::{Budget, Domain, ObjectCost, ProfileClock};
pub use rules::{Cycle, LEVEL, Own, Rules};
pub use stages::{Lap, StepInput};
pub use tag_program::TagProgram;
pub use vocabulary::classes;
