//! Overlap tests: whether two shapes share a point. The first overlapping parts end the search.
//!
//! Two triangles are tested by SAT: both normals, the nine cross products of edges, and for coplanar triangles the in-plane edge
//! normals.
//!
//! Laws
//! 1. Surfaces have no inside: a body within a closed mesh does not overlap it.
//! 2. Shapes that only touch overlap, within rounding.

use base::Vec3;
use base::number::{max, min};

use crate::closest_points::closest_points;
use crate::pose::Pose;
use crate::shape::Shape;
use crate::surface::Surface;

#[cfg(test)]
mod tests;

/// Boxes are expanded by this fraction of the size, so that rounding misses no pair.
const AABB_MARGIN: f32 = 1e-5;

/// Whether two shapes share a point.
pub fn is_overlapping(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> bool {
    let (Shape::Mesh(one), Shape::Mesh(other)) = (a, b) else {
        return closest_points(a, pose_a, b, pose_b, 0.0).is_some();
    };
    let relative = pose_a.local_pose(pose_b);
    let size = max(one.aabb().half_extent().max_component(), other.aabb().half_extent().max_component());
    let margin = (size + relative.position.abs().max_component()) * AABB_MARGIN;
    let is_apart = one.bvh().visit_pairs(other.bvh(), &relative, margin, |own, their| {
        !do_triangles_overlap(
            one.triangle_vertices(own),
            other.triangle_vertices(their).map(|point| relative.point(point)),
        )
    });
    !is_apart
}

/// Whether two triangles share a point.
pub fn do_triangles_overlap(one: [Vec3; 3], other: [Vec3; 3]) -> bool {
    // Relative to a vertex of the first, so that it is as exact far from the origin as near it.
    let (one, other) = (one.map(|point| point - one[0]), other.map(|point| point - one[0]));
    let edges = |[a, b, c]: [Vec3; 3]| [b - a, c - b, a - c];
    let (own, their) = (edges(one), edges(other));
    let (normal, other_normal) = (own[0].cross(own[1]), their[0].cross(their[1]));
    let is_separated = |axis: Vec3| is_separated(axis, &one, &other);
    if is_separated(normal) || is_separated(other_normal) {
        return false;
    }
    let across = own.iter().flat_map(|edge| their.iter().map(|other| edge.cross(*other)));
    let within = own.iter().map(|edge| edge.cross(normal)).chain(their.iter().map(|edge| edge.cross(other_normal)));
    !across.chain(within).any(is_separated)
}

/// Whether an axis separates the triangles.
#[inline]
fn is_separated(axis: Vec3, one: &[Vec3; 3], other: &[Vec3; 3]) -> bool {
    let along = |points: &[Vec3; 3]| {
        let [a, b, c] = points.map(|point| point.dot(axis));
        (min(min(a, b), c), max(max(a, b), c))
    };
    let ((min_a, max_a), (min_b, max_b)) = (along(one), along(other));
    max_a < min_b || max_b < min_a
}
