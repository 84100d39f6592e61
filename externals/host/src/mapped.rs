//! Memory-mapped files: writes survive the death of the process.
//!
//! For the black box, which must be complete after a crash without any code having run.
//!
//! Laws
//! 1. Everything written before the process died, in whatever way, is in the file. To survive a power cut as well it
//!    needs [`MappedFile::flush`].
//! 2. A file is mapped once at a time; a second [`MappedFile::open`] is an error, in this process and in others.
//!    Reading a copy with [`read_at_most`](crate::files::read_at_most) is always possible.
//! 3. Disk space is allocated when the file is created, so that a full disk is an error there, and not a fault at the
//!    first write to a page (if the file system keeps its word).
//! 4. A new file replaces an old one by atomic rename. An existing mapping of the old one stays valid, or makes that an
//!    error (Windows).
//! 5. Where files cannot be mapped (wasm), creating and opening is an error of the kind `Unsupported`.
//!
//! A process that truncates the file despite the lock makes the next access beyond the end fault. So a program that lives long asks
//! [`MappedFile::is_whole`] before an access, and stops using the file if it is not.

use std::path::Path;

use crate::files::FileError;

#[cfg(target_family = "wasm")]
mod absent;
#[cfg(not(target_family = "wasm"))]
mod real;

#[cfg(target_family = "wasm")]
use absent::Mapping;
#[cfg(not(target_family = "wasm"))]
use real::Mapping;

/// A file mapped for reading and writing.
#[derive(Debug)]
pub struct MappedFile {
    mapping: Mapping,
}

impl MappedFile {
    /// Creates a file of `len` zero bytes that replaces any file at `path`.
    pub fn create(path: &Path, len: u64) -> Result<MappedFile, FileError> {
        Ok(MappedFile::create_prepared(path, len, |_| ())?.0)
    }

    /// The same with the content that `prepare` writes: a file at `path` is always prepared, even if the process dies.
    pub fn create_prepared<R>(
        path: &Path,
        len: u64,
        prepare: impl FnOnce(&mut [u8]) -> R,
    ) -> Result<(MappedFile, R), FileError> {
        let (mapping, prepared) = Mapping::create(path, len, prepare)?;
        Ok((MappedFile { mapping }, prepared))
    }

    /// Maps the whole file at `path`.
    pub fn open(path: &Path) -> Result<MappedFile, FileError> {
        Ok(MappedFile { mapping: Mapping::open(path)? })
    }

    /// Whether the file is still as long as when it was mapped. Cost: a call of the system.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.mapping.is_whole()
    }

    /// The content.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.mapping.bytes()
    }

    /// The content, mutable.
    #[must_use]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.mapping.bytes_mut()
    }

    /// Flushes to the disk and waits.
    pub fn flush(&self) -> Result<(), FileError> {
        self.mapping.flush()
    }
}
