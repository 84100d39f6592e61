//! The choice of what is played: a permutation or an alternative, by weight and the seed of the running sound.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Draw, Random, StringId, number};
use tags::Library;

use crate::limits::ALTERNATIVES_DEPTH_MAX;
use crate::plan::{SoundPlan, Take};
use crate::reports::Reports;

/// Separates these draws from others with the same seed.
const DOMAIN: u32 = 0x50_55_4e_44;

/// The plans of tags, read once per content.
#[derive(Debug, Default)]
pub struct Plans {
    plans: BTreeMap<StringId, Option<Arc<SoundPlan>>>,
}

/// What is played.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The sound, which may be an alternative of the one that was asked for.
    pub plan: Arc<SoundPlan>,
    /// The permutation.
    pub take: Take,
    /// The random factor on its volume.
    pub volume: f32,
    /// The random factor on its pitch.
    pub pitch: f32,
}

impl Plans {
    /// Forgets all: content has changed.
    pub fn clear(&mut self) {
        self.plans.clear();
    }

    /// The plan of a tag; none if it cannot be played.
    pub fn get(&mut self, tag: StringId, content: &Library, reports: &mut Reports) -> Option<Arc<SoundPlan>> {
        let read = || SoundPlan::read(tag, content, reports).map(Arc::new);
        self.plans.entry(tag).or_insert_with(read).clone()
    }

    /// What a running sound plays: the same for the same seed.
    pub fn choose(&mut self, tag: StringId, seed: u64, content: &Library, reports: &mut Reports) -> Option<Choice> {
        let mut plan = self.get(tag, content, reports)?;
        for depth in 0..ALTERNATIVES_DEPTH_MAX {
            let mut draw = Draw::new(seed, 0, DOMAIN, depth);
            match pick(&plan, &mut draw)? {
                Picked::Take(take) => {
                    let mut draw = Draw::new(seed, 1, DOMAIN, 0);
                    let volume = plan.volume_variation * draw.between(-1.0, 1.0);
                    let pitch = plan.pitch_variation * draw.between(-1.0, 1.0);
                    let (volume, pitch) = (crate::dsp::amplitude(volume), number::exp2(pitch / 12.0));
                    return Some(Choice { plan, take, volume, pitch });
                }
                Picked::Other(other) => plan = self.get(other, content, reports)?,
            }
        }
        reports.tell(content, tag, "its alternatives name each other in a circle: nothing is played", "");
        None
    }
}

enum Picked {
    Take(Take),
    Other(StringId),
}

/// Draws by weight; a take that is skipped is left out, and another one is drawn. The last one left is not skipped.
fn pick(plan: &SoundPlan, draw: &mut Draw) -> Option<Picked> {
    let takes = plan.takes.len();
    let weight = |index: usize| match index.checked_sub(takes) {
        None => plan.takes[index].weight,
        Some(other) => plan.alternatives[other].1,
    };
    let count = takes + plan.alternatives.len();
    let mut skipped = Vec::new();
    loop {
        let open = |index: &usize| weight(*index) > 0.0 && !skipped.contains(index);
        let total: f32 = (0..count).filter(open).map(weight).sum();
        let left = (0..count).filter(open).count();
        let mut rest = draw.unit() * total;
        let chosen = (0..count).filter(open).find(|index| {
            rest -= weight(*index);
            rest < 0.0
        });
        // Rounding may leave a rest: then it is the last one.
        let index = chosen.or_else(|| (0..count).rfind(open))?;
        let Some(take) = plan.takes.get(index) else { return Some(Picked::Other(plan.alternatives[index - takes].0)) };
        if left == 1 || !draw.chance(take.skip_fraction) {
            return Some(Picked::Take(*take));
        }
        skipped.push(index);
    }
}
