//! Freezing: the pages written since the last cycle are copied to the frozen block.
//!
//! Laws
//! 1. Afterwards the frozen block equals the present one, byte by byte.
//! 2. The cost is proportional to the dirty pages. Many are copied in parallel.
//!
//! Swapping the two blocks instead would save nothing: the block that becomes the present one lacks the same pages, which
//! would be copied the other way round, before the cycle may write.
#![allow(unsafe_code, reason = "the frozen block is divided among jobs, each of which writes only its own pages")]

use core::ops::Range;
use core::slice;

use crate::limits::{FREEZE_ALONE_PAGES, FREEZE_PAGES, PAGE_BYTES};
use crate::memory::PageAccess;
use crate::world::World;
use jobs::each_range;
use jobs::workers::{Alone, SharedPointer, Workers};

/// Runs of dirty pages per job: a run has [`FREEZE_PAGES`] pages at most, and often fewer.
const RUNS_CHUNK: usize = 2;

impl World {
    /// Copies the present to the frozen block: only pages written since the last call.
    pub(crate) fn freeze(&mut self, workers: &dyn Workers) {
        let moment = self.marks.end_epoch();
        let bytes = self.now.plan().bytes();
        if self.settings.is_checked {
            self.frozen.protect(0..bytes, PageAccess::Write);
        }
        let written = self.list_dirty();
        let workers = if written < FREEZE_ALONE_PAGES { &Alone } else { workers };
        let (now, frozen) = (self.now.bytes(), SharedPointer::new(self.frozen.start().as_ptr()));
        let dirty = &self.dirty[..];
        each_range(workers, dirty.len(), RUNS_CHUNK, |runs| {
            for [first, end] in &dirty[runs] {
                let (start, source) =
                    (*first as usize * PAGE_BYTES, *first as usize * PAGE_BYTES..*end as usize * PAGE_BYTES);
                let source = &now[source];
                // SAFETY: the frozen block has the same size, runs have disjoint pages, and no other thread reads them.
                let target = unsafe { slice::from_raw_parts_mut(frozen.at(start), source.len()) };
                target.copy_from_slice(source);
            }
        });
        if self.settings.is_checked {
            self.frozen.protect(0..bytes, PageAccess::Read);
        }
        self.frozen_at = moment;
    }

    /// Lists the runs of pages written since the last cycle, and returns how many pages that are.
    fn list_dirty(&mut self) -> usize {
        self.dirty.clear();
        let mut written = 0;
        for Range { mut start, end } in self.marks.since(self.frozen_at) {
            written += end - start;
            while start < end {
                let part_end = end.min(start + FREEZE_PAGES);
                self.dirty.push([start as u32, part_end as u32]);
                start = part_end;
            }
        }
        written
    }
}
