//! The machine: runs functions over registers.
//!
//! Read before changing anything here:
//! 1. Registers of a call lie on one stack; the arguments of a call are where the callee's parameters are, so that
//!    calling copies nothing.
//! 2. Programs are verified when they are made, and jumps only go forward: a function ends by itself. So fuel is counted
//!    where work can grow: at calls, and by built-ins for each element.
//! 3. A wrong kind of value is a report and a default; only the end of fuel, memory or stack ends an evaluation.
//! 4. Nothing here may depend on what earlier evaluations left in registers: a function writes a register before it
//!    reads it (the compiler sees to that; parameters that were not given are `nothing`).
//! 5. Nothing here takes memory from the heap.

use alloc::vec::Vec;
use core::fmt;

use base::number::double as number;
use base::{StringId, Vec3};

use crate::program::{Function, Instruction, Operation, Program, REGISTERS_MAX};
use crate::region::{Full, Region};
use crate::value::{Elements, Kind, Value};

/// What one evaluation may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Work: roughly one for every instruction, call and element.
    pub fuel: u64,
    /// Calls within calls.
    pub depth: u32,
    /// Values in lists, records and lambdas made on the way.
    pub values: u32,
    /// Effects and sets.
    pub effects: u32,
}

impl Default for Limits {
    /// What an object's update may use.
    fn default() -> Limits {
        Limits { fuel: 100_000, depth: 64, values: 16 * 1024, effects: 256 }
    }
}

/// Why an evaluation ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// It used up its fuel.
    Fuel,
    /// Its lists and records found no more room.
    Memory,
    /// Calls were nested too deep.
    Depth,
    /// It wanted too many effects.
    Effects,
}

/// One built-in. The table is in `builtin`.
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// What it takes and gives.
    pub signature: &'static str,
    /// What it does.
    pub help: &'static str,
    /// An expression and its value, both as a designer writes them.
    pub example: (&'static str, &'static str),
    /// The fewest and the most arguments.
    pub(crate) arguments: (usize, usize),
    /// How it is done.
    pub(crate) work: Work,
}

/// How a built-in is done.
pub(crate) enum Work {
    /// One number to another. Costs 1.
    Unary(fn(f64) -> f64),
    /// Two numbers to a third. Costs 1.
    Binary(fn(f64, f64) -> f64),
    /// Anything else. Costs 1, and what it says with `Machine::burn`.
    Any(fn(&mut Machine<'_>, Arguments<'_>) -> Result<Value, Halt>),
}

/// No built-in takes more arguments.
pub(crate) const ARGUMENTS_MAX: usize = 3;

/// What a built-in is given.
pub(crate) struct Arguments<'s> {
    /// The arguments; those that were not given are nothing.
    pub values: [Value; ARGUMENTS_MAX],
    /// The part of the stack that is free for lambdas it calls.
    pub stack: &'s mut [Value],
}

/// What a worker needs to evaluate anything: made once, used again and again.
pub struct Scratch {
    stack: Vec<Value>,
    region: Region,
    frames: Vec<Frame>,
    building: Vec<Value>,
    variables: Vec<Value>,
    effects: Vec<Effect>,
    complaints: Vec<Complaint>,
    limits: Limits,
}

/// An effect that was wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// Its name.
    pub name: StringId,
    /// Its arguments, a list in the scratch's region.
    pub arguments: Value,
}

/// A wrong kind of value was found, and a default taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The function.
    pub function: u32,
    /// The instruction.
    pub instruction: u32,
    /// What was expected.
    pub expected: &'static str,
    /// What was found.
    pub found: Kind,
}

impl fmt::Display for Complaint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "expected {}, found {}", self.expected, self.found.name())
    }
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    function: u32,
    instruction: u32,
    base: u32,
}

const COMPLAINTS_MAX: usize = 16;
/// Set in the offset of parts that lie in what an environment keeps.
pub(crate) const KEPT: u32 = 1 << 31;

