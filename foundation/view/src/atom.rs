//! Values of a world that an interface is told.

use base::{StringId, Vec3};

/// A value without parts: an argument of an interface event.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Atom {
    /// Nothing.
    #[default]
    Nothing,
    /// A number; also an identifier such as `#3`.
    Number(f64),
    /// A truth value.
    Truth(bool),
    /// A string, by its id; `Frame::text` finds its text.
    Name(StringId),
    /// A vector.
    Vector(Vec3),
    /// The raw handle of an object.
    Object(u32),
}
