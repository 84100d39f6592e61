//! Bodies with flat sides against each other: every side of each, every pair of edges that can touch.
//!
//! Two such bodies are apart along the normal of a side, or across an edge of each. Which edges can touch is told by their sides'
//! normals: seen as arcs on a sphere, those of the one must cross the opposites of those of the other. Edges that are farther
//! from the other body than the best side is deep need not be looked at.

use base::{Vec3, number};

use super::clip::{Over, keep_four};
use super::facets::Facets;
use super::{PREFERENCE, RIM, feature, one_point};
use crate::distance::{Convex, distance};
use crate::hull::{Edge, Plane};
use crate::limits::{HULL_FACES_MAX, HULL_VERTICES_MAX};
use crate::manifold::{Manifold, ManifoldPoint};
use crate::pose::Pose;

/// Edges whose squared sine is below this are parallel: they are apart along a side, if at all.
const PARALLEL: f32 = 1e-6;

/// A side cut to the size of another: its corners and one more for each cut.
const CORNERS_MAX: usize = HULL_VERTICES_MAX * 2;

/// More edges than a body of so many corners and sides has.
const EDGES_MAX: usize = HULL_VERTICES_MAX + HULL_FACES_MAX;

/// How two bodies touch. Both are seen from one place, and so is the answer.
///
/// With a `front`, the second is a triangle that can only be touched against that direction.
pub(super) fn touch(a: &Facets, b: &Facets, margin: f32, front: Option<Vec3>) -> Manifold {
    let faces_front = |normal: Vec3| front.is_none_or(|front| normal.dot(front) < 0.0);
    let Some(side_a) = best_side(a, b, margin, faces_front) else { return Manifold::default() };
    let Some(side_b) = best_side(b, a, margin, |_| true) else { return Manifold::default() };
    let preference = PREFERENCE * number::min(a.size, b.size);
    let by_second = side_b.apart > side_a.apart + preference;
    let side = if by_second { &side_b } else { &side_a };
    let edges = best_edges(a, b, [&side_a, &side_b], side.apart + preference, margin, faces_front);
    let found = match &edges {
        Some(edges) if edges.apart > margin => return Manifold::default(),
        Some(edges) => across_edges(a, b, edges),
        None if by_second => turned_around(on_side(b, a, side, 1, margin)),
        None => on_side(a, b, side, 0, margin),
    };
    if found.count > 0 {
        return found;
    }
    if side.apart > 0.0 || edges.is_some() {
        return nearest(a, b, margin, front);
    }
    // They overlap, and yet nothing of the one is above the side of the other: its deepest corner is.
    if by_second { turned_around(deepest(b, a, side, 1)) } else { deepest(a, b, side, 0) }
}

/// A side, and how far the other body is above it.
struct Side {
    face: usize,
    apart: f32,
}

/// An edge of each, the direction from the first to the second across them, and how far they are apart.
struct Edges {
    numbers: [usize; 2],
    normal: Vec3,
    apart: f32,
}

/// The side of `a` that `b` is farthest above, of those that may be. None if it is farther above any side than the margin.
fn best_side(a: &Facets, b: &Facets, margin: f32, may_be: impl Fn(Vec3) -> bool) -> Option<Side> {
    let mut best = Side { face: 0, apart: f32::NEG_INFINITY };
    for (face, plane) in a.planes[..a.sides].iter().enumerate() {
        let apart = lowest(b.vertices, plane);
        // Told this way round, a NaN is no contact.
        let near = apart <= margin;
        if !near {
            return None;
        }
        if apart > best.apart && may_be(plane.normal) {
            best = Side { face, apart };
        }
    }
    Some(best)
}

#[inline]
fn lowest(vertices: &[Vec3], plane: &Plane) -> f32 {
    // Four at a time, which do not wait for one another.
    let mut least = [f32::INFINITY; 4];
    let (fours, rest) = vertices.as_chunks::<4>();
    for four in fours {
        for (least, vertex) in least.iter_mut().zip(four) {
            *least = number::min(*least, plane.normal.dot(*vertex));
        }
    }
    for vertex in rest {
        least[0] = number::min(least[0], plane.normal.dot(*vertex));
    }
    number::min(number::min(least[0], least[1]), number::min(least[2], least[3])) - plane.offset
}

