//! Rules for a content that changed while the level runs.
//!
//! Laws
//! 1. The plan stays the same: what would change it starts the level again.
//! 2. What is needed to carry objects over is worked out here, between cycles, so that the cycle itself takes no memory.

use alloc::sync::Arc;
use alloc::vec::Vec;

use script::change::matching;
use tags::Library;
use tags::library::Changed;

use crate::desk::Minds;
use crate::mould::Moulds;
use crate::renewal::{Carry, Renewal};
use crate::rules::{LEVEL, Rules};

impl Rules {
    /// The rules for the same level with other tags.
    pub fn renewed(&self, content: &Library, changed: &Changed) -> Rules {
        let moulds = Arc::new(Moulds::of(content, LEVEL));
        let mut carries = Vec::new();
        for tag in &changed.tags {
            if let (Some(old), Some(new)) = (self.moulds.number(*tag), moulds.number(*tag))
                && let (Some(before), Some(after)) = (self.moulds.programs().get(old), moulds.programs().get(new))
            {
                carries.push((*tag, Carry { old, new, functions: matching(before, after) }));
            }
        }
        Rules {
            parts: self.parts.clone(),
            level: self.level.clone(),
            minds: Minds::new(self.level.manner.limits, &[&self.moulds, &moulds]),
            moulds,
            renewal: Some(Renewal::new(&self.moulds, carries)),
            space: self.space,
            sets: self.sets,
            keys: self.keys,
            log: crate::log::Log::new(),
            own: self.own.clone(),
        }
    }
}
