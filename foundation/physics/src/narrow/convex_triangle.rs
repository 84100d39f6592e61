//! A convex body against one triangle of a surface: SAT, with normals filtered by adjacency so that internal edges are not felt.
//!
//! Everything is in the axes of the surface, relative to the body's position.
//!
//! Laws
//! 1. A body whose center is behind a triangle does not touch it.
//! 2. The contact normal lies in the triangle's own region (see [`SurfaceTriangle::classify_normal`]): its face normal, or one
//!    over an exposed edge. If the body would leave by a shorter path over a neighbour, even past neighbours beyond flat edges,
//!    the contact is deferred to that neighbour.
//! 3. Separations are reported up to the margin.

use base::{Vec3, number};

use super::polytope::Polytope;
use super::{CLIP_TOLERANCE, FACE_PREFERENCE};
use crate::hull::HullEdge;
use crate::manifold::ManifoldPoint;
use crate::surface::{NormalRegion, SurfaceTriangle, closest_point_on_triangle};

/// Most points of a triangle contact.
const CONTACT_POINTS_MAX: usize = 12;

/// Normals with at least this cosine to the triangle's normal (one degree) are snapped to it.
const SNAP_COSINE: f32 = 0.9998;

/// A contact with one triangle: a normal from the triangle to the body, and points.
#[derive(Clone, Copy, Default)]
pub(super) struct TriangleContact {
    pub normal: Vec3,
    points: [ManifoldPoint; CONTACT_POINTS_MAX],
    count: usize,
    /// Whether the body overlaps the triangle but the contact belongs to a neighbour.
    pub is_deferred: bool,
}

/// A triangle with its edge normals.
pub(super) struct TargetTriangle {
    pub triangle: SurfaceTriangle,
    pub edge_normals: [Vec3; 3],
    /// Its index, which is mixed into the features of points on its edges.
    pub number: u32,
}

impl TriangleContact {
    /// Its points.
    #[inline]
    pub fn points(&self) -> &[ManifoldPoint] {
        &self.points[..self.count]
    }

    /// Adds a point; `position` is on the body.
    #[inline]
    pub fn push(&mut self, position: Vec3, separation: f32, feature: u32) {
        if let Some(point) = self.points.get_mut(self.count) {
            *point = ManifoldPoint { anchor: position - self.normal * (separation * 0.5), separation, feature };
            self.count += 1;
        }
    }

    #[inline]
    pub fn along(normal: Vec3) -> TriangleContact {
        TriangleContact { normal, ..TriangleContact::default() }
    }
}

impl TargetTriangle {
    /// With its edge normals.
    #[inline]
    pub fn new(triangle: SurfaceTriangle, number: u32) -> TargetTriangle {
        let edge_normals = [triangle.edge_normal(0), triangle.edge_normal(1), triangle.edge_normal(2)];
        TargetTriangle { triangle, edge_normals, number }
    }

    /// The signed distance of a point to the plane.
    #[inline]
    pub fn height(&self, point: Vec3) -> f32 {
        (point - self.triangle.vertices[0]).dot(self.triangle.normal)
    }

    /// The signed distance of a point to an edge's plane, positive outside.
    #[inline]
    pub fn out(&self, point: Vec3, edge: usize) -> f32 {
        (point - self.triangle.vertices[edge]).dot(self.edge_normals[edge])
    }

    /// Both ends of an edge.
    #[inline]
    pub fn edge(&self, edge: usize) -> [Vec3; 2] {
        [self.triangle.vertices[edge], self.triangle.vertices[(edge + 1) % 3]]
    }

    /// A feature id for this triangle; the top bit distinguishes it from those of body vertices.
    #[inline]
    pub fn feature(&self, body: u32, own: u32) -> u32 {
        0x8000_0000 | self.number.wrapping_mul(0x9e37_79b1) ^ (body << 2 | own)
    }
}

