//! All limits of the language server.

/// The longest message that is read. Longer ones are passed over and answered with an error.
pub const MESSAGE_BYTES_MAX: usize = 64 << 20;
/// The longest line of a message's head.
pub const HEAD_BYTES_MAX: u64 = 4096;
/// The most lines of a message's head.
pub const HEAD_LINES_MAX: usize = 32;
/// Messages that were read and wait for their turn.
pub const WAITING_MAX: usize = 1024;
/// The largest file that is looked at.
pub const FILE_BYTES_MAX: u64 = 16 << 20;
/// The largest text that an editor may have open here.
pub const TEXT_BYTES_MAX: usize = 64 << 20;
/// The most files of one tree.
pub const FILES_MAX: usize = 1 << 20;
/// How deep folders are looked into.
pub const FOLDERS_DEEP_MAX: usize = 64;
/// The most files that are looked at in one go, before the next message gets its turn.
pub const FILES_AT_ONCE: usize = 128;
/// The most folders that are listed in one go.
pub const FOLDERS_AT_ONCE: usize = 64;
/// The most texts and names of one file that are remembered.
pub const MENTIONS_MAX: usize = 1 << 16;
/// The most that is offered for one place.
pub const OFFERS_MAX: usize = 500;
/// The most tags that are told for one question.
pub const SYMBOLS_MAX: usize = 500;
/// The most places that are told or changed for one question.
pub const PLACES_MAX: usize = 100_000;
/// The most mistakes that are told of one file.
pub const DIAGNOSTICS_MAX: usize = 200;
/// The most headers of one tree whose classes may be made from each other.
pub const HEADERS_MAX: usize = 4096;
/// The most documents that may be open at once.
pub const DOCUMENTS_MAX: usize = 4096;
/// The most trees that are known at once.
pub const TREES_MAX: usize = 64;
