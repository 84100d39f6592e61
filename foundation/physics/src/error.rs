//! Why something cannot be a shape.

use core::error::Error;
use core::fmt;

/// Why something cannot be a shape. Whoever made it is told; nothing is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShapeError {
    /// A number is infinite or NaN.
    NotFinite,
    /// A size is zero, negative, or below [`SIZE_LEAST`](crate::limits::SIZE_LEAST).
    TooSmall,
    /// A size, or a distance from the origin, is above [`SIZE_MOST`](crate::limits::SIZE_MOST).
    TooLarge,
    /// There are fewer than four points.
    TooFewPoints,
    /// All points lie in one plane, or nearly.
    Flat,
    /// The sides do not close around a volume: some are missing, doubled or inside out.
    NotClosed,
    /// A mass or a density is zero, negative, not finite, or too large or too small to be worked with.
    Mass,
}

impl fmt::Display for ShapeError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            ShapeError::NotFinite => "a number of the shape is infinite or not a number",
            ShapeError::TooSmall => "a size of the shape is zero, negative or below a micrometre",
            ShapeError::TooLarge => "the shape reaches further than a thousand kilometres",
            ShapeError::TooFewPoints => "a hull needs at least four points",
            ShapeError::Flat => "all points of the hull lie in one plane",
            ShapeError::NotClosed => "the sides of the shape do not close around a volume",
            ShapeError::Mass => "a mass or density is zero, negative, not finite, or out of all proportion",
        })
    }
}

impl Error for ShapeError {}
