//! Items: the access of an update function to its datum, and the domains they are updated in.
//!
//! Laws
//! 1. An update sees its own next state and the frozen state of all others. Changes to others are queued.
//! 2. A sleeping item is not visited until it is woken or an alarm goes off. There are spurious wake-ups.
//!
//! Why the unsafe code is sound: the slots, awake bits and alarm words of a chunk are touched by no other chunk, and
//! rows of entities do not overlap; so each job has exclusive access to its own, which the compiler cannot see.
#![allow(unsafe_code, reason = "one block is divided among jobs, each of which writes only its own chunk")]

use core::marker::PhantomData;
use core::ops::Range;
use core::slice;

use base::handle::Handle;
use base::plain::{self, Plain};
use base::random::Draw;

use crate::alarms::{Alarms, sooner_or_later};
use crate::bits;
use crate::block::{Block, prefetch_all};
use crate::brush::Brush;
use crate::datums::{Datums, words};
use crate::entities::Entities;
use crate::plan::Plan;
use crate::pool::PoolBlock;
use crate::queue::{Address, EntryHead, Outbox};
use crate::simulate::{ChunkPart, Domain, Ground, sealed};
use crate::world::Time;

/// The domain of all awake items of an array.
pub fn each<T: Plain, F: Fn(&mut Item<'_, T>) + Sync>(datums: Datums<T>, update: F) -> impl Domain {
    Each {
        datums,
        alarms: None,
        rows: |_: &Block| 0..0,
        is_of: move |plan: &Plan| datums.is_of(plan),
        ahead: |_: u16, _: &T, _: Ground<'_>| {},
        update: move |item: &mut Item<'_, T>, _: Ground<'_>| update(item),
        item: PhantomData,
    }
}

/// The domain of all awake entities: each is updated with its own values.
pub fn each_entity<T: Plain, V: Plain, F: Fn(&mut Item<'_, T>, &mut [V]) + Sync>(
    entities: Entities<T, V>,
    update: F,
) -> impl Domain {
    each_entity_ahead(entities, |_, _| Handle::NONE, update)
}

/// The same with prefetching: `ahead` returns the handle of the entity whose frozen datum an update will read. It is
/// called for a few entities before the first of them is updated, and cannot change a result.
pub fn each_entity_ahead<T: Plain, V: Plain, A, F>(entities: Entities<T, V>, ahead: A, update: F) -> impl Domain
where
    A: Fn(&T, &[V]) -> Handle<T> + Sync,
    F: Fn(&mut Item<'_, T>, &mut [V]) + Sync,
{
    Each {
        datums: entities.datums,
        alarms: Some(entities.alarms),
        rows: move |block: &Block| entities.rows.all_bytes(block),
        is_of: move |plan: &Plan| entities.is_of(plan),
        ahead: move |slot: u16, datum: &T, ground: Ground<'_>| {
            // SAFETY: this item and its row belong to this job.
            let values: &[V] = unsafe { unmarked_row(entities, slot, ground) };
            prefetch_all(plain::cast_slice(values));
            entities.prefetch(ground.frozen, ahead(datum, values));
        },
        update: move |item: &mut Item<'_, T>, ground: Ground<'_>| {
            // SAFETY: this item and its row belong to this job.
            let values = unsafe { row(entities, item.handle.slot(), ground) };
            update(item, values);
            values.iter_mut().for_each(V::canonicalise);
        },
        item: PhantomData,
    }
}

/// An item, being updated, or an entity, being painted.
pub struct Item<'a, T: Plain> {
    /// Its handle.
    pub handle: Handle<T>,
    /// Its next state; equal to its frozen state until written.
    pub next: &'a mut T,
    /// The world at the start of the cycle.
    pub frozen: &'a Block,
    datums: Datums<T>,
    time: &'a Time,
    outbox: &'a mut Outbox<'a>,
    sequence: u32,
    /// Whether it is awake from the next cycle on; `None` leaves it unchanged.
    awake: Option<bool>,
    /// The earliest requested alarm.
    alarm: Option<u64>,
    has_alarms: bool,
}

