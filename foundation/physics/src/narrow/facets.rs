//! What has flat sides, seen from one place: hulls, boxes and triangles alike.
//!
//! A triangle is a body without thickness: it has a front and a back, and only the front can be touched.

use base::{Vec3, number};

use crate::hull::{Edge, Face, Hull, Plane};
use crate::limits::{HULL_FACES_MAX, HULL_VERTICES_MAX};
use crate::pose::Pose;

/// Corners, sides and edges, all as somebody sees them. The laws are those of hulls.
pub(super) struct Facets<'body> {
    pub vertices: &'body [Vec3],
    pub planes: &'body [Plane],
    pub faces: &'body [Face],
    pub corners: &'body [u8],
    pub edges: &'body [Edge],
    /// How many of the sides can be touched: the first ones.
    pub sides: usize,
    /// How large it is where it is least so.
    pub size: f32,
}

impl Facets<'_> {
    /// The corners around a side, by number.
    #[inline]
    pub(super) fn around(&self, face: usize) -> &[u8] {
        let face = self.faces[face];
        &self.corners[usize::from(face.first)..usize::from(face.first + face.count)]
    }

    /// A corner by its number.
    #[inline]
    pub(super) fn vertex(&self, number: u8) -> Vec3 {
        self.vertices[usize::from(number)]
    }

    /// The side whose normal goes farthest in a direction.
    pub(super) fn facing(&self, direction: Vec3) -> usize {
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

/// A hull as it sees itself.
pub(super) fn of_hull(hull: &Hull) -> Facets<'_> {
    Facets {
        vertices: hull.vertices(),
        planes: hull.planes(),
        faces: hull.faces(),
        corners: hull.corners(),
        edges: hull.edges(),
        sides: hull.planes().len(),
        size: hull.inner(),
    }
}

/// A hull as another sees it.
pub(super) struct HullSeen<'body> {
    vertices: [Vec3; HULL_VERTICES_MAX],
    planes: [Plane; HULL_FACES_MAX],
    hull: &'body Hull,
}

impl<'body> HullSeen<'body> {
    pub(super) fn new(hull: &'body Hull, pose: &Pose) -> HullSeen<'body> {
        let mut vertices = [Vec3::ZERO; HULL_VERTICES_MAX];
        for (seen, &vertex) in vertices.iter_mut().zip(hull.vertices()) {
            *seen = pose.point(vertex);
        }
        let mut planes = [Plane { normal: Vec3::ZERO, offset: 0.0 }; HULL_FACES_MAX];
        for (seen, plane) in planes.iter_mut().zip(hull.planes()) {
            let normal = pose.direction(plane.normal);
            *seen = Plane { normal, offset: plane.offset + normal.dot(pose.position) };
        }
        HullSeen { vertices, planes, hull }
    }

    pub(super) fn facets(&self) -> Facets<'_> {
        Facets {
            vertices: &self.vertices[..self.hull.vertices().len()],
            planes: &self.planes[..self.hull.planes().len()],
            ..of_hull(self.hull)
        }
    }
}

/// A box as somebody sees it: corner bits are the signs of x, y, z; sides are −x, x, −y, y, −z, z.
pub(super) struct BoxSeen {
    vertices: [Vec3; 8],
    planes: [Plane; 6],
    size: f32,
}

impl BoxSeen {
    pub(super) fn new(half: Vec3, pose: &Pose) -> BoxSeen {
        let [x, y, z] = pose.axes.columns;
        let (along_x, along_y, along_z) = (x * half.x, y * half.y, z * half.z);
        let signed = |vector: Vec3, bit: usize| if bit == 0 { -vector } else { vector };
        let vertices = core::array::from_fn(|corner| {
            let across = signed(along_x, corner & 1) + signed(along_y, corner & 2) + signed(along_z, corner & 4);
            pose.position + across
        });
        let halves = half.to_array();
        let planes = core::array::from_fn(|side| {
            let normal = signed(pose.axes.columns[side / 2], side & 1);
            Plane { normal, offset: halves[side / 2] + normal.dot(pose.position) }
        });
        BoxSeen { vertices, planes, size: half.min_component() }
    }

