//! The counter-based generator.

use super::Random;
use crate::hash::mix;

/// The random numbers of one item of one domain in one cycle.
///
/// Every key is its own stream with random access. Four numbers cost one [`philox`]: some 10 ns.
///
/// ```
/// use base::random::{Draw, Random};
///
/// let mut draw = Draw::new(7, 1200, 3, 41);
/// let hits = draw.chance(0.25);
/// assert_eq!(hits, Draw::new(7, 1200, 3, 41).chance(0.25));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    seed: u64,
    counter: [u32; 4],
    block: [u32; 4],
    taken: u64,
}

impl Draw {
    /// The stream of this key. Free until the first draw.
    #[inline]
    pub const fn new(seed: u64, cycle: u64, domain: u32, slot: u32) -> Draw {
        let counter = [cycle as u32, (cycle >> 32) as u32, domain, slot];
        Draw { seed, counter, block: [0; 4], taken: 0 }
    }

    /// The number of draws so far.
    #[inline]
    pub const fn taken(&self) -> u64 {
        self.taken
    }

    /// Block n of the stream: the counter under the seed, from the second block on under the seed mixed with n.
    fn fill(&mut self) {
        let number = self.taken / 4;
        let key = if number == 0 { self.seed } else { mix(self.seed, number) };
        self.block = philox(self.counter, [key as u32, (key >> 32) as u32]);
    }
}

impl Random for Draw {
    #[inline]
    fn next_u32(&mut self) -> u32 {
        let place = (self.taken % 4) as usize;
        if place == 0 {
            self.fill();
        }
        self.taken += 1;
        self.block[place]
    }
}

/// Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"): a bijection of counters for every
/// key.
#[inline]
pub const fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let [mut a, mut b, mut c, mut d] = counter;
    let [mut key_low, mut key_high] = key;
    let mut round = 0;
    while round < 10 {
        let first = a as u64 * 0xD251_1F53;
        let second = c as u64 * 0xCD9E_8D57;
        a = (second >> 32) as u32 ^ b ^ key_low;
        b = second as u32;
        c = (first >> 32) as u32 ^ d ^ key_high;
        d = first as u32;
        key_low = key_low.wrapping_add(0x9E37_79B9);
        key_high = key_high.wrapping_add(0xBB67_AE85);
        round += 1;
    }
    [a, b, c, d]
}
