//! Programs: bytecode for a register machine, and the tables it refers to.
//!
//! | operation | `a` | `b` | `c` | `number` |
//! |---|---|---|---|---|
//! | `Move` | to | from | | |
//! | `Constant` | to | | | constant |
//! | `Variable`, `SetVariable` | to, from | | | variable |
//! | `Add` … `GreaterEqual` | to | left | right | |
//! | `AddConstant` … `DivideConstant` | to | left | | constant |
//! | `Negate`, `Not` | to | from | | |
//! | `Jump` | | | | instruction |
//! | `JumpUnless` | truth | | | instruction |
//! | `JumpUnlessLess` … `JumpUnlessUnequal` | | left | right | instruction |
//! | `JumpUnlessLessConstant` … `JumpUnlessUnequalConstant` | | left | constant | instruction |
//! | `List`, `Record` | to | first | count | |
//! | `Lambda` | to | first captured | count | function |
//! | `Index` | to | list | index | |
//! | `Field` | to | record | | constant: the name |
//! | `Call` | to | the lambda; arguments follow it | count | 1 for a tail call |
//! | `Builtin` | to | first argument | count | built-in |
//! | `Query` | to | first argument | count | query |
//! | `Effect` | to | first argument | count | constant: the name |
//! | `Return` | from | | | |
//!
//! Laws (the compiler keeps them; `verify` checks them)
//! 1. Every register is below the function's `registers`, and every other number is in range.
//! 2. Jumps go forward: a function executes at most as many instructions as it has.
//! 3. A function's last instruction is `Return`.
//! 4. No register is read before it was written. At the start only parameters and captured values are; a `Call` leaves
//!    the registers above its `b` undefined, since the callee's registers lay there.
//! 5. A function declares its effects and the variables it reads.
//! 6. The result of a tail call is that of the function: only jumps lie between it and a `Return` of its register.
//! 7. Constants have no parts, except for [baked](crate::bake) fields, whose parts the program owns.
//!
//! A *place* is the number of a variable or, numbered after those, of a baked field.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use base::StringId;
use base::hash::mix;
use base::string_id::StringTable;

use crate::arena::parts_in;
use crate::ast::Caching;
use crate::facts::Facts;
use crate::kernel::Kernel;
use crate::query::Query;
use crate::source::{Place, Span};
use crate::value::Value;

/// The most registers of one function.
pub const REGISTERS_MAX: usize = 250;
/// The most instructions of one function.
pub const INSTRUCTIONS_MAX: usize = 1 << 20;
/// The most functions of a program.
pub const FUNCTIONS_MAX: usize = 1 << 20;
/// The most constants of a program.
pub const CONSTANTS_MAX: usize = 1 << 24;
/// The most variables of a program.
pub const VARIABLES_MAX: usize = 1 << 20;
/// The most statements of a program. Each is compiled to a function.
pub const STATEMENTS_MAX: usize = FUNCTIONS_MAX;

/// The `number` of a tail call.
pub const TAIL: u32 = 1;
/// The most jumps between a tail call and its `Return`: the compiler makes one for each `if` around the call.
const TAIL_JUMPS_MAX: usize = 256;

/// The name of the variable that holds the timers, handlers and callbacks of an object. No source can write it.
pub const WAITING: &str = "~waiting";

macro_rules! operations {
    ($($name:ident,)*) => {
        /// The operation of an instruction (opcode). See the table above.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        #[expect(missing_docs, reason = "the table above says what they do")]
        pub enum Operation {
            $($name,)*
        }

        impl Operation {
            /// All operations, by opcode. The opcode is the byte in a file, except for the last: in a file a query is
            /// a built-in, since both are written by name.
            pub const ALL: &[Operation] = &[$(Operation::$name,)*];
        }
    };
}

operations! {
    Move, Constant, Variable, SetVariable,
    Add, Subtract, Multiply, Divide, Remainder,
    Equal, Unequal, Less, Greater, LessEqual, GreaterEqual,
    AddConstant, SubtractConstant, MultiplyConstant, DivideConstant,
    Negate, Not,
    Jump, JumpUnless,
    JumpUnlessLess, JumpUnlessLessEqual, JumpUnlessGreater, JumpUnlessGreaterEqual, JumpUnlessEqual, JumpUnlessUnequal,
    JumpUnlessLessConstant, JumpUnlessLessEqualConstant, JumpUnlessGreaterConstant, JumpUnlessGreaterEqualConstant,
    JumpUnlessEqualConstant, JumpUnlessUnequalConstant,
    List, Record, Lambda, Index, Field, Call, Builtin, Effect, Return,
    Query,
}

