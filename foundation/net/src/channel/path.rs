//! What is known about a path: round trips, and how one-way delays vary.
//!
//! Clocks of two machines differ by an unknown offset, so a one-way delay is known only relative to others. Its smallest
//! value of the last seconds is the path without a queue; what is above it is queue and jitter. Queues change slowly,
//! jitter from packet to packet: the smallest of the last few delays is the standing queue.

use super::packet::signed_span_us;

/// Round-trip times (RFC 6298).
#[derive(Clone, Debug, Default)]
pub(super) struct RoundTrip {
    pub smoothed_us: u64,
    pub variation_us: u64,
    pub min_us: u64,
}

impl RoundTrip {
    pub fn sample(&mut self, round_trip_us: u64) {
        // Below the resolution of the clock there is nothing to learn.
        let sample = round_trip_us.max(1);
        if self.smoothed_us == 0 {
            *self = RoundTrip { smoothed_us: sample, variation_us: sample / 2, min_us: sample };
            return;
        }
        let error = self.smoothed_us.abs_diff(sample);
        self.variation_us = (3 * self.variation_us + error) / 4;
        self.smoothed_us = (7 * self.smoothed_us + sample) / 8;
        self.min_us = self.min_us.min(sample);
    }

    /// The round trip, or a cautious guess before the first sample.
    pub fn or_guess_us(&self) -> u64 {
        if self.smoothed_us == 0 { ROUND_TRIP_US_GUESS } else { self.smoothed_us }
    }

    /// After which time an answer is overdue, if it may be held for `held_us`.
    pub fn patience_us(&self, held_us: u64) -> u64 {
        if self.smoothed_us == 0 {
            return 1_000_000;
        }
        (self.smoothed_us + 4 * self.variation_us + held_us + 20_000).clamp(100_000, 4_000_000)
    }
}

const ROUND_TRIP_US_GUESS: u64 = 200_000;

/// The one-way delays of one direction.
#[derive(Clone, Debug, Default)]
pub(super) struct DelayTrack {
    /// Delays are counted from this one.
    reference: Option<u16>,
    /// The smallest of the current and of the previous span of time.
    base: [i64; 2],
    base_since_us: u64,
    recent: [(u64, i64); RECENT],
    count: usize,
    last: i64,
    jitter_us: u64,
}

/// How many delays are kept.
const RECENT: usize = 32;
/// How long a smallest delay is trusted, at least.
const BASE_US: u64 = 10_000_000;

impl DelayTrack {
    /// A packet sent at `sent` by the sender's clock arrived at `received` by the receiver's.
    pub fn sample(&mut self, now_us: u64, sent: u16, received: u16) {
        let delay = received.wrapping_sub(sent);
        let Some(reference) = self.reference else {
            self.reference = Some(delay);
            self.base_since_us = now_us;
            self.recent[0] = (now_us, 0);
            self.count = 1;
            return;
        };
        let value = signed_span_us(delay.wrapping_sub(reference).cast_signed());
        let step = value.abs_diff(self.last);
        self.jitter_us = (15 * self.jitter_us + step) / 16;
        self.last = value;
        self.recent[self.count % RECENT] = (now_us, value);
        self.count += 1;
        self.base[0] = self.base[0].min(value);
        if now_us.saturating_sub(self.base_since_us) >= BASE_US {
            self.base = [value, self.base[0]];
            self.base_since_us = now_us;
        }
    }

    /// The smallest delay of the last `span_us` above the smallest of all: the standing queue.
    pub fn queue_us(&self, now_us: u64, span_us: u64) -> u64 {
        let base = self.base[0].min(self.base[1]);
        let known = &self.recent[..self.count.min(RECENT)];
        let recent = known.iter().filter(|(at_us, _)| at_us + span_us >= now_us).map(|(_, value)| *value);
        recent.min().map_or(0, |least| least.abs_diff(base))
    }

    /// The mean change between consecutive packets (RFC 3550).
    pub fn jitter_us(&self) -> u64 {
        self.jitter_us
    }

    /// How late the latest of the recent packets was, compared with the fastest.
    pub fn spread_us(&self) -> u64 {
        let base = self.base[0].min(self.base[1]);
        let known = &self.recent[..self.count.min(RECENT)];
        known.iter().map(|(_, value)| value.abs_diff(base)).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::packet::clock;
    use super::*;

    #[test]
    fn the_offset_of_the_clocks_does_not_matter_and_the_queue_does() {
        for offset in [0_u16, 30_000, 65_000] {
            let mut track = DelayTrack::default();
            for packet in 0..200_u64 {
                let now_us = packet * 10_000;
                let queue_us = if packet < 150 { 0 } else { 20_480 };
                let sent = clock(now_us);
                let received = clock(now_us + 40_960 + queue_us).wrapping_add(offset);
                track.sample(now_us, sent, received);
            }
            assert!(track.queue_us(1_990_000, 100_000).abs_diff(20_480) <= 256, "{track:?}");
            assert!(track.jitter_us() < 2_000);
        }
    }
}
