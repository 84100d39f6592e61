//! Spheres and capsules against bodies with flat sides.
//!
//! Outside, the distance of the core tells all; a core that lies along a side touches it at both ends of what they share. A core
//! that is within or passes through is pushed out by the side, or across the edge, where it is least deep.

use base::{Vec3, number};

use super::facets::Facets;
use super::{PREFERENCE, RIM, feature};
use crate::distance::{Convex, distance};
use crate::manifold::{Manifold, ManifoldPoint};
use crate::pose::Pose;

/// A core this near to the body, in sizes of the pair, counts as touching it: its direction would not be exact.
const TOUCHING: f32 = 1e-4;

/// From this cosine on, a direction is that of a side: about two degrees.
const ALIKE: f32 = 0.9995;

/// How something round, whose core is from one point to another, touches a body. Both are seen from one place, and so is the
/// answer; its normal is from the round one to the other.
pub(super) fn touch(core: [Vec3; 2], radius: f32, body: &Facets, margin: f32, front: Option<Vec3>) -> Manifold {
    let round = Round { core, radius, margin };
    let Some((face, apart)) = round.best_side(body) else { return Manifold::default() };
    let touching = TOUCHING * number::min(body.size, radius);
    if apart > touching && core[0] == core[1] && is_over(body, face, core[0]) {
        return round.told(body.planes[face].normal, [Some((0.0, apart, 0)), None]);
    }
    // The core of a sphere that is above no side is inside.
    if apart <= touching && core[0] == core[1] {
        return round.through(body, face, apart, front);
    }
    let (points, corners) = (Convex::of_points(&round.core), Convex::of_points(body.vertices));
    let near = distance(&points, &Pose::IDENTITY, &corners, &Pose::IDENTITY);
    if near.distance > radius + margin {
        return Manifold::default();
    }
    if near.distance <= touching {
        return round.through(body, face, apart, front);
    }
    let out = -near.normal;
    if front.is_some_and(|front| out.dot(front) < 0.0) {
        return Manifold::default();
    }
    let facing = body.facing(out);
    if body.planes[facing].normal.dot(out) > ALIKE && facing < body.sides {
        let both = Manifold { normal: near.normal, ..round.on_side(body, facing) };
        // Where the nearest point is beyond the rim, it is the one that counts.
        if both.count == 2 && both.deepest() <= near.distance - radius + RIM * radius {
            return both;
        }
    }
    let single = ManifoldPoint {
        place: near.point_a + near.normal * (radius + (near.distance - radius) * 0.5),
        separation: near.distance - radius,
        feature: feature::round(0),
    };
    super::one_point(near.normal, single)
}

struct Round {
    core: [Vec3; 2],
    radius: f32,
    margin: f32,
}

impl Round {
    #[inline]
    fn at(&self, part: f32) -> Vec3 {
        self.core[0] + (self.core[1] - self.core[0]) * part
    }

    /// The side that the core is farthest above. None if it is out of reach.
    fn best_side(&self, body: &Facets) -> Option<(usize, f32)> {
        let mut best = (0, f32::NEG_INFINITY);
        for (face, plane) in body.planes[..body.sides].iter().enumerate() {
            let apart = number::min(plane.height(self.core[0]), plane.height(self.core[1]));
            let near = apart <= self.radius + self.margin;
            if !near {
                return None;
            }
            if apart > best.1 {
                best = (face, apart);
            }
        }
        Some(best)
    }

    /// The core touches the body or passes through it.
    fn through(&self, body: &Facets, face: usize, apart: f32, front: Option<Vec3>) -> Manifold {
        let along = self.core[1] - self.core[0];
        let mut best: Option<(Vec3, f32, usize)> = None;
        let mut least = apart + PREFERENCE * number::min(body.size, self.radius);
        for (number, edge) in body.edges.iter().enumerate() {
            let from = body.vertex(edge.from);
            let way = body.vertex(edge.to) - from;
            let [left, right] = [edge.left, edge.right].map(|side| body.planes[usize::from(side)].normal.dot(along));
            if left * right >= 0.0 {
                continue;
            }
            let across = way.cross(along);
            let squared = across.length_squared();
            if squared <= 1e-6 * way.length_squared() * along.length_squared() {
                continue;
            }
            let out = across * ((if left > 0.0 { 1.0 } else { -1.0 }) / number::sqrt(squared));
            let apart = out.dot(self.core[0] - from);
            if apart > least && front.is_none_or(|front| out.dot(front) >= 0.0) {
                least = apart;
                best = Some((out, apart, number));
            }
        }
        let Some((out, apart, number)) = best else {
            let both = self.on_side(body, face);
            if both.count > 0 {
                return both;
            }
            let plane = &body.planes[face];
            let lower = u32::from(plane.height(self.core[1]) < plane.height(self.core[0]));
            return self.told(plane.normal, [Some((lower as f32, apart, 1 + lower)), None]);
        };
        // Where the core passes the edge, seen along the direction out.
        let edge = body.edges[number];
        let from = body.vertex(edge.from);
        let beside = (body.vertex(edge.to) - from).cross(out);
        let part = number::clamp(beside.dot(from - self.core[0]) / beside.dot(along), 0.0, 1.0);
        self.told(out, [Some((part, apart, 0)), None])
    }

    /// Both ends of the part of the core that is above a side; none if there is hardly one.
    fn on_side(&self, body: &Facets, face: usize) -> Manifold {
        let plane = &body.planes[face];
        let around = body.around(face);
        let along = self.core[1] - self.core[0];
        let (mut low, mut high) = ((0.0, 1), (1.0, 2));
        for (number, &corner) in around.iter().enumerate() {
            let from = body.vertex(corner);
            let way = body.vertex(around[if number + 1 == around.len() { 0 } else { number + 1 }]) - from;
            let outwards = way.cross(plane.normal).normal();
            let room = outwards.dot(from - self.core[0]) + RIM * way.length();
            let speed = outwards.dot(along);
            let which = 3 + number as u32;
            if speed * speed <= 1e-12 * along.length_squared() {
                if room < 0.0 {
                    return Manifold::default();
                }
            } else if speed > 0.0 && room < high.0 * speed {
                high = (room / speed, which);
            } else if speed < 0.0 && room < low.0 * speed {
                low = (room / speed, which);
            }
        }
        let shared = high.0 - low.0 > RIM && along != Vec3::ZERO;
        if !shared {
            return Manifold::default();
        }
        self.told(plane.normal, [low, high].map(|(part, which)| Some((part, plane.height(self.at(part)), which))))
    }

    /// Points of the core, each with its height above the body and what it ends at, as a manifold.
    fn told(&self, out: Vec3, points: [Option<(f32, f32, u32)>; 2]) -> Manifold {
        let mut manifold = Manifold { normal: -out, ..Manifold::default() };
        for (part, height, which) in points.into_iter().flatten() {
            let separation = height - self.radius;
            if separation <= self.margin {
                let place = self.at(part) - out * (self.radius + separation * 0.5);
                manifold.push(ManifoldPoint { place, separation, feature: feature::round(which) });
            }
        }
        manifold
    }
}

/// Whether a point is straight above a side.
fn is_over(body: &Facets, face: usize, point: Vec3) -> bool {
    let around = body.around(face);
    let normal = body.planes[face].normal;
    let mut before = body.vertex(around[around.len() - 1]);
    around.iter().all(|&corner| {
        let from = core::mem::replace(&mut before, body.vertex(corner));
        (before - from).cross(normal).dot(point - from) <= 0.0
    })
}
