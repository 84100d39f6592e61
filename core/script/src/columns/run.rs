//! Runs a plan.

use base::Vec3;
use base::number::double;

use super::loops::{
    Column, Extra, blend, blend_extra, compare_identifiers, compare_numbers, each, identifier, identifiers, lanes_true,
    lanes_where, lanes_where_constant, measures, number, numbers, one, three, truths, two, vector, vectors,
};
use super::step::{Arithmetic, Check, Comparison, Step, Work, is_wide};
use super::{LANES, Lanes, Plan};
use crate::value::Value;

/// See [`Plan::evaluate`].
pub(super) fn run(
    plan: &Plan,
    lanes: &mut Lanes,
    arguments: &[&[Value]],
    variables: &[&[Value]],
    results: &mut [Value],
) -> u64 {
    let count = results.len().min(LANES);
    let all = if count == LANES { u64::MAX } else { (1 << count) - 1 };
    let mut active = all;
    for argument in &plan.arguments {
        let (column, extra) = lanes.both(argument.number);
        active &= match arguments.get(usize::from(argument.number)) {
            Some(values) => load(column, extra, values, argument.check),
            None if argument.check.difference(0, 0) == 0 => all,
            None => 0,
        };
    }
    lanes.waiting[..usize::from(plan.slots)].fill(0);
    let mut at = if active == 0 { plan.steps.len() } else { 0 };
    // Forward only: every turn takes a later step.
    while let Some(step) = plan.steps.get(at) {
        active = match step.work {
            Work::Land(slot) => active | lanes.waiting[usize::from(slot)],
            Work::Jump(_) | Work::JumpUnless(_) | Work::JumpUnlessNumbers(..) | Work::JumpUnlessConstant(..) => {
                lanes.jump(step, active)
            }
            Work::Fail => 0,
            Work::Variable(number, check) => {
                let found = lanes.variable(variables, number, check);
                lanes.finish(step, active, all, check.is_wide);
                active & found
            }
            Work::Expect(number, value) => {
                let check = Check::exactly(value);
                let mut differences = [u64::MAX; LANES];
                for (difference, row) in differences.iter_mut().zip(variables) {
                    let (bits, tag) = row.get(number as usize).copied().unwrap_or_default().words();
                    *difference = check.difference(bits, tag);
                }
                active & equal(&differences)
            }
            Work::Numbers(Arithmetic::Divide | Arithmetic::Remainder) => {
                let right = &lanes.columns[usize::from(step.from[1])];
                let able = active & lanes_where_constant(Comparison::Unequal, right, 0.0);
                lanes.narrow(step, able, all);
                able
            }
            _ => {
                lanes.narrow(step, active, all);
                active
            }
        };
        at = if active == 0 { usize::from(plan.landings[at]) } else { at + 1 };
    }
    lanes.give(plan, active, results);
    active
}

/// Reads values into a column and tells the lanes in which they are as they must be.
fn load(column: &mut Column, extra: &mut Extra, values: &[Value], check: Check) -> u64 {
    if check.is_wide {
        extra.iter_mut().zip(values).for_each(|(extra, value)| *extra = (value.words().1 >> 32) as u32);
    }
    if let Some(values) = values.first_chunk::<LANES>() {
        let mut difference = 0;
        for (place, value) in column.iter_mut().zip(values) {
            let (bits, tag) = value.words();
            *place = bits;
            difference |= check.difference(bits, tag);
        }
        if difference == 0 {
            return u64::MAX;
        }
    }
    let mut differences = [u64::MAX; LANES];
    for (lane, value) in values.iter().take(LANES).enumerate() {
        let (bits, tag) = value.words();
        column[lane] = bits;
        differences[lane] = check.difference(bits, tag);
    }
    equal(&differences)
}

/// The lanes without a difference. Mostly these are all, which is cheap to find out.
fn equal(differences: &Column) -> u64 {
    if differences.iter().fold(0, |all, difference| all | difference) == 0 {
        return u64::MAX;
    }
    let lanes = differences.iter().enumerate().filter(|(_, difference)| **difference == 0);
    lanes.fold(0, |lanes, (lane, _)| lanes | 1 << lane)
}

impl Lanes {
    fn both(&mut self, column: u8) -> (&mut Column, &mut Extra) {
        (&mut self.columns[usize::from(column)], &mut self.extras[usize::from(column)])
    }

