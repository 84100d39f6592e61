//! From the steps of a plan to those of a kernel: variables that are set are read where they lie, copies are looked through,
//! constants go into the steps, what nobody needs is left out, some pairs become one, and jumps to jumps go where those go.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use base::{StringId, Vec3};

use super::Plan;
use super::step::{Arithmetic, Comparison, Step as Column, Work};
use crate::kernel::{Check, Kernel, Other, Set, Step, is_wide};
use crate::value::{Kind, Value};

/// The kernel of a plan.
pub(super) fn translate(plan: Plan) -> Option<Kernel> {
    let mut drafts: Vec<Draft> = plan.steps.iter().map(Draft::of).collect();
    drafts.push(Draft { from: [Operand::Register(plan.column); 3], reads: 1, is_end: true, ..Draft::of(&NOTHING) });
    let landings: BTreeMap<u16, usize> = plan.steps.iter().enumerate().filter_map(landing).collect();
    let sets: Vec<u8> = plan.sets.iter().map(|set| set.column).collect();
    read_columns(&mut drafts, &plan.sets);
    look_through_copies(&mut drafts);
    drop_unneeded(&mut drafts, &landings, &sets);
    let mut writer = Writer::default();
    let places = drafts.iter().map(|draft| writer.write(draft)).collect::<Option<Vec<u32>>>()?;
    let Writer { mut steps, checks, looks, .. } = writer;
    let is_looking = !looks.is_empty() || steps.iter().any(|step| matches!(step, Step::Living { .. }));
    for step in &mut steps {
        if let Some(target) = target_mut(step) {
            let landing = landings.get(&u16::try_from(*target).ok()?)?;
            *target = *places.get(*landing)?;
        }
    }
    straighten(&mut steps);
    let Plan { arguments, parameters, carried, sets, sets_made, result, fuel, is_steady, depth, values, .. } = plan;
    let in_order = arguments.iter().enumerate().all(|(index, argument)| usize::from(argument.number) == index);
    let takes_numbers = in_order && arguments.iter().all(|argument| argument.check == Check::kind(Kind::Number));
    Some(Kernel {
        steps,
        arguments,
        parameters,
        carried,
        takes_numbers,
        sets,
        sets_made,
        checks,
        result,
        fuel,
        is_steady,
        depth,
        values,
        looks,
        is_looking,
        other: None,
    })
}

