//! How does data become tags, and tags cache files?
//!
//! Importers, which make tags of files of other programs. The tools that work over whole trees of content while people make it: they
//! check a tree, say who refers to whom, answer questions over all tags, compare and merge by meaning, rename and upgrade; and the
//! language server, which tells an editor what is wrong, what is known and what may stand where.
//!
//! Never: is part of a shipped game; changes a file without being asked.
//!
//! Laws
//! 1. Whatever lies in a tree or in a file that is imported, and whatever an editor says, nothing here panics or goes on for ever.
//! 2. What is written is written whole, and only where it differs. What is not understood stays as it is.

pub mod limits;

pub mod import;

pub mod finding;

pub mod classes;

pub mod tree;

pub mod provider;

pub mod place;

pub mod graph;

pub mod refs;

pub mod check;

pub mod question;

pub mod find;

pub mod blank;

pub mod edit;

pub mod show;

pub mod upgrade;

pub mod rename;

pub mod lines;

pub mod together;

pub mod git;

pub mod server;
