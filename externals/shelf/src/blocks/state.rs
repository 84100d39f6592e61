//! The bookkeeping of the block cache: which blocks are in memory, wait, or failed. Does no I/O.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tags::bulk::{BLOCK_BYTES, Directory};

use super::{BlockBudgets, BlockCounters, BlockHandle, BlockKind, BulkHandle, KINDS};
use crate::content_key::Key;
use crate::limits::{BLOCKS_WAITING_MAX, CONTAINERS_MAX, TROUBLES_MAX};

/// The place of a job in the queue: higher priorities first, then earlier ones. Directories come before all blocks.
type QueuePlace = (Reverse<u16>, u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Job {
    /// Read the directory of a container.
    Open(BulkHandle, Key),
    /// Read a block.
    Read(BlockHandle, Key),
}

#[derive(Debug)]
pub(super) struct CacheState {
    bulks: BTreeMap<BulkHandle, OpenBulk>,
    by_digest: BTreeMap<(Key, BlockKind), BulkHandle>,
    next_bulk: u32,
    blocks: BTreeMap<BlockHandle, Block>,
    kinds: [KindState; KINDS],
    queue: BTreeMap<QueuePlace, QueuedJob>,
    /// Numbers requests, and orders uses.
    clock: u64,
    is_working: bool,
    /// Whether files changed since the current job began, so that its failure may not hold any more.
    is_outdated: bool,
    /// The failures that were reported; of a container, the block is none.
    reported: BTreeSet<(BulkHandle, Option<u32>)>,
    pub(super) troubles: Vec<String>,
    pub(super) is_over: bool,
}

#[derive(Clone, Copy, Debug)]
enum QueuedJob {
    Open(BulkHandle),
    Read(BlockHandle),
}

#[derive(Debug)]
struct OpenBulk {
    digest: Key,
    kind: BlockKind,
    directory: Progress<Arc<Directory>>,
}

#[derive(Debug)]
struct Block {
    progress: Progress<InMemory>,
    pins: u32,
}

#[derive(Debug)]
struct InMemory {
    bytes: Arc<[u8]>,
    /// Its place among the evictable blocks of its kind.
    used: u64,
}

#[derive(Debug)]
enum Progress<T> {
    /// Not requested.
    Idle,
    Queued(QueuePlace),
    Reading,
    There(T),
    Failed,
}

#[derive(Debug, Default)]
struct KindState {
    counters: BlockCounters,
    /// The blocks that may be evicted, least recently used first.
    evictable: BTreeMap<u64, BlockHandle>,
}

impl CacheState {
    pub(super) fn new(budgets: &BlockBudgets) -> CacheState {
        let kind = |bytes_max| KindState {
            counters: BlockCounters { bytes_max, ..BlockCounters::default() },
            evictable: BTreeMap::new(),
        };
        CacheState {
            bulks: BTreeMap::new(),
            by_digest: BTreeMap::new(),
            next_bulk: 0,
            blocks: BTreeMap::new(),
            kinds: budgets.0.map(kind),
            queue: BTreeMap::new(),
            clock: 0,
            is_working: false,
            is_outdated: false,
            reported: BTreeSet::new(),
            troubles: Vec::new(),
            is_over: false,
        }
    }

    pub(super) fn open(&mut self, digest: Key, kind: BlockKind) -> Option<BulkHandle> {
        if let Some(bulk) = self.by_digest.get(&(digest, kind)) {
            return Some(*bulk);
        }
        if self.bulks.len() >= CONTAINERS_MAX {
            self.kinds[kind as usize].counters.refused += 1;
            return None;
        }
        let bulk = BulkHandle(self.next_bulk);
        self.next_bulk = self.next_bulk.checked_add(1)?;
        self.bulks.insert(bulk, OpenBulk { digest, kind, directory: Progress::Idle });
        self.by_digest.insert((digest, kind), bulk);
        Some(bulk)
    }

    pub(super) fn close(&mut self, bulk: BulkHandle) {
        let Some(open) = self.bulks.remove(&bulk) else { return };
        self.by_digest.remove(&(open.digest, open.kind));
        self.reported.retain(|(reported, _)| *reported != bulk);
        if let Progress::Queued(place) = open.directory {
            self.queue.remove(&place);
        }
        let first = BlockHandle { bulk, block: 0 };
        let last = BlockHandle { bulk, block: u32::MAX };
        let handles: Vec<BlockHandle> = self.blocks.range(first..=last).map(|(handle, _)| *handle).collect();
        for handle in handles {
            let Some(block) = self.blocks.remove(&handle) else { continue };
            match block.progress {
                Progress::Queued(place) => drop(self.queue.remove(&place)),
                Progress::There(there) => self.kinds[open.kind as usize].forget(&there, block.pins > 0),
                _ => {}
            }
        }
    }

    pub(super) fn directory(&mut self, bulk: BulkHandle) -> Option<Arc<Directory>> {
        let open = self.bulks.get_mut(&bulk)?;
        match &open.directory {
            Progress::There(directory) => return Some(Arc::clone(directory)),
            Progress::Idle => {}
            _ => return None,
        }
        // At most one per container, so that the queue stays bounded.
        self.clock += 1;
        let place = (Reverse(u16::MAX), self.clock);
        open.directory = Progress::Queued(place);
        self.queue.insert(place, QueuedJob::Open(bulk));
        None
    }

    pub(super) fn request(&mut self, handle: BlockHandle, priority: u8) -> Option<Arc<[u8]>> {
        let open = self.bulks.get(&handle.bulk)?;
        let (kind, is_closed) = (open.kind, matches!(open.directory, Progress::Failed));
        self.clock += 1;
        let kind = &mut self.kinds[kind as usize];
        let place = (Reverse(u16::from(priority)), self.clock);
        let block = self.blocks.get_mut(&handle);
        match block.as_ref().map(|block| &block.progress) {
            Some(Progress::Reading | Progress::Failed) => return None,
            Some(Progress::Queued(before)) if before.0 <= place.0 => return None,
            Some(Progress::Queued(before)) => drop(self.queue.remove(before)),
            Some(Progress::There(_)) => {}
            // Its container cannot be opened.
            None | Some(Progress::Idle) if is_closed => return None,
            None | Some(Progress::Idle) => {
                let is_full = kind.counters.pinned_bytes + BLOCK_BYTES as u64 > kind.counters.bytes_max;
                if is_full || self.queue.len() >= BLOCKS_WAITING_MAX {
                    kind.counters.refused += 1;
                    return None;
                }
                kind.counters.misses += 1;
            }
        }
        if let Some(Block { progress: Progress::There(there), pins }) = block {
            kind.counters.hits += 1;
            if *pins == 0 {
                kind.evictable.remove(&there.used);
                kind.evictable.insert(self.clock, handle);
            }
            there.used = self.clock;
            return Some(Arc::clone(&there.bytes));
        }
        self.queue.insert(place, QueuedJob::Read(handle));
        let block = self.blocks.entry(handle).or_insert(Block { progress: Progress::Idle, pins: 0 });
        block.progress = Progress::Queued(place);
        None
    }

    /// A block that is in memory; counts nothing.
    pub(super) fn peek(&self, handle: BlockHandle) -> Option<Arc<[u8]>> {
        match &self.blocks.get(&handle)?.progress {
            Progress::There(there) => Some(Arc::clone(&there.bytes)),
            _ => None,
        }
    }

    pub(super) fn has_failed(&self, handle: BlockHandle) -> bool {
        let bulk = self.bulks.get(&handle.bulk);
        let block = self.blocks.get(&handle);
        bulk.is_none_or(|bulk| matches!(bulk.directory, Progress::Failed))
            || block.is_some_and(|block| matches!(block.progress, Progress::Failed))
    }

    pub(super) fn retry_failed(&mut self) {
        self.is_outdated = true;
        for open in self.bulks.values_mut().filter(|open| matches!(open.directory, Progress::Failed)) {
            open.directory = Progress::Idle;
        }
        for block in self.blocks.values_mut().filter(|block| matches!(block.progress, Progress::Failed)) {
            block.progress = Progress::Idle;
        }
    }

    pub(super) fn pin(&mut self, handle: BlockHandle) {
        let Some(kind) = self.bulks.get(&handle.bulk).map(|bulk| bulk.kind) else { return };
        let block = self.blocks.entry(handle).or_insert(Block { progress: Progress::Idle, pins: 0 });
        block.pins = block.pins.saturating_add(1);
        if let Progress::There(there) = &block.progress
            && block.pins == 1
        {
            let kind = &mut self.kinds[kind as usize];
            kind.evictable.remove(&there.used);
            kind.counters.pinned_bytes += there.bytes.len() as u64;
        }
    }

    pub(super) fn unpin(&mut self, handle: BlockHandle) {
        let Some(kind) = self.bulks.get(&handle.bulk).map(|bulk| bulk.kind) else { return };
        let Some(block) = self.blocks.get_mut(&handle) else { return };
        if block.pins != 1 {
            block.pins = block.pins.saturating_sub(1);
            return;
        }
        block.pins = 0;
        match &block.progress {
            Progress::There(there) => {
                let kind = &mut self.kinds[kind as usize];
                kind.counters.pinned_bytes -= there.bytes.len() as u64;
                kind.evictable.insert(there.used, handle);
            }
            Progress::Idle => drop(self.blocks.remove(&handle)),
            _ => {}
        }
    }

    pub(super) fn counters(&self, kind: BlockKind) -> BlockCounters {
        self.kinds[kind as usize].counters
    }

    pub(super) fn is_idle(&self) -> bool {
        self.queue.is_empty() && !self.is_working
    }

    /// Takes the first job from the queue.
    pub(super) fn next_job(&mut self) -> Option<Job> {
        let (_, job) = self.queue.pop_first()?;
        (self.is_working, self.is_outdated) = (true, false);
        match job {
            QueuedJob::Open(bulk) => {
                let open = self.bulks.get_mut(&bulk).expect("closing a container removes its jobs");
                open.directory = Progress::Reading;
                Some(Job::Open(bulk, open.digest))
            }
            QueuedJob::Read(handle) => {
                let digest = self.bulks.get(&handle.bulk).expect("closing a container removes its jobs").digest;
                let block = self.blocks.get_mut(&handle).expect("a queued block has an entry");
                block.progress = Progress::Reading;
                Some(Job::Read(handle, digest))
            }
        }
    }

    /// Takes over a directory that was read.
    pub(super) fn opened(&mut self, bulk: BulkHandle, directory: Arc<Directory>) {
        if let Some(open) = self.bulks.get_mut(&bulk) {
            if let Progress::Queued(place) = open.directory {
                self.queue.remove(&place);
            }
            open.directory = Progress::There(directory);
            self.reported.remove(&(bulk, None));
        }
    }

    /// Marks a container that cannot be opened, and all its blocks that wait.
    /// Without a trouble, nothing is wrong: it is still to arrive.
    pub(super) fn fail_bulk(&mut self, bulk: BulkHandle, trouble: Option<String>) {
        let Some(open) = self.bulks.get_mut(&bulk) else { return };
        if let Progress::Queued(place) = open.directory {
            self.queue.remove(&place);
        }
        let is_new = !matches!(open.directory, Progress::Failed);
        let kind = open.kind;
        let range = BlockHandle { bulk, block: 0 }..=BlockHandle { bulk, block: u32::MAX };
        if self.is_outdated {
            open.directory = Progress::Idle;
            let reading = self.blocks.range_mut(range).find(|(_, block)| matches!(block.progress, Progress::Reading));
            reading.into_iter().for_each(|(_, block)| block.progress = Progress::Idle);
            return;
        }
        open.directory = Progress::Failed;
        if let Some(trouble) = trouble.filter(|_| is_new) {
            self.kinds[kind as usize].counters.failed += 1;
            self.report((bulk, None), trouble);
        }
        for (_, block) in self.blocks.range_mut(range) {
            match block.progress {
                Progress::Queued(place) => drop(self.queue.remove(&place)),
                Progress::There(_) => continue,
                _ => {}
            }
            block.progress = Progress::Failed;
        }
    }

    /// Marks a damaged block.
    pub(super) fn fail_block(&mut self, handle: BlockHandle, trouble: String) {
        let (Some(bulk), Some(block)) = (self.bulks.get(&handle.bulk), self.blocks.get_mut(&handle)) else { return };
        if self.is_outdated {
            block.progress = Progress::Idle;
            return;
        }
        block.progress = Progress::Failed;
        self.kinds[bulk.kind as usize].counters.failed += 1;
        self.report((handle.bulk, Some(handle.block)), trouble);
    }

    /// Takes over a block that was read, and evicts others to make room.
    pub(super) fn arrived(&mut self, handle: BlockHandle, bytes: Arc<[u8]>) {
        let Some(kind) = self.bulks.get(&handle.bulk).map(|bulk| bulk.kind) else { return };
        let length = bytes.len() as u64;
        let has_room = self.make_room(kind, length);
        let Some(block) = self.blocks.get_mut(&handle) else { return };
        let kind = &mut self.kinds[kind as usize];
        if !has_room {
            kind.counters.refused += 1;
            block.progress = Progress::Idle;
            if block.pins == 0 {
                self.blocks.remove(&handle);
            }
            return;
        }
        self.clock += 1;
        self.reported.remove(&(handle.bulk, Some(handle.block)));
        kind.counters.bytes += length;
        kind.counters.blocks += 1;
        if block.pins == 0 {
            kind.evictable.insert(self.clock, handle);
        } else {
            kind.counters.pinned_bytes += length;
        }
        block.progress = Progress::There(InMemory { bytes, used: self.clock });
    }

    /// Marks the end of a job.
    pub(super) fn end_job(&mut self) {
        self.is_working = false;
    }

    /// Evicts blocks of a kind until this many bytes fit into its budget. False if pinned blocks prevent it.
    fn make_room(&mut self, kind: BlockKind, bytes: u64) -> bool {
        let kind = &mut self.kinds[kind as usize];
        if kind.counters.pinned_bytes + bytes > kind.counters.bytes_max {
            return false;
        }
        while kind.counters.bytes + bytes > kind.counters.bytes_max {
            let (_, handle) = kind.evictable.pop_first().expect("blocks that are not pinned are evictable");
            let block = self.blocks.remove(&handle).expect("an evictable block has an entry");
            if let Progress::There(there) = block.progress {
                kind.forget(&there, false);
                kind.counters.evictions += 1;
            }
        }
        true
    }

    /// Reports each failure once, even if it was tried again.
    fn report(&mut self, what: (BulkHandle, Option<u32>), trouble: String) {
        if self.reported.insert(what) && self.troubles.len() < TROUBLES_MAX {
            self.troubles.push(trouble);
        }
    }
}

impl KindState {
    /// Subtracts a block that leaves memory.
    fn forget(&mut self, there: &InMemory, is_pinned: bool) {
        let length = there.bytes.len() as u64;
        self.counters.bytes -= length;
        self.counters.blocks -= 1;
        if is_pinned {
            self.counters.pinned_bytes -= length;
        } else {
            self.evictable.remove(&there.used);
        }
    }
}

#[cfg(test)]
impl CacheState {
    /// Asserts that everything which is recorded twice agrees.
    pub(super) fn check(&self) {
        for kind in [BlockKind::Texture, BlockKind::Geometry, BlockKind::Sound, BlockKind::Other] {
            let (mut blocks, mut bytes, mut pinned_bytes, mut evictable) = (0, 0, 0, Vec::new());
            for (handle, block) in &self.blocks {
                let Progress::There(there) = &block.progress else { continue };
                if self.bulks[&handle.bulk].kind != kind {
                    continue;
                }
                (blocks, bytes) = (blocks + 1, bytes + there.bytes.len() as u64);
                if block.pins > 0 {
                    pinned_bytes += there.bytes.len() as u64;
                } else {
                    evictable.push((there.used, *handle));
                }
            }
            evictable.sort_unstable();
            let found = &self.kinds[kind as usize];
            let counters = found.counters;
            assert_eq!((counters.blocks, counters.bytes, counters.pinned_bytes), (blocks, bytes, pinned_bytes));
            assert_eq!(found.evictable.iter().map(|(used, handle)| (*used, *handle)).collect::<Vec<_>>(), evictable);
            assert!(bytes <= counters.bytes_max);
        }
        let queued = self.blocks.values().filter_map(|block| match block.progress {
            Progress::Queued(place) => Some(place),
            _ => None,
        });
        let opening = self.bulks.values().filter_map(|bulk| match bulk.directory {
            Progress::Queued(place) => Some(place),
            _ => None,
        });
        let mut places: Vec<QueuePlace> = queued.chain(opening).collect();
        places.sort_unstable();
        assert_eq!(self.queue.keys().copied().collect::<Vec<_>>(), places);
    }
}
