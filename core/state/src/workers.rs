//! Who does the parallel work. The trait is here; the threads are the host's.
//!
//! Laws
//! 1. `run(count, job)` calls `job` exactly once with each number below `count`, in any order, on any threads, and
//!    returns when all calls have returned.
//! 2. Nothing may depend on how many workers there are or on who did what: what a job number means is decided by the
//!    game's constants.
//! 3. If a job panics, `run` panics with the same message, once no job is under way any more.
//! 4. `run` takes nothing from the heap.

/// A fixed crew that runs numbered jobs.
pub trait Workers: Sync {
    /// Runs all jobs below `count`. See the laws above.
    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync));

    /// How many jobs may be under way at once. For reports only.
    fn crew(&self) -> u32;
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
