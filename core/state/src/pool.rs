//! Pools: a compacting allocator of blocks of any size, named by handles.
//!
//! A pool is a datum array of small [`PoolBlock`]s that refer to one range of bytes. Each block is of a *class*, a
//! registered plain type, so that a difference of two worlds can be named by field.
//!
//! Laws
//! 1. Bump allocation in whole granules. When the end is reached, the living blocks are compacted in address order, and
//!    the free space becomes one piece: so an allocation fails only if the pool has less left than requested. Handles
//!    stay valid.
//! 2. A new block is zero; a deleted one is garbage.
//! 3. Compaction costs a copy of the living blocks. It happens at most once per `create`, and the report counts it.

use core::marker::PhantomData;
use core::ops::Range;

use base::handle::Handle;
use base::plain::{self, Plain};

use crate::bits;
use crate::block::Block;
use crate::datums::{Datums, words};
pub use crate::life::PoolBlock;
use crate::life::{BlockPrefix, PoolHead, granules_for};
use crate::limits::GRANULE_BYTES;
use crate::phase::Access;
use crate::plan::{Layout, Life, Plan, RegionKind, Reservation};
use crate::world::{Edit, World};

const PREFIX_BYTES: usize = size_of::<BlockPrefix>();
const _: () = assert!(PREFIX_BYTES.is_multiple_of(16) && PREFIX_BYTES < GRANULE_BYTES);

/// The key to a pool.
#[derive(Clone, Copy)]
pub struct Pool {
    blocks: Datums<PoolBlock>,
    region: u16,
    head: u32,
    living: u32,
    start: u32,
    granules: u32,
}

/// The key to the blocks of a pool that hold a `T`.
pub struct Class<T> {
    pool: Pool,
    number: u32,
    value: PhantomData<fn() -> T>,
}

impl Layout {
    /// Reserves a pool of about `bytes` bytes with at most `blocks` blocks.
    pub fn pool(&mut self, name: &str, bytes: u32, blocks: u32) -> Pool {
        let owners = self.datums::<PoolBlock>(name, blocks);
        self.pool_of(owners, name, bytes.div_ceil(GRANULE_BYTES as u32))
    }

    /// Reserves the bytes of a pool whose block datums were just reserved.
    pub(crate) fn pool_of(&mut self, owners: Datums<PoolBlock>, name: &str, granules: u32) -> Pool {
        let (number, region) = self.reserve(Reservation {
            name: &alloc::format!("{name} bytes"),
            kind: RegionKind::Pool,
            head: Some(PoolHead::DESCRIPTION),
            bit_sets: 1,
            capacity: granules,
            header: None,
            value: <[u8; GRANULE_BYTES]>::DESCRIPTION,
            value_align: 16,
            chunk: 0,
            life: |_, bit_sets| Life::Bits(bit_sets),
        });
        let Life::Bits(living) = region.elements.life else { unreachable!("pools live by bits") };
        Pool {
            blocks: owners,
            region: number,
            head: region.bytes.start as u32,
            living: living as u32,
            start: region.elements.start as u32,
            granules,
        }
    }

    /// Registers a class of blocks.
    pub fn class<T: Plain>(&mut self, pool: Pool, name: &str) -> Class<T> {
        const { assert!(align_of::<T>() <= PREFIX_BYTES, "blocks of a pool start at multiples of 16") };
        const { assert!(size_of::<T>() > 0, "a value without bytes needs no block") };
        Class { pool, number: self.add_class(pool.region, name, T::DESCRIPTION), value: PhantomData }
    }
}

impl Pool {
    /// Allocates a zeroed block. `None` if the memory does not suffice: that is counted.
    #[track_caller]
    fn create(self, world: &mut World, class: u32, bytes: u64) -> Option<Handle<PoolBlock>> {
        world.phase.require_writing(Access::Create, world.plan(), self.blocks.region);
        let head = self.head(world);
        let granules =
            u32::try_from(granules_for(bytes)).ok().filter(|granules| *granules <= self.granules - head.used);
        let Some(granules) = granules else {
            let mut head = self.edit_head(world, Access::Create);
            head.refused = head.refused.saturating_add(1);
            return None;
        };
        let handle = self.blocks.create(world)?.0;
        if self.granules - head.end < granules {
            self.compact(world);
        }
        let mut head = self.edit_head(world, Access::Create);
        let start = head.end;
        head.end += granules;
        head.used += granules;
        head.used_max = head.used_max.max(head.used);
        drop(head);
        *self.blocks.get_mut(world, handle) = PoolBlock { start, bytes: bytes as u32, class };
        self.set_living(world, start..start + granules, true);
        let prefix = BlockPrefix { owner: handle, granules, spare: 0 };
        let all = world.edit_bytes(self.region, self.granule_bytes(start..start + granules), Access::Create);
        all.fill(0);
        all[..PREFIX_BYTES].copy_from_slice(plain::bytes_of(&prefix));
        Some(handle)
    }

