//! The temporary file of an atomic replacement.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use super::FileError;
use super::hold::{Hold, open_held, patiently};
use crate::limits::TEMPORARY_TRIES;
use crate::process;

const ENDING: &str = ".writing";

/// A temporary file, removed when dropped unless it was renamed to its target.
#[derive(Debug)]
pub(crate) struct Temporary {
    target: PathBuf,
    path: PathBuf,
    /// The locked file. None once it was renamed.
    file: Option<File>,
}

impl Temporary {
    /// An empty file in the target's folder, locked. Leftovers of dead writers of the same target are removed.
    pub(crate) fn beside(target: &Path) -> Result<Temporary, FileError> {
        let creating = "creating its new version";
        let Some(name) = target.file_name() else {
            let cause = io::Error::new(io::ErrorKind::InvalidInput, "the path has no file name");
            return Err(FileError::when(creating, target)(cause));
        };
        remove_leftovers(folder_of(target), name);
        for _ in 0..TEMPORARY_TRIES {
            let path = target.with_file_name(unique_name(name));
            match create_locked(&path) {
                Ok(Some(file)) => {
                    keep_permissions(&file, target);
                    return Ok(Temporary { target: target.to_path_buf(), path, file: Some(file) });
                }
                Ok(None) => {}
                Err(cause) => return Err(FileError::when(creating, target)(cause)),
            }
        }
        let cause = io::Error::new(io::ErrorKind::AlreadyExists, "every temporary name is in use");
        Err(FileError::when(creating, target)(cause))
    }

    /// Its own path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The file, for writing.
    pub(crate) fn file(&mut self) -> &mut File {
        self.file.as_mut().expect("the file is taken only by `take_place`, which consumes this value")
    }

    /// Syncs the file, then renames it to the target. Returns the file, which is still locked.
    pub(crate) fn take_place(mut self) -> Result<File, FileError> {
        let target = &self.target.clone();
        self.file().sync_all().map_err(FileError::when("flushing its new version to the disk", target))?;
        let rename = || fs::rename(&self.path, target);
        patiently(rename).map_err(FileError::when("replacing it by its new version", target))?;
        let file = self.file.take();
        sync_folder(folder_of(target)).map_err(FileError::when("flushing its folder to the disk", target))?;
        Ok(file.expect("only this function takes the file"))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.file.is_some() {
            // Before it is unlocked, so that no other process cleans up concurrently. If it fails, the next writer
            // tries.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Best effort: a file that cannot get the permissions of the old one is written anyway.
fn keep_permissions(file: &File, target: &Path) {
    if cfg!(unix)
        && let Ok(old) = fs::symlink_metadata(target)
        && old.is_file()
    {
        let _ = file.set_permissions(old.permissions());
    }
}

/// The folder that a path lies in.
pub(super) fn folder_of(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A hidden name that is unique over all processes, also later ones with the same id.
fn unique_name(target: &OsStr) -> OsString {
    static GIVEN: AtomicU64 = AtomicU64::new(0);
    let given = GIVEN.fetch_add(1, Ordering::Relaxed);
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    let mut name = OsString::from(".");
    name.push(target);
    name.push(format!(".{}-{time}-{given}{ENDING}", process::number()));
    name
}

/// Whether `name` was made by [`unique_name`] for exactly this target, not for one whose name starts with it.
fn is_temporary_of(name: &OsStr, target: &OsStr) -> bool {
    let between = name.as_encoded_bytes().strip_prefix(b".").and_then(|rest| {
        rest.strip_prefix(target.as_encoded_bytes())?.strip_prefix(b".")?.strip_suffix(ENDING.as_bytes())
    });
    between.is_some_and(|between| {
        let mut numbers = between.split(|byte| *byte == b'-');
        numbers.by_ref().take(3).filter(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit)).count()
            == 3
            && numbers.next().is_none()
    })
}

/// `None` if a cleaner found the file before it was locked and removes it as a leftover.
fn create_locked(path: &Path) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    let file = match open_held(options.read(true).write(true).create_new(true), path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
        other => match other? {
            Hold::Held(file) => file,
            Hold::Busy => return Ok(None),
        },
    };
    // Cleaners remove only files that they have locked. So if it still exists now, it stays.
    Ok(fs::symlink_metadata(path).is_ok().then_some(file))
}

/// Best effort: files that cannot be removed are left to the next writer.
fn remove_leftovers(folder: &Path, target: &OsStr) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && is_temporary_of(&entry.file_name(), target) {
            remove_if_abandoned(&entry.path());
        }
    }
}

fn remove_if_abandoned(path: &Path) {
    // If its writer finished meanwhile, this is the target's lock, and the unique path no longer exists.
    if let Ok(Hold::Held(_file)) = open_held(OpenOptions::new().read(true).write(true), path) {
        let _ = fs::remove_file(path);
    }
}

/// Syncs the folder: without this, a power cut could lose the new name although the bytes are on the disk.
#[cfg(unix)]
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // Some file systems do not support fsync of folders.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        other => other,
    }
}

/// On other systems a folder cannot be opened like this, and the rename has to suffice.
#[cfg(not(unix))]
pub(super) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Folder;

    #[test]
    fn a_temporary_is_recognised_by_its_target_only() {
        let is_temporary = |name: &str, target: &str| is_temporary_of(OsStr::new(name), OsStr::new(target));
        for target in ["a", "a.save", "a.1-2-3.writing", ".a", "ä b"] {
            assert!(is_temporary_of(&unique_name(OsStr::new(target)), OsStr::new(target)));
        }
        assert!(is_temporary(".a.1-2-3.writing", "a"));
        assert!(!is_temporary(".a.b.1-2-3.writing", "a"));
        assert!(!is_temporary(".a.1.1-2-3.writing", "a"));
        assert!(!is_temporary(".ab.1-2-3.writing", "a"));
        assert!(!is_temporary("a.1-2-3.writing", "a"));
        assert!(!is_temporary(".a.1-2-3-4.writing", "a"));
        assert!(!is_temporary(".a.1-2.writing", "a"));
        assert!(!is_temporary(".a.1--3.writing", "a"));
        assert!(!is_temporary(".a..writing", "a"));
        assert!(!is_temporary(".a.writing", "a"));
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<OsString> = (0..1000).map(|_| unique_name(OsStr::new("a"))).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 1000);
    }

    #[test]
    fn leftovers_are_removed_but_not_those_of_living_writers_nor_of_other_files() {
        let folder = Folder::new();
        let target = folder.join("a");
        let living = Temporary::beside(&target).expect("the folder can be written");
        let others = [".b.1-2-3.writing", ".a.b.1-2-3.writing", "a.1-2-3.writing"];
        for name in others.iter().chain(&[".a.1-2-3.writing", ".a.4-5-6.writing"]) {
            fs::write(folder.join(name), "left over").expect("the folder can be written");
        }
        let second = Temporary::beside(&target).expect("the folder can be written");
        let mut expected: Vec<String> = others.map(String::from).to_vec();
        let name =
            |temporary: &Temporary| temporary.path.file_name().expect("it has a name").to_string_lossy().into_owned();
        expected.extend([name(&living), name(&second)]);
        expected.sort();
        assert_eq!(folder.names(), expected);
        drop(living);
        second.take_place().expect("the folder can be written");
        let mut expected: Vec<String> = others.into_iter().chain(["a"]).map(String::from).collect();
        expected.sort();
        assert_eq!(folder.names(), expected);
    }
}
