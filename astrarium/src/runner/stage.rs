//! The worlds of a runner: the one being played, and the moment of a film that is shown instead.
//!
//! Laws
//! 1. At least one of them is there. While a film is shown, the world being played waits, unchanged.
//! 2. An earlier moment of the running film is reached through the film itself: from a keyframe, by the inputs since, with all
//!    hashes compared. So what is shown is what was.

use std::path::PathBuf;
use std::sync::Arc;

use relay::film::Parent;
use shelf::blocks::BlockCache;
use state::Workers;

use crate::error::Error;
use crate::film::{Film, Moment, Player, Shown};
use crate::film_error::FilmFault;
use crate::session::{PastWorld, Session};

/// The worlds of a runner.
pub struct Stage {
    live: Option<Session>,
    review: Option<Player>,
    /// Where a world that branches off a film is recorded.
    branch_film: Option<PathBuf>,
}

/// What one attempt at a step did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// The world that is shown made a brush cycle.
    Stepped,
    /// The film that is shown is at its end, and the present is shown again.
    Present,
    /// Nothing more can happen: the last level has ended, or a film without a present.
    Over,
}

impl Stage {
    /// A world being played.
    pub fn live(session: Session) -> Stage {
        Stage { live: Some(session), review: None, branch_film: None }
    }

    /// A film, from this moment on. A world that branches off is recorded in the given file, if any.
    pub fn film(
        mut player: Player,
        moment: Moment,
        branch_film: Option<PathBuf>,
        workers: &dyn Workers,
    ) -> Result<Stage, Error> {
        player.seek(moment, workers)?;
        player.session().ok_or(FilmFault::NotLoaded)?;
        Ok(Stage { live: None, review: Some(player), branch_film })
    }

    /// The session that is shown.
    pub fn shown(&mut self) -> &mut Session {
        let shown = match &mut self.review {
            Some(player) => player.session(),
            None => self.live.as_mut(),
        };
        shown.expect("law 1 of stages: a player on a stage has sought, and without a player there is a live session")
    }

    /// The world being played, also while a film is shown.
    pub fn session(&mut self) -> Option<&mut Session> {
        self.live.as_mut()
    }

    /// Whether there is a world to be shown: a film whose file was damaged meanwhile may leave none.
    pub fn is_there(&mut self) -> bool {
        match &mut self.review {
            Some(player) => player.session().is_some(),
            None => self.live.is_some(),
        }
    }

    /// Whether a film is shown.
    pub fn is_review(&self) -> bool {
        self.review.is_some()
    }

    /// The bulk data of the world being played, or else of the film's.
    pub fn blocks(&mut self) -> Arc<BlockCache> {
        match &self.live {
            Some(live) => Arc::clone(live.content().blocks()),
            None => Arc::clone(self.shown().content().blocks()),
        }
    }

    /// The film, its take, and the first and the last cycle that can be shown; none if no film is recorded.
    pub fn span(&mut self) -> Option<(PathBuf, u16, (u64, u64))> {
        if let Some(live) = &mut self.live {
            let now = live.world().cycle();
            let film = live.film_mut()?;
            let shown = self.review.as_ref().map_or_else(|| film.place().0, |player| player.place().0);
            return Some((film.path().to_path_buf(), shown, (film.take_start().min(now), now)));
        }
        let player = self.review.as_ref()?;
        let (take, _) = player.place();
        let found = player.film().index().take(take)?;
        Some((player.film().path().to_path_buf(), take, (found.start, found.last())))
    }

    /// One brush cycle of the world that is shown.
    pub fn step(&mut self, workers: &dyn Workers) -> Result<Advance, Error> {
        let Some(player) = &mut self.review else {
            let live = self.shown();
            if live.last_ending().is_some() {
                return Ok(Advance::Over);
            }
            live.step(workers);
            return Ok(Advance::Stepped);
        };
        if player.step(workers)? {
            return Ok(Advance::Stepped);
        }
        // The next take does not follow from this one, but it follows in the film.
        if player.next_first().is_some() && self.live.is_none() {
            player.load_next()?;
            return Ok(Advance::Stepped);
        }
        if self.live.is_some() {
            self.review = None;
            return Ok(Advance::Present);
        }
        Ok(Advance::Over)
    }

