//! Triangles that lie in one plane become one side.
//!
//! Groups grow from the largest triangle outwards. What is left of a group is the line around it; a corner that fewer than three
//! groups share lies on an edge or within a side, and goes.

use alloc::vec;
use alloc::vec::Vec;

use base::Vec3;
use base::number::double;

use super::grow::{Grown, Wide, cross, dot, minus, squared};
use super::{Edge, Face, Hull, Plane};
use crate::error::ShapeError;

/// How far from its plane a corner of a side may be, in sizes of the hull.
const FLAT: f64 = 1e-5;
/// How far outside another side's plane.
const CONVEX: f64 = 1e-4;

pub(super) fn merge(points: &[Vec3], grown: &Grown) -> Result<Hull, ShapeError> {
    // What cannot be merged soundly stays as it is.
    merged(points, grown, FLAT * grown.size).or_else(|_| merged(points, grown, -1.0))
}

fn merged(points: &[Vec3], grown: &Grown, slack: f64) -> Result<Hull, ShapeError> {
    let (groups, count) = group(grown, slack);
    let mut loops = Vec::new();
    for number in 0..count {
        loops.push(around(grown, &groups, number).ok_or(ShapeError::NotClosed)?);
    }
    drop_flat_corners(&mut loops, grown.points.len());
    let mut used: Vec<usize> = loops.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let number = |corner: usize| used.binary_search(&corner).map_err(|_| ShapeError::NotClosed).map(|at| at as u8);

    let vertices: Vec<Vec3> = used.iter().map(|&corner| points[corner]).collect();
    let mut hull = Hull {
        centre: mean(grown, &used),
        vertices,
        planes: Vec::new(),
        faces: Vec::new(),
        corners: Vec::new(),
        edges: Vec::new(),
        inner: 0.0,
        left_out: 0.0,
    };
    for corners in &loops {
        hull.faces.push(Face { first: hull.corners.len() as u16, count: corners.len() as u16 });
        hull.planes.push(plane(grown, points, corners)?);
        for &corner in corners {
            hull.corners.push(number(corner)?);
        }
    }
    hull.edges = edges(&hull)?;
    hull.inner =
        hull.planes.iter().fold(f32::INFINITY, |least, plane| base::number::min(least, -plane.height(hull.centre)));
    check(&hull, grown.size)?;
    Ok(hull)
}

