//! Films: opened, played from any cycle, gone on from, cut.
//!
//! Laws
//! 1. A film plays with the content it holds, whatever the files are today; or, if asked to, with the content of today.
//! 2. Any cycle is reached from the newest keyframe before it, by the inputs since. If that keyframe is damaged, from an
//!    earlier one.
//! 3. Whatever is damaged is told, and what cannot be reached is an error. A world that is not the film's is never given
//!    without a word: hashes are compared at every safe cycle on the way.

mod cut;
mod feed;
mod moment;
mod player;
mod verify;
mod who;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use host::files::{FileError, Reader};
use relay::crash_report::Record;
use relay::film::{
    Ending, HEAD_BYTES, Keyframe, Kind, Opening, Place, Reel, Source, Take, Trouble, inputs, keyframe, track,
};
use state::Alone;

use crate::game::GameEntry;
use crate::session::Session;
use crate::{objects, project};

pub use cut::{Snippet, branch, cut, mark};
pub use feed::Shown;
pub use moment::{Moment, split_path};
pub use player::{Halt, Player, Reached};
pub use verify::{Departure, Verdict, compare, verify};
pub use who::who;

/// An opened film.
pub struct Film {
    path: PathBuf,
    reader: FileSource,
    reel: Reel,
    /// The last strip of inputs that was read.
    records: Option<(u64, Vec<Record>)>,
    /// The last whole block that was read: where it lies, and its chain.
    whole: Option<(u64, Keyframe, Vec<u8>)>,
}

struct FileSource(Reader);

impl Source for FileSource {
    fn length(&self) -> u64 {
        self.0.length()
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<(), String> {
        self.0.read_at(offset, into).map_err(|error| error.to_string())
    }
}

/// The game that a film is of: one of these, or one that is nothing but the tags in it.
pub fn entry_of(path: &Path, games: &[GameEntry]) -> Result<GameEntry, String> {
    let (path, _) = split_path(path)?;
    let film = Film::open(&path)?;
    let first = film.reel.takes.first().ok_or_else(|| format!("{}: it has no take", path.display()))?;
    film.entry(first, games)
}

/// A session at a moment of a film, with the film's content.
pub fn session_at(path: &Path, moment: Moment, games: &[GameEntry]) -> Result<Session, String> {
    let mut player = Player::new(Film::open(path)?, games, Shown::Own)?;
    player.seek(moment, &Alone)?;
    player.leave().map(|(session, _)| session)
}

impl Film {
    /// Opens a film. What is damaged in it does not keep it from being opened: see [`Film::troubles`].
    pub fn open(path: &Path) -> Result<Film, String> {
        let reader = Reader::open(path).map_err(|error: FileError| error.to_string())?;
        let mut reader = FileSource(reader);
        let reel = Reel::read(&mut reader).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Film { path: path.to_path_buf(), reader, reel, records: None, whole: None })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its index.
    pub fn reel(&self) -> &Reel {
        &self.reel
    }

    /// What is wrong with it, as far as is known: bodies are looked at when they are needed.
    pub fn troubles(&self) -> impl Iterator<Item = &Trouble> {
        self.reel.troubles.iter()
    }

    /// A take that holds a moment. Without a take, the last that holds the cycle; without a cycle, the end.
    pub fn find(&self, moment: Moment) -> Result<(u16, u64), String> {
        let take = match (moment.take, moment.cycle) {
            (Some(number), _) => self.reel.take(number),
            (None, Some(cycle)) => self.reel.take_with(cycle),
            (None, None) => self.reel.takes.last(),
        };
        let Some(take) = take else { return Err(self.unreachable(&moment.to_string())) };
        let runs = take.runs();
        let cycle = moment.cycle.or(runs.last().map(|run| run.last)).unwrap_or(take.start);
        if runs.iter().any(|run| run.has(cycle)) {
            Ok((take.number, cycle))
        } else {
            Err(self.unreachable(&moment.to_string()))
        }
    }

    fn unreachable(&self, what: &str) -> String {
        format!("{}: {what} cannot be reached; it holds {}", self.path.display(), self.tell_runs())
    }

