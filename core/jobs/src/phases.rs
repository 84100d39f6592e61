//! Phases: sets of jobs separated by barriers, run by the same threads without returning to the pool in between.
//!
//! Laws
//! 1. Each job of each phase runs exactly once, and all jobs of a phase end before any of the next starts. This does
//!    not rest on the workers: if they break their laws, the worst outcome is that jobs do not run, which is asserted.
//! 2. No thread waits for one that has not started: a thread that is here takes any job that is not taken.
//! 3. The jobs of a phase are divided into sections, one for each thread, and each thread starts with its own section.
//!    So jobs at the same position of similar phases mostly run on the same core, with their data in its cache. A
//!    thread whose section is empty steals from the end of the others: in the last phase at once, before that only after
//!    a while. (Looking at the counters of fifteen other threads takes longer than most phases.)
//! 4. Phases of one job that follow one another are run by one thread, without a barrier in between.
//! 5. If a job panics, no further phase starts.
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
    /// The current phase. Waiting threads poll it; it is written once in a phase.
    phase: PhaseCounter,
    /// How many jobs of the phase have been reported as done. Apart from the phase, so that polling does not slow down
    /// reports.
    done: PhaseCounter,
    has_panicked: AtomicBool,
}

/// A phase, or a number of jobs; of a section the phase in the upper half, and how many jobs were taken from the front
/// and, shifted by [`BACK_SHIFT`], from the back. On its own pair of cache lines, since mostly one thread writes it.
#[derive(Default)]
#[repr(align(128))]
struct PhaseCounter(AtomicU64);

/// A thread steals after this many pauses: about a microsecond. They do not yield, so that a machine with more threads than
/// processors steals as soon.
const PATIENCE: u32 = 32;

/// The bit at which the phase starts in the counter of a section.
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
            phase: PhaseCounter::default(),
            done: PhaseCounter::default(),
            has_panicked: AtomicBool::new(false),
        };
        schedule.phase.0.store(schedule.next_phase(0) as u64, Relaxed);
        schedule
    }

    /// Takes and runs jobs until all phases are over, or nothing of the last one is left to take.
    fn take_part(&self, thread: u64, workers: &dyn Workers, job: &(dyn Fn(usize, usize) + Sync)) {
        let guard = PanicGuard(&self.has_panicked);
        let mut phase = self.phase();
        while phase < self.counts.len() {
            let mut done = self.work_off(phase, thread % self.divided, true, job);
            if self.next_phase(self.group_end(phase)) == self.counts.len() {
                done += self.steal(phase, thread, job);
            }
            phase = self.pass_barrier(phase, done, workers, &|| self.steal(phase, thread, job));
        }
        core::mem::forget(guard);
    }

    /// Runs the jobs of a section that are left, and returns how many these were.
    fn work_off(&self, phase: usize, section: u64, is_own: bool, job: &(dyn Fn(usize, usize) + Sync)) -> u64 {
        let (mut done, end) = (0, self.group_end(phase));
        while let Some(number) = self.take(phase, section, is_own) {
            job(phase, number);
            (phase + 1..end).filter(|later| self.counts[*later] > 0).for_each(|later| job(later, 0));
            done += 1;
        }
        done
    }

    /// Runs the jobs of all other sections that are left, and returns how many these were.
    fn steal(&self, phase: usize, thread: u64, job: &(dyn Fn(usize, usize) + Sync)) -> u64 {
        (1..self.divided).map(|offset| self.work_off(phase, (thread + offset) % self.divided, false, job)).sum()
    }

    /// The current phase. Acquires everything that was written in the phases before it.
    fn phase(&self) -> usize {
        self.phase.0.load(Acquire) as usize
    }

    /// The end of the phases that are run as one: of those with one job, all that follow one another.
    fn group_end(&self, phase: usize) -> usize {
        let is_single = |phase: &usize| self.counts.get(*phase) == Some(&1);
        let mut end = phase + 1;
        while is_single(&phase) && is_single(&self.next_phase(end)) {
            end = self.next_phase(end) + 1;
        }
        end
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
    /// starts. After the last phase no thread waits: a thread leaves as soon as nothing is left to take. A thread that
    /// waits for long steals, once: what it does not find then, no thread finds later.
    fn pass_barrier(&self, phase: usize, done: u64, workers: &dyn Workers, steal: &dyn Fn() -> u64) -> usize {
        let next = self.next_phase(self.group_end(phase));
        if self.report_done(phase, done, next) || next == self.counts.len() {
            return next;
        }
        let mut calls = 0_u32;
        loop {
            if calls == PATIENCE && self.report_done(phase, steal(), next) {
                return next;
            }
            let now = self.phase();
            if now != phase {
                return now;
            }
            if self.has_panicked.load(Relaxed) {
                return self.counts.len();
            }
            if calls < PATIENCE {
                core::hint::spin_loop();
            } else {
                workers.spin_wait(calls - PATIENCE);
            }
            calls = calls.saturating_add(1);
        }
    }
}

impl PhaseSchedule<'_> {
    /// Reports jobs as done. If they were the last of the phase, starts the next and returns true.
    fn report_done(&self, phase: usize, done: u64, next: usize) -> bool {
        // Acquires what the other threads wrote, and releases what this one wrote.
        let is_last = done > 0 && self.done.0.fetch_add(done, AcqRel) + done == u64::from(self.counts[phase]);
        if is_last {
            // No thread reports again before it has seen the next phase.
            self.done.0.store(0, Relaxed);
            self.phase.0.store(next as u64, Release);
        }
        is_last
    }
}

/// Records that a job panicked, if it is dropped.
struct PanicGuard<'a>(&'a AtomicBool);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use alloc::vec::Vec;
    use core::sync::atomic::AtomicU32;
    use std::sync::Mutex;

    struct Threads(u32);

    impl Workers for Threads {
        fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync)) {
            std::thread::scope(|scope| {
                (0..count).for_each(|number| {
                    scope.spawn(move || job(number));
                });
            });
        }

        fn threads(&self) -> u32 {
            self.0
        }

        fn concurrent_jobs(&self) -> u32 {
            self.0
        }

        fn spin_wait(&self, _: u32) {
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_phase_begins_when_the_one_before_it_is_done() {
        let counts = [1, 1, 0, 1, 40, 3, 1, 0, 0, 1, 1, 7, 2, 1, 1];
        for threads in [2, 3, 5, 16] {
            let left: Vec<AtomicU32> = counts.iter().map(|count| AtomicU32::new(*count)).collect();
            let run = Mutex::new(Vec::new());
            run_phases(&Threads(threads), &counts, &|phase, number| {
                let is_done = left[..phase].iter().all(|left| left.load(Acquire) == 0);
                assert!(is_done, "phase {phase} began too early");
                run.lock().expect("no job panics").push((phase, number));
                left[phase].fetch_sub(1, Release);
            });
            let mut run = run.into_inner().expect("no job panicked");
            run.sort_unstable();
            let all =
                counts.iter().enumerate().flat_map(|(phase, count)| (0..*count as usize).map(move |at| (phase, at)));
            assert!(run.into_iter().eq(all), "{threads} threads");
        }
    }
}
