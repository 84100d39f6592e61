//! When is a file that is being written ready? Without a clock: time is an argument.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::limits::{SETTLE_CLOSED, SETTLE_LIMIT, SETTLE_OPEN};
use crate::walk::Stamp;

/// How a change of a path sounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sound {
    /// Something about it changed, perhaps not its content.
    Touched,
    /// It is being written, and may be for a while.
    Begun,
    /// It was closed after writing, was put into its place, or went.
    Ended,
}

/// The paths that have changed and are not ready.
#[derive(Debug, Default)]
pub(super) struct Settling {
    paths: BTreeMap<String, Change>,
}

#[derive(Debug)]
struct Change {
    first: Instant,
    due: Instant,
    is_open: bool,
    /// What it was like when it last made a sound.
    stamp: Option<Stamp>,
}

impl Settling {
    /// Notes a sound of a path, which was like this then.
    pub(super) fn hear(&mut self, path: String, sound: Sound, stamp: Option<Stamp>, now: Instant) {
        let change = self.paths.entry(path).or_insert(Change { first: now, due: now, is_open: false, stamp });
        change.is_open = match sound {
            Sound::Touched => change.is_open,
            Sound::Begun => true,
            Sound::Ended => false,
        };
        change.stamp = stamp;
        let quiet = if change.is_open { SETTLE_OPEN } else { SETTLE_CLOSED };
        change.due = (now + quiet).min(change.first + SETTLE_LIMIT);
    }

    /// When the next path may be ready.
    pub(super) fn next_time(&self) -> Option<Instant> {
        self.paths.values().map(|change| change.due).min()
    }

    /// Takes out the paths that are ready, with what each is like now. One that was open and is still growing, without a
    /// sound, is not.
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
        settling.hear("closed".into(), Sound::Begun, SOME, start);
        settling.hear("closed".into(), Sound::Ended, SOME, start);
        settling.hear("open".into(), Sound::Begun, SOME, start);
        settling.hear("open".into(), Sound::Touched, SOME, start);
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
            settling.hear("a".into(), Sound::Begun, SOME, now);
            settling.hear("a".into(), Sound::Ended, SOME, now);
            assert!(settled(&mut settling, now).is_empty());
            now += SETTLE_CLOSED / 2;
        }
        assert_eq!(settled(&mut settling, now + SETTLE_CLOSED), ["a"]);
    }

    #[test]
    fn a_file_that_is_written_without_end_is_told_all_the_same() {
        let start = Instant::now();
        let mut settling = Settling::default();
        let mut told = 0;
        for step in 0..1000 {
            let now = start + Duration::from_millis(step);
            settling.hear("log".into(), Sound::Begun, SOME, now);
            told += settled(&mut settling, now).len();
        }
        let most = usize::try_from(Duration::from_millis(1000).as_millis() / SETTLE_LIMIT.as_millis());
        assert!(told >= 1 && told <= most.expect("it is small"), "{told}");
    }

    #[test]
    fn a_file_that_grows_without_a_sound_is_not_ready() {
        let start = Instant::now();
        let mut settling = Settling::default();
        settling.hear("a".into(), Sound::Begun, None, start);
        assert!(settled(&mut settling, start + SETTLE_OPEN).is_empty(), "it differs from what it was");
        assert_eq!(settled(&mut settling, start + SETTLE_OPEN * 2), ["a"]);
    }
}
