//! Merges coplanar triangles of a hull into polygonal faces.
//!
//! Regions grow from the largest triangle. The boundary loop of a region is its face; a vertex that fewer than three faces share
//! lies on an edge or inside a face and is dropped.

use alloc::vec;
use alloc::vec::Vec;

use base::Vec3;
use base::number::double;

use super::quickhull::TriangleHull;
use super::{Hull, HullEdge, HullFace, Plane};
use crate::error::ShapeError;
use crate::vector64::{Vector64, cross, dot, length_squared, subtract};

/// How far a vertex may be from its face's plane, in sizes of the hull.
const COPLANAR_TOLERANCE: f64 = 1e-5;
/// How far a vertex may be outside another face's plane.
const CONVEX_TOLERANCE: f64 = 1e-4;

pub(super) fn merge_faces(points: &[Vec3], triangulated: &TriangleHull) -> Result<Hull, ShapeError> {
    // If merging breaks the laws of hulls, the triangles stay as they are.
    try_merge(points, triangulated, COPLANAR_TOLERANCE * triangulated.size)
        .or_else(|_| try_merge(points, triangulated, -1.0))
}

fn try_merge(points: &[Vec3], triangulated: &TriangleHull, tolerance: f64) -> Result<Hull, ShapeError> {
    let (groups, count) = group_coplanar(triangulated, tolerance);
    let mut loops = Vec::new();
    for number in 0..count {
        loops.push(boundary_loop(triangulated, &groups, number).ok_or(ShapeError::NotClosed)?);
    }
    drop_redundant_vertices(&mut loops, triangulated.points.len());
    let mut used: Vec<usize> = loops.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let number = |vertex: usize| used.binary_search(&vertex).map_err(|_| ShapeError::NotClosed).map(|at| at as u8);

    let vertices: Vec<Vec3> = used.iter().map(|&vertex| points[vertex]).collect();
    let mut hull = Hull {
        center: mean_vertex(triangulated, &used),
        vertices,
        planes: Vec::new(),
        faces: Vec::new(),
        face_indices: Vec::new(),
        edges: Vec::new(),
        inscribed_radius: 0.0,
        simplification_error: 0.0,
    };
    for vertices in &loops {
        hull.faces.push(HullFace { first: hull.face_indices.len() as u16, count: vertices.len() as u16 });
        hull.planes.push(fit_plane(triangulated, points, vertices)?);
        for &vertex in vertices {
            hull.face_indices.push(number(vertex)?);
        }
    }
    hull.edges = link_edges(&hull)?;
    hull.inscribed_radius = hull
        .planes
        .iter()
        .fold(f32::INFINITY, |smallest, plane| base::number::min(smallest, -plane.signed_distance(hull.center)));
    validate(&hull, triangulated.size)?;
    Ok(hull)
}

