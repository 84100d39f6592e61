//! All tests of this crate that need no process of their own, in one program: linking is most of the time of a small one.

mod common;
mod generate;
#[path = "common/note.rs"]
mod note;

mod anything;
mod diff;
mod disk;
mod document;
mod edit;
mod editors;
mod export;
mod manual;
mod mentions;
mod merge;
mod new_tag;
mod notes;
mod pipeline;
mod search;
mod tree;
mod upgrade;
