//! Append-only files.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::hold::{Hold, open_held_soon};
use super::{FileError, Temporary};

/// An append-only file, locked while its writer lives. Written bytes stay even if the process is killed.
///
/// A new version of a file that has content is written beside it until [`GrowingFile::take_place`].
#[derive(Debug)]
pub struct GrowingFile {
    stage: Stage,
    path: PathBuf,
}

#[derive(Debug)]
enum Stage {
    /// At its path.
    InPlace(File),
    /// Beside the earlier file, which stays locked so that it has no second writer.
    Beside { temporary: Temporary, earlier: File },
    /// Only while one becomes the other.
    Moving,
}

impl GrowingFile {
    /// Begins an empty file that is to replace any file at `path`; one locked by another writer is an error. Where there is no file, or
    /// an empty one, it appears at once; a file with content stays until [`GrowingFile::take_place`].
    pub fn create(path: &Path) -> Result<GrowingFile, FileError> {
        let (earlier, length) = open_locked(path, true)?;
        let stage = match length {
            0 => Stage::InPlace(earlier),
            _ => Stage::Beside { temporary: Temporary::beside(path)?, earlier },
        };
        Ok(GrowingFile { stage, path: path.to_path_buf() })
    }

    /// Opens a file for appending after its first `length` bytes. The rest is truncated.
    pub fn go_on(path: &Path, length: u64) -> Result<GrowingFile, FileError> {
        let (mut file, found) = open_locked(path, false)?;
        if found != length {
            file.set_len(length).map_err(FileError::when("truncating it", path))?;
        }
        file.seek(SeekFrom::Start(length)).map_err(FileError::when("seeking to its end", path))?;
        Ok(GrowingFile { stage: Stage::InPlace(file), path: path.to_path_buf() })
    }

    /// Puts what was appended so far in the place of the earlier file, once it is worth more than that. Later bytes are appended
    /// there. Does nothing where the file is in its place already; waits for the disk otherwise.
    pub fn take_place(&mut self) -> Result<(), FileError> {
        if matches!(self.stage, Stage::Beside { .. })
            && let Stage::Beside { temporary, earlier } = std::mem::replace(&mut self.stage, Stage::Moving)
        {
            // Windows replaces no file that is open for writing.
            let _kept = (!cfg!(windows)).then_some(earlier);
            self.stage = Stage::InPlace(temporary.take_place()?);
        }
        Ok(())
    }

    /// Appends the bytes. If that fails, a part of them may be written.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        let file = file_of(&mut self.stage, &self.path)?;
        file.write_all(bytes).map_err(FileError::when("writing it", &self.path))
    }

    /// Flushes to the disk and waits.
    pub fn flush(&mut self) -> Result<(), FileError> {
        let file = file_of(&mut self.stage, &self.path)?;
        file.sync_data().map_err(FileError::when("flushing it to the disk", &self.path))
    }

    /// The path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn file_of<'a>(stage: &'a mut Stage, path: &Path) -> Result<&'a mut File, FileError> {
    match stage {
        Stage::InPlace(file) => Ok(file),
        Stage::Beside { temporary, .. } => Ok(temporary.file()),
        // Taking its place failed, and the error was returned then.
        Stage::Moving => Err(FileError::when("writing it", path)(io::Error::from(io::ErrorKind::BrokenPipe))),
    }
}

/// The file, locked, and its length. Nothing of it is changed.
fn open_locked(path: &Path, is_new: bool) -> Result<(File, u64), FileError> {
    let mut options = OpenOptions::new();
    options.write(true).create(is_new).truncate(false);
    let opened = open_held_soon(&mut options, path).map_err(FileError::when("opening it", path))?;
    let Hold::Held(file) = opened else {
        let cause = io::Error::new(io::ErrorKind::ResourceBusy, "another process is writing it");
        return Err(FileError::when("opening it", path)(cause));
    };
    let length = file.metadata().map_err(FileError::when("measuring it", path))?.len();
    Ok((file, length))
}
