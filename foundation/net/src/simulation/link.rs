//! One direction of a connection: a queue before a bottleneck, then delay, jitter and faults.

use base::{Pcg, Random};

use super::profile::LinkProfile;
use crate::limits::HEADER_BYTES;

/// A link and what it holds.
#[derive(Clone, Debug)]
pub(super) struct Link {
    profile: LinkProfile,
    random: Pcg,
    /// When the bottleneck has sent everything that it holds.
    free_us: u64,
    /// The latest arrival so far: packets keep their order.
    last_us: u64,
    is_in_burst: bool,
    cut_until_us: u64,
    queue_us_max: u64,
    pub dropped: u64,
}

/// When copies of a packet leave the link.
pub(super) type Departures = [Option<u64>; 2];

impl Link {
    pub fn new(profile: LinkProfile, seed: u64, stream: u64) -> Link {
        let random = Pcg::new(seed, stream);
        let (free_us, last_us, cut_until_us, queue_us_max, dropped) = (0, 0, 0, 0, 0);
        Link { profile, random, free_us, last_us, is_in_burst: false, cut_until_us, queue_us_max, dropped }
    }

    pub fn set_profile(&mut self, profile: LinkProfile) {
        self.profile = profile;
    }

    /// Loses everything until a time.
    pub fn cut(&mut self, until_us: u64) {
        self.cut_until_us = self.cut_until_us.max(until_us);
    }

    /// The longest wait before the bottleneck since the last call.
    pub fn take_queue_us_max(&mut self) -> u64 {
        core::mem::take(&mut self.queue_us_max)
    }

    /// A packet enters. The number of draws is the same whatever happens, so that faults do not shift later ones.
    pub fn enter(&mut self, now_us: u64, bytes: usize) -> Departures {
        let profile = self.profile;
        let mut draw = || self.random.below(1_000_000);
        let (loss, burst, in_burst, reorder, duplicate, jitter, jitter_of_copy) =
            (draw(), draw(), draw(), draw(), draw(), draw(), draw());
        self.is_in_burst = if self.is_in_burst { burst >= profile.burst_end } else { burst < profile.burst_begin };
        let wait_us = self.free_us.saturating_sub(now_us);
        let is_overfull = profile.rate > 0 && wait_us > profile.queue_us;
        let is_cut = now_us < self.cut_until_us;
        if loss < profile.loss || self.is_in_burst && in_burst < 800_000 || is_overfull || is_cut {
            self.dropped += 1;
            return [None, None];
        }
        let mut sent_us = now_us;
        if let Some(sending_us) = ((bytes + HEADER_BYTES) as u64 * 1_000_000).checked_div(profile.rate) {
            self.queue_us_max = self.queue_us_max.max(wait_us + sending_us);
            sent_us += wait_us + sending_us;
            self.free_us = sent_us;
        }
        let delayed_us = |jitter: u32| sent_us + profile.delay_us + profile.jitter_us * u64::from(jitter) / 1_000_000;
        let at_us = if reorder < profile.reorder {
            // It waits, and others overtake it.
            delayed_us(jitter) + 20_000 + profile.jitter_us / 2
        } else {
            self.last_us = self.last_us.max(delayed_us(jitter));
            self.last_us
        };
        let copy_us = delayed_us(jitter_of_copy).max(at_us);
        [Some(at_us), (duplicate < profile.duplicate).then_some(copy_us)]
    }
}
