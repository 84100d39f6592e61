//! The broad phase: which bodies come so near in this step that somebody has to look.
//!
//! Laws
//! 1. The pairs are all those of which one moves, whose boxes touch, and who meet by their layers and groups; in the order of
//!    their slots. They follow from the bodies alone.
//! 2. If there are more than there is room for, those with what nobody can move are kept first, then those of the movers with the
//!    lowest slots. So a crowd does not fall out of the world.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use state::Workers;
use state::share::{each_chunk, each_run};

use crate::limits::BODIES_CHUNK;
use crate::near::Near;
use crate::proxy::Proxy;
use crate::shape::Bounds;
use crate::swarm::Swarm;

#[cfg(test)]
mod tests;

/// The broad phase: room to work in, and what makes the next step cheaper.
pub struct Broad {
    /// Those that move.
    pub movers: Vec<Proxy>,
    /// Those that do not.
    pub resting: Vec<Proxy>,
    near: Near,
    /// The proxy of each slot in this step; of those that are not there, nobody.
    places: Vec<Proxy>,
    pairs: Vec<[u16; 2]>,
    /// The pairs that were picked, at the beginning of the room of each chunk of slots; how many, and where the room ends: of both lists,
    /// and of all.
    picked: Vec<[u16; 2]>,
    tallies: Vec<AtomicU32>,
    ends: Vec<[usize; 2]>,
    runs: Vec<u32>,
    /// Trees of where everybody is in this step, for those who ask for them.
    moving_tree: Swarm,
    resting_tree: Swarm,
    /// The boxes that the tree over those that rest was made from.
    resting_boxes: Vec<Bounds>,
    partners: Vec<u16>,
    /// How many pairs there may be.
    room: usize,
}

/// How many times as many pairs of wide boxes as pairs there is room for.
const WIDE: usize = 4;

impl Broad {
    /// Room for so many bodies and pairs.
    pub fn new(bodies: usize, pairs: usize) -> Broad {
        let chunks = bodies.div_ceil(BODIES_CHUNK);
        Broad {
            movers: Vec::with_capacity(bodies),
            resting: Vec::with_capacity(bodies),
            near: Near::new(bodies, pairs * WIDE),
            places: alloc::vec![Proxy::NOBODY; bodies],
            pairs: Vec::with_capacity(pairs * WIDE * 2),
            picked: Vec::with_capacity(pairs * WIDE * 2),
            tallies: (0..chunks).map(|_| AtomicU32::new(0)).collect(),
            ends: Vec::with_capacity(chunks),
            runs: Vec::with_capacity(chunks),
            moving_tree: Swarm::with_capacity(bodies),
            resting_tree: Swarm::with_capacity(bodies),
            resting_boxes: Vec::with_capacity(bodies),
            partners: Vec::with_capacity(bodies),
            room: pairs,
        }
    }

    /// Finds all pairs of movers with one another and with those that rest. False if some had to be left out.
    pub fn find(&mut self, workers: &dyn Workers) -> bool {
        let is_known = self.near.follow(&self.movers, &self.resting, workers);
        if is_known {
            self.pick(workers);
        }
        is_known && self.pairs.len() <= self.room || self.find_the_first(workers)
    }

    /// The pairs that were found, in the order of slots.
    pub fn pairs(&self) -> &[[u16; 2]] {
        &self.pairs
    }

    /// Leaves these pairs out of those that were found. They are in order.
    pub fn leave_out(&mut self, apart: &[[u16; 2]]) {
        if apart.is_empty() {
            return;
        }
        let mut next = 0;
        self.pairs.retain(|pair| {
            while apart.get(next).is_some_and(|other| other < pair) {
                next += 1;
            }
            apart.get(next) != Some(pair)
        });
    }

    /// Tells of all bodies whose boxes touch this one: those that move and those that rest, as the last
    /// [`plant`](Broad::plant) saw them.
    pub fn each(&self, bounds: &Bounds, mut found: impl FnMut(&Proxy)) {
        self.moving_tree.each(bounds, 0, |item| found(&self.movers[item as usize]));
        self.resting_tree.each(bounds, 0, |item| found(&self.resting[item as usize]));
    }

    /// Makes the trees. That over those that rest stands as long as their boxes are the same.
    pub fn plant(&mut self, workers: &dyn Workers) {
        let movers = &self.movers;
        self.moving_tree.build(movers.len(), |item| movers[item].bounds, workers);
        let is_same = self.resting.len() == self.resting_boxes.len()
            && self.resting.iter().zip(&self.resting_boxes).all(|(proxy, bounds)| proxy.bounds == *bounds);
        if !is_same {
            self.resting_boxes.clear();
            self.resting_boxes.extend(self.resting.iter().map(|proxy| proxy.bounds));
            let boxes = &self.resting_boxes;
            self.resting_tree.build(boxes.len(), |item| boxes[item], workers);
        }
    }

