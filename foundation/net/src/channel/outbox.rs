//! A stream's messages on their way out.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

use crate::limits::{BULK_BYTES_MAX, BULK_QUEUE_BYTES_MAX, CHUNKS_AHEAD_MAX, MESSAGE_BYTES_MAX, MESSAGES_QUEUED_MAX};

/// How a stream delivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Whole messages, each once or never, in any order.
    Unreliable,
    /// Whole messages, all of them, in order. Long ones are fragmented.
    Reliable,
}

/// A stream of a channel. Both ends have the same list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamSettings {
    /// How it delivers.
    pub delivery: Delivery,
    /// Its weight when several streams have something to send; at least 1.
    pub share: u16,
    /// Whether its messages are sent at once, ahead of the rate; other streams then wait longer.
    pub is_urgent: bool,
}

/// Why a message was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendError {
    /// There is no such stream.
    NoStream,
    /// It is too long for the stream.
    TooLong {
        /// The maximum in bytes.
        max: usize,
    },
    /// Too many bytes wait: send it later.
    Full,
}

/// The messages of one stream that are not delivered yet.
#[derive(Clone, Debug)]
pub(super) struct Outbox {
    pub settings: StreamSettings,
    /// The stream's position in weighted fair queueing.
    pub finish: u64,
    /// The number of the next message.
    next_message: u64,
    messages: VecDeque<(u64, Vec<u8>)>,
    /// Bytes of the first message that are already cut into chunks.
    cut: usize,
    waiting_bytes: usize,
    first_chunk: u64,
    chunks: VecDeque<Chunk>,
    /// The chunks to be sent again.
    again: VecDeque<u64>,
    /// The receiver accepts chunks below this.
    limit: u64,
    /// Unreliable messages that were dropped unsent.
    pub dropped: u64,
}

#[derive(Clone, Debug)]
struct Chunk {
    bytes: Vec<u8>,
    is_last: bool,
    is_delivered: bool,
}

/// The most bytes that a frame has beside its contents: a byte, a number, a length.
pub(super) const FRAME_BYTES: usize = 1 + 5 + 2;

impl Outbox {
    pub fn new(settings: StreamSettings) -> Outbox {
        Outbox {
            settings,
            finish: 0,
            next_message: 0,
            messages: VecDeque::new(),
            cut: 0,
            waiting_bytes: 0,
            first_chunk: 0,
            chunks: VecDeque::new(),
            again: VecDeque::new(),
            limit: CHUNKS_AHEAD_MAX,
            dropped: 0,
        }
    }

    /// Queues a message and returns its number.
    pub fn send(&mut self, bytes: &[u8]) -> Result<u64, SendError> {
        let is_reliable = self.settings.delivery == Delivery::Reliable;
        let max = if is_reliable { BULK_BYTES_MAX } else { MESSAGE_BYTES_MAX };
        if bytes.len() > max {
            return Err(SendError::TooLong { max });
        }
        if is_reliable && self.waiting_bytes + bytes.len() > BULK_QUEUE_BYTES_MAX {
            return Err(SendError::Full);
        }
        if !is_reliable && self.messages.len() == MESSAGES_QUEUED_MAX {
            let oldest = self.messages.pop_front().map_or(0, |(_, bytes)| bytes.len());
            self.waiting_bytes -= oldest;
            self.dropped += 1;
        }
        let number = self.next_message;
        self.next_message += 1;
        self.waiting_bytes += bytes.len();
        self.messages.push_back((number, bytes.to_vec()));
        Ok(number)
    }

    /// Whether there is something to send.
    pub fn has_more(&self) -> bool {
        let may_cut = self.settings.delivery == Delivery::Unreliable || self.next_chunk() < self.limit;
        !self.again.is_empty() || !self.messages.is_empty() && may_cut
    }

    /// The bytes that the next frame needs at least, beside [`FRAME_BYTES`].
    pub fn next_bytes(&self) -> usize {
        match (self.settings.delivery, self.again.front(), self.messages.front()) {
            (Delivery::Unreliable, _, Some((_, bytes))) => bytes.len(),
            (Delivery::Reliable, Some(number), _) => self.chunk(*number).map_or(0, |chunk| chunk.bytes.len()),
            (Delivery::Reliable, None, Some((_, bytes))) => (bytes.len() - self.cut).min(CHUNK_BYTES_SMALL),
            _ => 0,
        }
    }

    /// Takes the next message of an unreliable stream.
    pub fn take_message(&mut self) -> Option<(u64, Vec<u8>)> {
        let message = self.messages.pop_front()?;
        self.waiting_bytes -= message.1.len();
        Some(message)
    }

    /// Takes the next chunk of a reliable stream: one to be sent again, or up to `room` bytes of the next message.
    pub fn take_chunk(&mut self, room: usize) -> Option<u64> {
        while let Some(number) = self.again.pop_front() {
            if self.chunk(number).is_some_and(|chunk| !chunk.is_delivered) {
                return Some(number);
            }
        }
        let number = self.next_chunk();
        let (_, message) = self.messages.front().filter(|_| number < self.limit)?;
        let end = message.len().min(self.cut + room);
        let is_last = end == message.len();
        let bytes = message[self.cut..end].to_vec();
        self.waiting_bytes -= bytes.len();
        self.chunks.push_back(Chunk { bytes, is_last, is_delivered: false });
        self.cut = end;
        if is_last {
            self.messages.pop_front();
            self.cut = 0;
        }
        Some(number)
    }

    /// Whether a chunk ends its message, and its bytes.
    pub fn chunk_bytes(&self, number: u64) -> Option<(bool, &[u8])> {
        self.chunk(number).map(|chunk| (chunk.is_last, &chunk.bytes[..]))
    }

    /// The fate of a chunk is known.
    pub fn handle_fate(&mut self, number: u64, is_delivered: bool) {
        let Some(place) = number.checked_sub(self.first_chunk) else { return };
        let Some(chunk) = self.chunks.get_mut(place as usize) else { return };
        if !is_delivered {
            if !chunk.is_delivered {
                self.again.push_back(number);
            }
            return;
        }
        chunk.is_delivered = true;
        while self.chunks.front().is_some_and(|chunk| chunk.is_delivered) {
            self.chunks.pop_front();
            self.first_chunk += 1;
        }
    }

    /// The receiver accepts chunks below this.
    pub fn handle_window(&mut self, limit: u64) {
        // A limit is never taken back; a forged one cannot exceed what a receiver can hold.
        self.limit = self.limit.max(limit.min(self.first_chunk + 2 * CHUNKS_AHEAD_MAX));
    }

    fn next_chunk(&self) -> u64 {
        self.first_chunk + self.chunks.len() as u64
    }

    fn chunk(&self, number: u64) -> Option<&Chunk> {
        self.chunks.get(usize::try_from(number.checked_sub(self.first_chunk)?).ok()?)
    }
}

/// A chunk is not cut smaller than this to fill a datagram.
const CHUNK_BYTES_SMALL: usize = 64;

impl fmt::Display for SendError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SendError::NoStream => formatter.write_str("the channel has no such stream: list it in its settings"),
            SendError::TooLong { max } => write!(formatter, "a message of this stream has at most {max} bytes"),
            SendError::Full => formatter.write_str("too many bytes wait to be sent: send this message later"),
        }
    }
}

impl Error for SendError {}