    /// How many brush cycles lie between two moments, from take to take.
    pub fn cycles_between(&self, from: (u16, u64), to: (u16, u64)) -> u64 {
        let takes = self.reel.takes.iter().filter(|take| (from.0..=to.0).contains(&take.number));
        let cycles = takes.map(|take| {
            let first = if take.number == from.0 { from.1 } else { take.start };
            let last = if take.number == to.0 { to.1 } else { take.last() };
            last.saturating_sub(first)
        });
        cycles.fold(0, u64::saturating_add)
    }

    /// What can be played, in words.
    pub fn tell_runs(&self) -> String {
        let mut told = Vec::new();
        for take in &self.reel.takes {
            let runs: Vec<String> = take.runs().iter().map(|run| format!("{} to {}", run.first, run.last)).collect();
            let runs = if runs.is_empty() { String::from("none") } else { runs.join(", ") };
            told.push(format!("take {}, cycles {runs}", take.number));
        }
        told.join("; ")
    }

    /// The game that a take is of: one of these, or one that is nothing but the tags in the film.
    pub fn entry(&self, take: &Take, games: &[GameEntry]) -> Result<GameEntry, String> {
        let game = &take.opening.game;
        if let Some(known) = games.iter().find(|entry| entry.name == *game) {
            return Ok(*known);
        }
        let path = self.path.display();
        if take.opening.game_content != objects::ENGINE {
            return Err(format!("{path}: expected a game of this program, found \"{game}\""));
        }
        // All of such a game is in its tags, and those are in the film.
        let levels: BTreeSet<&str> = self.reel.takes.iter().map(|take| take.opening.level.as_str()).collect();
        project::of_tags(game, &levels).map_err(|trouble| format!("{path}: {trouble}"))
    }

    /// How a take begins.
    pub fn opening(&self, take: u16) -> Option<&Opening> {
        self.reel.take(take).map(|take| &take.opening)
    }

    /// How a take ends, if that was written.
    pub fn ending(&mut self, take: u16) -> Option<Ending> {
        let place = self.reel.take(take)?.end?;
        Ending::decode(&self.body(&place).ok()?).ok()
    }

    /// The body of a strip, if it is whole; else that is noted.
    pub fn body(&mut self, place: &Place) -> Result<Vec<u8>, String> {
        let mut body = Vec::new();
        match Reel::body(&mut self.reader, place, &mut body) {
            Ok(()) => Ok(body),
            Err(trouble) => {
                let told = format!("{}: {trouble}", self.path.display());
                if !self.reel.troubles.contains(&trouble) {
                    self.reel.note(trouble);
                }
                Err(told)
            }
        }
    }

    /// The record of the inputs that enter in a brush cycle of a take.
    pub fn record(&mut self, take: u16, cycle: u64) -> Result<Record, String> {
        let missing =
            |film: &Film| format!("{}: the inputs of cycle {cycle}, take {take}, are not there", film.path.display());
        let Some(found) = self.reel.take(take) else { return Err(missing(self)) };
        let brushes = found.opening.brushes_per_safe;
        let Some(place) = found.inputs_at(cycle).copied() else { return Err(missing(self)) };
        if !matches!(&self.records, Some((offset, _)) if *offset == place.offset) {
            let body = self.body(&place)?;
            let records = inputs::decode(&body, &place.head.stamp, brushes);
            let records = records.map_err(|error| format!("{}: {error}", self.path.display()))?;
            self.records = Some((place.offset, records));
        }
        let index = (cycle - place.head.stamp.cycle) / u64::from(brushes);
        let records = self.records.as_ref().map(|(_, records)| records);
        let record = records.and_then(|records| records.get(usize::try_from(index).ok()?)).cloned();
        record.ok_or_else(|| missing(self))
    }

    /// The identity of the content that is in force from this cycle on, if it changed there.
    pub fn identity_from(&self, take: u16, cycle: u64) -> Option<u64> {
        let mut contents = self.reel.of_kind(Kind::Content).map(|place| place.head);
        contents.find(|head| head.take == take && head.stamp.cycle == cycle).map(|head| head.stamp.hash)
    }

