//! Background file writer: a thread with a bounded queue, so that the main loop never waits for a disk.
//!
//! Laws
//! 1. Files are written one after the other, in the order they were submitted, each as
//!    [`write_atomically`] does.
//! 2. At most `capacity` files are in the queue, from `submit` until `poll` returns them. One more is refused and
//!    handed back instead of blocking: a save a second later is as good.
//! 3. `submit` and `poll` do not allocate: paths and bytes are moved in, and out again for reuse. The thread allocates
//!    a few short names per file.
//! 4. Dropping the writer writes everything submitted. For the results call [`BackgroundWriter::finish`] and poll.
//! 5. Where there are no threads (wasm), `submit` does the thread's work at once; the rest is the same.

use std::collections::VecDeque;
use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use crate::files::{FileError, write_atomically};

/// A finished file, written or failed.
#[derive(Debug)]
pub struct Finished {
    /// The path.
    pub path: PathBuf,
    /// The buffer, for reuse.
    pub bytes: Vec<u8>,
    /// The result.
    pub result: Result<(), FileError>,
}

/// The queue was full. The file is handed back.
#[derive(Debug, PartialEq, Eq)]
pub struct Refused {
    /// The path.
    pub path: PathBuf,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: not written: too many files are waiting for the disk", self.path.display())
    }
}

impl Error for Refused {}

/// A thread that writes files.
#[derive(Debug)]
pub struct BackgroundWriter {
    desk: Arc<Desk>,
    capacity: usize,
    /// None where there are no threads.
    thread: Option<JoinHandle<()>>,
}

impl BackgroundWriter {
    /// A writer with a queue of this many files, at least one.
    #[must_use]
    pub fn new(capacity: usize) -> BackgroundWriter {
        let capacity = capacity.max(1);
        let trays = Trays {
            waiting: VecDeque::with_capacity(capacity),
            done: VecDeque::with_capacity(capacity),
            ..Trays::default()
        };
        let desk = Arc::new(Desk { trays: Mutex::new(trays), changed: Condvar::new() });
        let theirs = Arc::clone(&desk);
        let thread = thread::Builder::new().name("file writer".into()).spawn(move || theirs.work()).ok();
        BackgroundWriter { desk, capacity, thread }
    }

    /// Submits a file. Never waits for the disk (but see law 5).
    pub fn submit(&self, path: PathBuf, bytes: Vec<u8>) -> Result<(), Refused> {
        let mut trays = self.desk.lock();
        if trays.count() >= self.capacity {
            return Err(Refused { path, bytes });
        }
        if self.thread.is_some() {
            trays.waiting.push_back((path, bytes));
            self.desk.changed.notify_all();
        } else {
            trays.done.push_back(write(path, bytes));
        }
        Ok(())
    }

    /// The next finished file, in the order of submission. Never waits.
    #[must_use]
    pub fn poll(&self) -> Option<Finished> {
        self.desk.lock().done.pop_front()
    }

