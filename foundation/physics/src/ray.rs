//! Where a ray meets a shape.
//!
//! Laws
//! 1. From inside a ball, capsule, box or hull, everything is met at once: at distance zero, against the ray.
//! 2. Triangles are met from their front only. Between two that share an edge nothing passes: both work out the very same numbers there.
//! 3. Of several hits at the same distance, the one with the lowest child counts.
//! 4. A ray without a direction, from nowhere, or with a length that is no number meets nothing.

use base::{Vec3, number};

use crate::bounds::Line;
use crate::facet::Surface;
use crate::pose::Pose;
use crate::shape::{Compound, Shape};

#[cfg(test)]
mod tests;

/// What a ray met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// How far along the ray.
    pub distance: f32,
    /// Where the surface looks there, of length one.
    pub normal: Vec3,
    /// Which child or triangle it was; zero for whole shapes.
    pub child: u32,
}

/// The first that a ray meets of a shape at a pose. The direction may have any length; distances are in metres.
pub fn cast(shape: &Shape, pose: &Pose, from: Vec3, direction: Vec3, length_max: f32) -> Option<RayHit> {
    let direction = direction.normal();
    let is_sound = direction != Vec3::ZERO && from.is_finite() && length_max >= 0.0;
    if !is_sound {
        return None;
    }
    let ray = Ray { from: pose.point_back(from), direction: pose.direction_back(direction), length: length_max };
    let hit = ray.meet(shape)?;
    Some(RayHit { normal: pose.direction(hit.normal), ..hit })
}

/// A ray as a shape sees it.
#[derive(Clone, Copy)]
struct Ray {
    from: Vec3,
    direction: Vec3,
    length: f32,
}

impl Ray {
    fn meet(&self, shape: &Shape) -> Option<RayHit> {
        match shape {
            Shape::Sphere(radius) => self.meet_sphere(Vec3::ZERO, *radius),
            Shape::Capsule { half, radius } => self.meet_capsule(*half, *radius),
            Shape::Box(half) => self.meet_box(*half),
            Shape::Hull(hull) => self.meet_planes(hull.planes().iter().map(|plane| (plane.normal, plane.offset))),
            Shape::Mesh(mesh) => self.meet_surface(&**mesh),
            Shape::Field(field) => self.meet_surface(&**field),
            Shape::Compound(compound) => self.meet_compound(compound),
        }
    }

    fn hit(&self, distance: f32, normal: Vec3) -> Option<RayHit> {
        (distance >= 0.0 && distance <= self.length).then_some(RayHit { distance, normal, child: 0 })
    }

    fn hit_inside(&self) -> Option<RayHit> {
        self.hit(0.0, -self.direction)
    }

    fn meet_sphere(&self, middle: Vec3, radius: f32) -> Option<RayHit> {
        let from = self.from - middle;
        if from.length_squared() <= radius * radius {
            return self.hit_inside();
        }
        // From where the ray is nearest to the middle: so a ray from far away is as exact as one from near.
        let nearest = -from.dot(self.direction);
        let beside = from + self.direction * nearest;
        let left = radius * radius - beside.length_squared();
        if left < 0.0 {
            return None;
        }
        let distance = nearest - number::sqrt(left);
        self.hit(distance, (from + self.direction * distance).normal_or(-self.direction))
    }

    fn meet_capsule(&self, half: f32, radius: f32) -> Option<RayHit> {
        let from = self.from;
        let on_axis = Vec3::Z * number::clamp(from.z, -half, half);
        if from.distance_squared(on_axis) <= radius * radius {
            return self.hit_inside();
        }
        let (across, beside) = (self.direction.xy(), from.xy());
        let squared = across.length_squared();
        if squared > 1e-12 {
            let nearest = -beside.dot(across) / squared;
            let left = radius * radius - (beside + across * nearest).length_squared();
            if left < 0.0 {
                return None;
            }
            let distance = nearest - number::sqrt(left / squared);
            let place = from + self.direction * distance;
            if number::abs(place.z) <= half {
                return self.hit(distance, place.xy().with_z(0.0).normal_or(-self.direction));
            }
        }
        let ends = [-half, half].map(|z| self.meet_sphere(Vec3::Z * z, radius));
        ends.into_iter().flatten().reduce(|first, other| if other.distance < first.distance { other } else { first })
    }

