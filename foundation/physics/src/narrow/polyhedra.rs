//! Convex polyhedra against each other: the separating axis test over face normals and edge pairs with Gauss map pruning
//! (Gregorius 2013), then clipping (Sutherland and Hodgman 1974).
//!
//! A pair of edges is a face of the Minkowski difference only if their arcs on the Gauss map, one of them negated, intersect.
//! Most pairs need no test at all: from a point inside both bodies, the supporting plane of an edge pair is at least as far as
//! the nearer face plane of each edge, and the penetration is the sum of both distances.

use base::{Vec3, number};

use super::polyhedron::Polyhedron;
use super::reduction::{ClipPoint, reduce_to_four};
use super::{CLIP_TOLERANCE, FACE_PREFERENCE, feature, single_point};
use crate::distance::{Convex, distance};
use crate::hull::{HullEdge, Plane};
use crate::limits::{HULL_FACES_MAX, HULL_VERTICES_MAX};
use crate::manifold::{Manifold, ManifoldPoint};
use crate::pose::Pose;

/// Edges with a smaller squared sine are parallel: the face axes cover them.
const PARALLEL_SINE_SQUARED: f32 = 1e-6;

/// Most vertices of a clipped face: its own and one more per clip plane.
const CLIP_VERTICES_MAX: usize = HULL_VERTICES_MAX * 2;
/// Enough for most faces.
const CLIP_VERTICES_FEW: usize = 16;

/// More edges than a polyhedron within the limits has.
const EDGES_MAX: usize = HULL_VERTICES_MAX + HULL_FACES_MAX;

/// Edges tested at once. Lanes never mix, so the result does not depend on their number.
const LANES: usize = 8;

/// The manifold of two polyhedra, all in one frame.
///
/// With a `front`, the second is a triangle that can only be touched against that direction.
pub(super) fn collide(a: &Polyhedron, b: &Polyhedron, margin: f32, front: Option<Vec3>) -> Manifold {
    let faces_front = |normal: Vec3| front.is_none_or(|front| normal.dot(front) < 0.0);
    let Some(face_a) = best_face(a, b, margin, faces_front) else { return Manifold::default() };
    let Some(face_b) = best_face(b, a, margin, |_| true) else { return Manifold::default() };
    let preference = FACE_PREFERENCE * number::min(a.thickness, b.thickness);
    let second_is_reference = face_b.separation > face_a.separation + preference;
    let face_axis = if second_is_reference { &face_b } else { &face_a };
    let clip_face = match second_is_reference {
        true => negated(clip_face(b, a, face_axis, 1, margin)),
        false => clip_face(a, b, face_axis, 0, margin),
    };
    let inside = if clip_face.count > 0 {
        point_inside_both(clip_face.points())
    } else {
        midpoint([a, b], face_axis, second_is_reference)
    };
    let edges = best_edge_pair(a, b, inside, face_axis.separation + preference, margin, &faces_front);
    let found = match &edges {
        Some(edges) if edges.separation > margin => return Manifold::default(),
        Some(edges) => edge_contact(a, b, edges),
        None => clip_face,
    };
    if found.count > 0 {
        return found;
    }
    if face_axis.separation > 0.0 || edges.is_some() {
        return closest(a, b, margin, front);
    }
    // They overlap, but nothing is left after clipping: the deepest vertex is the contact.
    if second_is_reference { negated(deepest_vertex(b, a, face_axis, 1)) } else { deepest_vertex(a, b, face_axis, 0) }
}

/// A face and the separation of the other polyhedron from it.
struct FaceAxis {
    face: usize,
    separation: f32,
}

/// An edge of each, the normal from the first to the second, and the separation along it.
struct EdgeAxis {
    edges: [usize; 2],
    normal: Vec3,
    separation: f32,
}

