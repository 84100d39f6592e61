//! Goal fields: the costs to goals that many agents share, in a cache of fixed size.
//!
//! A field answers in constant time. It is computed by a wave, a bounded number of cells at a time, one field after the other, in a
//! spare buffer. When the map changes, a field is out of date: it keeps answering, with moves that are legal now, until it is
//! computed again.
//!
//! Laws
//! 1. A new goal takes a slot that is not used, or the one that was asked for longest ago. A goal that was asked for in this cycle
//!    keeps its slot: a new one is then refused.
//! 2. The fields are a function of the sequence of calls: there is no clock in here.

use base::Plain;

use crate::limits::AHEAD_STEPS;
use crate::sight::is_straight;
use crate::terrain::Terrain;
use crate::wave::{Link, Wave, WaveCells, downhill};

/// The slot is not used.
const UNUSED: u32 = 0;
/// Its field is not computed yet.
const WAITING: u32 = 1;
/// Its field was computed for an earlier map.
const STALE: u32 = 2;
/// Its field is that of the map.
const CURRENT: u32 = 3;

/// A field of the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Plain)]
#[repr(C)]
pub struct FieldSlot {
    /// The cycle in which it was asked for last.
    asked_at: u64,
    goal: u32,
    needed: u32,
    /// The buffer with its costs.
    buffer: u32,
    state: u32,
}

/// The field that is being computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Plain)]
#[repr(C)]
pub struct FieldWork {
    wave: Wave,
    /// One more than the slot; 0 if none is being computed.
    slot: u32,
    /// The buffer that no slot has.
    buffer: u32,
}

/// The fields, to be asked.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    /// The slots.
    pub slots: &'a [FieldSlot],
    /// The costs: one buffer more than slots.
    pub costs: &'a [u32],
}

/// The fields, to be changed.
pub struct FieldsEdit<'a> {
    /// The slots.
    pub slots: &'a mut [FieldSlot],
    /// The field that is being computed.
    pub work: &'a mut FieldWork,
    /// The costs: one buffer more than slots.
    pub costs: &'a mut [u32],
    /// The lists of the wave, one entry for each cell.
    pub links: &'a mut [Link],
}

impl Fields<'_> {
    /// The cell to go to next from a cell: the farthest of the next steps to the goal that an agent can go straight to. None if there
    /// is no field for the goal yet, or no path, or the cell is the goal.
    pub fn ahead(&self, terrain: &impl Terrain, cell: u32, goal: u32, needed: u8) -> Option<u32> {
        let costs = self.costs_to(terrain, goal, needed)?;
        let mut steps = [cell; AHEAD_STEPS + 1];
        let mut count = 0;
        while count < AHEAD_STEPS
            && let Some(next) = downhill(terrain, costs, steps[count], needed)
        {
            count += 1;
            steps[count] = next;
        }
        while count > 1 && !is_straight(terrain, cell, steps[count], needed) {
            count /= 2;
        }
        (count > 0).then(|| steps[count])
    }

    /// The cost from a cell to a goal, if there is a field for it that knows one.
    pub fn cost(&self, terrain: &impl Terrain, cell: u32, goal: u32, needed: u8) -> Option<u32> {
        let cost = self.costs_to(terrain, goal, needed)?.get(cell as usize);
        cost.copied().filter(|cost| *cost != crate::wave::UNKNOWN)
    }

    fn costs_to(&self, terrain: &impl Terrain, goal: u32, needed: u8) -> Option<&[u32]> {
        let is_it = |slot: &&FieldSlot| slot.is_for(goal, needed) && slot.state >= STALE;
        let slot = self.slots.iter().find(is_it)?;
        let cells = terrain.lattice().cells() as usize;
        self.costs.chunks_exact(cells).nth(slot.buffer as usize)
    }
}

impl FieldWork {
    /// The number of the buffer that is being filled.
    pub fn buffer(&self) -> u32 {
        self.buffer
    }
}

impl FieldSlot {
    fn is_for(&self, goal: u32, needed: u8) -> bool {
        self.state != UNUSED && (self.goal, self.needed) == (goal, u32::from(needed))
    }
}

