//! Mappings of the operating system, through the `memmap2` crate.
#![allow(unsafe_code, reason = "files are mapped here, and nowhere else")]

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use memmap2::MmapMut;

use crate::files::{FileError, Hold, Temporary, open_held_soon};
use crate::limits::ZEROS_BYTES;

#[derive(Debug)]
pub(super) struct Mapping {
    path: PathBuf,
    map: MmapMut,
    /// Holds the lock of law 2 as long as the map lives.
    file: File,
}

impl Mapping {
    pub(super) fn create<R>(
        path: &Path,
        len: u64,
        prepare: impl FnOnce(&mut [u8]) -> R,
    ) -> Result<(Mapping, R), FileError> {
        let mut temporary = Temporary::beside(path)?;
        fill_with_zeros(temporary.file(), len).map_err(FileError::when("allocating its space", path))?;
        // SAFETY: the temporary is locked, and no other process knows its name.
        let map = unsafe { MmapMut::map_mut(&*temporary.file()) };
        let mut map = map.map_err(FileError::when("mapping it", path))?;
        let prepared = prepare(&mut map);
        // Some systems cannot rename a mapped file. The writes reach the file anyway.
        drop(map);
        let mapping = Mapping::of(path, temporary.take_place()?)?;
        if mapping.map.len() as u64 != len {
            let cause = io::Error::new(io::ErrorKind::UnexpectedEof, "another program changed its length");
            return Err(FileError::when("mapping it", path)(cause));
        }
        Ok((mapping, prepared))
    }

    pub(super) fn open(path: &Path) -> Result<Mapping, FileError> {
        let opened = open_held_soon(OpenOptions::new().read(true).write(true), path);
        match opened.map_err(FileError::when("opening it for mapping", path))? {
            Hold::Held(file) => Mapping::of(path, file),
            Hold::Busy => {
                let cause = io::Error::new(io::ErrorKind::ResourceBusy, "another process has it mapped");
                Err(FileError::when("mapping it", path)(cause))
            }
        }
    }

    /// Maps a held file. On file systems without locks the caller keeps law 2.
    fn of(path: &Path, file: File) -> Result<Mapping, FileError> {
        // SAFETY: the lock keeps every other `Mapping`, here and in other processes, from changing the bytes under the
        // references given out. A process that changes the file by other means breaks law 2 from outside, as a debugger
        // could.
        let map = unsafe { MmapMut::map_mut(&file) }.map_err(FileError::when("mapping it", path))?;
        Ok(Mapping { path: path.to_path_buf(), map, file })
    }

    pub(super) fn is_whole(&self) -> bool {
        self.file.metadata().is_ok_and(|metadata| metadata.len() >= self.map.len() as u64)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.map
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.map
    }

    pub(super) fn flush(&self) -> Result<(), FileError> {
        self.map.flush().map_err(FileError::when("flushing it to the disk", &self.path))
    }
}