/// The accepted face of `a` with the largest separation from `b`. None beyond the margin.
fn best_face(a: &Polyhedron, b: &Polyhedron, margin: f32, accepts: impl Fn(Vec3) -> bool) -> Option<FaceAxis> {
    let mut best = FaceAxis { face: 0, separation: f32::NEG_INFINITY };
    for (face, plane) in a.planes[..a.solid_faces].iter().enumerate() {
        let separation = min_height(b.vertices, plane);
        // Written so that a NaN is no contact.
        let is_near = separation <= margin;
        if !is_near {
            return None;
        }
        if separation > best.separation && accepts(plane.normal) {
            best = FaceAxis { face, separation };
        }
    }
    Some(best)
}

#[inline]
fn min_height(vertices: &[Vec3], plane: &Plane) -> f32 {
    // Four independent chains, to hide latency.
    let mut separation_min = [f32::INFINITY; 4];
    let (fours, rest) = vertices.as_chunks::<4>();
    for four in fours {
        for (separation_min, vertex) in separation_min.iter_mut().zip(four) {
            *separation_min = number::min(*separation_min, plane.normal.dot(*vertex));
        }
    }
    for vertex in rest {
        separation_min[0] = number::min(separation_min[0], plane.normal.dot(*vertex));
    }
    number::min(number::min(separation_min[0], separation_min[1]), number::min(separation_min[2], separation_min[3]))
        - plane.offset
}

/// Half-way between a face and the deepest vertex of the other polyhedron below it.
fn midpoint([a, b]: [&Polyhedron; 2], face_axis: &FaceAxis, second_is_reference: bool) -> Vec3 {
    let (body, other) = if second_is_reference { (b, a) } else { (a, b) };
    let plane = &body.planes[face_axis.face];
    let mut best = (f32::INFINITY, Vec3::ZERO);
    for &vertex in other.vertices {
        let along = plane.normal.dot(vertex);
        if along < best.0 {
            best = (along, vertex);
        }
    }
    best.1 - plane.normal * (face_axis.separation * 0.5)
}

/// The deepest point, moved slightly towards the mean of all points: so it is inside both.
fn point_inside_both(points: &[ManifoldPoint]) -> Vec3 {
    let Some(&first) = points.first() else { return Vec3::ZERO };
    let deepest_vertex =
        points.iter().fold(first, |best, &point| if point.separation < best.separation { point } else { best });
    let sum = points.iter().fold(Vec3::ZERO, |sum, point| sum + point.anchor);
    deepest_vertex.anchor.lerp(sum * (1.0 / points.len() as f32), 0.02)
}

/// The accepted edge pair with the largest separation above `separation_min`, or any pair separated beyond the margin.
///
/// `inside` is a point inside both, or near the closest points; only the cost depends on it.
fn best_edge_pair(
    a: &Polyhedron,
    b: &Polyhedron,
    inside: Vec3,
    separation_min: f32,
    margin: f32,
    accepts: &dyn Fn(Vec3) -> bool,
) -> Option<EdgeAxis> {
    // The one with more edges is tested in lanes.
    if b.edges.len() < a.edges.len() {
        let swapped = best_edge_pair(b, a, inside, separation_min, margin, &|normal| accepts(-normal))?;
        let [second, first] = swapped.edges;
        return Some(EdgeAxis { edges: [first, second], normal: -swapped.normal, ..swapped });
    }
    let distances = [&EdgePlaneDistances::new(a, inside), &EdgePlaneDistances::new(b, inside)];
    if b.edges.len() <= 2 * LANES {
        best_pair_of_arcs::<2>(a, b, distances, separation_min, margin, accepts)
    } else {
        best_pair_of_arcs::<{ EDGES_MAX / LANES }>(a, b, distances, separation_min, margin, accepts)
    }
}

