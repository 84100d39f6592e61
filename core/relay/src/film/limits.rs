//! Every limit of films, in one place.

use state::limits::BLOCK_BYTES_MAX;

/// The most chunks of one film that are read; an hour has some ten thousand.
pub const CHUNKS_MAX: usize = 1 << 20;

/// The most bytes that are hashed per byte of a film while its chunks are searched for: once is usual, after a crash the last one twice.
pub const SEARCH_BYTES_PER_BYTE: u64 = 4;

/// The most takes of one film.
pub const TAKES_MAX: usize = 1 << 12;

/// The longest body of a chunk.
pub const BODY_BYTES_MAX: usize = BLOCK_BYTES_MAX + (BLOCK_BYTES_MAX >> 4);

/// The longest body of a chunk that must be read to open a film.
pub const OPENING_BYTES_MAX: usize = 4096;

/// The size of a piece that is compressed separately.
pub const COMPRESSED_PIECE_BYTES: usize = 4 << 20;

/// The longest path of a tag.
pub const PATH_BYTES_MAX: usize = 400;

/// The most tags of one content.
pub const TAGS_MAX: usize = 1 << 20;

/// The longest name of a track.
pub const TRACK_NAME_BYTES_MAX: usize = 48;

/// The most items in one chunk of a track.
pub const TRACK_ITEMS_MAX: usize = 1 << 16;

/// The longest item of a track.
pub const TRACK_ITEM_BYTES_MAX: usize = 1 << 20;

/// The longest header of a class.
pub const HEADER_BYTES_MAX: usize = 4 << 20;

/// The longest panic message.
pub const WORDS_BYTES_MAX: usize = 2048;

/// The most safe cycles in one chunk of inputs.
pub const RECORDS_MAX: usize = 1 << 16;

/// The most listed troubles of one film; beyond that only their number.
pub const TROUBLES_MAX: usize = 1000;

const _: () = assert!(BODY_BYTES_MAX as u64 <= u32::MAX as u64, "a length has 32 bits");
