//! Brushes: deferred queues (command buffers) that are filled in parallel and applied, *painted*, in one order.
//!
//! A game lists its brushes once, in its layout, in the order they paint; a cycle may skip one. An entry has a target,
//! a source (who queued it), a sequence number within its source, and a plain payload. Where painting an entry changes
//! only its target, all targets can be painted in parallel: see [`targets`](crate::targets).
//!
//! Laws
//! 1. A brush paints its entries by target, then source, then sequence. Which thread queued what when does not matter.
//! 2. Painting may queue at any brush: a later brush paints the entry in this cycle, an earlier one in the next.
//!    Entries that wait for the next cycle lie in the block; there they come first for their target.
//! 3. A brush that paints in rounds paints the entries it queues at itself in the next round, up to a number of rounds;
//!    the rest waits for the next cycle.
//! 4. Entries that are queued and not being painted can be withdrawn in any phase that allows writing: waiting entries,
//!    and those queued in this cycle. For a brush that has painted, these wait for the next cycle; for one that is
//!    painting, they are its next round. The predicate sees entries in one order, and a withdrawn entry leaves no
//!    trace.
//! 5. An entry that does not fit is refused and counted: in the outbox where it was queued (`Time::entries_refused`),
//!    or at the brush if it cannot wait (shown in the memory report).

use core::marker::PhantomData;

use base::plain::{self, Plain};

use crate::block::Block;
use crate::life::ListHead;
use crate::phase::{Access, Phase};
use crate::plan::{Layout, Life, RegionKind, Reservation};
use crate::queue::{Address, EntryHead};
use crate::waiting;
use crate::world::World;

/// The key to a brush whose entries carry a `T`.
pub struct Brush<T> {
    pub(crate) number: u16,
    region: u16,
    payload: PhantomData<fn() -> T>,
}

/// One entry, being painted.
#[derive(Clone, Copy, Debug)]
pub struct Stroke<T> {
    /// The addressee.
    pub target: Address,
    /// The address that queued it, also for an entry that waited since the last cycle.
    pub source: Address,
    /// The payload.
    pub payload: T,
}

impl Layout {
    /// Lists a brush. `waiting_max` entries may wait from one cycle to the next.
    pub fn brush<T: Plain>(&mut self, name: &str, waiting_max: u32) -> Brush<T> {
        let (region, reserved) = self.reserve(Reservation {
            name,
            kind: RegionKind::Brush,
            head: Some(ListHead::DESCRIPTION),
            bit_sets: 0,
            capacity: waiting_max,
            header: Some(EntryHead::DESCRIPTION),
            value: T::DESCRIPTION,
            value_align: align_of::<T>().max(align_of::<EntryHead>()),
            chunk: 0,
            life: |head, _| Life::Below(head + core::mem::offset_of!(ListHead, count)),
        });
        assert_eq!(reserved.elements.value_offset, size_of::<EntryHead>());
        assert!(
            size_of::<T>() <= waiting::PAYLOAD_BYTES_MAX,
            "the payload of brush \"{name}\" has {} bytes, at most {} fit",
            size_of::<T>(),
            waiting::PAYLOAD_BYTES_MAX
        );
        let number = self.brush_count() - 1;
        Brush { number, region, payload: PhantomData }
    }
}

impl<T: Plain> Brush<T> {
    /// Queues an entry while painting or setting up; false if the outbox is full. Items queue with `Item::queue`.
    #[track_caller]
    pub fn queue(self, world: &mut World, target: Address, payload: &T) -> bool {
        world.phase.require_writing(Access::Queue, world.now.plan(), self.region);
        let source = world.queues.painting().map_or(Address::WORLD, Address::brush);
        self.queue_from(world, target, source, payload)
    }