fn best_pair_of_arcs<const BLOCKS: usize>(
    a: &Polyhedron,
    b: &Polyhedron,
    [ways_a, ways_b]: [&EdgePlaneDistances; 2],
    separation_min: f32,
    margin: f32,
    accepts: &dyn Fn(Vec3) -> bool,
) -> Option<EdgeAxis> {
    let arcs = GaussArcs::<BLOCKS>::new(b, ways_b, inflate(-separation_min - ways_a.min));
    let mut best: Option<EdgeAxis> = None;
    let mut separation_min = separation_min;
    for (number_a, first) in a.edges.iter().enumerate() {
        // The penetration left for the second edge, inflated so that rounding prunes nothing.
        let budget = inflate(-separation_min - ways_a.distances[number_a]);
        if ways_b.min > budget {
            continue;
        }
        let arc = GaussArc::new(a, first);
        for (block, edges) in arcs.blocks[..arcs.count.div_ceil(LANES)].iter().zip(&arcs.edges) {
            let mut crossing = block.crossing(&arc, budget);
            // Each bit is cleared once.
            while crossing != 0 {
                let number_b = usize::from(edges[crossing.trailing_zeros() as usize]);
                crossing &= crossing - 1;
                let Some((normal, separation)) = arc.axis_to(&GaussArc::new(b, &b.edges[number_b])) else { continue };
                // A separation beyond the margin holds whatever the normal.
                let edges = EdgeAxis { edges: [number_a, number_b], normal, separation };
                if separation > margin {
                    return Some(edges);
                }
                if separation > separation_min && accepts(normal) {
                    separation_min = separation;
                    best = Some(edges);
                }
            }
        }
    }
    best
}

#[inline]
fn inflate(length: f32) -> f32 {
    length + 1e-4 * length.abs()
}

/// For each edge, a lower bound of the distance from a point to any supporting plane through it.
struct EdgePlaneDistances {
    distances: [f32; EDGES_MAX],
    min: f32,
}

impl EdgePlaneDistances {
    fn new(body: &Polyhedron, point: Vec3) -> EdgePlaneDistances {
        let mut heights = [0.0; HULL_FACES_MAX];
        for (height, plane) in heights.iter_mut().zip(body.planes) {
            *height = -plane.signed_distance(point);
        }
        let mut distances = EdgePlaneDistances { distances: [0.0; EDGES_MAX], min: f32::INFINITY };
        for (distance, edge) in distances.distances.iter_mut().zip(body.edges) {
            let nearer = number::min(heights[usize::from(edge.left)], heights[usize::from(edge.right)]);
            // A point outside may be as far beyond such a plane as it is from the edge.
            *distance = if nearer >= 0.0 { nearer } else { -body.vertex(edge.from).distance(point) };
            distances.min = number::min(distances.min, *distance);
        }
        distances
    }
}

/// An edge and the normals of its faces: an arc of the Gauss map.
struct GaussArc {
    from: Vec3,
    along: Vec3,
    left: Vec3,
    right: Vec3,
}

impl GaussArc {
    #[inline]
    fn new(body: &Polyhedron, edge: &HullEdge) -> GaussArc {
        let normal = |face: u8| body.planes[usize::from(face)].normal;
        let from = body.vertex(edge.from);
        GaussArc { from, along: body.vertex(edge.to) - from, left: normal(edge.left), right: normal(edge.right) }
    }

    /// The normal from this edge to one that it crosses, and the separation; none if they are parallel.
    #[inline]
    fn axis_to(&self, other: &GaussArc) -> Option<(Vec3, f32)> {
        let cross = self.along.cross(other.along);
        let squared = cross.length_squared();
        if squared <= PARALLEL_SINE_SQUARED * self.along.length_squared() * other.along.length_squared() {
            return None;
        }
        let cross = if self.left.dot(other.along) > 0.0 { cross } else { -cross };
        let normal = cross * (1.0 / number::sqrt(squared));
        Some((normal, normal.dot(other.from - self.from)))
    }
}

/// The arcs of the edges within the budget, in structure-of-arrays blocks.
struct GaussArcs<const BLOCKS: usize> {
    blocks: [ArcBlock; BLOCKS],
    edges: [[u8; LANES]; BLOCKS],
    count: usize,
}

/// Several arcs, component by component. An infinite distance marks an empty lane.
#[derive(Clone, Copy)]
struct ArcBlock {
    along: [[f32; LANES]; 3],
    left: [[f32; LANES]; 3],
    right: [[f32; LANES]; 3],
    distances: [f32; LANES],
}

