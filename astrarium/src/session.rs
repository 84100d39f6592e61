//! The loop, on one page.
//!
//! A session is a world being played: at the start of a safe cycle the players' batches are sealed, without what the game's table
//! of events calls impossible, and handed to the black box and to the film, and tags that changed take their old ones' place; the
//! game steps; the cycle is counted; after a safe cycle the world's hash joins the chain.
//!
//! Laws
//! 1. The chain is a number over the hashes of all safe cycles: two sessions with equal chains went the same way.
//! 2. Inputs reach the black box before they reach the world.
//! 3. A step takes nothing from the heap, from the first one on. (A checked world does, to hash everything anew; and so
//!    does a robot with more to do than a batch can hold.) Between steps, changed tags do.
//! 4. A tag of a class that is not recoverable starts the level again, in the same cycle for everybody, and the world goes on
//!    counting.
//! 5. A level that is over gives way to the next at the start of a safe cycle, before anything enters: that follows from the world
//!    alone. The next one's world is new, with the same seed, and goes on counting; the black box and the
//!    film's take begin anew with it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::StringId;
use base::hash::mix;
use base::random::Draw;
use host::allocation;
use host::files::FileError;
use host::mapped::MappedFile;
use relay::black_box::{BlackBox, Purpose};
use relay::film::{Parent, Reason};
use relay::limits::{CONTENT_PLAYER, EVENTS_PER_BATCH_MAX};
use relay::relay::{Refusal, RefusedEvent};
use relay::{Event, Relay, Sealed};
use shelf::load::EVERYTHING;
use state::backups::Schedule;
use state::limits::NAME_BYTES_MAX;
use state::memory::MemorySource;
use state::pacer::Lengths;
use state::phase::Phase;
use state::{Settings, Workers, World};

use crate::content::Content;
use crate::filming::{Costs, Filming, Scene};
use crate::game::{Ending, Game, GameEntry, Given};
use crate::objects;

/// What a session starts from.
#[derive(Clone, Debug)]
pub struct Start {
    /// The level's name, for saves and reports.
    pub level: String,
    /// What all random draws follow from.
    pub seed: u64,
    /// How many players there are. Those nobody plays are robots.
    pub players: u16,
    /// How carefully the world is run.
    pub settings: Settings,
}

/// A world being played.
pub struct Session {
    game: Arc<dyn Game>,
    content: Content,
    /// To make it again when the level starts again, or another one does.
    entry: Option<GameEntry>,
    memory: &'static dyn MemorySource,
    world: World,
    lengths: Lengths,
    relay: Relay,
    sealed: Sealed,
    players: u16,
    chain: u64,
    level: String,
    events: Vec<Event>,
    recorder: Option<Recorder>,
    film: Option<Box<Filming>>,
}

struct Recorder {
    path: PathBuf,
    schedule: Schedule,
    file: MappedFile,
    black_box: BlackBox,
}

impl Session {
    /// A level of a game, with its tags.
    pub fn begin(
        entry: &GameEntry,
        content: Content,
        start: &Start,
        memory: &'static dyn MemorySource,
    ) -> Result<Session, String> {
        let game = entry.on_level(&start.level, content.library())?;
        let session = Session::new(game, content, start, memory);
        Ok(Session { entry: Some(*entry), ..session })
    }

    /// A new world with the level in it.
    pub fn new(game: Arc<dyn Game>, content: Content, start: &Start, memory: &'static dyn MemorySource) -> Session {
        let world = new_world(&*game, &content, start.settings, start.seed, memory);
        let mut relay = Relay::new(&players(start.players), 0);
        relay.set_table(game.events().cloned());
        Session {
            game,
            content,
            entry: None,
            memory,
            world,
            lengths: Lengths::default(),
            relay,
            sealed: Sealed::with_room_for(start.players + 1),
            players: start.players,
            chain: 0,
            level: start.level.clone(),
            events: Vec::with_capacity(EVENTS_PER_BATCH_MAX),
            recorder: None,
            film: None,
        }
    }

