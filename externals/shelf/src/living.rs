//! A tree that is edited while a game runs.
//!
//! Laws
//! 1. A saved file becomes a changed tag some ten milliseconds later: read, checked, packed and postprocessed, together
//!    with those whose postprocess reads it, and with tags that are new because it refers to them.
//! 2. A tag whose text has an error keeps its last good version, and so does one whose file is gone; both are told. If there
//!    never was a good version, defaults take their place.
//! 3. Asking never waits: a thread of its own does the work. Where there are no threads (wasm), asking does it.
//! 4. A new version is on its way to the disk when it is told, if the last one was half a second ago; else half a second after
//!    that one. What was learnt is brought there when nothing happens for a while, and at the end.
//! 5. Only what the roots lead to is followed; other files of the tree may change unheard. If the root is everything, a new
//!    file is a new tag.

mod following;

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use host::files::FileError;
use tags::Classes;
use tags::library::Ready;

use crate::limits::{NEWS_PATIENCE_MAX, SAVE_AFTER, SAVE_ALL_AFTER, WATCH_STEP};
use crate::load::{LoadLimits, Loaded};
use crate::report::TagReport;
use following::Following;

/// What changed.
#[derive(Debug, Default)]
pub struct News {
    /// New versions of tags, and new tags.
    pub ready: Vec<Ready>,
    /// Bulk that they name, by digest.
    pub bulk: Vec<([u8; 32], Arc<[u8]>)>,
    /// What is wrong with files that changed.
    pub reports: Vec<TagReport>,
    /// Paths about which something was reported before, and nothing is now.
    pub settled: Vec<String>,
    /// Tags whose files are gone.
    pub gone: Vec<String>,
    /// Headers that changed: their classes are others when the tree is opened again.
    pub headers: Vec<String>,
}

impl News {
    /// Whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ready.is_empty()
            && self.bulk.is_empty()
            && self.reports.is_empty()
            && self.settled.is_empty()
            && self.gone.is_empty()
            && self.headers.is_empty()
    }

    /// Adds later news. Of two versions of a tag the later counts.
    fn append(&mut self, later: News) {
        let is_old = |path: &str| later.ready.iter().any(|ready| ready.path.as_str() == path);
        self.ready.retain(|ready| !is_old(ready.path.as_str()));
        self.ready.extend(later.ready);
        self.bulk.extend(later.bulk);
        self.reports.retain(|report| {
            !later.settled.contains(&report.path) && !later.reports.iter().any(|other| other.path == report.path)
        });
        self.settled.retain(|path| !later.reports.iter().any(|other| other.path == *path));
        self.reports.extend(later.reports);
        self.settled.extend(later.settled);
        self.gone.extend(later.gone);
        self.headers.extend(later.headers);
    }
}

/// A tree that is followed. Dropping it ends that.
#[derive(Debug)]
pub struct Living {
    place: Place,
}

#[derive(Debug)]
enum Place {
    Thread { desk: Arc<Desk>, thread: Option<JoinHandle<()>> },
    Here(Box<Following>),
}

#[derive(Debug, Default)]
struct Desk {
    tray: Mutex<Tray>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Tray {
    news: News,
    troubles: Vec<String>,
    is_over: bool,
}

impl Living {
    /// Loads the roots of a tree and what they lead to, and follows it from there.
    pub fn begin(
        root: &Path,
        classes: Arc<Classes>,
        roots: &[&str],
        limits: &LoadLimits,
    ) -> Result<(Living, Loaded), FileError> {
        let (following, loaded) = Following::begin(root, classes, roots, limits)?;
        Ok((Living { place: Place::of(following) }, loaded))
    }

    /// What changed since the last time. Does not wait.
    #[must_use]
    pub fn poll(&mut self) -> News {
        match &mut self.place {
            Place::Thread { desk, .. } => std::mem::take(&mut desk.lock().news),
            Place::Here(following) => following.advance(Duration::ZERO),
        }
    }

    /// The same, but waits up to so long for something to change.
    #[must_use]
    pub fn wait(&mut self, patience: Duration) -> News {
        let patience = patience.min(NEWS_PATIENCE_MAX);
        match &mut self.place {
            Place::Thread { desk, .. } => desk.wait(Instant::now() + patience),
            Place::Here(following) => following.advance(patience),
        }
    }

    /// What went wrong on our side since the last time: what could not be watched or brought to the disk.
    #[must_use]
    pub fn take_troubles(&mut self) -> Vec<String> {
        match &mut self.place {
            Place::Thread { desk, .. } => std::mem::take(&mut desk.lock().troubles),
            Place::Here(following) => following.take_troubles(),
        }
    }
}

impl Drop for Living {
    fn drop(&mut self) {
        match &mut self.place {
            Place::Thread { desk, thread } => {
                desk.lock().is_over = true;
                if let Some(thread) = thread.take() {
                    let _ = thread.join();
                }
            }
            Place::Here(following) => following.save(),
        }
    }
}

impl Place {
    fn of(following: Following) -> Place {
        let desk = Arc::new(Desk::default());
        // Put where the thread finds it, so that it is not lost if there can be no thread.
        let seat = Arc::new(Mutex::new(Some(following)));
        let work = {
            let (seat, desk) = (Arc::clone(&seat), Arc::clone(&desk));
            move || {
                let following = seat.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some(following) = following {
                    desk.follow(following);
                }
            }
        };
        match thread::Builder::new().name("living".into()).spawn(work) {
            Ok(thread) => Place::Thread { desk, thread: Some(thread) },
            Err(_) => {
                let following = seat.lock().unwrap_or_else(PoisonError::into_inner).take();
                Place::Here(Box::new(following.expect("only the thread takes it, and there is none")))
            }
        }
    }
}

impl Desk {
    fn follow(&self, mut following: Following) {
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

    fn put(&self, news: News, troubles: Vec<String>) {
        if news.is_empty() && troubles.is_empty() {
            return;
        }
        let mut tray = self.lock();
        tray.news.append(news);
        tray.troubles.extend(troubles);
        drop(tray);
        self.changed.notify_all();
    }

    fn wait(&self, end: Instant) -> News {
        let mut tray = self.lock();
        loop {
            let now = Instant::now();
            if !tray.news.is_empty() || now >= end {
                return std::mem::take(&mut tray.news);
            }
            tray = self.changed.wait_timeout(tray, end - now).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Tray> {
        self.tray.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
