//! The fast way through functions whose kinds are known before they run.
//!
//! A *kernel* is a function for one object at a time, with the calls of lambdas put in place. Its registers are bare words:
//! kinds were settled when it was made (see [`columns`](crate::columns), which does the same for 64 objects at once), so the
//! loop asks no value for its kind and writes none. Variables that it sets are words too, read at the beginning and written
//! at the end. Unlike columns it sees other objects, as they were when the cycle began: of what they have it expects the kind that
//! its own object has under the same name.
//!
//! Laws
//! 1. A kernel gives a result only if the machine would give the same, with the same sets and no complaint, within its
//!    limits. Otherwise it gives none, nothing has happened, and the machine begins from the start.
//! 2. A kernel is made when content is loaded, from an example. Running one takes nothing from the heap.

use alloc::boxed::Box;
use alloc::vec::Vec;

use base::number::{self, double};
use base::{StringId, Vec3};

use crate::value::{Kind, Value};

/// How to evaluate one function for one object.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(crate) steps: Vec<Step>,
    /// What must be known of its arguments, and of what it carries. They lie in the first registers.
    pub(crate) arguments: Vec<Argument>,
    /// How many arguments it takes.
    pub(crate) parameters: u8,
    /// How many values it carries.
    pub(crate) carried: u8,
    /// Whether it takes and carries nothing but numbers.
    pub(crate) takes_numbers: bool,
    pub(crate) sets: Vec<Set>,
    /// How often it can set a variable, at most.
    pub(crate) sets_made: u32,
    pub(crate) checks: Vec<(u32, Check)>,
    pub(crate) result: Kind,
    /// The most fuel it can need.
    pub(crate) fuel: u64,
    /// Whether it always needs that much.
    pub(crate) is_steady: bool,
    /// How deep its calls are.
    pub(crate) depth: u32,
    /// The most values that lambdas carry on any way through it.
    pub(crate) values: u32,
    /// What is asked of other objects.
    pub(crate) looks: Vec<(StringId, Check)>,
    /// Whether anything is.
    pub(crate) is_looking: bool,
    /// Another, to be tried if this one gives none.
    pub(crate) other: Option<Box<Kernel>>,
}

/// How a kernel sees other objects.
pub(crate) trait Sight {
    /// A variable or a field of an object as it was when the cycle began; none if it is gone, has none, or is the object itself.
    fn look(&self, object: Value, name: StringId) -> Option<Value>;

    /// Whether an object is still there.
    fn is_living(&self, object: Value) -> bool;
}

/// An argument that is read, and what it must be like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Argument {
    pub number: u8,
    pub check: Check,
}

/// A variable that is set, and the column it lies in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Set {
    pub variable: u32,
    pub column: u8,
    pub check: Check,
    pub kind: Kind,
}

/// What the words of a value must be, so that it can lie in a column of its kind and come back with the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Check {
    tag: u64,
    tag_mask: u64,
    bits: u64,
    bits_mask: u64,
    /// Whether it has more than its bits.
    pub is_wide: bool,
}

impl Check {
    /// For a kind without parts.
    pub fn kind(kind: Kind) -> Check {
        let bits_mask = match kind {
            Kind::Nothing => u64::MAX,
            Kind::Truth => !1,
            Kind::Identifier => !u64::from(u32::MAX),
            _ => 0,
        };
        let is_wide = is_wide(kind);
        let tag_mask = if is_wide { u32::MAX.into() } else { u64::MAX };
        Check { tag: kind as u64, tag_mask, bits: 0, bits_mask, is_wide }
    }

    /// For exactly one value.
    pub fn exactly(value: Value) -> Check {
        let (bits, tag) = value.words();
        Check { tag, tag_mask: u64::MAX, bits, bits_mask: u64::MAX, is_wide: false }
    }

    /// Whether the words are so.
    #[inline]
    pub fn holds(&self, bits: u64, tag: u64) -> bool {
        self.difference(bits, tag) == 0
    }

    /// Zero if the words are so.
    #[inline]
    pub fn difference(&self, bits: u64, tag: u64) -> u64 {
        (tag & self.tag_mask ^ self.tag) | (bits & self.bits_mask ^ self.bits)
    }
}

/// Whether values of a kind have more than their bits.
pub(crate) fn is_wide(kind: Kind) -> bool {
    matches!(kind, Kind::Vector | Kind::Handle)
}

