//! Code generation: from the intermediate representation to the steps of a kernel.
//!
//! The passes, each linear because jumps go forward only: reads of variables that are set become register reads; copy
//! and constant propagation; dead code elimination; emission with constant operands and fused pairs (peephole); jump
//! threading.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use base::{StringId, Vec3};

use super::ir::{Arithmetic, Comparison, InlinedFunction, IrOperation, IrStep, REGISTER_COUNT};
use crate::kernel::{Guard, Kernel, KernelStep, RareOperation, VariableRegister, is_wide};
use crate::value::{Kind, Value};

/// The kernel of an inlined function.
pub(super) fn emit(function: InlinedFunction) -> Option<Kernel> {
    let mut drafts: Vec<IrDraft> = function.steps.iter().map(IrDraft::of).collect();
    drafts.push(IrDraft {
        from: [Operand::Register(function.result_register); 3],
        reads: 1,
        is_end: true,
        ..IrDraft::of(&NOTHING)
    });
    let labels: BTreeMap<u16, usize> = function.steps.iter().enumerate().filter_map(label).collect();
    let sets: Vec<u8> = function.sets.iter().map(|set| set.register).collect();
    read_registers(&mut drafts, &function.sets);
    propagate_copies(&mut drafts);
    eliminate_dead_code(&mut drafts, &labels, &sets);
    let mut writer = StepWriter::default();
    let places = drafts.iter().map(|draft| writer.write(draft)).collect::<Option<Vec<u32>>>()?;
    let StepWriter { mut steps, guards, remote_reads, .. } = writer;
    let reads_others = !remote_reads.is_empty() || steps.iter().any(|step| matches!(step, KernelStep::IsLiving { .. }));
    for step in &mut steps {
        if let Some(target) = target_mut(step) {
            let label = labels.get(&u16::try_from(*target).ok()?)?;
            *target = *places.get(*label)?;
        }
    }
    thread_jumps(&mut steps);
    check_targets(&steps);
    let InlinedFunction {
        arguments,
        parameters,
        captured,
        sets,
        sets_made,
        result,
        fuel,
        has_constant_fuel,
        depth,
        values_max,
        building_max,
        ..
    } = function;
    let in_order = arguments.iter().enumerate().all(|(index, argument)| usize::from(argument.number) == index);
    let takes_numbers = in_order && arguments.iter().all(|argument| argument.guard == Guard::kind(Kind::Number));
    Some(Kernel {
        steps,
        arguments,
        parameters,
        captured,
        takes_numbers,
        sets,
        sets_made,
        guards,
        result,
        fuel,
        has_constant_fuel,
        depth,
        values_max,
        building_max,
        remote_reads,
        reads_others,
        fallback: None,
    })
}

/// A step on its way through the passes.
#[derive(Clone, Copy)]
struct IrDraft {
    operation: IrOperation,
    to: u8,
    from: [Operand; 3],
    reads: u8,
    is_writing: bool,
    /// Whether this is the last read of each register.
    is_last: [bool; 3],
    is_end: bool,
    is_dropped: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand {
    Register(u8),
    Constant(u64),
}

/// A step that does nothing.
const NOTHING: IrStep = IrStep { operation: IrOperation::Fail, to: 0, from: [0; 3], reads: 0, is_writing: false };
/// The first of three registers for constants that a step has no operand for.
const SPARE: u8 = 253;
const _: () = assert!(SPARE as usize >= REGISTER_COUNT, "the spare registers lie above those of every function");

impl IrDraft {
    fn of(step: &IrStep) -> IrDraft {
        let mut draft = IrDraft {
            operation: step.operation,
            to: step.to,
            from: step.from.map(Operand::Register),
            reads: step.reads,
            is_writing: step.is_writing,
            is_last: [false; 3],
            is_end: false,
            is_dropped: false,
        };
        let constant = match step.operation {
            IrOperation::Constant(how, value) => {
                draft.operation = IrOperation::Numbers(how);
                Some((1, value.to_bits()))
            }
            IrOperation::JumpUnlessConstant(how, value, label) => {
                draft.operation = IrOperation::JumpUnlessNumbers(how, label);
                Some((1, value.to_bits()))
            }
            IrOperation::Fill(bits) => {
                draft.operation = IrOperation::Move;
                Some((0, bits))
            }
            _ => None,
        };
        if let Some((place, bits)) = constant {
            draft.from[place] = Operand::Constant(bits);
            draft.reads = place as u8 + 1;
        }
        draft
    }