/// A sphere at the origin.
pub(super) fn sphere(radius: f32, target: &TargetTriangle, margin: f32) -> TriangleContact {
    let height = target.height(Vec3::ZERO);
    let is_near = height >= 0.0 && height <= radius + margin;
    if !is_near {
        return TriangleContact::default();
    }
    let normal = target.triangle.normal;
    if (0..3).all(|edge| target.out(Vec3::ZERO, edge) <= 0.0) {
        let mut contact = TriangleContact::along(normal);
        contact.push(normal * -radius, height - radius, 0);
        return contact;
    }
    let closest = closest_point_on_triangle(&target.triangle.vertices, Vec3::ZERO);
    let squared = closest.length_squared();
    let distance_max = radius + margin;
    let is_near = squared <= distance_max * distance_max;
    if !is_near {
        return TriangleContact::default();
    }
    let distance = number::sqrt(squared);
    let direction = snapped_normal(target, (-closest).normal_or(normal));
    if target.triangle.classify_normal(direction, &target.edge_normals) != NormalRegion::Own {
        return TriangleContact::default();
    }
    let mut contact = TriangleContact::along(direction);
    contact.push(direction * -radius, distance - radius, 0);
    contact
}

/// A capsule whose core goes from `-half` to `half`.
pub(super) fn capsule(half: Vec3, radius: f32, target: &TargetTriangle, margin: f32) -> TriangleContact {
    let heights = [target.height(-half), target.height(half)];
    let min_height = number::min(heights[0], heights[1]);
    let is_near = heights[0] + heights[1] >= 0.0 && min_height <= radius + margin;
    if !is_near {
        return TriangleContact::default();
    }
    let over = fraction_over(half, target);
    let least_over = over.map_or(f32::INFINITY, |part| {
        number::min(number::lerp(heights[0], heights[1], part[0]), number::lerp(heights[0], heights[1], part[1]))
    });
    let body_face_contact = |part: [f32; 2]| {
        let normal = target.triangle.normal;
        let mut contact = TriangleContact::along(normal);
        let ends = part.map(|part| number::lerp(heights[0], heights[1], part));
        // Both ends of so short an interval would be one point: the lower.
        let is_short = part[1] - part[0] < 1e-3;
        let is_left_out = [is_short && ends[1] < ends[0], is_short && ends[1] >= ends[0]];
        for end in 0..2 {
            let (height, part) = (ends[end], part[end]);
            let is_end = part == end as f32;
            let feature = if is_end { end as u32 } else { target.feature(end as u32, 3) };
            if height - radius <= margin && !is_left_out[end] {
                contact.push(half * (2.0 * part - 1.0) - normal * radius, height - radius, feature);
            }
        }
        contact
    };
    let closest = closest_edge(half, target);
    let preference = FACE_PREFERENCE * (radius + half.length());
    if let Some(part) = over.filter(|_| least_over <= closest.distance + preference) {
        return body_face_contact(part);
    }
    let is_near = closest.distance <= radius + margin;
    if !is_near {
        return TriangleContact::default();
    }
    let direction = snapped_normal(target, (closest.on_core - closest.on_edge).normal_or(target.triangle.normal));
    match (target.triangle.classify_normal(direction, &target.edge_normals), over) {
        (NormalRegion::Own, _) => edge_capsule_contact(half, radius, target, &closest, direction, margin),
        (NormalRegion::InternalEdge, Some(part)) => body_face_contact(part),
        (NormalRegion::InternalEdge, None) | (NormalRegion::Neighbour | NormalRegion::Behind, _) => {
            TriangleContact::default()
        }
    }
}

