//! Evaluation of a lambda over a row, and an environment that owns its row.
//!
//! Laws
//! 1. An evaluation reads the variables as they were when it began, and its own sets. Later evaluations of the object
//!    see the sets when it has ended; other objects see them in the next cycle.
//! 2. An evaluation that halts changes nothing: no variable, no timer, no effect.
//! 3. Rows are bounded. A set whose parts do not fit halts the evaluation.

use alloc::vec::Vec;
use core::fmt;

use crate::arena::{Arena, Full, KEPT, Spaces};
use crate::builtin::BUILTINS;
use crate::machine::{EvaluationContext, Halt, Machine, Nowhere, Scratch};
use crate::message::{MESSAGE_VALUES, Message};
use crate::program::Program;
use crate::row::{CommittedVariables, Head, RowEdit, RowView, SetRecord};
use crate::source::Span;
use crate::value::{Elements, Value};

/// The target of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A function of the program, usually a statement.
    Function(u32),
    /// The lambda in a variable.
    Variable(u32),
    /// A lambda of the row, or of a field of the program.
    Lambda(Value),
}

impl Callee {
    /// The lambda, for an object with this row.
    #[inline]
    pub(crate) fn lambda(self, row: RowView<'_>) -> Value {
        match self {
            Callee::Function(number) => Value::function(number),
            Callee::Variable(number) => row.get(number),
            Callee::Lambda(lambda) => lambda,
        }
    }
}

/// The part of a message that is passed to a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// Its arguments, from this one on.
    From(usize),
    /// Its name, then all its arguments.
    NameFirst,
}

/// The error of an evaluation that halted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvaluationError {
    /// The reason.
    pub halt: Halt,
    /// The function.
    pub function: u32,
    /// The place in the source.
    pub span: Span,
    /// The limit that was reached, as a number.
    pub limit: u64,
}

/// Evaluates a lambda over a row. The requested effects and the parts of the result are in the scratch until its next
/// use, except for parts in the row and shared parts; [`write::parts_of`](crate::write::parts_of) finds all of them.
#[inline(always)]
pub fn evaluate(
    place: EvaluationContext<'_>,
    mut row: RowEdit<'_>,
    callee: Callee,
    arguments: &[Value],
    scratch: &mut Scratch,
) -> Result<Value, EvaluationError> {
    let lambda = callee.lambda(row.view());
    if let Some((number, Elements { count: 0, .. })) = lambda.as_lambda()
        && let Some(kernel) = place.program.kernel(number)
        && let Some(result) = scratch.run_kernel((number, kernel), arguments, &mut row, &place)
    {
        return Ok(result);
    }
    evaluate_lambda(place, row, lambda, arguments, scratch)
}

/// The same as the engine does it: if the lambda gives a body, or another lambda without parameters that has effects, that
/// one runs too, in the same evaluation.
#[inline(always)]
pub fn run(
    place: EvaluationContext<'_>,
    mut row: RowEdit<'_>,
    lambda: Value,
    arguments: &[Value],
    scratch: &mut Scratch,
) -> Result<Value, EvaluationError> {
    // A kernel gives no lambda.
    if let Some((number, Elements { count: 0, .. })) = lambda.as_lambda()
        && let Some(kernel) = place.program.kernel(number)
        && let Some(result) = scratch.run_kernel((number, kernel), arguments, &mut row, &place)
    {
        return Ok(result);
    }
    run_lambda(place, row, lambda, arguments, scratch)
}

#[inline(never)]
fn run_lambda(
    place: EvaluationContext<'_>,
    row: RowEdit<'_>,
    lambda: Value,
    arguments: &[Value],
    scratch: &mut Scratch,
) -> Result<Value, EvaluationError> {
    evaluate_with(place, row, lambda, scratch, |machine, stack| {
        let result = machine.call(stack, lambda, arguments)?;
        machine.run_returned(stack, result)
    })
}

/// Not inlined, so that the kernel path is.
#[inline(never)]
fn evaluate_lambda(
    place: EvaluationContext<'_>,
    row: RowEdit<'_>,
    lambda: Value,
    arguments: &[Value],
    scratch: &mut Scratch,
) -> Result<Value, EvaluationError> {
    evaluate_with(place, row, lambda, scratch, |machine, stack| machine.call(stack, lambda, arguments))
}

