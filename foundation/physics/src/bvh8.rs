//! An eight-wide BVH that is rebuilt from scratch: a linear BVH over Morton codes (Lauterbach et al. 2009), without refitting.
//!
//! Boxes are sorted by the 30-bit Morton code of their centers (radix sort, three passes). Every eight consecutive boxes form a
//! leaf, every eight nodes a node of the next level, so the tree is implicit: no child pointers. A node stores the boxes of its
//! eight children lane by lane, so that one test covers all eight.
//!
//! Laws
//! 1. A query finds a set: all boxes that overlap. The shape of the tree does not show in it, so nothing of a tree has to lie in
//!    the block.
//! 2. Building is linear in the boxes; a query costs about as much as it finds.

use alloc::vec::Vec;

use base::Vec3;
use jobs::each_chunk;
use state::Workers;

use crate::aabb::Aabb;

/// An implicit eight-wide BVH.
#[derive(Default)]
pub struct Bvh8 {
    /// The box at each position of the Morton order.
    morton_order: Vec<u32>,
    nodes: Vec<Bvh8Node>,
    /// The first node of each level; leaves come first.
    levels: Vec<u32>,
    keys: Vec<MortonKey>,
    keys_scratch: Vec<MortonKey>,
    /// The box around each chunk of boxes.
    chunk_aabbs: Vec<Aabb>,
}

/// A box under its Morton code.
#[derive(Clone, Copy, Default)]
struct MortonKey {
    code: u32,
    index: u32,
}

/// Eight boxes, lane by lane.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Bvh8Node {
    min: [[f32; WIDTH]; 3],
    max: [[f32; WIDTH]; 3],
}

/// The boxes of a leaf and the children of a node: one test covers them.
pub const WIDTH: usize = 8;

const EMPTY: Bvh8Node = Bvh8Node { min: [[f32::INFINITY; WIDTH]; 3], max: [[f32::NEG_INFINITY; WIDTH]; 3] };

/// 8¹¹ boxes would exceed 32-bit indices.
const LEVELS_MAX: usize = 11;
/// Per level, seven siblings wait while one is visited.
const STACK_LEN: usize = LEVELS_MAX * WIDTH;

/// Bits per coordinate in a Morton code, and bits per radix-sort pass.
const MORTON_BITS: u32 = 10;
const DIGIT_BITS: u32 = 10;

/// Boxes per job.
const AABBS_CHUNK: usize = 256;

impl Bvh8 {
    /// Allocates for this many boxes.
    pub fn with_capacity(capacity: usize) -> Bvh8 {
        Bvh8 {
            morton_order: Vec::with_capacity(capacity),
            nodes: Vec::with_capacity(capacity.div_ceil(WIDTH - 1) + LEVELS_MAX),
            levels: Vec::with_capacity(LEVELS_MAX + 1),
            keys: Vec::with_capacity(capacity),
            keys_scratch: Vec::with_capacity(capacity),
            chunk_aabbs: Vec::with_capacity(capacity.div_ceil(AABBS_CHUNK)),
        }
    }

    /// Builds the tree over `count` boxes.
    pub fn build(&mut self, count: usize, aabb_of: impl Fn(usize) -> Aabb + Sync, workers: &dyn Workers) {
        self.sort(count, &aabb_of, workers);
        self.levels.clear();
        self.levels.push(0);
        let (mut nodes, mut level) = (0, count.div_ceil(WIDTH));
        while level > 0 {
            nodes += level;
            self.levels.push(nodes as u32);
            level = if level == 1 { 0 } else { level.div_ceil(WIDTH) };
        }
        assert!(self.levels.len() <= LEVELS_MAX + 1, "{count} boxes need more levels than a traversal stack holds");
        self.nodes.resize(nodes, EMPTY);
        let (leaves, above) = self.nodes.split_at_mut(count.div_ceil(WIDTH));
        let morton_order = &self.morton_order;
        each_chunk(workers, leaves, AABBS_CHUNK / WIDTH, |first, leaves| {
            for (leaf, items) in leaves.iter_mut().zip(morton_order[first * WIDTH..].chunks(WIDTH)) {
                *leaf = EMPTY;
                for (lane, item) in items.iter().enumerate() {
                    let aabb = aabb_of(*item as usize);
                    debug_assert!(aabb.is_valid(), "box {item} is inverted or not finite: {aabb:?}");
                    leaf.set_lane(lane, &aabb);
                }
            }
        });
        above.fill(EMPTY);
        for level in 2..self.levels.len() {
            let (below, start) = (self.levels[level - 2] as usize, self.levels[level - 1] as usize);
            for child in below..start {
                let aabb = self.nodes[child].aabb();
                self.nodes[start + (child - below) / WIDTH].set_lane((child - below) % WIDTH, &aabb);
            }
        }
    }

