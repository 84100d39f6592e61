//! All tests of this crate that need no process of their own, in one program: linking is most of the time of a small one.

mod common;
mod rows;
mod samples;
#[path = "differences/source.rs"]
mod source;
mod world;

mod asking;
mod baking;
mod binary;
mod book;
mod caching;
mod checking;
mod damaged;
mod formatting;
mod grammar;
mod kernels;
mod metering;
mod parsing;
mod running;
mod schemas;
mod second_edition;
mod soup;
mod stage;
mod thesis;
mod verifying;