impl<'a, T: Plain> Item<'a, T> {
    /// Its state at the start of the cycle.
    ///
    /// # Panics
    /// If it was created in this cycle. Such an item is not simulated, but may be painted: see [`Item::try_now`].
    #[track_caller]
    pub fn now(&self) -> &'a T {
        self.datums.get(self.frozen, self.handle)
    }

    /// Its state at the start of the cycle, if it existed.
    pub fn try_now(&self) -> Option<&'a T> {
        self.datums.find(self.frozen, self.handle)
    }

    /// Its address, for queueing.
    pub fn address(&self) -> Address {
        self.datums.address(self.handle)
    }

    /// The number of the current cycle.
    #[inline]
    pub fn cycle(&self) -> u64 {
        self.time.cycle
    }

    /// The world's seed.
    #[inline]
    pub fn seed(&self) -> u64 {
        self.time.seed
    }

    /// Queues an entry at a brush; false, and counted, if the chunk's outbox is full.
    #[inline]
    pub fn queue<U: Plain>(&mut self, brush: Brush<U>, target: Address, payload: &U) -> bool {
        let head = EntryHead { target, source: self.address(), sequence: self.sequence, brush: brush.number, words: 0 };
        let fits = self.outbox.push(head, payload);
        self.sequence += u32::from(fits);
        fits
    }

    /// Its random generator for this cycle and `purpose`. The same purpose gives the same numbers again.
    #[inline]
    pub fn random(&self, purpose: u16) -> Draw {
        let domain = u32::from(self.datums.region) << 16 | u32::from(purpose);
        Draw::new(self.time.seed, self.time.cycle, domain, u32::from(self.handle.slot()))
    }

    /// Puts it to sleep until it is woken with `set_awake` or by an alarm.
    pub fn sleep(&mut self) {
        self.awake = Some(false);
    }

    /// Keeps it awake in the next cycle. The last call of this and `sleep` counts.
    pub fn wake(&mut self) {
        self.awake = Some(true);
    }

    /// Sets an alarm: it is woken in that cycle if it still exists, or earlier if the cycle is beyond the timing wheel.
    /// Of several alarms in one update the earliest counts.
    ///
    /// # Panics
    /// If it is not an entity: other datums have no alarms.
    #[track_caller]
    pub fn wake_at(&mut self, cycle: u64) {
        if !self.has_alarms {
            let name = &self.frozen.plan().regions()[usize::from(self.datums.region)].name;
            panic!("\"{name}\" has no alarms: only arrays reserved with `Layout::entities` have them");
        }
        self.alarm = Some(self.alarm.map_or(cycle, |earlier| earlier.min(cycle)));
    }

    /// Puts it to sleep until that cycle. See [`Item::wake_at`], also for panics.
    #[track_caller]
    pub fn sleep_until(&mut self, cycle: u64) {
        self.wake_at(cycle);
        self.sleep();
    }
}

/// The number of neighbouring slots for which data is prefetched at once.
const AHEAD: u32 = 16;

struct Each<T, R, P, A, F> {
    datums: Datums<T>,
    alarms: Option<Alarms>,
    rows: R,
    is_of: P,
    ahead: A,
    update: F,
    item: PhantomData<fn(T)>,
}

impl<T, R, P, A, F> sealed::OnlyEach for Each<T, R, P, A, F> {}

