//! Holding a file: the right to write it, which ends with its process. Readers are never kept out.
//!
//! Unix has advisory locks. The locks of Windows would keep readers out too, so a held file is there one that was opened without
//! sharing the right to write. A system with neither (wasm) holds nothing.
//!
//! On Windows a program that looks at a file for a moment (an indexer, a virus scanner, a reader of ours) can make opening or
//! renaming it fail: [`patiently`] tries again.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::thread;

use super::FileError;
use crate::limits::{HELD_TRIES, PATIENCE_TRIES, TURN_STEP};

/// The outcome of opening a file in order to hold it.
pub(crate) enum Hold {
    /// It is held as long as this file is open.
    Held(File),
    /// Another process, or another file of this one, holds it.
    Busy,
}

/// Opens a file for writing, and holds it.
pub(crate) fn open_held(options: &mut OpenOptions, path: &Path) -> io::Result<Hold> {
    system::open_held(options, path)
}

/// The same for what a child process may have inherited for a moment: between fork and exec, it has copies of all files.
pub(crate) fn open_held_soon(options: &mut OpenOptions, path: &Path) -> io::Result<Hold> {
    for _ in 0..HELD_TRIES {
        match open_held(options, path)? {
            Hold::Held(file) => return Ok(Hold::Held(file)),
            Hold::Busy => thread::sleep(TURN_STEP),
        }
    }
    Ok(Hold::Busy)
}

/// Whether a running process holds the file for writing. Always false where nothing can be held.
pub fn is_held(path: &Path) -> bool {
    for _ in 0..HELD_TRIES {
        if !system::is_held_now(path) {
            return false;
        }
        thread::sleep(TURN_STEP);
    }
    true
}

/// The exclusive right to create files in a folder, as long as the result is open. `None` if another process has it; an
/// error of the kind `Unsupported` where there is no such right.
pub(super) fn turn_in(folder: &Path) -> io::Result<Option<File>> {
    system::turn_in(folder)
}

/// The same for replacing the file at a path.
pub(super) fn turn_at(path: &Path) -> Result<Option<File>, FileError> {
    system::turn_at(path)
}

/// Tries an operation again while another program is in the way.
pub(crate) fn patiently<T>(mut operation: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for _ in 0..PATIENCE_TRIES {
        match operation() {
            Err(error) if system::is_in_the_way(&error) => thread::sleep(TURN_STEP),
            outcome => return outcome,
        }
    }
    operation()
}

#[cfg(unix)]
mod system {
    use super::super::reader::open_file;
    use super::{FileError, Hold, io};
    use std::fs::{File, OpenOptions, TryLockError};
    use std::path::Path;

    /// Opening and renaming never fail because of a reader.
    pub(super) fn is_in_the_way(_: &io::Error) -> bool {
        false
    }

    pub(super) fn open_held(options: &mut OpenOptions, path: &Path) -> io::Result<Hold> {
        let file = options.open(path)?;
        Ok(match file.try_lock() {
            Err(TryLockError::WouldBlock) => Hold::Busy,
            // File systems without locks are not checked.
            Ok(()) | Err(TryLockError::Error(_)) => Hold::Held(file),
        })
    }

    pub(super) fn is_held_now(path: &Path) -> bool {
        File::open(path).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// The lock of the folder.
    pub(super) fn turn_in(folder: &Path) -> io::Result<Option<File>> {
        locked(File::open(folder)?)
    }

    /// The lock of the file. If it was replaced meanwhile, another one has to be locked.
    pub(super) fn turn_at(path: &Path) -> Result<Option<File>, FileError> {
        let (file, _) = open_file(path)?;
        let file = locked(file).map_err(FileError::when("waiting for it", path))?;
        Ok(file.filter(|file| is_there(file, path)))
    }

    fn locked(file: File) -> io::Result<Option<File>> {
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(_)) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    fn is_there(file: &File, path: &Path) -> bool {
        use std::os::unix::fs::MetadataExt;
        let same =
            |one: std::fs::Metadata, other: std::fs::Metadata| (one.dev(), one.ino()) == (other.dev(), other.ino());
        file.metadata().is_ok_and(|one| std::fs::metadata(path).is_ok_and(|other| same(one, other)))
    }
}

#[cfg(windows)]
mod system {
    use super::{FileError, Hold, io};
    use std::ffi::OsString;
    use std::fs::{File, OpenOptions};
    use std::os::windows::fs::OpenOptionsExt;
    use std::path::Path;

    // Numbers of winnt.h, winbase.h and winerror.h.
    const SHARE_READ: u32 = 1;
    const SHARE_DELETE: u32 = 4;
    const DELETE_ON_CLOSE: u32 = 0x0400_0000;
    const ACCESS_DENIED: i32 = 5;
    const SHARING_VIOLATION: i32 = 32;
    const LOCK_VIOLATION: i32 = 33;
    const DELETE_PENDING: i32 = 303;

    pub(super) fn is_in_the_way(error: &io::Error) -> bool {
        let codes = [ACCESS_DENIED, SHARING_VIOLATION, LOCK_VIOLATION, DELETE_PENDING];
        error.raw_os_error().is_some_and(|code| codes.contains(&code))
    }

    fn is_shared_out(error: &io::Error) -> bool {
        error.raw_os_error() == Some(SHARING_VIOLATION)
    }

    pub(super) fn open_held(options: &mut OpenOptions, path: &Path) -> io::Result<Hold> {
        // Others may read it, rename it and remove it.
        match options.share_mode(SHARE_READ | SHARE_DELETE).open(path) {
            Ok(file) => Ok(Hold::Held(file)),
            Err(error) if is_shared_out(&error) => Ok(Hold::Busy),
            Err(error) => Err(error),
        }
    }

    pub(super) fn is_held_now(path: &Path) -> bool {
        OpenOptions::new().write(true).open(path).is_err_and(|error| is_shared_out(&error))
    }

    pub(super) fn turn_in(folder: &Path) -> io::Result<Option<File>> {
        turn_by(&folder.join(".turn"))
    }

    /// The file itself is not opened, since some systems do not rename over an open one.
    pub(super) fn turn_at(path: &Path) -> Result<Option<File>, FileError> {
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(".turn");
        turn_by(&path.with_file_name(name)).map_err(FileError::when("waiting for it", path))
    }

    /// A hidden file that nothing else can open, and that is removed with the process that has the right.
    fn turn_by(path: &Path) -> io::Result<Option<File>> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).share_mode(0).custom_flags(DELETE_ON_CLOSE);
        match options.open(path) {
            Ok(file) => Ok(Some(file)),
            // A folder that cannot be written is tried as long as one that is in use: the two look the same.
            Err(error) if is_in_the_way(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

#[cfg(not(any(unix, windows)))]
mod system {
    use super::{FileError, Hold, io};
    use std::fs::{File, OpenOptions};
    use std::path::Path;

    pub(super) fn is_in_the_way(_: &io::Error) -> bool {
        false
    }

    pub(super) fn open_held(options: &mut OpenOptions, path: &Path) -> io::Result<Hold> {
        options.open(path).map(Hold::Held)
    }

    pub(super) fn is_held_now(_: &Path) -> bool {
        false
    }

    pub(super) fn turn_in(_: &Path) -> io::Result<Option<File>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn turn_at(path: &Path) -> Result<Option<File>, FileError> {
        Err(FileError::when("waiting for it", path)(io::ErrorKind::Unsupported.into()))
    }
}
