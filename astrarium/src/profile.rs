//! The step times of a session, per stage of the cycle and per phase of physics.
//!
//! Laws
//! 1. Measuring changes nothing in the world and allocates nothing: the number of rows is fixed.
//! 2. A phase of physics belongs to the stage `physics`; the rows of the stages add up to the whole, less the clock
//!    readings.

use std::fmt;

use host::clock::Clock;
use physics::StepPhase;
use world::Lap;
use world::workspaces::STAGES;

/// The index of the stage that has phases.
const PHYSICS: usize = 8;

/// The step times since it was begun.
#[derive(Debug)]
pub struct StepProfile {
    clock: Clock,
    last: u64,
    began: u64,
    whole: Counter,
    stages: [Counter; STAGES.len()],
    phases: [Counter; StepPhase::ALL.len()],
}

/// A row of a profile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProfileRow {
    /// The stage, or the phase of physics.
    pub name: &'static str,
    /// Whether it is a phase of physics, which is also counted in the stage above it.
    pub is_phase: bool,
    /// The number of calls.
    pub calls: u64,
    /// The total time of all calls, in nanoseconds.
    pub total_nanos: u64,
    /// The mean time of a call, in nanoseconds.
    pub mean_nanos: u64,
    /// Its share of the time of all steps, from 0 to 1.
    pub share: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counter {
    calls: u64,
    nanos: u64,
}

impl Default for StepProfile {
    fn default() -> StepProfile {
        StepProfile {
            clock: Clock::new(),
            last: 0,
            began: 0,
            whole: Counter::default(),
            stages: [Counter::default(); STAGES.len()],
            phases: [Counter::default(); StepPhase::ALL.len()],
        }
    }
}

impl StepProfile {
    /// Begins a step.
    pub fn begin_step(&mut self) {
        self.began = self.clock.now();
        self.last = self.began;
    }

    /// Adds the end of a part of the step.
    pub fn add(&mut self, lap: Lap) {
        let now = self.clock.now();
        let nanos = now.saturating_sub(self.last);
        self.last = now;
        match lap {
            Lap::Stage(number) => {
                if let Some(stage) = self.stages.get_mut((number as usize).wrapping_sub(1)) {
                    stage.add(nanos);
                }
            }
            Lap::Physics(phase) => {
                if let Some(index) = StepPhase::ALL.iter().position(|other| *other == phase) {
                    self.phases[index].add(nanos);
                }
            }
        }
    }

    /// Ends the step.
    pub fn end_step(&mut self) {
        self.whole.add(self.clock.now().saturating_sub(self.began));
    }

    /// The rows: the whole step, then the stages that ran, in order, each phase of physics after its stage.
    pub fn rows(&self) -> Vec<ProfileRow> {
        let whole = self.whole.nanos.max(1);
        let row = |name: &'static str, is_phase: bool, counter: Counter| ProfileRow {
            name,
            is_phase,
            calls: counter.calls,
            total_nanos: counter.nanos,
            mean_nanos: counter.nanos / counter.calls.max(1),
            share: counter.nanos as f64 / whole as f64,
        };
        let mut rows = vec![row("step", false, self.whole)];
        for (index, (name, stage)) in
            STAGES.iter().zip(self.stages).enumerate().filter(|(_, (_, stage))| stage.calls > 0)
        {
            let is_physics = index == PHYSICS;
            let of_phases: u64 = if is_physics { self.phases.iter().map(|phase| phase.nanos).sum() } else { 0 };
            rows.push(row(name, false, Counter { calls: stage.calls, nanos: stage.nanos + of_phases }));
            if is_physics {
                let phases = StepPhase::ALL.iter().zip(self.phases).filter(|(_, phase)| phase.calls > 0);
                rows.extend(phases.map(|(phase, counter)| row(phase.name(), true, counter)));
            }
        }
        rows
    }
}

impl Counter {
    fn add(&mut self, nanos: u64) {
        self.calls += 1;
        self.nanos += nanos;
    }
}

impl fmt::Display for StepProfile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:<24} {:>9} {:>12} {:>12} {:>8}", "time of", "calls", "total ms", "mean us", "share")?;
        for row in self.rows() {
            let indent = if row.is_phase { "  " } else { "" };
            let (total, mean) = (row.total_nanos as f64 / 1e6, row.mean_nanos as f64 / 1e3);
            let name = format!("{indent}{}", row.name);
            write!(out, "\n{name:<24} {:>9} {total:>12.2} {mean:>12.2} {:>6.1} %", row.calls, row.share * 100.0)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_count_in_their_stage_and_the_step_is_the_whole() {
        let mut profile = StepProfile::default();
        for _ in 0..3 {
            profile.begin_step();
            profile.add(Lap::Stage(1));
            profile.add(Lap::Physics(StepPhase::Gather));
            profile.add(Lap::Physics(StepPhase::Solve));
            profile.add(Lap::Stage(9));
            profile.end_step();
        }
        let rows = profile.rows();
        assert!(rows.iter().all(|row| row.calls == 3 && row.share <= 1.0), "{rows:?}");
        let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
        assert_eq!(names[..3], ["step", STAGES[0], STAGES[PHYSICS]]);
        assert_eq!(STAGES[PHYSICS], "physics");
        let phases: u64 = rows.iter().filter(|row| row.is_phase).map(|row| row.total_nanos).sum();
        assert!(rows[2].total_nanos >= phases && rows[0].total_nanos >= rows[1].total_nanos + rows[2].total_nanos);
    }
}
