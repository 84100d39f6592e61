//! The narrow phase: contact manifolds of two shapes in two poses.
//!
//! [`collide`] dispatches on the pair of shapes; each family of pairs has a file.
//!
//! | pair | method |
//! |---|---|
//! | sphere, capsule | closest points of segments (Ericson 2005) |
//! | sphere or capsule, box | exact minimum of a piecewise quadratic, SAT if the core penetrates |
//! | box, box | SAT over 15 axes (Gottschalk et al. 1996), clipping (Sutherland and Hodgman 1974) |
//! | hull, box, triangle | SAT with Gauss map pruning (Gregorius 2013), clipping; GJK for separated vertices |
//! | sphere or capsule, hull or triangle | GJK, SAT if the core penetrates |
//! | mesh or height field, convex | SAT per triangle with internal-edge filtering, then manifolds are merged |
//! | compound | each child through its BVH, then manifolds are merged |
//!
//! Laws
//! 1. Stateless: equal shapes, poses and margin give equal manifolds, bit for bit.
//! 2. Everything is computed relative to the first body, so that it is as exact far from the origin as near it.
//! 3. Face axes are preferred to edge axes unless those are better by more than [`FACE_PREFERENCE`] of the smaller shape, so that
//!    bodies at rest do not alternate between two manifolds.
//! 4. Vertices that protrude over the boundary of the reference face by less than [`CLIP_TOLERANCE`] of its size are not clipped:
//!    boxes stacked flush keep their four features.
//! 5. Every manifold is finite; a pair with poses that are not finite has none.

use base::{Mat3, Vec3, number};

use crate::manifold::{Manifold, ManifoldPoint, Manifolds};
use crate::pose::Pose;
use crate::shape::Shape;

mod box_box;
mod capsule_box;
mod capsule_capsule;
mod capsule_polyhedron;
mod composite;
mod compound;
mod convex_triangle;
mod feature;
mod hull_pairs;
mod lone_triangle;
mod merger;
mod polyhedra;
mod polyhedron;
mod polytope;
mod reduction;
#[cfg(test)]
mod tests;
mod triangle_triangle;

pub use lone_triangle::{collide_local_triangle, convex_against_triangle};

/// By what fraction of the smaller shape an edge axis must be better than a face axis.
pub const FACE_PREFERENCE: f32 = 5e-4;

/// By what fraction of its size a reference face is enlarged for clipping.
pub const CLIP_TOLERANCE: f32 = 1e-3;

/// Adds the manifolds of two shapes that overlap or come within the margin of each other. The rotations are unit quaternions; of
/// other poses the result is finite or empty, without further meaning.
pub fn collide(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, margin: f32, found: &mut Manifolds) {
    let pair = Pair { a: pose_a, b: pose_b, offset: pose_b.position - pose_a.position, margin };
    let manifold = match (a, b) {
        (Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_), _)
        | (_, Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_)) => {
            return composite::collide(a, b, &pair, found);
        }
        (&Shape::Sphere(a), &Shape::Sphere(b)) => capsule_capsule::sphere_sphere(a, b, &pair),
        (&Shape::Sphere(a), &Shape::Capsule { half, radius }) => {
            capsule_capsule::sphere_capsule(a, half, radius, &pair)
        }
        (&Shape::Capsule { half, radius }, &Shape::Sphere(b)) => {
            pair.swapped(|pair| capsule_capsule::sphere_capsule(b, half, radius, pair))
        }
        (&Shape::Capsule { half: half_a, radius: a }, &Shape::Capsule { half: half_b, radius: b }) => {
            capsule_capsule::capsule_capsule([half_a, half_b], [a, b], &pair)
        }
        (&Shape::Sphere(a), &Shape::Box(b)) => capsule_box::sphere_box(a, b, &pair),
        (&Shape::Box(a), &Shape::Sphere(b)) => pair.swapped(|pair| capsule_box::sphere_box(b, a, pair)),
        (&Shape::Capsule { half, radius }, &Shape::Box(b)) => capsule_box::capsule_box(half, radius, b, &pair),
        (&Shape::Box(a), &Shape::Capsule { half, radius }) => {
            pair.swapped(|pair| capsule_box::capsule_box(half, radius, a, pair))
        }
        (&Shape::Box(a), &Shape::Box(b)) => box_box::box_box(a, b, &pair),
        (Shape::Hull(a), Shape::Hull(b)) => hull_pairs::hull_hull(a, b, &pair),
        (Shape::Hull(a), &Shape::Box(b)) => hull_pairs::hull_box(a, b, &pair),
        (&Shape::Box(a), Shape::Hull(b)) => pair.swapped(|pair| hull_pairs::hull_box(b, a, pair)),
        (&Shape::Sphere(a), Shape::Hull(b)) => hull_pairs::capsule(0.0, a, b, &pair),
        (Shape::Hull(a), &Shape::Sphere(b)) => pair.swapped(|pair| hull_pairs::capsule(0.0, b, a, pair)),
        (&Shape::Capsule { half, radius }, Shape::Hull(b)) => hull_pairs::capsule(half, radius, b, &pair),
        (Shape::Hull(a), &Shape::Capsule { half, radius }) => {
            pair.swapped(|pair| hull_pairs::capsule(half, radius, a, pair))
        }
    };
    if is_finite(&manifold) {
        found.push(manifold);
    }
}

