//! All tests of this crate in one program.

mod common;

mod bottlenecks;
mod channels;
mod findings;
mod joining;
mod meetings;
mod packets;
mod sessions;
mod simulations;
