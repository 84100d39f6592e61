//! Convex parts of a closed mesh, for bodies that move.
//!
//! The mesh is cut by planes through its reflex edges (Chazelle 1984) until each piece is convex within a tolerance. Cuts are
//! never capped: the vertices of the clipped triangles span the hull of a convex piece, caps included. The concavity of a piece is
//! how far its triangles lie within its hull, along their normals (Mamou and Ghorbel 2009).
//!
//! Laws
//! 1. The parts together have the volume of the mesh within a tolerance: see [`TOLERANCES`]. If none of these is reached with
//!    [`PARTS_MAX`] parts, there are no parts here, but approximate ones: see [`coarse_parts`](super::coarse_parts).
//! 2. Equal meshes have equal parts, bit for bit.

use alloc::vec;
use alloc::vec::Vec;

use base::number::{abs, max, min};
use base::{Vec3, number};

use super::Mesh;
use crate::aabb::Aabb;
use crate::hull::{Hull, Plane};
use crate::surface::{EdgeKind, Surface};

/// A mesh with more triangles is not cut here: the cost grows with their square.
const TRIANGLES_MAX: usize = 640;
/// Most parts.
const PARTS_MAX: usize = 32;
/// Most cuts that are tried.
const CUTS_MAX: usize = 256;
/// The largest concavity of a part, as a fraction of the mesh's diagonal, and by what fraction the volume of all parts may differ
/// from the mesh's; the first that can be reached counts. Coarser parts fill dents of a mesh with many.
const TOLERANCES: [[f32; 2]; 3] = [[0.015, 0.05], [0.03, 0.05], [0.06, 0.15]];
/// Points this close to a plane lie on it, as a fraction of the mesh's diagonal.
const ON_PLANE: f32 = 1.0e-4;
/// Reflex edges whose planes are tried, the most important first.
const CANDIDATES_MAX: usize = 12;

/// The convex parts of a closed mesh; none if it cannot be cut well.
pub(super) fn decompose(mesh: &Mesh) -> Vec<Hull> {
    if !mesh.is_closed || mesh.len() > TRIANGLES_MAX {
        return Vec::new();
    }
    let size = mesh.aabb().half_extent().length() * 2.0;
    let volume = volume_of(mesh.triangles());
    let cut = |[concavity_max, tolerance]: [f32; 2]| {
        let cutter = Cutter { on_plane: size * ON_PLANE, concavity_max: size * concavity_max };
        let parts = cutter.cut_all(mesh)?;
        let of_parts = parts.iter().fold(0.0, |sum, part| sum + volume_of(part.triangles()));
        (abs(of_parts - volume) <= tolerance * volume).then_some(parts)
    };
    TOLERANCES.into_iter().find_map(cut).unwrap_or_default()
}

/// A part of the mesh's surface between cuts.
struct Piece {
    faces: Vec<Face>,
    edges: Vec<Edge>,
    cuts: Vec<Plane>,
}

/// What is left of a triangle.
#[derive(Clone)]
struct Face {
    triangle: u32,
    normal: Vec3,
    points: Vec<Vec3>,
}

/// What is left of an edge between two triangles. Its weight is positive if it is reflex.
#[derive(Clone, Copy)]
struct Edge {
    triangles: [u32; 2],
    normals: [Vec3; 2],
    ends: [Vec3; 2],
    weight: f32,
}

struct Cutter {
    on_plane: f32,
    concavity_max: f32,
}

impl Cutter {
    fn cut_all(&self, mesh: &Mesh) -> Option<Vec<Hull>> {
        let (mut open, mut parts) = (self.components(Piece::of(mesh), mesh.len()), Vec::new());
        let mut cuts = 0;
        while let Some(piece) = open.pop() {
            let points: Vec<Vec3> = piece.faces.iter().flat_map(|face| face.points.iter().copied()).collect();
            let extent = Aabb::from_points(points.iter().copied()).half_extent();
            // Slivers left by a cut have no hull; the volume of all parts tells whether they matter.
            let Some(hull) = Hull::new(&points).ok().filter(|_| extent.min_component() > self.on_plane) else {
                continue;
            };
            if piece.concavity(&hull) <= self.concavity_max {
                parts.push(hull);
                continue;
            }
            cuts += 1;
            let plane = self.best_cut(&piece).filter(|_| parts.len() + open.len() < PARTS_MAX && cuts <= CUTS_MAX)?;
            let back = Plane { normal: -plane.normal, offset: -plane.offset };
            for plane in [back, plane] {
                open.extend(self.components(self.clip(&piece, &plane), mesh.len()));
            }
        }
        (parts.len() <= PARTS_MAX).then_some(parts)
    }

