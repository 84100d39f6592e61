//! A pen: draws lines of one kind for one object.

use base::{Vec3, number};
use view::{Drawing, Kind, Line, Round};

/// Draws lines into a drawing.
pub struct Pen<'a> {
    drawing: &'a mut Drawing,
    kind: Kind,
    owner: u32,
}

/// The number of segments of a full circle.
pub const PIECES: u32 = 24;

/// The circle of an arc: its centre and two perpendicular radii.
#[derive(Clone, Copy, Debug)]
pub struct CircleArc {
    /// The centre.
    pub middle: Vec3,
    /// The radius at angle 0.
    pub first: Vec3,
    /// The radius at a quarter turn.
    pub second: Vec3,
}

impl<'a> Pen<'a> {
    /// A pen for lines of this kind that belong to this object.
    pub fn new(drawing: &'a mut Drawing, kind: Kind, owner: u32) -> Pen<'a> {
        Pen { drawing, kind, owner }
    }

    /// Draws a line.
    pub fn line(&mut self, from: Vec3, to: Vec3) {
        self.drawing.push(Line::new(self.kind, self.owner, from, to));
    }

    /// Draws a line from `half` before a point to `half` after it.
    pub fn both_ways(&mut self, middle: Vec3, half: Vec3) {
        self.line(middle - half, middle + half);
    }

    /// Draws a full circle.
    pub fn circle(&mut self, arc: CircleArc) {
        self.arc(arc, 0.0, core::f32::consts::TAU);
    }

    /// Draws an arc between two angles, at most one turn.
    pub fn arc(&mut self, arc: CircleArc, from: f32, to: f32) {
        let turn = number::clamp(to - from, 0.0, core::f32::consts::TAU);
        let pieces = number::max(number::ceil(turn / core::f32::consts::TAU * PIECES as f32), 1.0);
        let mut last = arc.at(from);
        for piece in 1..=pieces as u32 {
            let next = arc.at(from + turn * (piece as f32 / pieces));
            self.line(last, next);
            last = next;
        }
    }

    /// Draws the outline of a convex body as a solid.
    pub fn solid(&mut self, round: Option<Round>, draw: impl FnOnce(&mut Pen<'_>)) {
        let (kind, owner) = (self.kind, self.owner);
        self.drawing.push_solid(round, |drawing| draw(&mut Pen { drawing, kind, owner }));
    }

    /// Whether the drawing is full.
    pub fn is_full(&self) -> bool {
        self.drawing.is_full()
    }
}

impl CircleArc {
    /// The point at an angle.
    pub fn at(&self, angle: f32) -> Vec3 {
        let (sine, cosine) = number::sin_cos(angle);
        self.middle + self.first * cosine + self.second * sine
    }
}
