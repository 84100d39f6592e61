//! Hulls, boxes and triangles as polyhedra in a common frame.
//!
//! A triangle is a polyhedron without thickness: it has a front and a back face, and only the front can be touched.

use base::{Vec3, number};

use crate::hull::{Hull, HullEdge, HullFace, Plane};
use crate::limits::{HULL_FACES_MAX, HULL_VERTICES_MAX};
use crate::pose::Pose;

/// Vertices, faces and edges in one frame. The laws are those of hulls.
pub(super) struct Polyhedron<'body> {
    pub vertices: &'body [Vec3],
    pub planes: &'body [Plane],
    pub faces: &'body [HullFace],
    pub face_indices: &'body [u8],
    pub edges: &'body [HullEdge],
    /// The number of faces that can be touched, which come first.
    pub solid_faces: usize,
    /// The radius of an inscribed sphere; infinite for triangles.
    pub thickness: f32,
}

impl Polyhedron<'_> {
    /// The vertex indices of a face.
    #[inline]
    pub(super) fn face_vertices(&self, face: usize) -> &[u8] {
        let face = self.faces[face];
        &self.face_indices[usize::from(face.first)..usize::from(face.first + face.count)]
    }

    /// A vertex by its index.
    #[inline]
    pub(super) fn vertex(&self, number: u8) -> Vec3 {
        self.vertices[usize::from(number)]
    }

    /// The face whose normal is farthest in a direction.
    pub(super) fn support_face(&self, direction: Vec3) -> usize {
        let mut best = (0, f32::NEG_INFINITY);
        for (face, plane) in self.planes.iter().enumerate() {
            let along = plane.normal.dot(direction);
            if along > best.1 {
                best = (face, along);
            }
        }
        best.0
    }
}

/// A hull in its own frame.
pub(super) fn hull_view(hull: &Hull) -> Polyhedron<'_> {
    Polyhedron {
        vertices: hull.vertices(),
        planes: hull.planes(),
        faces: hull.faces(),
        face_indices: hull.face_indices(),
        edges: hull.edges(),
        solid_faces: hull.planes().len(),
        thickness: hull.inscribed_radius(),
    }
}

/// A hull in another frame.
pub(super) struct PlacedHull<'body> {
    vertices: [Vec3; HULL_VERTICES_MAX],
    planes: [Plane; HULL_FACES_MAX],
    hull: &'body Hull,
}

impl<'body> PlacedHull<'body> {
    pub(super) fn new(hull: &'body Hull, pose: &Pose) -> PlacedHull<'body> {
        let mut vertices = [Vec3::ZERO; HULL_VERTICES_MAX];
        for (placed, &vertex) in vertices.iter_mut().zip(hull.vertices()) {
            *placed = pose.point(vertex);
        }
        let mut planes = [Plane { normal: Vec3::ZERO, offset: 0.0 }; HULL_FACES_MAX];
        for (placed, plane) in planes.iter_mut().zip(hull.planes()) {
            let normal = pose.direction(plane.normal);
            *placed = Plane { normal, offset: plane.offset + normal.dot(pose.position) };
        }
        PlacedHull { vertices, planes, hull }
    }

    pub(super) fn view(&self) -> Polyhedron<'_> {
        Polyhedron {
            vertices: &self.vertices[..self.hull.vertices().len()],
            planes: &self.planes[..self.hull.planes().len()],
            ..hull_view(self.hull)
        }
    }
}

/// A box in another frame: the bits of a vertex index are the signs of x, y, z; faces are −x, x, −y, y, −z, z.
pub(super) struct PlacedBox {
    vertices: [Vec3; 8],
    planes: [Plane; 6],
    thickness: f32,
}

impl PlacedBox {
    pub(super) fn new(half: Vec3, pose: &Pose) -> PlacedBox {
        let [x, y, z] = pose.axes.columns;
        let (along_x, along_y, along_z) = (x * half.x, y * half.y, z * half.z);
        let signed = |vector: Vec3, bit: usize| if bit == 0 { -vector } else { vector };
        let vertices = core::array::from_fn(|vertex| {
            let across = signed(along_x, vertex & 1) + signed(along_y, vertex & 2) + signed(along_z, vertex & 4);
            pose.position + across
        });
        let halves = half.to_array();
        let planes = core::array::from_fn(|face| {
            let normal = signed(pose.axes.columns[face / 2], face & 1);
            Plane { normal, offset: halves[face / 2] + normal.dot(pose.position) }
        });
        PlacedBox { vertices, planes, thickness: half.min_component() }
    }

