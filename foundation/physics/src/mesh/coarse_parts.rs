//! Approximate convex parts of a closed mesh that has too many reflex edges to be cut along them: round and organic forms.
//!
//! Greedy: the piece with the greatest concavity is cut by the plane that leaves the least volume of hulls, as in approximate convex
//! decomposition by Mamou and Ghorbel 2009 and by Wei et al. 2022 (CoACD), until all are nearly convex or there are enough.
//! Candidates lie across the axes of the piece, and along faces with much concavity. Cuts are not capped: the corners of a piece are
//! those of the clipped triangles, and where three cuts meet inside the mesh.
//!
//! Laws
//! 1. The hulls of the parts contain the mesh, up to the limits of [`Hull`].
//! 2. Together they have at most [`EXCESS_MAX`] times its volume; otherwise there are no parts.
//! 3. Equal meshes have equal parts, bit for bit.

use alloc::vec::Vec;

use base::number::{max, min};
use base::{Vec3, number};

use super::Mesh;
use super::decomposition::volume_of;
use crate::aabb::{Aabb, SweptAabb};
use crate::hull::{Hull, Plane};
use crate::surface::Surface;

/// A mesh with more triangles has no parts.
const TRIANGLES_MAX: usize = 1 << 16;
/// Most parts.
const PARTS_MAX: usize = 32;
/// A piece with less concavity is convex enough, as a fraction of the mesh's diagonal.
const CONCAVITY_MAX: f32 = 0.03;
/// The greatest volume of all hulls, in volumes of the mesh.
const EXCESS_MAX: f32 = 1.75;
/// Most faces of a piece that are looked at to choose a plane, and to measure concavity.
const SAMPLES_MAX: usize = 512;
/// Where planes are tried along each axis, as fractions of the extent.
const ACROSS: [f32; 5] = [0.2, 0.35, 0.5, 0.65, 0.8];
/// How many of the faces with the greatest concavity give a plane.
const FACES_TRIED: usize = 4;
/// No side of a cut is thinner, as a fraction of the mesh's diagonal: thin parts make poor contacts.
const THICKNESS_MIN: f32 = 0.01;
/// Points this close to a plane lie on it, as a fraction of the mesh's diagonal.
const ON_PLANE: f32 = 1.0e-4;

/// The direction of the rays that tell what is inside: along no edge that people model.
const RAY: Vec3 = Vec3::new(0.267_3, 0.534_5, 0.801_8);

/// The convex parts of a closed mesh; none if its form is beyond them.
pub(super) fn decompose(mesh: &Mesh) -> Vec<Hull> {
    if !mesh.is_closed || mesh.len() > TRIANGLES_MAX {
        return Vec::new();
    }
    let size = mesh.aabb().half_extent().length() * 2.0;
    let cutter = CoarseCutter { mesh, on_plane: size * ON_PLANE, half_thickness_min: size * THICKNESS_MIN * 0.5 };
    let Some(whole) = cutter.close(Faces::of(mesh), Solid { cuts: Vec::new(), corners: Vec::new() }) else {
        return Vec::new();
    };
    let mut pieces = Vec::from([whole]);
    while pieces.len() < PARTS_MAX {
        let concavity = |piece: &CoarsePiece| if piece.is_stuck { 0.0 } else { piece.concavity };
        let worst = (0..pieces.len())
            .reduce(|worst, index| if concavity(&pieces[index]) > concavity(&pieces[worst]) { index } else { worst });
        let Some(worst) = worst.filter(|worst| concavity(&pieces[*worst]) > size * CONCAVITY_MAX) else { break };
        match cutter.cut(&pieces[worst]) {
            Some([one, other]) => {
                pieces[worst] = one;
                pieces.push(other);
            }
            None => pieces[worst].is_stuck = true,
        }
    }
    let volume = pieces.iter().fold(0.0, |sum, piece| sum + volume_of(piece.hull.triangles()));
    if volume > volume_of(mesh.triangles()) * EXCESS_MAX {
        return Vec::new();
    }
    pieces.into_iter().map(|piece| piece.hull).collect()
}