impl<const BLOCKS: usize> GaussArcs<BLOCKS> {
    fn new(body: &Polyhedron, distances: &EdgePlaneDistances, budget: f32) -> GaussArcs<BLOCKS> {
        let mut arcs = GaussArcs { blocks: [ArcBlock::EMPTY; BLOCKS], edges: [[0; LANES]; BLOCKS], count: 0 };
        for (number, (edge, &distance)) in body.edges.iter().zip(&distances.distances).enumerate() {
            if distance > budget || arcs.count == BLOCKS * LANES {
                continue;
            }
            let (block, lane) = (&mut arcs.blocks[arcs.count / LANES], arcs.count % LANES);
            let arc = GaussArc::new(body, edge);
            for (to, from) in
                [(&mut block.along, arc.along), (&mut block.left, arc.left), (&mut block.right, arc.right)]
            {
                (to[0][lane], to[1][lane], to[2][lane]) = (from.x, from.y, from.z);
            }
            block.distances[lane] = distance;
            arcs.edges[arcs.count / LANES][lane] = number as u8;
            arcs.count += 1;
        }
        arcs
    }
}

impl ArcBlock {
    const EMPTY: ArcBlock = ArcBlock {
        along: [[0.0; LANES]; 3],
        left: [[0.0; LANES]; 3],
        right: [[0.0; LANES]; 3],
        distances: [f32::INFINITY; LANES],
    };

    /// The lanes within `budget` whose negated arcs intersect the arc of another edge.
    #[inline]
    fn crossing(&self, arc: &GaussArc, budget: f32) -> u32 {
        let mut bits = [0_u32; LANES];
        for (lane, bit) in bits.iter_mut().enumerate() {
            let dot = |parts: &[[f32; LANES]; 3], with: Vec3| {
                parts[0][lane] * with.x + parts[1][lane] * with.y + parts[2][lane] * with.z
            };
            let (left, right) = (dot(&self.along, arc.left), dot(&self.along, arc.right));
            let (other_left, other_right) = (dot(&self.left, arc.along), dot(&self.right, arc.along));
            let separation = (left * right < 0.0) & (other_left * other_right < 0.0);
            *bit = u32::from(separation & (other_left * right < 0.0) & (self.distances[lane] <= budget)) << lane;
        }
        bits.iter().fold(0, |all, bit| all | bit)
    }
}

/// Clips the incident face of `b` to a face of `a`. `reference` is 0 if `a` is the first of the pair, 1 if it is the second.
fn clip_face(a: &Polyhedron, b: &Polyhedron, face_axis: &FaceAxis, reference: u32, margin: f32) -> Manifold {
    let incident_face = incident_face(
        b,
        &a.planes[face_axis.face],
        face_axis.separation + FACE_PREFERENCE * number::min(a.thickness, b.thickness),
    );
    // Large buffers take time to initialize and are seldom needed.
    if a.face_vertices(face_axis.face).len() + b.face_vertices(incident_face).len() <= CLIP_VERTICES_FEW {
        clip_incident_face::<CLIP_VERTICES_FEW>(a, b, face_axis, incident_face, reference, margin)
    } else {
        clip_incident_face::<CLIP_VERTICES_MAX>(a, b, face_axis, incident_face, reference, margin)
    }
}

