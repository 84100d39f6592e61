//! Phases of a step, and the time each took.
//!
//! Physics reads no clock. [`Physics::step_in_laps`](crate::Physics::step_in_laps) calls a hook at the end of each phase; the
//! caller, which has a clock, adds the time since the last call to a [`Profile`].

/// A phase of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepPhase {
    /// Bodies, contacts and joints are read from the block.
    Gather,
    /// Pairs of overlapping AABBs.
    BroadPhase,
    /// Manifolds and contact constraints.
    NarrowPhase,
    /// Articulations, graph colouring, contact blocks with their effective masses.
    Prepare,
    /// All sub-steps.
    Solve,
    /// Continuous collision detection.
    Ccd,
    /// Islands that fall asleep.
    Sleep,
    /// New and old contacts are merged; events of touching pairs.
    MergeContacts,
    /// Bodies, joints, contacts and events are written into the block. Called twice: before and after the merge.
    WriteBack,
}

/// Nanoseconds spent in each phase, summed over steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    nanos: [u64; StepPhase::ALL.len()],
}

impl StepPhase {
    /// All phases, in the order in which they first end.
    pub const ALL: [StepPhase; 9] = [
        StepPhase::Gather,
        StepPhase::BroadPhase,
        StepPhase::NarrowPhase,
        StepPhase::Prepare,
        StepPhase::Solve,
        StepPhase::Ccd,
        StepPhase::Sleep,
        StepPhase::MergeContacts,
        StepPhase::WriteBack,
    ];

    /// Its name, for people.
    pub fn name(self) -> &'static str {
        match self {
            StepPhase::Gather => "gather",
            StepPhase::BroadPhase => "broad phase",
            StepPhase::NarrowPhase => "narrow phase",
            StepPhase::Prepare => "solver prepare",
            StepPhase::Solve => "solve",
            StepPhase::Ccd => "continuous collision",
            StepPhase::Sleep => "sleep",
            StepPhase::MergeContacts => "merge contacts",
            StepPhase::WriteBack => "write back",
        }
    }
}

impl Profile {
    /// Adds time to a phase.
    pub fn add(&mut self, phase: StepPhase, nanos: u64) {
        self.nanos[phase as usize] += nanos;
    }

    /// The time spent in a phase, in nanoseconds.
    pub fn nanos(&self, phase: StepPhase) -> u64 {
        self.nanos[phase as usize]
    }

    /// The time spent in all phases, in nanoseconds.
    pub fn total_nanos(&self) -> u64 {
        self.nanos.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_sums_per_phase() {
        let mut profile = Profile::default();
        for (index, phase) in StepPhase::ALL.into_iter().enumerate() {
            assert_eq!(phase as usize, index, "{}", phase.name());
            profile.add(phase, 2);
            profile.add(phase, index as u64);
            assert_eq!(profile.nanos(phase), 2 + index as u64);
        }
        assert_eq!(profile.total_nanos(), 18 + 36);
    }
}
