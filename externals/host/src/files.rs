//! Atomic file replacement and bounded reading.
//!
//! Laws
//! 1. [`write_atomically`] leaves the old file or the new one, never a part of either, even if it fails, is killed, or
//!    the power fails: write to a temporary file in the same folder, fsync, atomic rename, fsync of the folder.
//! 2. When it returns without an error, the new file is on the disk. An error in the last step (fsync of the folder)
//!    leaves the new file in its place, whole, but perhaps not after a power cut.
//! 3. A temporary is locked while its writer lives. The next writer of the same path removes unlocked ones: their
//!    writers are dead. A lock ends with its process, unlike an age (a slow disk looks like death) and a process id
//!    (which is reused, and means nothing in another container). Without locks (wasm), leftovers stay.
//! 4. [`read_at_most`] never holds more than its limit.
//! 5. [`read_many`] has no more files open than its limit, and a file that cannot be read affects only its own result.
//! 6. A [`GrowingFile`] is append-only and loses nothing: an earlier file with content stays until the new one takes its place.
//! 7. [`replace`] is a compare-and-swap: it overwrites no concurrent change. The new version of a file has the
//!    permissions of the old one.
//!
//! A link at the path is replaced, not followed. The longest name allowed is some sixty bytes shorter than the
//! machine's.

use std::error::Error;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::allocation::may_fail;

mod growing;
mod hold;
mod many;
mod new_file;
mod reader;
mod temporary;
mod turn;

pub use growing::GrowingFile;
pub use hold::is_held;
#[cfg(not(target_family = "wasm"))]
pub(crate) use hold::{Hold, open_held_soon};
pub use many::{ReadLimits, read_many};
pub use new_file::{NewFile, copy, link, own_bytes, rename};
pub use reader::Reader;
pub(crate) use temporary::Temporary;
pub use turn::{OwnedLock, claim, own, replace};

/// A failed file operation: path, operation and cause.
#[derive(Debug)]
pub struct FileError {
    path: PathBuf,
    doing: &'static str,
    cause: io::Error,
}

impl FileError {
    /// Adds path and operation to an error of the operating system, for `map_err`.
    pub(crate) fn when(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileError {
        move |cause| FileError { path: path.to_path_buf(), doing, cause }
    }

    /// The path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The operation, as in "opening it".
    #[must_use]
    pub fn doing(&self) -> &'static str {
        self.doing
    }

    /// The kind of failure.
    #[must_use]
    pub fn kind(&self) -> io::ErrorKind {
        self.cause.kind()
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {} failed: {}", self.path.display(), self.doing, self.cause)
    }
}

impl Error for FileError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.cause)
    }
}

/// Replaces the file at `path` by the concatenation of the parts. See laws 1 to 3.
///
/// Cost: waits for the disk twice. Not for a loop that must not stall: see
/// [`BackgroundWriter`](crate::background::BackgroundWriter).
pub fn write_atomically(path: &Path, parts: &[&[u8]]) -> Result<(), FileError> {
    let mut temporary = Temporary::beside(path)?;
    for part in parts {
        temporary.file().write_all(part).map_err(FileError::when("writing its new version", path))?;
    }
    temporary.take_place().map(drop)
}

/// The same for a file that only its owner may read, where the machine has owners.
pub fn write_private(path: &Path, parts: &[&[u8]]) -> Result<(), FileError> {
    let mut temporary = Temporary::beside(path)?;
    // Before anything is written.
    make_private(temporary.file()).map_err(FileError::when("restricting its permissions", path))?;
    for part in parts {
        temporary.file().write_all(part).map_err(FileError::when("writing its new version", path))?;
    }
    temporary.take_place().map(drop)
}

#[cfg(unix)]
fn make_private(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn make_private(_: &File) -> io::Result<()> {
    Ok(())
}

/// Whether [`write_atomically`] could start at this path: creates the temporary file and removes it. For a check before
/// an hour of work.
pub fn try_to_write(path: &Path) -> Result<(), FileError> {
    Temporary::beside(path).map(drop)
}

/// Creates a folder and its parents, if missing.
pub fn make_folder(path: &Path) -> Result<(), FileError> {
    fs::create_dir_all(path).map_err(FileError::when("creating the folder", path))
}

/// The nearest folder or file between a root and a path below it, including the path, that is a link, which may lead out of
/// the root. None if there is none: parts that do not exist are no links.
#[must_use]
pub fn link_below<'a>(root: &Path, path: &'a Path) -> Option<&'a Path> {
    let parts = path.ancestors().take_while(|part| *part != root && !part.as_os_str().is_empty());
    parts.filter(|part| fs::symlink_metadata(part).is_ok_and(|metadata| metadata.is_symlink())).last()
}

/// Removes a file.
pub fn remove(path: &Path) -> Result<(), FileError> {
    fs::remove_file(path).map_err(FileError::when("removing it", path))
}

