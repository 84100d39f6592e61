//! Arenas that jobs fill in parallel: bump allocation of runs of values, from one shared counter or from per-worker
//! parts.
//!
//! Laws
//! 1. No element is handed out twice, and a run is contiguous.
//! 2. Where a run lies may depend on the order of threads. The caller keeps the start of each run and must not let it
//!    show.
//! 3. A [`WorkerArena`] takes its blocks from the part of the arena that belongs to its job's position, so a thread
//!    mostly writes where it wrote in the last step, to lines that are still in its core's cache.
#![allow(unsafe_code, reason = "an arena is divided among jobs, each of which writes only the elements it allocated")]

use alloc::vec::Vec;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicBool, AtomicUsize};

use crate::workers::SharedPointer;

/// How many values a [`WorkerArena`] allocates at once. Each job may leave one less than this unused.
pub const ARENA_BLOCK: usize = 16;

/// Into how many parts an arena is divided for per-worker allocation.
const PARTS: usize = 16;

/// Memory of fixed capacity into which jobs put runs of values, in any order.
pub struct Arena<T> {
    values: Vec<T>,
    used: usize,
}

/// An arena being filled from one shared counter.
pub struct Filling<T> {
    values: SharedPointer<T>,
    capacity: usize,
    used: AtomicUsize,
}

/// An arena being filled through per-worker arenas.
pub struct WorkerArenas<T> {
    values: SharedPointer<T>,
    capacity: usize,
    /// How many elements of each part are allocated.
    parts: [PartCounter; PARTS],
    has_overflowed: AtomicBool,
}

/// On its own cache line, since mostly one thread writes it.
#[derive(Default)]
#[repr(align(64))]
struct PartCounter(AtomicUsize);

/// The bump allocator of one job.
pub struct WorkerArena<'a, T> {
    arenas: &'a WorkerArenas<T>,
    part: usize,
    next: usize,
    end: usize,
}

impl<T: Copy + Default + Send> Arena<T> {
    /// Allocates for this many values.
    pub fn new(capacity: usize) -> Arena<T> {
        Arena { values: alloc::vec![T::default(); capacity], used: 0 }
    }

    /// Empties the arena and lets `work` fill it. False if a run did not fit: then the content depends on the order of
    /// threads, and must not be used.
    pub fn fill(&mut self, work: impl FnOnce(&Filling<T>)) -> bool {
        let capacity = self.values.len();
        let values = SharedPointer::new(self.values.as_mut_ptr());
        let filling = Filling { values, capacity, used: AtomicUsize::new(0) };
        work(&filling);
        let used = filling.used.into_inner();
        self.used = used.min(capacity);
        used <= capacity
    }

    /// Empties the arena and lets the jobs of `work` fill it through per-worker arenas. Between the runs lie unused
    /// elements. False if a run did not fit.
    pub fn fill_per_worker(&mut self, work: impl FnOnce(&WorkerArenas<T>)) -> bool {
        self.used = self.values.len();
        let arenas = WorkerArenas {
            values: SharedPointer::new(self.values.as_mut_ptr()),
            capacity: self.values.len(),
            parts: Default::default(),
            has_overflowed: AtomicBool::new(false),
        };
        work(&arenas);
        !arenas.has_overflowed.into_inner()
    }

    /// The content.
    pub fn as_slice(&self) -> &[T] {
        &self.values[..self.used]
    }

    /// The content, mutable.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.values[..self.used]
    }
}

impl<T: Copy> Filling<T> {
    #[inline]
    fn allocate(&self, count: usize) -> Option<usize> {
        let start = self.used.fetch_add(count, Relaxed);
        start.checked_add(count).is_some_and(|end| end <= self.capacity).then_some(start)
    }

    /// Appends a run of values and returns where it starts, or none if it does not fit.
    #[inline]
    pub fn push(&self, run: &[T]) -> Option<u32> {
        let start = self.allocate(run.len())?;
        for (index, value) in run.iter().enumerate() {
            // SAFETY: the element lies within the arena and was allocated to this run alone.
            unsafe { *self.values.at(start + index) = *value };
        }
        u32::try_from(start).ok()
    }

    /// How many more values fit.
    pub fn left(&self) -> usize {
        self.capacity.saturating_sub(self.used.load(Relaxed))
    }
}

impl<T: Copy> WorkerArenas<T> {
    /// The arena of the job that starts at element `start` of `count`.
    pub fn of_job(&self, start: usize, count: usize) -> WorkerArena<'_, T> {
        let part = start.min(count) * PARTS / count.max(1);
        WorkerArena { arenas: self, part: part.min(PARTS - 1), next: 0, end: 0 }
    }

    /// Allocates elements in this part, or in the next one that has them.
    fn allocate(&self, part: usize, count: usize) -> Option<usize> {
        let start = |part: usize| self.capacity * part / PARTS;
        for part in (part..PARTS).chain(0..part) {
            let counter = &self.parts[part].0;
            let size = start(part + 1) - start(part);
            let mut used = counter.load(Relaxed);
            while size - used >= count {
                match counter.compare_exchange_weak(used, used + count, Relaxed, Relaxed) {
                    Ok(_) => return Some(start(part) + used),
                    Err(now) => used = now,
                }
            }
        }
        self.has_overflowed.store(true, Relaxed);
        None
    }
}

impl<T: Copy> WorkerArena<'_, T> {
    /// Appends a run of values and returns where it starts, or none if it does not fit.
    #[inline]
    pub fn push(&mut self, run: &[T]) -> Option<u32> {
        if self.end - self.next < run.len() {
            let count = run.len().max(ARENA_BLOCK);
            self.next = self.arenas.allocate(self.part, count)?;
            self.end = self.next + count;
        }
        let start = self.next;
        self.next += run.len();
        for (index, value) in run.iter().enumerate() {
            // SAFETY: the element lies within the arena, in a block that was allocated to this job alone.
            unsafe { *self.arenas.values.at(start + index) = *value };
        }
        u32::try_from(start).ok()
    }
}
