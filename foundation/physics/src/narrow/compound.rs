//! Compounds: each child near the other shape, through the BVH.

use base::number;

use super::merger::ManifoldMerger;
use super::{Pair, collide};
use crate::manifold::Manifolds;
use crate::shape::{Compound, Shape};

/// A compound and any shape, which may be a compound too.
pub(super) fn collide_compound(compound: &Compound, other: &Shape, pair: &Pair, found: &mut Manifolds) {
    let aabb = other.aabb(&pair.a.local_pose(pair.b)).expanded(pair.margin);
    let own = compound.bvh().aabb().half_extent().max_component();
    let size = number::min(own, aabb.half_extent().max_component());
    let mut merger = ManifoldMerger::new(size * 2e-3).with_near(size * 4e-3);
    let mut found_child = Manifolds::default();
    compound.bvh().visit_overlapping(&aabb, |index| {
        let child = &compound.children()[index as usize];
        let pose = pair.a.compose(&child.pose);
        found_child.clear();
        collide(&child.shape, &pose, other, pair.b, pair.margin, &mut found_child);
        let offset = pose.position - pair.a.position;
        for manifold in found_child.as_slice() {
            let triangle = (manifold.child >> 32) as u32;
            let child = u64::from(Compound::pack_id(index, triangle)) << 32 | manifold.child & 0xffff_ffff;
            let mut placed = *manifold;
            for point in &mut placed.points[..placed.count as usize] {
                point.anchor += offset;
                point.feature ^= index.wrapping_mul(0x85eb_ca6b);
            }
            merger.add(placed.normal, child, placed.points());
        }
        true
    });
    merger.finish(found, |manifold| manifold);
}
