//! Files that are written in pieces or copied, and appear whole or not at all.

use std::fs;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::hold::patiently;
use super::reader::open_file;
use super::temporary::{folder_of, sync_folder};
use super::{FileError, Temporary};

/// A file in the making. It appears at its path when it is finished; dropped before, it leaves nothing.
#[derive(Debug)]
pub struct NewFile {
    temporary: Temporary,
    path: PathBuf,
}

impl NewFile {
    /// Begins a file in an existing folder.
    pub fn begin(path: &Path) -> Result<NewFile, FileError> {
        Ok(NewFile { temporary: Temporary::beside(path)?, path: path.to_path_buf() })
    }

    /// Appends bytes.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.temporary.file().write_all(bytes).map_err(FileError::when("writing it", &self.path))
    }

    /// The path at which it is written meanwhile, for code that can only write to a path. That code may empty the file.
    #[must_use]
    pub fn temporary_path(&self) -> &Path {
        self.temporary.path()
    }

    /// Puts the file in its place, as [`write_atomically`](super::write_atomically) does.
    pub fn finish(self) -> Result<(), FileError> {
        self.temporary.take_place().map(drop)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temporary.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.file().flush()
    }
}

impl Seek for NewFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.temporary.file().seek(to)
    }
}

/// Copies a file, which appears at its new path when it is whole. File systems that can share blocks do so.
pub fn copy(from: &Path, to: &Path) -> Result<(), FileError> {
    let (mut source, _) = open_file(from)?;
    let mut temporary = Temporary::beside(to)?;
    io::copy(&mut source, temporary.file()).map_err(FileError::when("copying it", from))?;
    temporary.take_place().map(drop)
}

/// Moves a file within its file system. After a crash it is at one of the two paths, and no file is replaced: one that is at the new path
/// is an error of the kind `AlreadyExists`. Another letter case of the same file is no other file.
pub fn rename(from: &Path, to: &Path) -> Result<(), FileError> {
    let moving = "moving it";
    let is_there = to.symlink_metadata().is_ok();
    if is_there && (from.canonicalize().ok().is_none_or(|from| to.canonicalize().ok() != Some(from))) {
        let cause = io::Error::new(io::ErrorKind::AlreadyExists, format!("there is a file at {}", to.display()));
        return Err(FileError::when(moving, from)(cause));
    }
    patiently(|| fs::rename(from, to)).map_err(FileError::when(moving, from))?;
    for folder in [folder_of(to), folder_of(from)] {
        sync_folder(folder).map_err(FileError::when("flushing its folder to the disk", to))?;
    }
    Ok(())
}

/// Makes a file available at another path by a hard link, which takes no space. It survives the removal and the atomic
/// replacement of the first file, but changes with it if its bytes are changed in place.
pub fn link(from: &Path, to: &Path) -> Result<(), FileError> {
    fs::hard_link(from, to).map_err(FileError::when("linking it", from))
}

/// The bytes that removing a file frees: none if it has another hard link, as far as the machine tells.
#[must_use]
pub fn own_bytes(path: &Path) -> u64 {
    fs::symlink_metadata(path).map_or(0, |metadata| if is_linked(&metadata) { 0 } else { metadata.len() })
}

#[cfg(unix)]
fn is_linked(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

#[cfg(not(unix))]
fn is_linked(_: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{read_at_most, write_atomically};
    use crate::testing::Folder;

    #[test]
    fn a_file_written_in_pieces_appears_when_it_is_finished() {
        let folder = Folder::new();
        let path = folder.join("a");
        let mut file = NewFile::begin(&path).expect("the folder can be written");
        file.append(b"one ").expect("there is space");
        assert!(!path.exists());
        file.append(b"two").expect("there is space");
        file.finish().expect("the folder can be written");
        assert_eq!(read_at_most(&path, 10).expect("it is there"), b"one two");
    }

    #[test]
    fn a_file_that_is_not_finished_leaves_nothing() {
        let folder = Folder::new();
        let mut file = NewFile::begin(&folder.join("a")).expect("the folder can be written");
        file.append(b"one").expect("there is space");
        drop(file);
        assert_eq!(fs::read_dir(folder.join("")).expect("it is there").count(), 0);
    }

    #[test]
    fn a_file_is_moved_and_replaces_none() {
        let folder = Folder::new();
        let (from, to) = (folder.join("from"), folder.join("to"));
        assert_eq!(rename(&from, &to).map_err(|error| error.kind()), Err(io::ErrorKind::NotFound));
        for path in [&from, &to] {
            write_atomically(path, &[path.as_os_str().as_encoded_bytes()]).expect("the folder can be written");
        }
        let refused = rename(&from, &to).expect_err("there is a file");
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert!(from.exists() && fs::read(&to).expect("it is there") == to.as_os_str().as_encoded_bytes());
        fs::remove_file(&to).expect("it is there");
        rename(&from, &to).expect("both are in one folder");
        assert!(!from.exists() && fs::read(&to).expect("it was moved") == from.as_os_str().as_encoded_bytes());
    }

    #[test]
    fn a_copy_keeps_its_content_when_the_first_file_changes() {
        let folder = Folder::new();
        let (from, copied, linked) = (folder.join("from"), folder.join("copied"), folder.join("linked"));
        assert_eq!(copy(&from, &copied).map_err(|error| error.kind()), Err(io::ErrorKind::NotFound));
        write_atomically(&from, &[b"first"]).expect("the folder can be written");
        copy(&from, &copied).expect("both are in one folder");
        link(&from, &linked).expect("both are in one folder");
        assert_eq!(own_bytes(&copied), 5);
        if cfg!(unix) {
            assert_eq!((own_bytes(&from), own_bytes(&linked)), (0, 0));
        }
        write_atomically(&from, &[b"second"]).expect("the folder can be written");
        assert_eq!(read_at_most(&linked, 10).expect("it is there"), b"first");
        fs::write(&from, b"third").expect("the folder can be written");
        assert_eq!(read_at_most(&copied, 10).expect("it is there"), b"first");
        assert_eq!(own_bytes(&linked), 5);
    }
}
