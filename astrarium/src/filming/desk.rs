//! The double buffer between the session and the film thread.
//!
//! There are two trays: one is filled while the other is emptied. So nothing is allocated, and the lock is held only
//! while a few bytes are copied.

use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use relay::Sealed;
use relay::film::{Kind, Stamp, inputs};
use state::snapshot::Snapshot;
use tags::library::Ready;

use crate::profile::SecondOfProfile;

/// The longest time that the thread sleeps.
const PATIENCE: Duration = Duration::from_secs(1);

/// The initial capacity of a tray.
const BYTES: usize = 1 << 20;
const ENTRIES: usize = 1 << 12;

/// The maximum backlog of a slow disk; beyond it the film ends.
const BYTES_MAX: usize = 1 << 28;
const ENTRIES_MAX: usize = 1 << 21;

/// An item to be written.
pub enum Entry {
    /// The bytes of a record of inputs.
    Record { take: u16, stamp: Stamp, bytes: Range<usize> },
    /// The body of a chunk.
    Chunk { kind: Kind, take: u16, stamp: Stamp, bytes: Range<usize> },
    /// A version of a tag.
    Tag { take: u16, cycle: u64, ready: Ready },
    /// A second of the profile.
    Second { take: u16, second: SecondOfProfile },
    /// A block of the world.
    Keyframe { take: u16, stamp: Stamp, chain: u64, is_first: bool, snapshot: Snapshot },
}

/// The items handed over since the thread last woke up.
#[derive(Default)]
pub struct Tray {
    pub bytes: Vec<u8>,
    pub entries: Vec<Entry>,
}

/// The costs of recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// Copying blocks, in the session's thread.
    pub copy_nanos: u64,
    /// Compressing and writing, in the film's thread; processor time where the machine reports it.
    pub thread_nanos: u64,
    /// The number of keyframes written.
    pub keyframes: u64,
    /// The number of keyframes that were due and left out.
    pub left_out: u64,
    /// The number of bytes written.
    pub bytes: u64,
    /// The thread's time for the last keyframe.
    pub keyframe_nanos: u64,
    /// Whether recording stopped before the end of the film, as on a full disk.
    pub is_cut_short: bool,
}

pub struct Desk {
    inner: Mutex<Inner>,
    changed: Condvar,
}

#[derive(Default)]
struct Inner {
    tray: Tray,
    returned: Vec<Snapshot>,
    seconds: Vec<SecondOfProfile>,
    trouble: Option<String>,
    is_reported: bool,
    is_over: bool,
    is_urgent: bool,
    /// How often the session asked for everything to be written, and up to which of these requests that is done.
    syncs_wanted: u64,
    syncs_done: u64,
    costs: Costs,
}

impl Desk {
    pub fn new() -> Desk {
        let inner = Inner { tray: Tray::with_room(), returned: Vec::with_capacity(8), ..Inner::default() };
        let inner = Inner { seconds: Vec::with_capacity(8), ..inner };
        Desk { inner: Mutex::new(inner), changed: Condvar::new() }
    }

    /// Adds the inputs of a safe cycle.
    pub fn record(&self, take: u16, cycle: u64, hash: u64, sealed: &Sealed, is_urgent: bool, brushes: u32) {
        let mut inner = self.lock();
        let start = inner.tray.bytes.len();
        if !inner.has_room() {
            return;
        }
        inputs::write_record(hash, sealed, &mut inner.tray.bytes);
        let bytes = start..inner.tray.bytes.len();
        let stamp = Stamp { cycle, until: cycle.saturating_add(u64::from(brushes)), hash };
        inner.tray.entries.push(Entry::Record { take, stamp, bytes });
        inner.is_urgent |= is_urgent;
        drop(inner);
        if is_urgent {
            self.changed.notify_all();
        }
    }

    /// Adds the body of a chunk.
    pub fn chunk(&self, kind: Kind, take: u16, stamp: Stamp, body: &[u8]) {
        let mut inner = self.lock();
        if !inner.has_room() {
            return;
        }
        let start = inner.tray.bytes.len();
        inner.tray.bytes.extend_from_slice(body);
        let bytes = start..inner.tray.bytes.len();
        inner.tray.entries.push(Entry::Chunk { kind, take, stamp, bytes });
    }

    /// Adds another item, which took `copy_nanos` to make.
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

