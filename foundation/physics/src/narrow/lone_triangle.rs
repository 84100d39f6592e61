//! A convex shape against one triangle without adjacency.
//!
//! Laws
//! 1. A triangle is one-sided: its front is where its vertices wind counter-clockwise. A shape whose center is behind it does not
//!    touch it.
//! 2. The three lowest bits of a feature say on which edges of the triangle the point lies: bit 0 for the edge from the first
//!    vertex to the second, and so on; none inside, two at a vertex.
//! 3. The normal points from the shape to the triangle. It is opposite to the triangle's own unless the point is on an edge.

use base::Vec3;

use super::polyhedron::{PlacedBox, PlacedTriangle, hull_view};
use super::{CLIP_TOLERANCE, capsule_polyhedron, is_finite, polyhedra};
use crate::manifold::Manifold;
use crate::pose::Pose;
use crate::shape::Shape;

/// The manifold of a convex shape and a triangle given in the space of its mesh. Empty for shapes that are not convex.
pub fn convex_against_triangle(
    convex: &Shape,
    pose: &Pose,
    triangle: [Vec3; 3],
    pose_mesh: &Pose,
    margin: f32,
) -> Manifold {
    let offset = pose_mesh.position - pose.position;
    let placed = triangle.map(|vertex| pose.local_direction(pose_mesh.direction(vertex) + offset));
    let found = collide_local_triangle(convex, placed, margin);
    let mut manifold = Manifold { normal: pose.direction(found.normal), ..found };
    for point in &mut manifold.points[..found.count as usize] {
        point.anchor = pose.direction(point.anchor);
    }
    if is_finite(&manifold) { manifold } else { Manifold::default() }
}

/// The same with everything in the frame of the convex shape.
pub fn collide_local_triangle(convex: &Shape, triangle: [Vec3; 3], margin: f32) -> Manifold {
    let Some(placed) = PlacedTriangle::new(triangle) else { return Manifold::default() };
    let front = placed.front_plane();
    let center = if let Shape::Hull(hull) = convex { hull.center() } else { Vec3::ZERO };
    let is_in_front = front.signed_distance(center) >= 0.0;
    if !is_in_front {
        return Manifold::default();
    }
    let polyhedron = placed.view();
    let mut found = match convex {
        &Shape::Sphere(radius) => {
            capsule_polyhedron::collide([Vec3::ZERO; 2], radius, &polyhedron, margin, Some(front.normal))
        }
        &Shape::Capsule { half, radius } => {
            let core = [Vec3::Z * -half, Vec3::Z * half];
            capsule_polyhedron::collide(core, radius, &polyhedron, margin, Some(front.normal))
        }
        &Shape::Box(half) => {
            let placed = PlacedBox::new(half, &Pose::IDENTITY);
            polyhedra::collide(&placed.view(), &polyhedron, margin, Some(front.normal))
        }
        Shape::Hull(hull) => polyhedra::collide(&hull_view(hull), &polyhedron, margin, Some(front.normal)),
        Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_) => Manifold::default(),
    };
    for point in &mut found.points[..found.count as usize] {
        let surface = point.anchor + found.normal * (point.separation * 0.5);
        point.feature |= placed.edges_near(surface, 2.0 * CLIP_TOLERANCE);
    }
    if is_finite(&found) { found } else { Manifold::default() }
}