    /// The box at each position of the Morton order.
    pub fn morton_order(&self) -> &[u32] {
        &self.morton_order
    }

    /// Visits all boxes that overlap this one and come at position `first` or later. Leaves come in Morton order,
    /// the boxes of a leaf in reverse.
    #[inline]
    pub fn visit_overlapping(&self, aabb: &Aabb, first: usize, mut visit: impl FnMut(u32)) {
        self.visit_overlapping_positions(aabb, first, |position| visit(self.morton_order[position]));
    }

    /// The number of leaves.
    pub fn leaf_count(&self) -> usize {
        self.morton_order.len().div_ceil(WIDTH)
    }

    /// The box around a leaf.
    #[inline]
    pub fn leaf_aabb(&self, leaf: usize) -> Aabb {
        self.nodes[leaf].aabb()
    }

    /// Visits the positions within a leaf whose boxes overlap this one.
    #[inline]
    pub fn visit_leaf(&self, leaf: usize, aabb: &Aabb, mut visit: impl FnMut(usize)) {
        let mut overlapping = self.nodes[leaf].overlapping(aabb);
        while let Some(lane) = overlapping.pop_lowest() {
            visit(leaf * WIDTH + lane as usize);
        }
    }

    /// As [`visit_overlapping`](Bvh8::visit_overlapping), but visits positions of the Morton order.
    #[inline]
    pub fn visit_overlapping_positions(&self, aabb: &Aabb, first: usize, mut visit: impl FnMut(usize)) {
        // The sign test below needs finite numbers; a box that is not finite overlaps nothing.
        if self.morton_order.is_empty() || !(aabb.min.is_finite() && aabb.max.is_finite()) {
            return;
        }
        let top = self.levels.len() - 2;
        let mut stack = [(0_u32, 0_u32); STACK_LEN];
        let mut height = 1;
        stack[0] = (top as u32, 0);
        while height > 0 {
            height -= 1;
            let (level, index) = stack[height];
            let mut overlapping = self.nodes[(self.levels[level as usize] + index) as usize].overlapping(aabb);
            // A child covers 8^level boxes; it is skipped if all of them come before `first`.
            let shift = WIDTH.trailing_zeros() * level;
            while let Some(lane) = overlapping.pop_highest() {
                let child = index * WIDTH as u32 + lane;
                if (u64::from(child) + 1) << shift <= first as u64 {
                    continue;
                }
                if level == 0 {
                    visit(child as usize);
                } else {
                    stack[height] = (level - 1, child);
                    height += 1;
                }
            }
        }
    }

