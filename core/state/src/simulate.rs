//! The parallel half of a cycle: every awake item computes its own next state.
//!
//! A *domain* is an array of items and the function that updates one. All domains of a cycle run together: their chunks
//! are the jobs of one `Workers::run`.
//!
//! Laws
//! 1. An update reads the frozen block, writes its own item, and queues at brushes. It has access to nothing else.
//! 2. The chunks follow from the plan and the awake bits. The number of workers only decides which thread runs which
//!    chunk.
//! 3. In checked worlds all other pages are write-protected meanwhile. In all worlds each thread asserts its float
//!    environment at the start of the cycle ([`Workers::begin_cycle`]): a library that turned on flush-to-zero is
//!    detected here.
//!
//! The access of an update to its item is in [`item`](crate::item).
#![allow(unsafe_code, reason = "the outboxes are divided among jobs, each of which writes only its own")]

use core::ops::Range;
use core::slice;

use crate::block::Block;
use crate::marks::Marks;
use crate::memory::PageAccess;
use crate::phase::Phase;
use crate::plan::Plan;
use crate::queue::Outbox;
use crate::world::{Time, World};
use jobs::workers::{SharedPointer, Workers, run_each_once};

/// An array of items and their update. Implemented only by [`each`](crate::each) and
/// [`each_entity`](crate::each_entity), since the ranges that jobs may write follow from it.
pub trait Domain: Sync + sealed::OnlyEach {
    /// The array that it updates.
    #[doc(hidden)]
    fn array(&self) -> u16;

    /// Whether its key belongs to this plan.
    #[doc(hidden)]
    fn is_of(&self, plan: &Plan) -> bool;

    /// Calls `visit` with each chunk that has an awake slot.
    #[doc(hidden)]
    fn awake_chunks(&self, block: &Block, visit: &mut dyn FnMut(u16));

    /// The ranges it writes: its slots up to the last living one, its awake bits, and for entities their values and
    /// alarms.
    #[doc(hidden)]
    fn written(&self, block: &Block) -> [Range<usize>; 4];

    /// Updates the awake items of one chunk.
    #[doc(hidden)]
    fn update(&self, chunk: u16, part: ChunkPart<'_>);
}

pub(crate) mod sealed {
    pub trait OnlyEach {}
}

impl World {
    /// Begins a cycle: freezes the world and updates all awake items of all domains.
    pub fn simulate(&mut self, workers: &dyn Workers, domains: &[&dyn Domain]) {
        assert!(matches!(self.phase, Phase::Resting | Phase::SettingUp), "cannot begin a cycle while {}", self.phase);
        workers.begin_cycle();
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
        self.freeze(workers);
        self.ring();
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
        let now = SharedPointer::new(self.now.start().as_ptr());
        let (words, used, refused, outbox_words) = self.queues.chunk_parts();
        let (words, used, refused) = (
            SharedPointer::new(words.as_mut_ptr()),
            SharedPointer::new(used.as_mut_ptr()),
            SharedPointer::new(refused.as_mut_ptr()),
        );
        let (jobs, frozen, marks, plan) = (&self.jobs[..], &self.frozen, &self.marks, self.now.plan());
        let taken = &self.taken[..jobs.len()];
        run_each_once(workers, taken, |job| {
            let (domain, chunk) = jobs[job];
            let domain = domains[usize::from(domain)];
            let outbox = plan.outbox(domain.array(), chunk);
            // SAFETY: every chunk has an outbox, no two domains have the same array, and each job gets here once.
            let words = unsafe { slice::from_raw_parts_mut(words.at(outbox * outbox_words), outbox_words) };
            // SAFETY: as above.
            let used = unsafe { &mut *used.at(outbox) };
            // SAFETY: as above.
            let refused = unsafe { &mut *refused.at(outbox) };
            let ground = Ground { now, frozen, marks, time: &time };
            domain.update(chunk, ChunkPart { ground, outbox: Outbox::new(words, used, refused) });
        });
    }

    /// Write-protects the pages that no domain writes. Partial pages stay writable.
    pub(crate) fn protect_all_but(&mut self, domains: &[&dyn Domain]) {
        let mut from = 0;
        while let Some(range) = next_written(&self.now, domains, from) {
            self.now.protect(from..range.start, PageAccess::Read);
            from = range.end;
        }
        self.now.protect(from..self.now.plan().bytes(), PageAccess::Read);
    }
}

/// The first range at or after `from` that some domain writes.
fn next_written(block: &Block, domains: &[&dyn Domain], from: usize) -> Option<Range<usize>> {
    let ranges = domains.iter().flat_map(|domain| domain.written(block));
    ranges.filter(|range| range.start >= from && !range.is_empty()).min_by_key(|range| range.start)
}

/// The input of one job.
#[doc(hidden)]
pub struct ChunkPart<'a> {
    pub(crate) ground: Ground<'a>,
    pub(crate) outbox: Outbox<'a>,
}

/// The input that all jobs share.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'a> {
    pub now: SharedPointer<u8>,
    pub frozen: &'a Block,
    pub marks: &'a Marks,
    pub time: &'a Time,
}

impl Ground<'_> {
    /// Marks the pages of these values of the present block as dirty.
    #[inline]
    pub fn mark<V>(&self, values: &[V]) {
        let start = values.as_ptr().addr() - self.now.at(0).addr();
        self.marks.mark(start..start + size_of_val(values));
    }
}
