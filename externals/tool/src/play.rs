//! `play`: runs a game from the start, a save or a film: without a window for a number of cycles or until its last level ends, or
//! in a window until that is closed.

use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use host::background::BackgroundWriter;
use host::clock::Clock;
use host::files;
use host::interrupt;
use host::pages::Pages;
use host::thread_pool::ThreadPool;
use relay::film::Parent;
use relay::film::chunk::MAGIC;
use state::Settings;
use state::backups::Schedule;
use state::report::{ReportRow, memory_report};

use crate::arguments::at_cycle;
use crate::error::CommandError;
use crate::hearing::{Heard, RUNNING};
use crate::inputs::{self, Script};
use crate::json::Json;
use crate::line_limiter::LineLimiter;
use crate::mods;
use crate::profile;
use crate::situation::{Repeating, Situation};
use crate::words::counted;
use astrarium::content::{Content, FOLDER};
use astrarium::crash::panic_message;
use astrarium::film::{self, Film, Player, Shown, split_path};
use astrarium::filming::Costs;
use astrarium::game::{Ending, GameEntry};
use astrarium::paced;
use astrarium::project::title_of;
use astrarium::runner::Driver;
use astrarium::session::{Session, Start};
use astrarium::{objects, remote_tags, saves, tag_tree};

/// The options of `play`.
#[derive(Clone, Debug)]
pub struct Play {
    /// The level; the game's first if empty.
    pub level: String,
    /// The number of brush cycles.
    pub cycles: u64,
    /// The number of workers, the caller included.
    pub workers: u32,
    /// If not zero, the seed with which the order of chunks and queues is shuffled. Results must not change.
    pub shuffle: u64,
    /// The seed of all random draws.
    pub seed: u64,
    /// Whether every line that the world says is printed.
    pub is_log_whole: bool,
    /// The number of players; none: as many as the level lists.
    pub players: Option<u16>,
    /// Enables the expensive checks.
    pub is_checked: bool,
    /// The byte that fills dead slots.
    pub garbage: u8,
    /// The tree of the tags, followed while playing. None for the built-in tags.
    pub tags: Option<PathBuf>,
    /// The address of a program that feeds changed tags, and the file with the shared secret.
    pub feed: Option<(String, PathBuf)>,
    /// A save to continue from.
    pub load: Option<PathBuf>,
    /// The chain to continue from.
    pub chain: u64,
    /// A save to write at the end.
    pub save: Option<PathBuf>,
    /// Also write the save in the background every this many cycles.
    pub save_every: u64,
    /// A film to continue from, at its end or at a cycle: `a.film@1200`.
    pub from: Option<PathBuf>,
    /// Whether and where to record a film.
    pub film: FilmFile,
    /// Whether and where to keep a black box.
    pub black_box: BlackBoxFile,
    /// Panic deliberately in this cycle, to test the crash report.
    pub panic_at: Option<u64>,
    /// A file with the players' inputs; then no robot plays.
    pub inputs: Option<PathBuf>,
    /// A file for the players' inputs.
    pub record_inputs: Option<PathBuf>,
    /// Run in real time, at this speed in thousandths; none for full speed.
    pub speed: Option<u32>,
    /// Whether `tell` can reach it.
    pub is_told: bool,
    /// Begin with world time standing still, until `tell` resumes it.
    pub is_paused: bool,
    /// Print who reserved memory, and how much of it was ever used.
    pub is_memory_printed: bool,
    /// Print the time per stage of the cycle and per phase of physics.
    pub is_profiled: bool,
    /// End with JSON.
    pub is_json: bool,
}

/// The final message of a run without errors, in the black box and the film.
pub(crate) const GOOD_ORDER: &str = "normal exit";

/// The players of a game whose levels do not list them.
const PLAYERS_USUAL: u16 = 2;

/// The number of crash reports kept in a folder.
const REPORTS_KEPT: usize = 8;

/// A session that is about to be played.
pub(crate) struct Begun {
    /// The session.
    pub session: Session,
    /// The film that it was taken from.
    pub parent: Option<Parent>,
    /// What plays it, if it is a situation.
    pub repeating: Option<Repeating>,
}

/// The location of a black box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlackBoxFile {
    /// Nowhere.
    None,
    /// In this folder, under a unique name. It is removed after a run without errors. A folder that cannot be written
    /// is not an error.
    In(PathBuf),
    /// In this file, which stays.
    At(PathBuf),
}

/// The number of films kept in a folder, …
const FILMS_KEPT: usize = 8;