    /// Waits until everything that was handed over is in the file, for at most this long. False if it is not.
    pub fn sync(&self, patience: Duration) -> bool {
        let mut inner = self.lock();
        inner.syncs_wanted += 1;
        inner.is_urgent = true;
        let wanted = inner.syncs_wanted;
        self.changed.notify_all();
        let is_waiting = |inner: &mut Inner| inner.syncs_done < wanted && inner.trouble.is_none() && !inner.is_over;
        let waited = self.changed.wait_timeout_while(inner, patience, is_waiting);
        let (inner, _) = waited.unwrap_or_else(PoisonError::into_inner);
        inner.syncs_done >= wanted && inner.trouble.is_none()
    }

    /// For the thread: the requests up to this one are fulfilled.
    pub fn synced(&self, request: u64) {
        self.lock().syncs_done = request;
        self.changed.notify_all();
    }

    /// Stops recording for this reason.
    pub fn give_up(&self, why: &str) {
        let mut inner = self.lock();
        inner.trouble.get_or_insert_with(|| why.to_string());
    }

    /// Counts a keyframe that was due but had no free snapshot.
    pub fn leave_out_keyframe(&self) {
        self.lock().costs.left_out += 1;
    }

    /// Takes the snapshots that were written.
    pub fn take_returned(&self, spare: &mut Vec<Snapshot>) {
        let mut inner = self.lock();
        while let Some(snapshot) = inner.returned.pop() {
            spare.push(snapshot);
        }
    }

    /// Takes the seconds of a profile that were written.
    pub fn take_seconds(&self, spare: &mut Vec<SecondOfProfile>) {
        let mut inner = self.lock();
        while spare.len() < spare.capacity()
            && let Some(second) = inner.seconds.pop()
        {
            spare.push(second);
        }
    }

    /// For the thread: returns a second that was written.
    pub fn give_back_second(&self, second: SecondOfProfile) {
        let mut inner = self.lock();
        if inner.seconds.len() < inner.seconds.capacity() {
            inner.seconds.push(second);
        }
    }

    /// Drops the snapshots that were written.
    pub fn forget_returned(&self) {
        self.lock().returned.clear();
    }

    /// The error, if it was not reported yet.
    pub fn take_trouble(&self) -> Option<String> {
        let mut inner = self.lock();
        if inner.is_reported {
            return None;
        }
        inner.is_reported = inner.trouble.is_some();
        inner.trouble.clone()
    }

    /// The thread's time for the last keyframe.
    pub fn keyframe_nanos(&self) -> u64 {
        self.lock().costs.keyframe_nanos
    }

    pub fn costs(&self) -> Costs {
        let inner = self.lock();
        Costs { is_cut_short: inner.trouble.is_some(), ..inner.costs }
    }

    /// Signals the end of the input to the thread.
    pub fn close(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    /// For the thread: waits for items and swaps the trays. Returns whether more may come, and the last request to write
    /// everything.
    pub fn wait(&self, tray: &mut Tray) -> (bool, u64) {
        tray.bytes.clear();
        tray.entries.clear();
        let mut inner = self.lock();
        if !inner.is_urgent && !inner.is_over {
            inner = self.changed.wait_timeout(inner, PATIENCE).unwrap_or_else(PoisonError::into_inner).0;
        }
        inner.is_urgent = false;
        std::mem::swap(&mut inner.tray, tray);
        (!inner.is_over, inner.syncs_wanted)
    }

    /// For the thread: returns a snapshot that was written.
    pub fn give_back(&self, snapshot: Snapshot, nanos: u64) {
        let mut inner = self.lock();
        inner.costs.keyframes += 1;
        inner.costs.keyframe_nanos = nanos;
        if inner.returned.len() < inner.returned.capacity() {
            inner.returned.push(snapshot);
        }
    }

    /// For the thread: adds to the bytes written, and sets the thread's total time.
    pub fn count(&self, bytes: u64, thread_nanos: u64) {
        let mut inner = self.lock();
        inner.costs.bytes += bytes;
        inner.costs.thread_nanos = thread_nanos;
    }

    /// No code panics while holding the lock, so the data behind a poisoned one is intact.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Whether one more entry may be added; false once the film has ended.
    fn has_room(&mut self) -> bool {
        if self.tray.bytes.len() > BYTES_MAX || self.tray.entries.len() > ENTRIES_MAX {
            let why = "the disk is too slow; the rest is not recorded";
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
