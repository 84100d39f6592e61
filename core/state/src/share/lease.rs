//! Leases: room in an arena that one job has for itself, a piece at a time.
//!
//! Laws
//! 1. No room is leased twice.
//! 2. Jobs that are near one another find room near one another, every time anew: on a shelf that is theirs as long as there is room
//!    on it. So what a worker puts there mostly comes where it put something the last time, and is on its own core.
#![allow(unsafe_code, reason = "an arena is divided among jobs, each of which has room of its own")]

use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicBool, AtomicUsize};

use crate::workers::Shared;

/// How many values a job takes room for at once. So many less one may be left over by each job.
pub const LEASE: usize = 16;

/// How many shelves there are.
const SHELVES: usize = 16;

/// An arena that is leased out.
pub struct Leases<T> {
    values: Shared<T>,
    capacity: usize,
    /// How much of each shelf is taken.
    shelves: [Shelf; SHELVES],
    is_enough: AtomicBool,
}

/// On a cache line of its own, as it is mostly one worker's.
#[derive(Default)]
#[repr(align(64))]
struct Shelf(AtomicUsize);

/// Room that one job fills.
pub struct Lease<'a, T> {
    leases: &'a Leases<T>,
    shelf: usize,
    next: usize,
    end: usize,
}

impl<T: Copy> Leases<T> {
    pub(super) fn new(values: &mut [T]) -> Leases<T> {
        Leases {
            values: Shared(values.as_mut_ptr()),
            capacity: values.len(),
            shelves: Default::default(),
            is_enough: AtomicBool::new(true),
        }
    }

    /// Room for the job that begins at this place of so many.
    pub fn lease(&self, place: usize, places: usize) -> Lease<'_, T> {
        let shelf = place.min(places) * SHELVES / places.max(1);
        Lease { leases: self, shelf: shelf.min(SHELVES - 1), next: 0, end: 0 }
    }

    pub(super) fn is_enough(&self) -> bool {
        self.is_enough.load(Relaxed)
    }

    /// Takes so much room from a shelf, or from the next one that has it.
    fn take(&self, shelf: usize, room: usize) -> Option<usize> {
        let start = |shelf: usize| self.capacity * shelf / SHELVES;
        for shelf in (shelf..SHELVES).chain(0..shelf) {
            let taken = &self.shelves[shelf].0;
            let size = start(shelf + 1) - start(shelf);
            let mut before = taken.load(Relaxed);
            while size - before >= room {
                match taken.compare_exchange_weak(before, before + room, Relaxed, Relaxed) {
                    Ok(_) => return Some(start(shelf) + before),
                    Err(now) => before = now,
                }
            }
        }
        self.is_enough.store(false, Relaxed);
        None
    }
}

impl<T: Copy> Lease<'_, T> {
    /// Puts a run of values in, and tells where it begins. Nothing if there is no room.
    #[inline]
    pub fn push(&mut self, run: &[T]) -> Option<u32> {
        if self.end - self.next < run.len() {
            let room = run.len().max(LEASE);
            self.next = self.leases.take(self.shelf, room)?;
            self.end = self.next + room;
        }
        let start = self.next;
        self.next += run.len();
        for (index, value) in run.iter().enumerate() {
            // SAFETY: it is within the arena, and this room was given to this lease alone, which has not used it yet.
            unsafe { *self.leases.values.at(start + index) = *value };
        }
        u32::try_from(start).ok()
    }
}
