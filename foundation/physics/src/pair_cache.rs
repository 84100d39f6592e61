//! Candidate pairs kept from step to step: pairs of fat AABBs, as in the dynamic trees of Bullet and Box2D.
//!
//! Each body has a fat AABB: its AABB, expanded by a margin and by its motion over the next steps. While every body stays inside
//! its fat AABB, two AABBs overlap only if the fat ones do, so the list of fat pairs stays valid. Only bodies that leave their
//! fat AABB are refitted and queried again.
//!
//! Where most bodies leave all the time, as in a gas, this does not pay: tight AABBs are used for a while then, and the list is
//! rebuilt in every step.
//!
//! Laws
//! 1. The lists hold every pair of slots whose fat AABBs overlap and of which one moves. They may hold other pairs, and some
//!    twice.
//! 2. They depend on earlier steps and lie outside the block. They cannot change a result: the broad phase tests the AABBs of
//!    each candidate and finds the same pairs from every list that keeps law 1.

mod sorter;

use alloc::vec::Vec;

use jobs::{Arena, Filling, each_chunk, each_range};
use state::Workers;

use crate::aabb::Aabb;
use crate::bvh8::{Bvh8, WIDTH};
use crate::proxy::Proxy;
use sorter::PairSorter;

/// Pairs of overlapping fat AABBs, and the BVHs to find them.
pub struct PairCache {
    /// The fat AABB of each slot.
    fat: Vec<Aabb>,
    /// The state of each slot: see [`slot_flag`]. All from `slots_end` on are zero.
    flags: Vec<u8>,
    slots_end: usize,
    /// Whether each proxy has left its fat AABB: resting ones first, then moving ones.
    escaped: Vec<bool>,
    /// Slots that got a new fat AABB in this step.
    refitted: Vec<u16>,
    /// The moving and the resting bodies as they were at the last rebuild.
    moving_bvh: SlotBvh,
    resting: SlotBvh,
    /// Slots that were refitted since the last rebuild, which the two BVHs above have at their old place.
    stale: Vec<u16>,
    stale_bvh: SlotBvh,
    /// Pairs found by the last rebuild, and pairs found since. Both lists are sorted.
    rebuilt_pairs: Vec<[u16; 2]>,
    incremental_pairs: Vec<[u16; 2]>,
    merge_scratch: Vec<[u16; 2]>,
    found: Arena<[u16; 2]>,
    sorter: PairSorter,
    /// Steps since the last rebuild.
    steps_since_rebuild: u32,
    /// For how many more steps tight AABBs are used.
    tight_steps_left: u32,
}

/// A BVH over the fat AABBs of some slots.
struct SlotBvh {
    slots: Vec<u16>,
    aabbs: Vec<Aabb>,
    bvh: Bvh8,
}

/// A buffer in front of the shared arena: pairs are pushed in batches.
struct PairBatch<'a> {
    pairs: [[u16; 2]; BATCH_PAIRS],
    count: usize,
    found: &'a Filling<[u16; 2]>,
}

/// Bits of a slot's state.
mod slot_flag {
    /// It has a fat AABB and is in one of the BVHs.
    pub const TRACKED: u8 = 1;
    /// It was moving when it was queried: its pairs with resting bodies are in the list.
    pub const MOVING: u8 = 1 << 1;
    /// It was refitted since the last rebuild.
    pub const STALE: u8 = 1 << 2;
    /// It was refitted in this step.
    pub const REFITTED: u8 = 1 << 3;
}

/// A fat AABB covers this many steps of motion at constant velocity.
const STEPS_AHEAD: f32 = 4.0;

/// Margin of a fat AABB as a fraction of the body's largest extent, for accelerations.
const FAT_MARGIN: f32 = 0.05;

/// Everything is rebuilt once more than one of this many proxies is stale.
const STALE_SHARE: usize = 4;

/// If rebuilds follow within this many steps, fat AABBs do not pay; then tight ones are used for `TIGHT_STEPS`.
const REBUILD_INTERVAL_MIN: u32 = 6;
const TIGHT_STEPS: u32 = 32;

/// Pairs per batch.
const BATCH_PAIRS: usize = 32;

/// Proxies, leaves and refitted slots per job.
const PROXIES_CHUNK: usize = 256;
const LEAVES_CHUNK: usize = 8;
const REFITTED_CHUNK: usize = 16;

