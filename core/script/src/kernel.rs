//! Kernels: functions that were specialised for operands of known kinds, and the interpreter that runs them.
//!
//! A kernel is a function with all its calls inlined. Its registers are untagged words, since
//! [`specialise`](crate::specialise) inferred every kind when content was loaded; the dispatch loop neither tests nor
//! writes tags. Guards test the kinds of arguments and variables where they are read. Variables that it sets lie in
//! registers, are loaded at the start and written back at the end. Other objects are read from the frozen world; a
//! variable of another object is expected to have the kind that the kernel's own object has under the same name.
//!
//! Laws
//! 1. A kernel returns a result only if the virtual machine would return the same, with the same sets and no complaint,
//!    within its limits. Otherwise it bails out: it returns none, has changed nothing, and the virtual machine begins
//!    from the start.
//! 2. A kernel is compiled when content is loaded, from example values. Running one allocates nothing.
//! 3. Jumps go forward only, so every kernel ends, and its largest fuel is known before it runs.

use alloc::boxed::Box;
use alloc::vec::Vec;

use base::number::{self, double};
use base::{StringId, Vec3};

use crate::value::{Kind, Value};

/// A specialised function.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(crate) steps: Vec<KernelStep>,
    /// Guards on the arguments and on the captured values behind them, which lie in the first registers.
    pub(crate) arguments: Vec<GuardedArgument>,
    /// The number of arguments.
    pub(crate) parameters: u8,
    /// The number of captured values.
    pub(crate) captured: u8,
    /// Whether all its arguments and captured values are numbers.
    pub(crate) takes_numbers: bool,
    /// The variables it sets.
    pub(crate) sets: Vec<VariableRegister>,
    /// The most sets of variables in one run.
    pub(crate) sets_made: u32,
    /// The guards on variables, by number.
    pub(crate) guards: Vec<(u32, Guard)>,
    /// The kind of its result.
    pub(crate) result: Kind,
    /// The most fuel it can need.
    pub(crate) fuel: u64,
    /// Whether it always needs that much.
    pub(crate) has_constant_fuel: bool,
    /// The nesting depth of its calls.
    pub(crate) depth: u32,
    /// The most values in the lists and lambdas that the virtual machine would make on any path through it.
    pub(crate) values_max: u32,
    /// The most values of a list that a built-in would make: the virtual machine collects them before it makes the list.
    pub(crate) building_max: u32,
    /// The variables of other objects that it reads, by name.
    pub(crate) remote_reads: Vec<(StringId, Guard)>,
    /// Whether it reads other objects.
    pub(crate) reads_others: bool,
    /// The kernel to try if this one bails out.
    pub(crate) fallback: Option<Box<Kernel>>,
}

/// How a kernel reads other objects.
pub(crate) trait RemoteObjects {
    /// A variable or a field of an object in the frozen world; none if the object is gone, has none of the name, or is
    /// the kernel's own object.
    fn read(&self, object: Value, name: StringId) -> Option<Value>;

    /// Whether an object is alive.
    fn is_living(&self, object: Value) -> bool;
}

/// An argument and its guard.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GuardedArgument {
    pub number: u8,
    pub guard: Guard,
}

/// A variable that is set, and its register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VariableRegister {
    pub variable: u32,
    pub register: u8,
    pub guard: Guard,
    pub kind: Kind,
}

/// A test of the two words of a value: passed, the value can lie untagged in a register and be read back with the same
/// bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Guard {
    tag: u64,
    tag_mask: u64,
    bits: u64,
    bits_mask: u64,
}

impl Guard {
    /// Passes every value of a kind without parts.
    pub fn kind(kind: Kind) -> Guard {
        let bits_mask = match kind {
            Kind::Nothing => u64::MAX,
            Kind::Truth => !1,
            Kind::Identifier => !u64::from(u32::MAX),
            _ => 0,
        };
        let tag_mask = if is_wide(kind) { u32::MAX.into() } else { u64::MAX };
        Guard { tag: kind as u64, tag_mask, bits: 0, bits_mask }
    }