    /// The plane of a face at a reflex edge that settles the most of the other reflex edges and divides the fewest.
    fn best_cut(&self, piece: &Piece) -> Option<Plane> {
        let mut reflex: Vec<&Edge> = piece.edges.iter().filter(|edge| edge.weight > 0.0).collect();
        reflex.sort_by(|one, other| other.weight.total_cmp(&one.weight).then(one.triangles.cmp(&other.triangles)));
        let mut best: Option<(f32, Plane)> = None;
        for edge in reflex.iter().take(CANDIDATES_MAX) {
            for normal in edge.normals {
                let plane = Plane { normal, offset: normal.dot(edge.ends[0]) };
                let score = reflex.iter().fold(0.0, |score, other| {
                    let [from, to] = other.ends.map(|end| plane.signed_distance(end));
                    let is_on = abs(from) <= self.on_plane && abs(to) <= self.on_plane;
                    let is_divided = min(from, to) < -self.on_plane && max(from, to) > self.on_plane;
                    score + if is_on { other.weight } else { 0.0 } - if is_divided { other.weight * 0.5 } else { 0.0 }
                });
                if best.is_none_or(|(best, _)| score > best) {
                    best = Some((score, plane));
                }
            }
        }
        best.map(|(_, plane)| plane)
    }

    /// What lies below a plane.
    fn clip(&self, piece: &Piece, plane: &Plane) -> Piece {
        let faces = piece.faces.iter().filter_map(|face| self.clip_face(face, plane)).collect();
        let edges = piece.edges.iter().filter_map(|edge| self.clip_edge(edge, plane)).collect();
        let cuts = piece.cuts.iter().copied().chain([*plane]).collect();
        Piece { faces, edges, cuts }
    }

    fn clip_face(&self, face: &Face, plane: &Plane) -> Option<Face> {
        let height = |point: Vec3| plane.signed_distance(point);
        let is_flat = face.points.iter().all(|point| abs(height(*point)) <= self.on_plane);
        if is_flat {
            // A face on the plane bounds the side that it looks away from.
            return (face.normal.dot(plane.normal) > 0.0).then(|| face.clone());
        }
        let mut points = Vec::with_capacity(face.points.len() + 1);
        for (index, &point) in face.points.iter().enumerate() {
            let next = face.points[(index + 1) % face.points.len()];
            let (here, there) = (height(point), height(next));
            if here <= self.on_plane {
                points.push(point);
            }
            if here < -self.on_plane && there > self.on_plane || here > self.on_plane && there < -self.on_plane {
                points.push(point + (next - point) * (here / (here - there)));
            }
        }
        let is_below = points.iter().any(|point| height(*point) < -self.on_plane);
        (points.len() >= 3 && is_below).then_some(Face { points, ..*face })
    }

    fn clip_edge(&self, edge: &Edge, plane: &Plane) -> Option<Edge> {
        let [from, to] = edge.ends.map(|end| plane.signed_distance(end));
        if min(from, to) >= -self.on_plane {
            // An edge on the plane is settled: the wedge at it is divided.
            return None;
        }
        let [start, end] = edge.ends;
        let crossing = || start + (end - start) * (from / (from - to));
        let ends =
            [if from > self.on_plane { crossing() } else { start }, if to > self.on_plane { crossing() } else { end }];
        Some(Edge { ends, ..*edge })
    }

    /// The connected pieces of one, each with a volume: faces are connected by edges, or because they lie opposite.
    fn components(&self, piece: Piece, triangles: usize) -> Vec<Piece> {
        let mut face_of = vec![usize::MAX; triangles];
        for (index, face) in piece.faces.iter().enumerate() {
            face_of[face.triangle as usize] = index;
        }
        let mut roots: Vec<usize> = (0..piece.faces.len()).collect();
        for edge in &piece.edges {
            let [one, other] = edge.triangles.map(|triangle| face_of[triangle as usize]);
            if one != usize::MAX && other != usize::MAX {
                union(&mut roots, one, other);
            }
        }
        if (0..roots.len()).any(|face| root(&mut roots, face) != 0) {
            for face in 0..piece.faces.len() {
                if let Some(opposite) = piece.opposite(face) {
                    union(&mut roots, face, opposite);
                }
            }
        }
        let mut pieces: Vec<Piece> = Vec::new();
        let mut piece_of = vec![usize::MAX; roots.len()];
        for (index, face) in piece.faces.iter().enumerate() {
            let root = root(&mut roots, index);
            if piece_of[root] == usize::MAX {
                piece_of[root] = pieces.len();
                pieces.push(Piece { faces: Vec::new(), edges: Vec::new(), cuts: piece.cuts.clone() });
            }
            pieces[piece_of[root]].faces.push(face.clone());
        }
        for edge in &piece.edges {
            let face =
                edge.triangles.map(|triangle| face_of[triangle as usize]).into_iter().find(|face| *face != usize::MAX);
            if let Some(face) = face {
                pieces[piece_of[root(&mut roots, face)]].edges.push(*edge);
            }
        }
        pieces
    }
}

