//! Random access to a file.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::FileError;

/// A file opened for random access. Replacing the file at the path does not affect it.
#[derive(Debug)]
pub struct Reader {
    file: File,
    path: PathBuf,
    length: u64,
}

impl Reader {
    /// Opens the file at `path`.
    pub fn open(path: &Path) -> Result<Reader, FileError> {
        let (file, length) = open_file(path)?;
        Ok(Reader { file, path: path.to_path_buf(), length })
    }

    /// Its length when it was opened.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Reads exactly `bytes.len()` bytes from `offset`. An error of the kind `UnexpectedEof` if the file has fewer. Threads
    /// may read at the same time.
    pub fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Result<(), FileError> {
        read_at(&self.file, offset, bytes).map_err(FileError::when("reading it", &self.path))
    }
}

/// Opens a regular file and returns its length. Anything else is an error and does not block, as a pipe would.
pub(super) fn open_file(path: &Path) -> Result<(File, u64), FileError> {
    let file = open_at_once(path)?;
    // Of the file that was opened, which may not be the one at the path any more.
    let metadata = file.metadata().map_err(FileError::when("measuring it", path))?;
    if !metadata.is_file() {
        let cause = io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
        return Err(FileError::when("reading it", path)(cause));
    }
    Ok((file, metadata.len()))
}

/// Non-blocking, without a check before.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
fn open_at_once(path: &Path) -> Result<File, FileError> {
    use std::os::unix::fs::OpenOptionsExt;
    /// `O_NONBLOCK` of this system.
    const AT_ONCE: i32 = 0o4000;
    let mut options = fs::OpenOptions::new();
    options.read(true).custom_flags(AT_ONCE).open(path).map_err(FileError::when("opening it", path))
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn open_at_once(path: &Path) -> Result<File, FileError> {
    use super::hold::patiently;
    let metadata = patiently(|| fs::metadata(path)).map_err(FileError::when("examining it", path))?;
    if !metadata.is_file() {
        let cause = io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
        return Err(FileError::when("reading it", path)(cause));
    }
    patiently(|| File::open(path)).map_err(FileError::when("opening it", path))
}

#[cfg(unix)]
fn read_at(file: &File, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_at(file: &File, mut offset: u64, mut bytes: &mut [u8]) -> io::Result<()> {
    use std::os::windows::fs::FileExt;
    while !bytes.is_empty() {
        match file.seek_read(bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                offset += count as u64;
                bytes = &mut bytes[count..];
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// wasm has no threads, so nothing moves the position between the two calls.
#[cfg(not(any(unix, windows)))]
fn read_at(mut file: &File, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(bytes)
}
