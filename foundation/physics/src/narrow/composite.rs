//! Pairs of which at least one is a mesh, a height field or a compound.
//!
//! Laws
//! 1. Triangles and children are visited through their BVH, in an order that is a function of the shapes and poses alone.
//! 2. Contacts with the same normal become one manifold: see [`ManifoldMerger`].
//! 3. Height fields do not collide with each other.
//! 4. Every overlap is reported. Separated features near a vertex are reported approximately, and may be left out there beyond
//!    two fifths of the margin: they are reported once they are closer.

use base::number;

use super::convex_triangle::{self, TargetTriangle, TriangleContact};
use super::merger::ManifoldMerger;
use super::polytope::{BoxPolytope, HullPolytope};
use super::{Pair, compound, triangle_triangle};
use crate::aabb::Aabb;
use crate::manifold::{Manifold, Manifolds};
use crate::mesh::Mesh;
use crate::pose::Pose;
use crate::shape::Shape;
use crate::surface::{Surface, SurfaceTriangle};

#[cfg(test)]
mod tests;

/// Manifolds of two shapes of which at least one has parts.
pub(super) fn collide(a: &Shape, b: &Shape, pair: &Pair, found: &mut Manifolds) {
    match (a, b) {
        (Shape::Compound(a), b) => compound::collide_compound(a, b, pair, found),
        (a, Shape::Compound(b)) => swapped(pair, found, |pair, found| compound::collide_compound(b, a, pair, found)),
        (Shape::Mesh(a), Shape::Mesh(b)) => surface_mesh(&**a, b, pair, found),
        (Shape::HeightField(a), Shape::Mesh(b)) => surface_mesh(&**a, b, pair, found),
        (Shape::Mesh(a), Shape::HeightField(b)) => {
            swapped(pair, found, |pair, found| surface_mesh(&**b, a, pair, found))
        }
        (Shape::HeightField(_), Shape::HeightField(_)) => {}
        (Shape::Mesh(a), b) => surface_convex(&**a, b, pair, found),
        (Shape::HeightField(a), b) => surface_convex(&**a, b, pair, found),
        (a, Shape::Mesh(b)) => swapped(pair, found, |pair, found| surface_convex(&**b, a, pair, found)),
        (a, Shape::HeightField(b)) => swapped(pair, found, |pair, found| surface_convex(&**b, a, pair, found)),
        _ => {}
    }
}

/// The flipped result for the swapped pair.
fn swapped(pair: &Pair, found: &mut Manifolds, collide: impl FnOnce(&Pair, &mut Manifolds)) {
    let swapped_pair = Pair { a: pair.b, b: pair.a, offset: -pair.offset, margin: pair.margin };
    let mut swapped_found = Manifolds::default();
    collide(&swapped_pair, &mut swapped_found);
    found.add_dropped(swapped_found.dropped());
    for manifold in swapped_found.as_slice() {
        found.push(manifold.flipped(swapped_pair.offset));
    }
}

/// A surface and a convex body.
fn surface_convex(surface: &impl Surface, body: &Shape, pair: &Pair, found: &mut Manifolds) {
    let pose = pair.a.local_pose(pair.b);
    let aabb = body.aabb(&pose).expanded(pair.margin);
    match body {
        &Shape::Sphere(radius) => {
            each_triangle(surface, &pose, &aabb, pair, found, |target, margin, _| {
                convex_triangle::sphere(radius, target, margin)
            });
        }
        &Shape::Capsule { half, radius } => {
            let half = pose.axes.columns[2] * half;
            each_triangle(surface, &pose, &aabb, pair, found, |target, margin, _| {
                convex_triangle::capsule(half, radius, target, margin)
            });
        }
        &Shape::Box(half) => {
            let polytope = BoxPolytope::of_box(half, &pose);
            each_triangle(surface, &pose, &aabb, pair, found, |target, margin, is_final| {
                convex_triangle::polytope(&polytope, target, margin, is_final)
            });
        }
        Shape::Hull(hull) => {
            let polytope = HullPolytope::hull_view(hull, &pose);
            each_triangle(surface, &pose, &aabb, pair, found, |target, margin, is_final| {
                convex_triangle::polytope(&polytope, target, margin, is_final)
            });
        }
        Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_) => {}
    }
}

