//! What do tests share?
//!
//! Temporary folders, workers that run jobs in every order the law allows, and a virtual display with a person at it (feature
//! `display`). For `[dev-dependencies]` only.
//!
//! Never: is part of a program that is shipped.
//!
//! Laws
//! 1. Two tests never get the same folder, in one process or in several.
//! 2. The same seed gives the same order of jobs.

pub mod folder;
pub mod workers;

#[cfg(all(feature = "display", target_os = "linux"))]
pub mod display;

pub use folder::Folder;