    /// Waits until every submitted file is finished. The results can then be polled.
    pub fn finish(&self) {
        let mut trays = self.desk.lock();
        while !trays.is_idle() {
            trays = self.desk.changed.wait(trays).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for BackgroundWriter {
    fn drop(&mut self) {
        self.desk.lock().is_closing = true;
        self.desk.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The queue shared with the thread.
#[derive(Debug)]
struct Desk {
    trays: Mutex<Trays>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Trays {
    waiting: VecDeque<(PathBuf, Vec<u8>)>,
    is_writing: bool,
    done: VecDeque<Finished>,
    is_closing: bool,
}

impl Trays {
    fn count(&self) -> usize {
        self.waiting.len() + usize::from(self.is_writing) + self.done.len()
    }

    fn is_idle(&self) -> bool {
        self.waiting.is_empty() && !self.is_writing
    }
}

impl Desk {
    /// No code panics while it holds the lock, so poisoning is ignored.
    fn lock(&self) -> MutexGuard<'_, Trays> {
        self.trays.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The loop of the thread: runs until the writer is dropped and the queue is empty.
    fn work(&self) {
        let mut trays = self.lock();
        loop {
            if let Some((path, bytes)) = trays.waiting.pop_front() {
                trays.is_writing = true;
                drop(trays);
                let finished = write(path, bytes);
                trays = self.lock();
                trays.is_writing = false;
                trays.done.push_back(finished);
                self.changed.notify_all();
            } else if trays.is_closing {
                return;
            } else {
                trays = self.changed.wait(trays).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

fn write(path: PathBuf, bytes: Vec<u8>) -> Finished {
    let result = write_atomically(&path, &[&bytes]);
    Finished { path, bytes, result }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocation;
    use crate::files::read_at_most;
    use crate::testing::Folder;
    use std::io;

    #[test]
    fn files_are_written_in_order_and_buffers_are_returned() {
        let folder = Folder::new();
        let writer = BackgroundWriter::new(50);
        for number in 0..50 {
            // Ten paths: the last version of each must win.
            let path = folder.join(format!("{}", number % 10));
            writer.submit(path, vec![number; 100]).expect("there is room for fifty");
        }
        writer.finish();
        for number in 0..50 {
            let finished = writer.poll().expect("all files are finished");
            assert_eq!(finished.path, folder.join(format!("{}", number % 10)));
            assert_eq!(finished.bytes, [number; 100]);
            assert!(finished.result.is_ok());
        }
        assert!(writer.poll().is_none());
        for number in 0..10 {
            let path = folder.join(format!("{number}"));
            assert_eq!(read_at_most(&path, 100).expect("it was written"), [number + 40; 100]);
        }
    }

    #[test]
    fn a_full_writer_refuses_until_it_is_polled() {
        let folder = Folder::new();
        let writer = BackgroundWriter::new(2);
        let submit = |number| writer.submit(folder.join("a"), vec![number; 3]);
        submit(1).expect("there is room for two");
        submit(2).expect("there is room for two");
        let refused = submit(3).expect_err("there is no room for three");
        assert_eq!(refused, Refused { path: folder.join("a"), bytes: vec![3; 3] });
        writer.finish();
        submit(4).expect_err("a result that was not polled occupies a place too");
        assert!(writer.poll().is_some());
        submit(5).expect("there is room again");
    }

    #[test]
    fn dropping_writes_all_submitted_files() {
        let folder = Folder::new();
        let writer = BackgroundWriter::new(5);
        for number in 0..5 {
            writer.submit(folder.join("a"), vec![number; 1000]).expect("there is room for five");
        }
        drop(writer);
        assert_eq!(read_at_most(&folder.join("a"), 1000).expect("it was written"), [4; 1000]);
    }

    #[test]
    fn a_failure_is_reported_and_the_next_file_is_written() {
        let folder = Folder::new();
        let writer = BackgroundWriter::new(5);
        writer.submit(folder.join("no such folder/a"), vec![1]).expect("there is room");
        writer.submit(folder.join("a"), vec![2]).expect("there is room");
        writer.finish();
        let failed = writer.poll().expect("both files are finished").result.expect_err("the folder is missing");
        assert_eq!(failed.kind(), io::ErrorKind::NotFound);
        assert!(writer.poll().expect("both files are finished").result.is_ok());
    }

    #[test]
    fn repeated_saving_allocates_nothing() {
        let folder = Folder::new();
        let writer = BackgroundWriter::new(2);
        let mut spare = Some((folder.join("a"), vec![0_u8; 10_000]));
        let before = allocation::allocations_while_forbidden();
        allocation::forbid(|| {
            for number in 0..20 {
                let (path, mut bytes) = spare.take().expect("it was given back");
                bytes.fill(number);
                assert!(writer.submit(path, bytes).is_ok());
                writer.finish();
                spare = writer.poll().map(|finished| (finished.path, finished.bytes));
            }
        });
        assert_eq!(allocation::allocations_while_forbidden() - before, 0);
    }

    #[test]
    fn finishing_an_empty_queue_does_not_wait() {
        BackgroundWriter::new(0).finish();
    }
}
