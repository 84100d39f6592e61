//! Datum arrays: slot maps with generational handles, of fixed capacity and contiguous in the block.
//!
//! Every element is a *slot*: a two-byte header with the generation (zero while free), then the value. Two bit sets lie
//! before the slots: the *living* slots and the *awake* ones. Simulation visits only awake slots.
//!
//! Laws
//! 1. A new datum takes the lowest free slot; the head stores a slot below which all are taken. A new datum is zero and
//!    awake.
//! 2. A deleted datum is filled with garbage, so that a read after deletion shows at once. In checked worlds the
//!    garbage must still be intact when the slot is reused.
//! 3. Access by handle; each panic names the array, the slot and both generations:
//!
//! | method | takes | a handle that names nothing (`NONE`, zero, stale, nonsense) |
//! |---|---|---|
//! | `get`, `get_mut`, `delete` | a handle that must name a datum | panics |
//! | `find`, `find_mut`, `edit` | any handle | `None` |
//! | `find_raw` | any 32 bits: from a file, from the network | `None` |
//! | `at_slot` | a slot number below the capacity | `None` if the slot is free |
//!
//! 4. Iteration is in the order of slots.

use core::marker::PhantomData;
use core::ops::Range;

use base::handle::{GENERATION_MIN, Handle, next_generation};
use base::plain::{self, Plain};

use crate::bits;
use crate::block::Block;
use crate::life::ArrayHead;
use crate::limits::CHUNK_SLOTS;
use crate::phase::Access;
use crate::plan::{Layout, Life, Plan, RegionKind, Reservation};
use crate::queue::Address;
use crate::world::{Edit, World};
use jobs::{Workers, each_chunk};

#[cfg(test)]
mod tests;

/// Slots per job of `edit_each`: those of one word of a bit set.
const EDIT_SLOTS: usize = 64;

/// The key to a datum array of `T`.
pub struct Datums<T> {
    pub(crate) region: u16,
    pub(crate) chunk: u16,
    pub(crate) capacity: u32,
    head: u32,
    living: u32,
    pub(crate) start: u32,
    pub(crate) stride: u32,
    pub(crate) value_offset: u32,
    value: PhantomData<fn() -> T>,
}

impl Layout {
    /// Reserves an array of `capacity` slots, at most 65,535.
    pub fn datums<T: Plain>(&mut self, name: &str, capacity: u32) -> Datums<T> {
        self.datums_in_chunks(name, capacity, CHUNK_SLOTS)
    }

    /// Reserves an array whose jobs work on `chunk` slots each, a multiple of 64. Smaller chunks balance the load
    /// better; larger ones share a larger outbox and cost less per job.
    pub fn datums_in_chunks<T: Plain>(&mut self, name: &str, capacity: u32, chunk: u32) -> Datums<T> {
        assert!(chunk > 0 && chunk.is_multiple_of(64) && chunk <= 0x8000, "\"{name}\": chunks of {chunk} slots");
        self.array(name, capacity, chunk)
    }

    /// Reserves an array. Chunks of zero slots: no jobs.
    pub(crate) fn array<T: Plain>(&mut self, name: &str, capacity: u32, chunk: u32) -> Datums<T> {
        let (number, region) = self.reserve(Reservation {
            name,
            kind: RegionKind::Datums,
            head: Some(ArrayHead::DESCRIPTION),
            bit_sets: 2,
            capacity,
            header: Some(u16::DESCRIPTION),
            value: T::DESCRIPTION,
            value_align: align_of::<T>(),
            chunk,
            life: |_, bit_sets| Life::Bits(bit_sets),
        });
        let Life::Bits(living) = region.elements.life else { unreachable!("arrays live by bits") };
        Datums {
            region: number,
            chunk: chunk as u16,
            capacity,
            head: region.bytes.start as u32,
            living: living as u32,
            start: region.elements.start as u32,
            stride: region.elements.stride as u32,
            value_offset: region.elements.value_offset as u32,
            value: PhantomData,
        }
    }
}

impl<T: Plain> Datums<T> {
    /// The datum that must be there.
    ///
    /// # Panics
    /// If the handle is stale, was never given out, or is `NONE`.
    #[inline]
    #[track_caller]
    pub fn get(self, block: &Block, handle: Handle<T>) -> &T {
        self.require(block, handle);
        block.value(self.value_at(handle.slot()))
    }