/// Two poses and the contact margin.
struct Pair<'pose> {
    a: &'pose Pose,
    b: &'pose Pose,
    /// From the first position to the second.
    offset: Vec3,
    margin: f32,
}

impl Pair<'_> {
    /// The flipped result of a function for the swapped pair.
    #[inline]
    fn swapped(&self, find: impl FnOnce(&Pair) -> Manifold) -> Manifold {
        let flipped = Pair { a: self.b, b: self.a, offset: -self.offset, margin: self.margin };
        find(&flipped).flipped(flipped.offset)
    }
}

/// A manifold of one point between two cores with radii, from their closest points. `fallback` is the normal if the cores
/// overlap.
#[inline]
fn core_contact(core_points: [Vec3; 2], radii: [f32; 2], fallback: Vec3, feature: u32, margin: f32) -> Manifold {
    let offset = core_points[1] - core_points[0];
    let squared = offset.length_squared();
    let distance_max = radii[0] + radii[1] + margin;
    // Written so that a NaN is no contact.
    let is_near = squared <= distance_max * distance_max;
    if !is_near {
        return Manifold::default();
    }
    let distance = number::sqrt(squared);
    let normal = if squared.is_normal() { offset * (1.0 / distance) } else { fallback };
    single_point(normal, core_point(core_points[0], distance, radii, normal, feature))
}

/// A point of a capsule's core near another shape: its parameter, the distance of the core there, and its feature.
#[derive(Clone, Copy)]
struct CorePoint {
    parameter: f32,
    distance: f32,
    feature: u32,
}

/// An end of a clipped core: its parameter and its feature.
#[derive(Clone, Copy)]
struct CoreEnd {
    parameter: f32,
    feature: u32,
}

impl CoreEnd {
    #[inline]
    fn at_distance(self, distance: f32) -> CorePoint {
        CorePoint { parameter: self.parameter, distance, feature: self.feature }
    }
}

/// The contact point half-way between two rounded surfaces whose cores are `distance` apart along the normal.
#[inline]
fn core_point(point_a: Vec3, distance: f32, radii: [f32; 2], normal: Vec3, feature: u32) -> ManifoldPoint {
    let separation = distance - radii[0] - radii[1];
    ManifoldPoint { anchor: point_a + normal * (radii[0] + separation * 0.5), separation, feature }
}

#[inline]
fn single_point(normal: Vec3, point: ManifoldPoint) -> Manifold {
    let mut manifold = Manifold { normal, ..Manifold::default() };
    manifold.push(point);
    manifold
}

/// The second pose relative to the first.
fn relative_pose(pair: &Pair) -> Pose {
    let axes = pair.b.axes.columns.map(|axis| pair.a.local_direction(axis));
    Pose { position: pair.a.local_direction(pair.offset), axes: Mat3 { columns: axes } }
}

/// A manifold in the local frame of a pose, to world axes and relative to the first position.
fn to_world(mut manifold: Manifold, frame: &Pose, offset: Vec3) -> Manifold {
    manifold.normal = frame.direction(manifold.normal);
    for point in &mut manifold.points[..manifold.count as usize] {
        point.anchor = frame.direction(point.anchor) + offset;
    }
    manifold
}

/// Whether all numbers are finite: a sum is not if one of its terms is not.
#[inline]
fn is_finite(manifold: &Manifold) -> bool {
    let mut sum = manifold.normal;
    for point in manifold.points() {
        sum += point.anchor + Vec3::splat(point.separation);
    }
    (sum.x + sum.y + sum.z).is_finite()
}
