//! The virtual machine: a register-based bytecode interpreter.
//!
//! Read before changing anything here:
//! 1. The registers of all calls lie on one stack; the arguments of a call lie where the callee's parameters are
//!    (overlapping register windows), so that a call copies nothing.
//! 2. Programs are verified, and jumps go forward only: a function always ends. So fuel is counted where work can grow:
//!    at calls, and by built-ins for each element.
//! 3. A value of a wrong kind is a complaint and a default; only running out of fuel, memory or stack halts an
//!    evaluation.
//! 4. Nothing here may depend on register contents of earlier evaluations: a function writes a register before it reads
//!    it (the verifier checks that; missing arguments are `nothing`).
//! 5. Nothing here allocates.
//! 6. `machine/fast_path.rs` executes operations on numbers, and leaves all others to this file. Both must implement
//!    the same semantics; tests compare the kernels with this file.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use base::{Handle, StringId, Vec3};

use crate::arena::{Arena, Full, Spaces};
use crate::cache::Cache;
use crate::effect;
use crate::facts::Cacheability;
use crate::kernel;
use crate::meter::{Meter, WHOLE};
use crate::program::{Function, Instruction, Operation, Program, TAIL};
use crate::query::EmptyResult;
use crate::row::{RowView, SetRecord};
use crate::types::{ARGUMENTS_MAX, arguments_in_words};
use crate::value::{Elements, Kind, Value};

mod building;
mod calling;
mod fast_path;
mod memoisation;
mod metering;
mod remote;
mod scratch;
mod slow_path;
mod waiting;
mod workspace;

use fast_path::run_numbers;
use memoisation::{CacheLookup, PendingResult};

/// The limits of one evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Work: roughly one for every instruction, call and element.
    pub fuel: u64,
    /// Calls within calls; at most [`DEPTH_MAX`].
    pub depth: u32,
    /// Values in the lists, records and lambdas it creates.
    pub values: u32,
    /// Effects, and as many sets.
    pub effects: u32,
}

/// The deepest nesting of calls, regardless of the limits: built-ins that call lambdas use the native stack.
pub const DEPTH_MAX: u32 = 256;

impl Default for Limits {
    /// The limits of an object's update.
    fn default() -> Limits {
        Limits { fuel: 100_000, depth: 64, values: 16 * 1024, effects: 256 }
    }
}

/// The context of an evaluation.
#[derive(Clone, Copy)]
pub struct EvaluationContext<'a> {
    /// The program.
    pub program: &'a Program,
    /// The handle of the object itself, if it has one.
    pub this: Value,
    /// The other objects.
    pub outside: &'a dyn Outside,
    /// The time in the world, in milliseconds, from which timers count.
    pub now: f64,
    /// The seed of the world. Random numbers follow from it, the object and the object's counter.
    pub seed: u64,
}

/// The other objects, as they were when the cycle began.
pub trait Outside {
    /// The row of an object and its program; `None` if it is destroyed.
    fn object(&self, handle: Handle<()>, array: u16) -> Option<(&Program, RowView<'_>)>;

    /// A fast path for variables that can be read without the object's row: a value without parts, bit-identical to the
    /// row's. `None` if only the row has it.
    fn known(&self, _handle: Handle<()>, _array: u16, _name: StringId) -> Option<Value> {
        None
    }

    /// Whether an object is alive.
    fn is_there(&self, handle: Handle<()>, array: u16) -> bool {
        self.object(handle, array).is_some()
    }

    /// Answers the query of this number in the table with which the program was compiled. Missing arguments are
    /// nothing; the cost of its row is paid. By default finds nothing.
    fn query(
        &self,
        number: u32,
        _arguments: &[Value; ARGUMENTS_MAX],
        machine: &mut Machine<'_>,
    ) -> Result<Value, Halt> {
        machine.find_nothing(number)
    }
}

/// There are no other objects.
pub struct Nowhere;

impl Outside for Nowhere {
    fn object(&self, _: Handle<()>, _: u16) -> Option<(&Program, RowView<'_>)> {
        None
    }
}

/// Why an evaluation halted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// It used up its fuel.
    Fuel,
    /// Its lists and records exceeded their limit.
    Memory,
    /// Calls were nested too deep.
    Depth,
    /// It requested too many effects.
    Effects,
    /// Its lists and records do not fit into the row.
    Room,
}

