//! Datum arrays: fixed length, contiguous, handles instead of pointers.
//!
//! Every element is a *slot*: a two-byte header with the salt (zero while free), then the value. Two bit sets lie before
//! the slots: who is *living* and who is *awake*. Simulation visits only the awake.
//!
//! Laws
//! 1. A new datum takes the first free slot; the head knows a slot below which all are taken. It is zero, and awake.
//! 2. A deleted one is filled with garbage, so that whoever still looks at it sees nonsense at once. In checked worlds
//!    the garbage must still be there when the slot is used again.
//! 3. There are four ways in, and each mistake names the array, the slot, the salts and what was found:
//!
//! | way | takes | a stale handle | nonsense |
//! |---|---|---|---|
//! | `get` | a handle that must be good | stops the program | stops the program |
//! | `try_get` | a handle that was good once, or `NONE` | nothing | stops the program |
//! | `get_absolute` | a slot number | – | stops the program |
//! | `get_untrusted` | any 32 bits: from a file, from the network | nothing | nothing |
//!
//! 4. Iteration is in the order of slots.

use core::marker::PhantomData;
use core::ops::Range;

use base::handle::{Handle, SALT_MIN, next_salt};
use base::plain::{self, Plain};

use crate::bits;
use crate::block::Block;
use crate::life::ArrayHead;
use crate::limits::CHUNK_SLOTS;
use crate::phase::Deed;
use crate::plan::{Layout, Life, Plan, RegionKind, Reservation};
use crate::queue::Address;
use crate::share::each_chunk;
use crate::workers::Workers;
use crate::world::{Edit, World};

#[cfg(test)]
mod tests;