    fn sort(&mut self, count: usize, aabb_of: &(impl Fn(usize) -> Aabb + Sync), workers: &dyn Workers) {
        let origin = Aabb { min: Vec3::ZERO, max: Vec3::ZERO };
        self.chunk_aabbs.resize(count.div_ceil(AABBS_CHUNK), origin);
        each_chunk(workers, &mut self.chunk_aabbs, 1, |first, chunk_aabbs| {
            for (chunk, total_aabb) in chunk_aabbs.iter_mut().enumerate() {
                let start = (first + chunk) * AABBS_CHUNK;
                let aabbs = (start..count.min(start + AABBS_CHUNK)).map(aabb_of);
                *total_aabb = aabbs.reduce(|all, one| all.union(&one)).unwrap_or(origin);
            }
        });
        let total_aabb = self.chunk_aabbs.iter().copied().reduce(|all, one| all.union(&one)).unwrap_or(origin);
        let size = total_aabb.max - total_aabb.min;
        let steps = (1_u32 << MORTON_BITS) as f32;
        let scale = |size: f32| if size > 0.0 { steps / size } else { 0.0 };
        let scale = Vec3::new(scale(size.x), scale(size.y), scale(size.z));
        self.keys.resize(count, MortonKey::default());
        each_chunk(workers, &mut self.keys, AABBS_CHUNK, |first, keys| {
            for (index, key) in keys.iter_mut().enumerate() {
                let (item, aabb) = (first + index, aabb_of(first + index));
                let at = ((aabb.min + aabb.max) * 0.5 - total_aabb.min).times(scale);
                let cell = |at: f32| (at as u32).min((1 << MORTON_BITS) - 1);
                let code = morton_spread(cell(at.x)) | morton_spread(cell(at.y)) << 1 | morton_spread(cell(at.z)) << 2;
                *key = MortonKey { code, index: item as u32 };
            }
        });
        for digit in 0..3 * MORTON_BITS / DIGIT_BITS {
            radix_sort_pass(&self.keys, &mut self.keys_scratch, digit * DIGIT_BITS);
            core::mem::swap(&mut self.keys, &mut self.keys_scratch);
        }
        self.morton_order.clear();
        self.morton_order.extend(self.keys.iter().map(|key| key.index));
    }
}

impl Bvh8Node {
    fn set_lane(&mut self, lane: usize, aabb: &Aabb) {
        let (min, max) = (aabb.min.to_array(), aabb.max.to_array());
        for axis in 0..3 {
            self.min[axis][lane] = min[axis];
            self.max[axis][lane] = max[axis];
        }
    }

    fn aabb(&self) -> Aabb {
        let fold = |values: [f32; WIDTH], is_less: fn(f32, f32) -> bool| {
            values.into_iter().reduce(|one, other| if is_less(one, other) { one } else { other }).unwrap_or(0.0)
        };
        let min = self.min.map(|values| fold(values, |one, other| one < other));
        let max = self.max.map(|values| fold(values, |one, other| one > other));
        Aabb { min: Vec3::from_array(min), max: Vec3::from_array(max) }
    }

    /// The mask of the eight boxes that overlap this one, which must be finite. Not inlined: within a larger function the
    /// compiler does not vectorise it.
    #[inline(never)]
    fn overlapping(&self, aabb: &Aabb) -> LaneMask {
        let (min, max) = (aabb.min.to_array(), aabb.max.to_array());
        // Penetration depth of both boxes, negative if they are disjoint. The sign bits give all eight results at once.
        let mut depth = [f32::INFINITY; WIDTH];
        for axis in 0..3 {
            for (lane, depth) in depth.iter_mut().enumerate() {
                let own = smaller(max[axis] - self.min[axis][lane], self.max[axis][lane] - min[axis]);
                *depth = smaller(*depth, own);
            }
        }
        let disjoint =
            depth.iter().enumerate().fold(0, |disjoint, (lane, depth)| disjoint | depth.to_bits() >> 31 << lane);
        LaneMask(!disjoint & ((1 << WIDTH) - 1))
    }
}

/// A set of lanes, one bit each.
struct LaneMask(u32);

impl LaneMask {
    /// Removes and returns the lowest lane.
    #[inline]
    fn pop_lowest(&mut self) -> Option<u32> {
        let lane = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        (lane < u32::BITS).then_some(lane)
    }

    /// Removes and returns the highest lane.
    #[inline]
    fn pop_highest(&mut self) -> Option<u32> {
        let lane = self.0.checked_ilog2()?;
        self.0 &= !(1 << lane);
        Some(lane)
    }
}

