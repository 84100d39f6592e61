//! What can be wrong with a container.

use core::error::Error;
use core::fmt;

use base::bytes::ReadError;
use base::compression::DecompressError;

use super::FORMAT;
use crate::limits;

/// Bytes that are no container, or parts that do not fit into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BulkError {
    /// The file does not begin with [`MAGIC`](super::MAGIC).
    Magic,
    /// A format of another version of the engine.
    Format {
        /// The format found.
        found: u32,
    },
    /// The file or the directory ends early.
    Cut(ReadError),
    /// The directory is longer than the file, or than the bytes that were given.
    DirectoryLength {
        /// The bytes needed.
        needed: u64,
        /// The bytes found.
        found: u64,
    },
    /// The checksum of the directory differs.
    DirectoryChecksum,
    /// More parts than [`limits::BULK_PARTS_MAX`].
    Parts {
        /// The number of parts.
        found: u64,
    },
    /// More blocks than [`limits::BULK_BLOCKS_MAX`].
    Blocks {
        /// The number of blocks.
        found: u64,
    },
    /// A name longer than [`limits::BULK_NAME_BYTES_MAX`], not UTF-8, or outside of the names.
    Name {
        /// The index of the part.
        part: u32,
    },
    /// The blocks of a part are not those behind the previous part, or do not add up to its bytes.
    PartBlocks {
        /// The index of the part.
        part: u32,
    },
    /// Blocks that belong to no part.
    BlocksLeft {
        /// Their number.
        count: u32,
    },
    /// The stored bytes of a block are not behind those of the previous block, or not in the file.
    BlockPlace {
        /// The number of the block.
        block: u32,
    },
    /// An unknown codec.
    Codec {
        /// The number of the block.
        block: u32,
        /// The codec found.
        found: u8,
    },
    /// The lengths of a block do not fit together or exceed [`BLOCK_BYTES`](super::BLOCK_BYTES).
    BlockLengths {
        /// The decoded length.
        bytes: u32,
        /// The stored length.
        stored_bytes: u32,
    },
    /// The stored bytes of a block have another length than its row says.
    StoredLength {
        /// The length in the row.
        expected: u32,
        /// The length found.
        found: u64,
    },
    /// The stored bytes of a block do not decompress.
    Compression(DecompressError),
    /// The checksum of the decoded bytes differs.
    Checksum {
        /// The checksum in the row.
        expected: u64,
        /// The checksum found.
        found: u64,
    },
}

impl fmt::Display for BulkError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            BulkError::Magic => write!(formatter, "it is no bulk container: it does not begin with `ABLK`"),
            BulkError::Format { found } => {
                write!(formatter, "expected a bulk container of format {FORMAT}, found {found}")
            }
            BulkError::Cut(error) => write!(formatter, "the directory is damaged: {error}"),
            BulkError::DirectoryLength { needed, found } => {
                write!(formatter, "the directory is damaged: it needs {needed} bytes of {found}")
            }
            BulkError::DirectoryChecksum => write!(formatter, "the directory is damaged: its checksum differs"),
            BulkError::Parts { found } => {
                write!(formatter, "{found} parts where {} are the most", limits::BULK_PARTS_MAX)
            }
            BulkError::Blocks { found } => {
                write!(formatter, "{found} blocks where {} are the most", limits::BULK_BLOCKS_MAX)
            }
            BulkError::Name { part } => {
                let most = limits::BULK_NAME_BYTES_MAX;
                write!(formatter, "the name of part {part} is not a UTF-8 text of at most {most} bytes")
            }
            BulkError::PartBlocks { part } => write!(formatter, "the blocks of part {part} do not add up to it"),
            BulkError::BlocksLeft { count } => write!(formatter, "{count} blocks belong to no part"),
            BulkError::BlockPlace { block } => {
                write!(formatter, "the bytes of block {block} lie outside of the file or in another block")
            }
            BulkError::Codec { block, found } => write!(formatter, "block {block} has the unknown codec {found}"),
            BulkError::BlockLengths { bytes, stored_bytes } => {
                write!(formatter, "a block of {bytes} bytes cannot be stored in {stored_bytes}")
            }
            BulkError::StoredLength { expected, found } => {
                write!(formatter, "expected {expected} stored bytes, found {found}")
            }
            BulkError::Compression(error) => write!(formatter, "{error}"),
            BulkError::Checksum { expected, found } => {
                write!(formatter, "expected the checksum {expected:016x}, found {found:016x}")
            }
        }
    }
}

impl Error for BulkError {}

impl From<ReadError> for BulkError {
    fn from(error: ReadError) -> BulkError {
        BulkError::Cut(error)
    }
}
