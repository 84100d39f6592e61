//! All tests of this crate that need no process of their own, in one program: linking is most of the time of a small one.

mod common;

mod bulk;
mod crashes;
mod folders;
mod lengths;
mod own;
mod paced;
mod presenting;
mod proofs;
mod runner;
mod saves;
