//! The loop of a running world, one turn at a time. Time is an argument, so that it runs on a thread, in a test or in a tool.
//!
//! A turn carries out the commands, steps the world as often as machine time makes it due, and publishes.
//!
//! Laws
//! 1. The clock decides when a cycle runs, never what happens in it.
//! 2. A slow machine slows world time down; no time is made up for (see [`state::pacer`]).
//! 3. Nothing here waits for presentation.
//! 4. A world that other machines play too runs by the session's time, and only their common inputs enter it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use base::StringId;
use host::background::BackgroundWriter;
use host::clock::Clock;
use host::exchange::{CommandReceiver, CommandSender, commands};
use host::thread_pool::ThreadPool;
use relay::film::track::MARKERS;
use relay::table::EventTable;
use state::pacer::{Pacer, Stopwatch};
use state::report::memory_report;
use tags::Library;
use view::{Moment as Instant, ShapeCatalogue, Topics};

use crate::error::Error;
use crate::extractor::Extractor;
use crate::objects;
use crate::party::{Party, Wish};
use crate::publication::{Publication, PublicationPool};
use crate::saves;
use crate::session::Session;
use crate::status::{LineKind, LoopCosts, Status, Watched};

use super::command::{Command, Driver, RunningPace};
use super::journal::Journal;
use super::local_player::LocalPlayer;
use super::stage::{Advance, Stage};

/// The commands that may wait.
pub const COMMANDS_WAITING_MAX: usize = 4096;

/// The commands of one turn: the rest waits for the next one, so that no flood keeps the world from stepping.
const COMMANDS_PER_TURN: usize = 256;

/// The most extractors.
const EXTRACTORS_MAX: usize = 32;

/// The fastest speed, in thousandths.
pub const SPEED_MAX: u32 = 100_000;

/// The most steps that wait while paused.
const STEPS_MAX: u32 = 100_000;

/// The most marks of a film that are kept in memory.
const MARKS_MAX: usize = 1024;

/// The longest pause between two turns, in nanoseconds: commands wait no longer than that.
const PAUSE_NANOS: u64 = 5_000_000;

/// The same for a world that other machines play too: datagrams wait no longer than that.
const PAUSE_TOGETHER_NANOS: u64 = 1_000_000;

/// The most brush cycles of such a world in one turn: a machine that is behind still hears the others.
const STEPS_TOGETHER_MAX: u32 = 25;

/// How often costs, memory and conditions are measured, in nanoseconds.
const MEASURE_NANOS: u64 = 500_000_000;

/// How a world runs.
#[derive(Clone, Debug)]
pub struct RunnerOptions {
    /// Whether developers may set variables.
    pub is_developer: bool,
    /// World time per machine time, in thousandths.
    pub speed: u32,
    /// Whether it begins paused.
    pub is_paused: bool,
    /// The capacity of debug drawing, in lines.
    pub lines_max: usize,
    /// The world is paused when it reaches this cycle.
    pub pause_at: Option<u64>,
    /// The players of this machine.
    pub locals: Vec<u16>,
}

impl Default for RunnerOptions {
    fn default() -> RunnerOptions {
        let lines_max = 1 << 16;
        RunnerOptions {
            is_developer: false,
            speed: 1000,
            is_paused: false,
            lines_max,
            pause_at: None,
            locals: Vec::new(),
        }
    }
}

/// The result of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// How long nothing is due, in nanoseconds of machine time.
    pub pause_nanos: u64,
    /// Whether the world has ended by a command.
    pub is_over: bool,
}

/// A running world.
pub struct WorldLoop {
    stage: Stage,
    /// The other machines that play this world.
    party: Option<Box<Party>>,
    workers: ThreadPool,
    options: RunnerOptions,
    pacer: Pacer,
    watch: Stopwatch,
    receiver: CommandReceiver<Command>,
    extractors: Vec<Box<dyn Extractor>>,
    locals: BTreeMap<u16, LocalPlayer>,
    journal: Journal,
    pool: PublicationPool,
    status: Status,
    made: MadeOfContent,
    epoch: u32,
    topics: Topics,
    marks: Vec<(u64, String)>,
    is_measured: bool,
    measured_at: Option<u64>,
    clock: Clock,
    steps: Mean,
    publishings: Mean,
    writer: BackgroundWriter,
    buffer: Vec<u8>,
    driver: Option<Box<dyn Driver>>,
    /// Whether anything has changed since the last publication.
    is_changed: bool,
    is_over: bool,
}

