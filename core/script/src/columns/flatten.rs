//! From a function to a plan: calls are put in place, kinds are followed, and where a lane would need something that is
//! not done here, there is a step at which it is given up.
//!
//! The registers of a call lie where the machine lays them: behind the register that holds the lambda.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use base::StringId;

use super::blending::{landings, mark_blended, without_last_copy};
use super::known::{Held, State};
use super::step::{Arithmetic, Check, Comparison, Step, Work, is_wide};
use super::{Argument, INSTRUCTIONS_MAX, Plan, REGISTERS_MAX, RESULT, SETS_MAX, STEPS_MAX, Set, TEMPORARY};
use crate::builtin::BUILTINS;
use crate::machine;
use crate::program::{Instruction, Operation, Program};
use crate::value::{Kind, Value};

/// Makes a plan, whatever fuel and depth it needs. Sets are put in place only if `may_set`.
pub(super) fn plan(
    program: &Program,
    function: u32,
    arguments: &[Value],
    variables: &[Value],
    may_set: bool,
) -> Option<Plan> {
    let first = program.functions.get(function as usize)?;
    let inputs = first.parameters.checked_add(first.carried)?;
    let mut state = State::new();
    let mut checked = Vec::new();
    for number in 0..inputs {
        let example = arguments.get(usize::from(number)).copied().unwrap_or_default();
        state.set(number, Held::of(example));
        checked.extend(Held::of(example).check(example).map(|check| Argument { number, check }));
    }
    let mut flattener = Flattener {
        program,
        variables,
        steps: Vec::new(),
        slots: 0,
        open: 0,
        fuel: 0,
        is_steady: true,
        depth: 0,
        values: 0,
        is_kernel: may_set,
        inside: Vec::new(),
        may_set,
        sets: Vec::new(),
        sets_made: 0,
    };
    let end = flattener.function(function, 0, RESULT, state).ok()??;
    let Held::Is(result) = end.get(RESULT) else { return None };
    let Flattener { mut steps, slots, fuel, is_steady, depth, values, sets, sets_made, .. } = flattener;
    let column = without_last_copy(&mut steps);
    mark_blended(&mut steps, slots, column);
    let landings = landings(&steps);
    let (parameters, carried) = (first.parameters, first.carried);
    Some(Plan {
        landings,
        steps,
        arguments: checked,
        parameters,
        carried,
        result,
        column,
        slots,
        fuel,
        is_steady,
        depth,
        values,
        sets,
        sets_made,
    })
}

/// There is no plan: it would be too large, or without end.
struct NoPlan;

struct Flattener<'p> {
    program: &'p Program,
    variables: &'p [Value],
    steps: Vec<Step>,
    slots: u16,
    /// How many slots lanes may be waiting in.
    open: u32,
    fuel: u64,
    is_steady: bool,
    depth: u32,
    values: u32,
    /// Whether other objects can be seen.
    is_kernel: bool,
    /// The functions that are being put in place, outermost first.
    inside: Vec<u32>,
    may_set: bool,
    sets: Vec<Set>,
    sets_made: u32,
}

/// A function that is being put in place.
struct Frame {
    /// Where its registers begin.
    base: u8,
    /// How many there are.
    registers: u8,
    /// The column of its result.
    result: u8,
    /// For each instruction that was jumped to: where the lanes wait, and what they know.
    waiting: BTreeMap<u32, (u16, State)>,
}

/// The right side of an operation.
#[derive(Clone, Copy)]
enum Right {
    Column(u8),
    Constant(Value),
}

/// What is known of a condition.
enum Condition {
    Always(bool),
    Truth(u8),
    Numbers(Comparison, u8, Right),
}

/// Whether control goes on to the next instruction.
type Continues = Result<bool, NoPlan>;

