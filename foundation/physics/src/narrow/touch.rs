//! How a convex body touches one triangle of a surface.
//!
//! Everything is in the axes of the surface, around the body's position.
//!
//! Laws
//! 1. Whoever's middle is behind a triangle does not touch it.
//! 2. The direction is one that the triangle may push in (see [`Facet::lean`]): its normal, or one over an edge that a body can touch.
//!    If the body would leave by a shorter way over a neighbour, even past the neighbours beyond flat edges, the touch is not this
//!    triangle's.
//! 3. Separations are told as far as the margin.

use base::{Vec3, number};

use super::solid::Solid;
use super::{PREFERENCE, RIM};
use crate::facet::{Facet, Lean, nearest_on_triangle};
use crate::hull::Edge;
use crate::manifold::ManifoldPoint;

/// How many points of a touch are told at most.
const POINTS: usize = 12;

/// Directions with at least this cosine to the triangle's normal are taken for it.
const SETTLED: f32 = 0.9998;

/// A direction from the triangle to the body, and points.
#[derive(Clone, Copy, Default)]
pub(super) struct Touch {
    pub normal: Vec3,
    points: [ManifoldPoint; POINTS],
    count: usize,
    /// Whether the triangle is overlapped, but left to its neighbours.
    pub is_left: bool,
}

/// A triangle with the directions that lead out of it.
pub(super) struct Target {
    pub facet: Facet,
    pub outwards: [Vec3; 3],
    /// Its number, which is mixed into the features of points that lie on its edges.
    pub number: u32,
}

impl Touch {
    /// Its points.
    #[inline]
    pub fn points(&self) -> &[ManifoldPoint] {
        &self.points[..self.count]
    }

    /// Adds a point on the triangle's side, at its height above it; `place` is on the body.
    #[inline]
    pub fn push(&mut self, place: Vec3, separation: f32, feature: u32) {
        if let Some(point) = self.points.get_mut(self.count) {
            *point = ManifoldPoint { place: place - self.normal * (separation * 0.5), separation, feature };
            self.count += 1;
        }
    }

    #[inline]
    pub fn along(normal: Vec3) -> Touch {
        Touch { normal, ..Touch::default() }
    }
}

impl Target {
    /// Seen from an origin.
    #[inline]
    pub fn new(facet: Facet, number: u32) -> Target {
        let outwards = [facet.outward(0), facet.outward(1), facet.outward(2)];
        Target { facet, outwards, number }
    }

    /// How high a point is above the plane.
    #[inline]
    pub fn height(&self, point: Vec3) -> f32 {
        (point - self.facet.points[0]).dot(self.facet.normal)
    }

    /// How far a point is out over an edge.
    #[inline]
    pub fn out(&self, point: Vec3, edge: usize) -> f32 {
        (point - self.facet.points[edge]).dot(self.outwards[edge])
    }

    /// Both ends of an edge.
    #[inline]
    pub fn edge(&self, edge: usize) -> [Vec3; 2] {
        [self.facet.points[edge], self.facet.points[(edge + 1) % 3]]
    }

    /// A number for what of the body meets what of this very triangle; the bit at the top tells it from those of corners.
    #[inline]
    pub fn feature(&self, body: u32, own: u32) -> u32 {
        0x8000_0000 | self.number.wrapping_mul(0x9e37_79b1) ^ (body << 2 | own)
    }
}

/// A ball around the origin.
pub(super) fn sphere(radius: f32, target: &Target, margin: f32) -> Touch {
    let height = target.height(Vec3::ZERO);
    let is_near = height >= 0.0 && height <= radius + margin;
    if !is_near {
        return Touch::default();
    }
    let normal = target.facet.normal;
    if (0..3).all(|edge| target.out(Vec3::ZERO, edge) <= 0.0) {
        let mut touch = Touch::along(normal);
        touch.push(normal * -radius, height - radius, 0);
        return touch;
    }
    let nearest = nearest_on_triangle(&target.facet.points, Vec3::ZERO);
    let squared = nearest.length_squared();
    let reach = radius + margin;
    let is_near = squared <= reach * reach;
    if !is_near {
        return Touch::default();
    }
    let distance = number::sqrt(squared);
    let direction = settled(target, (-nearest).normal_or(normal));
    if target.facet.lean(direction, &target.outwards) != Lean::Own {
        return Touch::default();
    }
    let mut touch = Touch::along(direction);
    touch.push(direction * -radius, distance - radius, 0);
    touch
}

