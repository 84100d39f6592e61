//! The limits of a frame.

/// The most lines a frame can have room for.
pub const LINES_MAX: usize = 1 << 20;
/// How many it has room for unless more are asked for: a heap of thousands, drawn out.
pub const LINES_USUAL: usize = 1 << 18;

const _: () = assert!(LINES_USUAL <= LINES_MAX, "what is usual fits");
