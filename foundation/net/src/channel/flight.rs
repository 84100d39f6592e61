//! The packets on their way: a ring by sequence, and who decides that one was lost.
//!
//! A packet is lost when one sent a reordering window later has arrived (RACK, RFC 8985), or when its answer is overdue.
//! The window widens when a packet arrives after all.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::packet::{Acknowledgement, PacketError};
use crate::limits::PACKETS_IN_FLIGHT_MAX;

/// A part of a sent packet whose fate its stream wants to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Message { stream: u8, number: u64 },
    Chunk { stream: u8, number: u64 },
    Window { stream: u8, limit: u64 },
}

#[derive(Clone, Debug)]
struct SentPacket {
    sent_us: u64,
    bytes: u32,
    wants_answer: bool,
    fate: Fate,
    contents: Vec<Content>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Unknown,
    Delivered,
    Lost,
}

/// A packet whose fate became known.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub packet: u64,
    pub is_delivered: bool,
    pub bytes: u32,
    pub wants_answer: bool,
    pub contents: Vec<Content>,
}

/// The sent packets whose fate is unknown or recent.
#[derive(Clone, Debug)]
pub(super) struct Flight {
    /// The sequence of the first entry.
    first: u64,
    packets: VecDeque<SentPacket>,
    /// The latest sending time of a delivered packet.
    delivered_sent_us: u64,
    window_us: u64,
}

impl Flight {
    pub fn new() -> Flight {
        Flight { first: 0, packets: VecDeque::new(), delivered_sent_us: 0, window_us: REORDER_US_MIN }
    }

    /// The sequence of the next packet.
    pub fn next(&self) -> u64 {
        self.first + self.packets.len() as u64
    }

    /// Whether another packet may be sent.
    pub fn has_room(&self) -> bool {
        self.packets.len() < PACKETS_IN_FLIGHT_MAX
    }

    /// Records a sent packet.
    pub fn push(&mut self, now_us: u64, bytes: usize, wants_answer: bool, contents: Vec<Content>) {
        let fate = Fate::Unknown;
        self.packets.push_back(SentPacket { sent_us: now_us, bytes: bytes as u32, wants_answer, fate, contents });
    }

    /// The full sequence that an acknowledgement names.
    pub fn expand(&self, sequence: u16) -> Result<u64, PacketError> {
        let last = self.next().checked_sub(1).ok_or(PacketError::NeverSent { sequence })?;
        let back = (last as u16).wrapping_sub(sequence);
        // Packets older than the ring are forgotten, not forged.
        let is_known = usize::from(back) <= 2 * PACKETS_IN_FLIGHT_MAX;
        last.checked_sub(back.into()).filter(|_| is_known).ok_or(PacketError::NeverSent { sequence })
    }

    /// When a packet was sent, if it is remembered and this is its first acknowledgement.
    pub fn sent_us(&self, sequence: u64) -> Option<u64> {
        let packet = self.packets.get(usize::try_from(sequence.checked_sub(self.first)?).ok()?)?;
        (packet.fate != Fate::Delivered).then_some(packet.sent_us)
    }

    /// Applies an acknowledgement whose newest sequence is `newest`.
    pub fn acknowledge(&mut self, newest: u64, own: Acknowledgement, outcomes: &mut Vec<Outcome>) {
        for back in (0..=64_u64).rev() {
            let has_arrived = back == 0 || own.bits >> (back - 1) & 1 == 1;
            if let Some(sequence) = newest.checked_sub(back).filter(|_| has_arrived) {
                self.deliver(sequence, outcomes);
            }
        }
    }

    fn deliver(&mut self, sequence: u64, outcomes: &mut Vec<Outcome>) {
        let Some(place) = sequence.checked_sub(self.first) else { return };
        let Some(packet) = self.packets.get_mut(place as usize) else { return };
        let before = core::mem::replace(&mut packet.fate, Fate::Delivered);
        if before == Fate::Lost {
            // The notice was given; only the window learns from it.
            let late_us = self.delivered_sent_us.saturating_sub(packet.sent_us);
            self.window_us = (late_us + late_us / 4).clamp(self.window_us, REORDER_US_MAX);
        }
        self.delivered_sent_us = self.delivered_sent_us.max(packet.sent_us);
        if before == Fate::Unknown {
            let contents = core::mem::take(&mut packet.contents);
            let (bytes, wants_answer) = (packet.bytes, packet.wants_answer);
            outcomes.push(Outcome { packet: sequence, is_delivered: true, bytes, wants_answer, contents });
        }
    }

    /// Finds lost packets; an answer may take `patience_us`.
    pub fn find_lost(&mut self, now_us: u64, patience_us: u64, outcomes: &mut Vec<Outcome>) {
        for (place, packet) in self.packets.iter_mut().enumerate() {
            if packet.fate != Fate::Unknown {
                continue;
            }
            let is_overtaken = packet.sent_us + self.window_us < self.delivered_sent_us;
            let is_overdue = packet.sent_us + patience_us <= now_us;
            if !is_overtaken && !is_overdue {
                // Later ones were sent later.
                break;
            }
            packet.fate = Fate::Lost;
            let contents = core::mem::take(&mut packet.contents);
            let (bytes, wants_answer) = (packet.bytes, packet.wants_answer);
            let packet = self.first + place as u64;
            outcomes.push(Outcome { packet, is_delivered: false, bytes, wants_answer, contents });
        }
        // Lost ones are kept a while: if they arrive, the window was too small.
        while let Some(front) = self.packets.front() {
            let is_old = front.sent_us + 2 * patience_us < now_us || self.packets.len() == PACKETS_IN_FLIGHT_MAX;
            if front.fate == Fate::Unknown || front.fate == Fate::Lost && !is_old {
                break;
            }
            self.packets.pop_front();
            self.first += 1;
        }
    }

    /// When the oldest open answer is overdue.
    pub fn due_us(&self, patience_us: u64) -> Option<u64> {
        let open = self.packets.iter().find(|packet| packet.fate == Fate::Unknown)?;
        Some(open.sent_us + patience_us)
    }
}

const REORDER_US_MIN: u64 = 15_000;
const REORDER_US_MAX: u64 = 1_000_000;