/// All within a radius of the points from `-half` to `half`.
pub(super) fn capsule(half: Vec3, radius: f32, target: &Target, margin: f32) -> Touch {
    let heights = [target.height(-half), target.height(half)];
    let lowest = number::min(heights[0], heights[1]);
    let is_near = heights[0] + heights[1] >= 0.0 && lowest <= radius + margin;
    if !is_near {
        return Touch::default();
    }
    let over = part_over(half, target);
    let least_over = over.map_or(f32::INFINITY, |part| {
        number::min(number::lerp(heights[0], heights[1], part[0]), number::lerp(heights[0], heights[1], part[1]))
    });
    let on_side = |part: [f32; 2]| {
        let normal = target.facet.normal;
        let mut touch = Touch::along(normal);
        let ends = part.map(|part| number::lerp(heights[0], heights[1], part));
        // Both ends of so short a piece would be one point: the lower.
        let is_short = part[1] - part[0] < 1e-3;
        let is_left_out = [is_short && ends[1] < ends[0], is_short && ends[1] >= ends[0]];
        for end in 0..2 {
            let (height, part) = (ends[end], part[end]);
            let is_end = part == end as f32;
            let feature = if is_end { end as u32 } else { target.feature(end as u32, 3) };
            if height - radius <= margin && !is_left_out[end] {
                touch.push(half * (2.0 * part - 1.0) - normal * radius, height - radius, feature);
            }
        }
        touch
    };
    let (distance, edge, on_edge, on_axis) = nearest_edge(half, target);
    let preference = PREFERENCE * (radius + half.length());
    if let Some(part) = over.filter(|_| least_over <= distance + preference) {
        return on_side(part);
    }
    let is_near = distance <= radius + margin;
    if !is_near {
        return Touch::default();
    }
    let direction = settled(target, (on_axis - on_edge).normal_or(target.facet.normal));
    match (target.facet.lean(direction, &target.outwards), over) {
        (Lean::Own, _) => along_edge(half, radius, target, edge, direction, (distance, on_axis), margin),
        (Lean::Inner, Some(part)) => on_side(part),
        (Lean::Inner, None) | (Lean::Beyond | Lean::Behind, _) => Touch::default(),
    }
}

/// A body with flat sides. If it `is_last`, nothing that is overlapped is left to neighbours.
pub(super) fn solid<const V: usize, const F: usize, const P: usize>(
    solid: &Solid<V, F, P>,
    target: &Target,
    margin: f32,
    is_last: bool,
) -> Touch {
    let none = Touch::default();
    let facet = &target.facet;
    let base = facet.points[0].dot(facet.normal);
    let lowest =
        solid.vertices().iter().fold(f32::INFINITY, |least, vertex| number::min(least, vertex.dot(facet.normal)));
    let is_near = lowest - base <= margin && target.height(solid.middle) >= 0.0;
    if !is_near {
        return none;
    }
    let preference = PREFERENCE * solid.radius;
    let mut best = Axis { separation: lowest - base, way: Way::Facet };
    let (mut beyond, mut inner) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
    let mut most = best.separation;
    let mut consider = |separation: f32, direction: Vec3, way: Way| {
        if separation > number::max(best.separation + preference, beyond) || separation > margin {
            match facet.lean(direction, &target.outwards) {
                Lean::Own if direction.dot(facet.normal) > SETTLED => {}
                Lean::Own if separation > best.separation + preference => best = Axis { separation, way },
                Lean::Beyond => beyond = number::max(beyond, separation),
                Lean::Inner => {
                    inner = number::max(inner, separation);
                    let reach = facet.reach_inner(direction, &target.outwards);
                    beyond = number::max(beyond, separation - reach);
                }
                Lean::Behind => inner = number::max(inner, separation),
                Lean::Own => {}
            }
        }
        most = number::max(most, separation);
        separation <= margin
    };
    for side in 0..solid.sides() {
        let normal = solid.normals[side];
        let plane = normal.dot(solid.vertices[solid.side(side)[0] as usize]);
        let [a, b, c] = facet.points.map(|point| normal.dot(point));
        let separation = number::min(number::min(a, b), c) - plane;
        if !consider(separation, -normal, Way::Side(side)) {
            return none;
        }
    }
    for edge in 0..3 {
        let [from, to] = target.edge(edge);
        let along = to - from;
        for (index, own) in solid.net.edges.iter().enumerate() {
            let (one, other) = (solid.normals[usize::from(own.left)], solid.normals[usize::from(own.right)]);
            let (on_one, on_other) = (one.dot(along), other.dot(along));
            if on_one * on_other >= 0.0 {
                continue;
            }
            // The one direction between both sides of the body's edge that is square to both edges.
            let across = -(one * number::abs(on_other) + other * number::abs(on_one));
            if across.dot(target.outwards[edge]) <= 0.0 {
                continue;
            }
            let direction = across.normal();
            let separation = direction.dot(solid.vertices[usize::from(own.from)] - from);
            if !consider(separation, direction, Way::Edges(edge, index)) {
                return none;
            }
        }
    }
    // If the triangle alone would be left over an edge that cannot be touched, or to the back, only what is right above it counts.
    let is_above = matches!(best.way, Way::Facet) || inner <= best.separation + preference;
    if beyond > best.separation + preference || !is_above {
        let is_left = most <= 0.0;
        if !(is_left && is_last) {
            return Touch { is_left, ..none };
        }
    }
    match best.way {
        Way::Facet => on_facet(solid, target, margin),
        Way::Side(side) => on_side(solid, side, target, margin),
        Way::Edges(edge, index) => on_edges(solid, index, target, edge, best.separation),
    }
}