/// A part of the mesh's surface between cuts: polygons, each a range of the points.
#[derive(Default)]
struct Faces {
    points: Vec<Vec3>,
    faces: Vec<CoarseFace>,
}

/// What is left of a triangle.
#[derive(Clone, Copy)]
struct CoarseFace {
    normal: Vec3,
    first: u32,
    count: u32,
}

/// A part of the surface with its hull.
struct CoarsePiece {
    surface: Faces,
    solid: Solid,
    hull: Hull,
    concavity: f32,
    /// The planes of faces with much concavity.
    planes: Vec<Plane>,
    /// Whether no plane divides it.
    is_stuck: bool,
}

/// The cuts that bound a piece, and the corners at which three of them meet inside the mesh.
struct Solid {
    cuts: Vec<Plane>,
    corners: Vec<Vec3>,
}

struct CoarseCutter<'mesh> {
    mesh: &'mesh Mesh,
    on_plane: f32,
    half_thickness_min: f32,
}

impl CoarseCutter<'_> {
    /// A piece of a part of the surface; none if that has no volume.
    fn close(&self, surface: Faces, solid: Solid) -> Option<CoarsePiece> {
        let points: Vec<Vec3> = surface.points.iter().chain(&solid.corners).copied().collect();
        let extent = Aabb::from_points(points.iter().copied()).half_extent();
        let hull = Hull::new(&points).ok().filter(|_| extent.min_component() > self.on_plane)?;
        let mut depths: Vec<(f32, Plane)> = surface
            .sampled()
            .map(|face| {
                let (center, normal) = (surface.center(face), face.normal);
                (depth_in(&hull, center, normal), Plane { normal, offset: normal.dot(center) })
            })
            .collect();
        depths.sort_by(|one, other| other.0.total_cmp(&one.0));
        let concavity = depths.first().map_or(0.0, |(depth, _)| *depth);
        let mut planes: Vec<Plane> = Vec::with_capacity(FACES_TRIED);
        for (_, plane) in depths.iter().filter(|(depth, _)| *depth > self.on_plane) {
            let is_new = planes.iter().all(|other| other.normal.dot(plane.normal) < 0.95);
            if is_new && planes.len() < FACES_TRIED {
                planes.push(*plane);
            }
        }
        Some(CoarsePiece { surface, solid, hull, concavity, planes, is_stuck: false })
    }

    /// Both sides of the best plane.
    fn cut(&self, piece: &CoarsePiece) -> Option<[CoarsePiece; 2]> {
        let aabb = Aabb::from_points(piece.surface.points.iter().copied());
        let across = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|normal| {
            let (from, to) = (normal.dot(aabb.min), normal.dot(aabb.max));
            ACROSS.into_iter().map(move |part| Plane { normal, offset: from + (to - from) * part })
        });
        let mut best: Option<(f32, Plane)> = None;
        for plane in across.chain(piece.planes.iter().copied()) {
            let Some(volume) = self.volume_of_hulls(piece, &plane) else { continue };
            if best.is_none_or(|(best, _)| volume < best) {
                best = Some((volume, plane));
            }
        }
        let (_, plane) = best?;
        let back = Plane { normal: -plane.normal, offset: -plane.offset };
        let new = self.new_corners(&piece.solid, &plane);
        let side = |plane: &Plane| self.close(self.clip(&piece.surface, plane), piece.solid.below(plane, &new));
        Some([side(&plane)?, side(&back)?])
    }

    /// The volume of the hulls of both sides of a plane, about: from the outermost points along some directions.
    fn volume_of_hulls(&self, piece: &CoarsePiece, plane: &Plane) -> Option<f32> {
        let surface = &piece.surface;
        let mut sides = [Outermost::default(), Outermost::default()];
        for &corner in &piece.solid.corners {
            sides[usize::from(plane.signed_distance(corner) > 0.0)].add(corner);
        }
        for corner in self.new_corners(&piece.solid, plane) {
            sides.iter_mut().for_each(|side| side.add(corner));
        }
        for face in surface.sampled() {
            let points = surface.points_of(face);
            for (index, &point) in points.iter().enumerate() {
                let next = points[(index + 1) % points.len()];
                let (here, there) = (plane.signed_distance(point), plane.signed_distance(next));
                sides[usize::from(here > 0.0)].add(point);
                if (here > 0.0) != (there > 0.0) {
                    let crossing = point + (next - point) * (here / (here - there));
                    sides.iter_mut().for_each(|side| side.add(crossing));
                }
            }
        }
        let [one, other] = sides.map(|side| side.volume(self.half_thickness_min));
        Some(one? + other?)
    }

    /// Where a plane meets two cuts of a piece inside the mesh.
    fn new_corners(&self, solid: &Solid, plane: &Plane) -> Vec<Vec3> {
        let mut corners = Vec::new();
        for (index, one) in solid.cuts.iter().enumerate() {
            for other in &solid.cuts[index + 1..] {
                let across = one.normal.cross(other.normal);
                let slope = across.dot(plane.normal);
                if number::abs(slope) < 1.0e-3 {
                    continue;
                }
                let corner = across * plane.offset
                    + other.normal.cross(plane.normal) * one.offset
                    + plane.normal.cross(one.normal) * other.offset;
                let corner = corner * (1.0 / slope);
                if solid.cuts.iter().all(|cut| cut.signed_distance(corner) <= self.on_plane) && self.is_inside(corner) {
                    corners.push(corner);
                }
            }
        }
        corners
    }

    /// Whether a point lies inside the mesh: a ray leaves it once more than it enters.
    fn is_inside(&self, point: Vec3) -> bool {
        let mesh = self.mesh;
        let length = mesh.aabb().half_extent().length() * 4.0;
        let mut leaves = 0;
        mesh.bvh.visit_swept(&SweptAabb::ray(point, RAY), length, |number, _| {
            let normal = mesh.triangles[number as usize].normal;
            let slope = normal.dot(RAY);
            let points = mesh.triangle_vertices(number);
            let distance = (points[0] - point).dot(normal) / slope;
            let at = point + RAY * distance;
            let is_met = (0..3).all(|edge| {
                let (start, end) = (points[edge], points[(edge + 1) % 3]);
                (end - start).cross(at - start).dot(normal) >= 0.0
            });
            if slope != 0.0 && distance > 0.0 && is_met {
                leaves += if slope > 0.0 { 1 } else { -1 };
            }
            length
        });
        leaves > 0
    }

    /// What lies below a plane.
    fn clip(&self, surface: &Faces, plane: &Plane) -> Faces {
        let mut below = Faces::default();
        for face in &surface.faces {
            let points = surface.points_of(face);
            let first = below.points.len();
            let mut is_below = false;
            for (index, &point) in points.iter().enumerate() {
                let next = points[(index + 1) % points.len()];
                let (here, there) = (plane.signed_distance(point), plane.signed_distance(next));
                is_below |= here < -self.on_plane;
                if here <= self.on_plane {
                    below.points.push(point);
                }
                if here < -self.on_plane && there > self.on_plane || here > self.on_plane && there < -self.on_plane {
                    below.points.push(point + (next - point) * (here / (here - there)));
                }
            }
            // A face on the plane bounds the side that it looks away from.
            let is_bound = points.iter().all(|point| number::abs(plane.signed_distance(*point)) <= self.on_plane)
                && face.normal.dot(plane.normal) > 0.0;
            if below.points.len() >= first + 3 && (is_below || is_bound) {
                let count = (below.points.len() - first) as u32;
                below.faces.push(CoarseFace { first: first as u32, count, ..*face });
            } else {
                below.points.truncate(first);
            }
        }
        below
    }
}