    /// One brush cycle.
    pub fn step(&mut self, workers: &dyn Workers) {
        let is_safe = self.lengths.is_safe(self.world.cycle());
        self.film_on();
        if is_safe {
            self.move_on();
            self.seal();
            self.record_inputs();
            let hash = self.film.is_some().then(|| self.world.hash());
            let sealed = std::mem::take(&mut self.sealed);
            let is_anew = self.change_content(Some(&sealed));
            self.sealed = sealed;
            self.film_inputs(hash);
            if is_anew {
                // The box and the take began anew with the level; what enters this cycle leads on from there.
                self.record_inputs();
                self.film_take(
                    Reason::Anew,
                    "the level started again, because of a tag that cannot change while it runs",
                );
                let hash = self.film.is_some().then(|| self.world.hash());
                self.film_inputs(hash);
            }
        }
        if let Some(film) = &mut self.film {
            film.before_step();
        }
        let inputs = is_safe.then_some(&self.sealed);
        let given = Given { content: self.content.library(), changed: self.content.changed(), inputs };
        allocation::forbid(|| self.game.step(&mut self.world, &given, workers));
        let hash = self.after_step();
        if let Some(film) = &mut self.film {
            film.after_step(&mut self.world, hash, self.chain);
        }
    }

    /// What a person at this machine, or somebody far away, did as this player: it enters with the next safe cycle, or a
    /// later one. Until then more cannot be delivered for that cycle. Players for whom nothing was delivered are robots.
    pub fn deliver(&mut self, player: u16, safe_cycle: u64, events: &[Event]) -> Result<(), Refusal> {
        self.follow_world();
        self.relay.handle_batch(player, safe_cycle, events)
    }

    /// The next safe cycle whose inputs are not sealed yet.
    pub fn next_safe_cycle(&self) -> u64 {
        let cycle = self.world.cycle();
        self.lengths.safe_cycle(cycle) + u64::from(!self.lengths.is_safe(cycle))
    }

    /// Which events were left out since the last call because the game's table calls them impossible, a line each; of very many,
    /// the first.
    pub fn take_refusals(&mut self) -> Vec<String> {
        let lines = self.relay.refusals().iter().map(|refused| {
            let RefusedEvent { player, cycle, event, why } = refused;
            let library = self.content.library();
            let name = self.game.text_of(event.kind, library).map_or_else(|| event.kind.to_string(), str::to_string);
            let why = match why.field().and_then(|field| Some((field, self.game.text_of(field, library)?))) {
                Some((field, text)) => why.to_string().replace(&field.to_string(), text),
                None => why.to_string(),
            };
            let brush = cycle.saturating_mul(u64::from(self.lengths.brushes_per_safe));
            format!("cycle {brush}: player {player}: the event {name} was left out: {why}")
        });
        let lines = lines.collect();
        self.relay.forget_refusals();
        lines
    }

    /// After a load the relay goes on where the world is; it judges events by the table of the game as it is now.
    fn follow_world(&mut self) {
        let next = self.next_safe_cycle();
        if self.relay.next() != next {
            self.relay = Relay::new(&players(self.players), next);
        }
        if self.relay.table() != self.game.events() {
            self.relay.set_table(self.game.events().cloned());
        }
    }

    /// One brush cycle with inputs that were sealed before.
    pub fn replay(&mut self, inputs: Option<&Sealed>, workers: &dyn Workers) {
        if inputs.is_some() {
            self.move_on();
        }
        self.change_content(inputs);
        let given = Given { content: self.content.library(), changed: self.content.changed(), inputs };
        self.game.step(&mut self.world, &given, workers);
        self.after_step();
    }

