//! File-system events of the operating system.
//!
//! Where each folder needs its own subscription (Linux inotify), we choose the folders, so that those of tools (`.git`)
//! cost nothing, and a folder is subscribed before it is listed.

use std::collections::BTreeMap;
use std::mem;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::settling::ChangeKind;
use crate::limits::EVENT_PATHS_MAX;

#[cfg(target_family = "wasm")]
mod absent;
#[cfg(not(target_family = "wasm"))]
mod real;

#[cfg(target_family = "wasm")]
pub(super) use absent::OsEvents;
#[cfg(not(target_family = "wasm"))]
pub(super) use real::OsEvents;

/// Received events that are not yet processed.
#[derive(Debug, Default)]
pub(super) struct PendingEvents {
    /// Absolute paths, each with its last event.
    pub(super) paths: BTreeMap<PathBuf, ChangeKind>,
    /// Events were lost: a scan is necessary.
    pub(super) is_incomplete: bool,
    /// Why new folders cannot be subscribed, if so.
    pub(super) missing_events: Option<String>,
    is_over: bool,
}

/// The event queue.
#[derive(Debug, Default)]
pub(super) struct EventQueue {
    pending: Mutex<PendingEvents>,
    changed: Condvar,
}

#[cfg_attr(target_family = "wasm", allow(dead_code, reason = "there are no events"))]
impl EventQueue {
    pub(super) fn record(&self, path: PathBuf, kind: ChangeKind) {
        let mut pending = self.lock();
        if pending.paths.len() >= EVENT_PATHS_MAX {
            pending.is_incomplete = true;
        } else {
            let last = pending.paths.entry(path).or_insert(kind);
            if kind != ChangeKind::Touched {
                *last = kind;
            }
        }
        drop(pending);
        self.changed.notify_all();
    }

    pub(super) fn mark_incomplete(&self) {
        self.lock().is_incomplete = true;
        self.changed.notify_all();
    }

    pub(super) fn lose_events(&self, why: String) {
        let mut pending = self.lock();
        pending.missing_events = Some(why);
        pending.is_incomplete = true;
        drop(pending);
        self.changed.notify_all();
    }

    pub(super) fn stop(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    pub(super) fn take(&self) -> PendingEvents {
        let mut pending = self.lock();
        let is_over = pending.is_over;
        let taken = mem::take(&mut *pending);
        pending.is_over = is_over;
        taken
    }

    /// Waits for an event or a deadline. False after `stop`.
    pub(super) fn wait(&self, until: Instant) -> bool {
        let mut pending = self.lock();
        loop {
            if pending.is_over {
                return false;
            }
            let now = Instant::now();
            if !pending.paths.is_empty() || pending.is_incomplete || now >= until {
                return true;
            }
            pending = self.changed.wait_timeout(pending, until - now).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, PendingEvents> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
