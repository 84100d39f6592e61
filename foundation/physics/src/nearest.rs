//! Where two shapes of any kind are nearest.
//!
//! Law: of equally near places the first is told, in an order that follows from the shapes alone.

use base::Vec3;

use crate::bounds::Bounds;
use crate::distance::{Convex, Distance, distance};
use crate::facet::Surface;
use crate::pose::Pose;
use crate::shape::{Compound, Shape};

/// How far two shapes are apart, and where they are nearest, if that is within a distance. Points are seen from the first's position.
pub fn nearest_of(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, distance_max: f32) -> Option<Distance> {
    let mut nearest = Nearest { found: None, distance_max };
    match a {
        Shape::Compound(a) => nearest.of_children(a, pose_a, b, pose_b),
        Shape::Mesh(a) => nearest.of_surface(&**a, pose_a, b, pose_b),
        Shape::Field(a) => nearest.of_surface(&**a, pose_a, b, pose_b),
        a => {
            let convex = Convex::of(a)?;
            nearest.of_convex(&convex, &a.bounds(pose_a), pose_a, b, pose_b);
        }
    }
    nearest.found
}

/// The nearest so far.
struct Nearest {
    found: Option<Distance>,
    distance_max: f32,
}

impl Nearest {
    /// Nobody has to be asked who is farther; once something touches, nobody at all.
    fn limit(&self) -> f32 {
        match self.found {
            Some(found) if found.distance > 0.0 => found.distance,
            Some(_) => -1.0,
            None => self.distance_max,
        }
    }

    /// Of equals the first stays: the order is that of the trees of the shapes, which is fixed.
    fn add(&mut self, found: Distance) {
        let is_nearer = self.found.is_none_or(|nearest| found.distance < nearest.distance);
        if is_nearer && found.distance <= self.distance_max {
            self.found = Some(found);
        }
    }

    fn of_children(&mut self, a: &Compound, pose_a: &Pose, b: &Shape, pose_b: &Pose) {
        let bounds = b.bounds(&pose_a.back(pose_b));
        a.tree().each_near(&bounds, self.limit(), |number| {
            let child = &a.children()[number as usize];
            let pose = pose_a.inner(&child.pose);
            if let Some(found) = nearest_of(&child.shape, &pose, b, pose_b, self.limit()) {
                self.add(moved(found, pose.position - pose_a.position));
            }
            self.limit()
        });
    }

    fn of_surface(&mut self, a: &impl Surface, pose_a: &Pose, b: &Shape, pose_b: &Pose) {
        let bounds = b.bounds(&pose_a.back(pose_b));
        a.each_near(&bounds, self.limit(), |number| {
            let points = a.points(number);
            let bounds = Bounds::around(points.map(|point| pose_a.point(point)));
            self.of_convex(&Convex::of_triangle(points), &bounds, pose_a, b, pose_b);
            self.limit()
        });
    }

    /// A convex thing with a box in the world, against anything.
    fn of_convex(&mut self, a: &Convex, bounds: &Bounds, pose_a: &Pose, b: &Shape, pose_b: &Pose) {
        match b {
            Shape::Compound(b) => b.tree().each_near(&bounds.moved_back(pose_b), self.limit(), |number| {
                let child = &b.children()[number as usize];
                self.of_convex(a, bounds, pose_a, &child.shape, &pose_b.inner(&child.pose));
                self.limit()
            }),
            Shape::Mesh(b) => self.of_triangles(a, bounds, pose_a, &**b, pose_b),
            Shape::Field(b) => self.of_triangles(a, bounds, pose_a, &**b, pose_b),
            b => {
                if let Some(b) = Convex::of(b) {
                    self.add(distance(a, pose_a, &b, pose_b));
                }
            }
        }
    }

    fn of_triangles(&mut self, a: &Convex, bounds: &Bounds, pose_a: &Pose, b: &impl Surface, pose_b: &Pose) {
        b.each_near(&bounds.moved_back(pose_b), self.limit(), |number| {
            self.add(distance(a, pose_a, &Convex::of_triangle(b.points(number)), pose_b));
            self.limit()
        });
    }
}

fn moved(found: Distance, by: Vec3) -> Distance {
    Distance { point_a: found.point_a + by, point_b: found.point_b + by, ..found }
}
