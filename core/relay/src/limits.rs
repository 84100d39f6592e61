//! Every limit of this crate but films', in one place.

/// The most players of one world, without the content feeder.
pub const PEOPLE_MAX: u16 = 64;

/// The content feeder: changed tags enter a world as the inputs of this player.
pub const CONTENT_PLAYER: u16 = u16::MAX;

/// The most players of one world, the content feeder included.
pub const PLAYERS_MAX: u16 = PEOPLE_MAX + 1;

/// The most events one player can send for one safe cycle.
pub const EVENTS_PER_BATCH_MAX: usize = 64;

/// The most kinds of events that one table has.
pub const KINDS_MAX: usize = 1024;

/// The most dropped events that a relay stores until they are cleared; all are counted.
pub const REFUSALS_MAX: usize = 64;

/// The longest batch as bytes, its frame included.
pub const BATCH_BYTES_MAX: usize = 4096;

/// How many safe cycles ahead a batch may arrive.
pub const CYCLES_AHEAD_MAX: u64 = 32;

/// The most events of one sealed cycle.
pub const EVENTS_PER_CYCLE_MAX: usize = PLAYERS_MAX as usize * EVENTS_PER_BATCH_MAX;