/// … and the maximum size of all films in bytes before a new one is begun.
const FILMS_BYTES: u64 = 8 << 30;

/// The location of a film.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilmFile {
    /// Nowhere.
    None,
    /// In this folder, under a unique name; the newest few are kept. A folder that cannot be written is not an error.
    In(PathBuf),
    /// In this file.
    At(PathBuf),
}

impl Default for Play {
    fn default() -> Play {
        Play {
            level: String::new(),
            cycles: 1000,
            workers: 1,
            shuffle: 0,
            seed: 1,
            is_log_whole: false,
            players: Some(PLAYERS_USUAL),
            is_checked: Settings::default().is_checked,
            garbage: Settings::default().garbage,
            tags: None,
            feed: None,
            load: None,
            chain: 0,
            save: None,
            save_every: 0,
            from: None,
            film: FilmFile::None,
            black_box: BlackBoxFile::None,
            panic_at: None,
            inputs: None,
            record_inputs: None,
            speed: None,
            is_told: false,
            is_paused: false,
            is_memory_printed: false,
            is_profiled: false,
            is_json: false,
        }
    }
}

impl Play {
    /// The start parameters of the session.
    pub fn start(&self, entry: &GameEntry) -> Start {
        let level = if self.level.is_empty() { entry.levels[0] } else { &self.level };
        let settings = Settings { is_checked: self.is_checked, garbage: self.garbage, shuffle: self.shuffle };
        Start { level: level.to_string(), seed: self.seed, players: self.players.unwrap_or(PLAYERS_USUAL), settings }
    }

    /// A new session of the level.
    fn begin_level(&self, entry: &GameEntry) -> Result<Session, CommandError> {
        let start = self.start(entry);
        let content = self.content(entry, &start.level)?;
        let listed = objects::players_of(content.library(), &start.level);
        let players = self.players.or(listed.map(|listed| listed.max(1))).unwrap_or(start.players);
        Ok(Session::begin(entry, content, &Start { players, ..start }, &Pages)?)
    }

    /// The thread pool.
    pub fn pool(&self) -> ThreadPool {
        let pool = ThreadPool::new(self.workers);
        if self.shuffle == 0 { pool } else { pool.with_shuffle(self.shuffle) }
    }

    /// A session at the start of the level, with the tags as `play` would have them: to load a save into.
    pub(crate) fn session_to_load(&self, entry: &GameEntry) -> Result<Session, CommandError> {
        let start = self.start(entry);
        Ok(Session::begin(entry, self.content(entry, &start.level)?, &start, &Pages)?)
    }

    /// Plays, and returns the session: without a film or a crash report, and without loading or saving.
    pub fn played(&self, entry: &GameEntry) -> Result<Session, CommandError> {
        let mut session = self.begin_level(entry)?;
        let play = Play { save: None, panic_at: None, speed: None, record_inputs: None, ..self.clone() };
        play.play(&mut session, &self.pool(), Heard::nothing(None), None)?;
        Ok(session)
    }

    /// The session that is played: from the start, a save or a film.
    pub(crate) fn begin(&self, entry: &GameEntry, pool: &ThreadPool) -> Result<Begun, CommandError> {
        let mut situation = None;
        let (mut session, parent) = match &self.from {
            Some(path) => self.go_on_from(entry, path, pool)?,
            None => {
                let session = self.begin_level(entry)?;
                situation = Situation::of(session.content(), entry, session.level());
                match situation.as_ref().and_then(|situation| situation.film.as_ref()) {
                    Some((film, first)) => self.go_on_from(entry, &at_cycle(film, *first), pool)?,
                    None => (session, None),
                }
            }
        };
        if let Some(path) = &self.load {
            saves::load(&mut session, path)?;
            // What it lost is said before it goes on.
            print_lines(session.content_mut().take_lines());
            session.set_chain(self.chain);
        }
        // A save that is continued is no longer the beginning of a situation.
        let situation = situation.filter(|_| self.load.is_none());
        let repeating = situation.map(|situation| situation.begin(&mut session)).transpose()?;
        Ok(Begun { session, parent, repeating })
    }

