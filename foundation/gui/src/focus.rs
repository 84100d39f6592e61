//! Focus: to which widget keys and gamepads move.
//!
//! The score is the one of Unity's navigation: the largest `dot(direction, v) / |v|²`, with `v` from the edge of the old widget to
//! the new one, within a cone of 45°. If nothing lies in the cone the focus stays.

use base::Vec2;
use base::number::{SQRT_HALF, abs, max};
use view::Rect;

use crate::geometry::{centre, point, size};

/// A direction of keys and gamepads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// Up.
    Up,
    /// Down.
    Down,
}

impl Direction {
    /// All of them, in the order of explicit links.
    pub const ALL: [Direction; 4] = [Direction::Left, Direction::Right, Direction::Up, Direction::Down];

    /// Its vector: to the right and down.
    pub fn vector(self) -> Vec2 {
        match self {
            Direction::Left => Vec2::new(-1.0, 0.0),
            Direction::Right => Vec2::new(1.0, 0.0),
            Direction::Up => Vec2::new(0.0, -1.0),
            Direction::Down => Vec2::new(0.0, 1.0),
        }
    }
}

/// The widget to which the focus moves from a rectangle in a direction (of length 1). Of equal ones the first.
pub fn best(from: Rect, direction: Vec2, candidates: impl Iterator<Item = (u32, Rect)>) -> Option<u32> {
    let start = point(from, Vec2::splat(0.5) + direction * 0.5);
    let mut found: Option<(f32, f32, u32)> = None;
    for (number, place) in candidates {
        let Some(score) = score(from, direction, place) else { continue };
        let beside = centre(place).distance_squared(start);
        let is_better = found.is_none_or(|(most, least, _)| score > most || score == most && beside < least);
        if is_better {
            found = Some((score, beside, number));
        }
    }
    found.map(|(.., number)| number)
}

/// How well a widget lies in a direction from another; none: it does not.
fn score(from: Rect, direction: Vec2, place: Rect) -> Option<f32> {
    let start = point(from, Vec2::splat(0.5) + direction * 0.5);
    let mut way = centre(place) - start;
    let mut bonus = 1.0;
    // Across the direction only the gap between the two counts, so that a narrow widget below a wide one is reached; and
    // what lies straight ahead is preferred to what is a little nearer beside it.
    if direction.x == 0.0 || direction.y == 0.0 {
        let gap = |from: (f32, f32), to: (f32, f32)| max(max(to.0 - from.1, from.0 - to.1), 0.0);
        let across = match direction.x == 0.0 {
            true => gap((from.min.x, from.max.x), (place.min.x, place.max.x)),
            false => gap((from.min.y, from.max.y), (place.min.y, place.max.y)),
        };
        bonus = if across == 0.0 { 2.0 } else { 1.0 };
        way = if direction.x == 0.0 { Vec2::new(across, way.y) } else { Vec2::new(way.x, across) };
    }
    let (along, length) = (way.dot(direction), way.length());
    let is_in_cone = along > 0.0 && along >= length * SQRT_HALF * 0.999;
    (is_in_cone && length > 0.0).then(|| bonus * along / max(length * length, 1.0))
}

/// The widget at the other end of a list: the farthest against the direction.
pub fn wrapped(from: Rect, direction: Vec2, candidates: impl Iterator<Item = (u32, Rect)>) -> Option<u32> {
    let start = centre(from);
    let mut found: Option<(f32, u32)> = None;
    for (number, place) in candidates {
        let way = centre(place) - start;
        let (along, across) = (way.dot(direction), abs(way.dot(Vec2::new(direction.y, direction.x))));
        let is_beside = across <= max(size(from).max_component(), size(place).max_component());
        if along < 0.0 && is_beside && found.is_none_or(|(least, _)| along < least) {
            found = Some((along, number));
        }
    }
    found.map(|(_, number)| number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::rect;
    use alloc::vec::Vec;

    /// Widgets as `x y width height`; where each direction leads from the first one.
    fn check(widgets: &[[f32; 4]], expected: [Option<u32>; 4]) {
        let rects: Vec<Rect> = widgets.iter().map(|[x, y, w, h]| rect(Vec2::new(*x, *y), Vec2::new(*w, *h))).collect();
        let others = || rects.iter().enumerate().skip(1).map(|(index, rect)| (index as u32, *rect));
        let found = Direction::ALL.map(|direction| best(rects[0], direction.vector(), others()));
        assert_eq!(found, expected, "{widgets:?}");
    }

    #[test]
    fn the_focus_moves_to_the_nearest_widget_in_the_direction() {
        let middle = [100.0, 100.0, 50.0, 20.0];
        check(&[middle], [None; 4]);
        check(&[middle, [0.0, 100.0, 50.0, 20.0], [200.0, 100.0, 50.0, 20.0]], [Some(1), Some(2), None, None]);
        check(
            &[middle, [100.0, 0.0, 50.0, 20.0], [100.0, 300.0, 50.0, 20.0], [100.0, 200.0, 50.0, 20.0]],
            [None, None, Some(1), Some(3)],
        );
    }

    #[test]
    fn what_lies_outside_of_the_cone_is_not_reached() {
        check(&[[0.0, 0.0, 10.0, 10.0], [100.0, 300.0, 10.0, 10.0]], [None, None, None, Some(1)]);
        check(&[[0.0, 0.0, 10.0, 10.0], [300.0, 100.0, 10.0, 10.0]], [None, Some(1), None, None]);
        check(&[[0.0, 0.0, 10.0, 10.0], [-300.0, 20.0, 10.0, 10.0]], [Some(1), None, None, None]);
    }

    #[test]
    fn a_narrow_widget_below_a_wide_one_is_reached() {
        check(&[[0.0, 0.0, 400.0, 40.0], [0.0, 48.0, 100.0, 40.0]], [None, None, None, Some(1)]);
        check(&[[0.0, 0.0, 400.0, 40.0], [300.0, -48.0, 100.0, 40.0]], [None, None, Some(1), None]);
    }

    #[test]
    fn a_straight_neighbour_is_preferred_to_a_slanting_one() {
        let from = [0.0, 0.0, 100.0, 40.0];
        check(&[from, [110.0, 60.0, 100.0, 40.0], [140.0, 0.0, 100.0, 40.0]], [None, Some(2), None, Some(1)]);
    }

    #[test]
    fn a_list_wraps_to_its_other_end() {
        let rects: Vec<Rect> =
            (0..4).map(|index| rect(Vec2::new(0.0, index as f32 * 50.0), Vec2::new(100.0, 40.0))).collect();
        let others = |from: usize| {
            let rects = rects.clone();
            rects
                .into_iter()
                .enumerate()
                .filter(move |(index, _)| *index != from)
                .map(|(index, rect)| (index as u32, rect))
        };
        assert_eq!(wrapped(rects[3], Direction::Down.vector(), others(3)), Some(0));
        assert_eq!(wrapped(rects[0], Direction::Up.vector(), others(0)), Some(3));
        assert_eq!(wrapped(rects[0], Direction::Left.vector(), others(0)), None);
    }
}
