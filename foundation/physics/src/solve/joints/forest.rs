//! The forest: bodies that are joined, as trees, and the joints that are left over because they close a ring.
//!
//! Laws
//! 1. Of the joints in the order of their slots, each that joins two that were not joined yet is part of a tree. A tree has one
//!    joint to what nothing can move at most, the first; its body is the root. Without one, the lowest mover is the root.
//! 2. The list has the trees in the order of their lowest movers, each from the leaves to the root.

use alloc::vec::Vec;

use state::share::NOBODY;

use crate::islands::Islands;

/// A mover in a tree, with the joint to its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Twig {
    /// The mover.
    pub mover: u32,
    /// Where its parent is in the same tree, or [`NOBODY`].
    pub parent: u32,
    /// Which bond it is: that to its parent or, of a root, to what nothing can move; or [`NOBODY`].
    pub bond: u32,
}

/// Room for the forest.
pub struct Forest {
    islands: Islands,
    /// For each mover, where its bonds begin among the edges.
    starts: Vec<u32>,
    edges: Vec<u32>,
    /// The bond of each leader's tree to what nothing can move.
    roots: Vec<u32>,
    seen: Vec<bool>,
    in_tree: Vec<bool>,
    /// All trees, one behind the other.
    pub twigs: Vec<Twig>,
    /// Where each tree ends.
    pub ends: Vec<u32>,
    /// Where each mover is in its tree, if it is in one.
    pub places: Vec<u32>,
    /// In which tree it is.
    pub trees: Vec<u32>,
    /// The bonds that close a ring: in the order of their trees, and then of their slots.
    pub closing: Vec<Closing>,
}

/// A bond that closes a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Closing {
    /// The number of its tree.
    pub tree: u32,
    /// Which bond it is.
    pub bond: u32,
}

impl Forest {
    /// Room for so many bodies and joints.
    pub fn new(bodies: usize, joints: usize) -> Forest {
        Forest {
            islands: Islands::with_capacity(bodies),
            starts: Vec::with_capacity(bodies + 1),
            edges: Vec::with_capacity(joints * 2),
            roots: Vec::with_capacity(bodies),
            seen: Vec::with_capacity(bodies),
            in_tree: Vec::with_capacity(joints),
            twigs: Vec::with_capacity(bodies.min(joints * 2)),
            ends: Vec::with_capacity(joints),
            places: Vec::with_capacity(bodies),
            trees: Vec::with_capacity(bodies),
            closing: Vec::with_capacity(joints),
        }
    }

    /// Grows anew from bonds between so many movers; each has one or two that can be moved, or [`NOBODY`].
    pub fn grow(&mut self, movers: usize, bonds: &[[u32; 2]]) {
        self.sort_out(movers, bonds);
        self.tie(movers, bonds);
        self.twigs.clear();
        self.ends.clear();
        self.seen.clear();
        self.seen.resize(movers, false);
        for mover in 0..movers as u32 {
            let is_joined = self.starts[mover as usize] < self.starts[mover as usize + 1];
            let leader = self.islands.leader(mover);
            let bond = self.roots[leader as usize];
            if self.seen[mover as usize] || !(is_joined || bond != NOBODY) {
                continue;
            }
            let root = match bonds.get(bond as usize) {
                Some(ends) => ends[0].min(ends[1]),
                None => mover,
            };
            self.climb(Twig { mover: root, parent: NOBODY, bond }, bonds);
        }
        self.find_places(movers, bonds);
    }

    /// Notes which mover is where, and so which tree each ring is in.
    fn find_places(&mut self, movers: usize, bonds: &[[u32; 2]]) {
        for places in [&mut self.places, &mut self.trees] {
            places.clear();
            places.resize(movers, NOBODY);
        }
        let mut start = 0;
        for (tree, end) in self.ends.iter().enumerate() {
            for (place, twig) in self.twigs[start..*end as usize].iter().enumerate() {
                self.places[twig.mover as usize] = place as u32;
                self.trees[twig.mover as usize] = tree as u32;
            }
            start = *end as usize;
        }
        for closing in &mut self.closing {
            let [first, second] = bonds[closing.bond as usize];
            closing.tree = self.trees[first.min(second) as usize];
        }
        self.closing.sort_unstable();
    }

