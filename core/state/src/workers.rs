//! Who does the parallel work. The trait is here; the threads are the host's.
//!
//! Laws
//! 1. `run(count, job)` calls `job` exactly once with each number below `count`, in any order, on any threads, and
//!    returns when all calls have returned.
//! 2. Nothing may depend on how many workers there are or on who did what: what a job number means is decided by the
//!    game's constants.
//! 3. If a job panics, `run` panics with the same message, once no job is under way any more.
//! 4. `run` takes nothing from the heap.
//! 5. A job may wait for what another has begun, by calling `wait` again and again, if `together` is more than one; never for one that
//!    may not have begun.
#![allow(unsafe_code, reason = "jobs share pointers, and each goes its own way from them")]

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use base::number::float_environment_is_sound;

/// A fixed crew that runs numbered jobs.
pub trait Workers: Sync {
    /// Runs all jobs below `count`. See the laws above.
    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync));

    /// How many jobs may be under way at once. For reports only.
    fn crew(&self) -> u32;

    /// How many jobs of one run may wait for one another, if they are under way. One: none may.
    fn together(&self) -> u32 {
        1
    }

    /// A job waits for another that is under way: called again and again, with how often it was before.
    fn wait(&self, turns: u32) {
        let _ = turns;
        core::hint::spin_loop();
    }
}

/// The caller alone, one job after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Workers for Alone {
    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync)) {
        (0..count).for_each(job);
    }

    fn crew(&self) -> u32 {
        1
    }
}

/// Runs as many jobs as there are places in `taken`, and makes sure that each is run once.
pub(crate) fn run_each_once(workers: &dyn Workers, taken: &[AtomicBool], work: impl Fn(usize) + Sync) {
    taken.iter().for_each(|taken| taken.store(false, Relaxed));
    workers.run(taken.len() as u32, &|job| {
        assert!(float_environment_is_sound(), "this thread rounds floats in a way of its own");
        let job = job as usize;
        assert!(!taken[job].swap(true, Relaxed), "the crew ran job {job} twice");
        work(job);
    });
    let forgotten = taken.iter().position(|taken| !taken.load(Relaxed));
    assert_eq!(forgotten, None, "the crew did not run all {} jobs", taken.len());
}

/// A pointer that jobs share; each goes its own way from it.
pub struct Shared<T>(pub(crate) *mut T);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<T> {}

impl<T> Shared<T> {
    /// The address of one element.
    #[inline]
    pub(crate) fn at(self, index: usize) -> *mut T {
        self.0.wrapping_add(index)
    }
}

// SAFETY: a pointer is only an address; each use says why it is exclusive.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Shared<T> {}
