//! Who follows a tree: from sounds and scans to paths that have changed. Time is an argument.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::ears::{Ears, Hearing};
use super::settling::{Settling, Sound};
use crate::files::FileError;
use crate::limits::{SCAN_DEAF, SCAN_FIRST, SCAN_HEARING, SCAN_SHARE, WATCH_ROUNDS};
use crate::walk::{Stamp, Walk, WalkLimits, walk, walk_below};

#[derive(Debug)]
pub(super) struct Follower {
    root: PathBuf,
    limits: WalkLimits,
    hearing: Arc<Hearing>,
    ears: Option<Ears>,
    /// Why there are no ears.
    deafness: Option<String>,
    /// Why the last scan failed.
    blindness: Option<String>,
    /// What was told of each file, or was there at the beginning.
    known: BTreeMap<String, Stamp>,
    settling: Settling,
    next_scan: Instant,
    /// The root went: everything must be listened to anew when it is back.
    must_open_ears: bool,
}

impl Follower {
    pub(super) fn begin(
        root: &Path,
        limits: &WalkLimits,
        hearing: &Arc<Hearing>,
    ) -> Result<(Follower, Walk), FileError> {
        let (mut follower, walk) = Follower::begin_deaf(root, limits)?;
        follower.hearing = Arc::clone(hearing);
        follower.deafness = None;
        follower.open_ears(&walk.folders);
        if follower.ears.is_some() {
            // What changed between looking and listening is found by the first scan.
            follower.next_scan = Instant::now() + SCAN_FIRST;
        }
        Ok((follower, walk))
    }

    pub(super) fn begin_deaf(root: &Path, limits: &WalkLimits) -> Result<(Follower, Walk), FileError> {
        let root = fs::canonicalize(root).map_err(FileError::when("looking for the folder", root))?;
        let walk = walk(&root, limits)?;
        let follower = Follower {
            root,
            // A scan has time, and leaves the other processors to the game.
            limits: WalkLimits { threads: 1, ..*limits },
            hearing: Arc::default(),
            ears: None,
            deafness: Some("changes are found by scans alone, as was asked".into()),
            blindness: None,
            known: walk.files.iter().map(|file| (file.path.clone(), file.stamp)).collect(),
            settling: Settling::default(),
            next_scan: Instant::now() + SCAN_DEAF,
            must_open_ears: false,
        };
        Ok((follower, walk))
    }

    pub(super) fn trouble(&self) -> Option<String> {
        self.blindness.clone().or_else(|| self.deafness.clone())
    }

    /// When there is something to do, even if nothing is heard.
    pub(super) fn next_time(&self) -> Instant {
        self.settling.next_time().map_or(self.next_scan, |settled| settled.min(self.next_scan))
    }

    /// Looks at what was heard, scans if it is time, and gives the paths that have changed and settled.
    pub(super) fn advance(&mut self, now: Instant) -> Vec<String> {
        let heard = self.hearing.take();
        if let Some(why) = heard.deafness {
            self.go_deaf(why);
        }
        for (path, sound) in heard.paths {
            self.hear(&path, sound, now);
        }
        if heard.is_incomplete || now >= self.next_scan {
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
            // What came and went was never there.
            if stamp.is_some() || former.is_some() {
                changed.push(path);
            }
        }
        changed
    }

    fn hear(&mut self, path: &Path, sound: Sound, now: Instant) {
        let Some(relative) = self.relative(path) else { return };
        if relative.is_empty() {
            if sound == Sound::Ended {
                self.must_open_ears = true;
                self.scan(now);
            }
            return;
        }
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                if sound != Sound::Touched {
                    self.look_into(&relative, sound, now);
                }
            }
            _ => {
                self.hear_gone_below(&relative, now);
                self.settling.hear(relative, sound, Stamp::of(path), now);
            }
        }
    }

    /// A folder came, or came back. What is in it may have been there before anybody listened.
    fn look_into(&mut self, folder: &str, sound: Sound, now: Instant) {
        if sound == Sound::Ended {
            self.forget(folder);
        }
        let mut is_new = self.listen(folder);
        for _ in 0..WATCH_ROUNDS {
            // One that went meanwhile will be heard of.
            let Ok(part) = walk_below(&self.root, folder, &self.limits) else { break };
            is_new = false;
            for inner in &part.folders {
                is_new |= self.listen(inner);
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
                self.blindness = None;
                if self.must_open_ears {
                    self.must_open_ears = false;
                    self.ears = None;
                    self.open_ears(&all.folders);
                } else {
                    for folder in &all.folders {
                        self.listen(folder);
                    }
                }
                self.compare(&all, None, now);
            }
            // What was known stays so: a disk that is away for a while is not a tree that was deleted.
            Err(error) => {
                self.must_open_ears = self.deafness.is_none();
                self.blindness = Some(error.to_string());
            }
        }
        let is_hearing = self.ears.is_some() && self.blindness.is_none();
        let least = if is_hearing { SCAN_HEARING } else { SCAN_DEAF };
        let took = Instant::now().saturating_duration_since(started);
        self.next_scan = now + least.max(took.saturating_mul(SCAN_SHARE).min(Duration::from_secs(60)));
    }

    /// Notes what differs from what is known, in the whole tree or below one folder.
    fn compare(&mut self, found: &Walk, folder: Option<&str>, now: Instant) {
        let inner = folder.map_or(String::new(), |folder| format!("{folder}/"));
        // Whether it is still being written, only another look can tell who hears nothing.
        let sound = if self.ears.is_some() { Sound::Touched } else { Sound::Begun };
        for file in &found.files {
            if self.known.get(&file.path) != Some(&file.stamp) {
                self.settling.hear(file.path.clone(), sound, Some(file.stamp), now);
            }
        }
        let there: BTreeSet<&str> = found.files.iter().map(|file| file.path.as_str()).collect();
        let gone = self.known.range(inner.clone()..).map(|(path, _)| path).take_while(|path| path.starts_with(&inner));
        for path in gone.filter(|path| !there.contains(path.as_str())) {
            self.settling.hear(path.clone(), Sound::Touched, None, now);
        }
    }

    /// Something is no folder (any more): what was in it is gone.
    fn hear_gone_below(&mut self, path: &str, now: Instant) {
        self.forget(path);
        let inner = format!("{path}/");
        let gone = self.known.range(inner.clone()..).map(|(path, _)| path).take_while(|path| path.starts_with(&inner));
        for path in gone {
            self.settling.hear(path.clone(), Sound::Ended, None, now);
        }
    }

    fn open_ears(&mut self, folders: &[String]) {
        match Ears::open(&self.root, &self.hearing) {
            Ok(ears) => self.ears = Some(ears),
            Err(why) => self.go_deaf(why),
        }
        for folder in folders {
            self.listen(folder);
        }
    }

    /// Whether the folder was not listened to before, and is.
    fn listen(&mut self, folder: &str) -> bool {
        let Some(ears) = &mut self.ears else { return false };
        match ears.listen(folder) {
            Ok(is_new) => is_new,
            Err(why) => {
                self.go_deaf(why);
                false
            }
        }
    }

    fn forget(&mut self, folder: &str) {
        if let Some(ears) = &mut self.ears {
            ears.forget(folder);
        }
    }

    fn go_deaf(&mut self, why: String) {
        self.ears = None;
        self.deafness = Some(why);
        self.next_scan = self.next_scan.min(Instant::now() + SCAN_DEAF);
    }

    /// As in a walk; empty for the root. None for what a walk would leave out.
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
