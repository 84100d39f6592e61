//! The index of a film: its chunks by take, and its damage.
//!
//! Laws
//! 1. Only heads are read, and the bodies of openings: an hour of film is opened in milliseconds.
//! 2. After a damaged head, the next valid one is searched for. The bytes between are reported and skipped.
//! 3. A body is used only if its checksum matches: see [`FilmIndex::body`]. The last chunks are checked on opening,
//!    because a power cut leaves those half written.
//! 4. Chunks of another film, duplicates, and chunks out of order are skipped.
//! 5. Time and memory are in proportion to the file: the search goes back into the body of a torn chunk only as long as it has hashed
//!    less than [`SEARCH_BYTES_PER_BYTE`] times the file. Beyond that the chunk stays, and its body is refused when it is used.
//!
//! Cost: time and memory in proportion to the film: at most 8 bytes of heap for each byte, and a number of chunks.
//! Held by `tests/growth.rs` of the tool.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use base::bytes::ByteWriter;
use base::hash::{Hasher, hash};

use crate::film::chunk::{FORMAT, HEAD_BYTES, Head, Kind, MAGIC};
use crate::film::limits::{CHUNKS_MAX, OPENING_BYTES_MAX, SEARCH_BYTES_PER_BYTE, TAKES_MAX, TROUBLES_MAX};
use crate::film::opening::{Opening, Reason};
use crate::film::source::Source;

mod runs;

pub use runs::Run;

/// The buffer for searching valid heads and checking bodies.
const WINDOW_BYTES: usize = 64 * 1024;

/// The position of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The offset of its head.
    pub offset: u64,
    /// Its head.
    pub head: Head,
}

/// A run of cycles with one plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Take {
    /// Its number.
    pub number: u16,
    /// Its first brush cycle.
    pub start: u64,
    /// Its opening.
    pub opening: Opening,
    /// Its keyframes, by cycle.
    pub keyframes: Vec<Place>,
    /// Its inputs, by cycle.
    pub inputs: Vec<Place>,
    /// Its end, if written.
    pub end: Option<Place>,
    /// The first cycle of the next take, if this one leads there.
    pub leads_to: Option<u64>,
}

/// The index of a film.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilmIndex {
    /// The film's number.
    pub film: u64,
    /// All its chunks, in file order.
    pub chunks: Vec<Place>,
    /// Its takes.
    pub takes: Vec<Take>,
    /// The damage found.
    pub troubles: Vec<Trouble>,
    /// The number of unlisted troubles.
    pub troubles_untold: u64,
    /// The end of the last whole chunk.
    pub end: u64,
    /// The size of the file.
    pub length: u64,
}

/// A damaged part of a film.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Its offset.
    pub offset: u64,
    /// Its length in bytes.
    pub length: u64,
    /// The kind of damage.
    pub what: What,
}

/// A kind of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// These bytes are no chunk.
    NoChunk,
    /// A chunk is truncated at the end of the file.
    Torn,
    /// The body of a chunk is damaged.
    Body(u16),
    /// A chunk of another film.
    OtherFilm(u64),
    /// A duplicate chunk, or one out of order.
    OutOfOrder,
    /// Chunks are missing.
    Missing(u32),
    /// A chunk of a take without an opening.
    NoTake(u16),
    /// More chunks or takes than the limit.
    TooMany,
}

/// Why a film cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilmError {
    /// It does not start like a film, and has no chunk.
    NotAFilm,
    /// Its format is unknown to this program.
    Format {
        /// The format in the file.
        found: u16,
    },
    /// No take of it is whole.
    NoTake {
        /// The first damage.
        trouble: Option<Trouble>,
    },
    /// It cannot be read.
    Source(String),
}

impl FilmIndex {
    /// Reads the index of a film.
    pub fn read(source: &mut dyn Source) -> Result<FilmIndex, FilmError> {
        let mut index = FilmIndex {
            film: 0,
            chunks: Vec::new(),
            takes: Vec::new(),
            troubles: Vec::new(),
            troubles_untold: 0,
            end: 0,
            length: source.length(),
        };
        index.walk(source)?;
        if index.chunks.is_empty() {
            return Err(nothing(source));
        }
        index.drop_torn_chunks(source);
        index.gather(source);
        if index.takes.is_empty() {
            return Err(FilmError::NoTake { trouble: index.troubles.first().cloned() });
        }
        Ok(index)
    }

