//! The bytecode verifier: checks the laws of [`program`](crate::program), for every program from outside, and in debug
//! builds for every program of the compiler.
//!
//! Jumps go forward only, so one pass over a function sees all paths to an instruction before the instruction. The pass
//! computes the registers that are definitely assigned on every path: 32 bytes, and as much for each pending jump
//! target. Verification takes time and memory in proportion to the program.
//!
//! Laws
//! 1. A verified program never makes the virtual machine panic or loop, and never reads a register that an earlier
//!    evaluation wrote.
//! 2. Unreachable code is allowed; its operands must be in bounds all the same.
//! 3. The first violation in the order of functions and instructions is reported.

use alloc::collections::BTreeMap;
use core::fmt;

use crate::arena::SHARED;
use crate::builtin::BUILTINS;
use crate::program::{
    CONSTANTS_MAX, FUNCTIONS_MAX, Function, INSTRUCTIONS_MAX, Instruction, Operation, Program, REGISTERS_MAX,
    STATEMENTS_MAX, TAIL, VARIABLES_MAX, is_tail,
};
use crate::value::Value;

/// A violated law, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The function; the number of functions if the law concerns the whole program.
    pub function: u32,
    /// The instruction; 0 if the law concerns the whole function.
    pub instruction: u32,
    /// The law.
    pub law: Law,
}

/// The laws of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// All counts are within the limits.
    Limits,
    /// Constants have no parts except shared ones, which do not contain themselves.
    Constants,
    /// Statements are functions without parameters and captured values.
    Statements,
    /// Parameters and captured values fit the registers, and those the limit.
    Inputs,
    /// Every instruction has its place in the source.
    Spans,
    /// The last instruction is `Return`.
    End,
    /// What a function says of itself covers its effects and the variables it reads.
    Claims,
    /// Registers are below the function's `registers`.
    Registers,
    /// Constants, variables, functions, built-ins and queries are there.
    Numbers,
    /// Jumps go forward and stay in the function.
    Jumps,
    /// Names of fields and effects are strings.
    Names,
    /// Built-ins and queries get as many arguments as they take, records pairs, lambdas as many values as they capture.
    Counts,
    /// A register is written before it is read.
    Written,
}

impl Program {
    /// Checks the laws. Costs some nanoseconds for each instruction.
    pub fn verify(&self) -> Result<(), Breach> {
        self.verify_whole().map_err(|law| Breach { function: self.functions.len() as u32, instruction: 0, law })?;
        for (number, function) in self.functions.iter().enumerate() {
            let breach =
                |instruction: usize, law| Breach { function: number as u32, instruction: instruction as u32, law };
            verify_frame(self, function).map_err(|law| breach(0, law))?;
            let mut reads = function.reads.clone();
            reads.sort_unstable();
            for at in 0..function.code.len() {
                verify_bounds(self, function, &reads, at).map_err(|law| breach(at, law))?;
            }
            verify_written(function).map_err(|at| breach(at, Law::Written))?;
        }
        Ok(())
    }

    fn verify_whole(&self) -> Result<(), Law> {
        let is_within = self.functions.len() <= FUNCTIONS_MAX
            && self.constants.len() <= CONSTANTS_MAX
            && self.variables.len() <= VARIABLES_MAX
            && self.statements.len() <= STATEMENTS_MAX;
        hold(is_within, Law::Limits)?;
        let lies_below = |value: &Value, end: usize| match (value.parts(), value.as_function()) {
            (None, _) => true,
            (_, Some(function)) => (function as usize) < self.functions.len(),
            (Some(elements), _) => {
                let last = u64::from(elements.start & !SHARED) + u64::from(elements.count);
                value.is_shared() && last <= end as u64
            }
        };
        let fields = self.fields.len();
        // Parts lie below the values that refer to them, so no value contains itself.
        let is_sound = fields <= self.constants.len()
            && self.constants.iter().rev().skip(fields).all(|constant| constant.parts().is_none())
            && self.constants.iter().rev().take(fields).all(|field| lies_below(field, self.shared.len()))
            && self.initial.iter().all(|(_, value)| lies_below(value, self.shared.len()))
            && self.shared.iter().enumerate().all(|(index, part)| lies_below(part, index));
        hold(is_sound, Law::Constants)?;
        let mut statements = self.statements.iter().map(|statement| self.functions.get(*statement as usize));
        let is_free = |function: Option<&Function>| function.is_some_and(|of| of.parameters == 0 && of.captured == 0);
        hold(statements.all(is_free), Law::Statements)
    }
}

