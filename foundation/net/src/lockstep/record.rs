//! Records: the inputs of all players in one safe cycle and who left, as the host decided; and their encoding.

use alloc::vec::Vec;

use base::StringId;
use base::bytes::{ByteReader, ByteWriter, Found, Offset, ReadError};
use relay::Event;
use relay::event::EVENT_WORDS;
use relay::limits::EVENTS_PER_BATCH_MAX;

use crate::limits::{COUNT_MAX, PLAYERS_MAX, RECORD_BYTES_MAX, TAIL_CYCLES_MAX};
use crate::rights::{RightUse, USED};

/// One safe cycle, the same on all machines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The batches that are not empty, by player.
    pub batches: Vec<PlayerBatch>,
    /// The players who leave with this cycle: they were dropped or kicked, or went.
    pub left: Vec<u8>,
    /// The players who are members from this cycle on: it is the first with their inputs.
    pub joined: Vec<u8>,
    /// The rights that were used.
    pub uses: Vec<RightUse>,
}

/// The events of one player in one cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerBatch {
    /// The player.
    pub player: u8,
    /// The number of the player's last input in it: inputs are taken in order, each once.
    pub number: u64,
    /// The events.
    pub events: Vec<Event>,
}

/// The kinds of events that all machines know by number: a kind takes a byte instead of nine.
#[derive(Clone, Debug, Default)]
pub struct Kinds(Vec<StringId>);

impl Kinds {
    /// These kinds, in an order that all machines share.
    pub fn new(kinds: &[StringId]) -> Kinds {
        Kinds(kinds.to_vec())
    }

    /// Encodes records that follow one another, for a machine that is joining: at most [`TAIL_CYCLES_MAX`].
    pub fn write_tail(&self, records: &[Record]) -> Vec<u8> {
        let mut out = Vec::new();
        let records = &records[..records.len().min(TAIL_CYCLES_MAX)];
        out.write_varint(records.len() as u64);
        for record in records {
            record.write(self, &mut out);
        }
        out
    }

    /// Decodes them.
    pub fn read_tail(&self, bytes: &[u8]) -> Result<Vec<Record>, ReadError> {
        let mut reader = ByteReader::new(bytes);
        let count = reader.read_count(TAIL_CYCLES_MAX, 1)?;
        let records =
            (0..count).map(|_| Record::read(self, &mut reader)).collect::<Result<Vec<Record>, ReadError>>()?;
        reader.finish()?;
        Ok(records)
    }

    /// Encodes events: the kind, two bits per word for its length (0, 1, 2 or 4 bytes), the words.
    pub(super) fn write_events(&self, events: &[Event], out: &mut Vec<u8>) {
        out.write_varint(events.len() as u64);
        for event in events {
            match self.0.iter().position(|kind| *kind == event.kind) {
                Some(number) => out.write_varint(number as u64 + 1),
                None => {
                    out.write_varint(0);
                    out.write_u64(event.kind.number());
                }
            }
            let codes = event.words.map(|word| LENGTHS.iter().position(|bytes| fits(word, *bytes)).unwrap_or(3));
            out.write_u16(codes.iter().rev().fold(0, |sum, code| sum << 2 | *code as u16));
            for (word, code) in event.words.iter().zip(codes) {
                out.put(&word.to_le_bytes()[..LENGTHS[code]]);
            }
        }
    }

    /// The number of events from the first on whose encoding has at most so many bytes; at least one, if there are any.
    pub(super) fn fitting(&self, events: &[Event], bytes: usize) -> usize {
        let mut out = Vec::new();
        let fits = |event: &&Event| {
            self.write_events(core::slice::from_ref(*event), &mut out);
            out.len() <= bytes
        };
        events.iter().take_while(fits).count().max(1).min(events.len())
    }