    /// The number of the next chunk.
    pub fn next_number(&self) -> u32 {
        self.chunks.last().map_or(0, |place| place.head.number.saturating_add(1))
    }

    /// The take with this number.
    pub fn take(&self, number: u16) -> Option<&Take> {
        self.takes.binary_search_by_key(&number, |take| take.number).ok().map(|index| &self.takes[index])
    }

    /// The last take in which a cycle can be reached.
    pub fn take_with(&self, cycle: u64) -> Option<&Take> {
        self.takes.iter().rev().find(|take| take.runs().iter().any(|run| run.has(cycle)))
    }

    /// All chunks of a kind, in file order.
    pub fn of_kind(&self, kind: Kind) -> impl DoubleEndedIterator<Item = &Place> {
        self.chunks.iter().filter(move |place| place.head.kind == kind as u16)
    }

    /// Reads the body of a chunk, if it is whole.
    pub fn body(source: &mut dyn Source, place: &Place, into: &mut Vec<u8>) -> Result<(), Trouble> {
        let damaged = || place.trouble(What::Body(place.head.kind));
        into.clear();
        into.resize(place.head.length as usize, 0);
        source.read_at(place.offset + HEAD_BYTES as u64, into).map_err(|_| damaged())?;
        if hash(into) == place.head.checksum { Ok(()) } else { Err(damaged()) }
    }

    /// Checks the body of a chunk without keeping it.
    pub fn check_body(source: &mut dyn Source, place: &Place) -> Result<(), Trouble> {
        let damaged = || place.trouble(What::Body(place.head.kind));
        let mut window = alloc::vec![0; WINDOW_BYTES.min(place.head.length as usize)];
        let mut hasher = Hasher::new();
        let (mut at, end) = (place.offset + HEAD_BYTES as u64, place.end());
        while at < end {
            let length = (end - at).min(window.len() as u64) as usize;
            source.read_at(at, &mut window[..length]).map_err(|_| damaged())?;
            hasher.put(&window[..length]);
            at += length as u64;
        }
        if hasher.finish() == place.head.checksum { Ok(()) } else { Err(damaged()) }
    }

    fn walk(&mut self, source: &mut dyn Source) -> Result<(), FilmError> {
        let mut at = 0;
        let mut is_after_damage = false;
        let mut bytes_left = self.length.saturating_mul(SEARCH_BYTES_PER_BYTE);
        while at < self.length {
            let Some(head) = head_at(source, at, self.length)? else {
                // Chunks appended after a torn one look like the rest of its body.
                let is_torn = |last: &mut Place| {
                    let length = u64::from(last.head.length);
                    let is_checked = last.end() == at && length <= bytes_left;
                    bytes_left -= if is_checked { length } else { 0 };
                    is_checked && FilmIndex::check_body(source, last).is_err()
                };
                if let Some(torn) = self.chunks.pop_if(is_torn) {
                    let next = next_head(source, torn.offset + HEAD_BYTES as u64, self.length)?;
                    self.note(Trouble { offset: torn.offset, length: next - torn.offset, what: What::Torn });
                    (at, is_after_damage) = (next, true);
                    continue;
                }
                let next = next_head(source, at + 1, self.length)?;
                self.note(Trouble { offset: at, length: next - at, what: What::NoChunk });
                (at, is_after_damage) = (next, true);
                continue;
            };
            let place = Place { offset: at, head };
            if place.end() > self.length {
                // Search for chunks that were appended later.
                let next = next_head(source, at + HEAD_BYTES as u64, self.length)?;
                self.note(Trouble { offset: at, length: next - at, what: What::Torn });
                (at, is_after_damage) = (next, true);
                continue;
            }
            at = place.end();
            if self.chunks.len() == CHUNKS_MAX {
                self.note(place.trouble(What::TooMany));
                return Ok(());
            }
            self.enter(place, is_after_damage);
            is_after_damage = false;
        }
        Ok(())
    }

