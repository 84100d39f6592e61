//! The loop, on one page.
//!
//! A session is a world being played: at the start of a safe cycle the players' batches are sealed, without the events
//! that the game's table rejects, and handed to the black box and to the film, and changed tags replace their old
//! versions; the game steps; the cycle is counted; after a safe cycle the world's hash joins the chain.
//!
//! Laws
//! 1. The chain is a hash over the hashes of all safe cycles: two sessions with equal chains had the same history.
//! 2. Inputs reach the black box before they reach the world.
//! 3. A step allocates nothing, from the first one on. (A checked world does, to recompute all hashes; and so does a
//!    robot with more events than a batch holds.) Between steps, changed tags do.
//! 4. A changed tag of a class that is not recoverable restarts the level, in the same cycle on every machine, and the
//!    world continues counting.
//! 5. A level that has ended is replaced by the next one at the start of a safe cycle, before any input enters: that
//!    follows from the world alone. The next level has a new world, with the same seed, which continues counting; the
//!    black box restarts with it, and the film begins a new take.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::StringId;
use base::hash::mix;
use base::random::Draw;
use host::allocation;
use host::files::FileError;
use host::mapped::MappedFile;
use relay::black_box::{BlackBox, Purpose, tags_part};
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
use state::save::content_of_block;
use state::{Heap, Settings, Workers, World};
use world::StepInput;

use crate::content::{Content, TAG_CHANGED};
use crate::error::Error;
use crate::filming::{Costs, Filming, Scene};
use crate::game::{Ending, Game, GameEntry, LevelBefore, LevelChange};
use crate::mods::{ModIdentity, in_force};
use crate::objects;
use crate::profile::StepProfile;
use crate::saved_content;

/// The parameters of a new session.
#[derive(Clone, Debug)]
pub struct Start {
    /// The level's name, for saves and reports.
    pub level: String,
    /// The seed of all random draws.
    pub seed: u64,
    /// The number of players. Robots play those without a person.
    pub players: u16,
    /// Checks and shuffles that must not change a result.
    pub settings: Settings,
}

/// A world as it was at some moment: what a film holds of it.
#[derive(Clone, Copy, Debug)]
pub struct PastWorld<'a> {
    /// The level's name.
    pub level: &'a str,
    /// The bytes of its block.
    pub block: &'a [u8],
    /// The chain up to that moment.
    pub chain: u64,
}