/// Calls `find` for every triangle near a body, in the frame of the surface.
#[inline]
fn each_triangle(
    surface: &impl Surface,
    pose: &Pose,
    aabb: &Aabb,
    pair: &Pair,
    found: &mut Manifolds,
    find: impl Fn(&TargetTriangle, f32, bool) -> TriangleContact,
) {
    let mut merger = ManifoldMerger::new(aabb.half_extent().max_component() * 2e-3);
    // Each triangle defers contacts that belong to its neighbours. If all of them did, the second pass defers none.
    for is_final in [false, true] {
        let mut is_deferred = false;
        surface.visit_overlapping(aabb, |number| {
            let target = TargetTriangle::new(surface.triangle(number).relative_to(pose.position), number);
            let contact = find(&target, pair.margin, is_final);
            is_deferred |= contact.is_deferred;
            merger.add(contact.normal, u64::from(number) << 32, contact.points());
            true
        });
        if !is_deferred || !merger.is_empty() {
            break;
        }
    }
    merger.drop_redundant(|child, displacement| {
        let number = (child >> 32) as u32;
        let contact = find(
            &TargetTriangle::new(surface.triangle(number).relative_to(pose.position + displacement), number),
            0.0,
            false,
        );
        contact.points().iter().fold(0.0, |smallest, point| number::min(smallest, point.separation))
    });
    merger.finish(found, |manifold| to_world(manifold, pair));
}

/// A surface and a mesh.
fn surface_mesh(surface: &impl Surface, body: &Mesh, pair: &Pair, found: &mut Manifolds) {
    let pose = pair.a.local_pose(pair.b);
    let surface_aabb = surface.aabb();
    let smallest_extent =
        number::min(body.aabb().half_extent().min_component(), surface_aabb.half_extent().max_component());
    let depth_max = smallest_extent * 0.25;
    let reach = pair.margin + depth_max;
    let mut merger = ManifoldMerger::new(body.aabb().half_extent().max_component() * 2e-3);
    body.visit_overlapping(&surface_aabb.inverse_transformed(&pose).expanded(reach), |number| {
        let triangle = body.triangle(number);
        // In the axes of the surface, relative to the body's position.
        let triangle = SurfaceTriangle {
            vertices: triangle.vertices.map(|point| pose.direction(point)),
            normal: pose.direction(triangle.normal),
            neighbour_normals: triangle.neighbour_normals.map(|neighbour_normals| pose.direction(neighbour_normals)),
            neighbour_apexes: triangle.neighbour_apexes.map(|apex| pose.direction(apex)),
            ..triangle
        };
        let aabb = Aabb::from_points(triangle.vertices.map(|point| point + pose.position)).expanded(reach);
        let other = TargetTriangle::new(triangle, number);
        surface.visit_overlapping(&aabb, |own_number| {
            let own = TargetTriangle::new(surface.triangle(own_number).relative_to(pose.position), own_number);
            let contact = triangle_triangle::triangle_triangle(&own, &other, pair.margin, depth_max);
            merger.add(contact.normal, u64::from(own_number) << 32 | u64::from(number), contact.points());
            true
        })
    });
    merger.finish(found, |manifold| to_world(manifold, pair));
}

/// From the axes of the first, relative to the second, to world axes, relative to the first.
fn to_world(mut manifold: Manifold, pair: &Pair) -> Manifold {
    manifold.normal = pair.a.direction(manifold.normal);
    for point in &mut manifold.points[..manifold.count as usize] {
        point.anchor = pair.a.direction(point.anchor) + pair.offset;
    }
    manifold
}
