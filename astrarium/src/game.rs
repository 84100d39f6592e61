//! The interface between a game and the engine.
//!
//! Laws
//! 1. A game is rules: nothing in it changes while its world is stepped. All state is in the world, or in tags, which
//!    change between cycles.
//! 2. `step` reads the world, the game and its input, and nothing else. `astrarium prove` searches for violations.

use std::path::Path;
use std::sync::Arc;

use base::random::Draw;
use base::{StringId, Vec3};
use relay::Event;
use relay::table::EventTable;
use script::machine::Outside;
use state::pacer::Lengths;
use state::{Block, Difference, Plan, Workers, World};
use tags::library::Changed;
use tags::{Classes, Library};
use view::{Drawing, Frame, Moment, ShapeCatalogue, Topics};
use world::developer::{DeveloperError, VariableText};
use world::{Budget, Lap, LineCost, ProfileClock, Rules, StepInput, TagCost};

use crate::error::Error;
use crate::mods::Mod;

/// The tags of a game, as the command line knows them.
#[derive(Clone, Copy)]
pub struct TagsEntry {
    /// The classes that its Rust declares.
    pub classes: fn() -> Classes,
    /// Paths and texts of the built-in tags and headers. A tree on disk replaces them.
    pub texts: &'static [(&'static str, &'static str)],
    /// The bulk containers of the built-in tags.
    pub containers: &'static [&'static [u8]],
    /// The tree of the tags, if they are not built in.
    pub folder: Option<&'static Path>,
    /// The mods above the tree, the lowest first.
    pub mods: &'static [Mod],
    /// The tags that a level is loaded from: the globals, then the scenario. Tags they refer to are loaded with them.
    /// `*` means all tags, as a game needs whose levels lead to one another.
    pub roots: fn(level: &str) -> Vec<String>,
}

impl TagsEntry {
    /// No tags.
    pub const NONE: TagsEntry = TagsEntry {
        classes: Classes::new,
        texts: &[],
        containers: &[],
        folder: None,
        mods: &[],
        roots: |_| Vec::new(),
    };
}

/// A game, made for one of its levels: the layout of its world, its initial state, and its step. Optional features are
/// in the traits that [`Game::extensions`] lists.
pub trait Game: Send + Sync {
    /// The layout of its world.
    fn plan(&self) -> &Arc<Plan>;

    /// Fills an empty world with the level.
    fn set_up(&self, world: &mut World, content: &Library);

    /// One brush cycle: `world.simulate`, the brushes in their order, `world.rest`.
    fn step(&self, world: &mut World, input: &StepInput<'_>, workers: &dyn Workers);

    /// How long its cycles are. A game of objects has them from its globals.
    fn lengths(&self) -> Lengths {
        Lengths::default()
    }

    /// How long the cycles were with which a world was made, if the world says so: for saves that come from elsewhere.
    fn lengths_in(&self, world: &Block) -> Option<Lengths> {
        let _ = world;
        None
    }

    /// The state of the world in one line, for people.
    fn describe(&self, world: &Block) -> String {
        let _ = world;
        String::new()
    }

    /// The other traits that it implements.
    fn extensions(&self) -> Extensions<'_> {
        Extensions::default()
    }
}

/// The optional features of a game. A game that implements one of the traits lists itself here: `Extensions { players:
/// Some(self), ..Extensions::default() }`.
#[derive(Clone, Copy, Default)]
pub struct Extensions<'a> {
    /// Levels that end, and content that changes while they run.
    pub levels: Option<&'a dyn Levels>,
    /// Events of players.
    pub players: Option<&'a dyn Players>,
    /// Objects and variables behind differences.
    pub inspect: Option<&'a dyn Inspect>,
    /// Data for presentation.
    pub show: Option<&'a dyn Show>,
    /// The rules of a world of objects: its worlds can be converted to changed tags.
    pub rules: Option<&'a Rules>,
}

/// The order of levels, and changes of content while a level runs.
pub trait Levels {
    /// Copies the state that outlives a level (players, scores) from its world into that of the next one, which has
    /// been set up. A level also restarts when a tag changes that cannot change while it runs: in a game of objects, the objects of
    /// players then keep their places and variables.
    fn carry_over(&self, before: &LevelBefore<'_>, world: &mut World) {
        let _ = (before, world);
    }

