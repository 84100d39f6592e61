//! A tree of boxes that is made anew whenever it is needed: who might touch whom.
//!
//! Boxes are put in the order of a curve that fills space, so that neighbours on the curve are neighbours in space; each eight
//! make a node, each eight nodes the next. A node holds the boxes of its eight children lane by lane, so that a look at it is a look
//! at eight.
//!
//! Laws
//! 1. What is found is a set: all whose boxes touch. The order of the tree does not show in it, so nothing of a tree has to lie in
//!    the block.
//! 2. Making it costs the boxes a few times over; looking costs about what is found.

use alloc::vec::Vec;

use base::Vec3;
use state::Workers;
use state::share::each_chunk;

use crate::shape::Bounds;

/// A tree over boxes.
#[derive(Default)]
pub struct Swarm {
    /// Which box comes where on the curve.
    order: Vec<u32>,
    nodes: Vec<Node>,
    /// Where each level's nodes begin; the first is that of the boxes.
    levels: Vec<u32>,
    keys: Vec<(u32, u32)>,
    spare: Vec<(u32, u32)>,
    /// The boxes around all boxes of each chunk.
    wholes: Vec<Bounds>,
}

/// Eight boxes.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Node {
    least: [[f32; LEAF]; 3],
    most: [[f32; LEAF]; 3],
}

/// How many boxes a leaf has, and how many children a node: so many are looked at at once.
pub const LEAF: usize = 8;

const EMPTY: Node = Node { least: [[f32::INFINITY; LEAF]; 3], most: [[f32::NEG_INFINITY; LEAF]; 3] };

/// Eight to the power of eleven boxes would have no numbers.
const LEVELS_MAX: usize = 11;
/// Of each level, seven more can wait while one is looked at.
const STACK: usize = LEVELS_MAX * LEAF;

/// How many bits of each coordinate the curve knows, and how many are sorted by at once.
const CURVE_BITS: u32 = 10;
const DIGIT_BITS: u32 = 10;

/// How many boxes one job works on.
const BOXES_CHUNK: usize = 256;

impl Swarm {
    /// Room for so many boxes.
    pub fn with_capacity(capacity: usize) -> Swarm {
        Swarm {
            order: Vec::with_capacity(capacity),
            nodes: Vec::with_capacity(capacity.div_ceil(LEAF - 1) + LEVELS_MAX),
            levels: Vec::with_capacity(LEVELS_MAX + 1),
            keys: Vec::with_capacity(capacity),
            spare: Vec::with_capacity(capacity),
            wholes: Vec::with_capacity(capacity.div_ceil(BOXES_CHUNK)),
        }
    }

    /// Makes the tree of so many boxes. They are finite.
    pub fn build(&mut self, count: usize, box_of: impl Fn(usize) -> Bounds + Sync, workers: &dyn Workers) {
        self.sort(count, &box_of, workers);
        self.levels.clear();
        self.levels.push(0);
        let (mut nodes, mut level) = (0, count.div_ceil(LEAF));
        while level > 0 {
            nodes += level;
            self.levels.push(nodes as u32);
            level = if level == 1 { 0 } else { level.div_ceil(LEAF) };
        }
        self.nodes.resize(nodes, EMPTY);
        let (leaves, above) = self.nodes.split_at_mut(count.div_ceil(LEAF));
        let order = &self.order;
        each_chunk(workers, leaves, BOXES_CHUNK / LEAF, |first, leaves| {
            for (leaf, items) in leaves.iter_mut().zip(order[first * LEAF..].chunks(LEAF)) {
                *leaf = EMPTY;
                for (lane, item) in items.iter().enumerate() {
                    leaf.put(lane, &box_of(*item as usize));
                }
            }
        });
        above.fill(EMPTY);
        for level in 2..self.levels.len() {
            let (below, start) = (self.levels[level - 2] as usize, self.levels[level - 1] as usize);
            for child in below..start {
                let bounds = self.nodes[child].bounds();
                self.nodes[start + (child - below) / LEAF].put((child - below) % LEAF, &bounds);
            }
        }
    }

    /// Which box comes where on the curve.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Tells of all boxes that touch this one and come at `from` or later on the curve. The order is the curve's.
    #[inline]
    pub fn each(&self, bounds: &Bounds, from: usize, mut found: impl FnMut(u32)) {
        self.each_place(bounds, from, |place| found(self.order[place]));
    }

    /// How many leaves there are: each eight that follow one another on the curve.
    pub fn leaves(&self) -> usize {
        self.order.len().div_ceil(LEAF)
    }

    /// The box around all of a leaf.
    #[inline]
    pub fn leaf_bounds(&self, leaf: usize) -> Bounds {
        self.nodes[leaf].bounds()
    }

