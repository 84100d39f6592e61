//! Playing without a window: so many cycles as fast as they go, from the start or from a save, or until the last level is over.

use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use host::background::BackgroundWriter;
use host::clock::Clock;
use host::crew::Crew;
use host::files;
use host::pages::Pages;
use relay::film::Parent;
use relay::film::strip::MAGIC;
use state::Settings;
use state::backups::Schedule;
use state::report::{ReportRow, memory_report};

use crate::content::{Content, FOLDER};
use crate::film::{Film, Player, Shown, split_path};
use crate::filming::Costs;
use crate::game::{Ending, GameEntry};
use crate::json::Json;
use crate::paced::{self, Paced};
use crate::saves;
use crate::session::{Session, Start};
use crate::troubles::Troubles;
use crate::{fed, tree};

/// What is to be played, and how.
#[derive(Clone, Debug)]
pub struct Play {
    /// The level; the game's first if empty.
    pub level: String,
    /// How many brush cycles.
    pub cycles: u64,
    /// How many workers, the caller included.
    pub workers: u32,
    /// If not zero: the order of chunks and queues is shuffled. Nothing may change.
    pub shuffle: u64,
    /// What all random draws follow from.
    pub seed: u64,
    /// How many players.
    pub players: u16,
    /// Checks what costs time.
    pub is_checked: bool,
    /// What dead slots are filled with.
    pub garbage: u8,
    /// The tree that the tags come from, followed while playing. None: the tags that are part of the program.
    pub tags: Option<PathBuf>,
    /// The address of a program that feeds changed tags, and the file with the secret that both know.
    pub feed: Option<(String, PathBuf)>,
    /// A save to go on from.
    pub load: Option<PathBuf>,
    /// The chain to go on from.
    pub chain: u64,
    /// A save to write at the end.
    pub save: Option<PathBuf>,
    /// Write the save in the background every so many cycles too.
    pub save_every: u64,
    /// A film to go on from, at its end or at a cycle: `a.film@1200`.
    pub from: Option<PathBuf>,
    /// Whether and where a film is recorded.
    pub film: FilmFile,
    /// Whether and where a black box is kept.
    pub black_box: BlackBoxFile,
    /// Stop the program deliberately in this cycle, to see what is left.
    pub panic_at: Option<u64>,
    /// At the pace of the world, so many thousandths as fast as normal; otherwise as fast as it goes.
    pub speed: Option<u32>,
    /// Tell who reserved what memory, and how much of it was ever used.
    pub is_memory_told: bool,
    /// End with JSON.
    pub is_json: bool,
}

/// What is said last if nothing went wrong.
const GOOD_ORDER: &str = "it ended in good order";

/// How many crash reports are kept in a folder.
const REPORTS_KEPT: usize = 8;

/// Where a black box is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlackBoxFile {
    /// Nowhere.
    None,
    /// In this folder, under a name of its own. When all goes well it is removed; where it cannot be kept, it is not.
    In(PathBuf),
    /// In this file, which stays.
    At(PathBuf),
}

/// How many films are kept in a folder, …
const FILMS_KEPT: usize = 8;

/// … and how many bytes of films there may be before a new one is begun.
const FILMS_BYTES: u64 = 8 << 30;

/// Where a film is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilmFile {
    /// Nowhere.
    None,
    /// In this folder, under a name of its own; the newest few stay. Where it cannot be recorded, it is not.
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
            players: 2,
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
            speed: None,
            is_memory_told: false,
            is_json: false,
        }
    }
}

impl Play {
    /// Where the session starts.
    pub fn start(&self, entry: &GameEntry) -> Start {
        let level = if self.level.is_empty() { entry.levels[0] } else { &self.level };
        let settings = Settings { is_checked: self.is_checked, garbage: self.garbage, shuffle: self.shuffle };
        Start { level: level.to_string(), seed: self.seed, players: self.players, settings }
    }

    /// The workers.
    pub fn crew(&self) -> Crew {
        let crew = Crew::new(self.workers);
        if self.shuffle == 0 { crew } else { crew.with_shuffle(self.shuffle) }
    }

