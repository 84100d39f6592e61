//! Playing a film: seeking to any cycle, and stepping from there.

use std::sync::Arc;

use host::pages::Pages;
use relay::film::{Opening, Parent, Place};
use relay::limits::CONTENT_PLAYER;
use shelf::containers::Containers;
use state::pacer::Lengths;
use state::save::content_of_block;
use state::{Settings, Workers};

use crate::content::{Content, Notice};
use crate::error::Error;
use crate::film_error::FilmFault;
use crate::game::GameEntry;
use crate::session::{Session, Start, in_words};

use super::chunk_cache::ChunkCache;
use super::feed::{self, Shown};
use super::{Film, Moment};

/// The keyframes with right checksums that are tried for one seek. If those do not fit, the film is of another program, or forged.
const KEYFRAME_TRIES: usize = 16;

/// Plays a film.
pub struct Player {
    film: Arc<Film>,
    chunks: ChunkCache,
    entry: GameEntry,
    shown: Shown,
    session: Option<Session>,
    take: u16,
    /// Damage that was worked around, for people.
    notes: Vec<String>,
    /// Continues although the world diverged from the film.
    is_tolerant: bool,
    settings: Settings,
    containers: Option<Arc<Containers>>,
}

/// The result of a seek.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The take.
    pub take: u16,
    /// The cycle.
    pub cycle: u64,
    /// The cycle of the keyframe from which it was reached, or the cycle it was at before.
    pub from: u64,
}

/// The result of one attempt at a step.
enum Attempt {
    /// A brush cycle was played.
    Stepped,
    /// The level was over and the next one has begun: the step is one of the next take.
    NextTake,
    /// The film is at its end.
    AtEnd,
}

impl Player {
    /// A player of a film of one of these games. Nothing is loaded before the first seek.
    pub fn new(film: Film, games: &[GameEntry], shown: Shown) -> Result<Player, Error> {
        let first = film.index().takes.first().ok_or(FilmFault::NoTake(None))?;
        let entry = film.entry(first, games)?;
        let take = first.number;
        Ok(Player {
            film: Arc::new(film),
            chunks: ChunkCache::default(),
            entry,
            shown,
            session: None,
            take,
            notes: Vec::new(),
            is_tolerant: false,
            settings: Settings::default(),
            containers: None,
        })
    }

    /// The film.
    pub fn film(&self) -> &Film {
        &self.film
    }

    /// The film's game.
    pub fn entry(&self) -> &GameEntry {
        &self.entry
    }

    /// The session at the current cycle, after the first seek.
    pub fn session(&mut self) -> Option<&mut Session> {
        self.session.as_mut()
    }

    /// The current take and cycle.
    pub fn place(&self) -> (u16, u64) {
        (self.take, self.session.as_ref().map_or(0, |session| session.world().cycle()))
    }

    /// The damage that was worked around since the last call.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Seeks to a moment, forwards or backwards.
    pub fn seek(&mut self, moment: Moment, workers: &dyn Workers) -> Result<Reached, Error> {
        let (take, cycle) = self.film().find(moment)?;
        let places: Vec<Place> = match self.film().index().take(take) {
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
            // A take that begins with the level starting again is reached from its own first keyframe. Where the keyframe of the moment is
            // damaged and the inputs before it are not there, the film ends on the way, or goes on in another take.
            let is_on = self.step(workers).map_err(|error| self.named(error))?;
            if !is_on || self.take != take {
                return Err(self.film.unreachable(moment));
            }
        }
        Ok(Reached { take, cycle, from })
    }

    /// Plays one brush cycle. False at the end of the film.
    pub fn step(&mut self, workers: &dyn Workers) -> Result<bool, Error> {
        // Each round but the last enters a later take, so there are no more rounds than takes.
        loop {
            match self.try_step(workers)? {
                Attempt::Stepped => return Ok(true),
                Attempt::AtEnd => return Ok(false),
                Attempt::NextTake => {}
            }
        }
    }