/// A world being played.
pub struct Session {
    game: Arc<dyn Game>,
    content: Content,
    /// The entry, to make the game again when the level restarts or another one begins.
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
    profile: Option<Box<StepProfile>>,
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
    ) -> Result<Session, Error> {
        let game = entry.on_level(&start.level, content.library())?;
        let session = Session::new(game, content, start, memory);
        Ok(Session { entry: Some(*entry), ..session })
    }

    /// A new world of a game without tags or players, on its first level: for examples and tests.
    ///
    /// # Panics
    /// If the game has no levels.
    pub fn of(entry: &GameEntry, seed: u64) -> Session {
        let level = entry.levels.first().expect("a game has a level").to_string();
        let start = Start { level, seed, players: 0, settings: Settings::default() };
        Session::begin(entry, Content::none(), &start, &Heap).expect("the level is one of the game's own")
    }

    /// The identity of the code that steps this world; 0 for a game without an entry.
    pub fn build(&self) -> u64 {
        self.entry.as_ref().map_or(0, GameEntry::build_identity)
    }

    /// The game's entry, if it was begun with one.
    pub fn entry(&self) -> Option<GameEntry> {
        self.entry
    }

    /// A new world with the level in it.
    pub fn new(game: Arc<dyn Game>, content: Content, start: &Start, memory: &'static dyn MemorySource) -> Session {
        let world = new_world(&*game, &content, start.settings, start.seed, memory);
        let mut relay = Relay::new(&players(start.players), 0);
        relay.set_table(game.events().cloned());
        let lengths = game.lengths();
        let mut session = Session {
            game,
            content,
            entry: None,
            memory,
            world,
            lengths,
            relay,
            sealed: Sealed::with_room_for(start.players + 1),
            players: start.players,
            chain: 0,
            level: start.level.clone(),
            events: Vec::with_capacity(EVENTS_PER_BATCH_MAX),
            recorder: None,
            film: None,
            profile: None,
        };
        if !session.game.budgets().is_empty() {
            session.profile_lightly();
        }
        session
    }

    /// Measures every step from now on: stages, tags and script lines.
    pub fn begin_profile(&mut self) {
        let mut profile = Box::<StepProfile>::default();
        profile.measure_all();
        self.profile_with(profile);
    }

    /// The same with a given profile.
    pub fn profile_with(&mut self, mut profile: Box<StepProfile>) {
        profile.enter(&*self.game);
        if let Some(film) = &mut self.film {
            film.reserve_seconds(&profile);
        }
        self.profile = Some(profile);
    }

    /// The times of the steps since [`Session::begin_profile`]. A session that records a film, or whose game has budgets, also has a
    /// profile: tags and script lines are then measured in some of its steps.
    pub fn profile(&self) -> Option<&StepProfile> {
        self.profile.as_deref()
    }

    /// Ends the current second of the profile before its time, so that the profile and the film have all steps up to now.
    pub fn end_profile_second(&mut self) {
        self.film_second();
    }

    /// The reports since the last call about steps that exceeded a budget of the game, a line each: at most one per domain and second.
    pub fn take_budget_lines(&mut self) -> Vec<String> {
        self.profile.as_mut().map(|profile| profile.take_budget_lines()).unwrap_or_default()
    }

    /// Begins to measure steps, unless they are measured already.
    fn profile_lightly(&mut self) {
        if self.profile.is_none() {
            self.profile_with(Box::default());
        }
    }

    /// Measures no more than a film and the budgets of the game need.
    pub fn end_profile(&mut self) {
        if let Some(profile) = &mut self.profile {
            profile.leave(&*self.game);
        }
        self.profile = None;
        if self.film.is_some() || !self.game.budgets().is_empty() {
            self.profile_lightly();
        }
    }

    /// Replaces the game.
    fn set_game(&mut self, game: Arc<dyn Game>) {
        if let Some(profile) = &mut self.profile {
            profile.leave(&*self.game);
            profile.enter(&*game);
            if let Some(film) = &mut self.film {
                film.reserve_seconds(profile);
            }
        }
        self.game = game;
        self.lengths = self.game.lengths();
        if !self.game.budgets().is_empty() {
            self.profile_lightly();
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
                // The black box and the take restarted with the level; the inputs of this cycle belong to them.
                self.record_inputs();
                self.film_take(Reason::Anew, "the level restarted because of a tag that cannot change while it runs");
                let hash = self.film.is_some().then(|| self.world.hash());
                self.film_inputs(hash);
            }
        }
        if let Some(film) = &mut self.film {
            film.before_step();
        }
        let events = if is_safe { player_events(&self.sealed) } else { &[] };
        let input = StepInput { content: self.content.library(), changed: self.content.changed(), events };
        allocation::forbid(|| match &mut self.profile {
            None => self.game.step(&mut self.world, &input, workers),
            Some(profile) => {
                profile.begin_step(&*self.game, self.world.cycle());
                self.game.step_in_laps(&mut self.world, &input, workers, &mut |lap| profile.add(lap));
                profile.end_step();
            }
        });
        if let Some(profile) = &mut self.profile {
            profile.settle(&*self.game, &input);
        }
        let hash = self.after_step();
        if self.profile.as_ref().is_some_and(|profile| profile.is_second_over()) {
            self.film_second();
        }
        if let Some(film) = &mut self.film {
            film.after_step(&mut self.world, hash, self.chain);
        }
    }

    /// Delivers the events of a person, local or remote, as this player. `safe_cycle` is the next one or a later one;
    /// the events enter with it. Only one batch per player and cycle is accepted. Robots play the players for whom
    /// nothing was delivered.
    pub fn deliver(&mut self, player: u16, safe_cycle: u64, events: &[Event]) -> Result<(), Refusal> {
        self.follow_world();
        self.relay.handle_batch(player, safe_cycle, events)
    }

    /// The next safe cycle whose inputs are not sealed yet.
    pub fn next_safe_cycle(&self) -> u64 {
        let cycle = self.world.cycle();
        self.lengths.safe_cycle(cycle) + u64::from(!self.lengths.is_safe(cycle))
    }

    /// The events dropped since the last call because the game's table rejects them, a line each; if there are very
    /// many, only the first.
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
            format!("cycle {brush}: player {player}: the event {name} was dropped: {why}")
        });
        let lines = lines.collect();
        self.relay.forget_refusals();
        lines
    }

    /// After a load the relay continues at the world's cycle, with the current game's table of events.
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
        let events = inputs.map_or(&[][..], player_events);
        let input = StepInput { content: self.content.library(), changed: self.content.changed(), events };
        self.game.step(&mut self.world, &input, workers);
        self.after_step();
    }

    /// Puts changed tags in force, or restarts the level if a class cannot change while it runs; returns whether it
    /// restarted.
    fn change_content(&mut self, inputs: Option<&Sealed>) -> bool {
        if !inputs.is_some_and(|inputs| self.content.change(inputs)) {
            return false;
        }
        let is_anew = self.content.needs_restart(&self.level);
        if !is_anew && let Some(game) = self.game.renewed(self.content.library(), self.content.changed()) {
            self.set_game(game);
        }
        if is_anew {
            self.restart(LevelChange::Edited);
            // The new world is made of the new tags, so nothing has changed for it; a replay from here sees the same.
            self.content.settle();
        }
        self.world.set_content(self.content.library().identity());
        is_anew
    }

    /// Begins the next level if this one has ended and another follows; returns whether it did. Every safe cycle starts
    /// with this. Call it before copying the world for a step: the next level's world may have another layout.
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
        self.begin_level(next, LevelChange::Next);
        self.film_take(Reason::Anew, &words);
        self.content.note(words);
        true
    }

    /// The ending of the level, if it has ended and no other follows. Only at the start of a safe cycle, so that it is
    /// the same cycle on every machine.
    pub fn last_ending(&self) -> Option<Ending> {
        let is_safe = self.lengths.is_safe(self.world.cycle());
        let ending = if is_safe { self.game.ending(&self.world, self.content.library()) } else { None };
        ending.filter(|ending| !ending.next.as_ref().is_some_and(|next| self.can_begin(next)))
    }

    /// Whether the game has this level, and its tags exist.
    fn can_begin(&self, level: &str) -> bool {
        let Some(entry) = &self.entry else { return false };
        let library = self.content.library();
        let is_there = |root: &String| root == EVERYTHING || library.key(StringId::from(root.as_str())).is_some();
        let is_level = entry.levels.contains(&level) || objects::scenario_of(library, level).is_some();
        // The name is stored in saves and crash reports.
        is_level && level.len() <= NAME_BYTES_MAX && (entry.tags.roots)(level).iter().all(is_there)
    }

    /// Restarts the level because a person wants it: a new world with the same seed, which continues counting. The film
    /// begins a new take.
    pub fn begin_again(&mut self) {
        let hash = self.film.is_some().then(|| self.world.hash());
        if let (Some(film), Some(hash)) = (&mut self.film, hash) {
            film.know_hash(hash);
        }
        self.restart(LevelChange::Again);
        // Not `Anew`: the world before does not lead here, a person does.
        self.film_take(Reason::Loaded, "the level was restarted");
    }

    /// Replaces the world by an earlier one of this game, as it was in a film: the film being recorded begins a new take.
    /// If that fails, everything stays as it was.
    pub fn return_to_block(&mut self, past: &PastWorld<'_>) -> Result<(), Error> {
        let identity = content_of_block(past.block).unwrap_or(0);
        let before = self.content.library().identity();
        let is_same_level = past.level == self.level;
        if is_same_level {
            self.return_to(identity)?;
        } else {
            self.content.return_to(identity)?;
        }
        let adopted = if is_same_level { self.adopt(past.block) } else { self.adopt_on_level(past) };
        if let Err(error) = adopted {
            // The content before was in force a moment ago, so the library still keeps it.
            if is_same_level {
                self.return_to(before)?
            } else {
                self.content.return_to(before)?
            }
            return Err(error);
        }
        self.chain = past.chain;
        self.content.offer_present();
        self.begin_black_box_anew_or_drop();
        self.film_take(Reason::Loaded, "the world was rewound");
        self.game.loaded(&self.world);
        Ok(())
    }

    fn adopt(&mut self, block: &[u8]) -> Result<(), Error> {
        self.end_recording();
        Ok(self.world.adopt(block)?)
    }

    /// Adopts a block of another level: the game is made for that level.
    fn adopt_on_level(&mut self, past: &PastWorld<'_>) -> Result<(), Error> {
        let unknown = || Error::UnknownLevel {
            game: self.world.plan().name().to_string(),
            level: past.level.to_string(),
            levels: Vec::new(),
        };
        let entry = self.entry.ok_or_else(unknown)?;
        let game = (entry.make)(&entry, past.level, self.content.library());
        let (settings, seed) = (self.world.settings(), self.world.time().seed);
        let mut world = new_world(&*game, &self.content, settings, seed, self.memory);
        world.adopt(past.block)?;
        self.end_recording();
        (self.game, self.world, self.level) = (game, world, past.level.to_string());
        self.lengths = self.game.lengths();
        Ok(())
    }

    /// The black box restarts with the world in force; one of another layout or level is made again.
    fn begin_black_box_anew_or_drop(&mut self) {
        if let Some(Recorder { path, schedule, .. }) = self.recorder.take()
            && let Err(error) = self.record_to(&path, schedule)
        {
            self.content.note(format!("the black box is no longer written: {error}"));
        }
    }

    /// Restarts the level, and carries over the state that outlives it.
    fn restart(&mut self, why: LevelChange) {
        self.content.note(String::from("the level restarts"));
        self.begin_level(self.level.clone(), why);
    }

    /// Begins a level in a new world, and carries over the state that outlives the old one.
    fn begin_level(&mut self, level: String, why: LevelChange) {
        let is_same_level = self.level == level;
        self.level = level;
        // The new world is made of the new tags, so nothing has changed for it; a replay that starts here sees the
        // same.
        self.content.settle();
        let (before, game_before) = (self.lengths, Arc::clone(&self.game));
        if let Some(entry) = &self.entry {
            let game = (entry.make)(entry, &self.level, self.content.library());
            self.set_game(game);
        }
        let (cycle, seed) = (self.cycle_after(before), self.world.time().seed);
        let mut world = new_world(&*self.game, &self.content, self.world.settings(), seed, self.memory);
        world.go_on_from(cycle);
        let level_before = LevelBefore { game: &*game_before, world: &self.world, why };
        world.set_up(|world| self.game.carry_over(&level_before, world));
        let is_same_plan = world.plan().hash() == self.world.plan().hash();
        self.world = world;
        if is_same_plan && is_same_level {
            self.begin_black_box_anew();
        } else if let Some(Recorder { path, schedule, .. }) = self.recorder.take()
            && let Err(error) = self.record_to(&path, schedule)
        {
            self.content.note(format!("the black box is no longer written: {error}"));
        }
        self.game.loaded(&self.world);
    }

    /// The cycle at which the next level continues counting. If its cycles have other lengths, the number of the safe cycle stays, so that the
    /// inputs of all players still belong to it.
    fn cycle_after(&mut self, before: Lengths) -> u64 {
        let cycle = self.world.cycle();
        if before == self.lengths {
            return cycle;
        }
        self.content.note(format!(
            "the cycles have other lengths now: {} instead of {}",
            in_words(self.lengths),
            in_words(before)
        ));
        cycle.div_ceil(u64::from(before.brushes_per_safe)).saturating_mul(u64::from(self.lengths.brushes_per_safe))
    }

    /// Reports that a world was made with cycles of other lengths than those of the game.
    pub(crate) fn compare_lengths(&mut self, what: &str) {
        if let Some(found) = self.game.lengths_in(&self.world).filter(|found| *found != self.lengths) {
            let (found, own) = (in_words(found), in_words(self.lengths));
            self.content.note(format!("{what} was made with {found}; it goes on with {own}, as the globals say"));
        }
    }

    /// Replaces the world by one that was made for this game: the black box restarts, and the film begins a new take.
    pub(crate) fn replace_world(&mut self, mut world: World, why: &str) {
        self.end_recording();
        world.set_content(self.content.library().identity());
        self.world = world;
        self.begin_black_box_anew_or_drop();
        self.film_take(Reason::Loaded, why);
        self.game.loaded(&self.world);
    }

    /// An empty world of this game, to be filled.
    pub(crate) fn empty_world(&self) -> World {
        World::new(self.game.plan(), self.memory, self.world.settings(), self.world.time().seed)
    }

    /// Ends a step; returns the hash of the world if a safe cycle is complete.
    fn after_step(&mut self) -> Option<u64> {
        self.content.settle();
        let hash = self.lengths.is_safe(self.world.cycle()).then(|| self.world.hash());
        if let Some(hash) = hash {
            self.chain = mix(self.chain, hash);
        }
        self.drop_cut_black_box();
        if let Some(Recorder { file, black_box, .. }) = &mut self.recorder {
            black_box.complete(file.bytes_mut(), &mut self.world);
        }
        hash
    }

    /// Collects a batch from every player and seals the cycle.
    fn seal(&mut self) {
        let cycle = self.lengths.safe_cycle(self.world.cycle());
        self.follow_world();
        // The seed of the world, so that robots continue a loaded world as they began it.
        let seed = self.world.time().seed;
        for player in 0..self.players {
            let mut random = Draw::new(seed, cycle, ROBOTS, u32::from(player));
            self.events.clear();
            self.game.play_robot(&mut random, &mut self.events);
            self.events.truncate(EVENTS_PER_BATCH_MAX);
            match self.relay.handle_batch(player, cycle, &self.events) {
                // A player whose batch was delivered needs no robot.
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
        assert!(self.relay.poll_sealed(&mut self.sealed), "all batches have arrived");
    }

    fn record_inputs(&mut self) {
        self.drop_cut_black_box();
        if let Some(Recorder { file, black_box, .. }) = &mut self.recorder {
            let hash = self.world.hash();
            black_box.record_inputs(file.bytes_mut(), &mut self.world, hash, &self.sealed);
        }
    }

    /// Records a black box in this file from now on.
    pub fn record_to(&mut self, path: &Path, schedule: Schedule) -> Result<(), FileError> {
        let rows: Vec<String> = in_force(self.content.library()).iter().map(ModIdentity::written).collect();
        let purpose =
            Purpose { mods: rows.join("\n"), ..Purpose::of(&self.world, self.build(), &self.level, schedule) };
        let tags = tags_part(&saved_content::encoded(&mut self.content));
        let world = &mut self.world;
        let begin = |bytes: &mut [u8]| {
            let (box_bytes, behind) = bytes.split_at_mut(bytes.len() - tags.len());
            behind.copy_from_slice(&tags);
            BlackBox::new(&purpose, box_bytes, world)
        };
        let (file, black_box) = MappedFile::create_prepared(path, purpose.bytes() + tags.len() as u64, begin)?;
        self.recorder = Some(Recorder { path: path.to_path_buf(), schedule, file, black_box });
        Ok(())
    }

    /// Called before a load: records the hash of the current world in the film.
    pub(crate) fn end_recording(&mut self) {
        let hash = self.film.is_some().then(|| self.world.hash());
        if let (Some(film), Some(hash)) = (&mut self.film, hash)
            && film.leads_to(self.world.cycle())
        {
            film.know_hash(hash);
        }
    }

    /// Called after a load: the recording restarts, because its inputs do not lead to the loaded world.
    pub(crate) fn begin_recording_anew(&mut self) {
        self.begin_black_box_anew();
        self.film_take(Reason::Loaded, LOADED_OVER);
    }

    /// Writing to a file that another program made shorter would be a fault.
    fn drop_cut_black_box(&mut self) {
        if let Some(Recorder { path, .. }) = self.recorder.take_if(|recorder| !recorder.file.is_whole()) {
            let path = path.display();
            self.content.note(format!("the black box is no longer written: another program truncated {path}"));
        }
    }

    fn begin_black_box_anew(&mut self) {
        self.drop_cut_black_box();
        if let Some(Recorder { file, black_box, .. }) = &mut self.recorder {
            black_box.begin_anew(file.bytes_mut(), &mut self.world);
        }
    }

    /// Records a film in this file from now on. `parent` is the film that the world was taken from, if any.
    pub fn film_to(&mut self, path: &Path, parent: Option<Parent>) -> Result<(), FileError> {
        let film = Filming::begin(path, parent, &mut self.scene())?;
        self.film = Some(Box::new(film));
        self.profile_lightly();
        if let (Some(film), Some(profile)) = (&mut self.film, &self.profile) {
            film.reserve_seconds(profile);
        }
        Ok(())
    }

    /// The film being recorded: to add to its tracks, or to query its costs.
    pub fn film_mut(&mut self) -> Option<&mut Filming> {
        self.film.as_deref_mut()
    }

    /// Ends the film and waits until it is on disk. Returns its costs, and the error if there was one.
    pub fn end_film(&mut self, words: &str) -> Option<(Costs, Option<String>)> {
        self.film_second();
        let mut film = self.film.take()?;
        let trouble = match self.world.phase() {
            Phase::Resting => film.finish(&mut self.world, self.chain, words),
            // A panic stopped the session within a cycle.
            _ => film.abandon(words),
        };
        Some((film.costs(), trouble))
    }

    fn scene(&mut self) -> Scene<'_> {
        let build = self.build();
        Scene {
            world: &mut self.world,
            content: &self.content,
            game_content: build,
            level: &self.level,
            players: self.players,
            lengths: self.lengths,
            chain: self.chain,
            memory: self.memory,
        }
    }

    /// Begins a new take if the world was replaced since the last step, and reports a film that failed.
    fn film_on(&mut self) {
        let Some(film) = &mut self.film else { return };
        if let Some(trouble) = film.take_trouble() {
            self.content.note(trouble);
        }
        if !film.leads_to(self.world.cycle()) {
            self.film_take(Reason::Loaded, LOADED_OVER);
        }
    }

    /// Ends a second of the profile, and records it in the film.
    fn film_second(&mut self) {
        let Some(profile) = &mut self.profile else { return };
        if profile.end_second(&*self.game)
            && let Some(film) = &mut self.film
        {
            film.lay_second(profile);
        }
    }

    fn film_take(&mut self, reason: Reason, words: &str) {
        self.film_second();
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
        self.drop_cut_black_box();
        if let Some(Recorder { file, .. }) = &mut self.recorder {
            BlackBox::last_words(file.bytes_mut(), words);
        }
    }

    /// The tags in force, and those that wait.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// The same, to offer changed tags.
    pub fn content_mut(&mut self) -> &mut Content {
        &mut self.content
    }

    /// Called after a load or a rollback: puts the tags that the world was made with in force again.
    pub fn follow_content(&mut self) -> Result<(), Error> {
        self.return_to(self.world.time().content)
    }

    /// Puts an earlier content in force again, with the game made for it. If that fails, or the layout would change,
    /// everything stays as it was.
    pub(crate) fn return_to(&mut self, identity: u64) -> Result<(), Error> {
        let before = self.content.library().identity();
        if before == identity {
            return Ok(());
        }
        self.content.return_to(identity)?;
        let Some(entry) = &self.entry else { return Ok(()) };
        let game = (entry.make)(entry, &self.level, self.content.library());
        if game.plan().hash() != self.world.plan().hash() {
            self.content.return_to(before)?;
            return Err(Error::ContentLayout { identity });
        }
        self.set_game(game);
        Ok(())
    }

    /// The inputs of the last safe cycle sealed by this session.
    pub fn last_inputs(&self) -> &Sealed {
        &self.sealed
    }

    /// The game.
    pub fn game(&self) -> &dyn Game {
        &*self.game
    }

    /// The number of players.
    pub fn players(&self) -> u16 {
        self.players
    }

    /// The level's name.
    pub fn level(&self) -> &str {
        &self.level
    }

    /// The world, to read.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, to load, copy or hash it. Only the game's step may change it in a simulation.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// The lengths of its cycles.
    pub fn lengths(&self) -> Lengths {
        self.lengths
    }

    /// The chain over the hashes of all safe cycles up to now.
    pub fn chain(&self) -> u64 {
        self.chain
    }

    /// Continues a chain that another session began.
    pub fn set_chain(&mut self, chain: u64) {
        self.chain = chain;
    }

    /// The hash of the world.
    pub fn hash(&mut self) -> u64 {
        self.world.hash()
    }
}

