//! Sphere and capsule against box, in the frame of the box.
//!
//! The closest point of a box to a point is the clamped point. Along a capsule's core the squared distance to the box is convex
//! and its derivative piecewise linear with at most seven pieces, so its minimum is found exactly, without iteration. A core that
//! penetrates the box is pushed out along the face or edge axis of least penetration.

use base::{Vec3, number};

use super::{
    CLIP_TOLERANCE, CoreEnd, CorePoint, FACE_PREFERENCE, Pair, core_contact, core_point, feature, single_point,
};
use crate::manifold::Manifold;

/// A core closer than this, relative to the pair's size, counts as penetrating: its normal would be inexact.
const CORE_TOUCH_RATIO: f32 = 1e-4;

/// From this cosine on (two degrees) a normal is that of a face, and a capsule parallel to an edge.
const ALIGNED_COSINE: f32 = 0.9995;

#[inline]
pub(super) fn sphere_box(radius: f32, half: Vec3, pair: &Pair) -> Manifold {
    let center = pair.b.local_direction(-pair.offset);
    let closest = center.clamp(-half, half);
    let squared = closest.distance_squared(center);
    if squared.is_normal() {
        let point = pair.b.direction(closest) + pair.offset;
        return core_contact([Vec3::ZERO, point], [radius, 0.0], Vec3::Z, 0, pair.margin);
    }
    // The center is inside: push it out through the closest face.
    let depth = half - center.abs();
    let inside = depth.min_component() >= 0.0;
    if !inside {
        return Manifold::default();
    }
    let axis = index_of_min(depth.to_array());
    let normal = pair.b.axes.columns[axis] * if center.to_array()[axis] > 0.0 { -1.0 } else { 1.0 };
    single_point(normal, core_point(Vec3::ZERO, -depth.to_array()[axis], [radius, 0.0], normal, 0))
}

pub(super) fn capsule_box(half_length: f32, radius: f32, half: Vec3, pair: &Pair) -> Manifold {
    let axis = pair.a.axes.columns[2];
    let core = CapsuleCore {
        center: pair.b.local_direction(-pair.offset),
        direction: pair.b.local_direction(axis),
        half_length,
        radius,
        half,
    };
    let reach_box = (core.direction * half_length).abs() + half + Vec3::splat(radius + pair.margin);
    let is_near = (reach_box - core.center.abs()).min_component() >= 0.0;
    if !is_near {
        return Manifold::default();
    }
    let at = core.closest();
    let point = core.at(at);
    let excess = point - point.clamp(-half, half);
    let distance = excess.length();
    let touching = CORE_TOUCH_RATIO * number::max(half_length, half.max_component());
    let contact = if distance - radius > pair.margin {
        BoxContact::none()
    } else if distance > touching {
        core.outside(at, excess * (1.0 / distance), distance)
    } else {
        core.penetrating()
    };
    let normal = pair.b.direction(-contact.out);
    let mut manifold = Manifold { normal, ..Manifold::default() };
    for point in contact.points.iter().flatten() {
        if point.distance - radius <= pair.margin {
            let feature = feature::core_contact(point.feature);
            manifold.push(core_point(axis * point.parameter, point.distance, [radius, 0.0], normal, feature));
        }
    }
    manifold
}

/// A capsule's core in the frame of the box.
struct CapsuleCore {
    center: Vec3,
    direction: Vec3,
    half_length: f32,
    radius: f32,
    half: Vec3,
}

/// An outward normal and up to two points: the parameter on the core, the distance to the box, and the feature.
struct BoxContact {
    out: Vec3,
    points: [Option<CorePoint>; 2],
}

impl BoxContact {
    fn none() -> BoxContact {
        BoxContact { out: Vec3::ZERO, points: [None, None] }
    }
}

impl CapsuleCore {
    #[inline]
    fn at(&self, along: f32) -> Vec3 {
        self.center + self.direction * along
    }

    /// Half the derivative of the squared distance to the box along the core.
    #[inline]
    fn slope(&self, along: f32) -> f32 {
        let point = self.at(along);
        (point - point.clamp(-self.half, self.half)).dot(self.direction)
    }

    /// The parameter at which the core is closest to the box.
    fn closest(&self) -> f32 {
        let (mut low, mut high) = (-self.half_length, self.half_length);
        let (mut slope_low, mut slope_high) = (self.slope(low), self.slope(high));
        if slope_low >= 0.0 {
            return low;
        }
        if slope_high <= 0.0 {
            return high;
        }
        let (center, direction, half) = (self.center.to_array(), self.direction.to_array(), self.half.to_array());
        for axis in 0..3 {
            for face_offset in [-half[axis], half[axis]] {
                // Infinite or NaN if parallel to the face, and then not within.
                let breakpoint = (face_offset - center[axis]) / direction[axis];
                if breakpoint > low && breakpoint < high {
                    let slope = self.slope(breakpoint);
                    if slope < 0.0 {
                        (low, slope_low) = (breakpoint, slope);
                    } else {
                        (high, slope_high) = (breakpoint, slope);
                    }
                }
            }
        }
        low + (high - low) * (slope_low / (slope_low - slope_high))
    }

