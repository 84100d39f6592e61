//! The letters between a host and a machine that joins: who it is, whether it has the same game, the world, and the records since.
//!
//! | from | letter | meaning |
//! |---|---|---|
//! | guest | `Hello` | it wants to play or to observe |
//! | host | `Offer` | what is played; or `Refused`, with the reason |
//! | guest | `Accept` | what it has itself; the host answers with the world, or with `Tags` and `Refused` |
//! | host | `Block`, then `Part` | the world of a cycle, compressed |
//! | guest | `Loaded` | its world has all cycles before this one |
//! | host | `Tail` | the records since; the guest applies them and says `Loaded` again |
//! | host | `Begin` | the records are few: it takes part from here on |
//! | host | `Differs` | the world of a machine differs; told to all |
//! | host | `Compare` | the guest's world differs: it sends its own as `Block` and `Part` |
//! | both | `Done` | how far it played and what its chain is |
//! | both | `Farewell` | it goes, and why |
//! | host | `Roster` | who the machines are; whenever that changes |
//! | both | `Say` | a line for all; the host passes it on |
//! | guest | `Ready`, `Choose`, `AskPause` | what its player wants; the [rights](crate::rights) decide |
//!
//! Letters travel in reliable streams: [`CONTROL`] and [`BULK`]. A letter out of its turn changes nothing.
//!
//! Laws
//! 1. Any bytes are read as a letter or refused with a reason; what is read takes memory in proportion to its bytes.
//! 2. Numbers of cycles, terms and inputs are at most [`COUNT_MAX`](crate::limits::COUNT_MAX), and no machine is named twice: a reader may add and multiply them.

use alloc::string::String;
use alloc::vec::Vec;

use base::StringId;
use base::bytes::{ByteReader, ByteWriter, Found, Offset, ReadError};

mod roster;

pub use roster::{Roster, RosterEntry, plain_name, plain_text, read_address, write_address};

use crate::channel::{Delivery, StreamSettings};
use crate::limits::{
    CYCLE_US_MAX, KINDS_TOLD_MAX, LETTER_TEXT_BYTES_MAX, PART_BYTES_MAX, PLAYERS_MAX, SAID_BYTES_MAX, TAGS_TOLD_MAX,
    TAIL_BYTES_MAX,
};
use crate::lockstep::{JoinPoint, Term, read_number};
use roster::{read_name, write_name};

/// The streams of a connection of a session: play, letters, and what is large.
pub const STREAMS: [StreamSettings; 3] = [
    StreamSettings { delivery: Delivery::Unreliable, share: 8, is_urgent: true },
    StreamSettings { delivery: Delivery::Reliable, share: 4, is_urgent: false },
    StreamSettings { delivery: Delivery::Reliable, share: 1, is_urgent: false },
];

/// The number of the stream of lockstep.
pub const PLAY: u8 = 0;

/// The number of the stream of short letters.
pub const CONTROL: u8 = 1;

/// The number of the stream of the world, of its parts and of the records since.
pub const BULK: u8 = 2;

/// The version of the letters and of lockstep.
pub const FORMAT: u16 = 3;

/// One letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Letter {
    /// From a guest, first.
    Hello {
        /// Its [`FORMAT`].
        format: u16,
        /// Whether it only watches.
        is_observer: bool,
        /// The name of the person.
        name: String,
        /// The player that it wants.
        player: Option<u8>,
        /// Whether the first cycle may begin as soon as it has the world.
        is_ready: bool,
    },
    /// From the host: what is played.
    Offer(Offer),
    /// From a guest: what it has itself.
    Accept(Identities),
    /// From the host: it will not have this guest, for this reason.
    Refused {
        /// The reason, for people.
        why: String,
    },
    /// From the host, to a guest with other tags: all of its tags, with a part of their hashes.
    Tags(Vec<(String, u64)>),
    /// From the host: the world of a cycle comes in parts.
    Block(BlockHead),
    /// A part of the compressed block.
    Part(Vec<u8>),
    /// From a guest: its world has all cycles before this one.
    Loaded {
        /// The cycle.
        next: u64,
    },
    /// From the host: records from a cycle on, as `Kinds::write_tail` encodes them.
    Tail {
        /// The cycle of the first one.
        first: u64,
        /// The records.
        records: Vec<u8>,
    },
    /// From the host: it takes part from here on.
    Begin(JoinPoint),
    /// It has played to its end.
    Done {
        /// The first cycle that it did not apply.
        cycle: u64,
        /// The chain over all cycles before.
        chain: u64,
    },
    /// From the host, to a machine whose world differs: it is to send its world before this cycle.
    Compare {
        /// The cycle.
        at: u64,
    },
    /// From the host: the world of a machine differs.
    Differs {
        /// The machine.
        machine: u8,
        /// The first cycle after which it was noticed.
        cycle: u64,
        /// What differs, once it is known.
        text: String,
    },
    /// It goes, for this reason.
    Farewell {
        /// The reason, for people.
        why: String,
    },
    /// From the host: the machines.
    Roster(Roster),
    /// A line for all.
    Say {
        /// Who says it; the host writes who it was.
        machine: u8,
        /// The line.
        text: String,
    },
    /// From a guest: the first cycle may begin, or not any more.
    Ready(bool),
    /// From a guest: it wants to play this player.
    Choose(u8),
    /// From a guest: it asks for a pause, or not any more.
    AskPause(bool),
}

