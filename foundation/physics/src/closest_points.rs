//! Closest points of two shapes of any kind: GJK for each pair of convex parts, best first through their BVHs.
//!
//! Law: of equal distances the first wins, in an order that is a function of the shapes alone.

use base::Vec3;

use crate::aabb::Aabb;
use crate::distance::{Convex, Distance, distance};
use crate::pose::Pose;
use crate::shape::{Compound, Shape};
use crate::surface::Surface;

/// The distance and closest points of two shapes if they are within a distance. Points are relative to the first position.
pub fn closest_points(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, distance_max: f32) -> Option<Distance> {
    let mut search = ClosestSearch { best: None, distance_max };
    match a {
        Shape::Compound(a) => search.compound(a, pose_a, b, pose_b),
        Shape::Mesh(a) => search.surface(&**a, pose_a, b, pose_b),
        Shape::HeightField(a) => search.surface(&**a, pose_a, b, pose_b),
        a => {
            let convex = Convex::of(a)?;
            search.convex(&convex, &a.aabb(pose_a), pose_a, b, pose_b);
        }
    }
    search.best
}

/// The closest pair so far.
struct ClosestSearch {
    best: Option<Distance>,
    distance_max: f32,
}

impl ClosestSearch {
    /// Search radius: pairs farther apart are skipped; negative once an overlap was found.
    fn limit(&self) -> f32 {
        match self.best {
            Some(best) if best.distance > 0.0 => best.distance,
            Some(_) => -1.0,
            None => self.distance_max,
        }
    }

    /// Of equal distances the first is kept: the order is that of the BVHs, which is fixed.
    fn add(&mut self, best: Distance) {
        let is_nearer = self.best.is_none_or(|search| best.distance < search.distance);
        if is_nearer && best.distance <= self.distance_max {
            self.best = Some(best);
        }
    }

    fn compound(&mut self, a: &Compound, pose_a: &Pose, b: &Shape, pose_b: &Pose) {
        let aabb = b.aabb(&pose_a.local_pose(pose_b));
        a.bvh().visit_within(&aabb, self.limit(), |index| {
            let child = &a.children()[index as usize];
            let pose = pose_a.compose(&child.pose);
            if let Some(best) = closest_points(&child.shape, &pose, b, pose_b, self.limit()) {
                self.add(offset_by(best, pose.position - pose_a.position));
            }
            self.limit()
        });
    }

    fn surface(&mut self, a: &impl Surface, pose_a: &Pose, b: &Shape, pose_b: &Pose) {
        let aabb = b.aabb(&pose_a.local_pose(pose_b));
        a.visit_within(&aabb, self.limit(), |index| {
            let points = a.triangle_vertices(index);
            let aabb = Aabb::from_points(points.map(|point| pose_a.point(point)));
            self.convex(&Convex::of_triangle(points), &aabb, pose_a, b, pose_b);
            self.limit()
        });
    }

    /// A convex part with its world AABB, against any shape.
    fn convex(&mut self, a: &Convex, aabb: &Aabb, pose_a: &Pose, b: &Shape, pose_b: &Pose) {
        match b {
            Shape::Compound(b) => b.bvh().visit_within(&aabb.inverse_transformed(pose_b), self.limit(), |index| {
                let child = &b.children()[index as usize];
                self.convex(a, aabb, pose_a, &child.shape, &pose_b.compose(&child.pose));
                self.limit()
            }),
            Shape::Mesh(b) => self.convex_surface(a, aabb, pose_a, &**b, pose_b),
            Shape::HeightField(b) => self.convex_surface(a, aabb, pose_a, &**b, pose_b),
            b => {
                if let Some(b) = Convex::of(b) {
                    self.add(distance(a, pose_a, &b, pose_b));
                }
            }
        }
    }

    fn convex_surface(&mut self, a: &Convex, aabb: &Aabb, pose_a: &Pose, b: &impl Surface, pose_b: &Pose) {
        b.visit_within(&aabb.inverse_transformed(pose_b), self.limit(), |index| {
            self.add(distance(a, pose_a, &Convex::of_triangle(b.triangle_vertices(index)), pose_b));
            self.limit()
        });
    }
}

fn offset_by(best: Distance, by: Vec3) -> Distance {
    Distance { point_a: best.point_a + by, point_b: best.point_b + by, ..best }
}
