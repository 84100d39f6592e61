//! How much room there is to work in.

use super::{Limits, Scratch};
use crate::value::Value;

impl Scratch {
    /// Takes the memory for rows of so many values, before they are worked on.
    pub fn ready_for_rows(mut self, values: usize) -> Scratch {
        self.spare.resize(values.max(self.spare.len()), Value::NOTHING);
        self.variables.reserve(values);
        self
    }

    /// Narrows its limits: what is wider than now stays as it is, but for the fuel, which may be anything.
    pub fn restrict(&mut self, limits: Limits) {
        self.limits = Limits {
            fuel: limits.fuel,
            depth: limits.depth.min(self.limits.depth),
            values: limits.values.min(self.limits.values),
            effects: limits.effects.min(self.limits.effects),
        };
        self.region.restrict(self.limits.values as usize);
        self.hits.restrict(self.limits.values as usize);
    }
}
