//! Sealed inputs: the events of all players in one safe cycle, in one order, the same on all machines.

use alloc::vec::Vec;

use base::bytes::{ByteReader, ByteWriter, Found, Offset, ReadError};

use crate::event::Event;
use crate::limits::{EVENTS_PER_BATCH_MAX, EVENTS_PER_CYCLE_MAX, PLAYERS_MAX};

/// The inputs of one safe cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sealed {
    cycle: u64,
    events: Vec<(u16, Event)>,
}

impl Sealed {
    /// Inputs that are in order: from the relay, or decoded.
    pub(crate) fn begin(&mut self, cycle: u64) {
        self.cycle = cycle;
        self.events.clear();
    }

    pub(crate) fn push(&mut self, player: u16, event: Event) {
        self.events.push((player, event));
    }

    /// Allocates for the most events of this many players, so that sealing into it does not allocate.
    pub fn with_room_for(players: u16) -> Sealed {
        Sealed { cycle: 0, events: Vec::with_capacity(usize::from(players) * EVENTS_PER_BATCH_MAX) }
    }

    /// A cycle without events.
    pub fn empty(cycle: u64) -> Sealed {
        Sealed { cycle, events: Vec::new() }
    }

    /// The safe cycle.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// All events with the player who sent each, by player, then by arrival.
    pub fn events(&self) -> &[(u16, Event)] {
        &self.events
    }

    /// The same without the events of one player.
    #[must_use]
    pub fn without(&self, player: u16) -> Sealed {
        let events = self.events.iter().filter(|(of, _)| *of != player);
        Sealed { cycle: self.cycle, events: events.copied().collect() }
    }

    /// Encodes it.
    pub fn write(&self, out: &mut impl ByteWriter) {
        out.write_varint(self.cycle);
        out.write_varint(self.events.len() as u64);
        for (player, event) in &self.events {
            out.write_u16(*player);
            event.write(out);
        }
    }

    /// Decodes the output of [`Sealed::write`]. Any bytes give a value that a relay could have sealed, or an error that
    /// leaves the reader unchanged.
    pub fn read(reader: &mut ByteReader<'_>) -> Result<Sealed, ReadError> {
        let mut ahead = reader.clone();
        let cycle = ahead.read_varint()?;
        let count = ahead.read_count(EVENTS_PER_CYCLE_MAX, EVENT_BYTES_MIN)?;
        let mut events: Vec<(u16, Event)> = Vec::with_capacity(count);
        let (mut players, mut of_player) = (0, 0);
        for _ in 0..count {
            let offset = Offset::Byte(ahead.offset() as u64);
            let player = ahead.read_u16()?;
            let last = events.last().map(|(last, _)| *last);
            if let Some(last) = last.filter(|last| player < *last) {
                // Relative to the minimum, as `OutOfRange` expects it.
                let found =
                    Found::OutOfRange { number: player.wrapping_sub(last).into(), max: (u16::MAX - last).into() };
                return Err(ReadError { expected: "the same player or a later one", offset, found });
            }
            (players, of_player) = if last == Some(player) { (players, of_player + 1) } else { (players + 1, 1) };
            if players > u64::from(PLAYERS_MAX) {
                let found = Found::TooMany { count: players, max: PLAYERS_MAX.into() };
                return Err(ReadError { expected: "players", offset, found });
            }
            if of_player > EVENTS_PER_BATCH_MAX as u64 {
                let found = Found::TooMany { count: of_player, max: EVENTS_PER_BATCH_MAX as u64 };
                return Err(ReadError { expected: "events of one player", offset, found });
            }
            events.push((player, Event::read(&mut ahead)?));
        }
        *reader = ahead;
        Ok(Sealed { cycle, events })
    }
}

/// A player, a kind and a count of numbers: the shortest event.
const EVENT_BYTES_MIN: usize = 2 + 8 + 1;
