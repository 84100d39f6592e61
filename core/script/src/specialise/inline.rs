//! Inlining and abstract interpretation: from bytecode to a straight list of typed steps.
//!
//! The function is walked once, in order, which is enough because jumps go forward only. Calls of known lambdas are
//! inlined, the kind of every register is tracked, and each instruction becomes steps for exactly those kinds. An
//! instruction without such a step becomes [`IrOperation::Fail`]: a run that reaches it bails out, and the virtual
//! machine begins from the start.
//!
//! The registers of an inlined call lie where the virtual machine lays them: behind the register that holds the lambda.

mod lists;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use base::StringId;

use super::abstract_state::{AbstractState, AbstractValue};
use super::ir::{Arithmetic, Comparison, INLINED_INSTRUCTIONS_MAX, InlinedFunction, IrOperation, IrStep};
use super::ir::{ELEMENTS_START, REGISTERS_MAX, RESULT, SETS_MAX, STEPS_MAX, TEMPORARY};
use crate::builtin::BUILTINS;
use crate::facts::Cacheability;
use crate::kernel::{Guard, GuardedArgument, VariableRegister, is_wide};
use crate::machine;
use crate::program::{Instruction, Operation, Program};
use crate::value::{Kind, Value};

/// Inlines a function, whatever fuel and depth it needs.
pub(super) fn inline(
    program: &Program,
    function: u32,
    arguments: &[Value],
    variables: &[Value],
) -> Option<InlinedFunction> {
    let first = program.functions.get(function as usize)?;
    let inputs = first.parameters.checked_add(first.captured)?;
    let mut state = AbstractState::new();
    let mut guarded = Vec::new();
    for number in 0..inputs {
        let example = arguments.get(usize::from(number)).copied().unwrap_or_default();
        let held = AbstractValue::of(example);
        state.set(number, held);
        guarded.extend(held.guard(example).map(|guard| GuardedArgument { number, guard }));
    }
    let mut inliner = Inliner {
        program,
        variables,
        steps: Vec::new(),
        labels: 0,
        open_labels: 0,
        fuel: 0,
        has_constant_fuel: true,
        depth: 0,
        values_max: 0,
        building_max: 0,
        elements: 0,
        too_large: 0,
        call_stack: Vec::new(),
        may_set: true,
        sets: Vec::new(),
        sets_made: 0,
    };
    let end = inliner.function(function, 0, RESULT, state).ok()??;
    let AbstractValue::Is(result) = end.get(RESULT) else { return None };
    let Inliner {
        mut steps,
        fuel,
        has_constant_fuel,
        depth,
        values_max,
        building_max,
        sets,
        sets_made,
        call_stack,
        open_labels,
        ..
    } = inliner;
    assert!(call_stack.is_empty() && open_labels == 0, "every inlined call and every label was closed");
    let result_register = without_last_copy(&mut steps);
    let (parameters, captured) = (first.parameters, first.captured);
    Some(InlinedFunction {
        steps,
        arguments: guarded,
        parameters,
        captured,
        result,
        result_register,
        fuel,
        has_constant_fuel,
        depth,
        values_max,
        building_max,
        sets,
        sets_made,
    })
}

/// Most functions end with their only copy to the result register. The copy is left out, and its source is the result.
fn without_last_copy(steps: &mut Vec<IrStep>) -> u8 {
    let copies = steps.iter().filter(|step| step.is_writing && step.to == RESULT).count();
    match steps.last() {
        Some(IrStep { operation: IrOperation::Move | IrOperation::MoveWide, to: RESULT, from: [from, ..], .. })
            if copies == 1 =>
        {
            let from = *from;
            steps.pop();
            from
        }
        _ => RESULT,
    }
}

/// The function cannot be specialised: it would be too large, or it calls itself.
struct NotSpecialisable;

