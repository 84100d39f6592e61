//! A file of which parts are read.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::FileError;

/// An open file of which parts are read. Who replaces the file meanwhile does not change what is read.
#[derive(Debug)]
pub struct Reader {
    file: File,
    path: PathBuf,
    length: u64,
}

impl Reader {
    /// Opens the file at `path`.
    pub fn open(path: &Path) -> Result<Reader, FileError> {
        let metadata = fs::metadata(path).map_err(FileError::when("looking for it", path))?;
        if !metadata.is_file() {
            let cause = io::Error::new(io::ErrorKind::InvalidInput, "it is not a file");
            return Err(FileError::when("reading it", path)(cause));
        }
        let file = File::open(path).map_err(FileError::when("opening it", path))?;
        let length = file.metadata().map_err(FileError::when("measuring it", path))?.len();
        Ok(Reader { file, path: path.to_path_buf(), length })
    }

    /// How many bytes it had when it was opened.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Fills the bytes with those of the file from `offset` on. If it has too few, an error of the kind `UnexpectedEof`.
    pub fn read_at(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), FileError> {
        let read = self.file.seek(SeekFrom::Start(offset)).and_then(|_| self.file.read_exact(bytes));
        read.map_err(FileError::when("reading it", &self.path))
    }
}
