//! Every limit of the shelf, in one place.

use std::time::Duration;

/// How much the store may hold, unless a caller says otherwise.
pub const STORE_BYTES_MAX: u64 = 4 << 30;

/// How large a pack becomes before another is begun. A single piece may be larger.
pub const PACK_BYTES: u64 = 64 << 20;

/// The largest piece.
pub const PIECE_BYTES_MAX: usize = 512 << 20;

/// Most pieces of one pack.
pub const PACK_PIECES_MAX: usize = 1 << 17;

/// Most packs that are looked into. With more, the store is put in order; what is beyond is as good as lost.
pub const PACKS_MAX: usize = 4096;

/// With more small packs than this the store is worth putting in order.
pub const PACKS_MANY: usize = 32;

/// How much of a pack is read at once.
pub const SEGMENT_BYTES: u64 = 2 << 20;

/// How many bytes nobody asked for are read along rather than passed over.
pub const GAP_BYTES: u64 = 32 << 10;

/// The largest index file.
pub const INDEX_BYTES_MAX: u64 = 1 << 30;

/// Most files that an index knows.
pub const INDEX_FILES_MAX: usize = 1 << 20;

/// Longest text in an index: the path of a file, or all references of one.
pub const INDEX_TEXT_BYTES_MAX: usize = 32 << 20;

/// Most tags that a postprocess may read, in an index.
pub const READS_MAX: usize = 1 << 16;

/// A file must be older than this when it is read, so that its age alone can later prove it unchanged: some file systems
/// count in steps of two seconds.
pub const RACY_NANOSECONDS: i64 = 2_000_000_000;

/// Most files that are open at once, by all that the shelf does.
pub const OPEN_FILES_MAX: usize = 64;

/// How much text is held in memory at once while tags are made.
pub const TEXTS_BYTES: u64 = 256 << 20;

/// Most tags of one level.
pub const LOADED_TAGS_MAX: usize = tags::limits::TAGS_MAX;

/// The largest file of bulk.
pub const BULK_BYTES_MAX: u64 = 1 << 30;

/// The most that all bulk of a level may have.
pub const BULK_BYTES_ALL_MAX: u64 = 8 << 30;

/// Most reports of one loading. There is always a last one that says how many are left out.
pub const REPORTS_MAX: usize = 10_000;

/// Most reports about one file's text; how many more there are is told too.
pub const REPORTS_PER_TAG_MAX: usize = 50;

/// Most circles of references that are told.
pub const CIRCLES_MAX: usize = 100;

/// Most contents that are kept to be returned to.
pub const CONTENTS_MAX: usize = 256;

/// The largest file of a kept content.
pub const CONTENT_BYTES_MAX: u64 = 1 << 29;

/// How many threads read pieces at once.
pub const PIECES_AT_ONCE: usize = 4;

/// Most files that wait for the disk while a tree is followed. With more, following waits too.
pub const FILES_WAITING_MAX: usize = 64;

/// Most troubles that wait to be told.
pub const TROUBLES_MAX: usize = 100;

/// How long who follows a tree waits before it looks whether it is over.
pub const WATCH_STEP: Duration = Duration::from_millis(50);

/// How long nothing must happen before what was made is brought to the disk.
pub const SAVE_AFTER: Duration = Duration::from_millis(500);

/// How long ago all that was learnt must have been brought to the disk, to be brought there again before the end.
pub const SAVE_ALL_AFTER: Duration = Duration::from_secs(60);

/// The longest that anybody waits for news in one call.
pub const NEWS_PATIENCE_MAX: Duration = Duration::from_secs(3600);

/// The shortest secret of a feed, in bytes: who listens may try all shorter ones.
pub const SECRET_BYTES_LEAST: usize = 16;

/// Most games that are fed at once.
pub const FED_MAX: usize = 16;

/// Most callers that have not yet shown that they know the secret.
pub const STRANGERS_MAX: usize = 8;

/// How long showing that takes at most.
pub const GREETING_PATIENCE: Duration = Duration::from_secs(5);

/// The largest frame of a feed: what is read before its sender is proven.
pub const FRAME_BYTES_MAX: usize = 1 << 20;

/// The largest message of a feed: a packed tag or a file of bulk, with its name.
pub const MESSAGE_BYTES_MAX: usize = 512 << 20;

/// How long a peer may take for one frame.
pub const FRAME_PATIENCE: Duration = Duration::from_secs(20);

/// How often a feed says that it is still there.
pub const FEED_PULSE: Duration = Duration::from_secs(4);

/// How long a game waits before it calls a feed again.
pub const CALL_AGAIN: Duration = Duration::from_secs(1);

/// How long somebody who waits takes at most to notice that it is over.
pub const FEED_STEP: Duration = Duration::from_millis(50);

const _: () = assert!(MESSAGE_BYTES_MAX > tags::limits::PACKED_BYTES_MAX && FRAME_BYTES_MAX < MESSAGE_BYTES_MAX);