impl Solid {
    /// The side below a plane, with the corners on it.
    fn below(&self, plane: &Plane, new: &[Vec3]) -> Solid {
        let kept = self.corners.iter().filter(|corner| plane.signed_distance(**corner) <= 0.0);
        Solid { cuts: self.cuts.iter().chain([plane]).copied().collect(), corners: kept.chain(new).copied().collect() }
    }
}

impl Faces {
    fn of(mesh: &Mesh) -> Faces {
        let mut surface = Faces::default();
        for (number, own) in (0..).zip(&mesh.triangles).filter(|(_, triangle)| !triangle.is_degenerate()) {
            let first = surface.points.len() as u32;
            surface.points.extend(mesh.triangle_vertices(number));
            surface.faces.push(CoarseFace { normal: own.normal, first, count: 3 });
        }
        surface
    }

    fn points_of(&self, face: &CoarseFace) -> &[Vec3] {
        &self.points[face.first as usize..(face.first + face.count) as usize]
    }

    fn center(&self, face: &CoarseFace) -> Vec3 {
        let points = self.points_of(face);
        points.iter().fold(Vec3::ZERO, |sum, point| sum + *point) * (1.0 / points.len() as f32)
    }

    /// Some faces, evenly by their number.
    fn sampled(&self) -> impl Iterator<Item = &CoarseFace> {
        self.faces.iter().step_by(self.faces.len().div_ceil(SAMPLES_MAX).max(1))
    }
}