    /// Passes exactly one value.
    pub fn exactly(value: Value) -> Guard {
        let (bits, tag) = value.words();
        Guard { tag, tag_mask: u64::MAX, bits, bits_mask: u64::MAX }
    }

    /// Whether the words of a value pass.
    #[inline]
    pub fn passes(&self, bits: u64, tag: u64) -> bool {
        (tag & self.tag_mask ^ self.tag) | (bits & self.bits_mask ^ self.bits) == 0
    }
}

/// Whether values of a kind have more than one word.
pub(crate) fn is_wide(kind: Kind) -> bool {
    matches!(kind, Kind::Vector | Kind::Handle)
}

/// The registers of a kernel, indexed by a byte, which needs no bounds check.
pub(crate) struct KernelRegisters {
    words: [u64; 256],
    /// The second word of vectors and handles.
    extras: [u32; 256],
}

/// One step. KernelRegisters are named by bytes; constants are in the steps.
#[derive(Clone, Copy, Debug)]
#[rustfmt::skip]
pub(crate) enum KernelStep {
    Fail,
    Return { from: u8 },
    Move { to: u8, from: u8 },
    Constant { to: u8, bits: u64 },
    /// A constant of two words.
    ConstantWide { to: u8, extra: u32, bits: u64 },
    /// A variable that must be a number.
    Number { to: u8, variable: u32 },
    /// A variable that must be a vector or a handle, as its kind says.
    Wide { to: u8, kind: u8, variable: u32 },
    /// A variable that must pass a guard.
    Variable { to: u8, guard: u32 },
    /// A variable of another object.
    RemoteRead { to: u8, from: u8, read: u32 },
    /// Whether another object is alive.
    IsLiving { to: u8, from: u8 },
    /// Bails out unless a variable passes a guard.
    Expect { guard: u32 },
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
    /// Constant first: which operand wins among equals (0 and −0) depends on the order.
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
    /// `left * factor + value`, rounded twice like the two steps it replaces; so are the next three.
    Scale { to: u8, left: u8, factor: f64, value: f64 },
    /// `left * factor + other`
    ScaleAdd { to: u8, left: u8, other: u8, factor: f64 },
    /// `other - left * factor`
    SubtractScaled { to: u8, left: u8, other: u8, factor: f64 },
    /// `left * right + other`
    MultiplyAdd { to: u8, left: u8, right: u8, other: u8 },
    Clamp { to: u8, value: u8, lower: u8, upper: u8 },
    ClampConstant { to: u8, value: u8, lower: f64, upper: f64 },
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
    /// Any less common operation.
    Rare { what: RareOperation, to: u8, from: [u8; 3] },
}

const _: () = assert!(size_of::<KernelStep>() == 24);

/// The less common operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[rustfmt::skip]
pub(crate) enum RareOperation {
    Less, LessEqual, Greater, GreaterEqual, Equal, Unequal,
    IdentifierLess, IdentifierLessEqual, IdentifierGreater, IdentifierGreaterEqual,
    SameBits, UnlikeBits, SameWide, UnlikeWide, SameVectors, UnlikeVectors,
    Negate, NegateIdentifier, NegateVector, Not, Absolute, Lerp,
    AddIdentifiers, SubtractIdentifiers, Shrink,
    PartX, PartY, PartZ, Vector, Dot, Cross,
    NumberOfIdentifier, IdentifierOfNumber,
}

impl Kernel {
    /// Runs it, without writing back its sets. None if it bails out: a guard failed, or the virtual machine would
    /// complain.
    #[inline(always)]
    pub(crate) fn run(
        &self,
        registers: &mut KernelRegisters,
        (arguments, captured): (&[Value], &[Value]),
        variables: &[Value],
        others: &dyn RemoteObjects,
    ) -> Option<Value> {
        let counts = (arguments.len(), captured.len());
        if self.takes_numbers && counts == (self.parameters.into(), self.captured.into()) {
            let inputs = arguments.iter().chain(captured);
            for (word, input) in registers.words.iter_mut().zip(inputs) {
                *word = input.as_number()?.to_bits();
            }
        } else {
            self.load_inputs(registers, arguments, captured)?;
        }
        if !self.sets.is_empty() {
            self.load_sets(registers, variables)?;
        }
        let from = self.run_steps(registers, variables, others)?;
        Some(registers.value(from, self.result))
    }

