//! Painting in parallel, where those that entries are for are entities and concern nobody but themselves.
//!
//! A brush paints one entry after the other. Where painting an entry changes only its target, that is more order than is
//! needed: here every target is painted by itself, with `&mut` to its own datum and row, all chunks of them at once. What
//! concerns others it queues. So a storm of messages, or damage to everybody, takes all workers.
//!
//! Laws
//! 1. The entries of a target are painted in the order of their keys, by one worker. Whom they are for decides which:
//!    targets are divided by chunks, which are constants of the game. So how many workers there are cannot show.
//! 2. A target sees its own next state, which earlier brushes and entries may have changed, and everybody's frozen one: the
//!    world as it was when the cycle began. It sees nothing that other targets do in this round.
//! 3. What a target queues is in its own name, goes through the outbox of its chunk, and is counted behind all that anybody
//!    has queued in its name in this cycle. At the same brush it is the next round; at one still to come, it is painted in
//!    this cycle; at one already done, in the next.
//! 4. Entries for who is gone, or for what is not one of these entities, are left out and counted.
//! 5. A few entries are painted by the caller alone. The result is the same.
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
use crate::workers::{Alone, Shared, Workers, run_each_once};
use crate::world::World;

impl<U: Plain> Brush<U> {
    /// Paints all that is queued, all targets at once. See the page above. Gives how many entries were left out.
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

    /// The same until nothing is queued, or `rounds_max` times.
    ///
    /// # Panics
    /// If the entities are of another plan, and where [`Brush::paint_in_rounds`] does.
    #[track_caller]
    pub fn paint_entities_in_rounds<T: Plain, V: Plain>(
        self,
        world: &mut World,
        workers: &dyn Workers,
        entities: Entities<T, V>,
        rounds_max: u32,
        paint: impl Fn(Stroke<U>, &mut Item<'_, T>, &mut [V]) + Sync,
    ) -> u32 {
        assert!(entities.is_of(world.plan()), "entities of another plan than \"{}\"", world.plan().name());
        let mut left_out = 0;
        self.paint_rounds(world, rounds_max, |world, keys| {
            let workers = if keys.len() < ALONE_ENTRIES { &Alone } else { workers };
            let painted = Round { entities, keys }.run(world, workers, &paint);
            left_out += keys.len() as u32 - painted;
        });
        left_out
    }
}

/// All entries of a round, and whom they can be for.
struct Round<'a, T, V> {
    entities: Entities<T, V>,
    keys: &'a [u128],
}

impl<T: Plain, V: Plain> Round<'_, T, V> {
    /// Paints all targets. Gives how many entries were painted.
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
        let now = Shared(world.now.start().as_ptr());
        let (words, used, refused, outbox_words) = world.queues.chunk_parts();
        let (words, used, refused) =
            (Shared(words.as_mut_ptr()), Shared(used.as_mut_ptr()), Shared(refused.as_mut_ptr()));
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
        world.queues.count_on_from(last_sequence.into_inner());
        world.enter(Phase::Painting);
        let refused = world.queues.gather();
        world.count_refused(refused);
        painted.into_inner()
    }

    /// One job for each chunk in which somebody is meant.
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

    /// Paints the targets of one chunk. Gives how many entries that were, and how far they counted.
    fn paint_chunk<U, F>(&self, chunk: u16, ground: Ground<'_>, mut sheet: Sheet<'_>, paint: &F) -> (u32, u32)
    where
        U: Plain,
        F: Fn(Stroke<U>, &mut Item<'_, T>, &mut [V]) + Sync,
    {
        let datums = self.entities.datums;
        let first = u32::from(chunk) * u32::from(datums.chunk);
        let end = (first + u32::from(datums.chunk)).min(datums.capacity);
        // SAFETY: the key is of this plan, and each chunk is one job's.
        let mut own = unsafe { OwnChunk::of(datums, Some(self.entities.alarms), chunk, ground) };
        let (mut painted, mut last_sequence) = (0, sheet.first_sequence);
        let words = sheet.words;
        let entries = &self.keys[self.entries_for(first..end)];
        for entries in entries.chunk_by(|one, next| target_of(*one) == target_of(*next)) {
            let slot = target_of(entries[0]) as u16;
            let within = u32::from(slot) - first;
            let salt = own.salt(within);
            // SAFETY: the keys are of entries that were written before this round.
            let is_meant = |key: &u128| unsafe { words.entry(*key, 0) }.0.target.handle.salt() == salt;
            if salt == 0 || !entries.iter().any(is_meant) {
                continue;
            }
            // SAFETY: the slot is living and this job's, and so is its row.
            let values = unsafe { row(self.entities, slot, ground) };
            let sequence = own.visit(within, sheet.first_sequence, &mut sheet.outbox, |item| {
                for key in entries {
                    // SAFETY: as above.
                    let (head, payload) = unsafe { words.entry(*key, size_of::<U>()) };
                    if head.target.handle.salt() == salt {
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

/// What a job reads entries from and writes them to.
struct Sheet<'a> {
    /// All outboxes.
    words: Shared<u64>,
    /// What is free in its own.
    outbox: Outbox<'a>,
    first_sequence: u32,
}

impl Shared<u64> {
    /// The head and the payload of an entry.
    ///
    /// # Safety
    /// These are the words of all outboxes, the key is of an entry at a brush whose payloads have at least so many bytes, and nobody
    /// writes it meanwhile.
    #[inline]
    unsafe fn entry<'a>(self, key: u128, bytes: usize) -> (EntryHead, &'a [u8]) {
        // SAFETY: an entry is a head and a payload, and the caller promises the rest.
        let words = unsafe { slice::from_raw_parts(self.at(place_of(key)), HEAD_WORDS + bytes.div_ceil(8)) };
        let (head, payload) = plain::cast_slice::<u64, u8>(words).split_at(size_of::<EntryHead>());
        (*plain::from_bytes(head), &payload[..bytes])
    }
}
