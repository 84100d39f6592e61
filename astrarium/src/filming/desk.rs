//! Where the world lays down what is to be filmed, and the thread picks it up.
//!
//! There are two trays, one filled while the other is emptied: so nothing is taken from the heap, and the lock is held only for
//! copying a few bytes.

use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use relay::Sealed;
use relay::film::{Kind, Stamp, inputs};
use state::snapshot::Snapshot;
use tags::library::Ready;

/// How often the thread looks by itself.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a tray has room for at first.
const BYTES: usize = 1 << 20;
const ENTRIES: usize = 1 << 12;

/// The most that waits for a disk that is behind; more ends the film.
const BYTES_MAX: usize = 1 << 28;
const ENTRIES_MAX: usize = 1 << 21;

/// What is to be written.
pub enum Entry {
    /// The bytes of a record of inputs.
    Record { take: u16, stamp: Stamp, bytes: Range<usize> },
    /// The body of a strip.
    Strip { kind: Kind, take: u16, stamp: Stamp, bytes: Range<usize> },
    /// A version of a tag.
    Tag { take: u16, cycle: u64, ready: Ready },
    /// The world.
    Keyframe { take: u16, stamp: Stamp, chain: u64, is_first: bool, snapshot: Snapshot },
}

/// What was laid down since the thread last looked.
#[derive(Default)]
pub struct Tray {
    pub bytes: Vec<u8>,
    pub entries: Vec<Entry>,
}

/// What recording has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// Copying blocks, in the thread of the world.
    pub copy_nanos: u64,
    /// Squeezing and writing, in the thread of the film; processor time where the machine tells it.
    pub thread_nanos: u64,
    /// How many keyframes were written.
    pub keyframes: u64,
    /// How many were due and left out.
    pub left_out: u64,
    /// How many bytes were written.
    pub bytes: u64,
    /// What the thread worked for the last keyframe.
    pub keyframe_nanos: u64,
}

pub struct Desk {
    inner: Mutex<Inner>,
    changed: Condvar,
}

#[derive(Default)]
struct Inner {
    tray: Tray,
    returned: Vec<Snapshot>,
    trouble: Option<String>,
    is_told: bool,
    is_over: bool,
    is_urgent: bool,
    costs: Costs,
}

impl Desk {
    pub fn new() -> Desk {
        let inner = Inner { tray: Tray::with_room(), returned: Vec::with_capacity(8), ..Inner::default() };
        Desk { inner: Mutex::new(inner), changed: Condvar::new() }
    }

    /// Lays down the inputs of a safe cycle.
    pub fn record(&self, take: u16, cycle: u64, hash: u64, sealed: &Sealed, is_told: bool, brushes: u32) {
        let mut inner = self.lock();
        let start = inner.tray.bytes.len();
        if !inner.has_room() {
            return;
        }
        inputs::write_record(hash, sealed, &mut inner.tray.bytes);
        let bytes = start..inner.tray.bytes.len();
        let stamp = Stamp { cycle, until: cycle.saturating_add(u64::from(brushes)), hash };
        inner.tray.entries.push(Entry::Record { take, stamp, bytes });
        inner.is_urgent |= is_told;
        drop(inner);
        if is_told {
            self.changed.notify_all();
        }
    }

    /// Lays down the body of a strip.
    pub fn strip(&self, kind: Kind, take: u16, stamp: Stamp, body: &[u8]) {
        let mut inner = self.lock();
        if !inner.has_room() {
            return;
        }
        let start = inner.tray.bytes.len();
        inner.tray.bytes.extend_from_slice(body);
        let bytes = start..inner.tray.bytes.len();
        inner.tray.entries.push(Entry::Strip { kind, take, stamp, bytes });
    }

    /// Lays down something else; making it took so long.
    pub fn put(&self, entry: Entry, copy_nanos: u64) {
        let mut inner = self.lock();
        if !inner.has_room() {
            return;
        }
        inner.costs.copy_nanos += copy_nanos;
        let is_urgent = matches!(entry, Entry::Keyframe { .. });
        inner.is_urgent |= is_urgent;
        inner.tray.entries.push(entry);
        drop(inner);
        if is_urgent {
            self.changed.notify_all();
        }
    }

    /// Nothing more is written.
    pub fn give_up(&self, why: &str) {
        let mut inner = self.lock();
        inner.trouble.get_or_insert_with(|| why.to_string());
    }

    /// A keyframe was due, and there was no memory for it.
    pub fn leave_out_keyframe(&self) {
        self.lock().costs.left_out += 1;
    }

    /// Snapshots that are not needed any more.
    pub fn take_returned(&self, spare: &mut Vec<Snapshot>) {
        let mut inner = self.lock();
        while let Some(snapshot) = inner.returned.pop() {
            spare.push(snapshot);
        }
    }

    /// They are of no use any more.
    pub fn forget_returned(&self) {
        self.lock().returned.clear();
    }

    /// What went wrong, if that was not told.
    pub fn take_trouble(&self) -> Option<String> {
        let mut inner = self.lock();
        if inner.is_told {
            return None;
        }
        inner.is_told = inner.trouble.is_some();
        inner.trouble.clone()
    }

    /// What the thread worked for the last keyframe.
    pub fn keyframe_nanos(&self) -> u64 {
        self.lock().costs.keyframe_nanos
    }

    pub fn costs(&self) -> Costs {
        self.lock().costs
    }

    /// Nothing more comes.
    pub fn close(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    /// For the thread: waits for something, swaps the trays, and says whether more may come.
    pub fn wait(&self, tray: &mut Tray) -> bool {
        tray.bytes.clear();
        tray.entries.clear();
        let mut inner = self.lock();
        if !inner.is_urgent && !inner.is_over {
            inner = self.changed.wait_timeout(inner, PATIENCE).unwrap_or_else(PoisonError::into_inner).0;
        }
        inner.is_urgent = false;
        std::mem::swap(&mut inner.tray, tray);
        !inner.is_over
    }

    /// For the thread: a snapshot was written.
    pub fn give_back(&self, snapshot: Snapshot, nanos: u64) {
        let mut inner = self.lock();
        inner.costs.keyframes += 1;
        inner.costs.keyframe_nanos = nanos;
        if inner.returned.len() < inner.returned.capacity() {
            inner.returned.push(snapshot);
        }
    }

    /// For the thread: so many bytes were written since the last time, and it has worked so long in all.
    pub fn count(&self, bytes: u64, thread_nanos: u64) {
        let mut inner = self.lock();
        inner.costs.bytes += bytes;
        inner.costs.thread_nanos = thread_nanos;
    }

    /// Nothing panics while it holds the lock, so a poisoned one is as good.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Whether one more entry may be laid down. Where the film has ended, nothing is.
    fn has_room(&mut self) -> bool {
        if self.tray.bytes.len() > BYTES_MAX || self.tray.entries.len() > ENTRIES_MAX {
            let why = "the disk is too far behind; what follows is not recorded";
            self.trouble.get_or_insert_with(|| why.to_string());
        }
        self.trouble.is_none()
    }
}

impl Tray {
    pub fn with_room() -> Tray {
        Tray { bytes: Vec::with_capacity(BYTES), entries: Vec::with_capacity(ENTRIES) }
    }
}
