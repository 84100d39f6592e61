//! How does data become tags, and tags cache files?
//!
//! Documents edit the text of a tag without touching its other
//! bytes; diff, merge and upgrade compare and combine such texts by their meaning. The tools over a whole tree check
//! it, list references, search, rename and upgrade. The language server serves diagnostics, hover and completion to an
//! editor.
//!
//! Never: is part of a shipped game; changes a file without being asked.
//!
//! Laws
//! 1. No tree, imported file or message of an editor makes anything here panic or run without end.
//! 2. A file is written whole, and only if it differs. No tool loses text that it does not understand.

pub mod limits;

pub mod tag_text;

mod myers;

pub mod field_path;

pub mod document;

pub mod notes;

pub mod manual;

pub mod upgrade;

pub mod diff;

pub mod merge;

pub mod finding;

pub mod class_error;

pub mod classes;

pub mod tree_error;

pub mod tree;

pub mod names;

pub mod provider;

pub mod source_lookup;

pub mod graph;

pub mod words;

pub mod mentions;

pub mod refs;

pub mod check;
pub mod check_text;

pub mod overrides;

pub mod query_error;

pub mod query;

pub mod search;

pub mod new_tag;

pub mod edit_error;

pub mod edit;

pub mod show;

pub mod tree_upgrade;

pub mod rename_error;

pub mod rename;

pub mod line_merge;

pub mod file_merge;

pub mod git;

pub mod versions;

pub mod pipeline;

pub mod imported;

pub mod tag_picture;

pub mod server;
