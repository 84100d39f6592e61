//! Triangles: whatever has no simpler shape. Levels stand still as meshes; a body may be one too, if it is closed.
//!
//! Laws
//! 1. Triangles keep their numbers. Those without an area are counted and never met.
//! 2. Corners at the same place are one corner, however often they are listed: neighbours are found by place.
//! 3. Of several triangles at an edge, the neighbour is the one that rises most as seen from the front.
//! 4. What is refused is refused before anything is allocated that grows with it, and everything else is bounded by the limits.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use base::Vec3;

use crate::bounds::{Bounds, Line};
use crate::facet::{Edge, Facet, Surface};
use crate::limits::{MESH_TRIANGLES_MAX, SIZE_MOST};
use crate::tree::Tree;

#[cfg(test)]
mod tests;

/// Triangles with their neighbours and a tree over them.
#[derive(Clone, Debug)]
pub struct Mesh {
    vertices: Vec<Vec3>,
    triangles: Vec<Triangle>,
    tree: Tree,
    dropped: u32,
    is_closed: bool,
    /// Whether no vertex lies outside all triangles' box.
    is_trim: bool,
}

/// Why there is no mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshError {
    /// There is no triangle with an area.
    Empty,
    /// There are more triangles than [`MESH_TRIANGLES_MAX`], or more than three vertices for each of as many.
    TooMany,
    /// This vertex has a number that is not one, or lies farther out than [`SIZE_MOST`].
    Vertex(u32),
    /// This triangle names a vertex that is not there.
    Triangle(u32),
}

#[derive(Clone, Copy, Debug)]
struct Triangle {
    corners: [u32; 3],
    normal: Vec3,
    /// The neighbours over the edges: what kind of edge in the upper two bits, the triangle in the others.
    beyond: [u32; 3],
}

/// One side of one triangle, under the two corners that it joins.
#[derive(Clone, Copy)]
struct Side {
    corners: [u32; 2],
    triangle: u32,
    edge: u32,
}

const KIND_SHIFT: u32 = 30;
/// Kinds below this are of edges that can be touched.
const FLAT: u32 = Edge::Flat as u32;
const _: () = assert!(
    (Edge::Open as u32) < FLAT && (Edge::Convex as u32) < FLAT && Edge::Concave as u32 > FLAT,
    "kinds are in order"
);
const _: () = assert!(MESH_TRIANGLES_MAX < 1 << KIND_SHIFT, "a triangle and the kind of an edge fit into 32 bits");
/// A triangle lower than this part of its longest side has no area to speak of, and no direction.
const HEIGHT_LEAST: f32 = 1e-6;
/// At an edge with more sides than this nobody has a neighbour, so that a hostile mesh costs no more than another.
const SIDES_MAX: usize = 16;

impl Mesh {
    /// From corners, and for every triangle the numbers of its corners, against the clock as seen from the front.
    pub fn new(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Mesh, MeshError> {
        if triangles.len() > MESH_TRIANGLES_MAX || vertices.len() > 3 * MESH_TRIANGLES_MAX {
            return Err(MeshError::TooMany);
        }
        let is_sound = |vertex: &Vec3| vertex.is_finite() && vertex.abs().max_component() <= SIZE_MOST;
        if let Some(bad) = vertices.iter().position(|vertex| !is_sound(vertex)) {
            return Err(MeshError::Vertex(bad as u32));
        }
        if let Some(bad) = triangles.iter().position(|own| own.iter().any(|&corner| corner as usize >= vertices.len()))
        {
            return Err(MeshError::Triangle(bad as u32));
        }
        let first = first_at_each_place(vertices);
        let made =
            triangles.iter().map(|corners| Triangle::new(vertices, corners.map(|corner| first[corner as usize])));
        let triangles: Vec<Triangle> = made.collect();
        let dropped = triangles.iter().filter(|triangle| triangle.is_dropped()).count();
        if dropped == triangles.len() {
            return Err(MeshError::Empty);
        }
        let vertices = vertices.iter().map(|vertex| vertex.canonical()).collect();
        let dropped = dropped as u32;
        let mut mesh = Mesh { vertices, triangles, tree: Tree::default(), dropped, is_closed: false, is_trim: false };
        mesh.is_closed = mesh.find_neighbours();
        mesh.tree = Tree::new(&mesh.boxes());
        let (bounds, vertices) = (mesh.bounds(), Bounds::around(mesh.vertices.iter().copied()));
        mesh.is_trim = bounds.least == vertices.least && bounds.most == vertices.most;
        Ok(mesh)
    }

    /// How many triangles were listed.
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Whether there are none, which is never so.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// How many triangles had no area, and are never met.
    pub fn dropped(&self) -> u32 {
        self.dropped
    }

    /// The corners of its triangles, maybe with some others among them; none if some vertex lies outside all of them.
    pub fn corners(&self) -> Option<&[Vec3]> {
        self.is_trim.then_some(&self.vertices)
    }

    /// Whether every edge has a triangle on both sides, so that there is an inside.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// The corners of all triangles that have an area.
    pub fn triangles(&self) -> impl Iterator<Item = [Vec3; 3]> + Clone + '_ {
        let kept = self.triangles.iter().filter(|triangle| !triangle.is_dropped());
        kept.map(|triangle| triangle.corners.map(|corner| self.vertices[corner as usize]))
    }