/// What must be equal on all machines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Identities {
    /// The code that steps the world.
    pub build: u64,
    /// The tags.
    pub content: u64,
    /// The layout of the world.
    pub layout: u64,
}

/// What a host plays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// The game.
    pub game: String,
    /// Its version, for people.
    pub version: String,
    /// The level.
    pub level: String,
    /// The host's identities.
    pub identities: Identities,
    /// The seed of the world.
    pub seed: u64,
    /// The players of the world.
    pub players: u16,
    /// The number of the joining machine: the player it plays, or, from `players` on, an observer.
    pub machine: u8,
    /// The length of a safe cycle.
    pub cycle_us: u64,
    /// The kinds of events that have numbers.
    pub kinds: Vec<StringId>,
}

/// The world of a cycle, before its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockHead {
    /// The cycle of the session: the world has all before it.
    pub next: u64,
    /// The safe cycle of the world at cycle 0 of the session.
    pub base: u64,
    /// The level.
    pub level: String,
    /// The bytes of the block, and of its compressed parts together.
    pub bytes: u64,
    /// The same, compressed.
    pub compressed: u64,
    /// The hash of the world.
    pub hash: u64,
    /// The chain of the world.
    pub chain: u64,
    /// The players that machines play; robots play the others.
    pub played: Vec<u8>,
}

impl Letter {
    /// The stream it travels in.
    pub fn stream(&self) -> u8 {
        match self {
            Letter::Tags(_) | Letter::Block(_) | Letter::Part(_) | Letter::Tail { .. } | Letter::Begin(_) => BULK,
            _ => CONTROL,
        }
    }