/// The best way to part two bodies so far.
#[derive(Clone, Copy)]
struct Axis {
    separation: f32,
    way: Way,
}

#[derive(Clone, Copy)]
enum Way {
    Facet,
    Side(usize),
    Edges(usize, usize),
}

/// A polygon that is being cut. Each corner knows the edge that leaves it.
pub(super) struct Polygon<const P: usize> {
    corners: [(Vec3, u8); P],
    count: usize,
}

impl<const P: usize> Polygon<P> {
    pub fn new() -> Polygon<P> {
        Polygon { corners: [(Vec3::ZERO, 0); P], count: 0 }
    }

    #[inline]
    pub fn push(&mut self, place: Vec3, edge: u8) {
        if let Some(corner) = self.corners.get_mut(self.count) {
            *corner = (place, edge);
            self.count += 1;
        }
    }

    /// What is left of it below a plane; the new edge gets a number.
    pub fn cut(&self, normal: Vec3, offset: f32, edge: u8) -> Polygon<P> {
        let mut left = Polygon::new();
        let corners = &self.corners[..self.count];
        let heights = |index: usize| corners[index].0.dot(normal) - offset;
        for (index, &(place, own_edge)) in corners.iter().enumerate() {
            let next = if index + 1 == corners.len() { 0 } else { index + 1 };
            let (height, next_height) = (heights(index), heights(next));
            if height <= 0.0 {
                left.push(place, own_edge);
            }
            if (height <= 0.0) != (next_height <= 0.0) {
                let crossing = place + (corners[next].0 - place) * (height / (height - next_height));
                left.push(crossing, if height <= 0.0 { edge } else { own_edge });
            }
        }
        left
    }

    /// Its corners, each with the edge that arrives and the one that leaves.
    pub fn corners(&self) -> impl Iterator<Item = (Vec3, u32, u32)> + '_ {
        let corners = &self.corners[..self.count];
        let before = corners.iter().cycle().skip(self.count.saturating_sub(1));
        corners.iter().zip(before).map(|(&(place, leaves), &(_, arrives))| (place, arrives.into(), leaves.into()))
    }
}

/// Edges of the triangle are numbered from here in what is cut.
const OF_TRIANGLE: u8 = 128;

