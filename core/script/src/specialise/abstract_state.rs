//! The state of the abstract interpreter: what is known of each register before the function runs.

use alloc::vec::Vec;

use super::ir::{ELEMENTS_MAX, ELEMENTS_START, REGISTER_COUNT};
use crate::kernel::Guard;
use crate::value::{Kind, Value};

/// What is known of the value in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AbstractValue {
    /// Not written, of different kinds on different paths, or with parts.
    Unknown,
    /// A value of this kind.
    Is(Kind),
    /// A lambda that captures nothing.
    Lambda(u32),
    /// A lambda that captures the values of these registers.
    Capturing { function: u32, first: u8, count: u8 },
    /// A list or a record that the program shares among its objects.
    Shared(Value),
    /// A list whose elements lie in these registers, which nothing else writes.
    Listed { first: u8, count: u8 },
    /// The list of the numbers below this one.
    Range(u8),
}

impl AbstractValue {
    pub fn of(example: Value) -> AbstractValue {
        match (example.kind(), example.as_lambda()) {
            (_, Some((function, captured))) if captured.count == 0 => AbstractValue::Lambda(function),
            (Kind::List | Kind::Record, _) if example.is_shared() => AbstractValue::Shared(example),
            (Kind::Lambda | Kind::List | Kind::Record, _) => AbstractValue::Unknown,
            (kind, _) => AbstractValue::Is(kind),
        }
    }

    /// The guard under which this is known of a value.
    pub fn guard(self, example: Value) -> Option<Guard> {
        match self {
            AbstractValue::Unknown
            | AbstractValue::Capturing { .. }
            | AbstractValue::Listed { .. }
            | AbstractValue::Range(_) => None,
            AbstractValue::Is(kind) => Some(Guard::kind(kind)),
            AbstractValue::Lambda(_) | AbstractValue::Shared(_) => Some(Guard::exactly(example)),
        }
    }
}

/// What is known of all registers and variables at one point of the function.
#[derive(Clone)]
pub(super) struct AbstractState {
    held: Vec<AbstractValue>,
    /// The variables that a guard has already compared with the example.
    expected: Vec<u32>,
    /// Whether any register holds a lambda that captures something.
    is_capturing: bool,
}

impl AbstractState {
    pub fn new() -> AbstractState {
        AbstractState {
            held: alloc::vec![AbstractValue::Unknown; REGISTER_COUNT],
            expected: Vec::new(),
            is_capturing: false,
        }
    }

    pub fn get(&self, register: u8) -> AbstractValue {
        self.held.get(usize::from(register)).copied().unwrap_or(AbstractValue::Unknown)
    }

    pub fn set(&mut self, register: u8, held: AbstractValue) {
        if self.is_capturing {
            // A lambda captures by value, so its registers may not change between its creation and its call.
            for other in &mut self.held {
                if let AbstractValue::Capturing { first, count, .. } = *other
                    && (first..first.saturating_add(count)).contains(&register)
                {
                    *other = AbstractValue::Unknown;
                }
            }
        }
        self.is_capturing |= matches!(held, AbstractValue::Capturing { .. });
        if let Some(place) = self.held.get_mut(usize::from(register)) {
            *place = held;
        }
    }

    /// Forgets the registers of a call, which begin with this one. Elements of lists lie outside all calls.
    pub fn forget_from(&mut self, register: u8) {
        let registers = self.held.iter_mut().enumerate().skip(usize::from(register));
        registers
            .filter(|(register, _)| !(ELEMENTS_START..ELEMENTS_START + ELEMENTS_MAX).contains(register))
            .for_each(|(_, held)| *held = AbstractValue::Unknown);
    }

    /// Joins the state of another path: what differs becomes unknown.
    pub fn join(&mut self, other: &AbstractState) {
        let pairs = self.held.iter_mut().zip(&other.held).filter(|(held, other)| held != other);
        pairs.for_each(|(held, _)| *held = AbstractValue::Unknown);
        self.is_capturing |= other.is_capturing;
        self.expected.retain(|variable| other.expected.contains(variable));
    }

    /// Notes that a variable is guarded. Whether this is the first time.
    pub fn expect(&mut self, variable: u32) -> bool {
        let is_first = !self.expected.contains(&variable);
        if is_first {
            self.expected.push(variable);
        }
        is_first
    }
}
