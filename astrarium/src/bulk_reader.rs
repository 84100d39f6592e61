//! Bulk data for presentation: parts of containers, gathered from the blocks of the shelf's cache.
//!
//! Laws
//! 1. Reading never waits: a part whose blocks are not all in memory is loading, and its blocks are queued.
//! 2. A part of one block is the cache's own memory; a longer one is put together once for each call that finds it whole, so a
//!    caller keeps what it got.

use std::sync::Arc;

use shelf::blocks::{BlockCache, BlockHandle, BlockKind};
use tags::Bulk;
use view::{BulkKind, BulkSource, PartState};

/// The priority of what is about to be shown or heard.
const PRIORITY: u8 = 128;

/// The largest part that is put together, in bytes.
const PART_BYTES_MAX: u64 = 1 << 30;

/// Reads parts of bulk data through a cache of blocks.
#[derive(Clone, Debug)]
pub struct BulkReader {
    blocks: Arc<BlockCache>,
    /// Waits for the disk: for pictures made without a window.
    is_patient: bool,
}

impl BulkReader {
    /// A reader of this cache, which never waits.
    pub fn new(blocks: Arc<BlockCache>) -> BulkReader {
        BulkReader { blocks, is_patient: false }
    }

    /// A reader that waits until what it asks for is read or has failed: for pictures that must be complete.
    pub fn patient(blocks: Arc<BlockCache>) -> BulkReader {
        BulkReader { blocks, is_patient: true }
    }

    /// The cache.
    pub fn blocks(&self) -> &Arc<BlockCache> {
        &self.blocks
    }

    fn find(&self, bulk: &Bulk, part: u32, kind: BlockKind) -> PartState {
        let Some(handle) = self.blocks.open(bulk, kind) else { return PartState::Failed };
        let Some(directory) = self.blocks.directory(handle) else {
            let has_failed = self.blocks.has_failed(BlockHandle { bulk: handle, block: 0 });
            return if has_failed { PartState::Failed } else { PartState::Loading };
        };
        let Some(row) = directory.parts().get(part as usize) else { return PartState::Failed };
        if row.bytes > PART_BYTES_MAX {
            return PartState::Failed;
        }
        let mut found = Vec::with_capacity(row.blocks.len());
        let mut has_failed = false;
        // All blocks are requested, also behind one that is missing, so that they are read in one go.
        for block in row.blocks.clone() {
            let block = BlockHandle { bulk: handle, block };
            match self.blocks.request(block, PRIORITY) {
                Some(bytes) => found.push(bytes),
                None => has_failed |= self.blocks.has_failed(block),
            }
        }
        match (has_failed, found.len() == row.blocks.len(), found.len()) {
            (true, ..) => PartState::Failed,
            (false, false, _) => PartState::Loading,
            (false, true, 1) => PartState::Ready(found.swap_remove(0)),
            (false, true, _) => PartState::Ready(found.iter().flat_map(|block| block.iter().copied()).collect()),
        }
    }
}

impl BulkSource for BulkReader {
    fn part(&self, bulk: &Bulk, part: u32, kind: BulkKind) -> PartState {
        let kind = match kind {
            BulkKind::Texture => BlockKind::Texture,
            BulkKind::Sound => BlockKind::Sound,
            BulkKind::Geometry | BulkKind::Animation => BlockKind::Geometry,
        };
        let mut state = self.find(bulk, part, kind);
        // Once for the directory, once for the blocks; a third time if the cache's queue was full.
        for _ in 0..3 {
            if !self.is_patient || !matches!(state, PartState::Loading) {
                break;
            }
            self.blocks.finish();
            state = self.find(bulk, part, kind);
        }
        state
    }
}
