//! The laws of the crew, for crews of all sizes, shuffled and not.
#![allow(unsafe_code, reason = "the one test of memory order must not use anything that orders memory itself")]

use super::*;
use crate::allocation;
use std::cell::UnsafeCell;
use std::hint::black_box;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::{Barrier, Mutex};

/// Miri is a thousand times slower and finds what a thousand times more runs would not.
const RUNS: u32 = if cfg!(miri) { 12 } else { 500 };
const CREWS: [u32; 5] = [1, 2, 3, 7, 16];

fn crews() -> impl Iterator<Item = Crew> {
    let plain = CREWS.into_iter().map(Crew::new);
    plain.chain(CREWS.into_iter().map(|workers| Crew::new(workers).with_shuffle(u64::from(workers))))
}

/// Numbers that look drawn, the same every time.
fn draw(seed: u32) -> u32 {
    seed.wrapping_mul(2_654_435_761).rotate_left(13).wrapping_mul(2_246_822_519)
}

#[test]
fn every_job_is_done_exactly_once() {
    let most = 200;
    for crew in crews() {
        let done: Vec<AtomicU32> = (0..most).map(|_| AtomicU32::new(0)).collect();
        for run in 0..RUNS {
            let count = draw(run) % most;
            crew.run(count, &|number| {
                done[number as usize].fetch_add(1, Ordering::Relaxed);
            });
            for (number, done) in done.iter().enumerate() {
                let expected = u32::from((number as u32) < count);
                assert_eq!(done.swap(0, Ordering::Relaxed), expected, "{crew:?}, job {number} of {count}");
            }
        }
    }
}

#[test]
fn what_was_written_before_is_there_in_the_jobs_and_what_they_write_is_there_after() {
    struct Cells([UnsafeCell<u64>; 8]);
    // SAFETY: job number n alone touches cell n, and the caller only when no run is under way.
    unsafe impl Sync for Cells {}
    for crew in crews() {
        let mut cells = Cells(Default::default());
        for run in 0..u64::from(RUNS) {
            cells.0.iter_mut().for_each(|cell| *cell.get_mut() = run);
            let cells = &cells;
            crew.run(8, &|number| {
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
fn no_jobs_are_no_work() {
    for crew in crews() {
        crew.run(0, &|_| unreachable!("there are no jobs"));
    }
}

#[test]
fn workers_really_work_together() {
    // Each job waits for all others: it ends only if as many threads as jobs are at it.
    let crew = Crew::new(3);
    let meeting = Barrier::new(3);
    for _ in 0..RUNS.min(100) {
        crew.run(3, &|_| {
            meeting.wait();
        });
    }
}

#[test]
fn none_counts_as_one_and_too_many_as_the_most() {
    assert_eq!(Crew::new(0).crew(), 1);
    assert_eq!(Crew::new(5).crew(), 5);
    if !cfg!(miri) {
        assert!(Crew::new(u32::MAX).crew() <= WORKERS_MAX);
    }
    assert!(Crew::of_this_machine().crew() >= 1);
}

#[test]
fn a_panic_reaches_the_caller_after_all_jobs_and_the_crew_goes_on() {
    for crew in crews() {
        for run in 0..RUNS.min(50) {
            let done = AtomicU32::new(0);
            let panics = |number| number % 10 == run % 10;
            let caught = panic::catch_unwind(AssertUnwindSafe(|| {
                crew.run(40, &|number| {
                    done.fetch_add(1, Ordering::Relaxed);
                    if panics(number) {
                        // Without the words on the screen, thousands of times.
                        panic::resume_unwind(Box::new(format!("job {number}")));
                    }
                });
            }));
            let payload = caught.expect_err("four jobs panicked");
            let message = payload.downcast_ref::<String>().expect("the message is a text");
            assert_eq!(*message, format!("job {}", run % 10), "the lowest number is told");
            assert_eq!(done.into_inner(), 40);
        }
    }
}

#[test]
#[should_panic(expected = "job 3 of 5")]
fn a_run_panics_with_the_message_of_its_job() {
    Crew::new(2).run(5, &|number| assert!(number != 3, "job {number} of {}", 5));
}

#[test]
fn a_panic_that_panics_again_when_dropped_stops_nobody() {
    struct Spiteful;
    impl Drop for Spiteful {
        fn drop(&mut self) {
            panic::resume_unwind(Box::new(()));
        }
    }
    let crew = Crew::new(3);
    let caught = panic::catch_unwind(AssertUnwindSafe(|| {
        crew.run(20, &|_| panic::resume_unwind(Box::new(Spiteful)));
    }));
    std::mem::forget(caught.expect_err("all jobs panicked"));
    crew.run(20, &|_| ());
}

#[test]
fn a_run_within_a_run_is_done_alone() {
    for crew in crews() {
        let sum = AtomicU64::new(0);
        for _ in 0..RUNS.min(50) {
            crew.run(5, &|outer| {
                let caller = thread::current().id();
                crew.run(4, &|middle| {
                    crew.run(3, &|inner| {
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
fn a_panic_within_a_run_within_a_run_is_carried_through_both() {
    let crew = Crew::new(3);
    let done = AtomicU32::new(0);
    let caught = panic::catch_unwind(AssertUnwindSafe(|| {
        crew.run(4, &|outer| {
            crew.run(4, &|inner| {
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
fn two_callers_may_share_a_crew() {
    for crew in crews() {
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for run in 0..RUNS.min(200) {
                        let sum = AtomicU32::new(0);
                        crew.run(run % 20, &|number| {
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
fn jobs_of_a_crew_may_use_another_crew() {
    let (first, second) = (Crew::new(3), Crew::new(3));
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
fn shuffling_alone_hands_out_by_the_seed_and_differently_in_every_run() {
    let orders = |seed| -> Vec<Vec<u32>> {
        let crew = Crew::new(1).with_shuffle(seed);
        let order = Mutex::new(Vec::new());
        let runs = (0..10).map(|_| {
            crew.run(30, &|number| order.lock().expect("no job panics").push(number));
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
fn a_run_takes_nothing_from_the_heap() {
    for crew in crews() {
        let done = AtomicU32::new(0);
        let before = allocation::allocations_while_forbidden();
        allocation::forbid(|| {
            for _ in 0..RUNS {
                crew.run(50, &|_| {
                    done.fetch_add(1, Ordering::Relaxed);
                });
            }
        });
        assert_eq!(allocation::allocations_while_forbidden() - before, 0, "{crew:?}");
        assert_eq!(done.into_inner(), 50 * RUNS);
    }
}

#[test]
fn what_jobs_take_from_the_heap_is_counted_for_the_caller_who_forbade_it() {
    for crew in crews() {
        let helped = AtomicBool::new(false);
        let caller = thread::current().id();
        let allocate = |_| {
            if thread::current().id() != caller {
                helped.store(true, Ordering::Relaxed);
            }
            drop(black_box(Box::new(1)));
        };
        let before = allocation::allocations_while_forbidden();
        crew.run(50, &allocate);
        assert_eq!(allocation::allocations_while_forbidden() - before, 0);
        // Until a worker was there too: the law is about them.
        let mut runs = 0;
        while runs == 0 || (crew.crew() > 1 && !helped.load(Ordering::Relaxed)) {
            allocation::forbid(|| crew.run(50, &allocate));
            runs += 1;
        }
        assert_eq!(allocation::allocations_while_forbidden() - before, 50 * runs);
        crew.run(50, &|_| assert!(!allocation::is_forbidden(), "it ends with the run"));
    }
}