impl Scratch {
    /// Room for evaluations within these limits.
    pub fn new(limits: Limits) -> Scratch {
        Scratch {
            stack: alloc::vec![Value::NOTHING; (limits.depth as usize + 2) * (REGISTERS_MAX + 2) + size_of::<Registers>() / 16],
            region: Region::new(limits.values as usize),
            frames: Vec::with_capacity(limits.depth as usize + 1),
            building: Vec::with_capacity(limits.values as usize),
            variables: Vec::new(),
            effects: Vec::with_capacity(limits.effects as usize),
            complaints: Vec::with_capacity(COMPLAINTS_MAX),
            limits,
        }
    }

    /// What the last evaluation made on its way.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// The variables as the last evaluation left them, if it set any.
    pub(crate) fn variables(&self) -> &[Value] {
        &self.variables
    }

    /// An evaluation that ended early has no effects.
    pub(crate) fn forget_effects(&mut self) {
        self.effects.clear();
    }

    /// The effects the last evaluation wanted, in order.
    pub fn effects(&self) -> &[Effect] {
        &self.effects
    }

    /// What the last evaluation complained about.
    pub fn complaints(&self) -> &[Complaint] {
        &self.complaints
    }
}

/// An evaluation under way.
pub struct Machine<'a> {
    program: &'a Program,
    builtins: &'static [Builtin],
    /// The environment as it was when the evaluation began.
    variables: &'a [Value],
    kept: &'a Region,
    /// Everything but the stack, which is lent from function to function.
    scratch: &'a mut Scratch,
    /// Whether a variable was set: from then on the scratch has all of them.
    has_set: bool,
    fuel: u64,
    depth: u32,
    /// The function and instruction that complaints of built-ins are about.
    place: (u32, u32),
}

/// The registers of one call: as many as a byte can name, so that none can be missed.
type Registers = [Value; 256];