/// Checks the laws of a function as a whole.
fn verify_frame(program: &Program, function: &Function) -> Result<(), Law> {
    let inputs = usize::from(function.parameters) + usize::from(function.captured);
    let registers = usize::from(function.registers);
    hold(inputs <= registers && registers <= REGISTERS_MAX, Law::Inputs)?;
    hold(function.code.len() <= INSTRUCTIONS_MAX, Law::Limits)?;
    hold(function.code.last().is_some_and(|last| last.operation == Operation::Return), Law::End)?;
    hold(function.spans.len() == function.code.len(), Law::Spans)?;
    hold(function.reads.len() <= program.variables.len(), Law::Claims)?;
    hold(function.reads.iter().all(|read| (*read as usize) < program.variables.len()), Law::Claims)
}

/// Checks that the operands of an instruction are in bounds. `reads` are those of the function, sorted.
fn verify_bounds(program: &Program, function: &Function, reads: &[u32], at: usize) -> Result<(), Law> {
    use Operation::*;
    let instruction = function.code[at];
    let Instruction { operation, c, number, .. } = instruction;
    let number = number as usize;
    let registers = u16::from(function.registers);
    let uses = Uses::of(instruction);
    let is_row = u16::from(uses.first) + uses.count <= registers;
    let others = [uses.left, uses.right, uses.written].into_iter().flatten();
    hold(is_row && others.into_iter().all(|register| u16::from(register) < registers), Law::Registers)?;
    let constant = |number: usize| hold(number < program.constants.len(), Law::Numbers);
    let name = || {
        constant(number)?;
        hold(program.constants[number].as_string().is_some(), Law::Names)
    };
    let jump = || hold(number > at && number < function.code.len(), Law::Jumps);
    match operation {
        Move | Negate | Not | Add | Subtract | Multiply | Divide | Remainder | Equal | Unequal | Less | Greater
        | LessEqual | GreaterEqual | Index | List | Return => Ok(()),
        Call => hold(number == 0 || number == TAIL as usize && is_tail(&function.code, at), Law::Jumps),
        Constant | AddConstant | SubtractConstant | MultiplyConstant | DivideConstant => constant(number),
        Variable => {
            hold(number < program.variables.len(), Law::Numbers)?;
            hold(reads.binary_search(&(number as u32)).is_ok(), Law::Claims)
        }
        SetVariable => {
            hold(number < program.variables.len(), Law::Numbers)?;
            hold(function.is_effectful, Law::Claims)
        }
        Jump
        | JumpUnless
        | JumpUnlessLess
        | JumpUnlessLessEqual
        | JumpUnlessGreater
        | JumpUnlessGreaterEqual
        | JumpUnlessEqual
        | JumpUnlessUnequal => jump(),
        JumpUnlessLessConstant
        | JumpUnlessLessEqualConstant
        | JumpUnlessGreaterConstant
        | JumpUnlessGreaterEqualConstant
        | JumpUnlessEqualConstant
        | JumpUnlessUnequalConstant => constant(usize::from(c)).and_then(|()| jump()),
        Record => hold(c.is_multiple_of(2), Law::Counts),
        Lambda => {
            let made = program.functions.get(number);
            hold(made.is_some(), Law::Numbers)?;
            hold(made.is_some_and(|made| made.captured == c), Law::Counts)
        }
        Field => name(),
        Builtin => {
            let row = BUILTINS.get(number);
            hold(row.is_some(), Law::Numbers)?;
            hold(row.is_some_and(|row| row.takes(usize::from(c))), Law::Counts)
        }
        Query => {
            let row = program.queries.get(number);
            hold(row.is_some(), Law::Numbers)?;
            hold(row.is_some_and(|row| row.takes(usize::from(c))), Law::Counts)
        }
        Effect => {
            name()?;
            hold(function.is_effectful, Law::Claims)
        }
    }
}

/// Definite assignment: returns the first instruction that may read a register before it is written on every path.
fn verify_written(function: &Function) -> Result<(), usize> {
    let mut inputs = RegisterSet::default();
    (0..function.parameters + function.captured).for_each(|register| inputs.insert(register));
    // The registers that are written when control falls through from above; none if it cannot.
    let mut flowing = Some(inputs);
    let mut waiting: BTreeMap<usize, RegisterSet> = BTreeMap::new();
    for (at, instruction) in function.code.iter().enumerate() {
        let arriving = waiting.remove(&at);
        flowing = match (flowing, arriving) {
            (Some(above), Some(jumped)) => Some(above.common(jumped)),
            (above, jumped) => above.or(jumped),
        };
        let Some(mut written) = flowing else { continue };
        let uses = Uses::of(*instruction);
        let row = (0..uses.count).map(|index| uses.first + index as u8);
        let mut reads = row.chain(uses.left).chain(uses.right);
        if !reads.all(|register| written.contains(register)) {
            return Err(at);
        }
        if instruction.operation == Operation::Call {
            written.remove_above(instruction.b);
        }
        uses.written.into_iter().for_each(|register| written.insert(register));
        if uses.jumps {
            waiting
                .entry(instruction.number as usize)
                .and_modify(|other| *other = other.common(written))
                .or_insert(written);
        }
        flowing = uses.continues.then_some(written);
    }
    Ok(())
}

