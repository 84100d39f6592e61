//! All tests of this crate in one program.

mod common;

mod bottlenecks;
mod channels;
mod joining;
mod packets;
mod sessions;
mod simulations;
