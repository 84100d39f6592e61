//! A line in the world.

use base::Vec3;

use crate::colour::Colour;
use crate::kind::Kind;

/// A line between two places of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Where it begins.
    pub from: Vec3,
    /// Where it ends.
    pub to: Vec3,
    /// The colour that it is meant to have.
    pub colour: Colour,
    /// What it tells.
    pub kind: Kind,
    /// Whose it is: the raw handle of an object; 0 if it is nobody's.
    pub owner: u32,
}

impl Line {
    /// A line in the colour of its kind.
    pub fn new(kind: Kind, owner: u32, from: Vec3, to: Vec3) -> Line {
        Line { from, to, colour: kind.colour(), kind, owner }
    }

    /// Whether both ends are somewhere.
    pub fn is_finite(&self) -> bool {
        self.from.is_finite() && self.to.is_finite()
    }
}