/// [Runs](run) a lambda of the row with the arguments of a message, which are copied into the arena.
pub fn answer(
    place: EvaluationContext<'_>,
    row: RowEdit<'_>,
    lambda: Value,
    (message, given): (&Message, Given),
    scratch: &mut Scratch,
) -> Result<Value, EvaluationError> {
    evaluate_with(place, row, lambda, scratch, |machine, stack| {
        let mut arguments = [Value::NOTHING; MESSAGE_VALUES + 1];
        let (before, skipped) = match given {
            Given::From(first) => (0, first),
            Given::NameFirst => (1, 0),
        };
        arguments[0] = Value::string(message.name);
        let given = message.arguments().get(skipped..).unwrap_or(&[]);
        for (argument, value) in arguments[before..].iter_mut().zip(given) {
            *argument =
                machine.import(*value, Spaces { made: &[], kept: message.view().values, shared: &[] }, (0, 0), 0)?;
        }
        let result = machine.call(stack, lambda, &arguments[..before + given.len()])?;
        machine.run_returned(stack, result)
    })
}

#[inline]
fn evaluate_with(
    place: EvaluationContext<'_>,
    mut row: RowEdit<'_>,
    lambda: Value,
    scratch: &mut Scratch,
    work: impl FnOnce(&mut Machine<'_>, &mut [Value]) -> Result<Value, Halt>,
) -> Result<Value, EvaluationError> {
    let (result, ended) = Machine::begin(place, BUILTINS, row.view(), scratch, work);
    let functions = &place.program.functions;
    let room = row.values.len().saturating_sub(place.program.variables.len());
    let trouble = match result {
        Ok(value) => {
            match if ended.has_set { scratch.commit(&mut row, value, &place.program.shared) } else { Ok(value) } {
                Ok(value) => {
                    row.head.tickets = ended.tickets;
                    return Ok(value);
                }
                // All sets are committed together, so the error names the whole lambda and not an instruction.
                Err(_) => {
                    let function = lambda.as_lambda().map_or(0, |(function, _)| function);
                    let span = functions.get(function as usize).map(|found| found.span).unwrap_or_default();
                    EvaluationError {
                        halt: Halt::Room,
                        function,
                        span,
                        limit: Halt::Room.limit(scratch.limits(), room),
                    }
                }
            }
        }
        Err(halt) => {
            let (function, instruction) = ended.at;
            let found = functions.get(function as usize);
            let span = found.and_then(|found| found.spans.get(instruction as usize)).copied().unwrap_or_default();
            EvaluationError { halt, function, span, limit: halt.limit(scratch.limits(), room) }
        }
    };
    scratch.discard();
    Err(trouble)
}

/// An environment that owns its row, for consoles, tools and tests. The rows of objects lie in the block of the world.
#[derive(Clone, Debug)]
pub struct Environment {
    head: Head,
    values: Vec<Value>,
    variables: usize,
}

impl Environment {
    /// An environment for a program, with all variables nothing, and space for this many values in lists and records.
    pub fn new(program: &Program, values_max: usize) -> Environment {
        let variables = program.variables.len();
        Environment { head: Head::default(), values: alloc::vec![Value::NOTHING; variables + values_max], variables }
    }

    /// Adds the variables that the program has by now; new ones are nothing.
    pub fn grow(&mut self, program: &Program) {
        let more = program.variables.len().saturating_sub(self.variables);
        if more == 0 {
            return;
        }
        for value in &mut self.values {
            if let Some(elements) = value.parts()
                && elements.start & KEPT != 0
            {
                *value = value.moved(elements.start.saturating_add(more as u32), elements.count);
            }
        }
        let at = self.variables;
        assert!(at <= self.values.len(), "the variables lie at the start of the row");
        self.values.splice(at..at, core::iter::repeat_n(Value::NOTHING, more));
        self.variables += more;
    }

    /// The value of a variable. Its parts are in [`Environment::kept`].
    pub fn get(&self, variable: u32) -> Value {
        if (variable as usize) < self.variables { self.view().get(variable) } else { Value::NOTHING }
    }

    /// Its row.
    pub fn view(&self) -> RowView<'_> {
        RowView { head: &self.head, values: &self.values }
    }

    /// Its row for writing.
    pub fn edit(&mut self) -> RowEdit<'_> {
        RowEdit { head: &mut self.head, values: &mut self.values }
    }

    /// The parts of the variables' lists and records.
    pub fn kept(&self) -> &[Value] {
        &self.values
    }

    /// Sets a variable to a value without parts.
    pub fn set(&mut self, variable: u32, value: Value) {
        self.edit().set(variable, value);
    }

    /// Sets variables to values whose parts lie in an arena, all or none; the parts are copied. `spare` is a workspace,
    /// which is resized to the row.
    pub fn set_made(&mut self, sets: &[(u32, Value)], made: &Arena, spare: &mut Vec<Value>) -> Result<(), Full> {
        let mut variables: Vec<Value> = self.values.get(..self.variables).unwrap_or(&[]).to_vec();
        for (variable, value) in sets {
            *variables.get_mut(*variable as usize).ok_or(Full)? = *value;
        }
        spare.resize(self.values.len(), Value::NOTHING);
        let sets: Vec<SetRecord> = sets.iter().map(|(variable, _)| SetRecord::of(*variable)).collect();
        let after = CommittedVariables { variables: &variables, sets: &sets, made: made.all(), shared: &[] };
        self.edit().commit(&after, spare)
    }

    /// Evaluates a function of a program, without other objects.
    pub fn evaluate(
        &mut self,
        program: &Program,
        function: u32,
        arguments: &[Value],
        scratch: &mut Scratch,
    ) -> Result<Value, EvaluationError> {
        let place = EvaluationContext { program, this: Value::NOTHING, outside: &Nowhere, now: 0.0, seed: 0 };
        evaluate(place, self.edit(), Callee::Function(function), arguments, scratch)
    }

    /// Calls the lambda in a variable, without other objects.
    pub fn call(
        &mut self,
        program: &Program,
        variable: u32,
        arguments: &[Value],
        scratch: &mut Scratch,
    ) -> Result<Value, EvaluationError> {
        let place = EvaluationContext { program, this: Value::NOTHING, outside: &Nowhere, now: 0.0, seed: 0 };
        evaluate(place, self.edit(), Callee::Variable(variable), arguments, scratch)
    }
}

