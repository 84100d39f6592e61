//! The broad phase: which bodies come so near in this step that somebody has to look.
//!
//! Laws
//! 1. The pairs are all those of which one moves, whose boxes touch, and who meet by their layers and groups; in the order of
//!    their slots. They follow from the bodies alone.
//! 2. If there are more than there is room for, the pairs of the movers with the lowest slots are kept.

use alloc::vec::Vec;

use state::Workers;
use state::share::{Arena, Filling, each_chunk};

use crate::body::{Body, flag};
use crate::limits::BODIES_CHUNK;
use crate::shape::Bounds;
use crate::swarm::{LEAF, Swarm};

/// Who meets whom, and how large its box is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proxy {
    /// The box around all that it may touch.
    pub bounds: Bounds,
    layers: u32,
    meets: u32,
    group: u32,
    slot: u16,
    is_trigger: bool,
    has_mass: bool,
}

/// The broad phase: room to work in, and the tree over those that rest, as long as those are the same.
pub struct Broad {
    /// Those that move.
    pub movers: Vec<Proxy>,
    /// Those that do not.
    pub resting: Vec<Proxy>,
    moving_tree: Swarm,
    resting_tree: Swarm,
    /// The boxes that the tree over those that rest was made from.
    resting_boxes: Vec<Bounds>,
    boxes: Vec<Bounds>,
    leaves: Vec<()>,
    found: Arena<[u16; 2]>,
    starts: Vec<u32>,
    pairs: Vec<[u16; 2]>,
    count: usize,
    partners: Vec<u16>,
}

impl Proxy {
    /// That of a body with this box.
    pub fn new(slot: u16, body: &Body, bounds: Bounds) -> Proxy {
        Proxy {
            bounds,
            layers: body.layers,
            meets: body.meets,
            group: body.group,
            slot,
            is_trigger: body.is(flag::TRIGGER),
            has_mass: body.inverse_mass > 0.0,
        }
    }

    /// Whose it is.
    pub fn slot(&self) -> u16 {
        self.slot
    }

    /// Whether two meet at all, and whether anything could come of it.
    #[inline]
    pub fn meets(&self, other: &Proxy) -> bool {
        self.layers & other.meets != 0
            && other.layers & self.meets != 0
            && (self.group == 0 || self.group != other.group)
            && (self.has_mass || other.has_mass || self.is_trigger != other.is_trigger)
            && !(self.is_trigger && other.is_trigger)
    }
}

/// Pairs that are put into the room for them a few at a time.
struct Batch<'a> {
    pairs: [[u16; 2]; BATCH],
    count: usize,
    found: &'a Filling<[u16; 2]>,
}

/// How many.
const BATCH: usize = 32;

/// How many leaves of four bodies one job looks at.
const LEAVES_CHUNK: usize = BODIES_CHUNK / LEAF;

impl<'a> Batch<'a> {
    fn new(found: &'a Filling<[u16; 2]>) -> Batch<'a> {
        Batch { pairs: [[0; 2]; BATCH], count: 0, found }
    }

    #[inline]
    fn take(&mut self, one: &Proxy, other: &Proxy) {
        if one.meets(other) {
            self.pairs[self.count] = [one.slot.min(other.slot), one.slot.max(other.slot)];
            self.count += 1;
            if self.count == BATCH {
                self.put();
            }
        }
    }

    fn put(&mut self) {
        self.found.push(&self.pairs[..self.count]);
        self.count = 0;
    }
}

impl Broad {
    /// Room for so many bodies and pairs.
    pub fn new(bodies: usize, pairs: usize) -> Broad {
        Broad {
            movers: Vec::with_capacity(bodies),
            resting: Vec::with_capacity(bodies),
            moving_tree: Swarm::with_capacity(bodies),
            resting_tree: Swarm::with_capacity(bodies),
            resting_boxes: Vec::with_capacity(bodies),
            boxes: Vec::with_capacity(bodies),
            leaves: Vec::new(),
            found: Arena::new(pairs),
            starts: alloc::vec![0; bodies + 1],
            pairs: alloc::vec![[0; 2]; pairs],
            count: 0,
            partners: Vec::with_capacity(bodies),
        }
    }