/// How many slots one job changes: those of one word of a bit set.
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

    /// Reserves an array of which one job works on `chunk` slots, a multiple of 64. The smaller, the more evenly work
    /// spreads over workers; the larger, the more its items may queue and the less each job costs.
    pub fn datums_in_chunks<T: Plain>(&mut self, name: &str, capacity: u32, chunk: u32) -> Datums<T> {
        assert!(chunk > 0 && chunk.is_multiple_of(64) && chunk <= 0x8000, "\"{name}\": chunks of {chunk} slots");
        self.array(name, capacity, chunk)
    }

    /// Reserves an array; one without jobs has chunks of no slots.
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

    /// The datum, if it is still there.
    ///
    /// # Panics
    /// If the handle is not `NONE` and cannot have been given out by this array: its slot is beyond the last, or its salt
    /// is none. So is a handle that nobody has set, which is zero.
    #[inline]
    #[track_caller]
    pub fn try_get(self, block: &Block, handle: Handle<T>) -> Option<&T> {
        self.is_current(block, handle).then(|| block.value(self.value_at(handle.slot())))
    }

    /// What lies in a slot, with its handle.
    ///
    /// # Panics
    /// If there is no such slot.
    #[inline]
    #[track_caller]
    pub fn get_absolute(self, block: &Block, slot: u16) -> Option<(Handle<T>, &T)> {
        assert!(u32::from(slot) < self.capacity, "{}: there is no slot {slot}", self.describe(block));
        let salt = self.salt(block, slot);
        (salt != 0).then(|| (Handle::new(slot, salt), block.value(self.value_at(slot))))
    }

    /// The datum these 32 bits name, if they do.
    #[inline]
    pub fn get_untrusted(self, block: &Block, raw: u32) -> Option<(Handle<T>, &T)> {
        let handle = Handle::from_raw(raw);
        let is_good = handle.salt() >= SALT_MIN
            && u32::from(handle.slot()) < self.capacity
            && self.salt(block, handle.slot()) == handle.salt();
        is_good.then(|| (handle, block.value(self.value_at(handle.slot()))))
    }

    /// The datum that must be there, to be changed. Panics like [`Datums::get`].
    #[inline]
    #[track_caller]
    pub fn edit(self, world: &mut World, handle: Handle<T>) -> Edit<'_, T> {
        self.require(world, handle);
        world.edit(self.region, self.value_at(handle.slot()), Deed::Edit)
    }

    /// The datum, to be changed, if it is still there. Panics like [`Datums::try_get`].
    #[inline]
    #[track_caller]
    pub fn try_edit(self, world: &mut World, handle: Handle<T>) -> Option<Edit<'_, T>> {
        self.is_current(world, handle).then(|| world.edit(self.region, self.value_at(handle.slot()), Deed::Edit))
    }

    /// Makes a new datum of zeros, awake. Nothing if there is no free slot: that is counted.
    #[track_caller]
    pub fn create(self, world: &mut World) -> Option<(Handle<T>, Edit<'_, T>)> {
        let taken_below = world.edit::<ArrayHead>(self.region, self.head as usize, Deed::Create).taken_below;
        let words = words(world.bytes(), self.living_words());
        let free = bits::first_clear(words, taken_below, self.capacity);
        let mut head = world.edit::<ArrayHead>(self.region, self.head as usize, Deed::Create);
        let Some(slot) = free else {
            head.taken_below = self.capacity;
            head.refused = head.refused.saturating_add(1);
            return None;
        };
        let salt = head.next_salt;
        head.next_salt = next_salt(salt);
        head.taken_below = slot + 1;
        head.count += 1;
        head.count_max = head.count_max.max(head.count);
        drop(head);
        self.set_bit(world, self.living_words(), slot, true);
        self.set_bit(world, self.awake_words(), slot, true);
        self.fill_new(world, slot as u16, salt);
        Some((Handle::new(slot as u16, salt), world.edit(self.region, self.value_at(slot as u16), Deed::Create)))
    }

    /// Deletes a datum that must be there. Panics like [`Datums::get`].
    #[track_caller]
    pub fn delete(self, world: &mut World, handle: Handle<T>) {
        self.require(world, handle);
        let garbage = world.settings.garbage;
        let slot = u32::from(handle.slot());
        let value = self.value_at(handle.slot());
        world.edit_bytes(self.region, value..value + size_of::<T>(), Deed::Delete).fill(garbage);
        *world.edit::<u16>(self.region, self.slot_at(handle.slot()), Deed::Delete) = 0;
        self.set_bit(world, self.living_words(), slot, false);
        self.set_bit(world, self.awake_words(), slot, false);
        let mut head = world.edit::<ArrayHead>(self.region, self.head as usize, Deed::Delete);
        head.count -= 1;
        head.taken_below = head.taken_below.min(slot);
    }

    /// Whether a datum is visited by simulation. Panics like [`Datums::get`].
    #[track_caller]
    pub fn is_awake(self, block: &Block, handle: Handle<T>) -> bool {
        self.require(block, handle);
        bits::is_set(words(block.bytes(), self.awake_words()), u32::from(handle.slot()))
    }

    /// Lets simulation visit a datum, or not, from the next cycle on. Panics like [`Datums::get`].
    #[track_caller]
    pub fn set_awake(self, world: &mut World, handle: Handle<T>, is_awake: bool) {
        world.phase.require_writing(Deed::Edit, world.plan(), self.region);
        if self.is_awake(world, handle) != is_awake {
            self.set_bit(world, self.awake_words(), u32::from(handle.slot()), is_awake);
        }
    }

    /// All living datums in the order of their slots.
    pub fn iterate(self, block: &Block) -> impl Iterator<Item = (Handle<T>, &T)> {
        let words = words(block.bytes(), self.living_words()).iter().enumerate();
        words.flat_map(|(index, word)| bits::positions(*word, index as u32 * 64)).map(move |slot| {
            let slot = slot as u16;
            (Handle::new(slot, self.salt(block, slot)), block.value(self.value_at(slot)))
        })
    }

    /// Changes all living datums that are meant, by all workers, each on its own, and makes them canonical afterwards.
    #[track_caller]
    pub fn edit_each(
        self,
        world: &mut World,
        workers: &dyn Workers,
        is_meant: impl Fn(Handle<T>) -> bool + Sync,
        work: impl Fn(Handle<T>, &mut T) + Sync,
    ) {
        world.phase.require_writing(Deed::Edit, world.plan(), self.region);
        let (start, stride, marks) = (self.start as usize, self.stride as usize, &world.marks);
        let (before, slots) = world.now.bytes_mut().split_at_mut(start);
        let living = words(before, self.living_words());
        each_chunk(workers, &mut slots[..stride * self.capacity as usize], stride * EDIT_SLOTS, |at, bytes| {
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

    /// How many are living.
    pub fn count(self, block: &Block) -> u32 {
        block.value::<ArrayHead>(self.head as usize).count
    }

    /// How many slots there are.
    pub fn capacity(self) -> u32 {
        self.capacity
    }

    /// What to queue for when this datum is meant.
    pub fn address(self, handle: Handle<T>) -> Address {
        Address { handle: handle.cast(), array: self.region, spare: 0 }
    }

    /// The datum an address means, if it is one of this array. It may be gone by now.
    pub fn handle(self, address: Address) -> Option<Handle<T>> {
        (address.array == self.region).then(|| address.handle.cast())
    }

    /// Whether this is a key of that plan.
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
    fn salt(self, block: &Block, slot: u16) -> u16 {
        *block.value(self.slot_at(slot))
    }

    #[inline]
    #[track_caller]
    fn require(self, block: &Block, handle: Handle<T>) {
        let slot = handle.slot();
        let is_good =
            u32::from(slot) < self.capacity && handle.salt() >= SALT_MIN && self.salt(block, slot) == handle.salt();
        if !is_good {
            self.refuse(block, handle);
        }
    }

    #[inline]
    #[track_caller]
    fn is_current(self, block: &Block, handle: Handle<T>) -> bool {
        if handle.is_none() {
            return false;
        }
        if handle.salt() < SALT_MIN || u32::from(handle.slot()) >= self.capacity {
            self.refuse(block, handle);
        }
        self.salt(block, handle.slot()) == handle.salt()
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn refuse(self, block: &Block, handle: Handle<T>) -> ! {
        let array = self.describe(block);
        if handle.is_none() {
            panic!("{array}: NONE is not a datum");
        }
        if u32::from(handle.slot()) >= self.capacity {
            panic!("{array}: handle {handle:?} is beyond the last slot");
        }
        if handle.salt() < SALT_MIN {
            panic!("{array}: handle {handle:?} was never given out: it is corrupt, or nobody has set it");
        }
        match self.salt(block, handle.slot()) {
            0 => panic!("{array}: handle {handle:?} is stale: the slot is free"),
            other => panic!("{array}: handle {handle:?} is stale: the slot holds salt {other:#06x}"),
        }
    }

    fn describe(self, block: &Block) -> alloc::string::String {
        let name = &block.plan().regions()[usize::from(self.region)].name;
        alloc::format!("datum array \"{name}\" of {} {}", self.capacity, T::DESCRIPTION.name)
    }

    fn set_bit(self, world: &mut World, set: Range<usize>, slot: u32, value: bool) {
        let word = set.start + slot as usize / 64 * 8;
        let word = world.edit_bytes(self.region, word..word + 8, Deed::Edit);
        bits::set(plain::cast_slice_mut(word), slot % 64, value);
    }

    fn fill_new(self, world: &mut World, slot: u16, salt: u16) {
        let (is_checked, garbage) = (world.settings.is_checked, world.settings.garbage);
        let at = self.value_at(slot);
        let old_salt = core::mem::replace(&mut *world.edit::<u16>(self.region, self.slot_at(slot), Deed::Create), salt);
        let value = world.edit_bytes(self.region, at..at + size_of::<T>(), Deed::Create);
        if is_checked && (old_salt != 0 || value.iter().any(|byte| *byte != garbage)) {
            let array = self.describe(world);
            panic!("{array}: free slot {slot} was written to: salt {old_salt:#06x}, garbage {garbage:#04x} not intact");
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
