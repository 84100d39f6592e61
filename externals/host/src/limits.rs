//! Every limit of the host, in one place.

use core::time::Duration;

/// Most workers in one crew, the caller included.
pub const WORKERS_MAX: u32 = 256;

/// How often a worker looks again before it sleeps: some ten microseconds, the distance between two runs of one step.
/// Longer would take a core from whoever could use it.
pub const SPINS: u32 = 200;

/// Most threads of one parallel task that comes and goes, the caller included.
pub const THREADS_MAX: usize = 64;

/// Most files and folders of one walk through a tree, unless the caller says less.
pub const WALK_FILES_MAX: usize = 1_000_000;

/// Most folders within each other in a walk, unless the caller says less.
pub const WALK_DEPTH_MAX: usize = 64;

/// Most oddities told of one walk.
pub const WALK_ODDITIES_MAX: usize = 1000;

/// Most files that are open at once while many are read.
pub const OPEN_FILES_MAX: usize = 64;

/// How many names are tried for a temporary file. Each is unique, so the second is needed only if a cleaner meets the
/// file in the moment between its making and its locking.
pub const TEMPORARY_TRIES: u32 = 16;

/// How many bytes of zeros are written at once when a mapped file is made.
pub const ZEROS_BYTES: usize = 64 * 1024;

/// How long the doctor listens to all tools together.
pub const DOCTOR_PATIENCE: Duration = Duration::from_secs(10);

/// How long the doctor listens to one tool.
pub const TOOL_PATIENCE: Duration = Duration::from_secs(4);

/// How long a tool that was killed may take to go.
pub const TOOL_DEATH: Duration = Duration::from_millis(100);

/// How much of a tool's answer is read.
pub const TOOL_ANSWER_BYTES_MAX: u64 = 16 * 1024;

const _: () = assert!(WORKERS_MAX < 1 << 16, "the crew counts who takes part in sixteen bits");
