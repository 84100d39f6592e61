//! A file that only grows.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::FileError;

/// A file that only grows: what was written to it stays, whoever is killed when. It is locked as long as its writer lives.
#[derive(Debug)]
pub struct GrowingFile {
    file: File,
    path: PathBuf,
}

impl GrowingFile {
    /// Makes an empty file, in place of whatever was at `path`; one that somebody else writes is an error.
    pub fn create(path: &Path) -> Result<GrowingFile, FileError> {
        GrowingFile::open(path, true, 0)
    }

    /// Goes on with a file behind its first `length` bytes. What was behind them is gone.
    pub fn go_on(path: &Path, length: u64) -> Result<GrowingFile, FileError> {
        GrowingFile::open(path, false, length)
    }

    fn open(path: &Path, is_new: bool, length: u64) -> Result<GrowingFile, FileError> {
        let mut options = OpenOptions::new();
        options.write(true).create(is_new).truncate(false);
        let mut file = options.open(path).map_err(FileError::when("opening it", path))?;
        // Before anything is lost. Where there are no locks nobody is asked.
        match file.try_lock() {
            Err(std::fs::TryLockError::WouldBlock) => {
                let cause = io::Error::new(io::ErrorKind::ResourceBusy, "somebody else writes it");
                return Err(FileError::when("opening it", path)(cause));
            }
            Ok(()) | Err(std::fs::TryLockError::Error(_)) => {}
        }
        let found = file.metadata().map_err(FileError::when("measuring it", path))?.len();
        if found != length {
            file.set_len(length).map_err(FileError::when("cutting it", path))?;
        }
        file.seek(SeekFrom::Start(length)).map_err(FileError::when("going to its end", path))?;
        Ok(GrowingFile { file, path: path.to_path_buf() })
    }

    /// Writes the bytes behind what is there. If that fails, a part of them may be.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.file.write_all(bytes).map_err(FileError::when("writing it", &self.path))
    }

    /// Brings everything to the disk, and waits for it.
    pub fn flush(&mut self) -> Result<(), FileError> {
        self.file.sync_data().map_err(FileError::when("bringing it to the disk", &self.path))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}
