//! All tests of this crate that need no process of their own, in one program: linking is most of the time of a small one.

mod common;
#[path = "../../physics/tests/book/table.rs"]
mod table;

mod animations;
mod asking;
mod blocks;
mod bodies;
mod book;
mod changes;
mod checks;
mod containers;
mod cues;
mod drawing;
mod effects;
mod extraction;
mod far;
mod fields;
mod following;
mod forged;
mod joining;
mod levels;
mod objects;
mod pose;
mod queries;
mod sameness;
mod settling;
mod sleeping;
mod storms;
mod trouble;
mod watching;
mod ways;
