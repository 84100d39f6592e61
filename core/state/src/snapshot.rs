//! Snapshots: incremental copies of a world, restored in place.
//!
//! Laws
//! 1. Taking a snapshot changes nothing in the world.
//! 2. Restoring one gives exactly the world it was taken from: same bytes, same hash, same future.
//! 3. Updating a snapshot of this same world, or restoring it, costs only the pages written since (dirty-page
//!    tracking).
//! 4. Bytes from outside are validated before the world adopts them; if they are inconsistent, the world is unchanged.

use alloc::format;
use alloc::string::String;
use core::fmt;

use crate::block::Block;
use crate::life;
use crate::limits::{CYCLE_MAX, PAGE_BYTES};
use crate::marks::Moment;
use crate::memory::{MemorySource, PageAccess};
use crate::phase::Phase;
use crate::validate;
use crate::world::{Time, World};

/// A copy of a world.
pub struct Snapshot {
    block: Block,
    /// The world it is a copy of.
    identity: u64,
    moment: Moment,
}

impl Snapshot {
    /// The copied block.
    pub fn block(&self) -> &Block {
        &self.block
    }
}

/// Why a world did not adopt bytes from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inconsistent(pub(crate) String);

impl fmt::Display for Inconsistent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the block is inconsistent: {}", self.0)
    }
}

impl core::error::Error for Inconsistent {}

impl World {
    /// A snapshot of the world. Allocates one block.
    pub fn snapshot(&mut self, source: &dyn MemorySource) -> Snapshot {
        let block = Block::new(self.now.plan(), source);
        let mut snapshot = Snapshot { block, identity: self.identity(), moment: Moment::NEVER };
        self.save(&mut snapshot);
        snapshot
    }

    /// Updates a snapshot. One of another world of the same plan is copied whole.
    pub fn save(&mut self, snapshot: &mut Snapshot) {
        assert_eq!(snapshot.block.plan().hash(), self.now.plan().hash(), "a snapshot of a world of another plan");
        let since = if snapshot.identity == self.identity() { snapshot.moment } else { Moment::NEVER };
        snapshot.moment = self.copy_changed(since, snapshot.block.bytes_mut());
        snapshot.identity = self.identity();
    }

    /// Copies the pages written since `moment` to the same offsets of `into`, a whole block.
    pub fn copy_changed(&mut self, moment: Moment, into: &mut [u8]) -> Moment {
        assert!(matches!(self.phase, Phase::Resting | Phase::SettingUp), "cannot copy a world that is {}", self.phase);
        let now = self.marks.end_epoch();
        for pages in self.marks.since(moment) {
            let bytes = pages.start * PAGE_BYTES..pages.end * PAGE_BYTES;
            into[bytes.clone()].copy_from_slice(&self.now.bytes()[bytes]);
        }
        now
    }

    /// Restores a snapshot in any phase; the world rests afterwards. Entries queued and not painted are dropped.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        assert_eq!(snapshot.block.plan().hash(), self.now.plan().hash(), "a snapshot of a world of another plan");
        let is_own = snapshot.identity == self.identity();
        self.queues.clear();
        self.enter(Phase::SettingUp);
        self.take_pages(if is_own { snapshot.moment } else { Moment::NEVER }, snapshot.block.bytes());
        if !is_own {
            life::fill_dead(&mut self.now, self.settings.garbage);
        }
        self.enter(Phase::Resting);
    }

    /// Adopts the bytes of a block from outside if they are consistent, in any phase; the world rests afterwards. If
    /// they are not, the world and its phase are unchanged.
    pub fn adopt(&mut self, bytes: &[u8]) -> Result<(), Inconsistent> {
        self.check_block(bytes)?;
        self.take_block(bytes);
        self.freeze_adopted();
        Ok(())
    }

    /// Adopts the bytes of a block as [`World::adopt`], if the world then has this hash. If not, the world, its frozen copy and its
    /// phase are unchanged, and the hash found is returned.
    pub fn adopt_hashed(&mut self, bytes: &[u8], hash: u64) -> Result<Result<(), u64>, Inconsistent> {
        self.check_block(bytes)?;
        let (before, phase) = (self.now.bytes().to_vec(), self.phase);
        self.take_block(bytes);
        let found = self.hash();
        if found != hash {
            self.enter(Phase::SettingUp);
            self.take_pages(Moment::NEVER, &before);
            self.enter(phase);
            return Ok(Err(found));
        }
        self.freeze_adopted();
        Ok(Ok(()))
    }

    fn check_block(&self, bytes: &[u8]) -> Result<(), Inconsistent> {
        if bytes.len() != self.plan().bytes() {
            return Err(Inconsistent(format!("{} bytes instead of {}", bytes.len(), self.plan().bytes())));
        }
        validate::validate(self.plan(), bytes).map_err(Inconsistent)?;
        let cycle = Time::of(bytes).cycle;
        if cycle >= CYCLE_MAX {
            return Err(Inconsistent(format!("it is at cycle {cycle}")));
        }
        Ok(())
    }

    fn take_block(&mut self, bytes: &[u8]) {
        self.enter(Phase::SettingUp);
        self.take_pages(Moment::NEVER, bytes);
        life::fill_dead(&mut self.now, self.settings.garbage);
        self.enter(Phase::Resting);
    }

    /// What comes after a block is taken for good: no entry of the world before it is left.
    fn freeze_adopted(&mut self) {
        self.queues.clear();
        let bytes = self.plan().bytes();
        self.frozen.protect(0..bytes, PageAccess::Write);
        self.frozen.bytes_mut().copy_from_slice(self.now.bytes());
        if self.settings.is_checked {
            self.frozen.protect(0..bytes, PageAccess::Read);
        }
    }
}