/// What is made once for a content and a level.
#[derive(Default)]
struct MadeOfContent {
    identity: Option<u64>,
    level: String,
    scenario: StringId,
    catalogue: Arc<ShapeCatalogue>,
    events: Option<Arc<EventTable>>,
}

impl MadeOfContent {
    fn of(content: &Library, session: &Session) -> MadeOfContent {
        MadeOfContent {
            identity: Some(content.identity()),
            level: session.level().to_string(),
            scenario: objects::scenario_of(content, session.level()).unwrap_or(StringId::NONE),
            catalogue: Arc::new(session.game().shape_catalogue()),
            events: session.game().events().cloned().map(Arc::new),
        }
    }

    fn is_of(&self, content: &Library, level: &str) -> bool {
        self.identity == Some(content.identity()) && self.level == level
    }
}

/// A mean over the time since it was taken last.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    nanos: u64,
    count: u64,
}

impl Mean {
    fn add(&mut self, nanos: u64) {
        (self.nanos, self.count) = (self.nanos + nanos, self.count + 1);
    }

    fn take(&mut self) -> Option<u64> {
        let Mean { nanos, count } = std::mem::take(self);
        nanos.checked_div(count)
    }
}

impl WorldLoop {
    /// A world that runs, and the end from which it is commanded.
    pub fn new(mut stage: Stage, workers: ThreadPool, options: RunnerOptions) -> (WorldLoop, CommandSender<Command>) {
        let (sender, receiver) = commands(COMMANDS_WAITING_MAX);
        let mut pacer = Pacer::new(stage.shown().lengths());
        pacer.set_speed(options.speed.min(SPEED_MAX));
        if options.is_paused {
            pacer.pause();
        }
        let locals = options.locals.iter().map(|player| (*player, LocalPlayer::default())).collect();
        let pool = PublicationPool::new(options.lines_max);
        let running = WorldLoop {
            stage,
            party: None,
            workers,
            pacer,
            watch: Stopwatch::default(),
            receiver,
            extractors: Vec::new(),
            locals,
            journal: Journal::default(),
            pool,
            status: Status { speed: options.speed.min(SPEED_MAX), ..Status::default() },
            made: MadeOfContent::default(),
            epoch: 1,
            topics: Topics::NONE,
            marks: Vec::new(),
            is_measured: false,
            measured_at: None,
            clock: Clock::new(),
            steps: Mean::default(),
            publishings: Mean::default(),
            writer: BackgroundWriter::new(2),
            buffer: Vec::new(),
            driver: None,
            is_changed: true,
            is_over: false,
            options,
        };
        (running, sender)
    }

    /// The same world, played together with other machines.
    #[must_use]
    pub fn with_party(self, party: Party) -> WorldLoop {
        WorldLoop { party: Some(Box::new(party)), ..self }
    }

    /// One turn at this machine time. Panics of the game's step pass through.
    pub fn turn(&mut self, now_nanos: u64) -> Turn {
        self.carry_out_commands();
        if let Some(party) = self.party.take() {
            return self.turn_together(party, now_nanos);
        }
        let lengths = self.stage.shown().lengths();
        self.pacer.set_lengths(lengths);
        let due = self.pacer.advance(self.watch.elapsed(now_nanos));
        let mut stepped = 0;
        while stepped < due.cycles && !self.is_over {
            stepped += 1;
            if !self.step() {
                break;
            }
        }
        self.poll_saves();
        self.measure(now_nanos);
        if self.is_changed && !self.is_over {
            self.publish(now_nanos, if self.pacer.is_running() { due.ahead_seconds } else { 0.0 });
        }
        Turn { pause_nanos: self.pause_nanos(due.ahead_seconds, due.cycles), is_over: self.is_over }
    }

