//! Sharing: slices that jobs work on together, each on elements of its own.
//!
//! Laws
//! 1. No element is two jobs' at once; so who is first, and how many there are, cannot show.
//! 2. How a slice is cut up is decided by constants of the caller, never by the crew.
//! 3. Nothing is taken from the heap.
#![allow(unsafe_code, reason = "a slice is divided among jobs, each of which has elements of its own")]

mod alike;
mod lease;
pub mod pairing;

use alloc::vec::Vec;
use core::ops::Range;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

use crate::rounds::{JOBS_MAX, run_rounds};
use crate::workers::{Shared, Workers};

pub use alike::Alike;
pub use lease::{LEASE, Lease, Leases};
pub use pairing::{NOBODY, PairWork, Pairing, Pairs};

/// Works on a slice in chunks of this length (or longer ones, if there would be too many). `work` is told where its chunk begins.
pub fn each_chunk<T: Send>(
    workers: &dyn Workers,
    values: &mut [T],
    chunk: usize,
    work: impl Fn(usize, &mut [T]) + Sync,
) {
    each_chunk_of(workers, values, chunk, work);
}

/// The same over two slices of the same length.
pub fn each_chunk_of_two<A: Send, B: Send>(
    workers: &dyn Workers,
    slices: (&mut [A], &mut [B]),
    chunk: usize,
    work: impl Fn(usize, &mut [A], &mut [B]) + Sync,
) {
    each_chunk_of(workers, slices, chunk, |start, (first, second)| work(start, first, second));
}

/// The same over any slices that are cut up alike.
///
/// # Panics
/// If they are not of the same length.
pub fn each_chunk_of<S: Alike>(workers: &dyn Workers, mut values: S, chunk: usize, work: impl Fn(usize, S) + Sync) {
    let (count, raw) = (values.count(), values.raw());
    each_range(workers, count, chunk, |range| {
        let start = range.start;
        // SAFETY: the ranges lie within the slices, do not overlap, and each is worked on once.
        work(start, unsafe { S::part(raw, range) });
    });
}

/// Works on a slice in runs of any lengths: `ends` says where each run ends, and each begins where the one before it does. What is
/// behind the last is nobody's. `work` is told the number of its run.
///
/// # Panics
/// If an end is before the one before it, or behind the slice.
pub fn each_run<T: Send>(workers: &dyn Workers, values: &mut [T], ends: &[u32], work: impl Fn(usize, &mut [T]) + Sync) {
    each_run_of(workers, values, ends, work);
}

/// The same over any slices that are cut up alike.
///
/// # Panics
/// As above, and if they are not of the same length.
pub fn each_run_of<S: Alike>(workers: &dyn Workers, mut values: S, ends: &[u32], work: impl Fn(usize, S) + Sync) {
    let (count, raw) = (values.count(), values.raw());
    let is_ordered = ends.windows(2).all(|pair| pair[0] <= pair[1]);
    assert!(is_ordered && ends.last().is_none_or(|end| *end as usize <= count), "runs follow one another");
    each_range(workers, ends.len(), 1, |runs| {
        for run in runs {
            let start = if run == 0 { 0 } else { ends[run - 1] as usize };
            // SAFETY: the runs lie within the slices and follow one another, as was seen above, and each is worked on once.
            work(run, unsafe { S::part(raw, start..ends[run] as usize) });
        }
    });
}

