//! The specialiser: compiles kernels for the functions of a program, from example values.
//!
//! The kinds of variables are those of an example row: that of an object which has just begun. A variable that begins
//! as nothing probably holds the result of the built-in or query it is set to; then there are two kernels, and the second is
//! tried where a guard of the first fails. The kind of an argument is guessed from its first use. A wrong guess costs a
//! few nanoseconds, never a result.
//!
//! A kernel is compiled in two steps: `inline` turns bytecode into typed steps with all calls inlined, `emit` optimises
//! these and emits the kernel. There is none for functions that call themselves, are large, or return a list, a record,
//! a lambda, or values of several kinds.

mod ir;

mod abstract_state;
mod emit;

mod inline;

use alloc::boxed::Box;
use alloc::vec::Vec;

use base::{Handle, StringId, Vec3};

use crate::builtin::BUILTINS;
use crate::kernel::Kernel;
use crate::program::{Function, Instruction, Operation, Program};
use crate::row::RowView;
use crate::types::{Signature, Type};
use crate::value::Value;
use crate::verify::Uses;

/// The number of nested calls through which a guess follows an argument.
const CALLS_MAX: u32 = 8;
/// Functions with more instructions are not specialised.
const INSTRUCTIONS_MAX: usize = 256;

/// Compiles kernels for all functions of a program that can have one.
pub fn specialise(program: &mut Program, example: RowView<'_>) {
    let variables = &example.values[..program.variables.len().min(example.values.len())];
    let likely = probable_variables(program, variables);
    for number in 0..program.functions.len() as u32 {
        let arguments = Guess { program, variables }.arguments(number, 0);
        let kernel_for = |variables| kernel_for(program, number, arguments.as_ref()?, variables);
        let mut kernel = likely.as_ref().and_then(|likely| kernel_for(likely));
        match &mut kernel {
            Some(kernel) => kernel.fallback = kernel_for(variables).map(Box::new),
            None => kernel = kernel_for(variables),
        }
        program.functions[number as usize].facts.kernel = kernel;
    }
}

/// The kernel of a function, if it can have one: for an object whose arguments and variables have the kinds of these
/// examples, and hold the same lambdas. Examples of captured values come behind those of the arguments.
pub fn kernel_for(program: &Program, function: u32, arguments: &[Value], variables: &[Value]) -> Option<Kernel> {
    inline::inline(program, function, arguments, variables).and_then(emit::emit)
}

/// The example variables, with a probable value for those that begin as nothing; none if there are no such variables.
fn probable_variables(program: &Program, variables: &[Value]) -> Option<Vec<Value>> {
    let mut likely = variables.to_vec();
    for function in &program.functions {
        for (at, set) in function.code.iter().enumerate().filter(|(_, set)| set.operation == Operation::SetVariable) {
            let made = function.code[..at].iter().rev().find(|before| Uses::of(**before).written == Some(set.a));
            let (Some(made), Some(place)) = (made, likely.get_mut(set.number as usize)) else { continue };
            if *place == Value::NOTHING {
                let signature = signature_of(program, *made);
                *place = signature.and_then(|signature| example_of(&signature.result)).unwrap_or_default();
            }
        }
    }
    (likely != variables).then_some(likely)
}

/// The signature of the built-in or the query that an instruction calls.
fn signature_of(program: &Program, instruction: Instruction) -> Option<Signature> {
    let number = instruction.number as usize;
    let signature = match instruction.operation {
        Operation::Builtin => BUILTINS.get(number)?.signature,
        Operation::Query => program.queries.get(number)?.signature,
        _ => return None,
    };
    Signature::parse(signature).ok()
}

struct Guess<'a> {
    program: &'a Program,
    variables: &'a [Value],
}