impl<'a> Machine<'a> {
    /// Evaluates something over an environment: `work` gets the machine and its stack.
    pub(crate) fn begin<R>(
        program: &'a Program,
        builtins: &'static [Builtin],
        variables: &'a [Value],
        kept: &'a Region,
        scratch: &'a mut Scratch,
        work: impl FnOnce(&mut Machine<'a>, &mut [Value]) -> R,
    ) -> (R, Ended) {
        scratch.region.clear();
        scratch.effects.clear();
        scratch.complaints.clear();
        let mut stack = core::mem::take(&mut scratch.stack);
        let fuel = scratch.limits.fuel;
        let mut machine =
            Machine { program, builtins, variables, kept, scratch, has_set: false, fuel, depth: 0, place: (0, 0) };
        let result = work(&mut machine, &mut stack);
        let ended = Ended { function: machine.place.0, has_set: machine.has_set };
        machine.scratch.stack = stack;
        (result, ended)
    }

    /// Calls a lambda, with its registers at the start of `stack`.
    #[inline]
    pub(crate) fn call(&mut self, stack: &mut [Value], lambda: Value, arguments: &[Value]) -> Result<Value, Halt> {
        let Some((function, carried)) = lambda.as_lambda() else {
            return Ok(self.wrong(Kind::Lambda, lambda, Value::NOTHING));
        };
        let (depth, place, frames) = (self.depth, self.place, self.scratch.frames.len());
        let places = stack.get_mut(..arguments.len()).ok_or(Halt::Depth)?;
        places.copy_from_slice(arguments);
        let result = self.run(stack, function, carried, arguments.len());
        self.scratch.frames.truncate(frames);
        self.depth = depth;
        if result.is_ok() {
            self.place = place;
        }
        result
    }

    /// Runs a function whose arguments lie at the start of the stack, and all it calls.
    fn run(&mut self, stack: &mut [Value], first: u32, carried: Elements, arguments: usize) -> Result<Value, Halt> {
        use Operation::*;
        let program: &'a Program = self.program;
        let constants: &'a [Value] = &program.constants;
        let outer_frames = self.scratch.frames.len();
        let mut number = first;
        let mut base = 0_usize;
        let mut function: &'a Function = self.enter(stack, number, carried, base, arguments)?;
        let mut code: &'a [Instruction] = &function.code;
        let mut registers = window(stack, base)?;
        let mut at = 0_usize;
        loop {
            let Instruction { operation, a, b, c, number: value } = code[at];
            at = at.wrapping_add(1);
            macro_rules! register {
                ($index:expr) => {
                    registers[usize::from($index)]
                };
            }
            macro_rules! place {
                () => {
                    (number, at as u32 - 1)
                };
            }
            macro_rules! arithmetic {
                ($right:expr, $work:expr) => {{
                    let (left, right) = (register!(b), $right);
                    register!(a) = match (left.as_number(), right.as_number()) {
                        (Some(left), Some(right)) => {
                            let work: fn(f64, f64) -> f64 = $work;
                            Value::number(work(left, right))
                        }
                        _ => self.arithmetic_slowly(operation, left, right, place!()),
                    };
                }};
            }
            macro_rules! division {
                ($work:expr) => {{
                    let (left, right) = (register!(b), register!(c));
                    register!(a) = match (left.as_number(), right.as_number()) {
                        (Some(left), Some(right)) if right != 0.0 => {
                            let work: fn(f64, f64) -> f64 = $work;
                            Value::number(work(left, right))
                        }
                        _ => self.arithmetic_slowly(operation, left, right, place!()),
                    };
                }};
            }
            macro_rules! compare {
                ($right:expr, $work:expr) => {{
                    let (left, right) = (register!(b), $right);
                    match (left.as_number(), right.as_number()) {
                        (Some(left), Some(right)) => {
                            let work: fn(&f64, &f64) -> bool = $work;
                            work(&left, &right)
                        }
                        _ => self.compare_slowly(operation, left, right, place!()),
                    }
                }};
            }
            macro_rules! jump_unless {
                ($holds:expr) => {
                    if !$holds {
                        at = value as usize;
                    }
                };
            }
            match operation {
                Move => register!(a) = register!(b),
                Constant => register!(a) = constants[value as usize],
                Variable => register!(a) = self.variable(value),
                SetVariable => self.set_variable(value, register!(a)),
                Add => arithmetic!(register!(c), |left, right| left + right),
                Subtract => arithmetic!(register!(c), |left, right| left - right),
                Multiply => arithmetic!(register!(c), |left, right| left * right),
                Divide => division!(|left, right| left / right),
                Remainder => division!(|left, right| left % right),
                AddConstant => arithmetic!(constants[value as usize], |left, right| left + right),
                SubtractConstant => arithmetic!(constants[value as usize], |left, right| left - right),
                MultiplyConstant => arithmetic!(constants[value as usize], |left, right| left * right),
                DivideConstant => arithmetic!(constants[value as usize], |left, right| left / right),
                Equal => register!(a) = Value::truth(self.is_same(register!(b), register!(c))),
                Unequal => register!(a) = Value::truth(!self.is_same(register!(b), register!(c))),
                Less => register!(a) = Value::truth(compare!(register!(c), |left, right| left < right)),
                Greater => register!(a) = Value::truth(compare!(register!(c), |left, right| left > right)),
                LessEqual => register!(a) = Value::truth(compare!(register!(c), |left, right| left <= right)),
                GreaterEqual => register!(a) = Value::truth(compare!(register!(c), |left, right| left >= right)),
                Negate => {
                    let from = register!(b);
                    register!(a) = match from.as_number() {
                        Some(number) => Value::number(-number),
                        None => self.negate_slowly(from, place!()),
                    };
                }
                Not => {
                    let from = register!(b);
                    let truth = from.as_truth();
                    let truth = truth.unwrap_or_else(|| self.complain("true or false", from, place!(), false));
                    register!(a) = Value::truth(!truth);
                }
                Jump => at = value as usize,
                JumpUnless => {
                    let truth = register!(a);
                    jump_unless!(truth.as_truth().unwrap_or_else(|| self.complain(
                        "true or false",
                        truth,
                        place!(),
                        false
                    )));
                }
                JumpUnlessLess => jump_unless!(compare!(register!(c), |left, right| left < right)),
                JumpUnlessLessEqual => jump_unless!(compare!(register!(c), |left, right| left <= right)),
                JumpUnlessGreater => jump_unless!(compare!(register!(c), |left, right| left > right)),
                JumpUnlessGreaterEqual => jump_unless!(compare!(register!(c), |left, right| left >= right)),
                JumpUnlessEqual => jump_unless!(self.is_same(register!(b), register!(c))),
                JumpUnlessUnequal => jump_unless!(!self.is_same(register!(b), register!(c))),
                JumpUnlessLessConstant => {
                    jump_unless!(compare!(constants[usize::from(c)], |left, right| left < right));
                }
                JumpUnlessLessEqualConstant => {
                    jump_unless!(compare!(constants[usize::from(c)], |left, right| left <= right));
                }
                JumpUnlessGreaterConstant => {
                    jump_unless!(compare!(constants[usize::from(c)], |left, right| left > right));
                }
                JumpUnlessGreaterEqualConstant => {
                    jump_unless!(compare!(constants[usize::from(c)], |left, right| left >= right));
                }
                JumpUnlessEqualConstant => jump_unless!(self.is_same(register!(b), constants[usize::from(c)])),
                JumpUnlessUnequalConstant => jump_unless!(!self.is_same(register!(b), constants[usize::from(c)])),
                List => {
                    self.burn(u64::from(c))?;
                    let made = self.scratch.region.push(&registers[usize::from(b)..][..usize::from(c)])?;
                    register!(a) = Value::list(made);
                }
                Record => {
                    self.burn(u64::from(c))?;
                    register!(a) = self.scratch.region.record(&registers[usize::from(b)..][..usize::from(c)])?;
                }
                Lambda => {
                    self.burn(u64::from(c))?;
                    let made = self.scratch.region.push(&registers[usize::from(b)..][..usize::from(c)])?;
                    register!(a) = Value::lambda(value, made);
                }
                Index => register!(a) = self.element(register!(b), register!(c), place!()),
                Field => register!(a) = self.field(register!(b), constants[value as usize], place!()),
                Call => {
                    let callee = register!(b);
                    let Some((next, carried)) = callee.as_lambda() else {
                        register!(a) = self.complain("a lambda", callee, place!(), Value::NOTHING);
                        continue;
                    };
                    self.scratch.frames.push(Frame { function: number, instruction: at as u32 - 1, base: base as u32 });
                    base = base.wrapping_add(usize::from(b)).wrapping_add(1);
                    function = self.enter(stack, next, carried, base, usize::from(c))?;
                    (number, code, at) = (next, &function.code, 0);
                    registers = window(stack, base)?;
                }
                Builtin => {
                    self.burn(1)?;
                    match &self.builtins[value as usize].work {
                        Work::Unary(work) => {
                            let argument = register!(b);
                            let argument = argument.as_number().unwrap_or_else(|| self.number_of(argument, place!()));
                            register!(a) = Value::number(work(argument));
                        }
                        Work::Binary(work) => {
                            let (left, right) = (register!(b), registers[usize::from(b) + 1]);
                            let left = left.as_number().unwrap_or_else(|| self.number_of(left, place!()));
                            let right = right.as_number().unwrap_or_else(|| self.number_of(right, place!()));
                            register!(a) = Value::number(work(left, right));
                        }
                        Work::Any(work) => {
                            self.place = place!();
                            let mut values = [Value::NOTHING; ARGUMENTS_MAX];
                            let count = usize::from(c).min(ARGUMENTS_MAX);
                            values[..count].copy_from_slice(&registers[usize::from(b)..][..count]);
                            let free = base + usize::from(function.registers);
                            let result = work(self, Arguments { values, stack: &mut stack[free..] })?;
                            registers = window(stack, base)?;
                            register!(a) = result;
                        }
                    }
                }
                Effect => {
                    self.burn(u64::from(c) + 1)?;
                    let arguments = self.scratch.region.push(&registers[usize::from(b)..][..usize::from(c)])?;
                    let name = constants[value as usize].as_string().unwrap_or_default();
                    self.want(name, Value::list(arguments))?;
                    register!(a) = Value::NOTHING;
                }
                Return => {
                    let result = register!(a);
                    if self.scratch.frames.len() == outer_frames {
                        return Ok(result);
                    }
                    let Some(frame) = self.scratch.frames.pop() else { return Ok(result) };
                    (number, base, at) = (frame.function, frame.base as usize, frame.instruction as usize + 1);
                    function = &program.functions[number as usize];
                    code = &function.code;
                    registers = window(stack, base)?;
                    self.depth -= 1;
                    register!(code[at - 1].a) = result;
                }
            }
        }
    }

    /// Begins a call: pays for it, puts what the lambda carries behind its parameters, and finds the function.
    #[inline]
    fn enter(
        &mut self,
        stack: &mut [Value],
        number: u32,
        carried: Elements,
        base: usize,
        arguments: usize,
    ) -> Result<&'a Function, Halt> {
        let program: &'a Program = self.program;
        let function = program.functions.get(number as usize).ok_or(Halt::Depth)?;
        self.place = (number, 0);
        self.burn(function.code.len() as u64)?;
        self.depth += 1;
        if self.depth > self.scratch.limits.depth {
            return Err(Halt::Depth);
        }
        let parameters = usize::from(function.parameters);
        if arguments < parameters {
            let missing = stack.get_mut(base + arguments..base + parameters).ok_or(Halt::Depth)?;
            missing.fill(Value::NOTHING);
        }
        if carried.count > 0 {
            let count = usize::from(function.carried).min(carried.count as usize);
            let places = stack.get_mut(base + parameters..base + parameters + count).ok_or(Halt::Depth)?;
            let values = self.row(carried);
            places.copy_from_slice(values.get(..count).ok_or(Halt::Memory)?);
        }
        Ok(function)
    }

