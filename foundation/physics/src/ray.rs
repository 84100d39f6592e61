//! Ray casts against shapes.
//!
//! Convex polyhedra are clipped plane by plane (Cyrus and Beck 1978), triangles use the watertight test of Woop, Benthin and Wald
//! (2013) in double precision.
//!
//! Laws
//! 1. A ray that starts inside a sphere, capsule, box or hull hits at distance zero, with a normal against the ray.
//! 2. Triangles are hit from their front only. Nothing passes between two that share an edge: both compute the same numbers
//!    there.
//! 3. Of several hits at the same distance the lowest child wins.
//! 4. A ray without a direction, from a point that is not finite, or with a length that is NaN or negative hits nothing.

use base::{Vec3, number};

use crate::aabb::SweptAabb;
use crate::pose::Pose;
use crate::shape::{Compound, Shape};
use crate::surface::Surface;

#[cfg(test)]
mod tests;

/// A hit of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The distance along the ray.
    pub distance: f32,
    /// The unit normal of the surface.
    pub normal: Vec3,
    /// The child or triangle; zero for simple shapes.
    pub child: u32,
}

/// The first hit of a ray with a shape in a pose. The direction may have any length; distances are in metres.
pub fn cast(shape: &Shape, pose: &Pose, origin: Vec3, direction: Vec3, length_max: f32) -> Option<RayHit> {
    let direction = direction.normal();
    let is_sound = direction != Vec3::ZERO && origin.is_finite() && length_max >= 0.0;
    if !is_sound {
        return None;
    }
    let ray = Ray { origin: pose.local_point(origin), direction: pose.local_direction(direction), length: length_max };
    let hit = ray.intersect(shape)?;
    Some(RayHit { normal: pose.direction(hit.normal), ..hit })
}

/// A ray in the local frame of a shape.
#[derive(Clone, Copy)]
struct Ray {
    origin: Vec3,
    direction: Vec3,
    length: f32,
}

impl Ray {
    fn intersect(&self, shape: &Shape) -> Option<RayHit> {
        match shape {
            Shape::Sphere(radius) => self.intersect_sphere(Vec3::ZERO, *radius),
            Shape::Capsule { half, radius } => self.intersect_capsule(*half, *radius),
            Shape::Box(half) => self.intersect_box(*half),
            Shape::Hull(hull) => {
                self.intersect_half_spaces(hull.planes().iter().map(|plane| (plane.normal, plane.offset)))
            }
            Shape::Mesh(mesh) => self.intersect_surface(&**mesh),
            Shape::HeightField(field) => self.intersect_surface(&**field),
            Shape::Compound(compound) => self.intersect_compound(compound),
        }
    }

    fn hit(&self, distance: f32, normal: Vec3) -> Option<RayHit> {
        (distance >= 0.0 && distance <= self.length).then_some(RayHit { distance, normal, child: 0 })
    }

    fn hit_inside(&self) -> Option<RayHit> {
        self.hit(0.0, -self.direction)
    }

    fn intersect_sphere(&self, center: Vec3, radius: f32) -> Option<RayHit> {
        let origin = self.origin - center;
        if origin.length_squared() <= radius * radius {
            return self.hit_inside();
        }
        // Relative to the point of the ray closest to the center: so a ray from far away is as exact as a close one.
        let closest = -origin.dot(self.direction);
        let offset = origin + self.direction * closest;
        let remaining = radius * radius - offset.length_squared();
        if remaining < 0.0 {
            return None;
        }
        let distance = closest - number::sqrt(remaining);
        self.hit(distance, (origin + self.direction * distance).normal_or(-self.direction))
    }

    fn intersect_capsule(&self, half: f32, radius: f32) -> Option<RayHit> {
        let origin = self.origin;
        let on_axis = Vec3::Z * number::clamp(origin.z, -half, half);
        if origin.distance_squared(on_axis) <= radius * radius {
            return self.hit_inside();
        }
        let (across, offset) = (self.direction.xy(), origin.xy());
        let squared = across.length_squared();
        if squared > 1e-12 {
            let closest = -offset.dot(across) / squared;
            let remaining = radius * radius - (offset + across * closest).length_squared();
            if remaining < 0.0 {
                return None;
            }
            let distance = closest - number::sqrt(remaining / squared);
            let point = origin + self.direction * distance;
            if number::abs(point.z) <= half {
                return self.hit(distance, point.xy().with_z(0.0).normal_or(-self.direction));
            }
        }
        let ends = [-half, half].map(|z| self.intersect_sphere(Vec3::Z * z, radius));
        ends.into_iter().flatten().reduce(|first, other| if other.distance < first.distance { other } else { first })
    }

