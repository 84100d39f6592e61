//! Points and rectangles of layouts.

use base::Vec2;
use base::number::{clamp, max, min};
use view::Rect;

use crate::classes::interface::AnchorName;
use crate::limits::COORDINATE_MAX;

/// A point of a rectangle as a share of its size.
pub fn anchor(name: AnchorName) -> Vec2 {
    let (x, y) = match name {
        AnchorName::TopLeft => (0.0, 0.0),
        AnchorName::Top => (0.5, 0.0),
        AnchorName::TopRight => (1.0, 0.0),
        AnchorName::Left => (0.0, 0.5),
        AnchorName::Centre => (0.5, 0.5),
        AnchorName::Right => (1.0, 0.5),
        AnchorName::BottomLeft => (0.0, 1.0),
        AnchorName::Bottom => (0.5, 1.0),
        AnchorName::BottomRight => (1.0, 1.0),
    };
    Vec2::new(x, y)
}

/// The rectangle with this corner and size; a size is never negative.
pub fn rect(corner: Vec2, size: Vec2) -> Rect {
    let (corner, size) = (tame(corner), tame(size));
    let size = Vec2::new(max(size.x, 0.0), max(size.y, 0.0));
    Rect { min: corner, max: corner + size }
}

/// The width and height.
pub fn size(rect: Rect) -> Vec2 {
    rect.max - rect.min
}

/// The point of a rectangle at a share of its size.
pub fn point(rect: Rect, share: Vec2) -> Vec2 {
    rect.min + size(rect).times(share)
}

/// The centre.
pub fn centre(rect: Rect) -> Vec2 {
    point(rect, Vec2::splat(0.5))
}

/// Whether a point lies in it. The right and the lower edge do not belong to it.
pub fn holds(rect: Rect, point: Vec2) -> bool {
    point.x >= rect.min.x && point.y >= rect.min.y && point.x < rect.max.x && point.y < rect.max.y
}

/// What two rectangles have in common; empty if nothing.
pub fn overlap(one: Rect, other: Rect) -> Rect {
    let corner = Vec2::new(max(one.min.x, other.min.x), max(one.min.y, other.min.y));
    let end = Vec2::new(min(one.max.x, other.max.x), min(one.max.y, other.max.y));
    Rect { min: corner, max: Vec2::new(max(corner.x, end.x), max(corner.y, end.y)) }
}

/// The rectangle without its margins; never with a negative size.
pub fn inner(outer: Rect, margin: Vec2) -> Rect {
    rect(outer.min + margin, size(outer) - margin * 2.0)
}

/// The rectangle moved by a way.
pub fn moved(rect: Rect, way: Vec2) -> Rect {
    Rect { min: rect.min + way, max: rect.max + way }
}

/// The point of a rectangle that is nearest to a point.
pub fn nearest(rect: Rect, point: Vec2) -> Vec2 {
    Vec2::new(
        clamp(point.x, rect.min.x, max(rect.min.x, rect.max.x)),
        clamp(point.y, rect.min.y, max(rect.min.y, rect.max.y)),
    )
}

/// The vector with finite numbers within the limits of layouts.
pub fn tame(vector: Vec2) -> Vec2 {
    let number = |value: f32| if value.is_finite() { clamp(value, -COORDINATE_MAX, COORDINATE_MAX) } else { 0.0 };
    Vec2::new(number(vector.x), number(vector.y))
}