/// One built-in. The table is in `builtin`.
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// Its signature.
    pub signature: &'static str,
    /// What it does.
    pub help: &'static str,
    /// An expression and its value, both as a designer writes them.
    pub example: (&'static str, &'static str),
    /// The fewest and the most arguments.
    pub(crate) arguments: (usize, usize),
    /// The fuel of a call, without its elements and the lambdas it calls.
    pub cost: u32,
    /// Its implementation.
    pub(crate) work: Work,
}

/// The implementation of a built-in.
pub(crate) enum Work {
    /// One number to another.
    Unary(fn(f64) -> f64),
    /// Two numbers to a third.
    Binary(fn(f64, f64) -> f64),
    /// Three numbers to a fourth.
    Ternary(fn(f64, f64, f64) -> f64),
    /// Any other function. Beyond its fixed cost it charges fuel with `Machine::burn`.
    Any(fn(&mut Machine<'_>, Arguments<'_>) -> Result<Value, Halt>),
    /// The same, but it looks at another object, so that its result must not be memoised.
    Look(fn(&mut Machine<'_>, Arguments<'_>) -> Result<Value, Halt>),
}

/// The arguments of a built-in.
pub(crate) struct Arguments<'s> {
    /// The arguments; missing ones are nothing.
    pub values: [Value; ARGUMENTS_MAX],
    /// The free part of the stack, for lambdas it calls.
    pub stack: &'s mut [Value],
}

/// The workspace of a worker for evaluations: allocated once, and reused.
pub struct Scratch {
    stack: Vec<Value>,
    region: Arena,
    frames: Vec<Frame>,
    building: Vec<Value>,
    variables: Vec<Value>,
    /// Whether `variables` already equals the variables of the row, which spares the copy at the first set.
    is_mirror: bool,
    sets: Vec<SetRecord>,
    effects: Vec<EffectRequest>,
    complaints: Vec<Complaint>,
    pending: Vec<PendingResult>,
    /// A workspace for compacting a row.
    spare: Vec<Value>,
    cache: Cache,
    kernel: Box<kernel::KernelRegisters>,
    /// Whether whole evaluations may run as kernels.
    is_fast: bool,
    limits: Limits,
    /// Counts the fuel of evaluations, if a profile was prepared.
    meter: Option<Box<Meter>>,
}

/// An effect that a script requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EffectRequest {
    /// Its name.
    pub name: StringId,
    /// Its arguments, a list in the scratch's arena.
    pub arguments: Value,
    /// The function and the instruction of the call.
    pub place: (u32, u32),
}

/// A complaint: a value had the wrong kind, and a default was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The function.
    pub function: u32,
    /// The instruction.
    pub instruction: u32,
    /// The expected kind.
    pub expected: &'static str,
    /// The value that was found. Its parts may be gone.
    pub found: Value,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    function: u32,
    instruction: u32,
    base: u32,
    /// The number of calls with this result that are to be cached: the call itself, and the tail calls in its place.
    missed: u32,
}

/// The effect that calls a lambda for each element of a list.
const EACH: StringId = StringId::new("Each");

const COMPLAINTS_MAX: usize = 16;

