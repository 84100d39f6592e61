//! Freezing: the pages written since the last cycle are copied to the frozen block.
//!
//! Laws
//! 1. Afterwards the frozen block equals the present one, byte by byte.
//! 2. The cost is proportional to the dirty pages. Many are copied in parallel.
#![allow(unsafe_code, reason = "the frozen block is divided among jobs, each of which writes only its own pages")]

use core::slice;

use crate::limits::{FREEZE_PAGES, PAGE_BYTES};
use crate::memory::PageAccess;
use crate::world::World;
use jobs::workers::{Alone, SharedPointer, Workers, run_each_once};

impl World {
    /// Copies the present to the frozen block: only pages written since the last call.
    pub(crate) fn freeze(&mut self, workers: &dyn Workers) {
        let moment = self.marks.end_epoch();
        let bytes = self.now.plan().bytes();
        if self.settings.is_checked {
            self.frozen.protect(0..bytes, PageAccess::Write);
        }
        let written: usize = self.marks.since(self.frozen_at).map(|run| run.len()).sum();
        let workers = if written < 2 * FREEZE_PAGES { &Alone } else { workers };
        let (now, frozen) = (self.now.bytes(), SharedPointer::new(self.frozen.start().as_ptr()));
        let (marks, since, pages) = (&self.marks, self.frozen_at, bytes / PAGE_BYTES);
        run_each_once(workers, &self.copied, |part| {
            let own = part * FREEZE_PAGES..pages.min((part + 1) * FREEZE_PAGES);
            for run in marks.since_within(since, own) {
                let source = &now[run.start * PAGE_BYTES..run.end * PAGE_BYTES];
                // SAFETY: the frozen block has the same size, jobs have disjoint pages, and no other thread reads them.
                let target = unsafe { slice::from_raw_parts_mut(frozen.at(run.start * PAGE_BYTES), source.len()) };
                target.copy_from_slice(source);
            }
        });
        if self.settings.is_checked {
            self.frozen.protect(0..bytes, PageAccess::Read);
        }
        self.frozen_at = moment;
    }
}
