//! The file watcher: which files of a tree have changed.
//!
//! Laws
//! 1. Every change after the initial scan of [`Watch::begin`] is reported: at once where the operating system sends
//!    events, otherwise by the next scan. Events are never trusted alone; periodic scans find missed changes. Only a
//!    change that keeps size, modification time and inode of a file, and that has no event, stays unnoticed.
//! 2. Changes are debounced: a path is reported some milliseconds after its writer has closed or renamed it, a little
//!    later without a close event, and at the latest after [`SETTLE_LIMIT`]. So saving by rename, by truncating and
//!    writing, or by many writes is one change.
//! 3. "Changed" means written, created, removed or moved, whole folders included. The content may still be the same. A
//!    file created and removed in between is not reported.
//! 4. Paths are those of the [`walk`](crate::walk): relative, with `/`, without names that start with a dot.
//! 5. Without events (the limit of the system is reached, or it has none), scans alone find changes, and
//!    [`Watch::trouble`] says why. Scans take at most a tenth of one processor.
//! 6. Polling never accesses the disk or waits for it: a thread watches. Without threads (wasm), polling does the work.

mod follower;
mod os_events;
mod settling;

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::files::FileError;
use crate::limits::{WATCH_NAP, WATCH_PATIENCE_MAX};
use crate::walk::{Walk, WalkLimits};
use follower::Follower;
use os_events::EventQueue;

pub use crate::limits::SETTLE_LIMIT;

/// A watched tree. Dropping it ends the watch.
#[derive(Debug)]
pub struct Watch {
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// A thread watches the tree.
    Thread { reported: Arc<Reported>, queue: Arc<EventQueue>, thread: Option<JoinHandle<()>> },
    /// Polling does the work.
    Here(Box<Follower>),
}

impl Watch {
    /// Starts to watch the tree below a folder, and returns its content. Every later difference will be reported.
    pub fn begin(root: &Path, limits: &WalkLimits) -> Result<(Watch, Walk), FileError> {
        let queue = Arc::new(EventQueue::default());
        let (follower, walk) = Follower::begin(root, limits, &queue)?;
        Ok((Watch { place: Place::of(follower, queue) }, walk))
    }

    /// Starts to watch with scans alone, as on systems without events.
    pub fn begin_by_scans(root: &Path, limits: &WalkLimits) -> Result<(Watch, Walk), FileError> {
        let (follower, walk) = Follower::begin_without_events(root, limits)?;
        Ok((Watch { place: Place::of(follower, Arc::new(EventQueue::default())) }, walk))
    }

    /// The paths changed since the last call. Does not wait.
    #[must_use]
    pub fn poll(&mut self) -> Vec<String> {
        match &mut self.place {
            Place::Thread { reported, .. } => reported.take(),
            Place::Here(follower) => follower.advance(Instant::now()),
        }
    }

    /// The same, but waits up to this long for a change.
    #[must_use]
    pub fn wait(&mut self, patience: Duration) -> Vec<String> {
        let end = Instant::now() + patience.min(WATCH_PATIENCE_MAX);
        match &mut self.place {
            Place::Thread { reported, .. } => reported.wait(end),
            Place::Here(follower) => loop {
                let now = Instant::now();
                let changed = follower.advance(now);
                if !changed.is_empty() || now >= end {
                    return changed;
                }
                thread::sleep(WATCH_NAP.min(end - now));
            },
        }
    }

    /// Why events are missing, if they are: changes are then found more slowly.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        match &self.place {
            Place::Thread { reported, .. } => reported.lock().trouble.clone(),
            Place::Here(follower) => follower.trouble(),
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Place::Thread { queue, thread, .. } = &mut self.place {
            queue.stop();
            if let Some(thread) = thread.take() {
                let _ = thread.join();
            }
        }
    }
}

impl Place {
    fn of(follower: Follower, queue: Arc<EventQueue>) -> Place {
        let reported = Arc::new(Reported::default());
        reported.report(Vec::new(), follower.trouble());
        // The follower is shared with the thread, so that it is not lost if no thread can be started.
        let seat = Arc::new(Mutex::new(Some(follower)));
        let thread = {
            let (seat, reported, queue) = (Arc::clone(&seat), Arc::clone(&reported), Arc::clone(&queue));
            let work = move || {
                let follower = seat.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some(follower) = follower {
                    follow(follower, &reported, &queue);
                }
            };
            thread::Builder::new().name("watch".into()).spawn(work).ok()
        };
        match thread {
            Some(thread) => Place::Thread { reported, queue, thread: Some(thread) },
            None => {
                let follower = seat.lock().unwrap_or_else(PoisonError::into_inner).take();
                Place::Here(Box::new(follower.expect("only the thread takes it, and none was started")))
            }
        }
    }
}

fn follow(mut follower: Follower, reported: &Reported, queue: &EventQueue) {
    while queue.wait(follower.next_time()) {
        let changed = follower.advance(Instant::now());
        reported.report(changed, follower.trouble());
    }
}

/// Changes found by the thread and not yet polled. At most every path of the tree once.
#[derive(Debug, Default)]
struct Reported {
    found: Mutex<Found>,
    grew: Condvar,
}

#[derive(Debug, Default)]
struct Found {
    changed: std::collections::BTreeSet<String>,
    trouble: Option<String>,
}

impl Reported {
    fn report(&self, changed: Vec<String>, trouble: Option<String>) {
        let mut found = self.lock();
        found.changed.extend(changed);
        found.trouble = trouble;
        let is_worth_telling = !found.changed.is_empty();
        drop(found);
        if is_worth_telling {
            self.grew.notify_all();
        }
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().changed).into_iter().collect()
    }

    fn wait(&self, end: Instant) -> Vec<String> {
        let mut found = self.lock();
        loop {
            let now = Instant::now();
            if !found.changed.is_empty() || now >= end {
                return std::mem::take(&mut found.changed).into_iter().collect();
            }
            found = self.grew.wait_timeout(found, end - now).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