#[derive(Clone)]
struct Inliner<'p> {
    program: &'p Program,
    variables: &'p [Value],
    steps: Vec<IrStep>,
    /// The number of labels created.
    labels: u16,
    /// The number of labels that are jump targets and not placed yet.
    open_labels: u32,
    fuel: u64,
    has_constant_fuel: bool,
    depth: u32,
    values_max: u32,
    building_max: u32,
    /// The number of registers that hold elements of lists.
    elements: u8,
    /// The number of folds that were too large to unroll.
    too_large: u8,
    /// The functions that are being inlined, outermost first.
    call_stack: Vec<u32>,
    /// False in formulas, which may not set variables.
    may_set: bool,
    sets: Vec<VariableRegister>,
    sets_made: u32,
}

/// A function that is being inlined.
struct InlineFrame {
    /// Its first register.
    base: u8,
    /// The number of its registers.
    registers: u8,
    /// The register of its result.
    result: u8,
    /// For each instruction that was jumped to: its label, and the join of the states at the jumps.
    waiting: BTreeMap<u32, (u16, AbstractState)>,
}

/// The right operand of an operation.
#[derive(Clone, Copy)]
enum RightOperand {
    Register(u8),
    Constant(Value),
}

/// A comparison, as far as it is decided before the run.
enum Condition {
    Always(bool),
    Truth(u8),
    Numbers(Comparison, u8, RightOperand),
}

/// Whether control goes on to the next instruction.
type Continues = Result<bool, NotSpecialisable>;