    #[inline]
    fn variable(&self, number: u32) -> Value {
        let variables = if self.has_set { &self.scratch.variables[..] } else { self.variables };
        variables.get(number as usize).copied().unwrap_or_default()
    }

    fn set_variable(&mut self, number: u32, value: Value) {
        if !self.has_set {
            self.has_set = true;
            self.scratch.variables.clear();
            self.scratch.variables.extend_from_slice(self.variables);
        }
        if let Some(variable) = self.scratch.variables.get_mut(number as usize) {
            *variable = value;
        }
    }

    fn want(&mut self, name: StringId, arguments: Value) -> Result<(), Halt> {
        if self.scratch.effects.len() >= self.scratch.limits.effects as usize {
            return Err(Halt::Effects);
        }
        self.scratch.effects.push(Effect { name, arguments });
        Ok(())
    }

    /// Uses up fuel.
    #[inline]
    pub(crate) fn burn(&mut self, fuel: u64) -> Result<(), Halt> {
        self.fuel = self.fuel.checked_sub(fuel).ok_or(Halt::Fuel)?;
        Ok(())
    }

    /// Values as numbers.
    pub(crate) fn numbers<const N: usize>(&mut self, values: &[Value; ARGUMENTS_MAX]) -> [f64; N] {
        core::array::from_fn(|index| {
            let value = values[index];
            value.as_number().unwrap_or_else(|| self.wrong(Kind::Number, value, 0.0))
        })
    }