    /// Takes a jump. Gives those that go on.
    fn jump(&mut self, step: &Step, active: u64) -> u64 {
        let [left, right, _] = step.from.map(|column| &*self.columns[usize::from(column)]);
        let (slot, holds) = match step.work {
            Work::JumpUnless(slot) => (slot, lanes_true(left)),
            Work::JumpUnlessNumbers(how, slot) => (slot, lanes_where(how, left, right)),
            Work::JumpUnlessConstant(how, constant, slot) => (slot, lanes_where_constant(how, left, constant)),
            Work::Jump(slot) => (slot, 0),
            _ => return active,
        };
        self.waiting[usize::from(slot)] |= active & !holds;
        active & holds
    }

    /// Reads a variable of all lanes. Gives those in which it is as it must be.
    fn variable(&mut self, variables: &[&[Value]], number: u32, check: Check) -> u64 {
        let (out, extra) = (&mut *self.spare, &mut *self.spare_extra);
        let mut differences = [u64::MAX; LANES];
        for (lane, row) in variables.iter().take(LANES).enumerate() {
            let (bits, tag) = row.get(number as usize).copied().unwrap_or_default().words();
            out[lane] = bits;
            differences[lane] = check.difference(bits, tag);
            if check.is_wide {
                extra[lane] = (tag >> 32) as u32;
            }
        }
        equal(&differences)
    }

    /// A step that computes something.
    fn narrow(&mut self, step: &Step, active: u64, all: u64) {
        let [first, second, third] = step.from.map(|column| &*self.columns[usize::from(column)]);
        let out = &mut *self.spare;
        match step.work {
            Work::Fill(bits) => out.fill(bits),
            Work::Move => *out = *first,
            Work::Numbers(how) => arithmetic(out, how, first, second, active),
            Work::Constant(how, constant) => arithmetic_constant(out, how, first, constant, active),
            Work::CompareNumbers(how) => compare_numbers(out, how, first, second),
            Work::CompareIdentifiers(how) => compare_identifiers(out, how, first, second),
            Work::SameBits { is_negated } => two(out, first, second, |l, r| u64::from((l == r) != is_negated)),
            Work::Negate => one(out, first, number(|number| -number)),
            Work::NegateIdentifier => one(out, first, |bits| of_identifier(identifier(bits).saturating_neg())),
            Work::Not => one(out, first, |truth| truth ^ 1),
            Work::AddIdentifiers => two(out, first, second, identifiers(i32::saturating_add)),
            Work::SubtractIdentifiers => two(out, first, second, identifiers(i32::saturating_sub)),
            Work::Unary(work) => each(active).for_each(|lane| out[lane] = number(work)(first[lane])),
            Work::Binary(work) => each(active).for_each(|lane| out[lane] = numbers(work)(first[lane], second[lane])),
            Work::Absolute => one(out, first, number(double::abs)),
            Work::Clamp => {
                three(out, [first, second, third], |value, least, most| double::max(double::min(value, most), least))
            }
            Work::Lerp => three(out, [first, second, third], |from, to, way| from + (to - from) * way),
            Work::NumberOfIdentifier => one(out, first, |bits| f64::from(identifier(bits)).to_bits()),
            Work::IdentifierOfNumber => each(active).for_each(|lane| {
                out[lane] = of_identifier(double::floor(f64::from_bits(first[lane])) as i32);
            }),
            _ => return self.wide(step, active, all),
        }
        self.finish(step, active, all, false);
    }

    /// A step that gives vectors or handles.
    fn wide(&mut self, step: &Step, active: u64, all: u64) {
        let [first, second, third] = step.from.map(|column| &*self.columns[usize::from(column)]);
        let [first_extra, second_extra, _] = step.from.map(|column| &*self.extras[usize::from(column)]);
        let (out, extra) = (&mut *self.spare, &mut *self.spare_extra);
        let left = |lane: usize| vector(first[lane], first_extra[lane]);
        let right = |lane: usize| vector(second[lane], second_extra[lane]);
        let by = |lane: usize| f64::from_bits(second[lane]) as f32;
        match step.work {
            Work::FillWide(bits, more) => (*out, *extra) = ([bits; LANES], [more; LANES]),
            Work::MoveWide => (*out, *extra) = (*first, *first_extra),
            Work::NegateVector => vectors(out, extra, |lane| -left(lane)),
            Work::AddVectors => vectors(out, extra, |lane| left(lane) + right(lane)),
            Work::SubtractVectors => vectors(out, extra, |lane| left(lane) - right(lane)),
            Work::Scale => vectors(out, extra, |lane| left(lane) * by(lane)),
            Work::Shrink => vectors(out, extra, |lane| match by(lane) {
                0.0 => Vec3::default(),
                by => left(lane) / by,
            }),
            Work::Cross => vectors(out, extra, |lane| left(lane).cross(right(lane))),
            Work::Normal => vectors(out, extra, |lane| left(lane).normal()),
            Work::Vector => vectors(out, extra, |lane| {
                let [x, y, z] = [first, second, third].map(|column| f64::from_bits(column[lane]) as f32);
                Vec3::new(x, y, z)
            }),
            _ => return self.measure(step, active, all),
        }
        self.finish(step, active, all, true);
    }

