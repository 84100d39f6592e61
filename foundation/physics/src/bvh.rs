//! A bounding volume hierarchy over static primitives, built top-down with the binned surface area heuristic (Wald 2007).
//!
//! Primitives are the triangles of a mesh, the blocks of a height field, the children of a compound or the bodies of a query. A
//! node is split at the cheapest of 15 planes between 16 bins along the longest axis of the centroids, until at most four
//! primitives are left.
//!
//! Laws
//! 1. The tree is a function of the boxes and their order. So is the order of a traversal.
//! 2. A query visits every primitive whose own box passes the test, once, and no other. The tree saves work and never changes a
//!    result.
//! 3. No branch is deeper than `DEPTH_MAX`: below half of that depth, ranges are split at the median index. So traversal stacks
//!    are arrays, and queries allocate nothing.
//! 4. A box with a NaN coordinate is stored and never visited.
//!
//! Cost on the first machine (2.6 GHz x86-64, release): about 200 ns per box to build, 32 bytes per node and 28 per box.

use alloc::vec::Vec;

use base::Vec3;

use crate::aabb::{Aabb, SweptAabb};
use crate::pose::Pose;

#[cfg(test)]
mod tests;

/// Greatest depth of a leaf.
pub const DEPTH_MAX: usize = 64;

/// A binary BVH over primitives, which are named by their index.
#[derive(Clone, Debug, Default)]
pub struct Bvh {
    nodes: Vec<BvhNode>,
    primitives: Vec<Primitive>,
}

/// A leaf with `count` primitives from `first` on, or, if `count` is zero, an inner node with the children `first` and `first +
/// 1`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct BvhNode {
    min: Vec3,
    first: u32,
    max: Vec3,
    count: u32,
}

/// A primitive with its box, so that the leaf test needs no lookup.
#[derive(Clone, Copy, Debug)]
struct Primitive {
    aabb: Aabb,
    index: u32,
}

/// A range of primitives still to be split, and its node.
#[derive(Clone, Copy, Default)]
struct BuildRange {
    node: u32,
    first: u32,
    end: u32,
    depth: u32,
}

/// The primitives whose centroids fall into one bin.
#[derive(Clone, Copy)]
struct SahBin {
    aabb: Aabb,
    count: u32,
}

/// Node indices have 32 bits, and there are up to two nodes per primitive.
const PRIMITIVES_MAX: usize = (u32::MAX / 2) as usize;
const SAH_BINS: usize = 16;
const LEAF_PRIMITIVES_MAX: u32 = 4;
/// Deeper than this, ranges are halved: the remaining depth is enough for 2³² primitives.
const SAH_DEPTH_MAX: u32 = 32;
const _: () =
    assert!(SAH_DEPTH_MAX as usize + 32 <= DEPTH_MAX, "the depth limit is enough for the largest number of primitives");
const _: () = assert!(size_of::<BvhNode>() == 32, "two nodes fill a cache line");

impl Bvh {
    /// Over boxes; a primitive's index is its position in the slice.
    pub fn new(aabbs: &[Aabb]) -> Bvh {
        let mut bvh = Bvh::with_capacity(aabbs.len());
        bvh.rebuild(aabbs);
        bvh
    }

    /// Empty, allocated for this many primitives.
    pub fn with_capacity(primitives: usize) -> Bvh {
        Bvh { nodes: Vec::with_capacity(primitives.saturating_mul(2)), primitives: Vec::with_capacity(primitives) }
    }

