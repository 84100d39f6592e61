//! Quickhull (Barber, Dobkin and Huhdanpaa 1996): from an initial tetrahedron, the point farthest outside is added until none is
//! left.
//!
//! Each outside point is assigned to the face it is farthest above. A point is outside if it is above a face by more than the
//! tolerance, which is what single precision leaves of a coordinate. Adding a point deletes the faces visible from it and those
//! in whose plane it lies, since those would leave slivers, and connects it to the horizon.

use alloc::vec;
use alloc::vec::Vec;

use base::Vec3;
use base::number::double;

use super::SIZE_MIN;
use crate::error::ShapeError;
use crate::vector64::{Vector64, cross, dot, length_squared, subtract};

/// The least thickness of a hull, in tolerances.
const THICKNESS_MIN: f64 = 50.0;

/// A hull of triangles.
pub(super) struct TriangleHull {
    /// All points, relative to the center of their AABB.
    pub points: Vec<Vector64>,
    /// That center.
    pub center: Vector64,
    /// Its triangles, deleted ones included.
    pub triangles: Vec<HullTriangle>,
    /// The largest extent.
    pub size: f64,
}

/// A triangle of the hull.
#[derive(Clone)]
pub(super) struct HullTriangle {
    /// Its vertices, counter-clockwise.
    pub vertices: [usize; 3],
    /// The triangle across the edge that starts at each vertex.
    pub neighbours: [usize; 3],
    pub normal: Vector64,
    pub offset: f64,
    pub is_deleted: bool,
}

impl TriangleHull {
    pub(super) fn live(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.triangles.len()).filter(|&triangle| !self.triangles[triangle].is_deleted)
    }

    /// The number of vertices of a closed triangle mesh: half the faces plus two.
    pub(super) fn vertex_count(&self) -> usize {
        self.live().count() / 2 + 2
    }
}

impl HullTriangle {
    pub(super) fn signed_distance(&self, point: Vector64) -> f64 {
        dot(self.normal, point) - self.offset
    }
}

pub(super) fn quickhull(points: &[Vec3], vertices_max: usize) -> Result<TriangleHull, ShapeError> {
    let points64: Vec<Vector64> = points.iter().map(|point| point.to_array().map(f64::from)).collect();
    let min: Vector64 =
        core::array::from_fn(|axis| points64.iter().fold(f64::INFINITY, |min, p| double::min(min, p[axis])));
    let max: Vector64 =
        core::array::from_fn(|axis| points64.iter().fold(f64::NEG_INFINITY, |max, p| double::max(max, p[axis])));
    let center: Vector64 = core::array::from_fn(|axis| (min[axis] + max[axis]) * 0.5);
    let extent: Vector64 = core::array::from_fn(|axis| max[axis] - min[axis]);
    let size = double::max(extent[0], double::max(extent[1], extent[2]));
    if size < f64::from(SIZE_MIN) {
        return Err(ShapeError::TooSmall);
    }
    let extent_max = min.iter().chain(&max).fold(0.0, |extent_max, part| double::max(extent_max, part.abs()));
    let tolerance = double::max(1e-6 * size, 4.0 * f64::from(f32::EPSILON) * extent_max);
    let points: Vec<Vector64> = points64.into_iter().map(|point| subtract(point, center)).collect();
    let mut hull = TriangleHull { triangles: Vec::new(), size, center, points };
    let mut outside = hull.initial_simplex(tolerance)?;
    let mut vertices = 4;
    // Every iteration adds a vertex, so there are at most as many as points.
    for _ in 0..hull.points.len() {
        let Some(farthest) = outside.farthest() else { break };
        if vertices >= vertices_max {
            break;
        }
        let deleted = hull.add_point(farthest, outside.triangles[farthest], tolerance);
        outside.reassign(&hull, &deleted, farthest, tolerance);
        vertices = hull.vertex_count();
    }
    Ok(hull)
}

/// An edge of the horizon: its vertices, the triangle beyond it, and which edge of that it is.
#[derive(Clone, Copy, PartialEq)]
struct HorizonEdge {
    from: usize,
    to: usize,
    outer: usize,
    outer_edge: usize,
}

/// For every point outside: the triangle it is farthest above, and how far.
struct OutsideSets {
    triangles: Vec<usize>,
    heights: Vec<f64>,
}

impl OutsideSets {
    /// The farthest point outside; of equals, the first.
    fn farthest(&self) -> Option<usize> {
        let mut best: Option<usize> = None;
        for (point, &signed_distance) in self.heights.iter().enumerate() {
            if signed_distance > best.map_or(0.0, |best| self.heights[best]) {
                best = Some(point);
            }
        }
        best
    }

    /// Reassigns the points above deleted triangles: to others, or inside.
    fn reassign(&mut self, hull: &TriangleHull, deleted: &[bool], added: usize, tolerance: f64) {
        self.heights[added] = 0.0;
        for point in 0..self.heights.len() {
            let was_above_removed = deleted.get(self.triangles[point]).copied().unwrap_or(false);
            if self.heights[point] > 0.0 && was_above_removed {
                self.assign(hull, point, tolerance);
            }
        }
    }

    fn assign(&mut self, hull: &TriangleHull, point: usize, tolerance: f64) {
        (self.triangles[point], self.heights[point]) = (usize::MAX, 0.0);
        for index in hull.live() {
            let signed_distance = hull.triangles[index].signed_distance(hull.points[point]);
            if signed_distance > tolerance && signed_distance > self.heights[point] {
                (self.triangles[point], self.heights[point]) = (index, signed_distance);
            }
        }
    }
}

