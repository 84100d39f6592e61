//! Is the repository what it says it is?
//!
//! Each rule of the project that can be checked by a program is a function here, from text to complaints, with a test in
//! `tests/` that applies it to the whole repository, and with examples that break it.
//!
//! Never: changes a file; needs more than the standard library; reads anything but the files and git.
//!
//! Laws
//! 1. Files that git ignores are not checked; untracked files are.
//! 2. A complaint names the file, the line and the remedy.
//! 3. Every check can fail: each has an example that it refuses.

pub mod complaint;
pub mod tree;

pub mod manifest;
pub mod source;

pub mod table;

pub mod book;
pub mod dependencies;
pub mod doors;
pub mod errors;
pub mod files;
pub mod glossary;
pub mod links;
pub mod lists;
pub mod modules;
pub mod no_std;
pub mod public_modules;
pub mod test_programs;
pub mod type_names;
pub mod unsafe_files;
pub mod walks;
pub mod writers;
