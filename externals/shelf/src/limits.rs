//! Every limit of the shelf, in one place.

use std::time::Duration;

/// Default capacity of the store in bytes.
pub const STORE_BYTES_MAX: u64 = 4 << 30;

/// The size of a pack beyond which another one is started. A single object may be larger.
pub const PACK_BYTES: u64 = 64 << 20;

/// The largest object.
pub const OBJECT_BYTES_MAX: usize = 512 << 20;

/// The most objects of one pack.
pub const PACK_OBJECTS_MAX: usize = 1 << 17;

/// The most packs that are opened. With more, the store is compacted; objects in packs beyond are not found.
pub const PACKS_MAX: usize = 4096;

/// The number of small packs above which the store is worth compacting.
pub const PACKS_MANY: usize = 32;

/// The bytes of a pack that are read at once.
pub const SEGMENT_BYTES: u64 = 2 << 20;

/// The largest gap between two wanted objects that is read along instead of skipped.
pub const GAP_BYTES: u64 = 32 << 10;

/// The largest index file.
pub const INDEX_BYTES_MAX: u64 = 1 << 30;

/// The most files of an index.
pub const INDEX_FILES_MAX: usize = 1 << 20;

/// The longest text in an index: the path of a file, or all references of one.
pub const INDEX_TEXT_BYTES_MAX: usize = 32 << 20;

/// The most inputs of a postprocess in an index.
pub const READS_MAX: usize = 1 << 16;

/// A file must be older than this when it is read, so that its modification time can prove it unchanged later: some
/// file systems count in steps of two seconds.
pub const RACY_NANOSECONDS: i64 = 2_000_000_000;

/// The most files that the shelf has open at once.
pub const OPEN_FILES_MAX: usize = 64;

/// The most text held in memory at once while tags are built.
pub const TEXTS_BYTES: u64 = 256 << 20;

/// The most tags of one level.
pub const LOADED_TAGS_MAX: usize = tags::limits::TAGS_MAX;

/// The largest file of bulk data.
pub const BULK_BYTES_MAX: u64 = 1 << 30;

/// The most bulk data of one level.
pub const BULK_BYTES_ALL_MAX: u64 = 8 << 30;

/// The bytes of a file that are read at once to hash it.
pub const HASHED_BYTES: usize = 1 << 20;

/// The most containers that the block cache knows. More are refused until some are closed.
pub const CONTAINERS_MAX: usize = 1 << 16;

/// The most containers that the block cache has open as files; the rest are opened again when a block is read.
pub const CONTAINERS_OPEN_MAX: usize = 16;

/// The bytes of containers that are stored between two looks for changed files.
pub const KEPT_AT_ONCE_BYTES: u64 = 32 << 20;

/// The bytes of the block cache for textures, geometry, sounds and anything else.
pub const BLOCK_BUDGETS: [u64; 4] = [512 << 20, 256 << 20, 64 << 20, 32 << 20];

/// The most blocks that wait to be read. More are refused, and requested again by a later frame.
pub const BLOCKS_WAITING_MAX: usize = 4096;

/// The most reports of one load. The last one then says how many were omitted.
pub const REPORTS_MAX: usize = 10_000;

/// The most reports about one file; the number omitted is reported too.
pub const REPORTS_PER_TAG_MAX: usize = 50;

/// The most reference cycles that are reported.
pub const CYCLES_MAX: usize = 100;

/// The most contents that are kept.
pub const CONTENTS_MAX: usize = 256;

/// The largest file of a content.
pub const CONTENT_BYTES_MAX: u64 = 1 << 29;

/// The threads that read objects at once.
pub const OBJECTS_AT_ONCE: usize = 4;

/// The most files waiting to be written while a tree is followed. With more, the follower waits.
pub const FILES_WAITING_MAX: usize = 64;

/// The most problems waiting to be reported.
pub const TROUBLES_MAX: usize = 100;

/// How long the follower waits before it checks whether it should stop.
pub const WATCH_STEP: Duration = Duration::from_millis(50);

/// How long the tree must be idle before new versions are written.
pub const SAVE_AFTER: Duration = Duration::from_millis(500);

/// The shortest interval between two writes of the index before the end.
pub const SAVE_ALL_AFTER: Duration = Duration::from_secs(60);

/// The longest wait for changes in one call.
pub const NEWS_PATIENCE_MAX: Duration = Duration::from_secs(3600);

/// The shortest secret of a feed in bytes: shorter ones can be found by trying all.
pub const SECRET_BYTES_LEAST: usize = 16;

/// The most games connected to a feed.
pub const FED_MAX: usize = 16;

/// The most unauthenticated callers at a time.
pub const STRANGERS_MAX: usize = 16;

/// The most threads of callers, including those of turned-out strangers that have not noticed yet.
pub const LINES_MAX: usize = FED_MAX + 2 * STRANGERS_MAX;

/// The longest handshake.
pub const GREETING_PATIENCE: Duration = Duration::from_secs(5);

/// The largest frame of a feed: it is read before its MAC is checked.
pub const FRAME_BYTES_MAX: usize = 1 << 20;

/// The largest message of a feed: a packed tag or a bulk file, with its name.
pub const MESSAGE_BYTES_MAX: usize = 512 << 20;

/// The bytes of a container that one message of a feed carries.
pub const PIECE_BYTES: usize = 256 << 10;

/// The pieces of containers that are sent between two looks for changed tags.
pub const PIECES_AT_ONCE: usize = 4;

/// The most containers that a game asks for at once.
pub const WANTED_MAX: usize = 1 << 14;

/// How long a peer may take for one frame.
pub const FRAME_PATIENCE: Duration = Duration::from_secs(20);

/// The most bytes of received tags and bulk data that wait for the game. With more, nothing is received until it polls.
pub const FED_WAITING_BYTES_MAX: usize = if cfg!(test) { 1 << 20 } else { 256 << 20 };

/// After so many bytes of bulk data that was not asked for, the stored containers are brought below their limit.
pub const STORED_UNASKED_BYTES_MAX: u64 = 64 << 20;

/// The interval of keep-alive messages.
pub const FEED_PULSE: Duration = Duration::from_secs(4);

/// How long a client waits before it connects again.
pub const CALL_AGAIN: Duration = Duration::from_secs(1);

/// How long a waiting thread takes at most to notice that it should stop.
pub const FEED_STEP: Duration = Duration::from_millis(50);

const _: () = assert!(MESSAGE_BYTES_MAX > tags::limits::PACKED_BYTES_MAX && FRAME_BYTES_MAX < MESSAGE_BYTES_MAX);
const _: () = assert!(PIECE_BYTES < FRAME_BYTES_MAX);