/// Works on two slices in runs, each of which has a run of both: `ends` says for each slice where its runs end.
///
/// # Panics
/// As above, and if there are not as many runs of both.
pub fn each_run_of_two<A: Send, B: Send>(
    workers: &dyn Workers,
    (mut first, mut second): (&mut [A], &mut [B]),
    ends: (&[u32], &[u32]),
    work: impl Fn(usize, &mut [A], &mut [B]) + Sync,
) {
    assert_eq!(ends.0.len(), ends.1.len(), "there are as many runs of both");
    let counts = (first.count(), second.count());
    for (ends, count) in [(ends.0, counts.0), (ends.1, counts.1)] {
        let is_ordered = ends.windows(2).all(|pair| pair[0] <= pair[1]);
        assert!(is_ordered && ends.last().is_none_or(|end| *end as usize <= count), "runs follow one another");
    }
    let raw = (first.raw(), second.raw());
    each_range(workers, ends.0.len(), 1, |runs| {
        for run in runs {
            let range = |ends: &[u32]| if run == 0 { 0 } else { ends[run - 1] as usize }..ends[run] as usize;
            // SAFETY: the runs lie within the slice and follow one another, as was seen above, and each is worked on once.
            let first = unsafe { <&mut [A]>::part(raw.0, range(ends.0)) };
            // SAFETY: so do those of the other.
            let second = unsafe { <&mut [B]>::part(raw.1, range(ends.1)) };
            work(run, first, second);
        }
    });
}

/// Cuts what is counted into ranges and works on each once.
pub fn each_range(workers: &dyn Workers, count: usize, chunk: usize, work: impl Fn(Range<usize>) + Sync) {
    let chunk = chunk.max(count.div_ceil(JOBS_MAX)).max(1);
    let jobs = count.div_ceil(chunk);
    run_rounds(workers, &[jobs as u32], &|_, job| work(job * chunk..count.min((job + 1) * chunk)));
}

/// Room into which jobs put runs of values, in whatever order they come. A run stays together, and whoever put it there is told
/// where it begins.
pub struct Arena<T> {
    values: Vec<T>,
    used: usize,
}

/// An arena that is being filled.
pub struct Filling<T> {
    values: Shared<T>,
    capacity: usize,
    used: AtomicUsize,
}

impl<T: Copy + Default + Send> Arena<T> {
    /// Room for so many values.
    pub fn new(capacity: usize) -> Arena<T> {
        Arena { values: alloc::vec![T::default(); capacity], used: 0 }
    }

    /// Empties it and lets `work` fill it. False if something found no room: then what lies in it depends on who was first, and
    /// must not be used.
    pub fn fill(&mut self, work: impl FnOnce(&Filling<T>)) -> bool {
        let capacity = self.values.len();
        let filling = Filling { values: Shared(self.values.as_mut_ptr()), capacity, used: AtomicUsize::new(0) };
        work(&filling);
        let used = filling.used.into_inner();
        self.used = used.min(capacity);
        used <= capacity
    }

    /// Empties it and lets the jobs of `work` fill it, each by leases. What lies in it then is known from what they were told; between
    /// lies what nobody used. False if something found no room.
    pub fn lease_out(&mut self, work: impl FnOnce(&Leases<T>)) -> bool {
        self.used = self.values.len();
        let leases = Leases::new(&mut self.values);
        work(&leases);
        leases.is_enough()
    }

    /// What lies in it.
    pub fn as_slice(&self) -> &[T] {
        &self.values[..self.used]
    }

    /// The same, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.values[..self.used]
    }
}

impl<T: Copy> Filling<T> {
    /// Takes so much room. Where it begins, if there is so much.
    #[inline]
    fn take(&self, room: usize) -> Option<usize> {
        let start = self.used.fetch_add(room, Relaxed);
        start.checked_add(room).is_some_and(|end| end <= self.capacity).then_some(start)
    }

    /// Puts a run of values in, and tells where it begins. Nothing if there is no room.
    #[inline]
    pub fn push(&self, run: &[T]) -> Option<u32> {
        let start = self.take(run.len())?;
        for (index, value) in run.iter().enumerate() {
            // SAFETY: it is within the arena, and nobody else was given this place.
            unsafe { *self.values.at(start + index) = *value };
        }
        u32::try_from(start).ok()
    }

    /// How many values could still be put in.
    pub fn left(&self) -> usize {
        self.capacity.saturating_sub(self.used.load(Relaxed))
    }
}