/// One instruction: eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The opcode.
    pub operation: Operation,
    /// See the table above.
    pub a: u8,
    /// See the table above.
    pub b: u8,
    /// See the table above.
    pub c: u8,
    /// See the table above.
    pub number: u32,
}

const _: () = assert!(size_of::<Instruction>() == 8);

/// One lambda, body or statement.
#[derive(Clone, Debug)]
pub struct Function {
    /// The variable it was first assigned to, the text of which it was made, or empty.
    pub name: String,
    /// Its instructions.
    pub code: Vec<Instruction>,
    /// The span of each instruction in the source.
    pub spans: Vec<Span>,
    /// The number of parameters, which lie in the first registers.
    pub parameters: u8,
    /// The number of captured values, which lie behind the parameters.
    pub captured: u8,
    /// The number of registers it uses.
    pub registers: u8,
    /// Whether it can have an effect: call a `!` function or set a variable.
    pub is_effectful: bool,
    /// The variables it reads itself, in order, without those of the lambdas it calls.
    pub reads: Vec<u32>,
    /// Whether its results are to be memoised.
    pub caching: Caching,
    /// Its place in the source.
    pub span: Span,
    /// The results of static analysis.
    pub facts: Facts,
    /// A number for its place in the program: the variable that its statement sets, and the lambdas around it. It stays the
    /// same when its text is edited; 0 if it is not known.
    pub place: u64,
}

/// A part of a source that was taken from another file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Where the part begins in the source.
    pub start: u32,
    /// The path of the file.
    pub path: String,
    /// Where the part begins in the file.
    pub place: Place,
}

/// A place of a program, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcePlace<'a> {
    /// The path of the file, if it is not the program's own.
    pub path: Option<&'a str>,
    /// Line and column, counted from one; the column counts bytes. Zeros if they are not known.
    pub place: Place,
}

/// A compiled source.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// All functions.
    pub functions: Vec<Function>,
    /// All constants.
    pub constants: Vec<Value>,
    /// The texts of all strings and names in it.
    pub strings: StringTable,
    /// The variables of its environment, by number. New ones come behind.
    pub variables: Vec<String>,
    /// The functions of its statements, in order.
    pub statements: Vec<u32>,
    /// The start of each line of its source, for messages without the source.
    pub lines: Vec<u32>,
    /// The parts of its source that come from other files, by their starts. What lies before the first is its own file.
    pub origins: Vec<Origin>,
    /// The queries of the world that it was compiled for, by number.
    pub queries: &'static [Query],
    /// The parts of its fields' lists and records, and of the initial values of its variables.
    pub shared: Vec<Value>,
    /// The fields that were baked in: their names and values. The last constants are the same, in the same order.
    pub(crate) fields: Vec<(StringId, Value)>,
    /// The initial values of variables, by number.
    pub(crate) initial: Vec<(u32, Value)>,
    /// The places of all names, sorted by their ids.
    pub(crate) places: Vec<(StringId, u32)>,
    /// The variable `~this`, if its scripts use it.
    pub(crate) this: Option<u32>,
    /// The numbers of the first variables by name.
    pub(crate) numbers: BTreeMap<String, u32>,
    /// The number of these variables.
    pub(crate) numbered: usize,
    /// The variables that may hold a formula: reading one evaluates it. Used by the compiler only.
    pub(crate) formulas: Vec<u32>,
    /// The ids of the variables' names, by number.
    pub(crate) names: Vec<StringId>,
    /// The variable of timers, handlers and callbacks, if its scripts have effects.
    pub(crate) waiting: Option<u32>,
    /// The variable `~sender`, if its scripts use it.
    pub(crate) sender: Option<u32>,
    /// The places of message handlers, sorted by the ids of the messages.
    pub(crate) handlers: Vec<(StringId, u32)>,
    /// The number of functions in its body table before its own.
    pub(crate) first: u32,
    /// The number of functions in its body table.
    pub(crate) all: u32,
    /// The stamp of its body table.
    pub(crate) stamp: u64,
}

