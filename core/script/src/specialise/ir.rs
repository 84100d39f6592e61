//! The intermediate representation of the specialiser: typed steps over numbered registers, with labels.

use alloc::vec::Vec;

use base::StringId;

use crate::kernel::{Guard, GuardedArgument, VariableRegister};
use crate::value::{Kind, Value};

/// The most steps of one function.
pub(super) const STEPS_MAX: usize = 512;
/// The most instructions that are inlined into one function: not every one becomes a step.
pub(super) const INLINED_INSTRUCTIONS_MAX: u64 = 2048;
/// The most registers of one function.
pub(super) const REGISTERS_MAX: usize = 248;
/// The most variables that one function sets.
pub(super) const SETS_MAX: usize = 16;
/// The most elements of all lists that one function makes: each has a register of its own, which is written once.
pub(super) const ELEMENTS_MAX: usize = 32;
/// The first register of the elements of lists; those of the variables that are set lie behind them.
pub(super) const ELEMENTS_START: usize = REGISTERS_MAX - SETS_MAX - ELEMENTS_MAX;
/// The register behind all others: an operand of the next step.
pub(super) const TEMPORARY: u8 = REGISTERS_MAX as u8;
/// The register of a result that comes from several paths.
pub(super) const RESULT: u8 = TEMPORARY + 1;
/// The total number of registers.
pub(super) const REGISTER_COUNT: usize = RESULT as usize + 1;

/// A function with all its calls inlined, in typed steps.
#[derive(Clone, Debug)]
pub(super) struct InlinedFunction {
    pub steps: Vec<IrStep>,
    pub arguments: Vec<GuardedArgument>,
    pub parameters: u8,
    pub captured: u8,
    /// The kind of its result.
    pub result: Kind,
    /// The register that holds the result at the end.
    pub result_register: u8,
    /// The most fuel that a run can need in the virtual machine.
    pub fuel: u64,
    /// Whether every path needs the same fuel.
    pub has_constant_fuel: bool,
    pub depth: u32,
    /// The most values in the lists and lambdas that are made on any path.
    pub values_max: u32,
    /// The most values of a list that a built-in makes.
    pub building_max: u32,
    /// The variables it sets.
    pub sets: Vec<VariableRegister>,
    /// How often it can set a variable, at most: the virtual machine counts every time.
    pub sets_made: u32,
}

/// One step.
#[derive(Clone, Copy, Debug)]
pub(super) struct IrStep {
    pub operation: IrOperation,
    /// The register it writes, if it writes one.
    pub to: u8,
    /// The registers it reads.
    pub from: [u8; 3],
    /// The number of registers it reads.
    pub reads: u8,
    pub is_writing: bool,
}

/// What a step does. Jumps name labels.
#[derive(Clone, Copy, Debug)]
pub(super) enum IrOperation {
    /// The target of the jumps to this label.
    Label(u16),
    Jump(u16),
    JumpUnless(u16),
    JumpUnlessNumbers(Comparison, u16),
    JumpUnlessConstant(Comparison, f64, u16),
    /// Bails out: there is no step for this case.
    Fail,
    Fill(u64),
    FillWide(u64, u32),
    Move,
    /// Of a vector or a handle, which have more than one word.
    MoveWide,
    Variable(u32, Guard),
    /// The variable or field of this name of another object.
    RemoteRead(StringId, Guard),
    /// Whether another object is alive.
    IsLiving,
    /// Bails out unless the variable is exactly this value.
    Expect(u32, Value),
    Numbers(Arithmetic),
    Constant(Arithmetic, f64),
    CompareNumbers(Comparison),
    CompareIdentifiers(Comparison),
    SameBits {
        is_negated: bool,
    },
    SameHandles {
        is_negated: bool,
    },
    SameVectors {
        is_negated: bool,
    },
    Negate,
    NegateIdentifier,
    NegateVector,
    Not,
    AddIdentifiers,
    SubtractIdentifiers,
    AddVectors,
    SubtractVectors,
    /// A vector by a number.
    Scale,
    Shrink,
    /// A component of a vector: 0, 1 or 2.
    Part(u8),
    Unary(fn(f64) -> f64),
    Binary(fn(f64, f64) -> f64),
    Absolute,
    Clamp,
    Lerp,
    Vector,
    Dot,
    Cross,
    Length,
    Distance,
    Normal,
    NumberOfIdentifier,
    IdentifierOfNumber,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Min,
    Max,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    Unequal,
}

impl IrStep {
    /// A step that writes `to` and reads some registers.
    pub fn new(operation: IrOperation, to: u8, from: &[u8]) -> IrStep {
        IrStep { is_writing: true, to, ..IrStep::control(operation, from) }
    }

    /// A step that writes nothing.
    pub fn control(operation: IrOperation, from: &[u8]) -> IrStep {
        assert!(from.len() <= 3, "no step reads more than three registers");
        let mut registers = [0; 3];
        registers.iter_mut().zip(from).for_each(|(register, from)| *register = *from);
        IrStep { operation, to: 0, from: registers, reads: from.len() as u8, is_writing: false }
    }
}