    pub(super) fn facets(&self) -> Facets<'_> {
        Facets {
            vertices: &self.vertices,
            planes: &self.planes,
            faces: &BOX_FACES,
            corners: &BOX_CORNERS,
            edges: &BOX_EDGES,
            sides: 6,
            size: self.size,
        }
    }
}

/// A triangle as somebody sees it: its front and its back.
pub(super) struct TriangleSeen {
    vertices: [Vec3; 3],
    planes: [Plane; 2],
}

impl TriangleSeen {
    /// None if it has no area to speak of.
    pub(super) fn new(vertices: [Vec3; 3]) -> Option<TriangleSeen> {
        let [a, b, c] = vertices;
        let normal = (b - a).cross(c - a).normal();
        let offset = normal.dot(a);
        let planes = [Plane { normal, offset }, Plane { normal: -normal, offset: -offset }];
        (normal != Vec3::ZERO).then_some(TriangleSeen { vertices, planes })
    }

    pub(super) fn front(&self) -> Plane {
        self.planes[0]
    }

    pub(super) fn facets(&self) -> Facets<'_> {
        Facets {
            vertices: &self.vertices,
            planes: &self.planes,
            faces: &TRIANGLE_FACES,
            corners: &TRIANGLE_CORNERS,
            edges: &TRIANGLE_EDGES,
            sides: 1,
            size: f32::INFINITY,
        }
    }

    /// On which edges a point lies, as bits; within `near` of its longest edge.
    pub(super) fn edges_at(&self, point: Vec3, near: f32) -> u32 {
        let way = |edge: usize| self.vertices[(edge + 1) % 3] - self.vertices[edge];
        let longest = (0..3).fold(0.0, |most, edge| number::max(most, way(edge).length_squared()));
        let reach = near * number::sqrt(longest);
        (0..3).fold(0, |bits, edge| {
            let inwards = self.planes[0].normal.cross(way(edge)).normal();
            let inside = inwards.dot(point - self.vertices[edge]);
            if inside <= reach { bits | 1 << edge } else { bits }
        })
    }
}

const BOX_CORNERS: [u8; 24] = [0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6];
const BOX_FACES: [Face; 6] = {
    let mut faces = [Face { first: 0, count: 4 }; 6];
    let mut face = 0;
    while face < 6 {
        faces[face].first = face as u16 * 4;
        face += 1;
    }
    faces
};
const BOX_EDGES: [Edge; 12] = edges_of(&BOX_CORNERS);
const TRIANGLE_CORNERS: [u8; 6] = [0, 1, 2, 0, 2, 1];
const TRIANGLE_FACES: [Face; 2] = [Face { first: 0, count: 3 }, Face { first: 3, count: 3 }];
const TRIANGLE_EDGES: [Edge; 3] = [
    Edge { from: 0, to: 1, left: 0, right: 1 },
    Edge { from: 1, to: 2, left: 0, right: 1 },
    Edge { from: 2, to: 0, left: 0, right: 1 },
];

/// The edges between sides of four corners each.
const fn edges_of(corners: &[u8; 24]) -> [Edge; 12] {
    let mut edges = [Edge { from: 0, to: 0, left: 0, right: 0 }; 12];
    let mut count = 0;
    let mut at = 0;
    while at < 24 {
        let (from, to) = (corners[at], corners[at / 4 * 4 + (at + 1) % 4]);
        if from < to {
            let mut other = 0;
            while corners[other] != to || corners[other / 4 * 4 + (other + 1) % 4] != from {
                other += 1;
            }
            edges[count] = Edge { from, to, left: (at / 4) as u8, right: (other / 4) as u8 };
            count += 1;
        }
        at += 1;
    }
    edges
}
