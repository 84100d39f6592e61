//! One run: its jobs, who is to be told, and what went wrong.

use std::any::Any;
use std::fmt;
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Thread};

use super::order::Order;
use crate::allocation;

/// Lies on the stack of its caller. Workers read it between joining and leaving, see [`Board`](super::board::Board).
pub(super) struct Run<'a> {
    /// The place of the next job to be taken. Wider than the count, so that looking past the end cannot wrap around.
    next: AtomicU64,
    count: u32,
    job: &'a (dyn Fn(u32) + Sync),
    order: Order,
    caller: Thread,
    /// Whether the caller may not allocate, and what its workers allocated nevertheless.
    is_forbidden: bool,
    allocations: AtomicU64,
    /// The panic of the lowest job number. Locked only by those that panic.
    panic: Mutex<Option<(u32, Box<dyn Any + Send>)>>,
}

impl<'a> Run<'a> {
    pub(super) fn new(count: u32, job: &'a (dyn Fn(u32) + Sync), order: Order) -> Run<'a> {
        Run {
            next: AtomicU64::new(0),
            count,
            job,
            order,
            caller: thread::current(),
            is_forbidden: allocation::is_forbidden(),
            allocations: AtomicU64::new(0),
            panic: Mutex::new(None),
        }
    }

    pub(super) fn count(&self) -> u32 {
        self.count
    }

    pub(super) fn caller(&self) -> &Thread {
        &self.caller
    }

    /// Takes jobs and does them until there are none left. Never panics.
    pub(super) fn take_part(&self) {
        loop {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(place) = u32::try_from(place).ok().filter(|place| *place < self.count) else {
                return;
            };
            let number = self.order.number(place);
            // What a job leaves half done is for the caller to judge, who gets the panic.
            if let Err(payload) = panic::catch_unwind(AssertUnwindSafe(|| (self.job)(number))) {
                self.note_panic(number, payload);
            }
        }
    }

    /// The same on a worker's thread, under the caller's rules.
    pub(super) fn take_part_for_caller(&self) {
        if !self.is_forbidden {
            return self.take_part();
        }
        let before = allocation::allocations_while_forbidden();
        allocation::forbid(|| self.take_part());
        let allocated = allocation::allocations_while_forbidden() - before;
        self.allocations.fetch_add(allocated, Ordering::Relaxed);
    }

    /// Tells the caller what happened, when all have left. Panics if a job did.
    pub(super) fn end(self) {
        allocation::add_counted(self.allocations.into_inner());
        if let Some((_, payload)) = self.panic.into_inner().unwrap_or_else(PoisonError::into_inner) {
            panic::resume_unwind(payload);
        }
    }

    fn note_panic(&self, number: u32, payload: Box<dyn Any + Send>) {
        let mut noted = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
        let later = match &*noted {
            Some((first, _)) if *first < number => Some(payload),
            _ => noted.replace((number, payload)).map(|(_, later)| later),
        };
        // Foreign code may panic while it is dropped as well. If that got out, the caller would wait for ever.
        if let Err(again) = panic::catch_unwind(AssertUnwindSafe(|| drop(later))) {
            mem::forget(again);
        }
    }
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Run").field("count", &self.count).field("order", &self.order).finish_non_exhaustive()
    }
}