    /// The corners; those that no triangle uses are among them.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// The tree over the triangles.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    fn boxes(&self) -> Vec<Bounds> {
        let bounds = |(index, triangle): (u32, &Triangle)| {
            if triangle.is_dropped() { Bounds::EMPTY } else { Bounds::around(self.points(index)) }
        };
        (0..).zip(&self.triangles).map(bounds).collect()
    }

    /// Finds out what lies beyond every edge; gives whether there is something everywhere.
    fn find_neighbours(&mut self) -> bool {
        let mut sides = Vec::with_capacity((self.triangles.len() - self.dropped as usize) * 3);
        for (index, triangle) in (0..).zip(&self.triangles).filter(|(_, triangle)| !triangle.is_dropped()) {
            for edge in 0..3 {
                let (from, to) = (triangle.corners[edge], triangle.corners[(edge + 1) % 3]);
                sides.push(Side { corners: [from.min(to), from.max(to)], triangle: index, edge: edge as u32 });
            }
        }
        sides.sort_unstable_by_key(|side| (side.corners, side.triangle, side.edge));
        let mut is_closed = true;
        for at_edge in sides.chunk_by(|first, second| first.corners == second.corners) {
            for side in at_edge {
                let beyond = if at_edge.len() <= SIDES_MAX { self.neighbour(side, at_edge) } else { None };
                is_closed &= beyond.is_some();
                self.triangles[side.triangle as usize].beyond[side.edge as usize] = beyond.unwrap_or(0);
            }
        }
        is_closed
    }

    fn neighbour(&self, side: &Side, at_edge: &[Side]) -> Option<u32> {
        let start = |side: &Side| self.triangles[side.triangle as usize].corners[side.edge as usize];
        let own = self.facet(side.triangle);
        let outward = own.outward(side.edge as usize);
        let mut best: Option<(f32, u32)> = None;
        for other in at_edge.iter().filter(|other| start(other) != start(side)) {
            let across = self.triangles[other.triangle as usize].normal;
            let turn = 1.0 - across.dot(own.normal);
            let rank = if across.dot(outward) < 0.0 { -turn } else { turn };
            if best.is_none_or(|(least, _)| rank < least) {
                let kind = Edge::between(own.normal, across, outward) as u32;
                best = Some((rank, kind << KIND_SHIFT | other.triangle));
            }
        }
        best.map(|(_, beyond)| beyond)
    }
}

impl Surface for Mesh {
    fn bounds(&self) -> Bounds {
        self.tree.bounds()
    }

    #[inline]
    fn points(&self, triangle: u32) -> [Vec3; 3] {
        self.triangles[triangle as usize].corners.map(|corner| self.vertices[corner as usize])
    }

    #[inline]
    fn facet(&self, triangle: u32) -> Facet {
        let own = &self.triangles[triangle as usize];
        let neighbour = |beyond: u32| &self.triangles[(beyond & ((1 << KIND_SHIFT) - 1)) as usize];
        let apex = |edge: usize| {
            let shared = [own.corners[edge], own.corners[(edge + 1) % 3]];
            let corners = neighbour(own.beyond[edge]).corners;
            // Two are shared, so a third is left; which one it is for open edges does not matter.
            let left = if shared.contains(&corners[0]) { 1 } else { 0 };
            let left = if left == 1 && shared.contains(&corners[1]) { 2 } else { left };
            self.vertices[corners[left] as usize]
        };
        Facet {
            points: self.points(triangle),
            normal: own.normal,
            edges: own.beyond.map(|beyond| match beyond >> KIND_SHIFT {
                1 => Edge::Convex,
                2 => Edge::Flat,
                3 => Edge::Concave,
                _ => Edge::Open,
            }),
            across: own.beyond.map(|beyond| neighbour(beyond).normal),
            apexes: [apex(0), apex(1), apex(2)],
            rims: own.beyond.map(|beyond| neighbour(beyond).beyond.iter().any(|kind| kind >> KIND_SHIFT < FLAT)),
        }
    }

    #[inline]
    fn each_in(&self, bounds: &Bounds, visit: impl FnMut(u32) -> bool) -> bool {
        self.tree.each_in(bounds, visit)
    }

    #[inline]
    fn each_along(&self, line: &Line, length: f32, visit: impl FnMut(u32, f32) -> f32) {
        self.tree.each_along(line, length, visit);
    }

    #[inline]
    fn each_near(&self, bounds: &Bounds, distance: f32, visit: impl FnMut(u32) -> f32) {
        self.tree.each_near(bounds, distance, visit);
    }
}

impl Triangle {
    fn new(vertices: &[Vec3], corners: [u32; 3]) -> Triangle {
        let [a, b, c] = corners.map(|corner| vertices[corner as usize]);
        let across = (b - a).cross(c - a);
        let sides = [a.distance_squared(b), b.distance_squared(c), c.distance_squared(a)];
        let longest = Vec3::from_array(sides).max_component();
        let has_area = across.length() > HEIGHT_LEAST * longest;
        Triangle { corners, normal: if has_area { across.normal() } else { Vec3::ZERO }, beyond: [0; 3] }
    }

    /// Whether it has no area, and so no direction.
    fn is_dropped(&self) -> bool {
        self.normal == Vec3::ZERO
    }
}

impl fmt::Display for MeshError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MeshError::Empty => write!(out, "expected triangles, found none that has an area"),
            MeshError::TooMany => write!(out, "expected at most {MESH_TRIANGLES_MAX} triangles, found more"),
            MeshError::Vertex(index) => {
                write!(out, "expected places within {SIZE_MOST} m, found another at vertex {index}")
            }
            MeshError::Triangle(index) => {
                write!(out, "expected vertices that are listed, found another in triangle {index}")
            }
        }
    }
}

impl core::error::Error for MeshError {}

/// For every vertex the first that lies at the same place.
fn first_at_each_place(vertices: &[Vec3]) -> Vec<u32> {
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
