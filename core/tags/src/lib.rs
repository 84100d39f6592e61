//! What is the world made of?
//!
//! All content is tags: LScript files in one tree, each of a class. Here a text becomes a document that tools can edit without
//! losing a byte, and a packed form that games read without copying.
//!
//! Never: reads a file, a clock or a socket; changes a tag while a world is stepped.
//!
//! Laws
//! 1. One table per class; everything that knows about fields reads it there.
//! 2. Nothing a file holds can break a game: what is wrong is reported with its place, and the default takes its place.
//! 3. No tool loses what it does not understand.
//! 4. Packed bytes, whatever they are, can be looked at without harm; [`packed`] says what is checked before they are used.
#![no_std]

extern crate alloc;
extern crate self as tags;

pub mod limits;

pub mod angle;

pub mod expression;

pub mod path;

pub mod class;

pub mod field;

pub mod formula;

pub mod header;
pub mod manual;

pub mod former;
pub mod place;

pub mod document;

pub mod notes;

pub mod packed;

pub mod pack;

pub mod postprocess;

pub mod classes;

pub mod gather;

pub mod library;

pub mod upgrade;

pub mod diff;

pub mod merge;

pub use class::Class;
pub use classes::Classes;
pub use document::Document;
pub use field::{
    Angle, Bulk, Choice, Colour, Flags, Formula, Identifier, Lambda, Maybe, Names, OwnHandle, OwnValue, Reference,
    Series, Tag, Text,
};
pub use library::{Key, Library, TagId};
pub use path::TagPath;
pub use place::Place;
pub use postprocess::Postprocess;
pub use tags_derive::{Names, Record, Tag};