    /// Values as vectors.
    pub(crate) fn vectors<const N: usize>(&mut self, values: &[Value; ARGUMENTS_MAX]) -> [Vec3; N] {
        core::array::from_fn(|index| {
            let value = values[index];
            value.as_vector().unwrap_or_else(|| self.wrong(Kind::Vector, value, Vec3::default()))
        })
    }

    /// The elements of a list; what is none has none.
    pub(crate) fn list(&self, list: Value) -> &[Value] {
        list.as_list().map_or(&[], |elements| self.row(elements))
    }

    /// The parts of a list, a record or a lambda.
    pub(crate) fn parts(&self, value: Value) -> &[Value] {
        value.parts().map_or(&[], |elements| self.row(elements))
    }

    fn row(&self, elements: Elements) -> &[Value] {
        let start = elements.start & !KEPT;
        let region = if elements.start & KEPT == 0 { &self.scratch.region } else { self.kept };
        region.values(Elements { start, ..elements })
    }

    /// Whether a verdict of a lambda is true.
    pub(crate) fn holds(&mut self, verdict: Value) -> bool {
        verdict.as_truth().unwrap_or_else(|| self.wrong(Kind::Truth, verdict, false))
    }

    /// A built-in found the wrong kind of value and takes a default.
    #[cold]
    pub(crate) fn wrong<T>(&mut self, expected: Kind, found: Value, default: T) -> T {
        self.complain(expected.name(), found, self.place, default)
    }