    /// Rebuilds the tree over other boxes. Allocates only beyond the capacity.
    pub fn rebuild(&mut self, aabbs: &[Aabb]) {
        assert!(aabbs.len() < PRIMITIVES_MAX, "{} primitives, at most {PRIMITIVES_MAX} fit a BVH", aabbs.len());
        self.nodes.clear();
        self.primitives.clear();
        self.primitives.extend((0..).zip(aabbs).map(|(index, &aabb)| Primitive { aabb, index }));
        if self.primitives.is_empty() {
            return;
        }
        self.nodes.push(BvhNode::EMPTY);
        let mut stack = [BuildRange::default(); DEPTH_MAX + 1];
        stack[0].end = self.primitives.len() as u32;
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let range = stack[height];
            if let Some(split_at) = self.split(range) {
                let (node, depth) = (self.nodes.len() as u32, range.depth + 1);
                self.nodes[range.node as usize].first = node;
                self.nodes.extend([BvhNode::EMPTY; 2]);
                stack[height] = BuildRange { node: node + 1, first: split_at, depth, ..range };
                stack[height + 1] = BuildRange { node, end: split_at, depth, ..range };
                height += 2;
            }
        }
    }

    /// The number of primitives.
    pub fn len(&self) -> usize {
        self.primitives.len()
    }

    /// Whether it has no primitives.
    pub fn is_empty(&self) -> bool {
        self.primitives.is_empty()
    }

    /// The box around all primitives.
    pub fn aabb(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, BvhNode::aabb)
    }

    /// Visits every primitive whose box overlaps a box until `visit` returns false. Returns whether it never did.
    #[inline]
    pub fn visit_overlapping(&self, aabb: &Aabb, mut visit: impl FnMut(u32) -> bool) -> bool {
        let mut stack = [0u32; DEPTH_MAX + 1];
        let mut height = usize::from(!self.nodes.is_empty());
        while height > 0 {
            height -= 1;
            let node = &self.nodes[stack[height] as usize];
            if !node.aabb().overlaps(aabb) {
                continue;
            }
            if node.count == 0 {
                stack[height] = node.first + 1;
                stack[height + 1] = node.first;
                height += 2;
                continue;
            }
            for primitive in self.primitives_of(node) {
                if primitive.aabb.overlaps(aabb) && !visit(primitive.index) {
                    return false;
                }
            }
        }
        true
    }

    /// Visits every primitive whose box the sweep enters within a length, nearer nodes first. `visit` receives the primitive and
    /// the entry parameter of its box, and returns the length from then on: that of a hit, or a negative number to stop. Boxes
    /// entered at exactly that length are still visited, so that a caller that breaks ties by index sees all of them.
    #[inline]
    pub fn visit_swept(&self, swept: &SweptAabb, length: f32, mut visit: impl FnMut(u32, f32) -> f32) {
        let mut length = length;
        let mut stack = [(0u32, 0.0f32); DEPTH_MAX + 1];
        let mut height = 0;
        if let Some(root) = self.nodes.first()
            && let Some(entry) = swept.enter(root.min, root.max, length)
        {
            stack[0] = (0, entry);
            height = 1;
        }
        while height > 0 {
            height -= 1;
            let (index, entry) = stack[height];
            if entry > length {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.count == 0 {
                let child = |index: u32| {
                    let child = &self.nodes[index as usize];
                    Some((index, swept.enter(child.min, child.max, length)?))
                };
                let (first, second) = (child(node.first), child(node.first + 1));
                let is_swapped = matches!((first, second), (Some(first), Some(second)) if second.1 < first.1);
                let (nearer, farther) = if is_swapped { (second, first) } else { (first, second) };
                for pushed in [farther, nearer].into_iter().flatten() {
                    stack[height] = pushed;
                    height += 1;
                }
                continue;
            }
            for primitive in self.primitives_of(node) {
                if let Some(entry) = swept.enter(primitive.aabb.min, primitive.aabb.max, length) {
                    length = visit(primitive.index, entry);
                    if length < 0.0 {
                        return;
                    }
                }
            }
        }
    }

    /// Visits every primitive whose box is within a distance of a box, nearer nodes first. `visit` returns the distance from then
    /// on; a negative number stops.
    pub fn visit_within(&self, aabb: &Aabb, distance: f32, mut visit: impl FnMut(u32) -> f32) {
        let mut distance = distance;
        let mut stack = [(0u32, 0.0f32); DEPTH_MAX + 1];
        let mut height = usize::from(!self.nodes.is_empty() && distance >= 0.0);
        while height > 0 {
            height -= 1;
            let (index, squared) = stack[height];
            if squared > distance * distance {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.count == 0 {
                let child = |index: u32| (index, self.nodes[index as usize].aabb().distance_squared(aabb));
                let (first, second) = (child(node.first), child(node.first + 1));
                let (nearer, farther) = if second.1 < first.1 { (second, first) } else { (first, second) };
                stack[height] = farther;
                stack[height + 1] = nearer;
                height += 2;
                continue;
            }
            for primitive in self.primitives_of(node) {
                if primitive.aabb.distance_squared(aabb) <= distance * distance {
                    distance = visit(primitive.index);
                    if distance < 0.0 {
                        return;
                    }
                }
            }
        }
    }

    /// Visits every pair of a primitive of this tree and one of another, which lies in a pose relative to this one, whose boxes
    /// are within `margin` along every axis of this tree, until `visit` returns false. Returns whether it never did.
    pub fn visit_pairs(&self, other: &Bvh, pose: &Pose, margin: f32, mut visit: impl FnMut(u32, u32) -> bool) -> bool {
        let mut stack = [(0u32, 0u32); 2 * DEPTH_MAX + 1];
        let mut height = usize::from(!self.nodes.is_empty() && !other.nodes.is_empty());
        while height > 0 {
            height -= 1;
            let (own_index, other_index) = stack[height];
            let (own, theirs) = (&self.nodes[own_index as usize], &other.nodes[other_index as usize]);
            let their_aabb = theirs.aabb().transformed(pose).expanded(margin);
            let own_aabb = own.aabb();
            if !own_aabb.overlaps(&their_aabb) {
                continue;
            }
            let descends_own = own.count == 0 && (theirs.count > 0 || own_aabb.half_area() >= their_aabb.half_area());
            if descends_own {
                stack[height] = (own.first + 1, other_index);
                stack[height + 1] = (own.first, other_index);
                height += 2;
            } else if theirs.count == 0 {
                stack[height] = (own_index, theirs.first + 1);
                stack[height + 1] = (own_index, theirs.first);
                height += 2;
            } else {
                for second in other.primitives_of(theirs) {
                    let aabb = second.aabb.transformed(pose).expanded(margin);
                    for first in self.primitives_of(own) {
                        if first.aabb.overlaps(&aabb) && !visit(first.index, second.index) {
                            return false;
                        }
                    }
                }
            }
        }
        true
    }

    /// Sets the box of a range's node and partitions the primitives. Returns the first primitive of the second half; none for a
    /// leaf.
    fn split(&mut self, range: BuildRange) -> Option<u32> {
        let primitives = &mut self.primitives[range.first as usize..range.end as usize];
        let (mut aabb, mut centroids) = (Aabb::EMPTY, Aabb::EMPTY);
        for primitive in primitives.iter() {
            aabb = aabb.union(&primitive.aabb);
            let split_at = primitive.aabb.center();
            centroids = centroids.union(&Aabb { min: split_at, max: split_at });
        }
        let count = range.end - range.first;
        let is_leaf = count <= LEAF_PRIMITIVES_MAX;
        let (first, leaf_count) = if is_leaf { (range.first, count) } else { (0, 0) };
        self.nodes[range.node as usize] = BvhNode { min: aabb.min, first, max: aabb.max, count: leaf_count };
        if is_leaf {
            return None;
        }
        let chosen = (range.depth < SAH_DEPTH_MAX).then(|| split_by_sah(primitives, &centroids)).flatten();
        Some(range.first + chosen.unwrap_or(count / 2))
    }

    #[inline]
    fn primitives_of(&self, node: &BvhNode) -> &[Primitive] {
        &self.primitives[node.first as usize..][..node.count as usize]
    }
}

impl BvhNode {
    const EMPTY: BvhNode = BvhNode { min: Aabb::EMPTY.min, first: 0, max: Aabb::EMPTY.max, count: 0 };

    #[inline]
    fn aabb(&self) -> Aabb {
        Aabb { min: self.min, max: self.max }
    }
}

/// Partitions primitives at the plane with the lowest SAH cost and returns how many are on the first side; none if no plane
/// separates them.
fn split_by_sah(primitives: &mut [Primitive], centroids: &Aabb) -> Option<u32> {
    let size = centroids.max - centroids.min;
    let axis = if size.x >= size.y && size.x >= size.z { 0 } else { if size.y >= size.z { 1 } else { 2 } };
    let scale = SAH_BINS as f32 / size[axis];
    if !scale.is_finite() {
        return None;
    }
    let min = centroids.min[axis];
    // A NaN is cast to bin zero.
    let bin_of = |primitive: &Primitive| (((primitive.aabb.center()[axis] - min) * scale) as usize).min(SAH_BINS - 1);
    let mut bins = [SahBin { aabb: Aabb::EMPTY, count: 0 }; SAH_BINS];
    for primitive in primitives.iter() {
        let bin = &mut bins[bin_of(primitive)];
        *bin = SahBin { aabb: bin.aabb.union(&primitive.aabb), count: bin.count + 1 };
    }
    let split = cheapest_split(&bins)?;
    let mut split_at = 0;
    for index in 0..primitives.len() {
        if bin_of(&primitives[index]) <= split {
            primitives.swap(split_at, index);
            split_at += 1;
        }
    }
    (split_at > 0 && split_at < primitives.len()).then_some(split_at as u32)
}

/// The last bin of the first side at the cheapest split.
fn cheapest_split(bins: &[SahBin; SAH_BINS]) -> Option<usize> {
    let cost = |bin: &SahBin| if bin.count == 0 { 0.0 } else { bin.aabb.half_area() * bin.count as f32 };
    let merge = |first: &SahBin, second: &SahBin| SahBin {
        aabb: first.aabb.union(&second.aabb),
        count: first.count + second.count,
    };
    let mut cost_after = [0.0f32; SAH_BINS];
    let mut right = bins[SAH_BINS - 1];
    for index in (0..SAH_BINS - 1).rev() {
        cost_after[index] = cost(&right);
        right = merge(&bins[index], &right);
    }
    let all = right.count;
    let mut best = None;
    let mut left = bins[0];
    for index in 0..SAH_BINS - 1 {
        let sum = cost(&left) + cost_after[index];
        if left.count > 0 && left.count < all && best.is_none_or(|(min, _)| sum < min) {
            best = Some((sum, index));
        }
        left = merge(&left, &bins[index + 1]);
    }
    best.map(|(_, index)| index)
}
