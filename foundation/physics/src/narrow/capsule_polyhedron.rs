//! Sphere and capsule against polyhedron.
//!
//! Outside, GJK between the core and the vertices gives the contact; a core parallel to a face touches it at both ends of the
//! shared interval. A core that penetrates is pushed out along the face or edge axis of least penetration.

use base::{Vec3, number};

use super::polyhedron::Polyhedron;
use super::{CLIP_TOLERANCE, CoreEnd, CorePoint, FACE_PREFERENCE, feature};
use crate::distance::{Convex, distance};
use crate::manifold::{Manifold, ManifoldPoint};
use crate::pose::Pose;

/// A core closer than this, relative to the pair's size, counts as penetrating: its normal would be inexact.
const CORE_TOUCH_RATIO: f32 = 1e-4;

/// From this cosine on (two degrees) a normal is that of a face.
const ALIGNED_COSINE: f32 = 0.9995;

/// The manifold of a rounded segment and a polyhedron, all in one frame. The normal points to the polyhedron.
pub(super) fn collide(core: [Vec3; 2], radius: f32, body: &Polyhedron, margin: f32, front: Option<Vec3>) -> Manifold {
    let round = RoundedSegment { core, radius, margin };
    let Some((face, separation)) = round.best_face(body) else { return Manifold::default() };
    let touch_distance = CORE_TOUCH_RATIO * number::min(body.thickness, radius);
    if separation > touch_distance && core[0] == core[1] && projects_onto_face(body, face, core[0]) {
        return round.manifold(
            body.planes[face].normal,
            [Some(CorePoint { parameter: 0.0, distance: separation, feature: 0 }), None],
        );
    }
    // A sphere whose center is above no face is inside.
    if separation <= touch_distance && core[0] == core[1] {
        return round.penetrating(body, face, separation, front);
    }
    let (points, vertices) = (Convex::of_points(&round.core), Convex::of_points(body.vertices));
    let closest = distance(&points, &Pose::IDENTITY, &vertices, &Pose::IDENTITY);
    if closest.distance > radius + margin {
        return Manifold::default();
    }
    if closest.distance <= touch_distance {
        return round.penetrating(body, face, separation, front);
    }
    let out = -closest.normal;
    if front.is_some_and(|front| out.dot(front) < 0.0) {
        return Manifold::default();
    }
    let facing = body.support_face(out);
    if body.planes[facing].normal.dot(out) > ALIGNED_COSINE && facing < body.solid_faces {
        let both = Manifold { normal: closest.normal, ..round.face_contact(body, facing) };
        // If the closest point lies beyond the face, it is the contact.
        if both.count == 2 && both.min_separation() <= closest.distance - radius + CLIP_TOLERANCE * radius {
            return both;
        }
    }
    let single = ManifoldPoint {
        anchor: closest.point_a + closest.normal * (radius + (closest.distance - radius) * 0.5),
        separation: closest.distance - radius,
        feature: feature::core_contact(0),
    };
    super::single_point(closest.normal, single)
}

struct RoundedSegment {
    core: [Vec3; 2],
    radius: f32,
    margin: f32,
}

impl RoundedSegment {
    #[inline]
    fn at(&self, fraction: f32) -> Vec3 {
        self.core[0] + (self.core[1] - self.core[0]) * fraction
    }

    /// The face with the largest separation. None beyond the margin.
    fn best_face(&self, body: &Polyhedron) -> Option<(usize, f32)> {
        let mut best = (0, f32::NEG_INFINITY);
        for (face, plane) in body.planes[..body.solid_faces].iter().enumerate() {
            let separation = number::min(plane.signed_distance(self.core[0]), plane.signed_distance(self.core[1]));
            let is_near = separation <= self.radius + self.margin;
            if !is_near {
                return None;
            }
            if separation > best.1 {
                best = (face, separation);
            }
        }
        Some(best)
    }