    /// Tells tree from ring.
    fn sort_out(&mut self, movers: usize, bonds: &[[u32; 2]]) {
        self.islands.begin(movers);
        self.roots.clear();
        self.roots.resize(movers, NOBODY);
        self.closing.clear();
        self.in_tree.clear();
        for &[first, second] in bonds {
            let is_new =
                first != NOBODY && second != NOBODY && self.islands.leader(first) != self.islands.leader(second);
            self.islands.join(first, second);
            self.in_tree.push(is_new);
        }
        for (bond, &[first, second]) in bonds.iter().enumerate() {
            if first != NOBODY && second != NOBODY {
                if !self.in_tree[bond] {
                    self.closing.push(Closing { tree: 0, bond: bond as u32 });
                }
                continue;
            }
            let leader = self.islands.leader(first.min(second)) as usize;
            if self.roots[leader] == NOBODY {
                self.roots[leader] = bond as u32;
            } else {
                self.closing.push(Closing { tree: 0, bond: bond as u32 });
            }
        }
    }

    /// Notes for each mover which bonds of the tree it has.
    fn tie(&mut self, movers: usize, bonds: &[[u32; 2]]) {
        self.starts.clear();
        self.starts.resize(movers + 1, 0);
        let in_tree = &self.in_tree;
        let kept = bonds.iter().enumerate().filter(|(bond, _)| in_tree[*bond]);
        kept.clone().for_each(|(_, ends)| ends.iter().for_each(|end| self.starts[*end as usize] += 1));
        let mut total = 0;
        for start in &mut self.starts {
            total += *start;
            *start = total;
        }
        self.edges.clear();
        self.edges.resize(total as usize, NOBODY);
        for (bond, ends) in kept {
            for end in ends {
                let place = &mut self.starts[*end as usize];
                *place -= 1;
                self.edges[*place as usize] = bond as u32;
            }
        }
    }

    /// From the root to the leaves, nearest first; then turned round.
    fn climb(&mut self, root: Twig, bonds: &[[u32; 2]]) {
        let first = self.twigs.len();
        self.seen[root.mover as usize] = true;
        self.twigs.push(root);
        let mut next = first;
        while let Some(twig) = self.twigs.get(next).copied() {
            let edges = self.starts[twig.mover as usize]..self.starts[twig.mover as usize + 1];
            for edge in edges {
                let bond = self.edges[edge as usize];
                let Some(ends) = bonds.get(bond as usize) else { continue };
                let other = if ends[0] == twig.mover { ends[1] } else { ends[0] };
                if !core::mem::replace(&mut self.seen[other as usize], true) {
                    self.twigs.push(Twig { mover: other, parent: (next - first) as u32, bond });
                }
            }
            next += 1;
        }
        let count = (self.twigs.len() - first) as u32;
        self.twigs[first..].reverse();
        for twig in self.twigs[first..].iter_mut().filter(|twig| twig.parent != NOBODY) {
            twig.parent = count - 1 - twig.parent;
        }
        self.ends.push(self.twigs.len() as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bonds: &[[u32; 2]], expected: &str) {
        let mut forest = Forest::new(16, 16);
        forest.grow(16, bonds);
        let mut text = alloc::string::String::new();
        let mut start = 0;
        for end in &forest.ends {
            for twig in &forest.twigs[start..*end as usize] {
                let parent = forest.twigs.get(start + twig.parent as usize).filter(|_| twig.parent != NOBODY);
                let parent = parent.map_or(alloc::string::String::new(), |parent| alloc::format!("<{}", parent.mover));
                text += &alloc::format!("{}{parent} ", twig.mover);
            }
            text += "| ";
            start = *end as usize;
        }
        let closing: Vec<u32> = forest.closing.iter().map(|closing| closing.bond).collect();
        assert_eq!(alloc::format!("{text}{closing:?}"), expected);
    }

    const NO: u32 = NOBODY;

    #[test]
    fn trees_grow_from_their_roots() {
        check(&[], "[]");
        check(&[[0, 1]], "1<0 0 | []");
        check(&[[0, 1], [2, 1], [3, NO]], "2<1 1<0 0 | 3 | []");
        check(&[[1, 2], [2, 3], [NO, 3]], "1<2 2<3 3 | []");
        check(&[[4, 1], [4, 2], [4, 3]], "2<4 3<4 4<1 1 | []");
    }

    #[test]
    fn what_closes_a_ring_is_left_over() {
        check(&[[0, 1], [1, 2], [2, 0]], "2<1 1<0 0 | [2]");
        check(&[[0, 1], [0, 1]], "1<0 0 | [1]");
        check(&[[0, NO], [0, 1], [NO, 1]], "1<0 0 | [2]");
    }
}
