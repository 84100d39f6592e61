//! How does data become tags, and tags cache files?
//!
//! The tools that work over whole trees of content while people make it: today the language server, which tells an editor
//! what is wrong, what is known and what may stand where.
//!
//! Never: is part of a shipped game; changes a file without being asked.
//!
//! Laws
//! 1. Whatever lies in a tree and whatever an editor says, nothing here panics or goes on for ever.

pub mod server;