impl Flattener<'_> {
    /// Puts a function in place. Gives what is known at its end, or none if no lane gets there.
    fn function(&mut self, number: u32, base: u8, result: u8, state: State) -> Result<Option<State>, NoPlan> {
        let program = self.program;
        let function = program.functions.get(number as usize).ok_or(NoPlan)?;
        self.burn(function.code.len() as u64);
        let is_small = usize::from(base) + usize::from(function.registers) + SETS_MAX <= REGISTERS_MAX;
        if !is_small || self.fuel > INSTRUCTIONS_MAX || self.inside.contains(&number) {
            return Err(NoPlan);
        }
        self.inside.push(number);
        self.depth = self.depth.max(self.inside.len() as u32);
        let mut frame = Frame { base, registers: function.registers, result, waiting: BTreeMap::new() };
        let mut flowing = Some(state);
        for (at, instruction) in function.code.iter().enumerate() {
            self.land(&mut frame, at as u32, &mut flowing)?;
            let Some(state) = &mut flowing else { continue };
            let is_last = at + 1 == function.code.len();
            if !self.instruction(&mut frame, state, *instruction, is_last)? {
                flowing = None;
            }
        }
        self.land(&mut frame, END, &mut flowing)?;
        self.inside.pop();
        Ok(flowing)
    }

    /// Lets those go on that wait for an instruction.
    fn land(&mut self, frame: &mut Frame, at: u32, flowing: &mut Option<State>) -> Result<(), NoPlan> {
        let Some((slot, mut state)) = frame.waiting.remove(&at) else { return Ok(()) };
        self.open -= 1;
        if let Some(above) = flowing {
            state.join(above);
        }
        *flowing = Some(state);
        self.push(Step::control(Work::Land(slot), &[]))
    }

    fn instruction(
        &mut self,
        frame: &mut Frame,
        state: &mut State,
        instruction: Instruction,
        is_last: bool,
    ) -> Continues {
        use Operation::*;
        let Instruction { operation, a, b, c, number } = instruction;
        // No register is beyond those of the function, whose last was asked for.
        let register =
            |register: u8| frame.base.checked_add(register).filter(|column| *column < TEMPORARY).ok_or(NoPlan);
        let constant = |number: u32| self.program.constants.get(number as usize).copied().ok_or(NoPlan);
        match operation {
            Move => self.copy(state, register(a)?, register(b)?),
            Constant => {
                let value = constant(number)?;
                self.fill(state, register(a)?, value)
            }
            Variable => self.variable(state, register(a)?, number),
            Add | Subtract | Multiply | Divide | Remainder => {
                let right = Right::Column(register(c)?);
                self.arithmetic(state, arithmetic(operation), register(a)?, register(b)?, right)
            }
            AddConstant | SubtractConstant | MultiplyConstant | DivideConstant => {
                let right = Right::Constant(constant(number)?);
                self.arithmetic(state, arithmetic(operation), register(a)?, register(b)?, right)
            }
            Equal | Unequal | Less | Greater | LessEqual | GreaterEqual => {
                let (to, right) = (register(a)?, Right::Column(register(c)?));
                match self.condition(state, comparison(operation), register(b)?, right)? {
                    None => self.fail(),
                    Some(condition) => self.truth(state, to, condition),
                }
            }
            Negate => self.negate(state, register(a)?, register(b)?),
            Not => match state.get(register(b)?) {
                Held::Is(Kind::Truth) => self.make(state, Work::Not, Kind::Truth, register(a)?, &[register(b)?]),
                _ => self.fail(),
            },
            Jump => self.jump(frame, state, Work::Jump, number, &[]).map(|()| false),
            JumpUnless => match state.get(register(a)?) {
                Held::Is(Kind::Truth) => {
                    let truth = register(a)?;
                    self.jump(frame, state, Work::JumpUnless, number, &[truth]).map(|()| true)
                }
                _ => self.fail(),
            },
            JumpUnlessLess
            | JumpUnlessLessEqual
            | JumpUnlessGreater
            | JumpUnlessGreaterEqual
            | JumpUnlessEqual
            | JumpUnlessUnequal => {
                let (left, right) = (register(b)?, Right::Column(register(c)?));
                let condition = self.condition(state, comparison(operation), left, right)?;
                self.jump_unless(frame, state, condition, number)
            }
            JumpUnlessLessConstant
            | JumpUnlessLessEqualConstant
            | JumpUnlessGreaterConstant
            | JumpUnlessGreaterEqualConstant
            | JumpUnlessEqualConstant
            | JumpUnlessUnequalConstant => {
                let (left, right) = (register(b)?, Right::Constant(constant(c.into())?));
                let condition = self.condition(state, comparison(operation), left, right)?;
                self.jump_unless(frame, state, condition, number)
            }
            Lambda if c == 0 => {
                state.set(register(a)?, Held::Lambda(number));
                Ok(true)
            }
            Field => {
                let part =
                    PARTS.iter().position(|part| constant(number).ok().and_then(Value::as_string) == Some(*part));
                let name = constant(number)?.as_string().unwrap_or_default();
                match (state.get(register(b)?), part) {
                    (Held::Shared(record), _) if record.as_record().is_some() => {
                        let (pairs, _) = self.program.parts(record).as_chunks::<2>();
                        let found = pairs.iter().find(|pair| pair[0].as_string() == Some(name));
                        self.fill(state, register(a)?, found.map_or(Value::NOTHING, |pair| pair[1]))
                    }
                    (Held::Is(Kind::Nothing), _) => self.fill(state, register(a)?, Value::NOTHING),
                    (Held::Is(Kind::Handle), _) if self.is_kernel => self.look(state, register(a)?, register(b)?, name),
                    (Held::Is(Kind::Vector), Some(part)) => {
                        self.make(state, Work::Part(part as u8), Kind::Number, register(a)?, &[register(b)?])
                    }
                    _ => self.fail(),
                }
            }
            Lambda => {
                self.burn(c.into());
                self.values = self.values.saturating_add(c.into());
                let first = register(b)?;
                state.set(register(a)?, Held::Carrying { function: number, first, count: c });
                // If it lies where one of its own values lay, that one is gone.
                if (first..first.saturating_add(c)).contains(&register(a)?) {
                    state.set(register(a)?, Held::Unknown);
                }
                Ok(true)
            }
            Call => self.call(frame, state, instruction),
            Builtin => {
                let builtin = BUILTINS.get(number as usize).ok_or(NoPlan)?;
                self.burn(builtin.cost.into());
                if let ("value", Held::Lambda(lambda)) = (builtin.name, state.get(register(b)?)) {
                    return self.formula(frame, state, register(a)?, lambda);
                }
                self.builtin(state, register(a)?, register(b)?, number)
            }
            Return => {
                let continues = self.copy(state, frame.result, register(a)?)?;
                if !continues || is_last {
                    return Ok(continues);
                }
                self.jump(frame, state, Work::Jump, END, &[]).map(|()| false)
            }
            SetVariable => self.set_variable(state, register(a)?, number),
            List | Record | Index | Effect => self.fail(),
        }
    }

    fn copy(&mut self, state: &mut State, to: u8, from: u8) -> Continues {
        let held = state.get(from);
        match held {
            Held::Unknown => return self.fail(),
            Held::Is(Kind::Nothing) | Held::Lambda(_) | Held::Carrying { .. } | Held::Shared(_) => {}
            Held::Is(kind) => {
                let work = if is_wide(kind) { Work::MoveWide } else { Work::Move };
                self.push(Step::new(work, to, &[from]))?;
            }
        }
        state.set(to, held);
        Ok(true)
    }

    fn fill(&mut self, state: &mut State, to: u8, value: Value) -> Continues {
        let held = Held::of(value);
        match held {
            Held::Unknown | Held::Carrying { .. } => return self.fail(),
            Held::Is(Kind::Nothing) | Held::Lambda(_) | Held::Shared(_) => {}
            Held::Is(kind) => {
                let (bits, tag) = value.words();
                let work = if is_wide(kind) { Work::FillWide(bits, (tag >> 32) as u32) } else { Work::Fill(bits) };
                self.push(Step::new(work, to, &[]))?;
            }
        }
        state.set(to, held);
        Ok(true)
    }

    /// A variable that is set has a column of its own from the beginning; what is there in the end is what it is set to.
    fn set_variable(&mut self, state: &mut State, from: u8, number: u32) -> Continues {
        let example = self.variables.get(number as usize).copied().unwrap_or_default();
        let Held::Is(kind) = Held::of(example) else { return self.fail() };
        if !self.may_set || state.get(from) != Held::Is(kind) || kind == Kind::Nothing {
            return self.fail();
        }
        let column = match self.sets.iter().find(|set| set.variable == number) {
            Some(set) => set.column,
            None => {
                let column = (REGISTERS_MAX - 1 - self.sets.len()) as u8;
                if self.sets.len() == SETS_MAX {
                    return Err(NoPlan);
                }
                self.sets.push(Set { variable: number, column, check: Check::kind(kind), kind });
                column
            }
        };
        self.sets_made += 1;
        state.set(column, Held::Is(kind));
        let work = if is_wide(kind) { Work::MoveWide } else { Work::Move };
        self.push(Step::new(work, column, &[from]))?;
        Ok(true)
    }

    fn burn(&mut self, fuel: u64) {
        self.fuel += fuel;
        self.is_steady &= self.open == 0;
    }

    fn variable(&mut self, state: &mut State, to: u8, number: u32) -> Continues {
        if let Some(set) = self.sets.iter().find(|set| set.variable == number) {
            let (column, kind) = (set.column, set.kind);
            state.set(column, Held::Is(kind));
            return self.copy(state, to, column);
        }
        let example = self.variables.get(number as usize).copied().unwrap_or_default();
        let held = Held::of(example);
        match held {
            Held::Unknown | Held::Carrying { .. } | Held::Shared(_) => return self.fail(),
            Held::Is(Kind::Nothing) | Held::Lambda(_) => {
                if state.expect(number) {
                    self.push(Step::control(Work::Expect(number, example), &[]))?;
                }
            }
            Held::Is(kind) => self.push(Step::new(Work::Variable(number, Check::kind(kind)), to, &[]))?,
        }
        state.set(to, held);
        Ok(true)
    }

    fn arithmetic(&mut self, state: &mut State, how: Arithmetic, to: u8, left: u8, right: Right) -> Continues {
        use Arithmetic::*;
        let kinds = (state.get(left), self.held(state, right));
        let (Held::Is(left_kind), Held::Is(right_kind)) = kinds else { return self.fail() };
        if let (Kind::Number, Kind::Number, Right::Constant(value)) = (left_kind, right_kind, right) {
            let constant = value.as_number().ok_or(NoPlan)?;
            return self.make(state, Work::Constant(how, constant), Kind::Number, to, &[left]);
        }
        let is_constant = matches!(right, Right::Constant(_));
        let (work, kind) = match (how, left_kind, right_kind) {
            (_, Kind::Number, Kind::Number) => (Work::Numbers(how), Kind::Number),
            (Add, Kind::Vector, Kind::Vector) => (Work::AddVectors, Kind::Vector),
            (Subtract, Kind::Vector, Kind::Vector) => (Work::SubtractVectors, Kind::Vector),
            (Multiply, Kind::Vector, Kind::Number) | (Multiply, Kind::Number, Kind::Vector) => {
                (Work::Scale, Kind::Vector)
            }
            (Divide, Kind::Vector, Kind::Number) => (Work::Shrink, Kind::Vector),
            (Add, Kind::Identifier, Kind::Identifier) if !is_constant => (Work::AddIdentifiers, Kind::Identifier),
            (Subtract, Kind::Identifier, Kind::Identifier) if !is_constant => {
                (Work::SubtractIdentifiers, Kind::Identifier)
            }
            _ => return self.fail(),
        };
        let right = self.column(state, right)?;
        // A vector is scaled by a number from either side.
        let from = if left_kind == Kind::Number && right_kind == Kind::Vector { [right, left] } else { [left, right] };
        self.make(state, work, kind, to, &from)
    }

    /// What is known of a comparison; none if the machine would complain or look at parts.
    fn condition(
        &mut self,
        state: &mut State,
        how: Comparison,
        left: u8,
        right: Right,
    ) -> Result<Option<Condition>, NoPlan> {
        let kinds = (state.get(left), self.held(state, right));
        let is_negated = how == Comparison::Unequal;
        let is_order = !matches!(how, Comparison::Equal | Comparison::Unequal);
        let work = match kinds {
            (Held::Is(Kind::Number), Held::Is(Kind::Number)) => {
                return Ok(Some(Condition::Numbers(how, left, right)));
            }
            (Held::Is(Kind::Identifier), Held::Is(Kind::Identifier)) => Work::CompareIdentifiers(how),
            (Held::Unknown, _) | (_, Held::Unknown) | (Held::Shared(_), Held::Shared(_)) => return Ok(None),
            (Held::Lambda(_) | Held::Carrying { .. }, Held::Lambda(_) | Held::Carrying { .. }) => return Ok(None),
            _ if is_order => return Ok(None),
            (Held::Is(Kind::Nothing), Held::Is(Kind::Nothing)) => return Ok(Some(Condition::Always(!is_negated))),
            (Held::Is(left), Held::Is(right)) if left == right => match left {
                Kind::Vector => Work::SameVectors { is_negated },
                Kind::Handle => Work::SameHandles { is_negated },
                _ => Work::SameBits { is_negated },
            },
            _ => return Ok(Some(Condition::Always(is_negated))),
        };
        let right = self.column(state, right)?;
        self.make(state, work, Kind::Truth, TEMPORARY, &[left, right])?;
        Ok(Some(Condition::Truth(TEMPORARY)))
    }

    fn truth(&mut self, state: &mut State, to: u8, condition: Condition) -> Continues {
        match condition {
            Condition::Always(truth) => self.fill(state, to, Value::truth(truth)),
            Condition::Truth(truth) => self.make(state, Work::Move, Kind::Truth, to, &[truth]),
            Condition::Numbers(how, left, right) => {
                let right = self.column(state, right)?;
                self.make(state, Work::CompareNumbers(how), Kind::Truth, to, &[left, right])
            }
        }
    }

    fn jump_unless(
        &mut self,
        frame: &mut Frame,
        state: &State,
        condition: Option<Condition>,
        target: u32,
    ) -> Continues {
        match condition {
            None => self.fail(),
            Some(Condition::Always(true)) => Ok(true),
            Some(Condition::Always(false)) => self.jump(frame, state, Work::Jump, target, &[]).map(|()| false),
            Some(Condition::Truth(truth)) => self.jump(frame, state, Work::JumpUnless, target, &[truth]).map(|()| true),
            Some(Condition::Numbers(how, left, Right::Column(right))) => {
                let work = |slot| Work::JumpUnlessNumbers(how, slot);
                self.jump(frame, state, work, target, &[left, right]).map(|()| true)
            }
            Some(Condition::Numbers(how, left, Right::Constant(value))) => {
                let constant = value.as_number().ok_or(NoPlan)?;
                let work = |slot| Work::JumpUnlessConstant(how, constant, slot);
                self.jump(frame, state, work, target, &[left]).map(|()| true)
            }
        }
    }

    fn jump(
        &mut self,
        frame: &mut Frame,
        state: &State,
        work: impl FnOnce(u16) -> Work,
        target: u32,
        from: &[u8],
    ) -> Result<(), NoPlan> {
        let (slots, open) = (&mut self.slots, &mut self.open);
        let (slot, known) = frame.waiting.entry(target).or_insert_with(|| {
            *open += 1;
            *slots += 1;
            (*slots - 1, state.clone())
        });
        known.join(state);
        let slot = *slot;
        self.push(Step::control(work(slot), from))
    }

    fn negate(&mut self, state: &mut State, to: u8, from: u8) -> Continues {
        let Held::Is(kind) = state.get(from) else { return self.fail() };
        let work = match kind {
            Kind::Number => Work::Negate,
            Kind::Identifier => Work::NegateIdentifier,
            Kind::Vector => Work::NegateVector,
            _ => return self.fail(),
        };
        self.make(state, work, kind, to, &[from])
    }

    fn call(&mut self, frame: &mut Frame, state: &mut State, instruction: Instruction) -> Continues {
        let Instruction { a, b, c, .. } = instruction;
        let callee = frame.base.checked_add(b).ok_or(NoPlan)?;
        let (base, to) = (callee.checked_add(1).ok_or(NoPlan)?, frame.base.checked_add(a).ok_or(NoPlan)?);
        if to >= TEMPORARY || base >= TEMPORARY {
            return Err(NoPlan);
        }
        let (number, first, count) = match state.get(callee) {
            Held::Lambda(number) => (number, 0, 0),
            Held::Carrying { function, first, count } => (function, first, count),
            _ => return self.fail(),
        };
        let called = self.program.functions.get(number as usize).ok_or(NoPlan)?;
        if called.carried != count {
            return self.fail();
        }
        let behind = base.saturating_add(called.parameters);
        let Some(carried) = self.carry(state, first, behind, count)? else { return self.fail() };
        let mut inner = state.clone();
        let given = base.saturating_add(c.min(called.parameters));
        inner.forget_from(given);
        (given..behind).for_each(|missing| inner.set(missing, Held::Is(Kind::Nothing)));
        (behind..).zip(carried).for_each(|(column, held)| inner.set(column, held));
        let Some(end) = self.function(number, base, to, inner)? else { return Ok(false) };
        let result = end.get(to);
        *state = end;
        state.forget_from(base);
        state.set(to, result);
        Ok(true)
    }

    /// Copies what a lambda carries to where it finds it. None if that is not known.
    fn carry(&mut self, state: &State, first: u8, to: u8, count: u8) -> Result<Option<Vec<Held>>, NoPlan> {
        if usize::from(to) + usize::from(count) + SETS_MAX > REGISTERS_MAX {
            return Err(NoPlan);
        }
        let carried: Vec<Held> = (first..first.saturating_add(count)).map(|column| state.get(column)).collect();
        if carried.iter().any(|held| matches!(held, Held::Unknown | Held::Carrying { .. })) {
            return Ok(None);
        }
        for index in 0..count {
            // The rows may lie over each other: none is written before it was read.
            let index = if to <= first { index } else { count - 1 - index };
            if let Held::Is(kind) = carried[usize::from(index)]
                && kind != Kind::Nothing
                && to != first
            {
                let work = if is_wide(kind) { Work::MoveWide } else { Work::Move };
                self.push(Step::new(work, to + index, &[first + index]))?;
            }
        }
        Ok(Some(carried))
    }

    /// What another object has under a name: probably of the same kind as what this one has.
    fn look(&mut self, state: &mut State, to: u8, from: u8, name: StringId) -> Continues {
        let place = self.program.named(name);
        let example = place.and_then(|place| {
            let variable = self.variables.get(place as usize).copied();
            self.program.field_at(place).or(variable)
        });
        match example.map(Held::of) {
            Some(Held::Is(kind)) if kind != Kind::Nothing => {
                self.make(state, Work::Look(name, Check::kind(kind)), kind, to, &[from])
            }
            _ => self.fail(),
        }
    }

    /// What a formula gives: it is called without arguments, behind all registers, and may not do anything.
    fn formula(&mut self, frame: &Frame, state: &mut State, to: u8, lambda: u32) -> Continues {
        let called = self.program.functions.get(lambda as usize).ok_or(NoPlan)?;
        if called.carried > 0 {
            return self.fail();
        }
        let base = frame.base.checked_add(frame.registers).ok_or(NoPlan)?;
        let mut inner = state.clone();
        inner.forget_from(base);
        (base..base.saturating_add(called.parameters)).for_each(|missing| inner.set(missing, Held::Is(Kind::Nothing)));
        let may_set = core::mem::replace(&mut self.may_set, false);
        let end = self.function(lambda, base, to, inner);
        self.may_set = may_set;
        let Some(mut end) = end? else { return Ok(false) };
        let result = end.get(to);
        end.forget_from(base);
        end.set(to, result);
        *state = end;
        Ok(true)
    }

    fn builtin(&mut self, state: &mut State, to: u8, first: u8, number: u32) -> Continues {
        use Kind::{Identifier, Number, Vector};
        let builtin = BUILTINS.get(number as usize).ok_or(NoPlan)?;
        let from = [0, 1, 2].map(|index| first.saturating_add(index).min(TEMPORARY));
        let held = from.map(|column| state.get(column));
        let kinds = held.map(|held| if let Held::Is(kind) = held { Some(kind) } else { None });
        let (work, kind, count) = match (builtin.name, &builtin.work, kinds) {
            ("abs", _, [Some(Number), ..]) => (Work::Absolute, Number, 1),
            ("min", _, [Some(Number), Some(Number), _]) => (Work::Numbers(Arithmetic::Min), Number, 2),
            ("max", _, [Some(Number), Some(Number), _]) => (Work::Numbers(Arithmetic::Max), Number, 2),
            (_, machine::Work::Unary(work), [Some(Number), ..]) => (Work::Unary(*work), Number, 1),
            (_, machine::Work::Binary(work), [Some(Number), Some(Number), _]) => (Work::Binary(*work), Number, 2),
            ("clamp", _, [Some(Number), Some(Number), Some(Number)]) => (Work::Clamp, Number, 3),
            ("lerp", _, [Some(Number), Some(Number), Some(Number)]) => (Work::Lerp, Number, 3),
            ("vec", _, [Some(Number), Some(Number), Some(Number)]) => (Work::Vector, Vector, 3),
            ("dot", _, [Some(Vector), Some(Vector), _]) => (Work::Dot, Number, 2),
            ("cross", _, [Some(Vector), Some(Vector), _]) => (Work::Cross, Vector, 2),
            ("length", _, [Some(Vector), ..]) => (Work::Length, Number, 1),
            ("distance", _, [Some(Vector), Some(Vector), _]) => (Work::Distance, Number, 2),
            ("normal", _, [Some(Vector), ..]) => (Work::Normal, Vector, 1),
            ("number", _, [Some(Identifier), ..]) => (Work::NumberOfIdentifier, Number, 1),
            ("identifier", _, [Some(Number), ..]) => (Work::IdentifierOfNumber, Identifier, 1),
            ("number", _, [Some(Number), ..])
            | ("identifier", _, [Some(Identifier), ..])
            | ("value", _, [Some(_), ..]) => {
                return self.copy(state, to, first);
            }
            ("is_living", _, [Some(Kind::Handle), ..]) if self.is_kernel => (Work::Living, Kind::Truth, 1),
            ("kind", _, [Some(kind), ..]) => {
                return self.fill(state, to, Value::string(StringId::new(kind.name())));
            }
            _ => return self.fail(),
        };
        self.make(state, work, kind, to, &from[..count])
    }

    /// A step that gives a value of a kind.
    fn make(&mut self, state: &mut State, work: Work, kind: Kind, to: u8, from: &[u8]) -> Continues {
        self.push(Step::new(work, to, from))?;
        state.set(to, Held::Is(kind));
        Ok(true)
    }

    /// The right side as a column.
    fn column(&mut self, state: &mut State, right: Right) -> Result<u8, NoPlan> {
        match right {
            Right::Column(column) => Ok(column),
            Right::Constant(value) => self.fill(state, TEMPORARY, value).map(|_| TEMPORARY),
        }
    }

    fn held(&self, state: &State, right: Right) -> Held {
        match right {
            Right::Column(column) => state.get(column),
            Right::Constant(value) => Held::of(value),
        }
    }

    fn fail(&mut self) -> Continues {
        self.push(Step::control(Work::Fail, &[])).map(|()| false)
    }

    fn push(&mut self, step: Step) -> Result<(), NoPlan> {
        if self.steps.len() >= STEPS_MAX {
            return Err(NoPlan);
        }
        self.steps.push(step);
        Ok(())
    }
}