/// The face of each triangle, and how many faces there are.
fn group_coplanar(triangulated: &TriangleHull, tolerance: f64) -> (Vec<usize>, usize) {
    let mut order: Vec<(f64, usize)> =
        triangulated.live().map(|triangle| (area(triangulated, triangle), triangle)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut groups = vec![usize::MAX; triangulated.triangles.len()];
    let mut count = 0;
    for (_, seed) in order {
        if groups[seed] != usize::MAX {
            continue;
        }
        groups[seed] = count;
        let mut open = vec![seed];
        // Every triangle is pushed once at most.
        while let Some(triangle) = open.pop() {
            for neighbours in triangulated.triangles[triangle].neighbours {
                let is_near = |vertex: usize| {
                    triangulated.triangles[seed].signed_distance(triangulated.points[vertex]).abs() <= tolerance
                };
                let faces_same_side =
                    dot(triangulated.triangles[seed].normal, triangulated.triangles[neighbours].normal) >= 0.0;
                if groups[neighbours] == usize::MAX
                    && faces_same_side
                    && triangulated.triangles[neighbours].vertices.into_iter().all(is_near)
                {
                    groups[neighbours] = count;
                    open.push(neighbours);
                }
            }
        }
        count += 1;
    }
    (groups, count)
}

fn area(triangulated: &TriangleHull, triangle: usize) -> f64 {
    let [a, b, c] = triangulated.triangles[triangle].vertices.map(|vertex| triangulated.points[vertex]);
    length_squared(cross(subtract(b, a), subtract(c, a)))
}

/// The boundary of a region; none if it is not a single simple loop.
fn boundary_loop(triangulated: &TriangleHull, groups: &[usize], number: usize) -> Option<Vec<usize>> {
    let mut edges: Vec<(usize, usize)> = Vec::new();
    for triangle in triangulated.live().filter(|&triangle| groups[triangle] == number) {
        let triangle = &triangulated.triangles[triangle];
        for edge in 0..3 {
            if groups[triangle.neighbours[edge]] != number {
                edges.push((triangle.vertices[edge], triangle.vertices[(edge + 1) % 3]));
            }
        }
    }
    let mut vertices = Vec::new();
    let start = edges.first()?.0;
    let mut at = start;
    for _ in 0..edges.len() {
        vertices.push(at);
        at = edges.iter().find(|edge| edge.0 == at)?.1;
    }
    let mut distinct = vertices.clone();
    distinct.sort_unstable();
    distinct.dedup();
    (at == start && distinct.len() == vertices.len()).then_some(vertices)
}

/// Keeps only vertices shared by three faces and faces with three vertices.
fn drop_redundant_vertices(loops: &mut Vec<Vec<usize>>, points: usize) {
    let mut before = usize::MAX;
    let mut left: usize = loops.iter().map(Vec::len).sum();
    // Every iteration but the last removes something.
    while left < before {
        let mut shared = vec![0_u32; points];
        for &vertex in loops.iter().flatten() {
            shared[vertex] += 1;
        }
        for vertices in loops.iter_mut() {
            vertices.retain(|&vertex| shared[vertex] >= 3);
        }
        loops.retain(|vertices| vertices.len() >= 3);
        (before, left) = (left, loops.iter().map(Vec::len).sum());
    }
}

fn mean_vertex(triangulated: &TriangleHull, used: &[usize]) -> Vec3 {
    let mut sum = [0.0; 3];
    for &vertex in used {
        for (sum, part) in sum.iter_mut().zip(triangulated.points[vertex]) {
            *sum += part;
        }
    }
    let count = used.len() as f64;
    Vec3::from_array(core::array::from_fn(|axis| (sum[axis] / count + triangulated.center[axis]) as f32))
}

/// The plane of a face: the normal of its area vector, offset to its outermost vertex.
fn fit_plane(triangulated: &TriangleHull, points: &[Vec3], vertices: &[usize]) -> Result<Plane, ShapeError> {
    let from = triangulated.points[*vertices.first().ok_or(ShapeError::NotClosed)?];
    let mut sum: Vector64 = [0.0; 3];
    for pair in vertices.windows(2) {
        let across = cross(subtract(triangulated.points[pair[0]], from), subtract(triangulated.points[pair[1]], from));
        for (sum, part) in sum.iter_mut().zip(across) {
            *sum += part;
        }
    }
    let length = double::sqrt(length_squared(sum));
    let normal = Vec3::from_array(sum.map(|part| (part / length) as f32));
    if !normal.is_finite() {
        return Err(ShapeError::NotClosed);
    }
    let normal64 = normal.to_array().map(f64::from);
    let heights = vertices.iter().map(|&vertex| dot(normal64, points[vertex].to_array().map(f64::from)));
    let offset = heights.fold(f64::NEG_INFINITY, double::max) as f32;
    Ok(Plane { normal, offset })
}

/// Every edge once, in the order of faces.
fn link_edges(hull: &Hull) -> Result<Vec<HullEdge>, ShapeError> {
    let mut halves: Vec<(u8, u8, u8)> = Vec::new();
    for (number, face) in hull.faces.iter().enumerate() {
        let vertices = &hull.face_indices[usize::from(face.first)..usize::from(face.first + face.count)];
        for (at, &from) in vertices.iter().enumerate() {
            halves.push((from, vertices[(at + 1) % vertices.len()], number as u8));
        }
    }
    let mut edges = Vec::new();
    for &(from, to, left) in &halves {
        let mut twins = halves.iter().filter(|half| (half.0, half.1) == (to, from));
        let right = twins.next().ok_or(ShapeError::NotClosed)?.2;
        if twins.next().is_some() {
            return Err(ShapeError::NotClosed);
        }
        if from < to {
            edges.push(HullEdge { from, to, left, right });
        }
    }
    Ok(edges)
}

fn validate(hull: &Hull, size: f64) -> Result<(), ShapeError> {
    let closed = hull.vertices.len() + hull.faces.len() == hull.edges.len() + 2;
    let extent =
        hull.vertices.iter().fold(0.0, |largest, vertex| base::number::max(largest, vertex.abs().max_component()));
    let tolerance = (CONVEX_TOLERANCE * size) as f32 + 8.0 * f32::EPSILON * extent;
    let convex =
        hull.planes.iter().all(|plane| hull.vertices.iter().all(|&vertex| plane.signed_distance(vertex) <= tolerance));
    if closed && convex && hull.inscribed_radius > 0.0 { Ok(()) } else { Err(ShapeError::NotClosed) }
}