    /// Deletes a block of any class. Panics like [`Datums::get`].
    #[track_caller]
    pub fn delete(self, world: &mut World, handle: Handle<PoolBlock>) {
        let start = self.blocks.get(world, handle).start;
        let granules = self.prefix(world, start).granules;
        self.blocks.delete(world, handle);
        self.set_living(world, start..start + granules, false);
        let garbage = world.settings.garbage;
        world.edit_bytes(self.region, self.granule_bytes(start..start + granules), Access::Delete).fill(garbage);
        let head = self.head(world);
        let end = if start + granules == head.end {
            bits::last_set(words(world.bytes(), self.living_words()), start).map_or(0, |last| last + 1)
        } else {
            head.end
        };
        let mut head = self.edit_head(world, Access::Delete);
        head.used -= granules;
        head.end = end;
    }

    /// Resizes the block in a slot: the content is kept, new bytes are zero. False, and nothing changed, if the memory
    /// does not suffice: that is counted.
    #[track_caller]
    fn resize(self, world: &mut World, slot: u16, bytes: u64) -> bool {
        world.phase.require_writing(Access::Edit, world.plan(), self.blocks.region);
        let (owner, found) = self.blocks.at_slot(world, slot).expect("the caller knows that it is living");
        let (found, head) = (*found, self.head(world));
        let old = self.prefix(world, found.start).granules;
        let fits = |new: &u32| *new <= old || *new - old <= self.granules - head.used;
        let Some(new) = u32::try_from(granules_for(bytes)).ok().filter(fits) else {
            let mut head = self.edit_head(world, Access::Edit);
            head.refused = head.refused.saturating_add(1);
            return false;
        };
        if new < old {
            self.trim(world, found.start, old, new);
        } else if new > old {
            self.stretch(world, owner, old, new);
        }
        let start = self.blocks.get(world, owner).start;
        *self.blocks.get_mut(world, owner) = PoolBlock { start, bytes: bytes as u32, class: found.class };
        let all = world.edit_bytes(self.region, self.granule_bytes(start..start + new), Access::Edit);
        let prefix = BlockPrefix { owner, granules: new, spare: 0 };
        all[..PREFIX_BYTES].copy_from_slice(plain::bytes_of(&prefix));
        all[PREFIX_BYTES + found.bytes.min(bytes as u32) as usize..].fill(0);
        true
    }

    /// All blocks in the order of their handles' slots.
    pub fn iterate(self, block: &Block) -> impl Iterator<Item = Handle<PoolBlock>> {
        self.blocks.iterate(block).map(|(handle, _)| handle)
    }

    /// Whether the handle names a block. Never panics: see [`Datums::find`].
    pub fn is_living(self, block: &Block, handle: Handle<PoolBlock>) -> bool {
        self.blocks.find(block, handle).is_some()
    }

    /// The number of blocks.
    pub fn count(self, block: &Block) -> u32 {
        self.blocks.count(block)
    }

    /// The number of free bytes, block prefixes included.
    pub fn bytes_left(self, block: &Block) -> usize {
        (self.granules - self.head(block).used) as usize * GRANULE_BYTES
    }

    /// Compacts all living blocks to the start.
    fn compact(self, world: &mut World) {
        let (mut from, mut to) = (0, 0);
        let end = self.head(world).end;
        while let Some(start) = bits::first_set(words(world.bytes(), self.living_words()), from, end) {
            let BlockPrefix { owner, granules, .. } = *self.prefix(world, start);
            if start > to {
                let source = self.granule_bytes(start..start + granules);
                let target = self.granule_bytes(to..to + granules);
                let whole = world.edit_bytes(self.region, target.start..source.end, Access::Edit);
                whole.copy_within(source.start - target.start.., 0);
                self.set_living(world, start..start + granules, false);
                self.set_living(world, to..to + granules, true);
                self.blocks.get_mut(world, owner).start = to;
            }
            from = start + granules;
            to += granules;
        }
        let garbage = world.settings.garbage;
        world.edit_bytes(self.region, self.granule_bytes(to..end), Access::Edit).fill(garbage);
        let mut head = self.edit_head(world, Access::Edit);
        head.end = to;
        head.compactions = head.compactions.saturating_add(1);
    }

