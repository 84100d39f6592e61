//! Films: opening, playing from any cycle, continuing and cutting.
//!
//! Laws
//! 1. A film plays with the content it holds, whatever the files contain today; or, on request, with the current content.
//! 2. Any cycle is reached from the newest keyframe before it, by the inputs since. If that keyframe is damaged, from
//!    an earlier one.
//! 3. Damage is reported, and an unreachable cycle is an error. A world that differs from the film's is never returned
//!    silently: hashes are compared at every safe cycle on the way.

mod chunk_cache;
mod cut;
mod feed;
mod moment;
mod player;
mod verify;
mod who;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use host::files::Reader;
use relay::film::{Ending, FilmIndex, HEAD_BYTES, Kind, Opening, Place, Source, Take, Trouble, track};
use state::Alone;

use crate::error::Error;
use crate::film_error::FilmFault;
use crate::game::{GameEntry, is_of_tags_alone};
use crate::mods::{ModIdentity, in_force};
use crate::profile::{self, ProfileSummary};
use crate::project;
use crate::session::Session;

pub use cut::{Snippet, branch, cut, mark};
pub use feed::Shown;
pub use moment::{Moment, split_path};
pub use player::{Player, Reached};
pub use verify::{Departure, FilmVerdict, compare, verify};
pub use who::who;

/// An opened film. Its player and the content of the session that it drives share it, and only read.
pub struct Film {
    path: PathBuf,
    reader: Reader,
    index: FilmIndex,
    /// The identity of each content, by take and the cycle from which it is in force.
    identities: BTreeMap<(u16, u64), u64>,
    /// What all sessions of the film share: they begin as often as its takes need it.
    shared: feed::Shared,
}

struct FileSource<'a>(&'a Reader);

impl Source for FileSource<'_> {
    fn length(&self) -> u64 {
        self.0.length()
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<(), String> {
        self.0.read_at(offset, into).map_err(|error| error.to_string())
    }
}

/// The game of a film: one of these, or a game made only of the tags in the film.
pub fn entry_of(path: &Path, games: &[GameEntry]) -> Result<GameEntry, Error> {
    let (path, _) = split_path(path)?;
    let film = Film::open(&path)?;
    let first = film.index.takes.first().ok_or_else(|| Error::from(FilmFault::NoTake(None)).in_file(&path))?;
    film.entry(first, games)
}

/// The mods that a film began with.
pub fn mods_of(path: &Path, games: &[GameEntry]) -> Result<Vec<ModIdentity>, Error> {
    let film = Arc::new(Film::open(path)?);
    let Some(first) = film.index.takes.first() else { return Ok(Vec::new()) };
    let Some(identity) = film.identities.values().next().copied() else { return Ok(Vec::new()) };
    let mut content = feed::own_content(&film, &film.entry(first, games)?);
    content.return_to(identity)?;
    Ok(in_force(content.library()))
}

/// A session at a moment of a film, with the film's content.
pub fn session_at(path: &Path, moment: Moment, games: &[GameEntry]) -> Result<Session, Error> {
    let mut player = Player::new(Film::open(path)?, games, Shown::Own)?;
    player.seek(moment, &Alone)?;
    player.leave().map(|(session, _)| session)
}

