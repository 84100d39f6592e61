//! The laws of the pool, for pools of all sizes, shuffled and not.
#![allow(unsafe_code, reason = "the one test of memory order must not use anything that orders memory itself")]

use super::*;
use crate::allocation;
use std::cell::UnsafeCell;
use std::hint::black_box;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::{Barrier, Mutex};

/// Miri is a thousand times slower and finds races that a thousand times more runs would not.
const RUNS: u32 = if cfg!(miri) { 12 } else { 500 };
const CREWS: [u32; 5] = [1, 2, 3, 7, 16];

fn crews() -> impl Iterator<Item = ThreadPool> {
    let plain = CREWS.into_iter().map(ThreadPool::new);
    plain.chain(CREWS.into_iter().map(|workers| ThreadPool::new(workers).with_shuffle(u64::from(workers))))
}

/// Pseudo-random numbers, the same every time.
fn draw(seed: u32) -> u32 {
    seed.wrapping_mul(2_654_435_761).rotate_left(13).wrapping_mul(2_246_822_519)
}

#[test]
fn every_job_is_done_exactly_once() {
    let most = 200;
    for pool in crews() {
        let done: Vec<AtomicU32> = (0..most).map(|_| AtomicU32::new(0)).collect();
        for run in 0..RUNS {
            let count = draw(run) % most;
            pool.run(count, &|number| {
                done[number as usize].fetch_add(1, Ordering::Relaxed);
            });
            for (number, done) in done.iter().enumerate() {
                let expected = u32::from((number as u32) < count);
                assert_eq!(done.swap(0, Ordering::Relaxed), expected, "{pool:?}, job {number} of {count}");
            }
        }
    }
}

#[test]
fn writes_before_a_run_are_visible_to_its_jobs_and_theirs_after_it() {
    struct Cells([UnsafeCell<u64>; 8]);
    // SAFETY: job number n alone touches cell n, and the caller only when no run is under way.
    unsafe impl Sync for Cells {}
    for pool in crews() {
        let mut cells = Cells(Default::default());
        for run in 0..u64::from(RUNS) {
            cells.0.iter_mut().for_each(|cell| *cell.get_mut() = run);
            let cells = &cells;
            pool.run(8, &|number| {
                let cell = cells.0[number as usize].get();
                // SAFETY: see `Cells`.
                let seen = unsafe { *cell };
                assert_eq!(seen, run);
                // SAFETY: see `Cells`.
                unsafe { *cell = run + 1000 + u64::from(number) }
            });
            for (number, cell) in (0..).zip(&cells.0) {
                // SAFETY: see `Cells`.
                let seen = unsafe { *cell.get() };
                assert_eq!(seen, run + 1000 + number);
            }
        }
    }
}

#[test]
fn a_run_without_jobs_does_nothing() {
    for pool in crews() {
        pool.run(0, &|_| unreachable!("there are no jobs"));
    }
}

#[test]
fn workers_run_concurrently() {
    // Each job waits for all others: it ends only if there are as many threads as jobs.
    let pool = ThreadPool::new(3);
    let meeting = Barrier::new(3);
    for _ in 0..RUNS.min(100) {
        pool.run(3, &|_| {
            meeting.wait();
        });
    }
}

#[test]
fn zero_workers_count_as_one_and_too_many_as_the_maximum() {
    assert_eq!(ThreadPool::new(0).threads(), 1);
    assert_eq!(ThreadPool::new(5).threads(), 5);
    if !cfg!(miri) {
        assert!(ThreadPool::new(u32::MAX).threads() <= WORKERS_MAX);
    }
    assert!(ThreadPool::of_this_machine().threads() >= 1);
}

#[test]
fn a_panic_reaches_the_caller_after_all_jobs_and_the_pool_still_works() {
    for pool in crews() {
        for run in 0..RUNS.min(50) {
            let done = AtomicU32::new(0);
            let panics = |number| number % 10 == run % 10;
            let caught = panic::catch_unwind(AssertUnwindSafe(|| {
                pool.run(40, &|number| {
                    done.fetch_add(1, Ordering::Relaxed);
                    if panics(number) {
                        // Without printing the message, thousands of times.
                        panic::resume_unwind(Box::new(format!("job {number}")));
                    }
                });
            }));
            let payload = caught.expect_err("four jobs panicked");
            let message = payload.downcast_ref::<String>().expect("the payload is a string");
            assert_eq!(*message, format!("job {}", run % 10), "the lowest job number is propagated");
            assert_eq!(done.into_inner(), 40);
        }
    }
}

#[test]
#[should_panic(expected = "job 3 of 5")]
fn a_run_panics_with_the_message_of_its_job() {
    ThreadPool::new(2).run(5, &|number| assert!(number != 3, "job {number} of {}", 5));
}