    /// The datum in a slot and its handle, if the slot is taken.
    ///
    /// # Panics
    /// If the slot is out of range.
    #[inline]
    #[track_caller]
    pub fn at_slot(self, block: &Block, slot: u16) -> Option<(Handle<T>, &T)> {
        assert!(u32::from(slot) < self.capacity, "{}: slot {slot} is out of range", self.describe(block));
        let generation = self.generation(block, slot);
        (generation != 0).then(|| (Handle::new(slot, generation), block.value(self.value_at(slot))))
    }

    /// The datum that these 32 bits name, if any.
    #[inline]
    pub fn find_raw(self, block: &Block, raw: u32) -> Option<(Handle<T>, &T)> {
        let handle = Handle::from_raw(raw);
        self.names(block, handle).then(|| (handle, block.value(self.value_at(handle.slot()))))
    }

    /// The datum, if the handle names one. Never panics: `NONE`, a handle that was never set, a stale one and any other
    /// 32 bits find nothing.
    #[inline]
    pub fn find(self, block: &Block, handle: Handle<T>) -> Option<&T> {
        self.names(block, handle).then(|| block.value(self.value_at(handle.slot())))
    }

    /// The datum for writing, if the handle names one. Never panics because of the handle.
    #[inline]
    #[track_caller]
    pub fn find_mut(self, world: &mut World, handle: Handle<T>) -> Option<Edit<'_, T>> {
        self.names(world, handle).then(|| world.edit(self.region, self.value_at(handle.slot()), Access::Edit))
    }

    /// The datum that must be there, for writing. Panics like [`Datums::get`].
    #[inline]
    #[track_caller]
    pub fn get_mut(self, world: &mut World, handle: Handle<T>) -> Edit<'_, T> {
        self.require(world, handle);
        world.edit(self.region, self.value_at(handle.slot()), Access::Edit)
    }

    /// Changes the datum with `change`, if the handle names one, and gives what that returns.
    #[track_caller]
    pub fn edit<R>(self, world: &mut World, handle: Handle<T>, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.find_mut(world, handle).map(|mut value| change(&mut value))
    }

    /// Creates a datum with this value, awake. `None` if every slot is taken: that is counted.
    #[track_caller]
    pub fn create_with(self, world: &mut World, value: T) -> Option<Handle<T>> {
        let (handle, mut slot) = self.create(world)?;
        *slot = value;
        Some(handle)
    }

    /// Creates a zeroed, awake datum. `None` if every slot is taken: that is counted.
    #[track_caller]
    pub fn create(self, world: &mut World) -> Option<(Handle<T>, Edit<'_, T>)> {
        let taken_below = world.edit::<ArrayHead>(self.region, self.head as usize, Access::Create).taken_below;
        let words = words(world.bytes(), self.living_words());
        let free = bits::first_clear(words, taken_below, self.capacity);
        let mut head = world.edit::<ArrayHead>(self.region, self.head as usize, Access::Create);
        let Some(slot) = free else {
            head.taken_below = self.capacity;
            head.refused = head.refused.saturating_add(1);
            return None;
        };
        let generation = head.next_generation;
        head.next_generation = next_generation(generation);
        head.taken_below = slot + 1;
        head.count += 1;
        head.count_max = head.count_max.max(head.count);
        drop(head);
        self.set_bit(world, self.living_words(), slot, true);
        self.set_bit(world, self.awake_words(), slot, true);
        self.fill_new(world, slot as u16, generation);
        Some((
            Handle::new(slot as u16, generation),
            world.edit(self.region, self.value_at(slot as u16), Access::Create),
        ))
    }

    /// Deletes a datum. Panics like [`Datums::get`].
    #[track_caller]
    pub fn delete(self, world: &mut World, handle: Handle<T>) {
        self.require(world, handle);
        let garbage = world.settings.garbage;
        let slot = u32::from(handle.slot());
        let value = self.value_at(handle.slot());
        world.edit_bytes(self.region, value..value + size_of::<T>(), Access::Delete).fill(garbage);
        *world.edit::<u16>(self.region, self.slot_at(handle.slot()), Access::Delete) = 0;
        self.set_bit(world, self.living_words(), slot, false);
        self.set_bit(world, self.awake_words(), slot, false);
        let mut head = world.edit::<ArrayHead>(self.region, self.head as usize, Access::Delete);
        head.count -= 1;
        head.taken_below = head.taken_below.min(slot);
    }

    /// Whether simulation visits a datum. Panics like [`Datums::get`].
    #[track_caller]
    pub fn is_awake(self, block: &Block, handle: Handle<T>) -> bool {
        self.require(block, handle);
        bits::is_set(words(block.bytes(), self.awake_words()), u32::from(handle.slot()))
    }

    /// Wakes a datum or puts it to sleep, from the next cycle on. Panics like [`Datums::get`].
    #[track_caller]
    pub fn set_awake(self, world: &mut World, handle: Handle<T>, is_awake: bool) {
        world.phase.require_writing(Access::Edit, world.plan(), self.region);
        if self.is_awake(world, handle) != is_awake {
            self.set_bit(world, self.awake_words(), u32::from(handle.slot()), is_awake);
        }
    }

    /// All living datums in the order of their slots.
    pub fn iterate(self, block: &Block) -> impl Iterator<Item = (Handle<T>, &T)> {
        let words = words(block.bytes(), self.living_words()).iter().enumerate();
        words.flat_map(|(index, word)| bits::positions(*word, index as u32 * 64)).map(move |slot| {
            let slot = slot as u16;
            (Handle::new(slot, self.generation(block, slot)), block.value(self.value_at(slot)))
        })
    }

    /// The living datums of a range of slots, in their order. Costs what is living there, and a word for every 64 slots.
    ///
    /// # Panics
    /// If the range is not within the capacity.
    #[track_caller]
    pub fn iterate_slots(self, block: &Block, slots: Range<u32>) -> impl Iterator<Item = (Handle<T>, &T)> {
        assert!(slots.end <= self.capacity, "{}: slots {slots:?} are out of range", self.describe(block));
        let words = words(block.bytes(), self.living_words());
        let mut next = slots.start;
        core::iter::from_fn(move || {
            let slot = bits::first_set(words, next, slots.end)? as u16;
            next = u32::from(slot) + 1;
            Some((Handle::new(slot, self.generation(block, slot)), block.value(self.value_at(slot))))
        })
    }

    /// The end of the slots in use: all datums are in slots below. Costs a word for every 64 slots above the last datum.
    pub fn slots_end(self, block: &Block) -> u32 {
        bits::last_set(words(block.bytes(), self.living_words()), self.capacity).map_or(0, |slot| slot + 1)
    }

    /// Changes all living datums that match, in parallel, and canonicalises them.
    #[track_caller]
    pub fn edit_each(
        self,
        world: &mut World,
        workers: &dyn Workers,
        is_meant: impl Fn(Handle<T>) -> bool + Sync,
        work: impl Fn(Handle<T>, &mut T) + Sync,
    ) {
        world.phase.require_writing(Access::Edit, world.plan(), self.region);
        let slots_end = self.slots_end(world) as usize;
        let (start, stride, marks) = (self.start as usize, self.stride as usize, &world.marks);
        let (before, slots) = world.now.bytes_mut().split_at_mut(start);
        let living = words(before, self.living_words());
        each_chunk(workers, &mut slots[..stride * slots_end], stride * EDIT_SLOTS, |at, bytes| {
            for slot in bits::positions(living[at / stride / EDIT_SLOTS], (at / stride) as u32) {
                let from = slot as usize * stride - at;
                let (head, value) = bytes[from..from + stride].split_at_mut(self.value_offset as usize);
                let handle = Handle::new(slot as u16, u16::from_le_bytes([head[0], head[1]]));
                if !is_meant(handle) {
                    continue;
                }
                let value: &mut T = plain::from_bytes_mut(&mut value[..size_of::<T>()]);
                work(handle, value);
                value.canonicalise();
                marks.mark(start + at + from..start + at + from + stride);
            }
        });
    }

    /// The number of living datums.
    pub fn count(self, block: &Block) -> u32 {
        block.value::<ArrayHead>(self.head as usize).count
    }

    /// The number of slots.
    pub fn capacity(self) -> u32 {
        self.capacity
    }

    /// The address of this datum, for queueing.
    pub fn address(self, handle: Handle<T>) -> Address {
        Address { handle: handle.cast(), array: self.region, spare: 0 }
    }

    /// The handle in an address, if it is of this array. The datum may be deleted by now.
    pub fn handle(self, address: Address) -> Option<Handle<T>> {
        (address.array == self.region).then(|| address.handle.cast())
    }

    /// Whether this key belongs to that plan.
    pub(crate) fn is_of(self, plan: &Plan) -> bool {
        plan.regions().get(usize::from(self.region)).is_some_and(|region| {
            let (life, elements) = (Life::Bits(self.living as usize), &region.elements);
            region.kind == RegionKind::Datums
                && (life, self.capacity, u32::from(self.chunk)) == (elements.life, elements.capacity, elements.chunk)
                && (self.start as usize, self.stride as usize) == (elements.start, elements.stride)
                && (self.value_offset as usize, T::DESCRIPTION.bytes) == (elements.value_offset, elements.value.bytes)
        })
    }

    pub(crate) fn living_words(self) -> Range<usize> {
        let start = self.living as usize;
        start..start + (self.capacity as usize).div_ceil(64) * 8
    }

    pub(crate) fn awake_words(self) -> Range<usize> {
        let start = self.living_words().end;
        start..start + (self.capacity as usize).div_ceil(64) * 8
    }

    #[inline]
    pub(crate) fn slot_at(self, slot: u16) -> usize {
        self.start as usize + self.stride as usize * usize::from(slot)
    }

    #[inline]
    pub(crate) fn value_at(self, slot: u16) -> usize {
        self.slot_at(slot) + self.value_offset as usize
    }

    #[inline]
    fn generation(self, block: &Block, slot: u16) -> u16 {
        *block.value(self.slot_at(slot))
    }

    /// Whether the handle names a living datum of this array.
    #[inline]
    fn names(self, block: &Block, handle: Handle<T>) -> bool {
        handle.generation() >= GENERATION_MIN
            && u32::from(handle.slot()) < self.capacity
            && self.generation(block, handle.slot()) == handle.generation()
    }

    #[inline]
    #[track_caller]
    fn require(self, block: &Block, handle: Handle<T>) {
        if !self.names(block, handle) {
            self.refuse(block, handle);
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn refuse(self, block: &Block, handle: Handle<T>) -> ! {
        let array = self.describe(block);
        if handle.is_none() {
            panic!("{array}: NONE names no datum");
        }
        if u32::from(handle.slot()) >= self.capacity {
            panic!("{array}: handle {handle:?} is out of range");
        }
        if handle.generation() < GENERATION_MIN {
            panic!("{array}: handle {handle:?} was never issued: it is corrupt or uninitialised");
        }
        match self.generation(block, handle.slot()) {
            0 => panic!("{array}: handle {handle:?} is stale: the slot is free"),
            other => panic!("{array}: handle {handle:?} is stale: the slot holds generation {other:#06x}"),
        }
    }

    fn describe(self, block: &Block) -> alloc::string::String {
        let name = &block.plan().regions()[usize::from(self.region)].name;
        alloc::format!("datum array \"{name}\" of {} {}", self.capacity, T::DESCRIPTION.name)
    }

    fn set_bit(self, world: &mut World, set: Range<usize>, slot: u32, value: bool) {
        let word = set.start + slot as usize / 64 * 8;
        let word = world.edit_bytes(self.region, word..word + 8, Access::Edit);
        bits::set(plain::cast_slice_mut(word), slot % 64, value);
    }

    fn fill_new(self, world: &mut World, slot: u16, generation: u16) {
        let (is_checked, garbage) = (world.settings.is_checked, world.settings.garbage);
        let at = self.value_at(slot);
        let old_generation =
            core::mem::replace(&mut *world.edit::<u16>(self.region, self.slot_at(slot), Access::Create), generation);
        let value = world.edit_bytes(self.region, at..at + size_of::<T>(), Access::Create);
        if is_checked && (old_generation != 0 || value.iter().any(|byte| *byte != garbage)) {
            let array = self.describe(world);
            panic!(
                "{array}: free slot {slot} was written to: generation {old_generation:#06x}, garbage {garbage:#04x} not intact"
            );
        }
        value.fill(0);
    }
}

/// The words of a bit set.
#[inline]
pub(crate) fn words(bytes: &[u8], set: Range<usize>) -> &[u64] {
    plain::cast_slice(&bytes[set])
}

impl<T> Clone for Datums<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Datums<T> {}
