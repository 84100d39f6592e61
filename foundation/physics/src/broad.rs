//! The broad phase: pairs of bodies whose AABBs overlap in this step.
//!
//! Laws
//! 1. The result is every pair of which one moves, whose AABBs overlap and whose layers, masks and groups let them collide,
//!    sorted by slots. It is a function of the bodies alone.
//! 2. Beyond the capacity, pairs with a static body are kept first, then those of the moving bodies with the lowest slots. So a
//!    crowd does not fall out of the world.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use jobs::{each_chunk, each_run};
use state::Workers;

use crate::aabb::Aabb;
use crate::bvh8::Bvh8;
use crate::limits::BODIES_CHUNK;
use crate::pair_cache::PairCache;
use crate::proxy::Proxy;

#[cfg(test)]
mod tests;

/// The broad phase: its buffers, and the pair cache that makes the next step cheaper.
pub struct BroadPhase {
    /// Proxies of moving bodies, sorted by slot.
    pub moving: Vec<Proxy>,
    /// Proxies of all other bodies, sorted by slot.
    pub resting: Vec<Proxy>,
    cache: PairCache,
    /// The proxy of each slot in this step; [`Proxy::NONE`] for empty slots, and for all from `slots_end` on.
    proxies_by_slot: Vec<Proxy>,
    slots_end: usize,
    pairs: Vec<[u16; 2]>,
    /// Candidates that passed the filter, from the start of each chunk's run; how many; and where each chunk ends in both lists
    /// and in the buffer.
    filtered: Vec<[u16; 2]>,
    filtered_counts: Vec<AtomicU32>,
    list_ends: Vec<[usize; 2]>,
    run_ends: Vec<u32>,
    /// Where the pairs of each chunk end.
    pair_ends: Vec<u32>,
    /// BVHs over the AABBs of this step, for queries.
    moving_bvh: Bvh8,
    resting_bvh: Bvh8,
    /// The boxes from which the BVH of resting bodies was built.
    resting_aabbs: Vec<Aabb>,
    partners: Vec<u16>,
    /// The most pairs.
    pairs_max: usize,
}

/// Capacity for pairs of fat AABBs, in multiples of that for pairs.
const FAT_PAIRS_RATIO: usize = 4;

impl BroadPhase {
    /// Allocates for this many bodies and pairs.
    pub fn new(bodies: usize, pairs: usize) -> BroadPhase {
        let chunks = bodies.div_ceil(BODIES_CHUNK);
        BroadPhase {
            moving: Vec::with_capacity(bodies),
            resting: Vec::with_capacity(bodies),
            cache: PairCache::new(bodies, pairs * FAT_PAIRS_RATIO),
            proxies_by_slot: alloc::vec![Proxy::NONE; bodies],
            slots_end: 0,
            pairs: Vec::with_capacity(pairs * FAT_PAIRS_RATIO * 2),
            filtered: Vec::with_capacity(pairs * FAT_PAIRS_RATIO * 2),
            filtered_counts: (0..chunks).map(|_| AtomicU32::new(0)).collect(),
            list_ends: Vec::with_capacity(chunks),
            run_ends: Vec::with_capacity(chunks),
            pair_ends: Vec::with_capacity(chunks),
            moving_bvh: Bvh8::with_capacity(bodies),
            resting_bvh: Bvh8::with_capacity(bodies),
            resting_aabbs: Vec::with_capacity(bodies),
            partners: Vec::with_capacity(bodies),
            pairs_max: pairs,
        }
    }

    /// Finds all pairs of moving bodies with one another and with resting bodies. Returns false if some were left out.
    pub fn find_pairs(&mut self, workers: &dyn Workers) -> bool {
        debug_assert!(self.moving.is_sorted_by_key(Proxy::slot) && self.resting.is_sorted_by_key(Proxy::slot));
        let is_complete = self.cache.update(&self.moving, &self.resting, workers);
        if is_complete {
            self.filter_pairs(workers);
        }
        is_complete && self.pairs.len() <= self.pairs_max || self.find_first_pairs(workers)
    }

