//! Who may come near whom: pairs of wide boxes, kept from step to step.
//!
//! Around the box of each body lies a wide one, with room for where it will be in the next steps. As long as everybody stays within
//! its wide box, nobody's box touches another's unless their wide boxes touch: the list of those holds. Only for whoever has left its
//! wide box has somebody to look again.
//!
//! Where too many leave theirs all the time, as in a gas, that does not pay: then the boxes themselves are taken for a while, and the
//! list is made anew in each step.
//!
//! Laws
//! 1. The lists hold all pairs of slots whose wide boxes touch and of which one moves. They may hold others too, and some twice.
//! 2. They depend on what was before, and lie outside the block. They cannot change a result: whoever reads them looks at the boxes
//!    themselves, and finds the same pairs by all lists that keep the first law.

mod sorted;

use alloc::vec::Vec;

use base::Vec3;
use state::Workers;
use state::share::{Arena, Filling, each_chunk, each_range};

use crate::bounds::Bounds;
use crate::proxy::Proxy;
use crate::swarm::{LEAF, Swarm};
use sorted::Sorted;

/// The pairs of wide boxes, and trees to find them by.
pub struct Near {
    /// The wide box of each slot.
    wide: Vec<Bounds>,
    /// What each slot is: see [`mark`].
    marks: Vec<u8>,
    /// Who has left its wide box: first those that rest, then those that move.
    left: Vec<bool>,
    /// Whose wide box is another than in the last step.
    changed: Vec<u16>,
    /// Those that moved and those that rested, as they were when everybody was last looked at.
    moving: Grove,
    resting: Grove,
    /// Those whose wide box has become another since.
    strayed: Vec<u16>,
    strays: Grove,
    /// The pairs that were found when everybody was looked at, and those since. Each list is in order.
    list: Vec<[u16; 2]>,
    later: Vec<[u16; 2]>,
    spare: Vec<[u16; 2]>,
    found: Arena<[u16; 2]>,
    sorted: Sorted,
    /// How many steps ago everybody was looked at.
    age: u32,
    /// For how many steps more the boxes themselves are taken.
    restless: u32,
}

/// A tree over the wide boxes of some slots.
struct Grove {
    slots: Vec<u16>,
    boxes: Vec<Bounds>,
    tree: Swarm,
}

/// Pairs that are put into the room for them a few at a time.
struct Batch<'a> {
    pairs: [[u16; 2]; BATCH],
    count: usize,
    found: &'a Filling<[u16; 2]>,
}

/// What a slot is.
mod mark {
    /// It has a wide box, and is in one of the trees.
    pub const KNOWN: u8 = 1;
    /// It was looked at as one that moves: its pairs with those that rest are in the list.
    pub const MOVES: u8 = 1 << 1;
    /// Its wide box has become another since everybody was looked at.
    pub const STRAY: u8 = 1 << 2;
    /// It has become another in this step.
    pub const CHANGED: u8 = 1 << 3;
}

/// For so many steps a body shall stay within its wide box if it goes on as it does.
const STEPS_AHEAD: f32 = 4.0;

/// How much larger than a box a wide one is, as a part of its size, for whatever may happen to the body.
const ROOM: f32 = 0.05;

/// If more than one of so many has strayed, everything is looked at anew.
const STRAYS: usize = 4;

/// If everybody has to be looked at again within so many steps, it does not pay; and for how many steps.
const AGE_LEAST: u32 = 6;
const RESTLESS: u32 = 32;

/// How many pairs are put in at a time.
const BATCH: usize = 32;

/// How many boxes, leaves, and boxes that changed one job looks at.
const PROXIES_CHUNK: usize = 256;
const LEAVES_CHUNK: usize = 8;
const CHANGED_CHUNK: usize = 16;

impl Near {
    /// Room for so many bodies, and so many pairs of wide boxes.
    pub fn new(bodies: usize, pairs: usize) -> Near {
        Near {
            wide: alloc::vec![Bounds::EMPTY; bodies],
            marks: alloc::vec![0; bodies],
            left: Vec::with_capacity(bodies),
            changed: Vec::with_capacity(bodies),
            moving: Grove::with_capacity(bodies),
            resting: Grove::with_capacity(bodies),
            strayed: Vec::with_capacity(bodies),
            strays: Grove::with_capacity(bodies),
            list: Vec::with_capacity(pairs),
            later: Vec::with_capacity(pairs),
            spare: Vec::with_capacity(pairs),
            found: Arena::new(pairs),
            sorted: Sorted::new(bodies, pairs),
            age: 0,
            restless: 0,
        }
    }

