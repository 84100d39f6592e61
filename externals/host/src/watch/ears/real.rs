//! Listening by the crate `notify`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};
use notify::{Config, ErrorKind, Event, RecommendedWatcher, RecursiveMode, Watcher};

use super::{Hearing, Sound};

/// Whether every folder has to be named.
const BY_FOLDER: bool = cfg!(any(target_os = "linux", target_os = "android"));

#[derive(Debug)]
pub(in crate::watch) struct Ears {
    watcher: RecommendedWatcher,
    root: PathBuf,
    /// The folders that were named, relative to the root.
    folders: BTreeSet<String>,
}

impl Ears {
    /// Listens to the root, and to all below it where folders need not be named.
    pub(in crate::watch) fn open(root: &Path, hearing: &Arc<Hearing>) -> Result<Ears, String> {
        let hearing = Arc::clone(hearing);
        let config = Config::default().with_follow_symlinks(false);
        let mut watcher = RecommendedWatcher::new(move |event| pass_on(event, &hearing), config).map_err(why)?;
        let mode = if BY_FOLDER { RecursiveMode::NonRecursive } else { RecursiveMode::Recursive };
        watcher.watch(root, mode).map_err(why)?;
        Ok(Ears { watcher, root: root.to_path_buf(), folders: BTreeSet::new() })
    }

    /// Listens to a folder too. False if that was so already, or the folder is gone.
    pub(in crate::watch) fn listen(&mut self, folder: &str) -> Result<bool, String> {
        if !BY_FOLDER || self.folders.contains(folder) {
            return Ok(false);
        }
        match self.watcher.watch(&self.root.join(folder), RecursiveMode::NonRecursive) {
            Ok(()) => Ok(self.folders.insert(folder.to_string())),
            Err(error) if matches!(error.kind, ErrorKind::MaxFilesWatch) => Err(why(error)),
            // It went meanwhile, or may not be read.
            Err(_) => Ok(false),
        }
    }

    /// Takes a folder and all in it for not listened to: they went, or were replaced.
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

fn pass_on(event: notify::Result<Event>, hearing: &Hearing) {
    match event {
        Ok(event) => {
            if event.need_rescan() {
                hearing.miss();
            }
            if let Some(sound) = sound(&event.kind) {
                event.paths.into_iter().for_each(|path| hearing.hear(path, sound));
            }
        }
        Err(error) if matches!(error.kind, ErrorKind::MaxFilesWatch) => hearing.go_deaf(why(error)),
        Err(_) => hearing.miss(),
    }
}

/// How an event sounds; None if nothing changes by it.
fn sound(kind: &EventKind) -> Option<Sound> {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => Some(Sound::Ended),
        EventKind::Access(_) => None,
        EventKind::Modify(ModifyKind::Metadata(_)) => Some(Sound::Touched),
        EventKind::Modify(ModifyKind::Name(_)) | EventKind::Remove(_) => Some(Sound::Ended),
        EventKind::Modify(_) | EventKind::Create(_) | EventKind::Any | EventKind::Other => Some(Sound::Begun),
    }
}

fn why(error: notify::Error) -> String {
    match error.kind {
        ErrorKind::MaxFilesWatch => "the machine's limit of watched folders is reached \
             (on Linux: sysctl fs.inotify.max_user_watches); changes are found by scans, which is slower"
            .into(),
        _ => format!("the machine does not tell of changes ({error}); they are found by scans, which is slower"),
    }
}
