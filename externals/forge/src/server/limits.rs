//! All limits of the language server.

/// The longest message. Longer ones are skipped and answered with an error.
pub const MESSAGE_BYTES_MAX: usize = 64 << 20;
/// The most values in the JSON of one message: each takes up to a hundred bytes of memory.
pub const MESSAGE_VALUES_MAX: usize = 1 << 19;
/// The most bytes of messages waiting to be handled, unless a single one is longer.
pub const WAITING_BYTES_MAX: usize = 64 << 20;
/// The longest line of a message's header.
pub const HEAD_BYTES_MAX: u64 = 4096;
/// The most lines of a message's header.
pub const HEAD_LINES_MAX: usize = 32;
/// The most messages waiting to be handled.
pub const WAITING_MAX: usize = 1024;
/// The largest file that is read.
pub const FILE_BYTES_MAX: u64 = 16 << 20;
/// The largest document that may be open.
pub const TEXT_BYTES_MAX: usize = 64 << 20;
/// The most files of one tree.
pub const FILES_MAX: usize = 1 << 20;
/// The deepest nesting of folders.
pub const FOLDERS_DEEP_MAX: usize = 64;
/// The most files read in one step, before the next message is handled.
pub const FILES_AT_ONCE: usize = 128;
/// The most folders listed in one step.
pub const FOLDERS_AT_ONCE: usize = 64;
/// The most strings and names stored for one file.
pub const MENTIONS_MAX: usize = 1 << 16;
/// The most completions.
pub const OFFERS_MAX: usize = 500;
/// The most tags in one response.
pub const SYMBOLS_MAX: usize = 500;
/// The most locations or edits in one response.
pub const PLACES_MAX: usize = 100_000;
/// The most diagnostics of one file.
pub const DIAGNOSTICS_MAX: usize = 200;
/// The most headers of one workspace whose classes may be derived from each other.
pub const HEADERS_MAX: usize = 4096;
/// The most open documents.
pub const DOCUMENTS_MAX: usize = 4096;
/// The most workspaces.
pub const TREES_MAX: usize = 64;