    /// A turn of a world that other machines play too: their time decides which cycles are due.
    fn turn_together(&mut self, mut party: Box<Party>, now_nanos: u64) -> Turn {
        let session = self.stage.shown();
        if let Err(error) = party.turn(session, Duration::ZERO) {
            party.leave(session, "it has failed");
            self.say(LineKind::Runner, error.to_string());
            self.play_alone();
            return Turn { pause_nanos: PAUSE_NANOS, is_over: self.is_over };
        }
        if let Some(player) = party.player()
            && let Some(local) = self.locals.get_mut(&player)
            && party.is_playing()
        {
            local.batch().iter().for_each(|event| party.add_event(*event));
        }
        let mut stepped = 0;
        while stepped < STEPS_TOGETHER_MAX && !self.is_over && self.stage.shown().last_ending().is_none() {
            if !party.may_step(self.stage.shown()) {
                break;
            }
            stepped += 1;
            self.step_once();
            party.after_step(self.stage.shown());
        }
        self.note_ending();
        party.take_lines().into_iter().for_each(|line| self.say(LineKind::Runner, line));
        self.poll_saves();
        self.measure(now_nanos);
        if self.is_over {
            party.leave(self.stage.shown(), "its window was closed");
        } else if let Some(end) = party.end() {
            if end.is_orderly {
                party.leave(self.stage.shown(), "it has left");
            }
            self.play_alone();
            return Turn { pause_nanos: 0, is_over: self.is_over };
        } else if self.is_changed {
            let ahead_seconds = party.ahead_seconds(self.stage.shown());
            self.publish(now_nanos, ahead_seconds);
        }
        self.party = Some(party);
        Turn { pause_nanos: if stepped > 0 { 0 } else { PAUSE_TOGETHER_NANOS }, is_over: self.is_over }
    }

    /// The session with others is over: the world stays, stands still, and can be saved, looked at and played on alone.
    fn play_alone(&mut self) {
        self.pacer.pause();
        self.is_changed = true;
        self.say(
            LineKind::Runner,
            String::from("this machine is alone with its world, which stands still until time runs again"),
        );
    }

    /// The world that is shown.
    pub fn shown(&mut self) -> &mut Session {
        self.stage.shown()
    }

    /// Connects an extractor; it gets the present state with the next turn.
    pub fn connect(&mut self, extractor: Box<dyn Extractor>) {
        if self.extractors.len() < EXTRACTORS_MAX {
            self.extractors.push(extractor);
            // An extractor holds three in its exchange and one that it reads.
            self.pool.set_most(2 + 4 * self.extractors.len());
        } else {
            self.say(LineKind::Runner, format!("there are {EXTRACTORS_MAX} extractors already; one was not connected"));
        }
        self.is_changed = true;
    }

    /// Ends: the session that was played, if there was one.
    pub fn into_session(self) -> Option<Session> {
        self.writer.finish();
        self.stage.into_session()
    }

    /// The machine time that was dropped because the machine was too slow, in nanoseconds.
    pub fn forgotten_nanos(&self) -> u64 {
        self.pacer.forgotten_nanos()
    }

    fn pause_nanos(&self, ahead_seconds: f32, stepped: u32) -> u64 {
        if self.is_over || stepped > 0 && !self.pacer.is_running() {
            return 0;
        }
        let speed = f64::from(self.status.speed);
        if !self.pacer.is_running() || speed == 0.0 {
            return PAUSE_NANOS;
        }
        let world_seconds = f64::from(self.pacer.lengths().brush_seconds() - ahead_seconds).max(0.0);
        ((world_seconds * 1e12 / speed) as u64).min(PAUSE_NANOS)
    }

    /// One brush cycle of the world that is shown. False if it cannot go on.
    fn step(&mut self) -> bool {
        if !self.stage.is_review() {
            self.drive();
            self.deliver();
        }
        self.step_once()
    }

