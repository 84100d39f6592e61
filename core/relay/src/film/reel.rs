//! The index of a film: which strips are there, in which takes, and what is wrong with it.
//!
//! Laws
//! 1. Heads are walked, bodies are not read but for openings: an hour of film is opened in milliseconds.
//! 2. Where a head is damaged, the next sound one is searched for. What lies between is named and left out.
//! 3. A body counts only if its checksum fits: see [`Reel::body`]. Of the last strips that is looked at when a film is opened,
//!    because those are what a power cut leaves half written.
//! 4. A strip of another film, one that comes twice, and one that is out of order is left out.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use base::bytes::ByteWriter;
use base::hash::{Hasher, hash};

use crate::film::limits::{OPENING_BYTES_MAX, STRIPS_MAX, TAKES_MAX, TROUBLES_MAX};
use crate::film::opening::{Opening, Reason};
use crate::film::source::Source;
use crate::film::strip::{FORMAT, HEAD_BYTES, Head, Kind, MAGIC};

mod runs;

pub use runs::Run;

/// How much is read at once where a sound head is searched for, or a body is only checked.
const WINDOW_BYTES: usize = 64 * 1024;

/// Where a strip lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Where its head begins.
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
    /// How it begins.
    pub opening: Opening,
    /// Its keyframes, by cycle.
    pub keyframes: Vec<Place>,
    /// Its inputs, by cycle.
    pub inputs: Vec<Place>,
    /// How it ends, if that was written.
    pub end: Option<Place>,
    /// The first cycle of the next take, if this one leads there.
    pub leads_to: Option<u64>,
}

/// The index of a film.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reel {
    /// The film's number.
    pub film: u64,
    /// All strips that belong to it, as they lie.
    pub strips: Vec<Place>,
    /// Its takes.
    pub takes: Vec<Take>,
    /// What is wrong with it.
    pub troubles: Vec<Trouble>,
    /// How many more troubles there are.
    pub troubles_untold: u64,
    /// Where the last whole strip ends.
    pub end: u64,
    /// How many bytes the file has.
    pub length: u64,
}

/// Something that is wrong with a film.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Where it begins.
    pub offset: u64,
    /// How many bytes it concerns.
    pub length: u64,
    /// What it is.
    pub what: What,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// These bytes are no strip.
    NoStrip,
    /// A strip ends early: the file does.
    Torn,
    /// The body of a strip is damaged.
    Body(u16),
    /// A strip of another film.
    OtherFilm(u64),
    /// A strip that comes twice, or too late.
    OutOfOrder,
    /// Strips that were here are not.
    Missing(u32),
    /// A strip of a take that has no opening.
    NoTake(u16),
    /// There are more strips or takes than are read.
    TooMany,
}

/// Why there is no index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilmError {
    /// It does not begin like a film, and no strip is in it.
    NotAFilm,
    /// It is of a format this program does not know.
    Format {
        /// What it says.
        found: u16,
    },
    /// No take of it is whole.
    NoTake {
        /// What is wrong with it, the first thing.
        trouble: Option<Trouble>,
    },
    /// It cannot be read.
    Source(String),
}

impl Reel {
    /// Walks a film.
    pub fn read(source: &mut dyn Source) -> Result<Reel, FilmError> {
        let mut reel = Reel {
            film: 0,
            strips: Vec::new(),
            takes: Vec::new(),
            troubles: Vec::new(),
            troubles_untold: 0,
            end: 0,
            length: source.length(),
        };
        reel.walk(source)?;
        if reel.strips.is_empty() {
            return Err(nothing(source));
        }
        reel.leave_out_torn(source);
        reel.gather(source);
        if reel.takes.is_empty() {
            return Err(FilmError::NoTake { trouble: reel.troubles.first().cloned() });
        }
        Ok(reel)
    }

    /// The number of the strip that would come next.
    pub fn next_number(&self) -> u32 {
        self.strips.last().map_or(0, |place| place.head.number.saturating_add(1))
    }

    /// The take of a number.
    pub fn take(&self, number: u16) -> Option<&Take> {
        self.takes.binary_search_by_key(&number, |take| take.number).ok().map(|index| &self.takes[index])
    }

    /// The last take in which a cycle can be reached.
    pub fn take_with(&self, cycle: u64) -> Option<&Take> {
        self.takes.iter().rev().find(|take| take.runs().iter().any(|run| run.has(cycle)))
    }

