//! The numbers by which points of contact are known again in the next cycle.
//!
//! | bits | what |
//! |---|---|
//! | 30..32 | the kind: 0 round, 1 a side of the first, 2 a side of the second, 3 two edges |
//! | 24..30 | the side that others are cut to, of a box, hull or triangle |
//! | 18..24 | the side of the other that is cut |
//! | 11..18 | what the point begins at, going around: an edge of what is cut, or (from 64) of what cuts |
//! | 4..11 | what it ends at, in the same way |
//! | 0..3 | for triangles: on which of its edges the point lies |

/// A point between two sides, of which the `reference` (0 the first's, 1 the second's) cuts the other.
#[inline]
pub(super) fn side(reference: u32, cutting: u32, cut: u32, begins: u32, ends: u32) -> u32 {
    (reference + 1) << 30 | (cutting & 63) << 24 | (cut & 63) << 18 | (begins & 127) << 11 | (ends & 127) << 4
}

/// A point between two edges.
#[inline]
pub(super) fn edges(first: u32, second: u32) -> u32 {
    3 << 30 | (first & 127) << 11 | (second & 127) << 4
}

/// A point of something round.
#[inline]
pub(super) fn round(which: u32) -> u32 {
    (which & 0x7ff_ffff) << 4
}
