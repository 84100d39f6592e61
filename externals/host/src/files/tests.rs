//! Atomic replacement, limits and errors.

use super::*;
use crate::testing::Folder;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

#[test]
fn written_bytes_are_read_again() {
    let folder = Folder::new();
    let path = folder.join("a.save");
    write_atomically(&path, &[b"one", b"", b"two"]).expect("the folder can be written");
    assert_eq!(read_at_most(&path, 6).expect("it is six bytes long"), b"onetwo");
    write_atomically(&path, &[]).expect("the folder can be written");
    assert_eq!(read_at_most(&path, 0).expect("it is empty"), b"");
    assert_eq!(folder.names(), ["a.save"]);
}

#[test]
fn a_path_without_a_folder_is_in_the_working_folder() {
    // Only checks the error: a test must not write into its working folder.
    let error = read_at_most(Path::new("no such file"), 1).expect_err("it is not there");
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
}

#[test]
fn a_file_over_the_limit_is_not_read() {
    let folder = Folder::new();
    let path = folder.join("a");
    write_atomically(&path, &[&[7; 1000]]).expect("the folder can be written");
    assert_eq!(read_at_most(&path, 1000).expect("it is exactly at the limit").len(), 1000);
    let error = read_at_most(&path, 999).expect_err("it is one too long");
    assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    assert!(error.to_string().contains("at most 999"), "{error}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_that_hides_its_length_is_not_read_beyond_the_limit() {
    // The system reports a length of zero and delivers more.
    let path = Path::new("/proc/self/status");
    let error = read_at_most(path, 10).expect_err("it is longer");
    assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    assert!(read_at_most(path, 1 << 20).expect("it is shorter").len() > 10);
    assert!(read_at_most(Path::new("/dev/zero"), 10).is_err());
}

#[test]
fn an_error_names_the_path_the_operation_and_the_cause() {
    let folder = Folder::new();
    let path = folder.join("missing");
    let error = read_at_most(&path, 10).expect_err("it is not there");
    assert_eq!(error.path(), path);
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    assert!(error.source().is_some());
    assert!(error.to_string().starts_with(&format!("{}: {} failed: ", path.display(), error.doing())), "{error}");
}

#[test]
fn a_failed_write_leaves_the_old_file_and_nothing_else() {
    let folder = Folder::new();
    // A folder that is not empty cannot be replaced by a file.
    let path = folder.join("taken");
    fs::create_dir(&path).expect("the folder can be written");
    fs::write(path.join("inside"), "old").expect("the folder can be written");
    let error = write_atomically(&path, &[b"new"]).expect_err("a folder is in the way");
    assert_eq!(error.path(), path);
    assert_eq!(folder.names(), ["taken"]);
    assert_eq!(read_at_most(&path.join("inside"), 9).expect("it is there"), b"old");

    let nowhere = folder.join("missing folder").join("a");
    assert!(write_atomically(&nowhere, &[b"new"]).is_err());
    assert!(write_atomically(Path::new("/"), &[b"new"]).is_err());
    assert!(read_at_most(folder.path(), 100).is_err());
    assert_eq!(folder.names(), ["taken"]);
}

#[test]
fn a_reader_never_sees_a_partial_file_while_four_threads_write() {
    let folder = Folder::new();
    let path = folder.join("a");
    let length = |letter: u8| 1000 * usize::from(letter);
    write_atomically(&path, &[&[1; 1000]]).expect("the folder can be written");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let writers = [2, 3, 4, 5].map(|letter| {
            let path = &path;
            scope.spawn(move || {
                let bytes = vec![letter; length(letter)];
                for _ in 0..20 {
                    write_atomically(path, &[&bytes[..10], &bytes[10..]]).expect("the folder can be written");
                }
            })
        });
        scope.spawn(|| {
            // Windows replaces a file that is open, Wine does not: there the writers wait for the reader.
            let mut reads = if cfg!(windows) { 100 } else { u32::MAX };
            while reads > 0 && !is_over.load(Ordering::Relaxed) {
                reads -= 1;
                let bytes = read_at_most(&path, 10_000).expect("it is there at every moment");
                assert_eq!(bytes.len(), length(bytes[0]));
                assert!(bytes.iter().all(|byte| *byte == bytes[0]));
            }
        });
        let ends = writers.map(|writer| writer.join());
        is_over.store(true, Ordering::Relaxed);
        assert!(ends.iter().all(Result::is_ok), "all writes succeed");
    });
    assert_eq!(folder.names(), ["a"]);
}