    /// Brings the lists up to where everybody is now. False if there are more pairs than there is room for: then they are empty.
    pub fn follow(&mut self, movers: &[Proxy], resting: &[Proxy], workers: &dyn Workers) -> bool {
        self.age = self.age.saturating_add(1);
        self.restless = self.restless.saturating_sub(1);
        self.changed.iter().for_each(|slot| self.marks[usize::from(*slot)] &= !mark::CHANGED);
        self.changed.clear();
        if self.restless == 0 {
            self.notice_all(movers, resting, workers);
        }
        let all = movers.len() + resting.len();
        let is_complete = if self.restless > 0 || (self.strayed.len() + self.changed.len()) * STRAYS > all {
            self.look_at_all(movers, resting, workers)
        } else {
            self.changed.is_empty() || self.look_at_changed(workers)
        };
        if !is_complete {
            self.forget();
        }
        is_complete
    }

    /// Two lists of pairs, each in order.
    pub fn lists(&self) -> [&[[u16; 2]]; 2] {
        [&self.list, &self.later]
    }

    fn forget(&mut self) {
        self.marks.fill(0);
        self.list.clear();
        self.later.clear();
        self.changed.clear();
        self.strayed.clear();
    }

    /// Gives all who have left their wide boxes others.
    fn notice_all(&mut self, movers: &[Proxy], resting: &[Proxy], workers: &dyn Workers) {
        let proxy = |index: usize| resting.get(index).unwrap_or_else(|| &movers[index - resting.len()]);
        let (marks, wide) = (&self.marks, &self.wide);
        self.left.resize(movers.len() + resting.len(), false);
        each_chunk(workers, &mut self.left, PROXIES_CHUNK, |first, left| {
            for (index, has_left) in left.iter_mut().enumerate() {
                let proxy = proxy(first + index);
                let (slot, moves) = (usize::from(proxy.slot()), proxy.moves());
                let is_known = marks[slot] & mark::KNOWN != 0 && (!moves || marks[slot] & mark::MOVES != 0);
                *has_left = !is_known || !holds(&wide[slot], &proxy.bounds);
            }
        });
        for index in 0..self.left.len() {
            if self.left[index] {
                self.notice(proxy(index));
            }
        }
    }

    /// Gives a slot another wide box.
    fn notice(&mut self, proxy: &Proxy) {
        let (slot, moves) = (usize::from(proxy.slot()), proxy.moves());
        let (marks, wide) = (&mut self.marks[slot], &mut self.wide[slot]);
        *wide = widened(proxy);
        *marks = *marks & mark::STRAY | mark::KNOWN | mark::CHANGED | if moves { mark::MOVES } else { 0 };
        self.changed.push(proxy.slot());
    }

    /// Looks at everybody anew.
    fn look_at_all(&mut self, movers: &[Proxy], resting: &[Proxy], workers: &dyn Workers) -> bool {
        if self.restless == 0 && core::mem::take(&mut self.age) < AGE_LEAST {
            self.restless = RESTLESS;
        }
        self.later.clear();
        self.strayed.clear();
        // Whoever is gone is not in the tree, and has to be noticed anew should somebody come to lie in its slot.
        self.marks.fill(0);
        for proxy in resting.iter().chain(movers) {
            let slot = usize::from(proxy.slot());
            self.marks[slot] = mark::KNOWN | if proxy.moves() { mark::MOVES } else { 0 };
            self.wide[slot] = if self.restless > 0 { proxy.bounds } else { widened(proxy) };
        }
        self.moving.plant(movers.iter().map(Proxy::slot), &self.wide, workers);
        self.resting.plant(resting.iter().map(Proxy::slot), &self.wide, workers);
        let (moving, resting) = (&self.moving, &self.resting);
        let is_complete = self.found.fill(|found| moving.each_pair(resting, workers, found));
        if is_complete {
            self.list.clear();
            self.list.extend_from_slice(self.sorted.sort(self.found.as_slice(), workers));
        }
        is_complete
    }

    /// Looks again for whoever changed.
    fn look_at_changed(&mut self, workers: &dyn Workers) -> bool {
        for slot in &self.changed {
            let marks = &mut self.marks[usize::from(*slot)];
            if *marks & mark::STRAY == 0 {
                *marks |= mark::STRAY;
                self.strayed.push(*slot);
            }
        }
        self.strays.plant(self.strayed.iter().copied(), &self.wide, workers);
        let (moving, resting, strays) = (&self.moving, &self.resting, &self.strays);
        let (marks, wide) = (&self.marks, &self.wide);
        let is_complete = self.found.fill(|found| {
            each_chunk(workers, &mut self.changed, CHANGED_CHUNK, |_, changed| {
                let mut batch = Batch::new(found);
                for slot in changed {
                    let bounds = &wide[usize::from(*slot)];
                    for home in [moving, resting] {
                        home.each(bounds, |other| {
                            // Of strays, these know only where they were.
                            if marks[usize::from(other)] & mark::STRAY == 0 {
                                batch.take_if_one_moves(marks, *slot, other);
                            }
                        });
                    }
                    strays.each(bounds, |other| {
                        // Two that changed both look: the lower one takes the pair.
                        if marks[usize::from(other)] & mark::CHANGED == 0 || *slot < other {
                            batch.take_if_one_moves(marks, *slot, other);
                        }
                    });
                }
                batch.put();
            });
        });
        is_complete && self.merge(workers)
    }

