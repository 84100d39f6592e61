//! Triangles of a surface with their adjacency, which decides which contact normals a triangle may produce.
//!
//! A body that slides over a floor of triangles must not collide with the internal edges between them, although each triangle
//! alone has three edges to collide with. So contact normals are filtered by the Voronoi regions of the triangle's edges, as
//! Bullet's internal edge utility does.
//!
//! Laws
//! 1. A triangle is one-sided: its front is where its vertices wind counter-clockwise. A body behind it does not touch it.
//! 2. No contact normal leans over a flat or concave edge: the neighbour covers it. Over a convex edge it leans no farther than
//!    the neighbour's normal, over an open edge at most to a right angle.

use base::{Vec3, number};

use crate::aabb::{Aabb, SweptAabb};

/// The kind of an edge, by the dihedral angle to the neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    /// No neighbour: a boundary edge.
    Open,
    /// The neighbour falls away.
    Convex,
    /// The neighbour is nearly coplanar.
    Flat,
    /// The neighbour rises.
    Concave,
}

/// A triangle with its adjacency.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceTriangle {
    /// Its vertices.
    pub vertices: [Vec3; 3],
    /// The unit normal of its front.
    pub normal: Vec3,
    /// The kind of each edge; edge `i` goes from vertex `i` to the next.
    pub edges: [EdgeKind; 3],
    /// The neighbours' normals; meaningless for open edges.
    pub neighbour_normals: [Vec3; 3],
    /// The neighbours' vertices that are not shared; for open edges any vertex.
    pub neighbour_apexes: [Vec3; 3],
    /// Whether each neighbour has an exposed edge, so that the surface may end or fall away right behind it.
    pub neighbour_has_exposed_edge: [bool; 3],
}

/// The Voronoi region in which a contact normal lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormalRegion {
    /// The triangle's: the contact is its own.
    Own,
    /// Over an internal edge, which the neighbour covers.
    InternalEdge,
    /// Past the neighbour's normal: the contact belongs to the neighbour.
    Neighbour,
    /// Behind the triangle.
    Behind,
}

/// A surface made of triangles, named by their index.
pub trait Surface {
    /// The box around all triangles.
    fn aabb(&self) -> Aabb;

    /// The vertices of a triangle.
    fn triangle_vertices(&self, triangle: u32) -> [Vec3; 3];

    /// A triangle with its adjacency.
    fn triangle(&self, triangle: u32) -> SurfaceTriangle;

    /// As [`Bvh::visit_overlapping`](crate::bvh::Bvh::visit_overlapping).
    fn visit_overlapping(&self, aabb: &Aabb, visit: impl FnMut(u32) -> bool) -> bool;

    /// As [`Bvh::visit_swept`](crate::bvh::Bvh::visit_swept).
    fn visit_swept(&self, swept: &SweptAabb, length: f32, visit: impl FnMut(u32, f32) -> f32);

    /// As [`Bvh::visit_within`](crate::bvh::Bvh::visit_within).
    fn visit_within(&self, aabb: &Aabb, distance: f32, visit: impl FnMut(u32) -> f32);
}

/// Sine of the dihedral angle (three degrees) up to which an edge counts as flat.
const FLAT_SINE: f32 = 0.05;
/// How far a normal may lean over an internal edge by rounding, as a sine.
const INTERNAL_EDGE_TOLERANCE: f32 = 1e-3;
/// Cosine to the triangle's normal below which a direction belongs to no neighbour that faces the same side.
const BEHIND_COSINE: f32 = -0.1;
/// How far past the neighbour's normal a direction may lean, as a sine, so that at least one of the two accepts it.
const NEIGHBOUR_TOLERANCE: f32 = 0.01;

