//! Islands: movers that hang together by contacts and joints fall asleep together, and wake together.
//!
//! Laws
//! 1. An island sleeps when each of its movers has hardly moved for long enough.
//! 2. Whoever is touched by somebody awake wakes, with all that hang together with it, and takes part from the next step on.

use alloc::vec::Vec;

/// Who hangs together with whom.
#[derive(Default)]
pub struct Islands {
    leader: Vec<u32>,
}

impl Islands {
    /// Room for so many.
    pub fn with_capacity(count: usize) -> Islands {
        Islands { leader: Vec::with_capacity(count) }
    }

    /// Begins anew: so many, each on its own.
    pub fn begin(&mut self, count: usize) {
        self.leader.clear();
        self.leader.extend(0..count as u32);
    }

    /// The one who stands for all who hang together with this one: the least of them.
    pub fn leader(&mut self, mut one: u32) -> u32 {
        while self.leader[one as usize] != one {
            let above = self.leader[self.leader[one as usize] as usize];
            self.leader[one as usize] = above;
            one = above;
        }
        one
    }

    /// Lets two hang together. Whoever is none of them is passed over.
    pub fn join(&mut self, one: u32, other: u32) {
        let count = self.leader.len() as u32;
        if one >= count || other >= count {
            return;
        }
        let (one, other) = (self.leader(one), self.leader(other));
        let (least, most) = (one.min(other), one.max(other));
        self.leader[most as usize] = least;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_hang_together_have_one_leader() {
        let mut islands = Islands::with_capacity(8);
        islands.begin(8);
        for (one, other) in [(5, 3), (7, 5), (1, 2), (6, 99), (2, 1)] {
            islands.join(one, other);
        }
        let leaders: Vec<u32> = (0..8).map(|one| islands.leader(one)).collect();
        assert_eq!(leaders, [0, 1, 1, 3, 4, 3, 6, 3]);
    }
}
