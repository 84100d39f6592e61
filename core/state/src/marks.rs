//! Dirty-page tracking by epochs.
//!
//! Every write stamps its page with the current *epoch*. A follower (the frozen block, the hash tree, a backup)
//! remembers the epoch of its last update and asks for the pages stamped later. One relaxed store per write serves any
//! number of followers, and threads may stamp concurrently.
//!
//! Laws
//! 1. A page written since a follower's last update is reported; a page that was not may be (false positives, no false
//!    negatives).
//! 2. Pages are stamped in groups too, so that a follower does not look at pages of a group without a write. So it costs
//!    the written pages, and hardly anything for the size of the block.
//! 3. A stamp is read before it is written: threads that write to pages whose stamps share a cache line do not contend
//!    for it.

use alloc::boxed::Box;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::limits::PAGE_BYTES;

/// The stamps of all pages of one block.
#[derive(Debug)]
pub struct Marks {
    stamps: Box<[AtomicU64]>,
    /// The latest stamp of each group of [`GROUP_PAGES`] pages.
    groups: Box<[AtomicU64]>,
    epoch: u64,
}

/// The epoch of a follower's last update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(u64);

/// Pages per group.
const GROUP_PAGES: usize = 64;

impl Moment {
    /// Before all writes: every page counts as dirty.
    pub const NEVER: Moment = Moment(0);
}

impl Marks {
    /// Marks with all pages dirty.
    pub fn new(pages: usize) -> Marks {
        let stamps = |count: usize| (0..count).map(|_| AtomicU64::new(1)).collect();
        Marks { stamps: stamps(pages), groups: stamps(pages.div_ceil(GROUP_PAGES)), epoch: 1 }
    }

    /// Marks the pages of these bytes as dirty.
    #[inline]
    pub fn mark(&self, bytes: Range<usize>) {
        if bytes.is_empty() {
            return;
        }
        for page in bytes.start / PAGE_BYTES..=(bytes.end - 1) / PAGE_BYTES {
            if self.stamps[page].load(Relaxed) != self.epoch {
                self.stamp(page);
            }
        }
    }

    #[inline(never)]
    fn stamp(&self, page: usize) {
        self.stamps[page].store(self.epoch, Relaxed);
        let group = &self.groups[page / GROUP_PAGES];
        if group.load(Relaxed) != self.epoch {
            group.store(self.epoch, Relaxed);
        }
    }

    /// Ends the epoch: later writes come after the returned moment.
    pub fn end_epoch(&mut self) -> Moment {
        let moment = Moment(self.epoch);
        self.epoch += 1;
        moment
    }

    /// Runs of pages written after `moment`, in order.
    pub fn since(&self, moment: Moment) -> impl Iterator<Item = Range<usize>> + '_ {
        self.since_within(moment, 0..self.stamps.len())
    }

    /// The same within a range of pages.
    pub fn since_within(&self, moment: Moment, pages: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
        let (mut next, end) = (pages.start, pages.end);
        core::iter::from_fn(move || {
            let is_later = |stamp: &AtomicU64| stamp.load(Relaxed) > moment.0;
            let start = self.first_later(moment, next..end)?;
            let length = self.stamps[start..end].iter().position(|stamp| !is_later(stamp));
            next = length.map_or(end, |length| start + length);
            Some(start..next)
        })
    }

    /// The first page of a range that was written after `moment`.
    fn first_later(&self, moment: Moment, pages: Range<usize>) -> Option<usize> {
        let is_later = |stamp: &AtomicU64| stamp.load(Relaxed) > moment.0;
        let mut next = pages.start;
        while next < pages.end {
            let group = next / GROUP_PAGES;
            let group_end = pages.end.min((group + 1) * GROUP_PAGES);
            if is_later(&self.groups[group])
                && let Some(offset) = self.stamps[next..group_end].iter().position(is_later)
            {
                return Some(next + offset);
            }
            next = group_end;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn runs(marks: &Marks, moment: Moment) -> Vec<(usize, usize)> {
        marks.since(moment).map(|run| (run.start, run.end)).collect()
    }

    #[test]
    fn all_pages_are_new_to_a_new_follower() {
        assert_eq!(runs(&Marks::new(3), Moment::NEVER), [(0, 3)]);
    }

    #[test]
    fn writing_nothing_marks_no_page() {
        let mut marks = Marks::new(2);
        let moment = marks.end_epoch();
        marks.mark(PAGE_BYTES..PAGE_BYTES);
        marks.mark(2 * PAGE_BYTES..2 * PAGE_BYTES);
        assert!(runs(&marks, moment).is_empty());
    }

    #[test]
    fn runs_cross_groups_and_skip_those_without_a_write() {
        let mut marks = Marks::new(5 * GROUP_PAGES + 3);
        let moment = marks.end_epoch();
        let mark = |pages: Range<usize>| marks.mark(pages.start * PAGE_BYTES..pages.end * PAGE_BYTES);
        mark(GROUP_PAGES - 2..GROUP_PAGES + 5);
        mark(3 * GROUP_PAGES..4 * GROUP_PAGES);
        mark(5 * GROUP_PAGES + 2..5 * GROUP_PAGES + 3);
        let expected = [
            (GROUP_PAGES - 2, GROUP_PAGES + 5),
            (3 * GROUP_PAGES, 4 * GROUP_PAGES),
            (5 * GROUP_PAGES + 2, 5 * GROUP_PAGES + 3),
        ];
        assert_eq!(runs(&marks, moment), expected);
        let within: Vec<_> = marks.since_within(moment, GROUP_PAGES + 1..3 * GROUP_PAGES + 1).collect();
        assert_eq!(within, [GROUP_PAGES + 1..GROUP_PAGES + 5, 3 * GROUP_PAGES..3 * GROUP_PAGES + 1]);
        let later = marks.end_epoch();
        assert!(runs(&marks, later).is_empty());
        marks.mark(0..1);
        assert_eq!(runs(&marks, later), [(0, 1)]);
    }

    #[test]
    fn each_follower_sees_the_pages_written_since_its_last_update() {
        let mut marks = Marks::new(8);
        let first = marks.end_epoch();
        assert!(runs(&marks, first).is_empty());
        marks.mark(PAGE_BYTES - 1..PAGE_BYTES + 1);
        marks.mark(7 * PAGE_BYTES..7 * PAGE_BYTES + 4);
        let second = marks.end_epoch();
        marks.mark(3 * PAGE_BYTES..4 * PAGE_BYTES);
        assert_eq!(runs(&marks, first), [(0, 2), (3, 4), (7, 8)]);
        assert_eq!(runs(&marks, second), [(3, 4)]);
    }
}