    /// Picks those out of the pairs of wide boxes whose boxes touch: each chunk of slots on its own.
    fn pick(&mut self, workers: &dyn Workers) {
        let (movers, resting) = (&self.movers, &self.resting);
        each_chunk(workers, &mut self.places, BODIES_CHUNK, |first, places| {
            places.fill(Proxy::NOBODY);
            for proxies in [movers, resting] {
                // They lie in the order of their slots.
                let from = proxies.partition_point(|proxy| usize::from(proxy.slot()) < first);
                let is_own = |proxy: &&Proxy| usize::from(proxy.slot()) < first + places.len();
                let own = proxies[from..].iter().take_while(is_own).count();
                for proxy in &proxies[from..from + own] {
                    places[usize::from(proxy.slot()) - first] = *proxy;
                }
            }
        });
        let (places, lists) = (&self.places, self.near.lists());
        self.ends.clear();
        self.runs.clear();
        for chunk in 1..=self.tallies.len() {
            let is_before = |pair: &[u16; 2]| usize::from(pair[0]) < chunk * BODIES_CHUNK;
            let ends = lists.map(|list| list.partition_point(is_before));
            self.ends.push(ends);
            self.runs.push((ends[0] + ends[1]) as u32);
        }
        self.picked.resize(lists[0].len() + lists[1].len(), [0; 2]);
        let (ends, tallies) = (&self.ends, &self.tallies);
        each_run(workers, &mut self.picked, &self.runs, |chunk, picked| {
            let from = if chunk == 0 { [0; 2] } else { ends[chunk - 1] };
            let own = [0, 1].map(|list| &lists[list][from[list]..ends[chunk][list]]);
            tallies[chunk].store(pick_of(places, own, picked) as u32, Relaxed);
        });
        self.pairs.clear();
        let mut start = 0;
        for (tally, end) in self.tallies.iter_mut().zip(&self.runs) {
            self.pairs.extend_from_slice(&self.picked[start..start + *tally.get_mut() as usize]);
            start = *end as usize;
        }
    }

    /// With too many pairs for the room there is: the first of them by the law. False if some are left out.
    fn find_the_first(&mut self, workers: &dyn Workers) -> bool {
        self.plant(workers);
        self.pairs.clear();
        let is_complete = self.find_some(true) & self.find_some(false);
        self.pairs.sort_unstable();
        is_complete
    }

    /// Adds the pairs with what nobody can move, or all others: those of the movers one after the other, as long as there is room.
    fn find_some(&mut self, are_hard: bool) -> bool {
        let mut is_complete = true;
        let (movers, resting, partners) = (&self.movers, &self.resting, &mut self.partners);
        // Movers lie in the order of their slots.
        for mover in movers {
            partners.clear();
            let mut take = |other: &Proxy| {
                if mover.meets(other) && (mover.is_hard() || other.is_hard()) == are_hard {
                    partners.push(other.slot());
                }
            };
            self.moving_tree.each(&mover.bounds, 0, |other| {
                let other = &movers[other as usize];
                if other.slot() > mover.slot() {
                    take(other);
                }
            });
            self.resting_tree.each(&mover.bounds, 0, |other| take(&resting[other as usize]));
            partners.sort_unstable();
            let left = self.room - self.pairs.len();
            is_complete &= partners.len() <= left;
            let pair = |partner: &u16| [mover.slot().min(*partner), mover.slot().max(*partner)];
            self.pairs.extend(partners.iter().take(left).map(pair));
        }
        is_complete
    }
}

/// Picks pairs out of two lists, puts them together in order, what is in both once, and tells how many there are. There is room for all.
fn pick_of(places: &[Proxy], [list, later]: [&[[u16; 2]]; 2], picked: &mut [[u16; 2]]) -> usize {
    let is_pair = |[first, second]: [u16; 2]| {
        let (one, other) = (&places[usize::from(first)], &places[usize::from(second)]);
        // Asked all at once: about half of them touch, so nobody can tell beforehand.
        one.bounds.touches(&other.bounds) & (one.moves() | other.moves()) & one.meets(other)
    };
    // The later ones wait at the end until it is their turn; until then nothing comes to lie there.
    let (mut next, mut end) = (list.len(), list.len());
    for pair in later {
        picked[end] = *pair;
        end += usize::from(is_pair(*pair));
    }
    let mut count = 0;
    for pair in list {
        while next < end && picked[next] < *pair {
            picked[count] = picked[next];
            (next, count) = (next + 1, count + 1);
        }
        next += usize::from(next < end && picked[next] == *pair);
        picked[count] = *pair;
        count += usize::from(is_pair(*pair));
    }
    picked.copy_within(next..end, count);
    count + end - next
}