impl Film {
    /// Opens a film. Damage does not prevent that: see [`Film::troubles`].
    pub fn open(path: &Path) -> Result<Film, Error> {
        let reader = Reader::open(path)?;
        let index = FilmIndex::read(&mut FileSource(&reader));
        let index = index.map_err(|error| Error::from(FilmFault::Unreadable(error)).in_file(path))?;
        // Of two contents from one cycle on, the first counts.
        let contents = index.of_kind(Kind::Content).rev().map(|place| place.head);
        let identities = contents.map(|head| ((head.take, head.stamp.cycle), head.stamp.hash)).collect();
        Ok(Film { path: path.to_path_buf(), reader, index, identities, shared: feed::Shared::default() })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its index.
    pub fn index(&self) -> &FilmIndex {
        &self.index
    }

    /// The damage found when it was opened, and by the checks since.
    pub fn troubles(&self) -> impl Iterator<Item = &Trouble> {
        self.index.troubles.iter()
    }

    /// The take and cycle of a moment. Without a take, the last that holds the cycle; without a cycle, the end.
    pub fn find(&self, moment: Moment) -> Result<(u16, u64), Error> {
        let take = match (moment.take, moment.cycle) {
            (Some(number), _) => self.index.take(number),
            (None, Some(cycle)) => self.index.take_with(cycle),
            (None, None) => self.index.takes.last(),
        };
        let Some(take) = take else { return Err(self.unreachable(moment)) };
        let runs = take.runs();
        let cycle = moment.cycle.or(runs.last().map(|run| run.last)).unwrap_or(take.start);
        if runs.iter().any(|run| run.has(cycle)) { Ok((take.number, cycle)) } else { Err(self.unreachable(moment)) }
    }

    /// The take that comes after this one. The takes are in order.
    fn take_after(&self, number: u16) -> Option<&Take> {
        let takes = &self.index.takes;
        takes.get(takes.partition_point(|take| take.number <= number))
    }

    fn unreachable(&self, moment: Moment) -> Error {
        self.fault(FilmFault::Unreachable { moment: moment.to_string(), runs: self.describe_runs() })
    }

    fn fault(&self, fault: FilmFault) -> Error {
        Error::from(fault).in_file(&self.path)
    }

    /// The number of brush cycles between two moments, across takes.
    pub fn cycles_between(&self, from: (u16, u64), to: (u16, u64)) -> u64 {
        let takes = self.index.takes.iter().filter(|take| (from.0..=to.0).contains(&take.number));
        let cycles = takes.map(|take| {
            let first = if take.number == from.0 { from.1 } else { take.start };
            let last = if take.number == to.0 { to.1 } else { take.last() };
            last.saturating_sub(first)
        });
        cycles.fold(0, u64::saturating_add)
    }

    /// The cycles that can be played, as text.
    pub fn describe_runs(&self) -> String {
        let mut takes = Vec::new();
        for take in &self.index.takes {
            let runs: Vec<String> = take.runs().iter().map(|run| format!("{} to {}", run.first, run.last)).collect();
            let runs = if runs.is_empty() { String::from("none") } else { runs.join(", ") };
            takes.push(format!("take {}, cycles {runs}", take.number));
        }
        takes.join("; ")
    }

    /// The game of a take: one of these, or a game made only of the tags in the film.
    pub fn entry(&self, take: &Take, games: &[GameEntry]) -> Result<GameEntry, Error> {
        let game = &take.opening.game;
        if let Some(known) = games.iter().find(|entry| entry.name == *game) {
            return Ok(*known);
        }
        if !is_of_tags_alone(take.opening.game_content) {
            return Err(Error::UnknownGame { name: game.clone() }.in_file(&self.path));
        }
        // A game of tags alone is complete in its tags, which the film holds.
        let levels: BTreeSet<&str> = self.index.takes.iter().map(|take| take.opening.level.as_str()).collect();
        project::of_tags(game, &levels).map_err(|error| error.in_file(&self.path))
    }

    /// The opening of a take.
    pub fn opening(&self, take: u16) -> Option<&Opening> {
        self.index.take(take).map(|take| &take.opening)
    }

    /// The ending of a take, if it was written.
    pub fn ending(&self, take: u16) -> Option<Ending> {
        let place = self.index.take(take)?.end?;
        Ending::decode(&self.body(&place).ok()?).ok()
    }

    /// The body of a chunk, if its checksum holds.
    pub fn body(&self, place: &Place) -> Result<Vec<u8>, Error> {
        let mut body = Vec::new();
        let read = FilmIndex::body(&mut FileSource(&self.reader), place, &mut body);
        read.map(|()| body).map_err(|trouble| self.fault(FilmFault::Damaged(trouble)))
    }

    /// The identity of the content in force from this cycle on, if it changed there.
    pub fn identity_from(&self, take: u16, cycle: u64) -> Option<u64> {
        self.identities.get(&(take, cycle)).copied()
    }

    /// All tracks: the name of each, and its items by cycle. Damaged ones are left out.
    pub fn tracks(&self) -> Vec<(String, Vec<relay::film::Item>)> {
        let mut tracks: BTreeMap<String, Vec<relay::film::Item>> = BTreeMap::new();
        for place in self.index.of_kind(Kind::Track) {
            let Ok(body) = self.body(place) else { continue };
            let Ok((name, items)) = track::decode(&body) else { continue };
            tracks.entry(name).or_default().extend(items);
        }
        tracks
            .into_iter()
            .map(|(name, mut items)| {
                items.sort_by_key(|item| item.cycle);
                (name, items)
            })
            .collect()
    }

    /// The profile of the film: the summaries in its track, in order, of one take or all, that begin within these cycles; and how
    /// many items could not be read. Damaged chunks are left out.
    pub fn profile(&self, take: Option<u16>, cycles: RangeInclusive<u64>) -> (Vec<ProfileSummary>, u64) {
        let (mut seconds, mut unread) = (Vec::new(), 0);
        let is_wanted = |place: &&Place| take.is_none_or(|take| place.head.take == take);
        for place in self.index.of_kind(Kind::Track).filter(is_wanted) {
            let Some((name, items)) = self.body(place).ok().and_then(|body| track::decode(&body).ok()) else {
                continue;
            };
            if name != profile::track::TRACK {
                continue;
            }
            for item in items.iter().filter(|item| cycles.contains(&item.cycle)) {
                match profile::track::decode(&item.bytes) {
                    Ok(Some(second)) => seconds.push(second),
                    Ok(None) | Err(_) => unread += 1,
                }
            }
        }
        (seconds, unread)
    }

    /// Checks the bodies of all chunks and notes the damage.
    pub fn check_all(&mut self) {
        self.check(|_| true);
    }

    /// Checks the endings of all takes, and the tracks, and notes the damage.
    pub fn check_endings(&mut self) {
        self.check(|place| matches!(place.head.kind(), Some(Kind::End | Kind::Track)));
    }

    fn check(&mut self, is_wanted: impl Fn(&Place) -> bool) {
        let chunks = self.index.chunks.iter().filter(|place| is_wanted(place));
        let checked = chunks.map(|place| FilmIndex::check_body(&mut FileSource(&self.reader), place));
        let found: Vec<Trouble> = checked.filter_map(Result::err).collect();
        for trouble in found {
            if !self.index.troubles.contains(&trouble) {
                self.index.note(trouble);
            }
        }
    }

    /// The number of chunks of each kind that are still unread after a film was opened and its ends were reported: by
    /// then openings, ends, tracks and the last chunk have been read.
    pub fn unread(&self) -> Vec<(Kind, u64)> {
        let last = self.index.chunks.last().map(|place| place.offset);
        let count = |kind: Kind| {
            let is_unread =
                |place: &&Place| !matches!(kind, Kind::Opening | Kind::End | Kind::Track) && Some(place.offset) != last;
            (kind, self.index.of_kind(kind).filter(is_unread).count() as u64)
        };
        Kind::ALL.into_iter().map(count).filter(|(_, count)| *count > 0).collect()
    }

    /// The number of chunks of each kind and their size in bytes, heads included.
    pub fn sizes(&self) -> Vec<(Kind, u64, u64)> {
        let size = |kind: Kind| {
            let places = self.index.of_kind(kind);
            places.fold((kind, 0, 0), |(kind, count, bytes), place| {
                (kind, count + 1, bytes + u64::from(place.head.length) + HEAD_BYTES as u64)
            })
        };
        Kind::ALL.into_iter().map(size).filter(|(_, count, _)| *count > 0).collect()
    }
}
