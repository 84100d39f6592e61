//! One run: its jobs, its caller and its panics.
//!
//! Jobs are divided into sections, one per thread, and each thread starts with its own section, then steals from the
//! others. So the same job of similar runs is mostly done by the same thread, with its data in the core's cache.

use std::any::Any;
use std::fmt;
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Thread};

use base::number::float_environment_is_sound;
use jobs::workers::FLOAT_ENVIRONMENT_CHANGED;

use super::order::Order;
use crate::allocation;

/// Lies on the stack of its caller. Workers read it between joining and leaving, see [`Board`](super::board::Board).
pub(super) struct Run<'a> {
    sections: [Section; SECTIONS_MAX],
    /// The number of sections.
    divided: u32,
    count: u32,
    job: &'a (dyn Fn(u32) + Sync),
    order: Order,
    caller: Thread,
    /// Whether the caller may not allocate, and the number of forbidden allocations by its workers.
    is_forbidden: bool,
    allocations: AtomicU64,
    /// The panic of the lowest job number. Locked only by jobs that panic.
    panic: Mutex<Option<(u32, Box<dyn Any + Send>)>>,
}

/// The number of jobs taken of a section. On its own cache line, since mostly one thread writes it.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Section(AtomicU32);

/// With more threads than this, some share a section.
const SECTIONS_MAX: usize = 16;

impl<'a> Run<'a> {
    /// A run of `count` jobs for this many threads.
    pub(super) fn new(count: u32, threads: u32, job: &'a (dyn Fn(u32) + Sync), order: Order) -> Run<'a> {
        Run {
            sections: Default::default(),
            divided: threads.clamp(1, SECTIONS_MAX as u32),
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

    /// Takes and runs jobs until none is left, as the worker of this number. Never panics.
    pub(super) fn take_part(&self, worker: u32) {
        for section in (worker..).take(self.divided as usize) {
            while let Some(place) = self.take(section % self.divided) {
                let number = self.order.number(place);
                // The caller gets the panic and judges what the job left half done.
                if let Err(payload) = panic::catch_unwind(AssertUnwindSafe(|| (self.job)(number))) {
                    self.note_panic(number, payload);
                }
            }
        }
    }

    /// Takes the next position of a section.
    fn take(&self, section: u32) -> Option<u32> {
        let start = |section: u32| (u64::from(self.count) * u64::from(section) / u64::from(self.divided)) as u32;
        let (first, end) = (start(section), start(section + 1));
        let taken = &self.sections[section as usize].0;
        // Loaded before it is incremented, so that late threads cannot make it wrap around.
        if taken.load(Ordering::Relaxed) >= end - first {
            return None;
        }
        let index = taken.fetch_add(1, Ordering::Relaxed);
        (index < end - first).then(|| first + index)
    }

    /// The same on a worker's thread, under the caller's rules. In the first run of a cycle the thread's float
    /// environment is checked; if it was changed, the thread takes no job and the caller panics.
    pub(super) fn take_part_for_caller(&self, worker: u32, is_first_of_cycle: bool) {
        if is_first_of_cycle && !float_environment_is_sound() {
            return self.note_panic(u32::MAX, Box::new(FLOAT_ENVIRONMENT_CHANGED));
        }
        if !self.is_forbidden {
            return self.take_part(worker);
        }
        let before = allocation::allocations_while_forbidden();
        allocation::forbid(|| self.take_part(worker));
        let allocated = allocation::allocations_while_forbidden() - before;
        self.allocations.fetch_add(allocated, Ordering::Relaxed);
    }

    /// Reports to the caller when all workers have left. Panics if a job did.
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
        // Dropping a payload may panic as well. If that escaped, the caller would wait forever.
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
