//! Triangle meshes. Static ones make levels; a closed mesh may be a moving body.
//!
//! Laws
//! 1. Triangles keep their index. Degenerate ones are counted and never visited.
//! 2. Vertices at the same position are one vertex, however often they are listed: adjacency is found by position.
//! 3. Of several triangles at a non-manifold edge, the neighbour is the one with the most concave dihedral angle seen from the
//!    front.
//! 4. A closed mesh is a solid: as a moving body it is the union of its convex parts, exact ones if it can be cut into few, otherwise
//!    approximate ones, and its surface if both fail.
//! 5. Input is refused before anything proportional to it is allocated; everything else is bounded by the limits.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use base::Vec3;

use crate::aabb::{Aabb, SweptAabb};
use crate::bvh::Bvh;
use crate::hull::Hull;
use crate::limits::{MESH_TRIANGLES_MAX, SIZE_MAX};
use crate::surface::{EdgeKind, Surface, SurfaceTriangle};

mod coarse_parts;
mod decomposition;
#[cfg(test)]
mod tests;
mod thickness;

/// Triangles with adjacency and a BVH.
#[derive(Clone, Debug)]
pub struct Mesh {
    vertices: Vec<Vec3>,
    triangles: Vec<MeshTriangle>,
    bvh: Bvh,
    degenerate_count: u32,
    is_closed: bool,
    /// Whether the AABB of all vertices is that of the triangles.
    is_tight: bool,
    /// Convex parts of a closed mesh: see [`decomposition`] and [`coarse_parts`].
    parts: Vec<Arc<Hull>>,
    /// Half the thickness of a closed mesh, otherwise zero.
    half_thickness: f32,
}

/// Why a mesh was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshError {
    /// No triangle has an area.
    Empty,
    /// More triangles than [`MESH_TRIANGLES_MAX`], or more than three times as many vertices.
    TooMany,
    /// This vertex is not finite, or lies beyond [`SIZE_MAX`].
    Vertex(u32),
    /// This triangle has an index out of range.
    Triangle(u32),
}

#[derive(Clone, Copy, Debug)]
struct MeshTriangle {
    vertices: [u32; 3],
    normal: Vec3,
    /// The neighbour over each edge: the edge kind in the upper two bits, the triangle index below.
    neighbours: [u32; 3],
}

/// One directed edge of a triangle, under its two vertices in ascending order.
#[derive(Clone, Copy)]
struct HalfEdge {
    vertices: [u32; 2],
    triangle: u32,
    edge: u32,
}

const KIND_SHIFT: u32 = 30;
/// Kinds below this are exposed edges.
const FLAT_KIND: u32 = EdgeKind::Flat as u32;
const _: () = assert!(
    (EdgeKind::Open as u32) < FLAT_KIND
        && (EdgeKind::Convex as u32) < FLAT_KIND
        && EdgeKind::Concave as u32 > FLAT_KIND,
    "exposed kinds come first"
);
const _: () = assert!(MESH_TRIANGLES_MAX < 1 << KIND_SHIFT, "a triangle and the kind of an edge fit into 32 bits");
/// A triangle whose height is below this fraction of its longest edge is degenerate: it has no usable normal.
const HEIGHT_RATIO_MIN: f32 = 1e-6;
/// At an edge with more triangles than this none has a neighbour, so that hostile input stays linear in cost.
const EDGE_TRIANGLES_MAX: usize = 16;

