//! Every limit of inputs, in one place.

/// The most people, programs and machines that play in one world.
pub const PEOPLE_MAX: u16 = 64;

/// Who feeds content: changed tags enter a world as the inputs of this player.
pub const CONTENT_PLAYER: u16 = u16::MAX;

/// The most players of one world: those, and whoever feeds content.
pub const PLAYERS_MAX: u16 = PEOPLE_MAX + 1;

/// The most events one player can send for one safe cycle.
pub const EVENTS_PER_BATCH_MAX: usize = 64;

/// The most kinds of events that one table has.
pub const KINDS_MAX: usize = 1024;

/// The most refused events that a relay remembers until somebody has looked; all are counted.
pub const REFUSALS_MAX: usize = 64;

/// The longest batch as bytes, its frame included.
pub const BATCH_BYTES_MAX: usize = 4096;

/// How many safe cycles ahead of the next one to be sealed a batch may come.
pub const CYCLES_AHEAD_MAX: u64 = 32;

/// The most events of one sealed cycle.
pub const EVENTS_PER_CYCLE_MAX: usize = PLAYERS_MAX as usize * EVENTS_PER_BATCH_MAX;
