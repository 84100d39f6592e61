//! Parallel loops over slices: in chunks of equal length, or in runs of given lengths.
//!
//! Laws
//! 1. No element belongs to two jobs, so neither the order of the jobs nor their number can show.
//! 2. The cuts follow from constants of the caller, never from the number of threads.
//! 3. Nothing is allocated.
#![allow(unsafe_code, reason = "a slice is divided among jobs, each of which has its own range")]

use core::ops::Range;

use crate::parallel_slices::ParallelSlices;
use crate::phases::{JOBS_MAX, run_phases};
use crate::workers::Workers;

/// Calls `work` with each chunk of this length (longer if there would be too many), and with the index at which the
/// chunk starts.
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

/// The same over any parallel slices.
///
/// # Panics
/// If their lengths differ.
pub fn each_chunk_of<S: ParallelSlices>(
    workers: &dyn Workers,
    mut values: S,
    chunk: usize,
    work: impl Fn(usize, S) + Sync,
) {
    let (count, raw) = (values.count(), values.raw());
    each_range(workers, count, chunk, |range| {
        let start = range.start;
        // SAFETY: the ranges lie within the slices, do not overlap, and each is worked on once.
        work(start, unsafe { S::part(raw, range) });
    });
}

/// Calls `work` with each run of a slice and its number. `ends` says where each run ends; it starts where the one
/// before it ends. Elements after the last run are left alone.
///
/// # Panics
/// If the ends do not ascend, or one is past the slice.
pub fn each_run<T: Send>(workers: &dyn Workers, values: &mut [T], ends: &[u32], work: impl Fn(usize, &mut [T]) + Sync) {
    each_run_of(workers, values, ends, work);
}

/// The same over any parallel slices.
///
/// # Panics
/// As above, and if their lengths differ.
pub fn each_run_of<S: ParallelSlices>(
    workers: &dyn Workers,
    mut values: S,
    ends: &[u32],
    work: impl Fn(usize, S) + Sync,
) {
    let (count, raw) = (values.count(), values.raw());
    assert_runs(ends, count);
    each_range(workers, ends.len(), 1, |runs| {
        for run in runs {
            // SAFETY: the runs lie within the slices and do not overlap, as was asserted, and each is worked on once.
            work(run, unsafe { S::part(raw, run_range(ends, run)) });
        }
    });
}

/// Calls `work` with run N of the first slice and run N of the second: `ends` has the ends of the runs of each slice.
///
/// # Panics
/// As above, and if the two have different numbers of runs.
pub fn each_run_of_two<A: Send, B: Send>(
    workers: &dyn Workers,
    (mut first, mut second): (&mut [A], &mut [B]),
    ends: (&[u32], &[u32]),
    work: impl Fn(usize, &mut [A], &mut [B]) + Sync,
) {
    assert_eq!(ends.0.len(), ends.1.len(), "both slices must have the same number of runs");
    assert_runs(ends.0, first.count());
    assert_runs(ends.1, second.count());
    let raw = (first.raw(), second.raw());
    each_range(workers, ends.0.len(), 1, |runs| {
        for run in runs {
            // SAFETY: the runs lie within the slice and do not overlap, as was asserted, and each is worked on once.
            let first = unsafe { <&mut [A]>::part(raw.0, run_range(ends.0, run)) };
            // SAFETY: the same holds for the second slice.
            let second = unsafe { <&mut [B]>::part(raw.1, run_range(ends.1, run)) };
            work(run, first, second);
        }
    });
}

/// Cuts `0..count` into ranges of this length (longer if there would be too many) and calls `work` once with each.
pub fn each_range(workers: &dyn Workers, count: usize, chunk: usize, work: impl Fn(Range<usize>) + Sync) {
    let chunk = chunk.max(count.div_ceil(JOBS_MAX)).max(1);
    let jobs = count.div_ceil(chunk);
    run_phases(workers, &[jobs as u32], &|_, job| work(job * chunk..count.min((job + 1) * chunk)));
}

/// The index range of one run. Only after [`assert_runs`].
fn run_range(ends: &[u32], run: usize) -> Range<usize> {
    let start = if run == 0 { 0 } else { ends[run - 1] };
    start as usize..ends[run] as usize
}

fn assert_runs(ends: &[u32], count: usize) {
    let is_ordered = ends.windows(2).all(|pair| pair[0] <= pair[1]);
    let is_within = ends.last().is_none_or(|end| *end as usize <= count);
    assert!(is_ordered && is_within, "the ends of runs must ascend and lie within the slice of {count}");
}
