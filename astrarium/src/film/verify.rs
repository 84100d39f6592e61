//! Replaying a film to verify its hashes, or to compare it with the content of today.

use relay::film::{Place, Trouble};
use state::Workers;

use crate::difference::{DescribedDifference, describe};
use crate::error::Error;
use crate::film_error::FilmFault;
use crate::game::GameEntry;

use super::feed::Shown;
use super::{Film, Moment, Player};

/// The maximum number of cycles that a diverged world is played on to reach the next keyframe, where both are compared
/// field by field.
const CYCLES_ON_MAX: u64 = 5000;

/// The result of verifying a film.
#[derive(Clone, Debug, Default)]
pub struct FilmVerdict {
    /// The number of hashes that were compared.
    pub compared: u64,
    /// The last cycle that was reached.
    pub cycle: u64,
    /// The hash of the world at that cycle.
    pub hash: u64,
    /// The chain over the hashes of all safe cycles.
    pub chain: u64,
    /// The first divergence, if any.
    pub departure: Option<Departure>,
    /// The damage that was found.
    pub troubles: Vec<Trouble>,
    /// Whether a part could not be played, and so not compared. The notes name it.
    pub is_incomplete: bool,
    /// Other messages for people.
    pub notes: Vec<String>,
}

/// The point at which a world diverged from its film.
#[derive(Clone, Debug)]
pub struct Departure {
    /// The take.
    pub take: u16,
    /// The cycle before which the divergence was detected.
    pub cycle: u64,
    /// The hash that the film holds.
    pub expected: u64,
    /// The hash of the world.
    pub found: u64,
    /// The cycle at which the two worlds were compared field by field, if that was possible.
    pub compared_at: Option<u64>,
    /// The fields that differ: the film's values on the left, the world's on the right.
    pub fields: Vec<DescribedDifference>,
}

impl FilmVerdict {
    /// Whether no fault was found.
    pub fn is_sound(&self) -> bool {
        self.departure.is_none() && self.troubles.is_empty() && !self.is_incomplete
    }
}

/// Replays a whole film and compares every hash. `report_progress` receives the progress now and then: cycles done, and cycles in
/// total.
pub fn verify(
    mut film: Film,
    games: &[GameEntry],
    workers: &dyn Workers,
    most: usize,
    report_progress: &mut dyn FnMut(u64, u64),
) -> Result<FilmVerdict, Error> {
    let path = film.path().to_path_buf();
    film.check_all();
    let mut player = Player::new(film, games, Shown::Own)?;
    let mut verdict = FilmVerdict::default();
    let runs: Vec<(u16, u64, u64)> = player.film().index().takes.iter().flat_map(runs_of).collect();
    let whole: u64 = runs.iter().map(|(_, first, last)| last - first).sum();
    if runs.is_empty() {
        verdict.notes.push(String::from("no part of the film can be played"));
        verdict.is_incomplete = true;
    }
    let mut done = 0;
    let mut reached = None;
    for (take, first, last) in runs {
        // The take before may already have led here, across a restart of the level.
        let is_there = reached == Some((take, first));
        if !is_there && let Err(trouble) = player.seek(Moment { take: Some(take), cycle: Some(first) }, workers) {
            verdict.notes.push(trouble.to_string());
            verdict.is_incomplete = true;
            continue;
        }
        reached = None;
        let halted = loop {
            let (at_take, at) = player.place();
            if at_take != take {
                reached = Some((at_take, first_of(player.film(), at_take)));
                break None;
            }
            let departure = check_keyframe(&mut player, at_take, at).or_else(|| check_end(&mut player, &mut verdict));
            if departure.is_some() {
                break departure;
            }
            report_progress(done + at.saturating_sub(first), whole);
            match player.step(workers) {
                Ok(true) => verdict.compared += u64::from(is_safe(&mut player, at)),
                Ok(false) => break None,
                Err(Error::Film(FilmFault::Diverged { take, cycle, expected, found })) => {
                    break Some(Departure { take, cycle, expected, found, compared_at: None, fields: Vec::new() });
                }
                Err(error) => {
                    verdict.notes.push(error.to_string());
                    verdict.is_incomplete = true;
                    break None;
                }
            }
        };
        done += last - first;
        if let Some(mut departure) = halted {
            name_fields(&mut departure, &mut player, &path, games, workers, most);
            verdict.departure = Some(departure);
            break;
        }
    }
    finish(verdict, player)
}