    /// The block of a keyframe, and what it says beside it.
    pub fn block(&mut self, take: u16, place: &Place) -> Result<(Keyframe, Vec<u8>), String> {
        let path = self.path.display().to_string();
        let damaged = |error: &dyn std::fmt::Display| format!("{path}: byte {}: {error}", place.offset);
        let body = self.body(place)?;
        if place.head.kind() == Some(Kind::Whole) {
            let (keyframe, block) = self.whole_block(take, place, &body)?;
            return Ok((keyframe, block.to_vec()));
        }
        let said = keyframe::look_at_patch(&body).map_err(|error| damaged(&error))?;
        let base = said.base.and_then(|base| self.whole_at(take, base));
        let base = base.ok_or_else(|| damaged(&"the keyframe that it follows from is not there"))?;
        let is_kept = matches!(&self.whole, Some((offset, ..)) if *offset == base.offset);
        let base_body = if is_kept { Vec::new() } else { self.body(&base)? };
        let mut block = self.whole_block(take, &base, &base_body)?.1.to_vec();
        let keyframe = keyframe::decode_patch(&body, &mut block).map_err(|error| damaged(&error))?;
        Ok((keyframe, block))
    }

    fn whole_at(&self, take: u16, cycle: u64) -> Option<Place> {
        let found = self.reel.take(take)?.keyframes_up_to(cycle).next()?;
        (found.head.stamp.cycle == cycle && found.head.kind() == Some(Kind::Whole)).then_some(*found)
    }

    fn whole_block(&mut self, take: u16, place: &Place, body: &[u8]) -> Result<(Keyframe, &[u8]), String> {
        if !matches!(&self.whole, Some((offset, ..)) if *offset == place.offset) {
            let bytes = self.reel.take(take).map_or(0, |take| take.opening.block_bytes);
            let mut block = self.whole.take().map_or_else(Vec::new, |(_, _, block)| block);
            block.resize(usize::try_from(bytes).unwrap_or(0), 0);
            let said = keyframe::decode_whole(body, &mut block);
            let said = said.map_err(|error| format!("{}: byte {}: {error}", self.path.display(), place.offset))?;
            self.whole = Some((place.offset, said, block));
        }
        match &self.whole {
            Some((_, said, block)) => Ok((*said, block)),
            None => Err(format!("{}: the keyframe at byte {} was not read", self.path.display(), place.offset)),
        }
    }

    /// All tracks: the name of each, and its items by cycle. What is damaged is noted.
    pub fn tracks(&mut self) -> Vec<(String, Vec<relay::film::Item>)> {
        let places: Vec<Place> = self.reel.of_kind(Kind::Track).copied().collect();
        let mut tracks: std::collections::BTreeMap<String, Vec<relay::film::Item>> = Default::default();
        for place in places {
            let Ok(body) = self.body(&place) else { continue };
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

    /// Looks at the bodies of all strips; what is damaged is noted.
    pub fn check_all(&mut self) {
        for place in self.reel.strips.clone() {
            if let Err(trouble) = Reel::check_body(&mut self.reader, &place)
                && !self.reel.troubles.contains(&trouble)
            {
                self.reel.note(trouble);
            }
        }
    }

    /// How many strips of each kind nobody has looked into by the time a film is open and its ends are told: openings, ends and the
    /// last strip have been.
    pub fn unread(&self) -> Vec<(Kind, u64)> {
        let last = self.reel.strips.last().map(|place| place.offset);
        let count = |kind: Kind| {
            let is_unread = |place: &&Place| !matches!(kind, Kind::Opening | Kind::End) && Some(place.offset) != last;
            (kind, self.reel.of_kind(kind).filter(is_unread).count() as u64)
        };
        Kind::ALL.into_iter().map(count).filter(|(_, count)| *count > 0).collect()
    }

    /// How many bytes the strips of each kind take, heads included.
    pub fn sizes(&self) -> Vec<(Kind, u64, u64)> {
        let size = |kind: Kind| {
            let places = self.reel.of_kind(kind);
            places.fold((kind, 0, 0), |(kind, count, bytes), place| {
                (kind, count + 1, bytes + u64::from(place.head.length) + HEAD_BYTES as u64)
            })
        };
        Kind::ALL.into_iter().map(size).filter(|(_, count, _)| *count > 0).collect()
    }
}
