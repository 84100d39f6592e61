//! What do tests share?
//!
//! Temporary folders, and workers that run jobs in every order the law allows. For `[dev-dependencies]` only.
//!
//! Never: is part of a program that is shipped.
//!
//! Laws
//! 1. Two tests never get the same folder, in one process or in several.
//! 2. The same seed gives the same order of jobs.

pub mod folder;
pub mod workers;

pub use folder::Folder;
