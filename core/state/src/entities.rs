//! Entities: small datums of which each has values of its own, as many as it needs.
//!
//! This is how things of many kinds lie in one array. What all have in common is a datum of `T`; what each has for itself
//! is a row of `V`s in a pool. The pool's datum of an entity has the same slot as its own: both are made and deleted
//! together, so that the first free slot of both is the same. So nobody keeps a handle to a row, and no row has two owners.
//!
//! | region | what lies there |
//! |---|---|
//! | `NAME` | the datums, with who is living and who is awake |
//! | `NAME values` | where the row of each slot lies, and how long it is |
//! | `NAME values bytes` | the rows |
//! | `NAME alarms` | who wakes when: see [`alarms`](crate::alarms) |
//!
//! Laws
//! 1. Handles are those of a datum array, with its four ways in, and iteration is in the order of slots.
//! 2. A new entity is zeros, awake. One that finds no slot or no room is not made at all, and is counted where it was
//!    refused: at `NAME` or at `NAME values bytes`.
//! 3. An entity can be given more values or fewer. Rows may move for this; nobody can notice.
//! 4. An update or a painter has `&mut` to one entity's datum and row, and to nothing of another's. Blocks from outside are
//!    looked through for this: the living slots of both arrays are the same, and rows do not overlap.

use core::ops::Range;

use base::handle::Handle;
use base::plain::{self, Plain};