    /// The pairs found, sorted by slots.
    pub fn pairs(&self) -> &[[u16; 2]] {
        &self.pairs
    }

    /// Removes these sorted pairs from the result.
    pub fn exclude_pairs(&mut self, excluded: &[[u16; 2]]) {
        debug_assert!(
            excluded.is_sorted() && self.pairs.is_sorted(),
            "law 1 of the broad phase: pairs are sorted by slots"
        );
        if excluded.is_empty() {
            return;
        }
        let mut next = 0;
        self.pairs.retain(|pair| {
            while excluded.get(next).is_some_and(|other| other < pair) {
                next += 1;
            }
            excluded.get(next) != Some(pair)
        });
    }

    /// Visits all bodies whose AABBs overlap this one, as of the last [`build_bvhs`](BroadPhase::build_bvhs).
    pub fn visit_overlapping(&self, aabb: &Aabb, mut found: impl FnMut(&Proxy)) {
        self.moving_bvh.visit_overlapping(aabb, 0, |item| found(&self.moving[item as usize]));
        self.resting_bvh.visit_overlapping(aabb, 0, |item| found(&self.resting[item as usize]));
    }

    /// Visits all resting bodies whose AABBs overlap this one, with their indices.
    pub fn visit_resting(&self, aabb: &Aabb, mut found: impl FnMut(u32, &Proxy)) {
        self.resting_bvh.visit_overlapping(aabb, 0, |item| found(item, &self.resting[item as usize]));
    }

    /// Builds both BVHs; that of the resting bodies only if their boxes changed.
    pub fn build_bvhs(&mut self, workers: &dyn Workers) {
        let moving = &self.moving;
        self.moving_bvh.build(moving.len(), |item| moving[item].aabb, workers);
        let is_same = self.resting.len() == self.resting_aabbs.len()
            && self.resting.iter().zip(&self.resting_aabbs).all(|(proxy, aabb)| proxy.aabb == *aabb);
        if !is_same {
            self.resting_aabbs.clear();
            self.resting_aabbs.extend(self.resting.iter().map(|proxy| proxy.aabb));
            let aabbs = &self.resting_aabbs;
            self.resting_bvh.build(aabbs.len(), |item| aabbs[item], workers);
        }
    }

    /// Keeps those candidates whose AABBs overlap, in parallel by chunks of the first slot.
    fn filter_pairs(&mut self, workers: &dyn Workers) {
        let (moving, resting) = (&self.moving, &self.resting);
        let last_slot = moving.last().into_iter().chain(resting.last()).map(Proxy::slot).max();
        let slots_end = last_slot.map_or(0, |slot| usize::from(slot) + 1);
        if slots_end < self.slots_end {
            self.proxies_by_slot[slots_end..self.slots_end].fill(Proxy::NONE);
        }
        self.slots_end = slots_end;
        let chunks = slots_end.div_ceil(BODIES_CHUNK);
        each_chunk(workers, &mut self.proxies_by_slot[..slots_end], BODIES_CHUNK, |first, proxies_by_slot| {
            proxies_by_slot.fill(Proxy::NONE);
            for proxies in [moving, resting] {
                // Proxies are sorted by slot.
                let from = proxies.partition_point(|proxy| usize::from(proxy.slot()) < first);
                let is_own = |proxy: &&Proxy| usize::from(proxy.slot()) < first + proxies_by_slot.len();
                let own = proxies[from..].iter().take_while(is_own).count();
                for proxy in &proxies[from..from + own] {
                    proxies_by_slot[usize::from(proxy.slot()) - first] = *proxy;
                }
            }
        });
        let (proxies_by_slot, lists) = (&self.proxies_by_slot, self.cache.lists());
        self.list_ends.clear();
        self.run_ends.clear();
        for chunk in 1..=chunks {
            let is_before = |pair: &[u16; 2]| usize::from(pair[0]) < chunk * BODIES_CHUNK;
            let list_ends = lists.map(|list| list.partition_point(is_before));
            self.list_ends.push(list_ends);
            self.run_ends.push((list_ends[0] + list_ends[1]) as u32);
        }
        self.filtered.resize(lists[0].len() + lists[1].len(), [0; 2]);
        let (list_ends, filtered_counts) = (&self.list_ends, &self.filtered_counts);
        each_run(workers, &mut self.filtered, &self.run_ends, |chunk, filtered| {
            let from = if chunk == 0 { [0; 2] } else { list_ends[chunk - 1] };
            let own = [0, 1].map(|list| &lists[list][from[list]..list_ends[chunk][list]]);
            filtered_counts[chunk].store(filter_into(proxies_by_slot, own, filtered) as u32, Relaxed);
        });
        let mut total = 0;
        self.pair_ends.clear();
        for tally in &mut self.filtered_counts[..chunks] {
            total += *tally.get_mut();
            self.pair_ends.push(total);
        }
        self.pairs.resize(total as usize, [0; 2]);
        let (filtered, run_ends) = (&self.filtered, &self.run_ends);
        each_run(workers, &mut self.pairs, &self.pair_ends, |chunk, pairs| {
            let start = if chunk == 0 { 0 } else { run_ends[chunk - 1] as usize };
            pairs.copy_from_slice(&filtered[start..start + pairs.len()]);
        });
    }