    /// Frees the last granules of a block.
    fn trim(self, world: &mut World, start: u32, old: u32, new: u32) {
        self.set_living(world, start + new..start + old, false);
        let garbage = world.settings.garbage;
        world.edit_bytes(self.region, self.granule_bytes(start + new..start + old), Access::Edit).fill(garbage);
        let mut head = self.edit_head(world, Access::Edit);
        head.used -= old - new;
        if head.end == start + old {
            head.end = start + new;
        }
    }

    /// Grows a block: in place if it is the last, else at the end, after compaction if necessary. There is enough
    /// memory in all.
    fn stretch(self, world: &mut World, owner: Handle<PoolBlock>, old: u32, new: u32) {
        let (start, head) = (self.blocks.get(world, owner).start, self.head(world));
        let left = self.granules - head.end;
        if start + old == head.end && new - old <= left {
            return self.take_behind(world, new - old);
        }
        if new > left {
            self.compact(world);
            self.move_to_end(world, owner, old);
            return self.take_behind(world, new - old);
        }
        self.take_behind(world, new);
        let target = self.granule_bytes(head.end..head.end + old);
        world.edit_bytes(self.region, target.clone(), Access::Edit);
        world.now.bytes_mut().copy_within(self.granule_bytes(start..start + old), target.start);
        self.blocks.get_mut(world, owner).start = head.end;
        self.trim(world, start, old, 0);
    }

    /// Allocates granules at the end.
    fn take_behind(self, world: &mut World, granules: u32) {
        let mut head = self.edit_head(world, Access::Edit);
        let start = head.end;
        head.end += granules;
        head.used += granules;
        head.used_max = head.used_max.max(head.used);
        drop(head);
        self.set_living(world, start..start + granules, true);
    }

    /// Moves a block to the end and compacts the others.
    fn move_to_end(self, world: &mut World, owner: Handle<PoolBlock>, granules: u32) {
        let (start, end) = (self.blocks.get(world, owner).start, self.head(world).end);
        let all = world.edit_bytes(self.region, self.granule_bytes(start..end), Access::Edit);
        all.rotate_left(granules as usize * GRANULE_BYTES);
        let mut granule = start;
        while granule < end {
            let BlockPrefix { owner, granules, .. } = *self.prefix(world, granule);
            self.blocks.get_mut(world, owner).start = granule;
            granule += granules;
        }
    }

    /// Whether this key belongs to that plan.
    fn is_of(self, plan: &Plan) -> bool {
        plan.regions().get(usize::from(self.region)).is_some_and(|region| {
            let (life, elements) = (Life::Bits(self.living as usize), &region.elements);
            region.kind == RegionKind::Pool
                && (life, self.granules) == (elements.life, elements.capacity)
                && (self.head as usize, self.start as usize) == (region.bytes.start, elements.start)
                && self.blocks.is_of(plan)
        })
    }

    fn head(self, block: &Block) -> PoolHead {
        *block.value(self.head as usize)
    }

    fn edit_head(self, world: &mut World, access: Access) -> Edit<'_, PoolHead> {
        world.edit(self.region, self.head as usize, access)
    }

    fn prefix(self, block: &Block, granule: u32) -> &BlockPrefix {
        block.value(self.granule_bytes(granule..granule).start)
    }

    fn granule_bytes(self, granules: Range<u32>) -> Range<usize> {
        let start = self.start as usize;
        start + granules.start as usize * GRANULE_BYTES..start + granules.end as usize * GRANULE_BYTES
    }

    fn value_bytes(self, block: &PoolBlock) -> Range<usize> {
        let start = self.granule_bytes(block.start..block.start).start + PREFIX_BYTES;
        start..start + block.bytes as usize
    }

    fn living_words(self) -> Range<usize> {
        let start = self.living as usize;
        start..start + (self.granules as usize).div_ceil(64) * 8
    }

    fn set_living(self, world: &mut World, granules: Range<u32>, value: bool) {
        let first = self.living as usize + granules.start as usize / 64 * 8;
        let last = self.living as usize + (granules.end as usize).div_ceil(64) * 8;
        let offset = granules.start / 64 * 64;
        let words = plain::cast_slice_mut(world.edit_bytes(self.region, first..last, Access::Edit));
        bits::set_range(words, granules.start - offset..granules.end - offset, value);
    }
}

