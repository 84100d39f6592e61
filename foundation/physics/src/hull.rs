//! The least convex body around some points: its corners, its sides, its edges.
//!
//! Laws
//! 1. Sides are polygons: triangles that lie in one plane (within a hundred-thousandth of the size) are one side.
//! 2. Every corner is the end of three edges or more, every edge is between two sides, and corners − edges + sides is two.
//! 3. Corners go around a side against the clock, seen from outside. An edge goes along its left side; from the normal of the left
//!    side to that of the right, the turn about the edge is a positive one.
//! 4. At most [`HULL_VERTICES_MAX`] corners and [`HULL_FACES_MAX`] sides. Points that would be more are left out, those first that
//!    reach out least; [`Hull::left_out`] tells how far.
//! 5. Equal points in equal order give the same hull, bit for bit. Points that are inside do not matter.

use alloc::vec::Vec;

use base::Vec3;
use base::number::max;

use crate::error::ShapeError;
use crate::limits::{HULL_FACES_MAX, HULL_VERTICES_MAX, SIZE_LEAST, SIZE_MOST};

mod grow;
mod merge;
#[cfg(test)]
mod tests;

/// A convex body with flat sides.
#[derive(Clone, Debug)]
pub struct Hull {
    vertices: Vec<Vec3>,
    planes: Vec<Plane>,
    faces: Vec<Face>,
    corners: Vec<u8>,
    edges: Vec<Edge>,
    centre: Vec3,
    inner: f32,
    left_out: f32,
}

/// All points whose product with the normal is the offset; what has a larger one is outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Out of the body, of length one.
    pub normal: Vec3,
    /// How far from the origin.
    pub offset: f32,
}

/// Where a side's corners are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Face {
    /// The first of them.
    pub first: u16,
    /// How many.
    pub count: u16,
}

/// An edge between two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The corner that it begins at.
    pub from: u8,
    /// The corner that it ends at.
    pub to: u8,
    /// The side whose corners it follows.
    pub left: u8,
    /// The other side.
    pub right: u8,
}

impl Plane {
    /// How far a point is outside; negative inside.
    #[inline]
    pub fn height(&self, point: Vec3) -> f32 {
        self.normal.dot(point) - self.offset
    }
}

impl Hull {
    /// Around some points. The cost grows with their number times that of the sides.
    pub fn new(points: &[Vec3]) -> Result<Hull, ShapeError> {
        if points.iter().any(|point| !point.is_finite()) {
            return Err(ShapeError::NotFinite);
        }
        if points.len() < 4 {
            return Err(ShapeError::TooFewPoints);
        }
        let reach = points.iter().fold(0.0, |most, point| max(most, point.abs().max_component()));
        if reach > SIZE_MOST {
            return Err(ShapeError::TooLarge);
        }
        let mut vertices_max = HULL_VERTICES_MAX;
        // With fewer corners there are fewer sides: at most twice as many, less four. So this ends.
        loop {
            let grown = grow::grow(points, vertices_max)?;
            let mut hull = merge::merge(points, &grown)?;
            let Some(over) = hull.faces.len().checked_sub(HULL_FACES_MAX + 1) else {
                let above = |plane: &Plane| points.iter().fold(0.0, |most, &point| max(most, plane.height(point)));
                hull.left_out = hull.planes.iter().fold(0.0, |most, plane| max(most, above(plane)));
                return Ok(hull);
            };
            vertices_max = grown.vertices_count().saturating_sub(1 + over / 2);
        }
    }

    /// Its corners.
    #[inline]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// The planes of its sides.
    #[inline]
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// Where the corners of each side are, in [`corners`](Hull::corners).
    #[inline]
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// The corners of all sides, by number.
    #[inline]
    pub fn corners(&self) -> &[u8] {
        &self.corners
    }

    /// Its edges, each once.
    #[inline]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// A point inside: the mean of the corners.
    #[inline]
    pub fn centre(&self) -> Vec3 {
        self.centre
    }

    /// How far the nearest side is from the centre: how large the body is where it is least so.
    #[inline]
    pub fn inner(&self) -> f32 {
        self.inner
    }

    /// How far above a side any of the points is that it was to be around. Zero but for rounding, if there was room for all.
    pub fn left_out(&self) -> f32 {
        self.left_out
    }

    /// The triangles of its sides, as a fan around the first corner of each.
    pub fn triangles(&self) -> impl Iterator<Item = [Vec3; 3]> + '_ {
        self.faces.iter().flat_map(move |face| {
            let corners = &self.corners[usize::from(face.first)..usize::from(face.first + face.count)];
            let at = move |corner: usize| self.vertices[usize::from(corners[corner])];
            (2..corners.len()).map(move |corner| [at(0), at(corner - 1), at(corner)])
        })
    }
}
