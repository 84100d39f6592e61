//! A triangle of a surface, and what lies beyond its edges.
//!
//! A body that slides over a floor of triangles must not catch on the edges between them, though seen alone each triangle has edges to
//! bump into. So a triangle knows its neighbours, and says which directions of contact are really its own.
//!
//! Laws
//! 1. A triangle is seen from where its corners go round against the clock; it is not there for whoever is behind it.
//! 2. Over a flat or concave edge no contact leans: there the neighbour is in the way. Over a convex edge it leans as far as the
//!    neighbour's normal and no farther, over an open one up to a right angle.

use base::{Vec3, number};

use crate::bounds::{Bounds, Line};

/// What lies beyond an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Nothing.
    Open,
    /// A triangle that falls away.
    Convex,
    /// A triangle in nearly the same plane.
    Flat,
    /// A triangle that rises.
    Concave,
}

/// A triangle with its neighbours.
#[derive(Clone, Copy, Debug)]
pub struct Facet {
    /// Its corners.
    pub points: [Vec3; 3],
    /// Where it looks; of length one.
    pub normal: Vec3,
    /// What lies beyond the edges, of which each goes from its corner to the next.
    pub edges: [Edge; 3],
    /// The normals of the neighbours; of no meaning for open edges.
    pub across: [Vec3; 3],
    /// The corners of the neighbours that they do not share; for open edges some corner of its own.
    pub apexes: [Vec3; 3],
    /// Whether the neighbours have edges that can be touched: whether the surface may end, or fall away, right behind them.
    pub rims: [bool; 3],
}

/// Whose contact a direction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lean {
    /// The triangle's own.
    Own,
    /// It leans over an edge that cannot be touched, because the neighbour is in the way.
    Inner,
    /// It leans farther than the neighbour: it is the neighbour's.
    Beyond,
    /// It points to where the triangle is not there.
    Behind,
}

/// Triangles that are found by their places.
pub trait Surface {
    /// The box around all.
    fn bounds(&self) -> Bounds;

    /// The corners of a triangle that one of the following gave.
    fn points(&self, triangle: u32) -> [Vec3; 3];

    /// The same with its neighbours.
    fn facet(&self, triangle: u32) -> Facet;

    /// As [`Tree::each_in`](crate::tree::Tree::each_in).
    fn each_in(&self, bounds: &Bounds, visit: impl FnMut(u32) -> bool) -> bool;

    /// As [`Tree::each_along`](crate::tree::Tree::each_along).
    fn each_along(&self, line: &Line, length: f32, visit: impl FnMut(u32, f32) -> f32);

    /// As [`Tree::each_near`](crate::tree::Tree::each_near).
    fn each_near(&self, bounds: &Bounds, distance: f32, visit: impl FnMut(u32) -> f32);
}

/// Neighbours whose normals differ by less than this (as a sine: three degrees) lie flat: a body feels no edge there.
const FLAT: f32 = 0.05;
/// So much a direction may lean over an edge that it must not lean over, for rounding.
const LEAN_INNER: f32 = 1e-3;
/// Directions that point farther back than this are of no neighbour that can be seen from the front.
const BEHIND: f32 = -0.1;
/// So much farther than the neighbour's normal a direction may lean, so that one of the two always takes it.
const LEAN_BEYOND: f32 = 0.01;

impl Edge {
    /// What an edge is, given the normals on both sides and the direction in the plane of the first that leads out of it.
    pub fn between(normal: Vec3, across: Vec3, outward: Vec3) -> Edge {
        let sine = across.dot(outward);
        if across.dot(normal) > 0.0 && sine.abs() <= FLAT {
            Edge::Flat
        } else if sine >= -FLAT {
            Edge::Convex
        } else {
            Edge::Concave
        }
    }

    /// Whether a body can touch the edge itself.
    #[inline]
    pub fn is_touchable(self) -> bool {
        matches!(self, Edge::Open | Edge::Convex)
    }
}

impl Facet {
    /// The direction in its plane that leads out over an edge; of length one.
    #[inline]
    pub fn outward(&self, edge: usize) -> Vec3 {
        let way = self.points[(edge + 1) % 3] - self.points[edge];
        way.cross(self.normal).normal()
    }

    /// Whose a contact is that pushes along a direction of length one.
    pub fn lean(&self, direction: Vec3, outwards: &[Vec3; 3]) -> Lean {
        let up = direction.dot(self.normal);
        if up < BEHIND {
            return Lean::Behind;
        }
        let mut lean = if up <= 0.0 { Lean::Beyond } else { Lean::Own };
        for (edge, outward) in outwards.iter().enumerate() {
            let out = direction.dot(*outward);
            if !self.edges[edge].is_touchable() && out > LEAN_INNER {
                return Lean::Inner;
            }
            if self.edges[edge] == Edge::Convex && out > LEAN_BEYOND {
                // The sine of the angle from the direction to the neighbour's normal.
                let across = self.across[edge];
                let left = across.dot(*outward) * up - across.dot(self.normal) * out;
                if left < -LEAN_BEYOND {
                    lean = Lean::Beyond;
                }
            }
        }
        lean
    }

    /// How much farther than the triangle the surface reaches along a direction that leans over edges which cannot be touched: as far as the
    /// neighbour, if the surface may end behind that, else any distance.
    pub fn reach_inner(&self, direction: Vec3, outwards: &[Vec3; 3]) -> f32 {
        let [a, b, c] = self.points.map(|point| point.dot(direction));
        let own = number::max(number::max(a, b), c);
        let is_over = |edge: &usize| !self.edges[*edge].is_touchable() && direction.dot(outwards[*edge]) > LEAN_INNER;
        let mut over = (0..3).filter(is_over);
        match (over.next(), over.next()) {
            (Some(edge), None) if self.rims[edge] => number::max(self.apexes[edge].dot(direction) - own, 0.0),
            _ => f32::INFINITY,
        }
    }

    /// The same seen from another origin.
    #[inline]
    #[must_use]
    pub fn seen_from(mut self, origin: Vec3) -> Facet {
        self.points = self.points.map(|point| point - origin);
        self.apexes = self.apexes.map(|point| point - origin);
        self
    }
}

/// The point of a triangle that is nearest to another point.
pub fn nearest_on_triangle(points: &[Vec3; 3], to: Vec3) -> Vec3 {
    let [a, b, c] = *points;
    let (ab, ac, ap) = (b - a, c - a, to - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = to - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * part(d1, d1 - d3);
    }
    let cp = to - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * part(d2, d2 - d6);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return b + (c - b) * part(d4 - d3, (d4 - d3) + (d5 - d6));
    }
    let sum = va + vb + vc;
    a + ab * part(vb, sum) + ac * part(vc, sum)
}

#[inline]
fn part(of: f32, whole: f32) -> f32 {
    if whole == 0.0 { 0.0 } else { of / whole }
}
