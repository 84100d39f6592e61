//! The order in which jobs are handed out.

use std::thread;

/// A permutation from position to job number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    /// The identity.
    Counted,
    /// `place * step + offset`, modulo `count`. As `step` and `count` are coprime, this is a permutation, and
    /// nothing needs to be stored.
    Shuffled { seed: u64, count: u64, step: u64, offset: u64 },
}

impl Order {
    /// The order of one run.
    pub(super) fn shuffled(seed: u64, run: u32, count: u32) -> Order {
        let seed = mix(mix(seed) ^ (u64::from(run) << 32 | u64::from(count)));
        let count = u64::from(count);
        let mut step = 1 + mix(seed ^ 1) % count;
        // Ends at the latest at the next prime.
        while greatest_common_divisor(step, count) != 1 {
            step += 1;
        }
        Order::Shuffled { seed, count, step, offset: mix(seed ^ 2) % count }
    }

    /// The job number at a position. Yields before some of them.
    pub(super) fn number(self, place: u32) -> u32 {
        match self {
            Order::Counted => place,
            Order::Shuffled { seed, count, step, offset } => {
                // One job in eight yields. More would prove no more, and on a busy machine each yield may cost a
                // millisecond.
                if mix(seed ^ u64::from(place) << 8).is_multiple_of(8) {
                    thread::yield_now();
                }
                let number = (u64::from(place) * step + offset) % count;
                u32::try_from(number).expect("it is less than the count")
            }
        }
    }
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): each input bit flips half of the output bits.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(order: Order, count: u32) -> Vec<u32> {
        (0..count).map(|place| order.number(place)).collect()
    }

    #[test]
    fn every_order_has_every_number_once() {
        for count in (1..130).chain([1000, 4096]) {
            let mut found = numbers(Order::shuffled(7, count, count), count);
            found.sort_unstable();
            assert!(found.into_iter().eq(0..count), "{count}");
        }
    }

    #[test]
    fn the_same_seed_and_run_give_the_same_order_and_others_differ() {
        let order = |seed, run| numbers(Order::shuffled(seed, run, 100), 100);
        assert_eq!(order(1, 1), order(1, 1));
        assert_ne!(order(1, 1), order(1, 2));
        assert_ne!(order(1, 1), order(2, 1));
    }

    #[test]
    fn three_jobs_come_in_all_six_orders() {
        let mut found: Vec<Vec<u32>> = (0..200).map(|run| numbers(Order::shuffled(3, run, 3), 3)).collect();
        found.sort();
        found.dedup();
        assert_eq!(found.len(), 6);
    }

    #[test]
    fn the_largest_count_does_not_overflow() {
        let order = Order::shuffled(5, 5, u32::MAX);
        assert_ne!(order.number(0), order.number(u32::MAX - 1));
    }
}
