//! Helpers for the tests of this crate: temporary folders, and the test binary as a child process.

#![allow(dead_code, reason = "each test binary that includes this page uses a part of it")]

use std::process::Command;

#[allow(unused_imports, reason = "each test binary that includes this page uses a part of it")]
pub use testing::Folder;

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
