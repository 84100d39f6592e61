//! A file that is memory: what is written to it survives the death of the process.
//!
//! For what must be there after a crash without any code having run: the last inputs, the last words.
//!
//! Laws
//! 1. What was written before the process died, however it died, is in the file. To survive the power going as well it
//!    needs [`MappedFile::flush`].
//! 2. One value has the file at a time; a second [`MappedFile::open`] gets an error, from this process and from others.
//!    Reading a copy with [`read_at_most`](crate::files::read_at_most) is always possible on Unix, and when the process
//!    is gone everywhere.
//! 3. All room is taken from the disk when the file is made, so that a full disk is an error there, and not a fault at
//!    the first write to a page (as far as the file system keeps its word).
//! 4. A new file replaces an old one when it is ready. Who still has the old one mapped keeps it.
//! 5. Where files cannot be mapped (wasm), making and opening is an error of the kind `Unsupported`.
//!
//! Whoever shortens the file from outside, against the lock, stops the program at the next access beyond the end.

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
    /// Makes a file of `len` zero bytes, on the disk, in place of whatever was at `path`.
    pub fn create(path: &Path, len: u64) -> Result<MappedFile, FileError> {
        Ok(MappedFile::create_prepared(path, len, |_| ())?.0)
    }

    /// The same with what `prepare` makes of the zeros in it: whoever finds a file at `path` finds it prepared, whenever
    /// the process dies.
    pub fn create_prepared<R>(
        path: &Path,
        len: u64,
        prepare: impl FnOnce(&mut [u8]) -> R,
    ) -> Result<(MappedFile, R), FileError> {
        let (mapping, prepared) = Mapping::create(path, len, prepare)?;
        Ok((MappedFile { mapping }, prepared))
    }

    /// Opens the file at `path` as it is, in its whole length.
    pub fn open(path: &Path) -> Result<MappedFile, FileError> {
        Ok(MappedFile { mapping: Mapping::open(path)? })
    }

    /// What is in it.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.mapping.bytes()
    }

    /// What is in it, to be changed.
    #[must_use]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.mapping.bytes_mut()
    }

    /// Brings everything to the disk, and waits for it.
    pub fn flush(&self) -> Result<(), FileError> {
        self.mapping.flush()
    }
}