    pub(super) fn view(&self) -> Polyhedron<'_> {
        Polyhedron {
            vertices: &self.vertices,
            planes: &self.planes,
            faces: &BOX_FACES,
            face_indices: &BOX_FACE_INDICES,
            edges: &BOX_EDGES,
            solid_faces: 6,
            thickness: self.thickness,
        }
    }
}

/// A triangle in another frame: its front and its back.
pub(super) struct PlacedTriangle {
    vertices: [Vec3; 3],
    planes: [Plane; 2],
}

impl PlacedTriangle {
    /// None if it is degenerate.
    pub(super) fn new(vertices: [Vec3; 3]) -> Option<PlacedTriangle> {
        let [a, b, c] = vertices;
        let normal = (b - a).cross(c - a).normal();
        let offset = normal.dot(a);
        let planes = [Plane { normal, offset }, Plane { normal: -normal, offset: -offset }];
        (normal != Vec3::ZERO).then_some(PlacedTriangle { vertices, planes })
    }

    pub(super) fn front_plane(&self) -> Plane {
        self.planes[0]
    }

    pub(super) fn view(&self) -> Polyhedron<'_> {
        Polyhedron {
            vertices: &self.vertices,
            planes: &self.planes,
            faces: &TRIANGLE_FACES,
            face_indices: &TRIANGLE_FACE_INDICES,
            edges: &TRIANGLE_EDGES,
            solid_faces: 1,
            thickness: f32::INFINITY,
        }
    }

    /// The edges on which a point lies, as bits; within `near` times the longest edge.
    pub(super) fn edges_near(&self, point: Vec3, tolerance_ratio: f32) -> u32 {
        let edge_vector = |edge: usize| self.vertices[(edge + 1) % 3] - self.vertices[edge];
        let longest = (0..3).fold(0.0, |longest, edge| number::max(longest, edge_vector(edge).length_squared()));
        let distance_max = tolerance_ratio * number::sqrt(longest);
        (0..3).fold(0, |bits, edge| {
            let inwards = self.planes[0].normal.cross(edge_vector(edge)).normal();
            let inside = inwards.dot(point - self.vertices[edge]);
            if inside <= distance_max { bits | 1 << edge } else { bits }
        })
    }
}

const BOX_FACE_INDICES: [u8; 24] = [0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6];
const BOX_FACES: [HullFace; 6] = {
    let mut faces = [HullFace { first: 0, count: 4 }; 6];
    let mut face = 0;
    while face < 6 {
        faces[face].first = face as u16 * 4;
        face += 1;
    }
    faces
};
const BOX_EDGES: [HullEdge; 12] = quad_edges(&BOX_FACE_INDICES);
const TRIANGLE_FACE_INDICES: [u8; 6] = [0, 1, 2, 0, 2, 1];
const TRIANGLE_FACES: [HullFace; 2] = [HullFace { first: 0, count: 3 }, HullFace { first: 3, count: 3 }];
const TRIANGLE_EDGES: [HullEdge; 3] = [
    HullEdge { from: 0, to: 1, left: 0, right: 1 },
    HullEdge { from: 1, to: 2, left: 0, right: 1 },
    HullEdge { from: 2, to: 0, left: 0, right: 1 },
];

/// The edges between faces of four vertices each.
const fn quad_edges(face_indices: &[u8; 24]) -> [HullEdge; 12] {
    let mut edges = [HullEdge { from: 0, to: 0, left: 0, right: 0 }; 12];
    let mut count = 0;
    let mut at = 0;
    while at < 24 {
        let (from, to) = (face_indices[at], face_indices[at / 4 * 4 + (at + 1) % 4]);
        if from < to {
            let mut other = 0;
            while face_indices[other] != to || face_indices[other / 4 * 4 + (other + 1) % 4] != from {
                other += 1;
            }
            edges[count] = HullEdge { from, to, left: (at / 4) as u8, right: (other / 4) as u8 };
            count += 1;
        }
        at += 1;
    }
    edges
}
