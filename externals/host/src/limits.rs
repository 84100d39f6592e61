//! Every limit of this crate, in one place.

use core::time::Duration;

/// The maximum number of workers of a thread pool, the caller included.
pub const WORKERS_MAX: u32 = 256;

/// The number of spins of a worker before it parks: some fifty microseconds, about as long as the serial code between
/// two runs of a step, and as waking a thread takes. Longer spinning would take a core from other processes.
pub const SPINS: u32 = 4_000;

/// The maximum number of threads of a short-lived parallel task, the caller included.
pub const THREADS_MAX: usize = 64;

/// The default maximum number of files and folders of one walk through a tree.
pub const WALK_FILES_MAX: usize = 1_000_000;

/// The default maximum depth of folders in a walk.
pub const WALK_DEPTH_MAX: usize = 64;

/// The maximum number of oddities reported by one walk.
pub const WALK_ODDITIES_MAX: usize = 1000;

/// The maximum number of open files while many are read.
pub const OPEN_FILES_MAX: usize = 64;

/// Debounce time of a file that was closed after writing or renamed into place.
pub const SETTLE_CLOSED: Duration = Duration::from_millis(5);

/// Debounce time of a file without a close event.
pub const SETTLE_OPEN: Duration = Duration::from_millis(30);

/// The longest debounce of a file that keeps changing.
pub const SETTLE_LIMIT: Duration = Duration::from_millis(500);

/// The maximum number of queued paths with events. If there are more, a scan finds the changes.
pub const EVENT_PATHS_MAX: usize = 65_536;

/// The delay of the first scan of a watch.
pub const SCAN_FIRST: Duration = Duration::from_secs(2);

/// The scan interval with file-system events.
pub const SCAN_WITH_EVENTS: Duration = Duration::from_secs(15);

/// The scan interval without them.
pub const SCAN_WITHOUT_EVENTS: Duration = Duration::from_millis(100);

/// The pause after a scan, as a multiple of its duration.
pub const SCAN_SHARE: u32 = 10;

/// The maximum number of listings of a new folder until no new subfolder is found. After that a scan takes over.
pub const WATCH_ROUNDS: u32 = 8;

/// The longest wait for a change in one call.
pub const WATCH_PATIENCE_MAX: Duration = Duration::from_secs(3600);

/// The polling interval on machines without threads.
pub const WATCH_NAP: Duration = Duration::from_millis(5);

/// The longest wait for a socket in one call.
pub const SOCKET_PATIENCE_MAX: Duration = Duration::from_secs(3600);

/// The polling interval of a listener.
pub const ACCEPT_NAP: Duration = Duration::from_millis(2);

/// The maximum number of addresses of one name that are tried.
pub const ADDRESSES_MAX: usize = 8;

/// The maximum number of concurrent name lookups: each has a thread until it returns.
pub const LOOKUPS_MAX: usize = 16;

/// The most connections of a gate.
pub const LINKS_MAX: usize = 64;

/// The most handshakes of others in progress at a gate, at all and from one network.
pub const CALLS_PENDING_MAX: usize = 64;
/// See [`CALLS_PENDING_MAX`].
pub const CALLS_PENDING_PER_NETWORK_MAX: usize = 16;

/// The most networks whose handshakes a gate counts.
pub const ADDRESSES_COUNTED_MAX: usize = 1024;

/// The most datagrams and the most reports that wait in a gate.
pub const GATE_EVENTS_MAX: usize = 4096;

/// The longest datagram that is received.
pub const DATAGRAM_BYTES_MAX: usize = 1500;

/// The highest limit of frames per second.
pub const FRAMES_PER_SECOND_MAX: u32 = 1000;

/// The time between calls while a window cannot be seen.
pub const HIDDEN_BEAT: Duration = Duration::from_millis(100);

/// The maximum number of bytes of typed or composed text in one event.
pub const TYPED_BYTES_MAX: usize = 4096;

/// The maximum length of a window's title, in bytes.
pub const TITLE_BYTES_MAX: usize = 1024;

/// The greatest width and height of a window in pixels.
pub const WINDOW_SIDE_MAX: u32 = 16_384;

/// The maximum number of gamepads.
pub const PADS_MAX: u8 = 16;

/// The time between two looks for new gamepads.
pub const PAD_SCAN: Duration = Duration::from_secs(1);

/// Attempts at opening a device that cannot be read yet.
pub const PAD_TRIES: u32 = 5;

/// The maximum number of input devices that are looked at.
pub const PAD_NODES_MAX: usize = 1024;

