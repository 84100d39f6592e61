//! Which packets have arrived: the newest, and a bit for each of the 64 before it.

use super::packet::{Acknowledgement, clock};

/// The packets that a machine received from another.
#[derive(Clone, Debug, Default)]
pub(super) struct Receipt {
    newest: Option<u64>,
    newest_at_us: u64,
    /// Bit n is the sequence n + 1 before the newest.
    bits: u64,
    /// Received packets that want an answer and have none yet.
    unanswered: u32,
    unanswered_since_us: u64,
}

/// The bits of an acknowledgement.
const BITS: u64 = 64;

impl Receipt {
    /// The full sequence of its lower bits: the nearest to the newest.
    pub fn expand(&self, sequence: u16) -> u64 {
        let Some(newest) = self.newest else { return FIRST + u64::from(sequence) };
        let distance = sequence.wrapping_sub(newest as u16).cast_signed();
        newest.saturating_add_signed(distance.into())
    }

    /// Whether this packet is new.
    pub fn is_fresh(&self, sequence: u64) -> bool {
        let Some(newest) = self.newest else { return true };
        match newest.checked_sub(sequence) {
            None => true,
            Some(0) => false,
            Some(back) => back <= BITS && self.bits >> (back - 1) & 1 == 0,
        }
    }

    /// Records a fresh packet.
    pub fn accept(&mut self, now_us: u64, sequence: u64, wants_answer: bool) {
        match self.newest {
            None => {
                // Sequences begin at zero: those before the first arrival are missing, and none is before zero.
                let missing = u32::try_from(sequence - FIRST).unwrap_or(u32::MAX);
                (self.newest, self.bits) = (Some(sequence), u64::MAX.checked_shl(missing).unwrap_or(0));
            }
            Some(newest) if sequence > newest => {
                let forward = sequence - newest;
                // The former newest gets a bit, those between are missing.
                let moved = u32::try_from(forward).ok().and_then(|by| self.bits.checked_shl(by)).unwrap_or(0);
                let former = if forward <= BITS { 1 << (forward - 1) } else { 0 };
                (self.newest, self.bits) = (Some(sequence), moved | former);
            }
            Some(newest) => self.bits |= 1 << (newest - sequence - 1),
        }
        if self.newest == Some(sequence) {
            self.newest_at_us = now_us;
        }
        if wants_answer {
            if self.unanswered == 0 {
                self.unanswered_since_us = now_us;
            }
            self.unanswered += 1;
        }
    }

    /// The time from which an acknowledgement must be sent, if any is owed.
    pub fn due_us(&self, delay_us: u64, packets: u32) -> Option<u64> {
        match self.unanswered {
            0 => None,
            count if count >= packets => Some(self.unanswered_since_us),
            _ => Some(self.unanswered_since_us + delay_us),
        }
    }

    /// The acknowledgement of a packet sent now. Nothing is owed afterwards.
    pub fn answer(&mut self, now_us: u64) -> Option<Acknowledgement> {
        let newest = self.newest?;
        self.unanswered = 0;
        let held_us = now_us.saturating_sub(self.newest_at_us);
        let held = if held_us < HELD_US_MAX { clock(now_us).wrapping_sub(clock(self.newest_at_us)) } else { u16::MAX };
        Some(Acknowledgement { newest: newest as u16, held, bits: self.bits })
    }
}

/// Full sequences begin here, so that packets that arrive before the first have one too.
const FIRST: u64 = 1 << 16;

/// Longer spans do not fit into 16 bits of the clock.
const HELD_US_MAX: u64 = 16_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_packet_is_fresh_once_in_any_order() {
        let mut receipt = Receipt::default();
        for number in [5_u16, 3, 9, 4, 70, 8, 66] {
            let sequence = receipt.expand(number);
            assert!(receipt.is_fresh(sequence), "{number}");
            receipt.accept(0, sequence, true);
            assert!(!receipt.is_fresh(sequence), "{number}");
        }
        assert!(!receipt.is_fresh(receipt.expand(1)), "too old to know");
        let own = receipt.answer(0).expect("packets arrived");
        assert_eq!(own.newest, 70);
        assert_eq!(own.bits >> (70 - 66 - 1) & 1, 1);
        assert_eq!(own.bits >> (70 - 67 - 1) & 1, 0);
    }

    #[test]
    fn a_packet_lost_before_the_first_arrival_is_not_acknowledged() {
        let mut receipt = Receipt::default();
        receipt.accept(0, receipt.expand(2), true);
        assert_eq!(receipt.answer(0).expect("a packet arrived").bits, !0b11);
    }

    #[test]
    fn a_jump_of_any_length_leaves_gaps() {
        for jump in [1_u16, 2, 63, 64, 65, 66, 1000] {
            let mut receipt = Receipt::default();
            receipt.accept(0, receipt.expand(100), false);
            receipt.accept(0, receipt.expand(100 + jump), false);
            let bits = receipt.answer(0).expect("packets arrived").bits;
            for back in 1..=64 {
                assert_eq!(bits >> (back - 1) & 1 == 1, back == jump, "jump {jump}, back {back}");
            }
        }
    }
}
