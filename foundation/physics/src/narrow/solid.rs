//! A body with flat sides, as a triangle sees it: corners, sides and edges in the axes of the surface, around the body's position.

use base::{Vec3, number};

use crate::hull::{Edge, Face, Hull};
use crate::limits::{HULL_FACES_MAX, HULL_VERTICES_MAX};
use crate::pose::Pose;

/// Corners, sides and edges. `V`, `F` and `P` are how many corners and sides there may be, and how many corners a side may have when it
/// was cut by a triangle.
pub(super) struct Solid<'shape, const V: usize, const F: usize, const P: usize> {
    pub vertices: [Vec3; V],
    pub vertex_count: usize,
    /// Where the sides look.
    pub normals: [Vec3; F],
    pub net: Net<'shape>,
    /// A point inside.
    pub middle: Vec3,
    /// No point is farther from the middle.
    pub radius: f32,
}

/// Which corners make which sides.
#[derive(Clone, Copy)]
pub(super) struct Net<'shape> {
    /// Where the corners of each side are listed.
    pub faces: &'shape [Face],
    /// The corners of all sides, against the clock as seen from outside.
    pub corners: &'shape [u8],
    /// The edges, each once.
    pub edges: &'shape [Edge],
}

/// A hull has as many corners and sides as the limits allow.
pub(super) type SolidHull<'shape> = Solid<'shape, HULL_VERTICES_MAX, HULL_FACES_MAX, { HULL_VERTICES_MAX + 4 }>;

/// A box has eight corners and six sides, and a side that is cut by a triangle seven corners.
pub(super) type SolidBox = Solid<'static, 8, 6, 8>;

/// Bit by bit from the least corner: x, y, z. Sides: −x, +x, −y, +y, −z, +z.
const BOX: Net<'static> = Net {
    faces: &[square(0), square(1), square(2), square(3), square(4), square(5)],
    corners: &[0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6],
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

const fn square(side: u16) -> Face {
    Face { first: side * 4, count: 4 }
}

/// Which of its sides is called left does not matter here.
const fn edge(from: u8, to: u8, left: u8, right: u8) -> Edge {
    Edge { from, to, left, right }
}

impl SolidBox {
    /// A box with this half size that lies in a pose as the surface sees it.
    pub fn of_box(half: Vec3, pose: &Pose) -> SolidBox {
        let [x, y, z] = pose.axes.columns;
        let (far_x, far_y, far_z) = (x * half.x, y * half.y, z * half.z);
        let side = |bit: usize, far: Vec3| if bit == 0 { -far } else { far };
        let mut vertices = [Vec3::ZERO; 8];
        for (index, vertex) in vertices.iter_mut().enumerate() {
            *vertex = side(index & 1, far_x) + side(index & 2, far_y) + side(index & 4, far_z);
        }
        let normals = [-x, x, -y, y, -z, z];
        Solid { vertices, vertex_count: 8, normals, net: BOX, middle: Vec3::ZERO, radius: half.length() }
    }
}

impl<'shape> SolidHull<'shape> {
    /// A hull that lies in a pose as the surface sees it.
    pub fn of_hull(hull: &'shape Hull, pose: &Pose) -> SolidHull<'shape> {
        let mut vertices = [Vec3::ZERO; HULL_VERTICES_MAX];
        for (vertex, own) in vertices.iter_mut().zip(hull.vertices()) {
            *vertex = pose.direction(*own);
        }
        let mut normals = [Vec3::ZERO; HULL_FACES_MAX];
        for (normal, plane) in normals.iter_mut().zip(hull.planes()) {
            *normal = pose.direction(plane.normal);
        }
        let middle = pose.direction(hull.centre());
        let far = |most, vertex: &Vec3| number::max(most, vertex.distance_squared(hull.centre()));
        let radius = number::sqrt(hull.vertices().iter().fold(0.0, far));
        let net = Net { faces: hull.faces(), corners: hull.corners(), edges: hull.edges() };
        Solid { vertices, vertex_count: hull.vertices().len(), normals, net, middle, radius }
    }
}

impl<const V: usize, const F: usize, const P: usize> Solid<'_, V, F, P> {
    /// How many sides there are.
    #[inline]
    pub fn sides(&self) -> usize {
        self.net.faces.len()
    }

    /// The corners of a side, by number.
    #[inline]
    pub fn side(&self, side: usize) -> &[u8] {
        let face = self.net.faces[side];
        &self.net.corners[usize::from(face.first)..][..usize::from(face.count)]
    }

    /// The corners.
    #[inline]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices[..self.vertex_count]
    }
}
