//! Writes containers.

use alloc::vec::Vec;

use base::bytes::ByteWriter;
use base::compression::compress;
use base::hash::hash;

use super::{
    BLOCK_BYTES, BLOCK_ROW_BYTES, BlockRow, BulkError, Codec, FORMAT, HEADER_BYTES, MAGIC, PART_ROW_BYTES, PartRow,
    directory,
};
use crate::limits::{BULK_BLOCKS_MAX, BULK_NAME_BYTES_MAX, BULK_PARTS_MAX};

/// A container in the making. Holds the compressed blocks in memory.
///
/// ```
/// use tags::bulk::{BulkWriter, Directory, read_part};
///
/// let mut writer = BulkWriter::new();
/// let index = writer.add_part("mip 0", &[7; 70_000])?;
/// let file = writer.finish();
///
/// let directory = Directory::parse(&file, file.len() as u64)?;
/// assert_eq!(directory.find("mip 0"), Some(index as usize));
/// assert_eq!(read_part(&file, &directory, index as usize)?, [7; 70_000]);
/// # Ok::<(), tags::bulk::BulkError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct BulkWriter {
    parts: Vec<PartRow>,
    /// Their offsets count from the first stored byte.
    blocks: Vec<BlockRow>,
    stored: Vec<u8>,
}

impl BulkWriter {
    /// A container without parts.
    #[must_use]
    pub fn new() -> BulkWriter {
        BulkWriter::default()
    }

    /// Adds a part and returns its index. An error if the name, or the container, would be too long; nothing is added
    /// then.
    pub fn add_part(&mut self, name: &str, bytes: &[u8]) -> Result<u32, BulkError> {
        let part = self.parts.len() as u32;
        let first = self.blocks.len();
        let blocks = first + bytes.len().div_ceil(BLOCK_BYTES);
        if name.len() > BULK_NAME_BYTES_MAX {
            return Err(BulkError::Name { part });
        }
        if self.parts.len() == BULK_PARTS_MAX {
            return Err(BulkError::Parts { found: BULK_PARTS_MAX as u64 + 1 });
        }
        if blocks > BULK_BLOCKS_MAX {
            return Err(BulkError::Blocks { found: blocks as u64 });
        }
        bytes.chunks(BLOCK_BYTES).for_each(|block| self.add_block(block));
        self.parts.push(PartRow { name: name.into(), bytes: bytes.len() as u64, blocks: first as u32..blocks as u32 });
        Ok(part)
    }

    /// The container, as the bytes of its file.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        let name_bytes = self.parts.iter().map(|part| part.name.len()).sum::<usize>();
        let rows_bytes = self.parts.len() * PART_ROW_BYTES + self.blocks.len() * BLOCK_ROW_BYTES;
        let end = HEADER_BYTES + rows_bytes + name_bytes;
        let mut file = Vec::with_capacity(end + self.stored.len());
        file.put(&MAGIC);
        for number in [FORMAT, self.parts.len() as u32, self.blocks.len() as u32, name_bytes as u32] {
            file.write_u32(number);
        }
        // The checksum, when it is known.
        file.write_u64(0);
        for part in &self.parts {
            file.write_u64(part.bytes);
            file.write_u32(part.blocks.start);
            file.write_u32(part.blocks.end - part.blocks.start);
            file.write_u32(part.name.len() as u32);
        }
        for block in &self.blocks {
            file.write_u64(end as u64 + block.offset);
            file.write_u32(block.stored_bytes);
            file.write_u32(block.bytes);
            file.write_u64(block.checksum);
            file.write_u8(match block.codec {
                Codec::Raw => 0,
                Codec::Lz4 => 1,
            });
        }
        self.parts.iter().for_each(|part| file.put(part.name.as_bytes()));
        let checksum = directory::checksum(&file[..HEADER_BYTES - 8], &file[HEADER_BYTES..]);
        file[HEADER_BYTES - 8..HEADER_BYTES].copy_from_slice(&checksum.to_le_bytes());
        file.put(&self.stored);
        file
    }

    fn add_block(&mut self, block: &[u8]) {
        let start = self.stored.len();
        let mut stored_bytes = compress(block, &mut self.stored);
        let mut codec = Codec::Lz4;
        // A smaller gain is not worth the time to decode it.
        if stored_bytes > block.len() - block.len().div_ceil(16) {
            self.stored.truncate(start);
            self.stored.put(block);
            (stored_bytes, codec) = (block.len(), Codec::Raw);
        }
        self.blocks.push(BlockRow {
            offset: start as u64,
            stored_bytes: stored_bytes as u32,
            bytes: block.len() as u32,
            checksum: hash(block),
            codec,
        });
    }
}
