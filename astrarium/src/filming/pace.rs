//! Decides when a keyframe is due.

/// The stepping time between two keyframes: the time a seek may take, less the time to read a keyframe.
pub const SEEK_NANOS: u64 = 50_000_000;

/// The maximum cost of keyframes on all threads together, in thousandths of the world's time. Inputs may take the rest,
/// up to 2 %.
pub const SHARE_PER_MILLE: u64 = 15;

/// The time since the last keyframe, and the cost of one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    step_nanos: u64,
    /// The processor time of the session's thread when the last keyframe was taken.
    worked_nanos: u64,
    world_nanos: u64,
    /// The time to copy the last keyframe, and the film thread's time for it.
    copy_nanos: u64,
    thread_nanos: u64,
}

impl Pace {
    /// Counts a step.
    pub fn count(&mut self, step_nanos: u64, brush_nanos: u64) {
        self.step_nanos = self.step_nanos.saturating_add(step_nanos);
        self.world_nanos = self.world_nanos.saturating_add(brush_nanos);
    }

    /// Sets the film thread's time for the last keyframe.
    pub fn learn(&mut self, thread_nanos: u64) {
        self.thread_nanos = thread_nanos;
    }

    /// Whether the next keyframe is due. `worked` returns the processor time of the session's thread: on a busy machine
    /// the wall time of a step exceeds its work.
    pub fn is_due(&self, worked: impl FnOnce() -> u64) -> bool {
        let allowed = self.world_nanos.saturating_mul(SHARE_PER_MILLE) / 1000;
        self.step_nanos >= SEEK_NANOS
            && self.copy_nanos.saturating_add(self.thread_nanos) <= allowed
            && worked().saturating_sub(self.worked_nanos) >= SEEK_NANOS
    }

    /// Starts over after a keyframe: the time to copy it, and the total processor time of the session's thread.
    pub fn begin_anew(&mut self, copy_nanos: u64, worked_nanos: u64) {
        *self = Pace { copy_nanos, worked_nanos, thread_nanos: self.thread_nanos, ..Pace::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BRUSH: u64 = 10_000_000;

    #[test]
    fn a_keyframe_is_due_when_seeking_would_take_longer() {
        let mut pace = Pace::default();
        pace.begin_anew(1000, 7);
        (0..49).for_each(|_| pace.count(1_000_000, BRUSH));
        assert!(!pace.is_due(|| u64::MAX));
        pace.count(1_000_000, BRUSH);
        assert!(pace.is_due(|| 50_000_007));
        assert!(!pace.is_due(|| 50_000_006), "others had the processor");
    }

    #[test]
    fn an_expensive_keyframe_waits_until_enough_world_time_has_passed() {
        let mut pace = Pace::default();
        pace.begin_anew(3_000_000, 0);
        pace.learn(6_000_000);
        (0..59).for_each(|_| pace.count(7_000_000, BRUSH));
        assert!(!pace.is_due(|| u64::MAX), "nine milliseconds are more than 15 thousandths of 590");
        pace.count(7_000_000, BRUSH);
        assert!(pace.is_due(|| u64::MAX));
    }
}
