//! Listening to what the machine tells of changes.
//!
//! Where each folder is listened to on its own (Linux), the folders are ours to name, so that those of tools (`.git`) cost
//! nothing, and a folder is listened to before it is listed.

use std::collections::BTreeMap;
use std::mem;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::settling::Sound;
use crate::limits::HEARD_PATHS_MAX;

#[cfg(target_family = "wasm")]
mod absent;
#[cfg(not(target_family = "wasm"))]
mod real;

#[cfg(target_family = "wasm")]
pub(super) use absent::Ears;
#[cfg(not(target_family = "wasm"))]
pub(super) use real::Ears;

/// What was heard and not yet looked at.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// Whole paths, each with its last sound.
    pub(super) paths: BTreeMap<PathBuf, Sound>,
    /// Something was missed: only a scan can tell what.
    pub(super) is_incomplete: bool,
    /// Nothing more will be heard of new folders: why.
    pub(super) deafness: Option<String>,
    is_over: bool,
}

/// Where it is put, and waited for.
#[derive(Debug, Default)]
pub(super) struct Hearing {
    heard: Mutex<Heard>,
    changed: Condvar,
}

#[cfg_attr(target_family = "wasm", allow(dead_code, reason = "there is nobody who tells"))]
impl Hearing {
    pub(super) fn hear(&self, path: PathBuf, sound: Sound) {
        let mut heard = self.lock();
        if heard.paths.len() >= HEARD_PATHS_MAX {
            heard.is_incomplete = true;
        } else {
            let last = heard.paths.entry(path).or_insert(sound);
            if sound != Sound::Touched {
                *last = sound;
            }
        }
        drop(heard);
        self.changed.notify_all();
    }

    pub(super) fn miss(&self) {
        self.lock().is_incomplete = true;
        self.changed.notify_all();
    }

    pub(super) fn go_deaf(&self, why: String) {
        let mut heard = self.lock();
        heard.deafness = Some(why);
        heard.is_incomplete = true;
        drop(heard);
        self.changed.notify_all();
    }

    pub(super) fn stop(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    pub(super) fn take(&self) -> Heard {
        let mut heard = self.lock();
        let is_over = heard.is_over;
        let taken = mem::take(&mut *heard);
        heard.is_over = is_over;
        taken
    }

    /// Waits until something is heard, or it is that late. False when it is over.
    pub(super) fn wait(&self, until: Instant) -> bool {
        let mut heard = self.lock();
        loop {
            if heard.is_over {
                return false;
            }
            let now = Instant::now();
            if !heard.paths.is_empty() || heard.is_incomplete || now >= until {
                return true;
            }
            heard = self.changed.wait_timeout(heard, until - now).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