    /// Puts what was found into the later list, in the place of all pairs of those that changed: so it does not grow with time.
    fn merge(&mut self, workers: &dyn Workers) -> bool {
        let found = self.sorted.sort(self.found.as_slice(), workers);
        if found.len() + self.later.len() > self.spare.capacity() {
            return false;
        }
        let has_changed = |slot: u16| self.marks[usize::from(slot)] & mark::CHANGED != 0;
        let kept = self.later.iter().filter(|[first, second]| !has_changed(*first) && !has_changed(*second));
        self.spare.clear();
        let mut next = 0;
        for pair in kept {
            let before = found[next..].iter().take_while(|found| *found < pair).count();
            self.spare.extend_from_slice(&found[next..next + before]);
            self.spare.push(*pair);
            next += before;
        }
        self.spare.extend_from_slice(&found[next..]);
        core::mem::swap(&mut self.later, &mut self.spare);
        true
    }
}

impl Grove {
    fn with_capacity(capacity: usize) -> Grove {
        let (slots, boxes) = (Vec::with_capacity(capacity), Vec::with_capacity(capacity));
        Grove { slots, boxes, tree: Swarm::with_capacity(capacity) }
    }

    /// Makes the tree, unless it is that already.
    fn plant(&mut self, slots: impl ExactSizeIterator<Item = u16> + Clone, wide: &[Bounds], workers: &dyn Workers) {
        let boxes = slots.clone().map(|slot| wide[usize::from(slot)]);
        if self.slots.iter().copied().eq(slots.clone()) && self.boxes.iter().copied().eq(boxes.clone()) {
            return;
        }
        self.slots.clear();
        self.slots.extend(slots);
        self.boxes.clear();
        self.boxes.extend(boxes);
        let boxes = &self.boxes;
        self.tree.build(boxes.len(), |item| boxes[item], workers);
    }

    #[inline]
    fn each(&self, bounds: &Bounds, mut found: impl FnMut(u16)) {
        self.tree.each(bounds, 0, |item| found(self.slots[item as usize]));
    }

    /// All pairs within the tree, each once, and with those that rest: all of a leaf, who lie side by side on the curve, look together.
    fn each_pair(&self, resting: &Grove, workers: &dyn Workers, found: &Filling<[u16; 2]>) {
        let (tree, slots, boxes) = (&self.tree, &self.slots, &self.boxes);
        let item = |place: usize| tree.order()[place] as usize;
        // Each job looks at the leaves of its part of the curve.
        each_range(workers, tree.leaves(), LEAVES_CHUNK, |leaves| {
            let mut batch = Batch::new(found);
            for leaf in leaves {
                let around = tree.leaf_bounds(leaf);
                tree.each_place(&around, leaf * LEAF + 1, |place| {
                    let other = item(place);
                    tree.each_of_leaf(leaf, &boxes[other], |own| {
                        if own < place {
                            batch.take(slots[item(own)], slots[other]);
                        }
                    });
                });
                resting.tree.each(&around, 0, |other| {
                    let (slot, bounds) = (resting.slots[other as usize], &resting.boxes[other as usize]);
                    tree.each_of_leaf(leaf, bounds, |own| batch.take(slots[item(own)], slot));
                });
            }
            batch.put();
        });
    }
}

impl<'a> Batch<'a> {
    fn new(found: &'a Filling<[u16; 2]>) -> Batch<'a> {
        Batch { pairs: [[0; 2]; BATCH], count: 0, found }
    }

    #[inline]
    fn take(&mut self, one: u16, other: u16) {
        self.pairs[self.count] = [one.min(other), one.max(other)];
        self.count += 1;
        if self.count == BATCH {
            self.put();
        }
    }

    #[inline]
    fn take_if_one_moves(&mut self, marks: &[u8], one: u16, other: u16) {
        let moves = |slot: u16| marks[usize::from(slot)] & mark::MOVES != 0;
        if one != other && (moves(one) || moves(other)) {
            self.take(one, other);
        }
    }

    fn put(&mut self) {
        self.found.push(&self.pairs[..self.count]);
        self.count = 0;
    }
}

/// Whether one box lies in the other.
#[inline]
fn holds(wide: &Bounds, bounds: &Bounds) -> bool {
    let within = |least: Vec3, most: Vec3| least.x <= most.x && least.y <= most.y && least.z <= most.z;
    within(wide.least, bounds.least) && within(bounds.most, wide.most)
}

/// The wide box: of one that rests, its box.
fn widened(proxy: &Proxy) -> Bounds {
    if !proxy.moves() {
        return proxy.bounds;
    }
    let Bounds { least, most } = proxy.bounds;
    let way = proxy.way * STEPS_AHEAD;
    let there = Bounds { least: least + way, most: most + way };
    let wide = proxy.bounds.with(&there).grown((most - least).max_component() * ROOM);
    let sum = wide.least + wide.most;
    if (sum.x + sum.y + sum.z).is_finite() { wide } else { proxy.bounds }
}