    /// Folds negated constants and vectors of constants. All other constants were folded by the compiler.
    fn fold(&mut self) {
        match (self.operation, self.from) {
            (IrOperation::Negate, [Operand::Constant(bits), ..]) => {
                self.operation = IrOperation::Move;
                self.from[0] = Operand::Constant((-f64::from_bits(bits)).to_bits());
            }
            (IrOperation::Vector, [Operand::Constant(x), Operand::Constant(y), Operand::Constant(z)])
                if self.reads == 3 =>
            {
                let [x, y, z] = [x, y, z].map(|bits| f64::from_bits(bits) as f32);
                let (bits, tag) = Value::vector(Vec3::new(x, y, z)).words();
                self.operation = IrOperation::FillWide(bits, (tag >> 32) as u32);
                self.reads = 0;
            }
            _ => {}
        }
    }

    fn reads(&self) -> &[Operand] {
        &self.from[..usize::from(self.reads)]
    }

    /// Whether the step may be dropped if its result is dead. Divisions may not, since the virtual machine reports a
    /// zero divisor, nor may reads of variables, which are guards too.
    fn can_be_dropped(&self) -> bool {
        let is_division = matches!(self.operation, IrOperation::Numbers(Arithmetic::Divide | Arithmetic::Remainder));
        self.is_writing
            && !is_division
            && !matches!(self.operation, IrOperation::Variable(..) | IrOperation::RemoteRead(..))
    }