    /// One brush cycle of the world that is shown, with the inputs that were delivered. False if it cannot go on.
    fn step_once(&mut self) -> bool {
        if self.status.watched.object != 0 {
            // Changed tags replace the game, so the watch is set before each step.
            self.stage.shown().game().watch(self.status.watched.object);
        }
        let began = self.clock.now();
        let advance = self.stage.step(&self.workers);
        self.steps.add(self.clock.now().saturating_sub(began));
        self.is_changed = true;
        match advance {
            Ok(Advance::Stepped) => {
                self.after_step();
                true
            }
            Ok(Advance::Present) => {
                self.say(LineKind::Runner, String::from("this is the present"));
                true
            }
            Ok(Advance::Over) => {
                self.pacer.pause();
                self.note_ending();
                false
            }
            Err(error) => {
                self.pacer.pause();
                self.fail(&error);
                false
            }
        }
    }

    fn after_step(&mut self) {
        let session = self.stage.shown();
        self.extractors.retain_mut(|extractor| extractor.after_cycle(session));
        let cycle = session.world().cycle();
        let mut troubles = session.game().troubles();
        troubles.extend(session.take_budget_lines());
        let refusals = session.take_refusals();
        let content = session.content_mut().take_lines();
        let writes = if self.status.watched.object == 0 { Vec::new() } else { session.game().written(session.world()) };
        for (kind, lines) in
            [(LineKind::Trouble, troubles), (LineKind::Refusal, refusals), (LineKind::Content, content)]
        {
            lines.into_iter().for_each(|line| self.journal.add(cycle, kind, line));
        }
        writes.into_iter().for_each(|write| self.journal.add(cycle, LineKind::Write, write.line));
        if self.options.pause_at == Some(cycle) && !self.stage.is_review() {
            self.pacer.pause();
        }
    }

    /// Lets the driver play.
    fn drive(&mut self) {
        let Some(driver) = &mut self.driver else { return };
        if driver.before_cycle(self.stage.shown()) {
            self.begin_epoch();
        }
    }

    /// Hands the batches of this machine's players over, empty ones too, before the safe cycle that seals them.
    fn deliver(&mut self) {
        let session = self.stage.shown();
        if !session.lengths().is_safe(session.world().cycle()) {
            return;
        }
        let (next, players) = (session.next_safe_cycle(), session.players());
        let mut troubles = Vec::new();
        for (player, local) in self.locals.iter_mut().filter(|(player, _)| **player < players) {
            if let Err(refusal) = session.deliver(*player, next, local.batch()) {
                troubles.push(format!("the events of player {player} were refused: {refusal}"));
            }
            match local.take_left_out() {
                0 => {}
                count => troubles.push(format!("{count} events of player {player} were dropped: too many at once")),
            }
        }
        troubles.into_iter().for_each(|line| self.say(LineKind::Refusal, line));
    }

    fn note_ending(&mut self) {
        let session = self.stage.shown();
        let Some(ending) = session.last_ending() else { return };
        let line = format!("{} is over: {}", session.level(), ending.result);
        if self.status.ending.as_deref() != Some(line.as_str()) {
            self.status.ending = Some(Arc::from(line.as_str()));
            self.status.result = Some(Arc::from(ending.result.as_str()));
            self.say(LineKind::Runner, line);
        }
    }

    fn say(&mut self, kind: LineKind, text: String) {
        let cycle = self.status.cycle;
        self.journal.add(cycle, kind, text);
        self.is_changed = true;
    }

    /// Reports an error; without a world that could be shown, this is the end.
    fn fail(&mut self, error: &Error) {
        self.say(LineKind::Runner, error.to_string());
        self.is_over |= !self.stage.is_there();
    }

    fn carry_out_commands(&mut self) {
        let mut seek = None;
        for _ in 0..COMMANDS_PER_TURN {
            match self.receiver.take_or_end() {
                // Of several seeks in a row, as when a time line is dragged, only the last one counts.
                Ok(Some(Command::Seek(moment))) => seek = Some(moment),
                Ok(Some(command)) => {
                    if let Some(moment) = seek.take() {
                        self.seek(moment);
                    }
                    self.carry_out(command);
                }
                Ok(None) => break,
                Err(_) => {
                    self.is_over = true;
                    break;
                }
            }
        }
        if let Some(moment) = seek {
            self.seek(moment);
        }
    }