    /// Plays, and prints the result on standard output.
    pub fn run(&self, entry: &GameEntry) -> Result<(), CommandError> {
        if let Some(path) = &self.save {
            files::try_to_write(path)?;
        }
        let pool = self.pool();
        let Begun { mut session, parent, mut repeating } = self.begin(entry, &pool)?;
        let black_box = self.begin_black_box(entry, &mut session)?;
        let film = self.begin_film(entry, &mut session, parent)?;
        if self.is_profiled {
            session.begin_profile();
        }
        interrupt::watch();
        let heard = self.begin_to_hear(entry)?;
        let clock = Clock::new();
        let first = session.world().cycle();
        let played =
            panic::catch_unwind(AssertUnwindSafe(|| self.play(&mut session, &pool, heard, repeating.as_mut())));
        let played = played.unwrap_or_else(|payload| Err(CommandError::Failed(panic_message(&*payload))));
        let seconds = clock.now().max(1) as f64 / 1e9;
        let saved = played.and_then(|forgotten| self.save_at_end(&mut session).map(|()| forgotten));
        let stopped =
            |error: CommandError| report_trouble(entry, &mut session, &error.to_string(), black_box.as_deref());
        let forgotten = saved.map_err(stopped)?;
        session.end_profile_second();
        session.write_last_words(GOOD_ORDER);
        let film = film.zip(end_film(&mut session, GOOD_ORDER));
        if let (BlackBoxFile::In(_), Some(path)) = (&self.black_box, black_box) {
            // It may have been deleted already.
            files::remove(&path).or_else(|error| if path.exists() { Err(error) } else { Ok(()) })?;
        }
        let allocations = |unknown: &str| match host::allocation::is_watched() {
            true => host::allocation::allocations_while_forbidden().to_string(),
            false => unknown.to_string(),
        };
        let cycles = session.world().cycle() - first;
        let per_second = cycles as f64 / seconds;
        let (cycle, hash, chain) = (session.world().cycle(), session.hash(), session.chain());
        if self.is_json {
            let json = Json::new()
                .text("game", entry.name)
                .text("version", &title_of(session.content().library()).1)
                .text("level", session.level())
                .value("cycle", cycle)
                .hex("hash", hash)
                .hex("chain", chain)
                .value("cycles_per_second", format_args!("{per_second:.0}"))
                .value("workers", self.workers)
                .value("allocations_while_stepping", allocations("null"));
            let json = match forgotten {
                Some(nanos) => json.value("forgotten_milliseconds", nanos / 1_000_000),
                None => json,
            };
            let json = match &film {
                Some((path, costs)) => json
                    .text("film", &path.to_string_lossy())
                    .value("film_is_whole", !costs.is_cut_short)
                    .value("film_bytes", costs.bytes)
                    .value("film_keyframes", costs.keyframes)
                    .value("film_keyframes_left_out", costs.left_out)
                    .value("film_copying_milliseconds", costs.copy_nanos / 1_000_000)
                    .value("film_thread_milliseconds", costs.thread_nanos / 1_000_000),
                None => json,
            };
            let json = match session.last_ending() {
                Some(ending) => json.text("result", &ending.result),
                None => json,
            };
            let json = if self.is_memory_printed { json.list("memory", memory_rows(&session)) } else { json };
            let json = match session.profile().filter(|_| self.is_profiled) {
                Some(profile) => profile::json_of(&profile.summary(), json),
                None => json,
            };
            println!("{}", json.finish());
        } else {
            println!("{} {}: {}", entry.name, session.level(), session.game().describe(session.world()));
            print_ending(&session);
            let allocations = allocations("not counted");
            println!(
                "{cycles} cycles in {seconds:.2} s: {per_second:.0} per second; allocations while stepping: {allocations}"
            );
            println!("cycle {cycle}, hash {hash:016x}, chain {chain:016x}");
            if let Some(nanos) = forgotten {
                println!("{} ms of machine time dropped because the machine was too slow", nanos / 1_000_000);
            }
            if let Some((path, costs)) = film.as_ref().filter(|(_, costs)| !costs.is_cut_short) {
                let share = share_of(costs, cycles.saturating_mul(session.lengths().brush_nanos));
                let keyframes = counted(costs.keyframes as usize, "keyframe");
                println!("film {}: {} bytes, {keyframes}{share}", path.display(), costs.bytes);
            }
            if self.is_memory_printed {
                println!("{}", memory_report(session.world()));
            }
            if let Some(profile) = session.profile().filter(|_| self.is_profiled) {
                let mut summary = profile.summary();
                summary.truncate(profile::ROWS_PRINTED);
                println!("{summary}");
            }
        }
        self.check_film(film.map(|(_, costs)| costs))
    }

