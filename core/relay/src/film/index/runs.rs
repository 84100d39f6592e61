//! The reachable cycles of a take.

use alloc::vec::Vec;

use crate::film::index::{Place, Take};

/// A range of reachable cycles: a keyframe and the inputs after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first of them.
    pub first: u64,
    /// The last of them.
    pub last: u64,
}

impl Run {
    /// Whether it contains a cycle.
    pub fn has(&self, cycle: u64) -> bool {
        (self.first..=self.last).contains(&cycle)
    }
}

impl Take {
    /// Its last cycle: the recorded one, or else the last with a known hash.
    pub fn last(&self) -> u64 {
        let brushes = u64::from(self.opening.brushes_per_safe);
        let of_inputs = self.inputs.last().map(|place| place.head.stamp.until.saturating_sub(brushes));
        let end = self.end.map(|place| place.head.stamp.cycle).or(self.leads_to).or(of_inputs);
        end.unwrap_or(self.start).max(self.start)
    }

    /// The keyframes up to a cycle, newest first.
    pub fn keyframes_up_to(&self, cycle: u64) -> impl Iterator<Item = &Place> {
        let count = self.keyframes.partition_point(|place| place.head.stamp.cycle <= cycle);
        self.keyframes[..count].iter().rev()
    }

    /// The chunk with the inputs that enter in a brush cycle.
    pub fn inputs_at(&self, cycle: u64) -> Option<&Place> {
        let count = self.inputs.partition_point(|place| place.head.stamp.cycle <= cycle);
        self.inputs[..count].last().filter(|place| cycle < place.head.stamp.until)
    }

    /// All reachable cycles, in order, according to the heads of the chunks. Cost: linear in the chunks of the take, times a logarithm.
    pub fn runs(&self) -> Vec<Run> {
        let ends = self.ends_of_inputs();
        let mut runs: Vec<Run> = Vec::new();
        for keyframe in self.keyframes.iter().map(|place| place.head.stamp.cycle) {
            match runs.last_mut() {
                // Runs that reach this keyframe extend as far as it does.
                Some(run) if keyframe <= run.last => {}
                _ => runs.push(Run { first: keyframe, last: self.reach(keyframe, &ends) }),
            }
        }
        runs
    }

    /// For each chunk of inputs, the end of the last one that follows from it without a gap.
    fn ends_of_inputs(&self) -> Vec<u64> {
        let mut ends: Vec<u64> = self.inputs.iter().map(|place| place.head.stamp.until).collect();
        for index in (1..ends.len()).rev() {
            if self.inputs[index].head.stamp.cycle <= self.inputs[index - 1].head.stamp.until {
                ends[index - 1] = ends[index];
            }
        }
        ends
    }

    /// The last cycle reachable from a keyframe.
    fn reach(&self, keyframe: u64, ends: &[u64]) -> u64 {
        let brushes = u64::from(self.opening.brushes_per_safe);
        let safe = keyframe.div_ceil(brushes).saturating_mul(brushes);
        let next = self.inputs.partition_point(|place| place.head.stamp.until <= safe);
        let is_next = self.inputs.get(next).is_some_and(|place| place.head.stamp.cycle <= safe);
        let reached = if is_next { ends[next] } else { safe };
        reached.min(self.last()).max(keyframe)
    }
}