/// How far a face lies within a hull, along its normal.
fn depth_in(hull: &Hull, center: Vec3, normal: Vec3) -> f32 {
    hull.planes().iter().fold(f32::INFINITY, |nearest, plane| {
        let slope = plane.normal.dot(normal);
        let distance = max(-plane.signed_distance(center), 0.0);
        if slope > 1.0e-4 { min(nearest, distance / slope) } else { nearest }
    })
}

/// Directions to the faces, edges and corners of a cube, without their opposites.
const DIRECTIONS: [Vec3; 13] = [
    Vec3::new(1.0, 0.0, 0.0),
    Vec3::new(0.0, 1.0, 0.0),
    Vec3::new(0.0, 0.0, 1.0),
    Vec3::new(1.0, 1.0, 0.0),
    Vec3::new(1.0, -1.0, 0.0),
    Vec3::new(1.0, 0.0, 1.0),
    Vec3::new(1.0, 0.0, -1.0),
    Vec3::new(0.0, 1.0, 1.0),
    Vec3::new(0.0, 1.0, -1.0),
    Vec3::new(1.0, 1.0, 1.0),
    Vec3::new(1.0, 1.0, -1.0),
    Vec3::new(1.0, -1.0, 1.0),
    Vec3::new(-1.0, 1.0, 1.0),
];

/// The outermost points along [`DIRECTIONS`] and their opposites.
struct Outermost {
    low: [(f32, Vec3); DIRECTIONS.len()],
    high: [(f32, Vec3); DIRECTIONS.len()],
}

impl Default for Outermost {
    fn default() -> Outermost {
        Outermost {
            low: [(f32::INFINITY, Vec3::ZERO); DIRECTIONS.len()],
            high: [(f32::NEG_INFINITY, Vec3::ZERO); DIRECTIONS.len()],
        }
    }
}

impl Outermost {
    fn add(&mut self, point: Vec3) {
        for ((direction, low), high) in DIRECTIONS.iter().zip(&mut self.low).zip(&mut self.high) {
            let along = direction.dot(point);
            if along < low.0 {
                *low = (along, point);
            }
            if along > high.0 {
                *high = (along, point);
            }
        }
    }

    fn volume(&self, half_thickness_min: f32) -> Option<f32> {
        let points: Vec<Vec3> = self.low.iter().chain(&self.high).map(|(_, point)| *point).collect();
        let is_empty = self.low[0].0 > self.high[0].0;
        let extent = Aabb::from_points(points.iter().copied()).half_extent();
        if is_empty || extent.min_component() <= half_thickness_min {
            return None;
        }
        Hull::new(&points).ok().map(|hull| volume_of(hull.triangles()))
    }
}
