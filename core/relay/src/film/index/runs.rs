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

    /// The last cycle reachable from a keyframe.
    pub fn reach(&self, keyframe: u64) -> u64 {
        let brushes = u64::from(self.opening.brushes_per_safe);
        let mut reached = keyframe.div_ceil(brushes).saturating_mul(brushes);
        let first = self.inputs.partition_point(|place| place.head.stamp.until <= reached);
        for place in &self.inputs[first..] {
            if place.head.stamp.cycle > reached {
                break;
            }
            reached = place.head.stamp.until;
        }
        reached.min(self.last()).max(keyframe)
    }

    /// All reachable cycles, in order, according to the heads of the chunks.
    pub fn runs(&self) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for keyframe in self.keyframes.iter().map(|place| place.head.stamp.cycle) {
            match runs.last_mut() {
                // Runs that reach this keyframe extend as far as it does.
                Some(run) if keyframe <= run.last => {}
                _ => runs.push(Run { first: keyframe, last: self.reach(keyframe) }),
            }
        }
        runs
    }
}