/// The side of a body that looks most at the triangle, as far as it lies over it: of the sides at its lowest corner, or of all if those
/// lie elsewhere.
fn on_facet<const V: usize, const F: usize, const P: usize>(
    solid: &Solid<V, F, P>,
    target: &Target,
    margin: f32,
) -> Touch {
    let normal = target.facet.normal;
    let mut lowest = (0, f32::INFINITY);
    for (index, vertex) in (0..).zip(solid.vertices()) {
        let height = vertex.dot(normal);
        if height < lowest.1 {
            lowest = (index, height);
        }
    }
    let facing = |is_meant: &dyn Fn(usize) -> bool| {
        let mut facing = (0, f32::INFINITY);
        for side in (0..solid.sides()).filter(|&side| is_meant(side)) {
            let cosine = solid.normals[side].dot(normal);
            if cosine < facing.1 {
                facing = (side, cosine);
            }
        }
        facing.0
    };
    let at_lowest = facing(&|side| solid.side(side).contains(&lowest.0));
    let touch = side_over_facet(solid, at_lowest, target, margin);
    if !touch.points().is_empty() {
        return touch;
    }
    let of_all = facing(&|_| true);
    if of_all == at_lowest { touch } else { side_over_facet(solid, of_all, target, margin) }
}

fn side_over_facet<const V: usize, const F: usize, const P: usize>(
    solid: &Solid<V, F, P>,
    side: usize,
    target: &Target,
    margin: f32,
) -> Touch {
    let normal = target.facet.normal;
    let corners = solid.side(side);
    let mut polygon = Polygon::<P>::new();
    for (index, &corner) in corners.iter().enumerate() {
        polygon.push(solid.vertices[corner as usize], index as u8);
    }
    let rim = RIM * solid.radius;
    for edge in 0..3 {
        let outward = target.outwards[edge];
        polygon = polygon.cut(outward, outward.dot(target.facet.points[edge]) + rim, OF_TRIANGLE + edge as u8);
    }
    let mut touch = Touch::along(normal);
    for (place, arrives, leaves) in polygon.corners() {
        let separation = target.height(place);
        if separation <= margin {
            let is_corner = arrives < OF_TRIANGLE.into() && leaves < OF_TRIANGLE.into();
            let feature = match is_corner {
                true => corners[leaves as usize].into(),
                false => target.feature((side as u32) << 16 | arrives << 8 | leaves, 0),
            };
            touch.push(place, separation, feature);
        }
    }
    touch
}

/// The triangle, as far as it lies below a side of the body.
fn on_side<const V: usize, const F: usize, const P: usize>(
    solid: &Solid<V, F, P>,
    side: usize,
    target: &Target,
    margin: f32,
) -> Touch {
    let (normal, corners) = (solid.normals[side], solid.side(side));
    let mut polygon = Polygon::<P>::new();
    for (index, &point) in target.facet.points.iter().enumerate() {
        polygon.push(point, OF_TRIANGLE + index as u8);
    }
    let rim = RIM * solid.radius;
    for (index, &corner) in corners.iter().enumerate() {
        let next = corners[if index + 1 == corners.len() { 0 } else { index + 1 }];
        let (from, to) = (solid.vertices[corner as usize], solid.vertices[next as usize]);
        let outward = (to - from).cross(normal).normal();
        polygon = polygon.cut(outward, outward.dot(from) + rim, index as u8);
    }
    let plane = normal.dot(solid.vertices[corners[0] as usize]);
    let mut touch = Touch::along(-normal);
    for (place, arrives, leaves) in polygon.corners() {
        let separation = normal.dot(place) - plane;
        if separation <= margin {
            let feature = target.feature((side as u32) << 16 | arrives << 8 | leaves, 1);
            touch.push(place - normal * separation, separation, feature);
        }
    }
    touch
}

fn on_edges<const V: usize, const F: usize, const P: usize>(
    solid: &Solid<V, F, P>,
    index: usize,
    target: &Target,
    edge: usize,
    separation: f32,
) -> Touch {
    let Edge { from, to, left, right } = solid.net.edges[index];
    let own = target.edge(edge);
    let body = [solid.vertices[usize::from(from)], solid.vertices[usize::from(to)]];
    let along = own[1] - own[0];
    let (one, other) = (solid.normals[usize::from(left)], solid.normals[usize::from(right)]);
    let across = -(one * number::abs(other.dot(along)) + other * number::abs(one.dot(along)));
    let mut touch = Touch::along(across.normal());
    let (_, part) = nearest_parts(own, body);
    let place = body[0] + (body[1] - body[0]) * part;
    touch.push(place, separation, target.feature(index as u32, 2 + (edge as u32 & 1)));
    touch
}