    /// Encodes it.
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Letter::Hello { format, is_observer, name, player, is_ready } => {
                out.write_u8(0);
                out.write_u16(*format);
                out.write_u8(u8::from(*is_observer) | u8::from(*is_ready) << 1);
                write_name(name, &mut out);
                out.write_u8(player.unwrap_or(NO_PLAYER));
            }
            Letter::Offer(offer) => offer.write(&mut out),
            Letter::Accept(identities) => {
                out.write_u8(2);
                identities.write(&mut out);
            }
            Letter::Refused { why } | Letter::Farewell { why } => {
                out.write_u8(if matches!(self, Letter::Refused { .. }) { 3 } else { 11 });
                write_text(why, &mut out);
            }
            Letter::Tags(tags) => {
                out.write_u8(4);
                let tags = &tags[..tags.len().min(TAGS_TOLD_MAX)];
                out.write_varint(tags.len() as u64);
                for (path, key) in tags {
                    write_text(path, &mut out);
                    out.write_u64(*key);
                }
            }
            Letter::Block(head) => head.write(&mut out),
            Letter::Part(bytes) => {
                out.write_u8(6);
                out.write_bytes(bytes, PART_BYTES_MAX);
            }
            Letter::Loaded { next } => {
                out.write_u8(7);
                out.write_varint(*next);
            }
            Letter::Tail { first, records } => {
                out.write_u8(8);
                out.write_varint(*first);
                out.write_bytes(records, TAIL_BYTES_MAX);
            }
            Letter::Begin(point) => write_point(point, &mut out),
            Letter::Done { cycle, chain } => {
                out.write_u8(10);
                out.write_varint(*cycle);
                out.write_u64(*chain);
            }
            Letter::Compare { at } => {
                out.write_u8(12);
                out.write_varint(*at);
            }
            Letter::Roster(roster) => {
                out.write_u8(13);
                roster.write(&mut out);
            }
            Letter::Say { machine, text } => {
                out.write_u8(14);
                out.write_u8(*machine);
                out.write_text(&plain_text(text, SAID_BYTES_MAX), SAID_BYTES_MAX);
            }
            Letter::Ready(is_it) | Letter::AskPause(is_it) => {
                out.write_u8(if matches!(self, Letter::Ready(_)) { 15 } else { 17 });
                out.write_u8(u8::from(*is_it));
            }
            Letter::Differs { machine, cycle, text } => {
                out.write_u8(18);
                out.write_u8(*machine);
                out.write_varint(*cycle);
                out.write_text(&plain_text(text, SAID_BYTES_MAX), SAID_BYTES_MAX);
            }
            Letter::Choose(player) => {
                out.write_u8(16);
                out.write_u8(*player);
            }
        }
        out
    }

    /// Decodes it.
    pub fn read(bytes: &[u8]) -> Result<Letter, ReadError> {
        let mut reader = ByteReader::new(bytes);
        let letter = match reader.read_u8()? {
            0 => return read_hello(reader),
            1 => Letter::Offer(Offer::read(&mut reader)?),
            2 => Letter::Accept(Identities::read(&mut reader)?),
            3 => Letter::Refused { why: read_text(&mut reader)? },
            4 => {
                let count = reader.read_count(TAGS_TOLD_MAX, 9)?;
                let tag = |reader: &mut ByteReader<'_>| Ok((read_text(reader)?, reader.read_u64()?));
                Letter::Tags((0..count).map(|_| tag(&mut reader)).collect::<Result<_, ReadError>>()?)
            }
            5 => Letter::Block(BlockHead::read(&mut reader)?),
            6 => Letter::Part(reader.read_bytes(PART_BYTES_MAX)?.to_vec()),
            7 => Letter::Loaded { next: read_number(&mut reader)? },
            8 => {
                let first = read_number(&mut reader)?;
                Letter::Tail { first, records: reader.read_bytes(TAIL_BYTES_MAX)?.to_vec() }
            }
            9 => Letter::Begin(read_point(&mut reader)?),
            10 => Letter::Done { cycle: read_number(&mut reader)?, chain: reader.read_u64()? },
            11 => Letter::Farewell { why: read_text(&mut reader)? },
            12 => Letter::Compare { at: read_number(&mut reader)? },
            13 => Letter::Roster(Roster::read(&mut reader)?),
            14 => {
                let machine = read_machine(&mut reader)?;
                Letter::Say { machine, text: plain_text(reader.read_text(SAID_BYTES_MAX)?, SAID_BYTES_MAX) }
            }
            15 => Letter::Ready(reader.read_u8()? != 0),
            16 => Letter::Choose(read_machine(&mut reader)?),
            17 => Letter::AskPause(reader.read_u8()? != 0),
            18 => {
                let (machine, cycle) = (read_machine(&mut reader)?, read_number(&mut reader)?);
                let text = plain_text(reader.read_text(SAID_BYTES_MAX)?, SAID_BYTES_MAX);
                Letter::Differs { machine, cycle, text }
            }
            number => {
                let found = Found::OutOfRange { number: number.into(), max: 18 };
                return Err(ReadError { expected: "a kind of letter", offset: Offset::Byte(0), found });
            }
        };
        reader.finish()?;
        Ok(letter)
    }
}

/// The player of a guest that wants none in particular.
const NO_PLAYER: u8 = 0xff;

/// A greeting of another version is known by its number; what follows may have any form.
fn read_hello(mut reader: ByteReader<'_>) -> Result<Letter, ReadError> {
    let format = reader.read_u16()?;
    if format != FORMAT {
        let name = String::new();
        return Ok(Letter::Hello { format, is_observer: false, name, player: None, is_ready: false });
    }
    let (flags, name, player) = (reader.read_u8()?, read_name(&mut reader)?, reader.read_u8()?);
    reader.finish()?;
    let player = Some(player).filter(|player| usize::from(*player) < PLAYERS_MAX);
    Ok(Letter::Hello { format, is_observer: flags & 1 == 1, name, player, is_ready: flags & 2 == 2 })
}

impl Identities {
    fn write(&self, out: &mut Vec<u8>) {
        [self.build, self.content, self.layout].iter().for_each(|number| out.write_u64(*number));
    }

    fn read(reader: &mut ByteReader<'_>) -> Result<Identities, ReadError> {
        Ok(Identities { build: reader.read_u64()?, content: reader.read_u64()?, layout: reader.read_u64()? })
    }
}

impl Offer {
    fn write(&self, out: &mut Vec<u8>) {
        out.write_u8(1);
        [&self.game, &self.version, &self.level].iter().for_each(|text| write_text(text, out));
        self.identities.write(out);
        out.write_u64(self.seed);
        out.write_u16(self.players);
        out.write_u8(self.machine);
        out.write_varint(self.cycle_us);
        let kinds = &self.kinds[..self.kinds.len().min(KINDS_TOLD_MAX)];
        out.write_varint(kinds.len() as u64);
        kinds.iter().for_each(|kind| out.write_u64(kind.number()));
    }