    fn jump(&self) -> Option<u16> {
        match self.operation {
            IrOperation::Jump(label) | IrOperation::JumpUnless(label) | IrOperation::JumpUnlessNumbers(_, label) => {
                Some(label)
            }
            _ => None,
        }
    }
}

fn label((at, step): (usize, &IrStep)) -> Option<(u16, usize)> {
    match step.operation {
        IrOperation::Label(label) => Some((label, at)),
        _ => None,
    }
}

/// Turns reads of variables that are set into reads of their registers. Until its first set, which comes behind all
/// such reads, the register holds the value that the variable had before the run.
fn read_registers(drafts: &mut [IrDraft], sets: &[VariableRegister]) {
    for draft in drafts {
        let IrOperation::Variable(variable, guard) = draft.operation else { continue };
        if let Some(set) = sets.iter().find(|set| set.variable == variable && set.guard == guard) {
            draft.operation = if is_wide(set.kind) { IrOperation::MoveWide } else { IrOperation::Move };
            (draft.from[0], draft.reads) = (Operand::Register(set.register), 1);
        }
    }
}

/// Copy and constant propagation within basic blocks: reads the source of a copy instead of the copy.
fn propagate_copies(drafts: &mut [IrDraft]) {
    let mut copies: Vec<(u8, Operand)> = Vec::new();
    for draft in drafts {
        if matches!(draft.operation, IrOperation::Label(_)) {
            copies.clear();
        }
        for operand in &mut draft.from[..usize::from(draft.reads)] {
            let copy = copies.iter().find(|(copy, _)| Operand::Register(*copy) == *operand);
            *operand = copy.map_or(*operand, |(_, original)| *original);
        }
        draft.fold();
        if draft.is_writing {
            let written = Operand::Register(draft.to);
            copies.retain(|(copy, original)| *copy != draft.to && *original != written);
            if matches!(draft.operation, IrOperation::Move | IrOperation::MoveWide) && draft.from[0] != written {
                copies.push((draft.to, draft.from[0]));
            }
        }
    }
}

/// Dead code elimination by liveness. Jumps go forward, so one backward pass is enough.
fn eliminate_dead_code(drafts: &mut [IrDraft], labels: &BTreeMap<u16, usize>, sets: &[u8]) {
    let mut live = [false; 256];
    let mut at_labels: BTreeMap<usize, [bool; 256]> = BTreeMap::new();
    for (at, draft) in drafts.iter_mut().enumerate().rev() {
        if draft.is_end {
            sets.iter().for_each(|register| live[usize::from(*register)] = true);
        } else if matches!(draft.operation, IrOperation::Jump(_) | IrOperation::Fail) {
            live = [false; 256];
        }
        if matches!(draft.operation, IrOperation::Label(_)) {
            at_labels.insert(at, live);
            continue;
        }
        let there = draft.jump().and_then(|label| at_labels.get(labels.get(&label)?));
        if let Some(there) = there {
            live.iter_mut().zip(there).for_each(|(live, there)| *live |= there);
        }
        if draft.can_be_dropped() && !live[usize::from(draft.to)] {
            draft.is_dropped = true;
            continue;
        }
        if draft.is_writing {
            live[usize::from(draft.to)] = false;
        }
        let reads: Vec<Operand> = draft.reads().to_vec();
        for (index, operand) in reads.iter().enumerate() {
            if let Operand::Register(register) = operand {
                draft.is_last[index] = !live[usize::from(*register)];
            }
        }
        for operand in &reads {
            if let Operand::Register(register) = operand {
                live[usize::from(*register)] = true;
            }
        }
    }
}

/// Emits the steps of a kernel. Jumps still name labels.
#[derive(Default)]
struct StepWriter {
    steps: Vec<KernelStep>,
    guards: Vec<(u32, Guard)>,
    remote_reads: Vec<(StringId, Guard)>,
    /// The first step of the current basic block: no pair is fused across it.
    block_start: usize,
}

impl StepWriter {
    /// Emits a step. Returns its index.
    fn write(&mut self, draft: &IrDraft) -> Option<u32> {
        let place = self.steps.len();
        if matches!(draft.operation, IrOperation::Label(_)) {
            self.block_start = place;
        } else if draft.is_end {
            let from = self.register(draft, 0);
            self.steps.push(KernelStep::Return { from });
        } else if !draft.is_dropped {
            let step = self.step(draft)?;
            let pair = self.steps.last().filter(|_| place > self.block_start).and_then(|last| fuse(*last, step, draft));
            if pair.is_some() {
                self.steps.pop();
            }
            self.steps.push(pair.unwrap_or(step));
        }
        Some(place as u32)
    }

    /// The register of an operand. A constant is loaded into a spare one.
    fn register(&mut self, draft: &IrDraft, index: u8) -> u8 {
        match draft.from[usize::from(index)] {
            Operand::Register(register) => register,
            Operand::Constant(bits) => {
                self.steps.push(KernelStep::Constant { to: SPARE + index, bits });
                SPARE + index
            }
        }
    }

    fn guard(&mut self, variable: u32, guard: Guard) -> u32 {
        self.guards.push((variable, guard));
        self.guards.len() as u32 - 1
    }

