//! The pacer: a fixed-timestep accumulator that turns machine time into due cycles.
//!
//! It gets the elapsed time as an argument and returns the number of brush cycles to run, and how far the shown world
//! is ahead of the last cycle. It reads no clock.
//!
//! Laws
//! 1. A remainder shorter than a cycle is carried over: on average the world runs at its exact speed.
//! 2. The number of due cycles is bounded. A machine that is too slow slows the world down; excess time is dropped and
//!    counted, so there is no spiral of death: a stall, or a clock that jumps, costs a pause and nothing else.
//! 3. It is deterministic: the same elapsed times give the same due cycles.

use base::plain::Plain;

/// How long the cycles are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Plain)]
#[repr(C)]
pub struct Lengths {
    /// A brush cycle, in nanoseconds of world time.
    pub brush_nanos: u64,
    /// Brush cycles per safe cycle.
    pub brushes_per_safe: u32,
    /// The most brush cycles that can be due at once.
    pub due_max: u32,
}

impl Default for Lengths {
    /// 10 ms and 50 ms; at most ten brush cycles at once.
    fn default() -> Lengths {
        Lengths { brush_nanos: 10_000_000, brushes_per_safe: 5, due_max: 10 }
    }
}

impl Lengths {
    /// Whether sealed inputs enter at the start of this brush cycle.
    pub fn is_safe(&self, cycle: u64) -> bool {
        cycle.is_multiple_of(u64::from(self.brushes_per_safe))
    }

    /// The safe cycle that a brush cycle belongs to.
    pub fn safe_cycle(&self, cycle: u64) -> u64 {
        cycle / u64::from(self.brushes_per_safe)
    }

    /// A brush cycle in seconds.
    pub fn brush_seconds(&self) -> f32 {
        self.brush_nanos as f32 / 1e9
    }
}

/// Turns elapsed machine time into due cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pacer {
    lengths: Lengths,
    is_running: bool,
    single_steps: u32,
    /// World time per machine time, in thousandths.
    speed_thousandths: u32,
    /// Accumulated world time, in thousandths of nanoseconds.
    carry: u128,
    forgotten_nanos: u64,
}

/// The result of one call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Due {
    /// Brush cycles to run now.
    pub cycles: u32,
    /// How far the shown world is ahead of its last brush cycle, in seconds of world time.
    pub ahead_seconds: f32,
}

impl Pacer {
    /// A pacer that runs at normal speed.
    pub fn new(lengths: Lengths) -> Pacer {
        assert!(lengths.brush_nanos > 0 && lengths.brushes_per_safe > 0 && lengths.due_max > 0, "{lengths:?}");
        Pacer { lengths, is_running: true, single_steps: 0, speed_thousandths: 1000, carry: 0, forgotten_nanos: 0 }
    }

    /// Follows a world whose cycles have another length; the accumulated time stays.
    pub fn set_lengths(&mut self, lengths: Lengths) {
        assert!(lengths.brush_nanos > 0 && lengths.brushes_per_safe > 0 && lengths.due_max > 0, "{lengths:?}");
        self.lengths = lengths;
    }

    /// How long the cycles are.
    pub fn lengths(&self) -> Lengths {
        self.lengths
    }

    /// Pauses world time. The remainder is kept.
    pub fn pause(&mut self) {
        self.is_running = false;
    }

    /// Resumes world time.
    pub fn resume(&mut self) {
        self.is_running = true;
        self.single_steps = 0;
    }

    /// Whether world time is running.
    pub fn is_running(&self) -> bool {
        self.is_running
    }

    /// While paused: one more brush cycle is due.
    pub fn single_step(&mut self) {
        if !self.is_running {
            self.single_steps = self.single_steps.saturating_add(1);
        }
    }

    /// World time per machine time, in thousandths: 1000 is normal, 500 half speed, 0 stands still.
    pub fn set_speed(&mut self, thousandths: u32) {
        self.speed_thousandths = thousandths;
    }

    /// Machine time that was dropped because it exceeded the bound.
    pub fn forgotten_nanos(&self) -> u64 {
        self.forgotten_nanos
    }

