//! Every limit of profiles, in one place.

/// The most tags of a profile; the costs of further ones are counted together.
pub const TAGS_MAX: usize = 4096;

/// The most lines of a profile; the fuel of further ones is counted together.
pub const LINES_MAX: usize = 16 * 1024;

/// The slowest steps that are kept.
pub const SPIKES_MAX: usize = 8;

/// For how long a slow step is kept, in nanoseconds.
pub const SPIKE_NANOS: u64 = 10_000_000_000;

/// The tags that are named with a slow step or an exceeded budget.
pub const TAGS_NAMED: usize = 3;

/// The pause between two reports about the same budget, in nanoseconds.
pub const PAUSE_NANOS: u64 = 1_000_000_000;

/// The reports about budgets that wait to be taken.
pub const REPORTS_MAX: usize = 64;

/// The most lines of a second; the fuel of further ones is counted together.
pub const LINES_PER_SECOND_MAX: usize = 2048;

/// Without `begin_profile`, tags and lines are measured in one of this many steps. A prime, so that it has no common divisor with the
/// safe cycle and the usual periods of updates.
pub const SAMPLED_INTERVAL: u64 = 19;

/// The steps in one item of the track of a film: a second of world time.
pub const SECOND_STEPS: u64 = 100;

/// The tags and the lines in one item of the track.
pub const TRACK_ROWS: usize = 12;

/// The most rows of any table that is read from a track.
pub const ROWS_READ_MAX: usize = 1024;

/// The longest name that is read from a track.
pub const NAME_BYTES_MAX: usize = 400;