impl Program {
    /// The kernel of a function, if it was specialised.
    #[inline]
    pub(crate) fn kernel(&self, function: u32) -> Option<&Kernel> {
        self.functions.get(function as usize)?.facts.kernel.as_ref()
    }

    /// The line, counted from one, in which a byte of its source lies in its file; 0 if that is not known.
    pub fn line(&self, byte: u32) -> u32 {
        self.place(byte).place.line
    }

    /// The file, the line and the column of a byte of its source.
    pub fn place(&self, byte: u32) -> SourcePlace<'_> {
        let place = self.composed_place(byte);
        let next = self.origins.partition_point(|origin| origin.start <= byte);
        let Some(origin) = next.checked_sub(1).map(|index| &self.origins[index]) else {
            return SourcePlace { path: None, place };
        };
        let first = self.composed_place(origin.start);
        let line = place.line - first.line + origin.place.line;
        // Only the first line of the part has other text before it.
        let column = match place.line == first.line {
            true => place.column - first.column + origin.place.column,
            false => place.column,
        };
        SourcePlace { path: Some(&origin.path), place: Place { line, column } }
    }

    /// The line and column of a byte in the source that was compiled.
    fn composed_place(&self, byte: u32) -> Place {
        let line = self.lines.partition_point(|start| *start <= byte) as u32;
        let start = self.lines.get((line as usize).saturating_sub(1)).copied().unwrap_or_default();
        Place { line, column: if line > 0 { byte - start + 1 } else { 0 } }
    }

    /// The span of an instruction; empty if there is none.
    pub fn span_of(&self, function: u32, instruction: u32) -> Span {
        let function = self.functions.get(function as usize);
        function.and_then(|function| function.spans.get(instruction as usize)).copied().unwrap_or_default()
    }

    /// The value of a field that was baked in. Its parts are in [`Program::parts`].
    pub fn baked(&self, name: StringId) -> Option<Value> {
        self.field_at(self.named(name)?)
    }

    /// The elements of a list, or the names and values of a record, that it shares among its objects.
    pub fn parts(&self, value: Value) -> &[Value] {
        let elements = value.parts().filter(|_| value.is_shared());
        elements.map_or(&[], |elements| parts_in(&self.shared, elements))
    }

    /// Whether a variable or a field of its objects handles messages of this name: `OnHit` handles "Hit" and "hit".
    /// Handlers that objects install are in their rows, and `OnMessage` handles only "Message".
    pub fn has_handler(&self, message: StringId) -> bool {
        let place = self.handler(message);
        place.is_some_and(|place| self.field_at(place).is_none_or(|field| field.as_lambda().is_some()))
    }

    /// The variable `~this`, if it has one; it holds the handle of the object.
    pub fn this(&self) -> Option<u32> {
        self.this
    }

    /// The variable `~sender`, if it has one.
    pub fn sender(&self) -> Option<u32> {
        self.sender
    }

    /// Numbers the places of the functions that the statements make.
    pub(crate) fn number_places(&mut self) {
        let mut open: Vec<(u32, u64)> = Vec::new();
        let mut met: BTreeMap<u64, u64> = BTreeMap::new();
        for statement in &self.statements {
            let Some(function) = self.functions.get(*statement as usize) else { continue };
            let set = function.code.iter().rev().find(|instruction| instruction.operation == Operation::SetVariable);
            let name = set.and_then(|set| self.variables.get(set.number as usize)).map_or("", String::as_str);
            let name = StringId::new(name).number();
            // Statements that set the same variable are told apart by their order.
            let number = met.entry(name).or_insert(0);
            *number += 1;
            open.push((*statement, mix(name, *number)));
        }
        let mut is_met = alloc::vec![false; self.functions.len()];
        while let Some((number, place)) = open.pop() {
            // A program from a file may make a function in several places: the first counts.
            if is_met.get(number as usize) != Some(&false) {
                continue;
            }
            is_met[number as usize] = true;
            let function = &mut self.functions[number as usize];
            function.place = place.max(1);
            let made = function.code.iter().filter(|instruction| instruction.operation == Operation::Lambda);
            open.extend(made.zip(1..).map(|(made, index)| (made.number, mix(place, index))));
        }
    }

    /// The place of the handler of a message.
    pub(crate) fn handler(&self, message: StringId) -> Option<u32> {
        found(&self.handlers, message)
    }

    /// The variable whose handle a lambda without captured values follows, if that is known. A hint for prefetching.
    pub fn followed_variable(&self, lambda: Value) -> Option<u32> {
        self.kernel(lambda.as_function()?)?.followed_variable()
    }

    /// The place of a name.
    #[inline]
    pub(crate) fn named(&self, name: StringId) -> Option<u32> {
        found(&self.places, name)
    }

    /// The value of the field at a place. None if a variable is there.
    #[inline]
    pub(crate) fn field_at(&self, place: u32) -> Option<Value> {
        let number = (place as usize).checked_sub(self.names.len())?;
        self.fields.get(number).map(|(_, value)| *value)
    }

    /// The field that a constant was before it was baked, if it was one.
    pub(crate) fn field_of(&self, constant: u32) -> Option<StringId> {
        let first = self.constants.len().checked_sub(self.fields.len())?;
        let number = (constant as usize).checked_sub(first)?;
        self.fields.get(number).map(|(name, _)| *name)
    }

    /// The number of the variable whose name has this id.
    pub fn variable_of(&self, name: StringId) -> Option<u32> {
        self.named(name).filter(|place| (*place as usize) < self.variables.len())
    }

    /// The number of a variable; of several with one name, the first's.
    pub fn variable(&self, name: &str) -> Option<u32> {
        let is_it = |number: &usize| self.variables.get(*number).is_some_and(|variable| variable == name);
        let numbered = self.numbers.get(name).map(|number| *number as usize).filter(is_it);
        let found = numbered.or_else(|| (self.numbered..self.variables.len()).find(is_it));
        found.map(|number| number as u32)
    }

    /// Adds a variable if there is none of this name.
    pub(crate) fn add_variable(&mut self, name: &str) {
        self.number_variables();
        if self.variable(name).is_none() {
            self.variables.push(String::from(name));
            self.number_variables();
        }
    }

    /// Updates the numbers after variables were added or removed.
    pub(crate) fn number_variables(&mut self) {
        if self.numbered > self.variables.len() {
            self.numbers.clear();
            self.numbered = 0;
        }
        for number in self.numbered..self.variables.len() {
            self.numbers.entry(self.variables[number].clone()).or_insert(number as u32);
        }
        self.numbered = self.variables.len();
    }
}

