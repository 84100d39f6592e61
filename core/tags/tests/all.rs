//! All tests of this crate that need no process of their own, in one program: linking is most of the time of a small one.

mod dice;

mod bases;
mod damage;
mod derive;
mod headers;
mod packing;
mod postprocess;
mod sharing;
