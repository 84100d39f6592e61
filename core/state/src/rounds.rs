//! Rounds: jobs that workers do together, one round after the other, without going home in between.
//!
//! Laws
//! 1. Each job of each round is done exactly once, and all of a round are done before any of the next begins. Nobody has to be
//!    trusted for it: whatever a crew does, it can only be that nothing is done.
//! 2. Nobody waits for anybody who has not begun: whoever is there does what nobody has taken.
//! 3. The jobs of a round are divided into sections, one for each worker, and everybody begins with its own. So jobs at the same
//!    place of similar rounds are mostly done by the same worker, which has what it needs at hand: on its own core.
//! 4. If a job panics, no other round begins.
//!
//! A crew whose jobs cannot wait for one another runs one round at a time: see [`Workers::together`].

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicU64};

use base::number::float_environment_is_sound;

use crate::workers::Workers;

/// How many jobs a round has at most. With more to do, each does more.
pub(crate) const JOBS_MAX: usize = 1024;

/// In larger crews the others stay at home.
const SECTIONS_MAX: usize = 16;

/// Runs all jobs of all rounds. `counts` says how many jobs each round has; `job` is told its round and its number.
///
/// # Panics
/// If a job does, if a round has more than [`JOBS_MAX`] jobs, or if the crew does not do what it should.
pub(crate) fn run_rounds(workers: &dyn Workers, counts: &[u32], job: &(dyn Fn(usize, usize) + Sync)) {
    assert!(counts.iter().all(|count| *count as usize <= JOBS_MAX), "a round has {JOBS_MAX} jobs at most");
    let together = workers.together().min(SECTIONS_MAX as u32);
    if together <= 1 || counts.iter().all(|count| *count <= 1) {
        counts.iter().enumerate().for_each(|(round, count)| run_one(workers, *count, &|number| job(round, number)));
        return;
    }
    let rounds = Rounds::new(counts, together);
    workers.run(together, &|worker| rounds.take_part(u64::from(worker), workers, job));
    assert_eq!(rounds.round(), counts.len(), "the crew did not run all jobs");
}

/// One round, by whoever runs jobs, who is made sure of.
fn run_one(workers: &dyn Workers, count: u32, job: &(dyn Fn(usize) + Sync)) {
    if count <= 1 {
        (0..count).for_each(|number| job(number as usize));
        return;
    }
    let taken: [AtomicU64; JOBS_MAX / 64] = [const { AtomicU64::new(0) }; JOBS_MAX / 64];
    workers.run(count, &|number| {
        assert!(float_environment_is_sound(), "this thread rounds floats in a way of its own");
        let (word, bit) = (number as usize / 64, 1_u64 << (number % 64));
        let is_taken = taken[word].fetch_or(bit, Relaxed) & bit != 0;
        assert!(number < count && !is_taken, "the crew ran job {number} twice, or there is no such job");
        job(number as usize);
    });
    let done: u32 = taken.iter().map(|word| word.load(Relaxed).count_ones()).sum();
    assert_eq!(done, count, "the crew did not run all jobs");
}

/// Rounds that are under way.
struct Rounds<'a> {
    counts: &'a [u32],
    /// How many sections there are.
    divided: u64,
    sections: [Line; SECTIONS_MAX],
    /// The round, and how many of its jobs are done and were told.
    progress: Line,
    is_broken: AtomicBool,
}

/// A round in the upper half, numbers of its jobs in the lower: how many are done, or how many were taken from the front and, shifted
/// by [`BACK_SHIFT`], from the back. On a cache line of its own, as it is mostly one worker's.
#[derive(Default)]
#[repr(align(64))]
struct Line(AtomicU64);

/// How far the round is from the jobs in a [`Line`].
const ROUND_SHIFT: u32 = 32;
const BACK_SHIFT: u32 = 16;
const HALF: u64 = (1 << BACK_SHIFT) - 1;

const _: () = assert!(JOBS_MAX as u64 <= HALF, "so many can be counted");

