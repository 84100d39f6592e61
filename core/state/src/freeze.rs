//! Freezing: what was written since the last cycle is copied to the frozen block.
//!
//! Laws
//! 1. Afterwards the frozen block is the living one, byte by byte.
//! 2. It costs the pages that were written. Where those are many, they are copied by all workers: which copies what cannot
//!    show.
#![allow(unsafe_code, reason = "the frozen block is divided among jobs, each of which writes only its own pages")]

use core::slice;

use crate::limits::{FREEZE_PAGES, PAGE_BYTES};
use crate::memory::Access;
use crate::workers::{Alone, Shared, Workers, run_each_once};
use crate::world::World;

impl World {
    /// Copies the present to the frozen block: only what was written since the last time.
    pub(crate) fn freeze(&mut self, workers: &dyn Workers) {
        let moment = self.marks.look();
        let bytes = self.now.plan().bytes();
        if self.settings.is_checked {
            self.frozen.protect(0..bytes, Access::Write);
        }
        let written: usize = self.marks.since(self.frozen_at).map(|run| run.len()).sum();
        let workers = if written < 2 * FREEZE_PAGES { &Alone } else { workers };
        let (now, frozen) = (self.now.bytes(), Shared(self.frozen.start().as_ptr()));
        let (marks, since, pages) = (&self.marks, self.frozen_at, bytes / PAGE_BYTES);
        run_each_once(workers, &self.copied, |part| {
            let own = part * FREEZE_PAGES..pages.min((part + 1) * FREEZE_PAGES);
            for run in marks.since_within(since, own) {
                let source = &now[run.start * PAGE_BYTES..run.end * PAGE_BYTES];
                // SAFETY: the frozen block is as large, each job has pages of its own, and nobody else looks at them.
                let target = unsafe { slice::from_raw_parts_mut(frozen.at(run.start * PAGE_BYTES), source.len()) };
                target.copy_from_slice(source);
            }
        });
        if self.settings.is_checked {
            self.frozen.protect(0..bytes, Access::Read);
        }
        self.frozen_at = moment;
    }
}