    /// Plays, and gives the session as it is then: no film is recorded, no crash report kept, and nothing is loaded or saved.
    pub fn played(&self, entry: &GameEntry) -> Result<Session, String> {
        let start = self.start(entry);
        let mut session = Session::begin(entry, self.content(entry, &start.level)?, &start, &Pages)?;
        let play = Play { save: None, panic_at: None, speed: None, ..self.clone() };
        play.play(&mut session, &self.crew())?;
        Ok(session)
    }

    /// Plays, and tells on standard output how it went.
    pub fn run(&self, entry: &GameEntry) -> Result<(), String> {
        let start = self.start(entry);
        if let Some(path) = &self.save {
            files::try_to_write(path).map_err(|error| error.to_string())?;
        }
        let crew = self.crew();
        let (mut session, parent) = match &self.from {
            Some(path) => self.go_on_from(entry, path, &crew)?,
            None => (Session::begin(entry, self.content(entry, &start.level)?, &start, &Pages)?, None),
        };
        if let Some(path) = &self.load {
            saves::load(&mut session, path).map_err(|error| error.to_string())?;
            session.set_chain(self.chain);
        }
        let black_box = self.begin_black_box(entry, &mut session)?;
        let film = self.begin_film(entry, &mut session, parent)?;
        let clock = Clock::new();
        let first = session.world().cycle();
        let played = panic::catch_unwind(AssertUnwindSafe(|| self.play(&mut session, &crew)));
        let played = played.unwrap_or_else(|payload| Err(words_of_panic(&*payload)));
        let seconds = clock.now().max(1) as f64 / 1e9;
        let saved = played.and_then(|paced| self.save_at_end(&mut session).map(|()| paced));
        let paced = saved.map_err(|trouble| report_trouble(entry, &mut session, &trouble, black_box.as_deref()))?;
        session.write_last_words(GOOD_ORDER);
        let film = film.zip(end_film(&mut session, GOOD_ORDER));
        if let (BlackBoxFile::In(_), Some(path)) = (&self.black_box, black_box) {
            // Somebody may have deleted it already.
            let removed = files::remove(&path).map_err(|error| error.to_string());
            removed.or_else(|trouble| if path.exists() { Err(trouble) } else { Ok(()) })?;
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
                .text("level", session.level())
                .value("cycle", cycle)
                .hex("hash", hash)
                .hex("chain", chain)
                .value("cycles_per_second", format_args!("{per_second:.0}"))
                .value("workers", self.workers)
                .value("allocations_while_stepping", allocations("null"));
            let json = match paced {
                Some(paced) => json
                    .value("predictions", paced.predictions)
                    .value("forgotten_milliseconds", paced.forgotten_nanos / 1_000_000),
                None => json,
            };
            let json = match &film {
                Some((path, costs)) => json
                    .text("film", &path.to_string_lossy())
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
            let json = if self.is_memory_told { json.list("memory", memory_rows(&session)) } else { json };
            println!("{}", json.finish());
        } else {
            println!("{} {}: {}", entry.name, session.level(), session.game().describe(session.world()));
            tell_ending(&session);
            let allocations = allocations("not watched");
            println!(
                "{cycles} cycles in {seconds:.2} s: {per_second:.0} per second; allocations while stepping: {allocations}"
            );
            println!("cycle {cycle}, hash {hash:016x}, chain {chain:016x}");
            if let Some(paced) = paced {
                let (predictions, forgotten) = (paced.predictions as f64 / seconds, paced.forgotten_nanos / 1_000_000);
                println!("{predictions:.0} prediction cycles per second; {forgotten} ms of machine time forgotten");
            }
            if let Some((path, costs)) = &film {
                let share = share_of(costs, cycles.saturating_mul(session.lengths().brush_nanos));
                println!("film {}: {} bytes, {} keyframes{share}", path.display(), costs.bytes, costs.keyframes);
            }
            if self.is_memory_told {
                println!("{}", memory_report(session.world()));
            }
        }
        Ok(())
    }

    /// The tags of a level. What is wrong with them is told, and does not keep anybody from playing.
    fn content(&self, entry: &GameEntry, level: &str) -> Result<Content, String> {
        if let Some((address, secret)) = &self.feed {
            return fed::attach(entry.content(level)?, address, secret, Path::new(FOLDER));
        }
        let Some(root) = self.tags.as_deref().or(entry.tags.folder) else { return entry.content(level) };
        let (content, lines) = tree::open(entry, level, root)?;
        tell(lines);
        Ok(content)
    }

    fn play(&self, session: &mut Session, crew: &Crew) -> Result<Option<Paced>, String> {
        let writer = BackgroundWriter::new(2);
        let mut buffer = Vec::new();
        let end = session.world().cycle().saturating_add(self.cycles);
        let (mut troubles, clock) = (Troubles::default(), Clock::new());
        let mut step = |session: &mut Session| {
            self.step(session, crew, &writer, &mut buffer)?;
            let mut lines = session.game().troubles();
            lines.extend(session.take_refusals());
            tell(troubles.sort_out(clock.now(), lines));
            Ok(())
        };
        let paced = if let Some(speed) = self.speed {
            let clock = Clock::new();
            Some(paced::run(session, end, speed, &mut || clock.now(), &mut step)?)
        } else {
            while session.world().cycle() < end && session.last_ending().is_none() {
                step(session)?;
            }
            None
        };
        tell(troubles.rest());
        writer.finish();
        while let Some(finished) = writer.poll() {
            finished.result.map_err(|error| error.to_string())?;
        }
        Ok(paced)
    }

    fn save_at_end(&self, session: &mut Session) -> Result<(), String> {
        let Some(path) = &self.save else { return Ok(()) };
        saves::write(session, path).map(drop).map_err(|error| error.to_string())
    }

    /// One brush cycle, and a save in the background if one is due.
    fn step(
        &self,
        session: &mut Session,
        crew: &Crew,
        writer: &BackgroundWriter,
        buffer: &mut Vec<u8>,
    ) -> Result<(), String> {
        if self.panic_at == Some(session.world().cycle()) {
            panic!("asked to stop at cycle {}", session.world().cycle());
        }
        session.step(crew);
        tell(session.content_mut().take_lines());
        while let Some(finished) = writer.poll() {
            finished.result.map_err(|error| error.to_string())?;
            *buffer = finished.bytes;
        }
        let is_due = self.save_every > 0 && session.world().cycle().is_multiple_of(self.save_every);
        if let (Some(path), true) = (&self.save, is_due) {
            match saves::write_in_background(session, path, writer, std::mem::take(buffer)) {
                Ok(_) => {}
                // The disk is behind. The next save is as good as this one.
                Err(refused) => *buffer = refused.bytes,
            }
        }
        Ok(())
    }

    /// A session at a cycle of a film. With a tree, what is otherwise in it enters at once.
    fn go_on_from(&self, entry: &GameEntry, path: &Path, crew: &Crew) -> Result<(Session, Option<Parent>), String> {
        let (path, moment) = split_path(path)?;
        let film = Film::open(&path)?;
        film.troubles().for_each(|trouble| eprintln!("{}: {trouble}", path.display()));
        let (take, _) = film.find(moment)?;
        let level = film.opening(take).map(|opening| opening.level.clone()).unwrap_or_default();
        let mut player = Player::new(film, std::slice::from_ref(entry), Shown::Own)?;
        // Without a tree nothing is otherwise than in the film.
        let has_tree = self.tags.is_some() || entry.tags.folder.is_some();
        let content = if has_tree { Some(self.content(entry, &level)?) } else { None };
        player.set_settings(self.start(entry).settings);
        let (session, parent) = player.go_on(moment, content, crew)?;
        Ok((session, Some(parent)))
    }

    fn begin_film(
        &self,
        entry: &GameEntry,
        session: &mut Session,
        parent: Option<Parent>,
    ) -> Result<Option<PathBuf>, String> {
        let path = match &self.film {
            FilmFile::None => return Ok(None),
            FilmFile::At(path) => {
                self.check_film_path(path)?;
                path.clone()
            }
            FilmFile::In(folder) => {
                // A folder that cannot be tidied is one that cannot be written, which is told below.
                let _ = files::keep_newest_bytes(folder, "film", FILMS_KEPT - 1, FILMS_BYTES);
                folder.join(format!("{}-{}.film", entry.name, host::process::stamp()))
            }
        };
        match (session.film_to(&path, parent), &self.film) {
            (Ok(()), _) => Ok(Some(path)),
            (Err(error), FilmFile::At(_)) => Err(error.to_string()),
            (Err(error), _) => {
                eprintln!("no film is recorded: {error}");
                Ok(None)
            }
        }
    }

    /// Whether a film may take the place of what is in a file: of nothing but another film, and not of the one that is gone on from.
    fn check_film_path(&self, path: &Path) -> Result<(), String> {
        let shown = path.display();
        let is_it = |other: &Path| {
            other == path || other.canonicalize().is_ok_and(|other| path.canonicalize().ok() == Some(other))
        };
        let source = self.from.as_deref().and_then(|from| split_path(from).ok());
        if source.is_some_and(|(source, _)| is_it(&source)) {
            return Err(format!("{shown}: it is the film that is gone on from; record another"));
        }
        if self.save.as_deref().is_some_and(is_it) {
            return Err(format!("{shown}: a film and a save cannot be one file"));
        }
        // One that cannot be read is told when it is written.
        let Ok(mut reader) = files::Reader::open(path) else { return Ok(()) };
        let mut start = [0; MAGIC.len()];
        let is_film = reader.length() == 0 || reader.read_at(0, &mut start).is_ok() && start == *MAGIC;
        if is_film { Ok(()) } else { Err(format!("{shown}: it is there already, and is no film; name another file")) }
    }

    fn begin_black_box(&self, entry: &GameEntry, session: &mut Session) -> Result<Option<PathBuf>, String> {
        let path = match &self.black_box {
            BlackBoxFile::None => return Ok(None),
            BlackBoxFile::At(path) => path.clone(),
            BlackBoxFile::In(folder) => {
                // A folder that cannot be tidied is one that cannot be written, which is told below.
                let _ = files::keep_newest(folder, "crash", REPORTS_KEPT - 1);
                folder.join(format!("{}-{}.crash", entry.name, host::process::stamp()))
            }
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let made = folder.map_or(Ok(()), files::make_folder);
        // As long as the box is made, so that of two programs that begin at once one is told.
        let _claim = match &self.black_box {
            BlackBoxFile::At(_) if made.is_ok() => files::claim(&path).map_err(|error| error.to_string())?,
            _ => None,
        };
        match (made.and_then(|()| session.record_to(&path, Schedule::default())), &self.black_box) {
            (Ok(()), _) => Ok(Some(path)),
            (Err(error), BlackBoxFile::At(_)) => Err(error.to_string()),
            (Err(error), _) => {
                eprintln!("no black box is kept: {error}");
                Ok(None)
            }
        }
    }
}

/// Ends the film. What it cost.
fn end_film(session: &mut Session, words: &str) -> Option<Costs> {
    let (costs, trouble) = session.end_film(words)?;
    if let Some(trouble) = trouble {
        eprintln!("{trouble}");
    }
    Some(costs)
}

/// What a film cost, for so much time of the world; nothing of none.
fn share_of(costs: &Costs, world_nanos: u64) -> String {
    if world_nanos == 0 {
        return String::new();
    }
    let share = (costs.copy_nanos + costs.thread_nanos) as f64 / world_nanos as f64 * 100.0;
    format!("; {share:.2} % of a core at the pace of the world")
}

/// What a panic said.
pub(crate) fn words_of_panic(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without words").to_string()
}

/// Tells lines to whoever watches.
fn tell(lines: impl IntoIterator<Item = String>) {
    for line in lines {
        // That nobody listens is no reason to stop.
        let _ = writeln!(io::stderr(), "{line}");
    }
}

/// Says how the last level ended, if it did.
fn tell_ending(session: &Session) {
    match session.last_ending() {
        None => {}
        Some(Ending { result, next: None }) => println!("{} is over: {result}", session.level()),
        Some(Ending { result, next: Some(next) }) => {
            println!("{} is over: {result}; the level that was to come next is not there: {next}", session.level());
        }
    }
}

/// Writes into the black box why it ends, and says where that lies.
fn report_trouble(entry: &GameEntry, session: &mut Session, trouble: &str, black_box: Option<&Path>) -> String {
    session.write_last_words(trouble);
    end_film(session, trouble);
    let Some(path) = black_box.map(Path::display) else { return format!("stopped: {trouble}") };
    let program = host::process::program();
    let game = entry.tags.folder.map(|folder| format!(" --game {}", folder.display())).unwrap_or_default();
    format!("stopped: {trouble}\nthe crash report is {path}; `{program} crash replay {path}{game}` runs it again")
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