    fn intersect_box(&self, half: Vec3) -> Option<RayHit> {
        let faces = (0..3).flat_map(|axis| [(axis, 1.0), (axis, -1.0)]);
        self.intersect_half_spaces(faces.map(|(axis, sign)| {
            let mut normal = Vec3::ZERO;
            normal[axis] = sign;
            (normal, half[axis])
        }))
    }

    /// The intersection of half-spaces, each a normal and an offset.
    fn intersect_half_spaces(&self, planes: impl Iterator<Item = (Vec3, f32)>) -> Option<RayHit> {
        let (mut entry, mut exit) = (0.0, self.length);
        let mut normal = None;
        for (out, offset) in planes {
            let (height, fall) = (self.origin.dot(out) - offset, -self.direction.dot(out));
            if fall == 0.0 {
                if height > 0.0 {
                    return None;
                }
                continue;
            }
            let distance = height / fall;
            if fall > 0.0 && height > 0.0 {
                if normal.is_none() || distance > entry {
                    (entry, normal) = (distance, Some(out));
                }
            } else if fall < 0.0 {
                exit = number::min(exit, distance);
            }
        }
        if entry > exit {
            return None;
        }
        match normal {
            Some(normal) => self.hit(entry, normal),
            None => self.hit_inside(),
        }
    }

    fn intersect_surface(&self, surface: &impl Surface) -> Option<RayHit> {
        let sheared = ShearedRay::new(self);
        let mut best: Option<(f32, u32)> = None;
        surface.visit_swept(&SweptAabb::ray(self.origin, self.direction), self.length, |triangle, _| {
            let length = best.map_or(self.length, |(distance, _)| distance);
            match sheared.intersect(&surface.triangle_vertices(triangle)) {
                Some(distance) if distance <= length => {
                    let is_first = best.is_none_or(|best| (distance, triangle) < best);
                    best = if is_first { Some((distance, triangle)) } else { best };
                    distance
                }
                _ => length,
            }
        });
        let (distance, child) = best?;
        Some(RayHit { distance, normal: surface.triangle(child).normal, child })
    }

    fn intersect_compound(&self, compound: &Compound) -> Option<RayHit> {
        let mut best: Option<RayHit> = None;
        compound.bvh().visit_swept(&SweptAabb::ray(self.origin, self.direction), self.length, |number, _| {
            let child = &compound.children()[number as usize];
            let length = best.map_or(self.length, |hit| hit.distance);
            if let Some(hit) = cast(&child.shape, &child.pose, self.origin, self.direction, length) {
                let hit = RayHit { child: Compound::pack_id(number, hit.child), ..hit };
                let rank = |hit: &RayHit| (hit.distance, hit.child);
                if best.as_ref().is_none_or(|best| rank(&hit) < rank(best)) {
                    best = Some(hit);
                }
            }
            best.map_or(self.length, |hit| hit.distance)
        });
        best
    }
}

/// A ray in a sheared space in which it goes along the third axis from the origin. A triangle is hit if its projection contains
/// the origin; edge functions of a shared edge are the same products in both triangles, so no ray passes between them.
struct ShearedRay {
    origin: [f64; 3],
    axes: [usize; 3],
    shear: [f64; 3],
}

impl ShearedRay {
    fn new(ray: &Ray) -> ShearedRay {
        let direction = ray.direction.to_array();
        let size = ray.direction.abs();
        let along = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let (first, second) = ((along + 1) % 3, (along + 2) % 3);
        // Keeps the winding.
        let axes = if direction[along] < 0.0 { [second, first, along] } else { [first, second, along] };
        let [x, y, z] = axes.map(|axis| f64::from(direction[axis]));
        ShearedRay { origin: ray.origin.to_array().map(f64::from), axes, shear: [x / z, y / z, 1.0 / z] }
    }

    /// The distance at which the ray hits the front of a triangle.
    fn intersect(&self, points: &[Vec3; 3]) -> Option<f32> {
        let [a, b, c] = points.map(|point| {
            let coordinates = point.to_array();
            let [x, y, z] = self.axes.map(|axis| f64::from(coordinates[axis]) - self.origin[axis]);
            [x - self.shear[0] * z, y - self.shear[1] * z, self.shear[2] * z]
        });
        // Edge functions; non-negative if the ray hits the front.
        let u = c[0] * b[1] - c[1] * b[0];
        let v = a[0] * c[1] - a[1] * c[0];
        let w = b[0] * a[1] - b[1] * a[0];
        if u < 0.0 || v < 0.0 || w < 0.0 {
            return None;
        }
        let area = u + v + w;
        if area <= 0.0 {
            return None;
        }
        let distance = (u * a[2] + v * b[2] + w * c[2]) / area;
        (distance >= 0.0).then_some(distance as f32)
    }
}