impl<'a> Rounds<'a> {
    fn new(counts: &'a [u32], together: u32) -> Rounds<'a> {
        let rounds = Rounds {
            counts,
            divided: u64::from(together),
            sections: Default::default(),
            progress: Line::default(),
            is_broken: AtomicBool::new(false),
        };
        rounds.progress.0.store((rounds.from(0) as u64) << ROUND_SHIFT, Relaxed);
        rounds
    }

    /// Does what nobody has taken, until all rounds are over or nothing is left of the last one.
    fn take_part(&self, worker: u64, workers: &dyn Workers, job: &(dyn Fn(usize, usize) + Sync)) {
        assert!(float_environment_is_sound(), "this thread rounds floats in a way of its own");
        let guard = Guard(&self.is_broken);
        let mut round = self.round();
        while round < self.counts.len() {
            let mut done = 0;
            for turn in 0..self.divided {
                while let Some(number) = self.take(round, (worker + turn) % self.divided, turn == 0) {
                    job(round, number);
                    done += 1;
                }
            }
            round = self.go_on(round, done, workers);
        }
        core::mem::forget(guard);
    }

    /// The round that is under way. All that was written in those before it is there.
    fn round(&self) -> usize {
        (self.progress.0.load(Acquire) >> ROUND_SHIFT) as usize
    }

    /// The first round from this one on in which there is something to do.
    fn from(&self, round: usize) -> usize {
        let behind = self.counts[round..].iter().position(|count| *count > 0);
        behind.map_or(self.counts.len(), |behind| round + behind)
    }

    /// The next job of a section, if it is in this round and there is one left: the first that nobody has, or for whoever helps, the
    /// last, since whoever has the section needs what lies beside the first.
    fn take(&self, round: usize, section: u64, is_own: bool) -> Option<usize> {
        let count = u64::from(self.counts[round]);
        // Rounded up, so that the first worker does what is one job.
        let start = |section: u64| (count * section).div_ceil(self.divided);
        let (first, end) = (start(section), start(section + 1));
        let taken = &self.sections[section as usize].0;
        let mut seen = taken.load(Relaxed);
        loop {
            let (front, back) = match (seen >> ROUND_SHIFT).cmp(&(round as u64)) {
                core::cmp::Ordering::Less => (0, 0),
                core::cmp::Ordering::Equal => (seen & HALF, seen >> BACK_SHIFT & HALF),
                core::cmp::Ordering::Greater => return None,
            };
            if front + back >= end - first {
                return None;
            }
            let (number, front, back) =
                if is_own { (first + front, front + 1, back) } else { (end - 1 - back, front, back + 1) };
            let next = (round as u64) << ROUND_SHIFT | back << BACK_SHIFT | front;
            match taken.compare_exchange_weak(seen, next, Relaxed, Relaxed) {
                Ok(_) => return Some(number as usize),
                Err(now) => seen = now,
            }
        }
    }

    /// Tells how many jobs this worker did, and waits for the next round: whoever did the last job of one begins it. From the last
    /// round everybody goes as soon as there is nothing left to take.
    fn go_on(&self, round: usize, done: u64, workers: &dyn Workers) -> usize {
        let next = self.from(round + 1);
        if done > 0 {
            // Acquires what the others wrote, and releases what was written here.
            let before = self.progress.0.fetch_add(done, AcqRel) & ((1 << ROUND_SHIFT) - 1);
            if before + done == u64::from(self.counts[round]) {
                self.progress.0.store((next as u64) << ROUND_SHIFT, Release);
                return next;
            }
        }
        if next == self.counts.len() {
            return next;
        }
        let mut turns = 0_u32;
        loop {
            let now = self.round();
            if now != round {
                return now;
            }
            if self.is_broken.load(Relaxed) {
                return self.counts.len();
            }
            workers.wait(turns);
            turns = turns.saturating_add(1);
        }
    }
}

/// Says that a job panicked, if it is dropped.
struct Guard<'a>(&'a AtomicBool);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}