impl<T, R, P, A, F> Domain for Each<T, R, P, A, F>
where
    T: Plain,
    R: Fn(&Block) -> Range<usize> + Sync,
    P: Fn(&Plan) -> bool + Sync,
    A: Fn(u16, &T, Ground<'_>) + Sync,
    F: Fn(&mut Item<'_, T>, Ground<'_>) + Sync,
{
    fn array(&self) -> u16 {
        self.datums.region
    }

    fn is_of(&self, plan: &Plan) -> bool {
        (self.is_of)(plan)
    }

    fn awake_chunks(&self, block: &Block, visit: &mut dyn FnMut(u16)) {
        let awake = words(block.bytes(), self.datums.awake_words());
        let words_per_chunk = usize::from(self.datums.chunk) / 64;
        for (chunk, words) in awake.chunks(words_per_chunk).enumerate() {
            if words.iter().any(|word| *word != 0) {
                visit(chunk as u16);
            }
        }
    }

    fn written(&self, block: &Block) -> [Range<usize>; 4] {
        let living = words(block.bytes(), self.datums.living_words());
        let slots = bits::last_set(living, self.datums.capacity).map_or(0, |last| last as usize + 1);
        let start = self.datums.start as usize;
        let slots = start..start + slots * self.datums.stride as usize;
        let alarms = self.alarms.map_or(0..0, Alarms::bytes);
        [self.datums.awake_words(), slots, (self.rows)(block), alarms]
    }

    fn update(&self, chunk: u16, part: ChunkPart<'_>) {
        let ChunkPart { ground, mut outbox } = part;
        // SAFETY: the key belongs to this plan, no two domains have the same array, and each chunk belongs to one job.
        let mut own = unsafe { OwnChunk::of(self.datums, self.alarms, chunk, ground) };
        for index in 0..own.awake.len() {
            let awake = own.awake[index];
            for first in (0..64).step_by(AHEAD as usize) {
                let some = awake >> first & ((1 << AHEAD) - 1);
                let start = index as u32 * 64 + first;
                for within in bits::positions(some, start) {
                    (self.ahead)((own.first + within) as u16, own.datum(within), ground);
                }
                for within in bits::positions(some, start) {
                    own.visit(within, 0, &mut outbox, |item| (self.update)(item, ground));
                }
            }
        }
    }
}

/// The part of an array that a job may write: the slots, awake bits and alarms of its chunk.
pub(crate) struct OwnChunk<'a, T: Plain> {
    datums: Datums<T>,
    alarms: Option<Alarms>,
    ground: Ground<'a>,
    /// The number of the first slot.
    first: u32,
    slots_at: usize,
    slots: &'a mut [u8],
    awake_at: usize,
    awake: &'a mut [u64],
}

