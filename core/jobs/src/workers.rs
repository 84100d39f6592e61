//! The trait through which parallel work reaches threads. The thread pool itself is the host's.
//!
//! Laws of every implementation
//! 1. `run(count, job)` calls `job` exactly once with each number below `count`, in any order, on any threads, and
//!    returns when all calls have returned.
//! 2. No result may depend on the number of threads or on which thread ran which job: the meaning of a job number is
//!    decided by constants of the game.
//! 3. If a job panics, `run` panics with the same message, after all running jobs have ended.
//! 4. `run` allocates nothing.
//! 5. If `concurrent_jobs` is more than one, a job may wait for another job that has started, by calling `spin_wait` in
//!    a loop; never for one that may not have started.
//! 6. Each thread asserts its float environment once per cycle, before its first job after `begin_cycle`. (Once per job
//!    took 3 % of a physics step.)
#![allow(unsafe_code, reason = "jobs share pointers and access disjoint elements through them")]

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use base::number::float_environment_is_sound;

/// Runs numbered jobs in parallel. An implementation that wraps another one forwards all methods.
pub trait Workers: Sync {
    /// A cycle starts: each thread that runs a job of it asserts its float environment once before, see
    /// [`assert_float_environment`]. By default only the caller does, which is enough if jobs run nowhere else.
    fn begin_cycle(&self) {
        assert_float_environment();
    }

    /// Runs all jobs below `count`. See the laws above.
    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync));

    /// The number of threads, the caller included. For reports only.
    fn threads(&self) -> u32;

    /// How many jobs of one run are guaranteed to be able to run at the same time, and so may wait for one another.
    /// One: none may.
    fn concurrent_jobs(&self) -> u32 {
        1
    }

    /// Pauses a job that waits for another one. Called in a loop, with the number of calls before this one.
    fn spin_wait(&self, calls: u32) {
        let _ = calls;
        core::hint::spin_loop();
    }
}

/// The calling thread alone: one job after the other, in order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Workers for Alone {
    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync)) {
        (0..count).for_each(job);
    }

    fn threads(&self) -> u32 {
        1
    }
}

/// Asserts that the calling thread computes floats as IEEE 754 says: a library may have turned on flush-to-zero.
///
/// # Panics
/// If it does not.
pub fn assert_float_environment() {
    assert!(float_environment_is_sound(), "{FLOAT_ENVIRONMENT_CHANGED}");
}

/// The message about a thread whose float environment was changed.
pub const FLOAT_ENVIRONMENT_CHANGED: &str = "this thread does not round floats as IEEE 754 says: a library changed the rounding mode or turned on flush-to-zero";

/// Runs one job per element of `taken`, and asserts that each ran exactly once.
///
/// # Panics
/// If a job does, or if the workers break law 1.
pub fn run_each_once(workers: &dyn Workers, taken: &[AtomicBool], work: impl Fn(usize) + Sync) {
    taken.iter().for_each(|taken| taken.store(false, Relaxed));
    workers.run(taken.len() as u32, &|job| {
        let job = job as usize;
        assert!(!taken[job].swap(true, Relaxed), "the workers ran job {job} twice");
        work(job);
    });
    let missing = taken.iter().position(|taken| !taken.load(Relaxed));
    assert_eq!(missing, None, "the workers did not run all {} jobs", taken.len());
}

/// A pointer that jobs share; each accesses its own elements through it.
pub struct SharedPointer<T>(*mut T);

impl<T> SharedPointer<T> {
    /// Shares a pointer.
    #[inline]
    pub fn new(start: *mut T) -> SharedPointer<T> {
        SharedPointer(start)
    }

    /// The address of one element.
    #[inline]
    pub fn at(self, index: usize) -> *mut T {
        self.0.wrapping_add(index)
    }
}

impl<T> Clone for SharedPointer<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SharedPointer<T> {}

// SAFETY: a pointer is only an address; each dereference states why it is exclusive.
unsafe impl<T> Send for SharedPointer<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for SharedPointer<T> {}
