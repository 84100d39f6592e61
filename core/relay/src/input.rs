//! Sources of batches: the local player, and byte streams from other machines.
//!
//! The encoding of a batch, for sockets and files: the length of the rest (`u32`), its checksum (`u32`), then the
//! player (`u16`), the safe cycle and the count of events as varints, and the events.
//!
//! Laws
//! 1. A source yields a batch only when the cycle is complete; an empty batch means that the player did nothing.
//! 2. Any bytes decode to batches that a player could have sent, or to an error that says what was expected. After an
//!    error nothing more is read from that source, since the framing is lost. Earlier batches count.
//! 3. Nothing is allocated after a source is created.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::fmt;

use base::bytes::{ByteReader, ByteWriter, ReadError};
use base::hash::hash;

use crate::event::Event;
use crate::limits::{BATCH_BYTES_MAX, CYCLES_AHEAD_MAX, EVENTS_PER_BATCH_MAX};
use crate::relay::{Refusal, Relay};

/// The events of one player for one safe cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// The player.
    pub player: u16,
    /// The safe cycle.
    pub cycle: u64,
    /// The events, in order.
    pub events: Vec<Event>,
}

/// Why bytes are not a valid batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchError {
    /// An impossible length.
    Length {
        /// The value found.
        found: u32,
    },
    /// The checksum does not match.
    Checksum,
    /// Malformed content.
    Inside(ReadError),
    /// A batch of another player.
    Player {
        /// The player of this source.
        expected: u16,
        /// The player in the batch.
        found: u16,
    },
    /// A cycle that is not later than that of the previous batch.
    Cycle {
        /// The cycle of the previous batch.
        last: u64,
        /// The value found.
        found: u64,
    },
}

/// A source of the batches of one player.
pub trait Input {
    /// The player.
    fn player(&self) -> u16;

    /// The player's events of a cycle, if they are complete. Called for one cycle after the other.
    fn poll_batch(&mut self, cycle: u64) -> Option<&[Event]>;
}

/// Delivers the batch of a cycle from a source, if it is complete. Returns whether it was.
pub fn deliver(input: &mut dyn Input, relay: &mut Relay, cycle: u64) -> Result<bool, Refusal> {
    let player = input.player();
    match input.poll_batch(cycle) {
        Some(events) => relay.handle_batch(player, cycle, events).map(|()| true),
        None => Ok(false),
    }
}

/// The events of the local player between two safe cycles.
#[derive(Clone, Debug)]
pub struct LocalInput {
    player: u16,
    coming: Vec<Event>,
    given: Vec<Event>,
    left_out: u64,
}

impl LocalInput {
    /// A local player without events.
    pub fn new(player: u16) -> LocalInput {
        let events = || Vec::with_capacity(EVENTS_PER_BATCH_MAX);
        LocalInput { player, coming: events(), given: events(), left_out: 0 }
    }

    /// Adds an event. False, and counted, if the batch is full.
    pub fn push(&mut self, event: Event) -> bool {
        let has_room = self.coming.len() < EVENTS_PER_BATCH_MAX;
        if has_room {
            self.coming.push(event);
        } else {
            self.left_out += 1;
        }
        has_room
    }

    /// The number of events dropped by full batches.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }
}

impl Input for LocalInput {
    fn player(&self) -> u16 {
        self.player
    }

    /// The events since the last call; often none.
    fn poll_batch(&mut self, _cycle: u64) -> Option<&[Event]> {
        self.given.clear();
        core::mem::swap(&mut self.coming, &mut self.given);
        Some(&self.given)
    }
}

/// A remote player: a stream of bytes, in pieces of any size.
#[derive(Clone, Debug)]
pub struct ExternalInput {
    player: u16,
    /// An incomplete batch.
    bytes: Vec<u8>,
    /// Batches waiting for their cycle, in order.
    waiting: VecDeque<Batch>,
    /// Consumed batches, for reuse of their memory.
    spare: Vec<Batch>,
    given: Batch,
    /// The cycle of the last batch.
    last: Option<u64>,
    wrong: Option<BatchError>,
}

/// The most waiting batches; the relay accepts none further ahead.
const WAITING_MAX: usize = CYCLES_AHEAD_MAX as usize;

impl ExternalInput {
    /// A remote player.
    pub fn new(player: u16) -> ExternalInput {
        let batch = || Batch { player, cycle: 0, events: Vec::with_capacity(EVENTS_PER_BATCH_MAX) };
        ExternalInput {
            player,
            bytes: Vec::with_capacity(BATCH_BYTES_MAX),
            waiting: VecDeque::with_capacity(WAITING_MAX),
            spare: (0..WAITING_MAX).map(|_| batch()).collect(),
            given: batch(),
            last: None,
            wrong: None,
        }
    }

    /// Handles received bytes. Consumes as many as fit and returns how many; the rest must be passed again after
    /// batches were taken.
    pub fn handle_bytes(&mut self, bytes: &[u8]) -> Result<usize, BatchError> {
        let mut taken = 0;
        loop {
            if let Some(wrong) = self.wrong {
                return Err(wrong);
            }
            if self.waiting.len() == WAITING_MAX {
                return Ok(taken);
            }
            // Up to the end of the head, then to the end of the batch; the rest belongs to the next one.
            let wanted = self.wanted();
            let missing = wanted.saturating_sub(self.bytes.len());
            let piece = &bytes[taken..][..missing.min(bytes.len() - taken)];
            self.bytes.extend_from_slice(piece);
            taken += piece.len();
            if self.bytes.len() < wanted {
                return Ok(taken);
            }
            if wanted > HEAD_BYTES
                && let Err(wrong) = self.take()
            {
                self.wrong = Some(wrong);
            }
        }
    }