/// The registers of a kernel: as many as a byte can name.
pub(crate) struct Registers {
    words: [u64; 256],
    /// What vectors and handles have beyond their word.
    extras: [u32; 256],
}

/// One step. Registers are named by bytes; constants are in the steps.
#[derive(Clone, Copy, Debug)]
#[rustfmt::skip]
pub(crate) enum Step {
    Fail,
    Return { from: u8 },
    Move { to: u8, from: u8 },
    Constant { to: u8, bits: u64 },
    /// A constant of more than a word.
    ConstantWide { to: u8, extra: u32, bits: u64 },
    /// A variable that must be a number.
    Number { to: u8, variable: u32 },
    /// A variable that must be a vector or a handle, as its kind says.
    Wide { to: u8, kind: u8, variable: u32 },
    /// A variable, and what it must be like.
    Variable { to: u8, check: u32 },
    /// Another object's variable.
    Look { to: u8, from: u8, look: u32 },
    /// Whether another object is there.
    Living { to: u8, from: u8 },
    /// A variable must be like this.
    Expect { check: u32 },
    Add { to: u8, left: u8, right: u8 },
    Subtract { to: u8, left: u8, right: u8 },
    Multiply { to: u8, left: u8, right: u8 },
    Divide { to: u8, left: u8, right: u8 },
    Remainder { to: u8, left: u8, right: u8 },
    Min { to: u8, left: u8, right: u8 },
    Max { to: u8, left: u8, right: u8 },
    AddConstant { to: u8, left: u8, value: f64 },
    SubtractConstant { to: u8, left: u8, value: f64 },
    /// `value - right`
    SubtractFrom { to: u8, right: u8, value: f64 },
    MultiplyConstant { to: u8, left: u8, value: f64 },
    DivideConstant { to: u8, left: u8, value: f64 },
    MinConstant { to: u8, left: u8, value: f64 },
    MaxConstant { to: u8, left: u8, value: f64 },
    /// Of a constant and a register: equal ones are told apart by which comes first.
    ConstantMin { to: u8, right: u8, value: f64 },
    ConstantMax { to: u8, right: u8, value: f64 },
    LessConstant { to: u8, left: u8, value: f64 },
    LessEqualConstant { to: u8, left: u8, value: f64 },
    GreaterConstant { to: u8, left: u8, value: f64 },
    GreaterEqualConstant { to: u8, left: u8, value: f64 },
    MoveWide { to: u8, from: u8 },
    AddVectors { to: u8, left: u8, right: u8 },
    SubtractVectors { to: u8, left: u8, right: u8 },
    /// A vector by a number.
    ScaleVector { to: u8, left: u8, right: u8 },
    ScaleVectorConstant { to: u8, left: u8, value: f32 },
    Length { to: u8, from: u8 },
    Distance { to: u8, left: u8, right: u8 },
    Normal { to: u8, from: u8 },
    /// `left * factor + value`: rounded twice, as the two it is made of; and so are the next three.
    Scale { to: u8, left: u8, factor: f64, value: f64 },
    /// `left * factor + other`
    ScaleAdd { to: u8, left: u8, other: u8, factor: f64 },
    /// `other - left * factor`
    SubtractScaled { to: u8, left: u8, other: u8, factor: f64 },
    /// `left * right + other`
    MultiplyAdd { to: u8, left: u8, right: u8, other: u8 },
    Clamp { to: u8, value: u8, least: u8, most: u8 },
    ClampConstant { to: u8, value: u8, least: f64, most: f64 },
    Unary { to: u8, from: u8, work: fn(f64) -> f64 },
    Binary { to: u8, left: u8, right: u8, work: fn(f64, f64) -> f64 },
    Jump { target: u32 },
    Unless { truth: u8, target: u32 },
    UnlessLess { left: u8, right: u8, target: u32 },
    UnlessLessEqual { left: u8, right: u8, target: u32 },
    UnlessGreater { left: u8, right: u8, target: u32 },
    UnlessGreaterEqual { left: u8, right: u8, target: u32 },
    UnlessEqual { left: u8, right: u8, target: u32 },
    UnlessUnequal { left: u8, right: u8, target: u32 },
    UnlessLessConstant { left: u8, value: f64, target: u32 },
    UnlessLessEqualConstant { left: u8, value: f64, target: u32 },
    UnlessGreaterConstant { left: u8, value: f64, target: u32 },
    UnlessGreaterEqualConstant { left: u8, value: f64, target: u32 },
    UnlessEqualConstant { left: u8, value: f64, target: u32 },
    UnlessUnequalConstant { left: u8, value: f64, target: u32 },
    /// Anything less common.
    Other { what: Other, to: u8, from: [u8; 3] },
}

