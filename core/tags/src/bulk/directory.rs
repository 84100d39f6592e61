//! The directory of a container, validated before anything of it is used.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::str;

use base::bytes::{ByteReader, ByteWriter};
use base::hash::Hasher;

use super::{
    BLOCK_BYTES, BLOCK_ROW_BYTES, BlockRow, BulkError, Codec, FORMAT, HEADER_BYTES, MAGIC, PART_ROW_BYTES, PartRow,
};
use crate::limits::{BULK_BLOCKS_MAX, BULK_NAME_BYTES_MAX, BULK_PARTS_MAX};

/// The parts and blocks of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    parts: Box<[PartRow]>,
    blocks: Box<[BlockRow]>,
    end: u64,
}

/// The first bytes of a container.
struct ContainerHeader {
    parts: u32,
    blocks: u32,
    name_bytes: u32,
    checksum: u64,
}

impl Directory {
    /// The offset at which the directory ends, from the first [`HEADER_BYTES`] of a file: [`parse`](Self::parse) needs
    /// the bytes before it.
    pub fn end_of(file_start: &[u8], file_bytes: u64) -> Result<u64, BulkError> {
        Ok(ContainerHeader::read(file_start, file_bytes)?.end())
    }

    /// Reads and validates the directory of a file of this length, of which the first bytes are given.
    ///
    /// Allocates at most four times the bytes of the directory.
    pub fn parse(file_start: &[u8], file_bytes: u64) -> Result<Directory, BulkError> {
        let header = ContainerHeader::read(file_start, file_bytes)?;
        let end = header.end();
        let directory = usize::try_from(end).ok().and_then(|end| file_start.get(HEADER_BYTES..end));
        let found = file_start.len() as u64;
        let directory = directory.ok_or(BulkError::DirectoryLength { needed: end, found })?;
        if checksum(&file_start[..HEADER_BYTES - 8], directory) != header.checksum {
            return Err(BulkError::DirectoryChecksum);
        }
        let (part_rows, rest) = directory.split_at(header.parts as usize * PART_ROW_BYTES);
        let (block_rows, names) = rest.split_at(header.blocks as usize * BLOCK_ROW_BYTES);
        let blocks = read_blocks(block_rows, end, file_bytes)?;
        let parts = read_parts(part_rows, names, &blocks)?;
        Ok(Directory { parts, blocks, end })
    }

    /// The parts, in the order in which they were added.
    #[inline]
    #[must_use]
    pub fn parts(&self) -> &[PartRow] {
        &self.parts
    }

    /// The index of the first part of this name. Compares the names one by one.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        self.parts.iter().position(|part| &*part.name == name)
    }

    /// The blocks of all parts, in the order of the parts.
    #[inline]
    #[must_use]
    pub fn blocks(&self) -> &[BlockRow] {
        &self.blocks
    }

    /// The offset in the file at which the directory ends.
    #[inline]
    #[must_use]
    pub fn end(&self) -> u64 {
        self.end
    }
}

impl ContainerHeader {
    fn read(file_start: &[u8], file_bytes: u64) -> Result<ContainerHeader, BulkError> {
        if !super::is_container(file_start) {
            return Err(BulkError::Magic);
        }
        let mut reader = ByteReader::new(&file_start[MAGIC.len()..]);
        let format = reader.read_u32()?;
        if format != FORMAT {
            return Err(BulkError::Format { found: format });
        }
        let (parts, blocks, name_bytes) = (reader.read_u32()?, reader.read_u32()?, reader.read_u32()?);
        let header = ContainerHeader { parts, blocks, name_bytes, checksum: reader.read_u64()? };
        if parts as usize > BULK_PARTS_MAX {
            return Err(BulkError::Parts { found: parts.into() });
        }
        if blocks as usize > BULK_BLOCKS_MAX {
            return Err(BulkError::Blocks { found: blocks.into() });
        }
        if header.end() > file_bytes {
            return Err(BulkError::DirectoryLength { needed: header.end(), found: file_bytes });
        }
        Ok(header)
    }

    fn end(&self) -> u64 {
        let rows = u64::from(self.parts) * PART_ROW_BYTES as u64 + u64::from(self.blocks) * BLOCK_ROW_BYTES as u64;
        HEADER_BYTES as u64 + rows + u64::from(self.name_bytes)
    }
}

/// The checksum of a directory, with the header before it.
pub(super) fn checksum(header: &[u8], directory: &[u8]) -> u64 {
    let mut hasher = Hasher::new();
    hasher.put(header);
    hasher.put(directory);
    hasher.finish()
}

fn read_blocks(rows: &[u8], directory_end: u64, file_bytes: u64) -> Result<Box<[BlockRow]>, BulkError> {
    let mut blocks = Vec::with_capacity(rows.len() / BLOCK_ROW_BYTES);
    let mut free = directory_end;
    for row in rows.chunks_exact(BLOCK_ROW_BYTES) {
        let block = blocks.len() as u32;
        let mut reader = ByteReader::new(row);
        let (offset, stored_bytes, bytes) = (reader.read_u64()?, reader.read_u32()?, reader.read_u32()?);
        let checksum = reader.read_u64()?;
        let codec = match reader.read_u8()? {
            0 => Codec::Raw,
            1 => Codec::Lz4,
            found => return Err(BulkError::Codec { block, found }),
        };
        let end = offset.checked_add(stored_bytes.into()).filter(|&end| offset >= free && end <= file_bytes);
        free = end.ok_or(BulkError::BlockPlace { block })?;
        let row = BlockRow { offset, stored_bytes, bytes, checksum, codec };
        row.check()?;
        blocks.push(row);
    }
    Ok(blocks.into_boxed_slice())
}

fn read_parts(rows: &[u8], mut names: &[u8], blocks: &[BlockRow]) -> Result<Box<[PartRow]>, BulkError> {
    let mut parts = Vec::with_capacity(rows.len() / PART_ROW_BYTES);
    let mut next = 0;
    for row in rows.chunks_exact(PART_ROW_BYTES) {
        let part = parts.len() as u32;
        let mut reader = ByteReader::new(row);
        let (bytes, first, count) = (reader.read_u64()?, reader.read_u32()?, reader.read_u32()?);
        let name_bytes = reader.read_u32()? as usize;
        let (name, rest) = names.split_at_checked(name_bytes).ok_or(BulkError::Name { part })?;
        names = rest;
        let name = str::from_utf8(name).ok().filter(|name| name.len() <= BULK_NAME_BYTES_MAX);
        let name = name.ok_or(BulkError::Name { part })?.into();
        let end = first.checked_add(count).filter(|&end| first == next && end as usize <= blocks.len());
        let end = end.ok_or(BulkError::PartBlocks { part })?;
        if !adds_up(bytes, &blocks[first as usize..end as usize]) {
            return Err(BulkError::PartBlocks { part });
        }
        next = end;
        parts.push(PartRow { name, bytes, blocks: first..end });
    }
    match blocks.len() as u32 - next {
        0 if names.is_empty() => Ok(parts.into_boxed_slice()),
        0 => Err(BulkError::Name { part: parts.len() as u32 }),
        count => Err(BulkError::BlocksLeft { count }),
    }
}

/// Whether all blocks but the last are full, and all together have this length.
fn adds_up(bytes: u64, blocks: &[BlockRow]) -> bool {
    let Some((last, full)) = blocks.split_last() else { return bytes == 0 };
    let full_bytes = full.len() as u64 * BLOCK_BYTES as u64;
    full.iter().all(|block| block.bytes as usize == BLOCK_BYTES) && bytes == full_bytes + u64::from(last.bytes)
}
