//! What a reader says when the bytes are not what they should be.

use core::error::Error;
use core::fmt;

/// Bytes or bits that are not what they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// What should have been there, with its article: "a u32".
    pub expected: &'static str,
    /// Where it should have begun.
    pub offset: Offset,
    /// What was there.
    pub found: Found,
}

/// A place in the input, from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offset {
    /// So many bytes.
    Byte(u64),
    /// So many bits.
    Bit(u64),
}

/// What was there instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The end came first.
    End {
        /// How many bytes or bits were needed.
        needed: u64,
        /// How many were left.
        left: u64,
    },
    /// A length or count above what is allowed.
    TooMany {
        /// The length or count.
        count: u64,
        /// The most that is allowed here.
        most: u64,
    },
    /// A number that means nothing here.
    OutOfRange {
        /// The number, counted from the least one that is allowed.
        number: u64,
        /// The largest that is allowed, counted in the same way.
        most: u64,
    },
    /// A varint with more bytes than it needs, or with more bits than a `u64`.
    NotShortest,
    /// Bytes that are not UTF-8.
    NotText {
        /// How many bytes from the beginning of the text are in order.
        valid: u64,
    },
    /// Numbers that are no direction and no rotation.
    NotUnit,
    /// More than there should be.
    More {
        /// How many bytes or bits.
        left: u64,
    },
    /// Bits set that fill up the last byte and have no meaning.
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
            Found::TooMany { count, most } => write!(formatter, "{count} of them where {most} is the most"),
            Found::OutOfRange { number, most } => write!(formatter, "number {number} where {most} is the largest"),
            Found::NotShortest => write!(formatter, "a number that is not in its shortest form"),
            Found::NotText { valid } => write!(formatter, "what is no UTF-8 after {valid} bytes of it"),
            Found::NotUnit => write!(formatter, "numbers too large for a length of one"),
            Found::More { left } => write!(formatter, "{left} {unit}s more"),
            Found::Padding => write!(formatter, "bits set that only fill up the last byte"),
        }
    }
}

impl Error for ReadError {}