    /// Tells which of a leaf this box touches: by their places on the curve.
    #[inline]
    pub fn each_of_leaf(&self, leaf: usize, bounds: &Bounds, mut found: impl FnMut(usize)) {
        let mut touched = self.nodes[leaf].touched(bounds);
        while let Some(lane) = touched.first() {
            found(leaf * LEAF + lane as usize);
        }
    }

    /// Like [`each`](Swarm::each), but tells the places on the curve.
    #[inline]
    pub fn each_place(&self, bounds: &Bounds, from: usize, mut found: impl FnMut(usize)) {
        // What is not finite is nowhere.
        if self.order.is_empty() || !(bounds.least.is_finite() && bounds.most.is_finite()) {
            return;
        }
        let top = self.levels.len() - 2;
        let mut stack = [(0_u32, 0_u32); STACK];
        let mut height = 1;
        stack[0] = (top as u32, 0);
        while height > 0 {
            height -= 1;
            let (level, number) = stack[height];
            let mut touched = self.nodes[(self.levels[level as usize] + number) as usize].touched(bounds);
            // How many boxes each child holds, and which of them comes first behind it.
            let shift = LEAF.trailing_zeros() * level;
            while let Some(lane) = touched.last() {
                let child = number * LEAF as u32 + lane;
                if (u64::from(child) + 1) << shift <= from as u64 {
                    continue;
                }
                if level == 0 {
                    found(child as usize);
                } else {
                    stack[height] = (level - 1, child);
                    height += 1;
                }
            }
        }
    }

    fn sort(&mut self, count: usize, box_of: &(impl Fn(usize) -> Bounds + Sync), workers: &dyn Workers) {
        let nowhere = Bounds { least: Vec3::ZERO, most: Vec3::ZERO };
        self.wholes.resize(count.div_ceil(BOXES_CHUNK), nowhere);
        each_chunk(workers, &mut self.wholes, 1, |first, wholes| {
            for (chunk, whole) in wholes.iter_mut().enumerate() {
                let start = (first + chunk) * BOXES_CHUNK;
                let boxes = (start..count.min(start + BOXES_CHUNK)).map(box_of);
                *whole = boxes.reduce(|all, one| all.with(&one)).unwrap_or(nowhere);
            }
        });
        let whole = self.wholes.iter().copied().reduce(|all, one| all.with(&one)).unwrap_or(nowhere);
        let size = whole.most - whole.least;
        let steps = (1_u32 << CURVE_BITS) as f32;
        let scale = |size: f32| if size > 0.0 { steps / size } else { 0.0 };
        let scale = Vec3::new(scale(size.x), scale(size.y), scale(size.z));
        self.keys.resize(count, (0, 0));
        each_chunk(workers, &mut self.keys, BOXES_CHUNK, |first, keys| {
            for (index, key) in keys.iter_mut().enumerate() {
                let (item, bounds) = (first + index, box_of(first + index));
                let at = ((bounds.least + bounds.most) * 0.5 - whole.least).times(scale);
                let cell = |at: f32| (at as u32).min((1 << CURVE_BITS) - 1);
                *key = (spread(cell(at.x)) | spread(cell(at.y)) << 1 | spread(cell(at.z)) << 2, item as u32);
            }
        });
        for digit in 0..3 * CURVE_BITS / DIGIT_BITS {
            sort_by_digit(&self.keys, &mut self.spare, digit * DIGIT_BITS);
            core::mem::swap(&mut self.keys, &mut self.spare);
        }
        self.order.clear();
        self.order.extend(self.keys.iter().map(|(_, item)| *item));
    }
}

impl Node {
    fn put(&mut self, lane: usize, bounds: &Bounds) {
        let (least, most) = (bounds.least.to_array(), bounds.most.to_array());
        for axis in 0..3 {
            self.least[axis][lane] = least[axis];
            self.most[axis][lane] = most[axis];
        }
    }

    fn bounds(&self) -> Bounds {
        let fold = |values: [f32; LEAF], is_less: fn(f32, f32) -> bool| {
            values.into_iter().reduce(|one, other| if is_less(one, other) { one } else { other }).unwrap_or(0.0)
        };
        let least = self.least.map(|values| fold(values, |one, other| one < other));
        let most = self.most.map(|values| fold(values, |one, other| one > other));
        Bounds { least: Vec3::from_array(least), most: Vec3::from_array(most) }
    }

