//! Curves over a lifetime.

use base::number;

use crate::classes::effect::{ColourPoint, CurvePoint};

/// The factor of a curve at a part of the lifetime; 1 without points.
#[inline]
pub(super) fn factor(points: &[CurvePoint], part: f32) -> f32 {
    match segment(points, part, |point| point.at) {
        Segment::None => 1.0,
        Segment::At(point) => point.factor,
        Segment::Between(from, to, rest) => from.factor + (to.factor - from.factor) * rest,
    }
}

/// The light and the opacity of a curve of colours at a part of the lifetime; white without points.
#[inline]
pub(super) fn colour(points: &[ColourPoint], part: f32) -> [f32; 4] {
    match segment(points, part, |point| point.at) {
        Segment::None => [1.0; 4],
        Segment::At(point) => light(point),
        Segment::Between(from, to, rest) => {
            let (from, to) = (light(from), light(to));
            core::array::from_fn(|channel| from[channel] + (to[channel] - from[channel]) * rest)
        }
    }
}

#[inline]
fn light(point: &ColourPoint) -> [f32; 4] {
    let (colour, strength) = (&point.colour, point.strength);
    [colour.red * strength, colour.green * strength, colour.blue * strength, colour.opacity]
}

enum Segment<'a, T> {
    None,
    At(&'a T),
    Between(&'a T, &'a T, f32),
}

/// Between which points a part of the lifetime lies. Points are in order; of others the first that fits counts.
#[inline]
fn segment<T>(points: &[T], part: f32, at: impl Fn(&T) -> f32) -> Segment<'_, T> {
    let Some(first) = points.first() else { return Segment::None };
    let mut before = first;
    for point in points {
        if at(point) >= part {
            let (from, to) = (at(before), at(point));
            let length = to - from;
            if length <= 0.0 {
                return Segment::At(point);
            }
            return Segment::Between(before, point, number::clamp((part - from) / length, 0.0, 1.0));
        }
        before = point;
    }
    Segment::At(before)
}
