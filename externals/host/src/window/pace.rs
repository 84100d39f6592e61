//! When frames are due: a limit of frames per second, and a slow beat while the window cannot be seen.
//!
//! Time is an argument: the duration since the window was opened.

use std::time::Duration;

use crate::limits::{FRAMES_PER_SECOND_MAX, HIDDEN_BEAT};

/// What is to be done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beat {
    /// The system is asked to let a frame be drawn.
    Ask,
    /// The client is told that the window is hidden.
    Hidden,
    /// Nothing until this time.
    Wait(Duration),
}

/// The state of the pace.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    /// When the next frame is due.
    due: Duration,
    /// When a frame was asked for that has not come.
    asked: Option<Duration>,
    /// When the client is next told that the window is hidden.
    hidden_due: Duration,
}

impl Pace {
    /// What is to be done. A desktop may withhold frames of a window without saying that it is hidden (Wayland), so an asked
    /// frame that does not come counts as hidden too.
    pub(super) fn next(&mut self, now: Duration, is_hidden: bool) -> Beat {
        if let Some(asked) = self.asked
            && !is_hidden
        {
            let late = asked + HIDDEN_BEAT;
            return if now < late { Beat::Wait(late.max(self.hidden_due)) } else { self.beat(now) };
        }
        if is_hidden {
            return self.beat(now);
        }
        if now < self.due {
            return Beat::Wait(self.due);
        }
        self.asked = Some(now);
        Beat::Ask
    }

    fn beat(&mut self, now: Duration) -> Beat {
        if now < self.hidden_due {
            return Beat::Wait(self.hidden_due);
        }
        self.hidden_due = now + HIDDEN_BEAT;
        Beat::Hidden
    }

    /// A frame begins. The next is due an interval after this one was due, not after it began, so that small delays do not add
    /// up; after a long one the count begins anew.
    pub(super) fn frame(&mut self, now: Duration, frames_per_second_max: Option<u32>) {
        self.asked = None;
        self.due = match frames_per_second_max {
            None => now,
            Some(frames) => {
                let interval = Duration::from_secs(1) / frames.clamp(1, FRAMES_PER_SECOND_MAX);
                let next = self.due + interval;
                // A limit that was just lowered or raised counts from now.
                if next < now || next > now + interval { now + interval } else { next }
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// The frames within a second when the loop wakes every millisecond and a frame comes as soon as it is asked for.
    fn frames(limit: Option<u32>) -> usize {
        let (mut pace, mut count) = (Pace::default(), 0);
        for step in 0..1000 {
            let now = MS * step;
            if pace.next(now, false) == Beat::Ask {
                pace.frame(now, limit);
                count += 1;
            }
        }
        count
    }

    #[test]
    fn a_limit_of_frames_holds_on_average() {
        assert_eq!(frames(None), 1000);
        assert_eq!(frames(Some(60)), 60);
        assert_eq!(frames(Some(144)), 144);
        assert_eq!(frames(Some(1)), 1);
        assert_eq!(frames(Some(0)), 1, "a limit of none at all is one");
    }

    #[test]
    fn after_a_long_frame_nothing_is_made_up_for() {
        let mut pace = Pace::default();
        assert_eq!(pace.next(MS, false), Beat::Ask);
        pace.frame(MS, Some(100));
        let late = 500 * MS;
        assert_eq!(pace.next(late, false), Beat::Ask);
        pace.frame(late, Some(100));
        assert_eq!(pace.next(late, false), Beat::Wait(510 * MS));
    }

    #[test]
    fn a_hidden_window_has_ten_beats_a_second_and_no_frame() {
        let (mut pace, mut beats) = (Pace::default(), 0);
        for step in 0..1000 {
            match pace.next(MS * step, true) {
                Beat::Hidden => beats += 1,
                Beat::Ask => panic!("a hidden window asks for a frame"),
                Beat::Wait(until) => assert!(until > MS * step),
            }
        }
        assert_eq!(beats, 10);
        assert_eq!(pace.next(MS * 1000, false), Beat::Ask, "frames are back at once");
    }

    #[test]
    fn a_frame_that_does_not_come_counts_as_hidden() {
        let mut pace = Pace::default();
        assert_eq!(pace.next(Duration::ZERO, false), Beat::Ask);
        let beats = (1..=1000).filter(|step| pace.next(MS * *step, false) == Beat::Hidden).count();
        assert_eq!(beats, 10);
        pace.frame(MS * 1001, None);
        assert_eq!(pace.next(MS * 1001, false), Beat::Ask);
    }
}
