//! Spheres and capsules against each other: closest points of points and segments (Ericson 2005, 5.1.9).
//!
//! Parallel capsules touch at two points: the ends of the interval they share.

use base::{Vec3, number};

use super::{Pair, core_contact, core_point, feature};
use crate::manifold::Manifold;

/// Below this squared sine (about three degrees) two capsules count as parallel.
const PARALLEL_SINE_SQUARED: f32 = 0.0025;

#[inline]
pub(super) fn sphere_sphere(a: f32, b: f32, pair: &Pair) -> Manifold {
    core_contact([Vec3::ZERO, pair.offset], [a, b], Vec3::Z, 0, pair.margin)
}

#[inline]
pub(super) fn sphere_capsule(a: f32, half: f32, radius: f32, pair: &Pair) -> Manifold {
    let axis = pair.b.axes.columns[2];
    // The offset goes from the sphere to the capsule's center, so the sphere's parameter is its negative projection.
    let along = number::clamp(-axis.dot(pair.offset), -half, half);
    let closest = pair.offset + axis * along;
    core_contact([Vec3::ZERO, closest], [a, radius], axis.perpendicular(), 0, pair.margin)
}

pub(super) fn capsule_capsule(halves: [f32; 2], radii: [f32; 2], pair: &Pair) -> Manifold {
    let (first, second) = (pair.a.axes.columns[2], pair.b.axes.columns[2]);
    let [at_first, at_second] = closest_on_segments(first, halves[0], second, halves[1], pair.offset);
    let points = [first * at_first, pair.offset + second * at_second];
    let across = first.cross(second);
    let squared = across.length_squared();
    let fallback = if squared > PARALLEL_SINE_SQUARED { across.normal_or(Vec3::Z) } else { first.perpendicular() };
    let fallback = if fallback.dot(pair.offset) < 0.0 { -fallback } else { fallback };
    let single = core_contact(points, radii, fallback, feature::core_contact(0), pair.margin);
    if single.count == 0 || squared > PARALLEL_SINE_SQUARED {
        return single;
    }
    let normal = single.normal;
    // The shared interval along the first axis.
    let direction = number::sign(first.dot(second));
    let center = first.dot(pair.offset);
    let ends = [(center - halves[1], direction < 0.0), (center + halves[1], direction > 0.0)];
    let low = if ends[0].0 > -halves[0] { (ends[0].0, 2 + u32::from(ends[0].1)) } else { (-halves[0], 0) };
    let high = if ends[1].0 < halves[0] { (ends[1].0, 2 + u32::from(ends[1].1)) } else { (halves[0], 1) };
    // Only side by side: end to end, they touch at one point.
    let overlaps = high.0 - low.0 > 1e-3 * number::min(halves[0], halves[1]);
    if !overlaps || normal.dot(first).abs() > 0.1 {
        return single;
    }
    let mut both = Manifold { normal, ..Manifold::default() };
    for (along, feature_index) in [low, high] {
        let point = first * along;
        let other = pair.offset + second * number::clamp((along - center) * direction, -halves[1], halves[1]);
        let distance = (other - point).dot(normal);
        if distance - radii[0] - radii[1] <= pair.margin {
            both.push(core_point(point, distance, radii, normal, feature::core_contact(1 + feature_index)));
        }
    }
    if both.count < 2 {
        return single;
    }
    both
}

/// The parameters of the closest points of two segments, the first around the origin, the second around `offset`. Directions have
/// unit length.
pub(super) fn closest_on_segments(
    first: Vec3,
    half_first: f32,
    second: Vec3,
    half_second: f32,
    offset: Vec3,
) -> [f32; 2] {
    let cosine = first.dot(second);
    let (along_first, along_second) = (first.dot(offset), second.dot(offset));
    let sine_squared = first.cross(second).length_squared();
    let at_first = if sine_squared > 1e-6 {
        number::clamp((along_first - cosine * along_second) / sine_squared, -half_first, half_first)
    } else {
        // Parallel: the center of the shared interval, or the closer end.
        let low = number::max(-half_first, along_first - half_second);
        let high = number::min(half_first, along_first + half_second);
        number::clamp((low + high) * 0.5, -half_first, half_first)
    };
    // The closest point of the second to that one, and of the first again if the second was clamped.
    let unclamped = at_first * cosine - along_second;
    let at_second = number::clamp(unclamped, -half_second, half_second);
    if at_second == unclamped {
        return [at_first, at_second];
    }
    [number::clamp(at_second * cosine + along_first, -half_first, half_first), at_second]
}
