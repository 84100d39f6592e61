//! Convex hulls: vertices, polygonal faces and edges.
//!
//! Built by quickhull (Barber, Dobkin and Huhdanpaa 1996) in double precision, then coplanar triangles are merged.
//!
//! Laws
//! 1. Faces are polygons: triangles coplanar within 1e-5 of the hull's size are one face.
//! 2. Every vertex has three edges or more, every edge lies between two faces, and vertices − edges + faces = 2 (Euler).
//! 3. The vertices of a face wind counter-clockwise seen from outside. An edge follows its left face; the rotation about the edge
//!    from the left normal to the right one is positive.
//! 4. At most [`HULL_VERTICES_MAX`] vertices and [`HULL_FACES_MAX`] faces. Beyond that the points that protrude least are left
//!    out; [`Hull::simplification_error`] says how far they protrude.
//! 5. Equal points in equal order give the same hull, bit for bit. Interior points do not matter.

use alloc::vec::Vec;

use base::Vec3;
use base::number::max;

use crate::error::ShapeError;
use crate::limits::{HULL_FACES_MAX, HULL_VERTICES_MAX, SIZE_MAX, SIZE_MIN};

mod coplanar;
mod quickhull;
#[cfg(test)]
mod tests;

/// A convex polyhedron.
#[derive(Clone, Debug)]
pub struct Hull {
    vertices: Vec<Vec3>,
    planes: Vec<Plane>,
    faces: Vec<HullFace>,
    face_indices: Vec<u8>,
    edges: Vec<HullEdge>,
    center: Vec3,
    inscribed_radius: f32,
    simplification_error: f32,
}

/// The points whose dot product with the normal is the offset. A larger product is outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// The unit outward normal.
    pub normal: Vec3,
    /// The signed distance from the origin.
    pub offset: f32,
}

/// The range of a face's vertices in [`Hull::face_indices`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HullFace {
    /// The first of them.
    pub first: u16,
    /// Their number.
    pub count: u16,
}

/// An edge between two faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HullEdge {
    /// The start vertex.
    pub from: u8,
    /// The end vertex.
    pub to: u8,
    /// The face whose winding the edge follows.
    pub left: u8,
    /// The other face.
    pub right: u8,
}

impl Plane {
    /// The signed distance of a point: positive outside.
    #[inline]
    pub fn signed_distance(&self, point: Vec3) -> f32 {
        self.normal.dot(point) - self.offset
    }
}

impl Hull {
    /// The hull of some points. The cost is proportional to points times faces.
    pub fn new(points: &[Vec3]) -> Result<Hull, ShapeError> {
        if points.iter().any(|point| !point.is_finite()) {
            return Err(ShapeError::NotFinite);
        }
        if points.len() < 4 {
            return Err(ShapeError::TooFewPoints);
        }
        let extent = points.iter().fold(0.0, |max_distance, point| max(max_distance, point.abs().max_component()));
        if extent > SIZE_MAX {
            return Err(ShapeError::TooLarge);
        }
        let mut vertices_max = HULL_VERTICES_MAX;
        // A hull of v vertices has at most 2v − 4 faces, so the limit shrinks until they fit.
        loop {
            let triangles = quickhull::quickhull(points, vertices_max)?;
            let mut hull = coplanar::merge_faces(points, &triangles)?;
            let Some(over) = hull.faces.len().checked_sub(HULL_FACES_MAX + 1) else {
                let above = |plane: &Plane| {
                    points.iter().fold(0.0, |max_distance, &point| max(max_distance, plane.signed_distance(point)))
                };
                hull.simplification_error =
                    hull.planes.iter().fold(0.0, |max_distance, plane| max(max_distance, above(plane)));
                assert!(hull.vertices.len() <= HULL_VERTICES_MAX, "vertex indices are bits of a word");
                assert_eq!(hull.vertices.len() + hull.faces.len(), hull.edges.len() + 2, "a hull is closed (Euler)");
                return Ok(hull);
            };
            vertices_max = triangles.vertex_count().saturating_sub(1 + over / 2);
        }
    }

    /// Its vertices.
    #[inline]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// The planes of its faces.
    #[inline]
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// The vertex range of each face, in [`face_indices`](Hull::face_indices).
    #[inline]
    pub fn faces(&self) -> &[HullFace] {
        &self.faces
    }

    /// The vertex indices of all faces.
    #[inline]
    pub fn face_indices(&self) -> &[u8] {
        &self.face_indices
    }

    /// Its edges, each once.
    #[inline]
    pub fn edges(&self) -> &[HullEdge] {
        &self.edges
    }

    /// A point inside: the mean of the vertices.
    #[inline]
    pub fn center(&self) -> Vec3 {
        self.center
    }

    /// The distance from the center to the nearest face: the radius of an inscribed sphere.
    #[inline]
    pub fn inscribed_radius(&self) -> f32 {
        self.inscribed_radius
    }

    /// How far any of the input points lies outside; only rounding, unless a limit was reached.
    pub fn simplification_error(&self) -> f32 {
        self.simplification_error
    }

    /// The triangles of its faces, as fans around their first vertices.
    pub fn triangles(&self) -> impl Iterator<Item = [Vec3; 3]> + '_ {
        self.faces.iter().flat_map(move |face| {
            let face_indices = &self.face_indices[usize::from(face.first)..usize::from(face.first + face.count)];
            let at = move |vertex: usize| self.vertices[usize::from(face_indices[vertex])];
            (2..face_indices.len()).map(move |vertex| [at(0), at(vertex - 1), at(vertex)])
        })
    }
}
