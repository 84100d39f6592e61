//! The capacity of the workspace, and the workspace of many evaluations over one row.

use alloc::vec::Vec;

use super::{Limits, Scratch};
use crate::arena::{Full, Spaces};
use crate::program::Program;
use crate::row::{DeepCopy, RowEdit, RowView, SetRecord};
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

    /// Sets variables of a row to values whose parts lie in another row or message, all or none; the parts are copied.
    /// For the arguments of a new object.
    pub fn set_copied(
        &mut self,
        row: &mut RowEdit<'_>,
        program: &Program,
        sets: &[(u32, Value)],
        from: RowView<'_>,
    ) -> Result<(), Full> {
        if sets.len() > self.limits.effects as usize {
            return Err(Full);
        }
        self.begin();
        let count = program.variables.len().min(row.values.len());
        self.variables.clear();
        self.variables.extend_from_slice(&row.values[..count]);
        for (number, value) in sets {
            let Some(place) = self.variables.get_mut(*number as usize) else { continue };
            *place = self.region.copy(*value, from.values, 0)?;
            self.sets.push(SetRecord::of(*number));
        }
        let result = self.commit(row, Value::NOTHING, &program.shared).map(|_| ());
        self.begin();
        result
    }

    /// Sets the fuel of the next evaluation.
    pub(crate) fn set_fuel(&mut self, fuel: u64) {
        self.limits.fuel = fuel;
    }

    /// Promises that the variables here equal those of the row, or takes the promise back.
    pub(crate) fn set_mirror(&mut self, is_mirror: bool) {
        self.is_mirror = is_mirror;
    }

    /// Takes over the variables that the last evaluation set from its row, whether they were committed or not.
    pub(crate) fn mirror_sets(&mut self, row: &[Value]) {
        for set in &self.sets {
            let number = set.variable as usize;
            if let (Some(variable), Some(value)) = (self.variables.get_mut(number), row.get(number)) {
                *variable = *value;
            }
        }
    }

    /// Commits the sets of the last evaluation like [`Scratch::commit`], but appends their parts behind the `used`
    /// values of the row, instead of compacting it: the cost is that of the parts. Refused, with an unchanged row, if
    /// they do not fit.
    pub(crate) fn commit_appended(
        &mut self,
        row: &mut RowEdit<'_>,
        used: &mut usize,
        shared: &[Value],
    ) -> Result<(), Full> {
        let mut numbers: Vec<u32> = self.sets.iter().map(|set| set.variable).collect();
        numbers.sort_unstable();
        numbers.dedup();
        if self.spare.len() < row.values.len() {
            self.spare.resize(row.values.len(), Value::NOTHING);
        }
        let first = *used;
        let spaces = Spaces { made: self.region.all(), kept: row.values, shared };
        let mut copy = DeepCopy { into: &mut self.spare[..row.values.len()], used: first, spaces };
        let mut values = Vec::with_capacity(numbers.len());
        for number in &numbers {
            let value = self.variables.get(*number as usize).copied().unwrap_or_default();
            values.push(copy.value(value, 0)?);
        }
        *used = copy.used;
        row.values[first..*used].copy_from_slice(&self.spare[first..*used]);
        for (number, value) in numbers.iter().zip(values) {
            if let Some(place) = row.values.get_mut(*number as usize) {
                *place = value;
            }
        }
        Ok(())
    }
}