    /// A step that gives numbers or truths of vectors or handles.
    fn measure(&mut self, step: &Step, active: u64, all: u64) {
        let [first, second, _] = step.from.map(|column| &*self.columns[usize::from(column)]);
        let [first_extra, second_extra, _] = step.from.map(|column| &*self.extras[usize::from(column)]);
        let out = &mut *self.spare;
        let left = |lane: usize| vector(first[lane], first_extra[lane]);
        let right = |lane: usize| vector(second[lane], second_extra[lane]);
        match step.work {
            Work::Part(0) => measures(out, |lane| left(lane).x),
            Work::Part(1) => measures(out, |lane| left(lane).y),
            Work::Part(_) => measures(out, |lane| left(lane).z),
            Work::Dot => measures(out, |lane| left(lane).dot(right(lane))),
            Work::Length => measures(out, |lane| left(lane).length()),
            Work::Distance => measures(out, |lane| left(lane).distance(right(lane))),
            Work::SameVectors { is_negated } => {
                truths(out, |lane| (left(lane) == right(lane)) != is_negated);
            }
            Work::SameHandles { is_negated } => truths(out, |lane| {
                let is_same = first[lane] == second[lane] && first_extra[lane] == second_extra[lane];
                is_same != is_negated
            }),
            // Jumps and variables are done where the plan is run.
            _ => return,
        }
        self.finish(step, active, all, false);
    }

    /// Puts the new column in its place.
    fn finish(&mut self, step: &Step, active: u64, all: u64, is_wide: bool) {
        let (column, extra) = (&mut self.columns[usize::from(step.to)], &mut self.extras[usize::from(step.to)]);
        let is_blended = step.is_blended && active != all;
        if is_blended {
            blend(&mut self.blended, &self.spare, column, active);
            core::mem::swap(column, &mut self.blended);
        } else {
            core::mem::swap(column, &mut self.spare);
        }
        if is_wide {
            if is_blended {
                blend_extra(&mut self.spare_extra, extra, active);
            }
            core::mem::swap(extra, &mut self.spare_extra);
        }
    }

    /// Writes the results of those that are done.
    fn give(&self, plan: &Plan, done: u64, results: &mut [Value]) {
        let column = &self.columns[usize::from(plan.column)];
        let extra = &self.extras[usize::from(plan.column)];
        let tag = plan.result as u64;
        let value = |lane: usize| {
            let more = if is_wide(plan.result) { u64::from(extra[lane]) << 32 } else { 0 };
            Value::from_words((column[lane], more | tag))
        };
        match results.first_chunk_mut::<LANES>() {
            Some(results) if done == u64::MAX => {
                results.iter_mut().enumerate().for_each(|(lane, result)| *result = value(lane));
            }
            _ => each(done).for_each(|lane| {
                if let Some(result) = results.get_mut(lane) {
                    *result = value(lane);
                }
            }),
        }
    }
}

fn of_identifier(identifier: i32) -> u64 {
    identifier.cast_unsigned().into()
}

fn arithmetic(out: &mut Column, how: Arithmetic, left: &Column, right: &Column, active: u64) {
    match how {
        Arithmetic::Add => two(out, left, right, numbers(|left, right| left + right)),
        Arithmetic::Subtract => two(out, left, right, numbers(|left, right| left - right)),
        Arithmetic::Multiply => two(out, left, right, numbers(|left, right| left * right)),
        Arithmetic::Divide => two(out, left, right, numbers(|left, right| left / right)),
        Arithmetic::Min => two(out, left, right, numbers(double::min)),
        Arithmetic::Max => two(out, left, right, numbers(double::max)),
        Arithmetic::Remainder => {
            each(active).for_each(|lane| out[lane] = numbers(|left, right| left % right)(left[lane], right[lane]));
        }
    }
}

fn arithmetic_constant(out: &mut Column, how: Arithmetic, left: &Column, right: f64, active: u64) {
    match how {
        Arithmetic::Add => one(out, left, number(|left| left + right)),
        Arithmetic::Subtract => one(out, left, number(|left| left - right)),
        Arithmetic::Multiply => one(out, left, number(|left| left * right)),
        Arithmetic::Divide => one(out, left, number(|left| left / right)),
        Arithmetic::Min => one(out, left, number(|left| double::min(left, right))),
        Arithmetic::Max => one(out, left, number(|left| double::max(left, right))),
        Arithmetic::Remainder => each(active).for_each(|lane| out[lane] = number(|left| left % right)(left[lane])),
    }
}
