//! The `astrarium` command: everything that can be done with games, films, saves, tags and scripts from a command line.
//!
//! [`run`] makes a program out of games: it reads the command line and runs one command. The program of this repository
//! offers the games of this repository; a game with Rust code of its own calls `run` from its `main`, and all commands,
//! those for tags included, then know the classes of that game.
//!
//! Never: decides what happens in a world; that is the task of the game and the front door.
//!
//! Laws
//! 1. The exit status is 0 only if everything that was requested was done.
//! 2. With `--json` the last line on standard output is one JSON object.

pub mod json;

pub mod error;

mod arguments;
mod place;

mod showing;
mod words;

mod camera;

mod picture;

pub mod inputs;
mod inspect;

mod hearing;

mod tell;

mod line_limiter;
mod mods;
mod nearby;
mod profile;

mod situation;

pub mod play;

mod text;

mod typed_lines;

mod script;

mod renderers;

mod web;

mod web_pictures;

mod recording;

mod look;

mod window_play;

mod party_console;

mod finding;

mod access;

mod meeting;

mod together;

mod serve;

mod show;

mod story;

mod tour;

mod new_game;

pub mod crash;

mod feed;

mod film_count;

mod film;
mod tag;

mod import;

mod lsp;

mod command;

pub use command::{run, run_with};
