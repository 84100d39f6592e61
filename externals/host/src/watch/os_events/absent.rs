//! Systems without file-system events.

use std::path::Path;
use std::sync::Arc;

use super::EventQueue;

#[derive(Debug)]
pub(in crate::watch) struct OsEvents {}

impl OsEvents {
    /// The error is text, as where there are events.
    pub(in crate::watch) fn open(_: &Path, _: &Arc<EventQueue>) -> Result<OsEvents, String> {
        Err("this system has no file-system events".into())
    }

    /// The error is text, as in `open`.
    pub(in crate::watch) fn subscribe(&mut self, _: &str) -> Result<bool, String> {
        Ok(false)
    }

    pub(in crate::watch) fn forget(&mut self, _: &str) {}
}
