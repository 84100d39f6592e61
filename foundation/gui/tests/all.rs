//! All tests of this crate that need no process of their own, in one program: linking is most of the time of a small one.

mod common;

mod book;
mod classes;
mod controls;
mod layout;
mod logic;
mod random;
mod using;
