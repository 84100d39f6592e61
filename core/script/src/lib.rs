//! What do designers say?
//!
//! LScript is the one language of the engine: mechanics, tags, interfaces and settings are written in it. A source is parsed
//! into a tree, compiled into a program of functions, and evaluated over the rows of objects, which lie in the world.
//!
//! Never: reads a file or a clock; knows what a world is made of; takes memory while evaluating.
//!
//! Laws
//! 1. Any text is understood as far as it can be; what is wrong is reported with its place and what to do.
//! 2. An evaluation depends on its row, its arguments and the frozen rows of others, and on nothing else: not on the worker,
//!    not on what was evaluated before, not on the cache.
//! 3. It ends, within its limits, and either all of its sets and effects count or none.
//! 4. Whatever bytes a source, a program or a row is made of, nothing here panics or goes on for ever.
#![no_std]

extern crate alloc;

pub mod source;

pub mod report;
pub mod token;

pub mod tree;

pub mod parse;

pub mod format;

pub mod value;

pub mod kernel;
pub mod region;

pub mod facts;

pub mod types;

pub mod effect;

pub mod program;

pub mod cache;
pub mod row;

pub mod message;

pub mod query;

pub mod machine;

pub mod builtin;

pub mod body;
pub mod verify;

pub mod bake;
pub mod change;

pub mod binary;

pub mod columns;

pub mod specialise;

pub mod compile;
pub mod environment;
pub mod library;

pub mod crowd;

pub mod stage;

pub mod write;

pub mod class;

pub mod check;

pub mod header;
