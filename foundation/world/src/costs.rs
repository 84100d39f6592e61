//! The costs of a world by tag and by line of script, for profiles.
//!
//! A profile is prepared between cycles, switched on for all cycles or some of them, and its counts are taken after each. See
//! [`profiling`](crate::profiling) for objects and [`script::meter`] for fuel. Taking counts allocates nothing.

use base::StringId;

use crate::profiling::{Budget, ObjectCost, ProfileClock};
use crate::rules::Rules;
use crate::stages::StepInput;

/// The cost of a tag's objects in the last cycle, or a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagCost {
    /// The id of the tag's path.
    pub tag: StringId,
    /// The cost.
    pub cost: ObjectCost,
}

/// The fuel of a line of a tag, or a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineCost {
    /// The id of the tag's path.
    pub tag: StringId,
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

    /// All tags of objects: the ids of their paths, their paths and classes.
    pub fn each_object_tag(&self, take: &mut dyn FnMut(StringId, &str, &str)) {
        for prototype in self.prototypes.iter() {
            take(prototype.tag, &prototype.path, self.prototypes.class_name(prototype.class).unwrap_or_default());
        }
    }

    /// Takes the costs of the last cycle, which had this input. A tag may come several times.
    pub fn take_costs(&self, input: &StepInput<'_>, take: &mut dyn FnMut(TagCost)) {
        let prototypes = self.cycle(input.content, input.changed).prototypes;
        self.workspaces.take_costs(|number, cost| {
            if let Some(prototype) = prototypes.get(number) {
                take(TagCost { tag: prototype.tag, cost });
            }
        });
    }

    /// Takes the fuel of lines since the last call; a line may come several times. The last cycle had this input. Call it after
    /// every cycle in which tags changed, and before the rules are renewed: afterwards, lines are those of other texts.
    pub fn take_lines(&self, input: &StepInput<'_>, take: &mut dyn FnMut(LineCost)) {
        let prototypes = self.cycle(input.content, input.changed).prototypes;
        self.workspaces.take_places(|place| {
            let number = place.program();
            let (Some(program), Some(prototype)) = (prototypes.programs().get(number), prototypes.get(number)) else {
                return;
            };
            place.spread(program, |line, fuel| {
                if fuel > 0 {
                    take(LineCost { tag: prototype.tag, line, fuel });
                }
            });
        });
    }

    /// The budgets of the game.
    pub fn budgets(&self) -> &[Budget] {
        &self.level.settings.budgets
    }
}
