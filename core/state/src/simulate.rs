//! The parallel half of a cycle: every awake item works out its own next state.
//!
//! A *domain* is one kind of item and the function that updates it. All domains of a cycle run together: their chunks
//! are the jobs of one `Workers::run`.
//!
//! Laws
//! 1. An update reads the frozen block, writes its own item, and queues at brushes. It can reach nothing else.
//! 2. Which chunks there are follows from the plan and from who is awake. How many workers there are changes only who
//!    does what.
//! 3. In checked worlds everything else is write-protected meanwhile. In all worlds float arithmetic must be the one we
//!    were promised, on every worker: a library that turned on flush-to-zero is found out here.
//!
//! How an update gets at its item, for those who read on: a chunk's slots and awake bits are a range of the block that no
//! other chunk touches, so that each job may have a `&mut` to its own. That is the one thing the compiler cannot see.
#![allow(unsafe_code, reason = "one block is divided among jobs, each of which writes only its own chunk")]

use core::marker::PhantomData;
use core::ops::Range;
use core::slice;
use core::sync::atomic::Ordering::Relaxed;

use base::handle::Handle;
use base::number::float_environment_is_sound;
use base::plain::{self, Plain};
use base::random::Draw;

use crate::bits;
use crate::block::Block;
use crate::brush::Brush;
use crate::datums::{Datums, words};
use crate::marks::Marks;
use crate::memory::Access;
use crate::phase::Phase;
use crate::plan::Plan;
use crate::queue::{Address, EntryHead, Outbox};
use crate::workers::Workers;
use crate::world::World;

/// A kind of item and how it is updated. Made with [`each`], and only there: what a job may write follows from what a
/// domain says of itself.
pub trait Domain: Sync + sealed::OnlyEach {
    /// Which array it updates.
    #[doc(hidden)]
    fn array(&self) -> u16;

    /// Whether its key is one of this plan.
    #[doc(hidden)]
    fn is_of(&self, plan: &Plan) -> bool;

    /// Calls `visit` with each chunk that has somebody awake in it.
    #[doc(hidden)]
    fn awake_chunks(&self, block: &Block, visit: &mut dyn FnMut(u16));

    /// What it writes: its slots up to the last living one, and its awake bits.
    #[doc(hidden)]
    fn written(&self, block: &Block) -> [Range<usize>; 2];

    /// Updates the awake items of one chunk.
    #[doc(hidden)]
    fn update(&self, chunk: u16, part: ChunkPart<'_>);
}

mod sealed {
    pub trait OnlyEach {}
}

/// The domain of all awake items of an array.
pub fn each<T: Plain, F: Fn(&mut Item<'_, T>) + Sync>(datums: Datums<T>, update: F) -> impl Domain {
    Each { datums, update, item: PhantomData }
}

/// An item, being updated.
pub struct Item<'a, T: Plain> {
    /// Its handle.
    pub handle: Handle<T>,
    /// Its next state, which is its present one until something is written.
    pub next: &'a mut T,
    /// The world as it was when the cycle began.
    pub frozen: &'a Block,
    datums: Datums<T>,
    time: crate::world::Time,
    outbox: &'a mut Outbox<'a>,
    sequence: u32,
    falls_asleep: bool,
}

impl<'a, T: Plain> Item<'a, T> {
    /// Its state when the cycle began.
    pub fn now(&self) -> &'a T {
        self.datums.get(self.frozen, self.handle)
    }

    /// What others queue for when they mean it.
    pub fn address(&self) -> Address {
        self.datums.address(self.handle)
    }

    /// The number of the cycle that is being worked out.
    pub fn cycle(&self) -> u64 {
        self.time.cycle
    }

    /// Queues an entry at a brush; false if the chunk's outbox is full. That is counted.
    #[inline]
    pub fn queue<U: Plain>(&mut self, brush: Brush<U>, target: Address, payload: &U) -> bool {
        let head = EntryHead { target, source: self.address(), sequence: self.sequence, brush: brush.number, words: 0 };
        self.sequence += 1;
        self.outbox.push(head, payload)
    }

    /// Random numbers of its own, for this cycle and `purpose`. The same purpose gives the same numbers again.
    #[inline]
    pub fn random(&self, purpose: u16) -> Draw {
        let domain = u32::from(self.datums.region) << 16 | u32::from(purpose);
        Draw::new(self.time.seed, self.time.cycle, domain, u32::from(self.handle.slot()))
    }

    /// It is not visited again until somebody wakes it with `Datums::set_awake`.
    pub fn sleep(&mut self) {
        self.falls_asleep = true;
    }
}

