//! The reader of the block cache: opens containers, reads and decodes blocks. Runs on its own thread where there are
//! threads.

use std::sync::Arc;

use super::state::Job;
use super::{BulkHandle, CacheShared};
use crate::containers::{BlockBuffers, Container};
use crate::content_key::Key;
use crate::limits::CONTAINERS_OPEN_MAX;

#[derive(Debug)]
pub(super) struct Worker {
    shared: Arc<CacheShared>,
    /// The open files, the most recently used last.
    open: Vec<(BulkHandle, Container)>,
    buffers: BlockBuffers,
}

impl Worker {
    pub(super) fn new(shared: Arc<CacheShared>) -> Worker {
        Worker { shared, open: Vec::new(), buffers: BlockBuffers::default() }
    }

    /// The loop of the thread: runs until the cache is dropped.
    pub(super) fn work(&mut self) {
        while let Some(job) = self.shared.wait_for_job() {
            self.do_job(job);
        }
    }

    /// Does all jobs that are queued.
    pub(super) fn work_off(&mut self) {
        loop {
            let job = self.shared.lock().next_job();
            let Some(job) = job else { return };
            self.do_job(job);
        }
    }

    fn do_job(&mut self, job: Job) {
        match job {
            Job::Open(bulk, digest) => drop(self.container(bulk, &digest)),
            Job::Read(handle, digest) => self.read(handle, &digest),
        }
        self.shared.lock().end_job();
        self.shared.changed.notify_all();
    }

    fn read(&mut self, handle: super::BlockHandle, digest: &Key) {
        let Some(at) = self.container(handle.bulk, digest) else { return };
        let container = &mut self.open[at].1;
        match container.read_block(handle.block, &mut self.buffers) {
            Ok(bytes) => {
                let bytes = Arc::from(bytes);
                self.shared.lock().arrived(handle, bytes);
            }
            Err(error) => {
                let trouble = format!("{}, block {}: {error}; import the data again", container.name, handle.block);
                self.shared.lock().fail_block(handle, trouble);
                // The file may be another one by now: it is opened again for the next block.
                self.open.remove(at);
            }
        }
    }

    /// The number of an open container; opens it if necessary. None if that fails.
    fn container(&mut self, bulk: BulkHandle, digest: &Key) -> Option<usize> {
        if let Some(at) = self.open.iter().position(|(other, _)| *other == bulk) {
            let found = self.open.remove(at);
            self.open.push(found);
        } else {
            match self.shared.containers.open(digest) {
                Ok(container) => {
                    if self.open.len() >= CONTAINERS_OPEN_MAX {
                        self.open.remove(0);
                    }
                    let directory = Arc::new(container.directory.clone());
                    self.shared.lock().opened(bulk, directory);
                    self.open.push((bulk, container));
                }
                Err(error) => {
                    let containers = &self.shared.containers;
                    let is_wrong = !containers.is_expected(digest);
                    let name = containers.name_of(digest);
                    let trouble = is_wrong.then(|| format!("{name}: {error}; import the data again"));
                    self.shared.lock().fail_bulk(bulk, trouble);
                    return None;
                }
            }
        }
        Some(self.open.len() - 1)
    }
}