impl PairCache {
    /// Allocates for this many bodies and pairs of fat AABBs.
    pub fn new(bodies: usize, pairs: usize) -> PairCache {
        PairCache {
            fat: alloc::vec![Aabb::EMPTY; bodies],
            flags: alloc::vec![0; bodies],
            slots_end: 0,
            escaped: Vec::with_capacity(bodies),
            refitted: Vec::with_capacity(bodies),
            moving_bvh: SlotBvh::with_capacity(bodies),
            resting: SlotBvh::with_capacity(bodies),
            stale: Vec::with_capacity(bodies),
            stale_bvh: SlotBvh::with_capacity(bodies),
            rebuilt_pairs: Vec::with_capacity(pairs),
            incremental_pairs: Vec::with_capacity(pairs),
            merge_scratch: Vec::with_capacity(pairs),
            found: Arena::new(pairs),
            sorter: PairSorter::new(bodies, pairs),
            steps_since_rebuild: 0,
            tight_steps_left: 0,
        }
    }

    /// Updates the lists to the present proxies. Returns false if there are more pairs than capacity; the lists are empty then.
    pub fn update(&mut self, moving: &[Proxy], resting: &[Proxy], workers: &dyn Workers) -> bool {
        self.steps_since_rebuild = self.steps_since_rebuild.saturating_add(1);
        self.tight_steps_left = self.tight_steps_left.saturating_sub(1);
        self.refitted.iter().for_each(|slot| self.flags[usize::from(*slot)] &= !slot_flag::REFITTED);
        self.refitted.clear();
        if self.tight_steps_left == 0 {
            self.refit_escaped(moving, resting, workers);
        }
        let all = moving.len() + resting.len();
        let is_complete = if self.tight_steps_left > 0 || (self.stale.len() + self.refitted.len()) * STALE_SHARE > all {
            self.rebuild(moving, resting, workers)
        } else {
            self.refitted.is_empty() || self.update_refitted(workers)
        };
        if !is_complete {
            self.clear();
        }
        is_complete
    }

    /// The two sorted lists of candidate pairs.
    pub fn lists(&self) -> [&[[u16; 2]]; 2] {
        [&self.rebuilt_pairs, &self.incremental_pairs]
    }

    fn clear(&mut self) {
        self.clear_flags();
        self.rebuilt_pairs.clear();
        self.incremental_pairs.clear();
        self.refitted.clear();
        self.stale.clear();
    }

    fn clear_flags(&mut self) {
        self.flags[..self.slots_end].fill(0);
        self.slots_end = 0;
    }

    /// Refits all proxies that left their fat AABB.
    fn refit_escaped(&mut self, moving: &[Proxy], resting: &[Proxy], workers: &dyn Workers) {
        let proxy = |index: usize| resting.get(index).unwrap_or_else(|| &moving[index - resting.len()]);
        let (flags, fat) = (&self.flags, &self.fat);
        self.escaped.resize(moving.len() + resting.len(), false);
        each_chunk(workers, &mut self.escaped, PROXIES_CHUNK, |first, escaped| {
            for (index, has_escaped) in escaped.iter_mut().enumerate() {
                let proxy = proxy(first + index);
                let (slot, moves) = (usize::from(proxy.slot()), proxy.is_moving());
                let is_known =
                    flags[slot] & slot_flag::TRACKED != 0 && (!moves || flags[slot] & slot_flag::MOVING != 0);
                *has_escaped = !is_known || !fat[slot].contains(&proxy.aabb);
            }
        });
        for index in 0..self.escaped.len() {
            if self.escaped[index] {
                self.refit(proxy(index));
            }
        }
    }

    /// Gives a slot a new fat AABB.
    fn refit(&mut self, proxy: &Proxy) {
        let (slot, moves) = (usize::from(proxy.slot()), proxy.is_moving());
        let (flags, fat) = (&mut self.flags[slot], &mut self.fat[slot]);
        *fat = fatten(proxy);
        *flags = *flags & slot_flag::STALE
            | slot_flag::TRACKED
            | slot_flag::REFITTED
            | if moves { slot_flag::MOVING } else { 0 };
        self.refitted.push(proxy.slot());
        self.slots_end = self.slots_end.max(slot + 1);
    }

