//! All tests of this crate that need no process of their own, in one program: linking is most of the time of a small one.

mod common;

mod bytecode;
mod changing;
mod commands;
mod conversions;
mod films;
mod first_game;
mod git;
mod import;
mod import_book;
mod import_command;
mod inputs;
mod inspect;
mod interface_checks;
mod kills;
mod level_import;
mod live_import;
mod living;
mod look;
mod lsp;
mod media;
mod mods;
mod party;
mod pictures;
mod play;
mod projects;
mod scripts;
mod situations;
mod tags;
mod tags_book;
mod tell;
mod texts;
mod together;
mod web;
mod window;
