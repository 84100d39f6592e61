//! Deterministic random numbers.
//!
//! Two generators, one set of distributions:
//! - [`Pcg`] is sequential. Its state lies in the world, and draws must happen in a fixed order.
//! - [`Draw`] is counter-based, keyed by seed, cycle, domain and slot. It stores nothing and needs no order, so it is
//!   the generator of parallel code.
//!
//! Never: is seeded by the machine; is cryptographically secure.
//!
//! Laws
//! 1. Generators never change: both are published algorithms, tested with their published test vectors.
//! 2. Every function of [`Random`] takes a fixed number of draws, except [`below`](Random::below) and its users, which
//!    use rejection.
//! 3. Every result is computed from `next_u32` in the documented order.

use crate::number;
use crate::vector::{Vec2, Vec3};

mod draw;
mod pcg;
#[cfg(test)]
mod tests;

pub use draw::{Draw, philox};
pub use pcg::Pcg;

/// The most rejections of [`Random::below`]. Each has a probability below one half, so reaching the limit has one below
/// 2^-64.
const DRAWS_MAX: u32 = 64;

/// A random generator and its distributions.
pub trait Random {
    /// 32 uniform bits, from which everything else is computed.
    fn next_u32(&mut self) -> u32;

    /// 64 bits: the lower half is drawn first.
    #[inline]
    fn next_u64(&mut self) -> u64 {
        let lower = u64::from(self.next_u32());
        let upper = u64::from(self.next_u32());
        upper << 32 | lower
    }

    /// A uniform integer in `0..count`. Panics for a count of zero.
    #[inline]
    fn below(&mut self, count: u32) -> u32 {
        assert!(count > 0, "nothing is below zero");
        // Lemire's method (2019): the upper half of draw × count is the result; biased lower halves are rejected.
        let unfair = count.wrapping_neg() % count;
        let mut product = 0;
        for _ in 0..DRAWS_MAX {
            product = u64::from(self.next_u32()) * u64::from(count);
            if product as u32 >= unfair {
                break;
            }
        }
        (product >> 32) as u32
    }

    /// A uniform integer from `lower` to `upper`, both included. Panics if they are not in order.
    #[inline]
    fn range(&mut self, lower: i32, upper: i32) -> i32 {
        assert!(lower <= upper, "{lower} is above {upper}");
        let count = upper.wrapping_sub(lower).cast_unsigned().wrapping_add(1);
        // All 2^32 numbers are a count of zero.
        let offset = if count == 0 { self.next_u32() } else { self.below(count) };
        lower.wrapping_add(offset.cast_signed())
    }

    /// A uniform float in `0..1`: one of 2^24 equidistant values.
    #[inline]
    fn unit(&mut self) -> f32 {
        (self.next_u32() >> 8) as f32 * (1.0 / 16_777_216.0)
    }

    /// A uniform double in `0..1`: one of 2^53 equidistant values. Takes two draws.
    #[inline]
    fn unit_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// A uniform float from `lower` to `upper`. `upper` itself occurs only by rounding.
    #[inline]
    fn between(&mut self, lower: f32, upper: f32) -> f32 {
        number::lerp(lower, upper, self.unit())
    }

    /// True with this probability: never at 0 and below, always at 1 and above, never for NaN.
    #[inline]
    fn chance(&mut self, probability: f32) -> bool {
        self.unit() < probability
    }

    /// A normally distributed float (Box and Muller 1958), at most six deviations from `mean`. Draws the radius, then
    /// the phase.
    #[inline]
    fn normal(&mut self, mean: f32, deviation: f32) -> f32 {
        // From just above zero up to one: its logarithm is finite.
        let distance = 1.0 - self.unit();
        let phase = self.unit();
        mean + deviation * (number::sqrt(-2.0 * number::ln(distance)) * number::cos(number::TAU * phase))
    }

    /// A uniform direction in the plane.
    #[inline]
    fn on_circle(&mut self) -> Vec2 {
        Vec2::from_angle(number::TAU * self.unit())
    }

    /// A uniform point of the unit disc. Draws the direction, then the distance.
    #[inline]
    fn in_circle(&mut self) -> Vec2 {
        let direction = self.on_circle();
        direction * number::sqrt(self.unit())
    }

    /// A uniform direction in space. Draws the height, then the angle about z.
    #[inline]
    fn on_sphere(&mut self) -> Vec3 {
        let height = 2.0 * self.unit() - 1.0;
        let around = self.on_circle();
        (around * number::sqrt(1.0 - height * height)).with_z(height)
    }

    /// A uniform point of the unit ball. Draws the direction, then the distance.
    #[inline]
    fn in_sphere(&mut self) -> Vec3 {
        let direction = self.on_sphere();
        direction * number::cbrt(self.unit())
    }

    /// A uniformly chosen item; `None`, without a draw, if there are none.
    #[inline]
    fn pick<'items, T>(&mut self, items: &'items [T]) -> Option<&'items T>
    where
        Self: Sized,
    {
        if items.is_empty() { None } else { items.get(self.below(count_of(items)) as usize) }
    }

    /// Shuffles the items (Fisher and Yates), from the last position to the second.
    fn shuffle<T>(&mut self, items: &mut [T])
    where
        Self: Sized,
    {
        for place in (1..count_of(items)).rev() {
            items.swap(place as usize, self.below(place + 1) as usize);
        }
    }
}

/// Not a usize, so that 32-bit and 64-bit machines draw alike.
fn count_of<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).expect("a list has fewer than 2^32 items")
}
