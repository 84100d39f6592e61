//! Reading many files in parallel.

use std::path::Path;

use super::{FileError, read_at_most};
use crate::limits::OPEN_FILES_MAX;
use crate::parallel;

/// Limits on parallel reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// Most bytes of one file; larger ones are an error.
    pub bytes_each: u64,
    /// Most files open at once, at most [`OPEN_FILES_MAX`]. Each has a thread.
    pub open_files: usize,
}

impl ReadLimits {
    /// Limits that suit this machine.
    #[must_use]
    pub fn of_this_machine(bytes_each: u64) -> ReadLimits {
        // Twice the processors, since a thread that waits for the disk leaves its processor free.
        ReadLimits { bytes_each, open_files: parallel::threads().saturating_mul(2).min(OPEN_FILES_MAX) }
    }
}

/// The results of `look` for each file, in the order of the paths. It is called on many threads with the index of the
/// path and the bytes or the error; so no more files are in memory than are open.
pub fn read_many<P: AsRef<Path> + Sync, R: Send>(
    paths: &[P],
    limits: &ReadLimits,
    look: impl Fn(usize, Result<Vec<u8>, FileError>) -> R + Sync,
) -> Vec<R> {
    parallel::many(paths.len(), limits.open_files.min(OPEN_FILES_MAX), |number| {
        look(number, read_at_most(paths[number].as_ref(), limits.bytes_each))
    })
}
