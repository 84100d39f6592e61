//! Every limit of the tools over a tree, in one place.

/// The most findings told about one tree. What is beyond is counted.
pub const FINDINGS_MAX: usize = 10_000;

/// For so many missing tags a similar path is looked for: each costs a look at all paths.
pub const SUGGESTIONS_MAX: usize = 64;

/// The most circles of references that are told.
pub const CIRCLES_MAX: usize = 100;

/// The most lines in which two texts may differ to be compared line by line. The memory grows with the square.
pub const DIFFERENCES_MAX: usize = 2000;

/// How many files are written at once; each waits for the disk.
pub const WRITERS: usize = 16;

/// How many tags one thread asks before it takes the next ones.
pub const ASKED_AT_ONCE: usize = 256;

/// The values that one tag may have for a question at first, and at most: a list has one for each element, a record two for
/// each field.
pub const ASKED_VALUES: (usize, usize) = (8 * 1024, 8 << 20);

/// How deep values may lie within each other for a question.
pub const ASKED_DEPTH_MAX: u32 = 32;

/// The longest condition, in bytes.
pub const CONDITION_BYTES_MAX: usize = 64 * 1024;

/// The largest header of a class, in bytes.
pub const HEADER_BYTES_MAX: u64 = 4 << 20;

/// The most headers of one tree.
pub const HEADERS_MAX: usize = 4096;

/// The largest file that is imported, with all that it names, in bytes.
pub const IMPORT_BYTES_MAX: u64 = 256 << 20;

/// The most buffers of an imported file.
pub const IMPORT_BUFFERS_MAX: usize = 256;

/// The most nodes of an imported file.
pub const IMPORT_NODES_MAX: usize = 1 << 16;

/// How deep they may lie within each other.
pub const IMPORT_DEPTH_MAX: usize = 64;

/// The most hulls that something is cut into.
pub const PARTS_MAX: usize = 64;

const _: () = assert!(ASKED_VALUES.0 <= ASKED_VALUES.1 && ASKED_VALUES.1 < 1 << 31, "offsets of values have 31 bits");
