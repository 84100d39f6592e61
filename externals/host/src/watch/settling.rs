//! Debouncing of changes: when a file that is being written is ready. Time is an argument.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::limits::{SETTLE_CLOSED, SETTLE_LIMIT, SETTLE_OPEN};
use crate::walk::Stamp;

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ChangeKind {
    /// Metadata changed, perhaps not the content.
    Touched,
    /// It is being written.
    Begun,
    /// It was closed after writing, renamed or deleted.
    Ended,
}

/// Changed paths that have not settled.
#[derive(Debug, Default)]
pub(super) struct Settling {
    paths: BTreeMap<String, Change>,
}

#[derive(Debug)]
struct Change {
    first: Instant,
    due: Instant,
    is_open: bool,
    /// Its stamp at the last event.
    stamp: Option<Stamp>,
}

impl Settling {
    /// Records an event of a path with its current stamp.
    pub(super) fn record(&mut self, path: String, kind: ChangeKind, stamp: Option<Stamp>, now: Instant) {
        let change = self.paths.entry(path).or_insert(Change { first: now, due: now, is_open: false, stamp });
        change.is_open = match kind {
            ChangeKind::Touched => change.is_open,
            ChangeKind::Begun => true,
            ChangeKind::Ended => false,
        };
        change.stamp = stamp;
        let quiet = if change.is_open { SETTLE_OPEN } else { SETTLE_CLOSED };
        change.due = (now + quiet).min(change.first + SETTLE_LIMIT);
    }

    /// When the next path may settle.
    pub(super) fn next_time(&self) -> Option<Instant> {
        self.paths.values().map(|change| change.due).min()
    }

    /// Removes and returns the settled paths with their stamps. A file that is open and still growing, without events,
    /// is not settled.
    pub(super) fn settled(
        &mut self,
        now: Instant,
        look: impl Fn(&str) -> Option<Stamp>,
    ) -> Vec<(String, Option<Stamp>)> {
        let due: Vec<String> =
            self.paths.iter().filter(|(_, change)| change.due <= now).map(|(path, _)| path.clone()).collect();
        let mut ready = Vec::with_capacity(due.len());
        for path in due {
            let stamp = look(&path);
            let is_growing = self.paths.get_mut(&path).is_some_and(|change| {
                let is_growing = change.is_open && change.stamp != stamp && now < change.first + SETTLE_LIMIT;
                if is_growing {
                    change.stamp = stamp;
                    change.due = (now + SETTLE_OPEN).min(change.first + SETTLE_LIMIT);
                }
                is_growing
            });
            if !is_growing {
                self.paths.remove(&path);
                ready.push((path, stamp));
            }
        }
        ready
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const SOME: Option<Stamp> = Some(Stamp { size: 1, modified: 2, number: 3 });

    fn settled(settling: &mut Settling, now: Instant) -> Vec<String> {
        settling.settled(now, |_| SOME).into_iter().map(|(path, _)| path).collect()
    }

    #[test]
    fn a_closed_file_is_ready_soon_and_an_open_one_later() {
        let start = Instant::now();
        let mut settling = Settling::default();
        settling.record("closed".into(), ChangeKind::Begun, SOME, start);
        settling.record("closed".into(), ChangeKind::Ended, SOME, start);
        settling.record("open".into(), ChangeKind::Begun, SOME, start);
        settling.record("open".into(), ChangeKind::Touched, SOME, start);
        assert_eq!(settling.next_time(), Some(start + SETTLE_CLOSED));
        assert!(settled(&mut settling, start).is_empty());
        assert_eq!(settled(&mut settling, start + SETTLE_CLOSED), ["closed"]);
        assert!(settled(&mut settling, start + SETTLE_CLOSED).is_empty());
        assert_eq!(settled(&mut settling, start + SETTLE_OPEN), ["open"]);
        assert_eq!(settling.next_time(), None);
    }

    #[test]
    fn many_writes_in_a_row_are_one_change() {
        let mut now = Instant::now();
        let mut settling = Settling::default();
        for _ in 0..20 {
            settling.record("a".into(), ChangeKind::Begun, SOME, now);
            settling.record("a".into(), ChangeKind::Ended, SOME, now);
            assert!(settled(&mut settling, now).is_empty());
            now += SETTLE_CLOSED / 2;
        }
        assert_eq!(settled(&mut settling, now + SETTLE_CLOSED), ["a"]);
    }

    #[test]
    fn a_file_that_is_written_without_end_is_reported_at_the_limit() {
        let start = Instant::now();
        let mut settling = Settling::default();
        let mut reported = 0;
        for step in 0..1000 {
            let now = start + Duration::from_millis(step);
            settling.record("log".into(), ChangeKind::Begun, SOME, now);
            reported += settled(&mut settling, now).len();
        }
        let most = usize::try_from(Duration::from_millis(1000).as_millis() / SETTLE_LIMIT.as_millis());
        assert!(reported >= 1 && reported <= most.expect("it is small"), "{reported}");
    }

    #[test]
    fn a_file_that_grows_without_events_is_not_ready() {
        let start = Instant::now();
        let mut settling = Settling::default();
        settling.record("a".into(), ChangeKind::Begun, None, start);
        assert!(settled(&mut settling, start + SETTLE_OPEN).is_empty(), "its stamp has changed");
        assert_eq!(settled(&mut settling, start + SETTLE_OPEN * 2), ["a"]);
    }
}