impl TriangleHull {
    /// The initial tetrahedron: four points far from each other.
    fn initial_simplex(&mut self, tolerance: f64) -> Result<OutsideSets, ShapeError> {
        let farthest = |measure: &dyn Fn(Vector64) -> f64| {
            let mut best = (0, f64::NEG_INFINITY);
            for (index, &point) in self.points.iter().enumerate() {
                let distance = measure(point);
                if distance > best.1 {
                    best = (index, distance);
                }
            }
            best
        };
        let (a, _) = farthest(&|point| point[0] + 0.5 * point[1] + 0.25 * point[2]);
        let (a, _) = farthest(&|point| length_squared(subtract(point, self.points[a])));
        let at_a = self.points[a];
        let (b, _) = farthest(&|point| length_squared(subtract(point, at_a)));
        let along = subtract(self.points[b], at_a);
        let (c, _) = farthest(&|point| length_squared(cross(along, subtract(point, at_a))));
        let normal = cross(along, subtract(self.points[c], at_a));
        let length = double::sqrt(length_squared(normal));
        // Within a few tolerances of a line or a plane the result would be noise.
        if length <= THICKNESS_MIN * tolerance * double::sqrt(length_squared(along)) {
            return Err(ShapeError::Flat);
        }
        let (d, signed_distance) = farthest(&|point| dot(normal, subtract(point, at_a)).abs() / length);
        if signed_distance <= THICKNESS_MIN * tolerance {
            return Err(ShapeError::Flat);
        }
        // Orients the base so that the fourth point is behind it.
        let (b, c) = if dot(normal, subtract(self.points[d], at_a)) > 0.0 { (c, b) } else { (b, c) };
        for (vertices, neighbours) in
            [([a, b, c], [1, 2, 3]), ([b, a, d], [0, 3, 2]), ([c, b, d], [0, 1, 3]), ([a, c, d], [0, 2, 1])]
        {
            let triangle = self.triangle(vertices, neighbours);
            self.triangles.push(triangle);
        }
        let mut outside =
            OutsideSets { triangles: vec![usize::MAX; self.points.len()], heights: vec![0.0; self.points.len()] };
        for point in 0..self.points.len() {
            outside.assign(self, point, tolerance);
        }
        Ok(outside)
    }

    fn triangle(&self, vertices: [usize; 3], neighbours: [usize; 3]) -> HullTriangle {
        let [a, b, c] = vertices.map(|vertex| self.points[vertex]);
        let normal = cross(subtract(b, a), subtract(c, a));
        let length = double::sqrt(length_squared(normal));
        let normal = if length > 0.0 { normal.map(|part| part / length) } else { normal };
        HullTriangle { vertices, neighbours, normal, offset: dot(normal, a), is_deleted: false }
    }

    /// Adds a point above a triangle. Returns which triangles were visible.
    fn add_point(&mut self, point: usize, visible_from: usize, tolerance: f64) -> Vec<bool> {
        let position = self.points[point];
        let mut visible = vec![false; self.triangles.len()];
        visible[visible_from] = true;
        let mut open = vec![visible_from];
        // Every triangle is pushed once at most.
        while let Some(index) = open.pop() {
            for neighbour in self.triangles[index].neighbours {
                if !visible[neighbour] && self.triangles[neighbour].signed_distance(position) > -tolerance {
                    visible[neighbour] = true;
                    open.push(neighbour);
                }
            }
        }
        if self.live().all(|index| visible[index]) {
            // The tolerance made every face visible: only those that are strictly visible count.
            for (visible, triangle) in visible.iter_mut().zip(&self.triangles) {
                *visible = *visible && triangle.signed_distance(position) > 0.0;
            }
        }
        let horizon = self.horizon(&visible);
        let first = self.triangles.len();
        for (number, &HorizonEdge { from, to, outer, outer_edge }) in horizon.iter().enumerate() {
            let before = first + (number + horizon.len() - 1) % horizon.len();
            let after = first + (number + 1) % horizon.len();
            let triangle = self.triangle([from, to, point], [outer, after, before]);
            self.triangles.push(triangle);
            self.triangles[outer].neighbours[outer_edge] = first + number;
        }
        if !horizon.is_empty() {
            for (triangle, _) in self.triangles.iter_mut().zip(&visible).filter(|(_, visible)| **visible) {
                triangle.is_deleted = true;
            }
        }
        visible
    }

    /// The horizon: the edges around the visible triangles in order. Empty if they do not form a single loop.
    fn horizon(&self, visible: &[bool]) -> Vec<HorizonEdge> {
        let mut edges = Vec::new();
        for index in self.live().filter(|&index| visible[index]) {
            let triangle = &self.triangles[index];
            for edge in 0..3 {
                let outer = triangle.neighbours[edge];
                if !visible[outer] {
                    let (from, to) = (triangle.vertices[edge], triangle.vertices[(edge + 1) % 3]);
                    let theirs = self.triangles[outer].vertices.iter().position(|&vertex| vertex == to);
                    edges.extend(theirs.map(|outer_edge| HorizonEdge { from, to, outer, outer_edge }));
                }
            }
        }
        let mut horizon: Vec<HorizonEdge> = Vec::new();
        let mut next = edges.first().copied();
        while let Some(edge) = next {
            if horizon.len() >= edges.len() {
                return Vec::new();
            }
            horizon.push(edge);
            next = edges.iter().find(|other| other.from == edge.to).copied().filter(|other| *other != horizon[0]);
        }
        if horizon.len() == edges.len() && horizon.len() >= 3 { horizon } else { Vec::new() }
    }
}
