//! The work queue of a walk: folders to be listed.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A folder to be listed.
pub(super) struct Folder {
    pub(super) path: PathBuf,
    /// Relative to the root, with `/`; empty for the root.
    pub(super) relative: String,
    /// The depth of its entries.
    pub(super) depth: usize,
}

impl Folder {
    /// The relative path of an entry.
    pub(super) fn inner(&self, name: &str) -> String {
        if self.relative.is_empty() {
            return name.to_string();
        }
        let mut path = String::with_capacity(self.relative.len() + 1 + name.len());
        path.push_str(&self.relative);
        path.push('/');
        path.push_str(name);
        path
    }
}

pub(super) struct Shared {
    ways: Mutex<Ways>,
    changed: Condvar,
    counted: AtomicUsize,
    limit: usize,
}

struct Ways {
    folders: Vec<Folder>,
    /// The number of folders being listed, each of which may add more.
    busy: usize,
}

impl Shared {
    pub(super) fn new(root: Folder, limit: usize) -> Shared {
        Shared {
            ways: Mutex::new(Ways { folders: vec![root], busy: 0 }),
            changed: Condvar::new(),
            counted: AtomicUsize::new(0),
            limit,
        }
    }

    /// The next folder, to be followed by [`Shared::done`]; waits while there may be more. `None` at the end.
    pub(super) fn take(&self) -> Option<Folder> {
        let mut ways = self.lock();
        loop {
            if let Some(folder) = ways.folders.pop() {
                ways.busy += 1;
                return Some(folder);
            }
            if ways.busy == 0 {
                return None;
            }
            ways = self.changed.wait(ways).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Finishes a folder and adds its subfolders.
    pub(super) fn done(&self, inner: &mut Vec<Folder>) {
        let mut ways = self.lock();
        ways.busy -= 1;
        ways.folders.append(inner);
        let is_worth_telling = ways.busy == 0 || !ways.folders.is_empty();
        drop(ways);
        if is_worth_telling {
            self.changed.notify_all();
        }
    }

    /// Counts an entry. False if the limit is exceeded.
    pub(super) fn count(&self) -> bool {
        // Every thread stops at its first entry beyond the limit in each folder, so the counter stays near it.
        self.counted.fetch_add(1, Ordering::Relaxed) < self.limit
    }

    /// Whether the limit was exceeded.
    pub(super) fn is_over(&self) -> bool {
        self.counted.load(Ordering::Relaxed) > self.limit
    }

    fn lock(&self) -> MutexGuard<'_, Ways> {
        self.ways.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