impl<T: Plain> Class<T> {
    /// Allocates a block with one zeroed `T`. `None` if the memory does not suffice: that is counted.
    #[track_caller]
    pub fn create(self, world: &mut World) -> Option<Handle<PoolBlock>> {
        self.create_many(world, 1)
    }

    /// Allocates a block with `count` zeroed `T`s.
    #[track_caller]
    pub fn create_many(self, world: &mut World, count: u32) -> Option<Handle<PoolBlock>> {
        self.pool.create(world, self.number, size_of::<T>() as u64 * u64::from(count))
    }

    /// The values of the block, if it is of this class. Panics like [`Datums::get`].
    #[inline]
    #[track_caller]
    pub fn get(self, block: &Block, handle: Handle<PoolBlock>) -> Option<&[T]> {
        let found = self.pool.blocks.get(block, handle);
        (found.class == self.number).then(|| plain::cast_slice(&block.bytes()[self.pool.value_bytes(found)]))
    }

    /// The values of the block, if the handle names one of this class. Never panics: see [`Datums::find`].
    #[inline]
    pub fn find(self, block: &Block, handle: Handle<PoolBlock>) -> Option<&[T]> {
        let found = self.pool.blocks.find(block, handle)?;
        (found.class == self.number).then(|| plain::cast_slice(&block.bytes()[self.pool.value_bytes(found)]))
    }

    /// Changes the values of the block with `work`, and canonicalises them. Panics like [`Datums::get`].
    #[track_caller]
    pub fn edit<R>(self, world: &mut World, handle: Handle<PoolBlock>, work: impl FnOnce(&mut [T]) -> R) -> Option<R> {
        let found = *self.pool.blocks.find(world, handle)?;
        if found.class != self.number {
            return None;
        }
        let bytes = world.edit_bytes(self.pool.region, self.pool.value_bytes(&found), Access::Edit);
        let values: &mut [T] = plain::cast_slice_mut(bytes);
        let result = work(values);
        values.iter_mut().for_each(T::canonicalise);
        Some(result)
    }

    /// Resizes the block in a slot. See `Pool::resize`.
    #[track_caller]
    pub(crate) fn resize(self, world: &mut World, slot: u16, count: u32) -> bool {
        self.pool.resize(world, slot, size_of::<T>() as u64 * u64::from(count))
    }

    /// Deletes the block in a slot, which must be taken.
    #[track_caller]
    pub(crate) fn delete_at(self, world: &mut World, slot: u16) {
        let (handle, _) = self.pool.blocks.at_slot(world, slot).expect("the caller knows that it is living");
        self.pool.delete(world, handle);
    }

    /// The offset of the datum of the block in a slot.
    #[inline]
    pub(crate) fn owner_at(self, slot: u16) -> usize {
        self.pool.blocks.value_at(slot)
    }

    /// The byte range of the values of a block.
    #[inline]
    pub(crate) fn value_bytes(self, owner: &PoolBlock) -> Range<usize> {
        self.pool.value_bytes(owner)
    }

    /// The byte range of all blocks.
    pub(crate) fn all_bytes(self, block: &Block) -> Range<usize> {
        self.pool.granule_bytes(0..self.pool.head(block).end)
    }

    /// Whether this key belongs to that plan.
    pub(crate) fn is_of(self, plan: &Plan) -> bool {
        let region = plan.regions().get(usize::from(self.pool.region));
        let class = region.and_then(|region| region.classes.get(self.number as usize));
        class.is_some_and(|(_, class)| class.bytes == T::DESCRIPTION.bytes) && self.pool.is_of(plan)
    }

    /// All blocks of this class, in the order of their handles' slots.
    pub fn iterate(self, block: &Block) -> impl Iterator<Item = (Handle<PoolBlock>, &[T])> {
        let mine = self.pool.blocks.iterate(block).filter(move |(_, found)| found.class == self.number);
        mine.map(move |(handle, found)| (handle, plain::cast_slice(&block.bytes()[self.pool.value_bytes(found)])))
    }
}

impl<T> Clone for Class<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Class<T> {}
