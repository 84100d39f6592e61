//! Bodies with flat sides against each other: every side of each, every pair of edges that can touch.
//!
//! Two such bodies are apart along the normal of a side, or across an edge of each. Which edges can touch is told by their sides'
//! normals: seen as arcs on a sphere, those of the one must cross the opposites of those of the other.
//!
//! Most pairs of edges need not be looked at. From a point that is inside both bodies, the plane across two edges is at least as
//! far as the nearer one of the planes of the sides of each, and the depth is the sum of both ways.

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
/// Enough for most.
const CORNERS_FEW: usize = 16;

/// More edges than a body of so many corners and sides has.
const EDGES_MAX: usize = HULL_VERTICES_MAX + HULL_FACES_MAX;

/// How many edges are looked at at once. They never mix, so it does not show in what is found.
const LANES: usize = 8;

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
    let on_side = match by_second {
        true => turned_around(on_side(b, a, side, 1, margin)),
        false => on_side(a, b, side, 0, margin),
    };
    let inside = if on_side.count > 0 { inside_both(on_side.points()) } else { middle([a, b], side, by_second) };
    let edges = best_edges(a, b, inside, side.apart + preference, margin, &faces_front);
    let found = match &edges {
        Some(edges) if edges.apart > margin => return Manifold::default(),
        Some(edges) => across_edges(a, b, edges),
        None => on_side,
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

/// Half-way between a side and the corner of the other body that is deepest below it.
fn middle([a, b]: [&Facets; 2], side: &Side, by_second: bool) -> Vec3 {
    let (body, other) = if by_second { (b, a) } else { (a, b) };
    let plane = &body.planes[side.face];
    let mut best = (f32::INFINITY, Vec3::ZERO);
    for &vertex in other.vertices {
        let along = plane.normal.dot(vertex);
        if along < best.0 {
            best = (along, vertex);
        }
    }
    best.1 - plane.normal * (side.apart * 0.5)
}

/// Where the bodies are deepest in each other, a little towards the middle of where they touch: so it is inside both.
fn inside_both(points: &[ManifoldPoint]) -> Vec3 {
    let Some(&first) = points.first() else { return Vec3::ZERO };
    let deepest =
        points.iter().fold(first, |best, &point| if point.separation < best.separation { point } else { best });
    let sum = points.iter().fold(Vec3::ZERO, |sum, point| sum + point.place);
    deepest.place.lerp(sum * (1.0 / points.len() as f32), 0.02)
}

/// The pair of edges across which the bodies are farthest apart, if that is more than `least`; any that is farther apart than
/// the margin, if there is one.
///
/// `inside` is a point within both, or about where they are nearest; only the cost depends on it.
fn best_edges(
    a: &Facets,
    b: &Facets,
    inside: Vec3,
    least: f32,
    margin: f32,
    may_be: &dyn Fn(Vec3) -> bool,
) -> Option<Edges> {
    // The one with more edges is looked at many at once.
    if b.edges.len() < a.edges.len() {
        let turned = best_edges(b, a, inside, least, margin, &|normal| may_be(-normal))?;
        let [second, first] = turned.numbers;
        return Some(Edges { numbers: [first, second], normal: -turned.normal, ..turned });
    }
    let ways = [&Ways::new(a, inside), &Ways::new(b, inside)];
    if b.edges.len() <= 2 * LANES {
        best_of_ways::<2>(a, b, ways, least, margin, may_be)
    } else {
        best_of_ways::<{ EDGES_MAX / LANES }>(a, b, ways, least, margin, may_be)
    }
}

fn best_of_ways<const BLOCKS: usize>(
    a: &Facets,
    b: &Facets,
    [ways_a, ways_b]: [&Ways; 2],
    least: f32,
    margin: f32,
    may_be: &dyn Fn(Vec3) -> bool,
) -> Option<Edges> {
    let arcs = Arcs::<BLOCKS>::new(b, ways_b, slightly_more(-least - ways_a.shortest));
    let mut best: Option<Edges> = None;
    let mut least = least;
    for (number_a, first) in a.edges.iter().enumerate() {
        // What is left of the depth for the second; a little more, so that rounding decides nothing.
        let room = slightly_more(-least - ways_a.ways[number_a]);
        if ways_b.shortest > room {
            continue;
        }
        let arc = Arc::new(a, first);
        for (block, numbers) in arcs.blocks[..arcs.count.div_ceil(LANES)].iter().zip(&arcs.numbers) {
            let mut crossing = block.crossing(&arc, room);
            // Each bit is taken once.
            while crossing != 0 {
                let number_b = usize::from(numbers[crossing.trailing_zeros() as usize]);
                crossing &= crossing - 1;
                let Some((normal, apart)) = arc.across(&Arc::new(b, &b.edges[number_b])) else { continue };
                // What is apart is so in whichever direction.
                let edges = Edges { numbers: [number_a, number_b], normal, apart };
                if apart > margin {
                    return Some(edges);
                }
                if apart > least && may_be(normal) {
                    least = apart;
                    best = Some(edges);
                }
            }
        }
    }
    best
}

#[inline]
fn slightly_more(length: f32) -> f32 {
    length + 1e-4 * length.abs()
}

/// For each edge of a body, how far any plane through it that leaves the body on one side is from a point, at least.
struct Ways {
    ways: [f32; EDGES_MAX],
    shortest: f32,
}

impl Ways {
    fn new(body: &Facets, point: Vec3) -> Ways {
        let mut heights = [0.0; HULL_FACES_MAX];
        for (height, plane) in heights.iter_mut().zip(body.planes) {
            *height = -plane.height(point);
        }
        let mut ways = Ways { ways: [0.0; EDGES_MAX], shortest: f32::INFINITY };
        for (way, edge) in ways.ways.iter_mut().zip(body.edges) {
            let nearer = number::min(heights[usize::from(edge.left)], heights[usize::from(edge.right)]);
            // A point outside may be as far beyond such a plane as it is from the edge.
            *way = if nearer >= 0.0 { nearer } else { -body.vertex(edge.from).distance(point) };
            ways.shortest = number::min(ways.shortest, *way);
        }
        ways
    }
}

/// An edge, and the normals of its two sides.
struct Arc {
    from: Vec3,
    along: Vec3,
    left: Vec3,
    right: Vec3,
}

impl Arc {
    #[inline]
    fn new(body: &Facets, edge: &Edge) -> Arc {
        let normal = |side: u8| body.planes[usize::from(side)].normal;
        let from = body.vertex(edge.from);
        Arc { from, along: body.vertex(edge.to) - from, left: normal(edge.left), right: normal(edge.right) }
    }

    /// The direction from this edge to one that it crosses, and how far they are apart; none if they are parallel.
    #[inline]
    fn across(&self, other: &Arc) -> Option<(Vec3, f32)> {
        let across = self.along.cross(other.along);
        let squared = across.length_squared();
        if squared <= PARALLEL * self.along.length_squared() * other.along.length_squared() {
            return None;
        }
        let across = if self.left.dot(other.along) > 0.0 { across } else { -across };
        let normal = across * (1.0 / number::sqrt(squared));
        Some((normal, normal.dot(other.from - self.from)))
    }
}

/// Those edges of a body that can matter, side by side, so that many are looked at at once.
struct Arcs<const BLOCKS: usize> {
    blocks: [Block; BLOCKS],
    numbers: [[u8; LANES]; BLOCKS],
    count: usize,
}

/// Several arcs: each array has one number of all of them. A way that is endless means that there is none.
#[derive(Clone, Copy)]
struct Block {
    along: [[f32; LANES]; 3],
    left: [[f32; LANES]; 3],
    right: [[f32; LANES]; 3],
    ways: [f32; LANES],
}

impl<const BLOCKS: usize> Arcs<BLOCKS> {
    fn new(body: &Facets, ways: &Ways, room: f32) -> Arcs<BLOCKS> {
        let mut arcs = Arcs { blocks: [Block::EMPTY; BLOCKS], numbers: [[0; LANES]; BLOCKS], count: 0 };
        for (number, (edge, &way)) in body.edges.iter().zip(&ways.ways).enumerate() {
            if way > room || arcs.count == BLOCKS * LANES {
                continue;
            }
            let (block, lane) = (&mut arcs.blocks[arcs.count / LANES], arcs.count % LANES);
            let arc = Arc::new(body, edge);
            for (to, from) in
                [(&mut block.along, arc.along), (&mut block.left, arc.left), (&mut block.right, arc.right)]
            {
                (to[0][lane], to[1][lane], to[2][lane]) = (from.x, from.y, from.z);
            }
            block.ways[lane] = way;
            arcs.numbers[arcs.count / LANES][lane] = number as u8;
            arcs.count += 1;
        }
        arcs
    }
}

impl Block {
    const EMPTY: Block = Block {
        along: [[0.0; LANES]; 3],
        left: [[0.0; LANES]; 3],
        right: [[0.0; LANES]; 3],
        ways: [f32::INFINITY; LANES],
    };

    /// Which of them, as bits, are within `room` and have opposites that the arc of another edge crosses.
    #[inline]
    fn crossing(&self, arc: &Arc, room: f32) -> u32 {
        let mut bits = [0_u32; LANES];
        for (lane, bit) in bits.iter_mut().enumerate() {
            let dot = |parts: &[[f32; LANES]; 3], with: Vec3| {
                parts[0][lane] * with.x + parts[1][lane] * with.y + parts[2][lane] * with.z
            };
            let (left, right) = (dot(&self.along, arc.left), dot(&self.along, arc.right));
            let (other_left, other_right) = (dot(&self.left, arc.along), dot(&self.right, arc.along));
            let apart = (left * right < 0.0) & (other_left * other_right < 0.0);
            *bit = u32::from(apart & (other_left * right < 0.0) & (self.ways[lane] <= room)) << lane;
        }
        bits.iter().fold(0, |all, bit| all | bit)
    }
}

/// Cuts the side of `b` that is opposite to one of `a` to its size. Which of both is the first of the pair, `reference` tells.
fn on_side(a: &Facets, b: &Facets, side: &Side, reference: u32, margin: f32) -> Manifold {
    let opposite = opposite(b, &a.planes[side.face], side.apart + PREFERENCE * number::min(a.size, b.size));
    // Room for a hundred corners costs time to make, and is seldom needed.
    if a.around(side.face).len() + b.around(opposite).len() <= CORNERS_FEW {
        cut_to_side::<CORNERS_FEW>(a, b, side, opposite, reference, margin)
    } else {
        cut_to_side::<CORNERS_MAX>(a, b, side, opposite, reference, margin)
    }
}

fn cut_to_side<const ROOM: usize>(
    a: &Facets,
    b: &Facets,
    side: &Side,
    opposite: usize,
    reference: u32,
    margin: f32,
) -> Manifold {
    let plane = &a.planes[side.face];
    let mut buffers = [Polygon::<ROOM>::EMPTY, Polygon::<ROOM>::EMPTY];
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
    let mut points = [Over::default(); ROOM];
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

struct Polygon<const ROOM: usize> {
    corners: [Corner; ROOM],
    count: usize,
}

impl<const ROOM: usize> Polygon<ROOM> {
    const EMPTY: Polygon<ROOM> =
        Polygon { corners: [Corner { place: Vec3::ZERO, begins: 0, ends: 0 }; ROOM], count: 0 };

    /// Cuts off what is above a plane.
    fn cut(&mut self, plane: &Plane, edge: u8, spare: &mut Polygon<ROOM>) {
        let mut heights = [0.0; ROOM];
        let mut above = false;
        for (height, corner) in heights.iter_mut().zip(&self.corners[..self.count]) {
            *height = plane.height(corner.place);
            above |= *height > 0.0;
        }
        let Some(last) = self.count.checked_sub(1).filter(|_| above) else { return };
        spare.count = 0;
        let (mut corner, mut height) = (self.corners[last], heights[last]);
        for (&next, &height_next) in self.corners[..self.count].iter().zip(&heights) {
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
        self.count = spare.count;
        self.corners[..spare.count].copy_from_slice(&spare.corners[..spare.count]);
    }

    /// A cut of a convex polygon adds one corner at most; what rounding would add beyond is left out.
    fn push(&mut self, corner: Corner) {
        if let Some(place) = self.corners.get_mut(self.count) {
            *place = corner;
            self.count += 1;
        }
    }
}
