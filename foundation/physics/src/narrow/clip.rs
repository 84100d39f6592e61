//! Which four points of a polygon are kept.
//!
//! Law: the deepest is kept (or one as deep but for rounding), then the one farthest from it, then those that span the most area to
//! either side. So the four hold a body up as well as all of them did.

use base::number;

/// A point over a side: where on it, how far above, and as what it is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Over {
    pub u: f32,
    pub v: f32,
    pub height: f32,
    pub feature: u32,
}

/// Moves the four to keep to the front, and says how many there are. `slack` is the height that makes no difference.
pub(super) fn keep_four(points: &mut [Over], slack: f32) -> usize {
    let count = points.len();
    if count <= 4 {
        return count;
    }
    let deepest = points.iter().fold(f32::INFINITY, |least, point| number::min(least, point.height)) + slack;
    // Among those as deep as any, one that lies furthest out: which, does not change with the last bits of the heights.
    let first = best(points, |point| if point.height <= deepest { point.u + 0.5 * point.v } else { f32::NEG_INFINITY });
    points.swap(0, first);
    let from = points[0];
    let second = best(&points[1..], |point| {
        let (u, v) = (point.u - from.u, point.v - from.v);
        u * u + v * v
    });
    points.swap(1, 1 + second);
    let (u, v) = (points[1].u - from.u, points[1].v - from.v);
    let beside = |point: &Over| u * (point.v - from.v) - v * (point.u - from.u);
    let third = best(&points[2..], beside);
    points.swap(2, 2 + third);
    let fourth = best(&points[3..], |point| -beside(point));
    points.swap(3, 3 + fourth);
    4
}

/// The first of those with the highest score. One that is hardly better is not: which of equals is taken must not change with
/// their last bits.
fn best(points: &[Over], score: impl Fn(&Over) -> f32) -> usize {
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