impl FieldsEdit<'_> {
    /// Whether the buffer that is being filled is one of those there are: there is another one in a foreign block only.
    pub fn has_buffer(&self) -> bool {
        self.work.buffer as usize <= self.slots.len()
    }

    /// Gives each slot its buffer. All of them are then unused.
    pub fn clear(&mut self) {
        for (index, slot) in self.slots.iter_mut().enumerate() {
            *slot = FieldSlot { buffer: index as u32, ..FieldSlot::default() };
        }
        *self.work = FieldWork { buffer: self.slots.len() as u32, ..FieldWork::default() };
    }

    /// Asks for a field. False if all slots hold goals of this cycle.
    pub fn ask(&mut self, goal: u32, needed: u8, now: u64) -> bool {
        if let Some(slot) = self.slots.iter_mut().find(|slot| slot.is_for(goal, needed)) {
            slot.asked_at = now;
            return true;
        }
        let age = |slot: &FieldSlot| (slot.state != UNUSED, slot.asked_at, slot.goal, slot.needed);
        let is_idle = |slot: &FieldSlot| slot.state == UNUSED || slot.asked_at < now;
        let idle = self.slots.iter_mut().enumerate().filter(|(_, slot)| is_idle(slot));
        let Some((index, slot)) = idle.min_by_key(|(index, slot)| (age(slot), *index)) else { return false };
        *slot = FieldSlot { asked_at: now, goal, needed: u32::from(needed), buffer: slot.buffer, state: WAITING };
        if self.work.slot == index as u32 + 1 {
            self.work.slot = 0;
        }
        true
    }

    /// The map has changed: all fields must be computed again.
    pub fn expire(&mut self) {
        self.work.slot = 0;
        self.slots.iter_mut().filter(|slot| slot.state == CURRENT).for_each(|slot| slot.state = STALE);
    }

    /// Computes fields, visiting at most `budget` cells. Returns the number of visited cells.
    pub fn advance(&mut self, terrain: &impl Terrain, budget: u32) -> u32 {
        let cells = terrain.lattice().cells() as usize;
        let mut left = budget;
        while left > 0 && !self.is_done() {
            let whole = core::mem::take(&mut self.costs);
            let buffer = whole.chunks_exact_mut(cells).nth(self.work.buffer as usize).unwrap_or_default();
            let mut one = FieldsEdit { slots: self.slots, work: self.work, costs: buffer, links: self.links };
            let visited = one.advance_one(terrain, left);
            self.costs = whole;
            // A goal without a way to it takes a visit too.
            left -= visited.clamp(1, left);
        }
        budget - left
    }

    /// The same for one field, with only the buffer that is being filled in `costs`. Returns the number of visited cells.
    pub fn advance_one(&mut self, terrain: &impl Terrain, budget: u32) -> u32 {
        let is_begun = self.work.slot > 0;
        if !is_begun {
            let Some(next) = self.next_slot() else { return 0 };
            self.work.slot = next + 1;
        }
        let Some(slot) = self.slots.get_mut(self.work.slot as usize - 1) else {
            // A slot that does not exist, from a foreign block.
            self.work.slot = 0;
            return 0;
        };
        let mut arrays = WaveCells { costs: self.costs, links: self.links };
        if !is_begun {
            self.work.wave = Wave::begin(&mut arrays, slot.goal);
        }
        let visited = self.work.wave.advance(terrain, &mut arrays, slot.needed.min(255) as u8, budget);
        if self.work.wave.is_over() {
            core::mem::swap(&mut self.work.buffer, &mut slot.buffer);
            (slot.state, self.work.slot) = (CURRENT, 0);
        } else if self.work.wave.is_broken() {
            // It begins again.
            self.work.slot = 0;
        }
        visited
    }

    /// Whether every field is that of the map.
    pub fn is_done(&self) -> bool {
        self.next_slot().is_none()
    }

    /// The slot to compute next: one without costs before one that is out of date, and of these the one asked for last.
    fn next_slot(&self) -> Option<u32> {
        let waits = |slot: &FieldSlot| slot.state == WAITING || slot.state == STALE;
        let waiting = self.slots.iter().enumerate().filter(|(_, slot)| waits(slot));
        let first = waiting.min_by_key(|(index, slot)| (slot.state, u64::MAX - slot.asked_at, *index));
        first.map(|(index, _)| index as u32)
    }
}
