//! Calls by the engine and by `!Each`, and the texts of halts and complaints.

use core::fmt;

use super::{Complaint, Halt, Limits, Machine};
use crate::value::{Elements, Value};

impl Machine<'_> {
    /// Runs the result of a lambda that the engine called, as long as that is a lambda without parameters that has
    /// effects itself: a handler may give a body.
    pub(crate) fn run_returned(&mut self, stack: &mut [Value], mut result: Value) -> Result<Value, Halt> {
        while let Some((number, _)) = self.lambda(result)
            && let Some(function) = self.program.functions.get(number as usize)
            && function.parameters == 0
            && function.is_effectful
        {
            result = self.call(stack, result, &[])?;
        }
        Ok(result)
    }

    /// `!Each(list, lambda)`: calls a lambda for each element of a list, in order.
    pub(super) fn each(&mut self, stack: &mut [Value], arguments: Elements) -> Result<(), Halt> {
        let at = self.at;
        let given = self.row(arguments);
        let (list, lambda) = (given.first().copied().unwrap_or_default(), given.get(1).copied().unwrap_or_default());
        if self.is_pure {
            self.complain("a lambda without effects", Value::NOTHING, at, ());
            return Ok(());
        }
        if list.as_list().is_none() {
            self.complain("a list", list, at, ());
        }
        for index in 0..self.list(list).len() {
            self.at = at;
            self.burn(1)?;
            let element = self.list(list)[index];
            let result = self.call(stack, lambda, &[element])?;
            self.run_returned(stack, result)?;
        }
        Ok(())
    }
}

impl Halt {
    /// The limit that was reached.
    pub fn limit(self, limits: Limits, row_values: usize) -> u64 {
        match self {
            Halt::Fuel => limits.fuel,
            Halt::Memory => limits.values.into(),
            Halt::Depth => limits.depth.into(),
            Halt::Effects => limits.effects.into(),
            Halt::Room => row_values as u64,
        }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "expected {}, found {}", self.expected, self.found.kind().name())?;
        match (self.found.as_number(), self.found.as_identifier(), self.found.as_truth()) {
            (Some(number), ..) => write!(formatter, " {number}"),
            (_, Some(identifier), _) => write!(formatter, " #{identifier}"),
            (.., Some(truth)) => write!(formatter, " {truth}"),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Halt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Halt::Fuel => "it took too long and was stopped",
            Halt::Memory => "its lists and records grew too large",
            Halt::Depth => "its calls were nested too deep",
            Halt::Effects => "it requested too many effects at once",
            Halt::Room => "its variables hold more lists and records than there is room for",
        })
    }
}