    fn try_step(&mut self, workers: &dyn Workers) -> Result<Attempt, Error> {
        let (take, cycle) = self.place();
        let session = self.session.as_mut().ok_or(FilmFault::NotLoaded)?;
        let film = &*self.film;
        let leads_to = film.index().take(take).and_then(|take| take.leads_to);
        let next = film.take_after(take).map(|next| next.number);
        let next = next.filter(|_| leads_to == Some(cycle));
        let last = film.index().take(take).map_or(0, |take| take.last());
        if cycle >= last && next.is_none() {
            return Ok(Attempt::AtEnd);
        }
        if !session.lengths().is_safe(cycle) {
            session.replay(None, workers);
            return Ok(Attempt::Stepped);
        }
        if let (Some(next), Shown::Own) = (next, &self.shown)
            && session.move_on()
        {
            self.take = next;
            return Ok(Attempt::NextTake);
        }
        let record = self.chunks.record(film, take, cycle)?;
        let identity = film.identity_from(take, cycle);
        if let (Some(next), Shown::Now(_)) = (next, &self.shown) {
            // The level does not restart by itself where no tag changes.
            return self.load_first(next).map(|()| Attempt::Stepped);
        }
        let found = session.hash();
        if found != record.hash_before && !self.is_tolerant {
            return Err(FilmFault::Diverged { take, cycle, expected: record.hash_before, found }.into());
        }
        match &self.shown {
            Shown::Own => session.replay(Some(&record.inputs), workers),
            Shown::Now(_) => {
                // The world names the film's tags as those in force, so that its hash can be compared with the film's.
                if let Some(identity) = identity {
                    session.world_mut().set_content(identity);
                }
                session.replay(Some(&record.inputs.without(CONTENT_PLAYER)), workers);
            }
        }
        let is_missing = |notice: &Notice| matches!(notice, Notice::VersionMissing { .. });
        let missing = session.content_mut().take_notices().into_iter().filter(is_missing);
        self.notes.extend(missing.map(|notice| notice.to_string()));
        if let Some(next) = next {
            self.take = next;
        }
        Ok(Attempt::Stepped)
    }

    /// The session, to be continued, and the moment at which it left the film.
    pub fn leave(mut self) -> Result<(Session, Parent), Error> {
        let (take, cycle) = self.place();
        let film = self.film().index().film;
        let session = self.session.take().ok_or(FilmFault::NotLoaded)?;
        Ok((session, Parent { film, take, cycle }))
    }

    /// Sets the checks of worlds from now on. They must not change a result.
    pub fn set_settings(&mut self, settings: Settings) {
        (self.settings, self.session) = (settings, None);
    }

    /// The checks of worlds.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Sets where the bulk data of the film's tags is found, besides the game's own tree.
    pub fn set_containers(&mut self, containers: Arc<Containers>) {
        self.containers = Some(containers);
    }

    /// Sets whether playing continues although the world diverges from the film.
    pub fn set_tolerant(&mut self, is_tolerant: bool) {
        self.is_tolerant = is_tolerant;
    }

    /// Seeks to the first keyframe of a take.
    pub fn load_first(&mut self, take: u16) -> Result<(), Error> {
        let place = self.film().index().take(take).and_then(|take| take.keyframes.first().copied());
        self.load(take, &place.ok_or_else(|| self.named(FilmFault::NoKeyframe { take }.into()))?)
    }

    /// At the end of a take, the start of the next one.
    pub fn next_first(&self) -> Option<(u16, u64)> {
        let (at, cycle) = self.place();
        let film = self.film();
        let is_end = film.index().take(at).is_some_and(|take| cycle >= take.last());
        film.take_after(at).filter(|_| is_end).map(|take| (take.number, take.start))
    }

    /// Seeks from the end of a take to the first keyframe of the next.
    pub fn load_next(&mut self) -> Result<(), Error> {
        let next = self.next_first().ok_or_else(|| self.named(FilmFault::NoNextTake.into()))?;
        self.load_first(next.0)
    }

    fn named(&self, error: Error) -> Error {
        error.in_file(self.film().path())
    }

    fn load_newest(&mut self, take: u16, places: &[Place]) -> Result<(), Error> {
        let mut errors: Vec<Error> = Vec::new();
        for place in places {
            match self.load(take, place) {
                Ok(()) => {
                    self.notes.extend(errors.iter().map(ToString::to_string));
                    return Ok(());
                }
                Err(error) => errors.push(error),
            }
            // A damaged body costs no more than its bytes; a whole one that does not fit may cost a session.
            if errors.iter().filter(|error| !is_damage(error)).count() == KEYFRAME_TRIES {
                break;
            }
        }
        let first = errors.into_iter().next().unwrap_or(FilmFault::NoKeyframe { take }.into());
        Err(self.named(first))
    }