/// Plays a film from a moment up to a cycle with the content of today, and reports where it diverges.
pub fn compare(
    film: Film,
    games: &[GameEntry],
    shown: Shown,
    (from, to): (Moment, Option<u64>),
    workers: &dyn Workers,
    most: usize,
) -> Result<FilmVerdict, Error> {
    let path = film.path().to_path_buf();
    let mut player = Player::new(film, games, shown)?;
    let mut verdict = FilmVerdict::default();
    // Only the first keyframe before the moment: from there on the worlds may differ.
    player.set_tolerant(true);
    let (take, cycle) = player.film().find(from)?;
    let places: Vec<Place> =
        player.film().index().take(take).map(|take| take.keyframes_up_to(cycle).copied().collect()).unwrap_or_default();
    let place = places.first().ok_or(FilmFault::NoKeyframe { take })?;
    player.load(take, place)?;
    player.set_tolerant(false);
    loop {
        let (_, at) = player.place();
        if to.is_some_and(|to| at >= to) {
            break;
        }
        match player.step(workers) {
            Ok(true) => verdict.compared += u64::from(is_safe(&mut player, at)),
            Ok(false) => break,
            Err(Error::Film(FilmFault::Diverged { take, cycle, expected, found })) => {
                let mut departure = Departure { take, cycle, expected, found, compared_at: None, fields: Vec::new() };
                // The film's own world of that cycle is reached by playing the film.
                let own = Film::open(&path).and_then(|film| Player::new(film, games, Shown::Own));
                if let Ok(mut own) = own
                    && own.seek(Moment { take: Some(take), cycle: Some(cycle) }, workers).is_ok()
                    && let (Some(left), Some(right)) = (own.session(), player.session())
                {
                    departure.fields = describe(left, right, most);
                    departure.compared_at = Some(cycle);
                }
                verdict.departure = Some(departure);
                player.set_tolerant(true);
                while to.is_none_or(|to| player.place().1 < to) {
                    match player.step(workers) {
                        Ok(true) => {}
                        Ok(false) => break,
                        Err(error) => {
                            verdict.notes.push(error.to_string());
                            break;
                        }
                    }
                }
                break;
            }
            Err(error) => return Err(error),
        }
    }
    finish(verdict, player)
}

fn finish(mut verdict: FilmVerdict, mut player: Player) -> Result<FilmVerdict, Error> {
    verdict.notes.extend(player.take_notes());
    verdict.cycle = player.place().1;
    if let Some(session) = player.session() {
        (verdict.hash, verdict.chain) = (session.hash(), session.chain());
    }
    verdict.troubles = player.film().troubles().cloned().collect();
    Ok(verdict)
}

fn runs_of(take: &relay::film::Take) -> Vec<(u16, u64, u64)> {
    take.runs().into_iter().map(|run| (take.number, run.first, run.last)).collect()
}

fn first_of(film: &Film, take: u16) -> u64 {
    film.index().take(take).and_then(|take| take.runs().first().map(|run| run.first)).unwrap_or(0)
}

fn is_safe(player: &mut Player, cycle: u64) -> bool {
    player.session().is_some_and(|session| session.lengths().is_safe(cycle))
}

/// Compares the hash of the world with that of the film's keyframe of this cycle.
fn check_keyframe(player: &mut Player, take: u16, cycle: u64) -> Option<Departure> {
    let place = player.film().index().take(take)?.keyframes_up_to(cycle).next().copied()?;
    let stamp = place.head.stamp;
    if stamp.cycle != cycle {
        return None;
    }
    let found = player.session()?.hash();
    (found != stamp.hash).then_some(Departure {
        take,
        cycle,
        expected: stamp.hash,
        found,
        compared_at: None,
        fields: Vec::new(),
    })
}

/// At the last cycle of a take, compares the hash and the chain with the recorded ones, as far as they are known.
fn check_end(player: &mut Player, verdict: &mut FilmVerdict) -> Option<Departure> {
    let (take, cycle) = player.place();
    let stamp = player.film().index().take(take)?.end?.head.stamp;
    if stamp.cycle != cycle || stamp.hash == 0 {
        return None;
    }
    let ending = player.film().ending(take)?;
    let (found, chain) = player.session().map(|session| (session.hash(), session.chain()))?;
    verdict.compared += 1;
    if found == stamp.hash && chain != ending.chain {
        let note = format!("the chain is {chain:016x}, but the film records {:016x}", ending.chain);
        verdict.notes.push(note);
    }
    (found != stamp.hash).then_some(Departure {
        take,
        cycle,
        expected: stamp.hash,
        found,
        compared_at: None,
        fields: Vec::new(),
    })
}

/// Plays a diverged world on to the film's next keyframe, and compares the two.
fn name_fields(
    departure: &mut Departure,
    player: &mut Player,
    path: &std::path::Path,
    games: &[GameEntry],
    workers: &dyn Workers,
    most: usize,
) {
    let next = |film: &Film| {
        let take = film.index().take(departure.take)?;
        take.keyframes.iter().map(|place| place.head.stamp.cycle).find(|cycle| *cycle >= departure.cycle)
    };
    let Some(cycle) = next(player.film()).filter(|cycle| cycle - departure.cycle <= CYCLES_ON_MAX) else { return };
    player.set_tolerant(true);
    while player.place().1 < cycle {
        if !matches!(player.step(workers), Ok(true)) {
            return;
        }
    }
    let own = Film::open(path).and_then(|film| Player::new(film, games, Shown::Own));
    let Ok(mut own) = own else { return };
    let moment = Moment { take: Some(departure.take), cycle: Some(cycle) };
    if own.seek(moment, workers).is_ok()
        && let (Some(left), Some(right)) = (own.session(), player.session())
        && left.world().plan().hash() == right.world().plan().hash()
    {
        departure.fields = describe(left, right, most);
        departure.compared_at = Some(cycle);
    }
}
