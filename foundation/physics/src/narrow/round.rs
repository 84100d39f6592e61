//! Spheres and capsules against each other: the distance of points and of pieces of lines.
//!
//! Capsules that lie along each other touch at two points: the ends of the piece that they share.

use base::{Vec3, number};

use super::{Pair, feature, round_contact, round_point};
use crate::manifold::Manifold;

/// Below this squared sine two capsules lie along each other: about three degrees.
const ALONG: f32 = 0.0025;

#[inline]
pub(super) fn spheres(a: f32, b: f32, pair: &Pair) -> Manifold {
    round_contact([Vec3::ZERO, pair.offset], [a, b], Vec3::Z, 0, pair.margin)
}

#[inline]
pub(super) fn sphere_capsule(a: f32, half: f32, radius: f32, pair: &Pair) -> Manifold {
    let axis = pair.b.axes.columns[2];
    // The offset is from the sphere to the middle of the capsule: back along the axis is where the sphere is.
    let along = number::clamp(-axis.dot(pair.offset), -half, half);
    let nearest = pair.offset + axis * along;
    round_contact([Vec3::ZERO, nearest], [a, radius], axis.perpendicular(), 0, pair.margin)
}

pub(super) fn capsules(halves: [f32; 2], radii: [f32; 2], pair: &Pair) -> Manifold {
    let (first, second) = (pair.a.axes.columns[2], pair.b.axes.columns[2]);
    let [at_first, at_second] = nearest_of_pieces(first, halves[0], second, halves[1], pair.offset);
    let places = [first * at_first, pair.offset + second * at_second];
    let across = first.cross(second);
    let squared = across.length_squared();
    let otherwise = if squared > ALONG { across.normal_or(Vec3::Z) } else { first.perpendicular() };
    let otherwise = if otherwise.dot(pair.offset) < 0.0 { -otherwise } else { otherwise };
    let single = round_contact(places, radii, otherwise, feature::round(0), pair.margin);
    if single.count == 0 || squared > ALONG {
        return single;
    }
    let normal = single.normal;
    // The piece that both share, measured along the first.
    let direction = number::sign(first.dot(second));
    let middle = first.dot(pair.offset);
    let ends = [(middle - halves[1], direction < 0.0), (middle + halves[1], direction > 0.0)];
    let low = if ends[0].0 > -halves[0] { (ends[0].0, 2 + u32::from(ends[0].1)) } else { (-halves[0], 0) };
    let high = if ends[1].0 < halves[0] { (ends[1].0, 2 + u32::from(ends[1].1)) } else { (halves[0], 1) };
    // Only where they lie side by side: end to end, they touch at one point.
    let share = high.0 - low.0 > 1e-3 * number::min(halves[0], halves[1]);
    if !share || normal.dot(first).abs() > 0.1 {
        return single;
    }
    let mut both = Manifold { normal, ..Manifold::default() };
    for (along, which) in [low, high] {
        let place = first * along;
        let other = pair.offset + second * number::clamp((along - middle) * direction, -halves[1], halves[1]);
        let distance = (other - place).dot(normal);
        if distance - radii[0] - radii[1] <= pair.margin {
            both.push(round_point(place, distance, radii, normal, feature::round(1 + which)));
        }
    }
    if both.count < 2 {
        return single;
    }
    both
}

/// How far along each of two pieces of lines their nearest points lie. The first is around the origin, the second around
/// `offset`; directions have length one.
pub(super) fn nearest_of_pieces(
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
        // Parallel: the middle of the piece that both share, or the end that is nearer.
        let low = number::max(-half_first, along_first - half_second);
        let high = number::min(half_first, along_first + half_second);
        number::clamp((low + high) * 0.5, -half_first, half_first)
    };
    // The nearest of the second to that, and again of the first if the second ended before.
    let wanted = at_first * cosine - along_second;
    let at_second = number::clamp(wanted, -half_second, half_second);
    if at_second == wanted {
        return [at_first, at_second];
    }
    [number::clamp(at_second * cosine + along_first, -half_first, half_first), at_second]
}
