//! A parallel map over short-lived threads.
//!
//! For loading, scanning trees and building, where jobs wait for files and results are needed in order. A step uses the
//! [`thread_pool`](crate::thread_pool) instead.
//!
//! Laws
//! 1. Every job runs exactly once, and the results are in the order of the jobs.
//! 2. The caller works too. Threads that cannot be started (wasm) are done without.
//! 3. A panic in a job reaches the caller after all jobs have ended.

use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::limits::THREADS_MAX;

/// The number of hardware threads of this machine, at most [`THREADS_MAX`].
#[must_use]
pub fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX)
}

/// The results of `job(0)` to `job(count - 1)`, on this many threads, the caller included.
pub fn many<R: Send>(count: usize, threads: usize, job: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let threads = threads.clamp(1, THREADS_MAX).min(count);
    if threads <= 1 {
        return (0..count).map(job).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::with_capacity(count / threads);
        loop {
            // Cannot overflow: each thread ends at its first number beyond the count.
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return done;
            }
            done.push((number, job(number)));
        }
    };
    let mut all = together(threads, &work);
    all.sort_unstable_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, result)| result).collect()
}

/// The results of running `work` on this many threads, the caller included.
pub(crate) fn together<R: Send>(threads: usize, work: &(dyn Fn() -> Vec<R> + Sync)) -> Vec<R> {
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads)
            .map_while(|_| thread::Builder::new().name("parallel".into()).spawn_scoped(scope, work).ok())
            .collect();
        let mut all = work();
        let mut thrown = None;
        for other in others {
            match other.join() {
                Ok(done) => all.extend(done),
                Err(panic) => thrown = Some(panic),
            }
        }
        match thrown {
            Some(panic) => panic::resume_unwind(panic),
            None => all,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_jobs() {
        for count in [0, 1, 2, 7, 1000] {
            for threads in [0, 1, 2, 5, 1000] {
                let results = many(count, threads, |number| number * 3);
                assert_eq!(results, (0..count).map(|number| number * 3).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_panic_in_a_job_reaches_the_caller() {
        if cfg!(panic = "abort") {
            return;
        }
        let thrown = panic::catch_unwind(|| many(100, 4, |number| assert!(number != 57, "fifty-seven")));
        assert!(thrown.is_err());
    }
}