const _: () = assert!(size_of::<Step>() == 24);

/// What is less common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[rustfmt::skip]
pub(crate) enum Other {
    Less, LessEqual, Greater, GreaterEqual, Equal, Unequal,
    IdentifierLess, IdentifierLessEqual, IdentifierGreater, IdentifierGreaterEqual,
    SameBits, UnlikeBits, SameWide, UnlikeWide, SameVectors, UnlikeVectors,
    Negate, NegateIdentifier, NegateVector, Not, Absolute, Lerp,
    AddIdentifiers, SubtractIdentifiers, Shrink,
    PartX, PartY, PartZ, Vector, Dot, Cross,
    NumberOfIdentifier, IdentifierOfNumber,
}

impl Kernel {
    /// Evaluates it without its sets. None if something is not as in the example, or the machine would complain. What a
    /// lambda carries lies behind its arguments.
    #[inline(always)]
    pub(crate) fn run(
        &self,
        registers: &mut Registers,
        (arguments, carried): (&[Value], &[Value]),
        variables: &[Value],
        sight: &dyn Sight,
    ) -> Option<Value> {
        let counts = (arguments.len(), carried.len());
        if self.takes_numbers && counts == (self.parameters.into(), self.carried.into()) {
            let inputs = arguments.iter().chain(carried);
            for (word, input) in registers.words.iter_mut().zip(inputs) {
                *word = input.as_number()?.to_bits();
            }
        } else {
            self.load_inputs(registers, arguments, carried)?;
        }
        if !self.sets.is_empty() {
            self.load_sets(registers, variables)?;
        }
        let from = self.run_steps(registers, variables, sight)?;
        Some(registers.value(from, self.result))
    }

    /// The variable whose object is looked at, if one is: the first of them.
    pub(crate) fn looked_at(&self) -> Option<u32> {
        let looks = self.steps.iter().enumerate();
        let variable = looks.filter_map(|(at, step)| match step {
            Step::Look { from, .. } => self.variable_in(*from, &self.steps[..at]),
            _ => None,
        });
        variable.chain(self.other.as_ref().and_then(|other| other.looked_at())).next()
    }

    /// The variable that was read into a register by some of these steps, or lies in it.
    fn variable_in(&self, register: u8, before: &[Step]) -> Option<u32> {
        let read = before.iter().rev().find_map(|step| match step {
            Step::Variable { to, check } if *to == register => Some(self.checks.get(*check as usize)?.0),
            Step::Wide { to, variable, .. } if *to == register => Some(*variable),
            _ => None,
        });
        read.or_else(|| self.sets.iter().find(|set| set.column == register).map(|set| set.variable))
    }

    #[inline(never)]
    fn load_inputs(&self, registers: &mut Registers, arguments: &[Value], carried: &[Value]) -> Option<()> {
        for Argument { number, check } in &self.arguments {
            let value = match number.checked_sub(self.parameters) {
                Some(behind) => carried.get(usize::from(behind)),
                None => arguments.get(usize::from(*number)),
            };
            let (bits, tag) = value.copied().unwrap_or_default().words();
            if !check.holds(bits, tag) {
                return None;
            }
            registers.words[usize::from(*number)] = bits;
            registers.extras[usize::from(*number)] = (tag >> 32) as u32;
        }
        Some(())
    }

    fn load_sets(&self, registers: &mut Registers, variables: &[Value]) -> Option<()> {
        for set in &self.sets {
            let (bits, tag) = variables.get(set.variable as usize)?.words();
            let column = usize::from(set.column);
            registers.words[column] = bits;
            // It is written back whether it was set or not: so it must be as it would be stored.
            if set.kind == Kind::Number {
                if tag != Kind::Number as u64 || !double::is_canonical(f64::from_bits(bits)) {
                    return None;
                }
                continue;
            }
            registers.extras[column] = (tag >> 32) as u32;
            let Vec3 { x, y, z } = registers.vector(set.column);
            let is_canonical = number::is_canonical(x) && number::is_canonical(y) && number::is_canonical(z);
            if !set.check.holds(bits, tag) || set.kind == Kind::Vector && !is_canonical {
                return None;
            }
        }
        Some(())
    }

