//! Every limit of this crate, in one place.

use base::handle::SLOTS_MAX;

/// The unit of write protection, dirty-page tracking and hashing. A constant of the engine, not of the machine: hashes
/// depend on it.
pub const PAGE_BYTES: usize = 4096;

/// The assumed size of a cache line. On a machine with another one alignment is only less efficient.
pub const LINE_BYTES: usize = 64;

/// The most cache lines prefetched of one row.
pub const PREFETCH_LINES_MAX: usize = 8;

/// The largest block. Offsets within it fit 32 bits.
pub const BLOCK_BYTES_MAX: usize = 1 << 30;

/// The default number of slots per job. A multiple of the bits of a word.
pub const CHUNK_SLOTS: u32 = 256;

/// The default size of the outbox of a chunk: what its items may queue in one cycle.
pub const OUTBOX_BYTES: u32 = 16 * 1024;

/// The default size of the outbox of painting: what all brushes may queue in one cycle.
pub const PAINT_BYTES: u32 = 1024 * 1024;

/// Regions, and so arrays, are numbered in 15 bits; the upper half of the numbers means brushes.
pub const REGIONS_MAX: usize = 0x7fff;

/// Names of systems, regions and levels are at most this long.
pub const NAME_BYTES_MAX: usize = 48;

/// A block with a later cycle is inconsistent. Some three hundred million years of brush cycles.
pub const CYCLE_MAX: u64 = 1 << 60;

/// Pools allocate whole granules.
pub const GRANULE_BYTES: usize = 32;

/// The length of the timing wheel of alarms, the present cycle included.
pub const ALARM_CYCLES: u64 = 128;

/// The most pages of one run that freezing copies; a job copies a few runs.
pub const FREEZE_PAGES: usize = 16;

/// With fewer dirty pages than this the caller freezes alone.
pub const FREEZE_ALONE_PAGES: usize = 128;

/// With fewer entries than this the caller paints alone: parallel work would cost more.
pub const ALONE_ENTRIES: usize = 64;

/// The default fill byte of dead slots in checked worlds.
pub const GARBAGE: u8 = 0xdd;

const _: () = assert!(CHUNK_SLOTS.is_multiple_of(64) && CHUNK_SLOTS <= SLOTS_MAX);
const _: () = assert!(BLOCK_BYTES_MAX.is_multiple_of(PAGE_BYTES) && BLOCK_BYTES_MAX <= u32::MAX as usize);
const _: () = assert!(PAGE_BYTES.is_multiple_of(GRANULE_BYTES));