    /// Tags that changed take their old ones' place, or the level starts again; gives whether it did.
    fn change_content(&mut self, inputs: Option<&Sealed>) -> bool {
        if !inputs.is_some_and(|inputs| self.content.change(inputs)) {
            return false;
        }
        let is_anew = self.content.needs_restart();
        if !is_anew && let Some(game) = self.game.renewed(self.content.library(), self.content.changed()) {
            self.game = game;
        }
        if is_anew {
            self.restart();
            // Made of the new tags, it has seen no others. So it is when it is replayed from here.
            self.content.settle();
        }
        self.world.set_content(self.content.library().identity());
        is_anew
    }

    /// If the level is over and another comes next, that one begins; gives whether it did. Every safe cycle starts with this. Whoever
    /// copies the world before a step does so first, for the next level's world may lie otherwise.
    pub fn move_on(&mut self) -> bool {
        if !self.lengths.is_safe(self.world.cycle()) {
            return false;
        }
        let Some(Ending { result, next: Some(next) }) = self.game.ending(&self.world, self.content.library()) else {
            return false;
        };
        if !self.can_begin(&next) {
            return false;
        }
        let words = format!("{} is over: {result}; {next} begins", self.level);
        self.begin_level(next);
        self.film_take(Reason::Anew, &words);
        self.content.note(words);
        true
    }

    /// How the level ended, if it did and no other comes next: there is nothing more to play. Only at the start of a safe cycle, so
    /// that it is the same cycle for everybody.
    pub fn last_ending(&self) -> Option<Ending> {
        let is_safe = self.lengths.is_safe(self.world.cycle());
        let ending = if is_safe { self.game.ending(&self.world, self.content.library()) } else { None };
        ending.filter(|ending| !ending.next.as_ref().is_some_and(|next| self.can_begin(next)))
    }

    /// Whether a level is one of the game, and its tags are there.
    fn can_begin(&self, level: &str) -> bool {
        let Some(entry) = &self.entry else { return false };
        let library = self.content.library();
        let is_there = |root: &String| root == EVERYTHING || library.key(StringId::from(root.as_str())).is_some();
        let is_level = entry.levels.contains(&level) || objects::scenario_of(library, level).is_some();
        // Its name is in saves and crash reports.
        is_level && level.len() <= NAME_BYTES_MAX && (entry.tags.roots)(level).iter().all(is_there)
    }

    /// Starts the level again, and takes over what shall outlive it.
    fn restart(&mut self) {
        self.content.note(String::from("the level starts again"));
        self.begin_level(self.level.clone());
    }

    /// Begins a level in a new world, and takes over what shall outlive the old one.
    fn begin_level(&mut self, level: String) {
        let is_same_level = self.level == level;
        self.level = level;
        // In the new world nothing is another than before; and a replay that begins with it does not see what changed.
        self.content.settle();
        if let Some(entry) = &self.entry {
            self.game = (entry.make)(entry, &self.level, self.content.library());
        }
        let (cycle, seed) = (self.world.cycle(), self.world.time().seed);
        let mut world = new_world(&*self.game, &self.content, self.world.settings(), seed, self.memory);
        world.go_on_from(cycle);
        world.set_up(|world| self.game.carry_over(&self.world, world));
        let is_same_plan = world.plan().hash() == self.world.plan().hash();
        self.world = world;
        if is_same_plan && is_same_level {
            self.begin_black_box_anew();
        } else if let Some(Recorder { path, schedule, .. }) = self.recorder.take()
            && let Err(error) = self.record_to(&path, schedule)
        {
            self.content.note(format!("no black box is kept any more: {error}"));
        }
        self.game.loaded(&self.world);
    }

    /// Gives the hash of the world if a safe cycle is complete.
    fn after_step(&mut self) -> Option<u64> {
        self.content.settle();
        let hash = self.lengths.is_safe(self.world.cycle()).then(|| self.world.hash());
        if let Some(hash) = hash {
            self.chain = mix(self.chain, hash);
        }
        if let Some(Recorder { file, black_box, .. }) = &mut self.recorder {
            black_box.complete(file.bytes_mut(), &mut self.world);
        }
        hash
    }

