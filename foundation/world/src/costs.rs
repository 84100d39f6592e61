//! The costs of a world by tag and by line of script, for profiles.
//!
//! A profile is prepared between cycles, switched on for all cycles or some of them, and its counts are taken after each. See
//! [`profiling`](crate::profiling) for objects and [`script::meter`] for fuel.

use alloc::collections::BTreeMap;

use base::StringId;
use script::meter::PlaceFuel;

use crate::profiling::{Budget, ObjectCost, ProfileClock};
use crate::prototype::{Prototype, Prototypes};
use crate::rules::Rules;
use crate::stages::StepInput;

/// The cost of a tag's objects in the last cycle, or a part of it.
#[derive(Clone, Copy, Debug)]
pub struct TagCost<'a> {
    /// The id of the tag's path.
    pub tag: StringId,
    /// The tag's path.
    pub path: &'a str,
    /// Its class.
    pub class: &'a str,
    /// The cost.
    pub cost: ObjectCost,
}

/// The fuel of a line of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineCost<'a> {
    /// The id of the tag's path.
    pub tag: StringId,
    /// The tag's path.
    pub path: &'a str,
    /// The line, from 1 on; 0 if it is unknown.
    pub line: u32,
    /// The fuel.
    pub fuel: u64,
}

impl Rules {
    /// Prepares for a profile with this clock: allocates its tables. Nothing is measured until it is switched on.
    pub fn prepare_profile(&self, clock: &ProfileClock) {
        let former = self.renewal.as_ref().map_or(0, |renewal| renewal.former.iter().count());
        self.workspaces.prepare_profile(clock, self.prototypes.iter().count().max(former));
    }

    /// Measures the cycles from now on, or does not, if a profile was prepared. The world is not influenced.
    pub fn switch_profile(&self, is_on: bool) {
        let is_ready = self.workspaces.measuring().clock().is_some();
        self.workspaces.measuring().set_on(is_on && is_ready);
    }

    /// Takes the costs of the last cycle, which had this input. A tag may come several times.
    pub fn take_costs(&self, input: &StepInput<'_>, take: &mut dyn FnMut(TagCost<'_>)) {
        let prototypes = self.cycle(input.content, input.changed).prototypes;
        self.workspaces.take_costs(|number, cost| {
            if let Some(prototype) = prototypes.get(number) {
                take(TagCost {
                    tag: prototype.tag,
                    path: &prototype.path,
                    class: class_of(prototypes, prototype),
                    cost,
                });
            }
        });
    }

    /// Takes the fuel of lines since the last call. The last cycle had this input; call it after every cycle in which tags changed,
    /// and before the rules are renewed: then lines are those of other texts. Allocates.
    pub fn take_lines(&self, input: &StepInput<'_>, take: &mut dyn FnMut(LineCost<'_>)) {
        let prototypes = self.cycle(input.content, input.changed).prototypes;
        let mut lines: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        self.workspaces.take_places(|place: PlaceFuel| {
            let number = place.program();
            let Some(program) = prototypes.programs().get(number) else { return };
            place.spread(program, |line, fuel| *lines.entry((number, line)).or_default() += fuel);
        });
        for ((number, line), fuel) in lines.into_iter().filter(|(_, fuel)| *fuel > 0) {
            if let Some(prototype) = prototypes.get(number) {
                take(LineCost { tag: prototype.tag, path: &prototype.path, line, fuel });
            }
        }
    }

    /// The budgets of the game.
    pub fn budgets(&self) -> &[Budget] {
        &self.level.settings.budgets
    }
}

fn class_of<'a>(prototypes: &'a Prototypes, prototype: &Prototype) -> &'a str {
    prototypes.class_name(prototype.class).unwrap_or("object")
}
