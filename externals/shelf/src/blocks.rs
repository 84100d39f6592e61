//! The block cache: bulk data on demand, for presentation.
//!
//! A container is opened by its digest, and its blocks are requested by handle. A request never waits: it returns the
//! block if it is in memory; otherwise a background thread reads it, and a later request gets it.
//!
//! Laws
//! 1. Each kind of block has a fixed budget of bytes. A block that arrives evicts the least recently used blocks of its
//!    kind; pinned blocks stay. A block that a caller holds lives on after its eviction, outside of the budget.
//! 2. A block is returned only if its length and checksum are right, and its container has the digest that was opened.
//!    A damaged block is counted, reported once, and never read again.
//! 3. The queue is bounded. Higher priorities are read first, then earlier requests. A refused request is counted; the
//!    caller asks again later.
//! 4. Where there are no threads (wasm), a request reads at once.
//! 5. The world cannot use this: core and foundation do not depend on the shelf. What a world reads is resident.

mod state;
#[cfg(test)]
mod tests;
mod worker;

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};

use tags::Bulk;
use tags::bulk::Directory;

use crate::containers::Containers;
use crate::content_key::Key;
use crate::limits::BLOCK_BUDGETS;
use state::{CacheState, Job};
use worker::Worker;

/// What a block is for. Each kind has its own budget, so that sounds do not evict textures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockKind {
    /// Pixels.
    Texture,
    /// Vertices, indices and animations.
    Geometry,
    /// Samples.
    Sound,
    /// Anything else.
    Other,
}

/// The number of kinds.
pub const KINDS: usize = 4;

/// The bytes that blocks of each kind may take, in the order of [`BlockKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockBudgets(pub [u64; KINDS]);

impl Default for BlockBudgets {
    fn default() -> BlockBudgets {
        BlockBudgets(BLOCK_BUDGETS)
    }
}

/// A container in the cache. Plain; it is never reused, so that an old one finds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BulkHandle(u32);

/// A block of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockHandle {
    /// The container.
    pub bulk: BulkHandle,
    /// The number of the block in the container's directory.
    pub block: u32,
}

/// What happened to the blocks of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockCounters {
    /// Requests that found their block in memory.
    pub hits: u64,
    /// Requests that queued a read.
    pub misses: u64,
    /// Blocks that made room for others.
    pub evictions: u64,
    /// Blocks that were damaged or could not be read.
    pub failed: u64,
    /// Requests that were refused because the queue was full, or pinned blocks took the whole budget.
    pub refused: u64,
    /// The blocks in memory.
    pub blocks: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The bytes of those that are pinned.
    pub pinned_bytes: u64,
    /// The budget.
    pub bytes_max: u64,
}

/// A cache of blocks. All calls may come from any thread, and none waits for a disk (but see law 4).
#[derive(Debug)]
pub struct BlockCache {
    shared: Arc<CacheShared>,
    /// Started by the first request.
    driver: OnceLock<BlockDriver>,
}

#[derive(Debug)]
enum BlockDriver {
    Thread(JoinHandle<()>),
    Inline(Mutex<Worker>),
}

#[derive(Debug)]
struct CacheShared {
    containers: Arc<Containers>,
    state: Mutex<CacheState>,
    changed: Condvar,
}

impl BlockCache {
    /// A cache of these containers.
    #[must_use]
    pub fn new(containers: Arc<Containers>, budgets: &BlockBudgets) -> BlockCache {
        let state = Mutex::new(CacheState::new(budgets));
        let shared = Arc::new(CacheShared { containers, state, changed: Condvar::new() });
        BlockCache { shared, driver: OnceLock::new() }
    }

    /// A cache that reads at once, as where there are no threads.
    #[must_use]
    pub fn without_thread(containers: Arc<Containers>, budgets: &BlockBudgets) -> BlockCache {
        let cache = BlockCache::new(containers, budgets);
        cache.driver.get_or_init(|| BlockDriver::inline(&cache.shared));
        cache
    }

    /// The containers it reads.
    #[must_use]
    pub fn containers(&self) -> &Arc<Containers> {
        &self.shared.containers
    }