/// The triangle's normal in place of a direction so near to it (a degree) that rounding makes the difference: over an edge between two
/// triangles, both give the same then.
#[inline]
fn settled(target: &Target, direction: Vec3) -> Vec3 {
    if direction.dot(target.facet.normal) > SETTLED { target.facet.normal } else { direction }
}

/// Which part of the piece from `-half` to `half` is over the triangle, from 0 to 1.
fn part_over(half: Vec3, target: &Target) -> Option<[f32; 2]> {
    let (mut begin, mut end) = (0.0, 1.0);
    for edge in 0..3 {
        let (from, to) = (target.out(-half, edge), target.out(half, edge));
        if from > 0.0 && to > 0.0 {
            return None;
        }
        if from > 0.0 {
            begin = number::max(begin, from / (from - to));
        } else if to > 0.0 {
            end = number::min(end, from / (from - to));
        }
    }
    (begin <= end).then_some([begin, end])
}

/// The edge that is nearest to the piece from `-half` to `half`: how far, which, and the nearest points of both.
fn nearest_edge(half: Vec3, target: &Target) -> (f32, usize, Vec3, Vec3) {
    let mut best = (f32::INFINITY, 0, Vec3::ZERO, Vec3::ZERO);
    for index in 0..3 {
        let edge = target.edge(index);
        let (on_edge, on_axis) = nearest_parts(edge, [-half, half]);
        let on_edge = edge[0] + (edge[1] - edge[0]) * on_edge;
        let on_axis = half * (2.0 * on_axis - 1.0);
        let squared = on_edge.distance_squared(on_axis);
        if squared < best.0 {
            best = (squared, index, on_edge, on_axis);
        }
    }
    (number::sqrt(best.0), best.1, best.2, best.3)
}

/// A capsule at an edge: one point, or two if it lies along it.
fn along_edge(
    half: Vec3,
    radius: f32,
    target: &Target,
    edge: usize,
    direction: Vec3,
    (distance, on_axis): (f32, Vec3),
    margin: f32,
) -> Touch {
    let mut touch = Touch::along(direction);
    let [from, to] = target.edge(edge);
    let (along, axis) = ((to - from).normal(), half.normal());
    if along.cross(axis).length_squared() < 0.0025 {
        // Where the edge begins and ends along the axis, from -1 to 1.
        let length = half.length();
        let (one, other) = (from.dot(axis) / length, to.dot(axis) / length);
        let (low, high) = (number::min(one, other), number::max(one, other));
        let ends = [number::clamp(low, -1.0, 1.0), number::clamp(high, -1.0, 1.0)];
        if ends[1] - ends[0] > 0.01 {
            for (index, end) in (0..).zip(ends) {
                let place = half * end;
                let separation = (place - from).dot(direction) - radius;
                if separation <= margin {
                    touch.push(place - direction * radius, separation, index);
                }
            }
            return touch;
        }
    }
    touch.push(on_axis - direction * radius, distance - radius, 0);
    touch
}

/// How far along each of two pieces of lines the points are where they are nearest, from 0 to 1.
pub(super) fn nearest_parts(first: [Vec3; 2], second: [Vec3; 2]) -> (f32, f32) {
    let (along_first, along_second, between) = (first[1] - first[0], second[1] - second[0], first[0] - second[0]);
    let (a, e, f) = (along_first.length_squared(), along_second.length_squared(), along_second.dot(between));
    let unit = |value: f32| number::clamp(value, 0.0, 1.0);
    let divide = |value: f32, by: f32| if by > 0.0 { value / by } else { 0.0 };
    let (b, c) = (along_first.dot(along_second), along_first.dot(between));
    let denominator = a * e - b * b;
    let start = if denominator > 1e-6 * a * e { unit((b * f - c * e) / denominator) } else { 0.0 };
    let other = divide(b * start + f, e);
    let limited = unit(other);
    let start = if limited == other { start } else { unit(divide(b * limited - c, a)) };
    (start, limited)
}