    /// Puts the sets of the last run into the variables.
    #[inline]
    pub(crate) fn commit(&self, registers: &Registers, variables: &mut [Value]) {
        for set in &self.sets {
            if let Some(variable) = variables.get_mut(set.variable as usize) {
                *variable = if set.kind == Kind::Number {
                    Value::number(double::canonical(f64::from_bits(registers.words[usize::from(set.column)])))
                } else {
                    registers.value(set.column, set.kind).canonical()
                };
            }
        }
    }

    /// Gives the register that holds the result.
    #[inline(never)]
    fn run_steps(&self, registers: &mut Registers, variables: &[Value], sight: &dyn Sight) -> Option<u8> {
        let mut rest = self.steps.iter();
        loop {
            let step = rest.next()?;
            let words = &mut registers.words;
            macro_rules! number {
                ($register:expr) => {
                    f64::from_bits(words[usize::from($register)])
                };
            }
            macro_rules! give {
                ($to:expr, $value:expr) => {
                    words[usize::from($to)] = f64::to_bits($value)
                };
            }
            macro_rules! jump {
                ($target:expr) => {
                    rest = self.steps.get($target as usize..)?.iter()
                };
            }
            // Without the hint the target is chosen by a conditional move, and all that follows waits for it.
            macro_rules! unless {
                ($holds:expr, $target:expr) => {{
                    let holds = $holds;
                    if !holds {
                        core::hint::cold_path();
                        jump!($target);
                    }
                }};
            }
            match *step {
                Step::Fail => return None,
                Step::Return { from } => return Some(from),
                Step::Move { to, from } => words[usize::from(to)] = words[usize::from(from)],
                Step::Constant { to, bits } => words[usize::from(to)] = bits,
                Step::ConstantWide { to, extra, bits } => {
                    words[usize::from(to)] = bits;
                    registers.extras[usize::from(to)] = extra;
                }
                Step::Number { to, variable } => give!(to, variables.get(variable as usize)?.as_number()?),
                Step::Wide { to, kind, variable } => {
                    let (bits, tag) = variables.get(variable as usize)?.words();
                    if tag as u32 != u32::from(kind) {
                        return None;
                    }
                    words[usize::from(to)] = bits;
                    registers.extras[usize::from(to)] = (tag >> 32) as u32;
                }
                Step::Variable { to, check } => {
                    let (bits, tag) = self.checked(check, variables)?;
                    words[usize::from(to)] = bits;
                    registers.extras[usize::from(to)] = (tag >> 32) as u32;
                }
                Step::Look { to, from, look } => {
                    let object = registers.value(from, Kind::Handle);
                    let (name, check) = self.looks.get(look as usize)?;
                    let (bits, tag) = sight.look(object, *name)?.words();
                    if !check.holds(bits, tag) {
                        return None;
                    }
                    registers.words[usize::from(to)] = bits;
                    registers.extras[usize::from(to)] = (tag >> 32) as u32;
                }
                Step::Living { to, from } => {
                    let is_living = sight.is_living(registers.value(from, Kind::Handle));
                    registers.words[usize::from(to)] = is_living.into();
                }
                Step::Expect { check } => {
                    self.checked(check, variables)?;
                }
                Step::Add { to, left, right } => give!(to, number!(left) + number!(right)),
                Step::Subtract { to, left, right } => give!(to, number!(left) - number!(right)),
                Step::Multiply { to, left, right } => give!(to, number!(left) * number!(right)),
                Step::Divide { right, .. } | Step::Remainder { right, .. } if number!(right) == 0.0 => return None,
                Step::Divide { to, left, right } => give!(to, number!(left) / number!(right)),
                Step::Remainder { to, left, right } => give!(to, number!(left) % number!(right)),
                Step::Min { to, left, right } => give!(to, double::min(number!(left), number!(right))),
                Step::Max { to, left, right } => give!(to, double::max(number!(left), number!(right))),
                Step::AddConstant { to, left, value } => give!(to, number!(left) + value),
                Step::SubtractConstant { to, left, value } => give!(to, number!(left) - value),
                Step::SubtractFrom { to, right, value } => give!(to, value - number!(right)),
                Step::MultiplyConstant { to, left, value } => give!(to, number!(left) * value),
                Step::DivideConstant { to, left, value } => give!(to, number!(left) / value),
                Step::MinConstant { to, left, value } => give!(to, double::min(number!(left), value)),
                Step::MaxConstant { to, left, value } => give!(to, double::max(number!(left), value)),
                Step::ConstantMin { to, right, value } => give!(to, double::min(value, number!(right))),
                Step::ConstantMax { to, right, value } => give!(to, double::max(value, number!(right))),
                Step::LessConstant { to, left, value } => words[usize::from(to)] = (number!(left) < value).into(),
                Step::LessEqualConstant { to, left, value } => words[usize::from(to)] = (number!(left) <= value).into(),
                Step::GreaterConstant { to, left, value } => words[usize::from(to)] = (number!(left) > value).into(),
                Step::GreaterEqualConstant { to, left, value } => {
                    words[usize::from(to)] = (number!(left) >= value).into();
                }
                Step::MoveWide { to, from } => {
                    words[usize::from(to)] = words[usize::from(from)];
                    registers.extras[usize::from(to)] = registers.extras[usize::from(from)];
                }
                Step::AddVectors { to, left, right } => {
                    registers.give_vector(to, registers.vector(left) + registers.vector(right));
                }
                Step::SubtractVectors { to, left, right } => {
                    registers.give_vector(to, registers.vector(left) - registers.vector(right));
                }
                Step::ScaleVector { to, left, right } => {
                    let by = number!(right) as f32;
                    registers.give_vector(to, registers.vector(left) * by);
                }
                Step::ScaleVectorConstant { to, left, value } => {
                    registers.give_vector(to, registers.vector(left) * value);
                }
                Step::Length { to, from } => {
                    let length = registers.vector(from).length();
                    registers.words[usize::from(to)] = f64::from(length).to_bits();
                }
                Step::Distance { to, left, right } => {
                    let distance = registers.vector(left).distance(registers.vector(right));
                    registers.words[usize::from(to)] = f64::from(distance).to_bits();
                }
                Step::Normal { to, from } => registers.give_vector(to, registers.vector(from).normal()),
                Step::Scale { to, left, factor, value } => give!(to, number!(left) * factor + value),
                Step::ScaleAdd { to, left, other, factor } => give!(to, number!(left) * factor + number!(other)),
                Step::SubtractScaled { to, left, other, factor } => {
                    give!(to, number!(other) - number!(left) * factor);
                }
                Step::MultiplyAdd { to, left, right, other } => {
                    give!(to, number!(left) * number!(right) + number!(other));
                }
                Step::Clamp { to, value, least, most } => {
                    give!(to, double::max(double::min(number!(value), number!(most)), number!(least)));
                }
                Step::ClampConstant { to, value, least, most } => {
                    give!(to, double::max(double::min(number!(value), most), least));
                }
                Step::Unary { to, from, work } => give!(to, work(number!(from))),
                Step::Binary { to, left, right, work } => give!(to, work(number!(left), number!(right))),
                Step::Jump { target } => jump!(target),
                Step::Unless { truth, target } => unless!(words[usize::from(truth)] != 0, target),
                Step::UnlessLess { left, right, target } => unless!(number!(left) < number!(right), target),
                Step::UnlessLessEqual { left, right, target } => unless!(number!(left) <= number!(right), target),
                Step::UnlessGreater { left, right, target } => unless!(number!(left) > number!(right), target),
                Step::UnlessGreaterEqual { left, right, target } => unless!(number!(left) >= number!(right), target),
                Step::UnlessEqual { left, right, target } => unless!(number!(left) == number!(right), target),
                Step::UnlessUnequal { left, right, target } => unless!(number!(left) != number!(right), target),
                Step::UnlessLessConstant { left, value, target } => unless!(number!(left) < value, target),
                Step::UnlessLessEqualConstant { left, value, target } => unless!(number!(left) <= value, target),
                Step::UnlessGreaterConstant { left, value, target } => unless!(number!(left) > value, target),
                Step::UnlessGreaterEqualConstant { left, value, target } => unless!(number!(left) >= value, target),
                Step::UnlessEqualConstant { left, value, target } => unless!(number!(left) == value, target),
                Step::UnlessUnequalConstant { left, value, target } => unless!(number!(left) != value, target),
                Step::Other { what, to, from } => registers.other(what, to, from),
            }
        }
    }

