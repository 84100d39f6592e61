//! Where a run is put up, and who takes part in it.
//!
//! One number tells it all, so that it can be read and changed at once:
//!
//! | bits   | meaning |
//! |--------|---------|
//! | 0..16  | how many workers have joined and not left |
//! | 16     | the run is open: workers may join |
//! | 17     | the crew is dismissed |
//! | 32..64 | how many runs there were, this one included; wraps around |
//!
//! Laws
//! 1. Only the caller who holds `is_taken` opens and closes. It opens only when nobody is joined, and goes on after
//!    closing only when everybody has left.
//! 2. So whoever has joined may read the run until it leaves, and nobody else ever does.
//! 3. A worker joins a run at most once. If it missed exactly 2^32 runs it may stay away from one more, which nobody
//!    would notice: the caller does what is left.
#![allow(unsafe_code, reason = "a run lies on its caller's stack and is lent to threads that live longer")]

use std::hint;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::thread;

use super::run::Run;

const JOINED: u64 = 0xffff;
const OPEN: u64 = 1 << 16;
const DISMISSED: u64 = 1 << 17;
const RUNS_SHIFT: u32 = 32;

/// What caller and workers share. On a cache line pair of its own, as all of them look at it.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Board {
    state: AtomicU64,
    run: AtomicPtr<Run<'static>>,
    /// Whether somebody is running something: who comes second works alone.
    pub(super) is_taken: AtomicBool,
    spins: u32,
}

impl Board {
    pub(super) fn new(spins: u32) -> Board {
        Board {
            state: AtomicU64::new(0),
            run: AtomicPtr::new(ptr::null_mut()),
            is_taken: AtomicBool::new(false),
            spins,
        }
    }

    /// How many runs were opened so far.
    pub(super) fn runs(&self) -> u32 {
        runs_of(self.state.load(Ordering::Relaxed))
    }

    /// How often somebody who waits looks again before it lets others go first.
    pub(super) fn spins(&self) -> u32 {
        self.spins
    }

    /// Lets workers join. The caller must hold `is_taken`, and must call `close` before the run goes away.
    pub(super) fn open(&self, run: &Run) {
        let runs = self.runs().wrapping_add(1);
        self.run.store(ptr::from_ref(run).cast::<Run<'static>>().cast_mut(), Ordering::Relaxed);
        // Releases the run, and all that the caller wrote before it, to those who join.
        self.state.store(u64::from(runs) << RUNS_SHIFT | OPEN, Ordering::Release);
    }

    /// Lets nobody join any more, and returns when all have left.
    pub(super) fn close(&self) {
        // Acquires what was written by those who left, here or in the loop.
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

    /// Sends all workers home. No run is under way.
    pub(super) fn dismiss(&self) {
        self.state.fetch_or(DISMISSED, Ordering::Relaxed);
    }

    /// What the worker of this number does all its life.
    pub(super) fn work(&self, number: u32) {
        let mut last = 0;
        while let Some(runs) = self.join(last) {
            last = runs;
            // SAFETY: this worker has joined, so by law 2 the run is there until it leaves.
            let run = unsafe { &*self.run.load(Ordering::Relaxed) };
            run.take_part_for_caller(number);
            // Once the last worker has left, the run is gone. So whom to wake must be known before.
            let caller = run.caller().clone();
            if self.leave() {
                caller.unpark();
            }
        }
    }

    /// Waits for a run that is open and not the last one this worker joined. None when the crew is dismissed.
    fn join(&self, last: u32) -> Option<u32> {
        let mut spins = self.spins;
        loop {
            let state = self.state.load(Ordering::Relaxed);
            if state & DISMISSED != 0 {
                return None;
            }
            if state & OPEN != 0 && runs_of(state) != last {
                // Fails if anything changed since, above all if this run was closed.
                let joined = self.state.compare_exchange(state, state + 1, Ordering::Acquire, Ordering::Relaxed);
                if joined.is_ok() {
                    return Some(runs_of(state));
                }
            } else if spins > 0 {
                spins -= 1;
                hint::spin_loop();
            } else {
                thread::park();
            }
        }
    }

    /// Leaves the run, with all that was written in it. Whether the caller is waiting for just this.
    fn leave(&self) -> bool {
        let state = self.state.fetch_sub(1, Ordering::Release);
        state & (OPEN | JOINED) == 1
    }
}

fn runs_of(state: u64) -> u32 {
    (state >> RUNS_SHIFT) as u32
}
