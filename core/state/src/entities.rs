//! Entities: datums that each own a row of values, of any length.
//!
//! So objects of many kinds share one array. The common part is a datum of `T`; the individual part is a row of `V`s in
//! a pool. An entity and the pool's datum of its row have the same slot: both are created and deleted together, so the
//! lowest free slot of both is the same. No handle to a row is stored, and no row has two owners.
//!
//! | region | content |
//! |---|---|
//! | `NAME` | the datums, with the bit sets of living and awake slots |
//! | `NAME values` | offset and length of the row of each slot |
//! | `NAME values bytes` | the rows |
//! | `NAME alarms` | the timing wheel: see [`alarms`](crate::alarms) |
//!
//! Laws
//! 1. Handles and access are those of a datum array; iteration is in the order of slots.
//! 2. A new entity is zeroed and awake. Without a free slot or enough memory it is not created, and counted where it
//!    was refused: at `NAME` or at `NAME values bytes`.
//! 3. A row can grow and shrink. Rows may move for this; no handle changes.
//! 4. An update or a painter has `&mut` to the datum and row of one entity only. Blocks from outside are validated for
//!    this: both arrays have the same living slots, and rows do not overlap.

use core::ops::Range;

use base::handle::Handle;
use base::plain::{self, Plain};

use crate::alarms::Alarms;
use crate::block::Block;
use crate::datums::Datums;
use crate::life::BlockPrefix;
use crate::limits::{BLOCK_BYTES_MAX, GRANULE_BYTES};
use crate::phase::Access;
use crate::plan::{Layout, Plan};
use crate::pool::{Class, PoolBlock};
use crate::queue::Address;
use crate::world::{Edit, World};

/// The key to entities: datums of `T`, each with its row of `V`s.
pub struct Entities<T, V> {
    pub(crate) datums: Datums<T>,
    pub(crate) rows: Class<V>,
    pub(crate) alarms: Alarms,
}

impl Layout {
    /// Reserves at most `capacity` entities with `values` values in all, however they are distributed. One job works on
    /// `chunk` slots: see [`Layout::datums_in_chunks`].
    pub fn entities<T: Plain, V: Plain>(
        &mut self,
        name: &str,
        capacity: u32,
        values: u32,
        chunk: u32,
    ) -> Entities<T, V> {
        let datums = self.datums_in_chunks::<T>(name, capacity, chunk);
        let rows_name = alloc::format!("{name} values");
        let owners = self.array::<PoolBlock>(&rows_name, capacity, 0);
        self.set_twin(owners.region, datums.region);
        // Every row has a prefix, and wastes less than a granule at its end.
        let waste = size_of::<BlockPrefix>() + GRANULE_BYTES - 1;
        let bytes = u64::from(values) * size_of::<V>() as u64 + u64::from(capacity) * waste as u64;
        assert!(
            bytes <= BLOCK_BYTES_MAX as u64,
            "\"{name}\" has {values} values; a block has at most {BLOCK_BYTES_MAX} bytes"
        );
        let granules = bytes.div_ceil(GRANULE_BYTES as u64) as u32;
        let pool = self.pool_of(owners, &rows_name, granules);
        let rows = self.class::<V>(pool, "values");
        let alarms = self.alarms(&alloc::format!("{name} alarms"), datums.region, capacity);
        Entities { datums, rows, alarms }
    }
}

impl<T: Plain, V: Plain> Entities<T, V> {
    /// The entity. Panics like [`Datums::get`].
    #[inline]
    #[track_caller]
    pub fn get(self, block: &Block, handle: Handle<T>) -> &T {
        self.datums.get(block, handle)
    }

    /// The entity in a slot and its handle, if the slot is taken. Panics like [`Datums::at_slot`].
    #[inline]
    #[track_caller]
    pub fn at_slot(self, block: &Block, slot: u16) -> Option<(Handle<T>, &T)> {
        self.datums.at_slot(block, slot)
    }

    /// The entity that these 32 bits name, if any.
    #[inline]
    pub fn find_raw(self, block: &Block, raw: u32) -> Option<(Handle<T>, &T)> {
        self.datums.find_raw(block, raw)
    }

    /// The entity, if the handle names one. Never panics: see [`Datums::find`].
    #[inline]
    pub fn find(self, block: &Block, handle: Handle<T>) -> Option<&T> {
        self.datums.find(block, handle)
    }

