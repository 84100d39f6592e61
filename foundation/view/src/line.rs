//! A line in the world.

use base::Vec3;

use crate::colour::Colour;
use crate::kind::Kind;

/// A line segment in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Its start.
    pub from: Vec3,
    /// Its end.
    pub to: Vec3,
    /// Its colour.
    pub colour: Colour,
    /// What it shows.
    pub kind: Kind,
    /// The raw handle of the object it belongs to; 0 if there is none.
    pub owner: u32,
}

impl Line {
    /// A line in the colour of its kind.
    pub fn new(kind: Kind, owner: u32, from: Vec3, to: Vec3) -> Line {
        Line { from, to, colour: kind.colour(), kind, owner }
    }

    /// Whether both ends are finite.
    pub fn is_finite(&self) -> bool {
        self.from.is_finite() && self.to.is_finite()
    }
}
