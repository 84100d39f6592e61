//! The decoding error.

use core::error::Error;
use core::fmt;

/// A decoding error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// What was expected, with its article: "a u32".
    pub expected: &'static str,
    /// The offset.
    pub offset: Offset,
    /// What was found.
    pub found: Found,
}

/// An offset in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offset {
    /// In bytes.
    Byte(u64),
    /// In bits.
    Bit(u64),
}

/// What was found instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The end of the input.
    End {
        /// The bytes or bits needed.
        needed: u64,
        /// The bytes or bits left.
        left: u64,
    },
    /// A length or count above the limit.
    TooMany {
        /// The length or count.
        count: u64,
        /// The limit.
        max: u64,
    },
    /// A number out of range.
    OutOfRange {
        /// The number, relative to the minimum.
        number: u64,
        /// The maximum, relative to the minimum.
        max: u64,
    },
    /// An overlong varint, or one with more than 64 bits.
    NotShortest,
    /// Bytes that are not UTF-8.
    NotText {
        /// The length of the valid prefix.
        valid: u64,
    },
    /// Numbers that are not a direction or a rotation.
    NotUnit,
    /// Trailing data.
    More {
        /// The number of bytes or bits.
        left: u64,
    },
    /// Nonzero padding bits.
    Padding,
}

impl fmt::Display for ReadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, offset) = match self.offset {
            Offset::Byte(offset) => ("byte", offset),
            Offset::Bit(offset) => ("bit", offset),
        };
        write!(formatter, "expected {} at {unit} {offset}, found ", self.expected)?;
        match self.found {
            Found::End { needed, left } => write!(formatter, "the end: {needed} {unit}s needed, {left} left"),
            Found::TooMany { count, max } => write!(formatter, "{count} of them, at most {max} are allowed"),
            Found::OutOfRange { number, max } => write!(formatter, "number {number}, {max} is the largest allowed"),
            Found::NotShortest => write!(formatter, "a number that is not in its shortest form"),
            Found::NotText { valid } => write!(formatter, "invalid UTF-8 after {valid} valid bytes"),
            Found::NotUnit => write!(formatter, "components too large for a unit length"),
            Found::More { left } => write!(formatter, "{left} more {unit}s"),
            Found::Padding => write!(formatter, "nonzero padding bits in the last byte"),
        }
    }
}

impl Error for ReadError {}