/// The pair of edges across which the bodies are farthest apart, if that is more than `least`.
fn best_edges(
    a: &Facets,
    b: &Facets,
    sides: [&Side; 2],
    least: f32,
    margin: f32,
    may_be: impl Fn(Vec3) -> bool,
) -> Option<Edges> {
    let reach = number::max(number::max(-least, least), margin);
    let (list_a, list_b) = (Near::new(a, b, sides[1].face, reach), Near::new(b, a, sides[0].face, reach));
    let mut best: Option<Edges> = None;
    let mut least = least;
    for first in &list_a.edges[..list_a.count] {
        let (left, right) = (first.left, first.right);
        for second in &list_b.edges[..list_b.count] {
            // The arc of the first from left to right, and that of the second's opposites, cross each other.
            let (left_side, right_side) = (left.dot(second.along), right.dot(second.along));
            let (other_left, other_right) = (second.left.dot(first.along), second.right.dot(first.along));
            if left_side * right_side >= 0.0 || other_left * other_right >= 0.0 || other_left * right_side >= 0.0 {
                continue;
            }
            let across = first.along.cross(second.along);
            let squared = across.length_squared();
            if squared <= PARALLEL * first.along.length_squared() * second.along.length_squared() {
                continue;
            }
            let across = if left_side > 0.0 { across } else { -across };
            let normal = across * (1.0 / number::sqrt(squared));
            let apart = normal.dot(second.from - first.from);
            if apart > least && may_be(normal) {
                least = apart;
                best = Some(Edges { numbers: [first.number, second.number], normal, apart });
            }
        }
    }
    best
}

/// An edge, and the normals of its two sides.
#[derive(Clone, Copy)]
struct Arc {
    from: Vec3,
    along: Vec3,
    left: Vec3,
    right: Vec3,
    number: usize,
}

/// The edges of a body that are near enough to another to touch it.
struct Near {
    edges: [Arc; EDGES_MAX],
    count: usize,
}

impl Near {
    /// Those that are not all higher above a side of the other than `reach`.
    fn new(body: &Facets, other: &Facets, face: usize, reach: f32) -> Near {
        let none = Arc { from: Vec3::ZERO, along: Vec3::ZERO, left: Vec3::ZERO, right: Vec3::ZERO, number: 0 };
        let mut near = Near { edges: [none; EDGES_MAX], count: 0 };
        let plane = other.planes[face];
        for (number, &Edge { from, to, left, right }) in body.edges.iter().enumerate() {
            let (from, to) = (body.vertex(from), body.vertex(to));
            let Some(place) = near.edges.get_mut(near.count) else { break };
            if plane.height(from) <= reach || plane.height(to) <= reach {
                let normal = |side: u8| body.planes[usize::from(side)].normal;
                *place = Arc { from, along: to - from, left: normal(left), right: normal(right), number };
                near.count += 1;
            }
        }
        near
    }
}

/// Cuts the side of `b` that is opposite to one of `a` to its size. Which of both is the first of the pair, `reference` tells.
fn on_side(a: &Facets, b: &Facets, side: &Side, reference: u32, margin: f32) -> Manifold {
    let plane = &a.planes[side.face];
    let opposite = opposite(b, plane, side.apart + PREFERENCE * number::min(a.size, b.size));
    let mut buffers = [Polygon::EMPTY, Polygon::EMPTY];
    let [polygon, spare] = &mut buffers;
    let around = b.around(opposite);
    for (number, &corner) in around.iter().enumerate() {
        let before = if number == 0 { around.len() - 1 } else { number - 1 };
        polygon.push(Corner { place: b.vertex(corner), begins: before as u8, ends: number as u8 });
    }
    let cutting = a.around(side.face);
    for (number, &corner) in cutting.iter().enumerate() {
        let from = a.vertex(corner);
        let way = a.vertex(cutting[if number + 1 == cutting.len() { 0 } else { number + 1 }]) - from;
        let outwards = way.cross(plane.normal).normal();
        let limit = outwards.dot(from) + RIM * way.length();
        polygon.cut(&Plane { normal: outwards, offset: limit }, 64 + number as u8, spare);
    }
    let across = plane.normal.perpendicular();
    let beside = plane.normal.cross(across);
    let mut points = [Over::default(); CORNERS_MAX];
    let mut count = 0;
    for corner in &polygon.corners[..polygon.count] {
        let height = plane.height(corner.place);
        if height <= margin {
            let (begins, ends) = (corner.begins.into(), corner.ends.into());
            let feature = feature::side(reference, side.face as u32, opposite as u32, begins, ends);
            points[count] = Over { u: corner.place.dot(across), v: corner.place.dot(beside), height, feature };
            count += 1;
        }
    }
    let count = keep_four(&mut points[..count], PREFERENCE * number::min(a.size, b.size));
    let mut manifold = Manifold { normal: plane.normal, ..Manifold::default() };
    for point in &points[..count] {
        let height = plane.offset + point.height * 0.5;
        let place = across * point.u + beside * point.v + plane.normal * height;
        manifold.push(ManifoldPoint { place, separation: point.height, feature: point.feature });
    }
    manifold
}

/// The side that looks against a plane most, of those that reach as low as the body does.
fn opposite(body: &Facets, plane: &Plane, lowest: f32) -> usize {
    let is_low = |&corner: &u8| plane.height(body.vertex(corner)) <= lowest;
    let first = body.facing(-plane.normal);
    if body.around(first).iter().any(is_low) {
        return first;
    }
    let mut best = (first, f32::INFINITY);
    for (face, other) in body.planes[..body.sides].iter().enumerate() {
        let along = other.normal.dot(plane.normal);
        if along < best.1 && body.around(face).iter().any(is_low) {
            best = (face, along);
        }
    }
    best.0
}