/// A box or hull. In the final pass no overlap is deferred to neighbours.
pub(super) fn polytope<const V: usize, const F: usize, const P: usize>(
    polytope: &Polytope<V, F, P>,
    target: &TargetTriangle,
    margin: f32,
    is_final: bool,
) -> TriangleContact {
    let none = TriangleContact::default();
    let triangle = &target.triangle;
    let plane_offset = triangle.vertices[0].dot(triangle.normal);
    let min_height = polytope
        .vertices()
        .iter()
        .fold(f32::INFINITY, |lowest, vertex| number::min(lowest, vertex.dot(triangle.normal)));
    let is_near = min_height - plane_offset <= margin && target.height(polytope.center) >= 0.0;
    if !is_near {
        return none;
    }
    let preference = FACE_PREFERENCE * polytope.bounding_radius;
    let mut best = SeparatingAxis { separation: min_height - plane_offset, kind: AxisKind::SurfaceTriangle };
    let (mut neighbour_max, mut internal_max) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
    let mut separation_max = best.separation;
    let mut consider = |separation: f32, direction: Vec3, kind: AxisKind| {
        if separation > number::max(best.separation + preference, neighbour_max) || separation > margin {
            match triangle.classify_normal(direction, &target.edge_normals) {
                NormalRegion::Own if direction.dot(triangle.normal) > SNAP_COSINE => {}
                NormalRegion::Own if separation > best.separation + preference => {
                    best = SeparatingAxis { separation, kind }
                }
                NormalRegion::Neighbour => neighbour_max = number::max(neighbour_max, separation),
                NormalRegion::InternalEdge => {
                    internal_max = number::max(internal_max, separation);
                    let distance_max = triangle.extent_past_internal_edges(direction, &target.edge_normals);
                    neighbour_max = number::max(neighbour_max, separation - distance_max);
                }
                NormalRegion::Behind => internal_max = number::max(internal_max, separation),
                NormalRegion::Own => {}
            }
        }
        separation_max = number::max(separation_max, separation);
        separation <= margin
    };
    for face in 0..polytope.face_count() {
        let normal = polytope.normals[face];
        let plane = normal.dot(polytope.vertices[polytope.face(face)[0] as usize]);
        let [a, b, c] = triangle.vertices.map(|point| normal.dot(point));
        let separation = number::min(number::min(a, b), c) - plane;
        if !consider(separation, -normal, AxisKind::BodyFace(face)) {
            return none;
        }
    }
    for edge in 0..3 {
        let [from, to] = target.edge(edge);
        let along = to - from;
        for (index, own) in polytope.topology.edges.iter().enumerate() {
            let (one, other) = (polytope.normals[usize::from(own.left)], polytope.normals[usize::from(own.right)]);
            let (on_one, on_other) = (one.dot(along), other.dot(along));
            if on_one * on_other >= 0.0 {
                continue;
            }
            // The direction between the normals of the body's edge that is perpendicular to both edges.
            let across = -(one * number::abs(on_other) + other * number::abs(on_one));
            if across.dot(target.edge_normals[edge]) <= 0.0 {
                continue;
            }
            let direction = across.normal();
            let separation = direction.dot(polytope.vertices[usize::from(own.from)] - from);
            if !consider(separation, direction, AxisKind::EdgePair(edge, index)) {
                return none;
            }
        }
    }
    // If the triangle's best axes lean over internal edges or behind it, only a body right above it counts.
    let is_above = matches!(best.kind, AxisKind::SurfaceTriangle) || internal_max <= best.separation + preference;
    if neighbour_max > best.separation + preference || !is_above {
        let is_deferred = separation_max <= 0.0;
        if !(is_deferred && is_final) {
            return TriangleContact { is_deferred, ..none };
        }
    }
    match best.kind {
        AxisKind::SurfaceTriangle => triangle_face_contact(polytope, target, margin),
        AxisKind::BodyFace(face) => body_face_contact(polytope, face, target, margin),
        AxisKind::EdgePair(edge, index) => edge_contact(polytope, index, target, edge, best.separation),
    }
}

/// The best separating axis so far.
#[derive(Clone, Copy)]
struct SeparatingAxis {
    separation: f32,
    kind: AxisKind,
}

#[derive(Clone, Copy)]
enum AxisKind {
    SurfaceTriangle,
    BodyFace(usize),
    EdgePair(usize, usize),
}

/// A polygon being clipped. Each vertex stores the edge that leaves it.
pub(super) struct TriangleClip<const P: usize> {
    vertices: [(Vec3, u8); P],
    count: usize,
}

impl<const P: usize> TriangleClip<P> {
    pub fn new() -> TriangleClip<P> {
        TriangleClip { vertices: [(Vec3::ZERO, 0); P], count: 0 }
    }

    #[inline]
    pub fn push(&mut self, position: Vec3, edge: u8) {
        if let Some(vertex) = self.vertices.get_mut(self.count) {
            *vertex = (position, edge);
            self.count += 1;
        }
    }

    /// Clips to below a plane; the new edge gets an id.
    pub fn clip(&self, normal: Vec3, offset: f32, edge: u8) -> TriangleClip<P> {
        let mut remaining = TriangleClip::new();
        let vertices = &self.vertices[..self.count];
        let heights = |index: usize| vertices[index].0.dot(normal) - offset;
        for (index, &(position, own_edge)) in vertices.iter().enumerate() {
            let next = if index + 1 == vertices.len() { 0 } else { index + 1 };
            let (height, next_height) = (heights(index), heights(next));
            if height <= 0.0 {
                remaining.push(position, own_edge);
            }
            if (height <= 0.0) != (next_height <= 0.0) {
                let crossing = position + (vertices[next].0 - position) * (height / (height - next_height));
                remaining.push(crossing, if height <= 0.0 { edge } else { own_edge });
            }
        }
        remaining
    }