    fn meet_box(&self, half: Vec3) -> Option<RayHit> {
        let sides = (0..3).flat_map(|axis| [(axis, 1.0), (axis, -1.0)]);
        self.meet_planes(sides.map(|(axis, sign)| {
            let mut normal = Vec3::ZERO;
            normal[axis] = sign;
            (normal, half[axis])
        }))
    }

    /// A convex body behind planes, each a normal and how far along it.
    fn meet_planes(&self, planes: impl Iterator<Item = (Vec3, f32)>) -> Option<RayHit> {
        let (mut enters, mut leaves) = (0.0, self.length);
        let mut normal = None;
        for (out, offset) in planes {
            let (height, fall) = (self.from.dot(out) - offset, -self.direction.dot(out));
            if fall == 0.0 {
                if height > 0.0 {
                    return None;
                }
                continue;
            }
            let distance = height / fall;
            if fall > 0.0 && height > 0.0 {
                if normal.is_none() || distance > enters {
                    (enters, normal) = (distance, Some(out));
                }
            } else if fall < 0.0 {
                leaves = number::min(leaves, distance);
            }
        }
        if enters > leaves {
            return None;
        }
        match normal {
            Some(normal) => self.hit(enters, normal),
            None => self.hit_inside(),
        }
    }

    fn meet_surface(&self, surface: &impl Surface) -> Option<RayHit> {
        let sheared = Sheared::new(self);
        let mut best: Option<(f32, u32)> = None;
        surface.each_along(&Line::new(self.from, self.direction), self.length, |triangle, _| {
            let length = best.map_or(self.length, |(distance, _)| distance);
            match sheared.meet(&surface.points(triangle)) {
                Some(distance) if distance <= length => {
                    let is_first = best.is_none_or(|best| (distance, triangle) < best);
                    best = if is_first { Some((distance, triangle)) } else { best };
                    distance
                }
                _ => length,
            }
        });
        let (distance, child) = best?;
        Some(RayHit { distance, normal: surface.facet(child).normal, child })
    }

    fn meet_compound(&self, compound: &Compound) -> Option<RayHit> {
        let mut best: Option<RayHit> = None;
        compound.tree().each_along(&Line::new(self.from, self.direction), self.length, |number, _| {
            let child = &compound.children()[number as usize];
            let length = best.map_or(self.length, |hit| hit.distance);
            if let Some(hit) = cast(&child.shape, &child.pose, self.from, self.direction, length) {
                let hit = RayHit { child: Compound::number(number, hit.child), ..hit };
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

/// A ray for which space is sheared so that it goes along the third axis from the origin: then a triangle is met if the origin lies in its
/// shadow, which is decided edge by edge, and for an edge that is shared by the very same products.
struct Sheared {
    from: [f64; 3],
    axes: [usize; 3],
    shear: [f64; 3],
}

impl Sheared {
    fn new(ray: &Ray) -> Sheared {
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
        // So that what goes round against the clock still does.
        let axes = if direction[along] < 0.0 { [second, first, along] } else { [first, second, along] };
        let [x, y, z] = axes.map(|axis| f64::from(direction[axis]));
        Sheared { from: ray.from.to_array().map(f64::from), axes, shear: [x / z, y / z, 1.0 / z] }
    }

    /// How far along the ray it meets the front of a triangle.
    fn meet(&self, points: &[Vec3; 3]) -> Option<f32> {
        let [a, b, c] = points.map(|point| {
            let seen = point.to_array();
            let [x, y, z] = self.axes.map(|axis| f64::from(seen[axis]) - self.from[axis]);
            [x - self.shear[0] * z, y - self.shear[1] * z, self.shear[2] * z]
        });
        // With the clock as seen from behind the ray, which is against it for whoever the triangle looks at.
        let over_a = c[0] * b[1] - c[1] * b[0];
        let over_b = a[0] * c[1] - a[1] * c[0];
        let over_c = b[0] * a[1] - b[1] * a[0];
        if over_a < 0.0 || over_b < 0.0 || over_c < 0.0 {
            return None;
        }
        let area = over_a + over_b + over_c;
        if area <= 0.0 {
            return None;
        }
        let distance = (over_a * a[2] + over_b * b[2] + over_c * c[2]) / area;
        (distance >= 0.0).then_some(distance as f32)
    }
}
