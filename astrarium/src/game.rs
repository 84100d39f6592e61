//! What a game is to the engine.
//!
//! Laws
//! 1. A game is rules: nothing in it changes while its world is stepped. All that changes lies in the world, or in its tags,
//!    which change between cycles.
//! 2. `step` reads the world, the game and what it is given, and nothing else. `astrarium prove` looks for offenders.

use std::path::Path;
use std::sync::Arc;

use base::random::Draw;
use base::{StringId, Vec3};
use relay::limits::CONTENT_PLAYER;
use relay::table::EventTable;
use relay::{Event, Sealed};
use state::prediction::Prediction;
use state::{Block, Difference, Plan, Workers, World};
use tags::library::Changed;
use tags::{Classes, Library};
use view::{Frame, Topics};

/// What a step is given besides the world.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// The tags in force.
    pub content: &'a Library,
    /// Which of them are others than in the cycle before.
    pub changed: &'a Changed,
    /// What the players did, at the start of a safe cycle.
    pub inputs: Option<&'a Sealed>,
}

impl<'a> Given<'a> {
    /// What the players did, with the player who did each; none between safe cycles.
    pub fn events(&self) -> &'a [(u16, Event)] {
        let events = self.inputs.map_or(&[][..], Sealed::events);
        let people = events.partition_point(|(player, _)| *player < CONTENT_PLAYER);
        &events[..people]
    }

    /// No tags, and nobody did anything: for tests and measurements.
    pub fn nothing() -> Given<'static> {
        static CONTENT: Library = Library::new();
        static CHANGED: Changed = Changed { tags: Vec::new(), classes: Vec::new() };
        Given { content: &CONTENT, changed: &CHANGED, inputs: None }
    }
}

/// The tags of a game, as the command line knows them.
#[derive(Clone, Copy)]
pub struct TagsEntry {
    /// The classes that its Rust declares.
    pub classes: fn() -> Classes,
    /// Paths and texts of the tags and headers that are part of the program. A tree on disk takes their place.
    pub texts: &'static [(&'static str, &'static str)],
    /// The tree that the tags come from, if they are not part of the program.
    pub folder: Option<&'static Path>,
    /// The tags that a level is loaded from: the globals, then the scenario. They bring what they refer to. `*` is all tags there
    /// are; a game whose levels lead to one another wants that.
    pub roots: fn(level: &str) -> Vec<String>,
}

impl TagsEntry {
    /// No tags.
    pub const NONE: TagsEntry = TagsEntry { classes: Classes::new, texts: &[], folder: None, roots: |_| Vec::new() };
}

/// Something was written of an object that is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writing {
    /// The brush cycle in which.
    pub cycle: u64,
    /// The variable.
    pub variable: String,
    /// All of it in a line: when, in which stage, whose, what it was and became, and which line of which tag set it.
    pub line: String,
}

/// How a level ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// In a word of the game's own.
    pub result: String,
    /// The level that comes next. If there is none of that name, none does.
    pub next: Option<String>,
}

/// A game, made for one of its levels.
pub trait Game: Send + Sync {
    /// What lies where in its worlds.
    fn plan(&self) -> &Arc<Plan>;

    /// A number that stands for all that is built in: two games with the same number and the same tags step alike.
    fn content(&self) -> u64;

    /// Fills an empty world with the level.
    fn set_up(&self, world: &mut World, content: &Library);

    /// One brush cycle: `world.simulate`, the brushes in their order, `world.rest`.
    fn step(&self, world: &mut World, given: &Given<'_>, workers: &dyn Workers);

    /// The level starts again, because a tag changed that cannot while it runs, or this one comes after another, whose world may lie
    /// otherwise. Takes over into the new world, which has been set up, what shall outlive the old one: players, scores.
    fn carry_over(&self, before: &Block, world: &mut World) {
        let _ = (before, world);
    }

    /// Tags changed that can while a level runs. Gives the game that goes on with them, if it keeps anything that follows from tags.
    /// The step in which `Given::changed` names them is the first of the new one.
    fn renewed(&self, content: &Library, changed: &Changed) -> Option<Arc<dyn Game>> {
        let _ = (content, changed);
        None
    }

    /// How the level ended, if it did. The next one, if there is one, begins with the next safe cycle. It follows from the world and
    /// its tags alone, so that a replay goes the same way.
    fn ending(&self, world: &Block, content: &Library) -> Option<Ending> {
        let _ = (world, content);
        None
    }

    /// What went wrong lately without stopping the world, a line each, for people. Telling it changes nothing.
    fn troubles(&self) -> Vec<String> {
        Vec::new()
    }

    /// A difference between two worlds of this game in words of its own: objects, tags, variables. None if it has none.
    fn explain(&self, difference: &Difference, left: &Block, right: &Block) -> Option<String> {
        let _ = (difference, left, right);
        None
    }

    /// The object and the variable that a difference is about, if it is about one.
    fn object_of(&self, difference: &Difference, block: &Block) -> Option<(u32, String)> {
        let _ = (difference, block);
        None
    }

    /// From now on what is written of an object is kept, to be asked for; with 0, of none. Changes nothing that happens.
    fn watch(&self, object: u32) {
        let _ = object;
    }

    /// What was written of the watched object since the last call, in order.
    fn written(&self, world: &Block) -> Vec<Writing> {
        let _ = world;
        Vec::new()
    }

    /// Which events its players can send. Others are left out before they enter; without a table, any do.
    fn events(&self) -> Option<&EventTable> {
        None
    }

    /// The text of a name that its events have, if it is known: for people.
    fn text_of<'a>(&'a self, name: StringId, content: &'a Library) -> Option<&'a str> {
        let _ = (name, content);
        None
    }

    /// What a robot does in a safe cycle, for players nobody plays. Everything random comes from `random`.
    fn play_robot(&self, random: &mut Draw, events: &mut Vec<Event>) {
        let _ = (random, events);
    }

    /// Tells the presentation where things are and how they move, after a brush cycle.
    fn show(&self, world: &Block, prediction: &mut Prediction) {
        let _ = (world, prediction);
    }

    /// Adds to a frame what is to be seen of a world: of these topics, in an order that follows from the world.
    fn draw(&self, world: &Block, topics: Topics, frame: &mut Frame) {
        let _ = (world, topics, frame);
    }

    /// Which way is up at a place, for whoever looks at it. Zero if nothing is; what [`Game::draw`] says counts then.
    fn up_at(&self, world: &Block, place: Vec3) -> Vec3 {
        let _ = (world, place);
        Vec3::ZERO
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
    /// Its tags.
    pub tags: TagsEntry,
    /// Makes it for one of its levels, with the tags of that level.
    pub make: fn(entry: &GameEntry, level: &str, content: &Library) -> Arc<dyn Game>,
}

impl GameEntry {
    /// The game on one of its levels. Anybody may name one: a person, a save, a crash report.
    ///
    /// # Panics
    /// If the game's world is called otherwise than the game: its saves and crash reports could not find back to it.
    pub fn on_level(&self, name: &str, content: &Library) -> Result<Arc<dyn Game>, String> {
        if !self.levels.contains(&name) {
            return Err(format!("expected a level of {}: {}; found \"{name}\"", self.name, self.levels.join(", ")));
        }
        let game = (self.make)(self, name, content);
        let found = game.plan().name();
        assert_eq!(found, self.name, "the layout of this game must begin with `Layout::of_world(\"{}\")`", self.name);
        Ok(game)
    }
}