    /// The vertices, each with the ids of the edges that arrive and leave.
    pub fn vertices(&self) -> impl Iterator<Item = (Vec3, u32, u32)> + '_ {
        let vertices = &self.vertices[..self.count];
        let before = vertices.iter().cycle().skip(self.count.saturating_sub(1));
        vertices
            .iter()
            .zip(before)
            .map(|(&(position, leaves), &(_, arrives))| (position, arrives.into(), leaves.into()))
    }
}

/// Ids of the triangle's edges start here.
const TRIANGLE_EDGE_BASE: u8 = 128;

/// The body face most opposed to the triangle, clipped to it: of the faces at the lowest vertex, or of all if those do not
/// overlap the triangle.
fn triangle_face_contact<const V: usize, const F: usize, const P: usize>(
    polytope: &Polytope<V, F, P>,
    target: &TargetTriangle,
    margin: f32,
) -> TriangleContact {
    let normal = target.triangle.normal;
    let mut min_height = (0, f32::INFINITY);
    for (index, vertex) in (0..).zip(polytope.vertices()) {
        let height = vertex.dot(normal);
        if height < min_height.1 {
            min_height = (index, height);
        }
    }
    let facing = |accepts: &dyn Fn(usize) -> bool| {
        let mut facing = (0, f32::INFINITY);
        for face in (0..polytope.face_count()).filter(|&face| accepts(face)) {
            let cosine = polytope.normals[face].dot(normal);
            if cosine < facing.1 {
                facing = (face, cosine);
            }
        }
        facing.0
    };
    let at_lowest = facing(&|face| polytope.face(face).contains(&min_height.0));
    let contact = body_face_over_triangle(polytope, at_lowest, target, margin);
    if !contact.points().is_empty() {
        return contact;
    }
    let of_all = facing(&|_| true);
    if of_all == at_lowest { contact } else { body_face_over_triangle(polytope, of_all, target, margin) }
}

fn body_face_over_triangle<const V: usize, const F: usize, const P: usize>(
    polytope: &Polytope<V, F, P>,
    face: usize,
    target: &TargetTriangle,
    margin: f32,
) -> TriangleContact {
    let normal = target.triangle.normal;
    let vertices = polytope.face(face);
    let mut polygon = TriangleClip::<P>::new();
    for (index, &vertex) in vertices.iter().enumerate() {
        polygon.push(polytope.vertices[vertex as usize], index as u8);
    }
    let tolerance = CLIP_TOLERANCE * polytope.bounding_radius;
    for edge in 0..3 {
        let outward = target.edge_normals[edge];
        polygon = polygon.clip(
            outward,
            outward.dot(target.triangle.vertices[edge]) + tolerance,
            TRIANGLE_EDGE_BASE + edge as u8,
        );
    }
    let mut contact = TriangleContact::along(normal);
    for (position, arrives, leaves) in polygon.vertices() {
        let separation = target.height(position);
        if separation <= margin {
            let is_corner = arrives < TRIANGLE_EDGE_BASE.into() && leaves < TRIANGLE_EDGE_BASE.into();
            let feature = match is_corner {
                true => vertices[leaves as usize].into(),
                false => target.feature((face as u32) << 16 | arrives << 8 | leaves, 0),
            };
            contact.push(position, separation, feature);
        }
    }
    contact
}

/// The triangle, clipped to a face of the body.
fn body_face_contact<const V: usize, const F: usize, const P: usize>(
    polytope: &Polytope<V, F, P>,
    face: usize,
    target: &TargetTriangle,
    margin: f32,
) -> TriangleContact {
    let (normal, vertices) = (polytope.normals[face], polytope.face(face));
    let mut polygon = TriangleClip::<P>::new();
    for (index, &point) in target.triangle.vertices.iter().enumerate() {
        polygon.push(point, TRIANGLE_EDGE_BASE + index as u8);
    }
    let tolerance = CLIP_TOLERANCE * polytope.bounding_radius;
    for (index, &vertex) in vertices.iter().enumerate() {
        let next = vertices[if index + 1 == vertices.len() { 0 } else { index + 1 }];
        let (from, to) = (polytope.vertices[vertex as usize], polytope.vertices[next as usize]);
        let outward = (to - from).cross(normal).normal();
        polygon = polygon.clip(outward, outward.dot(from) + tolerance, index as u8);
    }
    let plane = normal.dot(polytope.vertices[vertices[0] as usize]);
    let mut contact = TriangleContact::along(-normal);
    for (position, arrives, leaves) in polygon.vertices() {
        let separation = normal.dot(position) - plane;
        if separation <= margin {
            let feature = target.feature((face as u32) << 16 | arrives << 8 | leaves, 1);
            contact.push(position - normal * separation, separation, feature);
        }
    }
    contact
}

