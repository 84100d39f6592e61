//! Events through the crate `notify`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};
use notify::{Config, ErrorKind, Event, RecommendedWatcher, RecursiveMode, Watcher};

use super::{ChangeKind, EventQueue};

/// Whether every folder needs its own subscription.
const BY_FOLDER: bool = cfg!(any(target_os = "linux", target_os = "android"));

#[derive(Debug)]
pub(in crate::watch) struct OsEvents {
    watcher: RecommendedWatcher,
    root: PathBuf,
    /// The subscribed folders, relative to the root.
    folders: BTreeSet<String>,
}

impl OsEvents {
    /// Subscribes the root, recursively where the system supports it. The error is text: it is only shown, and each has the
    /// same consequence, scans instead of events.
    pub(in crate::watch) fn open(root: &Path, queue: &Arc<EventQueue>) -> Result<OsEvents, String> {
        let queue = Arc::clone(queue);
        let config = Config::default().with_follow_symlinks(false);
        let mut watcher = RecommendedWatcher::new(move |event| pass_on(event, &queue), config).map_err(why)?;
        let mode = if BY_FOLDER { RecursiveMode::NonRecursive } else { RecursiveMode::Recursive };
        watcher.watch(root, mode).map_err(why)?;
        Ok(OsEvents { watcher, root: root.to_path_buf(), folders: BTreeSet::new() })
    }

    /// Subscribes a folder. False if it was subscribed already, or is gone. The error is text, as in `open`.
    pub(in crate::watch) fn subscribe(&mut self, folder: &str) -> Result<bool, String> {
        if !BY_FOLDER || self.folders.contains(folder) {
            return Ok(false);
        }
        match self.watcher.watch(&self.root.join(folder), RecursiveMode::NonRecursive) {
            Ok(()) => Ok(self.folders.insert(folder.to_string())),
            Err(error) if matches!(error.kind, ErrorKind::MaxFilesWatch) => Err(why(error)),
            // Deleted meanwhile, or not readable.
            Err(_) => Ok(false),
        }
    }

    /// Forgets the subscriptions of a folder and its subfolders: they were deleted or replaced.
    pub(in crate::watch) fn forget(&mut self, folder: &str) {
        self.folders.remove(folder);
        let inner = format!("{folder}/");
        let gone: Vec<String> =
            self.folders.range(inner.clone()..).take_while(|path| path.starts_with(&inner)).cloned().collect();
        for path in gone {
            self.folders.remove(&path);
        }
    }
}

fn pass_on(event: notify::Result<Event>, queue: &EventQueue) {
    match event {
        Ok(event) => {
            if event.need_rescan() {
                queue.mark_incomplete();
            }
            if let Some(kind) = change_kind(&event.kind) {
                event.paths.into_iter().for_each(|path| queue.record(path, kind));
            }
        }
        Err(error) if matches!(error.kind, ErrorKind::MaxFilesWatch) => queue.lose_events(why(error)),
        Err(_) => queue.mark_incomplete(),
    }
}

/// The kind of change of an event; `None` if it changes nothing.
fn change_kind(kind: &EventKind) -> Option<ChangeKind> {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => Some(ChangeKind::Ended),
        EventKind::Access(_) => None,
        EventKind::Modify(ModifyKind::Metadata(_)) => Some(ChangeKind::Touched),
        EventKind::Modify(ModifyKind::Name(_)) | EventKind::Remove(_) => Some(ChangeKind::Ended),
        EventKind::Modify(_) | EventKind::Create(_) | EventKind::Any | EventKind::Other => Some(ChangeKind::Begun),
    }
}

fn why(error: notify::Error) -> String {
    match error.kind {
        ErrorKind::MaxFilesWatch => "the machine's limit of watched folders is reached \
             (on Linux: sysctl fs.inotify.max_user_watches); changes are found by scans, which is slower"
            .into(),
        _ => format!("no file-system events ({error}); changes are found by scans, which is slower"),
    }
}
