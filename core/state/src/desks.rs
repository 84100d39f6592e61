//! Desks: the memory that workers need at hand while they work, and that is no part of the world.
//!
//! Laws
//! 1. A desk has one worker at a time. Who sits where must not matter: whatever lies on a desk cannot change a result.
//! 2. With at least as many desks as workers nobody waits. With fewer, they take turns.
#![allow(unsafe_code, reason = "a desk that was taken is lent out exclusively")]

use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::hint::spin_loop;
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// A row of desks.
pub struct Desks<T> {
    desks: Vec<Desk<T>>,
}

struct Desk<T> {
    is_taken: AtomicBool,
    tools: UnsafeCell<T>,
}

// SAFETY: the tools of a desk are only touched by who has taken it.
unsafe impl<T: Send> Sync for Desk<T> {}

/// Gives the desk back, also if the work panics.
struct Seat<'a>(&'a AtomicBool);

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.0.store(false, Release);
    }
}

impl<T> Desks<T> {
    /// So many desks, at least one.
    pub fn new(count: usize, mut make: impl FnMut() -> T) -> Desks<T> {
        let desk = |_| Desk { is_taken: AtomicBool::new(false), tools: UnsafeCell::new(make()) };
        Desks { desks: (0..count.max(1)).map(desk).collect() }
    }

    /// Works at a free desk, looking from the one with this number on. Workers that pass different numbers do not get in
    /// each other's way.
    #[inline]
    pub fn with<R>(&self, number: usize, work: impl FnOnce(&mut T) -> R) -> R {
        let mut at = number % self.desks.len();
        loop {
            let desk = &self.desks[at];
            if desk.is_taken.compare_exchange(false, true, Acquire, Relaxed).is_ok() {
                let _seat = Seat(&desk.is_taken);
                // SAFETY: this desk was free and is taken until the seat is given back, after the work.
                return work(unsafe { &mut *desk.tools.get() });
            }
            spin_loop();
            at = (at + 1) % self.desks.len();
        }
    }

    /// All desks, when nobody works.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.desks.iter_mut().map(|desk| desk.tools.get_mut())
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.desks.len()
    }
}
