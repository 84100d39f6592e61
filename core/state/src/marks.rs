//! Dirty-page tracking by epochs.
//!
//! Every write stamps its page with the current *epoch*. A follower (the frozen block, the hash tree, a backup)
//! remembers the epoch of its last update and asks for the pages stamped later. One relaxed store per write serves any
//! number of followers, and threads may stamp concurrently.
//!
//! Law: a page written since a follower's last update is reported; a page that was not may be (false positives, no
//! false negatives).

use alloc::boxed::Box;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::limits::PAGE_BYTES;

/// The stamps of all pages of one block.
#[derive(Debug)]
pub struct Marks {
    stamps: Box<[AtomicU64]>,
    epoch: u64,
}

/// The epoch of a follower's last update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(u64);

impl Moment {
    /// Before all writes: every page counts as dirty.
    pub const NEVER: Moment = Moment(0);
}

impl Marks {
    /// Marks with all pages dirty.
    pub fn new(pages: usize) -> Marks {
        Marks { stamps: (0..pages).map(|_| AtomicU64::new(1)).collect(), epoch: 1 }
    }

    /// Marks the pages of these bytes as dirty.
    #[inline]
    pub fn mark(&self, bytes: Range<usize>) {
        if bytes.is_empty() {
            return;
        }
        for page in bytes.start / PAGE_BYTES..=(bytes.end - 1) / PAGE_BYTES {
            self.stamps[page].store(self.epoch, Relaxed);
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
            let start = next + self.stamps[next..end].iter().position(is_later)?;
            let length = self.stamps[start..end].iter().position(|stamp| !is_later(stamp));
            next = length.map_or(end, |length| start + length);
            Some(start..next)
        })
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
