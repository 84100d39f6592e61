//! Playing a film: to any cycle, and on from there.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use host::pages::Pages;
use relay::film::{Opening, Parent, Place};
use relay::limits::CONTENT_PLAYER;
use state::save::content_of_block;
use state::{Settings, Workers};

use crate::content::Content;
use crate::game::GameEntry;
use crate::session::{Session, Start};

use super::feed::{self, Shared, Shown};
use super::{Film, Moment};

/// Plays a film.
pub struct Player {
    film: Shared,
    entry: GameEntry,
    shown: Shown,
    session: Option<Session>,
    take: u16,
    /// What was damaged on the way, and did not matter.
    notes: Vec<String>,
    /// Goes on though the world went another way.
    is_tolerant: bool,
    settings: Settings,
}

/// Where a seek came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The take.
    pub take: u16,
    /// The cycle.
    pub cycle: u64,
    /// The cycle of the keyframe it began with, or where it was.
    pub from: u64,
}

/// Why a film could not be played on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The world went another way than the film says.
    Differs {
        /// In which take.
        take: u16,
        /// Before which cycle it was noticed.
        cycle: u64,
        /// The hash that the film holds.
        expected: u64,
        /// The hash of the world.
        found: u64,
    },
    /// Something is damaged or not there.
    Missing(String),
}

impl Halt {
    /// In a sentence.
    pub fn tell(&self) -> String {
        match self {
            Halt::Differs { take, cycle, expected, found } => format!(
                "take {take}, cycle {cycle} came out differently: expected hash {expected:016x}, found {found:016x}"
            ),
            Halt::Missing(why) => why.clone(),
        }
    }
}

impl Player {
    /// A player of a film of one of these games. Nothing is loaded before the first seek.
    pub fn new(film: Film, games: &[GameEntry], shown: Shown) -> Result<Player, String> {
        let first = film.reel().takes.first().ok_or_else(|| String::from("the film has no take"))?;
        let entry = film.entry(first, games)?;
        let take = first.number;
        Ok(Player {
            film: Arc::new(Mutex::new(film)),
            entry,
            shown,
            session: None,
            take,
            notes: Vec::new(),
            is_tolerant: false,
            settings: Settings::default(),
        })
    }

    /// The film.
    pub fn film(&self) -> MutexGuard<'_, Film> {
        // Nothing panics while it holds the lock, so a poisoned one is as good.
        self.film.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The game it is of.
    pub fn entry(&self) -> &GameEntry {
        &self.entry
    }

    /// The session at the cycle that was reached, after the first seek.
    pub fn session(&mut self) -> Option<&mut Session> {
        self.session.as_mut()
    }

    /// The take and the cycle it is at.
    pub fn place(&self) -> (u16, u64) {
        (self.take, self.session.as_ref().map_or(0, |session| session.world().cycle()))
    }

    /// What was damaged on the way and could be gone around, since the last time.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Goes to a moment, forwards or backwards.
    pub fn seek(&mut self, moment: Moment, workers: &dyn Workers) -> Result<Reached, String> {
        let (take, cycle) = self.film().find(moment)?;
        let places: Vec<Place> = match self.film().reel().take(take) {
            Some(found) => found.keyframes_up_to(cycle).copied().collect(),
            None => Vec::new(),
        };
        let newest = places.first().map_or(0, |place| place.head.stamp.cycle);
        let (at_take, at) = self.place();
        let is_near = self.session.is_some() && at_take == take && (newest..=cycle).contains(&at);
        if !is_near {
            self.load_newest(take, &places)?;
        }
        let from = self.place().1;
        while self.place().1 < cycle {
            // A take that begins with the level starting again is reached from its own first keyframe.
            self.step(workers).map_err(|halt| self.named(&halt.tell()))?;
        }
        Ok(Reached { take, cycle, from })
    }

