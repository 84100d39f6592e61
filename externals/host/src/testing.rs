//! What the tests of this crate share: a folder of their own, and a second process of themselves.

#![allow(dead_code, reason = "each test binary that includes this page uses a part of it")]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// An empty folder that goes away with the value.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let made = MADE.fetch_add(1, Ordering::Relaxed);
        // A wasm machine has neither a temporary folder nor processes, and panics when asked.
        let (place, process) = if cfg!(target_family = "wasm") {
            (PathBuf::from("/tmp"), 0)
        } else {
            (std::env::temp_dir(), std::process::id())
        };
        let path = place.join(format!("astrarium-host-{process}-{made}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("the temporary folder can be written");
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The names in it, sorted.
    pub fn names(&self) -> Vec<OsString> {
        let mut names: Vec<OsString> = fs::read_dir(&self.0)
            .expect("it is there")
            .map(|entry| entry.expect("it can be read").file_name())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const CHILD: &str = "ASTRARIUM_HOST_TEST_CHILD";

/// Whether this process was started by [`again`].
pub fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// A second process of this test binary that runs the one test named, as a child.
pub fn again(test: &str) -> Command {
    let binary = std::env::current_exe().expect("a test knows its own binary");
    let mut command = Command::new(binary);
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(CHILD, "1");
    command
}