    /// The error that ended the stream.
    pub fn wrong(&self) -> Option<BatchError> {
        self.wrong
    }

    /// The number of bytes needed for the current batch, as far as known.
    fn wanted(&mut self) -> usize {
        let mut reader = ByteReader::new(&self.bytes);
        match read_length(&mut reader) {
            Ok(length) => HEAD_BYTES + length,
            Err(wrong) if self.bytes.len() >= HEAD_BYTES => {
                self.wrong = Some(wrong);
                HEAD_BYTES
            }
            Err(_) => HEAD_BYTES,
        }
    }

    /// Decodes the complete batch in the buffer.
    fn take(&mut self) -> Result<(), BatchError> {
        let mut batch = self.spare.pop().unwrap_or_default();
        read_into(&mut ByteReader::new(&self.bytes), &mut batch)?;
        if batch.player != self.player {
            return Err(BatchError::Player { expected: self.player, found: batch.player });
        }
        if let Some(last) = self.last.filter(|last| *last >= batch.cycle) {
            return Err(BatchError::Cycle { last, found: batch.cycle });
        }
        self.last = Some(batch.cycle);
        self.waiting.push_back(batch);
        self.bytes.clear();
        Ok(())
    }
}

impl Input for ExternalInput {
    fn player(&self) -> u16 {
        self.player
    }

    /// Batches of past cycles are dropped.
    fn poll_batch(&mut self, cycle: u64) -> Option<&[Event]> {
        while self.waiting.front()?.cycle < cycle {
            self.spare.extend(self.waiting.pop_front());
        }
        if self.waiting.front()?.cycle != cycle {
            return None;
        }
        let batch = self.waiting.pop_front()?;
        let done = core::mem::replace(&mut self.given, batch);
        self.spare.push(done);
        Some(&self.given.events)
    }
}

impl From<ReadError> for BatchError {
    fn from(error: ReadError) -> BatchError {
        BatchError::Inside(error)
    }
}

impl fmt::Display for BatchError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BatchError::Length { found } => {
                let (min, max) = (BODY_BYTES_MIN, BODY_BYTES_MAX);
                write!(formatter, "expected the length of a batch, {min} to {max} bytes, found {found}")
            }
            BatchError::Checksum => {
                formatter.write_str("expected a batch with a matching checksum, found changed bytes")
            }
            BatchError::Inside(error) => write!(formatter, "in a batch: {error}"),
            BatchError::Player { expected, found } => {
                write!(
                    formatter,
                    "expected a batch of player {expected}, whose stream this is, found one of player {found}"
                )
            }
            BatchError::Cycle { last, found } => {
                write!(formatter, "expected a batch for a cycle after {last}, found one for cycle {found}")
            }
        }
    }
}

impl core::error::Error for BatchError {}

/// The length and the checksum.
const HEAD_BYTES: usize = 8;

/// Encodes a batch.
///
/// # Panics
/// If there are more than [`EVENTS_PER_BATCH_MAX`] events.
pub fn write_batch(player: u16, cycle: u64, events: &[Event], out: &mut Vec<u8>) {
    assert!(events.len() <= EVENTS_PER_BATCH_MAX, "{} events in a batch", events.len());
    let start = out.len();
    out.put(&[0; HEAD_BYTES]);
    out.write_u16(player);
    out.write_varint(cycle);
    out.write_varint(events.len() as u64);
    events.iter().for_each(|event| event.write(out));
    let body = &out[start + HEAD_BYTES..];
    let (length, checksum) = (body.len() as u32, hash(body) as u32);
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    out[start + 4..start + HEAD_BYTES].copy_from_slice(&checksum.to_le_bytes());
}

/// Decodes a batch of [`write_batch`] and advances the reader. On an error the reader is unchanged.
pub fn read_batch(reader: &mut ByteReader<'_>) -> Result<Batch, BatchError> {
    let mut batch = Batch::default();
    read_into(reader, &mut batch)?;
    Ok(batch)
}

fn read_into(reader: &mut ByteReader<'_>, batch: &mut Batch) -> Result<(), BatchError> {
    let mut ahead = reader.clone();
    let length = read_length(&mut ahead)?;
    let checksum = ahead.read_u32()?;
    let body = ahead.take(length)?;
    if hash(body) as u32 != checksum {
        return Err(BatchError::Checksum);
    }
    let mut body = ByteReader::new(body);
    batch.player = body.read_u16()?;
    batch.cycle = body.read_varint()?;
    let count = body.read_count(EVENTS_PER_BATCH_MAX, EVENT_BYTES_MIN)?;
    batch.events.clear();
    for _ in 0..count {
        batch.events.push(Event::read(&mut body)?);
    }
    body.finish()?;
    *reader = ahead;
    Ok(())
}

/// The number of bytes after the head.
fn read_length(reader: &mut ByteReader<'_>) -> Result<usize, BatchError> {
    let length = reader.read_u32()?;
    if !(BODY_BYTES_MIN..=BODY_BYTES_MAX).contains(&length) {
        return Err(BatchError::Length { found: length });
    }
    Ok(length as usize)
}

/// A kind and a count of numbers: the shortest event.
const EVENT_BYTES_MIN: usize = 8 + 1;

/// A player, a cycle and a count: the shortest batch.
const BODY_BYTES_MIN: u32 = 2 + 1 + 1;

const BODY_BYTES_MAX: u32 = (BATCH_BYTES_MAX - HEAD_BYTES) as u32;

const _: () = assert!(
    HEAD_BYTES + 2 + 10 + 2 + EVENTS_PER_BATCH_MAX * (EVENT_BYTES_MIN + 4 * crate::event::EVENT_WORDS)
        <= BATCH_BYTES_MAX
);