#[test]
fn folders_are_made_with_their_parents_and_may_exist() {
    let folder = Folder::new();
    let deep = folder.join("a/b/c");
    for _ in 0..2 {
        make_folder(&deep).expect("the folder can be written");
        assert!(deep.is_dir());
    }
    write_atomically(&folder.join("file"), &[b"old"]).expect("the folder can be written");
    let error = make_folder(&folder.join("file/c")).expect_err("a file is in the way");
    assert!(error.to_string().contains("file/c: creating the folder failed"), "{error}");
    assert_eq!(read_at_most(&folder.join("file"), 9).expect("it is there"), b"old");
}

#[test]
fn a_file_is_removed_once_and_a_folder_never() {
    let folder = Folder::new();
    let path = folder.join("a");
    write_atomically(&path, &[b"old"]).expect("the folder can be written");
    remove(&path).expect("it is there");
    assert!(!path.exists());
    assert_eq!(remove(&path).expect_err("it is gone").kind(), io::ErrorKind::NotFound);
    assert!(remove(folder.path()).is_err());
    assert!(folder.path().is_dir());
}

/// Writes a file with a modification time this many seconds ago.
fn write_aged(path: &Path, seconds: u64) {
    let file = File::create(path).expect("the folder can be written");
    let time = std::time::SystemTime::now() - std::time::Duration::from_secs(seconds);
    file.set_modified(time).expect("a file has a time");
}

#[test]
fn the_newest_file_of_an_extension_is_the_one_written_last() {
    let folder = Folder::new();
    let newest_name =
        || newest(folder.path(), "crash").expect("it can be listed").map(|path| path.file_name().unwrap().to_owned());
    assert_eq!(newest(&folder.join("missing"), "crash").expect("a missing folder has no files"), None);
    assert_eq!(newest_name(), None);
    for (name, seconds) in [("z.crash", 50), ("b.crash", 10), ("a.crash", 30), ("newer.save", 1), ("crash", 1)] {
        write_aged(&folder.join(name), seconds);
    }
    assert_eq!(newest_name(), Some(OsString::from("b.crash")));
    write_aged(&folder.join("z.crash"), 5);
    assert_eq!(newest_name(), Some(OsString::from("z.crash")));
    fs::create_dir(folder.join("folder.crash")).expect("the folder can be written");
    assert_eq!(newest_name(), Some(OsString::from("z.crash")), "a folder is not a file");
    let error = newest(&folder.join("a.crash"), "crash").expect_err("a file is not a folder");
    assert!(error.to_string().contains("listing the folder"), "{error}");
}

#[test]
fn files_and_folders_are_listed_by_name_up_to_the_limit() {
    let folder = Folder::new();
    for name in ["b.ftl", "a.ftl", "c.txt"] {
        fs::write(folder.join(name), "").expect("the folder can be written");
    }
    for name in ["de", "en", "f.ftl"] {
        fs::create_dir(folder.join(name)).expect("the folder can be written");
    }
    let names = |paths: Vec<PathBuf>| -> Vec<OsString> {
        paths.iter().map(|path| path.file_name().expect("it has a name").to_owned()).collect()
    };
    assert_eq!(names(files_in(folder.path(), "ftl", 2).expect("it can be listed")), ["a.ftl", "b.ftl"]);
    assert_eq!(names(folders_in(folder.path(), 3).expect("it can be listed")), ["de", "en", "f.ftl"]);
    let error = files_in(folder.path(), "ftl", 1).expect_err("there are two");
    assert!(error.to_string().contains("there are more than 1"), "{error}");
    let error = folders_in(&folder.join("missing"), 9).expect_err("there is no such folder");
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
}

#[test]
fn trying_to_write_leaves_nothing_behind() {
    let folder = Folder::new();
    try_to_write(&folder.join("a")).expect("the folder can be written");
    assert!(folder.names().is_empty());
    write_atomically(&folder.join("a"), &[b"old"]).expect("the folder can be written");
    try_to_write(&folder.join("a")).expect("the folder can be written");
    assert_eq!(read_at_most(&folder.join("a"), 9).expect("it is there"), b"old");
    assert_eq!(folder.names(), ["a"]);
    let error = try_to_write(&folder.join("missing/a")).expect_err("there is no such folder");
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    assert!(try_to_write(Path::new("/")).is_err());
}

