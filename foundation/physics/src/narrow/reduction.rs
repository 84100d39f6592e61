//! Manifold reduction: chooses four points of a clipped polygon.
//!
//! Law: the deepest point is kept (or one as deep but for rounding), then the farthest from it, then those that span the largest
//! area on either side. So the four support a body as well as all of them.

use base::number;

/// A point over the reference face: its position on the face, its separation, and its feature.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClipPoint {
    pub u: f32,
    pub v: f32,
    pub separation: f32,
    pub feature: u32,
}

/// What a point counts that is not near.
const HOVERING_WEIGHT: f32 = 0.01;

/// Moves the four points to keep to the front and returns how many there are. Separations within `tolerance` count as equal.
pub(super) fn reduce_to_four(points: &mut [ClipPoint], tolerance: f32) -> usize {
    reduce_to_near_four(points, tolerance, f32::INFINITY)
}

/// The same, for points of a form that may be round below: points that are farther than `near` from being as deep as the deepest
/// count for little, since they bear nothing.
pub(super) fn reduce_to_near_four(points: &mut [ClipPoint], tolerance: f32, near: f32) -> usize {
    let count = points.len();
    if count <= 4 {
        return count;
    }
    let smallest = points.iter().fold(f32::INFINITY, |smallest, point| number::min(smallest, point.separation));
    let deepest = smallest + tolerance;
    let weight = |point: &ClipPoint| if point.separation <= smallest + near { 1.0 } else { HOVERING_WEIGHT };
    // Of the deepest points an extreme one: which one does not depend on the last bits of the separations.
    let first =
        best(points, |point| if point.separation <= deepest { point.u + 0.5 * point.v } else { f32::NEG_INFINITY });
    points.swap(0, first);
    let from = points[0];
    let second = best(&points[1..], |point| {
        let (u, v) = (point.u - from.u, point.v - from.v);
        (u * u + v * v) * weight(point)
    });
    points.swap(1, 1 + second);
    let (u, v) = (points[1].u - from.u, points[1].v - from.v);
    let signed_area = |point: &ClipPoint| (u * (point.v - from.v) - v * (point.u - from.u)) * weight(point);
    let third = best(&points[2..], signed_area);
    points.swap(2, 2 + third);
    let fourth = best(&points[3..], |point| -signed_area(point));
    points.swap(3, 3 + fourth);
    4
}

/// The first point with the highest score. Only a clearly higher score wins, so that the choice does not depend on the last bits.
fn best(points: &[ClipPoint], score: impl Fn(&ClipPoint) -> f32) -> usize {
    let mut found: Option<(usize, f32)> = None;
    for (index, point) in points.iter().enumerate() {
        let score = score(point);
        let beats = found.is_none_or(|(_, best)| score > best + 0.01 * best.abs());
        if beats && score > f32::NEG_INFINITY {
            found = Some((index, score));
        }
    }
    found.map_or(0, |(index, _)| index)
}