    /// Which of the boxes touch this one, which is finite. Not inlined: among other things the compiler would take one after the other.
    #[inline(never)]
    fn touched(&self, bounds: &Bounds) -> Touched {
        let (least, most) = (bounds.least.to_array(), bounds.most.to_array());
        // How far both reach into one another; below zero if they are apart. By the signs of differences eight are told at once.
        let mut room = [f32::INFINITY; LEAF];
        for axis in 0..3 {
            for (lane, room) in room.iter_mut().enumerate() {
                let own = lesser(most[axis] - self.least[axis][lane], self.most[axis][lane] - least[axis]);
                *room = lesser(*room, own);
            }
        }
        let apart = room.iter().enumerate().fold(0, |apart, (lane, room)| apart | room.to_bits() >> 31 << lane);
        Touched(!apart & ((1 << LEAF) - 1))
    }
}

/// Which lanes are touched: a bit for each.
struct Touched(u32);

impl Touched {
    /// Takes the first of them out.
    #[inline]
    fn first(&mut self) -> Option<u32> {
        let lane = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        (lane < u32::BITS).then_some(lane)
    }

    /// Takes the last of them out.
    #[inline]
    fn last(&mut self) -> Option<u32> {
        let lane = self.0.checked_ilog2()?;
        self.0 &= !(1 << lane);
        Some(lane)
    }
}

#[inline(always)]
fn lesser(one: f32, other: f32) -> f32 {
    if one < other { one } else { other }
}

/// Spreads ten bits so that two others find room between each two.
fn spread(bits: u32) -> u32 {
    let bits = (bits | bits << 16) & 0x0300_00ff;
    let bits = (bits | bits << 8) & 0x0300_f00f;
    let bits = (bits | bits << 4) & 0x030c_30c3;
    (bits | bits << 2) & 0x0924_9249
}

/// Sorts by some bits of the key; what is equal stays in its order.
fn sort_by_digit(from: &[(u32, u32)], into: &mut Vec<(u32, u32)>, shift: u32) {
    let digit = |key: u32| (key >> shift & ((1 << DIGIT_BITS) - 1)) as usize;
    let mut places = [0_u32; 1 << DIGIT_BITS];
    from.iter().for_each(|(key, _)| places[digit(*key)] += 1);
    let mut total = 0;
    for place in &mut places {
        total += core::mem::replace(place, total);
    }
    into.resize(from.len(), (0, 0));
    for entry in from {
        let place = &mut places[digit(entry.0)];
        into[*place as usize] = *entry;
        *place += 1;
    }
}

#[cfg(test)]
mod tests {
    use base::{Pcg, Random};
    use state::Alone;

    use super::*;

    fn boxes(count: usize, seed: u64, size: f32) -> Vec<Bounds> {
        let mut random = Pcg::new(seed, 0);
        let mut number = move |most: f32| random.below(1 << 16) as f32 / 65536.0 * most;
        let one = |_| {
            let least = Vec3::new(number(100.0), number(100.0), number(100.0));
            Bounds { least, most: least + Vec3::new(number(size), number(size), number(size)) }
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn all_that_touch_are_found_and_nobody_else() {
        for (count, size) in [(0, 1.0), (1, 1.0), (4, 90.0), (5, 90.0), (300, 20.0), (1000, 5.0), (257, 0.0)] {
            let boxes = boxes(count, count as u64, size);
            let mut swarm = Swarm::with_capacity(count);
            swarm.build(count, |item| boxes[item], &Alone);
            for query in boxes.iter().chain([&Bounds { least: Vec3::splat(-10.0), most: Vec3::splat(200.0) }]) {
                let mut found = Vec::new();
                swarm.each(query, 0, |item| found.push(item));
                found.sort_unstable();
                let expected: Vec<u32> =
                    (0..count as u32).filter(|item| boxes[*item as usize].touches(query)).collect();
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn each_pair_is_found_once_from_its_place_on_the_curve() {
        let boxes = boxes(500, 7, 12.0);
        let mut swarm = Swarm::with_capacity(500);
        swarm.build(boxes.len(), |item| boxes[item], &Alone);
        let mut found = Vec::new();
        for (place, item) in swarm.order().iter().enumerate() {
            swarm.each(&boxes[*item as usize], place + 1, |other| {
                found.push((*item.min(&other), *item.max(&other)));
            });
        }
        found.sort_unstable();
        let pairs = (0..500_u32).flat_map(|one| (one + 1..500).map(move |other| (one, other)));
        let touch = |(one, other): &(u32, u32)| boxes[*one as usize].touches(&boxes[*other as usize]);
        assert_eq!(found, pairs.filter(touch).collect::<Vec<_>>());
    }

    #[test]
    fn boxes_all_in_one_place_are_no_trouble() {
        let boxes = alloc::vec![Bounds { least: Vec3::ONE, most: Vec3::ONE }; 4097];
        let mut swarm = Swarm::with_capacity(4097);
        swarm.build(boxes.len(), |item| boxes[item], &Alone);
        let mut count = 0;
        swarm.each(&boxes[0], 0, |_| count += 1);
        assert_eq!(count, 4097);
    }
}