fn clip_incident_face<const CAPACITY: usize>(
    a: &Polyhedron,
    b: &Polyhedron,
    face_axis: &FaceAxis,
    incident_face: usize,
    reference: u32,
    margin: f32,
) -> Manifold {
    let plane = &a.planes[face_axis.face];
    let mut buffers = [FeaturePolygon::<CAPACITY>::EMPTY, FeaturePolygon::<CAPACITY>::EMPTY];
    let [polygon, scratch] = &mut buffers;
    let incident_indices = b.face_vertices(incident_face);
    for (number, &vertex_index) in incident_indices.iter().enumerate() {
        let before = if number == 0 { incident_indices.len() - 1 } else { number - 1 };
        polygon.push(FeatureVertex {
            position: b.vertex(vertex_index),
            edge_before: before as u8,
            edge_after: number as u8,
        });
    }
    let reference_indices = a.face_vertices(face_axis.face);
    for (number, &vertex_index) in reference_indices.iter().enumerate() {
        let from = a.vertex(vertex_index);
        let edge =
            a.vertex(reference_indices[if number + 1 == reference_indices.len() { 0 } else { number + 1 }]) - from;
        let edge_normal = edge.cross(plane.normal).normal();
        let limit = edge_normal.dot(from) + CLIP_TOLERANCE * edge.length();
        polygon.clip(&Plane { normal: edge_normal, offset: limit }, 64 + number as u8, scratch);
    }
    let tangent_u = plane.normal.perpendicular();
    let tangent_v = plane.normal.cross(tangent_u);
    let mut points = [ClipPoint::default(); CAPACITY];
    let mut count = 0;
    for vertex in &polygon.vertices[..polygon.count] {
        let height = plane.signed_distance(vertex.position);
        if height <= margin {
            let (edge_before, edge_after) = (vertex.edge_before.into(), vertex.edge_after.into());
            let feature =
                feature::face_contact(reference, face_axis.face as u32, incident_face as u32, edge_before, edge_after);
            points[count] = ClipPoint {
                u: vertex.position.dot(tangent_u),
                v: vertex.position.dot(tangent_v),
                separation: height,
                feature,
            };
            count += 1;
        }
    }
    let count = reduce_to_four(&mut points[..count], FACE_PREFERENCE * number::min(a.thickness, b.thickness));
    let mut manifold = Manifold { normal: plane.normal, ..Manifold::default() };
    for point in &points[..count] {
        let height = plane.offset + point.separation * 0.5;
        let position = tangent_u * point.u + tangent_v * point.v + plane.normal * height;
        manifold.push(ManifoldPoint { anchor: position, separation: point.separation, feature: point.feature });
    }
    manifold
}

/// The face most opposed to a plane among those that reach down to the lowest vertex.
fn incident_face(body: &Polyhedron, plane: &Plane, min_height: f32) -> usize {
    let is_low = |&vertex_index: &u8| plane.signed_distance(body.vertex(vertex_index)) <= min_height;
    let first = body.support_face(-plane.normal);
    if body.face_vertices(first).iter().any(is_low) {
        return first;
    }
    let mut best = (first, f32::INFINITY);
    for (face, other) in body.planes[..body.solid_faces].iter().enumerate() {
        let along = other.normal.dot(plane.normal);
        if along < best.1 && body.face_vertices(face).iter().any(is_low) {
            best = (face, along);
        }
    }
    best.0
}

/// The deepest vertex of `b` below a face of `a`.
fn deepest_vertex(a: &Polyhedron, b: &Polyhedron, face_axis: &FaceAxis, reference: u32) -> Manifold {
    let plane = &a.planes[face_axis.face];
    let mut best = (0, f32::INFINITY);
    for (number, &vertex) in b.vertices.iter().enumerate() {
        let height = plane.signed_distance(vertex);
        if height < best.1 {
            best = (number, height);
        }
    }
    let Some(&vertex) = b.vertices.get(best.0) else { return Manifold::default() };
    let position = vertex - plane.normal * (best.1 * 0.5);
    let feature = feature::face_contact(reference, face_axis.face as u32, 63, best.0 as u32, 127);
    single_point(plane.normal, ManifoldPoint { anchor: position, separation: best.1, feature })
}

fn negated(mut manifold: Manifold) -> Manifold {
    manifold.normal = -manifold.normal;
    manifold
}

