//! Whether two shapes have a point in common: the first two parts that have one end the search.
//!
//! Two triangles are apart if some direction parts them: one of their normals, one across an edge of each, or, where they lie in one
//! plane, one in that plane across an edge.
//!
//! Laws
//! 1. Surfaces have no inside: a body within a closed mesh does not touch it.
//! 2. What only touches has a point in common, as far as rounding can tell.

use base::Vec3;
use base::number::{max, min};

use crate::facet::Surface;
use crate::nearest::nearest_of;
use crate::pose::Pose;
use crate::shape::Shape;

#[cfg(test)]
mod tests;

/// Boxes within this part of the size of what is in them are looked into: so that rounding leaves none out.
const GROWN: f32 = 1e-5;

/// Whether two shapes have a point in common.
pub fn is_overlapping(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> bool {
    let (Shape::Mesh(one), Shape::Mesh(other)) = (a, b) else {
        return nearest_of(a, pose_a, b, pose_b, 0.0).is_some();
    };
    let seen = pose_a.back(pose_b);
    let size = max(one.bounds().half().max_component(), other.bounds().half().max_component());
    let grown = (size + seen.position.abs().max_component()) * GROWN;
    let is_apart = one.tree().each_pair(other.tree(), &seen, grown, |own, their| {
        !do_triangles_meet(one.points(own), other.points(their).map(|point| seen.point(point)))
    });
    !is_apart
}

/// Whether two triangles have a point in common.
pub fn do_triangles_meet(one: [Vec3; 3], other: [Vec3; 3]) -> bool {
    // Around a corner of the first, so that it is as exact far from the origin as near it.
    let (one, other) = (one.map(|point| point - one[0]), other.map(|point| point - one[0]));
    let edges = |[a, b, c]: [Vec3; 3]| [b - a, c - b, a - c];
    let (own, their) = (edges(one), edges(other));
    let (normal, other_normal) = (own[0].cross(own[1]), their[0].cross(their[1]));
    let is_parted = |axis: Vec3| is_parted(axis, &one, &other);
    if is_parted(normal) || is_parted(other_normal) {
        return false;
    }
    let across = own.iter().flat_map(|edge| their.iter().map(|other| edge.cross(*other)));
    let within = own.iter().map(|edge| edge.cross(normal)).chain(their.iter().map(|edge| edge.cross(other_normal)));
    !across.chain(within).any(is_parted)
}

/// Whether all of the one comes before all of the other along an axis.
#[inline]
fn is_parted(axis: Vec3, one: &[Vec3; 3], other: &[Vec3; 3]) -> bool {
    let along = |points: &[Vec3; 3]| {
        let [a, b, c] = points.map(|point| point.dot(axis));
        (min(min(a, b), c), max(max(a, b), c))
    };
    let ((least, most), (other_least, other_most)) = (along(one), along(other));
    most < other_least || other_most < least
}
