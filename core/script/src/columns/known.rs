//! What is known of registers before anything runs.

use alloc::vec::Vec;

use super::COLUMNS;
use super::step::Check;
use crate::value::{Kind, Value};

/// What is known of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// Not written, of different kinds on different ways, or with parts.
    Unknown,
    Is(Kind),
    /// A lambda that carries nothing.
    Lambda(u32),
    /// A lambda that carries what lies in these columns.
    Carrying {
        function: u32,
        first: u8,
        count: u8,
    },
    /// A list or a record of a field.
    Shared(Value),
}

impl Held {
    pub fn of(example: Value) -> Held {
        match (example.kind(), example.as_lambda()) {
            (_, Some((function, carried))) if carried.count == 0 => Held::Lambda(function),
            (Kind::List | Kind::Record, _) if example.is_shared() => Held::Shared(example),
            (Kind::Lambda | Kind::List | Kind::Record, _) => Held::Unknown,
            (kind, _) => Held::Is(kind),
        }
    }

    /// What a value must be like for this to be known of it.
    pub fn check(self, example: Value) -> Option<Check> {
        match self {
            Held::Unknown | Held::Carrying { .. } => None,
            Held::Is(kind) => Some(Check::kind(kind)),
            Held::Lambda(_) | Held::Shared(_) => Some(Check::exactly(example)),
        }
    }
}

/// What is known of all registers, and of variables.
#[derive(Clone)]
pub(super) struct State {
    held: Vec<Held>,
    /// The variables that were found to be exactly as in the example. They stay so: nothing sets any.
    expected: Vec<u32>,
    /// Whether a lambda carries something.
    is_carrying: bool,
}

impl State {
    pub fn new() -> State {
        State { held: alloc::vec![Held::Unknown; COLUMNS], expected: Vec::new(), is_carrying: false }
    }

    pub fn get(&self, column: u8) -> Held {
        self.held.get(usize::from(column)).copied().unwrap_or(Held::Unknown)
    }

    pub fn set(&mut self, column: u8, held: Held) {
        if self.is_carrying {
            // What a lambda carries is what was there when it was made.
            for other in &mut self.held {
                if let Held::Carrying { first, count, .. } = *other
                    && (first..first.saturating_add(count)).contains(&column)
                {
                    *other = Held::Unknown;
                }
            }
        }
        self.is_carrying |= matches!(held, Held::Carrying { .. });
        if let Some(place) = self.held.get_mut(usize::from(column)) {
            *place = held;
        }
    }

    pub fn forget_from(&mut self, column: u8) {
        self.held.iter_mut().skip(usize::from(column)).for_each(|held| *held = Held::Unknown);
    }

    pub fn join(&mut self, other: &State) {
        let pairs = self.held.iter_mut().zip(&other.held).filter(|(held, other)| held != other);
        pairs.for_each(|(held, _)| *held = Held::Unknown);
        self.is_carrying |= other.is_carrying;
        self.expected.retain(|variable| other.expected.contains(variable));
    }

    /// Whether a variable is expected for the first time.
    pub fn expect(&mut self, variable: u32) -> bool {
        let is_first = !self.expected.contains(&variable);
        if is_first {
            self.expected.push(variable);
        }
        is_first
    }
}
