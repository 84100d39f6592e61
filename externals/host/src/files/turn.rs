//! One writer after the other, where several processes change one file.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;

use super::reader::open_file;
use super::{FileError, read_at_most, write_atomically};
use crate::limits::{TURN_STEP, TURN_TRIES};

/// Puts a new version in a file's place, if it still has the bytes of `before`; false if it has others. Of several processes
/// that do so at once, one is the first and the others find its version. Where there are no locks for that (all but Unix),
/// somebody else's change of the very same moment is not seen.
pub fn replace(path: &Path, before: &[u8], parts: &[&[u8]], bytes_max: u64) -> Result<bool, FileError> {
    let _turn = take_turn(path)?;
    if read_at_most(path, bytes_max)? != before {
        return Ok(false);
    }
    write_atomically(path, parts).map(|()| true)
}

/// The file, locked until it is dropped. Whoever waited while another file took its place waits for that one.
fn take_turn(path: &Path) -> Result<Option<File>, FileError> {
    if !cfg!(unix) {
        return Ok(None);
    }
    for _ in 0..TURN_TRIES {
        let (file, _) = open_file(path)?;
        match file.try_lock() {
            Ok(()) if is_there(&file, path) => return Ok(Some(file)),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => thread::sleep(TURN_STEP),
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
    let cause = std::io::Error::new(std::io::ErrorKind::WouldBlock, "another program holds it");
    Err(FileError::when("waiting for it", path)(cause))
}

#[cfg(unix)]
fn is_there(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same = |one: std::fs::Metadata, other: std::fs::Metadata| (one.dev(), one.ino()) == (other.dev(), other.ino());
    file.metadata().is_ok_and(|one| std::fs::metadata(path).is_ok_and(|other| same(one, other)))
}

#[cfg(not(unix))]
fn is_there(_file: &File, _path: &Path) -> bool {
    true
}