    /// Adds elapsed machine time. For a clock that went backwards the caller passes zero.
    pub fn advance(&mut self, elapsed_nanos: u64) -> Due {
        if !self.is_running {
            let cycles = self.single_steps.min(self.lengths.due_max);
            self.single_steps -= cycles;
            return Due { cycles, ahead_seconds: self.ahead_seconds() };
        }
        let cycle = u128::from(self.lengths.brush_nanos) * 1000;
        let speed = u128::from(self.speed_thousandths);
        self.carry += u128::from(elapsed_nanos) * speed;
        let due = self.carry / cycle;
        let cycles = due.min(u128::from(self.lengths.due_max));
        self.carry %= cycle;
        if let Some(lost) = ((due - cycles) * cycle).checked_div(speed) {
            self.forgotten_nanos = self.forgotten_nanos.saturating_add(u64::try_from(lost).unwrap_or(u64::MAX));
        }
        Due { cycles: cycles as u32, ahead_seconds: self.ahead_seconds() }
    }

    fn ahead_seconds(&self) -> f32 {
        (self.carry as f64 / 1e12) as f32
    }
}

/// Turns clock readings into elapsed times; a step backwards counts as zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stopwatch {
    last_nanos: Option<u64>,
}

impl Stopwatch {
    /// The time since the last reading.
    pub fn elapsed(&mut self, now_nanos: u64) -> u64 {
        let last = self.last_nanos.replace(now_nanos).unwrap_or(now_nanos);
        now_nanos.saturating_sub(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn total(pacer: &mut Pacer, times: impl IntoIterator<Item = u64>) -> u32 {
        times.into_iter().map(|time| pacer.advance(time).cycles).sum()
    }

    #[test]
    fn unspent_time_is_carried_over() {
        let mut pacer = Pacer::new(Lengths::default());
        assert_eq!(pacer.advance(9 * MS).cycles, 0);
        let due = pacer.advance(4 * MS);
        assert_eq!(due.cycles, 1);
        assert!((due.ahead_seconds - 0.003).abs() < 1e-6);
    }

    #[test]
    fn any_frame_rate_gives_the_same_number_of_cycles() {
        for frame in [MS / 7, MS, 7 * MS, 16_666_667, 33 * MS, 99 * MS] {
            let mut pacer = Pacer::new(Lengths::default());
            let frames = 10_000 * MS / frame;
            let rest = 10_000 * MS - frames * frame;
            let cycles = total(&mut pacer, (0..frames).map(|_| frame).chain([rest]));
            assert_eq!(cycles, 1000, "frames of {frame} ns");
        }
    }

    #[test]
    fn a_slow_machine_slows_the_world_and_owes_nothing() {
        let mut pacer = Pacer::new(Lengths::default());
        assert_eq!(pacer.advance(10_000 * MS).cycles, 10);
        assert_eq!(pacer.forgotten_nanos(), 9_900 * MS);
        assert_eq!(pacer.advance(0).cycles, 0);
    }

    #[test]
    fn a_clock_that_jumps_costs_a_pause_and_nothing_else() {
        let mut pacer = Pacer::new(Lengths::default());
        let mut watch = Stopwatch::default();
        let readings = [5, 15, 3, 13, u64::MAX / 1_000_001, 0, 10].map(|reading| reading * MS);
        let due: u32 = readings.map(|reading| pacer.advance(watch.elapsed(reading)).cycles).iter().sum();
        assert_eq!(due, 1 + 1 + 10 + 1);
        assert_eq!(pacer.advance(u64::MAX).cycles, 10);
    }

    #[test]
    fn pausing_stops_and_single_steps_go_one_at_a_time() {
        let mut pacer = Pacer::new(Lengths::default());
        pacer.advance(5 * MS);
        pacer.pause();
        assert_eq!(total(&mut pacer, [1000 * MS, 1000 * MS]), 0);
        pacer.single_step();
        pacer.single_step();
        assert_eq!(total(&mut pacer, [0, 0]), 2);
        pacer.resume();
        assert_eq!(pacer.advance(5 * MS).cycles, 1, "the remainder from before the pause counts");
    }

    #[test]
    fn speed_scales_world_time() {
        for (speed, cycles) in [(0, 0), (1, 1), (500, 500), (2000, 2000), (10_000, 10_000)] {
            let mut pacer = Pacer::new(Lengths::default());
            pacer.set_speed(speed);
            assert_eq!(total(&mut pacer, (0..1000).map(|_| 10 * MS)), cycles, "speed {speed}");
        }
    }
}