impl EdgeKind {
    /// The kind of an edge from the normals on both sides and the in-plane outward normal of the edge.
    pub fn classify(normal: Vec3, neighbour_normal: Vec3, edge_normal: Vec3) -> EdgeKind {
        let sine = neighbour_normal.dot(edge_normal);
        if neighbour_normal.dot(normal) > 0.0 && sine.abs() <= FLAT_SINE {
            EdgeKind::Flat
        } else if sine >= -FLAT_SINE {
            EdgeKind::Convex
        } else {
            EdgeKind::Concave
        }
    }

    /// Whether a body can touch the edge itself.
    #[inline]
    pub fn is_exposed(self) -> bool {
        matches!(self, EdgeKind::Open | EdgeKind::Convex)
    }
}

impl SurfaceTriangle {
    /// The in-plane unit normal that points out over an edge.
    #[inline]
    pub fn edge_normal(&self, edge: usize) -> Vec3 {
        let along = self.vertices[(edge + 1) % 3] - self.vertices[edge];
        along.cross(self.normal).normal()
    }

    /// The region of a unit contact normal.
    pub fn classify_normal(&self, direction: Vec3, edge_normals: &[Vec3; 3]) -> NormalRegion {
        let up = direction.dot(self.normal);
        if up < BEHIND_COSINE {
            return NormalRegion::Behind;
        }
        let mut region = if up <= 0.0 { NormalRegion::Neighbour } else { NormalRegion::Own };
        for (edge, edge_normal) in edge_normals.iter().enumerate() {
            let out = direction.dot(*edge_normal);
            if !self.edges[edge].is_exposed() && out > INTERNAL_EDGE_TOLERANCE {
                return NormalRegion::InternalEdge;
            }
            if self.edges[edge] == EdgeKind::Convex && out > NEIGHBOUR_TOLERANCE {
                // The sine of the angle from the direction to the neighbour's normal.
                let neighbour_normal = self.neighbour_normals[edge];
                let sine = neighbour_normal.dot(*edge_normal) * up - neighbour_normal.dot(self.normal) * out;
                if sine < -NEIGHBOUR_TOLERANCE {
                    region = NormalRegion::Neighbour;
                }
            }
        }
        region
    }

    /// How much farther than the triangle the surface extends along a direction that leans over internal edges: as far as the
    /// neighbour's apex if the surface may end behind it, otherwise without limit.
    pub fn extent_past_internal_edges(&self, direction: Vec3, edge_normals: &[Vec3; 3]) -> f32 {
        let [a, b, c] = self.vertices.map(|point| point.dot(direction));
        let own = number::max(number::max(a, b), c);
        let is_over = |edge: &usize| {
            !self.edges[*edge].is_exposed() && direction.dot(edge_normals[*edge]) > INTERNAL_EDGE_TOLERANCE
        };
        let mut over = (0..3).filter(is_over);
        match (over.next(), over.next()) {
            (Some(edge), None) if self.neighbour_has_exposed_edge[edge] => {
                number::max(self.neighbour_apexes[edge].dot(direction) - own, 0.0)
            }
            _ => f32::INFINITY,
        }
    }

    /// Relative to another origin.
    #[inline]
    #[must_use]
    pub fn relative_to(mut self, origin: Vec3) -> SurfaceTriangle {
        self.vertices = self.vertices.map(|point| point - origin);
        self.neighbour_apexes = self.neighbour_apexes.map(|point| point - origin);
        self
    }
}

/// The point of a triangle closest to a point, by Voronoi regions (Ericson 2005, 5.1.5).
pub fn closest_point_on_triangle(vertices: &[Vec3; 3], point: Vec3) -> Vec3 {
    let [a, b, c] = *vertices;
    let (ab, ac, ap) = (b - a, c - a, point - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = point - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * ratio(d1, d1 - d3);
    }
    let cp = point - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * ratio(d2, d2 - d6);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return b + (c - b) * ratio(d4 - d3, (d4 - d3) + (d5 - d6));
    }
    let sum = va + vb + vc;
    a + ab * ratio(vb, sum) + ac * ratio(vc, sum)
}

#[inline]
fn ratio(of: f32, whole: f32) -> f32 {
    if whole == 0.0 { 0.0 } else { of / whole }
}