impl fmt::Display for EvaluationError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} (the limit is {})", self.halt, self.limit)
    }
}

impl core::error::Error for EvaluationError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::compile;
    use crate::machine::Limits;
    use crate::parse::parse;

    #[test]
    fn values_with_parts_are_set_from_outside_all_or_none() {
        let source = "sum(a) + b.c";
        let (program, _) = compile(source, &parse(source), &["a", "b"]);
        let mut environment = Environment::new(&program, 8);
        let (mut made, mut spare) = (Arena::new(64), Vec::new());
        let mut scratch = Scratch::new(Limits::default());
        for round in 0..5_u32 {
            made.clear();
            let numbers = [1, 2, 3].map(|number| Value::number(f64::from(number + round)));
            let list = made.list(&numbers).unwrap();
            let record = made.record(&[Value::string("c".into()), Value::number(10.0)]).unwrap();
            environment.set_made(&[(0, list), (1, record)], &made, &mut spare).unwrap();
            let result = environment.evaluate(&program, program.statements[0], &[], &mut scratch);
            assert_eq!(result.unwrap().as_number(), Some(f64::from(16 + 3 * round)));
        }
        let long = made.list(&[Value::TRUE; 9]).unwrap();
        assert_eq!(environment.set_made(&[(0, long)], &made, &mut spare), Err(Full));
        assert_eq!(environment.set_made(&[(7, Value::TRUE)], &made, &mut spare), Err(Full));
        let result = environment.evaluate(&program, program.statements[0], &[], &mut scratch);
        assert_eq!(result.unwrap().as_number(), Some(28.0));
    }
}
