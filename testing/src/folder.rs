//! A temporary folder that is deleted with its value.

use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// An empty folder, deleted with all its content when the value is dropped.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// A new empty folder in the machine's temporary folder.
    ///
    /// # Panics
    /// If it cannot be created.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "a default that creates a folder would surprise")]
    pub fn new() -> Folder {
        static CREATED: AtomicU32 = AtomicU32::new(0);
        let number = CREATED.fetch_add(1, Relaxed);
        // wasm has neither a temporary folder nor processes, and panics when asked for them.
        let (parent, process) = if cfg!(target_family = "wasm") {
            (PathBuf::from("/tmp"), 0)
        } else {
            (std::env::temp_dir(), std::process::id())
        };
        let path = parent.join(format!("astrarium-test-{process}-{number}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("the temporary folder can be created");
        Folder(path)
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The names of its entries, sorted.
    ///
    /// # Panics
    /// If it cannot be listed.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("the folder exists").map(|entry| entry.expect("it can be listed"));
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Writes a file, and creates the folders it lies in.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let file = self.join(path);
        let parent = file.parent().expect("a file lies in a folder");
        fs::create_dir_all(parent).expect("the folder can be created");
        fs::write(file, bytes).expect("the file can be written");
    }

    /// The text of a file.
    ///
    /// # Panics
    /// If it cannot be read.
    #[must_use]
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.join(path)).expect("the file exists")
    }
}

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