    /// An error if a film that was asked for was not recorded to its end. That others were not was said before.
    pub(crate) fn check_film(&self, costs: Option<Costs>) -> Result<(), CommandError> {
        match &self.film {
            FilmFile::At(path) if costs.is_some_and(|costs| costs.is_cut_short) => {
                Err(CommandError::Failed(format!("--record: {} was not recorded to the end", path.display())))
            }
            _ => Ok(()),
        }
    }

    /// The tags of a level. Faults in them are printed, and do not prevent playing.
    pub(crate) fn content(&self, entry: &GameEntry, level: &str) -> Result<Content, CommandError> {
        if let Some((address, secret)) = &self.feed {
            return Ok(remote_tags::attach(entry.content(level)?, address, secret, Path::new(FOLDER))?);
        }
        let Some(root) = self.tags.as_deref().or(entry.tags.folder) else { return Ok(entry.content(level)?) };
        let (content, lines) = tag_tree::open(entry, level, root)?;
        print_lines(lines);
        Ok(content)
    }

    /// The ear for `tell`. A game that cannot have one is played all the same, unless it waits for what it is told.
    fn begin_to_hear(&self, entry: &GameEntry) -> Result<Heard, CommandError> {
        if !self.is_told {
            return Ok(Heard::nothing(self.speed));
        }
        match Heard::begin(&Path::new(FOLDER).join(RUNNING), entry.name, self.speed, self.is_paused) {
            Ok(heard) => Ok(heard),
            Err(error) if self.is_paused => Err(error),
            Err(error) => {
                eprintln!("`tell` cannot reach this game: {error}");
                Ok(Heard::nothing(self.speed))
            }
        }
    }

    fn play(
        &self,
        session: &mut Session,
        pool: &ThreadPool,
        heard: Heard,
        situation: Option<&mut Repeating>,
    ) -> Result<Option<u64>, CommandError> {
        let writer = BackgroundWriter::new(2);
        let mut buffer = Vec::new();
        let first = session.world().cycle();
        let mut situation = situation;
        // The cycles of a situation that is a part of a film begin again with it.
        let end = if situation.is_some() { u64::MAX } else { first.saturating_add(self.cycles) };
        let mut left = self.cycles;
        let (mut troubles, clock) = (LineLimiter::new(self.is_log_whole), Clock::new());
        let inputs = self.inputs.as_deref().map(|path| Script::read(path, session)).transpose()?;
        let mut recorded = String::new();
        let mut heard = heard;
        let mut pace_clock = heard.clock();
        let mut step = |session: &mut Session| {
            if !heard.listen(session) || interrupt::is_asked() {
                return Err(Stop::Asked);
            }
            let (cycle, is_safe) = (session.world().cycle(), session.lengths().is_safe(session.world().cycle()));
            if let Some(situation) = situation.as_deref_mut() {
                if left == 0 {
                    return Err(Stop::Done);
                }
                left -= 1;
                situation.before_cycle(session);
                print_lines(situation.take_lines());
            }
            if let Some(inputs) = &inputs {
                inputs.deliver(session, 0)?;
            }
            self.step(session, pool, &writer, &mut buffer)?;
            if is_safe && self.record_inputs.is_some() {
                inputs::write_lines(&mut recorded, cycle, session.last_inputs(), session);
            }
            if let Some(situation) = situation.as_deref_mut().filter(|_| session.last_ending().is_some()) {
                situation.go_back_if_over(session);
            }
            let mut lines = session.game().troubles();
            lines.extend(session.take_refusals());
            lines.extend(session.take_budget_lines());
            print_lines(troubles.sort_out(clock.now(), lines));
            Ok::<(), Stop>(())
        };
        let played = match self.speed {
            Some(speed) => paced::run(session, end, speed, &mut pace_clock, &mut step).map(Some),
            None => run_fast(session, end, &mut step).map(|()| None),
        };
        let paced = match played {
            Ok(paced) => paced,
            // Everything is ended as after the last cycle.
            Err(Stop::Asked) => {
                eprintln!("asked to stop at cycle {}", session.world().cycle());
                None
            }
            Err(Stop::Done) => None,
            Err(Stop::Failed(error)) => return Err(error),
        };
        if let Some(path) = &self.record_inputs {
            let (game, level, players) = (session.world().plan().name(), session.level(), session.players());
            let head = format!("// {game} {level}, {players} players: cycle, player, event and its fields\n");
            files::write_atomically(path, &[head.as_bytes(), recorded.as_bytes()])?;
        }
        print_lines(troubles.rest());
        writer.finish();
        while let Some(finished) = writer.poll() {
            finished.result?;
        }
        Ok(paced)
    }

