//! Phases: sets of jobs separated by barriers, run by the same threads without returning to the pool in between.
//!
//! Laws
//! 1. Each job of each phase runs exactly once, and all jobs of a phase end before any of the next starts. This does
//!    not rest on the workers: if they break their laws, the worst outcome is that jobs do not run, which is asserted.
//! 2. No thread waits for one that has not started: a thread that is here takes any job that is not taken.
//! 3. The jobs of a phase are divided into sections, one for each thread, and each thread starts with its own section.
//!    So jobs at the same position of similar phases mostly run on the same core, with their data in its cache. A
//!    thread whose section is empty steals from the end of the others.
//! 4. If a job panics, no further phase starts.
//!
//! Workers whose jobs cannot wait for one another run one phase at a time: see [`Workers::concurrent_jobs`].

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicU64};

use crate::workers::Workers;

/// The most jobs of one phase. With more to do, each job does more.
pub(crate) const JOBS_MAX: usize = 1024;

/// The most threads that take part in phases.
const SECTIONS_MAX: usize = 16;

/// Runs all jobs of all phases. `counts` has the number of jobs of each phase; `job` gets the phase and the number of
/// the job in it.
///
/// # Panics
/// If a job does, if a phase has more than [`JOBS_MAX`] jobs, or if the workers break their laws.
pub(crate) fn run_phases(workers: &dyn Workers, counts: &[u32], job: &(dyn Fn(usize, usize) + Sync)) {
    assert!(counts.iter().all(|count| *count as usize <= JOBS_MAX), "a phase has {JOBS_MAX} jobs at most");
    let threads = workers.concurrent_jobs().min(SECTIONS_MAX as u32);
    if threads <= 1 || counts.iter().all(|count| *count <= 1) {
        counts.iter().enumerate().for_each(|(phase, count)| run_one(workers, *count, &|number| job(phase, number)));
        return;
    }
    let schedule = PhaseSchedule::new(counts, threads);
    workers.run(threads, &|thread| schedule.take_part(u64::from(thread), workers, job));
    assert_eq!(schedule.phase(), counts.len(), "the workers did not run all jobs");
}

/// One phase as one run of the workers, asserting that they run each job once.
fn run_one(workers: &dyn Workers, count: u32, job: &(dyn Fn(usize) + Sync)) {
    if count <= 1 {
        (0..count).for_each(|number| job(number as usize));
        return;
    }
    let taken: [AtomicU64; JOBS_MAX / 64] = [const { AtomicU64::new(0) }; JOBS_MAX / 64];
    workers.run(count, &|number| {
        let (word, bit) = (number as usize / 64, 1_u64 << (number % 64));
        let is_taken = taken[word].fetch_or(bit, Relaxed) & bit != 0;
        assert!(number < count && !is_taken, "the workers ran job {number} twice, or there is no such job");
        job(number as usize);
    });
    let done: u32 = taken.iter().map(|word| word.load(Relaxed).count_ones()).sum();
    assert_eq!(done, count, "the workers did not run all jobs");
}

/// The progress of phases that are running.
struct PhaseSchedule<'a> {
    counts: &'a [u32],
    /// The number of sections.
    divided: u64,
    sections: [PhaseCounter; SECTIONS_MAX],
    /// The current phase, and how many of its jobs have been reported as done.
    progress: PhaseCounter,
    has_panicked: AtomicBool,
}

/// A phase in the upper half and job counts in the lower: how many are done, or how many were taken from the front and,
/// shifted by [`BACK_SHIFT`], from the back. On its own cache line, since mostly one thread writes it.
#[derive(Default)]
#[repr(align(64))]
struct PhaseCounter(AtomicU64);

/// The bit at which the phase starts in a [`PhaseCounter`].
const PHASE_SHIFT: u32 = 32;
const BACK_SHIFT: u32 = 16;
const HALF: u64 = (1 << BACK_SHIFT) - 1;

const _: () = assert!(JOBS_MAX as u64 <= HALF, "job counts fit their bits");

