//! The limits of a frame.

/// The greatest capacity of a frame, in lines.
pub const LINES_MAX: usize = 1 << 20;
/// The default capacity: enough for the outlines of a heap of thousands of bodies.
pub const LINES_USUAL: usize = 1 << 18;

const _: () = assert!(LINES_USUAL <= LINES_MAX, "the default capacity is within the greatest");