/// Written, not only extended: a sparse file would allocate its space later, when a full disk is a fault.
fn fill_with_zeros(file: &mut File, len: u64) -> io::Result<()> {
    let zeros = [0; ZEROS_BYTES];
    let mut rest = len;
    while rest > 0 {
        let now = usize::try_from(rest).map_or(ZEROS_BYTES, |rest| rest.min(ZEROS_BYTES));
        file.write_all(&zeros[..now])?;
        rest -= now as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::files::read_at_most;
    use crate::mapped::MappedFile;
    use crate::testing::{self, Folder};
    use std::path::PathBuf;
    use std::{env, fs, io, process};

    #[test]
    fn a_new_file_is_zero_and_keeps_its_writes() {
        let folder = Folder::new();
        let path = folder.join("a");
        for len in [1, 4096, 100_001] {
            let mut mapped = MappedFile::create(&path, len).expect("the folder can be written");
            assert_eq!(mapped.bytes().len() as u64, len);
            assert!(mapped.bytes().iter().all(|byte| *byte == 0));
            mapped.bytes_mut().fill(7);
            mapped.flush().expect("the disk can be written");
            drop(mapped);
            let mut mapped = MappedFile::open(&path).expect("it is there");
            assert!(mapped.bytes().iter().all(|byte| *byte == 7));
            mapped.bytes_mut()[0] = 8;
            drop(mapped);
            let bytes = read_at_most(&path, len).expect("it is there");
            assert_eq!(bytes[0], 8);
            assert_eq!(bytes.len() as u64, len);
        }
        assert_eq!(folder.names().len(), 1, "no temporary is left");
    }

    #[test]
    fn a_truncated_file_is_noticed_or_cannot_be_truncated() {
        let folder = Folder::new();
        let path = folder.join("a");
        let mapped = MappedFile::create(&path, 100_000).expect("the folder can be written");
        assert!(mapped.is_whole());
        let cut = fs::OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(10));
        // Windows refuses it while the file is held.
        assert_eq!(cut.is_ok(), cfg!(unix), "{cut:?}");
        assert_eq!(mapped.is_whole(), cut.is_err());
    }

    #[test]
    fn a_file_may_be_empty() {
        let folder = Folder::new();
        let mut mapped = MappedFile::create(&folder.join("a"), 0).expect("the folder can be written");
        assert!(mapped.bytes().is_empty() && mapped.bytes_mut().is_empty());
        mapped.flush().expect("there is nothing to flush");
    }

    #[test]
    fn a_file_is_found_prepared_or_not_at_all() {
        const PATH: &str = "ASTRARIUM_HOST_TEST_PREPARED";
        if testing::is_child() {
            let path = PathBuf::from(env::var_os(PATH).expect("the parent says where"));
            let _ = MappedFile::create_prepared(&path, 100_000, |bytes| {
                bytes.fill(2);
                process::abort();
            });
        }
        let folder = Folder::new();
        let path = folder.join("a");
        let prepare = |bytes: &mut [u8]| {
            assert_eq!(bytes, [0; 5000]);
            bytes.fill(1);
            77
        };
        let (mapped, prepared) = MappedFile::create_prepared(&path, 5000, prepare).expect("the folder can be written");
        assert_eq!((mapped.bytes(), prepared), (&[1; 5000][..], 77));
        drop(mapped);
        let status = testing::again("mapped::real::tests::a_file_is_found_prepared_or_not_at_all")
            .env(PATH, &path)
            .stderr(process::Stdio::null())
            .stdout(process::Stdio::null())
            .status()
            .expect("the test binary runs");
        assert!(!status.success());
        assert_eq!(read_at_most(&path, 100_000).expect("the old one is there"), [1; 5000]);
        assert_eq!(folder.names().len(), 2, "the temporary file of the dead process is beside it");
        drop(MappedFile::create(&path, 10).expect("the folder can be written"));
        assert_eq!(folder.names().len(), 1, "and is removed by the next one");
    }

    #[test]
    fn a_file_is_mapped_once_at_a_time() {
        let folder = Folder::new();
        let path = folder.join("a");
        let first = MappedFile::create(&path, 10).expect("the folder can be written");
        let error = MappedFile::open(&path).expect_err("it is mapped already");
        assert_eq!(error.kind(), io::ErrorKind::ResourceBusy);
        drop(first);
        let second = MappedFile::open(&path).expect("it is free");
        assert!(MappedFile::open(&path).is_err());
        drop(second);
    }

    #[test]
    #[cfg(unix)]
    fn a_mapping_of_an_old_file_stays_valid_when_a_new_one_replaces_it() {
        let folder = Folder::new();
        let path = folder.join("a");
        let mut old = MappedFile::create(&path, 10_000).expect("the folder can be written");
        old.bytes_mut().fill(1);
        let new = MappedFile::create(&path, 10).expect("the folder can be written");
        assert!(old.bytes().iter().all(|byte| *byte == 1));
        assert_eq!(new.bytes(), [0; 10]);
    }

    #[test]
    fn a_missing_file_or_a_folder_is_an_error() {
        let folder = Folder::new();
        assert_eq!(MappedFile::open(&folder.join("a")).expect_err("nothing is there").kind(), io::ErrorKind::NotFound);
        assert!(MappedFile::open(folder.path()).is_err());
        fs::create_dir(folder.join("b")).expect("the folder can be written");
        assert!(MappedFile::create(&folder.join("b"), 10).is_err());
        assert_eq!(folder.names().len(), 1, "no temporary is left");
    }

    #[test]
    fn what_was_written_survives_the_death_of_the_process() {
        const PATH: &str = "ASTRARIUM_HOST_TEST_MAPPED";
        if testing::is_child() {
            let path = PathBuf::from(env::var_os(PATH).expect("the parent says where"));
            let mut mapped = MappedFile::create(&path, 100_000).expect("the folder can be written");
            mapped.bytes_mut().fill(42);
            process::abort();
        }
        let folder = Folder::new();
        let path = folder.join("last words");
        let status = testing::again("mapped::real::tests::what_was_written_survives_the_death_of_the_process")
            .env(PATH, &path)
            .stderr(process::Stdio::null())
            .stdout(process::Stdio::null())
            .status()
            .expect("the test binary runs");
        assert!(!status.success());
        assert_eq!(read_at_most(&path, 100_000).expect("it was made"), [42; 100_000]);
        assert!(MappedFile::open(&path).is_ok(), "its lock died with the process");
    }
}