impl<'a> PhaseSchedule<'a> {
    fn new(counts: &'a [u32], threads: u32) -> PhaseSchedule<'a> {
        let schedule = PhaseSchedule {
            counts,
            divided: u64::from(threads),
            sections: Default::default(),
            progress: PhaseCounter::default(),
            has_panicked: AtomicBool::new(false),
        };
        schedule.progress.0.store((schedule.next_phase(0) as u64) << PHASE_SHIFT, Relaxed);
        schedule
    }

    /// Takes and runs jobs until all phases are over, or nothing of the last one is left to take.
    fn take_part(&self, thread: u64, workers: &dyn Workers, job: &(dyn Fn(usize, usize) + Sync)) {
        let guard = PanicGuard(&self.has_panicked);
        let mut phase = self.phase();
        while phase < self.counts.len() {
            let mut done = 0;
            for offset in 0..self.divided {
                while let Some(number) = self.take(phase, (thread + offset) % self.divided, offset == 0) {
                    job(phase, number);
                    done += 1;
                }
            }
            phase = self.pass_barrier(phase, done, workers);
        }
        core::mem::forget(guard);
    }

    /// The current phase. Acquires everything that was written in the phases before it.
    fn phase(&self) -> usize {
        (self.progress.0.load(Acquire) >> PHASE_SHIFT) as usize
    }

    /// The first phase from this one on that has jobs.
    fn next_phase(&self, phase: usize) -> usize {
        let skipped = self.counts[phase..].iter().position(|count| *count > 0);
        skipped.map_or(self.counts.len(), |skipped| phase + skipped)
    }

    /// Takes the next job of a section in this phase, if one is left: the owner of the section takes the first, a thief
    /// the last, because the owner's cache holds the neighbours of the first.
    fn take(&self, phase: usize, section: u64, is_own: bool) -> Option<usize> {
        let count = u64::from(self.counts[phase]);
        // Rounded up, so that the first thread gets the job if there is only one.
        let start = |section: u64| (count * section).div_ceil(self.divided);
        let (first, end) = (start(section), start(section + 1));
        let taken = &self.sections[section as usize].0;
        let mut seen = taken.load(Relaxed);
        loop {
            let (front, back) = match (seen >> PHASE_SHIFT).cmp(&(phase as u64)) {
                core::cmp::Ordering::Less => (0, 0),
                core::cmp::Ordering::Equal => (seen & HALF, seen >> BACK_SHIFT & HALF),
                core::cmp::Ordering::Greater => return None,
            };
            if front + back >= end - first {
                return None;
            }
            let (number, front, back) =
                if is_own { (first + front, front + 1, back) } else { (end - 1 - back, front, back + 1) };
            let next = (phase as u64) << PHASE_SHIFT | back << BACK_SHIFT | front;
            match taken.compare_exchange_weak(seen, next, Relaxed, Relaxed) {
                Ok(_) => return Some(number as usize),
                Err(now) => seen = now,
            }
        }
    }

    /// Reports the jobs that this thread did and waits for the next phase, which the thread that did the last job
    /// starts. After the last phase no thread waits: a thread leaves as soon as nothing is left to take.
    fn pass_barrier(&self, phase: usize, done: u64, workers: &dyn Workers) -> usize {
        let next = self.next_phase(phase + 1);
        if done > 0 {
            // Acquires what the other threads wrote, and releases what this one wrote.
            let before = self.progress.0.fetch_add(done, AcqRel) & ((1 << PHASE_SHIFT) - 1);
            if before + done == u64::from(self.counts[phase]) {
                self.progress.0.store((next as u64) << PHASE_SHIFT, Release);
                return next;
            }
        }
        if next == self.counts.len() {
            return next;
        }
        let mut calls = 0_u32;
        loop {
            let now = self.phase();
            if now != phase {
                return now;
            }
            if self.has_panicked.load(Relaxed) {
                return self.counts.len();
            }
            workers.spin_wait(calls);
            calls = calls.saturating_add(1);
        }
    }
}

/// Records that a job panicked, if it is dropped.
struct PanicGuard<'a>(&'a AtomicBool);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}
