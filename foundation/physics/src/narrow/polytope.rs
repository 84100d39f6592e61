//! A box or hull for tests against many triangles: vertices, normals and edges in the axes of the surface, relative to the body's
//! position.

use base::{Vec3, number};

use crate::hull::{Hull, HullEdge, HullFace};
use crate::limits::{HULL_FACES_MAX, HULL_VERTICES_MAX};
use crate::pose::Pose;

/// Vertices, faces and edges. `V` and `F` are the capacities for vertices and faces, `P` that for vertices of a face clipped by a
/// triangle.
pub(super) struct Polytope<'shape, const V: usize, const F: usize, const P: usize> {
    pub vertices: [Vec3; V],
    pub vertex_count: usize,
    /// The face normals.
    pub normals: [Vec3; F],
    pub topology: Topology<'shape>,
    /// A point inside.
    pub center: Vec3,
    /// The radius of the sphere around the center.
    pub bounding_radius: f32,
}

/// The topology of a polytope: the vertices of its faces.
#[derive(Clone, Copy)]
pub(super) struct Topology<'shape> {
    /// The vertex range of each face.
    pub faces: &'shape [HullFace],
    /// The vertex indices of all faces, counter-clockwise seen from outside.
    pub face_indices: &'shape [u8],
    /// The edges, each once.
    pub edges: &'shape [HullEdge],
}

/// With the capacities of the hull limits.
pub(super) type HullPolytope<'shape> = Polytope<'shape, HULL_VERTICES_MAX, HULL_FACES_MAX, { HULL_VERTICES_MAX + 4 }>;

/// A face of a box clipped by a triangle has at most seven vertices.
pub(super) type BoxPolytope = Polytope<'static, 8, 6, 8>;

/// The bits of a vertex index are the signs of x, y, z. Faces: −x, +x, −y, +y, −z, +z.
const BOX_TOPOLOGY: Topology<'static> = Topology {
    faces: &[quad(0), quad(1), quad(2), quad(3), quad(4), quad(5)],
    face_indices: &[0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6],
    edges: &[
        edge(0, 1, 2, 4),
        edge(2, 3, 3, 4),
        edge(4, 5, 2, 5),
        edge(6, 7, 3, 5),
        edge(0, 2, 0, 4),
        edge(1, 3, 1, 4),
        edge(4, 6, 0, 5),
        edge(5, 7, 1, 5),
        edge(0, 4, 0, 2),
        edge(1, 5, 1, 2),
        edge(2, 6, 0, 3),
        edge(3, 7, 1, 3),
    ],
};

const fn quad(face: u16) -> HullFace {
    HullFace { first: face * 4, count: 4 }
}

/// Which face is called left does not matter here.
const fn edge(from: u8, to: u8, left: u8, right: u8) -> HullEdge {
    HullEdge { from, to, left, right }
}

impl BoxPolytope {
    /// A box in a pose relative to the surface.
    pub fn of_box(half: Vec3, pose: &Pose) -> BoxPolytope {
        let [x, y, z] = pose.axes.columns;
        let (far_x, far_y, far_z) = (x * half.x, y * half.y, z * half.z);
        let face = |bit: usize, farthest: Vec3| if bit == 0 { -farthest } else { farthest };
        let mut vertices = [Vec3::ZERO; 8];
        for (index, vertex) in vertices.iter_mut().enumerate() {
            *vertex = face(index & 1, far_x) + face(index & 2, far_y) + face(index & 4, far_z);
        }
        let normals = [-x, x, -y, y, -z, z];
        Polytope {
            vertices,
            vertex_count: 8,
            normals,
            topology: BOX_TOPOLOGY,
            center: Vec3::ZERO,
            bounding_radius: half.length(),
        }
    }
}

impl<'shape> HullPolytope<'shape> {
    /// A hull in a pose relative to the surface.
    pub fn hull_view(hull: &'shape Hull, pose: &Pose) -> HullPolytope<'shape> {
        let mut vertices = [Vec3::ZERO; HULL_VERTICES_MAX];
        for (vertex, own) in vertices.iter_mut().zip(hull.vertices()) {
            *vertex = pose.direction(*own);
        }
        let mut normals = [Vec3::ZERO; HULL_FACES_MAX];
        for (normal, plane) in normals.iter_mut().zip(hull.planes()) {
            *normal = pose.direction(plane.normal);
        }
        let center = pose.direction(hull.center());
        let farthest = |largest, vertex: &Vec3| number::max(largest, vertex.distance_squared(hull.center()));
        let bounding_radius = number::sqrt(hull.vertices().iter().fold(0.0, farthest));
        let topology = Topology { faces: hull.faces(), face_indices: hull.face_indices(), edges: hull.edges() };
        Polytope { vertices, vertex_count: hull.vertices().len(), normals, topology, center, bounding_radius }
    }
}

impl<const V: usize, const F: usize, const P: usize> Polytope<'_, V, F, P> {
    /// The number of faces.
    #[inline]
    pub fn face_count(&self) -> usize {
        self.topology.faces.len()
    }

    /// The vertex indices of a face.
    #[inline]
    pub fn face(&self, face: usize) -> &[u8] {
        let face = self.topology.faces[face];
        &self.topology.face_indices[usize::from(face.first)..][..usize::from(face.count)]
    }

    /// The vertices.
    #[inline]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices[..self.vertex_count]
    }
}
