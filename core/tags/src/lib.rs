//! What is the world made of?
//!
//! All content is tags: LScript files in one tree, each of a class. Here the text of a tag is checked against its class
//! and packed into a binary form that games read in place, without copying. Bulk data is in containers of blocks. Editing, comparing and merging texts is the
//! forge's work.
//!
//! Never: reads a file, a clock or a socket; changes a tag while a world is stepped.
//!
//! Laws
//! 1. One table per class; everything that knows about fields reads it there.
//! 2. No file can break a game: errors are reported with their place, and the default is used.
//! 3. Any packed bytes can be read without harm; [`packed`] says how they are validated.
#![no_std]

extern crate alloc;
extern crate self as tags;

pub mod limits;

pub mod bulk;

pub mod angle;

mod literal;

pub mod expression;

pub mod path;

pub mod class;

pub mod field;

pub mod formula;

pub mod header;

pub mod former;

pub mod compose;

pub mod ancestry;

pub mod packed;

pub mod pack;

pub mod mistake;
pub mod postprocess;

pub mod classes;

pub mod header_set;

pub mod library;

pub use class::Class;
pub use classes::Classes;
pub use field::{
    Angle, Bulk, Choice, Colour, Flags, Formula, Identifier, Lambda, Maybe, Names, OwnHandle, OwnValue, Reference,
    Series, Tag, Text,
};
pub use library::{Key, Library, TagId};
pub use mistake::Mistake;
pub use path::TagPath;
pub use postprocess::Postprocess;
pub use tags_derive::{Names, Record, Tag};