    /// Queues an entry with another source, such as the player whose input it is.
    #[track_caller]
    pub fn queue_from(self, world: &mut World, target: Address, source: Address, payload: &T) -> bool {
        world.phase.require_writing(Access::Queue, world.now.plan(), self.region);
        let must_wait = world.phase == Phase::SettingUp || world.queues.has_painted(self.number);
        if must_wait {
            let mut payload = *payload;
            payload.canonicalise();
            return waiting::append(world, self.number, target, source, plain::bytes_of(&payload));
        }
        let sequence = world.queues.next_sequence();
        let fits = world.queues.push(self.number, target, source, sequence, payload);
        world.count_refused(u32::from(!fits));
        fits
    }

    /// Paints all queued entries. Entries queued here meanwhile wait for the next cycle.
    #[track_caller]
    pub fn paint(self, world: &mut World, paint: impl FnMut(&mut World, Stroke<T>)) {
        self.paint_in_rounds(world, 1, paint);
    }

    /// Paints until the queue is empty, at most `rounds_max` times.
    #[track_caller]
    pub fn paint_in_rounds(self, world: &mut World, rounds_max: u32, mut paint: impl FnMut(&mut World, Stroke<T>)) {
        self.paint_rounds(world, rounds_max, |world, keys| {
            for key in keys {
                let (head, payload) = world.queues.entry::<T>(*key);
                paint(world, Stroke { target: head.target, source: head.source, payload });
            }
        });
    }

    /// Calls `round` with the sorted keys of all queued entries until the queue is empty, at most `rounds_max` times.
    #[track_caller]
    pub(crate) fn paint_rounds(self, world: &mut World, rounds_max: u32, mut round: impl FnMut(&mut World, &[u128])) {
        let name = |world: &World| world.plan().regions()[usize::from(self.region)].name.clone();
        assert_eq!(world.phase, Phase::Painting, "brush \"{}\" paints after simulation", name(world));
        assert!(world.queues.painting().is_none(), "brush \"{}\" cannot paint within another", name(world));
        assert!(!world.queues.has_painted(self.number), "brush \"{}\" paints once a cycle", name(world));
        if let Some(last) = world.queues.last_painted().filter(|last| *last > self.number) {
            let last = &world.plan().regions()[usize::from(world.plan().brushes[usize::from(last)])].name;
            panic!("brush \"{}\" paints before \"{last}\": that is the order the layout lists them in", name(world));
        }
        world.queues.set_painting(Some(self.number));
        waiting::resume(world, self.number);
        for _ in 0..rounds_max {
            if !world.queues.is_waiting(self.number) {
                break;
            }
            let keys = world.take_sorted(self.number);
            round(world, &keys);
            world.queues.give_back(keys);
        }
        world.queues.set_painting(None);
        waiting::keep(world, self.number);
    }

    /// Withdraws all queued entries that match, and returns how many. The predicate sees the waiting entries in their
    /// order, then those of this cycle in the order of their keys. See law 4. Costs as much as sorting the queue.
    #[track_caller]
    pub fn withdraw(self, world: &mut World, mut matches: impl FnMut(&Stroke<T>) -> bool) -> u32 {
        world.phase.require_writing(Access::Withdraw, world.now.plan(), self.region);
        let mut matches = |head: &EntryHead, payload: &[u8]| {
            let payload = plain::pod_read_unaligned(payload);
            matches(&Stroke { target: head.target, source: head.source, payload })
        };
        let waiting = waiting::withdraw(world, self.number, &mut matches);
        waiting + world.withdraw_queued(self.number, size_of::<T>(), &mut matches)
    }

    /// The number of entries waiting for the next cycle.
    pub fn waiting(self, block: &Block) -> u32 {
        waiting::count(block, self.number)
    }
}

impl World {
    /// Ends a cycle: entries that no brush painted wait in the block, the cycle is counted, and the world becomes
    /// read-only.
    pub fn rest(&mut self) {
        assert_eq!(self.phase, Phase::Painting, "a cycle ends after painting");
        assert!(self.queues.painting().is_none(), "a cycle cannot end while a brush paints");
        for brush in 0..self.plan().brushes.len() as u16 {
            waiting::keep(self, brush);
        }
        self.count_cycle();
        self.enter(Phase::Resting);
    }
}

impl<T> Clone for Brush<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Brush<T> {}