    fn carry_out(&mut self, command: Command) {
        self.is_changed = true;
        if self.party.is_some() && command.changes_the_world() {
            return self.say(LineKind::Runner, format!("{command:?}: not while other machines play this world too"));
        }
        match command {
            Command::Pause => self.pacer.pause(),
            Command::Resume => self.pacer.resume(),
            Command::Step(count) => {
                self.pacer.pause();
                (0..count.min(STEPS_MAX)).for_each(|_| self.pacer.single_step());
            }
            Command::Speed(speed) => {
                self.status.speed = speed.min(SPEED_MAX);
                self.pacer.set_speed(self.status.speed);
            }
            Command::Seek(moment) => self.seek(moment),
            Command::ToPresent => {
                if self.stage.to_present() {
                    self.begin_epoch();
                }
            }
            Command::Branch => drop(self.branch()),
            Command::TakeOver(player) => {
                if self.branch() {
                    self.join(player);
                    // Who takes over wants to play: rewinding has stopped time.
                    self.pacer.resume();
                }
            }
            Command::Join(player) => self.join(player),
            Command::Leave(player) => drop(self.locals.remove(&player)),
            Command::LeaveOthers => match &mut self.party {
                // Time does not count in it.
                Some(party) => party.wish(0, Wish::Leave),
                None => self.say(LineKind::Runner, String::from("no other machine plays this world")),
            },
            Command::Deliver { player, events } => {
                if let Some(local) = self.locals.get_mut(&player).filter(|_| !self.stage.is_review()) {
                    local.push(&events);
                }
            }
            Command::Save(path) => self.save(path),
            Command::Load(path) => self.load(&path),
            Command::Restart => self.restart(),
            Command::Set { object, variable, text } => self.set(object, &variable, &text),
            Command::Ask { ticket, object, text } => {
                let session = self.stage.shown();
                match session.game().ask(session.world(), object, &text) {
                    Ok(value) => self.say(LineKind::Answer(ticket), value),
                    Err(error) => self.say(LineKind::NoAnswer(ticket), error.to_string()),
                }
            }
            Command::Watch(object) => self.watch_object(object),
            Command::Mark(text) => self.mark(text),
            Command::Measure(is_on) => self.set_measured(is_on),
            Command::Topics(topics) => self.topics = topics,
            Command::Connect(extractor) => self.connect(extractor),
            Command::Visit(visit) => {
                let pace = RunningPace {
                    is_paused: !self.pacer.is_running(),
                    speed: Some(self.status.speed),
                    is_review: self.stage.is_review(),
                };
                visit(self.stage.shown(), &pace);
            }
            Command::Drive(driver) => self.driver = Some(driver),
            Command::Stop => self.is_over = true,
        }
    }

    /// The world that is shown does not continue the one before: nothing of it is blended with what comes.
    fn begin_epoch(&mut self) {
        self.epoch = self.epoch.wrapping_add(1);
        self.locals.values_mut().for_each(LocalPlayer::forget);
        (self.status.ending, self.status.result) = (None, None);
        self.is_changed = true;
        // What is left of a cycle belongs to the world before.
        let is_running = self.pacer.is_running();
        self.pacer = Pacer::new(self.stage.shown().lengths());
        self.pacer.set_speed(self.status.speed);
        if !is_running {
            self.pacer.pause();
        }
    }

    fn seek(&mut self, moment: crate::film::Moment) {
        let done = self.stage.seek(moment, &self.workers);
        if let Err(error) = done {
            self.fail(&error);
        }
        if self.stage.is_there() {
            self.begin_epoch();
        }
    }

    /// Continues from the moment that is shown. False if that is not possible.
    fn branch(&mut self) -> bool {
        match self.stage.branch(&self.workers) {
            Ok(is_new) => {
                if is_new {
                    self.begin_epoch();
                    let cycle = self.stage.shown().world().cycle();
                    self.say(LineKind::Runner, format!("the world continues from cycle {cycle} as a new take"));
                }
                true
            }
            Err(error) => {
                self.fail(&error);
                false
            }
        }
    }

    fn join(&mut self, player: u16) {
        let players = self.stage.shown().players();
        if player < players {
            self.locals.entry(player).or_default();
        } else {
            self.say(LineKind::Runner, format!("expected a player below {players}, found {player}"));
        }
    }

    /// After the end of a level, time runs again with the world that follows.
    fn resume_after_end(&mut self, was_over: bool) {
        if was_over {
            self.pacer.resume();
        }
    }

