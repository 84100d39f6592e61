//! An environment: the variables of one object, and what their lists and records hold.
//!
//! Laws
//! 1. An evaluation reads the variables once, when it begins, and sees its own sets from then on. Others see them when it
//!    has ended.
//! 2. An evaluation that ends early changes nothing: no variable, no effect.
//! 3. What is kept is bounded. A set that finds no room ends the evaluation early.

use alloc::vec::Vec;
use core::fmt;

use crate::builtin::BUILTINS;
use crate::machine::{Halt, KEPT, Machine, Scratch};
use crate::program::Program;
use crate::region::{Full, NESTING_MAX, Region};
use crate::source::Span;
use crate::value::{Elements, Value};

/// The variables of one object.
#[derive(Clone, Debug)]
pub struct Environment {
    variables: Vec<Value>,
    kept: Region,
    /// Takes the place of `kept` when something new is to be kept.
    spare: Region,
}

/// An evaluation that ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Why.
    pub halt: Halt,
    /// In which function.
    pub function: u32,
    /// Where that stands.
    pub span: Span,
}

impl Environment {
    /// An environment of nothings for a program, which keeps at most so many values in lists and records.
    pub fn new(program: &Program, values_max: usize) -> Environment {
        Environment {
            variables: alloc::vec![Value::NOTHING; program.variables.len()],
            kept: Region::new(values_max),
            spare: Region::new(values_max),
        }
    }

    /// Makes room for the variables a program has by now; new ones are nothing.
    pub fn grow(&mut self, program: &Program) {
        self.variables.resize(program.variables.len().max(self.variables.len()), Value::NOTHING);
    }

    /// The value of a variable. Its parts are in [`Environment::kept`].
    pub fn get(&self, variable: u32) -> Value {
        self.variables.get(variable as usize).copied().unwrap_or_default()
    }

    /// What the variables' lists and records hold.
    pub fn kept(&self) -> &Region {
        &self.kept
    }

    /// Gives a variable a value that has no parts. For tests and for whoever makes objects.
    pub fn set(&mut self, variable: u32, value: Value) {
        if let Some(place) = self.variables.get_mut(variable as usize)
            && value.parts().is_none()
        {
            *place = value.canonical();
        }
    }

    /// Evaluates a function of a program. The result's parts, and the effects, are in the scratch until its next use.
    pub fn evaluate(
        &mut self,
        program: &Program,
        function: u32,
        arguments: &[Value],
        scratch: &mut Scratch,
    ) -> Result<Value, Trouble> {
        self.begin(program, scratch, |machine, stack| {
            machine.call(stack, Value::lambda(function, Elements::default()), arguments)
        })
    }

    /// Calls a lambda that is the value of a variable.
    pub fn call(
        &mut self,
        program: &Program,
        variable: u32,
        arguments: &[Value],
        scratch: &mut Scratch,
    ) -> Result<Value, Trouble> {
        let lambda = self.get(variable);
        self.begin(program, scratch, |machine, stack| machine.call(stack, lambda, arguments))
    }

    fn begin(
        &mut self,
        program: &Program,
        scratch: &mut Scratch,
        work: impl FnOnce(&mut Machine<'_>, &mut [Value]) -> Result<Value, Halt>,
    ) -> Result<Value, Trouble> {
        let (result, ended) = Machine::begin(program, BUILTINS, &self.variables, &self.kept, scratch, work);
        let result = match result {
            Ok(value) if ended.has_set => self.commit(scratch).map(|()| value).map_err(Halt::from),
            other => other,
        };
        result.map_err(|halt| {
            scratch.forget_effects();
            let span = program.functions.get(ended.function as usize).map_or(Span::default(), |function| function.span);
            Trouble { halt, function: ended.function, span }
        })
    }

    /// Takes over the variables as an evaluation left them.
    fn commit(&mut self, scratch: &Scratch) -> Result<(), Full> {
        let changed = scratch.variables();
        self.spare.clear();
        for value in changed {
            keep(&mut self.spare, *value, &self.kept, scratch.region(), 0)?;
        }
        self.spare.clear();
        for (variable, value) in self.variables.iter_mut().zip(changed) {
            *variable = keep(&mut self.spare, *value, &self.kept, scratch.region(), 0)?;
        }
        core::mem::swap(&mut self.kept, &mut self.spare);
        Ok(())
    }
}

/// Copies a value with all its parts, wherever they lie, into what is to be kept.
fn keep(into: &mut Region, value: Value, kept: &Region, made: &Region, depth: u32) -> Result<Value, Full> {
    let Some(elements) = value.parts() else { return Ok(value.canonical()) };
    if depth > NESTING_MAX {
        return Err(Full);
    }
    let start = elements.start & !KEPT;
    let from = if elements.start & KEPT == 0 { made } else { kept };
    let parts = from.values(Elements { start, ..elements });
    let copied = into.push(parts)?;
    for (index, part) in parts.iter().enumerate() {
        let part = keep(into, *part, kept, made, depth + 1)?;
        into.replace(copied, index, part);
    }
    Ok(value.moved(copied.start | KEPT))
}

impl fmt::Display for Trouble {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.halt.fmt(formatter)
    }
}

impl core::error::Error for Trouble {}