/// To which group each side belongs, and how many groups there are.
fn group(grown: &Grown, slack: f64) -> (Vec<usize>, usize) {
    let mut order: Vec<(f64, usize)> = grown.living().map(|side| (area(grown, side), side)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut groups = vec![usize::MAX; grown.sides.len()];
    let mut count = 0;
    for (_, seed) in order {
        if groups[seed] != usize::MAX {
            continue;
        }
        groups[seed] = count;
        let mut open = vec![seed];
        // Every side is opened once at most.
        while let Some(side) = open.pop() {
            for beyond in grown.sides[side].beyond {
                let near = |corner: usize| grown.sides[seed].height(grown.points[corner]).abs() <= slack;
                let alike = dot(grown.sides[seed].normal, grown.sides[beyond].normal) >= 0.0;
                if groups[beyond] == usize::MAX && alike && grown.sides[beyond].corners.into_iter().all(near) {
                    groups[beyond] = count;
                    open.push(beyond);
                }
            }
        }
        count += 1;
    }
    (groups, count)
}

fn area(grown: &Grown, side: usize) -> f64 {
    let [a, b, c] = grown.sides[side].corners.map(|corner| grown.points[corner]);
    squared(cross(minus(b, a), minus(c, a)))
}

/// The corners around a group; none if they do not go around once.
fn around(grown: &Grown, groups: &[usize], number: usize) -> Option<Vec<usize>> {
    let mut edges: Vec<(usize, usize)> = Vec::new();
    for side in grown.living().filter(|&side| groups[side] == number) {
        let side = &grown.sides[side];
        for edge in 0..3 {
            if groups[side.beyond[edge]] != number {
                edges.push((side.corners[edge], side.corners[(edge + 1) % 3]));
            }
        }
    }
    let mut corners = Vec::new();
    let start = edges.first()?.0;
    let mut at = start;
    for _ in 0..edges.len() {
        corners.push(at);
        at = edges.iter().find(|edge| edge.0 == at)?.1;
    }
    let mut distinct = corners.clone();
    distinct.sort_unstable();
    distinct.dedup();
    (at == start && distinct.len() == corners.len()).then_some(corners)
}

/// Leaves only corners that three sides share, and only sides with three corners.
fn drop_flat_corners(loops: &mut Vec<Vec<usize>>, points: usize) {
    let mut before = usize::MAX;
    let mut left: usize = loops.iter().map(Vec::len).sum();
    // Every round but the last takes something away.
    while left < before {
        let mut shared = vec![0_u32; points];
        for &corner in loops.iter().flatten() {
            shared[corner] += 1;
        }
        for corners in loops.iter_mut() {
            corners.retain(|&corner| shared[corner] >= 3);
        }
        loops.retain(|corners| corners.len() >= 3);
        (before, left) = (left, loops.iter().map(Vec::len).sum());
    }
}

fn mean(grown: &Grown, used: &[usize]) -> Vec3 {
    let mut sum = [0.0; 3];
    for &corner in used {
        for (sum, part) in sum.iter_mut().zip(grown.points[corner]) {
            *sum += part;
        }
    }
    let count = used.len() as f64;
    Vec3::from_array(core::array::from_fn(|axis| (sum[axis] / count + grown.middle[axis]) as f32))
}

/// The plane of a side: its normal from all corners, and as far out as the outermost.
fn plane(grown: &Grown, points: &[Vec3], corners: &[usize]) -> Result<Plane, ShapeError> {
    let from = grown.points[*corners.first().ok_or(ShapeError::NotClosed)?];
    let mut sum: Wide = [0.0; 3];
    for pair in corners.windows(2) {
        let across = cross(minus(grown.points[pair[0]], from), minus(grown.points[pair[1]], from));
        for (sum, part) in sum.iter_mut().zip(across) {
            *sum += part;
        }
    }
    let length = double::sqrt(squared(sum));
    let normal = Vec3::from_array(sum.map(|part| (part / length) as f32));
    if !normal.is_finite() {
        return Err(ShapeError::NotClosed);
    }
    let wide = normal.to_array().map(f64::from);
    let heights = corners.iter().map(|&corner| dot(wide, points[corner].to_array().map(f64::from)));
    let offset = heights.fold(f64::NEG_INFINITY, double::max) as f32;
    Ok(Plane { normal, offset })
}

/// Every edge once, in the order of sides.
fn edges(hull: &Hull) -> Result<Vec<Edge>, ShapeError> {
    let mut halves: Vec<(u8, u8, u8)> = Vec::new();
    for (number, face) in hull.faces.iter().enumerate() {
        let corners = &hull.corners[usize::from(face.first)..usize::from(face.first + face.count)];
        for (at, &from) in corners.iter().enumerate() {
            halves.push((from, corners[(at + 1) % corners.len()], number as u8));
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
            edges.push(Edge { from, to, left, right });
        }
    }
    Ok(edges)
}

fn check(hull: &Hull, size: f64) -> Result<(), ShapeError> {
    let closed = hull.vertices.len() + hull.faces.len() == hull.edges.len() + 2;
    let reach = hull.vertices.iter().fold(0.0, |most, vertex| base::number::max(most, vertex.abs().max_component()));
    let slack = (CONVEX * size) as f32 + 8.0 * f32::EPSILON * reach;
    let convex = hull.planes.iter().all(|plane| hull.vertices.iter().all(|&vertex| plane.height(vertex) <= slack));
    if closed && convex && hull.inner > 0.0 { Ok(()) } else { Err(ShapeError::NotClosed) }
}