    fn step(&mut self, draft: &IrDraft) -> Option<KernelStep> {
        use RareOperation as O;
        let to = draft.to;
        let what = match draft.operation {
            IrOperation::Label(_)
            | IrOperation::Fill(_)
            | IrOperation::Constant(..)
            | IrOperation::JumpUnlessConstant(..) => return None,
            IrOperation::FillWide(bits, extra) => return Some(KernelStep::ConstantWide { to, extra, bits }),
            IrOperation::Jump(label) => return Some(KernelStep::Jump { target: label.into() }),
            IrOperation::JumpUnless(label) => {
                return Some(KernelStep::Unless { truth: self.register(draft, 0), target: label.into() });
            }
            IrOperation::JumpUnlessNumbers(how, label) => return Some(self.unless(draft, how, label.into())),
            IrOperation::Fail => return Some(KernelStep::Fail),
            IrOperation::Move => {
                return Some(match draft.from[0] {
                    Operand::Register(from) => KernelStep::Move { to, from },
                    Operand::Constant(bits) => KernelStep::Constant { to, bits },
                });
            }
            IrOperation::Variable(variable, guard) if guard == Guard::kind(Kind::Number) => {
                return Some(KernelStep::Number { to, variable });
            }
            IrOperation::Variable(variable, guard) if guard == Guard::kind(Kind::Vector) => {
                return Some(KernelStep::Wide { to, kind: Kind::Vector as u8, variable });
            }
            IrOperation::Variable(variable, guard) if guard == Guard::kind(Kind::Handle) => {
                return Some(KernelStep::Wide { to, kind: Kind::Handle as u8, variable });
            }
            IrOperation::Variable(variable, guard) => {
                return Some(KernelStep::Variable { to, guard: self.guard(variable, guard) });
            }
            IrOperation::RemoteRead(name, guard) => {
                let from = self.register(draft, 0);
                self.remote_reads.push((name, guard));
                return Some(KernelStep::RemoteRead { to, from, read: self.remote_reads.len() as u32 - 1 });
            }
            IrOperation::IsLiving => return Some(KernelStep::IsLiving { to, from: self.register(draft, 0) }),
            IrOperation::Expect(variable, value) => {
                return Some(KernelStep::Expect { guard: self.guard(variable, Guard::exactly(value)) });
            }
            IrOperation::Numbers(how) => return Some(self.arithmetic(draft, how)),
            IrOperation::Clamp => return Some(self.clamp(draft)),
            IrOperation::Unary(work) => return Some(KernelStep::Unary { to, from: self.register(draft, 0), work }),
            IrOperation::Binary(work) => {
                let (left, right) = (self.register(draft, 0), self.register(draft, 1));
                return Some(KernelStep::Binary { to, left, right, work });
            }
            IrOperation::MoveWide => return Some(KernelStep::MoveWide { to, from: self.register(draft, 0) }),
            IrOperation::AddVectors => {
                let (left, right) = (self.register(draft, 0), self.register(draft, 1));
                return Some(KernelStep::AddVectors { to, left, right });
            }
            IrOperation::SubtractVectors => {
                let (left, right) = (self.register(draft, 0), self.register(draft, 1));
                return Some(KernelStep::SubtractVectors { to, left, right });
            }
            IrOperation::Scale => {
                let left = self.register(draft, 0);
                return Some(match draft.from[1] {
                    Operand::Constant(bits) => {
                        KernelStep::ScaleVectorConstant { to, left, value: f64::from_bits(bits) as f32 }
                    }
                    Operand::Register(right) => KernelStep::ScaleVector { to, left, right },
                });
            }
            IrOperation::Length => return Some(KernelStep::Length { to, from: self.register(draft, 0) }),
            IrOperation::Normal => return Some(KernelStep::Normal { to, from: self.register(draft, 0) }),
            IrOperation::Distance => {
                let (left, right) = (self.register(draft, 0), self.register(draft, 1));
                return Some(KernelStep::Distance { to, left, right });
            }
            IrOperation::CompareNumbers(how) if self.compare(draft, how).is_some() => return self.compare(draft, how),
            IrOperation::CompareNumbers(how) => match how {
                Comparison::Less => O::Less,
                Comparison::LessEqual => O::LessEqual,
                Comparison::Greater => O::Greater,
                Comparison::GreaterEqual => O::GreaterEqual,
                Comparison::Equal => O::Equal,
                Comparison::Unequal => O::Unequal,
            },
            IrOperation::CompareIdentifiers(how) => match how {
                Comparison::Less => O::IdentifierLess,
                Comparison::LessEqual => O::IdentifierLessEqual,
                Comparison::Greater => O::IdentifierGreater,
                Comparison::GreaterEqual => O::IdentifierGreaterEqual,
                Comparison::Equal => O::SameBits,
                Comparison::Unequal => O::UnlikeBits,
            },
            IrOperation::SameBits { is_negated } => pick(is_negated, O::UnlikeBits, O::SameBits),
            IrOperation::SameHandles { is_negated } => pick(is_negated, O::UnlikeWide, O::SameWide),
            IrOperation::SameVectors { is_negated } => pick(is_negated, O::UnlikeVectors, O::SameVectors),
            IrOperation::Negate => O::Negate,
            IrOperation::NegateIdentifier => O::NegateIdentifier,
            IrOperation::NegateVector => O::NegateVector,
            IrOperation::Not => O::Not,
            IrOperation::AddIdentifiers => O::AddIdentifiers,
            IrOperation::SubtractIdentifiers => O::SubtractIdentifiers,
            IrOperation::Shrink => O::Shrink,
            IrOperation::Part(0) => O::PartX,
            IrOperation::Part(1) => O::PartY,
            IrOperation::Part(_) => O::PartZ,
            IrOperation::Absolute => O::Absolute,
            IrOperation::Lerp => O::Lerp,
            IrOperation::Vector => O::Vector,
            IrOperation::Dot => O::Dot,
            IrOperation::Cross => O::Cross,
            IrOperation::NumberOfIdentifier => O::NumberOfIdentifier,
            IrOperation::IdentifierOfNumber => O::IdentifierOfNumber,
        };
        let mut from = [0; 3];
        for index in 0..draft.reads {
            from[usize::from(index)] = self.register(draft, index);
        }
        Some(KernelStep::Rare { what, to, from })
    }

