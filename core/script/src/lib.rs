//! What do designers say?
//!
//! LScript is the one language of the engine: mechanics, tags, interfaces and settings are written in it.
//!
//! Never: reads a file or a clock; knows what a world is made of.
//!
//! Laws
//! 1. Any text is understood as far as it can be; what is wrong is reported with its place and what to do.
#![no_std]

extern crate alloc;

pub mod source;

pub mod report;
pub mod token;

pub mod tree;

pub mod parse;

pub mod format;

pub mod value;

pub mod region;

pub mod program;

pub mod machine;

pub mod builtin;

pub mod compile;
pub mod environment;

pub mod write;