/// The contact point of two edges; none if they are separated and closest at an end of one.
fn edge_contact(a: &Polyhedron, b: &Polyhedron, edges: &EdgeAxis) -> Manifold {
    let [number_a, number_b] = edges.edges;
    let (edge_a, edge_b) = (a.edges[number_a], b.edges[number_b]);
    let (from_a, from_b) = (a.vertex(edge_a.from), b.vertex(edge_b.from));
    let (along_a, along_b) = (a.vertex(edge_a.to) - from_a, b.vertex(edge_b.to) - from_b);
    let between = from_b - from_a;
    let (squared_a, squared_b, cosine) = (along_a.length_squared(), along_b.length_squared(), along_a.dot(along_b));
    let (way_a, way_b) = (along_a.dot(between), along_b.dot(between));
    let determinant = squared_a * squared_b - cosine * cosine;
    let fraction_a = (way_a * squared_b - cosine * way_b) / determinant;
    let fraction_b = (cosine * way_a - squared_a * way_b) / determinant;
    let within = |fraction: f32| (-CLIP_TOLERANCE..=1.0 + CLIP_TOLERANCE).contains(&fraction);
    if edges.separation > 0.0 && !(within(fraction_a) && within(fraction_b)) {
        return Manifold::default();
    }
    let place_a = from_a + along_a * number::clamp(fraction_a, 0.0, 1.0);
    let place_b = from_b + along_b * number::clamp(fraction_b, 0.0, 1.0);
    let feature = feature::edge_contact(number_a as u32, number_b as u32);
    single_point(
        edges.normal,
        ManifoldPoint { anchor: (place_a + place_b) * 0.5, separation: edges.separation, feature },
    )
}

/// The closest points of two separated polyhedra by GJK, mostly at vertices.
pub(super) fn closest(a: &Polyhedron, b: &Polyhedron, margin: f32, front: Option<Vec3>) -> Manifold {
    let (points_a, points_b) = (Convex::of_points(a.vertices), Convex::of_points(b.vertices));
    let separation = distance(&points_a, &Pose::IDENTITY, &points_b, &Pose::IDENTITY);
    let from_behind = front.is_some_and(|front| separation.normal.dot(front) >= 0.0);
    if separation.distance > margin || separation.normal == Vec3::ZERO || from_behind {
        return Manifold::default();
    }
    let position = (separation.point_a + separation.point_b) * 0.5;
    single_point(
        separation.normal,
        ManifoldPoint { anchor: position, separation: separation.distance, feature: feature::core_contact(0) },
    )
}

/// A vertex of a face being clipped, and the edges it lies between.
#[derive(Clone, Copy)]
struct FeatureVertex {
    position: Vec3,
    edge_before: u8,
    edge_after: u8,
}

struct FeaturePolygon<const CAPACITY: usize> {
    vertices: [FeatureVertex; CAPACITY],
    count: usize,
}

impl<const CAPACITY: usize> FeaturePolygon<CAPACITY> {
    const EMPTY: FeaturePolygon<CAPACITY> = FeaturePolygon {
        vertices: [FeatureVertex { position: Vec3::ZERO, edge_before: 0, edge_after: 0 }; CAPACITY],
        count: 0,
    };

    /// Clips the polygon by a plane: the part above it is removed.
    fn clip(&mut self, plane: &Plane, edge: u8, scratch: &mut FeaturePolygon<CAPACITY>) {
        let mut heights = [0.0; CAPACITY];
        let mut above = false;
        for (height, vertex) in heights.iter_mut().zip(&self.vertices[..self.count]) {
            *height = plane.signed_distance(vertex.position);
            above |= *height > 0.0;
        }
        let Some(last) = self.count.checked_sub(1).filter(|_| above) else { return };
        scratch.count = 0;
        let (mut vertex, mut height) = (self.vertices[last], heights[last]);
        for (&next, &height_next) in self.vertices[..self.count].iter().zip(&heights) {
            if (height > 0.0) != (height_next > 0.0) {
                let position = vertex.position + (next.position - vertex.position) * (height / (height - height_next));
                let (edge_before, edge_after) =
                    if height > 0.0 { (edge, vertex.edge_after) } else { (vertex.edge_after, edge) };
                scratch.push(FeatureVertex { position, edge_before, edge_after });
            }
            if height_next <= 0.0 {
                scratch.push(next);
            }
            (vertex, height) = (next, height_next);
        }
        self.count = scratch.count;
        self.vertices[..scratch.count].copy_from_slice(&scratch.vertices[..scratch.count]);
    }

    /// Clipping a convex polygon adds at most one vertex; what rounding would add beyond the capacity is dropped.
    fn push(&mut self, vertex: FeatureVertex) {
        if let Some(position) = self.vertices.get_mut(self.count) {
            *position = vertex;
            self.count += 1;
        }
    }
}