    /// The slow path beyond the capacity: the pairs that law 2 keeps. Returns false if some were left out.
    fn find_first_pairs(&mut self, workers: &dyn Workers) -> bool {
        self.build_bvhs(workers);
        self.pairs.clear();
        let is_complete = self.find_pairs_of_kind(true) & self.find_pairs_of_kind(false);
        self.pairs.sort_unstable();
        is_complete
    }

    /// Adds the pairs with a static body, or all others, of one moving body after another up to the capacity.
    fn find_pairs_of_kind(&mut self, are_static: bool) -> bool {
        let mut is_complete = true;
        let (moving, resting, partners) = (&self.moving, &self.resting, &mut self.partners);
        // Moving proxies are sorted by slot.
        for proxy in moving {
            partners.clear();
            let mut take = |other: &Proxy| {
                if proxy.can_collide(other) && (proxy.is_static() || other.is_static()) == are_static {
                    partners.push(other.slot());
                }
            };
            self.moving_bvh.visit_overlapping(&proxy.aabb, 0, |other| {
                let other = &moving[other as usize];
                if other.slot() > proxy.slot() {
                    take(other);
                }
            });
            self.resting_bvh.visit_overlapping(&proxy.aabb, 0, |other| take(&resting[other as usize]));
            partners.sort_unstable();
            let left = self.pairs_max - self.pairs.len();
            is_complete &= partners.len() <= left;
            let pair = |partner: &u16| [proxy.slot().min(*partner), proxy.slot().max(*partner)];
            self.pairs.extend(partners.iter().take(left).map(pair));
        }
        is_complete
    }
}

/// Filters two sorted lists of candidates, merges them without duplicates, and returns how many pairs are left. The buffer is as
/// long as both lists.
fn filter_into(proxies_by_slot: &[Proxy], [list, incremental]: [&[[u16; 2]]; 2], filtered: &mut [[u16; 2]]) -> usize {
    let is_pair = |[first, second]: [u16; 2]| {
        let (one, other) = (&proxies_by_slot[usize::from(first)], &proxies_by_slot[usize::from(second)]);
        // No short circuit: about half of the candidates overlap, so branches would be mispredicted.
        one.aabb.overlaps(&other.aabb) & (one.is_moving() | other.is_moving()) & one.can_collide(other)
    };
    // The incremental list is filtered into the end of the buffer, which the merge reaches last.
    let (mut next, mut end) = (list.len(), list.len());
    for pair in incremental {
        filtered[end] = *pair;
        end += usize::from(is_pair(*pair));
    }
    let mut count = 0;
    for pair in list {
        while next < end && filtered[next] < *pair {
            filtered[count] = filtered[next];
            (next, count) = (next + 1, count + 1);
        }
        next += usize::from(next < end && filtered[next] == *pair);
        filtered[count] = *pair;
        count += usize::from(is_pair(*pair));
    }
    filtered.copy_within(next..end, count);
    count + end - next
}
