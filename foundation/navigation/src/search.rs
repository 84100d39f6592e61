//! The shortest path for one agent: A* over the cells, then straightened.

use alloc::vec::Vec;

use base::Vec3;

use crate::moves::{COSTS, OFFSETS, cost_between, each};
use crate::open_list::Nodes;
use crate::sight::straighten;
use crate::terrain::{Terrain, standing};

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A shortest path to the goal.
    Complete,
    /// The goal is not free: a shortest path to the free cell nearest to it.
    GoalBlocked,
    /// There is no path: one to the reachable cell nearest to the goal.
    Unreachable,
    /// The budget was spent: a path to the visited cell nearest to the goal.
    Cut,
    /// The start or the goal is not finite, or there is no free cell near it: no path.
    Nowhere,
}

/// A path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way<'a> {
    /// What it is worth.
    pub outcome: Outcome,
    /// The cells at its corners, from the start to the end; an agent can go straight from each to the next. Empty if there is no path.
    pub corners: &'a [u32],
    /// Its cost, cell by cell, before it was straightened.
    pub cost: u32,
    /// The nodes that the search opened: its work.
    pub nodes: u32,
}

/// The working memory of searches.
#[derive(Clone, Debug)]
pub struct Search {
    nodes: Nodes,
    path: Vec<u32>,
}

impl Search {
    /// Memory for searches of at most this many nodes: about 60 bytes each.
    pub fn new(nodes_max: u32) -> Search {
        let nodes_max = nodes_max.clamp(1, crate::limits::CELLS_MAX) as usize;
        Search { nodes: Nodes::new(nodes_max), path: Vec::with_capacity(nodes_max) }
    }

    /// Looks for the shortest path between two places, for an agent that needs this clearance, with a budget of nodes.
    pub fn find(&mut self, terrain: &impl Terrain, from: Vec3, to: Vec3, needed: u8, budget: u32) -> Way<'_> {
        let (start, goal) = (standing(terrain, from, needed), standing(terrain, to, needed));
        let (Some(start), Some(goal)) = (start, goal) else {
            return Way { outcome: Outcome::Nowhere, corners: &[], cost: 0, nodes: 0 };
        };
        let way = self.find_between(terrain, start.cell, goal.cell, needed, budget);
        let is_there = goal.is_exact || way.outcome != Outcome::Complete;
        Way { outcome: if is_there { way.outcome } else { Outcome::GoalBlocked }, ..way }
    }

    /// The same between two cells. Panics if one of them is not in the map.
    pub fn find_between(&mut self, terrain: &impl Terrain, start: u32, goal: u32, needed: u8, budget: u32) -> Way<'_> {
        let needed = needed.max(1);
        let (end, cost, outcome) = self.search(terrain, start, goal, needed, budget.max(1) as usize);
        self.path.clear();
        let mut node = end;
        loop {
            let found = self.nodes.get(node);
            self.path.push(found.cell);
            if found.parent == node {
                break;
            }
            node = found.parent;
        }
        self.path.reverse();
        let kept = straighten(terrain, &mut self.path, needed);
        self.path.truncate(kept);
        Way { outcome, corners: &self.path, cost, nodes: self.nodes.count() as u32 }
    }

    /// The last node of the path, its cost and the outcome.
    fn search(
        &mut self,
        terrain: &impl Terrain,
        start: u32,
        goal: u32,
        needed: u8,
        budget: usize,
    ) -> (u32, u32, Outcome) {
        let lattice = terrain.lattice();
        let target = lattice.position(goal);
        let rest = |position: [u32; 3]| cost_between(position, target);
        self.nodes.clear(budget);
        self.nodes.open(start, 0, u32::MAX, || rest(lattice.position(start)));
        // The visited node nearest to the goal; of several, the cheapest, then the one with the smallest cell.
        let mut nearest = (u32::MAX, u32::MAX, u32::MAX, 0);
        let mut is_cut = false;
        while let Some((number, node)) = self.nodes.close_best() {
            if node.cell == goal {
                return (number, node.cost, Outcome::Complete);
            }
            nearest = nearest.min((node.rest, node.cost, node.cell, number));
            let position = lattice.position(node.cell);
            each(terrain.moves(node.cell, needed), |index| {
                if let Some(next) = lattice.beside(position, OFFSETS[index]) {
                    let rest = || rest(lattice.position(next));
                    is_cut |= !self.nodes.open(next, node.cost + COSTS[index], number, rest);
                }
            });
            if is_cut {
                break;
            }
        }
        let (_, cost, _, number) = nearest;
        (number, cost, if is_cut { Outcome::Cut } else { Outcome::Unreachable })
    }
}
