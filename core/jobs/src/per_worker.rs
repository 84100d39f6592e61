//! Per-worker memory: scratch space that is no part of the world, one value for each thread that works at the same
//! time.
//!
//! Laws
//! 1. A value has one user at a time. Which value a job gets must not matter: its content cannot change a result.
//! 2. With at least as many values as threads none waits. With fewer, threads spin until one is free.
#![allow(unsafe_code, reason = "a value whose flag was acquired is borrowed exclusively")]

use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::hint::spin_loop;
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// A fixed number of values, each used by one thread at a time.
pub struct PerWorker<T> {
    slots: Vec<Slot<T>>,
}

struct Slot<T> {
    is_taken: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the value of a slot is only accessed by the thread that acquired its flag.
unsafe impl<T: Send> Sync for Slot<T> {}

/// Releases a slot when dropped, so also if the work panics.
struct SlotGuard<'a>(&'a AtomicBool);

impl Drop for SlotGuard<'_> {
    fn drop(&mut self) {
        self.0.store(false, Release);
    }
}

impl<T> PerWorker<T> {
    /// `count` values, at least one.
    pub fn new(count: usize, mut make: impl FnMut() -> T) -> PerWorker<T> {
        let slot = |_| Slot { is_taken: AtomicBool::new(false), value: UnsafeCell::new(make()) };
        PerWorker { slots: (0..count.max(1)).map(slot).collect() }
    }

    /// Calls `work` with a free value, searched from index `hint` on. Threads that pass different hints do not contend.
    #[inline]
    pub fn with<R>(&self, hint: usize, work: impl FnOnce(&mut T) -> R) -> R {
        let mut at = hint % self.slots.len();
        loop {
            let slot = &self.slots[at];
            if slot.is_taken.compare_exchange(false, true, Acquire, Relaxed).is_ok() {
                let _guard = SlotGuard(&slot.is_taken);
                // SAFETY: this thread acquired the flag, and holds it until the guard is dropped, after the work.
                return work(unsafe { &mut *slot.value.get() });
            }
            spin_loop();
            at = (at + 1) % self.slots.len();
        }
    }

    /// All values. The exclusive borrow proves that no thread uses them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut().map(|slot| slot.value.get_mut())
    }

    /// The number of values.
    pub fn count(&self) -> usize {
        self.slots.len()
    }
}
