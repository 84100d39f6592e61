//! All limits of the crate.

/// The most cells of a map.
pub const CELLS_MAX: u32 = 1 << 22;

/// The most cells along one side of a map.
pub const SIDE_MAX: u32 = 4096;

/// The most spans of solid matter in a column. Further ones are merged with the last: the gap between them is lost.
pub const SPANS_MAX: usize = 32;

/// The largest clearance that a map can tell, in cells.
pub const CLEARANCE_MAX: u8 = 15;

/// The side of a chunk of a [`space`](crate::space), in cells.
pub const CHUNK_SIDE: u32 = 8;

/// The cells of a chunk.
pub const CHUNK_CELLS: usize = (CHUNK_SIDE * CHUNK_SIDE * CHUNK_SIDE) as usize;

/// The side of the squares in which a [`ground`](crate::ground) is built, in cells.
pub const TILE_SIDE: u32 = 16;

/// How far a place inside a wall or outside the map is moved to a free cell, in cells.
pub const SNAP_MAX: u32 = 16;

/// How many steps along a field are straightened.
pub const AHEAD_STEPS: usize = 16;
