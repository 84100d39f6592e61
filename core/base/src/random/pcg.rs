//! The sequential generator.

use super::Random;
use crate::plain::Plain;

/// PCG-XSH-RR 64/32 (O'Neill 2014): period 2^64, 2^63 streams.
///
/// Plain data, so that a save contains its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Plain)]
#[repr(C)]
pub struct Pcg {
    /// The position in the stream.
    pub state: u64,
    /// The stream; odd.
    pub increment: u64,
}

impl Pcg {
    const MULTIPLIER: u64 = 6_364_136_223_846_793_005;

    /// A generator with a seed and a stream. The highest bit of `stream` is ignored.
    #[inline]
    pub const fn new(seed: u64, stream: u64) -> Pcg {
        let increment = stream << 1 | 1;
        let state = increment.wrapping_add(seed).wrapping_mul(Pcg::MULTIPLIER).wrapping_add(increment);
        Pcg { state, increment }
    }
}

impl Default for Pcg {
    /// Seed 0, stream 0.
    fn default() -> Pcg {
        Pcg::new(0, 0)
    }
}

impl Random for Pcg {
    #[inline]
    fn next_u32(&mut self) -> u32 {
        let before = self.state;
        self.state = before.wrapping_mul(Pcg::MULTIPLIER).wrapping_add(self.increment);
        let shuffled = ((before >> 18 ^ before) >> 27) as u32;
        shuffled.rotate_right((before >> 59) as u32)
    }
}