    fn save_at_end(&self, session: &mut Session) -> Result<(), CommandError> {
        let Some(path) = &self.save else { return Ok(()) };
        Ok(saves::write(session, path).map(drop)?)
    }

    /// One brush cycle, and a save in the background if one is due.
    fn step(
        &self,
        session: &mut Session,
        pool: &ThreadPool,
        writer: &BackgroundWriter,
        buffer: &mut Vec<u8>,
    ) -> Result<(), CommandError> {
        if self.panic_at == Some(session.world().cycle()) {
            panic!("panic requested at cycle {}", session.world().cycle());
        }
        session.step(pool);
        print_lines(session.content_mut().take_lines());
        while let Some(finished) = writer.poll() {
            finished.result?;
            *buffer = finished.bytes;
        }
        let is_due = self.save_every > 0 && session.world().cycle().is_multiple_of(self.save_every);
        if let (Some(path), true) = (&self.save, is_due) {
            match saves::write_in_background(session, path, writer, std::mem::take(buffer)) {
                Ok(_) => {}
                // The disk is behind. The next save will do.
                Err(refused) => *buffer = refused.bytes,
            }
        }
        Ok(())
    }

    /// A session at a cycle of a film. With a tree, its differences from the film enter at once.
    fn go_on_from(
        &self,
        entry: &GameEntry,
        path: &Path,
        pool: &ThreadPool,
    ) -> Result<(Session, Option<Parent>), CommandError> {
        let (path, moment) = split_path(path)?;
        let film = Film::open(&path)?;
        film.troubles().for_each(|trouble| eprintln!("{}: {trouble}", path.display()));
        let (take, _) = film.find(moment)?;
        let level = film.opening(take).map(|opening| opening.level.clone()).unwrap_or_default();
        mods::print_differences(&path, &film::mods_of(&path, std::slice::from_ref(entry))?, entry);
        let mut player = Player::new(film, std::slice::from_ref(entry), Shown::Own)?;
        // Without a tree there are no differences from the film.
        let has_tree = self.tags.is_some() || entry.tags.folder.is_some();
        let content = if has_tree { Some(self.content(entry, &level)?) } else { None };
        player.set_settings(self.start(entry).settings);
        let (session, parent) = player.go_on(moment, content, pool)?;
        Ok((session, Some(parent)))
    }

    pub(crate) fn begin_film(
        &self,
        entry: &GameEntry,
        session: &mut Session,
        parent: Option<Parent>,
    ) -> Result<Option<PathBuf>, CommandError> {
        let path = match &self.film {
            FilmFile::None => return Ok(None),
            FilmFile::At(path) => {
                self.check_film_path(path)?;
                path.clone()
            }
            FilmFile::In(folder) => {
                // A folder that cannot be cleaned up cannot be written either, which is reported below.
                let _ = files::keep_newest_bytes(folder, "film", FILMS_KEPT - 1, FILMS_BYTES);
                folder.join(format!("{}-{}.film", entry.name, host::process::stamp()))
            }
        };
        match (session.film_to(&path, parent), &self.film) {
            (Ok(()), _) => Ok(Some(path)),
            (Err(error), FilmFile::At(_)) => Err(error.into()),
            (Err(error), _) => {
                eprintln!("no film is recorded: {error}");
                Ok(None)
            }
        }
    }

    /// Whether a film may replace the file at a path: only if that is another film, and not the one to continue from.
    fn check_film_path(&self, path: &Path) -> Result<(), CommandError> {
        let shown = path.display();
        let is_it = |other: &Path| {
            other == path || other.canonicalize().is_ok_and(|other| path.canonicalize().ok() == Some(other))
        };
        let source = self.from.as_deref().and_then(|from| split_path(from).ok());
        if source.is_some_and(|(source, _)| is_it(&source)) {
            let message = format!("--record: {shown} is the film that is continued; name another file");
            return Err(CommandError::Usage(message));
        }
        if self.save.as_deref().is_some_and(is_it) {
            let message = format!("--record: {shown} is also the save; name another file");
            return Err(CommandError::Usage(message));
        }
        // A file that cannot be read is reported when it is written.
        let Ok(reader) = files::Reader::open(path) else { return Ok(()) };
        let mut start = [0; MAGIC.len()];
        let is_film = reader.length() == 0 || reader.read_at(0, &mut start).is_ok() && start == *MAGIC;
        if is_film {
            return Ok(());
        }
        Err(CommandError::Usage(format!("--record: {shown} exists and is not a film; name another file")))
    }

