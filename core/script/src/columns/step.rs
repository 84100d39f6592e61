//! What a plan is made of.

use base::StringId;

use super::COLUMNS;
pub(super) use crate::kernel::{Check, is_wide};
use crate::value::Value;

/// One step: a loop over columns, or a jump.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub work: Work,
    /// The column it writes, if it writes one.
    pub to: u8,
    /// The columns it reads.
    pub from: [u8; 3],
    pub reads: u8,
    pub is_writing: bool,
    /// Whether the column it writes may hold what waiting lanes still need.
    pub is_blended: bool,
}

/// What a step does. Slots are where lanes wait.
#[derive(Clone, Copy, Debug)]
pub(super) enum Work {
    /// Those that wait here go on.
    Land(u16),
    Jump(u16),
    JumpUnless(u16),
    JumpUnlessNumbers(Comparison, u16),
    JumpUnlessConstant(Comparison, f64, u16),
    /// No lane that comes here is done.
    Fail,
    Fill(u64),
    FillWide(u64, u32),
    Move,
    /// With what else vectors and handles have.
    MoveWide,
    Variable(u32, Check),
    /// Another object's variable or field of this name.
    Look(StringId, Check),
    /// Whether another object is still there.
    Living,
    /// The variable must be exactly this.
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
    /// A part of a vector: 0, 1 or 2.
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

impl Step {
    /// A step that writes `to` and reads some columns.
    pub fn new(work: Work, to: u8, from: &[u8]) -> Step {
        Step { is_writing: true, to, ..Step::control(work, from) }
    }

    /// A step that writes nothing.
    pub fn control(work: Work, from: &[u8]) -> Step {
        let mut columns = [0; 3];
        columns.iter_mut().zip(from).for_each(|(column, from)| *column = *from);
        let reads = from.len().min(3) as u8;
        Step { work, to: 0, from: columns, reads, is_writing: false, is_blended: false }
    }

    /// The slot it jumps to.
    pub fn jump(&self) -> Option<u16> {
        match self.work {
            Work::Jump(slot)
            | Work::JumpUnless(slot)
            | Work::JumpUnlessNumbers(_, slot)
            | Work::JumpUnlessConstant(_, _, slot) => Some(slot),
            _ => None,
        }
    }

    /// Whether control never comes to the next step from it.
    pub fn is_end(&self) -> bool {
        matches!(self.work, Work::Jump(_) | Work::Fail)
    }
}

/// A set of columns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Columns([u64; COLUMNS.div_ceil(64)]);

impl Columns {
    pub fn contains(&self, column: u8) -> bool {
        self.0[usize::from(column >> 6)] >> (column & 63) & 1 != 0
    }

    pub fn insert(&mut self, column: u8) {
        self.0[usize::from(column >> 6)] |= 1 << (column & 63);
    }

    pub fn remove(&mut self, column: u8) {
        self.0[usize::from(column >> 6)] &= !(1 << (column & 63));
    }

    pub fn extend(&mut self, other: &Columns) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
    }
}
