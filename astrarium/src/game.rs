//! What a game is to the engine.
//!
//! Laws
//! 1. A game is content: nothing in it changes while its world is stepped. All that changes lies in the world.
//! 2. `step` reads the world, the game and the inputs, and nothing else. `astrarium prove` looks for offenders.

use std::sync::Arc;

use base::random::Draw;
use relay::{Event, Sealed};
use state::prediction::Prediction;
use state::{Block, Plan, Workers, World};

/// A game, made for one of its levels.
pub trait Game: Send + Sync {
    /// What lies where in its worlds.
    fn plan(&self) -> &Arc<Plan>;

    /// A number that stands for all content: two games with the same number step alike.
    fn content(&self) -> u64;

    /// Fills an empty world with the level.
    fn set_up(&self, world: &mut World);

    /// One brush cycle: `world.simulate`, the brushes in their order, `world.rest`. At the start of a safe cycle there are
    /// inputs.
    fn step(&self, world: &mut World, inputs: Option<&Sealed>, workers: &dyn Workers);

    /// What a robot does in a safe cycle, for players nobody plays. Everything random comes from `random`.
    fn play_robot(&self, random: &mut Draw, events: &mut Vec<Event>) {
        let _ = (random, events);
    }

    /// Tells the presentation where things are and how they move, after a brush cycle.
    fn show(&self, world: &Block, prediction: &mut Prediction) {
        let _ = (world, prediction);
    }

    /// A world of this game is about to be saved. It can be looked at, not changed: saving changes nothing.
    fn saving(&self, world: &Block) {
        let _ = world;
    }

    /// A world of this game was loaded: tells those who look (views, sounds, devices) that what they made of the one
    /// before is stale. The game itself has nothing to forget: see law 1.
    fn loaded(&self, world: &Block) {
        let _ = world;
    }

    /// What is going on, in a line for people.
    fn describe(&self, world: &Block) -> String {
        let _ = world;
        String::new()
    }
}

/// A game as the command line knows it.
#[derive(Clone, Copy)]
pub struct GameEntry {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// Its levels; the first is played if none is named.
    pub levels: &'static [&'static str],
    /// Makes it for one of its levels.
    pub make: fn(level: &str) -> Arc<dyn Game>,
}

impl GameEntry {
    /// The game on one of its levels. Anybody may name one: a person, a save, a crash report.
    ///
    /// # Panics
    /// If the game's world is called otherwise than the game: its saves and crash reports could not find back to it.
    pub fn on_level(&self, name: &str) -> Result<Arc<dyn Game>, String> {
        if !self.levels.contains(&name) {
            return Err(format!("expected a level of {}: {}; found \"{name}\"", self.name, self.levels.join(", ")));
        }
        let game = (self.make)(name);
        let found = game.plan().name();
        assert_eq!(found, self.name, "the layout of this game must begin with `Layout::of_world(\"{}\")`", self.name);
        Ok(game)
    }
}