#[test]
fn only_the_newest_few_are_kept_and_locked_ones() {
    let folder = Folder::new();
    for (name, seconds) in [("a.crash", 50), ("b.crash", 40), ("c.crash", 30), ("d.crash", 20), ("old.save", 90)] {
        write_aged(&folder.join(name), seconds);
    }
    let in_use = File::open(folder.join("a.crash")).expect("it was just written");
    in_use.lock().expect("it is not locked");
    keep_newest(folder.path(), "crash", 2).expect("it can be listed");
    let mut names = folder.names();
    names.sort();
    assert_eq!(names, ["a.crash", "c.crash", "d.crash", "old.save"]);
    keep_newest(&folder.join("missing"), "crash", 2).expect("a missing folder is no error");
}

#[test]
fn many_files_are_read_in_order_and_a_bad_one_is_its_own_error() {
    let folder = Folder::new();
    let paths: Vec<PathBuf> = (0..200).map(|number| folder.join(format!("{number}.ship"))).collect();
    for (number, path) in paths.iter().enumerate().filter(|(number, _)| number % 10 != 7) {
        fs::write(path, vec![b'x'; number]).expect("the folder can be written");
    }
    fs::create_dir(&paths[7]).expect("the folder can be written");
    for open_files in [0, 1, 3, 1000] {
        let limits = ReadLimits { bytes_each: 150, open_files };
        let read = read_many(&paths, &limits, |number, bytes| (number, bytes.map(|bytes| bytes.len())));
        assert_eq!(read.len(), paths.len());
        for (place, (number, length)) in read.into_iter().enumerate() {
            assert_eq!(number, place);
            match length {
                Ok(length) => assert_eq!(length, number),
                Err(error) => assert!(number % 10 == 7 || number > 150, "{error}"),
            }
        }
    }
    assert!(read_many(&[] as &[PathBuf], &ReadLimits::of_this_machine(1), |_, _| ()).is_empty());
}

#[test]
fn parts_of_a_file_are_read_at_their_offsets() {
    let folder = Folder::new();
    let path = folder.join("a");
    fs::write(&path, "0123456789").expect("the folder can be written");
    let reader = Reader::open(&path).expect("it is there");
    assert_eq!(reader.length(), 10);
    let mut part = [0; 3];
    for (offset, expected) in [(7, b"789"), (0, b"012"), (4, b"456")] {
        reader.read_at(offset, &mut part).expect("it is long enough");
        assert_eq!(&part, expected);
    }
    for offset in [8, 10, u64::MAX] {
        assert!(reader.read_at(offset, &mut part).is_err(), "{offset}");
    }
    assert!(Reader::open(folder.path()).is_err());
    assert!(Reader::open(&folder.join("missing")).is_err());
}

#[test]
fn shared_bytes_equal_the_file_up_to_the_limit() {
    let folder = Folder::new();
    let path = folder.join("a");
    for text in ["", "0123456789"] {
        fs::write(&path, text).expect("the folder can be written");
        assert_eq!(&*read_shared(&path, 10).expect("it is small enough"), text.as_bytes());
    }
    assert_eq!(read_shared(&path, 9).expect_err("it is too large").kind(), io::ErrorKind::FileTooLarge);
    assert!(read_shared(folder.path(), 9).is_err());
}

#[test]
fn concurrent_replacements_lose_nothing() {
    let folder = Folder::new();
    let path = folder.join("a");
    write_atomically(&path, &[]).expect("the folder can be written");
    thread::scope(|scope| {
        for number in 0..8_u8 {
            let path = &path;
            scope.spawn(move || {
                for _ in 0..5 {
                    loop {
                        let before = read_at_most(path, 100).expect("it is there");
                        if replace(path, &before, &[&before, &[number]], 100).expect("it can be written") {
                            break;
                        }
                    }
                }
            });
        }
    });
    let mut found = read_at_most(&path, 100).expect("it is there");
    found.sort_unstable();
    assert_eq!(found, (0..8).flat_map(|number| [number; 5]).collect::<Vec<u8>>());
    assert!(!replace(&path, b"other", &[b"new"], 100).expect("it is there"));
    assert!(replace(&folder.join("none"), b"", &[b"new"], 100).is_err());
}

#[cfg(unix)]
#[test]
fn a_new_version_has_the_permissions_of_the_old_one() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let path = folder.join("a");
    write_atomically(&path, &[b"old"]).expect("the folder can be written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o664)).expect("it is ours");
    write_atomically(&path, &[b"new"]).expect("the folder can be written");
    assert_eq!(fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o664);
}

