//! Brushes: typed queues that are filled in parallel and painted in one order.
//!
//! A game lists its brushes once, in its layout, in the order they paint; one may be left out of a cycle. Work for a brush is an entry: who it is for (target), who
//! queued it (source), the how-manieth of its source (sequence), and a plain payload. Where painting an entry changes only
//! its target, all targets can be painted at once: see [`targets`](crate::targets).
//!
//! Laws
//! 1. A brush paints its entries by target, then source, then sequence. Which thread queued what when does not matter.
//! 2. Painting may queue at any brush: one still to come paints it in this cycle, one already done in the next. What
//!    waits for the next cycle lies in the block; next time it comes first for its target.
//! 3. A brush that paints in rounds paints what it queues at itself in the next round, up to a number of rounds; the rest
//!    waits for the next cycle.
//! 4. Whoever may write can take back what is queued at a brush and is not being painted: what waits, and what was queued in
//!    this cycle. For a brush that has painted, that is what waits for the next; for one that is painting, what it has
//!    queued for its next round. Entries are asked about in one order, and what is taken back leaves no trace.
//! 5. What finds no room is refused and counted: in the outbox where it was queued (`Time::entries_refused`), or at the
//!    brush when it cannot wait (the memory report shows it).

use core::marker::PhantomData;

use base::plain::{self, Plain};

use crate::block::Block;
use crate::life::ListHead;
use crate::phase::{Deed, Phase};
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
    /// Who it is for.
    pub target: Address,
    /// Who queued it. For an entry that waited since the last cycle too.
    pub source: Address,
    /// What it says.
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
        assert!(size_of::<T>() <= waiting::PAYLOAD_BYTES_MAX, "the payload of \"{name}\" is too large");
        let number = self.brush_count() - 1;
        Brush { number, region, payload: PhantomData }
    }
}

impl<T: Plain> Brush<T> {
    /// Queues an entry while painting or setting up; false if there is no room. Items queue with `Item::queue`.
    #[track_caller]
    pub fn queue(self, world: &mut World, target: Address, payload: &T) -> bool {
        world.phase.require_writing(Deed::Queue, world.now.plan(), self.region);
        let source = world.queues.painting().map_or(Address::WORLD, Address::brush);
        self.queue_from(world, target, source, payload)
    }

    /// Queues an entry in the name of somebody else, such as the player whose input it is.
    #[track_caller]
    pub fn queue_from(self, world: &mut World, target: Address, source: Address, payload: &T) -> bool {
        world.phase.require_writing(Deed::Queue, world.now.plan(), self.region);
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

    /// Paints all that is queued. What is queued here meanwhile waits for the next cycle.
    #[track_caller]
    pub fn paint(self, world: &mut World, paint: impl FnMut(&mut World, Stroke<T>)) {
        self.paint_in_rounds(world, 1, paint);
    }

    /// Paints until nothing is queued, or `rounds_max` times.
    #[track_caller]
    pub fn paint_in_rounds(self, world: &mut World, rounds_max: u32, mut paint: impl FnMut(&mut World, Stroke<T>)) {
        self.paint_rounds(world, rounds_max, |world, keys| {
            for key in keys {
                let (head, payload) = world.queues.entry::<T>(*key);
                paint(world, Stroke { target: head.target, source: head.source, payload });
            }
        });
    }

    /// Calls `round` with the keys of all that is queued, in order, until nothing is, or `rounds_max` times.
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

    /// Takes back all queued entries that are meant, and says how many. Asks about those that wait, in their order, then
    /// about those of this cycle, in the order of their keys. See law 4. Costs as much as sorting what is queued.
    #[track_caller]
    pub fn withdraw(self, world: &mut World, mut is_meant: impl FnMut(&Stroke<T>) -> bool) -> u32 {
        world.phase.require_writing(Deed::Withdraw, world.now.plan(), self.region);
        let mut is_meant = |head: &EntryHead, payload: &[u8]| {
            let payload = plain::pod_read_unaligned(payload);
            is_meant(&Stroke { target: head.target, source: head.source, payload })
        };
        let waiting = waiting::withdraw(world, self.number, &mut is_meant);
        waiting + world.withdraw_queued(self.number, size_of::<T>(), &mut is_meant)
    }

    /// How many entries wait for the next cycle.
    pub fn waiting(self, block: &Block) -> u32 {
        waiting::count(block, self.number)
    }
}

impl World {
    /// Ends a cycle: what no brush painted waits in the block, the cycle is counted, and from now on nobody may write.
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
