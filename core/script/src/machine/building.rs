//! Construction of lists and records: the results of built-ins and queries.

use base::StringId;

use super::slow_path::sort_pairs;
use super::{Halt, Machine};
use crate::value::Value;

impl Machine<'_> {
    /// Makes a list of the values that `work` pushes.
    pub fn build(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Halt>) -> Result<Value, Halt> {
        let start = self.scratch.building.len();
        let result = work(self);
        let made = result.and_then(|()| Ok(Value::list(self.scratch.region.push(&self.scratch.building[start..])?)));
        self.scratch.building.truncate(start);
        made
    }

    /// Makes a record of the names and values that `work` pushes in turn.
    pub(crate) fn build_record(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Halt>) -> Result<Value, Halt> {
        let start = self.scratch.building.len();
        let result = work(self);
        let made = result.and_then(|()| Ok(self.scratch.region.record(&self.scratch.building[start..])?));
        self.scratch.building.truncate(start);
        made
    }

    /// Makes a list of the values behind the keys that `work` pushes in turn, smallest key first, equal ones in order.
    pub(crate) fn build_sorted(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Halt>) -> Result<Value, Halt> {
        let start = self.scratch.building.len();
        let result = work(self);
        let made = result.and_then(|()| {
            let (pairs, _) = self.scratch.building[start..].as_chunks_mut::<2>();
            sort_pairs(pairs);
            let count = pairs.len();
            for index in 0..count {
                self.scratch.building[start + index] = self.scratch.building[start + 2 * index + 1];
            }
            Ok(Value::list(self.scratch.region.push(&self.scratch.building[start..start + count])?))
        });
        self.scratch.building.truncate(start);
        made
    }

    /// Adds to the list under construction.
    pub fn push(&mut self, value: Value) -> Result<(), Halt> {
        if self.scratch.building.len() >= self.scratch.limits.values as usize {
            return Err(Halt::Memory);
        }
        self.scratch.building.push(value);
        self.building_peak = self.building_peak.max(self.scratch.building.len() as u32);
        Ok(())
    }

    /// Makes a record of names and values; it costs one for each.
    pub fn make_record<const N: usize>(&mut self, names: [&str; N], values: [Value; N]) -> Result<Value, Halt> {
        self.burn(N as u64)?;
        self.build_record(|machine| {
            for (name, value) in names.into_iter().zip(values) {
                machine.push(Value::string(StringId::new(name)))?;
                machine.push(value)?;
            }
            Ok(())
        })
    }
}