impl World {
    /// Begins a cycle: freezes the world and updates all awake items of all domains.
    pub fn simulate(&mut self, workers: &dyn Workers, domains: &[&dyn Domain]) {
        assert!(matches!(self.phase, Phase::Resting | Phase::SettingUp), "cannot begin a cycle while {}", self.phase);
        assert!(float_environment_is_sound(), "this thread rounds floats in a way of its own");
        for (index, domain) in domains.iter().enumerate() {
            assert!(
                domain.is_of(self.plan()),
                "domain {index} updates an array of another plan than \"{}\"",
                self.plan().name()
            );
            let is_twice = domains[..index].iter().any(|other| other.array() == domain.array());
            assert!(!is_twice, "two domains update \"{}\"", self.plan().regions()[usize::from(domain.array())].name);
        }
        self.enter(Phase::Simulating);
        self.freeze();
        self.queues.clear();
        self.list_jobs(domains);
        if self.settings.is_checked {
            self.protect_all_but(domains);
        }
        self.run_jobs(workers, domains);
        self.enter(Phase::Painting);
        let refused = self.queues.gather();
        self.count_refused(refused);
    }

    fn list_jobs(&mut self, domains: &[&dyn Domain]) {
        self.jobs.clear();
        for (number, domain) in domains.iter().enumerate() {
            domain.awake_chunks(&self.now, &mut |chunk| self.jobs.push((number as u16, chunk)));
        }
    }

    fn run_jobs(&mut self, workers: &dyn Workers, domains: &[&dyn Domain]) {
        let time = *self.time();
        let now = Shared(self.now.start().as_ptr());
        let (words, used, refused, outbox_words) = self.queues.chunk_parts();
        let (words, used, refused) =
            (Shared(words.as_mut_ptr()), Shared(used.as_mut_ptr()), Shared(refused.as_mut_ptr()));
        let (jobs, frozen, marks) = (&self.jobs[..], &self.frozen, &self.marks);
        let taken = &self.taken[..jobs.len()];
        taken.iter().for_each(|taken| taken.store(false, Relaxed));
        workers.run(jobs.len() as u32, &|job| {
            assert!(float_environment_is_sound(), "this thread rounds floats in a way of its own");
            let job = job as usize;
            let (domain, chunk) = jobs[job];
            assert!(!taken[job].swap(true, Relaxed), "the crew ran job {job} twice");
            // SAFETY: there are at least as many outboxes as jobs, and each job gets here once.
            let outbox = unsafe { slice::from_raw_parts_mut(words.at(job * outbox_words), outbox_words) };
            // SAFETY: as above.
            let used = unsafe { &mut *used.at(job) };
            // SAFETY: as above.
            let refused = unsafe { &mut *refused.at(job) };
            let part = ChunkPart { now, frozen, marks, time, outbox: Outbox::new(outbox, used, refused) };
            domains[usize::from(domain)].update(chunk, part);
        });
        let forgotten = taken.iter().position(|taken| !taken.load(Relaxed));
        assert_eq!(forgotten, None, "the crew did not run all {} jobs", jobs.len());
    }

    /// Write-protects what no domain writes. Only whole pages can be; nothing is lost by the rest.
    fn protect_all_but(&mut self, domains: &[&dyn Domain]) {
        let mut from = 0;
        while let Some(range) = next_written(&self.now, domains, from) {
            self.now.protect(from..range.start, Access::Read);
            from = range.end;
        }
        self.now.protect(from..self.now.plan().bytes(), Access::Read);
    }
}