    /// One brush cycle. False at the end of the film, where there is none.
    pub fn step(&mut self, workers: &dyn Workers) -> Result<bool, Halt> {
        let (take, cycle) = self.place();
        let Some(session) = &mut self.session else {
            return Err(Halt::Missing(String::from("nothing of the film is loaded yet")));
        };
        let mut film = self.film.lock().unwrap_or_else(PoisonError::into_inner);
        let leads_to = film.reel().take(take).and_then(|take| take.leads_to);
        let next = film.reel().takes.iter().find(|next| next.number > take).map(|next| next.number);
        let next = next.filter(|_| leads_to == Some(cycle));
        let last = film.reel().take(take).map_or(0, |take| take.last());
        if cycle >= last && next.is_none() {
            return Ok(false);
        }
        if !session.lengths().is_safe(cycle) {
            drop(film);
            session.replay(None, workers);
            return Ok(true);
        }
        if let (Some(next), Shown::Own) = (next, &self.shown)
            && session.move_on()
        {
            // The level was over, and the next one has begun: it has a take of its own.
            self.take = next;
            drop(film);
            return self.step(workers);
        }
        let record = film.record(take, cycle).map_err(Halt::Missing)?;
        let identity = film.identity_from(take, cycle);
        drop(film);
        if let (Some(next), Shown::Now(_)) = (next, &self.shown) {
            // The level does not start again by itself where no tag changes.
            return self.load_first(next).map(|()| true).map_err(Halt::Missing);
        }
        let found = session.hash();
        if found != record.hash_before && !self.is_tolerant {
            return Err(Halt::Differs { take, cycle, expected: record.hash_before, found });
        }
        match &self.shown {
            Shown::Own => session.replay(Some(&record.inputs), workers),
            Shown::Now(_) => {
                // The world says that the film's tags are in force, so that its hash can be held against the film's.
                if let Some(identity) = identity {
                    session.world_mut().set_content(identity);
                }
                session.replay(Some(&record.inputs.without(CONTENT_PLAYER)), workers);
            }
        }
        let missing: Vec<String> =
            session.content_mut().take_lines().into_iter().filter(|line| line.contains("not kept here")).collect();
        self.notes.extend(missing);
        if let Some(next) = next {
            self.take = next;
        }
        Ok(true)
    }

    /// The session, to be played on; and where the film was left.
    pub fn leave(mut self) -> Result<(Session, Parent), String> {
        let (take, cycle) = self.place();
        let film = self.film().reel().film;
        let session = self.session.take().ok_or_else(|| String::from("nothing of the film is loaded yet"))?;
        Ok((session, Parent { film, take, cycle }))
    }

    /// How carefully worlds are run from now on. Nothing may change.
    pub fn set_settings(&mut self, settings: Settings) {
        (self.settings, self.session) = (settings, None);
    }

    /// From now on goes on though the world goes another way than the film says, or not.
    pub fn set_tolerant(&mut self, is_tolerant: bool) {
        self.is_tolerant = is_tolerant;
    }

    /// Goes to the first keyframe of a take.
    pub fn load_first(&mut self, take: u16) -> Result<(), String> {
        let place = self.film().reel().take(take).and_then(|take| take.keyframes.first().copied());
        self.load(take, &place.ok_or_else(|| self.named(&format!("take {take} has no keyframe")))?)
    }

    /// At the end of a take: where the next one begins.
    pub fn next_first(&self) -> Option<(u16, u64)> {
        let (at, cycle) = self.place();
        let film = self.film();
        let is_end = film.reel().take(at).is_some_and(|take| cycle >= take.last());
        film.reel().takes.iter().find(|take| take.number > at && is_end).map(|take| (take.number, take.start))
    }

    /// From the end of a take goes to the first keyframe of the next.
    pub fn load_next(&mut self) -> Result<(), String> {
        let next = self.next_first().ok_or_else(|| self.named("there is no take behind this one"))?;
        self.load_first(next.0)
    }

    fn named(&self, trouble: &str) -> String {
        let path = self.film().path().display().to_string();
        if trouble.starts_with(&path) { trouble.to_string() } else { format!("{path}: {trouble}") }
    }

