//! Is the repository what it says it is?
//!
//! Each rule of the project that a machine can see is a function here, from text to complaints, and a test in `tests/`
//! that lays it over the whole repository, together with examples that break it.
//!
//! Never: changes a file; needs more than the standard library; asks anything but the files and git.
//!
//! Laws
//! 1. A check has no opinion about files that git ignores; files that git does not know yet count.
//! 2. A complaint says file, line, and what to do instead.
//! 3. A check can fail: for each there is an example that it refuses.

pub mod complaint;
pub mod tree;

pub mod manifest;
pub mod source;

pub mod table;

pub mod book;
pub mod dependencies;
pub mod doors;
pub mod files;
pub mod glossary;
pub mod links;
pub mod lists;
pub mod modules;
pub mod no_std;
pub mod public_modules;
pub mod type_names;
pub mod unsafe_files;
pub mod walks;