    #[cold]
    fn complain<T>(&mut self, expected: &'static str, found: Value, place: (u32, u32), default: T) -> T {
        let complaint = Complaint { function: place.0, instruction: place.1, expected, found: found.kind() };
        let complaints = &mut self.scratch.complaints;
        if complaints.len() < COMPLAINTS_MAX && !complaints.contains(&complaint) {
            complaints.push(complaint);
        }
        default
    }

    /// Makes a list of what `work` pushes.
    pub(crate) fn build(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Halt>) -> Result<Value, Halt> {
        let start = self.scratch.building.len();
        let result = work(self);
        let made = result.and_then(|()| Ok(Value::list(self.scratch.region.push(&self.scratch.building[start..])?)));
        self.scratch.building.truncate(start);
        made
    }

    /// Makes a record of the names and values that `work` pushes in turn.
    pub(crate) fn build_record(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Halt>) -> Result<Value, Halt> {
        let start = self.scratch.building.len();
        let result = work(self);
        let made = result.and_then(|()| Ok(self.scratch.region.record(&self.scratch.building[start..])?));
        self.scratch.building.truncate(start);
        made
    }

    /// Makes a list of the values behind the keys that `work` pushes in turn, smallest key first, equal ones in order.
    pub(crate) fn build_sorted(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Halt>) -> Result<Value, Halt> {
        let start = self.scratch.building.len();
        let result = work(self);
        let made = result.and_then(|()| {
            let (pairs, _) = self.scratch.building[start..].as_chunks_mut::<2>();
            sort_pairs(pairs);
            let count = pairs.len();
            for index in 0..count {
                self.scratch.building[start + index] = self.scratch.building[start + 2 * index + 1];
            }
            Ok(Value::list(self.scratch.region.push(&self.scratch.building[start..start + count])?))
        });
        self.scratch.building.truncate(start);
        made
    }

    /// Adds to what is being built.
    pub(crate) fn push(&mut self, value: Value) -> Result<(), Halt> {
        if self.scratch.building.len() >= self.scratch.limits.values as usize {
            return Err(Halt::Memory);
        }
        self.scratch.building.push(value);
        Ok(())
    }

    /// Whether two values are the same, part by part.
    #[inline]
    pub(crate) fn is_same(&self, left: Value, right: Value) -> bool {
        if let (Some(left), Some(right)) = (left.as_number(), right.as_number()) {
            return left == right;
        }
        match (left.parts(), right.parts()) {
            (None, _) | (_, None) => left.is_same_atom(right),
            (Some(left_parts), Some(right_parts)) => self.is_same_slowly(left, right, left_parts, right_parts, 0),
        }
    }

