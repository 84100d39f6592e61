//! All limits of the forge, except for those of the language server.

/// The most steps of one field path.
pub const FIELD_PATH_STEPS_MAX: usize = 100;

/// The most findings listed for one tree; the rest is counted.
pub const FINDINGS_MAX: usize = 10_000;

/// The number of missing tags for which a similar path is suggested: each costs a comparison with all paths.
pub const SUGGESTIONS_MAX: usize = 64;

/// The most reference cycles listed.
pub const CYCLES_MAX: usize = 100;

/// The most lines in which two texts may differ to be aligned line by line. The memory grows with the square.
pub const LINE_DIFFERENCES_MAX: usize = 2000;

/// The most elements in which two series without keys may differ to be aligned; beyond, a series is one change.
pub const ELEMENT_DIFFERENCES_MAX: usize = 1000;

/// The number of files written at once; each waits for the disk.
pub const WRITERS: usize = 16;

/// The number of tags that a thread evaluates before it takes the next batch.
pub const ASKED_AT_ONCE: usize = 256;

/// The values that one tag may have in a query, initially and at most: a list has one for each element, a record two
/// for each field.
pub const ASKED_VALUES: (usize, usize) = (8 * 1024, 8 << 20);

/// The deepest nesting of values in a query.
pub const ASKED_DEPTH_MAX: u32 = 32;

/// The longest condition, in bytes.
pub const CONDITION_BYTES_MAX: usize = 64 * 1024;

/// The largest header of a class, in bytes.
pub const HEADER_BYTES_MAX: u64 = 4 << 20;

/// The most headers of one tree.
pub const HEADERS_MAX: usize = 4096;

/// The files and folders among sources that are listed as left out; the rest is counted.
pub const SKIPPED_MAX: usize = 20;

/// The most bytes of kept results of work on parts of sources; the oldest are dropped.
pub const PART_CACHE_BYTES_MAX: u64 = 2 << 30;

/// The most bytes of new results that one import keeps; the rest is made again next time.
pub const FRESH_BYTES_MAX: usize = 256 << 20;

const _: () = assert!(ASKED_VALUES.0 <= ASKED_VALUES.1 && ASKED_VALUES.1 < 1 << 31, "offsets of values have 31 bits");