    /// The game that continues after tags changed that may change while a level runs, if it caches anything derived
    /// from tags. The step whose `StepInput::changed` names them is the first of the new game.
    fn renewed(&self, content: &Library, changed: &Changed) -> Option<Arc<dyn Game>> {
        let _ = (content, changed);
        None
    }

    /// The ending of the level, if it has ended. The next level, if there is one, begins with the next safe cycle. The
    /// result must follow from the world and its tags alone, so that replays agree.
    fn ending(&self, world: &Block, content: &Library) -> Option<Ending> {
        let _ = (world, content);
        None
    }
}

/// The level that another one replaces.
#[derive(Clone, Copy)]
pub struct LevelBefore<'a> {
    /// Its game.
    pub game: &'a dyn Game,
    /// Its world.
    pub world: &'a Block,
    /// Why it is replaced.
    pub why: LevelChange,
}

/// Why a level is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelChange {
    /// It has ended, and another one begins.
    Next,
    /// A person restarts it.
    Again,
    /// A tag changed that cannot change while it runs.
    Edited,
}

/// The ending of a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The result, in the game's own words.
    pub result: String,
    /// The next level. A name that no level has counts as none.
    pub next: Option<String>,
}

/// The events of players.
pub trait Players {
    /// The events that its players can send. Others are dropped before they enter; without a table, none is dropped.
    fn events(&self) -> Option<&EventTable> {
        None
    }

    /// The text of a name in an event, if it is known.
    fn text_of<'a>(&'a self, name: StringId, content: &'a Library) -> Option<&'a str> {
        let _ = (name, content);
        None
    }

    /// The events of a robot in one safe cycle, for players without a person. All randomness comes from `random`.
    fn play_robot(&self, random: &mut Draw, events: &mut Vec<Event>) {
        let _ = (random, events);
    }
}

/// Queries of tools about a world: messages, differences, and the writers of a variable.
pub trait Inspect {
    /// The messages since the last call, a line each: faults in content that did not stop the world.
    fn troubles(&self) -> Vec<String> {
        Vec::new()
    }

    /// A difference between two worlds in the game's terms: object, tag, variable.
    fn explain(&self, difference: &Difference, left: &Block, right: &Block) -> Option<String> {
        let _ = (difference, left, right);
        None
    }

    /// The object and the variable that a difference concerns.
    fn object_of(&self, difference: &Difference, block: &Block) -> Option<(u32, String)> {
        let _ = (difference, block);
        None
    }

    /// Records every write to an object's variables from now on; 0 stops it. Does not affect the simulation.
    fn watch(&self, object: u32) {
        let _ = object;
    }

    /// Steps as [`Game::step`] does and calls `lap` at the end of each part of the cycle, for profiles. Returns false,
    /// without stepping, if the game has no such parts.
    fn step_in_laps(
        &self,
        world: &mut World,
        input: &StepInput<'_>,
        workers: &dyn Workers,
        lap: &mut dyn FnMut(Lap),
    ) -> bool {
        let _ = (world, input, workers, lap);
        false
    }

    /// Prepares for a profile with this clock: allocates its tables. Does not affect the simulation.
    fn prepare_profile(&self, clock: &ProfileClock) {
        let _ = clock;
    }

    /// Names all tags that have costs: the ids of their paths, their paths and classes.
    fn each_object_tag(&self, take: &mut dyn FnMut(StringId, &str, &str)) {
        let _ = take;
    }

    /// Measures the costs of tags and script lines in the next steps, or does not. Does not affect the simulation.
    fn switch_profile(&self, is_on: bool) {
        let _ = is_on;
    }

    /// Takes the costs of tags in the last step, which had this input. A tag may come several times.
    fn take_costs(&self, input: &StepInput<'_>, take: &mut dyn FnMut(TagCost)) {
        let _ = (input, take);
    }

    /// Takes the fuel of script lines since the last call. The last step had this input.
    fn take_lines(&self, input: &StepInput<'_>, take: &mut dyn FnMut(LineCost)) {
        let _ = (input, take);
    }

    /// The times that parts of a step may take before that is reported.
    fn budgets(&self) -> &[Budget] {
        &[]
    }

    /// The writes to the watched object since the last call, in order.
    fn written(&self, world: &Block) -> Vec<Writing> {
        let _ = world;
        Vec::new()
    }