    /// The first variable whose handle is followed to another object, if there is one; the caller prefetches that
    /// object.
    pub(crate) fn followed_variable(&self) -> Option<u32> {
        let steps = self.steps.iter().enumerate();
        let variable = steps.filter_map(|(at, step)| match step {
            KernelStep::RemoteRead { from, .. } => self.variable_in(*from, &self.steps[..at]),
            _ => None,
        });
        variable.chain(self.fallback.as_ref().and_then(|fallback| fallback.followed_variable())).next()
    }

    /// The variable that the last of these steps loaded into a register, or whose register it is.
    fn variable_in(&self, register: u8, before: &[KernelStep]) -> Option<u32> {
        let read = before.iter().rev().find_map(|step| match step {
            KernelStep::Variable { to, guard } if *to == register => Some(self.guards.get(*guard as usize)?.0),
            KernelStep::Wide { to, variable, .. } if *to == register => Some(*variable),
            _ => None,
        });
        read.or_else(|| self.sets.iter().find(|set| set.register == register).map(|set| set.variable))
    }

    #[inline(never)]
    fn load_inputs(&self, registers: &mut KernelRegisters, arguments: &[Value], captured: &[Value]) -> Option<()> {
        for GuardedArgument { number, guard } in &self.arguments {
            let value = match number.checked_sub(self.parameters) {
                Some(behind) => captured.get(usize::from(behind)),
                None => arguments.get(usize::from(*number)),
            };
            let (bits, tag) = value.copied().unwrap_or_default().words();
            if !guard.passes(bits, tag) {
                return None;
            }
            registers.words[usize::from(*number)] = bits;
            registers.extras[usize::from(*number)] = (tag >> 32) as u32;
        }
        Some(())
    }

    fn load_sets(&self, registers: &mut KernelRegisters, variables: &[Value]) -> Option<()> {
        for set in &self.sets {
            let (bits, tag) = variables.get(set.variable as usize)?.words();
            let register = usize::from(set.register);
            registers.words[register] = bits;
            // It is written back whether it was set or not, so it must be canonical already.
            if set.kind == Kind::Number {
                if tag != Kind::Number as u64 || !double::is_canonical(f64::from_bits(bits)) {
                    return None;
                }
                continue;
            }
            registers.extras[register] = (tag >> 32) as u32;
            let Vec3 { x, y, z } = registers.vector(set.register);
            let is_canonical = number::is_canonical(x) && number::is_canonical(y) && number::is_canonical(z);
            if !set.guard.passes(bits, tag) || set.kind == Kind::Vector && !is_canonical {
                return None;
            }
        }
        Some(())
    }

    /// Writes the sets of the last run to the variables.
    #[inline]
    pub(crate) fn commit(&self, registers: &KernelRegisters, variables: &mut [Value]) {
        for set in &self.sets {
            if let Some(variable) = variables.get_mut(set.variable as usize) {
                *variable = if set.kind == Kind::Number {
                    Value::number(double::canonical(f64::from_bits(registers.words[usize::from(set.register)])))
                } else {
                    registers.value(set.register, set.kind).canonical()
                };
            }
        }
    }