/// The fields of a vector.
const PARTS: [StringId; 3] = [StringId::new("x"), StringId::new("y"), StringId::new("z")];
/// Where those wait that returned: behind all instructions.
const END: u32 = u32::MAX;

fn arithmetic(operation: Operation) -> Arithmetic {
    use Operation::*;
    match operation {
        Add | AddConstant => Arithmetic::Add,
        Subtract | SubtractConstant => Arithmetic::Subtract,
        Multiply | MultiplyConstant => Arithmetic::Multiply,
        Remainder => Arithmetic::Remainder,
        _ => Arithmetic::Divide,
    }
}

fn comparison(operation: Operation) -> Comparison {
    use Operation::*;
    match operation {
        Less | JumpUnlessLess | JumpUnlessLessConstant => Comparison::Less,
        LessEqual | JumpUnlessLessEqual | JumpUnlessLessEqualConstant => Comparison::LessEqual,
        Greater | JumpUnlessGreater | JumpUnlessGreaterConstant => Comparison::Greater,
        GreaterEqual | JumpUnlessGreaterEqual | JumpUnlessGreaterEqualConstant => Comparison::GreaterEqual,
        Equal | JumpUnlessEqual | JumpUnlessEqualConstant => Comparison::Equal,
        _ => Comparison::Unequal,
    }
}
