//! One run: its jobs, who is to be told, and what went wrong.
//!
//! Jobs are divided into sections, one for each of the crew, and everybody begins with its own. Whoever is done helps the others.
//! So the same job of similar runs is mostly done by the same worker, which has what it needs at hand: on its own core.

use std::any::Any;
use std::fmt;
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Thread};

use super::order::Order;
use crate::allocation;

/// Lies on the stack of its caller. Workers read it between joining and leaving, see [`Board`](super::board::Board).
pub(super) struct Run<'a> {
    sections: [Section; SECTIONS_MAX],
    /// How many sections there are.
    divided: u32,
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

/// How many jobs of a section were taken. On a cache line of its own, as it is mostly one worker's.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Section(AtomicU32);

/// In larger crews some share one.
const SECTIONS_MAX: usize = 16;

impl<'a> Run<'a> {
    /// A run of so many jobs for a crew of so many.
    pub(super) fn new(count: u32, crew: u32, job: &'a (dyn Fn(u32) + Sync), order: Order) -> Run<'a> {
        Run {
            sections: Default::default(),
            divided: crew.clamp(1, SECTIONS_MAX as u32),
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

    /// Takes jobs and does them until there are none left, as the worker of this number. Never panics.
    pub(super) fn take_part(&self, worker: u32) {
        for section in (worker..).take(self.divided as usize) {
            while let Some(place) = self.take(section % self.divided) {
                let number = self.order.number(place);
                // What a job leaves half done is for the caller to judge, who gets the panic.
                if let Err(payload) = panic::catch_unwind(AssertUnwindSafe(|| (self.job)(number))) {
                    self.note_panic(number, payload);
                }
            }
        }
    }

    /// The place of a section's next job.
    fn take(&self, section: u32) -> Option<u32> {
        let start = |section: u32| (u64::from(self.count) * u64::from(section) / u64::from(self.divided)) as u32;
        let (first, end) = (start(section), start(section + 1));
        let taken = &self.sections[section as usize].0;
        // Looked at before it is counted up, so that those who come too late cannot make it wrap around.
        if taken.load(Ordering::Relaxed) >= end - first {
            return None;
        }
        let index = taken.fetch_add(1, Ordering::Relaxed);
        (index < end - first).then(|| first + index)
    }

    /// The same on a worker's thread, under the caller's rules.
    pub(super) fn take_part_for_caller(&self, worker: u32) {
        if !self.is_forbidden {
            return self.take_part(worker);
        }
        let before = allocation::allocations_while_forbidden();
        allocation::forbid(|| self.take_part(worker));
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
