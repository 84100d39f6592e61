//! Chance, the same on every machine.
//!
//! Two sources, one set of draws:
//! - [`Pcg`] goes on from draw to draw. It lies in the world, and everything that draws from it must do so in a fixed
//!   order.
//! - [`Draw`] is named: seed, cycle, domain and slot. Nothing is stored and no order is needed, so it is the one for
//!   parallel work.
//!
//! Never: is seeded by the machine; keeps anything from somebody who wants to guess.
//!
//! Laws
//! 1. A source gives the same numbers for ever: both are published algorithms, tested with their published numbers.
//! 2. Every function of [`Random`] takes the same number of draws each time, but for [`below`](Random::below) and what
//!    is made of it, which now and then draw again.
//! 3. Every result is made of `next_u32` in the written order; a function with several draws says which.

use crate::number;
use crate::vector::{Vec2, Vec3};

mod draw;
mod pcg;
#[cfg(test)]
mod tests;

pub use draw::{Draw, philox};
pub use pcg::Pcg;

/// How often [`Random::below`] draws again. Each time is taken with less than one half: that it is not enough has a
/// chance below 2^-64.
const DRAWS_MAX: u32 = 64;

/// A source of chance, and what can be drawn from it.
pub trait Random {
    /// 32 bits, each pattern as likely as any other. Everything else is made of these.
    fn next_u32(&mut self) -> u32;

    /// 64 bits: the lower half is drawn first.
    #[inline]
    fn next_u64(&mut self) -> u64 {
        let lower = u64::from(self.next_u32());
        let upper = u64::from(self.next_u32());
        upper << 32 | lower
    }

    /// A whole number from 0 up to but not `count`, each as likely as any other. Panics for a count of zero.
    #[inline]
    fn below(&mut self, count: u32) -> u32 {
        assert!(count > 0, "nothing is below zero");
        // The upper half of draw × count is the result; lower halves that some results would have once more are drawn
        // again.
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

    /// A whole number from `least` to `most`, both included. Panics if they are not in order.
    #[inline]
    fn range(&mut self, least: i32, most: i32) -> i32 {
        assert!(least <= most, "{least} is above {most}");
        let count = most.wrapping_sub(least).cast_unsigned().wrapping_add(1);
        // All 2^32 numbers are a count of zero.
        let offset = if count == 0 { self.next_u32() } else { self.below(count) };
        least.wrapping_add(offset.cast_signed())
    }

    /// A float from 0 up to but not 1: one of 2^24 at equal distances, exactly.
    #[inline]
    fn unit(&mut self) -> f32 {
        (self.next_u32() >> 8) as f32 * (1.0 / 16_777_216.0)
    }

    /// A double from 0 up to but not 1: one of 2^53 at equal distances, exactly. Takes two draws.
    #[inline]
    fn unit_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// A float from `least` to `most`. `most` itself comes up only by rounding.
    #[inline]
    fn between(&mut self, least: f32, most: f32) -> f32 {
        number::lerp(least, most, self.unit())
    }

    /// Yes with this probability: never at 0 and below, always at 1 and above, never for NaN.
    #[inline]
    fn chance(&mut self, probability: f32) -> bool {
        self.unit() < probability
    }

    /// A float around `mean`, normally distributed, never more than six deviations away. Draws the distance, then the
    /// phase.
    #[inline]
    fn normal(&mut self, mean: f32, deviation: f32) -> f32 {
        // From just above zero up to one: its logarithm is finite.
        let distance = 1.0 - self.unit();
        let phase = self.unit();
        mean + deviation * (number::sqrt(-2.0 * number::ln(distance)) * number::cos(number::TAU * phase))
    }

    /// A direction in the plane, each as likely as any other.
    #[inline]
    fn on_circle(&mut self) -> Vec2 {
        Vec2::from_angle(number::TAU * self.unit())
    }

    /// A point of the disc with radius one, each as likely as any other. Draws the direction, then the distance.
    #[inline]
    fn in_circle(&mut self) -> Vec2 {
        let direction = self.on_circle();
        direction * number::sqrt(self.unit())
    }

    /// A direction in space, each as likely as any other. Draws the height, then the angle about z.
    #[inline]
    fn on_sphere(&mut self) -> Vec3 {
        let height = 2.0 * self.unit() - 1.0;
        let around = self.on_circle();
        (around * number::sqrt(1.0 - height * height)).with_z(height)
    }

    /// A point of the ball with radius one, each as likely as any other. Draws the direction, then the distance.
    #[inline]
    fn in_sphere(&mut self) -> Vec3 {
        let direction = self.on_sphere();
        direction * number::cbrt(self.unit())
    }

    /// One of the items, each as likely as any other; none, without a draw, if there are none.
    #[inline]
    fn pick<'items, T>(&mut self, items: &'items [T]) -> Option<&'items T>
    where
        Self: Sized,
    {
        if items.is_empty() { None } else { items.get(self.below(count_of(items)) as usize) }
    }

    /// Puts the items into a random order, each as likely as any other. Draws from the last place to the second.
    fn shuffle<T>(&mut self, items: &mut [T])
    where
        Self: Sized,
    {
        for place in (1..count_of(items)).rev() {
            items.swap(place as usize, self.below(place + 1) as usize);
        }
    }
}

/// Never a usize: 32-bit and 64-bit machines must draw alike.
fn count_of<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).expect("no list of a world has four milliard items")
}
