//! The follower of a tree: turns events and scans into changed paths. Time is an argument.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::os_events::{EventQueue, OsEvents};
use super::settling::{ChangeKind, Settling};
use crate::files::FileError;
use crate::limits::{SCAN_FIRST, SCAN_SHARE, SCAN_WITH_EVENTS, SCAN_WITHOUT_EVENTS, WATCH_ROUNDS};
use crate::walk::{Stamp, Walk, WalkLimits, walk, walk_below};

#[derive(Debug)]
pub(super) struct Follower {
    root: PathBuf,
    limits: WalkLimits,
    queue: Arc<EventQueue>,
    events: Option<OsEvents>,
    /// Why there are no events.
    missing_events: Option<String>,
    /// Why the last scan failed.
    failed_scan: Option<String>,
    /// The last reported stamp of each file.
    known: BTreeMap<String, Stamp>,
    settling: Settling,
    next_scan: Instant,
    /// The root was removed: everything must be subscribed again when it is back.
    must_reopen_events: bool,
}

impl Follower {
    pub(super) fn begin(
        root: &Path,
        limits: &WalkLimits,
        queue: &Arc<EventQueue>,
    ) -> Result<(Follower, Walk), FileError> {
        let (mut follower, walk) = Follower::begin_without_events(root, limits)?;
        follower.queue = Arc::clone(queue);
        follower.missing_events = None;
        follower.open_events(&walk.folders);
        if follower.events.is_some() {
            // Changes between the listing and the subscription are found by the first scan.
            follower.next_scan = Instant::now() + SCAN_FIRST;
        }
        Ok((follower, walk))
    }

    pub(super) fn begin_without_events(root: &Path, limits: &WalkLimits) -> Result<(Follower, Walk), FileError> {
        let root = fs::canonicalize(root).map_err(FileError::when("opening the folder", root))?;
        let walk = walk(&root, limits)?;
        let follower = Follower {
            root,
            // A scan is not urgent, and leaves the other processors to the game.
            limits: WalkLimits { threads: 1, ..*limits },
            queue: Arc::default(),
            events: None,
            missing_events: Some("changes are found by scans alone, as requested".into()),
            failed_scan: None,
            known: walk.files.iter().map(|file| (file.path.clone(), file.stamp)).collect(),
            settling: Settling::default(),
            next_scan: Instant::now() + SCAN_WITHOUT_EVENTS,
            must_reopen_events: false,
        };
        Ok((follower, walk))
    }

    pub(super) fn trouble(&self) -> Option<String> {
        self.failed_scan.clone().or_else(|| self.missing_events.clone())
    }

    /// When to call `advance` next, even without events.
    pub(super) fn next_time(&self) -> Instant {
        self.settling.next_time().map_or(self.next_scan, |settled| settled.min(self.next_scan))
    }

    /// Processes events, scans if due, and returns the changed paths that have settled.
    pub(super) fn advance(&mut self, now: Instant) -> Vec<String> {
        let pending = self.queue.take();
        if let Some(why) = pending.missing_events {
            self.lose_events(why);
        }
        for (path, kind) in pending.paths {
            self.record(&path, kind, now);
        }
        if pending.is_incomplete || now >= self.next_scan {
            self.scan(now);
        }
        let root = &self.root;
        let settled = self.settling.settled(now, |path| Stamp::of(&root.join(path)));
        let mut changed = Vec::with_capacity(settled.len());
        for (path, stamp) in settled {
            let former = match stamp {
                Some(stamp) => self.known.insert(path.clone(), stamp),
                None => self.known.remove(&path),
            };
            // Created and deleted in between: nothing to report.
            if stamp.is_some() || former.is_some() {
                changed.push(path);
            }
        }
        changed
    }