    /// Shows a moment of the film. A moment at or after the present is the present.
    pub fn seek(&mut self, moment: Moment, workers: &dyn Workers) -> Result<(), Error> {
        let Some(live) = &mut self.live else {
            let player = self.review.as_mut().ok_or(FilmFault::NotLoaded)?;
            let (take, cycle) = player.place();
            return seek_within(player, moment, workers).inspect_err(|_| {
                // Back to where it was; if that fails as well, there is nothing to be shown.
                let _ = player.seek(Moment { take: Some(take), cycle: Some(cycle) }, workers);
            });
        };
        let now = live.world().cycle();
        let place = live.film_mut().ok_or(FilmFault::NotRecorded)?.place();
        let is_present =
            moment.cycle.is_none_or(|cycle| cycle >= now) && moment.take.is_none_or(|take| take == place.0);
        if is_present {
            self.review = None;
            return Ok(());
        }
        let mut player = match self.review.take() {
            Some(player) => player,
            None => open_running(live)?,
        };
        seek_within(&mut player, moment, workers)?;
        self.review = Some(player);
        Ok(())
    }

    /// Shows the present again. False if there is none, or it is shown already.
    pub fn to_present(&mut self) -> bool {
        self.live.is_some() && self.review.take().is_some()
    }

    /// Continues from the moment that is shown, as a new take of the running film or as a film of its own. False if the present
    /// is shown, from which the world continues anyway.
    pub fn branch(&mut self, workers: &dyn Workers) -> Result<bool, Error> {
        let Some(mut player) = self.review.take() else { return Ok(false) };
        let Some(live) = &mut self.live else {
            let (session, parent) = match leave(&mut player, workers) {
                Ok(left) => left,
                Err(error) => {
                    self.review = Some(player);
                    return Err(error);
                }
            };
            let live = self.live.insert(session);
            if let Some(path) = &self.branch_film {
                live.film_to(path, Some(parent))?;
            }
            return Ok(true);
        };
        let shown = player.session().ok_or(FilmFault::NotLoaded)?;
        let level = shown.level().to_string();
        let past = PastWorld { level: &level, block: shown.world().bytes(), chain: shown.chain() };
        let done = live.return_to_block(&past);
        if let Err(error) = done {
            self.review = Some(player);
            return Err(error);
        }
        Ok(true)
    }

    /// Ends: the session being played, if there is one.
    pub fn into_session(self) -> Option<Session> {
        self.live
    }
}

/// Opens the film that a session records, with everything up to now in it.
fn open_running(live: &mut Session) -> Result<Player, Error> {
    let settings = live.world().settings();
    let entry = live.entry().ok_or(FilmFault::NotRecorded)?;
    let containers = Arc::clone(live.content().blocks().containers());
    let film = live.film_mut().ok_or(FilmFault::NotRecorded)?;
    if !film.sync() {
        return Err(FilmFault::NotWritten.into());
    }
    let mut player = Player::new(Film::open(film.path())?, &[entry], Shown::Own)?;
    player.set_settings(settings);
    player.set_containers(containers);
    Ok(player)
}

/// Seeks to the nearest cycle that the film has.
fn seek_within(player: &mut Player, moment: Moment, workers: &dyn Workers) -> Result<(), Error> {
    let (take, cycle) = match player.film().find(moment) {
        Ok(found) => found,
        Err(error) => {
            let takes = &player.film().index().takes;
            let meant = match moment.take {
                Some(number) => takes.iter().find(|take| take.number == number),
                None => takes.last(),
            };
            let meant = meant.filter(|take| !take.runs().is_empty());
            let Some((take, wanted)) = meant.zip(moment.cycle) else { return Err(error) };
            let distance = |cycle: u64| cycle.abs_diff(wanted);
            let runs = take.runs();
            let nearest = runs.iter().map(|run| wanted.clamp(run.first, run.last)).min_by_key(|cycle| distance(*cycle));
            (take.number, nearest.unwrap_or(take.start))
        }
    };
    player.seek(Moment { take: Some(take), cycle: Some(cycle) }, workers).map(drop)
}

/// A session that continues from the moment at which a player is, with the film's content.
fn leave(player: &mut Player, workers: &dyn Workers) -> Result<(Session, Parent), Error> {
    let (take, cycle) = player.place();
    let film = Film::open(player.film().path())?;
    let mut other = Player::new(film, &[*player.entry()], Shown::Own)?;
    other.set_settings(player.settings());
    let moment = Moment { take: Some(take), cycle: Some(cycle) };
    other.go_on(moment, None, workers)
}