fn edge_contact<const V: usize, const F: usize, const P: usize>(
    polytope: &Polytope<V, F, P>,
    index: usize,
    target: &TargetTriangle,
    edge: usize,
    separation: f32,
) -> TriangleContact {
    let HullEdge { from, to, left, right } = polytope.topology.edges[index];
    let own = target.edge(edge);
    let body = [polytope.vertices[usize::from(from)], polytope.vertices[usize::from(to)]];
    let along = own[1] - own[0];
    let (one, other) = (polytope.normals[usize::from(left)], polytope.normals[usize::from(right)]);
    let across = -(one * number::abs(other.dot(along)) + other * number::abs(one.dot(along)));
    let mut contact = TriangleContact::along(across.normal());
    let (_, part) = closest_on_segments(own, body);
    let position = body[0] + (body[1] - body[0]) * part;
    contact.push(position, separation, target.feature(index as u32, 2 + (edge as u32 & 1)));
    contact
}

/// The triangle's normal in place of one within a degree, so that two triangles agree about a normal over their shared edge.
#[inline]
fn snapped_normal(target: &TargetTriangle, direction: Vec3) -> Vec3 {
    if direction.dot(target.triangle.normal) > SNAP_COSINE { target.triangle.normal } else { direction }
}

/// The interval of the segment from `-half` to `half` that projects onto the triangle, from 0 to 1.
fn fraction_over(half: Vec3, target: &TargetTriangle) -> Option<[f32; 2]> {
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

/// The edge of a triangle closest to a core, and the closest points of both.
#[derive(Clone, Copy)]
struct ClosestEdge {
    distance: f32,
    edge: usize,
    on_edge: Vec3,
    on_core: Vec3,
}

/// The edge closest to the segment from `-half` to `half`.
fn closest_edge(half: Vec3, target: &TargetTriangle) -> ClosestEdge {
    let mut best = ClosestEdge { distance: f32::INFINITY, edge: 0, on_edge: Vec3::ZERO, on_core: Vec3::ZERO };
    for index in 0..3 {
        let edge = target.edge(index);
        let (on_edge, on_core) = closest_on_segments(edge, [-half, half]);
        let on_edge = edge[0] + (edge[1] - edge[0]) * on_edge;
        let on_core = half * (2.0 * on_core - 1.0);
        let squared = on_edge.distance_squared(on_core);
        if squared < best.distance {
            best = ClosestEdge { distance: squared, edge: index, on_edge, on_core };
        }
    }
    ClosestEdge { distance: number::sqrt(best.distance), ..best }
}

/// A capsule at an edge: one point, or two if they are parallel.
fn edge_capsule_contact(
    half: Vec3,
    radius: f32,
    target: &TargetTriangle,
    closest: &ClosestEdge,
    direction: Vec3,
    margin: f32,
) -> TriangleContact {
    let mut contact = TriangleContact::along(direction);
    let [from, to] = target.edge(closest.edge);
    let (along, axis) = ((to - from).normal(), half.normal());
    if along.cross(axis).length_squared() < 0.0025 {
        // Where the edge begins and ends along the core, from -1 to 1.
        let length = half.length();
        let (one, other) = (from.dot(axis) / length, to.dot(axis) / length);
        let (low, high) = (number::min(one, other), number::max(one, other));
        let ends = [number::clamp(low, -1.0, 1.0), number::clamp(high, -1.0, 1.0)];
        if ends[1] - ends[0] > 0.01 {
            for (index, end) in (0..).zip(ends) {
                let position = half * end;
                let separation = (position - from).dot(direction) - radius;
                if separation <= margin {
                    contact.push(position - direction * radius, separation, index);
                }
            }
            return contact;
        }
    }
    contact.push(closest.on_core - direction * radius, closest.distance - radius, 0);
    contact
}

/// The parameters of the closest points of two segments, from 0 to 1 (Ericson 2005, 5.1.9).
pub(super) fn closest_on_segments(first: [Vec3; 2], second: [Vec3; 2]) -> (f32, f32) {
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