    pub(super) fn read_events(&self, reader: &mut ByteReader<'_>) -> Result<Vec<Event>, ReadError> {
        let count = reader.read_count(EVENTS_PER_BATCH_MAX, 3)?;
        let mut events = Vec::with_capacity(count);
        for _ in 0..count {
            let number = reader.read_varint()?;
            let kind = match number.checked_sub(1) {
                None => StringId::from_number(reader.read_u64()?),
                Some(number) => {
                    let known = usize::try_from(number).ok().and_then(|number| self.0.get(number));
                    *known.ok_or_else(|| out_of_range("a kind of event", reader, number, self.0.len() as u64))?
                }
            };
            let codes = reader.read_u16()?;
            if codes >> (2 * EVENT_WORDS) != 0 {
                return Err(out_of_range("lengths of six words", reader, codes.into(), 1 << (2 * EVENT_WORDS)));
            }
            let mut words = [0; EVENT_WORDS];
            for (place, word) in words.iter_mut().enumerate() {
                let length = LENGTHS[usize::from(codes >> (2 * place) & 3)];
                let mut bytes = [0; 4];
                bytes[..length].copy_from_slice(reader.take(length)?);
                *word = u32::from_le_bytes(bytes);
            }
            events.push(Event { kind, words });
        }
        Ok(events)
    }
}

const LENGTHS: [usize; 4] = [0, 1, 2, 4];

fn fits(word: u32, bytes: usize) -> bool {
    word.checked_shr(8 * bytes as u32).unwrap_or(0) == 0
}

pub(super) fn out_of_range(expected: &'static str, reader: &ByteReader<'_>, number: u64, count: u64) -> ReadError {
    let found = Found::OutOfRange { number, max: count.saturating_sub(1) };
    ReadError { expected, offset: Offset::Byte(reader.offset() as u64), found }
}

/// Marks a player who joins.
const JOINED: u8 = 0x80;

/// The most players who leave or join, and rights that are used, in one record.
pub(super) const CHANGES_MAX: usize = 15;

impl Record {
    /// Encodes it: one byte if nothing happened.
    pub(super) fn write(&self, kinds: &Kinds, out: &mut Vec<u8>) {
        let changes = self.left.len() + self.joined.len() + self.uses.len();
        out.write_u8(self.batches.len() as u8 | (changes as u8) << 4);
        for batch in &self.batches {
            out.write_u8(batch.player);
            out.write_varint(batch.number);
            kinds.write_events(&batch.events, out);
        }
        for player in &self.left {
            out.write_u8(*player);
        }
        for player in &self.joined {
            out.write_u8(*player | JOINED);
        }
        self.uses.iter().for_each(|used| used.write(out));
    }

    pub(super) fn read(kinds: &Kinds, reader: &mut ByteReader<'_>) -> Result<Record, ReadError> {
        let began = reader.offset();
        let counts = reader.read_u8()?;
        let mut record = Record::default();
        for _ in 0..counts & 0x0f {
            let player = read_player(reader)?;
            let number = read_number(reader)?;
            let events = kinds.read_events(reader)?;
            record.batches.push(PlayerBatch { player, number, events });
        }
        for _ in 0..counts >> 4 {
            let offset = reader.offset();
            let number = reader.read_u8()?;
            if number & JOINED == 0 && number & USED != 0 {
                record.uses.push(RightUse::read(number & !USED, reader)?);
                continue;
            }
            let (player, is_joined) = (number & !JOINED, number & JOINED != 0);
            if usize::from(player) >= PLAYERS_MAX
                || (!is_joined && !record.joined.is_empty())
                || !record.uses.is_empty()
            {
                let found = Found::OutOfRange { number: number.into(), max: PLAYERS_MAX as u64 - 1 };
                return Err(ReadError { expected: "a player", offset: Offset::Byte(offset as u64), found });
            }
            if is_joined { record.joined.push(player) } else { record.left.push(player) }
        }
        let bytes = reader.offset() - began;
        if bytes > RECORD_BYTES_MAX {
            return Err(out_of_range(
                "a record that fits into a message",
                reader,
                bytes as u64,
                RECORD_BYTES_MAX as u64 + 1,
            ));
        }
        Ok(record)
    }
}

/// Reads the number of a cycle, a term or an input: at most [`COUNT_MAX`].
pub(crate) fn read_number(reader: &mut ByteReader<'_>) -> Result<u64, ReadError> {
    let offset = Offset::Byte(reader.offset() as u64);
    let number = reader.read_varint()?;
    if number <= COUNT_MAX {
        return Ok(number);
    }
    Err(ReadError { expected: "a number of a session", offset, found: Found::OutOfRange { number, max: COUNT_MAX } })
}

/// Reads a player's number.
pub(super) fn read_player(reader: &mut ByteReader<'_>) -> Result<u8, ReadError> {
    let player = reader.read_u8()?;
    if usize::from(player) < PLAYERS_MAX {
        return Ok(player);
    }
    Err(out_of_range("a player", reader, player.into(), PLAYERS_MAX as u64))
}