    /// A handle to the container that a field names, the same for the same container and kind. None if the field names
    /// nothing, or too many containers are open. The file is opened when its directory or a block is requested.
    #[must_use]
    pub fn open(&self, bulk: &Bulk, kind: BlockKind) -> Option<BulkHandle> {
        if bulk.digest == [0; 32] {
            return None;
        }
        self.shared.lock().open(Key(bulk.digest), kind)
    }

    /// Forgets a container and its blocks. Its handles then find nothing.
    pub fn close(&self, bulk: BulkHandle) {
        self.shared.lock().close(bulk);
    }

    /// The directory of a container, if it was read; otherwise it is queued, before all blocks.
    #[must_use]
    pub fn directory(&self, bulk: BulkHandle) -> Option<Arc<Directory>> {
        let found = self.shared.lock().directory(bulk);
        if found.is_some() || !self.advance() {
            return found;
        }
        self.shared.lock().directory(bulk)
    }

    /// A block, if it is in memory; otherwise it is queued with this priority, or its place in the queue is updated.
    #[must_use]
    pub fn request(&self, block: BlockHandle, priority: u8) -> Option<Arc<[u8]>> {
        let found = self.shared.lock().request(block, priority);
        if found.is_some() || !self.advance() {
            return found;
        }
        self.shared.lock().peek(block)
    }

    /// Whether a container or a block of it was found damaged or missing, so that waiting for it is useless.
    #[must_use]
    pub fn has_failed(&self, block: BlockHandle) -> bool {
        self.shared.lock().has_failed(block)
    }

    /// Lets everything that failed be requested again: after files changed or containers arrived.
    pub fn retry_failed(&self) {
        self.shared.lock().retry_failed();
    }

    /// Protects a block from eviction, now or when it arrives. Pins are counted.
    pub fn pin(&self, block: BlockHandle) {
        self.shared.lock().pin(block);
    }

    /// Takes back one pin.
    pub fn unpin(&self, block: BlockHandle) {
        self.shared.lock().unpin(block);
    }

    /// The counters of a kind.
    #[must_use]
    pub fn counters(&self, kind: BlockKind) -> BlockCounters {
        self.shared.lock().counters(kind)
    }

    /// Damaged and missing containers and blocks since the last call, a line each.
    #[must_use]
    pub fn take_troubles(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.lock().troubles)
    }

    /// Waits until everything that was requested is read or failed. For tools and tests.
    pub fn finish(&self) {
        if self.advance() {
            return;
        }
        let mut state = self.shared.lock();
        while !state.is_idle() {
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Wakes the thread, or does its work. Returns whether the work is done.
    fn advance(&self) -> bool {
        match self.driver.get_or_init(|| BlockDriver::start(&self.shared)) {
            BlockDriver::Thread(_) => {
                self.shared.changed.notify_all();
                false
            }
            BlockDriver::Inline(worker) => {
                worker.lock().unwrap_or_else(PoisonError::into_inner).work_off();
                true
            }
        }
    }
}

impl Drop for BlockCache {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_all();
        if let Some(BlockDriver::Thread(thread)) = self.driver.take() {
            let _ = thread.join();
        }
    }
}

impl BlockDriver {
    fn start(shared: &Arc<CacheShared>) -> BlockDriver {
        let mut worker = Worker::new(Arc::clone(shared));
        let thread = thread::Builder::new().name("block reader".into()).spawn(move || worker.work());
        thread.map_or_else(|_| BlockDriver::inline(shared), BlockDriver::Thread)
    }

    fn inline(shared: &Arc<CacheShared>) -> BlockDriver {
        BlockDriver::Inline(Mutex::new(Worker::new(Arc::clone(shared))))
    }
}

impl CacheShared {
    /// No code panics while it holds the lock, so poisoning is ignored.
    fn lock(&self) -> MutexGuard<'_, CacheState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next job; none when the cache is dropped.
    fn wait_for_job(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if state.is_over {
                return None;
            }
            if let Some(job) = state.next_job() {
                return Some(job);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