    /// The words of a variable, if they are as they must be.
    #[inline]
    fn checked(&self, check: u32, variables: &[Value]) -> Option<(u64, u64)> {
        let (variable, check) = self.checks.get(check as usize)?;
        let (bits, tag) = variables.get(*variable as usize).copied().unwrap_or_default().words();
        check.holds(bits, tag).then_some((bits, tag))
    }
}

impl Registers {
    /// Registers that hold nothing.
    pub fn new() -> Registers {
        Registers { words: [0; 256], extras: [0; 256] }
    }

    #[inline]
    fn value(&self, register: u8, kind: Kind) -> Value {
        if kind == Kind::Number {
            return Value::number(f64::from_bits(self.words[usize::from(register)]));
        }
        if kind == Kind::Nothing {
            return Value::NOTHING;
        }
        let extra = if is_wide(kind) { u64::from(self.extras[usize::from(register)]) << 32 } else { 0 };
        Value::from_words((self.words[usize::from(register)], extra | kind as u64))
    }

    #[inline]
    fn vector(&self, register: u8) -> Vec3 {
        let word = self.words[usize::from(register)];
        let z = f32::from_bits(self.extras[usize::from(register)]);
        Vec3::new(f32::from_bits(word as u32), f32::from_bits((word >> 32) as u32), z)
    }