/// The registers that an instruction reads and writes, and its successors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Uses {
    pub left: Option<u8>,
    pub right: Option<u8>,
    /// A range of registers that is read.
    pub first: u8,
    pub count: u16,
    pub written: Option<u8>,
    /// Whether it may jump to the instruction of its number.
    pub jumps: bool,
    /// Whether it may fall through to the next instruction.
    pub continues: bool,
}

impl Uses {
    pub(crate) fn of(instruction: Instruction) -> Uses {
        use Operation::*;
        let Instruction { operation, a, b, c, .. } = instruction;
        let nothing =
            Uses { left: None, right: None, first: 0, count: 0, written: None, jumps: false, continues: true };
        let written = Some(a);
        match operation {
            Constant | Variable => Uses { written, ..nothing },
            SetVariable => Uses { left: Some(a), ..nothing },
            Move | Negate | Not | AddConstant | SubtractConstant | MultiplyConstant | DivideConstant | Field => {
                Uses { left: Some(b), written, ..nothing }
            }
            Add | Subtract | Multiply | Divide | Remainder | Equal | Unequal | Less | Greater | LessEqual
            | GreaterEqual | Index => Uses { left: Some(b), right: Some(c), written, ..nothing },
            Jump => Uses { jumps: true, continues: false, ..nothing },
            JumpUnless => Uses { left: Some(a), jumps: true, ..nothing },
            JumpUnlessLess
            | JumpUnlessLessEqual
            | JumpUnlessGreater
            | JumpUnlessGreaterEqual
            | JumpUnlessEqual
            | JumpUnlessUnequal => Uses { left: Some(b), right: Some(c), jumps: true, ..nothing },
            JumpUnlessLessConstant
            | JumpUnlessLessEqualConstant
            | JumpUnlessGreaterConstant
            | JumpUnlessGreaterEqualConstant
            | JumpUnlessEqualConstant
            | JumpUnlessUnequalConstant => Uses { left: Some(b), jumps: true, ..nothing },
            List | Record | Lambda | Builtin | Query | Effect => {
                Uses { first: b, count: u16::from(c), written, ..nothing }
            }
            Call => Uses { first: b, count: u16::from(c) + 1, written, ..nothing },
            Return => Uses { left: Some(a), continues: false, ..nothing },
        }
    }
}

/// A set of registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct RegisterSet([u64; 4]);

impl RegisterSet {
    fn contains(self, register: u8) -> bool {
        self.0[usize::from(register >> 6)] >> (register & 63) & 1 != 0
    }

    fn insert(&mut self, register: u8) {
        self.0[usize::from(register >> 6)] |= 1 << (register & 63);
    }

    fn common(self, other: RegisterSet) -> RegisterSet {
        RegisterSet(core::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    /// Removes all registers above one.
    fn remove_above(&mut self, last: u8) {
        for (index, word) in self.0.iter_mut().enumerate() {
            let kept = (usize::from(last) + 1).saturating_sub(index * 64);
            *word &= if kept >= 64 { u64::MAX } else { (1 << kept) - 1 };
        }
    }
}

fn hold(holds: bool, law: Law) -> Result<(), Law> {
    if holds { Ok(()) } else { Err(law) }
}

impl fmt::Display for Breach {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "function {}, instruction {}: {}", self.function, self.instruction, self.law)
    }
}

impl fmt::Display for Law {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Law::Limits => "a count exceeds its limit",
            Law::Constants => "a constant has parts that the program does not share",
            Law::Statements => "a statement is not a function without parameters and captured values",
            Law::Inputs => "parameters and captured values exceed the registers, or the registers their limit",
            Law::Spans => "the number of source spans differs from the number of instructions",
            Law::End => "the last instruction is not `Return`",
            Law::Claims => "an effect or a variable that the function does not declare",
            Law::Registers => "a register index out of bounds",
            Law::Numbers => "an operand out of bounds",
            Law::Jumps => "a jump backward or out of the function",
            Law::Names => "a name that is not a string",
            Law::Counts => "a wrong number of values",
            Law::Written => "a register may be read before it is written",
        })
    }
}

impl core::error::Error for Breach {}

#[cfg(test)]
mod tests;