/// The first range at or after `from` that some domain writes.
fn next_written(block: &Block, domains: &[&dyn Domain], from: usize) -> Option<Range<usize>> {
    let ranges = domains.iter().flat_map(|domain| domain.written(block));
    ranges.filter(|range| range.start >= from && !range.is_empty()).min_by_key(|range| range.start)
}

/// A pointer that jobs share; each goes its own way from it.
#[derive(Clone, Copy)]
struct Shared<T>(*mut T);

impl<T> Shared<T> {
    /// The address of one element.
    fn at(self, index: usize) -> *mut T {
        self.0.wrapping_add(index)
    }
}

// SAFETY: a pointer is only an address; each use says why it is exclusive.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Shared<T> {}

/// What one job gets.
#[doc(hidden)]
pub struct ChunkPart<'a> {
    now: Shared<u8>,
    frozen: &'a Block,
    marks: &'a Marks,
    time: crate::world::Time,
    outbox: Outbox<'a>,
}

struct Each<T, F> {
    datums: Datums<T>,
    update: F,
    item: PhantomData<fn(T)>,
}

impl<T, F> sealed::OnlyEach for Each<T, F> {}

impl<T: Plain, F: Fn(&mut Item<'_, T>) + Sync> Domain for Each<T, F> {
    fn array(&self) -> u16 {
        self.datums.region
    }

    fn is_of(&self, plan: &Plan) -> bool {
        self.datums.is_of(plan)
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

    fn written(&self, block: &Block) -> [Range<usize>; 2] {
        let living = words(block.bytes(), self.datums.living_words());
        let slots = bits::last_set(living, self.datums.capacity).map_or(0, |last| last as usize + 1);
        let start = self.datums.start as usize;
        [self.datums.awake_words(), start..start + slots * self.datums.stride as usize]
    }

    fn update(&self, chunk: u16, mut part: ChunkPart<'_>) {
        let datums = self.datums;
        let first = u32::from(chunk) * u32::from(datums.chunk);
        let count = u32::from(datums.chunk).min(datums.capacity - first);
        let stride = datums.stride as usize;
        let slots_at = datums.start as usize + first as usize * stride;
        let awake_at = datums.awake_words().start + first as usize / 8;
        // SAFETY: the slots of this chunk lie within the block (its key is of this plan), chunks do not overlap, no two
        // domains have the same array, and each chunk is one job's. Nobody else looks at the living block while simulating: all read the frozen one.
        let slots = unsafe { slice::from_raw_parts_mut(part.now.at(slots_at), count as usize * stride) };
        // SAFETY: as above; a chunk is a whole number of words, which start at a multiple of eight.
        let awake = unsafe { slice::from_raw_parts_mut(part.now.at(awake_at), count.div_ceil(64) as usize * 8) };
        let awake: &mut [u64] = plain::cast_slice_mut(awake);
        for index in 0..awake.len() {
            for within in bits::positions(awake[index], index as u32 * 64) {
                let at = within as usize * stride;
                let slot = &mut slots[at..at + stride];
                part.marks.mark(slots_at + at..slots_at + at + stride);
                if self.update_slot(first + within, slot, &mut part) {
                    bits::set(awake, within, false);
                    part.marks.mark(awake_at + index * 8..awake_at + index * 8 + 8);
                }
            }
        }
    }
}

impl<T: Plain, F: Fn(&mut Item<'_, T>) + Sync> Each<T, F> {
    /// Updates one item; says whether it falls asleep.
    #[inline]
    fn update_slot(&self, number: u32, slot: &mut [u8], part: &mut ChunkPart<'_>) -> bool {
        let (header, value) = slot.split_at_mut(self.datums.value_offset as usize);
        let salt: u16 = *plain::from_bytes(&header[..2]);
        let next: &mut T = plain::from_bytes_mut(&mut value[..size_of::<T>()]);
        let mut outbox = part.outbox.reborrow();
        let mut item = Item {
            handle: Handle::new(number as u16, salt),
            next,
            frozen: part.frozen,
            datums: self.datums,
            time: part.time,
            outbox: &mut outbox,
            sequence: 0,
            falls_asleep: false,
        };
        (self.update)(&mut item);
        let falls_asleep = item.falls_asleep;
        item.next.canonicalise();
        falls_asleep
    }
}
