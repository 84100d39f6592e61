//! Every limit of the host, in one place.

use core::time::Duration;

/// Most workers in one crew, the caller included.
pub const WORKERS_MAX: u32 = 256;

/// How often a worker looks again before it sleeps: some fifty microseconds, as long as a caller does what only one can do between
/// two runs of one step. To be woken takes about that long too. Longer would take a core from whoever could use it.
pub const SPINS: u32 = 4_000;

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

/// How long a file that its writer has closed, or put into its place, must be quiet to be ready.
pub const SETTLE_CLOSED: Duration = Duration::from_millis(5);

/// How long a file that nobody seems to have closed must be quiet to be ready.
pub const SETTLE_OPEN: Duration = Duration::from_millis(30);

/// After how long a file that is never quiet is ready all the same.
pub const SETTLE_LIMIT: Duration = Duration::from_millis(500);

/// Most paths that are heard of and not yet looked at. If there are more, a scan finds what changed.
pub const HEARD_PATHS_MAX: usize = 65_536;

/// How long after its beginning a watch scans for the first time.
pub const SCAN_FIRST: Duration = Duration::from_secs(2);

/// How often a tree is scanned while the machine tells of changes.
pub const SCAN_HEARING: Duration = Duration::from_secs(15);

/// How often a tree is scanned while it does not.
pub const SCAN_DEAF: Duration = Duration::from_millis(100);

/// How many times as long as a scan takes, none follows.
pub const SCAN_SHARE: u32 = 10;

/// How often a new folder is listed until no new one is found in it. After that a scan goes on.
pub const WATCH_ROUNDS: u32 = 8;

/// The longest that anybody waits for a change in one call.
pub const WATCH_PATIENCE_MAX: Duration = Duration::from_secs(3600);

/// How long a machine without threads sleeps between looking for changes.
pub const WATCH_NAP: Duration = Duration::from_millis(5);

/// The longest that anybody waits for a socket in one call.
pub const SOCKET_PATIENCE_MAX: Duration = Duration::from_secs(3600);

/// How long a listener sleeps between looking for callers.
pub const ACCEPT_NAP: Duration = Duration::from_millis(2);

/// How many addresses of one name are tried.
pub const ADDRESSES_MAX: usize = 8;

/// How many names numbers can be asked for at the same time: each question has a thread until it is answered.
pub const QUESTIONS_MAX: usize = 16;

/// How many names are tried for a temporary file. Each is unique, so the second is needed only if a cleaner meets the
/// file in the moment between its making and its locking.
pub const TEMPORARY_TRIES: u32 = 16;

/// From how many bytes on a block asks for large pages, and how large these are.
pub const LARGE_PAGE_BYTES: usize = 2 * 1024 * 1024;

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

const _: () =
    assert!(SETTLE_CLOSED.as_millis() < SETTLE_OPEN.as_millis() && SETTLE_OPEN.as_millis() < SETTLE_LIMIT.as_millis());
const _: () = assert!(WORKERS_MAX < 1 << 16, "the crew counts who takes part in sixteen bits");

/// So often a writer asks for its turn at a file, before it gives up.
pub const TURN_TRIES: u32 = 5000;

/// How long it waits in between.
pub const TURN_STEP: std::time::Duration = std::time::Duration::from_millis(2);

/// How often a lock is asked for before it is believed: somebody who only looks has one for a moment, and so has a process
/// that is just being started, of all files of the one that starts it.
pub const HELD_TRIES: u32 = 25;
