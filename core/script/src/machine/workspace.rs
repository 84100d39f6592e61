//! The capacity of the workspace.

use super::{Limits, Scratch};
use crate::value::Value;

impl Scratch {
    /// Allocates for rows of this many values, before the first evaluation.
    pub fn ready_for_rows(mut self, values: usize) -> Scratch {
        self.spare.resize(values.max(self.spare.len()), Value::NOTHING);
        self.variables.reserve(values);
        self
    }

    /// Lowers the limits. Limits above the present ones are ignored, except for fuel, which may be anything.
    pub fn restrict(&mut self, limits: Limits) {
        self.limits = Limits {
            fuel: limits.fuel,
            depth: limits.depth.min(self.limits.depth),
            values: limits.values.min(self.limits.values),
            effects: limits.effects.min(self.limits.effects),
        };
        self.region.restrict(self.limits.values as usize);
    }
}
