//! Which files of a tree have changed?
//!
//! Laws
//! 1. What changes after [`Watch::begin`] has looked is told: at once where the machine tells of changes, otherwise by the
//!    next scan. Telling is never trusted alone; a scan now and then finds what was missed. Only a change that leaves size,
//!    age and number of a file alone, and that the machine does not tell of, stays unknown.
//! 2. A path is told once it has settled: some milliseconds after its writer has closed it or put it in its place, a little
//!    longer if nobody seems to have closed it, and in any case after [`SETTLE_LIMIT`]. So saving by writing another file
//!    and renaming it, by truncating and writing, or by many writes in a row is one change.
//! 3. "Changed" means written, made, removed, or moved to or away, with whole folders too. That a path is told does not
//!    prove that its content differs. A file that came and went meanwhile is not told.
//! 4. Paths are those of the [`walk`](crate::walk): relative, with `/`, without names that start with a dot.
//! 5. Where the machine does not tell (its limit is reached, it has no way to), scans alone find changes, and
//!    [`Watch::trouble`] says why. Scans take at most a tenth of one processor.
//! 6. Asking never looks at the disk or waits for who does: a thread of its own watches. Where there are no threads
//!    (wasm), asking does the work.

mod ears;
mod follower;
mod settling;

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::files::FileError;
use crate::limits::{WATCH_NAP, WATCH_PATIENCE_MAX};
use crate::walk::{Walk, WalkLimits};
use ears::Hearing;
use follower::Follower;

pub use crate::limits::SETTLE_LIMIT;

/// A tree that is being watched. Dropping it ends that.
#[derive(Debug)]
pub struct Watch {
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// A thread follows the tree.
    Thread { told: Arc<Told>, hearing: Arc<Hearing>, thread: Option<JoinHandle<()>> },
    /// Whoever asks does.
    Here(Box<Follower>),
}

impl Watch {
    /// Begins to watch the tree below a folder, and gives what is in it. Everything that differs from that will be told.
    pub fn begin(root: &Path, limits: &WalkLimits) -> Result<(Watch, Walk), FileError> {
        let hearing = Arc::new(Hearing::default());
        let (follower, walk) = Follower::begin(root, limits, &hearing)?;
        Ok((Watch { place: Place::of(follower, hearing) }, walk))
    }

    /// Begins to watch with scans alone, as where the machine does not tell of changes.
    pub fn begin_by_scans(root: &Path, limits: &WalkLimits) -> Result<(Watch, Walk), FileError> {
        let (follower, walk) = Follower::begin_deaf(root, limits)?;
        Ok((Watch { place: Place::of(follower, Arc::new(Hearing::default())) }, walk))
    }

    /// What has changed since the last time, by path. Does not wait.
    #[must_use]
    pub fn poll(&mut self) -> Vec<String> {
        match &mut self.place {
            Place::Thread { told, .. } => told.take(),
            Place::Here(follower) => follower.advance(Instant::now()),
        }
    }

    /// The same, but waits up to so long for something to change.
    #[must_use]
    pub fn wait(&mut self, patience: Duration) -> Vec<String> {
        let end = Instant::now() + patience.min(WATCH_PATIENCE_MAX);
        match &mut self.place {
            Place::Thread { told, .. } => told.wait(end),
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

    /// Why changes are found more slowly than they could be, if they are.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        match &self.place {
            Place::Thread { told, .. } => told.lock().trouble.clone(),
            Place::Here(follower) => follower.trouble(),
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Place::Thread { hearing, thread, .. } = &mut self.place {
            hearing.stop();
            if let Some(thread) = thread.take() {
                let _ = thread.join();
            }
        }
    }
}

impl Place {
    fn of(follower: Follower, hearing: Arc<Hearing>) -> Place {
        let told = Arc::new(Told::default());
        told.tell(Vec::new(), follower.trouble());
        // The follower is put where the thread finds it, so that it is not lost if there can be no thread.
        let seat = Arc::new(Mutex::new(Some(follower)));
        let thread = {
            let (seat, told, hearing) = (Arc::clone(&seat), Arc::clone(&told), Arc::clone(&hearing));
            let work = move || {
                let follower = seat.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some(follower) = follower {
                    follow(follower, &told, &hearing);
                }
            };
            thread::Builder::new().name("watch".into()).spawn(work).ok()
        };
        match thread {
            Some(thread) => Place::Thread { told, hearing, thread: Some(thread) },
            None => {
                let follower = seat.lock().unwrap_or_else(PoisonError::into_inner).take();
                Place::Here(Box::new(follower.expect("only the thread takes it, and there is none")))
            }
        }
    }
}

fn follow(mut follower: Follower, told: &Told, hearing: &Hearing) {
    while hearing.wait(follower.next_time()) {
        let changed = follower.advance(Instant::now());
        told.tell(changed, follower.trouble());
    }
}

/// What the thread has found, until it is fetched. At most every path of the tree once.
#[derive(Debug, Default)]
struct Told {
    found: Mutex<Found>,
    grew: Condvar,
}

#[derive(Debug, Default)]
struct Found {
    changed: std::collections::BTreeSet<String>,
    trouble: Option<String>,
}

impl Told {
    fn tell(&self, changed: Vec<String>, trouble: Option<String>) {
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
