//! Islands: connected components of bodies under contacts and joints, by union-find with path halving (Tarjan 1975).
//!
//! Laws
//! 1. An island falls asleep when each of its bodies has been at rest for long enough.
//! 2. A sleeping body that an awake one hits or touches wakes with its island, and is simulated in that very step.
//! 3. The root of an island is its lowest index, so it does not depend on the order of unions.

use alloc::vec::Vec;

/// A union-find forest.
#[derive(Default)]
pub struct Islands {
    parents: Vec<u32>,
}

impl Islands {
    /// Allocates for this many elements.
    pub fn with_capacity(count: usize) -> Islands {
        Islands { parents: Vec::with_capacity(count) }
    }

    /// Resets to this many islands of one element each.
    pub fn begin(&mut self, count: usize) {
        self.parents.clear();
        self.parents.extend(0..count as u32);
    }

    /// The root of an island: its lowest index.
    pub fn root(&mut self, mut one: u32) -> u32 {
        debug_assert!((one as usize) < self.parents.len(), "body {one} of {}", self.parents.len());
        let first = one;
        while self.parents[one as usize] != one {
            let above = self.parents[self.parents[one as usize] as usize];
            self.parents[one as usize] = above;
            one = above;
        }
        debug_assert!(one <= first, "law 3 of islands: the root {one} is above {first}");
        one
    }

    /// Unions the islands of two bodies. Static bodies (indices out of range) are skipped.
    pub fn union(&mut self, one: u32, other: u32) {
        let count = self.parents.len() as u32;
        if one >= count || other >= count {
            return;
        }
        let (one, other) = (self.root(one), self.root(other));
        let (lower, higher) = (one.min(other), one.max(other));
        self.parents[higher as usize] = lower;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connected_bodies_have_one_root() {
        let mut islands = Islands::with_capacity(8);
        islands.begin(8);
        for (one, other) in [(5, 3), (7, 5), (1, 2), (6, 99), (2, 1)] {
            islands.union(one, other);
        }
        let roots: Vec<u32> = (0..8).map(|one| islands.root(one)).collect();
        assert_eq!(roots, [0, 1, 1, 3, 4, 3, 6, 3]);
    }
}