    fn is_same_slowly(
        &self,
        left: Value,
        right: Value,
        left_parts: Elements,
        right_parts: Elements,
        depth: u32,
    ) -> bool {
        let function = |value: Value| value.as_lambda().map(|found| found.0);
        let is_alike =
            left.kind() == right.kind() && left_parts.count == right_parts.count && function(left) == function(right);
        is_alike && depth < crate::region::NESTING_MAX && {
            let mut pairs = self.row(left_parts).iter().zip(self.row(right_parts));
            pairs.all(|(left, right)| match (left.parts(), right.parts()) {
                (Some(left_parts), Some(right_parts)) => {
                    self.is_same_slowly(*left, *right, left_parts, right_parts, depth + 1)
                }
                _ => left.is_same_atom(*right),
            })
        }
    }

    #[cold]
    fn negate_slowly(&mut self, from: Value, place: (u32, u32)) -> Value {
        match (from.as_vector(), from.as_identifier()) {
            (Some(vector), _) => Value::vector(-vector),
            (_, Some(identifier)) => Value::identifier(identifier.saturating_neg()),
            _ => self.complain("a number", from, place, Value::number(0.0)),
        }
    }

    /// Vectors and identifiers; what is wrong counts as zero.
    #[cold]
    fn arithmetic_slowly(&mut self, operation: Operation, left: Value, right: Value, place: (u32, u32)) -> Value {
        use Operation::*;
        match (operation, left.as_vector(), right.as_vector()) {
            (Add | AddConstant, Some(left), Some(right)) => return Value::vector(left + right),
            (Subtract | SubtractConstant, Some(left), Some(right)) => return Value::vector(left - right),
            (Multiply | MultiplyConstant, Some(vector), None) => {
                return Value::vector(vector * self.number_of(right, place) as f32);
            }
            (Multiply | MultiplyConstant, None, Some(vector)) => {
                return Value::vector(vector * self.number_of(left, place) as f32);
            }
            (Divide | DivideConstant, Some(vector), None) => {
                let by = self.number_of(right, place) as f32;
                return if by == 0.0 { Value::vector(Vec3::default()) } else { Value::vector(vector / by) };
            }
            _ => {}
        }
        match (operation, left.as_identifier(), right.as_identifier()) {
            (Add, Some(left), Some(right)) => return Value::identifier(left.saturating_add(right)),
            (Subtract, Some(left), Some(right)) => return Value::identifier(left.saturating_sub(right)),
            _ => {}
        }
        let (left, divisor) = (self.number_of(left, place), right);
        let right = self.number_of(right, place);
        Value::number(match operation {
            Add | AddConstant => left + right,
            Subtract | SubtractConstant => left - right,
            Multiply | MultiplyConstant => left * right,
            _ if right == 0.0 => self.complain("a divisor that is not zero", divisor, place, 0.0),
            Remainder => left % right,
            _ => left / right,
        })
    }

    #[cold]
    fn compare_slowly(&mut self, operation: Operation, left: Value, right: Value, place: (u32, u32)) -> bool {
        use Operation::*;
        let (left, right) = match (left.as_identifier(), right.as_identifier()) {
            (Some(left), Some(right)) => (f64::from(left), f64::from(right)),
            _ => (self.number_of(left, place), self.number_of(right, place)),
        };
        match operation {
            Less | JumpUnlessLess | JumpUnlessLessConstant => left < right,
            LessEqual | JumpUnlessLessEqual | JumpUnlessLessEqualConstant => left <= right,
            Greater | JumpUnlessGreater | JumpUnlessGreaterConstant => left > right,
            _ => left >= right,
        }
    }

    fn number_of(&mut self, value: Value, place: (u32, u32)) -> f64 {
        value.as_number().unwrap_or_else(|| self.complain("a number", value, place, 0.0))
    }

