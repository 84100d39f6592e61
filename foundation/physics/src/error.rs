//! Why a shape or its mass properties were refused.

use core::error::Error;
use core::fmt;

/// Why a shape or its mass properties were refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShapeError {
    /// A number is infinite or NaN.
    NotFinite,
    /// A size is zero, negative, or below [`SIZE_MIN`](crate::limits::SIZE_MIN).
    TooSmall,
    /// A size, or a distance from the origin, is above [`SIZE_MAX`](crate::limits::SIZE_MAX).
    TooLarge,
    /// There are fewer than four points.
    TooFewPoints,
    /// All points are coplanar, or nearly.
    Flat,
    /// The faces do not enclose a volume: some are missing, doubled or inside out.
    NotClosed,
    /// A mass or a density is zero, negative, not finite, or too large or too small for single precision.
    Mass,
}

impl fmt::Display for ShapeError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            ShapeError::NotFinite => "a number of the shape is infinite or NaN",
            ShapeError::TooSmall => "a size of the shape is zero, negative or below a micrometre",
            ShapeError::TooLarge => "the shape extends beyond a thousand kilometres",
            ShapeError::TooFewPoints => "a hull needs at least four points",
            ShapeError::Flat => "all points of the hull are coplanar",
            ShapeError::NotClosed => "the faces of the shape do not enclose a volume",
            ShapeError::Mass => "a mass or density is zero, negative, not finite, or out of range",
        })
    }
}

impl Error for ShapeError {}
