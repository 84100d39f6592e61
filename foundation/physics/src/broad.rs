//! The broad phase: which bodies come so near in this step that somebody has to look.
//!
//! Laws
//! 1. The pairs are all those of which one moves, whose boxes touch, and who meet by their layers and groups; in the order of
//!    their slots. They follow from the bodies alone.
//! 2. If there are more than there is room for, the pairs of the movers with the lowest slots are kept.

use alloc::vec::Vec;

use state::Workers;
use state::share::each_chunk;

use crate::near::{self, Near};
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
    /// Two lists of pairs, before they are put together.
    picked: [Vec<[u16; 2]>; 2],
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

/// How many pairs of wide boxes one job looks at.
const NEAR_CHUNK: usize = 1024;

/// What lies behind the last pair of a chunk: nobody is near itself.
const END: [u16; 2] = [0; 2];

impl Broad {
    /// Room for so many bodies and pairs.
    pub fn new(bodies: usize, pairs: usize) -> Broad {
        Broad {
            movers: Vec::with_capacity(bodies),
            resting: Vec::with_capacity(bodies),
            near: Near::new(bodies, pairs * WIDE),
            places: alloc::vec![Proxy::NOBODY; bodies],
            pairs: Vec::with_capacity(pairs * WIDE * 2),
            picked: [Vec::with_capacity(pairs * WIDE), Vec::with_capacity(pairs * WIDE)],
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

    /// Picks those out of the pairs of wide boxes whose boxes touch.
    fn pick(&mut self, workers: &dyn Workers) {
        self.places.fill(Proxy::NOBODY);
        for proxy in self.movers.iter().chain(&self.resting) {
            self.places[usize::from(proxy.slot())] = *proxy;
        }
        let places = &self.places;
        let is_pair = |[first, second]: [u16; 2]| {
            let (one, other) = (&places[usize::from(first)], &places[usize::from(second)]);
            // Asked all at once: about half of them touch, so nobody can tell beforehand.
            one.bounds.touches(&other.bounds) & (one.moves() | other.moves()) & one.meets(other)
        };
        for (list, picked) in self.near.lists().into_iter().zip(&mut self.picked) {
            picked.clear();
            picked.resize(list.len(), END);
            each_chunk(workers, picked, NEAR_CHUNK, |first, picked| {
                let mut count = 0;
                for pair in &list[first..first + picked.len()] {
                    picked[count] = *pair;
                    count += usize::from(is_pair(*pair));
                }
                picked[count..].fill(END);
            });
            // What each chunk found lies at its beginning.
            picked.retain(|pair| *pair != END);
        }
        self.pairs.clear();
        near::merge(&self.picked[0], &self.picked[1], &mut self.pairs);
    }

    /// With too many pairs for the room there is: those of the movers with the lowest slots, one after the other. False if some are left
    /// out.
    fn find_the_first(&mut self, workers: &dyn Workers) -> bool {
        self.plant(workers);
        self.pairs.clear();
        let mut is_complete = true;
        let (movers, resting, partners) = (&self.movers, &self.resting, &mut self.partners);
        // Movers lie in the order of their slots.
        for mover in movers {
            partners.clear();
            let mut take = |other: &Proxy| {
                if mover.meets(other) {
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
        self.pairs.sort_unstable();
        is_complete
    }
}