impl Mesh {
    /// From vertices, and three vertex indices per triangle, counter-clockwise seen from the front. If it is closed, it is cut into
    /// convex parts, which takes up to some tenths of a second for thousands of triangles.
    pub fn new(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Mesh, MeshError> {
        let mut mesh = Mesh::fixed(vertices, triangles)?;
        if mesh.is_closed {
            let mut parts = decomposition::decompose(&mesh);
            if parts.is_empty() {
                parts = coarse_parts::decompose(&mesh);
            }
            mesh.parts = parts.into_iter().map(Arc::new).collect();
        }
        Ok(mesh)
    }

    /// The same without convex parts, for bodies that never move.
    pub fn fixed(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Mesh, MeshError> {
        if triangles.len() > MESH_TRIANGLES_MAX || vertices.len() > 3 * MESH_TRIANGLES_MAX {
            return Err(MeshError::TooMany);
        }
        let is_valid = |vertex: &Vec3| vertex.is_finite() && vertex.abs().max_component() <= SIZE_MAX;
        if let Some(invalid) = vertices.iter().position(|vertex| !is_valid(vertex)) {
            return Err(MeshError::Vertex(invalid as u32));
        }
        if let Some(invalid) =
            triangles.iter().position(|own| own.iter().any(|&vertex| vertex as usize >= vertices.len()))
        {
            return Err(MeshError::Triangle(invalid as u32));
        }
        let first = weld_vertices(vertices);
        let built =
            triangles.iter().map(|indices| MeshTriangle::new(vertices, indices.map(|vertex| first[vertex as usize])));
        let triangles: Vec<MeshTriangle> = built.collect();
        let degenerate_count = triangles.iter().filter(|triangle| triangle.is_degenerate()).count();
        if degenerate_count == triangles.len() {
            return Err(MeshError::Empty);
        }
        let vertices = vertices.iter().map(|vertex| vertex.canonical()).collect();
        let degenerate_count = degenerate_count as u32;
        let mut mesh = Mesh {
            vertices,
            triangles,
            bvh: Bvh::default(),
            degenerate_count,
            is_closed: false,
            is_tight: false,
            parts: Vec::new(),
            half_thickness: 0.0,
        };
        mesh.is_closed = mesh.link_neighbours();
        mesh.bvh = Bvh::new(&mesh.triangle_aabbs());
        let (aabb, vertices) = (mesh.aabb(), Aabb::from_points(mesh.vertices.iter().copied()));
        mesh.is_tight = aabb.min == vertices.min && aabb.max == vertices.max;
        if mesh.is_closed {
            mesh.half_thickness = thickness::half_thickness(&mesh);
        }
        Ok(mesh)
    }

    /// The number of triangles, degenerate ones included.
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Always false: a mesh has at least one triangle.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// The number of degenerate triangles.
    pub fn degenerate_count(&self) -> u32 {
        self.degenerate_count
    }

    /// The vertices if none of them lies outside the triangles' AABB: then they serve as support points of the mesh.
    pub fn support_vertices(&self) -> Option<&[Vec3]> {
        self.is_tight.then_some(&self.vertices)
    }

    /// Whether every edge has a triangle on both sides, so that the mesh encloses a volume.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Its convex parts, if it is closed, may move and could be cut into few: as these it collides while it moves.
    pub fn parts(&self) -> &[Arc<Hull>] {
        &self.parts
    }

    /// Half of its thickness, if it is closed; otherwise zero.
    pub fn half_thickness(&self) -> f32 {
        self.half_thickness
    }

    /// The vertices of all triangles that are not degenerate.
    pub fn triangles(&self) -> impl Iterator<Item = [Vec3; 3]> + Clone + '_ {
        let kept = self.triangles.iter().filter(|triangle| !triangle.is_degenerate());
        kept.map(|triangle| triangle.vertices.map(|vertex| self.vertices[vertex as usize]))
    }

    /// All vertices; some may be unused.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// The BVH over the triangles.
    pub fn bvh(&self) -> &Bvh {
        &self.bvh
    }

    fn triangle_aabbs(&self) -> Vec<Aabb> {
        let aabb = |(index, triangle): (u32, &MeshTriangle)| {
            if triangle.is_degenerate() { Aabb::EMPTY } else { Aabb::from_points(self.triangle_vertices(index)) }
        };
        (0..).zip(&self.triangles).map(aabb).collect()
    }

    /// Links every edge to its neighbour. Returns whether all have one.
    fn link_neighbours(&mut self) -> bool {
        let mut half_edges = Vec::with_capacity((self.triangles.len() - self.degenerate_count as usize) * 3);
        for (index, triangle) in (0..).zip(&self.triangles).filter(|(_, triangle)| !triangle.is_degenerate()) {
            for edge in 0..3 {
                let (from, to) = (triangle.vertices[edge], triangle.vertices[(edge + 1) % 3]);
                half_edges.push(HalfEdge {
                    vertices: [from.min(to), from.max(to)],
                    triangle: index,
                    edge: edge as u32,
                });
            }
        }
        half_edges.sort_unstable_by_key(|half_edge| (half_edge.vertices, half_edge.triangle, half_edge.edge));
        let mut is_closed = true;
        for coincident in half_edges.chunk_by(|first, second| first.vertices == second.vertices) {
            for half_edge in coincident {
                let neighbours =
                    if coincident.len() <= EDGE_TRIANGLES_MAX { self.neighbour(half_edge, coincident) } else { None };
                is_closed &= neighbours.is_some();
                self.triangles[half_edge.triangle as usize].neighbours[half_edge.edge as usize] =
                    neighbours.unwrap_or(0);
            }
        }
        is_closed
    }

    fn neighbour(&self, half_edge: &HalfEdge, coincident: &[HalfEdge]) -> Option<u32> {
        let start =
            |half_edge: &HalfEdge| self.triangles[half_edge.triangle as usize].vertices[half_edge.edge as usize];
        let own = self.triangle(half_edge.triangle);
        let edge_normal = own.edge_normal(half_edge.edge as usize);
        let mut best: Option<(f32, u32)> = None;
        for other in coincident.iter().filter(|other| start(other) != start(half_edge)) {
            let neighbour_normal = self.triangles[other.triangle as usize].normal;
            let angle_measure = 1.0 - neighbour_normal.dot(own.normal);
            let rank = if neighbour_normal.dot(edge_normal) < 0.0 { -angle_measure } else { angle_measure };
            if best.is_none_or(|(best, _)| rank < best) {
                let kind = EdgeKind::classify(own.normal, neighbour_normal, edge_normal) as u32;
                best = Some((rank, kind << KIND_SHIFT | other.triangle));
            }
        }
        best.map(|(_, packed)| packed)
    }
}

impl Surface for Mesh {
    fn aabb(&self) -> Aabb {
        self.bvh.aabb()
    }