    pub(crate) fn begin_black_box(
        &self,
        entry: &GameEntry,
        session: &mut Session,
    ) -> Result<Option<PathBuf>, CommandError> {
        let path = match &self.black_box {
            BlackBoxFile::None => return Ok(None),
            BlackBoxFile::At(path) => path.clone(),
            BlackBoxFile::In(folder) => {
                // A folder that cannot be cleaned up cannot be written either, which is reported below.
                let _ = files::keep_newest(folder, "crash", REPORTS_KEPT - 1);
                folder.join(format!("{}-{}.crash", entry.name, host::process::stamp()))
            }
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let made = folder.map_or(Ok(()), files::make_folder);
        // Held while the box is created, so that of two programs that start at once one gets the error.
        let _claim = match &self.black_box {
            BlackBoxFile::At(_) if made.is_ok() => files::claim(&path)?,
            _ => None,
        };
        match (made.and_then(|()| session.record_to(&path, Schedule::default())), &self.black_box) {
            (Ok(()), _) => Ok(Some(path)),
            (Err(error), BlackBoxFile::At(_)) => Err(error.into()),
            (Err(error), _) => {
                eprintln!("no black box is kept: {error}");
                Ok(None)
            }
        }
    }
}

/// Why a run stops before its last cycle.
enum Stop {
    /// A person or the system asked for it.
    Asked,
    /// All cycles of a situation were played.
    Done,
    /// Something failed.
    Failed(CommandError),
}

impl From<CommandError> for Stop {
    fn from(error: CommandError) -> Stop {
        Stop::Failed(error)
    }
}

/// Runs a session up to a brush cycle as fast as possible.
fn run_fast(
    session: &mut Session,
    end: u64,
    step: &mut dyn FnMut(&mut Session) -> Result<(), Stop>,
) -> Result<(), Stop> {
    while session.world().cycle() < end && session.last_ending().is_none() {
        step(session)?;
    }
    Ok(())
}

/// Ends the film and returns its costs.
pub(crate) fn end_film(session: &mut Session, words: &str) -> Option<Costs> {
    let (costs, trouble) = session.end_film(words)?;
    if let Some(trouble) = trouble {
        eprintln!("{trouble}");
    }
    Some(costs)
}

/// The costs of a film as a share of the world's time; empty if that is zero.
fn share_of(costs: &Costs, world_nanos: u64) -> String {
    if world_nanos == 0 {
        return String::new();
    }
    let share = (costs.copy_nanos + costs.thread_nanos) as f64 / world_nanos as f64 * 100.0;
    format!("; {share:.2} % of a core at the pace of the world")
}

/// Prints lines on standard error.
pub(crate) fn print_lines(lines: impl IntoIterator<Item = String>) {
    for line in lines {
        // A closed standard error does not stop the game.
        let _ = writeln!(io::stderr(), "{line}");
    }
}

/// Prints how the last level ended, if it did.
pub(crate) fn print_ending(session: &Session) {
    match session.last_ending() {
        None => {}
        Some(Ending { result, next: None }) => println!("{} is over: {result}", session.level()),
        Some(Ending { result, next: Some(next) }) => {
            println!("{} is over: {result}; the next level does not exist: {next}", session.level());
        }
    }
}

/// Writes the reason into the black box, and returns an error that names its file.
pub(crate) fn report_trouble(
    entry: &GameEntry,
    session: &mut Session,
    trouble: &str,
    black_box: Option<&Path>,
) -> CommandError {
    session.write_last_words(trouble);
    end_film(session, trouble);
    let Some(path) = black_box.map(Path::display) else {
        return CommandError::Failed(format!("stopped: {trouble}"));
    };
    let program = host::process::program();
    let game = entry.tags.folder.map(|folder| format!(" --game {}", folder.display())).unwrap_or_default();
    CommandError::Failed(format!(
        "stopped: {trouble}\nthe crash report is {path}; `{program} crash replay {path}{game}` replays it"
    ))
}

fn memory_rows(session: &Session) -> Vec<Json> {
    let row = |row: &ReportRow| {
        Json::new()
            .text("system", &row.system)
            .text("region", &row.region)
            .text("unit", row.unit)
            .value("bytes", row.bytes)
            .value("used", row.used)
            .value("used_max", row.used_max)
            .value("capacity", row.capacity)
            .value("refused", row.refused)
    };
    memory_report(session.world()).rows.iter().map(row).collect()
}