    fn save(&mut self, path: PathBuf) {
        // The first save of a game is the first file in the folder.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(Err(error)) = folder.map(host::files::make_folder) {
            return self.say(LineKind::Runner, format!("not saved: {error}"));
        }
        let buffer = std::mem::take(&mut self.buffer);
        let session = self.stage.shown();
        if let Err(refused) = saves::write_in_background(session, &path, &self.writer, buffer) {
            self.buffer = refused.bytes;
            self.say(LineKind::Runner, format!("{}: not saved, two saves are still being written", path.display()));
        }
    }

    fn poll_saves(&mut self) {
        while let Some(finished) = self.writer.poll() {
            self.buffer = finished.bytes;
            let path = finished.path.display();
            let line = match finished.result {
                Ok(()) => format!("saved to {path}"),
                Err(error) => format!("not saved: {error}"),
            };
            self.say(LineKind::Runner, line);
        }
    }

    fn load(&mut self, path: &std::path::Path) {
        self.stage.to_present();
        let Some(session) = self.stage.session() else {
            self.say(
                LineKind::Runner,
                String::from("a film is shown; a save can be loaded into a world that is played"),
            );
            return;
        };
        let loaded = saves::load(session, path);
        let was_over = self.status.ending.is_some();
        self.begin_epoch();
        match loaded {
            Ok(header) => {
                self.resume_after_end(was_over);
                self.say(LineKind::Runner, format!("loaded {}, cycle {}", path.display(), header.cycle));
            }
            Err(error) => {
                // The world has still ended.
                self.note_ending();
                self.fail(&error);
            }
        }
    }

    fn restart(&mut self) {
        self.stage.to_present();
        let was_over = self.status.ending.is_some();
        match self.stage.session() {
            Some(session) => {
                session.begin_again();
                self.begin_epoch();
                self.resume_after_end(was_over);
            }
            None => self.seek(crate::film::Moment { take: None, cycle: Some(0) }),
        }
    }

    fn set(&mut self, object: u32, variable: &str, text: &str) {
        if !self.options.is_developer || self.stage.is_review() {
            let why = if self.stage.is_review() { "a film is shown" } else { "developer tools are off" };
            self.say(LineKind::Runner, format!("{variable} is not set: {why}"));
            return;
        }
        let session = self.stage.shown();
        match session.game().set_event(session.world(), object, variable, text) {
            Ok(event) => {
                if !session.content_mut().offer_event(event) {
                    self.say(LineKind::Runner, format!("{variable} is not set: too many variables wait to be set"));
                }
            }
            Err(error) => self.say(LineKind::Runner, format!("{variable} is not set: {error}")),
        }
    }

    fn watch_object(&mut self, object: u32) {
        self.stage.shown().game().watch(object);
        self.status.watched = Watched { object, variables: Arc::default() };
    }

    fn mark(&mut self, text: String) {
        let cycle = self.stage.shown().world().cycle();
        if let Some(film) = self.stage.session().and_then(Session::film_mut) {
            film.lay(MARKERS, cycle, text.as_bytes());
        }
        if self.marks.len() < MARKS_MAX {
            self.marks.push((cycle, text));
            self.marks.sort();
            self.status.marks = self.marks.iter().cloned().collect();
        }
    }

    fn set_measured(&mut self, is_on: bool) {
        self.is_measured = is_on;
        self.measured_at = None;
        if let Some(session) = self.stage.session() {
            if is_on { session.begin_profile() } else { session.end_profile() }
        }
        if !is_on {
            (self.status.profile, self.status.memory) = (Arc::default(), Arc::default());
        }
    }

    /// Costs are always measured; stages and memory on request.
    fn measure(&mut self, now_nanos: u64) {
        if self.measured_at.is_some_and(|last| now_nanos.abs_diff(last) < MEASURE_NANOS) {
            return;
        }
        self.measured_at = Some(now_nanos);
        let before = self.status.costs;
        self.status.costs = LoopCosts {
            step_nanos: self.steps.take().unwrap_or(before.step_nanos),
            publish_nanos: self.publishings.take().unwrap_or(before.publish_nanos),
            forgotten_nanos: self.pacer.forgotten_nanos(),
            commands_refused: self.receiver.refused(),
            ..before
        };
        let session = self.stage.shown();
        self.status.conditions = session.game().conditions(session.world()).into();
        if self.is_measured {
            if let Some(profile) = session.profile() {
                self.status.profile = Arc::new(profile.last_second());
            }
            self.status.memory = memory_report(session.world()).rows.into();
        }
        self.is_changed = true;
    }

    fn publish(&mut self, now_nanos: u64, ahead_seconds: f32) {
        let began = self.clock.now();
        self.refresh_status();
        self.is_changed = false;
        if self.extractors.is_empty() {
            return;
        }
        let Some(mut publication) = self.pool.take() else {
            self.status.costs.left_out += 1;
            self.is_changed = true;
            return;
        };
        match Arc::get_mut(&mut publication) {
            Some(filled) => {
                self.fill(filled, now_nanos, ahead_seconds);
                let session = self.stage.shown();
                self.extractors.retain_mut(|extractor| extractor.publish(&publication, session));
            }
            // A reader took it in this moment: impossible by the law of the pool, and harmless.
            None => self.is_changed = true,
        }
        self.pool.give_back(publication);
        self.publishings.add(self.clock.now().saturating_sub(began));
    }

    fn fill(&mut self, publication: &mut Publication, now_nanos: u64, ahead_seconds: f32) {
        let (speed, is_running) = (self.status.speed, self.pacer.is_running());
        let (topics, epoch) = (self.topics, self.epoch);
        publication.blocks = Some(self.stage.blocks());
        let session = self.stage.shown();
        let content = session.content_mut().shared();
        let moment = Instant {
            cycle: self.status.cycle,
            seconds: self.status.seconds,
            cycle_seconds: session.lengths().brush_seconds(),
            speed: if is_running { speed as f32 / 1000.0 } else { 0.0 },
            epoch,
        };
        let frame = &mut publication.frame;
        session.game().extract(session.world(), &content, &moment, frame, &self.workers);
        if topics != Topics::NONE {
            session.game().draw(session.world(), topics, &mut publication.frame.drawing);
        }
        if !self.made.is_of(&content, session.level()) {
            self.made = MadeOfContent::of(&content, session);
        }
        publication.brushes_per_safe = session.lengths().brushes_per_safe;
        publication.scenario = self.made.scenario;
        publication.catalogue = Arc::clone(&self.made.catalogue);
        publication.events.clone_from(&self.made.events);
        publication.content = content;
        publication.status.clone_from(&self.status);
        (publication.at_nanos, publication.ahead_seconds) = (now_nanos, ahead_seconds);
    }

    fn refresh_status(&mut self) {
        let span = self.stage.span();
        let is_review = self.stage.is_review();
        let session = self.stage.shown();
        let status = &mut self.status;
        if status.game.as_ref() != session.world().plan().name() {
            status.game = Arc::from(session.world().plan().name());
        }
        if status.level.as_ref() != session.level() {
            status.level = Arc::from(session.level());
        }
        status.cycle = session.world().cycle();
        status.seconds = status.cycle as f64 * (session.lengths().brush_nanos as f64 / 1e9);
        (status.is_paused, status.is_review) = (!self.pacer.is_running(), is_review);
        status.players = session.players();
        (status.span, status.take) = ((status.cycle, status.cycle), 0);
        if let Some((path, take, span)) = span {
            (status.span, status.take) = (span, take);
            if status.film.as_deref() != Some(path.as_path()) {
                status.film = Some(Arc::from(path));
            }
        }
        if session.lengths().is_safe(status.cycle) {
            status.hash = session.hash();
        }
        if status.locals.len() != self.locals.len() || !status.locals.iter().eq(self.locals.keys()) {
            status.locals = self.locals.keys().copied().collect();
        }
        if status.watched.object != 0 {
            let variables = session.game().variables(session.world(), status.watched.object);
            let row = |text: world::developer::VariableText| (text.name, text.value, text.can_be_set);
            status.watched.variables = variables.into_iter().map(row).collect();
        }
        status.lines = self.journal.lines();
    }
}
