//! Every limit of the ground, in one place.

use base::handle::SLOTS_MAX;

/// The unit of protection, marking and hashing. A constant of the engine, not of the machine: hashes depend on it.
pub const PAGE_BYTES: usize = 4096;

/// A line of the processor's caches, as far as places are chosen for it. On a machine with others it is only slower.
pub const LINE_BYTES: usize = 64;

/// Of one thing no more lines are brought nearer before they are needed.
pub const BRING_LINES_MAX: usize = 8;

/// The largest world. Offsets within a block fit 32 bits with room to spare.
pub const BLOCK_BYTES_MAX: usize = 1 << 30;

/// How many slots of an array one job works on, unless the layout says otherwise. A whole number of bit-set words.
pub const CHUNK_SLOTS: u32 = 256;

/// How much all items of one chunk may queue in one cycle, together, unless the layout says otherwise.
pub const OUTBOX_BYTES: u32 = 16 * 1024;

/// How much all brushes may queue at one another in one cycle, together, unless the layout says otherwise.
pub const PAINT_BYTES: u32 = 1024 * 1024;

/// Regions, and so arrays, are numbered in 15 bits; the upper half of the numbers means brushes.
pub const REGIONS_MAX: usize = 0x7fff;

/// Names of systems, regions and levels are at most this long.
pub const NAME_BYTES_MAX: usize = 48;

/// No world gets this far: one that says so does not add up. Some three hundred million years of brush cycles.
pub const CYCLE_MAX: u64 = 1 << 60;

/// Pools hand out whole granules.
pub const GRANULE_BYTES: usize = 32;

/// How many cycles ahead an alarm can be set, the present one included.
pub const ALARM_CYCLES: u64 = 128;

/// How many pages one job freezes.
pub const FREEZE_PAGES: usize = 128;

/// Fewer entries than this are not worth a crew.
pub const ALONE_ENTRIES: usize = 64;

/// What dead slots of checked worlds are filled with, unless a world is told otherwise.
pub const GARBAGE: u8 = 0xdd;

const _: () = assert!(CHUNK_SLOTS.is_multiple_of(64) && CHUNK_SLOTS <= SLOTS_MAX);
const _: () = assert!(BLOCK_BYTES_MAX.is_multiple_of(PAGE_BYTES) && BLOCK_BYTES_MAX <= u32::MAX as usize);
const _: () = assert!(PAGE_BYTES.is_multiple_of(GRANULE_BYTES));