/// The lengths of cycles, for people.
pub(crate) fn in_words(lengths: Lengths) -> String {
    let brush = lengths.brush_nanos as f64 / 1e6;
    format!("brush cycles of {brush} ms, {} in a safe cycle", lengths.brushes_per_safe)
}

/// The events of players and of developers, without the changes of content that were sealed with them.
fn player_events(inputs: &Sealed) -> &[(u16, Event)] {
    let events = inputs.events();
    let is_change = |(player, event): &(u16, Event)| *player == CONTENT_PLAYER && event.kind == TAG_CHANGED;
    // Content is the last player, and its changes of tags come last.
    let end = events.iter().position(is_change).unwrap_or(events.len());
    &events[..end]
}

fn new_world(game: &dyn Game, content: &Content, settings: Settings, seed: u64, memory: &dyn MemorySource) -> World {
    let mut world = World::new(game.plan(), memory, settings, seed);
    world.set_up(|world| game.set_up(world, content.library()));
    world.set_content(content.library().identity());
    world
}

/// The players, and the content player.
fn players(count: u16) -> Vec<u16> {
    (0..count).chain([CONTENT_PLAYER]).collect()
}

/// The reason recorded for a take that ends because a world was loaded.
const LOADED_OVER: &str = "another world was loaded";

/// The domain of the robots' random draws; the numbers of arrays are far below.
const ROBOTS: u32 = u32::MAX;