#[test]
fn the_newest_few_are_kept_within_the_size_limit() {
    let folder = Folder::new();
    for name in ["a", "b", "c", "d"] {
        write_atomically(&folder.join(format!("{name}.film")), &[&[1; 100]]).expect("the folder can be written");
        // So that their modification times differ.
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    keep_newest_bytes(folder.path(), "film", 3, 250).expect("it is there");
    assert_eq!(folder.names(), ["c.film", "d.film"]);
    keep_newest(folder.path(), "film", 1).expect("it is there");
    assert_eq!(folder.names(), ["d.film"]);
}

#[test]
fn a_growing_file_keeps_its_bytes_and_has_one_writer() {
    let folder = Folder::new();
    let path = folder.join("a.film");
    let mut file = GrowingFile::create(&path).expect("the folder can be written");
    file.append(b"one").expect("there is room");
    assert_eq!(read_at_most(&path, 10).expect("it is there"), b"one");
    if cfg!(not(target_family = "wasm")) {
        let error = GrowingFile::create(&path).expect_err("another writer has it");
        assert_eq!(error.kind(), io::ErrorKind::ResourceBusy);
    }
    assert_eq!(read_at_most(&path, 10).expect("nothing is lost"), b"one");
    file.append(b"two").expect("there is room");
    file.flush().expect("there is a disk");
    drop(file);
    let mut file = GrowingFile::go_on(&path, 4).expect("it has no writer");
    file.append(b"!").expect("there is room");
    assert_eq!(read_at_most(&path, 10).expect("it is there"), b"onet!");
    assert!(GrowingFile::go_on(&folder.join("missing"), 0).is_err());
}

#[test]
fn an_earlier_file_stays_until_the_new_one_takes_its_place() {
    let folder = Folder::new();
    let path = folder.join("a.film");
    fs::write(&path, b"earlier").expect("the folder can be written");
    let mut file = GrowingFile::create(&path).expect("it has no writer");
    file.append(b"ne").expect("there is room");
    file.flush().expect("there is a disk");
    assert_eq!(read_at_most(&path, 10).expect("it is there"), b"earlier");
    if cfg!(not(target_family = "wasm")) {
        let error = GrowingFile::create(&path).expect_err("another writer has it");
        assert_eq!(error.kind(), io::ErrorKind::ResourceBusy);
    }
    drop(file);
    assert_eq!(folder.names(), ["a.film"], "a file that never took its place leaves nothing");
    let mut file = GrowingFile::create(&path).expect("it has no writer");
    file.append(b"ne").expect("there is room");
    file.take_place().expect("the folder can be written");
    assert_eq!(read_at_most(&path, 10).expect("it is there"), b"ne");
    if cfg!(not(target_family = "wasm")) {
        let error = GrowingFile::create(&path).expect_err("another writer has it");
        assert_eq!(error.kind(), io::ErrorKind::ResourceBusy);
    }
    file.append(b"wer").expect("there is room");
    file.take_place().expect("it is there already");
    drop(file);
    assert_eq!(read_at_most(&path, 10).expect("it is there"), b"newer");
    assert_eq!(folder.names(), ["a.film"]);
}

#[test]
#[cfg(not(target_family = "wasm"))]
fn a_file_being_written_cannot_be_claimed() {
    let folder = Folder::new();
    let path = folder.join("a");
    assert!(!is_held(&path), "there is none");
    let claimed = claim(&path).expect("it can be made");
    let names = folder.names();
    assert!(claimed.is_some() && names.iter().all(|name| name.starts_with('.')), "claiming creates no file: {names:?}");
    let mapped = crate::mapped::MappedFile::create(&path, 10).expect("the folder can be written");
    drop(claimed);
    assert!(is_held(&path));
    assert_eq!(claim(&path).expect_err("it is locked").kind(), io::ErrorKind::ResourceBusy);
    assert!(claim(&folder.join("b")).is_ok(), "another file is free");
    drop(mapped);
    assert!(!is_held(&path) && claim(&path).is_ok());
    assert!(claim(&folder.join("missing/a")).is_err());
}

#[test]
#[cfg(not(target_family = "wasm"))]
fn of_concurrent_claims_one_succeeds() {
    let folder = Folder::new();
    let path = folder.join("a");
    let take = || {
        let _claim = claim(&path).ok()?;
        crate::mapped::MappedFile::create(&path, 10).ok()
    };
    let taken = thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(take)).collect();
        // All claims are held until the last was tried.
        threads.into_iter().filter_map(|thread| thread.join().expect("no thread panics")).collect::<Vec<_>>()
    });
    assert_eq!(taken.len(), 1);
}