    #[inline]
    fn give_vector(&mut self, register: u8, vector: Vec3) {
        let word = u64::from(vector.y.to_bits()) << 32 | u64::from(vector.x.to_bits());
        self.words[usize::from(register)] = word;
        self.extras[usize::from(register)] = vector.z.to_bits();
    }

    /// What is less common.
    #[inline(never)]
    fn other(&mut self, what: Other, to: u8, [first, second, third]: [u8; 3]) {
        use Other::*;
        let word = |register: u8| self.words[usize::from(register)];
        let number = |register: u8| f64::from_bits(word(register));
        let identifier = |register: u8| (word(register) as u32).cast_signed();
        let both = |register: u8| (word(register), self.extras[usize::from(register)]);
        let (left, right) = (number(first), number(second));
        let (left_vector, right_vector) = (self.vector(first), self.vector(second));
        let by = right as f32;
        let measure = |value: f32| f64::from(value).to_bits();
        let word = match what {
            Less => (left < right).into(),
            LessEqual => (left <= right).into(),
            Greater => (left > right).into(),
            GreaterEqual => (left >= right).into(),
            Equal => (left == right).into(),
            Unequal => (left != right).into(),
            IdentifierLess => (identifier(first) < identifier(second)).into(),
            IdentifierLessEqual => (identifier(first) <= identifier(second)).into(),
            IdentifierGreater => (identifier(first) > identifier(second)).into(),
            IdentifierGreaterEqual => (identifier(first) >= identifier(second)).into(),
            SameBits => (word(first) == word(second)).into(),
            UnlikeBits => (word(first) != word(second)).into(),
            SameWide => (both(first) == both(second)).into(),
            UnlikeWide => (both(first) != both(second)).into(),
            SameVectors => (left_vector == right_vector).into(),
            UnlikeVectors => (left_vector != right_vector).into(),
            Negate => (-left).to_bits(),
            NegateIdentifier => of_identifier(identifier(first).saturating_neg()),
            Not => word(first) ^ 1,
            Absolute => double::abs(left).to_bits(),
            Lerp => (left + (right - left) * number(third)).to_bits(),
            AddIdentifiers => of_identifier(identifier(first).saturating_add(identifier(second))),
            SubtractIdentifiers => of_identifier(identifier(first).saturating_sub(identifier(second))),
            NumberOfIdentifier => f64::from(identifier(first)).to_bits(),
            IdentifierOfNumber => of_identifier(double::floor(left) as i32),
            PartX => measure(left_vector.x),
            PartY => measure(left_vector.y),
            PartZ => measure(left_vector.z),
            Dot => measure(left_vector.dot(right_vector)),
            NegateVector | Shrink | Cross | Vector => {
                let vector = match what {
                    NegateVector => -left_vector,
                    Shrink if by == 0.0 => Vec3::default(),
                    Shrink => left_vector / by,
                    Cross => left_vector.cross(right_vector),
                    _ => Vec3::new(left as f32, by, number(third) as f32),
                };
                return self.give_vector(to, vector);
            }
        };
        self.words[usize::from(to)] = word;
    }
}

fn of_identifier(identifier: i32) -> u64 {
    identifier.cast_unsigned().into()
}
