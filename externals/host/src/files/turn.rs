//! Mutual exclusion of processes that replace one file.

use std::fs::{File, TryLockError};
use std::io::{Error, ErrorKind, Write};
use std::path::Path;
use std::thread;

use super::reader::open_file;
use super::{FileError, read_at_most, write_atomically};
use crate::limits::{HELD_TRIES, OWNED_STEP, OWNED_TRIES, OWNER_BYTES_MAX, TURN_STEP, TURN_TRIES};

/// Compare-and-swap of a file: replaces it if it still has the bytes of `before`; false otherwise. Of several
/// concurrent processes one succeeds, and the others see its version. Without suitable locks (all but Unix) a
/// simultaneous change can be missed.
pub fn replace(path: &Path, before: &[u8], parts: &[&[u8]], bytes_max: u64) -> Result<bool, FileError> {
    let _turn = take_turn(path)?;
    if read_at_most(path, bytes_max)? != before {
        return Ok(false);
    }
    write_atomically(path, parts).map(|()| true)
}

/// Whether a running process holds the file locked for writing. Always false without locks.
pub fn is_held(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    for _ in 0..HELD_TRIES {
        if !matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
            return false;
        }
        thread::sleep(TURN_STEP);
    }
    true
}

/// The exclusive right to create a file at `path`, held until it exists: one process per folder has it, others wait. If
/// the existing file is locked, an error of the kind `ResourceBusy`. Without suitable locks (all but Unix) nothing is
/// checked.
pub fn claim(path: &Path) -> Result<Option<File>, FileError> {
    if !cfg!(unix) {
        return Ok(None);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = File::open(folder).map_err(FileError::when("opening the folder", folder))?;
    for _ in 0..TURN_TRIES {
        match file.try_lock() {
            Ok(()) if is_held(path) => {
                let cause = Error::new(ErrorKind::ResourceBusy, "a running program is writing it");
                return Err(FileError::when("claiming it", path)(cause));
            }
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) => thread::sleep(TURN_STEP),
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
    let cause = Error::new(ErrorKind::WouldBlock, "another program has locked the folder");
    Err(FileError::when("waiting for it", path)(cause))
}

/// A lock that one process has, and that says which. It ends with its process.
#[derive(Debug)]
pub struct OwnedLock {
    _file: File,
}

/// Locks the file at `path`, which is created, and writes its owner into it. While another process has it, waits, and says
/// once whose it is; after an hour, an error of the kind `WouldBlock`. None where there are no locks.
pub fn own(path: &Path, owner: &str, waiting: &mut dyn FnMut(&str)) -> Result<Option<OwnedLock>, FileError> {
    let open = File::options().read(true).write(true).create(true).truncate(false).open(path);
    let mut file = open.map_err(FileError::when("opening it", path))?;
    let mut is_said = false;
    for _ in 0..OWNED_TRIES {
        match file.try_lock() {
            Ok(()) => {
                // Who has it is for people; the lock holds without.
                let _ = file.set_len(0).and_then(|()| file.write_all(owner.as_bytes()));
                return Ok(Some(OwnedLock { _file: file }));
            }
            Err(TryLockError::WouldBlock) => {
                if !is_said {
                    let text = read_at_most(path, OWNER_BYTES_MAX).unwrap_or_default();
                    waiting(&String::from_utf8_lossy(&text));
                    is_said = true;
                }
                thread::sleep(OWNED_STEP);
            }
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
    let cause = Error::new(ErrorKind::WouldBlock, "another program has had it for too long");
    Err(FileError::when("waiting for it", path)(cause))
}

/// The file, locked until dropped. If the file was replaced while waiting for the lock, waits for the new one.
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
    let cause = Error::new(ErrorKind::WouldBlock, "another program has locked it");
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
