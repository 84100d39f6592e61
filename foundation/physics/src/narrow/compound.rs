//! How a compound touches anything: child by child, through its tree.

use base::number;

use super::gather::Gather;
use super::{Pair, collide};
use crate::manifold::Manifolds;
use crate::shape::{Compound, Shape};

/// A compound and anything else, which may be a compound too.
pub(super) fn collide_compound(compound: &Compound, other: &Shape, pair: &Pair, found: &mut Manifolds) {
    let bounds = other.bounds(&pair.a.back(pair.b)).grown(pair.margin);
    let own = compound.tree().bounds().half().max_component();
    let mut gather = Gather::new(number::min(own, bounds.half().max_component()) * 2e-3);
    let mut inner = Manifolds::default();
    compound.tree().each_in(&bounds, |number| {
        let child = &compound.children()[number as usize];
        let pose = pair.a.inner(&child.pose);
        inner.clear();
        collide(&child.shape, &pose, other, pair.b, pair.margin, &mut inner);
        let offset = pose.position - pair.a.position;
        for manifold in inner.as_slice() {
            let triangle = (manifold.child >> 32) as u32;
            let child = u64::from(Compound::number(number, triangle)) << 32 | manifold.child & 0xffff_ffff;
            let mut moved = *manifold;
            for point in &mut moved.points[..moved.count as usize] {
                point.place += offset;
                point.feature ^= number.wrapping_mul(0x85eb_ca6b);
            }
            gather.add(moved.normal, child, moved.points());
        }
        true
    });
    gather.finish(found, |manifold| manifold);
}