    /// Rebuilds both BVHs and the list of pairs.
    fn rebuild(&mut self, moving: &[Proxy], resting: &[Proxy], workers: &dyn Workers) -> bool {
        if self.tight_steps_left == 0 && core::mem::take(&mut self.steps_since_rebuild) < REBUILD_INTERVAL_MIN {
            self.tight_steps_left = TIGHT_STEPS;
        }
        self.incremental_pairs.clear();
        self.stale.clear();
        // A removed body is in no BVH; a later body in its slot must count as untracked.
        self.clear_flags();
        let last_slot = moving.last().into_iter().chain(resting.last()).map(Proxy::slot).max();
        self.slots_end = last_slot.map_or(0, |slot| usize::from(slot) + 1);
        for proxy in resting.iter().chain(moving) {
            let slot = usize::from(proxy.slot());
            self.flags[slot] = slot_flag::TRACKED | if proxy.is_moving() { slot_flag::MOVING } else { 0 };
            self.fat[slot] = if self.tight_steps_left > 0 { proxy.aabb } else { fatten(proxy) };
        }
        self.moving_bvh.build(moving.iter().map(Proxy::slot), &self.fat, workers);
        self.resting.build(resting.iter().map(Proxy::slot), &self.fat, workers);
        let (moving_bvh, resting) = (&self.moving_bvh, &self.resting);
        let is_complete = self.found.fill(|found| moving_bvh.visit_pairs(resting, workers, found));
        if is_complete {
            self.rebuilt_pairs.clear();
            self.rebuilt_pairs.extend_from_slice(self.sorter.sort(self.found.as_slice(), self.slots_end, workers));
        }
        is_complete
    }

    /// Queries the refitted slots again.
    fn update_refitted(&mut self, workers: &dyn Workers) -> bool {
        for slot in &self.refitted {
            let flags = &mut self.flags[usize::from(*slot)];
            if *flags & slot_flag::STALE == 0 {
                *flags |= slot_flag::STALE;
                self.stale.push(*slot);
            }
        }
        self.stale_bvh.build(self.stale.iter().copied(), &self.fat, workers);
        let (moving_bvh, resting, stale_bvh) = (&self.moving_bvh, &self.resting, &self.stale_bvh);
        let (flags, fat) = (&self.flags, &self.fat);
        let is_complete = self.found.fill(|found| {
            each_chunk(workers, &mut self.refitted, REFITTED_CHUNK, |_, refitted| {
                let mut batch = PairBatch::new(found);
                for slot in refitted {
                    let aabb = &fat[usize::from(*slot)];
                    for home in [moving_bvh, resting] {
                        home.visit_overlapping(aabb, |other| {
                            // These BVHs have stale slots at their old place.
                            if flags[usize::from(other)] & slot_flag::STALE == 0 {
                                batch.push_if_one_moves(flags, *slot, other);
                            }
                        });
                    }
                    stale_bvh.visit_overlapping(aabb, |other| {
                        // If both were refitted, both query: the lower slot reports the pair.
                        if flags[usize::from(other)] & slot_flag::REFITTED == 0 || *slot < other {
                            batch.push_if_one_moves(flags, *slot, other);
                        }
                    });
                }
                batch.flush();
            });
        });
        is_complete && self.merge(workers)
    }

    /// Replaces all pairs of refitted slots in the incremental list, so that it does not grow with time. False if it would exceed
    /// its capacity.
    fn merge(&mut self, workers: &dyn Workers) -> bool {
        let found = self.sorter.sort(self.found.as_slice(), self.slots_end, workers);
        if found.len() + self.incremental_pairs.len() > self.merge_scratch.capacity() {
            return false;
        }
        let was_refitted = |slot: u16| self.flags[usize::from(slot)] & slot_flag::REFITTED != 0;
        let kept =
            self.incremental_pairs.iter().filter(|[first, second]| !was_refitted(*first) && !was_refitted(*second));
        self.merge_scratch.clear();
        let mut next = 0;
        for pair in kept {
            let before = found[next..].iter().take_while(|found| *found < pair).count();
            self.merge_scratch.extend_from_slice(&found[next..next + before]);
            self.merge_scratch.push(*pair);
            next += before;
        }
        self.merge_scratch.extend_from_slice(&found[next..]);
        core::mem::swap(&mut self.incremental_pairs, &mut self.merge_scratch);
        true
    }
}

