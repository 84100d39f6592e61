//! A pen: draws lines of one kind, for one object.

use base::{Vec3, number};
use view::{Frame, Kind, Line, Round};

/// Draws lines into a frame.
pub struct Pen<'a> {
    frame: &'a mut Frame,
    kind: Kind,
    owner: u32,
}

/// Of how many pieces a whole circle is made.
pub const PIECES: u32 = 24;

/// A part of a circle: where its middle is, and the arms at a quarter turn from each other, as long as it is wide.
#[derive(Clone, Copy, Debug)]
pub struct Arc {
    /// The middle of the circle.
    pub middle: Vec3,
    /// Where angles begin.
    pub first: Vec3,
    /// A quarter turn on.
    pub second: Vec3,
}

impl<'a> Pen<'a> {
    /// A pen for lines of a kind, of an object.
    pub fn new(frame: &'a mut Frame, kind: Kind, owner: u32) -> Pen<'a> {
        Pen { frame, kind, owner }
    }

    /// From one place to another.
    pub fn line(&mut self, from: Vec3, to: Vec3) {
        self.frame.push(Line::new(self.kind, self.owner, from, to));
    }

    /// Through a place, as far to both sides.
    pub fn both_ways(&mut self, middle: Vec3, way: Vec3) {
        self.line(middle - way, middle + way);
    }

    /// A whole circle.
    pub fn circle(&mut self, arc: Arc) {
        self.arc(arc, 0.0, core::f32::consts::TAU);
    }

    /// A part of a circle, between two angles; no more than once around.
    pub fn arc(&mut self, arc: Arc, from: f32, to: f32) {
        let turn = number::clamp(to - from, 0.0, core::f32::consts::TAU);
        let pieces = number::max(number::ceil(turn / core::f32::consts::TAU * PIECES as f32), 1.0);
        let mut last = arc.at(from);
        for piece in 1..=pieces as u32 {
            let next = arc.at(from + turn * (piece as f32 / pieces));
            self.line(last, next);
            last = next;
        }
    }

    /// Whatever is drawn meanwhile is around something convex.
    pub fn solid(&mut self, round: Option<Round>, draw: impl FnOnce(&mut Pen<'_>)) {
        let (kind, owner) = (self.kind, self.owner);
        self.frame.push_solid(round, |frame| draw(&mut Pen { frame, kind, owner }));
    }

    /// Whether there is no room for another line.
    pub fn is_full(&self) -> bool {
        self.frame.is_full()
    }
}

impl Arc {
    /// The place at an angle.
    pub fn at(&self, angle: f32) -> Vec3 {
        let (sine, cosine) = number::sin_cos(angle);
        self.middle + self.first * cosine + self.second * sine
    }
}
