//! The statements of a text, evaluated one after the other over one environment.
//!
//! An evaluation over an object's row may copy the row, which is small. A text can have as many variables as statements, so
//! that a copy for each statement would cost the square of the text. Here the workspace stays a mirror of the variables
//! from one statement to the next, and the parts of new values are appended until the environment is full and compacted.
//!
//! Laws
//! 1. The values are those of [`Environment::evaluate`] for each statement.
//! 2. All statements together use a limited amount of fuel. Copied values are charged as fuel too, eight for one: so a run
//!    takes time in proportion to its statements plus its fuel, whatever the text.

use crate::arena::{Full, KEPT};
use crate::builtin::BUILTINS;
use crate::environment::{Environment, EvaluationError};
use crate::machine::{Ended, EvaluationContext, Halt, Limits, Machine, Nowhere, Scratch};
use crate::program::Program;
use crate::value::Value;

/// Copied values for one unit of fuel.
const VALUES_PER_FUEL: u64 = 8;

/// A run of statements over one environment.
pub struct StatementRun<'a> {
    program: &'a Program,
    environment: &'a mut Environment,
    scratch: &'a mut Scratch,
    /// The limits of one statement.
    limits: Limits,
    /// The fuel of all statements that are still to come.
    fuel: u64,
    /// The number of values of the row in use; the rest is free.
    used: usize,
    is_mirror: bool,
}

impl<'a> StatementRun<'a> {
    /// A run of statements of a program. Each is limited by the scratch, and all together by this much fuel.
    pub fn new(
        program: &'a Program,
        environment: &'a mut Environment,
        scratch: &'a mut Scratch,
        fuel: u64,
    ) -> StatementRun<'a> {
        let limits = scratch.limits();
        let used = end_of_parts(environment, program.variables.len());
        StatementRun { program, environment, scratch, limits, fuel, used, is_mirror: false }
    }

    /// Evaluates a statement. Its effects, complaints and the parts of its result are in the scratch until the next one.
    pub fn evaluate(&mut self, function: u32) -> Result<Value, EvaluationError> {
        let place =
            EvaluationContext { program: self.program, this: Value::NOTHING, outside: &Nowhere, now: 0.0, seed: 0 };
        let fuel = self.limits.fuel.min(self.fuel);
        self.scratch.set_fuel(fuel);
        self.scratch.set_mirror(self.is_mirror);
        let row = self.environment.view();
        let (result, ended) = Machine::begin(place, BUILTINS, row, self.scratch, |machine, stack| {
            machine.call(stack, Value::function(function), &[])
        });
        self.scratch.set_mirror(false);
        self.charge(fuel.saturating_sub(ended.fuel_left));
        let result = match result {
            Ok(value) if ended.has_set => self.commit(value, &ended).map_err(|_| Halt::Room),
            result => result.map(|value| (value, self.is_mirror)),
        };
        if ended.has_set {
            self.scratch.mirror_sets(self.environment.kept());
            self.is_mirror = result.as_ref().map_or(true, |(_, is_mirror)| *is_mirror);
        }
        self.scratch.set_fuel(self.limits.fuel);
        result.map(|(value, _)| value).map_err(|halt| {
            self.scratch.discard();
            self.error(halt, function, &ended)
        })
    }

    /// The environment.
    pub fn environment(&self) -> &Environment {
        self.environment
    }

    /// The scratch with the effects and complaints of the last statement.
    pub fn scratch(&self) -> &Scratch {
        self.scratch
    }

    /// Commits the sets, and says whether the workspace still is a mirror: a compaction moves everything.
    fn commit(&mut self, value: Value, ended: &Ended) -> Result<(Value, bool), Full> {
        let shared = &self.program.shared;
        let before = self.used;
        let mut row = self.environment.edit();
        let (mut value, mut is_mirror) = (value, true);
        if self.scratch.commit_appended(&mut row, &mut self.used, shared).is_ok() {
            self.charge((self.used - before) as u64 / VALUES_PER_FUEL);
        } else {
            let all = row.values.len() as u64;
            let committed = self.scratch.commit(&mut row, value, shared);
            self.charge(all / VALUES_PER_FUEL);
            value = committed?;
            is_mirror = false;
            self.used = end_of_parts(self.environment, self.program.variables.len());
        }
        self.environment.edit().head.tickets = ended.tickets;
        Ok((value, is_mirror))
    }

    fn charge(&mut self, fuel: u64) {
        self.fuel = self.fuel.saturating_sub(fuel);
    }

    /// A room error names the whole statement, since all its sets are committed together.
    fn error(&self, halt: Halt, function: u32, ended: &Ended) -> EvaluationError {
        let functions = &self.program.functions;
        let (function, span) = if halt == Halt::Room {
            (function, functions.get(function as usize).map(|found| found.span))
        } else {
            let (function, instruction) = ended.at;
            let found = functions.get(function as usize);
            (function, found.and_then(|found| found.spans.get(instruction as usize)).copied())
        };
        let room = self.environment.kept().len().saturating_sub(self.program.variables.len());
        EvaluationError { halt, function, span: span.unwrap_or_default(), limit: halt.limit(self.limits, room) }
    }
}

/// The end of the parts that values of the row have in it: behind it all is free.
fn end_of_parts(environment: &Environment, variables: usize) -> usize {
    let values = environment.kept();
    let mut end = variables.min(values.len());
    let mut seen = 0;
    // Parts lie behind the values that have them, so one pass over what is in use finds all.
    while seen < end {
        if let Some(elements) = values[seen].parts()
            && elements.start & KEPT != 0
        {
            let start = (elements.start & !KEPT) as usize;
            end = end.max(start.saturating_add(elements.count as usize).min(values.len()));
        }
        seen += 1;
    }
    end
}