    fn enter(&mut self, place: Place, is_after_damage: bool) {
        let Some(last) = self.chunks.last() else {
            self.film = place.head.film;
            self.chunks.push(place);
            return;
        };
        let (expected, found) = (last.head.number.saturating_add(1), place.head.number);
        if place.head.film != self.film {
            self.note(place.trouble(What::OtherFilm(place.head.film)));
        } else if found < expected {
            self.note(place.trouble(What::OutOfOrder));
        } else {
            if found > expected && !is_after_damage {
                self.note(Trouble { offset: place.offset, length: 0, what: What::Missing(found - expected) });
            }
            self.chunks.push(place);
        }
    }

    /// A power cut may leave a file with its length but not its bytes.
    fn drop_torn_chunks(&mut self, source: &mut dyn Source) {
        while let Some(last) = self.chunks.last()
            && let Err(trouble) = FilmIndex::check_body(source, last)
        {
            self.note(trouble);
            self.chunks.pop();
        }
        self.end = self.chunks.last().map_or(0, Place::end);
    }

    /// Sorts chunks into takes.
    fn gather(&mut self, source: &mut dyn Source) {
        let chunks = core::mem::take(&mut self.chunks);
        let mut body = Vec::new();
        for place in &chunks {
            let Some(kind) = place.head.kind() else { continue };
            if kind == Kind::Opening {
                self.open(source, place, &mut body);
                continue;
            }
            let (Kind::Inputs | Kind::Whole | Kind::Patch | Kind::End) = kind else { continue };
            let number = place.head.take;
            let found = self.takes.binary_search_by_key(&number, |take| take.number);
            let Some(take) = found.ok().map(|index| &mut self.takes[index]) else {
                self.note(place.trouble(What::NoTake(number)));
                continue;
            };
            let places = match kind {
                Kind::Inputs => &mut take.inputs,
                Kind::End => {
                    take.end = Some(*place);
                    continue;
                }
                _ => &mut take.keyframes,
            };
            let stamp = place.head.stamp;
            let follows = |last: &Place| last.head.stamp.cycle < stamp.cycle && last.head.stamp.until <= stamp.cycle;
            let is_late = !places.last().is_none_or(follows);
            if is_late || stamp.cycle < take.start || stamp.until < stamp.cycle {
                self.note(place.trouble(What::OutOfOrder));
            } else {
                places.push(*place);
            }
        }
        self.chunks = chunks;
        for index in 1..self.takes.len() {
            let (start, is_anew) = (self.takes[index].start, self.takes[index].opening.reason == Reason::Anew);
            let before = &mut self.takes[index - 1];
            let brushes = u64::from(before.opening.brushes_per_safe);
            let until = before.inputs.last().map_or(before.start, |place| place.head.stamp.until);
            // A level is succeeded by the next before any input enters; a restart is caused by an input.
            before.leads_to =
                (is_anew && (start == until || start.checked_add(brushes) == Some(until))).then_some(start);
        }
    }

    fn open(&mut self, source: &mut dyn Source, place: &Place, body: &mut Vec<u8>) {
        let number = place.head.take;
        let is_next = self.takes.last().is_none_or(|last| last.number < number);
        let is_whole = place.head.length as usize <= OPENING_BYTES_MAX && FilmIndex::body(source, place, body).is_ok();
        match Opening::decode(body) {
            Ok(opening) if is_whole && is_next && self.takes.len() < TAKES_MAX => self.takes.push(Take {
                number,
                start: place.head.stamp.cycle,
                opening,
                keyframes: Vec::new(),
                inputs: Vec::new(),
                end: None,
                leads_to: None,
            }),
            _ if is_whole && !is_next => self.note(place.trouble(What::OutOfOrder)),
            Ok(_) if is_whole => self.note(place.trouble(What::TooMany)),
            _ => self.note(place.trouble(What::Body(place.head.kind))),
        }
    }

    /// Adds damage found later.
    pub fn note(&mut self, trouble: Trouble) {
        if self.troubles.len() < TROUBLES_MAX {
            self.troubles.push(trouble);
        } else {
            self.troubles_untold = self.troubles_untold.saturating_add(1);
        }
    }
}

