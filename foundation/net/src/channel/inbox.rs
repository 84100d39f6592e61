//! A reliable stream's chunks on their way in: put in order, and joined to messages.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;

use crate::limits::{BULK_BYTES_MAX, CHUNKS_AHEAD_MAX, DATAGRAM_BYTES_MAX, UNREAD_BYTES_MAX};

/// The received part of a reliable stream.
#[derive(Clone, Debug, Default)]
pub(super) struct Inbox {
    /// The next chunk in order.
    next: u64,
    /// Chunks after a gap.
    early: BTreeMap<u64, (bool, Vec<u8>)>,
    /// The message that is being joined.
    partial: Vec<u8>,
    complete: VecDeque<Vec<u8>>,
    unread_bytes: usize,
    /// The limit that the other side is known to have, and the one that is on its way.
    confirmed: u64,
    announced: u64,
}

impl Inbox {
    pub fn new() -> Inbox {
        Inbox { confirmed: CHUNKS_AHEAD_MAX, announced: CHUNKS_AHEAD_MAX, ..Inbox::default() }
    }

    /// Whether this chunk was granted.
    pub fn is_granted(&self, number: u64) -> bool {
        number < self.announced
    }

    /// Whether a chunk of this length would make its message too long.
    pub fn is_too_long(&self, bytes: usize) -> bool {
        let early: usize = self.early.values().map(|(_, bytes)| bytes.len()).sum();
        self.partial.len() + early + bytes > BULK_BYTES_MAX + EARLY_BYTES_MAX
    }

    /// Stores a chunk, and joins what is complete.
    pub fn handle_chunk(&mut self, number: u64, is_last: bool, bytes: &[u8]) {
        if number < self.next || self.early.contains_key(&number) {
            return;
        }
        self.early.insert(number, (is_last, bytes.to_vec()));
        while let Some((is_last, bytes)) = self.early.remove(&self.next) {
            self.next += 1;
            self.partial.extend_from_slice(&bytes);
            if is_last {
                self.unread_bytes += self.partial.len();
                self.complete.push_back(core::mem::take(&mut self.partial));
            }
        }
    }

    /// The next whole message.
    pub fn poll_message(&mut self) -> Option<Vec<u8>> {
        let message = self.complete.pop_front()?;
        self.unread_bytes -= message.len();
        Some(message)
    }

    /// The limit to announce, if the other side should know a newer one.
    pub fn window_due(&self) -> Option<u64> {
        let limit = self.limit();
        (limit >= self.announced.max(self.confirmed) + CHUNKS_AHEAD_MAX / 8).then_some(limit)
    }

    /// A limit was sent.
    pub fn announce(&mut self, limit: u64) {
        self.announced = self.announced.max(limit);
    }

    /// The fate of an announcement is known; a lost one is repeated. Returns the limit to repeat.
    pub fn handle_fate(&mut self, limit: u64, is_delivered: bool) -> Option<u64> {
        if is_delivered {
            self.confirmed = self.confirmed.max(limit);
        }
        (!is_delivered && limit > self.confirmed).then_some(self.announced)
    }

    fn limit(&self) -> u64 {
        if self.unread_bytes > UNREAD_BYTES_MAX { self.announced } else { self.next + CHUNKS_AHEAD_MAX }
    }
}

/// The most bytes of chunks after a gap.
const EARLY_BYTES_MAX: usize = CHUNKS_AHEAD_MAX as usize * DATAGRAM_BYTES_MAX;
