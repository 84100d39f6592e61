//! Any convex shape against one triangle of a mesh.
//!
//! Laws
//! 1. A triangle is touched from its front only: from where its corners go around against the clock. A shape whose centre is
//!    behind it does not touch it.
//! 2. The three lowest bits of a point's feature tell on which edges of the triangle it lies: bit 0 for the edge from the first
//!    corner to the second, and so on; none for a point within, two for a corner.
//! 3. The normal is from the shape to the triangle. It is the opposite of the triangle's own unless the point is on an edge.

use base::Vec3;

use super::facets::{BoxSeen, TriangleSeen, of_hull};
use super::{RIM, flat, is_sound, round_flat};
use crate::manifold::Manifold;
use crate::pose::Pose;
use crate::shape::Shape;

/// How a convex shape touches a triangle, which is given as its mesh sees it. Nothing for shapes that are not convex.
pub fn convex_against_triangle(
    convex: &Shape,
    pose: &Pose,
    triangle: [Vec3; 3],
    pose_mesh: &Pose,
    margin: f32,
) -> Manifold {
    let offset = pose_mesh.position - pose.position;
    let seen = triangle.map(|corner| pose.direction_back(pose_mesh.direction(corner) + offset));
    let found = against_seen(convex, seen, margin);
    let mut told = Manifold { normal: pose.direction(found.normal), ..found };
    for point in &mut told.points[..found.count as usize] {
        point.place = pose.direction(point.place);
    }
    if is_sound(&told) { told } else { Manifold::default() }
}

/// The same with everything as the convex shape sees it: for whoever has many triangles.
pub fn against_seen(convex: &Shape, triangle: [Vec3; 3], margin: f32) -> Manifold {
    let Some(seen) = TriangleSeen::new(triangle) else { return Manifold::default() };
    let front = seen.front();
    let centre = if let Shape::Hull(hull) = convex { hull.centre() } else { Vec3::ZERO };
    let before = front.height(centre) >= 0.0;
    if !before {
        return Manifold::default();
    }
    let facets = seen.facets();
    let mut found = match convex {
        &Shape::Sphere(radius) => round_flat::touch([Vec3::ZERO; 2], radius, &facets, margin, Some(front.normal)),
        &Shape::Capsule { half, radius } => {
            let core = [Vec3::Z * -half, Vec3::Z * half];
            round_flat::touch(core, radius, &facets, margin, Some(front.normal))
        }
        &Shape::Box(half) => {
            let seen = BoxSeen::new(half, &Pose::IDENTITY);
            flat::touch(&seen.facets(), &facets, margin, Some(front.normal))
        }
        Shape::Hull(hull) => flat::touch(&of_hull(hull), &facets, margin, Some(front.normal)),
        Shape::Mesh(_) | Shape::Field(_) | Shape::Compound(_) => Manifold::default(),
    };
    for point in &mut found.points[..found.count as usize] {
        let surface = point.place + found.normal * (point.separation * 0.5);
        point.feature |= seen.edges_at(surface, 2.0 * RIM);
    }
    if is_sound(&found) { found } else { Manifold::default() }
}