/// Whether the result of a call is the result of its function: only jumps lie between it and a `Return` of its register.
pub(crate) fn is_tail(code: &[Instruction], at: usize) -> bool {
    let Some(call) = code.get(at) else { return false };
    let mut next = at + 1;
    for _ in 0..TAIL_JUMPS_MAX {
        match code.get(next).copied() {
            Some(Instruction { operation: Operation::Jump, number, .. }) => next = number as usize,
            Some(Instruction { operation: Operation::Return, a, .. }) => return a == call.a,
            _ => return false,
        }
    }
    false
}

/// The place of a name; of several, the first's.
#[inline]
fn found(places: &[(StringId, u32)], name: StringId) -> Option<u32> {
    let (known, place) = places.get(places.partition_point(|(known, _)| *known < name))?;
    (*known == name).then_some(*place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn variables_are_found_whether_they_are_numbered_or_not() {
        let named = |name: &str| String::from(name);
        let variables = vec![named("a"), named("b"), named("a")];
        let mut program = Program { variables, ..Program::default() };
        let found = |program: &Program| ["a", "b", "c", "d"].map(|name| program.variable(name));
        assert_eq!(found(&program), [Some(0), Some(1), None, None]);
        program.number_variables();
        assert_eq!(found(&program), [Some(0), Some(1), None, None]);
        program.variables.push(named("c"));
        assert_eq!(found(&program), [Some(0), Some(1), Some(3), None]);
        program.add_variable("d");
        program.add_variable("b");
        assert_eq!(found(&program), [Some(0), Some(1), Some(3), Some(4)]);
        program.variables.truncate(1);
        assert_eq!(found(&program), [Some(0), None, None, None]);
        program.add_variable("d");
        assert_eq!(found(&program), [Some(0), None, None, Some(1)]);
    }
}
