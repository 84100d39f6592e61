//! Files that are whole or not there.
//!
//! Laws
//! 1. [`write_atomically`] leaves the old file or the new one, never a part of either: whether it fails, is killed, or
//!    the power goes. The new one is written beside the old one under a name of its own, brought to the disk, and then
//!    takes the old one's place in one step.
//! 2. When it returns without an error, the new file is on the disk. An error in the very last step (bringing the folder
//!    to the disk) leaves the new file in its place, whole, but perhaps not there after the power goes.
//! 3. A temporary is locked as long as its writer lives. Whoever writes the same path next removes those that are not
//!    locked: their writers are dead. A lock ends with its process and with nothing else, unlike an age (a slow disk
//!    looks like death) and a process number (which is given out again, and means nothing to another container). Where
//!    there are no locks (wasm), leftovers stay.
//! 4. [`read_at_most`] never holds more than its limit.
//! 5. [`read_many`] has no more files open than its limit, and one that cannot be read is an error of its own only.
//! 6. A [`GrowingFile`] loses nothing of what was written to it.
//! 7. [`replace`] overwrites nobody's change. The new version of a file has the permissions of the old one.
//!
//! A link at the path is replaced, not followed. The longest name allowed is some sixty bytes shorter than the machine's.

use std::error::Error;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

mod growing;
mod many;
mod reader;
mod temporary;
mod turn;

pub use growing::GrowingFile;
pub use many::{ReadLimits, read_many};
pub use reader::Reader;
pub(crate) use temporary::Temporary;
pub use turn::{claim, is_held, replace};

/// What was wrong with a file: which, while doing what, and why.
#[derive(Debug)]
pub struct FileError {
    path: PathBuf,
    doing: &'static str,
    cause: io::Error,
}

impl FileError {
    /// Makes an error of the path out of one of the operating system, for `map_err`.
    pub(crate) fn when(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileError {
        move |cause| FileError { path: path.to_path_buf(), doing, cause }
    }

    /// The file that was asked for.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was being done, as in "opening it".
    #[must_use]
    pub fn doing(&self) -> &'static str {
        self.doing
    }

    /// Which kind of failure it was.
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

/// Replaces the file at `path` by one that holds the parts, one after the other. See laws 1 to 3.
///
/// Cost: waits for the disk, twice. Never from a loop that must not stall: see
/// [`BackgroundWriter`](crate::background::BackgroundWriter).
pub fn write_atomically(path: &Path, parts: &[&[u8]]) -> Result<(), FileError> {
    let mut temporary = Temporary::beside(path)?;
    for part in parts {
        temporary.file().write_all(part).map_err(FileError::when("writing its new version", path))?;
    }
    temporary.take_place().map(drop)
}

/// The same for a file that nobody but its owner may read, where the machine knows owners.
pub fn write_private(path: &Path, parts: &[&[u8]]) -> Result<(), FileError> {
    let mut temporary = Temporary::beside(path)?;
    // Before anything is in it.
    make_private(temporary.file()).map_err(FileError::when("keeping others from reading it", path))?;
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

/// Whether [`write_atomically`] could begin at this path: makes the new version of a file, and takes it back. Better asked
/// before an hour of work than after it.
pub fn try_to_write(path: &Path) -> Result<(), FileError> {
    Temporary::beside(path).map(drop)
}

/// Makes a folder and those above it, unless they are there.
pub fn make_folder(path: &Path) -> Result<(), FileError> {
    fs::create_dir_all(path).map_err(FileError::when("making the folder", path))
}

/// Removes a file.
pub fn remove(path: &Path) -> Result<(), FileError> {
    fs::remove_file(path).map_err(FileError::when("removing it", path))
}

/// The file of this extension in a folder that was written last. None if there is none, or no folder.
pub fn newest(folder: &Path, extension: &str) -> Result<Option<PathBuf>, FileError> {
    Ok(list(folder, extension)?.pop())
}

/// Removes the files of this extension in a folder but for the newest few. Those that somebody has locked stay, and so
/// does what cannot be removed: it is tidying, not a promise.
pub fn keep_newest(folder: &Path, extension: &str, count: usize) -> Result<(), FileError> {
    keep_newest_bytes(folder, extension, count, u64::MAX)
}

/// The same, and no more of those few than have so many bytes together.
pub fn keep_newest_bytes(folder: &Path, extension: &str, count: usize, bytes_max: u64) -> Result<(), FileError> {
    let mut bytes: u64 = 0;
    for (index, path) in list(folder, extension)?.into_iter().rev().enumerate() {
        bytes = bytes.saturating_add(fs::metadata(&path).map_or(0, |metadata| metadata.len()));
        let is_kept = index < count && bytes <= bytes_max;
        if !is_kept && File::open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(&path);
        }
    }
    Ok(())
}

/// The files of this extension in a folder, by name. That there are more than `most` is an error.
pub fn files_in(folder: &Path, extension: &str, most: usize) -> Result<Vec<PathBuf>, FileError> {
    list_by_name(folder, most, |path, metadata| {
        metadata.is_file() && path.extension().is_some_and(|found| found == extension)
    })
}

/// The folders in a folder, by name. That there are more than `most` is an error.
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

/// The files of this extension in a folder, oldest first. None if there is no folder.
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

/// The same, to be shared, without a copy in between.
pub fn read_shared(path: &Path, limit: u64) -> Result<Arc<[u8]>, FileError> {
    let mut reader = Reader::open(path)?;
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
    bytes.try_reserve_exact(usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?)?;
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