/// The deepest corner of `b` below a side of `a`.
fn deepest(a: &Facets, b: &Facets, side: &Side, reference: u32) -> Manifold {
    let plane = &a.planes[side.face];
    let mut best = (0, f32::INFINITY);
    for (number, &vertex) in b.vertices.iter().enumerate() {
        let height = plane.height(vertex);
        if height < best.1 {
            best = (number, height);
        }
    }
    let Some(&vertex) = b.vertices.get(best.0) else { return Manifold::default() };
    let place = vertex - plane.normal * (best.1 * 0.5);
    let feature = feature::side(reference, side.face as u32, 63, best.0 as u32, 127);
    one_point(plane.normal, ManifoldPoint { place, separation: best.1, feature })
}

fn turned_around(mut manifold: Manifold) -> Manifold {
    manifold.normal = -manifold.normal;
    manifold
}

/// The point between two edges; none if they are apart and nearest at an end of one of them.
fn across_edges(a: &Facets, b: &Facets, edges: &Edges) -> Manifold {
    let [number_a, number_b] = edges.numbers;
    let (edge_a, edge_b) = (a.edges[number_a], b.edges[number_b]);
    let (from_a, from_b) = (a.vertex(edge_a.from), b.vertex(edge_b.from));
    let (along_a, along_b) = (a.vertex(edge_a.to) - from_a, b.vertex(edge_b.to) - from_b);
    let between = from_b - from_a;
    let (squared_a, squared_b, cosine) = (along_a.length_squared(), along_b.length_squared(), along_a.dot(along_b));
    let (way_a, way_b) = (along_a.dot(between), along_b.dot(between));
    let determinant = squared_a * squared_b - cosine * cosine;
    let part_a = (way_a * squared_b - cosine * way_b) / determinant;
    let part_b = (cosine * way_a - squared_a * way_b) / determinant;
    let within = |part: f32| (-RIM..=1.0 + RIM).contains(&part);
    if edges.apart > 0.0 && !(within(part_a) && within(part_b)) {
        return Manifold::default();
    }
    let place_a = from_a + along_a * number::clamp(part_a, 0.0, 1.0);
    let place_b = from_b + along_b * number::clamp(part_b, 0.0, 1.0);
    let feature = feature::edges(number_a as u32, number_b as u32);
    one_point(edges.normal, ManifoldPoint { place: (place_a + place_b) * 0.5, separation: edges.apart, feature })
}

/// Where two bodies that are apart are nearest: at corners, mostly.
pub(super) fn nearest(a: &Facets, b: &Facets, margin: f32, front: Option<Vec3>) -> Manifold {
    let (points_a, points_b) = (Convex::of_points(a.vertices), Convex::of_points(b.vertices));
    let apart = distance(&points_a, &Pose::IDENTITY, &points_b, &Pose::IDENTITY);
    let from_behind = front.is_some_and(|front| apart.normal.dot(front) >= 0.0);
    if apart.distance > margin || apart.normal == Vec3::ZERO || from_behind {
        return Manifold::default();
    }
    let place = (apart.point_a + apart.point_b) * 0.5;
    one_point(apart.normal, ManifoldPoint { place, separation: apart.distance, feature: feature::round(0) })
}

/// A corner of a side that is being cut, and between which two edges it is.
#[derive(Clone, Copy)]
struct Corner {
    place: Vec3,
    begins: u8,
    ends: u8,
}

struct Polygon {
    corners: [Corner; CORNERS_MAX],
    count: usize,
}

impl Polygon {
    const EMPTY: Polygon =
        Polygon { corners: [Corner { place: Vec3::ZERO, begins: 0, ends: 0 }; CORNERS_MAX], count: 0 };

    /// Cuts off what is above a plane.
    fn cut(&mut self, plane: &Plane, edge: u8, spare: &mut Polygon) {
        let above = self.corners[..self.count].iter().any(|corner| plane.height(corner.place) > 0.0);
        let Some(last) = self.count.checked_sub(1).filter(|_| above) else { return };
        spare.count = 0;
        let mut corner = self.corners[last];
        let mut height = plane.height(corner.place);
        for &next in &self.corners[..self.count] {
            let height_next = plane.height(next.place);
            if (height > 0.0) != (height_next > 0.0) {
                let place = corner.place + (next.place - corner.place) * (height / (height - height_next));
                let (begins, ends) = if height > 0.0 { (edge, corner.ends) } else { (corner.ends, edge) };
                spare.push(Corner { place, begins, ends });
            }
            if height_next <= 0.0 {
                spare.push(next);
            }
            (corner, height) = (next, height_next);
        }
        core::mem::swap(self, spare);
    }

    /// A cut of a convex polygon adds one corner at most; what rounding would add beyond is left out.
    fn push(&mut self, corner: Corner) {
        if let Some(place) = self.corners.get_mut(self.count) {
            *place = corner;
            self.count += 1;
        }
    }
}
