//! Parallel painting: brushes whose entries change only their target, an entity.
//!
//! A brush paints one entry after the other. Where painting an entry changes only its target, that is more order than
//! necessary: here each target is painted independently, with `&mut` to its own datum and row, and chunks of targets
//! run in parallel. Changes to others are queued. So a storm of messages uses all workers.
//!
//! Laws
//! 1. The entries of a target are painted in the order of their keys, by one thread. Targets are divided by chunks,
//!    which are constants of the game; so the number of threads cannot show.
//! 2. A target sees its own next state, which earlier brushes and entries may have changed, and the frozen state of all
//!    others. It sees nothing that other targets do in this round.
//! 3. Entries queued by a target have it as source, go through the outbox of its chunk, and are numbered after all
//!    entries with that source in this cycle. At the same brush they are the next round; at a later brush they are
//!    painted in this cycle; at an earlier one in the next.
//! 4. Entries to deleted entities, or to other addresses, are skipped and counted.
//! 5. A few entries are painted by the caller alone, with the same result.
#![allow(unsafe_code, reason = "one block is divided among jobs, each of which writes only its own chunk")]

use core::ops::Range;
use core::slice;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use base::plain::{self, Plain};

use crate::brush::{Brush, Stroke};
use crate::entities::Entities;
use crate::item::{Item, OwnChunk, each_entity, row};
use crate::limits::ALONE_ENTRIES;
use crate::phase::Phase;
use crate::queue::{EntryHead, HEAD_WORDS, Outbox, place_of, target_of};
use crate::simulate::Ground;
use crate::world::World;
use jobs::workers::{Alone, SharedPointer, Workers, run_each_once};