    fn record(&mut self, path: &Path, kind: ChangeKind, now: Instant) {
        let Some(relative) = self.relative(path) else { return };
        if relative.is_empty() {
            if kind == ChangeKind::Ended {
                self.must_reopen_events = true;
                self.scan(now);
            }
            return;
        }
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                if kind != ChangeKind::Touched {
                    self.look_into(&relative, kind, now);
                }
            }
            _ => {
                self.hear_gone_below(&relative, now);
                self.settling.record(relative, kind, Stamp::of(path), now);
            }
        }
    }

    /// A folder was created or is back. Its content may be older than the subscription.
    fn look_into(&mut self, folder: &str, kind: ChangeKind, now: Instant) {
        if kind == ChangeKind::Ended {
            self.forget(folder);
        }
        let mut is_new = self.subscribe(folder);
        for _ in 0..WATCH_ROUNDS {
            // If it was deleted meanwhile, an event will follow.
            let Ok(part) = walk_below(&self.root, folder, &self.limits) else { break };
            is_new = false;
            for inner in &part.folders {
                is_new |= self.subscribe(inner);
            }
            self.compare(&part, Some(folder), now);
            if !is_new {
                return;
            }
        }
        if is_new {
            self.next_scan = now;
        }
    }

    fn scan(&mut self, now: Instant) {
        let started = Instant::now();
        match walk(&self.root, &self.limits) {
            Ok(all) => {
                self.failed_scan = None;
                if self.must_reopen_events {
                    self.must_reopen_events = false;
                    self.events = None;
                    self.open_events(&all.folders);
                } else {
                    for folder in &all.folders {
                        self.subscribe(folder);
                    }
                }
                self.compare(&all, None, now);
            }
            // The known state stays: an unavailable disk is not a deleted tree.
            Err(error) => {
                self.must_reopen_events = self.missing_events.is_none();
                self.failed_scan = Some(error.to_string());
            }
        }
        let has_events = self.events.is_some() && self.failed_scan.is_none();
        let least = if has_events { SCAN_WITH_EVENTS } else { SCAN_WITHOUT_EVENTS };
        let took = Instant::now().saturating_duration_since(started);
        self.next_scan = now + least.max(took.saturating_mul(SCAN_SHARE).min(Duration::from_secs(60)));
    }

    /// Records differences from the known state, in the whole tree or below one folder.
    fn compare(&mut self, found: &Walk, folder: Option<&str>, now: Instant) {
        let inner = folder.map_or(String::new(), |folder| format!("{folder}/"));
        // Without events, only another scan shows whether it is still being written.
        let kind = if self.events.is_some() { ChangeKind::Touched } else { ChangeKind::Begun };
        for file in &found.files {
            if self.known.get(&file.path) != Some(&file.stamp) {
                self.settling.record(file.path.clone(), kind, Some(file.stamp), now);
            }
        }
        let there: BTreeSet<&str> = found.files.iter().map(|file| file.path.as_str()).collect();
        let gone = self.known.range(inner.clone()..).map(|(path, _)| path).take_while(|path| path.starts_with(&inner));
        for path in gone.filter(|path| !there.contains(path.as_str())) {
            self.settling.record(path.clone(), ChangeKind::Touched, None, now);
        }
    }

    /// A path is not a folder, or no longer one: its entries are gone.
    fn hear_gone_below(&mut self, path: &str, now: Instant) {
        self.forget(path);
        let inner = format!("{path}/");
        let gone = self.known.range(inner.clone()..).map(|(path, _)| path).take_while(|path| path.starts_with(&inner));
        for path in gone {
            self.settling.record(path.clone(), ChangeKind::Ended, None, now);
        }
    }

    fn open_events(&mut self, folders: &[String]) {
        match OsEvents::open(&self.root, &self.queue) {
            Ok(events) => self.events = Some(events),
            Err(why) => self.lose_events(why),
        }
        for folder in folders {
            self.subscribe(folder);
        }
    }

    /// Subscribes a folder. Whether it is new.
    fn subscribe(&mut self, folder: &str) -> bool {
        let Some(events) = &mut self.events else { return false };
        match events.subscribe(folder) {
            Ok(is_new) => is_new,
            Err(why) => {
                self.lose_events(why);
                false
            }
        }
    }

    fn forget(&mut self, folder: &str) {
        if let Some(events) = &mut self.events {
            events.forget(folder);
        }
    }

    fn lose_events(&mut self, why: String) {
        self.events = None;
        self.missing_events = Some(why);
        self.next_scan = self.next_scan.min(Instant::now() + SCAN_WITHOUT_EVENTS);
    }

    /// The path as in a walk; empty for the root. `None` for paths that a walk skips.
    fn relative(&self, path: &Path) -> Option<String> {
        let mut relative = String::new();
        for name in path.strip_prefix(&self.root).ok()?.iter() {
            let name = name.to_str().filter(|name| !name.starts_with('.') && !name.contains('\\'))?;
            if !relative.is_empty() {
                relative.push('/');
            }
            relative.push_str(name);
        }
        Some(relative)
    }
}