    #[inline]
    fn triangle_vertices(&self, triangle: u32) -> [Vec3; 3] {
        self.triangles[triangle as usize].vertices.map(|vertex| self.vertices[vertex as usize])
    }

    #[inline]
    fn triangle(&self, triangle: u32) -> SurfaceTriangle {
        let own = &self.triangles[triangle as usize];
        let neighbour = |packed: u32| &self.triangles[(packed & ((1 << KIND_SHIFT) - 1)) as usize];
        let apex = |edge: usize| {
            let shared = [own.vertices[edge], own.vertices[(edge + 1) % 3]];
            let vertices = neighbour(own.neighbours[edge]).vertices;
            // Two vertices are shared, so the third is the apex. For open edges any vertex will do.
            let apex_index = if shared.contains(&vertices[0]) { 1 } else { 0 };
            let apex_index = if apex_index == 1 && shared.contains(&vertices[1]) { 2 } else { apex_index };
            self.vertices[vertices[apex_index] as usize]
        };
        SurfaceTriangle {
            vertices: self.triangle_vertices(triangle),
            normal: own.normal,
            edges: own.neighbours.map(|packed| match packed >> KIND_SHIFT {
                1 => EdgeKind::Convex,
                2 => EdgeKind::Flat,
                3 => EdgeKind::Concave,
                _ => EdgeKind::Open,
            }),
            neighbour_normals: own.neighbours.map(|packed| neighbour(packed).normal),
            neighbour_apexes: [apex(0), apex(1), apex(2)],
            neighbour_has_exposed_edge: own
                .neighbours
                .map(|packed| neighbour(packed).neighbours.iter().any(|packed| packed >> KIND_SHIFT < FLAT_KIND)),
        }
    }

    #[inline]
    fn visit_overlapping(&self, aabb: &Aabb, visit: impl FnMut(u32) -> bool) -> bool {
        self.bvh.visit_overlapping(aabb, visit)
    }

    #[inline]
    fn visit_swept(&self, swept: &SweptAabb, length: f32, visit: impl FnMut(u32, f32) -> f32) {
        self.bvh.visit_swept(swept, length, visit);
    }

    #[inline]
    fn visit_within(&self, aabb: &Aabb, distance: f32, visit: impl FnMut(u32) -> f32) {
        self.bvh.visit_within(aabb, distance, visit);
    }
}

impl MeshTriangle {
    fn new(positions: &[Vec3], vertices: [u32; 3]) -> MeshTriangle {
        let [a, b, c] = vertices.map(|vertex| positions[vertex as usize]);
        let cross = (b - a).cross(c - a);
        let lengths_squared = [a.distance_squared(b), b.distance_squared(c), c.distance_squared(a)];
        let longest = Vec3::from_array(lengths_squared).max_component();
        let has_area = cross.length() > HEIGHT_RATIO_MIN * longest;
        MeshTriangle { vertices, normal: if has_area { cross.normal() } else { Vec3::ZERO }, neighbours: [0; 3] }
    }

    /// Whether it has no area, and so no normal.
    fn is_degenerate(&self) -> bool {
        self.normal == Vec3::ZERO
    }
}

impl fmt::Display for MeshError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MeshError::Empty => write!(out, "expected triangles, found none with an area"),
            MeshError::TooMany => write!(out, "expected at most {MESH_TRIANGLES_MAX} triangles, found more"),
            MeshError::Vertex(index) => {
                write!(out, "expected vertices within {SIZE_MAX} m, found vertex {index} outside or not finite")
            }
            MeshError::Triangle(index) => {
                write!(out, "expected vertex indices in range, found one out of range in triangle {index}")
            }
        }
    }
}

impl core::error::Error for MeshError {}

/// For every vertex the first one at the same position.
fn weld_vertices(vertices: &[Vec3]) -> Vec<u32> {
    let key = |&index: &u32| {
        let bits = vertices[index as usize].canonical().to_array().map(f32::to_bits);
        (bits, index)
    };
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    order.sort_unstable_by_key(key);
    let mut first = vec![0; vertices.len()];
    for equal in order.chunk_by(|one, other| key(one).0 == key(other).0) {
        for &index in equal {
            first[index as usize] = equal[0];
        }
    }
    first
}
