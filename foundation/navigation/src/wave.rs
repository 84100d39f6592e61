//! The cost from every cell to one goal, by a wave that starts there and can be interrupted at any cell.
//!
//! Dial's algorithm: open cells lie in buckets by their cost, as doubly linked lists through an array, so that memory is bounded by
//! the cells. The costs do not depend on the order within a bucket.
//!
//! A wave under way comes from a block, which may be foreign: lists that lead out of the map, or that cannot hold the open cells, break
//! the wave off.

use base::Plain;

use crate::limits::CELLS_MAX;
use crate::moves::{COST_MAX, COSTS, OFFSETS, each};
use crate::terrain::Terrain;

/// The number of buckets: more than the most expensive move costs.
pub const BUCKETS: usize = 32;

/// The cost of a cell that the wave has not reached.
pub const UNKNOWN: u32 = u32::MAX;

const NONE: u32 = u32::MAX;

/// The number of open cells of a wave that was broken off.
const BROKEN: u32 = u32::MAX;

const _: () = assert!(COST_MAX < BUCKETS as u32);
// The cost of the longest path fits 32 bits.
const _: () = assert!(CELLS_MAX as u64 * (COST_MAX as u64) < UNKNOWN as u64 / 2);

/// The neighbours of a cell in its bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Plain)]
#[repr(C)]
pub struct Link {
    next: u32,
    before: u32,
}

/// A wave under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Plain)]
#[repr(C)]
pub struct Wave {
    /// The first cell of each bucket.
    heads: [u32; BUCKETS],
    /// The cost of the cells that are visited now.
    level: u32,
    /// The number of open cells.
    open: u32,
}

impl Default for Wave {
    fn default() -> Wave {
        Wave { heads: [NONE; BUCKETS], level: 0, open: 0 }
    }
}

/// The arrays of a wave, one entry for each cell.
pub struct WaveCells<'a> {
    /// The costs.
    pub costs: &'a mut [u32],
    /// The lists of the buckets.
    pub links: &'a mut [Link],
}

impl Wave {
    /// Begins a wave at a goal.
    pub fn begin(cells: &mut WaveCells<'_>, goal: u32) -> Wave {
        let mut wave = Wave::default();
        cells.costs.fill(UNKNOWN);
        if (goal as usize) < cells.costs.len() {
            wave.or_break_off(|wave| wave.insert(cells, goal, 0));
        }
        wave
    }

    /// Whether every reachable cell has its cost.
    pub fn is_over(&self) -> bool {
        self.open == 0
    }

    /// Whether it was found to be one that cannot be: it must begin again.
    pub fn is_broken(&self) -> bool {
        self.open == BROKEN
    }

    /// Visits at most `budget` cells. Returns their number.
    pub fn advance(&mut self, terrain: &impl Terrain, cells: &mut WaveCells<'_>, needed: u8, budget: u32) -> u32 {
        let mut visited = 0;
        while visited < budget && !self.is_over() && !self.is_broken() {
            visited += u32::from(self.or_break_off(|wave| wave.visit(terrain, cells, needed)));
        }
        visited
    }

    /// Whether a step was one that a wave can take. If not, the wave is broken off.
    fn or_break_off(&mut self, step: impl FnOnce(&mut Wave) -> Option<()>) -> bool {
        let is_sound = step(self).is_some();
        if !is_sound {
            self.open = BROKEN;
        }
        is_sound
    }

    /// Visits the next cell. None if there is no such wave.
    fn visit(&mut self, terrain: &impl Terrain, cells: &mut WaveCells<'_>, needed: u8) -> Option<()> {
        let lattice = terrain.lattice();
        // Open cells cost less than `BUCKETS` more than the level.
        let ahead = (0..BUCKETS).find(|ahead| self.heads[(self.level as usize % BUCKETS + ahead) % BUCKETS] != NONE)?;
        self.level = self.level.checked_add(ahead as u32)?;
        let cell = self.heads[self.level as usize % BUCKETS];
        self.remove(cells, cell, self.level)?;
        if cell >= lattice.cells() {
            return None;
        }
        let position = lattice.position(cell);
        let mut reached = Some(());
        each(terrain.moves(cell, needed), |index| {
            if let Some(next) = lattice.beside(position, OFFSETS[index]) {
                reached = reached.and_then(|()| self.reach(cells, next, COSTS[index]));
            }
        });
        reached
    }

    /// Opens a neighbour of the visited cell, or improves it.
    fn reach(&mut self, cells: &mut WaveCells<'_>, next: u32, step: u32) -> Option<()> {
        let (cost, before) = (self.level.checked_add(step)?, *cells.costs.get(next as usize)?);
        if cost >= before {
            return Some(());
        }
        if before != UNKNOWN {
            self.remove(cells, next, before)?;
        }
        self.insert(cells, next, cost)
    }

    fn insert(&mut self, cells: &mut WaveCells<'_>, cell: u32, cost: u32) -> Option<()> {
        let head = &mut self.heads[cost as usize % BUCKETS];
        if *head != NONE {
            cells.links.get_mut(*head as usize)?.before = cell;
        }
        *cells.links.get_mut(cell as usize)? = Link { next: *head, before: NONE };
        *cells.costs.get_mut(cell as usize)? = cost;
        *head = cell;
        self.open = self.open.checked_add(1)?;
        Some(())
    }

    fn remove(&mut self, cells: &mut WaveCells<'_>, cell: u32, cost: u32) -> Option<()> {
        let Link { next, before } = *cells.links.get(cell as usize)?;
        if before == NONE {
            self.heads[cost as usize % BUCKETS] = next;
        } else {
            cells.links.get_mut(before as usize)?.next = next;
        }
        if next != NONE {
            cells.links.get_mut(next as usize)?.before = before;
        }
        self.open = self.open.checked_sub(1)?;
        Some(())
    }
}

/// The neighbour through which a shortest path goes: the one with the least cost; of several, the one with the smallest number. None
/// at the goal, where the costs know no path, and where they are out of date and no neighbour is nearer.
pub fn downhill(terrain: &impl Terrain, costs: &[u32], cell: u32, needed: u8) -> Option<u32> {
    let (lattice, own) = (terrain.lattice(), costs[cell as usize]);
    if own == UNKNOWN {
        return None;
    }
    let position = lattice.position(cell);
    let mut best = (UNKNOWN, NONE);
    each(terrain.moves(cell, needed), |index| {
        let Some(next) = lattice.beside(position, OFFSETS[index]) else { return };
        if costs[next as usize] < own {
            best = best.min((costs[next as usize].saturating_add(COSTS[index]), next));
        }
    });
    (best.1 != NONE).then_some(best.1)
}
