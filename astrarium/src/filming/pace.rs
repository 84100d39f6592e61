//! When a keyframe is due.

/// So much stepping lies between two keyframes: what seeking may take, less what reading a keyframe does.
pub const SEEK_NANOS: u64 = 50_000_000;

/// So many thousandths of the world's time keyframes may cost, on all threads together. The rest, up to two hundredths, is for
/// inputs.
pub const SHARE_PER_MILLE: u64 = 15;

/// What happened since the last keyframe, and what one costs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    step_nanos: u64,
    /// What the thread of the world had worked when it was taken.
    worked_nanos: u64,
    world_nanos: u64,
    /// What copying the last one took, and what the thread worked for it.
    copy_nanos: u64,
    thread_nanos: u64,
}

impl Pace {
    /// A step was made.
    pub fn count(&mut self, step_nanos: u64, brush_nanos: u64) {
        self.step_nanos = self.step_nanos.saturating_add(step_nanos);
        self.world_nanos = self.world_nanos.saturating_add(brush_nanos);
    }

    /// The thread worked so long for the last keyframe.
    pub fn learn(&mut self, thread_nanos: u64) {
        self.thread_nanos = thread_nanos;
    }

    /// Whether the next one is due. `worked` tells how long the thread of the world has worked: where others have the
    /// processors most of the time, a step seems to take longer than it does.
    pub fn is_due(&self, worked: impl FnOnce() -> u64) -> bool {
        let allowed = self.world_nanos.saturating_mul(SHARE_PER_MILLE) / 1000;
        self.step_nanos >= SEEK_NANOS
            && self.copy_nanos.saturating_add(self.thread_nanos) <= allowed
            && worked().saturating_sub(self.worked_nanos) >= SEEK_NANOS
    }

    /// One was taken; copying it took so long, and the thread of the world has worked so long in all.
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
    fn a_dear_keyframe_is_due_when_the_world_went_on_long_enough() {
        let mut pace = Pace::default();
        pace.begin_anew(3_000_000, 0);
        pace.learn(6_000_000);
        (0..59).for_each(|_| pace.count(7_000_000, BRUSH));
        assert!(!pace.is_due(|| u64::MAX), "nine milliseconds are more than 15 thousandths of 590");
        pace.count(7_000_000, BRUSH);
        assert!(pace.is_due(|| u64::MAX));
    }
}