impl Guess<'_> {
    /// Examples of the arguments of a function, and of its captured values behind them.
    fn arguments(&self, number: u32, calls: u32) -> Option<Vec<Value>> {
        let function = self.program.functions.get(number as usize)?;
        if function.code.len() > INSTRUCTIONS_MAX {
            return None;
        }
        let inputs = function.parameters.checked_add(function.captured)?;
        Some((0..inputs).map(|input| self.argument(function, input, calls)).collect())
    }

    /// An example of an argument, of the kind that its first use takes.
    fn argument(&self, function: &Function, parameter: u8, calls: u32) -> Value {
        let mut copies = alloc::vec![parameter];
        for instruction in &function.code {
            if instruction.operation == Operation::Move && copies.contains(&instruction.b) {
                copies.push(instruction.a);
            } else if let Some(found) = self.use_of(function, *instruction, &copies, calls) {
                return found;
            }
        }
        Value::number(0.0)
    }

    fn use_of(&self, function: &Function, instruction: Instruction, copies: &[u8], calls: u32) -> Option<Value> {
        use Operation::*;
        let Instruction { operation, a, b, c, number } = instruction;
        let is_used = |register: u8| copies.contains(&register);
        let constant = |number: u32| self.program.constants.get(number as usize).copied();
        match operation {
            Add
            | Subtract
            | Multiply
            | Divide
            | Remainder
            | Less
            | Greater
            | LessEqual
            | GreaterEqual
            | JumpUnlessLess
            | JumpUnlessLessEqual
            | JumpUnlessGreater
            | JumpUnlessGreaterEqual => (is_used(b) || is_used(c)).then_some(Value::number(0.0)),
            AddConstant | SubtractConstant | MultiplyConstant | DivideConstant | Negate => {
                is_used(b).then_some(Value::number(0.0))
            }
            JumpUnlessLessConstant
            | JumpUnlessLessEqualConstant
            | JumpUnlessGreaterConstant
            | JumpUnlessGreaterEqualConstant
            | JumpUnlessEqualConstant
            | JumpUnlessUnequalConstant => constant(c.into()).filter(|_| is_used(b)),
            Equal | Unequal | JumpUnlessEqual | JumpUnlessUnequal => {
                let other = if is_used(b) { c } else { b };
                (is_used(b) || is_used(c)).then(|| self.constant_in(function, other)).flatten()
            }
            JumpUnless => is_used(a).then_some(Value::FALSE),
            Not => is_used(b).then_some(Value::FALSE),
            Field => {
                const PARTS: [StringId; 3] = [StringId::new("x"), StringId::new("y"), StringId::new("z")];
                let is_part = constant(number).and_then(Value::as_string).is_some_and(|name| PARTS.contains(&name));
                (is_used(b) && is_part).then_some(Value::vector(Vec3::default()))
            }
            Builtin | Query => {
                let which = (0..c).find(|index| b.checked_add(*index).is_some_and(is_used))?;
                example_of(signature_of(self.program, instruction)?.parameter(usize::from(which))?)
            }
            Call if calls < CALLS_MAX => {
                let first = b.checked_add(1)?;
                let which = (0..c).find(|index| first.checked_add(*index).is_some_and(is_used))?;
                let callee = self.lambda_in(function, b)?;
                self.arguments(callee, calls + 1)?.get(usize::from(which)).copied()
            }
            _ => None,
        }
    }

    /// The constant that is loaded into a register.
    fn constant_in(&self, function: &Function, register: u8) -> Option<Value> {
        let mut puts = function.code.iter().filter(|instruction| instruction.a == register);
        let put = puts.find(|instruction| instruction.operation == Operation::Constant)?;
        self.program.constants.get(put.number as usize).copied()
    }

    /// The lambda that is loaded into a register from a variable or a constant.
    fn lambda_in(&self, function: &Function, register: u8) -> Option<u32> {
        let mut reads = function.code.iter().filter(|instruction| instruction.a == register);
        let lambda = reads.find_map(|read| match read.operation {
            Operation::Variable => self.variables.get(read.number as usize),
            Operation::Constant => self.program.constants.get(read.number as usize),
            _ => None,
        });
        lambda?.as_lambda().map(|(number, _)| number)
    }
}

fn example_of(kind: &Type) -> Option<Value> {
    Some(match kind {
        Type::Number => Value::number(0.0),
        Type::Identifier => Value::identifier(0),
        Type::Truth => Value::FALSE,
        Type::String => Value::string(StringId::default()),
        Type::Vector => Value::vector(Vec3::default()),
        Type::Handle => Value::handle(Handle::NONE, 0),
        _ => return None,
    })
}
