//! Rules for a content that changed while the level runs.
//!
//! Laws
//! 1. The layout stays the same: a change that needs another layout restarts the level.
//! 2. Everything needed to carry objects over is computed here, between cycles: the cycle itself does not allocate.

use alloc::sync::Arc;
use alloc::vec::Vec;

use script::migration::matching;
use tags::Library;
use tags::library::Changed;

use crate::log::Log;
use crate::presentation::Presentation;
use crate::prototype::Prototypes;
use crate::renewal::{PrototypeMapping, Renewal};
use crate::rules::{LEVEL, Rules};
use crate::workspaces::ScriptWorkspaces;

impl Rules {
    /// The rules for the same level with changed tags.
    pub fn renewed(&self, content: &Library, changed: &Changed) -> Rules {
        let prototypes = Arc::new(Prototypes::of(content, LEVEL));
        let mut carries = Vec::new();
        // A changed animation graph changes the rows of its objects.
        let graphs = self.prototypes.iter().filter(|known| changed.tags.contains(&known.appearance.graph));
        let tags = changed.tags.iter().copied().chain(graphs.map(|known| known.tag));
        for tag in tags {
            if let (Some(old), Some(new)) = (self.prototypes.number(tag), prototypes.number(tag))
                && let (Some(before), Some(after)) =
                    (self.prototypes.programs().get(old), prototypes.programs().get(new))
            {
                carries.push((tag, PrototypeMapping { old, new, functions: matching(before, after), mapped: None }));
            }
        }
        let rules = self.carrying(content, prototypes, Renewal::new(&self.prototypes, carries));
        if let Some(clock) = self.workspaces.measuring().clock() {
            rules.prepare_profile(&clock);
            rules.switch_profile(self.workspaces.measuring().is_on());
        }
        rules
    }

    /// The same rules with these prototypes, to which they carry objects over.
    pub(crate) fn carrying(&self, content: &Library, prototypes: Arc<Prototypes>, renewal: Renewal) -> Rules {
        Rules {
            parts: self.parts.clone(),
            level: self.level.clone(),
            workspaces: ScriptWorkspaces::new(self.level.settings.limits, &[&renewal.former, &prototypes]),
            presentation: Presentation::new(content, &prototypes, self.level.settings.limits),
            prototypes,
            log: Log::after(&renewal.former),
            renewal: Some(renewal),
            space: self.space,
            sets: self.sets,
            keys: self.keys,
            ways: self.ways.clone(),
            own: self.own.clone(),
        }
    }
}