    /// The objects, at most `most`, in the order of their handles.
    fn objects(&self, world: &Block, most: usize) -> Vec<ObjectRow> {
        let _ = (world, most);
        Vec::new()
    }

    /// The variables of an object.
    fn variables(&self, world: &Block, object: u32) -> Vec<VariableText> {
        let _ = (world, object);
        Vec::new()
    }

    /// The value of an expression over an object, as text; 0 is no object. Changes nothing.
    fn ask(&self, world: &Block, object: u32, text: &str) -> Result<String, DeveloperError> {
        let _ = (world, text);
        Err(DeveloperError::NoObject(object))
    }

    /// The event with which a developer sets a variable of an object.
    fn set_event(&self, world: &Block, object: u32, variable: &str, text: &str) -> Result<Event, DeveloperError> {
        let _ = (world, variable, text);
        Err(DeveloperError::NoObject(object))
    }

    /// The runtime errors counted so far: a text and a number each.
    fn conditions(&self, world: &Block) -> Vec<(&'static str, u64)> {
        let _ = world;
        Vec::new()
    }
}

/// An object in a list of objects.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectRow {
    /// Its raw handle.
    pub object: u32,
    /// The path of its tag.
    pub tag: String,
    /// Its position.
    pub position: Vec3,
    /// Its team.
    pub team: u32,
}

/// One write to a variable of the watched object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writing {
    /// The brush cycle.
    pub cycle: u64,
    /// The variable.
    pub variable: String,
    /// A line for people: cycle, stage, writer, old and new value, and the line of the tag that set it.
    pub line: String,
}

/// The data that presentation reads from a world.
pub trait Show {
    /// Fills a frame with everything that is to be shown and heard of a world; what the frame held before is dropped. It must
    /// follow from the world, its tags and the moment; the workers may fill it in parallel.
    fn extract(&self, world: &Block, content: &Library, moment: &Moment, frame: &mut Frame, workers: &dyn Workers) {
        let _ = (world, content, workers);
        frame.clear();
        frame.moment = *moment;
    }

    /// Gives the objects of a world to a reader, for the values that interfaces show. What is read is not counted in the world.
    fn observe(&self, world: &Block, read: &mut dyn FnMut(&dyn Outside)) {
        let _ = (world, read);
    }

    /// The meshes of shapes in its frames, for the tags in force.
    fn shape_catalogue(&self) -> ShapeCatalogue {
        ShapeCatalogue::default()
    }

    /// Adds lines about these topics to a drawing, in an order determined by the world.
    fn draw(&self, world: &Block, topics: Topics, drawing: &mut Drawing) {
        let _ = (world, topics, drawing);
    }

    /// The up direction at a point, for a camera. Zero if the game has none; then the drawing's own applies.
    fn up_at(&self, world: &Block, place: Vec3) -> Vec3 {
        let _ = (world, place);
        Vec3::ZERO
    }

    /// Called before the world is saved. It can be read, not changed.
    fn saving(&self, world: &Block) {
        let _ = world;
    }

    /// Called after a save was loaded: views, sounds and devices drop everything derived from the previous world.
    fn loaded(&self, world: &Block) {
        let _ = world;
    }
}

