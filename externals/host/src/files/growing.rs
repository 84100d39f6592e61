//! Append-only files.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::FileError;
use super::hold::{Hold, open_held_soon};

/// An append-only file, locked while its writer lives. Written bytes stay even if the process is killed.
#[derive(Debug)]
pub struct GrowingFile {
    file: File,
    path: PathBuf,
}

impl GrowingFile {
    /// Creates an empty file that replaces any file at `path`; one locked by another writer is an error.
    pub fn create(path: &Path) -> Result<GrowingFile, FileError> {
        GrowingFile::open(path, true, 0)
    }

    /// Opens a file for appending after its first `length` bytes. The rest is truncated.
    pub fn go_on(path: &Path, length: u64) -> Result<GrowingFile, FileError> {
        GrowingFile::open(path, false, length)
    }

    fn open(path: &Path, is_new: bool, length: u64) -> Result<GrowingFile, FileError> {
        let mut options = OpenOptions::new();
        options.write(true).create(is_new).truncate(false);
        // Before anything is lost.
        let opened = open_held_soon(&mut options, path).map_err(FileError::when("opening it", path))?;
        let Hold::Held(mut file) = opened else {
            let cause = io::Error::new(io::ErrorKind::ResourceBusy, "another process is writing it");
            return Err(FileError::when("opening it", path)(cause));
        };
        let found = file.metadata().map_err(FileError::when("measuring it", path))?.len();
        if found != length {
            file.set_len(length).map_err(FileError::when("truncating it", path))?;
        }
        file.seek(SeekFrom::Start(length)).map_err(FileError::when("seeking to its end", path))?;
        Ok(GrowingFile { file, path: path.to_path_buf() })
    }

    /// Appends the bytes. If that fails, a part of them may be written.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.file.write_all(bytes).map_err(FileError::when("writing it", &self.path))
    }

    /// Flushes to the disk and waits.
    pub fn flush(&mut self) -> Result<(), FileError> {
        self.file.sync_data().map_err(FileError::when("flushing it to the disk", &self.path))
    }

    /// The path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}
