//! Hot reload: a tree of tags that is edited while a game runs.
//!
//! Laws
//! 1. A saved file becomes a changed tag about ten milliseconds later: read, checked, packed and postprocessed,
//!    together with the tags whose postprocess reads it, and with tags that it newly refers to.
//! 2. A tag whose text has an error, or whose file is gone, keeps its last good version; both are reported. If there
//!    never was a good version, its defaults are used.
//! 3. Polling never waits: a background thread does the work. Without threads (wasm), polling does it.
//! 4. New versions are written to the store at most every half second, the first one at once. The index is written when
//!    the tree is idle, and at the end.
//! 5. The bulk containers of tags in force are stored under their digests, so that earlier versions of tags find theirs
//!    after the file was replaced; see [`containers`](crate::containers).
//! 6. A changed tag that others are made from changes those too. A changed header or library counts at once where the tags of its
//!    class keep their layout.
//! 7. Only tags that the roots lead to are followed; changes of other files are ignored. If the root is everything, a
//!    new file is a new tag.

mod follower;

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use host::files::FileError;
use tags::Classes;
use tags::library::Ready;

use crate::containers::Containers;
use crate::folders::Folders;
use crate::limits::{NEWS_PATIENCE_MAX, SAVE_AFTER, SAVE_ALL_AFTER, WATCH_STEP};
use crate::load::{LoadLimits, Loaded};
use crate::report::TagReport;
use follower::TreeFollower;

/// The changes of a tree since the last poll.
#[derive(Debug, Default)]
pub struct TreeChanges {
    /// New versions of tags, and new tags.
    pub ready: Vec<Ready>,
    /// Their resident bulk data, by digest.
    pub bulk: Vec<([u8; 32], Arc<[u8]>)>,
    /// Changed files of bulk data that tags name.
    pub bulk_files: Vec<String>,
    /// Errors and warnings in changed files.
    pub reports: Vec<TagReport>,
    /// The paths among them that never had a version without errors: what is right in the text counts.
    pub never_sound: Vec<String>,
    /// Paths whose reports are resolved.
    pub settled: Vec<String>,
    /// Tags whose files are gone.
    pub gone: Vec<String>,
    /// Changed headers and libraries, and what becomes of their classes.
    pub headers: Vec<HeaderChange>,
}

/// The effect of a changed header, or of a changed library.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeaderChange {
    /// The changed files.
    pub paths: Vec<String>,
    /// The classes whose change counts at once.
    pub counts: Vec<String>,
    /// The classes whose change takes effect when the tree is opened again: their tags have other fields.
    pub waits: Vec<String>,
}

/// Reads the classes of a tree again: those of the program and those of the headers.
pub type ReadClasses = Box<dyn Fn() -> Option<(Classes, Vec<TagReport>)> + Send>;

impl TreeChanges {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ready.is_empty()
            && self.bulk.is_empty()
            && self.bulk_files.is_empty()
            && self.reports.is_empty()
            && self.settled.is_empty()
            && self.gone.is_empty()
            && self.headers.is_empty()
    }

    /// Appends later changes. Of two versions of a tag, the later one counts.
    fn append(&mut self, later: TreeChanges) {
        let is_old = |path: &str| later.ready.iter().any(|ready| ready.path.as_str() == path);
        self.ready.retain(|ready| !is_old(ready.path.as_str()));
        self.ready.extend(later.ready);
        self.bulk.extend(later.bulk);
        self.bulk_files.extend(later.bulk_files);
        self.reports.retain(|report| {
            !later.settled.contains(&report.path) && !later.reports.iter().any(|other| other.path == report.path)
        });
        self.settled.retain(|path| !later.reports.iter().any(|other| other.path == *path));
        self.never_sound.retain(|path| !later.settled.contains(path));
        self.never_sound.extend(later.never_sound);
        self.reports.extend(later.reports);
        self.settled.extend(later.settled);
        self.gone.extend(later.gone);
        self.headers.extend(later.headers);
    }
}

/// A tree that is followed until the value is dropped.
#[derive(Debug)]
pub struct HotReload {
    driver: Driver,
    containers: Arc<Containers>,
}

#[derive(Debug)]
enum Driver {
    Thread { queue: Arc<ChangeQueue>, thread: Option<JoinHandle<()>> },
    Inline(Box<TreeFollower>),
}

#[derive(Debug, Default)]
struct ChangeQueue {
    queued: Mutex<QueuedChanges>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct QueuedChanges {
    news: TreeChanges,
    troubles: Vec<String>,
    is_over: bool,
}

impl HotReload {
    /// Loads the roots of a tree and the tags they lead to, and follows the tree from there.
    pub fn begin(
        root: &Path,
        classes: Arc<Classes>,
        roots: &[&str],
        limits: &LoadLimits,
    ) -> Result<(HotReload, Loaded), FileError> {
        HotReload::begin_folders(Folders::one(root), classes, None, roots, limits)
    }