    fn arithmetic(&mut self, draft: &IrDraft, how: Arithmetic) -> KernelStep {
        use Arithmetic::*;
        use Operand::{Constant, Register};
        let to = draft.to;
        let value = f64::from_bits;
        match (how, draft.from[0], draft.from[1]) {
            // A sum and a product are the same from both sides; min and max are not.
            (Add, Register(left), Constant(bits)) | (Add, Constant(bits), Register(left)) => {
                KernelStep::AddConstant { to, left, value: value(bits) }
            }
            (Multiply, Register(left), Constant(bits)) | (Multiply, Constant(bits), Register(left)) => {
                KernelStep::MultiplyConstant { to, left, value: value(bits) }
            }
            (Subtract, Register(left), Constant(bits)) => KernelStep::SubtractConstant { to, left, value: value(bits) },
            (Subtract, Constant(bits), Register(right)) => KernelStep::SubtractFrom { to, right, value: value(bits) },
            (Divide, Register(left), Constant(bits)) if value(bits) != 0.0 => {
                KernelStep::DivideConstant { to, left, value: value(bits) }
            }
            (Min, Register(left), Constant(bits)) => KernelStep::MinConstant { to, left, value: value(bits) },
            (Max, Register(left), Constant(bits)) => KernelStep::MaxConstant { to, left, value: value(bits) },
            (Min, Constant(bits), Register(right)) => KernelStep::ConstantMin { to, right, value: value(bits) },
            (Max, Constant(bits), Register(right)) => KernelStep::ConstantMax { to, right, value: value(bits) },
            _ => {
                let (left, right) = (self.register(draft, 0), self.register(draft, 1));
                match how {
                    Add => KernelStep::Add { to, left, right },
                    Subtract => KernelStep::Subtract { to, left, right },
                    Multiply => KernelStep::Multiply { to, left, right },
                    Divide => KernelStep::Divide { to, left, right },
                    Remainder => KernelStep::Remainder { to, left, right },
                    Min => KernelStep::Min { to, left, right },
                    Max => KernelStep::Max { to, left, right },
                }
            }
        }
    }

    /// The step of a comparison with a constant, if there is one.
    fn compare(&self, draft: &IrDraft, how: Comparison) -> Option<KernelStep> {
        let (to, [Operand::Register(left), Operand::Constant(bits), _]) = (draft.to, draft.from) else { return None };
        let value = f64::from_bits(bits);
        match how {
            Comparison::Less => Some(KernelStep::LessConstant { to, left, value }),
            Comparison::LessEqual => Some(KernelStep::LessEqualConstant { to, left, value }),
            Comparison::Greater => Some(KernelStep::GreaterConstant { to, left, value }),
            Comparison::GreaterEqual => Some(KernelStep::GreaterEqualConstant { to, left, value }),
            Comparison::Equal | Comparison::Unequal => None,
        }
    }

