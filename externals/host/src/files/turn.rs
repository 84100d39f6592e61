//! Mutual exclusion of processes that replace one file.

use std::fs::File;
use std::io::{Error, ErrorKind, Write};
use std::path::Path;
use std::thread;

use super::hold::{Hold, is_held, open_held, turn_at, turn_in};
use super::temporary::folder_of;
use super::{FileError, read_at_most, write_atomically};
use crate::limits::{OWNED_STEP, OWNED_TRIES, OWNER_BYTES_MAX, TURN_STEP, TURN_TRIES};

/// Compare-and-swap of a file: replaces it if it still has the bytes of `before`; false otherwise. Of several
/// concurrent processes one succeeds, and the others see its version. Without locks (wasm) a simultaneous change can be
/// missed.
pub fn replace(path: &Path, before: &[u8], parts: &[&[u8]], bytes_max: u64) -> Result<bool, FileError> {
    let _turn = take_turn(path)?;
    if read_at_most(path, bytes_max)? != before {
        return Ok(false);
    }
    write_atomically(path, parts).map(|()| true)
}

/// The exclusive right to create a file at `path`, held until it exists: one process per folder has it, others wait. If
/// the existing file is held, an error of the kind `ResourceBusy`. Without locks (wasm) nothing is checked.
pub fn claim(path: &Path) -> Result<Option<File>, FileError> {
    let folder = folder_of(path);
    for _ in 0..TURN_TRIES {
        match turn_in(folder) {
            Ok(Some(_)) if is_held(path) => {
                let cause = Error::new(ErrorKind::ResourceBusy, "a running program is writing it");
                return Err(FileError::when("claiming it", path)(cause));
            }
            Ok(Some(turn)) => return Ok(Some(turn)),
            Ok(None) => thread::sleep(TURN_STEP),
            Err(error) if error.kind() == ErrorKind::Unsupported => return Ok(None),
            Err(error) => return Err(FileError::when("opening the folder", folder)(error)),
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

/// Holds the file at `path`, which is created, and writes its owner into it. While another process has it, waits, and says
/// once whose it is; after an hour, an error of the kind `WouldBlock`. Where nothing can be held, it excludes no one.
pub fn own(path: &Path, owner: &str, waiting: &mut dyn FnMut(&str)) -> Result<OwnedLock, FileError> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    let mut is_said = false;
    for _ in 0..OWNED_TRIES {
        match open_held(&mut options, path).map_err(FileError::when("opening it", path))? {
            Hold::Held(mut file) => {
                // Who has it is for people; the lock holds without.
                let _ = file.set_len(0).and_then(|()| file.write_all(owner.as_bytes()));
                return Ok(OwnedLock { _file: file });
            }
            Hold::Busy => {
                if !is_said {
                    let text = read_at_most(path, OWNER_BYTES_MAX).unwrap_or_default();
                    waiting(&String::from_utf8_lossy(&text));
                    is_said = true;
                }
                thread::sleep(OWNED_STEP);
            }
        }
    }
    let cause = Error::new(ErrorKind::WouldBlock, "another program has had it for too long");
    Err(FileError::when("waiting for it", path)(cause))
}

/// The right to replace the file, until dropped. If the file was replaced while waiting for it, waits for that of the new one.
fn take_turn(path: &Path) -> Result<Option<File>, FileError> {
    for _ in 0..TURN_TRIES {
        match turn_at(path) {
            Ok(Some(turn)) => return Ok(Some(turn)),
            Ok(None) => thread::sleep(TURN_STEP),
            Err(error) if error.kind() == ErrorKind::Unsupported => return Ok(None),
            Err(error) => return Err(error),
        }
    }
    let cause = Error::new(ErrorKind::WouldBlock, "another program has locked it");
    Err(FileError::when("waiting for it", path)(cause))
}
