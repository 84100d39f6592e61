//! The front door for games.
//!
//! A game is content and a step: implement [`Game`], hand it to [`run`], and its program can be played, saved, loaded,
//! compared, proven and, should it ever crash, replayed. The loop all of that shares is one page: [`session`].
//!
//! Never: knows a particular game; changes a world but through its game's step.
//!
//! Laws
//! 1. Whatever drives a session, each brush cycle is one call of the game's step: from [`Session::step`], which seals the
//!    inputs of the players, or from [`Session::replay`] with inputs that were sealed before.
//! 2. A command's exit status is 0 only if all that was asked was done. With `--json` its last line is one JSON object.

extern crate self as astrarium;

pub use base;
pub use host;
pub use physics;
pub use relay;
pub use script;
pub use state;
pub use tags;
pub use text;
pub use view;
pub use world;

pub mod game;

pub mod objects;

pub mod project;

pub mod content;

pub mod fed;
pub mod tree;

pub mod filming;

pub mod session;

pub mod telling;

pub mod film;

pub mod saves;

pub mod json;

pub mod extra;

mod texts;

mod part;

mod tagged;

mod caching;
pub mod crash;
mod film_commands;
mod headers;
mod known;
mod scripts;

pub mod paced;

pub mod troubles;

pub mod play;
pub mod proof;
pub mod trials;

pub mod camera;

pub mod picture;

mod look;

mod template;

mod tour;

mod command;

#[cfg(doctest)]
mod book;

pub use command::{run, run_with};
pub use content::Content;
pub use game::{Ending, Game, GameEntry, Given, TagsEntry, Writing};
pub use objects::ObjectGame;
pub use session::Session;
