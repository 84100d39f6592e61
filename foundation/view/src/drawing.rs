//! A debug drawing: the lines to be shown at one moment.
//!
//! Laws
//! 1. Lines stay in the order in which they were added. A line beyond the capacity, or with an end that is not finite,
//!    is left out and counted.
//! 2. A solid is a run of lines that outline a convex body; a renderer may hide other lines behind it. If any of its
//!    lines was left out there is no solid, and the others remain as plain lines.

use alloc::vec::Vec;

use base::Vec3;

use crate::kind::Kind;
use crate::limits::LINES_MAX;
use crate::line::Line;

/// The lines and solids to be shown at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    lines: Vec<Line>,
    solids: Vec<Solid>,
    lines_max: usize,
    refused: u64,
    /// The up direction, of unit length.
    up: Vec3,
}

/// A run of lines that outline a convex body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid {
    /// The index of its first line.
    pub first: u32,
    /// The number of its lines; never zero.
    pub count: u32,
    /// The exact body, if it is round; otherwise it is the convex hull of its lines.
    pub round: Option<Round>,
}

/// A capsule, or a sphere if its ends coincide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// The ends of its segment.
    pub ends: [Vec3; 2],
    /// Its radius.
    pub radius: f32,
}

impl Drawing {
    /// An empty drawing for this many lines, at most [`LINES_MAX`].
    pub fn new(lines_max: usize) -> Drawing {
        let lines_max = lines_max.min(LINES_MAX);
        let solids = Vec::with_capacity(lines_max / SOLID_LINES_MIN);
        Drawing { lines: Vec::with_capacity(lines_max), solids, lines_max, refused: 0, up: Vec3::Z }
    }

    /// Empties it.
    pub fn clear(&mut self) {
        self.lines.clear();
        self.solids.clear();
        (self.refused, self.up) = (0, Vec3::Z);
    }

    /// Adds a line. False if it was left out.
    pub fn push(&mut self, line: Line) -> bool {
        let is_taken = self.lines.len() < self.lines_max && line.is_finite();
        if is_taken {
            self.lines.push(line);
        } else {
            self.refused += 1;
        }
        debug_assert!(self.lines.len() <= self.lines_max, "law 2 of frames: {} lines", self.lines.len());
        is_taken
    }

    /// Adds a solid: all lines that `draw` adds.
    pub fn push_solid(&mut self, round: Option<Round>, draw: impl FnOnce(&mut Drawing)) {
        let (first, refused) = (self.lines.len(), self.refused);
        draw(self);
        let count = self.lines.len() - first;
        let is_finite = |round: &Round| round.radius.is_finite() && round.ends.iter().all(|end| end.is_finite());
        let is_whole = count >= SOLID_LINES_MIN && refused == self.refused && round.iter().all(is_finite);
        if is_whole && self.solids.len() < self.solids.capacity() {
            self.solids.push(Solid { first: first as u32, count: count as u32, round });
        }
    }

    /// Sets the up direction; a vector without a direction is ignored.
    pub fn set_up(&mut self, up: Vec3) {
        self.up = up.normal_or(self.up);
    }

    /// The lines.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The lines of one kind.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(move |line| line.kind == kind)
    }

    /// The solids, in the order of their lines.
    pub fn solids(&self) -> &[Solid] {
        &self.solids
    }

    /// The lines of a solid of this drawing.
    pub fn lines_of(&self, solid: Solid) -> &[Line] {
        let first = solid.first as usize;
        self.lines.get(first..first + solid.count as usize).unwrap_or_default()
    }

    /// The up direction.
    pub fn up(&self) -> Vec3 {
        self.up
    }

    /// The number of lines that were left out.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Whether its capacity is used up.
    pub fn is_full(&self) -> bool {
        self.lines.len() >= self.lines_max
    }
}

/// The simplest convex solid is a tetrahedron, with six edges.
const SOLID_LINES_MIN: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    fn line(x: f32) -> Line {
        Line::new(Kind::Awake, 7, Vec3::new(x, 0.0, 0.0), Vec3::ZERO)
    }

    fn push_solid(drawing: &mut Drawing, lines: u8) {
        drawing.push_solid(None, |drawing| {
            for x in 0..lines {
                drawing.push(line(f32::from(x)));
            }
        });
    }

    #[test]
    fn lines_stay_in_order_and_refused_ones_are_counted() {
        let mut drawing = Drawing::new(3);
        assert_eq!([1.0, 2.0, f32::NAN, 3.0, 4.0].map(|x| drawing.push(line(x))), [true, true, false, true, false]);
        let places: Vec<f32> = drawing.lines().iter().map(|line| line.from.x).collect();
        assert_eq!(places, [1.0, 2.0, 3.0]);
        assert_eq!((drawing.refused(), drawing.is_full()), (2, true));
        drawing.clear();
        assert_eq!((drawing.lines().len(), drawing.refused(), drawing.is_full()), (0, 0, false));
    }

    #[test]
    fn a_frame_allocates_only_when_it_is_created() {
        let mut drawing = Drawing::new(100);
        let before = (drawing.lines.capacity(), drawing.solids.capacity());
        for _ in 0..50 {
            push_solid(&mut drawing, 6);
        }
        assert_eq!((drawing.lines.capacity(), drawing.solids.capacity()), before);
        assert_eq!((drawing.lines().len(), drawing.solids().len(), drawing.refused()), (100, 16, 200));
    }

    #[test]
    fn incomplete_solids_are_not_listed() {
        let mut drawing = Drawing::new(16);
        drawing.push(line(0.0));
        push_solid(&mut drawing, 6);
        push_solid(&mut drawing, 5);
        push_solid(&mut drawing, 9);
        assert_eq!(drawing.solids(), [Solid { first: 1, count: 6, round: None }]);
        assert_eq!(drawing.lines_of(drawing.solids()[0]).len(), 6);
        assert_eq!(drawing.lines_of(Solid { first: 15, count: 9, round: None }), []);
        assert_eq!((drawing.lines().len(), drawing.refused()), (16, 5));
    }

    #[test]
    fn up_is_always_a_unit_vector() {
        let mut drawing = Drawing::new(1);
        drawing.set_up(Vec3::ZERO);
        assert_eq!(drawing.up(), Vec3::Z);
        drawing.set_up(Vec3::new(0.0, 5.0, 0.0));
        assert_eq!(drawing.up(), Vec3::Y);
    }
}
