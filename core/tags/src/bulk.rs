//! The bulk container: the pixels, samples and vertices of a tag, in compressed blocks with random access.
//!
//! The container of the tag `NAME.CLASS` is the file `NAME.CLASS.bulk` beside it. It has parts (a mip level, a stretch
//! of sound, an index buffer); a tag refers to a part by its index. Each part is cut into blocks of [`BLOCK_BYTES`], of
//! which only the last may be shorter. A block can be read and decoded alone.
//!
//! | bytes | content |
//! |---|---|
//! | 0..4 | `ABLK` |
//! | 4..8 | format, now 1 |
//! | 8..12 | the number of parts |
//! | 12..16 | the number of blocks |
//! | 16..20 | the bytes of all names |
//! | 20..28 | checksum of the bytes before and of the directory |
//! | directory | the rows of the parts, the rows of the blocks, the names of the parts one after the other |
//! | blocks | their stored bytes |
//!
//! | row of a part | | row of a block | |
//! |---|---|---|---|
//! | 0..8 | its bytes | 0..8 | offset in the file |
//! | 8..12 | its first block | 8..12 | stored bytes |
//! | 12..16 | the number of its blocks | 12..16 | decoded bytes |
//! | 16..20 | the bytes of its name | 16..24 | checksum of the decoded bytes |
//! | | | 24 | codec: 0 raw, 1 LZ4 |
//!
//! All numbers are little-endian; checksums are XXH3-64.
//!
//! Laws
//! 1. Any bytes give a [`Directory`] or an error, with memory of at most four times the bytes.
//! 2. In a directory, the blocks of the parts follow one another without a gap; stored bytes lie in the file behind the
//!    directory, in the order of the blocks, and do not overlap. So a file decodes to at most 255 times its size.
//! 3. A decoded block has the length and the checksum of its row, or there is an error and no block.
//! 4. The same parts give the same container, on machines with the same pointer size.
//!
//! Cost: a part that is read whole takes at most 800 bytes of heap for each byte of its container: a compressed byte gives at most 255, and
//! a vector doubles. Held by `tests/growth.rs` of the tool.

mod directory;
mod error;
mod writer;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use base::compression;
use base::hash::hash;

pub use directory::Directory;
pub use error::BulkError;
pub use writer::BulkWriter;

/// The first bytes of every container.
pub const MAGIC: [u8; 4] = *b"ABLK";

/// The format of containers.
pub const FORMAT: u32 = 1;

/// The size of a block before compression. Only the last block of a part is smaller.
pub const BLOCK_BYTES: usize = 256 << 10;

/// The bytes before the directory. [`Directory::end_of`] needs no more.
pub const HEADER_BYTES: usize = 28;

const PART_ROW_BYTES: usize = 20;
const BLOCK_ROW_BYTES: usize = 25;

/// The form in which a block is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// As it is: compression would not have saved a sixteenth.
    Raw,
    /// In the LZ4 block format.
    Lz4,
}

/// A part of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartRow {
    /// The name, for people and tools. Two parts may have the same name.
    pub name: Box<str>,
    /// The number of bytes.
    pub bytes: u64,
    /// The numbers of its blocks in the directory.
    pub blocks: Range<u32>,
}

/// A block of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockRow {
    /// The offset of the stored bytes in the file.
    pub offset: u64,
    /// The number of stored bytes.
    pub stored_bytes: u32,
    /// The number of decoded bytes, at most [`BLOCK_BYTES`].
    pub bytes: u32,
    /// XXH3-64 of the decoded bytes.
    pub checksum: u64,
    /// The form of the stored bytes.
    pub codec: Codec,
}

/// Whether these are the first bytes of a container, of any format.
#[must_use]
pub fn is_container(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Appends the decoded bytes of a block. After an error, `out` is as before.
///
/// The row may come from anywhere: it is checked again.
pub fn decode_block(row: &BlockRow, stored: &[u8], out: &mut Vec<u8>) -> Result<(), BulkError> {
    row.check()?;
    if stored.len() != row.stored_bytes as usize {
        return Err(BulkError::StoredLength { expected: row.stored_bytes, found: stored.len() as u64 });
    }
    let start = out.len();
    match row.codec {
        Codec::Raw => out.extend_from_slice(stored),
        Codec::Lz4 => {
            out.resize(start + row.bytes as usize, 0);
            if let Err(error) = compression::decompress(stored, &mut out[start..]) {
                out.truncate(start);
                return Err(BulkError::Compression(error));
            }
        }
    }
    let found = hash(&out[start..]);
    if found != row.checksum {
        out.truncate(start);
        return Err(BulkError::Checksum { expected: row.checksum, found });
    }
    Ok(())
}

/// Reads a whole part of a container in memory, for tools and tests. Panics if there is no part of this index.
pub fn read_part(file: &[u8], directory: &Directory, index: usize) -> Result<Vec<u8>, BulkError> {
    let part = &directory.parts()[index];
    let mut out = Vec::new();
    for row in &directory.blocks()[part.blocks.start as usize..part.blocks.end as usize] {
        let stored = usize::try_from(row.offset).ok().and_then(|start| file.get(start..)).unwrap_or_default();
        let stored = stored.get(..row.stored_bytes as usize).unwrap_or(stored);
        decode_block(row, stored, &mut out)?;
    }
    Ok(out)
}

impl BlockRow {
    /// Whether lengths and codec fit together.
    fn check(&self) -> Result<(), BulkError> {
        let (bytes, stored) = (u64::from(self.bytes), u64::from(self.stored_bytes));
        let fits = match self.codec {
            Codec::Raw => stored == bytes,
            Codec::Lz4 => stored < bytes && bytes <= stored * compression::EXPANSION_MAX,
        };
        if bytes == 0 || bytes > BLOCK_BYTES as u64 || !fits {
            return Err(BulkError::BlockLengths { bytes: self.bytes, stored_bytes: self.stored_bytes });
        }
        Ok(())
    }
}
