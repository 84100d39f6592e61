//! Situations: a level that begins again and again while one edits its tags, with the same inputs each time.
//!
//! A situation is a tag of the class `situation` among the levels. Its cast is its placements; or it is a stretch of a film, with the inputs
//! of the film and the tags of today.

use std::path::{Path, PathBuf};

use astrarium::content::{Content, FOLDER};
use astrarium::film::{Film, Moment};
use astrarium::game::GameEntry;
use astrarium::objects::scenario_of;
use astrarium::runner::Driver;
use astrarium::saves;
use astrarium::session::Session;
use astrarium::vocabulary::Situation as SituationTag;
use host::files;

use crate::error::CommandError;
use crate::inputs::Script;

/// A situation, as its tag describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Situation {
    /// The name of its level.
    pub level: String,
    /// The brush cycles until it begins again.
    pub cycles: u64,
    /// Its inputs, as text.
    pub inputs: Vec<String>,
    /// The film of which it is a part, and the cycle with which it begins.
    pub film: Option<(PathBuf, u64)>,
}

impl Situation {
    /// The situation that a level is; none if it is an ordinary level.
    pub fn of(content: &Content, entry: &GameEntry, level: &str) -> Option<Situation> {
        let library = content.library();
        let tag = library.get_as::<SituationTag>(scenario_of(library, level)?)?;
        let inputs = tag.each(&tag.inputs).iter().map(|line| tag.text(line).to_string());
        let film = tag.text(&tag.film);
        Some(Situation {
            level: level.to_string(),
            cycles: u64::from(tag.cycles),
            inputs: inputs.collect(),
            film: (!film.is_empty()).then(|| (film_path(entry, film), u64::from(tag.first))),
        })
    }

    /// What plays it in a session that is at its beginning.
    pub fn begin(&self, session: &mut Session) -> Result<Repeating, CommandError> {
        let began = session.world().cycle();
        let (script, back) = match &self.film {
            None => {
                let name = format!("the inputs of {}", self.level);
                let script = Script::parse(&self.inputs.join("\n"), &name, session)?;
                ((!self.inputs.is_empty()).then_some(script), Back::Anew)
            }
            Some((path, first)) => {
                let film = Film::open(path)?;
                let (take, cycle) = film.find(Moment { take: None, cycle: Some(*first) })?;
                let script = Script::of_film(&film, take, cycle, cycle.saturating_add(self.cycles))?;
                let file = Path::new(FOLDER).join(format!("situation-{}.save", host::process::stamp()));
                files::make_folder(Path::new(FOLDER))?;
                saves::write(session, &file)?;
                (Some(script), Back::Load(file))
            }
        };
        let safe = session.next_safe_cycle();
        Ok(Repeating {
            level: self.level.clone(),
            cycles: self.cycles,
            began,
            safe,
            script,
            back,
            round: 1,
            lines: Vec::new(),
        })
    }
}

/// A path from the folder of the game; or from the current folder, if there is nothing.
fn film_path(entry: &GameEntry, film: &str) -> PathBuf {
    let beside = entry.tags.folder.and_then(Path::parent).map(|folder| folder.join(film));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(film))
}

/// How a situation begins again.
#[derive(Debug)]
enum Back {
    /// The level is set up anew.
    Anew,
    /// This save is loaded.
    Load(PathBuf),
}

/// A situation that is played.
#[derive(Debug)]
pub struct Repeating {
    level: String,
    cycles: u64,
    /// The brush cycle and the safe cycle with which this round began.
    began: u64,
    safe: u64,
    script: Option<Script>,
    back: Back,
    round: u64,
    lines: Vec<String>,
}

impl Repeating {
    /// What happened since the last call, a line for each round.
    pub fn take_lines(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }

    /// Whether it has inputs of its own: then no robot and no person plays.
    pub fn has_inputs(&self) -> bool {
        self.script.is_some()
    }

    /// Begins the next round if this one is over; returns whether it did.
    pub fn go_back_if_over(&mut self, session: &mut Session) -> bool {
        let is_over = self.is_over(session);
        if is_over {
            self.go_back(session);
        }
        is_over
    }

    /// Whether this round is over. It ends with a whole safe cycle, or with the level.
    fn is_over(&self, session: &Session) -> bool {
        let cycle = session.world().cycle();
        let is_whole = session.lengths().is_safe(cycle);
        is_whole && (cycle >= self.began.saturating_add(self.cycles) || session.last_ending().is_some())
    }

    fn go_back(&mut self, session: &mut Session) {
        let (cycle, hash) = (session.world().cycle(), session.hash());
        let described = session.game().describe(session.world());
        let (level, round) = (&self.level, self.round);
        self.lines.push(format!("{level}, round {round}, ends at cycle {cycle}: {described}; hash {hash:016x}"));
        match &self.back {
            Back::Anew => session.begin_again(),
            Back::Load(file) => {
                if let Err(error) = saves::load(session, file) {
                    self.lines.push(format!("{level} goes on and does not begin again: {error}"));
                }
            }
        }
        self.round += 1;
        (self.began, self.safe) = (session.world().cycle(), session.next_safe_cycle());
    }
}

impl Driver for Repeating {
    fn before_cycle(&mut self, session: &mut Session) -> bool {
        let is_over = self.go_back_if_over(session);
        if let Some(script) = &self.script {
            // Recorded inputs keep their cycles, as the world of the film does.
            let since = if matches!(self.back, Back::Anew) { self.safe } else { 0 };
            if let Err(error) = script.deliver(session, since) {
                self.lines.push(error.to_string());
            }
        }
        is_over
    }
}

impl Drop for Repeating {
    fn drop(&mut self) {
        if let Back::Load(file) = &self.back {
            // It may have been deleted already.
            let _ = files::remove(file);
        }
    }
}
