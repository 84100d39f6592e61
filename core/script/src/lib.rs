//! What do designers say?
//!
//! LScript is the one language of the engine: mechanics, tags, interfaces and settings are written in it. The lexer
//! (`token`) and the parser (`parse`) turn a source into an abstract syntax tree (`ast`); the type checker (`check`)
//! infers types and effects; the compiler (`compile`) emits bytecode for a register machine (`program`), which the
//! verifier (`verify`) accepts or refuses. The virtual machine (`machine`) evaluates it over the rows of objects, which
//! lie in the world; functions of known types run as specialised kernels (`specialise`, `kernel`), and results of pure
//! functions are memoised (`cache`).
//!
//! Never: reads a file or a clock; knows what a world is made of; allocates while evaluating.
//!
//! Laws
//! 1. Any text is parsed as far as possible; every error is reported with its place and a remedy.
//! 2. An evaluation depends on its row, its arguments and the frozen rows of other objects, and on nothing else: not on
//!    the worker, not on earlier evaluations, not on the cache.
//! 3. Every evaluation ends within its limits, and either all of its sets and effects count or none.
//! 4. Whatever the bytes of a source, a program or a row are, nothing here panics or loops forever.
#![no_std]

extern crate alloc;

pub mod source;

pub mod report;
pub mod template;
pub mod token;

pub mod ast;

pub mod readable;

pub mod parse;

pub mod format;

pub mod value;

pub mod arena;
pub mod kernel;

pub mod facts;

pub mod types;

pub mod meaning;

pub mod effect;
pub mod handler;
pub mod query;

pub mod program;

pub mod cache;
pub mod meter;
pub mod row;

pub mod message;

pub mod machine;

pub mod builtin;

pub mod analysis;
pub mod verify;

pub mod bake;
pub mod migration;

pub mod binary;

pub mod specialise;

pub mod compile;
pub mod environment;
pub mod library;
pub mod statement_run;

pub mod stage;

pub mod write;

pub mod schema;

pub mod check;