    /// The dispatch loop. Returns the register that holds the result.
    #[inline(never)]
    fn run_steps(
        &self,
        registers: &mut KernelRegisters,
        variables: &[Value],
        others: &dyn RemoteObjects,
    ) -> Option<u8> {
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
            // Without the hint the compiler selects the target by a conditional move, and the next step waits for it.
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
                KernelStep::Fail => return None,
                KernelStep::Return { from } => return Some(from),
                KernelStep::Move { to, from } => words[usize::from(to)] = words[usize::from(from)],
                KernelStep::Constant { to, bits } => words[usize::from(to)] = bits,
                KernelStep::ConstantWide { to, extra, bits } => {
                    words[usize::from(to)] = bits;
                    registers.extras[usize::from(to)] = extra;
                }
                KernelStep::Number { to, variable } => give!(to, variables.get(variable as usize)?.as_number()?),
                KernelStep::Wide { to, kind, variable } => {
                    let (bits, tag) = variables.get(variable as usize)?.words();
                    if tag as u32 != u32::from(kind) {
                        return None;
                    }
                    words[usize::from(to)] = bits;
                    registers.extras[usize::from(to)] = (tag >> 32) as u32;
                }
                KernelStep::Variable { to, guard } => {
                    let (bits, tag) = self.guarded(guard, variables)?;
                    words[usize::from(to)] = bits;
                    registers.extras[usize::from(to)] = (tag >> 32) as u32;
                }
                KernelStep::RemoteRead { to, from, read } => {
                    let object = registers.value(from, Kind::Handle);
                    let (name, guard) = self.remote_reads.get(read as usize)?;
                    let (bits, tag) = others.read(object, *name)?.words();
                    if !guard.passes(bits, tag) {
                        return None;
                    }
                    registers.words[usize::from(to)] = bits;
                    registers.extras[usize::from(to)] = (tag >> 32) as u32;
                }
                KernelStep::IsLiving { to, from } => {
                    let is_living = others.is_living(registers.value(from, Kind::Handle));
                    registers.words[usize::from(to)] = is_living.into();
                }
                KernelStep::Expect { guard } => {
                    self.guarded(guard, variables)?;
                }
                KernelStep::Add { to, left, right } => give!(to, number!(left) + number!(right)),
                KernelStep::Subtract { to, left, right } => give!(to, number!(left) - number!(right)),
                KernelStep::Multiply { to, left, right } => give!(to, number!(left) * number!(right)),
                KernelStep::Divide { right, .. } | KernelStep::Remainder { right, .. } if number!(right) == 0.0 => {
                    return None;
                }
                KernelStep::Divide { to, left, right } => give!(to, number!(left) / number!(right)),
                KernelStep::Remainder { to, left, right } => give!(to, number!(left) % number!(right)),
                KernelStep::Min { to, left, right } => give!(to, double::min(number!(left), number!(right))),
                KernelStep::Max { to, left, right } => give!(to, double::max(number!(left), number!(right))),
                KernelStep::AddConstant { to, left, value } => give!(to, number!(left) + value),
                KernelStep::SubtractConstant { to, left, value } => give!(to, number!(left) - value),
                KernelStep::SubtractFrom { to, right, value } => give!(to, value - number!(right)),
                KernelStep::MultiplyConstant { to, left, value } => give!(to, number!(left) * value),
                KernelStep::DivideConstant { to, left, value } => give!(to, number!(left) / value),
                KernelStep::MinConstant { to, left, value } => give!(to, double::min(number!(left), value)),
                KernelStep::MaxConstant { to, left, value } => give!(to, double::max(number!(left), value)),
                KernelStep::ConstantMin { to, right, value } => give!(to, double::min(value, number!(right))),
                KernelStep::ConstantMax { to, right, value } => give!(to, double::max(value, number!(right))),
                KernelStep::LessConstant { to, left, value } => words[usize::from(to)] = (number!(left) < value).into(),
                KernelStep::LessEqualConstant { to, left, value } => {
                    words[usize::from(to)] = (number!(left) <= value).into()
                }
                KernelStep::GreaterConstant { to, left, value } => {
                    words[usize::from(to)] = (number!(left) > value).into()
                }
                KernelStep::GreaterEqualConstant { to, left, value } => {
                    words[usize::from(to)] = (number!(left) >= value).into();
                }
                KernelStep::MoveWide { to, from } => {
                    words[usize::from(to)] = words[usize::from(from)];
                    registers.extras[usize::from(to)] = registers.extras[usize::from(from)];
                }
                KernelStep::AddVectors { to, left, right } => {
                    registers.give_vector(to, registers.vector(left) + registers.vector(right));
                }
                KernelStep::SubtractVectors { to, left, right } => {
                    registers.give_vector(to, registers.vector(left) - registers.vector(right));
                }
                KernelStep::ScaleVector { to, left, right } => {
                    let by = number!(right) as f32;
                    registers.give_vector(to, registers.vector(left) * by);
                }
                KernelStep::ScaleVectorConstant { to, left, value } => {
                    registers.give_vector(to, registers.vector(left) * value);
                }
                KernelStep::Length { to, from } => {
                    let length = registers.vector(from).length();
                    registers.words[usize::from(to)] = f64::from(length).to_bits();
                }
                KernelStep::Distance { to, left, right } => {
                    let distance = registers.vector(left).distance(registers.vector(right));
                    registers.words[usize::from(to)] = f64::from(distance).to_bits();
                }
                KernelStep::Normal { to, from } => registers.give_vector(to, registers.vector(from).normal()),
                KernelStep::Scale { to, left, factor, value } => give!(to, number!(left) * factor + value),
                KernelStep::ScaleAdd { to, left, other, factor } => give!(to, number!(left) * factor + number!(other)),
                KernelStep::SubtractScaled { to, left, other, factor } => {
                    give!(to, number!(other) - number!(left) * factor);
                }
                KernelStep::MultiplyAdd { to, left, right, other } => {
                    give!(to, number!(left) * number!(right) + number!(other));
                }
                KernelStep::Clamp { to, value, lower, upper } => {
                    give!(to, double::max(double::min(number!(value), number!(upper)), number!(lower)));
                }
                KernelStep::ClampConstant { to, value, lower, upper } => {
                    give!(to, double::max(double::min(number!(value), upper), lower));
                }
                KernelStep::Unary { to, from, work } => give!(to, work(number!(from))),
                KernelStep::Binary { to, left, right, work } => give!(to, work(number!(left), number!(right))),
                KernelStep::Jump { target } => jump!(target),
                KernelStep::Unless { truth, target } => unless!(words[usize::from(truth)] != 0, target),
                KernelStep::UnlessLess { left, right, target } => unless!(number!(left) < number!(right), target),
                KernelStep::UnlessLessEqual { left, right, target } => unless!(number!(left) <= number!(right), target),
                KernelStep::UnlessGreater { left, right, target } => unless!(number!(left) > number!(right), target),
                KernelStep::UnlessGreaterEqual { left, right, target } => {
                    unless!(number!(left) >= number!(right), target)
                }
                KernelStep::UnlessEqual { left, right, target } => unless!(number!(left) == number!(right), target),
                KernelStep::UnlessUnequal { left, right, target } => unless!(number!(left) != number!(right), target),
                KernelStep::UnlessLessConstant { left, value, target } => unless!(number!(left) < value, target),
                KernelStep::UnlessLessEqualConstant { left, value, target } => unless!(number!(left) <= value, target),
                KernelStep::UnlessGreaterConstant { left, value, target } => unless!(number!(left) > value, target),
                KernelStep::UnlessGreaterEqualConstant { left, value, target } => {
                    unless!(number!(left) >= value, target)
                }
                KernelStep::UnlessEqualConstant { left, value, target } => unless!(number!(left) == value, target),
                KernelStep::UnlessUnequalConstant { left, value, target } => unless!(number!(left) != value, target),
                KernelStep::Rare { what, to, from } => registers.rare(what, to, from),
            }
        }
    }

    /// The words of a variable, if they pass the guard.
    #[inline]
    fn guarded(&self, guard: u32, variables: &[Value]) -> Option<(u64, u64)> {
        let (variable, guard) = self.guards.get(guard as usize)?;
        let (bits, tag) = variables.get(*variable as usize).copied().unwrap_or_default().words();
        guard.passes(bits, tag).then_some((bits, tag))
    }
}

impl KernelRegisters {
    /// KernelRegisters of zeros.
    pub fn new() -> KernelRegisters {
        KernelRegisters { words: [0; 256], extras: [0; 256] }
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

    /// Runs one of the less common operations.
    #[inline(never)]
    fn rare(&mut self, what: RareOperation, to: u8, [first, second, third]: [u8; 3]) {
        use RareOperation::*;
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