    /// Loads the block of a keyframe into the session's world. If its hash is not the film's, there is no session. A film whose blocks do
    /// not have the length of the plan is refused before memory is taken for one.
    pub fn load(&mut self, take: u16, place: &Place) -> Result<(), Error> {
        let opening = self.film().opening(take).cloned().ok_or(FilmFault::NoTake(Some(take)))?;
        let fits =
            |session: &Session| session.world().plan().hash() == opening.layout && session.level() == opening.level;
        let begun = match &self.session {
            Some(session) if fits(session) => None,
            _ => {
                let start = ChunkCache::start(&self.film, take, place)?;
                // Not two sessions at a time.
                self.session = None;
                Some(self.begin(&opening, &start)?)
            }
        };
        let session = begun.as_ref().or(self.session.as_ref()).ok_or(FilmFault::NotLoaded)?;
        let (expected, found) = (session.world().plan().bytes() as u64, opening.block_bytes);
        if expected != found {
            return Err(FilmFault::BlockLength { expected, found }.into());
        }
        let (said, block) = self.chunks.block(&self.film, take, place)?;
        let mut session = begun.or(self.session.take()).ok_or(FilmFault::NotLoaded)?;
        session.world_mut().adopt(block)?;
        let (cycle, hash) = (session.world().cycle(), session.hash());
        let expected = place.head.stamp;
        if (cycle, hash) != (expected.cycle, expected.hash) {
            let stamp = expected;
            return Err(FilmFault::Keyframe { cycle: stamp.cycle, expected: stamp.hash, found: hash }.into());
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
    fn begin(&mut self, opening: &Opening, block: &[u8]) -> Result<Session, Error> {
        let content = match &self.shown {
            Shown::Own => {
                let content = feed::own_content(&self.film, &self.entry);
                let content = match &self.containers {
                    Some(containers) => content.with_containers(Arc::clone(containers)),
                    None => content,
                };
                self.content_of(content, block)?
            }
            Shown::Now(root) => feed::content_now(&self.entry, &opening.level, root.as_deref())?,
        };
        let session = Session::begin(&self.entry, content, &self.start_of(opening), &Pages)?;
        let found = session.world().plan().hash();
        if found != opening.layout {
            return Err(Error::Layout { expected: found, found: opening.layout });
        }
        let (expected, own) = ((opening.brush_nanos, opening.brushes_per_safe), session.lengths());
        if expected != (own.brush_nanos, own.brushes_per_safe) {
            let said = Lengths { brush_nanos: expected.0, brushes_per_safe: expected.1, ..own };
            return Err(FilmFault::CycleLengths { expected: in_words(said), found: in_words(own) }.into());
        }
        let (expected, found) = (opening.game_content, session.build());
        if expected != found {
            let note = format!("the film was recorded by build {expected:016x}, and this is build {found:016x}");
            self.notes.push(note);
        }
        Ok(session)
    }

    fn content_of(&self, mut content: Content, block: &[u8]) -> Result<Content, Error> {
        content.return_to(content_of_block(block).unwrap_or(0))?;
        Ok(content)
    }

    /// A session that continues from a moment; the content of today, if given, enters as changed tags.
    pub fn go_on(
        mut self,
        moment: Moment,
        present: Option<Content>,
        workers: &dyn Workers,
    ) -> Result<(Session, Parent), Error> {
        self.seek(moment, workers)?;
        let (take, cycle) = self.place();
        let opening = self.film().opening(take).cloned().ok_or(FilmFault::NoTake(Some(take)))?;
        let film = Arc::clone(&self.film);
        let reached = self.session.as_mut().ok_or(FilmFault::NotLoaded)?;
        let block = reached.world().bytes().to_vec();
        let chain = reached.chain();
        let content = match present {
            Some(present) => self.content_of(feed::with_film(present, &film), &block)?,
            None => self.content_of(feed::own_content(&film, &self.entry), &block)?,
        };
        let mut session = Session::begin(&self.entry, content, &self.start_of(&opening), &Pages)?;
        session.world_mut().adopt(&block)?;
        session.set_chain(chain);
        session.content_mut().offer_present();
        session.game().loaded(session.world());
        let film = self.film().index().film;
        Ok((session, Parent { film, take, cycle }))
    }

    /// The start parameters for a session of a take.
    fn start_of(&self, opening: &Opening) -> Start {
        let players = opening.players.min(relay::limits::PEOPLE_MAX);
        Start { level: opening.level.clone(), seed: opening.seed, players, settings: self.settings }
    }
}

fn is_damage(error: &Error) -> bool {
    matches!(error.kind(), Error::Film(FilmFault::Damaged(_)))
}
