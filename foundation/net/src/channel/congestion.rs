//! When to send, and how much: a rate that keeps the queue of the path short.
//!
//! The rate grows while the program has more to send and the standing queue is short, by as much per round trip as would
//! fill a few milliseconds of queue; so an unknown bottleneck is overshot by little. A standing queue above the target, or
//! loss beyond what radio links lose at random, sets the rate below what was delivered. The idea is that of LEDBAT (RFC 6817)
//! and Copa (Arun and Balakrishnan 2018), with pacing. Jitter raises the target, since it hides the queue.

use crate::limits::{DATAGRAM_BYTES_MAX, DATAGRAM_BYTES_SMALL, HEADER_BYTES};

/// The rate of a channel, and the bytes it may send now.
#[derive(Clone, Debug)]
pub(super) struct Congestion {
    rate: u64,
    is_starting: bool,
    /// Bytes that may be sent, times a million. Negative: urgent messages were sent ahead of the rate.
    budget: i64,
    budget_at_us: u64,
    updated_us: u64,
    /// No change before this time: the effect of the last one is not visible yet.
    hold_until_us: u64,
    delivered_bytes: u64,
    delivered: u64,
    lost: u64,
    /// Whether the rate, and not the program, limited sending since the last update.
    is_limiting: bool,
}

/// What the path says at an update.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathState {
    pub round_trip_us: u64,
    pub queue_us: u64,
    pub jitter_us: u64,
}

/// Bytes per second before anything is known, and the least ever: a lockstep session needs a third of it.
const RATE_START: u64 = 16_000;
const RATE_MIN: u64 = 6_000;
const RATE_MAX: u64 = 200_000_000;
/// The standing queue that is tolerated.
const QUEUE_TARGET_US: u64 = 6_000;
/// The queue by which one round trip of growth may overshoot.
const STARTING_GROWTH_US: u64 = 5_000;
const STEADY_GROWTH_US: u64 = 1_500;
/// How far urgent messages may go ahead of the rate, in time.
const DEBT_US: u64 = 100_000;
const MILLION: i64 = 1_000_000;

impl Congestion {
    pub fn new(now_us: u64) -> Congestion {
        Congestion {
            rate: RATE_START,
            is_starting: true,
            budget: 0,
            budget_at_us: now_us,
            updated_us: now_us,
            hold_until_us: 0,
            delivered_bytes: 0,
            delivered: 0,
            lost: 0,
            is_limiting: false,
        }
    }

    /// Bytes per second, headers included.
    pub fn rate(&self) -> u64 {
        self.rate
    }

    /// The size of a datagram that fills a few milliseconds of the path.
    pub fn datagram_bytes(&self) -> usize {
        ((self.rate / 200) as usize).clamp(DATAGRAM_BYTES_SMALL, DATAGRAM_BYTES_MAX)
    }

    /// Whether a datagram may be sent now.
    pub fn may_send(&mut self, now_us: u64, is_urgent: bool) -> bool {
        self.refill(now_us);
        let may = match is_urgent {
            true => self.budget > -((self.rate * DEBT_US).max(2_000_000_000) as i64),
            false => self.budget >= 0,
        };
        self.is_limiting |= !may;
        may
    }

    /// When a datagram that is not urgent may be sent.
    pub fn due_us(&self, is_urgent: bool) -> u64 {
        if is_urgent {
            return self.budget_at_us;
        }
        let missing = (-self.budget).max(0) as u64;
        self.budget_at_us + missing.div_ceil(self.rate)
    }

    /// A datagram was sent.
    pub fn spend(&mut self, bytes: usize) {
        self.budget -= (bytes + HEADER_BYTES) as i64 * MILLION;
    }

    pub fn delivered(&mut self, bytes: u32) {
        self.delivered += 1;
        self.delivered_bytes += u64::from(bytes) + HEADER_BYTES as u64;
    }

    pub fn lost(&mut self) {
        self.lost += 1;
    }

    /// Adapts the rate, once per round trip.
    pub fn update(&mut self, now_us: u64, path: PathState) {
        let elapsed_us = now_us.saturating_sub(self.updated_us);
        let interval_us = path.round_trip_us.clamp(20_000, 200_000);
        let target_us = QUEUE_TARGET_US + path.jitter_us / 2;
        let is_alarm = path.queue_us > target_us && now_us >= self.hold_until_us;
        if elapsed_us < interval_us && !(is_alarm && elapsed_us >= 10_000) {
            return;
        }
        let delivered_rate = self.delivered_bytes * 1_000_000 / elapsed_us.max(1);
        let is_lossy = self.lost >= 3 && self.lost * 10 > self.lost + self.delivered;
        if is_alarm || is_lossy && now_us >= self.hold_until_us {
            // Below what arrives, so that the queue drains within about a round trip.
            let known = if self.delivered >= 3 { self.rate.min(delivered_rate.max(self.rate / 2)) } else { self.rate };
            let less = (1000 * path.queue_us / (path.round_trip_us + 20_000)).clamp(120, 400);
            self.rate = (known * (1000 - less) / 1000).max(RATE_MIN);
            self.is_starting = false;
            self.hold_until_us = now_us + path.round_trip_us + 30_000;
        } else if self.is_limiting && now_us >= self.hold_until_us && path.queue_us <= target_us {
            let most_us = if self.is_starting { STARTING_GROWTH_US } else { STEADY_GROWTH_US };
            let room_us = most_us * (target_us - path.queue_us) / target_us;
            let growth = self.rate * elapsed_us / 1000 * room_us / (path.round_trip_us + 20_000);
            let growth = growth / ((path.round_trip_us + 20_000) / 1000);
            self.rate = (self.rate + growth.min(self.rate / 2)).min(RATE_MAX);
        }
        (self.updated_us, self.is_limiting) = (now_us, false);
        (self.delivered_bytes, self.delivered, self.lost) = (0, 0, 0);
    }

    fn refill(&mut self, now_us: u64) {
        let elapsed_us = now_us.saturating_sub(self.budget_at_us).min(1_000_000);
        self.budget_at_us = self.budget_at_us.max(now_us);
        let most = (self.rate * 4_000).max(100 * 1_000_000) as i64;
        self.budget = (self.budget + (self.rate * elapsed_us) as i64).min(most);
    }
}