    /// The same for several folders, and for classes that may change: `read` reads them again.
    pub fn begin_folders(
        folders: Folders,
        classes: Arc<Classes>,
        read: Option<ReadClasses>,
        roots: &[&str],
        limits: &LoadLimits,
    ) -> Result<(HotReload, Loaded), FileError> {
        let (following, loaded) = TreeFollower::begin(folders, classes, read, roots, limits)?;
        let containers = Arc::clone(following.containers());
        Ok((HotReload { driver: Driver::of(following), containers }, loaded))
    }

    /// The bulk containers of its tags.
    #[must_use]
    pub fn containers(&self) -> &Arc<Containers> {
        &self.containers
    }

    /// The changes since the last call. Does not wait.
    #[must_use]
    pub fn poll(&mut self) -> TreeChanges {
        match &mut self.driver {
            Driver::Thread { queue, .. } => std::mem::take(&mut queue.lock().news),
            Driver::Inline(following) => following.advance(Duration::ZERO),
        }
    }

    /// The same, but waits up to this long for a change.
    #[must_use]
    pub fn wait(&mut self, patience: Duration) -> TreeChanges {
        let patience = patience.min(NEWS_PATIENCE_MAX);
        match &mut self.driver {
            Driver::Thread { queue, .. } => queue.wait(Instant::now() + patience),
            Driver::Inline(following) => following.advance(patience),
        }
    }

    /// Internal problems since the last call: folders that could not be watched, files that could not be written.
    #[must_use]
    pub fn take_troubles(&mut self) -> Vec<String> {
        match &mut self.driver {
            Driver::Thread { queue, .. } => std::mem::take(&mut queue.lock().troubles),
            Driver::Inline(following) => following.take_troubles(),
        }
    }
}

impl Drop for HotReload {
    fn drop(&mut self) {
        match &mut self.driver {
            Driver::Thread { queue, thread } => {
                queue.lock().is_over = true;
                if let Some(thread) = thread.take() {
                    let _ = thread.join();
                }
            }
            Driver::Inline(following) => following.save(),
        }
    }
}

impl Driver {
    fn of(following: TreeFollower) -> Driver {
        let queue = Arc::new(ChangeQueue::default());
        // Stored where the thread takes it from, so that it is not lost if no thread can be started.
        let slot = Arc::new(Mutex::new(Some(following)));
        let work = {
            let (slot, queue) = (Arc::clone(&slot), Arc::clone(&queue));
            move || {
                let following = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some(following) = following {
                    queue.follow(following);
                }
            }
        };
        match thread::Builder::new().name("hot reload".into()).spawn(work) {
            Ok(thread) => Driver::Thread { queue, thread: Some(thread) },
            Err(_) => {
                let following = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
                Driver::Inline(Box::new(following.expect("only the thread takes it, and none was started")))
            }
        }
    }
}

impl ChangeQueue {
    fn follow(&self, mut following: TreeFollower) {
        let (mut is_saved, mut last) = (false, Instant::now());
        let (mut all_saved, mut versions_saved): (Option<Instant>, Option<Instant>) = (None, None);
        let mut has_new = false;
        while !self.lock().is_over {
            let news = following.advance(WATCH_STEP);
            let troubles = following.take_troubles();
            has_new |= !news.ready.is_empty();
            if !news.is_empty() {
                (is_saved, last) = (false, Instant::now());
            } else if !is_saved && last.elapsed() >= SAVE_AFTER {
                is_saved = true;
                let with_index = all_saved.is_none_or(|saved| saved.elapsed() >= SAVE_ALL_AFTER);
                following.save_later(with_index);
                if with_index {
                    all_saved = Some(Instant::now());
                }
            }
            self.put(news, troubles);
            if has_new && versions_saved.is_none_or(|saved| saved.elapsed() >= SAVE_AFTER) {
                following.save_later(false);
                (has_new, versions_saved) = (false, Some(Instant::now()));
            }
        }
        following.save();
    }

    fn put(&self, news: TreeChanges, troubles: Vec<String>) {
        if news.is_empty() && troubles.is_empty() {
            return;
        }
        let mut queued = self.lock();
        queued.news.append(news);
        queued.troubles.extend(troubles);
        drop(queued);
        self.changed.notify_all();
    }

    fn wait(&self, end: Instant) -> TreeChanges {
        let mut queued = self.lock();
        loop {
            let now = Instant::now();
            if !queued.news.is_empty() || now >= end {
                return std::mem::take(&mut queued.news);
            }
            queued = self.changed.wait_timeout(queued, end - now).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, QueuedChanges> {
        self.queued.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
