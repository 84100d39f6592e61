//! The broad phase: which bodies come so near in this step that somebody has to look.
//!
//! Laws
//! 1. The pairs are all those of which one moves, whose boxes touch, and who meet by their layers and groups; in the order of
//!    their slots. They follow from the bodies alone.
//! 2. If there are more than there is room for, the pairs of the movers with the lowest slots are kept.

use alloc::vec::Vec;

use state::Workers;
use state::share::{Arena, each_chunk};

use crate::body::{Body, flag};
use crate::limits::BODIES_CHUNK;
use crate::shape::Bounds;
use crate::swarm::Swarm;

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
        let order = &mut self.boxes;
        // Only to have something to cut up: each job looks at the movers of its part of the curve.
        let is_complete = self.found.fill(|found| {
            each_chunk(workers, order, BODIES_CHUNK, |first, part| {
                for place in first..first + part.len() {
                    let item = moving_tree.order()[place];
                    let mover = &movers[item as usize];
                    let tell = |other: &Proxy| {
                        if mover.meets(other) {
                            found.push(&[[mover.slot.min(other.slot), mover.slot.max(other.slot)]]);
                        }
                    };
                    moving_tree.each(&mover.bounds, place + 1, |other| tell(&movers[other as usize]));
                    resting_tree.each(&mover.bounds, 0, |other| tell(&resting[other as usize]));
                }
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