    /// The entity for writing, if the handle names one.
    #[inline]
    #[track_caller]
    pub fn find_mut(self, world: &mut World, handle: Handle<T>) -> Option<Edit<'_, T>> {
        self.datums.find_mut(world, handle)
    }

    /// Changes the entity with `change`, if the handle names one, and gives what that returns.
    #[track_caller]
    pub fn edit<R>(self, world: &mut World, handle: Handle<T>, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.datums.edit(world, handle, change)
    }

    /// The entity that must be there, for writing. Panics like [`Datums::get`].
    #[inline]
    #[track_caller]
    pub fn get_mut(self, world: &mut World, handle: Handle<T>) -> Edit<'_, T> {
        self.datums.get_mut(world, handle)
    }

    /// Prefetches the first cache line of an entity. Any handle will do: stale, `NONE` or corrupt.
    #[inline]
    pub fn prefetch(self, block: &Block, handle: Handle<T>) {
        if u32::from(handle.slot()) < self.capacity() {
            block.prefetch(self.datums.slot_at(handle.slot()));
        }
    }

    /// The values of an entity. Panics like [`Datums::get`].
    #[inline]
    #[track_caller]
    pub fn values(self, block: &Block, handle: Handle<T>) -> &[V] {
        self.datums.get(block, handle);
        self.row(block, handle.slot())
    }

    /// The entity that these 32 bits name, and its values, if any.
    #[inline]
    pub fn find_values(self, block: &Block, raw: u32) -> Option<(Handle<T>, &T, &[V])> {
        let (handle, value) = self.datums.find_raw(block, raw)?;
        Some((handle, value, self.row(block, handle.slot())))
    }

    /// Changes an entity and its values with `work`, and canonicalises both. Panics like [`Datums::get`].
    #[track_caller]
    pub fn edit_both<R>(self, world: &mut World, handle: Handle<T>, work: impl FnOnce(&mut T, &mut [V]) -> R) -> R {
        drop(self.datums.get_mut(world, handle));
        let row = self.row_bytes(world, handle.slot());
        world.edit_bytes(self.datums.region, row.clone(), Access::Edit);
        // Rows lie behind all datums.
        let (before, rows) = world.now.bytes_mut().split_at_mut(row.start);
        let at = self.datums.value_at(handle.slot());
        let value: &mut T = plain::from_bytes_mut(&mut before[at..at + size_of::<T>()]);
        let values: &mut [V] = plain::cast_slice_mut(&mut rows[..row.len()]);
        let result = work(value, values);
        value.canonicalise();
        values.iter_mut().for_each(V::canonicalise);
        result
    }

    /// Creates an awake entity with `count` values, all zero. `None` if no slot or not enough memory is free: that is
    /// counted.
    #[track_caller]
    pub fn create(self, world: &mut World, count: u32) -> Option<Handle<T>> {
        world.phase.require_writing(Access::Create, world.plan(), self.datums.region);
        if self.datums.count(world) < self.datums.capacity() {
            let row = self.rows.create_many(world, count)?;
            let handle = self.datums.create(world).expect("it was counted that a slot is free").0;
            assert_eq!(handle.slot(), row.slot(), "an entity and its row have the same slot");
            return Some(handle);
        }
        self.datums.create(world).map(|(handle, _)| handle)
    }

    /// Deletes an entity and its values. Panics like [`Datums::get`].
    #[track_caller]
    pub fn delete(self, world: &mut World, handle: Handle<T>) {
        self.datums.delete(world, handle);
        self.rows.delete_at(world, handle.slot());
    }

    /// Resizes the row of an entity to `count` values: the first ones are kept, new ones are zero. False, and nothing
    /// changed, if the memory does not suffice: that is counted. Panics like [`Datums::get`].
    #[track_caller]
    pub fn resize(self, world: &mut World, handle: Handle<T>, count: u32) -> bool {
        self.datums.get(world, handle);
        self.rows.resize(world, handle.slot(), count)
    }

    /// Whether simulation visits an entity. Panics like [`Datums::get`].
    #[track_caller]
    pub fn is_awake(self, block: &Block, handle: Handle<T>) -> bool {
        self.datums.is_awake(block, handle)
    }

    /// Wakes an entity or puts it to sleep, from the next cycle on. Panics like [`Datums::get`].
    #[track_caller]
    pub fn set_awake(self, world: &mut World, handle: Handle<T>, is_awake: bool) {
        self.datums.set_awake(world, handle, is_awake);
    }

    /// Sets an alarm: the entity is woken in that cycle (counted as by [`Item::cycle`](crate::Item::cycle)) if it still
    /// exists; earlier if the cycle is beyond the timing wheel, in the next one if it is past. Panics like
    /// [`Datums::get`].
    #[track_caller]
    pub fn wake_at(self, world: &mut World, handle: Handle<T>, cycle: u64) {
        self.datums.get(world, handle);
        self.alarms.set(world, handle.slot().into(), cycle);
    }

    /// All living entities in the order of their slots.
    pub fn iterate(self, block: &Block) -> impl Iterator<Item = (Handle<T>, &T)> {
        self.datums.iterate(block)
    }

    /// The number of living entities.
    pub fn count(self, block: &Block) -> u32 {
        self.datums.count(block)
    }

    /// The end of the slots in use: see [`Datums::slots_end`].
    pub fn slots_end(self, block: &Block) -> u32 {
        self.datums.slots_end(block)
    }

    /// The number of slots.
    pub fn capacity(self) -> u32 {
        self.datums.capacity()
    }

    /// The address of this entity, for queueing.
    pub fn address(self, handle: Handle<T>) -> Address {
        self.datums.address(handle)
    }

    /// The handle in an address, if it is of these entities. The entity may be deleted by now.
    pub fn handle(self, address: Address) -> Option<Handle<T>> {
        self.datums.handle(address)
    }

    /// Whether this key belongs to that plan.
    pub(crate) fn is_of(self, plan: &Plan) -> bool {
        self.datums.is_of(plan) && self.rows.is_of(plan) && self.alarms.is_of(plan)
    }

    /// The byte range of the values of a living slot.
    #[inline]
    fn row_bytes(self, block: &Block, slot: u16) -> Range<usize> {
        self.rows.value_bytes(block.value(self.rows.owner_at(slot)))
    }

    #[inline]
    fn row(self, block: &Block, slot: u16) -> &[V] {
        plain::cast_slice(&block.bytes()[self.row_bytes(block, slot)])
    }
}

impl<T, V> Clone for Entities<T, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, V> Copy for Entities<T, V> {}