impl Piece {
    fn of(mesh: &Mesh) -> Piece {
        let (mut faces, mut edges) = (Vec::new(), Vec::new());
        let kept = (0..).zip(&mesh.triangles).filter(|(_, triangle)| !triangle.is_degenerate());
        for (number, own) in kept {
            let triangle = mesh.triangle(number);
            faces.push(Face { triangle: number, normal: triangle.normal, points: triangle.vertices.to_vec() });
            for edge in 0..3 {
                let neighbour = own.neighbours[edge] & ((1 << super::KIND_SHIFT) - 1);
                if neighbour < number {
                    continue;
                }
                let ends = [triangle.vertices[edge], triangle.vertices[(edge + 1) % 3]];
                let normals = [triangle.normal, triangle.neighbour_normals[edge]];
                let is_reflex = triangle.edges[edge] == EdgeKind::Concave;
                let bend = normals[0].cross(normals[1]).length();
                let weight = if is_reflex { ends[0].distance(ends[1]) * max(bend, 1.0e-3) } else { 0.0 };
                edges.push(Edge { triangles: [number, neighbour], normals, ends, weight });
            }
        }
        Piece { faces, edges, cuts: Vec::new() }
    }

    /// How far a face lies within the hull of the piece, along its normal.
    fn concavity(&self, hull: &Hull) -> f32 {
        let depth = |face: &Face| {
            let center = face.center();
            hull.planes().iter().fold(f32::INFINITY, |nearest, plane| {
                let slope = plane.normal.dot(face.normal);
                let distance = max(-plane.signed_distance(center), 0.0);
                if slope > 1.0e-4 { min(nearest, distance / slope) } else { nearest }
            })
        };
        self.faces.iter().map(depth).fold(0.0, max)
    }

    /// The face that a face looks at through the inside, unless a cut is between them.
    fn opposite(&self, index: usize) -> Option<usize> {
        let (origin, direction) = (self.faces[index].center(), -self.faces[index].normal);
        let reach = |normal: Vec3, point: Vec3| (point - origin).dot(normal) / direction.dot(normal);
        let exit = self
            .cuts
            .iter()
            .filter(|cut| cut.normal.dot(direction) > 1.0e-6)
            .fold(f32::INFINITY, |nearest, cut| min(nearest, reach(cut.normal, cut.normal * cut.offset)));
        let mut best = (exit, None);
        for (other, face) in self.faces.iter().enumerate() {
            if other == index || face.normal.dot(direction) <= 1.0e-6 {
                continue;
            }
            let distance = reach(face.normal, face.points[0]);
            if distance > 0.0 && distance < best.0 && face.contains(origin + direction * distance) {
                best = (distance, Some(other));
            }
        }
        best.1
    }
}

impl Face {
    fn center(&self) -> Vec3 {
        self.points.iter().fold(Vec3::ZERO, |sum, point| sum + *point) * (1.0 / self.points.len() as f32)
    }

    /// Whether a point of its plane lies within it.
    fn contains(&self, point: Vec3) -> bool {
        (0..self.points.len()).all(|index| {
            let (from, to) = (self.points[index], self.points[(index + 1) % self.points.len()]);
            (to - from).cross(point - from).dot(self.normal) >= 0.0
        })
    }
}

fn root(roots: &mut [usize], mut one: usize) -> usize {
    while roots[one] != one {
        roots[one] = roots[roots[one]];
        one = roots[one];
    }
    one
}

fn union(roots: &mut [usize], one: usize, other: usize) {
    let (one, other) = (root(roots, one), root(roots, other));
    roots[one.max(other)] = one.min(other);
}

/// The volume within triangles that enclose one.
pub(super) fn volume_of(triangles: impl Iterator<Item = [Vec3; 3]>) -> f32 {
    let mut first = None;
    let sum = triangles.fold(0.0_f64, |sum, [a, b, c]| {
        let origin = *first.get_or_insert(a);
        let [a, b, c] = [a, b, c].map(|point| point - origin);
        sum + f64::from(a.dot(b.cross(c)))
    });
    number::max((sum / 6.0) as f32, 0.0)
}