    /// Finds all pairs of movers with one another and with those that rest. False if some had to be left out.
    pub fn find(&mut self, workers: &dyn Workers) -> bool {
        self.plant();
        let (movers, resting, slots) = (&self.movers, &self.resting, self.starts.len());
        let (moving_tree, resting_tree) = (&self.moving_tree, &self.resting_tree);
        // Only to have something to cut up: each job looks at the leaves of its part of the curve.
        self.leaves.clear();
        self.leaves.resize(moving_tree.leaves(), ());
        let is_complete = self.found.fill(|found| {
            each_chunk(workers, &mut self.leaves, LEAVES_CHUNK, |first, leaves| {
                let mut batch = Batch::new(found);
                for leaf in first..first + leaves.len() {
                    let around = moving_tree.leaf_bounds(leaf);
                    let item = |place: usize| &movers[moving_tree.order()[place] as usize];
                    moving_tree.each_place(&around, leaf * LEAF + 1, |place| {
                        let other = item(place);
                        moving_tree.each_of_leaf(leaf, &other.bounds, |own| {
                            if own < place {
                                batch.take(item(own), other);
                            }
                        });
                    });
                    resting_tree.each(&around, 0, |other| {
                        let other = &resting[other as usize];
                        moving_tree.each_of_leaf(leaf, &other.bounds, |own| batch.take(item(own), other));
                    });
                }
                batch.put();
            });
        });
        let is_complete = is_complete || self.find_the_first();
        debug_assert!(self.found.as_slice().iter().all(|pair| (pair[1] as usize) < slots));
        self.sort();
        self.count = self.found.as_slice().len();
        is_complete
    }

    /// The pairs that were found, in the order of slots.
    pub fn pairs(&self) -> &[[u16; 2]] {
        &self.pairs[..self.count]
    }

    /// Leaves these pairs out of those that were found. They are in order.
    pub fn leave_out(&mut self, apart: &[[u16; 2]]) {
        if apart.is_empty() {
            return;
        }
        let (mut kept, mut next) = (0, 0);
        for index in 0..self.count {
            let pair = self.pairs[index];
            while apart.get(next).is_some_and(|other| *other < pair) {
                next += 1;
            }
            if apart.get(next) != Some(&pair) {
                self.pairs[kept] = pair;
                kept += 1;
            }
        }
        self.count = kept;
    }

    /// Tells of all bodies whose boxes touch this one: those that move and those that rest, as the last `find` saw them.
    pub fn each(&self, bounds: &Bounds, mut found: impl FnMut(&Proxy)) {
        self.moving_tree.each(bounds, 0, |item| found(&self.movers[item as usize]));
        self.resting_tree.each(bounds, 0, |item| found(&self.resting[item as usize]));
    }

    /// Makes the trees. That over those that rest stands as long as their boxes are the same.
    fn plant(&mut self) {
        self.boxes.clear();
        self.boxes.extend(self.movers.iter().map(|proxy| proxy.bounds));
        self.moving_tree.build(&self.boxes);
        let is_same = self.resting.len() == self.resting_boxes.len()
            && self.resting.iter().zip(&self.resting_boxes).all(|(proxy, bounds)| proxy.bounds == *bounds);
        if !is_same {
            self.resting_boxes.clear();
            self.resting_boxes.extend(self.resting.iter().map(|proxy| proxy.bounds));
            self.resting_tree.build(&self.resting_boxes);
        }
    }

    /// With too many pairs for the room there is: those of the movers with the lowest slots, one after the other.
    fn find_the_first(&mut self) -> bool {
        let (movers, resting, partners) = (&self.movers, &self.resting, &mut self.partners);
        let (moving_tree, resting_tree) = (&self.moving_tree, &self.resting_tree);
        self.found.fill(|found| {
            // Movers lie in the order of their slots.
            for mover in movers {
                partners.clear();
                let mut take = |other: &Proxy| {
                    if mover.meets(other) {
                        partners.push(other.slot);
                    }
                };
                let others = |item: u32| &movers[item as usize];
                moving_tree.each(&mover.bounds, 0, |other| {
                    if others(other).slot > mover.slot {
                        take(others(other));
                    }
                });
                resting_tree.each(&mover.bounds, 0, |other| take(&resting[other as usize]));
                partners.sort_unstable();
                for partner in partners.iter().take(found.left()) {
                    found.push(&[[mover.slot.min(*partner), mover.slot.max(*partner)]]);
                }
            }
        });
        false
    }

    /// Puts the pairs in the order of slots: by the first of each in one go, then each one's partners.
    fn sort(&mut self) {
        let found = self.found.as_slice();
        self.starts.fill(0);
        found.iter().for_each(|pair| self.starts[usize::from(pair[0])] += 1);
        let mut total = 0;
        for start in &mut self.starts {
            total += core::mem::replace(start, total);
        }
        for pair in found {
            let place = &mut self.starts[usize::from(pair[0])];
            self.pairs[*place as usize] = *pair;
            *place += 1;
        }
        // Now each start is where the next one's run begins.
        let mut from = 0;
        for end in &self.starts {
            let end = *end as usize;
            self.pairs[from..end].sort_unstable();
            from = end;
        }
    }
}