    /// Gathers a batch from every player and seals the cycle.
    fn seal(&mut self) {
        let cycle = self.lengths.safe_cycle(self.world.cycle());
        self.follow_world();
        // The world's own, so that a world that was loaded is played on as it was.
        let seed = self.world.time().seed;
        for player in 0..self.players {
            let mut random = Draw::new(seed, cycle, ROBOTS, u32::from(player));
            self.events.clear();
            self.game.play_robot(&mut random, &mut self.events);
            self.events.truncate(EVENTS_PER_BATCH_MAX);
            match self.relay.handle_batch(player, cycle, &self.events) {
                // Whoever delivered needs no robot.
                Ok(()) | Err(Refusal::Twice) => {}
                Err(refusal) => panic!("a robot's batch was refused: {refusal}"),
            }
        }
        self.content.gather(&mut self.events);
        match self.relay.handle_batch(CONTENT_PLAYER, cycle, &self.events) {
            Ok(()) => {}
            Err(Refusal::Twice) => self.content.take_back(&self.events),
            Err(refusal) => panic!("changes of content were refused: {refusal}"),
        }
        assert!(self.relay.poll_sealed(&mut self.sealed), "all batches are there");
    }

    fn record_inputs(&mut self) {
        if let Some(Recorder { file, black_box, .. }) = &mut self.recorder {
            let hash = self.world.hash();
            black_box.record_inputs(file.bytes_mut(), &mut self.world, hash, &self.sealed);
        }
    }

    /// From now on a black box is kept in this file.
    pub fn record_to(&mut self, path: &Path, schedule: Schedule) -> Result<(), FileError> {
        let purpose = Purpose::of(&self.world, self.game.content(), &self.level, schedule);
        let begin = |bytes: &mut [u8]| BlackBox::new(&purpose, bytes, &mut self.world);
        let (file, black_box) = MappedFile::create_prepared(path, purpose.bytes(), begin)?;
        self.recorder = Some(Recorder { path: path.to_path_buf(), schedule, file, black_box });
        Ok(())
    }

    /// The world is about to be loaded over: a film knows how it was until then.
    pub(crate) fn end_recording(&mut self) {
        let hash = self.film.is_some().then(|| self.world.hash());
        if let (Some(film), Some(hash)) = (&mut self.film, hash)
            && film.leads_to(self.world.cycle())
        {
            film.know_hash(hash);
        }
    }

    /// The world was loaded over: what was recorded cannot lead to it.
    pub(crate) fn begin_recording_anew(&mut self) {
        self.begin_black_box_anew();
        self.film_take(Reason::Loaded, LOADED_OVER);
    }

    fn begin_black_box_anew(&mut self) {
        if let Some(Recorder { file, black_box, .. }) = &mut self.recorder {
            black_box.begin_anew(file.bytes_mut(), &mut self.world);
        }
    }

    /// From now on a film is recorded in this file. `parent` is what the world was taken from, if from another film.
    pub fn film_to(&mut self, path: &Path, parent: Option<Parent>) -> Result<(), FileError> {
        let film = Filming::begin(path, parent, &mut self.scene())?;
        self.film = Some(Box::new(film));
        Ok(())
    }

    /// The film that is being recorded: to lay something beside the inputs, or to ask what it costs.
    pub fn film_mut(&mut self) -> Option<&mut Filming> {
        self.film.as_deref_mut()
    }

    /// Ends the film and waits until it is on the disk. Gives what it cost, and what went wrong.
    pub fn end_film(&mut self, words: &str) -> Option<(Costs, Option<String>)> {
        let mut film = self.film.take()?;
        let trouble = match self.world.phase() {
            Phase::Resting => film.finish(&mut self.world, self.chain, words),
            // It was stopped within a cycle.
            _ => film.abandon(words),
        };
        Some((film.costs(), trouble))
    }