    fn read(reader: &mut ByteReader<'_>) -> Result<Offer, ReadError> {
        let (game, version, level) = (read_text(reader)?, read_text(reader)?, read_text(reader)?);
        let identities = Identities::read(reader)?;
        let (seed, players, machine) = (reader.read_u64()?, reader.read_u16()?, read_machine(reader)?);
        let cycle_us = reader.read_varint()?;
        if !(1_000..=CYCLE_US_MAX).contains(&cycle_us) {
            let found = Found::OutOfRange { number: cycle_us, max: CYCLE_US_MAX };
            return Err(ReadError { expected: "the length of a cycle", offset: Offset::Byte(0), found });
        }
        let count = reader.read_count(KINDS_TOLD_MAX, 8)?;
        let kinds = (0..count).map(|_| reader.read_u64().map(StringId::from_number)).collect::<Result<_, _>>()?;
        Ok(Offer { game, version, level, identities, seed, players, machine, cycle_us, kinds })
    }
}

impl BlockHead {
    fn write(&self, out: &mut Vec<u8>) {
        out.write_u8(5);
        [self.next, self.base, self.bytes, self.compressed].iter().for_each(|number| out.write_varint(*number));
        write_text(&self.level, out);
        out.write_u64(self.hash);
        out.write_u64(self.chain);
        write_machines(&self.played, out);
    }

    fn read(reader: &mut ByteReader<'_>) -> Result<BlockHead, ReadError> {
        let (next, base) = (read_number(reader)?, read_number(reader)?);
        let (bytes, compressed, level) = (reader.read_varint()?, reader.read_varint()?, read_text(reader)?);
        let (hash, chain, played) = (reader.read_u64()?, reader.read_u64()?, read_machines(reader)?);
        Ok(BlockHead { next, base, level, bytes, compressed, hash, chain, played })
    }
}

fn write_point(point: &JoinPoint, out: &mut Vec<u8>) {
    out.write_u8(9);
    out.write_varint(point.term.number);
    out.write_u8(point.term.host);
    out.write_varint(point.first);
    out.write_u64(point.chain);
    write_machines(&point.members, out);
    point.taken.iter().for_each(|taken| out.write_varint(*taken));
    out.write_u8(u8::from(point.is_paused));
}

fn read_point(reader: &mut ByteReader<'_>) -> Result<JoinPoint, ReadError> {
    let term = Term { number: read_number(reader)?, host: read_machine(reader)? };
    let (first, chain, members) = (read_number(reader)?, reader.read_u64()?, read_machines(reader)?);
    let mut taken = [0; PLAYERS_MAX];
    for number in &mut taken {
        *number = read_number(reader)?;
    }
    Ok(JoinPoint { term, first, chain, members, taken, is_paused: reader.read_u8()? != 0 })
}

/// Writes a text, shortened to the longest that is read.
fn write_text(text: &str, out: &mut Vec<u8>) {
    let end = (0..=text.len().min(LETTER_TEXT_BYTES_MAX)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    out.write_text(&text[..end], LETTER_TEXT_BYTES_MAX);
}

/// Reads a text as it may be shown: letters are from others, and their texts reach terminals.
fn read_text(reader: &mut ByteReader<'_>) -> Result<String, ReadError> {
    reader.read_text(LETTER_TEXT_BYTES_MAX).map(|text| plain_text(text, LETTER_TEXT_BYTES_MAX))
}

fn write_machines(machines: &[u8], out: &mut Vec<u8>) {
    let machines = &machines[..machines.len().min(PLAYERS_MAX)];
    out.write_bytes(machines, PLAYERS_MAX);
}

fn read_machines(reader: &mut ByteReader<'_>) -> Result<Vec<u8>, ReadError> {
    let mut machines = Vec::new();
    for _ in 0..reader.read_count(PLAYERS_MAX, 1)? {
        let offset = Offset::Byte(reader.offset() as u64);
        let machine = read_machine(reader)?;
        if machines.contains(&machine) {
            let found = Found::OutOfRange { number: machine.into(), max: PLAYERS_MAX as u64 - 1 };
            return Err(ReadError { expected: "a machine, once", offset, found });
        }
        machines.push(machine);
    }
    Ok(machines)
}

fn read_machine(reader: &mut ByteReader<'_>) -> Result<u8, ReadError> {
    let offset = reader.offset();
    let machine = reader.read_u8()?;
    if usize::from(machine) < PLAYERS_MAX {
        return Ok(machine);
    }
    let found = Found::OutOfRange { number: machine.into(), max: PLAYERS_MAX as u64 - 1 };
    Err(ReadError { expected: "a machine", offset: Offset::Byte(offset as u64), found })
}