use crate::alarms::Alarms;
use crate::block::Block;
use crate::datums::Datums;
use crate::life::BlockPrefix;
use crate::limits::{BLOCK_BYTES_MAX, GRANULE_BYTES};
use crate::phase::Deed;
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
    /// Reserves entities: at most `capacity` of them, with room for `values` values in all, however they are shared out.
    /// One job works on `chunk` slots: see [`Layout::datums_in_chunks`].
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
    /// The entity that must be there. Panics like [`Datums::get`].
    #[inline]
    #[track_caller]
    pub fn get(self, block: &Block, handle: Handle<T>) -> &T {
        self.datums.get(block, handle)
    }

    /// The entity, if it is still there. Panics like [`Datums::try_get`].
    #[inline]
    #[track_caller]
    pub fn try_get(self, block: &Block, handle: Handle<T>) -> Option<&T> {
        self.datums.try_get(block, handle)
    }

    /// What lies in a slot, with its handle. Panics like [`Datums::get_absolute`].
    #[inline]
    #[track_caller]
    pub fn get_absolute(self, block: &Block, slot: u16) -> Option<(Handle<T>, &T)> {
        self.datums.get_absolute(block, slot)
    }

    /// The entity these 32 bits name, if they do.
    #[inline]
    pub fn get_untrusted(self, block: &Block, raw: u32) -> Option<(Handle<T>, &T)> {
        self.datums.get_untrusted(block, raw)
    }

    /// Has the beginning of an entity brought nearer, for who will look at it soon. It may be stale, none or nonsense.
    #[inline]
    pub fn bring(self, block: &Block, handle: Handle<T>) {
        if u32::from(handle.slot()) < self.capacity() {
            block.bring(self.datums.slot_at(handle.slot()));
        }
    }

    /// The values of an entity that must be there. Panics like [`Datums::get`].
    #[inline]
    #[track_caller]
    pub fn values(self, block: &Block, handle: Handle<T>) -> &[V] {
        self.datums.get(block, handle);
        self.row(block, handle.slot())
    }

    /// The entity these 32 bits name, and its values, if they do.
    #[inline]
    pub fn values_untrusted(self, block: &Block, raw: u32) -> Option<(Handle<T>, &T, &[V])> {
        let (handle, value) = self.datums.get_untrusted(block, raw)?;
        Some((handle, value, self.row(block, handle.slot())))
    }

    /// The entity that must be there, to be changed. Panics like [`Datums::get`].
    #[inline]
    #[track_caller]
    pub fn edit(self, world: &mut World, handle: Handle<T>) -> Edit<'_, T> {
        self.datums.edit(world, handle)
    }

    /// The entity, to be changed, if it is still there. Panics like [`Datums::try_get`].
    #[inline]
    #[track_caller]
    pub fn try_edit(self, world: &mut World, handle: Handle<T>) -> Option<Edit<'_, T>> {
        self.datums.try_edit(world, handle)
    }

    /// Changes an entity that must be there and its values with `work`, and makes both canonical afterwards. Panics like
    /// [`Datums::get`].
    #[track_caller]
    pub fn edit_both<R>(self, world: &mut World, handle: Handle<T>, work: impl FnOnce(&mut T, &mut [V]) -> R) -> R {
        drop(self.datums.edit(world, handle));
        let row = self.row_bytes(world, handle.slot());
        world.edit_bytes(self.datums.region, row.clone(), Deed::Edit);
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

    /// Makes a new entity with `count` values, all zeros, awake. Nothing if there is no slot or no room: that is counted.
    #[track_caller]
    pub fn create(self, world: &mut World, count: u32) -> Option<Handle<T>> {
        world.phase.require_writing(Deed::Create, world.plan(), self.datums.region);
        if self.datums.count(world) < self.datums.capacity() {
            let row = self.rows.create_many(world, count)?;
            let handle = self.datums.create(world).expect("it was counted that a slot is free").0;
            assert_eq!(handle.slot(), row.slot(), "an entity and its row have the same slot");
            return Some(handle);
        }
        self.datums.create(world).map(|(handle, _)| handle)
    }

    /// Deletes an entity that must be there, and its values. Panics like [`Datums::get`].
    #[track_caller]
    pub fn delete(self, world: &mut World, handle: Handle<T>) {
        self.datums.delete(world, handle);
        self.rows.delete_at(world, handle.slot());
    }

    /// Gives an entity that must be there `count` values: those that fit are kept, new ones are zero. False, and nothing
    /// has changed, if there is no room: that is counted. Panics like [`Datums::get`].
    #[track_caller]
    pub fn resize(self, world: &mut World, handle: Handle<T>, count: u32) -> bool {
        self.datums.get(world, handle);
        self.rows.resize(world, handle.slot(), count)
    }

    /// Whether an entity is visited by simulation. Panics like [`Datums::get`].
    #[track_caller]
    pub fn is_awake(self, block: &Block, handle: Handle<T>) -> bool {
        self.datums.is_awake(block, handle)
    }

    /// Lets simulation visit an entity, or not, from the next cycle on. Panics like [`Datums::get`].
    #[track_caller]
    pub fn set_awake(self, world: &mut World, handle: Handle<T>, is_awake: bool) {
        self.datums.set_awake(world, handle, is_awake);
    }

    /// Sets an alarm: in that cycle, as [`Item::cycle`](crate::Item::cycle) counts them, the entity is awake if it is still
    /// there. For a cycle too far ahead it is woken sooner; for one that is past, in the next. Until then it is as it is.
    /// Panics like [`Datums::get`].
    #[track_caller]
    pub fn wake_at(self, world: &mut World, handle: Handle<T>, cycle: u64) {
        self.datums.get(world, handle);
        self.alarms.set(world, handle.slot().into(), cycle);
    }

    /// All living entities in the order of their slots.
    pub fn iterate(self, block: &Block) -> impl Iterator<Item = (Handle<T>, &T)> {
        self.datums.iterate(block)
    }

    /// How many are living.
    pub fn count(self, block: &Block) -> u32 {
        self.datums.count(block)
    }

    /// How many slots there are.
    pub fn capacity(self) -> u32 {
        self.datums.capacity()
    }

    /// What to queue for when this entity is meant.
    pub fn address(self, handle: Handle<T>) -> Address {
        self.datums.address(handle)
    }

    /// The entity an address means, if it is one of these. It may be gone by now.
    pub fn handle(self, address: Address) -> Option<Handle<T>> {
        self.datums.handle(address)
    }

    /// Whether this is a key of that plan.
    pub(crate) fn is_of(self, plan: &Plan) -> bool {
        self.datums.is_of(plan) && self.rows.is_of(plan) && self.alarms.is_of(plan)
    }

    /// Where the values of a living slot lie.
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
