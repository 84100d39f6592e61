//! The front door for games.
//!
//! A game is content and a step: implement [`Game`], and its worlds can be played, saved, loaded, compared, proven and,
//! after a crash, replayed. The loop that all of these share is one page: [`session`]. The commands are in the crate
//! `tool`: `tool::run` makes a program out of a game.
//!
//! Never: knows a particular game; changes a world except through its game's step; reads a command line or prints.
//!
//! Laws
//! 1. Each brush cycle is one call of the game's step: from [`Session::step`], which seals the
//!    inputs of the players, or from [`Session::replay`] with inputs that were sealed before.

extern crate self as astrarium;

pub use base;
pub use gui;
pub use host;
pub use net;
pub use physics;
pub use relay;
pub use render;
pub use script;
pub use state;
pub use tags;
pub use text;
pub use view;
pub use world;

pub mod film_error;
pub mod vocabulary;

pub mod error;

pub mod mods;

pub mod game;

pub mod objects;

pub mod project;

pub mod content;

pub mod remote_tags;
pub mod saved_content;
pub mod tag_tree;

pub mod profile;

pub mod filming;

pub mod session;

pub mod conversion;
pub mod difference;

pub mod film;

pub mod saves;

pub mod crash;

pub mod paced;
pub mod party;

pub mod bulk_reader;
pub mod status;
pub mod viewpoint;

pub mod publication;

pub mod extractor;

pub mod bindings;
pub mod presenter;

pub mod game_texts;
pub mod menu;
pub mod notices;
pub mod picking;

pub mod local_players;

pub mod screenshot;

pub mod runner;

#[cfg(all(feature = "window", not(target_family = "wasm")))]
pub mod presentation;

pub mod proof;
pub mod test_checks;

pub mod prelude;

#[cfg(doctest)]
mod book;

pub use content::Content;
pub use error::Error;
pub use game::{
    Ending, Extensions, Game, GameEntry, Inspect, LevelBefore, LevelChange, Levels, Players, Show, TagsEntry, Writing,
};
pub use objects::ObjectGame;
pub use session::Session;
pub use vocabulary::classes;
pub use world::StepInput;