#[inline(always)]
fn smaller(one: f32, other: f32) -> f32 {
    if one < other { one } else { other }
}

/// Spreads ten bits so that two zero bits lie between neighbours.
fn morton_spread(bits: u32) -> u32 {
    let bits = (bits | bits << 16) & 0x0300_00ff;
    let bits = (bits | bits << 8) & 0x0300_f00f;
    let bits = (bits | bits << 4) & 0x030c_30c3;
    (bits | bits << 2) & 0x0924_9249
}

/// One stable counting-sort pass over some bits of the key.
fn radix_sort_pass(from: &[MortonKey], into: &mut Vec<MortonKey>, shift: u32) {
    let digit = |key: u32| (key >> shift & ((1 << DIGIT_BITS) - 1)) as usize;
    let mut offsets = [0_u32; 1 << DIGIT_BITS];
    from.iter().for_each(|key| offsets[digit(key.code)] += 1);
    let mut total = 0;
    for position in &mut offsets {
        total += core::mem::replace(position, total);
    }
    into.resize(from.len(), MortonKey::default());
    for key in from {
        let position = &mut offsets[digit(key.code)];
        into[*position as usize] = *key;
        *position += 1;
    }
}

#[cfg(test)]
mod tests {
    use base::{Pcg, Random};
    use state::Alone;

    use super::*;

    fn aabbs(count: usize, seed: u64, size: f32) -> Vec<Aabb> {
        let mut random = Pcg::new(seed, 0);
        let mut index = move |max: f32| random.below(1 << 16) as f32 / 65536.0 * max;
        let one = |_| {
            let min = Vec3::new(index(100.0), index(100.0), index(100.0));
            Aabb { min, max: min + Vec3::new(index(size), index(size), index(size)) }
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn exactly_the_overlapping_boxes_are_found() {
        for (count, size) in [(0, 1.0), (1, 1.0), (4, 90.0), (5, 90.0), (300, 20.0), (1000, 5.0), (257, 0.0)] {
            let aabbs = aabbs(count, count as u64, size);
            let mut bvh = Bvh8::with_capacity(count);
            bvh.build(count, |item| aabbs[item], &Alone);
            for query in aabbs.iter().chain([&Aabb { min: Vec3::splat(-10.0), max: Vec3::splat(200.0) }]) {
                let mut visit = Vec::new();
                bvh.visit_overlapping(query, 0, |item| visit.push(item));
                visit.sort_unstable();
                let expected: Vec<u32> =
                    (0..count as u32).filter(|item| aabbs[*item as usize].overlaps(query)).collect();
                assert_eq!(visit, expected);
            }
        }
    }

    #[test]
    fn each_pair_is_found_once_from_its_morton_position() {
        let aabbs = aabbs(500, 7, 12.0);
        let mut bvh = Bvh8::with_capacity(500);
        bvh.build(aabbs.len(), |item| aabbs[item], &Alone);
        let mut visit = Vec::new();
        for (position, item) in bvh.morton_order().iter().enumerate() {
            bvh.visit_overlapping(&aabbs[*item as usize], position + 1, |other| {
                visit.push((*item.min(&other), *item.max(&other)));
            });
        }
        visit.sort_unstable();
        let pairs = (0..500_u32).flat_map(|one| (one + 1..500).map(move |other| (one, other)));
        let do_overlap = |(one, other): &(u32, u32)| aabbs[*one as usize].overlaps(&aabbs[*other as usize]);
        assert_eq!(visit, pairs.filter(do_overlap).collect::<Vec<_>>());
    }

    #[test]
    fn coincident_boxes_are_all_found() {
        let aabbs = alloc::vec![Aabb { min: Vec3::ONE, max: Vec3::ONE }; 4097];
        let mut bvh = Bvh8::with_capacity(4097);
        bvh.build(aabbs.len(), |item| aabbs[item], &Alone);
        let mut count = 0;
        bvh.visit_overlapping(&aabbs[0], 0, |_| count += 1);
        assert_eq!(count, 4097);
    }
}