/// The methods of the extensions; without an extension, the defaults of its trait.
impl dyn Game + '_ {
    /// See [`Levels::carry_over`].
    pub fn carry_over(&self, before: &LevelBefore<'_>, world: &mut World) {
        if let Some(levels) = self.extensions().levels {
            levels.carry_over(before, world);
        }
    }

    /// See [`Levels::renewed`].
    pub fn renewed(&self, content: &Library, changed: &Changed) -> Option<Arc<dyn Game>> {
        self.extensions().levels?.renewed(content, changed)
    }

    /// See [`Levels::ending`].
    pub fn ending(&self, world: &Block, content: &Library) -> Option<Ending> {
        self.extensions().levels?.ending(world, content)
    }

    /// See [`Players::events`].
    pub fn events(&self) -> Option<&EventTable> {
        self.extensions().players?.events()
    }

    /// See [`Players::text_of`].
    pub fn text_of<'a>(&'a self, name: StringId, content: &'a Library) -> Option<&'a str> {
        self.extensions().players?.text_of(name, content)
    }

    /// See [`Players::play_robot`].
    pub fn play_robot(&self, random: &mut Draw, events: &mut Vec<Event>) {
        if let Some(players) = self.extensions().players {
            players.play_robot(random, events);
        }
    }

    /// See [`Inspect::troubles`].
    pub fn troubles(&self) -> Vec<String> {
        self.extensions().inspect.map(Inspect::troubles).unwrap_or_default()
    }

    /// See [`Inspect::explain`].
    pub fn explain(&self, difference: &Difference, left: &Block, right: &Block) -> Option<String> {
        self.extensions().inspect?.explain(difference, left, right)
    }

    /// See [`Inspect::object_of`].
    pub fn object_of(&self, difference: &Difference, block: &Block) -> Option<(u32, String)> {
        self.extensions().inspect?.object_of(difference, block)
    }

    /// See [`Inspect::watch`].
    pub fn watch(&self, object: u32) {
        if let Some(inspect) = self.extensions().inspect {
            inspect.watch(object);
        }
    }

    /// See [`Inspect::step_in_laps`]; a game without laps is stepped as a whole.
    pub fn step_in_laps(
        &self,
        world: &mut World,
        input: &StepInput<'_>,
        workers: &dyn Workers,
        lap: &mut dyn FnMut(Lap),
    ) {
        let is_stepped =
            self.extensions().inspect.is_some_and(|inspect| inspect.step_in_laps(world, input, workers, lap));
        if !is_stepped {
            self.step(world, input, workers);
        }
    }

    /// See [`Inspect::prepare_profile`].
    pub fn prepare_profile(&self, clock: &ProfileClock) {
        if let Some(inspect) = self.extensions().inspect {
            inspect.prepare_profile(clock);
        }
    }

    /// See [`Inspect::each_object_tag`].
    pub fn each_object_tag(&self, take: &mut dyn FnMut(StringId, &str, &str)) {
        if let Some(inspect) = self.extensions().inspect {
            inspect.each_object_tag(take);
        }
    }

    /// See [`Inspect::switch_profile`].
    pub fn switch_profile(&self, is_on: bool) {
        if let Some(inspect) = self.extensions().inspect {
            inspect.switch_profile(is_on);
        }
    }

    /// See [`Inspect::take_costs`].
    pub fn take_costs(&self, input: &StepInput<'_>, take: &mut dyn FnMut(TagCost)) {
        if let Some(inspect) = self.extensions().inspect {
            inspect.take_costs(input, take);
        }
    }

    /// See [`Inspect::take_lines`].
    pub fn take_lines(&self, input: &StepInput<'_>, take: &mut dyn FnMut(LineCost)) {
        if let Some(inspect) = self.extensions().inspect {
            inspect.take_lines(input, take);
        }
    }

    /// See [`Inspect::budgets`].
    pub fn budgets(&self) -> &[Budget] {
        self.extensions().inspect.map_or(&[], Inspect::budgets)
    }

    /// See [`Inspect::written`].
    pub fn written(&self, world: &Block) -> Vec<Writing> {
        self.extensions().inspect.map(|inspect| inspect.written(world)).unwrap_or_default()
    }

    /// See [`Inspect::objects`].
    pub fn objects(&self, world: &Block, most: usize) -> Vec<ObjectRow> {
        self.extensions().inspect.map(|inspect| inspect.objects(world, most)).unwrap_or_default()
    }

    /// See [`Inspect::variables`].
    pub fn variables(&self, world: &Block, object: u32) -> Vec<VariableText> {
        self.extensions().inspect.map(|inspect| inspect.variables(world, object)).unwrap_or_default()
    }

    /// See [`Inspect::ask`].
    pub fn ask(&self, world: &Block, object: u32, text: &str) -> Result<String, DeveloperError> {
        let inspect = self.extensions().inspect.ok_or(DeveloperError::NoObject(object))?;
        inspect.ask(world, object, text)
    }

    /// See [`Inspect::set_event`].
    pub fn set_event(&self, world: &Block, object: u32, variable: &str, text: &str) -> Result<Event, DeveloperError> {
        let inspect = self.extensions().inspect.ok_or(DeveloperError::NoObject(object))?;
        inspect.set_event(world, object, variable, text)
    }

    /// See [`Inspect::conditions`].
    pub fn conditions(&self, world: &Block) -> Vec<(&'static str, u64)> {
        self.extensions().inspect.map(|inspect| inspect.conditions(world)).unwrap_or_default()
    }

    /// See [`Show::extract`]; a game that shows nothing has empty frames.
    pub fn extract(&self, world: &Block, content: &Library, moment: &Moment, frame: &mut Frame, workers: &dyn Workers) {
        match self.extensions().show {
            Some(show) => show.extract(world, content, moment, frame, workers),
            None => {
                frame.clear();
                frame.moment = *moment;
            }
        }
    }

    /// See [`Show::observe`].
    pub fn observe(&self, world: &Block, read: &mut dyn FnMut(&dyn Outside)) {
        if let Some(show) = self.extensions().show {
            show.observe(world, read);
        }
    }

    /// See [`Show::shape_catalogue`].
    pub fn shape_catalogue(&self) -> ShapeCatalogue {
        self.extensions().show.map(Show::shape_catalogue).unwrap_or_default()
    }

    /// See [`Show::draw`].
    pub fn draw(&self, world: &Block, topics: Topics, drawing: &mut Drawing) {
        if let Some(show) = self.extensions().show {
            show.draw(world, topics, drawing);
        }
    }

    /// See [`Show::up_at`].
    pub fn up_at(&self, world: &Block, place: Vec3) -> Vec3 {
        self.extensions().show.map_or(Vec3::ZERO, |show| show.up_at(world, place))
    }

    /// See [`Show::saving`].
    pub fn saving(&self, world: &Block) {
        if let Some(show) = self.extensions().show {
            show.saving(world);
        }
    }

    /// See [`Show::loaded`].
    pub fn loaded(&self, world: &Block) {
        if let Some(show) = self.extensions().show {
            show.loaded(world);
        }
    }
}