    /// All strips of a kind, as they lie.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Place> {
        self.strips.iter().filter(move |place| place.head.kind == kind as u16)
    }

    /// Reads the body of a strip, if it is whole.
    pub fn body(source: &mut dyn Source, place: &Place, into: &mut Vec<u8>) -> Result<(), Trouble> {
        let damaged = || place.trouble(What::Body(place.head.kind));
        into.clear();
        into.resize(place.head.length as usize, 0);
        source.read_at(place.offset + HEAD_BYTES as u64, into).map_err(|_| damaged())?;
        if hash(into) == place.head.checksum { Ok(()) } else { Err(damaged()) }
    }

    /// The same without keeping the body: only whether it is whole.
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
        while at < self.length {
            let Some(head) = head_at(source, at, self.length)? else {
                // What was laid behind a torn strip looks like the end of its body.
                if let Some(torn) =
                    self.strips.pop_if(|last| last.end() == at && Reel::check_body(source, last).is_err())
                {
                    let next = next_head(source, torn.offset + HEAD_BYTES as u64, self.length)?;
                    self.note(Trouble { offset: torn.offset, length: next - torn.offset, what: What::Torn });
                    (at, is_after_damage) = (next, true);
                    continue;
                }
                let next = next_head(source, at + 1, self.length)?;
                self.note(Trouble { offset: at, length: next - at, what: What::NoStrip });
                (at, is_after_damage) = (next, true);
                continue;
            };
            let place = Place { offset: at, head };
            if place.end() > self.length {
                // Whatever was laid behind it later is searched for.
                let next = next_head(source, at + HEAD_BYTES as u64, self.length)?;
                self.note(Trouble { offset: at, length: next - at, what: What::Torn });
                (at, is_after_damage) = (next, true);
                continue;
            }
            at = place.end();
            if self.strips.len() == STRIPS_MAX {
                self.note(place.trouble(What::TooMany));
                return Ok(());
            }
            self.enter(place, is_after_damage);
            is_after_damage = false;
        }
        Ok(())
    }

    fn enter(&mut self, place: Place, is_after_damage: bool) {
        let Some(last) = self.strips.last() else {
            self.film = place.head.film;
            self.strips.push(place);
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
            self.strips.push(place);
        }
    }

    /// A power cut may leave a file that has its length but not its bytes.
    fn leave_out_torn(&mut self, source: &mut dyn Source) {
        while let Some(last) = self.strips.last()
            && let Err(trouble) = Reel::check_body(source, last)
        {
            self.note(trouble);
            self.strips.pop();
        }
        self.end = self.strips.last().map_or(0, Place::end);
    }

    /// Sorts strips into takes.
    fn gather(&mut self, source: &mut dyn Source) {
        let strips = core::mem::take(&mut self.strips);
        let mut body = Vec::new();
        for place in &strips {
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
        self.strips = strips;
        for index in 1..self.takes.len() {
            let (start, is_anew) = (self.takes[index].start, self.takes[index].opening.reason == Reason::Anew);
            let before = &mut self.takes[index - 1];
            let brushes = u64::from(before.opening.brushes_per_safe);
            let until = before.inputs.last().map_or(before.start, |place| place.head.stamp.until);
            // A level that gives way to the next does so before anything enters; one that starts again, because of what enters.
            before.leads_to =
                (is_anew && (start == until || start.checked_add(brushes) == Some(until))).then_some(start);
        }
    }

    fn open(&mut self, source: &mut dyn Source, place: &Place, body: &mut Vec<u8>) {
        let number = place.head.take;
        let is_next = self.takes.last().is_none_or(|last| last.number < number);
        let is_whole = place.head.length as usize <= OPENING_BYTES_MAX && Reel::body(source, place, body).is_ok();
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

    /// Adds what was found out later.
    pub fn note(&mut self, trouble: Trouble) {
        if self.troubles.len() < TROUBLES_MAX {
            self.troubles.push(trouble);
        } else {
            self.troubles_untold = self.troubles_untold.saturating_add(1);
        }
    }
}

impl Place {
    /// Where it ends.
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

/// Where the next sound head begins; the end if there is none.
fn next_head(source: &mut dyn Source, from: u64, length: u64) -> Result<u64, FilmError> {
    let mut window = alloc::vec![0; WINDOW_BYTES];
    let mut at = from.min(length);
    while length - at >= HEAD_BYTES as u64 {
        let count = (length - at).min(WINDOW_BYTES as u64) as usize;
        source.read_at(at, &mut window[..count]).map_err(FilmError::Source)?;
        let heads = window[..count].windows(HEAD_BYTES).enumerate();
        let found = heads.into_iter().find(|(_, bytes)| {
            bytes.starts_with(MAGIC) && bytes.first_chunk().is_some_and(|bytes| Head::decode(bytes).is_some())
        });
        if let Some((index, _)) = found {
            return Ok(at + index as u64);
        }
        // A head may begin in this window and end in the next.
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
            What::NoStrip => {
                write!(formatter, "byte {offset}: {length} bytes are no strip of a film; they are left out")
            }
            What::Torn => write!(formatter, "byte {offset}: it is torn there: the strip that begins has no end"),
            What::Body(kind) => {
                let name = Kind::ALL.into_iter().find(|known| *known as u16 == kind).map_or("strip", Kind::name);
                write!(formatter, "byte {offset}: a {name} of {length} bytes is damaged; it is left out")
            }
            What::OtherFilm(film) => {
                write!(formatter, "byte {offset}: {length} bytes are of another film, {film:016x}; they are left out")
            }
            What::OutOfOrder => {
                write!(formatter, "byte {offset}: {length} bytes come twice or out of order; they are left out")
            }
            What::Missing(count) => write!(formatter, "byte {offset}: {count} strips that were here are not"),
            What::NoTake(take) => {
                write!(formatter, "byte {offset}: {length} bytes are of take {take}, whose opening is not there")
            }
            What::TooMany => write!(formatter, "byte {offset}: there are more strips or takes than are read"),
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