impl<'a, T: Plain> OwnChunk<'a, T> {
    /// # Safety
    /// The key belongs to the plan of the block, and no other thread reads or writes this chunk meanwhile.
    pub unsafe fn of(datums: Datums<T>, alarms: Option<Alarms>, chunk: u16, ground: Ground<'a>) -> OwnChunk<'a, T> {
        let first = u32::from(chunk) * u32::from(datums.chunk);
        let count = u32::from(datums.chunk).min(datums.capacity - first);
        let stride = datums.stride as usize;
        let slots_at = datums.start as usize + first as usize * stride;
        let awake_at = datums.awake_words().start + first as usize / 8;
        // SAFETY: the slots of this chunk lie within the block, chunks do not overlap, and this one is the caller's;
        // other jobs read the frozen block.
        let slots = unsafe { slice::from_raw_parts_mut(ground.now.at(slots_at), count as usize * stride) };
        // SAFETY: as above; a chunk is a whole number of words, which start at a multiple of eight.
        let awake = unsafe { slice::from_raw_parts_mut(ground.now.at(awake_at), count.div_ceil(64) as usize * 8) };
        OwnChunk { datums, alarms, ground, first, slots_at, slots, awake_at, awake: plain::cast_slice_mut(awake) }
    }

    /// Calls a function with one item, at index `within` of the chunk. Its entries are numbered from `sequence` on;
    /// returns the next number.
    #[inline]
    pub fn visit(
        &mut self,
        within: u32,
        sequence: u32,
        outbox: &mut Outbox<'_>,
        update: impl FnOnce(&mut Item<'_, T>),
    ) -> u32 {
        let stride = self.datums.stride as usize;
        let at = within as usize * stride;
        let slot = &mut self.slots[at..at + stride];
        self.ground.marks.mark(self.slots_at + at..self.slots_at + at + stride);
        let (header, value) = slot.split_at_mut(self.datums.value_offset as usize);
        let generation = *plain::from_bytes(&header[..2]);
        let next: &mut T = plain::from_bytes_mut(&mut value[..size_of::<T>()]);
        let mut outbox = outbox.reborrow();
        let mut item = Item {
            handle: Handle::new((self.first + within) as u16, generation),
            next,
            frozen: self.ground.frozen,
            datums: self.datums,
            time: self.ground.time,
            outbox: &mut outbox,
            sequence,
            awake: None,
            alarm: None,
            has_alarms: self.alarms.is_some(),
        };
        update(&mut item);
        item.next.canonicalise();
        let (sequence, awake, alarm) = (item.sequence, item.awake, item.alarm);
        if let Some(awake) = awake {
            self.set_awake(within, awake);
        }
        if let Some(cycle) = alarm {
            self.set_alarm(within, cycle);
        }
        sequence
    }

    /// The value of one item.
    #[inline]
    fn datum(&self, within: u32) -> &T {
        let at = within as usize * self.datums.stride as usize + self.datums.value_offset as usize;
        plain::from_bytes(&self.slots[at..at + size_of::<T>()])
    }

    /// The generation of one slot; zero if it is free.
    #[inline]
    pub fn generation(&self, within: u32) -> u16 {
        let at = within as usize * self.datums.stride as usize;
        *plain::from_bytes(&self.slots[at..at + 2])
    }

    fn set_awake(&mut self, within: u32, is_awake: bool) {
        if bits::is_set(self.awake, within) != is_awake {
            bits::set(self.awake, within, is_awake);
            let word = self.awake_at + within as usize / 64 * 8;
            self.ground.marks.mark(word..word + 8);
        }
    }

    fn set_alarm(&mut self, within: u32, cycle: u64) {
        let Some(alarms) = self.alarms else { return };
        let slot = self.first + within;
        let at = alarms.word_at(slot, sooner_or_later(cycle, self.ground.time.cycle + 1));
        // SAFETY: the word has the alarms of 64 slots of this chunk and of no other.
        let word = unsafe { slice::from_raw_parts_mut(self.ground.now.at(at), 8) };
        *plain::from_bytes_mut::<u64>(word) |= 1 << (slot % 64);
        self.ground.marks.mark(at..at + 8);
    }
}

/// The values of an entity, mutable and marked dirty.
///
/// # Safety
/// As for [`unmarked_row`].
#[inline]
pub(crate) unsafe fn row<'a, T: Plain, V: Plain>(
    entities: Entities<T, V>,
    slot: u16,
    ground: Ground<'a>,
) -> &'a mut [V] {
    // SAFETY: the caller guarantees the same.
    let values = unsafe { unmarked_row(entities, slot, ground) };
    ground.mark(values);
    values
}

/// The values of an entity, mutable. The caller marks what it writes.
///
/// # Safety
/// The key belongs to the plan of the block, the slot is living, no other thread reads or writes its row meanwhile, and
/// no entity is created, deleted or resized.
#[inline]
unsafe fn unmarked_row<'a, T: Plain, V: Plain>(entities: Entities<T, V>, slot: u16, ground: Ground<'a>) -> &'a mut [V] {
    let owner = ground.now.at(entities.rows.owner_at(slot));
    // SAFETY: it lies within the block, and is not written while no entity is created, deleted or resized.
    let owner: &PoolBlock = plain::from_bytes(unsafe { slice::from_raw_parts(owner, size_of::<PoolBlock>()) });
    let bytes = entities.rows.value_bytes(owner);
    assert!(bytes.end <= ground.frozen.plan().bytes(), "a row lies within the block");
    // SAFETY: it lies within the block, and the caller guarantees exclusive access.
    plain::cast_slice_mut(unsafe { slice::from_raw_parts_mut(ground.now.at(bytes.start), bytes.len()) })
}