/// A running evaluation.
pub struct Machine<'a> {
    program: &'a Program,
    place: EvaluationContext<'a>,
    builtins: &'static [Builtin],
    /// The row as it was when the evaluation began.
    row: &'a [Value],
    /// The workspace, without the stack, which is passed as an argument.
    scratch: &'a mut Scratch,
    /// Whether a variable was set: from then on the variables are in the scratch.
    has_set: bool,
    /// Whether a variable was read through a handle, or the world was queried: such a result is not cached.
    has_looked: bool,
    /// Whether a built-in is calling a lambda, which must be pure.
    is_pure: bool,
    /// Whether the scratch has a meter that counts.
    is_metered: bool,
    /// The least cacheability of functions whose results are looked up.
    threshold: Option<Cacheability>,
    fuel: u64,
    depth: u32,
    /// The largest depth and the longest list under construction since they were last reset.
    depth_peak: u32,
    building_peak: u32,
    tickets: u32,
    complained: u32,
    /// The current function and instruction, for complaints of built-ins.
    at: (u32, u32),
}

/// The register window of one call: indexed by a byte, which needs no bounds check.
type Registers = [Value; 256];

impl<'a> Machine<'a> {
    /// Begins an evaluation over a row: `work` gets the machine and its stack.
    ///
    /// # Panics
    /// If the scratch is in use by another evaluation.
    pub(crate) fn begin<R>(
        place: EvaluationContext<'a>,
        builtins: &'static [Builtin],
        row: RowView<'a>,
        scratch: &'a mut Scratch,
        work: impl FnOnce(&mut Machine<'a>, &mut [Value]) -> R,
    ) -> (R, Ended) {
        scratch.begin();
        scratch.pending.clear();
        scratch.building.clear();
        scratch.frames.clear();
        let program = place.program;
        scratch.cache.serve(program.stamp, program.all);
        let mut stack = core::mem::take(&mut scratch.stack);
        assert!(!stack.is_empty(), "a scratch serves one evaluation at a time");
        let mut machine = Machine {
            program,
            place,
            builtins,
            row: row.values,
            has_set: false,
            has_looked: false,
            is_pure: false,
            is_metered: scratch.meter.as_deref().is_some_and(Meter::is_on),
            threshold: scratch.cache.threshold(),
            fuel: scratch.limits.fuel,
            depth: 0,
            depth_peak: 0,
            building_peak: 0,
            tickets: row.head.tickets,
            complained: 0,
            at: (0, 0),
            scratch,
        };
        let result = work(&mut machine, &mut stack);
        assert!(machine.depth == 0 && machine.scratch.frames.is_empty(), "every call was left again");
        assert!(machine.scratch.building.is_empty(), "every list under construction was finished or dropped");
        if machine.is_metered {
            machine.end_metered();
        }
        let ended =
            Ended { at: machine.at, has_set: machine.has_set, tickets: machine.tickets, fuel_left: machine.fuel };
        machine.scratch.stack = stack;
        (result, ended)
    }

    /// Calls a lambda, with its register window at the start of `stack`.
    #[inline]
    pub(crate) fn call(&mut self, stack: &mut [Value], lambda: Value, arguments: &[Value]) -> Result<Value, Halt> {
        let Some((number, captured)) = self.lambda(lambda) else {
            return Ok(self.wrong(Kind::Lambda, lambda, Value::NOTHING));
        };
        let recall = self.recall(number, arguments);
        match recall {
            CacheLookup::Found(result) => return Ok(result),
            CacheLookup::Unasked | CacheLookup::Missed => {
                if let Some(result) = self.run_kernel(number, arguments, captured) {
                    if let CacheLookup::Missed = recall {
                        self.remember(result);
                    }
                    return Ok(result);
                }
            }
        }
        let (depth, at, frames) = (self.depth, self.at, self.scratch.frames.len());
        let places = stack.get_mut(..arguments.len()).ok_or(Halt::Depth)?;
        places.iter_mut().zip(arguments).for_each(|(place, argument)| *place = *argument);
        let result = self.run(stack, number, captured, arguments.len());
        self.scratch.frames.truncate(frames);
        self.depth = depth;
        if let Ok(result) = result {
            self.at = at;
            if let CacheLookup::Missed = recall {
                self.remember(result);
            }
        }
        result
    }

    /// Runs a call as a kernel, if the function has one with constant fuel and without sets.
    #[inline]
    fn run_kernel(&mut self, number: u32, arguments: &[Value], captured: Elements) -> Option<Value> {
        let kernel = self.program.kernel(number)?;
        let depth = self.depth + kernel.depth;
        let fuel = self.fuel.checked_sub(kernel.fuel)?;
        if !kernel.has_constant_fuel || kernel.sets_made > 0 || depth > self.scratch.limits.depth {
            return None;
        }
        let scratch = &mut *self.scratch;
        let building = scratch.building.len() as u32 + kernel.building_max;
        if building > scratch.limits.values {
            return None;
        }
        let variables = if self.has_set { &scratch.variables[..] } else { self.row };
        let spaces = Spaces { made: scratch.region.all(), kept: self.row, shared: &self.program.shared };
        let captured = spaces.parts(captured);
        let result = kernel.run(&mut scratch.kernel, (arguments, captured), variables, &self.place)?;
        if !scratch.region.charge(kernel.values_max as usize) {
            return None;
        }
        self.has_looked |= kernel.reads_others;
        self.fuel = fuel;
        if self.is_metered {
            self.meter((number, WHOLE), kernel.fuel);
        }
        self.depth_peak = self.depth_peak.max(depth);
        self.building_peak = self.building_peak.max(building);
        Some(result)
    }

    /// Calls a lambda for a built-in: it must be pure.
    #[inline]
    pub(crate) fn ask(&mut self, stack: &mut [Value], lambda: Value, arguments: &[Value]) -> Result<Value, Halt> {
        let is_pure = core::mem::replace(&mut self.is_pure, true);
        let result = self.call(stack, lambda, arguments);
        self.is_pure = is_pure;
        result
    }

    /// The dispatch loop: executes a function whose arguments lie at the start of the stack, and all it calls.
    fn run(&mut self, stack: &mut [Value], first: u32, captured: Elements, arguments: usize) -> Result<Value, Halt> {
        use Operation::*;
        let program: &'a Program = self.program;
        let constants: &'a [Value] = &program.constants;
        let outer_frames = self.scratch.frames.len();
        let stack_len = stack.len();
        // The tail calls in place of the first function whose results are to be cached.
        let mut outer_missed = 0_u32;
        let mut number = first;
        let mut base = 0_usize;
        let mut function: &'a Function = self.enter(stack, number, captured, base, arguments)?;
        let mut code: &'a [Instruction] = &function.code;
        let mut registers = window(stack, base)?;
        // The program counter: the instructions that are left.
        let mut rest = code.iter();
        loop {
            let variables = if self.has_set { &self.scratch.variables[..] } else { self.row };
            run_numbers(registers, code, &mut rest, constants, variables);
            let Some(next) = rest.next() else {
                debug_assert!(false, "a verified function ends with `Return`");
                return Ok(Value::NOTHING);
            };
            debug_assert!(base + usize::from(function.registers) <= stack_len, "the register window is on the stack");
            let Instruction { operation, a, b, c, number: value } = *next;
            macro_rules! register {
                ($index:expr) => {
                    registers[usize::from($index)]
                };
            }
            macro_rules! place {
                () => {
                    (number, (code.len() - rest.len() - 1) as u32)
                };
            }
            macro_rules! jump_unless {
                ($holds:expr) => {
                    if !$holds {
                        rest = code.get(value as usize..).unwrap_or(&[]).iter();
                    }
                };
            }
            match operation {
                Move => register!(a) = register!(b),
                Constant => register!(a) = constants[value as usize],
                Variable => register!(a) = self.variable(value),
                SetVariable => {
                    self.at = place!();
                    self.set_variable(value, register!(a), place!())?;
                }
                Add | Subtract | Multiply | Divide | Remainder => {
                    register!(a) = self.arithmetic_slowly(operation, register!(b), register!(c), place!());
                }
                AddConstant | SubtractConstant | MultiplyConstant | DivideConstant => {
                    let right = constants[value as usize];
                    register!(a) = self.arithmetic_slowly(operation, register!(b), right, place!());
                }
                Equal | Unequal => {
                    self.at = place!();
                    let is_same = self.is_same(register!(b), register!(c))?;
                    register!(a) = Value::truth(is_same == (operation == Equal));
                }
                Less | Greater | LessEqual | GreaterEqual => {
                    let holds = self.compare_slowly(operation, register!(b), register!(c), place!());
                    register!(a) = Value::truth(holds);
                }
                Negate => register!(a) = self.negate_slowly(register!(b), place!()),
                Not => register!(a) = Value::truth(!self.truth_of(register!(b), place!())),
                Jump => rest = code.get(value as usize..).unwrap_or(&[]).iter(),
                JumpUnless => jump_unless!(self.truth_of(register!(a), place!())),
                JumpUnlessLess | JumpUnlessLessEqual | JumpUnlessGreater | JumpUnlessGreaterEqual => {
                    jump_unless!(self.compare_slowly(operation, register!(b), register!(c), place!()));
                }
                JumpUnlessLessConstant
                | JumpUnlessLessEqualConstant
                | JumpUnlessGreaterConstant
                | JumpUnlessGreaterEqualConstant => {
                    let right = constants[usize::from(c)];
                    jump_unless!(self.compare_slowly(operation, register!(b), right, place!()));
                }
                JumpUnlessEqual | JumpUnlessUnequal => {
                    self.at = place!();
                    let is_same = self.is_same(register!(b), register!(c))?;
                    jump_unless!(is_same == (operation == JumpUnlessEqual));
                }
                JumpUnlessEqualConstant | JumpUnlessUnequalConstant => {
                    self.at = place!();
                    let is_same = self.is_same(register!(b), constants[usize::from(c)])?;
                    jump_unless!(is_same == (operation == JumpUnlessEqualConstant));
                }
                List => {
                    self.at = place!();
                    self.burn(u64::from(c))?;
                    let made = self.scratch.region.push(&registers[usize::from(b)..][..usize::from(c)])?;
                    register!(a) = Value::list(made);
                }
                Record => {
                    self.at = place!();
                    self.burn(u64::from(c))?;
                    register!(a) = self.scratch.region.record(&registers[usize::from(b)..][..usize::from(c)])?;
                }
                Lambda => {
                    self.at = place!();
                    self.burn(u64::from(c))?;
                    let made = self.scratch.region.push(&registers[usize::from(b)..][..usize::from(c)])?;
                    register!(a) = Value::lambda(value, made);
                }
                Index => {
                    self.at = place!();
                    register!(a) = self.element(register!(b), register!(c), place!())?;
                }
                Field => {
                    self.at = place!();
                    register!(a) = self.field(register!(b), constants[value as usize], place!())?;
                }
                Call => {
                    let callee = register!(b);
                    let Some((next, captured)) = self.lambda(callee) else {
                        register!(a) = self.complain("a lambda", callee, place!(), Value::NOTHING);
                        continue;
                    };
                    let is_tail = value == TAIL;
                    // A tail call is made from the caller's place.
                    self.depth -= u32::from(is_tail);
                    let recall = {
                        let first = usize::from(b).wrapping_add(1);
                        let arguments = registers.get(first..first + usize::from(c)).unwrap_or(&[]);
                        self.recall(next, arguments)
                    };
                    let known = match recall {
                        CacheLookup::Found(result) => Some(result),
                        CacheLookup::Unasked | CacheLookup::Missed => {
                            let first = usize::from(b).wrapping_add(1);
                            let arguments = registers.get(first..first + usize::from(c)).unwrap_or(&[]);
                            let result = self.run_kernel(next, arguments, captured);
                            if let (CacheLookup::Missed, Some(result)) = (&recall, result) {
                                self.remember(result);
                            }
                            result
                        }
                    };
                    if let Some(result) = known {
                        self.depth += u32::from(is_tail);
                        register!(a) = result;
                        continue;
                    }
                    let is_missed = matches!(recall, CacheLookup::Missed);
                    if is_tail {
                        let first = usize::from(b).wrapping_add(1);
                        registers.copy_within(first..first + usize::from(c), 0);
                        let missed = match self.scratch.frames.get_mut(outer_frames..).and_then(<[Frame]>::last_mut) {
                            Some(frame) => &mut frame.missed,
                            None => &mut outer_missed,
                        };
                        *missed += u32::from(is_missed);
                    } else {
                        let missed = u32::from(is_missed);
                        let frame = Frame { function: number, instruction: place!().1, base: base as u32, missed };
                        self.scratch.frames.push(frame);
                        base = base.wrapping_add(usize::from(b)).wrapping_add(1);
                    }
                    function = self.enter(stack, next, captured, base, usize::from(c))?;
                    (number, code) = (next, &function.code);
                    rest = code.iter();
                    registers = window(stack, base)?;
                }
                Builtin => {
                    self.at = place!();
                    let builtin = &self.builtins[value as usize];
                    self.burn(builtin.cost.into())?;
                    match &builtin.work {
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
                        Work::Ternary(work) => {
                            let [first, second, third] = [0, 1, 2].map(|index| registers[usize::from(b) + index]);
                            let first = first.as_number().unwrap_or_else(|| self.number_of(first, place!()));
                            let second = second.as_number().unwrap_or_else(|| self.number_of(second, place!()));
                            let third = third.as_number().unwrap_or_else(|| self.number_of(third, place!()));
                            register!(a) = Value::number(work(first, second, third));
                        }
                        Work::Any(work) | Work::Look(work) => {
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
                Query => {
                    self.at = place!();
                    let query = &program.queries[value as usize];
                    self.burn(query.cost.into())?;
                    // The same arguments may give a different result in the next cycle.
                    self.has_looked = true;
                    let mut values = [Value::NOTHING; ARGUMENTS_MAX];
                    let count = usize::from(c).min(ARGUMENTS_MAX);
                    values[..count].copy_from_slice(&registers[usize::from(b)..][..count]);
                    let outside = self.place.outside;
                    register!(a) = outside.query(value, &values, self)?;
                }
                Effect => {
                    self.at = place!();
                    self.burn(u64::from(c) + 1)?;
                    let arguments = self.scratch.region.push(&registers[usize::from(b)..][..usize::from(c)])?;
                    let name = constants[value as usize].as_string().unwrap_or_default();
                    if name == EACH {
                        let free = base + usize::from(function.registers);
                        self.each(&mut stack[free..], arguments)?;
                        registers = window(stack, base)?;
                        register!(a) = Value::NOTHING;
                        continue;
                    }
                    register!(a) = self.want(name, Value::list(arguments), place!())?;
                }
                Return => {
                    let result = register!(a);
                    if self.scratch.frames.len() == outer_frames {
                        (0..outer_missed).for_each(|_| self.remember(result));
                        return Ok(result);
                    }
                    let Some(frame) = self.scratch.frames.pop() else { return Ok(result) };
                    (number, base) = (frame.function, frame.base as usize);
                    function = &program.functions[number as usize];
                    code = &function.code;
                    rest = code.get(frame.instruction as usize..).unwrap_or(&[]).iter();
                    registers = window(stack, base)?;
                    debug_assert!(self.depth > 0, "a frame was pushed by a call");
                    self.depth -= 1;
                    (0..frame.missed).for_each(|_| self.remember(result));
                    if let Some(call) = rest.next() {
                        debug_assert_eq!(call.operation, Call, "a frame returns to its call");
                        register!(call.a) = result;
                    }
                }
            }
        }
    }

    /// The function of a lambda and its captured values. None if the program has no such function: a row may hold any
    /// bytes.
    #[inline]
    fn lambda(&self, value: Value) -> Option<(u32, Elements)> {
        value.as_lambda().filter(|(number, _)| (*number as usize) < self.program.functions.len())
    }

    /// Enters a function: pays for the call, and copies the captured values behind the parameters.
    #[inline]
    fn enter(
        &mut self,
        stack: &mut [Value],
        number: u32,
        captured: Elements,
        base: usize,
        arguments: usize,
    ) -> Result<&'a Function, Halt> {
        let program: &'a Program = self.program;
        let function = program.functions.get(number as usize).ok_or(Halt::Depth)?;
        self.at = (number, 0);
        let fuel = function.code.len() as u64;
        self.fuel = self.fuel.checked_sub(fuel).ok_or(Halt::Fuel)?;
        if self.is_metered {
            self.meter((number, WHOLE), fuel);
        }
        self.depth += 1;
        if self.depth > self.scratch.limits.depth {
            return Err(Halt::Depth);
        }
        self.depth_peak = self.depth_peak.max(self.depth);
        let (parameters, captures) = (usize::from(function.parameters), usize::from(function.captured));
        if arguments < parameters {
            let missing = stack.get_mut(base + arguments..base + parameters).ok_or(Halt::Depth)?;
            missing.fill(Value::NOTHING);
        }
        if captures > 0 {
            // One by one: there are few, and a copy of unknown length is a call of `memcpy`. Missing values are
            // nothing.
            let places = stack.get_mut(base + parameters..base + parameters + captures).ok_or(Halt::Depth)?;
            let values = self.row(captured);
            for (index, place) in places.iter_mut().enumerate() {
                *place = values.get(index).copied().unwrap_or_default();
            }
        }
        Ok(function)
    }

    #[inline]
    fn variable(&self, number: u32) -> Value {
        let variables = if self.has_set { &self.scratch.variables[..] } else { self.row };
        variables.get(number as usize).copied().unwrap_or_default()
    }

    fn set_variable(&mut self, number: u32, value: Value, place: (u32, u32)) -> Result<(), Halt> {
        if self.is_pure {
            self.complain("a lambda that sets no variable", Value::NOTHING, place, ());
            return Ok(());
        }
        if self.scratch.sets.len() >= self.scratch.limits.effects as usize {
            return Err(Halt::Effects);
        }
        if !self.has_set {
            self.has_set = true;
            if !self.scratch.is_mirror {
                let count = self.program.variables.len().min(self.row.len());
                self.scratch.variables.clear();
                self.scratch.variables.extend_from_slice(&self.row[..count]);
            }
        }
        if let Some(variable) = self.scratch.variables.get_mut(number as usize) {
            *variable = value;
            let (function, instruction) = place;
            self.scratch.sets.push(SetRecord { variable: number, function, instruction });
        }
        Ok(())
    }

    /// Requests an effect. Returns the number of a timer, otherwise nothing.
    fn want(&mut self, name: StringId, arguments: Value, place: (u32, u32)) -> Result<Value, Halt> {
        if self.is_pure {
            return Ok(self.complain("a lambda without effects", Value::NOTHING, place, Value::NOTHING));
        }
        if self.scratch.effects.len() >= self.scratch.limits.effects as usize {
            return Err(Halt::Effects);
        }
        if let Some(gives) = self.wait(name, arguments, place)? {
            return Ok(gives);
        }
        // Lambdas cannot be sent: in a message they become nothing.
        let arguments = if name == effect::SEND { arguments } else { self.with_callbacks(arguments, place)? };
        self.scratch.effects.push(EffectRequest { name, arguments, place });
        Ok(Value::NOTHING)
    }

    /// Uses up fuel.
    #[inline]
    pub fn burn(&mut self, fuel: u64) -> Result<(), Halt> {
        self.fuel = self.fuel.checked_sub(fuel).ok_or(Halt::Fuel)?;
        if self.is_metered {
            self.meter(self.at, fuel);
        }
        Ok(())
    }

    /// Values as numbers.
    pub(crate) fn numbers<const N: usize>(&mut self, values: &[Value; ARGUMENTS_MAX]) -> [f64; N] {
        core::array::from_fn(|index| {
            let value = values[index];
            value.as_number().unwrap_or_else(|| self.wrong(Kind::Number, value, 0.0))
        })
    }

    /// The first values as vectors; others are a complaint and the zero vector.
    pub fn vectors<const N: usize>(&mut self, values: &[Value; ARGUMENTS_MAX]) -> [Vec3; N] {
        core::array::from_fn(|index| {
            let value = values[index];
            value.as_vector().unwrap_or_else(|| self.wrong(Kind::Vector, value, Vec3::default()))
        })
    }

    /// The elements of a list; none for other values.
    pub fn list(&self, list: Value) -> &[Value] {
        list.as_list().map_or(&[], |elements| self.row(elements))
    }

    /// The parts of a list, a record or a lambda.
    pub fn parts(&self, value: Value) -> &[Value] {
        value.parts().map_or(&[], |elements| self.row(elements))
    }

    fn row(&self, elements: Elements) -> &[Value] {
        let shared = &self.program.shared;
        Spaces { made: self.scratch.region.all(), kept: self.row, shared }.parts(elements)
    }

    /// The result of a predicate as a truth.
    pub(crate) fn holds(&mut self, verdict: Value) -> bool {
        verdict.as_truth().unwrap_or_else(|| self.wrong(Kind::Truth, verdict, false))
    }

    /// Complains about an argument of a wrong kind, and returns a default.
    #[cold]
    pub fn wrong<T>(&mut self, expected: Kind, found: Value, default: T) -> T {
        self.complain(expected.name(), found, self.at, default)
    }

    #[cold]
    fn complain<T>(&mut self, expected: &'static str, found: Value, place: (u32, u32), default: T) -> T {
        self.complained = self.complained.saturating_add(1);
        let complaint = Complaint { function: place.0, instruction: place.1, expected, found };
        let complaints = &mut self.scratch.complaints;
        let key = |of: &Complaint| (of.function, of.instruction, of.expected, of.found.kind());
        if complaints.len() < COMPLAINTS_MAX && !complaints.iter().any(|known| key(known) == key(&complaint)) {
            complaints.push(complaint);
        }
        default
    }
}

/// The state at the end of an evaluation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    /// The function and instruction at which it halted, if it did.
    pub at: (u32, u32),
    /// Whether a variable was set: then the variables are in the scratch.
    pub has_set: bool,
    /// The counter of the object's requests.
    pub tickets: u32,
    /// The fuel that was not used.
    pub fuel_left: u64,
}

/// The register window at `base`; an error at the end of the stack.
#[inline]
fn window(stack: &mut [Value], base: usize) -> Result<&mut Registers, Halt> {
    stack.get_mut(base..).and_then(|rest| rest.first_chunk_mut()).ok_or(Halt::Depth)
}

impl Builtin {
    /// Whether it takes this number of arguments.
    pub fn takes(&self, count: usize) -> bool {
        (self.arguments.0..=self.arguments.1).contains(&count)
    }

    /// The number of arguments it takes, as text.
    pub fn expected(&self) -> impl fmt::Display {
        arguments_in_words(self.arguments)
    }
}

impl From<Full> for Halt {
    fn from(_: Full) -> Halt {
        Halt::Memory
    }
}

impl core::error::Error for Halt {}
