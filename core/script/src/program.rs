//! What a source is compiled to: functions of a register machine.
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
//! | `List`, `Record` | to | first | how many | |
//! | `Lambda` | to | first carried | how many | function |
//! | `Index` | to | list | index | |
//! | `Field` | to | record | | constant: the name |
//! | `Call` | to | the lambda; arguments follow it | how many | |
//! | `Builtin` | to | first argument | how many | built-in |
//! | `Effect` | to | first argument | how many | constant: the name |
//! | `Return` | from | | | |
//!
//! Laws (the compiler keeps them; [`Program::verify`] checks them)
//! 1. Every register is below the function's `registers`, every other number names something there is.
//! 2. Jumps go forward: a function ends after at most as many instructions as it has.
//! 3. A function's last instruction is `Return`.

use alloc::string::String;
use alloc::vec::Vec;

use base::StringId;
use base::string_id::StringTable;

use crate::facts::Facts;
use crate::source::Span;
use crate::tree::Caching;
use crate::value::Value;

/// Registers of one function, at most.
pub const REGISTERS_MAX: usize = 250;

/// The name of the variable that holds what an object waits for: no source can write it.
pub const WAITING: &str = "~waiting";

/// What an instruction does. See the table above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[rustfmt::skip]
#[expect(missing_docs, reason = "the table above says what they do")]
pub enum Operation {
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
}

/// One instruction: eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// What it does.
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
    /// The variable it was first given to, or empty.
    pub name: String,
    /// What it does.
    pub code: Vec<Instruction>,
    /// Where in the source each instruction comes from.
    pub spans: Vec<Span>,
    /// How many parameters it takes. They lie in the first registers.
    pub parameters: u8,
    /// How many values it carries. They lie behind the parameters.
    pub carried: u8,
    /// How many registers it uses.
    pub registers: u8,
    /// Whether it can do something: call a `!` function or set a variable.
    pub is_effectful: bool,
    /// The variables it reads itself, in order. What the lambdas it calls read is theirs.
    pub reads: Vec<u32>,
    /// Whether its results are to be kept.
    pub caching: Caching,
    /// Where it stands.
    pub span: Span,
    /// What follows from its code.
    pub facts: Facts,
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
    /// The variables of its environment, by number.
    pub variables: Vec<String>,
    /// The functions of its statements, in order.
    pub statements: Vec<u32>,
    /// The ids of the variables' names.
    pub(crate) names: Vec<StringId>,
    /// The variable that holds what the object waits for, if its scripts can wait.
    pub(crate) waiting: Option<u32>,
    /// The variable `~sender`, if its scripts ask who sent a message.
    pub(crate) sender: Option<u32>,
    /// The variables that handle messages, by the messages' names.
    pub(crate) handlers: Vec<(StringId, u32)>,
    /// How many functions were added to the same bodies before its own.
    pub(crate) first: u32,
    /// How many functions were added to the same bodies.
    pub(crate) all: u32,
    /// The bodies its functions' facts speak of.
    pub(crate) stamp: u64,
}

impl Program {
    /// The number of a variable.
    pub fn variable(&self, name: &str) -> Option<u32> {
        self.variables.iter().position(|variable| variable == name).map(|index| index as u32)
    }

    /// Whether the laws above hold for a machine with so many built-ins; if not, which function and instruction breaks them.
    pub fn verify(&self, builtins: usize) -> Result<(), (usize, usize)> {
        for (number, function) in self.functions.iter().enumerate() {
            let inputs = usize::from(function.parameters) + usize::from(function.carried);
            let is_sound = inputs <= usize::from(function.registers)
                && usize::from(function.registers) <= REGISTERS_MAX
                && function.spans.len() == function.code.len()
                && function.code.last().is_some_and(|last| last.operation == Operation::Return);
            if !is_sound {
                return Err((number, 0));
            }
            let wrong = (0..function.code.len()).find(|at| !self.is_sound(function, *at, builtins));
            if let Some(at) = wrong {
                return Err((number, at));
            }
        }
        let is_known = |statement: &u32| (*statement as usize) < self.functions.len();
        if self.statements.iter().all(is_known) { Ok(()) } else { Err((self.functions.len(), 0)) }
    }

    fn is_sound(&self, function: &Function, at: usize, builtins: usize) -> bool {
        use Operation::*;
        let Instruction { operation, a, b, c, number } = function.code[at];
        let register = |register: u8| register < function.registers;
        let row = |first: u8, count: u8| u16::from(first) + u16::from(count) <= u16::from(function.registers);
        let constant = || (number as usize) < self.constants.len();
        let jump = || number as usize > at && (number as usize) < function.code.len();
        match operation {
            Move | Negate | Not => register(a) && register(b),
            Constant => register(a) && constant(),
            Variable | SetVariable => register(a) && (number as usize) < self.variables.len(),
            Add | Subtract | Multiply | Divide | Remainder | Equal | Unequal | Less | Greater | LessEqual
            | GreaterEqual | Index => register(a) && register(b) && register(c),
            AddConstant | SubtractConstant | MultiplyConstant | DivideConstant | Field => {
                register(a) && register(b) && constant()
            }
            Jump => jump(),
            JumpUnless => register(a) && jump(),
            JumpUnlessLess
            | JumpUnlessLessEqual
            | JumpUnlessGreater
            | JumpUnlessGreaterEqual
            | JumpUnlessEqual
            | JumpUnlessUnequal => register(b) && register(c) && jump(),
            JumpUnlessLessConstant
            | JumpUnlessLessEqualConstant
            | JumpUnlessGreaterConstant
            | JumpUnlessGreaterEqualConstant
            | JumpUnlessEqualConstant
            | JumpUnlessUnequalConstant => register(b) && usize::from(c) < self.constants.len() && jump(),
            List => register(a) && row(b, c),
            Record => register(a) && row(b, c) && c.is_multiple_of(2),
            Lambda => {
                let made = self.functions.get(number as usize);
                register(a) && row(b, c) && made.is_some_and(|made| made.carried == c)
            }
            Call => register(a) && register(b) && row(b + 1, c),
            Builtin => register(a) && row(b, c) && (number as usize) < builtins,
            Effect => register(a) && row(b, c) && constant(),
            Return => register(a),
        }
    }
}