    /// The core is outside and closest at `at`: one point, or two if it is parallel to a face or an edge.
    fn outside(&self, at: f32, out: Vec3, distance: f32) -> BoxContact {
        let single = BoxContact { out, points: [Some(CorePoint { parameter: at, distance, feature: 0 }), None] };
        let along = out.abs();
        let axis = index_of_min((-along).to_array());
        if along.to_array()[axis] > ALIGNED_COSINE {
            // If the closest point lies beyond the face, it is the contact.
            let enough = distance + CLIP_TOLERANCE * self.radius;
            let both = self.face_contact(axis, out.to_array()[axis] > 0.0);
            let both = both.filter(|both| both.points.iter().flatten().any(|point| point.distance <= enough));
            return both.map_or(single, |both| BoxContact { out, ..both });
        }
        let edge = index_of_min(along.to_array());
        if along.to_array()[edge] > 0.0 || self.direction.to_array()[edge].abs() < ALIGNED_COSINE {
            return single;
        }
        let Some(ends) = self.clip_core(&[edge]) else { return single };
        let corner = self.at(at) - out * distance;
        let distance = |end: &CoreEnd| (self.at(end.parameter) - corner).dot(out);
        BoxContact { out, points: ends.map(|end| Some(end.at_distance(distance(&end)))) }
    }

    /// The core penetrates the box.
    fn penetrating(&self) -> BoxContact {
        let (center, direction, half) = (self.center.to_array(), self.direction.to_array(), self.half.to_array());
        let face_depths: [f32; 3] =
            core::array::from_fn(|axis| half[axis] + self.half_length * direction[axis].abs() - center[axis].abs());
        let axis = index_of_min(face_depths);
        let mut best = -face_depths[axis] + FACE_PREFERENCE * self.half.min_component();
        let mut edge = None;
        for (index, unit) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            let across = unit.cross(self.direction);
            if across.length_squared() < 1e-6 {
                continue;
            }
            let across = across.normal();
            let across = if across.dot(self.center) < 0.0 { -across } else { across };
            let separation = across.dot(self.center) - across.abs().dot(self.half);
            if separation > best {
                best = separation;
                edge = Some((index, across));
            }
        }
        let Some((index, out)) = edge else {
            return self.face_contact(axis, center[axis] > 0.0).unwrap_or_else(BoxContact::none);
        };
        // On an edge axis: the point of the core closest to the line of the edge.
        let signs = out.to_array().map(|part| if part < 0.0 { -1.0 } else { 1.0 });
        let mut corner = Vec3::new(signs[0], signs[1], signs[2]).times(self.half).to_array();
        corner[index] = 0.0;
        let mut offset = (Vec3::from_array(corner) - self.center).to_array();
        let mut projected = direction;
        (offset[index], projected[index]) = (0.0, 0.0);
        let (offset, projected) = (Vec3::from_array(offset), Vec3::from_array(projected));
        let along =
            number::clamp(offset.dot(projected) / projected.length_squared(), -self.half_length, self.half_length);
        BoxContact { out, points: [Some(CorePoint { parameter: along, distance: best, feature: 0 }), None] }
    }

    /// Both ends of the part of the core above a face.
    fn face_contact(&self, axis: usize, positive: bool) -> Option<BoxContact> {
        let others = [(axis + 1) % 3, (axis + 2) % 3];
        let ends = self.clip_core(&others)?;
        let mut out = [0.0; 3];
        out[axis] = if positive { 1.0 } else { -1.0 };
        let out = Vec3::from_array(out);
        let height = self.half.to_array()[axis];
        Some(BoxContact {
            out,
            points: ends.map(|end| Some(end.at_distance(self.at(end.parameter).dot(out) - height))),
        })
    }

    /// Clips the core to the box along some axes; each end with its feature. None if almost nothing is left.
    fn clip_core(&self, axes: &[usize]) -> Option<[CoreEnd; 2]> {
        let (center, direction, half) = (self.center.to_array(), self.direction.to_array(), self.half.to_array());
        let mut low = CoreEnd { parameter: -self.half_length, feature: 1 };
        let mut high = CoreEnd { parameter: self.half_length, feature: 2 };
        for &axis in axes {
            let limit = half[axis] + CLIP_TOLERANCE * (half[axis] + self.half_length);
            for (sign, feature) in [(-1.0, 3), (1.0, 4)] {
                let feature = feature + 2 * axis as u32;
                let speed = direction[axis] * sign;
                let distance = limit - center[axis] * sign;
                if speed.abs() <= 1e-6 {
                    if distance < 0.0 {
                        return None;
                    }
                } else if speed > 0.0 && distance / speed < high.parameter {
                    high = CoreEnd { parameter: distance / speed, feature };
                } else if speed < 0.0 && distance / speed > low.parameter {
                    low = CoreEnd { parameter: distance / speed, feature };
                }
            }
        }
        let length_min = CLIP_TOLERANCE * number::min(self.half_length, self.radius);
        (high.parameter - low.parameter > length_min).then_some([low, high])
    }
}

#[inline]
fn index_of_min([first, second, third]: [f32; 3]) -> usize {
    if first <= second && first <= third {
        0
    } else if second <= third {
        1
    } else {
        2
    }
}
