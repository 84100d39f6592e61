//! Where two shapes touch, worked out from nothing but the shapes and where they are.
//!
//! [`collide`] is a table: one row for each pair of shapes, one file for each family.
//!
//! Laws
//! 1. Nothing is remembered: equal shapes, poses and margin give equal manifolds, bit for bit.
//! 2. Everything is worked out relative to the first body, so that it is as exact far from the origin as near it.
//! 3. What touches with a side touches there: the direction of a side is preferred to one across two edges as long as it is not
//!    worse by more than [`PREFERENCE`] of the smaller shape, so that bodies at rest do not flicker between two answers.
//! 4. Corners that stand over the rim of a side by less than [`RIM`] of its size count as standing on it: boxes stacked flush
//!    keep their four features.
//! 5. Whatever comes in, what comes out is finite; a pair whose poses are not so touches nowhere.

use base::{Mat3, Vec3, number};

use crate::manifold::{Manifold, ManifoldPoint, Manifolds};
use crate::pose::Pose;
use crate::shape::Shape;

mod boxes;
mod clip;
mod composed;
mod compound;
mod facets;
mod feature;
mod flat;
mod gather;
mod hulls;
mod mesh;
mod round;
mod round_box;
mod round_flat;
mod solid;
#[cfg(test)]
mod tests;
mod touch;
mod triangle;

pub use triangle::{against_seen, convex_against_triangle};

/// By how much of the smaller shape another direction must be better than that of a side.
pub const PREFERENCE: f32 = 5e-4;

/// How much of its size a side reaches further than it is, when corners are looked for that stand on it.
pub const RIM: f32 = 1e-3;

/// Finds how two shapes touch, or come within the margin of each other, and adds it to what was found.
pub fn collide(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, margin: f32, found: &mut Manifolds) {
    let pair = Pair { a: pose_a, b: pose_b, offset: pose_b.position - pose_a.position, margin };
    let manifold = match (a, b) {
        (Shape::Mesh(_) | Shape::Field(_) | Shape::Compound(_), _)
        | (_, Shape::Mesh(_) | Shape::Field(_) | Shape::Compound(_)) => return composed::collide(a, b, &pair, found),
        (&Shape::Sphere(a), &Shape::Sphere(b)) => round::spheres(a, b, &pair),
        (&Shape::Sphere(a), &Shape::Capsule { half, radius }) => round::sphere_capsule(a, half, radius, &pair),
        (&Shape::Capsule { half, radius }, &Shape::Sphere(b)) => {
            pair.other_way(|pair| round::sphere_capsule(b, half, radius, pair))
        }
        (&Shape::Capsule { half: half_a, radius: a }, &Shape::Capsule { half: half_b, radius: b }) => {
            round::capsules([half_a, half_b], [a, b], &pair)
        }
        (&Shape::Sphere(a), &Shape::Box(b)) => round_box::sphere(a, b, &pair),
        (&Shape::Box(a), &Shape::Sphere(b)) => pair.other_way(|pair| round_box::sphere(b, a, pair)),
        (&Shape::Capsule { half, radius }, &Shape::Box(b)) => round_box::capsule(half, radius, b, &pair),
        (&Shape::Box(a), &Shape::Capsule { half, radius }) => {
            pair.other_way(|pair| round_box::capsule(half, radius, a, pair))
        }
        (&Shape::Box(a), &Shape::Box(b)) => boxes::boxes(a, b, &pair),
        (Shape::Hull(a), Shape::Hull(b)) => hulls::hulls(a, b, &pair),
        (Shape::Hull(a), &Shape::Box(b)) => hulls::hull_box(a, b, &pair),
        (&Shape::Box(a), Shape::Hull(b)) => pair.other_way(|pair| hulls::hull_box(b, a, pair)),
        (&Shape::Sphere(a), Shape::Hull(b)) => hulls::round(0.0, a, b, &pair),
        (Shape::Hull(a), &Shape::Sphere(b)) => pair.other_way(|pair| hulls::round(0.0, b, a, pair)),
        (&Shape::Capsule { half, radius }, Shape::Hull(b)) => hulls::round(half, radius, b, &pair),
        (Shape::Hull(a), &Shape::Capsule { half, radius }) => {
            pair.other_way(|pair| hulls::round(half, radius, a, pair))
        }
    };
    if is_sound(&manifold) {
        found.push(manifold);
    }
}

/// Two poses, and how near is near enough.
struct Pair<'pose> {
    a: &'pose Pose,
    b: &'pose Pose,
    /// From the first position to the second.
    offset: Vec3,
    margin: f32,
}

impl Pair<'_> {
    /// What a function finds that takes the two the other way round.
    #[inline]
    fn other_way(&self, find: impl FnOnce(&Pair) -> Manifold) -> Manifold {
        let turned = Pair { a: self.b, b: self.a, offset: -self.offset, margin: self.margin };
        find(&turned).turned(turned.offset)
    }
}

/// A manifold of one point between two round things: `place_a` and `place_b` are the nearest points of their cores, and
/// `otherwise` is the direction if they are one.
#[inline]
fn round_contact(places: [Vec3; 2], radii: [f32; 2], otherwise: Vec3, feature: u32, margin: f32) -> Manifold {
    let way = places[1] - places[0];
    let squared = way.length_squared();
    let reach = radii[0] + radii[1] + margin;
    // Told this way round, a NaN is no contact.
    let near = squared <= reach * reach;
    if !near {
        return Manifold::default();
    }
    let distance = number::sqrt(squared);
    let normal = if squared.is_normal() { way * (1.0 / distance) } else { otherwise };
    one_point(normal, round_point(places[0], distance, radii, normal, feature))
}

/// Half-way between two round surfaces whose cores are `distance` apart along the normal.
#[inline]
fn round_point(place_a: Vec3, distance: f32, radii: [f32; 2], normal: Vec3, feature: u32) -> ManifoldPoint {
    let separation = distance - radii[0] - radii[1];
    ManifoldPoint { place: place_a + normal * (radii[0] + separation * 0.5), separation, feature }
}

#[inline]
fn one_point(normal: Vec3, point: ManifoldPoint) -> Manifold {
    let mut manifold = Manifold { normal, ..Manifold::default() };
    manifold.push(point);
    manifold
}

/// The second pose as the first sees it.
fn second_seen(pair: &Pair) -> Pose {
    let axes = pair.b.axes.columns.map(|axis| pair.a.direction_back(axis));
    Pose { position: pair.a.direction_back(pair.offset), axes: Mat3 { columns: axes } }
}

/// What somebody saw, along the axes of the world and from the position of the first.
fn in_world(mut manifold: Manifold, seen_by: &Pose, offset: Vec3) -> Manifold {
    manifold.normal = seen_by.direction(manifold.normal);
    for point in &mut manifold.points[..manifold.count as usize] {
        point.place = seen_by.direction(point.place) + offset;
    }
    manifold
}

/// Whether all its numbers are finite: a sum is not if one of its terms is not.
#[inline]
fn is_sound(manifold: &Manifold) -> bool {
    let mut sum = manifold.normal;
    for point in manifold.points() {
        sum += point.place + Vec3::splat(point.separation);
    }
    (sum.x + sum.y + sum.z).is_finite()
}