#[test]
fn a_panic_payload_that_panics_when_dropped_does_not_hang_the_run() {
    struct Spiteful;
    impl Drop for Spiteful {
        fn drop(&mut self) {
            panic::resume_unwind(Box::new(()));
        }
    }
    let pool = ThreadPool::new(3);
    let caught = panic::catch_unwind(AssertUnwindSafe(|| {
        pool.run(20, &|_| panic::resume_unwind(Box::new(Spiteful)));
    }));
    std::mem::forget(caught.expect_err("all jobs panicked"));
    pool.run(20, &|_| ());
}

#[test]
fn a_nested_run_is_done_by_its_caller_alone() {
    for pool in crews() {
        let sum = AtomicU64::new(0);
        for _ in 0..RUNS.min(50) {
            pool.run(5, &|outer| {
                let caller = thread::current().id();
                pool.run(4, &|middle| {
                    pool.run(3, &|inner| {
                        assert_eq!(thread::current().id(), caller);
                        let number = u64::from(outer * 100 + middle * 10 + inner);
                        sum.fetch_add(number, Ordering::Relaxed);
                    });
                });
            });
        }
        let once: u32 = (0..60).map(|n| n / 12 * 100 + n / 3 % 4 * 10 + n % 3).sum();
        assert_eq!(sum.into_inner(), u64::from(once * RUNS.min(50)));
    }
}

#[test]
fn a_panic_in_a_nested_run_propagates_through_both() {
    let pool = ThreadPool::new(3);
    let done = AtomicU32::new(0);
    let caught = panic::catch_unwind(AssertUnwindSafe(|| {
        pool.run(4, &|outer| {
            pool.run(4, &|inner| {
                done.fetch_add(1, Ordering::Relaxed);
                if outer == 2 && inner == 1 {
                    panic::resume_unwind(Box::new("deep"));
                }
            });
        });
    }));
    assert_eq!(caught.expect_err("one job panicked").downcast_ref::<&str>(), Some(&"deep"));
    assert_eq!(done.into_inner(), 16);
}

#[test]
fn two_callers_may_share_a_pool() {
    for pool in crews() {
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for run in 0..RUNS.min(200) {
                        let sum = AtomicU32::new(0);
                        pool.run(run % 20, &|number| {
                            sum.fetch_add(number + 1, Ordering::Relaxed);
                        });
                        assert_eq!(sum.into_inner(), (1..=run % 20).sum());
                    }
                });
            }
        });
    }
}

#[test]
fn jobs_of_a_pool_may_use_another_pool() {
    let (first, second) = (ThreadPool::new(3), ThreadPool::new(3));
    for _ in 0..RUNS.min(50) {
        let done = AtomicU32::new(0);
        first.run(6, &|_| {
            second.run(6, &|_| {
                done.fetch_add(1, Ordering::Relaxed);
            });
        });
        assert_eq!(done.into_inner(), 36);
    }
}

#[test]
fn the_shuffled_order_follows_the_seed_and_differs_in_every_run() {
    let orders = |seed| -> Vec<Vec<u32>> {
        let pool = ThreadPool::new(1).with_shuffle(seed);
        let order = Mutex::new(Vec::new());
        let runs = (0..10).map(|_| {
            pool.run(30, &|number| order.lock().expect("no job panics").push(number));
            std::mem::take(&mut *order.lock().expect("no job panics"))
        });
        runs.collect()
    };
    assert_eq!(orders(1), orders(1));
    assert_ne!(orders(1), orders(2));
    let mut all = orders(1);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 10);
}

#[test]
fn a_run_allocates_nothing() {
    for pool in crews() {
        let done = AtomicU32::new(0);
        let before = allocation::allocations_while_forbidden();
        allocation::forbid(|| {
            for _ in 0..RUNS {
                pool.run(50, &|_| {
                    done.fetch_add(1, Ordering::Relaxed);
                });
            }
        });
        assert_eq!(allocation::allocations_while_forbidden() - before, 0, "{pool:?}");
        assert_eq!(done.into_inner(), 50 * RUNS);
    }
}

#[test]
fn allocations_of_jobs_are_counted_for_the_caller_that_forbade_them() {
    for pool in crews() {
        let helped = AtomicBool::new(false);
        let caller = thread::current().id();
        let allocate = |_| {
            if thread::current().id() != caller {
                helped.store(true, Ordering::Relaxed);
            }
            drop(black_box(Box::new(1)));
        };
        let before = allocation::allocations_while_forbidden();
        pool.run(50, &allocate);
        assert_eq!(allocation::allocations_while_forbidden() - before, 0);
        // Until a worker has joined: the law is about workers.
        let mut runs = 0;
        while runs == 0 || (pool.threads() > 1 && !helped.load(Ordering::Relaxed)) {
            allocation::forbid(|| pool.run(50, &allocate));
            runs += 1;
        }
        assert_eq!(allocation::allocations_while_forbidden() - before, 50 * runs);
        pool.run(50, &|_| assert!(!allocation::is_forbidden(), "it ends with the run"));
    }
}