impl<U: Plain> Brush<U> {
    /// Paints all queued entries, targets in parallel. Returns how many entries were skipped.
    #[track_caller]
    pub fn paint_entities<T: Plain, V: Plain>(
        self,
        world: &mut World,
        workers: &dyn Workers,
        entities: Entities<T, V>,
        paint: impl Fn(Stroke<U>, &mut Item<'_, T>, &mut [V]) + Sync,
    ) -> u32 {
        self.paint_entities_in_rounds(world, workers, entities, 1, paint)
    }

    /// The same until the queue is empty, at most `rounds_max` times.
    ///
    /// # Panics
    /// If the entities belong to another plan, and where [`Brush::paint_in_rounds`] does.
    #[track_caller]
    pub fn paint_entities_in_rounds<T: Plain, V: Plain>(
        self,
        world: &mut World,
        workers: &dyn Workers,
        entities: Entities<T, V>,
        rounds_max: u32,
        paint: impl Fn(Stroke<U>, &mut Item<'_, T>, &mut [V]) + Sync,
    ) -> u32 {
        self.paint_entities_or(world, workers, entities, rounds_max, paint, |_| ())
    }

    /// The same; `left_out` is called with each entry whose target does not exist, in the order of their keys.
    ///
    /// # Panics
    /// As [`Brush::paint_entities_in_rounds`].
    #[track_caller]
    pub fn paint_entities_or<T: Plain, V: Plain>(
        self,
        world: &mut World,
        workers: &dyn Workers,
        entities: Entities<T, V>,
        rounds_max: u32,
        paint: impl Fn(Stroke<U>, &mut Item<'_, T>, &mut [V]) + Sync,
        mut left_out: impl FnMut(&Stroke<U>),
    ) -> u32 {
        assert!(entities.is_of(world.plan()), "entities of another plan than \"{}\"", world.plan().name());
        let mut lost = 0;
        self.paint_rounds(world, rounds_max, |world, keys| {
            let workers = if keys.len() < ALONE_ENTRIES { &Alone } else { workers };
            let painted = PaintRound { entities, keys }.run(world, workers, &paint);
            let missing = keys.len() as u32 - painted;
            lost += missing;
            if missing == 0 {
                return;
            }
            for key in keys {
                let (head, payload) = world.queues.entry::<U>(*key);
                let target = entities.handle(head.target);
                if target.is_none_or(|target| entities.find(world, target).is_none()) {
                    left_out(&Stroke { target: head.target, source: head.source, payload });
                }
            }
        });
        lost
    }
}

/// The entries of one round, and the entities they may target.
struct PaintRound<'a, T, V> {
    entities: Entities<T, V>,
    keys: &'a [u128],
}

impl<T: Plain, V: Plain> PaintRound<'_, T, V> {
    /// Paints all targets. Returns how many entries were painted.
    fn run<U, F>(&self, world: &mut World, workers: &dyn Workers, paint: &F) -> u32
    where
        U: Plain,
        F: Fn(Stroke<U>, &mut Item<'_, T>, &mut [V]) + Sync,
    {
        self.list_jobs(world);
        if world.settings.is_checked {
            world.protect_all_but(&[&each_entity(self.entities, |_, _| ())]);
        }
        let first_sequence = world.queues.next_sequence();
        let (painted, last_sequence) = (AtomicU32::new(0), AtomicU32::new(first_sequence));
        let time = *world.time();
        let now = SharedPointer::new(world.now.start().as_ptr());
        let (words, used, refused, outbox_words) = world.queues.chunk_parts();
        let (words, used, refused) = (
            SharedPointer::new(words.as_mut_ptr()),
            SharedPointer::new(used.as_mut_ptr()),
            SharedPointer::new(refused.as_mut_ptr()),
        );
        let (jobs, plan) = (&world.jobs[..], world.now.plan());
        let ground = Ground { now, frozen: &world.frozen, marks: &world.marks, time: &time };
        run_each_once(workers, &world.taken[..jobs.len()], |job| {
            let (_, chunk) = jobs[job];
            let outbox = plan.outbox(self.entities.datums.region, chunk);
            // SAFETY: every chunk has an outbox, no two jobs have the same chunk, and each job gets here once.
            let used = unsafe { &mut *used.at(outbox) };
            // SAFETY: as above.
            let refused = unsafe { &mut *refused.at(outbox) };
            let (start, left) = (outbox * outbox_words + *used as usize, outbox_words - *used as usize);
            // SAFETY: as above; the entries that were written before lie before, and all jobs may read them.
            let free = unsafe { slice::from_raw_parts_mut(words.at(start), left) };
            let mut more = 0;
            let sheet = Sheet { words, outbox: Outbox::new(free, &mut more, refused), first_sequence };
            let (count, sequence) = self.paint_chunk(chunk, ground, sheet, paint);
            *used += more;
            painted.fetch_add(count, Relaxed);
            last_sequence.fetch_max(sequence, Relaxed);
        });
        world.queues.continue_sequence(last_sequence.into_inner());
        world.enter(Phase::Painting);
        let refused = world.queues.gather();
        world.count_refused(refused);
        painted.into_inner()
    }

    /// One job for each chunk with a target.
    fn list_jobs(&self, world: &mut World) {
        let datums = self.entities.datums;
        world.jobs.clear();
        for key in &self.keys[self.entries_for(0..datums.capacity)] {
            let chunk = target_of(*key) as u16 / datums.chunk;
            if world.jobs.last().is_none_or(|(_, last)| *last != chunk) {
                world.jobs.push((0, chunk));
            }
        }
    }

    /// Paints the targets of one chunk. Returns the number of entries painted, and the next sequence number.
    fn paint_chunk<U, F>(&self, chunk: u16, ground: Ground<'_>, mut sheet: Sheet<'_>, paint: &F) -> (u32, u32)
    where
        U: Plain,
        F: Fn(Stroke<U>, &mut Item<'_, T>, &mut [V]) + Sync,
    {
        let datums = self.entities.datums;
        let first = u32::from(chunk) * u32::from(datums.chunk);
        let end = (first + u32::from(datums.chunk)).min(datums.capacity);
        // SAFETY: the key belongs to this plan, and each chunk belongs to one job.
        let mut own = unsafe { OwnChunk::of(datums, Some(self.entities.alarms), chunk, ground) };
        let (mut painted, mut last_sequence) = (0, sheet.first_sequence);
        let words = sheet.words;
        let entries = &self.keys[self.entries_for(first..end)];
        for entries in entries.chunk_by(|one, next| target_of(*one) == target_of(*next)) {
            let slot = target_of(entries[0]) as u16;
            let within = u32::from(slot) - first;
            let generation = own.generation(within);
            // SAFETY: the entries of these keys were written before this round.
            let is_for_it = |key: &u128| unsafe { entry(words, *key, 0) }.0.target.handle.generation() == generation;
            if generation == 0 || !entries.iter().any(is_for_it) {
                continue;
            }
            // SAFETY: the slot is living, and it and its row belong to this job.
            let values = unsafe { row(self.entities, slot, ground) };
            let sequence = own.visit(within, sheet.first_sequence, &mut sheet.outbox, |item| {
                for key in entries {
                    // SAFETY: as above.
                    let (head, payload) = unsafe { entry(words, *key, size_of::<U>()) };
                    if head.target.handle.generation() == generation {
                        let payload = plain::pod_read_unaligned(payload);
                        paint(Stroke { target: head.target, source: head.source, payload }, item, values);
                        painted += 1;
                    }
                }
            });
            values.iter_mut().for_each(V::canonicalise);
            last_sequence = last_sequence.max(sequence);
        }
        (painted, last_sequence)
    }

    /// The keys of all entries for these slots.
    fn entries_for(&self, slots: Range<u32>) -> Range<usize> {
        let first = u32::from(self.entities.datums.region) << 16;
        let before = |slot: u32| self.keys.partition_point(|key| target_of(*key) < first + slot);
        before(slots.start)..before(slots.end)
    }
}

/// The outboxes as one job sees them.
struct Sheet<'a> {
    /// All outboxes.
    words: SharedPointer<u64>,
    /// The free part of the outbox of the job.
    outbox: Outbox<'a>,
    first_sequence: u32,
}

/// The head and the payload of an entry.
///
/// # Safety
/// `words` are the words of all outboxes, the key is of an entry at a brush whose payloads have at least this many
/// bytes, and no thread writes the entry meanwhile.
#[inline]
unsafe fn entry<'a>(words: SharedPointer<u64>, key: u128, bytes: usize) -> (EntryHead, &'a [u8]) {
    // SAFETY: an entry is a head and a payload, and the caller guarantees the rest.
    let words = unsafe { slice::from_raw_parts(words.at(place_of(key)), HEAD_WORDS + bytes.div_ceil(8)) };
    let (head, payload) = plain::cast_slice::<u64, u8>(words).split_at(size_of::<EntryHead>());
    (*plain::from_bytes(head), &payload[..bytes])
}
