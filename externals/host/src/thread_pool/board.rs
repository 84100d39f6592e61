//! The board: the shared state through which workers join a run.
//!
//! One atomic word holds all of it:
//!
//! | bits   | meaning |
//! |--------|---------|
//! | 0..16  | the number of workers that have joined and not left |
//! | 16     | the run is open: workers may join |
//! | 17     | shutdown |
//! | 32..64 | the number of runs, this one included; wraps around |
//!
//! Laws
//! 1. Only the caller that holds `is_taken` opens and closes. It opens only when no worker is joined, and returns after
//!    closing only when all have left.
//! 2. So a worker that has joined may read the run until it leaves, and no other thread does.
//! 3. A worker joins a run at most once. If it missed exactly 2^32 runs it may skip one more, which is harmless: the
//!    caller does the jobs that are left.
#![allow(unsafe_code, reason = "a run lies on its caller's stack and is lent to threads that live longer")]

use std::hint;
use std::ptr;
use std::sync::atomic::{self, AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::thread;

use super::run::Run;

const JOINED: u64 = 0xffff;
const OPEN: u64 = 1 << 16;
const SHUT_DOWN: u64 = 1 << 17;
const RUNS_SHIFT: u32 = 32;

/// The state that caller and workers share. On its own pair of cache lines, since all of them poll it.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Board {
    state: AtomicU64,
    run: AtomicPtr<Run<'static>>,
    /// Whether a run is in progress: a second caller works alone.
    pub(super) is_taken: AtomicBool,
    /// The number of the current cycle; wraps around. A worker that joins its first run of a cycle asserts its float
    /// environment.
    cycle: AtomicU32,
    /// The number of workers that are parked, or about to be. While it is zero, opening a run touches no worker's memory.
    parked: AtomicU32,
    spins: u32,
}

impl Board {
    pub(super) fn new(spins: u32) -> Board {
        Board {
            state: AtomicU64::new(0),
            run: AtomicPtr::new(ptr::null_mut()),
            is_taken: AtomicBool::new(false),
            cycle: AtomicU32::new(0),
            parked: AtomicU32::new(0),
            spins,
        }
    }

    /// Starts a cycle. Seen by all workers that join a run which this thread opens afterwards.
    pub(super) fn begin_cycle(&self) {
        self.cycle.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of runs opened up to now.
    pub(super) fn runs(&self) -> u32 {
        runs_of(self.state.load(Ordering::Relaxed))
    }

    /// The number of spins of a waiting thread before it yields or parks.
    pub(super) fn spins(&self) -> u32 {
        self.spins
    }

    /// Opens a run to workers. The caller must hold `is_taken`, and must call `close` before the run is dropped.
    pub(super) fn open(&self, run: &Run) {
        let runs = self.runs().wrapping_add(1);
        self.run.store(ptr::from_ref(run).cast::<Run<'static>>().cast_mut(), Ordering::Relaxed);
        // Releases the run, and all earlier writes of the caller, to the workers that join.
        self.state.store(u64::from(runs) << RUNS_SHIFT | OPEN, Ordering::Release);
    }

    /// Whether a worker may be parked. After opening: a worker that this does not count has yet to look at the state, and
    /// will see the open run.
    pub(super) fn is_any_parked(&self) -> bool {
        atomic::fence(Ordering::SeqCst);
        self.parked.load(Ordering::Relaxed) > 0
    }

    /// Closes the run and returns when all workers have left.
    pub(super) fn close(&self) {
        // Acquires the writes of the workers that left, here or in the loop.
        let mut state = self.state.fetch_and(!OPEN, Ordering::Acquire);
        let mut spins = self.spins;
        while state & JOINED != 0 {
            if spins > 0 {
                spins -= 1;
                hint::spin_loop();
            } else {
                thread::park();
            }
            state = self.state.load(Ordering::Acquire);
        }
    }

    /// Ends all workers. No run is in progress.
    pub(super) fn shut_down(&self) {
        self.state.fetch_or(SHUT_DOWN, Ordering::Relaxed);
    }

    /// The main loop of a worker.
    pub(super) fn work(&self, number: u32) {
        let (mut last, mut checked) = (0, 0);
        while let Some(runs) = self.join(last) {
            last = runs;
            let cycle = self.cycle.load(Ordering::Relaxed);
            let is_first_of_cycle = cycle != checked;
            checked = cycle;
            // SAFETY: this worker has joined, so by law 2 the run lives until it leaves.
            let run = unsafe { &*self.run.load(Ordering::Relaxed) };
            run.take_part_for_caller(number, is_first_of_cycle);
            // Once the last worker has left, the run may be dropped, so the caller's handle is cloned before.
            let caller = run.caller().clone();
            if self.leave() {
                caller.unpark();
            }
        }
    }

    /// Waits for an open run other than the last one this worker joined. `None` on shutdown.
    fn join(&self, last: u32) -> Option<u32> {
        let mut spins = self.spins;
        loop {
            let state = self.state.load(Ordering::Relaxed);
            if state & SHUT_DOWN != 0 {
                return None;
            }
            if state & OPEN != 0 && runs_of(state) != last {
                // Fails if the word changed meanwhile, for example because the run was closed.
                let joined = self.state.compare_exchange(state, state + 1, Ordering::Acquire, Ordering::Relaxed);
                if joined.is_ok() {
                    return Some(runs_of(state));
                }
            } else if spins > 0 {
                spins -= 1;
                hint::spin_loop();
            } else {
                self.parked.fetch_add(1, Ordering::Relaxed);
                atomic::fence(Ordering::SeqCst);
                if self.state.load(Ordering::Relaxed) == state {
                    thread::park();
                }
                self.parked.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }

    /// Leaves the run and releases all writes. Returns whether the caller waits for this.
    fn leave(&self) -> bool {
        let state = self.state.fetch_sub(1, Ordering::Release);
        state & (OPEN | JOINED) == 1
    }
}

fn runs_of(state: u64) -> u32 {
    (state >> RUNS_SHIFT) as u32
}