    fn clamp(&mut self, draft: &IrDraft) -> KernelStep {
        let to = draft.to;
        match draft.from {
            [Operand::Register(value), Operand::Constant(lower), Operand::Constant(upper)] => {
                KernelStep::ClampConstant { to, value, lower: f64::from_bits(lower), upper: f64::from_bits(upper) }
            }
            _ => {
                let [value, lower, upper] = [0, 1, 2].map(|index| self.register(draft, index));
                KernelStep::Clamp { to, value, lower, upper }
            }
        }
    }

    fn unless(&mut self, draft: &IrDraft, how: Comparison, target: u32) -> KernelStep {
        let left = self.register(draft, 0);
        if let Operand::Constant(bits) = draft.from[1] {
            let value = f64::from_bits(bits);
            return match how {
                Comparison::Less => KernelStep::UnlessLessConstant { left, value, target },
                Comparison::LessEqual => KernelStep::UnlessLessEqualConstant { left, value, target },
                Comparison::Greater => KernelStep::UnlessGreaterConstant { left, value, target },
                Comparison::GreaterEqual => KernelStep::UnlessGreaterEqualConstant { left, value, target },
                Comparison::Equal => KernelStep::UnlessEqualConstant { left, value, target },
                Comparison::Unequal => KernelStep::UnlessUnequalConstant { left, value, target },
            };
        }
        let right = self.register(draft, 1);
        match how {
            Comparison::Less => KernelStep::UnlessLess { left, right, target },
            Comparison::LessEqual => KernelStep::UnlessLessEqual { left, right, target },
            Comparison::Greater => KernelStep::UnlessGreater { left, right, target },
            Comparison::GreaterEqual => KernelStep::UnlessGreaterEqual { left, right, target },
            Comparison::Equal => KernelStep::UnlessEqual { left, right, target },
            Comparison::Unequal => KernelStep::UnlessUnequal { left, right, target },
        }
    }
}

/// Peephole fusion: two steps as one, if only the second reads the result of the first and there is a step for both.
fn fuse(first: KernelStep, second: KernelStep, draft: &IrDraft) -> Option<KernelStep> {
    let is_last = |register: u8| {
        let mut reads = draft.from.iter().zip(draft.is_last).take(draft.reads.into());
        reads.any(|(operand, is_last)| is_last && *operand == Operand::Register(register))
    };
    match (first, second) {
        // A result that is only copied is written to the target of the copy.
        (_, KernelStep::Move { to, from } | KernelStep::MoveWide { to, from }) if is_last(from) => {
            let mut first = first;
            let made = target_register_mut(&mut first).filter(|made| **made == from)?;
            *made = to;
            Some(first)
        }
        (KernelStep::MultiplyConstant { to: made, left, value: factor }, _) if is_last(made) => match second {
            KernelStep::AddConstant { to, left: of, value } if of == made => {
                Some(KernelStep::Scale { to, left, factor, value })
            }
            KernelStep::SubtractConstant { to, left: of, value } if of == made => {
                Some(KernelStep::Scale { to, left, factor, value: -value })
            }
            KernelStep::Add { to, left: of, right: other } | KernelStep::Add { to, left: other, right: of }
                if of == made && other != made =>
            {
                Some(KernelStep::ScaleAdd { to, left, other, factor })
            }
            KernelStep::Subtract { to, left: other, right: of } if of == made && other != made => {
                Some(KernelStep::SubtractScaled { to, left, other, factor })
            }
            _ => None,
        },
        (KernelStep::Multiply { to: made, left, right }, KernelStep::Add { to, left: of, right: other })
        | (KernelStep::Multiply { to: made, left, right }, KernelStep::Add { to, left: other, right: of })
            if of == made && other != made && is_last(made) =>
        {
            Some(KernelStep::MultiplyAdd { to, left, right, other })
        }
        _ => None,
    }
}

fn pick(first: bool, yes: RareOperation, no: RareOperation) -> RareOperation {
    if first { yes } else { no }
}

/// Jump threading: a jump to a jump goes to its target, and a jump to the next step is removed.
fn thread_jumps(steps: &mut Vec<KernelStep>) {
    for at in 0..steps.len() {
        let Some(mut target) = target_mut(&mut steps[at]).copied() else { continue };
        // Jumps go forward, so this ends.
        while let Some(KernelStep::Jump { target: next }) = steps.get(target as usize) {
            target = *next;
        }
        if let Some(place) = target_mut(&mut steps[at]) {
            *place = target;
        }
    }
    for at in (0..steps.len()).rev() {
        if matches!(steps[at], KernelStep::Jump { target } if target as usize == at + 1) {
            steps.remove(at);
            for target in steps.iter_mut().filter_map(target_mut).filter(|target| **target as usize > at) {
                *target -= 1;
            }
        }
    }
}

/// The register that a step writes, for the steps that [`fuse`] redirects.
#[rustfmt::skip]
fn target_register_mut(step: &mut KernelStep) -> Option<&mut u8> {
    match step {
        KernelStep::Add { to, .. } | KernelStep::Subtract { to, .. } | KernelStep::Multiply { to, .. } | KernelStep::Divide { to, .. }
        | KernelStep::Min { to, .. } | KernelStep::Max { to, .. } | KernelStep::AddConstant { to, .. } | KernelStep::SubtractConstant { to, .. }
        | KernelStep::SubtractFrom { to, .. } | KernelStep::MultiplyConstant { to, .. } | KernelStep::DivideConstant { to, .. }
        | KernelStep::MinConstant { to, .. } | KernelStep::MaxConstant { to, .. } | KernelStep::ConstantMin { to, .. }
        | KernelStep::ConstantMax { to, .. } | KernelStep::LessConstant { to, .. } | KernelStep::LessEqualConstant { to, .. }
        | KernelStep::GreaterConstant { to, .. } | KernelStep::GreaterEqualConstant { to, .. } | KernelStep::AddVectors { to, .. }
        | KernelStep::SubtractVectors { to, .. } | KernelStep::ScaleVector { to, .. } | KernelStep::ScaleVectorConstant { to, .. }
        | KernelStep::Length { to, .. } | KernelStep::Distance { to, .. } | KernelStep::Normal { to, .. } | KernelStep::Scale { to, .. }
        | KernelStep::ScaleAdd { to, .. } | KernelStep::SubtractScaled { to, .. } | KernelStep::MultiplyAdd { to, .. }
        | KernelStep::Clamp { to, .. } | KernelStep::ClampConstant { to, .. } | KernelStep::Unary { to, .. } | KernelStep::Binary { to, .. }
        | KernelStep::Rare { to, .. } => Some(to),
        _ => None,
    }
}

/// Jumps go forward and stay within the steps: a kernel has no loop, so that its fuel is bounded.
fn check_targets(steps: &[KernelStep]) {
    for (at, mut step) in steps.iter().copied().enumerate() {
        if let Some(target) = target_mut(&mut step) {
            let target = *target as usize;
            assert!(at < target && target < steps.len(), "step {at} jumps to {target} of {}", steps.len());
        }
    }
}

fn target_mut(step: &mut KernelStep) -> Option<&mut u32> {
    match step {
        KernelStep::Jump { target }
        | KernelStep::Unless { target, .. }
        | KernelStep::UnlessLess { target, .. }
        | KernelStep::UnlessLessEqual { target, .. }
        | KernelStep::UnlessGreater { target, .. }
        | KernelStep::UnlessGreaterEqual { target, .. }
        | KernelStep::UnlessEqual { target, .. }
        | KernelStep::UnlessUnequal { target, .. }
        | KernelStep::UnlessLessConstant { target, .. }
        | KernelStep::UnlessLessEqualConstant { target, .. }
        | KernelStep::UnlessGreaterConstant { target, .. }
        | KernelStep::UnlessGreaterEqualConstant { target, .. }
        | KernelStep::UnlessEqualConstant { target, .. }
        | KernelStep::UnlessUnequalConstant { target, .. } => Some(target),
        _ => None,
    }
}