impl Place {
    /// Its end.
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(HEAD_BYTES as u64).saturating_add(u64::from(self.head.length))
    }

    fn trouble(&self, what: What) -> Trouble {
        Trouble { offset: self.offset, length: self.end() - self.offset, what }
    }
}

fn head_at(source: &mut dyn Source, at: u64, length: u64) -> Result<Option<Head>, FilmError> {
    if length - at < HEAD_BYTES as u64 {
        return Ok(None);
    }
    let mut bytes = [0; HEAD_BYTES];
    source.read_at(at, &mut bytes).map_err(FilmError::Source)?;
    Ok(Head::decode(&bytes))
}

/// The offset of the next valid head; the end if there is none. Cost: a few times the bytes up to it.
fn next_head(source: &mut dyn Source, from: u64, length: u64) -> Result<u64, FilmError> {
    let mut window = Vec::new();
    let mut at = from.min(length);
    while length - at >= HEAD_BYTES as u64 {
        // The next head is mostly near.
        window.resize((window.len() * 2).clamp(4 * HEAD_BYTES, WINDOW_BYTES), 0);
        let count = (length - at).min(window.len() as u64) as usize;
        source.read_at(at, &mut window[..count]).map_err(FilmError::Source)?;
        let heads = window[..count].windows(HEAD_BYTES).enumerate();
        let found = heads.into_iter().find(|(_, bytes)| {
            bytes.starts_with(MAGIC) && bytes.first_chunk().is_some_and(|bytes| Head::decode(bytes).is_some())
        });
        if let Some((index, _)) = found {
            return Ok(at + index as u64);
        }
        // A head may span two windows.
        at += (count - HEAD_BYTES + 1) as u64;
    }
    Ok(length)
}

fn nothing(source: &mut dyn Source) -> FilmError {
    let mut bytes = [0; 10];
    let is_read = source.length() >= bytes.len() as u64 && source.read_at(0, &mut bytes).is_ok();
    match Head::format_of(&bytes).filter(|_| is_read) {
        Some(found) if found != FORMAT => FilmError::Format { found },
        Some(_) => FilmError::NoTake { trouble: None },
        None => FilmError::NotAFilm,
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (offset, length) = (self.offset, self.length);
        match self.what {
            What::NoChunk => {
                write!(formatter, "byte {offset}: {length} bytes are not a chunk of a film; they are skipped")
            }
            What::Torn => write!(formatter, "byte {offset}: the last chunk is truncated"),
            What::Body(kind) => {
                let name = Kind::ALL.into_iter().find(|known| *known as u16 == kind).map_or("chunk", Kind::name);
                write!(formatter, "byte {offset}: a {name} of {length} bytes is damaged; it is skipped")
            }
            What::OtherFilm(film) => {
                write!(formatter, "byte {offset}: {length} bytes belong to another film, {film:016x}; they are skipped")
            }
            What::OutOfOrder => {
                write!(formatter, "byte {offset}: {length} bytes are duplicate or out of order; they are skipped")
            }
            What::Missing(count) => write!(formatter, "byte {offset}: {count} chunks are missing here"),
            What::NoTake(take) => {
                write!(formatter, "byte {offset}: {length} bytes belong to take {take}, whose opening is missing")
            }
            What::TooMany => {
                write!(formatter, "byte {offset}: more chunks or takes than the limit; the rest is ignored")
            }
        }
    }
}

impl fmt::Display for FilmError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FilmError::NotAFilm => {
                formatter.write_str("expected a film, which begins with ASTRFILM; found something else")
            }
            FilmError::Format { found } => write!(formatter, "expected film format {FORMAT}, found {found}"),
            FilmError::NoTake { trouble: None } => formatter.write_str("no take of the film is whole"),
            FilmError::NoTake { trouble: Some(trouble) } => {
                write!(formatter, "no take of the film is whole: {trouble}")
            }
            FilmError::Source(why) => formatter.write_str(why),
        }
    }
}

impl core::error::Error for FilmError {}