    fn load_newest(&mut self, take: u16, places: &[Place]) -> Result<(), String> {
        let mut troubles = Vec::new();
        for place in places {
            match self.load(take, place) {
                Ok(()) => {
                    self.notes.extend(troubles);
                    return Ok(());
                }
                Err(trouble) => troubles.push(trouble),
            }
        }
        let first = troubles.first().cloned().unwrap_or_else(|| String::from("there is no keyframe"));
        Err(self.named(&first))
    }

    /// Puts the block of a keyframe into the session's world. If it is not what the film says, there is no session.
    pub fn load(&mut self, take: u16, place: &Place) -> Result<(), String> {
        let (said, block) = self.film().block(take, place)?;
        let opening = self.film().opening(take).cloned().ok_or_else(|| format!("there is no take {take}"))?;
        let session = self.session.take();
        let fits =
            |session: &Session| session.world().plan().hash() == opening.layout && session.level() == opening.level;
        let mut session = match session.filter(fits) {
            Some(session) => session,
            None => self.begin(&opening, &block)?,
        };
        session.world_mut().adopt(&block).map_err(|error| error.to_string())?;
        let (cycle, hash) = (session.world().cycle(), session.hash());
        let expected = place.head.stamp;
        if (cycle, hash) != (expected.cycle, expected.hash) {
            return Err(format!(
                "the keyframe of cycle {} is another world: expected hash {:016x}, found {hash:016x} of cycle {cycle}",
                expected.cycle, expected.hash
            ));
        }
        if self.shown == Shown::Own {
            session.follow_content()?;
        }
        session.set_chain(said.chain);
        session.game().loaded(session.world());
        self.take = take;
        self.session = Some(session);
        Ok(())
    }

    /// A session for the worlds of a take.
    fn begin(&mut self, opening: &Opening, block: &[u8]) -> Result<Session, String> {
        let content = match &self.shown {
            Shown::Own => self.content_of(feed::own_content(&self.film, &self.entry), block)?,
            Shown::Now(root) => feed::content_now(&self.entry, &opening.level, root.as_deref())?,
        };
        let session = Session::begin(&self.entry, content, &self.start_of(opening), &Pages)?;
        let found = session.world().plan().hash();
        if found != opening.layout {
            let expected = opening.layout;
            return Err(format!("worlds lie otherwise here: expected layout {expected:016x}, found {found:016x}"));
        }
        let (expected, found) = (opening.game_content, session.game().content());
        if expected != found {
            let told = format!("what is built into the game is {found:016x} now, and was {expected:016x}");
            self.notes.push(told);
        }
        Ok(session)
    }

    fn content_of(&self, mut content: Content, block: &[u8]) -> Result<Content, String> {
        content.return_to(content_of_block(block).unwrap_or(0))?;
        Ok(content)
    }

    /// A session that goes on from a moment; the content of today, if there is one, enters as changes do.
    pub fn go_on(
        mut self,
        moment: Moment,
        present: Option<Content>,
        workers: &dyn Workers,
    ) -> Result<(Session, Parent), String> {
        self.seek(moment, workers)?;
        let (take, cycle) = self.place();
        let opening = self.film().opening(take).cloned().ok_or_else(|| format!("there is no take {take}"))?;
        let film = Arc::clone(&self.film);
        let Some(reached) = self.session.as_mut() else { return Err(String::from("nothing of the film is loaded")) };
        let block = reached.world().bytes().to_vec();
        let chain = reached.chain();
        let content = match present {
            Some(present) => self.content_of(feed::with_film(present, &film), &block)?,
            None => self.content_of(feed::own_content(&film, &self.entry), &block)?,
        };
        let mut session = Session::begin(&self.entry, content, &self.start_of(&opening), &Pages)?;
        session.world_mut().adopt(&block).map_err(|error| error.to_string())?;
        session.set_chain(chain);
        session.content_mut().offer_present();
        session.game().loaded(session.world());
        let film = self.film().reel().film;
        Ok((session, Parent { film, take, cycle }))
    }

    /// What a session of a take starts from.
    fn start_of(&self, opening: &Opening) -> Start {
        let players = opening.players.min(relay::limits::PEOPLE_MAX);
        Start { level: opening.level.clone(), seed: opening.seed, players, settings: self.settings }
    }
}