    /// An element of a list. Beyond its ends there is nothing, and no complaint: that is how one asks.
    fn element(&mut self, of: Value, index: Value, place: (u32, u32)) -> Value {
        let Some(elements) = of.as_list() else { return self.complain("a list", of, place, Value::NOTHING) };
        let index = match (index.as_identifier(), index.as_number()) {
            (Some(index), _) => index,
            (_, Some(index)) if number::floor(index) == index => index as i32,
            _ => return self.complain("an identifier such as `#2`", index, place, Value::NOTHING),
        };
        let found = usize::try_from(index).ok().and_then(|index| self.row(elements).get(index));
        found.copied().unwrap_or_default()
    }

    /// A field of a record or a vector. One that is not there is nothing.
    fn field(&mut self, of: Value, name: Value, place: (u32, u32)) -> Value {
        const X: StringId = StringId::new("x");
        const Y: StringId = StringId::new("y");
        const Z: StringId = StringId::new("z");
        let Some(name) = name.as_string() else { return Value::NOTHING };
        if let Some(vector) = of.as_vector() {
            let part = [(X, vector.x), (Y, vector.y), (Z, vector.z)].into_iter().find(|(known, _)| *known == name);
            let part = part.map(|(_, part)| Value::number(f64::from(part)));
            return part.unwrap_or_else(|| self.complain("a vector's field x, y or z", of, place, Value::NOTHING));
        }
        let Some(elements) = of.as_record() else { return self.complain("a record", of, place, Value::NOTHING) };
        let pairs = self.row(elements).chunks_exact(2);
        let found = pairs.into_iter().find(|pair| pair[0].as_string() == Some(name)).map(|pair| pair[1]);
        found.unwrap_or_default()
    }
}

/// How an evaluation ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    /// The function that was entered last: where it ended, if it ended early.
    pub function: u32,
    /// Whether a variable was set: then the scratch has all of them.
    pub has_set: bool,
}

/// The registers that start at `base`. At the end of the stack there are none.
#[inline]
fn window(stack: &mut [Value], base: usize) -> Result<&mut Registers, Halt> {
    stack.get_mut(base..).and_then(|rest| rest.first_chunk_mut()).ok_or(Halt::Depth)
}

/// Sorts pairs by the number in front, in place and without moving equal ones past each other.
fn sort_pairs(pairs: &mut [[Value; 2]]) {
    let key = |pair: &[Value; 2]| pair[0].as_number().unwrap_or(0.0);
    // Binary insertion: no memory, stable. Lists of scripts are short, and fuel bounds the long ones.
    for index in 1..pairs.len() {
        let pair = pairs[index];
        let place = pairs[..index].partition_point(|other| key(other) <= key(&pair));
        pairs.copy_within(place..index, place + 1);
        pairs[place] = pair;
    }
}

impl Builtin {
    /// Whether it takes so many arguments.
    pub fn takes(&self, count: usize) -> bool {
        (self.arguments.0..=self.arguments.1).contains(&count)
    }

    /// How many arguments it takes, in words.
    pub fn expected(&self) -> impl fmt::Display {
        let (least, most) = self.arguments;
        fmt::from_fn(move |formatter| match (least, most) {
            (1, 1) => write!(formatter, "1 argument"),
            _ if least == most => write!(formatter, "{least} arguments"),
            (_, usize::MAX) => write!(formatter, "at least {least} arguments"),
            _ => write!(formatter, "{least} to {most} arguments"),
        })
    }
}

impl From<Full> for Halt {
    fn from(_: Full) -> Halt {
        Halt::Memory
    }
}

impl fmt::Display for Halt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Halt::Fuel => "it took too long and was stopped",
            Halt::Memory => "its lists and records grew too large",
            Halt::Depth => "its calls were nested too deep",
            Halt::Effects => "it wanted too many effects at once",
        })
    }
}

impl core::error::Error for Halt {}