    /// The core touches or penetrates the polyhedron.
    fn penetrating(&self, body: &Polyhedron, face: usize, separation: f32, front: Option<Vec3>) -> Manifold {
        let along = self.core[1] - self.core[0];
        let mut best: Option<(Vec3, f32, usize)> = None;
        let mut separation_min = separation + FACE_PREFERENCE * number::min(body.thickness, self.radius);
        for (number, edge) in body.edges.iter().enumerate() {
            let from = body.vertex(edge.from);
            let edge_vector = body.vertex(edge.to) - from;
            let [left, right] = [edge.left, edge.right].map(|face| body.planes[usize::from(face)].normal.dot(along));
            if left * right >= 0.0 {
                continue;
            }
            let across = edge_vector.cross(along);
            let squared = across.length_squared();
            if squared <= 1e-6 * edge_vector.length_squared() * along.length_squared() {
                continue;
            }
            let out = across * ((if left > 0.0 { 1.0 } else { -1.0 }) / number::sqrt(squared));
            let separation = out.dot(self.core[0] - from);
            if separation > separation_min && front.is_none_or(|front| out.dot(front) >= 0.0) {
                separation_min = separation;
                best = Some((out, separation, number));
            }
        }
        let Some((out, separation, number)) = best else {
            let both = self.face_contact(body, face);
            if both.count > 0 {
                return both;
            }
            let plane = &body.planes[face];
            let lower = u32::from(plane.signed_distance(self.core[1]) < plane.signed_distance(self.core[0]));
            let point = CorePoint { parameter: lower as f32, distance: separation, feature: 1 + lower };
            return self.manifold(plane.normal, [Some(point), None]);
        };
        // Where the core crosses the edge, seen along the normal.
        let edge = body.edges[number];
        let from = body.vertex(edge.from);
        let edge_plane_normal = (body.vertex(edge.to) - from).cross(out);
        let fraction =
            number::clamp(edge_plane_normal.dot(from - self.core[0]) / edge_plane_normal.dot(along), 0.0, 1.0);
        self.manifold(out, [Some(CorePoint { parameter: fraction, distance: separation, feature: 0 }), None])
    }

    /// Both ends of the part of the core above a face; empty if almost nothing is.
    fn face_contact(&self, body: &Polyhedron, face: usize) -> Manifold {
        let plane = &body.planes[face];
        let indices = body.face_vertices(face);
        let along = self.core[1] - self.core[0];
        let mut low = CoreEnd { parameter: 0.0, feature: 1 };
        let mut high = CoreEnd { parameter: 1.0, feature: 2 };
        for (number, &vertex) in indices.iter().enumerate() {
            let from = body.vertex(vertex);
            let edge_vector = body.vertex(indices[if number + 1 == indices.len() { 0 } else { number + 1 }]) - from;
            let edge_normal = edge_vector.cross(plane.normal).normal();
            let distance = edge_normal.dot(from - self.core[0]) + CLIP_TOLERANCE * edge_vector.length();
            let speed = edge_normal.dot(along);
            let feature = 3 + number as u32;
            if speed * speed <= 1e-12 * along.length_squared() {
                if distance < 0.0 {
                    return Manifold::default();
                }
            } else if speed > 0.0 && distance < high.parameter * speed {
                high = CoreEnd { parameter: distance / speed, feature };
            } else if speed < 0.0 && distance < low.parameter * speed {
                low = CoreEnd { parameter: distance / speed, feature };
            }
        }
        let shared = high.parameter - low.parameter > CLIP_TOLERANCE && along != Vec3::ZERO;
        if !shared {
            return Manifold::default();
        }
        let distance = |end: &CoreEnd| plane.signed_distance(self.at(end.parameter));
        self.manifold(plane.normal, [low, high].map(|end| Some(end.at_distance(distance(&end)))))
    }

    /// A manifold from points of the core.
    fn manifold(&self, out: Vec3, points: [Option<CorePoint>; 2]) -> Manifold {
        let mut manifold = Manifold { normal: -out, ..Manifold::default() };
        for point in points.into_iter().flatten() {
            let separation = point.distance - self.radius;
            if separation <= self.margin {
                let anchor = self.at(point.parameter) - out * (self.radius + separation * 0.5);
                manifold.push(ManifoldPoint { anchor, separation, feature: feature::core_contact(point.feature) });
            }
        }
        manifold
    }
}

/// Whether a point projects onto a face.
fn projects_onto_face(body: &Polyhedron, face: usize, point: Vec3) -> bool {
    let indices = body.face_vertices(face);
    let normal = body.planes[face].normal;
    let mut before = body.vertex(indices[indices.len() - 1]);
    indices.iter().all(|&vertex| {
        let from = core::mem::replace(&mut before, body.vertex(vertex));
        (before - from).cross(normal).dot(point - from) <= 0.0
    })
}