impl SlotBvh {
    fn with_capacity(capacity: usize) -> SlotBvh {
        let (slots, aabbs) = (Vec::with_capacity(capacity), Vec::with_capacity(capacity));
        SlotBvh { slots, aabbs, bvh: Bvh8::with_capacity(capacity) }
    }

    /// Builds the BVH unless slots and boxes are unchanged.
    fn build(&mut self, slots: impl ExactSizeIterator<Item = u16> + Clone, fat: &[Aabb], workers: &dyn Workers) {
        let aabbs = slots.clone().map(|slot| fat[usize::from(slot)]);
        if self.slots.iter().copied().eq(slots.clone()) && self.aabbs.iter().copied().eq(aabbs.clone()) {
            return;
        }
        self.slots.clear();
        self.slots.extend(slots);
        self.aabbs.clear();
        self.aabbs.extend(aabbs);
        let aabbs = &self.aabbs;
        self.bvh.build(aabbs.len(), |item| aabbs[item], workers);
    }

    #[inline]
    fn visit_overlapping(&self, aabb: &Aabb, mut found: impl FnMut(u16)) {
        self.bvh.visit_overlapping(aabb, 0, |item| found(self.slots[item as usize]));
    }

    /// Reports all pairs within the tree, each once, and with the resting bodies. A leaf's eight boxes are queried together, as
    /// they are close in space.
    fn visit_pairs(&self, resting: &SlotBvh, workers: &dyn Workers, found: &Filling<[u16; 2]>) {
        let (bvh, slots, aabbs) = (&self.bvh, &self.slots, &self.aabbs);
        let item = |position: usize| bvh.morton_order()[position] as usize;
        // Each job takes a run of leaves.
        each_range(workers, bvh.leaf_count(), LEAVES_CHUNK, |leaves| {
            let mut batch = PairBatch::new(found);
            for leaf in leaves {
                let leaf_aabb = bvh.leaf_aabb(leaf);
                bvh.visit_overlapping_positions(&leaf_aabb, leaf * WIDTH + 1, |position| {
                    let other = item(position);
                    bvh.visit_leaf(leaf, &aabbs[other], |own| {
                        if own < position {
                            batch.push(slots[item(own)], slots[other]);
                        }
                    });
                });
                resting.bvh.visit_overlapping(&leaf_aabb, 0, |other| {
                    let (slot, aabb) = (resting.slots[other as usize], &resting.aabbs[other as usize]);
                    bvh.visit_leaf(leaf, aabb, |own| batch.push(slots[item(own)], slot));
                });
            }
            batch.flush();
        });
    }
}

impl<'a> PairBatch<'a> {
    fn new(found: &'a Filling<[u16; 2]>) -> PairBatch<'a> {
        PairBatch { pairs: [[0; 2]; BATCH_PAIRS], count: 0, found }
    }

    #[inline]
    fn push(&mut self, one: u16, other: u16) {
        self.pairs[self.count] = [one.min(other), one.max(other)];
        self.count += 1;
        if self.count == BATCH_PAIRS {
            self.flush();
        }
    }

    #[inline]
    fn push_if_one_moves(&mut self, flags: &[u8], one: u16, other: u16) {
        let moves = |slot: u16| flags[usize::from(slot)] & slot_flag::MOVING != 0;
        if one != other && (moves(one) || moves(other)) {
            self.push(one, other);
        }
    }

    fn flush(&mut self) {
        self.found.push(&self.pairs[..self.count]);
        self.count = 0;
    }
}

/// The fat AABB of a moving proxy; of a resting one, its AABB.
fn fatten(proxy: &Proxy) -> Aabb {
    if !proxy.is_moving() {
        return proxy.aabb;
    }
    let Aabb { min, max } = proxy.aabb;
    let displacement = proxy.displacement * STEPS_AHEAD;
    let there = Aabb { min: min + displacement, max: max + displacement };
    let fat = proxy.aabb.union(&there).expanded((max - min).max_component() * FAT_MARGIN);
    let sum = fat.min + fat.max;
    if (sum.x + sum.y + sum.z).is_finite() { fat } else { proxy.aabb }
}