impl Inliner<'_> {
    /// Inlines a function. Returns the state at its end, or none if no path reaches it.
    fn function(
        &mut self,
        number: u32,
        base: u8,
        result: u8,
        state: AbstractState,
    ) -> Result<Option<AbstractState>, NotSpecialisable> {
        let program = self.program;
        let function = program.functions.get(number as usize).ok_or(NotSpecialisable)?;
        self.burn(function.code.len() as u64);
        let is_small = usize::from(base) + usize::from(function.registers) <= ELEMENTS_START;
        if !is_small || self.fuel > INLINED_INSTRUCTIONS_MAX || self.call_stack.contains(&number) {
            return Err(NotSpecialisable);
        }
        self.call_stack.push(number);
        self.depth = self.depth.max(self.call_stack.len() as u32);
        let mut frame = InlineFrame { base, registers: function.registers, result, waiting: BTreeMap::new() };
        let mut flowing = Some(state);
        for (at, instruction) in function.code.iter().enumerate() {
            self.place_label(&mut frame, at as u32, &mut flowing)?;
            let Some(state) = &mut flowing else { continue };
            let is_last = at + 1 == function.code.len();
            if !self.instruction(&mut frame, state, *instruction, is_last)? {
                flowing = None;
            }
        }
        self.place_label(&mut frame, END, &mut flowing)?;
        self.call_stack.pop();
        Ok(flowing)
    }

    /// Places the label of an instruction, if it was jumped to, and joins the states that meet there.
    fn place_label(
        &mut self,
        frame: &mut InlineFrame,
        at: u32,
        flowing: &mut Option<AbstractState>,
    ) -> Result<(), NotSpecialisable> {
        let Some((label, mut state)) = frame.waiting.remove(&at) else { return Ok(()) };
        self.open_labels -= 1;
        if let Some(above) = flowing {
            state.join(above);
        }
        *flowing = Some(state);
        self.push(IrStep::control(IrOperation::Label(label), &[]))
    }

    fn instruction(
        &mut self,
        frame: &mut InlineFrame,
        state: &mut AbstractState,
        instruction: Instruction,
        is_last: bool,
    ) -> Continues {
        use Operation::*;
        let Instruction { operation, a, b, c, number } = instruction;
        // The verifier bounds the registers of a function, and its last was checked against the limit.
        let register = |register: u8| {
            frame.base.checked_add(register).filter(|register| *register < TEMPORARY).ok_or(NotSpecialisable)
        };
        let constant = |number: u32| self.program.constants.get(number as usize).copied().ok_or(NotSpecialisable);
        match operation {
            Move => self.copy(state, register(a)?, register(b)?),
            Constant => {
                let value = constant(number)?;
                self.fill(state, register(a)?, value)
            }
            Variable => self.variable(state, register(a)?, number),
            Add | Subtract | Multiply | Divide | Remainder => {
                let right = RightOperand::Register(register(c)?);
                self.arithmetic(state, arithmetic(operation), register(a)?, register(b)?, right)
            }
            AddConstant | SubtractConstant | MultiplyConstant | DivideConstant => {
                let right = RightOperand::Constant(constant(number)?);
                self.arithmetic(state, arithmetic(operation), register(a)?, register(b)?, right)
            }
            Equal | Unequal | Less | Greater | LessEqual | GreaterEqual => {
                let (to, right) = (register(a)?, RightOperand::Register(register(c)?));
                match self.condition(state, comparison(operation), register(b)?, right)? {
                    None => self.fail(),
                    Some(condition) => self.truth(state, to, condition),
                }
            }
            Negate => self.negate(state, register(a)?, register(b)?),
            Not => match state.get(register(b)?) {
                AbstractValue::Is(Kind::Truth) => {
                    self.make(state, IrOperation::Not, Kind::Truth, register(a)?, &[register(b)?])
                }
                _ => self.fail(),
            },
            Jump => self.jump(frame, state, IrOperation::Jump, number, &[]).map(|()| false),
            JumpUnless => match state.get(register(a)?) {
                AbstractValue::Is(Kind::Truth) => {
                    let truth = register(a)?;
                    self.jump(frame, state, IrOperation::JumpUnless, number, &[truth]).map(|()| true)
                }
                _ => self.fail(),
            },
            JumpUnlessLess
            | JumpUnlessLessEqual
            | JumpUnlessGreater
            | JumpUnlessGreaterEqual
            | JumpUnlessEqual
            | JumpUnlessUnequal => {
                let (left, right) = (register(b)?, RightOperand::Register(register(c)?));
                let condition = self.condition(state, comparison(operation), left, right)?;
                self.jump_unless(frame, state, condition, number)
            }
            JumpUnlessLessConstant
            | JumpUnlessLessEqualConstant
            | JumpUnlessGreaterConstant
            | JumpUnlessGreaterEqualConstant
            | JumpUnlessEqualConstant
            | JumpUnlessUnequalConstant => {
                let (left, right) = (register(b)?, RightOperand::Constant(constant(c.into())?));
                let condition = self.condition(state, comparison(operation), left, right)?;
                self.jump_unless(frame, state, condition, number)
            }
            Lambda if c == 0 => {
                state.set(register(a)?, AbstractValue::Lambda(number));
                Ok(true)
            }
            Field => {
                let part =
                    PARTS.iter().position(|part| constant(number).ok().and_then(Value::as_string) == Some(*part));
                let name = constant(number)?.as_string().unwrap_or_default();
                match (state.get(register(b)?), part) {
                    (AbstractValue::Shared(record), _) if record.as_record().is_some() => {
                        let (pairs, _) = self.program.parts(record).as_chunks::<2>();
                        let found = pairs.iter().find(|pair| pair[0].as_string() == Some(name));
                        self.fill(state, register(a)?, found.map_or(Value::NOTHING, |pair| pair[1]))
                    }
                    (AbstractValue::Is(Kind::Nothing), _) => self.fill(state, register(a)?, Value::NOTHING),
                    (AbstractValue::Is(Kind::Handle), _) => self.remote_read(state, register(a)?, register(b)?, name),
                    (AbstractValue::Is(Kind::Vector), Some(part)) => {
                        self.make(state, IrOperation::Part(part as u8), Kind::Number, register(a)?, &[register(b)?])
                    }
                    _ => self.fail(),
                }
            }
            Lambda => {
                self.burn(c.into());
                self.values_max = self.values_max.saturating_add(c.into());
                let first = register(b)?;
                state.set(register(a)?, AbstractValue::Capturing { function: number, first, count: c });
                // If it overwrites one of the values that it captures, that one is gone.
                if (first..first.saturating_add(c)).contains(&register(a)?) {
                    state.set(register(a)?, AbstractValue::Unknown);
                }
                Ok(true)
            }
            Call => self.call(frame, state, instruction),
            Builtin => {
                let builtin = BUILTINS.get(number as usize).ok_or(NotSpecialisable)?;
                self.burn(builtin.cost.into());
                if let ("value", AbstractValue::Lambda(lambda)) = (builtin.name, state.get(register(b)?)) {
                    return self.formula(frame, state, register(a)?, lambda);
                }
                match builtin.name {
                    "fold" => return self.fold(frame, state, register(a)?, register(b)?),
                    "range" => return self.range(state, register(a)?, register(b)?),
                    _ => {}
                }
                self.builtin(state, register(a)?, register(b)?, number)
            }
            Query => {
                let query = self.program.queries.get(number as usize).ok_or(NotSpecialisable)?;
                self.burn(query.cost.into());
                self.fail()
            }
            Return => {
                let continues = self.copy(state, frame.result, register(a)?)?;
                if !continues || is_last {
                    return Ok(continues);
                }
                self.jump(frame, state, IrOperation::Jump, END, &[]).map(|()| false)
            }
            SetVariable => self.set_variable(state, register(a)?, number),
            List => {
                self.burn(c.into());
                self.list(state, register(a)?, register(b)?, c)
            }
            Record | Index | Effect => self.fail(),
        }
    }

    fn copy(&mut self, state: &mut AbstractState, to: u8, from: u8) -> Continues {
        let held = state.get(from);
        match held {
            AbstractValue::Unknown => return self.fail(),
            AbstractValue::Is(Kind::Nothing)
            | AbstractValue::Lambda(_)
            | AbstractValue::Capturing { .. }
            | AbstractValue::Shared(_)
            | AbstractValue::Listed { .. }
            | AbstractValue::Range(_) => {}
            AbstractValue::Is(_) if to == from => {}
            AbstractValue::Is(kind) => {
                let work = if is_wide(kind) { IrOperation::MoveWide } else { IrOperation::Move };
                self.push(IrStep::new(work, to, &[from]))?;
            }
        }
        state.set(to, held);
        Ok(true)
    }

    fn fill(&mut self, state: &mut AbstractState, to: u8, value: Value) -> Continues {
        let held = AbstractValue::of(value);
        match held {
            AbstractValue::Is(Kind::Nothing) | AbstractValue::Lambda(_) | AbstractValue::Shared(_) => {}
            AbstractValue::Is(kind) => {
                let (bits, tag) = value.words();
                let work = if is_wide(kind) {
                    IrOperation::FillWide(bits, (tag >> 32) as u32)
                } else {
                    IrOperation::Fill(bits)
                };
                self.push(IrStep::new(work, to, &[]))?;
            }
            _ => return self.fail(),
        }
        state.set(to, held);
        Ok(true)
    }

    /// A variable that is set has a register from the beginning, which is written back at the end.
    fn set_variable(&mut self, state: &mut AbstractState, from: u8, number: u32) -> Continues {
        let example = self.variables.get(number as usize).copied().unwrap_or_default();
        let AbstractValue::Is(kind) = AbstractValue::of(example) else { return self.fail() };
        if !self.may_set || state.get(from) != AbstractValue::Is(kind) || kind == Kind::Nothing {
            return self.fail();
        }
        let register = match self.sets.iter().find(|set| set.variable == number) {
            Some(set) => set.register,
            None => {
                let register = (REGISTERS_MAX - 1 - self.sets.len()) as u8;
                if self.sets.len() == SETS_MAX {
                    return Err(NotSpecialisable);
                }
                self.sets.push(VariableRegister { variable: number, register, guard: Guard::kind(kind), kind });
                register
            }
        };
        self.sets_made += 1;
        state.set(register, AbstractValue::Is(kind));
        let work = if is_wide(kind) { IrOperation::MoveWide } else { IrOperation::Move };
        self.push(IrStep::new(work, register, &[from]))?;
        Ok(true)
    }

    fn burn(&mut self, fuel: u64) {
        self.fuel += fuel;
        self.has_constant_fuel &= self.open_labels == 0;
    }

    fn variable(&mut self, state: &mut AbstractState, to: u8, number: u32) -> Continues {
        if let Some(set) = self.sets.iter().find(|set| set.variable == number) {
            let (register, kind) = (set.register, set.kind);
            state.set(register, AbstractValue::Is(kind));
            return self.copy(state, to, register);
        }
        let example = self.variables.get(number as usize).copied().unwrap_or_default();
        let held = AbstractValue::of(example);
        match held {
            AbstractValue::Is(Kind::Nothing) | AbstractValue::Lambda(_) => {
                if state.expect(number) {
                    self.push(IrStep::control(IrOperation::Expect(number, example), &[]))?;
                }
            }
            AbstractValue::Is(kind) => {
                self.push(IrStep::new(IrOperation::Variable(number, Guard::kind(kind)), to, &[]))?
            }
            _ => return self.fail(),
        }
        state.set(to, held);
        Ok(true)
    }

    fn arithmetic(
        &mut self,
        state: &mut AbstractState,
        how: Arithmetic,
        to: u8,
        left: u8,
        right: RightOperand,
    ) -> Continues {
        use Arithmetic::*;
        let kinds = (state.get(left), self.held(state, right));
        let (AbstractValue::Is(left_kind), AbstractValue::Is(right_kind)) = kinds else { return self.fail() };
        if let (Kind::Number, Kind::Number, RightOperand::Constant(value)) = (left_kind, right_kind, right) {
            let constant = value.as_number().ok_or(NotSpecialisable)?;
            return self.make(state, IrOperation::Constant(how, constant), Kind::Number, to, &[left]);
        }
        let is_constant = matches!(right, RightOperand::Constant(_));
        let (work, kind) = match (how, left_kind, right_kind) {
            (_, Kind::Number, Kind::Number) => (IrOperation::Numbers(how), Kind::Number),
            (Add, Kind::Vector, Kind::Vector) => (IrOperation::AddVectors, Kind::Vector),
            (Subtract, Kind::Vector, Kind::Vector) => (IrOperation::SubtractVectors, Kind::Vector),
            (Multiply, Kind::Vector, Kind::Number) | (Multiply, Kind::Number, Kind::Vector) => {
                (IrOperation::Scale, Kind::Vector)
            }
            (Divide, Kind::Vector, Kind::Number) => (IrOperation::Shrink, Kind::Vector),
            (Add, Kind::Identifier, Kind::Identifier) if !is_constant => {
                (IrOperation::AddIdentifiers, Kind::Identifier)
            }
            (Subtract, Kind::Identifier, Kind::Identifier) if !is_constant => {
                (IrOperation::SubtractIdentifiers, Kind::Identifier)
            }
            _ => return self.fail(),
        };
        let right = self.register_of(state, right)?;
        // A vector is scaled by a number from either side.
        let from = if left_kind == Kind::Number && right_kind == Kind::Vector { [right, left] } else { [left, right] };
        self.make(state, work, kind, to, &from)
    }

    /// A comparison; none if the virtual machine would report an error or compare parts.
    fn condition(
        &mut self,
        state: &mut AbstractState,
        how: Comparison,
        left: u8,
        right: RightOperand,
    ) -> Result<Option<Condition>, NotSpecialisable> {
        let kinds = (state.get(left), self.held(state, right));
        let is_negated = how == Comparison::Unequal;
        let is_order = !matches!(how, Comparison::Equal | Comparison::Unequal);
        let work = match kinds {
            (AbstractValue::Is(Kind::Number), AbstractValue::Is(Kind::Number)) => {
                return Ok(Some(Condition::Numbers(how, left, right)));
            }
            (AbstractValue::Is(Kind::Identifier), AbstractValue::Is(Kind::Identifier)) => {
                IrOperation::CompareIdentifiers(how)
            }
            (AbstractValue::Unknown, _) | (_, AbstractValue::Unknown) => return Ok(None),
            (
                AbstractValue::Shared(_) | AbstractValue::Listed { .. } | AbstractValue::Range(_),
                AbstractValue::Shared(_) | AbstractValue::Listed { .. } | AbstractValue::Range(_),
            ) => return Ok(None),
            (
                AbstractValue::Lambda(_) | AbstractValue::Capturing { .. },
                AbstractValue::Lambda(_) | AbstractValue::Capturing { .. },
            ) => return Ok(None),
            _ if is_order => return Ok(None),
            (AbstractValue::Is(Kind::Nothing), AbstractValue::Is(Kind::Nothing)) => {
                return Ok(Some(Condition::Always(!is_negated)));
            }
            (AbstractValue::Is(left), AbstractValue::Is(right)) if left == right => match left {
                Kind::Vector => IrOperation::SameVectors { is_negated },
                Kind::Handle => IrOperation::SameHandles { is_negated },
                _ => IrOperation::SameBits { is_negated },
            },
            _ => return Ok(Some(Condition::Always(is_negated))),
        };
        let right = self.register_of(state, right)?;
        self.make(state, work, Kind::Truth, TEMPORARY, &[left, right])?;
        Ok(Some(Condition::Truth(TEMPORARY)))
    }

    fn truth(&mut self, state: &mut AbstractState, to: u8, condition: Condition) -> Continues {
        match condition {
            Condition::Always(truth) => self.fill(state, to, Value::truth(truth)),
            Condition::Truth(truth) => self.make(state, IrOperation::Move, Kind::Truth, to, &[truth]),
            Condition::Numbers(how, left, right) => {
                let right = self.register_of(state, right)?;
                self.make(state, IrOperation::CompareNumbers(how), Kind::Truth, to, &[left, right])
            }
        }
    }

    fn jump_unless(
        &mut self,
        frame: &mut InlineFrame,
        state: &AbstractState,
        condition: Option<Condition>,
        target: u32,
    ) -> Continues {
        match condition {
            None => self.fail(),
            Some(Condition::Always(true)) => Ok(true),
            Some(Condition::Always(false)) => self.jump(frame, state, IrOperation::Jump, target, &[]).map(|()| false),
            Some(Condition::Truth(truth)) => {
                self.jump(frame, state, IrOperation::JumpUnless, target, &[truth]).map(|()| true)
            }
            Some(Condition::Numbers(how, left, RightOperand::Register(right))) => {
                let work = |label| IrOperation::JumpUnlessNumbers(how, label);
                self.jump(frame, state, work, target, &[left, right]).map(|()| true)
            }
            Some(Condition::Numbers(how, left, RightOperand::Constant(value))) => {
                let constant = value.as_number().ok_or(NotSpecialisable)?;
                let work = |label| IrOperation::JumpUnlessConstant(how, constant, label);
                self.jump(frame, state, work, target, &[left]).map(|()| true)
            }
        }
    }

    fn jump(
        &mut self,
        frame: &mut InlineFrame,
        state: &AbstractState,
        work: impl FnOnce(u16) -> IrOperation,
        target: u32,
        from: &[u8],
    ) -> Result<(), NotSpecialisable> {
        let (labels, open) = (&mut self.labels, &mut self.open_labels);
        let (label, known) = frame.waiting.entry(target).or_insert_with(|| {
            *open += 1;
            *labels += 1;
            (*labels - 1, state.clone())
        });
        known.join(state);
        let label = *label;
        self.push(IrStep::control(work(label), from))
    }

    fn negate(&mut self, state: &mut AbstractState, to: u8, from: u8) -> Continues {
        let AbstractValue::Is(kind) = state.get(from) else { return self.fail() };
        let work = match kind {
            Kind::Number => IrOperation::Negate,
            Kind::Identifier => IrOperation::NegateIdentifier,
            Kind::Vector => IrOperation::NegateVector,
            _ => return self.fail(),
        };
        self.make(state, work, kind, to, &[from])
    }

    fn call(&mut self, frame: &mut InlineFrame, state: &mut AbstractState, instruction: Instruction) -> Continues {
        let Instruction { a, b, c, .. } = instruction;
        let callee = frame.base.checked_add(b).ok_or(NotSpecialisable)?;
        let (base, to) =
            (callee.checked_add(1).ok_or(NotSpecialisable)?, frame.base.checked_add(a).ok_or(NotSpecialisable)?);
        if to >= TEMPORARY || base >= TEMPORARY {
            return Err(NotSpecialisable);
        }
        let (number, first, count) = match state.get(callee) {
            AbstractValue::Lambda(number) => (number, 0, 0),
            AbstractValue::Capturing { function, first, count } => (function, first, count),
            _ => return self.fail(),
        };
        let called = self.program.functions.get(number as usize).ok_or(NotSpecialisable)?;
        if called.captured != count {
            return self.fail();
        }
        let behind = base.saturating_add(called.parameters);
        let Some(captured) = self.carry(state, first, behind, count)? else { return self.fail() };
        let mut inner = state.clone();
        let given = base.saturating_add(c.min(called.parameters));
        inner.forget_from(given);
        (given..behind).for_each(|missing| inner.set(missing, AbstractValue::Is(Kind::Nothing)));
        (behind..).zip(captured).for_each(|(register, held)| inner.set(register, held));
        let before = (called.facts.worth == Cacheability::Kept).then(|| self.clone());
        let Some(end) = self.function(number, base, to, inner)? else { return Ok(false) };
        if let Some(before) = before.filter(|before| self.fuel - before.fuel >= RECALLED_FUEL_MIN) {
            *self = before;
            return self.fail();
        }
        let result = end.get(to);
        *state = end;
        state.forget_from(base);
        state.set(to, result);
        Ok(true)
    }

    /// Copies the captured values of a lambda to the registers in which its code expects them. None if they are not
    /// known.
    fn carry(
        &mut self,
        state: &AbstractState,
        first: u8,
        to: u8,
        count: u8,
    ) -> Result<Option<Vec<AbstractValue>>, NotSpecialisable> {
        if usize::from(to) + usize::from(count) > ELEMENTS_START {
            return Err(NotSpecialisable);
        }
        let captured: Vec<AbstractValue> =
            (first..first.saturating_add(count)).map(|register| state.get(register)).collect();
        if captured.iter().any(|held| matches!(held, AbstractValue::Unknown | AbstractValue::Capturing { .. })) {
            return Ok(None);
        }
        for index in 0..count {
            // The ranges may overlap: each register is read before it is written.
            let index = if to <= first { index } else { count - 1 - index };
            if let AbstractValue::Is(kind) = captured[usize::from(index)]
                && kind != Kind::Nothing
                && to != first
            {
                let work = if is_wide(kind) { IrOperation::MoveWide } else { IrOperation::Move };
                self.push(IrStep::new(work, to + index, &[first + index]))?;
            }
        }
        Ok(Some(captured))
    }

    /// Reads a variable or field of another object. Its kind is guessed: the one that this object has under the same
    /// name.
    fn remote_read(&mut self, state: &mut AbstractState, to: u8, from: u8, name: StringId) -> Continues {
        let place = self.program.named(name);
        let example = place.and_then(|place| {
            let variable = self.variables.get(place as usize).copied();
            self.program.field_at(place).or(variable)
        });
        match example.map(AbstractValue::of) {
            Some(AbstractValue::Is(kind)) if kind != Kind::Nothing => {
                self.make(state, IrOperation::RemoteRead(name, Guard::kind(kind)), kind, to, &[from])
            }
            _ => self.fail(),
        }
    }

    /// Inlines the call of a formula: without arguments, behind all registers, and without the right to set variables.
    fn formula(&mut self, frame: &InlineFrame, state: &mut AbstractState, to: u8, lambda: u32) -> Continues {
        let called = self.program.functions.get(lambda as usize).ok_or(NotSpecialisable)?;
        if called.captured > 0 {
            return self.fail();
        }
        let base = frame.base.checked_add(frame.registers).ok_or(NotSpecialisable)?;
        let mut inner = state.clone();
        inner.forget_from(base);
        (base..base.saturating_add(called.parameters))
            .for_each(|missing| inner.set(missing, AbstractValue::Is(Kind::Nothing)));
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

    fn builtin(&mut self, state: &mut AbstractState, to: u8, first: u8, number: u32) -> Continues {
        use Kind::{Identifier, Number, Vector};
        let builtin = BUILTINS.get(number as usize).ok_or(NotSpecialisable)?;
        let from = [0, 1, 2].map(|index| first.saturating_add(index).min(TEMPORARY));
        let held = from.map(|register| state.get(register));
        let kinds = held.map(|held| if let AbstractValue::Is(kind) = held { Some(kind) } else { None });
        let (work, kind, count) = match (builtin.name, &builtin.work, kinds) {
            ("abs", _, [Some(Number), ..]) => (IrOperation::Absolute, Number, 1),
            ("min", _, [Some(Number), Some(Number), _]) => (IrOperation::Numbers(Arithmetic::Min), Number, 2),
            ("max", _, [Some(Number), Some(Number), _]) => (IrOperation::Numbers(Arithmetic::Max), Number, 2),
            (_, machine::Work::Unary(work), [Some(Number), ..]) => (IrOperation::Unary(*work), Number, 1),
            (_, machine::Work::Binary(work), [Some(Number), Some(Number), _]) => {
                (IrOperation::Binary(*work), Number, 2)
            }
            ("clamp", _, [Some(Number), Some(Number), Some(Number)]) => (IrOperation::Clamp, Number, 3),
            ("lerp", _, [Some(Number), Some(Number), Some(Number)]) => (IrOperation::Lerp, Number, 3),
            ("vec", _, [Some(Number), Some(Number), Some(Number)]) => (IrOperation::Vector, Vector, 3),
            ("dot", _, [Some(Vector), Some(Vector), _]) => (IrOperation::Dot, Number, 2),
            ("cross", _, [Some(Vector), Some(Vector), _]) => (IrOperation::Cross, Vector, 2),
            ("length", _, [Some(Vector), ..]) => (IrOperation::Length, Number, 1),
            ("distance", _, [Some(Vector), Some(Vector), _]) => (IrOperation::Distance, Number, 2),
            ("normal", _, [Some(Vector), ..]) => (IrOperation::Normal, Vector, 1),
            ("number", _, [Some(Identifier), ..]) => (IrOperation::NumberOfIdentifier, Number, 1),
            ("identifier", _, [Some(Number), ..]) => (IrOperation::IdentifierOfNumber, Identifier, 1),
            ("number", _, [Some(Number), ..])
            | ("identifier", _, [Some(Identifier), ..])
            | ("value", _, [Some(_), ..]) => {
                return self.copy(state, to, first);
            }
            ("is_living", _, [Some(Kind::Handle), ..]) => (IrOperation::IsLiving, Kind::Truth, 1),
            ("kind", _, [Some(kind), ..]) => {
                return self.fill(state, to, Value::string(StringId::new(kind.name())));
            }
            _ => return self.fail(),
        };
        self.make(state, work, kind, to, &from[..count])
    }

    /// Adds a step that writes a value of a known kind.
    fn make(&mut self, state: &mut AbstractState, work: IrOperation, kind: Kind, to: u8, from: &[u8]) -> Continues {
        self.push(IrStep::new(work, to, from))?;
        state.set(to, AbstractValue::Is(kind));
        Ok(true)
    }

    /// The register of the right operand. A constant is put into the temporary register.
    fn register_of(&mut self, state: &mut AbstractState, right: RightOperand) -> Result<u8, NotSpecialisable> {
        match right {
            RightOperand::Register(register) => Ok(register),
            RightOperand::Constant(value) => self.fill(state, TEMPORARY, value).map(|_| TEMPORARY),
        }
    }

    fn held(&self, state: &AbstractState, right: RightOperand) -> AbstractValue {
        match right {
            RightOperand::Register(register) => state.get(register),
            RightOperand::Constant(value) => AbstractValue::of(value),
        }
    }

    fn fail(&mut self) -> Continues {
        self.push(IrStep::control(IrOperation::Fail, &[])).map(|()| false)
    }

    fn push(&mut self, step: IrStep) -> Result<(), NotSpecialisable> {
        if self.steps.len() >= STEPS_MAX {
            return Err(NotSpecialisable);
        }
        self.steps.push(step);
        Ok(())
    }
}

/// The fields of a vector.
const PARTS: [StringId; 3] = [StringId::new("x"), StringId::new("y"), StringId::new("z")];
/// A call whose results are memoised is not inlined if it needs this much fuel: a cache hit is faster.
const RECALLED_FUEL_MIN: u64 = 128;
/// The target of a `Return` before the end: behind all instructions.
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