/// A game as the command line knows it.
#[derive(Clone, Copy)]
pub struct GameEntry {
    /// Its name, which is also the name of its layout.
    pub name: &'static str,
    /// A description in one line.
    pub about: &'static str,
    /// The identity of its code: `build_identity!()`, or 0 for a game of tags alone. It is stored in saves, films and
    /// crash reports.
    pub build: u64,
    /// Its levels; the first is the default.
    pub levels: &'static [&'static str],
    /// Its tags.
    pub tags: TagsEntry,
    /// Makes it for one of its levels, with the tags of that level.
    pub make: fn(entry: &GameEntry, level: &str, content: &Library) -> Arc<dyn Game>,
}

/// Whether this is the build identity of a game of tags alone.
pub(crate) const fn is_of_tags_alone(build: u64) -> bool {
    build >> 32 == 0
}

/// Folds an identity into 32 bits; the result is zero only for zero.
const fn fold(identity: u64) -> u64 {
    let folded = (identity ^ identity >> 32) & 0xffff_ffff;
    if identity != 0 && folded == 0 { 1 } else { folded }
}

/// The identity of the engine's own code.
const ENGINE_BUILD: u64 = base::build_identity!(
    "../core",
    "../foundation/navigation",
    "../foundation/physics",
    "../foundation/view",
    "../foundation/world"
);

impl GameEntry {
    /// A game without tags, with one level called "main".
    pub const fn new(
        name: &'static str,
        about: &'static str,
        build: u64,
        make: fn(entry: &GameEntry, level: &str, content: &Library) -> Arc<dyn Game>,
    ) -> GameEntry {
        GameEntry { name, about, build, levels: &["main"], tags: TagsEntry::NONE, make }
    }

    /// The identity of the code that steps its worlds: 32 bits for the game's own code, zero for a game of tags alone,
    /// and 32 for the engine's. Two builds with equal identities, the same content and the same inputs give the same
    /// worlds.
    pub const fn build_identity(&self) -> u64 {
        fold(self.build) << 32 | fold(ENGINE_BUILD)
    }

    /// The game on one of its levels. The name may come from a person, a save or a crash report.
    ///
    /// # Panics
    /// If the name of the game's world is not the name of the game: its saves and crash reports could not be matched to
    /// it.
    pub fn on_level(&self, name: &str, content: &Library) -> Result<Arc<dyn Game>, Error> {
        if !self.levels.contains(&name) {
            let levels = self.levels.iter().map(ToString::to_string).collect();
            return Err(Error::UnknownLevel { game: self.name.to_string(), level: name.to_string(), levels });
        }
        let game = (self.make)(self, name, content);
        let found = game.plan().name();
        assert_eq!(found, self.name, "the layout of this game must begin with `Layout::of_world(\"{}\")`", self.name);
        Ok(game)
    }
}