/// The newest file with this extension in a folder. `None` if there is none, or no folder.
pub fn newest(folder: &Path, extension: &str) -> Result<Option<PathBuf>, FileError> {
    Ok(list(folder, extension)?.pop())
}

/// Removes all but the newest few files with this extension in a folder. Locked files stay, and so do files that cannot
/// be removed: best effort.
pub fn keep_newest(folder: &Path, extension: &str, count: usize) -> Result<(), FileError> {
    keep_newest_bytes(folder, extension, count, u64::MAX)
}

/// The same, with a limit on the total bytes kept.
pub fn keep_newest_bytes(folder: &Path, extension: &str, count: usize, bytes_max: u64) -> Result<(), FileError> {
    let mut bytes: u64 = 0;
    for (index, path) in list(folder, extension)?.into_iter().rev().enumerate() {
        bytes = bytes.saturating_add(fs::metadata(&path).map_or(0, |metadata| metadata.len()));
        let is_kept = index < count && bytes <= bytes_max;
        if !is_kept && !is_held(&path) {
            let _ = fs::remove_file(&path);
        }
    }
    Ok(())
}

/// The files with this extension in a folder, by name. More than `most` is an error.
pub fn files_in(folder: &Path, extension: &str, most: usize) -> Result<Vec<PathBuf>, FileError> {
    list_by_name(folder, most, |path, metadata| {
        metadata.is_file() && path.extension().is_some_and(|found| found == extension)
    })
}

/// The subfolders of a folder, by name. More than `most` is an error.
pub fn folders_in(folder: &Path, most: usize) -> Result<Vec<PathBuf>, FileError> {
    list_by_name(folder, most, |_, metadata| metadata.is_dir())
}

fn list_by_name(
    folder: &Path,
    most: usize,
    is_meant: impl Fn(&Path, &fs::Metadata) -> bool,
) -> Result<Vec<PathBuf>, FileError> {
    let entries = fs::read_dir(folder).map_err(FileError::when("listing the folder", folder))?;
    let paths = entries.filter_map(|entry| {
        let path = entry.ok()?.path();
        let metadata = fs::metadata(&path).ok()?;
        is_meant(&path, &metadata).then_some(path)
    });
    let mut paths: Vec<PathBuf> = paths.take(most.saturating_add(1)).collect();
    if paths.len() > most {
        let cause = io::Error::new(io::ErrorKind::InvalidInput, format!("there are more than {most}"));
        return Err(FileError::when("listing the folder", folder)(cause));
    }
    paths.sort();
    Ok(paths)
}

/// The files with this extension in a folder, oldest first. None if there is no folder.
pub fn list(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, FileError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(FileError::when("listing the folder", folder)(error)),
    };
    let files = entries.filter_map(|entry| {
        let path = entry.ok()?.path();
        let metadata = fs::metadata(&path).ok()?;
        let is_meant = metadata.is_file() && path.extension().is_some_and(|found| found == extension);
        is_meant.then_some((metadata.modified().ok()?, path))
    });
    let mut files: Vec<_> = files.collect();
    files.sort();
    Ok(files.into_iter().map(|(_, path)| path).collect())
}

/// All bytes of the file at `path`, if there are at most `limit`. Otherwise an error of the kind `FileTooLarge`, after
/// reading none of them (or no more than the limit, if the file grew meanwhile).
pub fn read_at_most(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let (mut file, length) = reader::open_file(path)?;
    read_rest(&mut file, length, limit).map_err(FileError::when("reading it", path))
}

/// The same as a shared slice, without an extra copy.
pub fn read_shared(path: &Path, limit: u64) -> Result<Arc<[u8]>, FileError> {
    let reader = Reader::open(path)?;
    let length = reader.length();
    if length > limit {
        return Err(FileError::when("reading it", path)(too_large(length, limit)));
    }
    let length = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory.into());
    let mut bytes: Arc<[u8]> = std::iter::repeat_n(0, length.map_err(FileError::when("reading it", path))?).collect();
    if let Some(bytes) = Arc::get_mut(&mut bytes) {
        reader.read_at(0, bytes)?;
    }
    Ok(bytes)
}

fn read_rest(file: &mut File, length: u64, limit: u64) -> io::Result<Vec<u8>> {
    if length > limit {
        return Err(too_large(length, limit));
    }
    let mut bytes = Vec::new();
    let length = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
    may_fail(|| bytes.try_reserve_exact(length))?;
    file.take(limit).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|read| read == limit) && file.read(&mut [0])? != 0 {
        return Err(too_large(limit.saturating_add(1), limit));
    }
    Ok(bytes)
}

fn too_large(length: u64, limit: u64) -> io::Error {
    let sentence = format!("it has {length} bytes or more, and at most {limit} are allowed");
    io::Error::new(io::ErrorKind::FileTooLarge, sentence)
}

#[cfg(test)]
mod tests;