/// The maximum number of found devices that wait for being polled.
pub const PADS_WAITING_MAX: usize = 64;

/// The maximum number of events of one gamepad per frame; the rest comes with the next.
pub const PAD_EVENTS_MAX: usize = 4096;

/// The maximum number of reports about gamepads that wait.
pub const PAD_REPORTS_MAX: usize = 64;

/// The maximum number of lines with mappings of gamepads.
pub const PAD_MAPPINGS_MAX: usize = 10_000;

/// The maximum length of such a line.
pub const PAD_MAPPING_LINE_BYTES_MAX: usize = 4096;

/// The maximum size of the head of a request to the web server.
pub const WEB_HEAD_BYTES_MAX: usize = 8 * 1024;

/// The maximum number of values in the query of a request.
pub const WEB_QUERY_VALUES_MAX: usize = 64;

/// The time within which a request must have arrived.
pub const WEB_REQUEST_PATIENCE: Duration = Duration::from_secs(5);

/// The time within which a client must have taken an answer or an event.
pub const WEB_WRITE_PATIENCE: Duration = Duration::from_secs(10);

/// The maximum number of connections of the web server, feeds included.
pub const WEB_CONNECTIONS_MAX: usize = 32;

/// The time after which a web server notices that it is to end.
pub const WEB_ACCEPT: Duration = Duration::from_millis(50);

/// The maximum number of events that a feed keeps for slow browsers.
pub const WEB_FEED_EVENTS_MAX: usize = 64;

/// The maximum size of an event of a feed.
pub const WEB_FEED_BYTES_MAX: usize = 1 << 20;

/// The time after which a feed without events sends a comment.
pub const WEB_FEED_BEAT: Duration = Duration::from_secs(10);

/// The greatest capacity of a queue of commands between threads.
pub const COMMANDS_MAX: usize = 65_536;

/// Attempts at creating a temporary file. Each name is unique, so a second attempt is needed only if a cleaner finds
/// the file between its creation and its locking.
pub const TEMPORARY_TRIES: u32 = 16;

/// The size of a large (huge) page, and of the smallest block that requests them.
pub const LARGE_PAGE_BYTES: usize = 2 * 1024 * 1024;

/// Bytes of zeros per write when a mapped file is created.
pub const ZEROS_BYTES: usize = 64 * 1024;

/// The time limit of all tools of the doctor together.
pub const DOCTOR_PATIENCE: Duration = Duration::from_secs(10);

/// The maximum number of files of a folder that the doctor looks at.
pub const DOCTOR_FILES_MAX: usize = 1000;

/// The time limit of one tool.
pub const TOOL_PATIENCE: Duration = Duration::from_secs(4);

/// The time limit for a killed tool to exit.
pub const TOOL_DEATH: Duration = Duration::from_millis(100);

/// The maximum number of bytes read from a tool's output.
pub const TOOL_ANSWER_BYTES_MAX: u64 = 16 * 1024;

const _: () =
    assert!(SETTLE_CLOSED.as_millis() < SETTLE_OPEN.as_millis() && SETTLE_OPEN.as_millis() < SETTLE_LIMIT.as_millis());
const _: () = assert!(WORKERS_MAX < 1 << 16, "the thread pool counts its workers in sixteen bits");

/// Attempts at a lock that a whole program has: an hour of them.
pub const OWNED_TRIES: u32 = 72_000;

/// The pause between these attempts.
pub const OWNED_STEP: std::time::Duration = std::time::Duration::from_millis(50);

/// The longest text about the owner of a lock.
pub const OWNER_BYTES_MAX: u64 = 1000;

/// Attempts at locking a file for replacement.
pub const TURN_TRIES: u32 = 5000;

/// The pause between attempts.
pub const TURN_STEP: std::time::Duration = std::time::Duration::from_millis(2);

/// Attempts at opening or renaming a file that another program looks at for a moment (Windows): a second of them.
pub const PATIENCE_TRIES: u32 = 500;

/// Attempts at a lock before it counts as held: a reader holds one briefly, and so does a child process between fork
/// and exec, which inherits all open files.
pub const HELD_TRIES: u32 = 25;

/// The most requests of assistive technology that wait for a frame.
#[cfg(feature = "window")]
pub const ACCESS_REQUESTS_MAX: usize = 256;

/// How long the thread of the gamepads waits for a report before it looks whether anybody listens.
#[cfg(all(feature = "window", any(windows, target_os = "macos")))]
pub const PAD_WAIT: Duration = Duration::from_millis(250);