/// A step of the plan on its way.
#[derive(Clone, Copy)]
struct Draft {
    work: Work,
    to: u8,
    from: [Operand; 3],
    reads: u8,
    is_writing: bool,
    /// Whether nobody reads a register again after this.
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
const NOTHING: Column =
    Column { work: Work::Fail, to: 0, from: [0; 3], reads: 0, is_writing: false, is_blended: false };
/// Constants that must lie in a register lie in one of the three from here on: no plan uses these.
const SPARE: u8 = 253;

impl Draft {
    fn of(step: &Column) -> Draft {
        let mut draft = Draft {
            work: step.work,
            to: step.to,
            from: step.from.map(Operand::Register),
            reads: step.reads,
            is_writing: step.is_writing,
            is_last: [false; 3],
            is_end: false,
            is_dropped: false,
        };
        let constant = match step.work {
            Work::Constant(how, value) => {
                draft.work = Work::Numbers(how);
                Some((1, value.to_bits()))
            }
            Work::JumpUnlessConstant(how, value, slot) => {
                draft.work = Work::JumpUnlessNumbers(how, slot);
                Some((1, value.to_bits()))
            }
            Work::Fill(bits) => {
                draft.work = Work::Move;
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

    /// A vector of constants is one, and so is the negative of one. Other work on constants is done when the tag is compiled.
    fn fold(&mut self) {
        match (self.work, self.from) {
            (Work::Negate, [Operand::Constant(bits), ..]) => {
                self.work = Work::Move;
                self.from[0] = Operand::Constant((-f64::from_bits(bits)).to_bits());
            }
            (Work::Vector, [Operand::Constant(x), Operand::Constant(y), Operand::Constant(z)]) if self.reads == 3 => {
                let [x, y, z] = [x, y, z].map(|bits| f64::from_bits(bits) as f32);
                let (bits, tag) = Value::vector(Vec3::new(x, y, z)).words();
                self.work = Work::FillWide(bits, (tag >> 32) as u32);
                self.reads = 0;
            }
            _ => {}
        }
    }

    fn reads(&self) -> &[Operand] {
        &self.from[..usize::from(self.reads)]
    }

    /// Whether nothing is lost if nobody needs what it writes. A division by zero is for the machine to complain about, and
    /// a variable must be of its kind even if nothing else is asked of it.
    fn can_be_dropped(&self) -> bool {
        let is_division = matches!(self.work, Work::Numbers(Arithmetic::Divide | Arithmetic::Remainder));
        self.is_writing && !is_division && !matches!(self.work, Work::Variable(..) | Work::Look(..))
    }

    fn jump(&self) -> Option<u16> {
        match self.work {
            Work::Jump(slot) | Work::JumpUnless(slot) | Work::JumpUnlessNumbers(_, slot) => Some(slot),
            _ => None,
        }
    }
}

fn landing((at, step): (usize, &Column)) -> Option<(u16, usize)> {
    match step.work {
        Work::Land(slot) => Some((slot, at)),
        _ => None,
    }
}

/// Reads variables that are set where they lie. Until its first set, which comes behind all such reads, what is there is what
/// the variable was.
fn read_columns(drafts: &mut [Draft], sets: &[Set]) {
    for draft in drafts {
        let Work::Variable(variable, check) = draft.work else { continue };
        if let Some(set) = sets.iter().find(|set| set.variable == variable && set.check == check) {
            draft.work = if is_wide(set.kind) { Work::MoveWide } else { Work::Move };
            (draft.from[0], draft.reads) = (Operand::Register(set.column), 1);
        }
    }
}

/// Reads what a copy was made of in its place, as long as both are the same.
fn look_through_copies(drafts: &mut [Draft]) {
    let mut copies: Vec<(u8, Operand)> = Vec::new();
    for draft in drafts {
        if matches!(draft.work, Work::Land(_)) {
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
            if matches!(draft.work, Work::Move | Work::MoveWide) && draft.from[0] != written {
                copies.push((draft.to, draft.from[0]));
            }
        }
    }
}

/// Drops what writes registers that nobody reads. Jumps go forward, so one pass from the end is enough.
fn drop_unneeded(drafts: &mut [Draft], landings: &BTreeMap<u16, usize>, sets: &[u8]) {
    let mut needed = [false; 256];
    let mut at_landings: BTreeMap<usize, [bool; 256]> = BTreeMap::new();
    for (at, draft) in drafts.iter_mut().enumerate().rev() {
        if draft.is_end {
            sets.iter().for_each(|column| needed[usize::from(*column)] = true);
        } else if matches!(draft.work, Work::Jump(_) | Work::Fail) {
            needed = [false; 256];
        }
        if matches!(draft.work, Work::Land(_)) {
            at_landings.insert(at, needed);
            continue;
        }
        let there = draft.jump().and_then(|slot| at_landings.get(landings.get(&slot)?));
        if let Some(there) = there {
            needed.iter_mut().zip(there).for_each(|(needed, there)| *needed |= there);
        }
        if draft.can_be_dropped() && !needed[usize::from(draft.to)] {
            draft.is_dropped = true;
            continue;
        }
        if draft.is_writing {
            needed[usize::from(draft.to)] = false;
        }
        let reads: Vec<Operand> = draft.reads().to_vec();
        for (index, operand) in reads.iter().enumerate() {
            if let Operand::Register(register) = operand {
                draft.is_last[index] = !needed[usize::from(*register)];
            }
        }
        for operand in &reads {
            if let Operand::Register(register) = operand {
                needed[usize::from(*register)] = true;
            }
        }
    }
}

/// Writes the steps of a kernel. Jumps still name slots.
#[derive(Default)]
struct Writer {
    steps: Vec<Step>,
    checks: Vec<(u32, Check)>,
    looks: Vec<(StringId, Check)>,
    /// No pair reaches back over this.
    wall: usize,
}

impl Writer {
    /// Writes a draft. Gives the place where it begins.
    fn write(&mut self, draft: &Draft) -> Option<u32> {
        let place = self.steps.len();
        if matches!(draft.work, Work::Land(_)) {
            self.wall = place;
        } else if draft.is_end {
            let from = self.register(draft, 0);
            self.steps.push(Step::Return { from });
        } else if !draft.is_dropped {
            let step = self.step(draft)?;
            let pair = self.steps.last().filter(|_| place > self.wall).and_then(|last| pair(*last, step, draft));
            if pair.is_some() {
                self.steps.pop();
            }
            self.steps.push(pair.unwrap_or(step));
        }
        Some(place as u32)
    }

    /// The register of an operand. A constant is put into one first.
    fn register(&mut self, draft: &Draft, index: u8) -> u8 {
        match draft.from[usize::from(index)] {
            Operand::Register(register) => register,
            Operand::Constant(bits) => {
                self.steps.push(Step::Constant { to: SPARE + index, bits });
                SPARE + index
            }
        }
    }

    fn check(&mut self, variable: u32, check: Check) -> u32 {
        self.checks.push((variable, check));
        self.checks.len() as u32 - 1
    }

    fn step(&mut self, draft: &Draft) -> Option<Step> {
        use Other as O;
        let to = draft.to;
        let what = match draft.work {
            Work::Land(_) | Work::Fill(_) | Work::Constant(..) | Work::JumpUnlessConstant(..) => return None,
            Work::FillWide(bits, extra) => return Some(Step::ConstantWide { to, extra, bits }),
            Work::Jump(slot) => return Some(Step::Jump { target: slot.into() }),
            Work::JumpUnless(slot) => {
                return Some(Step::Unless { truth: self.register(draft, 0), target: slot.into() });
            }
            Work::JumpUnlessNumbers(how, slot) => return Some(self.unless(draft, how, slot.into())),
            Work::Fail => return Some(Step::Fail),
            Work::Move => {
                return Some(match draft.from[0] {
                    Operand::Register(from) => Step::Move { to, from },
                    Operand::Constant(bits) => Step::Constant { to, bits },
                });
            }
            Work::Variable(variable, check) if check == Check::kind(Kind::Number) => {
                return Some(Step::Number { to, variable });
            }
            Work::Variable(variable, check) if check == Check::kind(Kind::Vector) => {
                return Some(Step::Wide { to, kind: Kind::Vector as u8, variable });
            }
            Work::Variable(variable, check) if check == Check::kind(Kind::Handle) => {
                return Some(Step::Wide { to, kind: Kind::Handle as u8, variable });
            }
            Work::Variable(variable, check) => return Some(Step::Variable { to, check: self.check(variable, check) }),
            Work::Look(name, check) => {
                let from = self.register(draft, 0);
                self.looks.push((name, check));
                return Some(Step::Look { to, from, look: self.looks.len() as u32 - 1 });
            }
            Work::Living => return Some(Step::Living { to, from: self.register(draft, 0) }),
            Work::Expect(variable, value) => {
                return Some(Step::Expect { check: self.check(variable, Check::exactly(value)) });
            }
            Work::Numbers(how) => return Some(self.arithmetic(draft, how)),
            Work::Clamp => return Some(self.clamp(draft)),
            Work::Unary(work) => return Some(Step::Unary { to, from: self.register(draft, 0), work }),
            Work::Binary(work) => {
                let (left, right) = (self.register(draft, 0), self.register(draft, 1));
                return Some(Step::Binary { to, left, right, work });
            }
            Work::MoveWide => return Some(Step::MoveWide { to, from: self.register(draft, 0) }),
            Work::AddVectors => {
                let (left, right) = (self.register(draft, 0), self.register(draft, 1));
                return Some(Step::AddVectors { to, left, right });
            }
            Work::SubtractVectors => {
                let (left, right) = (self.register(draft, 0), self.register(draft, 1));
                return Some(Step::SubtractVectors { to, left, right });
            }
            Work::Scale => {
                let left = self.register(draft, 0);
                return Some(match draft.from[1] {
                    Operand::Constant(bits) => {
                        Step::ScaleVectorConstant { to, left, value: f64::from_bits(bits) as f32 }
                    }
                    Operand::Register(right) => Step::ScaleVector { to, left, right },
                });
            }
            Work::Length => return Some(Step::Length { to, from: self.register(draft, 0) }),
            Work::Normal => return Some(Step::Normal { to, from: self.register(draft, 0) }),
            Work::Distance => {
                let (left, right) = (self.register(draft, 0), self.register(draft, 1));
                return Some(Step::Distance { to, left, right });
            }
            Work::CompareNumbers(how) if self.compare(draft, how).is_some() => return self.compare(draft, how),
            Work::CompareNumbers(how) => match how {
                Comparison::Less => O::Less,
                Comparison::LessEqual => O::LessEqual,
                Comparison::Greater => O::Greater,
                Comparison::GreaterEqual => O::GreaterEqual,
                Comparison::Equal => O::Equal,
                Comparison::Unequal => O::Unequal,
            },
            Work::CompareIdentifiers(how) => match how {
                Comparison::Less => O::IdentifierLess,
                Comparison::LessEqual => O::IdentifierLessEqual,
                Comparison::Greater => O::IdentifierGreater,
                Comparison::GreaterEqual => O::IdentifierGreaterEqual,
                Comparison::Equal => O::SameBits,
                Comparison::Unequal => O::UnlikeBits,
            },
            Work::SameBits { is_negated } => pick(is_negated, O::UnlikeBits, O::SameBits),
            Work::SameHandles { is_negated } => pick(is_negated, O::UnlikeWide, O::SameWide),
            Work::SameVectors { is_negated } => pick(is_negated, O::UnlikeVectors, O::SameVectors),
            Work::Negate => O::Negate,
            Work::NegateIdentifier => O::NegateIdentifier,
            Work::NegateVector => O::NegateVector,
            Work::Not => O::Not,
            Work::AddIdentifiers => O::AddIdentifiers,
            Work::SubtractIdentifiers => O::SubtractIdentifiers,
            Work::Shrink => O::Shrink,
            Work::Part(0) => O::PartX,
            Work::Part(1) => O::PartY,
            Work::Part(_) => O::PartZ,
            Work::Absolute => O::Absolute,
            Work::Lerp => O::Lerp,
            Work::Vector => O::Vector,
            Work::Dot => O::Dot,
            Work::Cross => O::Cross,
            Work::NumberOfIdentifier => O::NumberOfIdentifier,
            Work::IdentifierOfNumber => O::IdentifierOfNumber,
        };
        let mut from = [0; 3];
        for index in 0..draft.reads {
            from[usize::from(index)] = self.register(draft, index);
        }
        Some(Step::Other { what, to, from })
    }

    fn arithmetic(&mut self, draft: &Draft, how: Arithmetic) -> Step {
        use Arithmetic::*;
        use Operand::{Constant, Register};
        let to = draft.to;
        let value = f64::from_bits;
        match (how, draft.from[0], draft.from[1]) {
            // A sum and a product are the same from both sides; min and max are not.
            (Add, Register(left), Constant(bits)) | (Add, Constant(bits), Register(left)) => {
                Step::AddConstant { to, left, value: value(bits) }
            }
            (Multiply, Register(left), Constant(bits)) | (Multiply, Constant(bits), Register(left)) => {
                Step::MultiplyConstant { to, left, value: value(bits) }
            }
            (Subtract, Register(left), Constant(bits)) => Step::SubtractConstant { to, left, value: value(bits) },
            (Subtract, Constant(bits), Register(right)) => Step::SubtractFrom { to, right, value: value(bits) },
            (Divide, Register(left), Constant(bits)) if value(bits) != 0.0 => {
                Step::DivideConstant { to, left, value: value(bits) }
            }
            (Min, Register(left), Constant(bits)) => Step::MinConstant { to, left, value: value(bits) },
            (Max, Register(left), Constant(bits)) => Step::MaxConstant { to, left, value: value(bits) },
            (Min, Constant(bits), Register(right)) => Step::ConstantMin { to, right, value: value(bits) },
            (Max, Constant(bits), Register(right)) => Step::ConstantMax { to, right, value: value(bits) },
            _ => {
                let (left, right) = (self.register(draft, 0), self.register(draft, 1));
                match how {
                    Add => Step::Add { to, left, right },
                    Subtract => Step::Subtract { to, left, right },
                    Multiply => Step::Multiply { to, left, right },
                    Divide => Step::Divide { to, left, right },
                    Remainder => Step::Remainder { to, left, right },
                    Min => Step::Min { to, left, right },
                    Max => Step::Max { to, left, right },
                }
            }
        }
    }

    /// A comparison with a constant, if there is such a step.
    fn compare(&self, draft: &Draft, how: Comparison) -> Option<Step> {
        let (to, [Operand::Register(left), Operand::Constant(bits), _]) = (draft.to, draft.from) else { return None };
        let value = f64::from_bits(bits);
        match how {
            Comparison::Less => Some(Step::LessConstant { to, left, value }),
            Comparison::LessEqual => Some(Step::LessEqualConstant { to, left, value }),
            Comparison::Greater => Some(Step::GreaterConstant { to, left, value }),
            Comparison::GreaterEqual => Some(Step::GreaterEqualConstant { to, left, value }),
            Comparison::Equal | Comparison::Unequal => None,
        }
    }

    fn clamp(&mut self, draft: &Draft) -> Step {
        let to = draft.to;
        match draft.from {
            [Operand::Register(value), Operand::Constant(least), Operand::Constant(most)] => {
                Step::ClampConstant { to, value, least: f64::from_bits(least), most: f64::from_bits(most) }
            }
            _ => {
                let [value, least, most] = [0, 1, 2].map(|index| self.register(draft, index));
                Step::Clamp { to, value, least, most }
            }
        }
    }

    fn unless(&mut self, draft: &Draft, how: Comparison, target: u32) -> Step {
        let left = self.register(draft, 0);
        if let Operand::Constant(bits) = draft.from[1] {
            let value = f64::from_bits(bits);
            return match how {
                Comparison::Less => Step::UnlessLessConstant { left, value, target },
                Comparison::LessEqual => Step::UnlessLessEqualConstant { left, value, target },
                Comparison::Greater => Step::UnlessGreaterConstant { left, value, target },
                Comparison::GreaterEqual => Step::UnlessGreaterEqualConstant { left, value, target },
                Comparison::Equal => Step::UnlessEqualConstant { left, value, target },
                Comparison::Unequal => Step::UnlessUnequalConstant { left, value, target },
            };
        }
        let right = self.register(draft, 1);
        match how {
            Comparison::Less => Step::UnlessLess { left, right, target },
            Comparison::LessEqual => Step::UnlessLessEqual { left, right, target },
            Comparison::Greater => Step::UnlessGreater { left, right, target },
            Comparison::GreaterEqual => Step::UnlessGreaterEqual { left, right, target },
            Comparison::Equal => Step::UnlessEqual { left, right, target },
            Comparison::Unequal => Step::UnlessUnequal { left, right, target },
        }
    }
}

/// Two steps as one, if the second is the only one to read what the first makes and there is such a step.
fn pair(first: Step, second: Step, draft: &Draft) -> Option<Step> {
    let is_last = |register: u8| {
        let mut reads = draft.from.iter().zip(draft.is_last).take(draft.reads.into());
        reads.any(|(operand, is_last)| is_last && *operand == Operand::Register(register))
    };
    match (first, second) {
        // What is only copied is made where the copy would be.
        (_, Step::Move { to, from } | Step::MoveWide { to, from }) if is_last(from) => {
            let mut first = first;
            let made = made_mut(&mut first).filter(|made| **made == from)?;
            *made = to;
            Some(first)
        }
        (Step::MultiplyConstant { to: made, left, value: factor }, _) if is_last(made) => match second {
            Step::AddConstant { to, left: of, value } if of == made => Some(Step::Scale { to, left, factor, value }),
            Step::SubtractConstant { to, left: of, value } if of == made => {
                Some(Step::Scale { to, left, factor, value: -value })
            }
            Step::Add { to, left: of, right: other } | Step::Add { to, left: other, right: of }
                if of == made && other != made =>
            {
                Some(Step::ScaleAdd { to, left, other, factor })
            }
            Step::Subtract { to, left: other, right: of } if of == made && other != made => {
                Some(Step::SubtractScaled { to, left, other, factor })
            }
            _ => None,
        },
        (Step::Multiply { to: made, left, right }, Step::Add { to, left: of, right: other })
        | (Step::Multiply { to: made, left, right }, Step::Add { to, left: other, right: of })
            if of == made && other != made && is_last(made) =>
        {
            Some(Step::MultiplyAdd { to, left, right, other })
        }
        _ => None,
    }
}

fn pick(first: bool, yes: Other, no: Other) -> Other {
    if first { yes } else { no }
}

/// Leads jumps to jumps to where those lead, and leaves out jumps to the next step.
fn straighten(steps: &mut Vec<Step>) {
    for at in 0..steps.len() {
        let Some(mut target) = target_mut(&mut steps[at]).copied() else { continue };
        // Jumps go forward, so this ends.
        while let Some(Step::Jump { target: next }) = steps.get(target as usize) {
            target = *next;
        }
        if let Some(place) = target_mut(&mut steps[at]) {
            *place = target;
        }
    }
    for at in (0..steps.len()).rev() {
        if matches!(steps[at], Step::Jump { target } if target as usize == at + 1) {
            steps.remove(at);
            for target in steps.iter_mut().filter_map(target_mut).filter(|target| **target as usize > at) {
                *target -= 1;
            }
        }
    }
}

/// The register that a step writes, of those that write one and are worth looking at.
#[rustfmt::skip]
fn made_mut(step: &mut Step) -> Option<&mut u8> {
    match step {
        Step::Add { to, .. } | Step::Subtract { to, .. } | Step::Multiply { to, .. } | Step::Divide { to, .. }
        | Step::Min { to, .. } | Step::Max { to, .. } | Step::AddConstant { to, .. } | Step::SubtractConstant { to, .. }
        | Step::SubtractFrom { to, .. } | Step::MultiplyConstant { to, .. } | Step::DivideConstant { to, .. }
        | Step::MinConstant { to, .. } | Step::MaxConstant { to, .. } | Step::ConstantMin { to, .. }
        | Step::ConstantMax { to, .. } | Step::LessConstant { to, .. } | Step::LessEqualConstant { to, .. }
        | Step::GreaterConstant { to, .. } | Step::GreaterEqualConstant { to, .. } | Step::AddVectors { to, .. }
        | Step::SubtractVectors { to, .. } | Step::ScaleVector { to, .. } | Step::ScaleVectorConstant { to, .. }
        | Step::Length { to, .. } | Step::Distance { to, .. } | Step::Normal { to, .. } | Step::Scale { to, .. }
        | Step::ScaleAdd { to, .. } | Step::SubtractScaled { to, .. } | Step::MultiplyAdd { to, .. }
        | Step::Clamp { to, .. } | Step::ClampConstant { to, .. } | Step::Unary { to, .. } | Step::Binary { to, .. }
        | Step::Other { to, .. } => Some(to),
        _ => None,
    }
}

fn target_mut(step: &mut Step) -> Option<&mut u32> {
    match step {
        Step::Jump { target }
        | Step::Unless { target, .. }
        | Step::UnlessLess { target, .. }
        | Step::UnlessLessEqual { target, .. }
        | Step::UnlessGreater { target, .. }
        | Step::UnlessGreaterEqual { target, .. }
        | Step::UnlessEqual { target, .. }
        | Step::UnlessUnequal { target, .. }
        | Step::UnlessLessConstant { target, .. }
        | Step::UnlessLessEqualConstant { target, .. }
        | Step::UnlessGreaterConstant { target, .. }
        | Step::UnlessGreaterEqualConstant { target, .. }
        | Step::UnlessEqualConstant { target, .. }
        | Step::UnlessUnequalConstant { target, .. } => Some(target),
        _ => None,
    }
}