    fn scene(&mut self) -> Scene<'_> {
        Scene {
            world: &mut self.world,
            content: &self.content,
            game_content: self.game.content(),
            level: &self.level,
            players: self.players,
            lengths: self.lengths,
            chain: self.chain,
            memory: self.memory,
        }
    }

    /// Sees to it that the film leads on to the world as it is, and tells if there is none any more.
    fn film_on(&mut self) {
        let Some(film) = &mut self.film else { return };
        if let Some(trouble) = film.take_trouble() {
            self.content.note(trouble);
        }
        if !film.leads_to(self.world.cycle()) {
            self.film_take(Reason::Loaded, LOADED_OVER);
        }
    }

    fn film_take(&mut self, reason: Reason, words: &str) {
        if let Some(mut film) = self.film.take() {
            film.begin_take(reason, words, &mut self.scene());
            self.film = Some(film);
        }
    }

    fn film_inputs(&mut self, hash_before: Option<u64>) {
        if let (Some(film), Some(hash)) = (&mut self.film, hash_before) {
            film.record(hash, &self.sealed, &self.content);
        }
    }

    /// Writes into the black box why the program stops.
    pub fn write_last_words(&mut self, words: &str) {
        if let Some(Recorder { file, .. }) = &mut self.recorder {
            BlackBox::last_words(file.bytes_mut(), words);
        }
    }

    /// The tags in force, and those to come.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// The same, to offer changed tags.
    pub fn content_mut(&mut self) -> &mut Content {
        &mut self.content
    }

    /// The world was loaded over or taken back: the tags that it was made with are in force again.
    pub fn follow_content(&mut self) -> Result<(), String> {
        self.return_to(self.world.time().content)
    }

    /// Tags that were in force once are so again, and the game is the one that was made with them. If that cannot be, or the
    /// world would have to lie otherwise, everything stays as it was.
    pub(crate) fn return_to(&mut self, identity: u64) -> Result<(), String> {
        let before = self.content.library().identity();
        if before == identity {
            return Ok(());
        }
        self.content.return_to(identity)?;
        let Some(entry) = &self.entry else { return Ok(()) };
        let game = (entry.make)(entry, &self.level, self.content.library());
        if game.plan().hash() != self.world.plan().hash() {
            self.content.return_to(before)?;
            return Err(format!(
                "it was made with content {identity:016x}, of which worlds lie otherwise than this one"
            ));
        }
        self.game = game;
        Ok(())
    }

    /// The inputs of the last safe cycle that was sealed here.
    pub fn last_inputs(&self) -> &Sealed {
        &self.sealed
    }

    /// The game.
    pub fn game(&self) -> &dyn Game {
        &*self.game
    }

    /// The level's name.
    pub fn level(&self) -> &str {
        &self.level
    }

    /// The world, to look at.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, to be loaded over, copied or hashed. Only the game's step changes what happens in it.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// How long its cycles are.
    pub fn lengths(&self) -> Lengths {
        self.lengths
    }

    /// The number over the hashes of all safe cycles so far.
    pub fn chain(&self) -> u64 {
        self.chain
    }

    /// Goes on with a chain that another session began.
    pub fn set_chain(&mut self, chain: u64) {
        self.chain = chain;
    }

    /// The hash of the world.
    pub fn hash(&mut self) -> u64 {
        self.world.hash()
    }
}

fn new_world(game: &dyn Game, content: &Content, settings: Settings, seed: u64, memory: &dyn MemorySource) -> World {
    let mut world = World::new(game.plan(), memory, settings, seed);
    world.set_up(|world| game.set_up(world, content.library()));
    world.set_content(content.library().identity());
    world
}

/// Those who play, and whoever feeds content.
fn players(count: u16) -> Vec<u16> {
    (0..count).chain([CONTENT_PLAYER]).collect()
}

/// Why a take ends where a world was loaded.
const LOADED_OVER: &str = "another world was loaded";

/// The domain of the robots' draws; arrays have numbers far below.
const ROBOTS: u32 = u32::MAX;
