//! Many objects asked the same: 64 at a time where that can be done, one after the other where it cannot.
//!
//! Laws
//! 1. What comes out is what would come out if they were asked one after the other, in their order.
//! 2. Columns are taken where there is a plan for the lambda and enough objects to make it pay. Those for whom the plan does
//!    not hold are evaluated alone, and so are lambdas that set something or have effects.

use crate::columns::{LANES, Lanes};
use crate::environment::{Callee, Trouble, evaluate};
use crate::library::Library;
use crate::machine::{Outside, Place, Scratch};
use crate::row::RowEdit;
use crate::value::Value;

/// A crowd is asked with at most so many arguments; more are left out.
pub const ARGUMENTS_MAX: usize = 16;
/// With fewer objects columns are not worth their while.
const LANES_MIN: usize = 4;

/// One object of a crowd.
pub struct Member<'a> {
    /// Its handle.
    pub this: Value,
    /// Its row.
    pub row: RowEdit<'a>,
}

/// What all of them have in common.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// All programs.
    pub library: &'a Library,
    /// Which one is theirs.
    pub program: u32,
    /// What they are asked.
    pub callee: Callee,
    /// The arguments: for each parameter a value for each object.
    pub arguments: &'a [&'a [Value]],
    /// The other objects.
    pub outside: &'a dyn Outside,
    /// The time, in milliseconds.
    pub now: f64,
    /// The world's seed.
    pub seed: u64,
}

/// Who is told what a member gave, by its number.
pub type Tell<'a> = dyn FnMut(usize, Result<Value, Trouble>, &Scratch) + 'a;

/// Asks all members, and tells what each of them gave. Effects, complaints and parts are in the scratch when it is told.
pub fn ask(
    question: &Question<'_>,
    members: &mut [Member<'_>],
    lanes: &mut Lanes,
    scratch: &mut Scratch,
    tell: &mut Tell<'_>,
) {
    for (group, members) in members.chunks_mut(LANES).enumerate() {
        let first = group * LANES;
        let mut results = [Value::NOTHING; LANES];
        let done = ask_columns(question, members, first, lanes, scratch, &mut results);
        for (lane, member) in members.iter_mut().enumerate() {
            if done >> lane & 1 == 1 {
                scratch.begin();
                tell(first + lane, Ok(results[lane]), scratch);
            } else {
                let result = ask_alone(question, member, first + lane, scratch);
                tell(first + lane, result, scratch);
            }
        }
    }
}

/// Evaluates those that a plan holds for. Gives who they are.
fn ask_columns(
    question: &Question<'_>,
    members: &[Member<'_>],
    first: usize,
    lanes: &mut Lanes,
    scratch: &Scratch,
    results: &mut [Value; LANES],
) -> u64 {
    let lambda = |member: &Member<'_>| question.callee.lambda(member.row.view());
    let (Some(one), true) = (members.first().map(lambda), members.len() >= LANES_MIN) else { return 0 };
    let function = one.as_lambda().filter(|(_, carried)| carried.count == 0).map(|(function, _)| function);
    let plan = function.and_then(|function| question.library.plan(question.program, function));
    let Some(plan) = plan.filter(|plan| plan.is_within(scratch.limits())) else { return 0 };
    let mut rows: [&[Value]; LANES] = [&[]; LANES];
    rows.iter_mut().zip(members).for_each(|(row, member)| *row = member.row.values);
    let columns = question.arguments.iter().map(|column| column.get(first..).unwrap_or(&[]));
    let mut arguments: [&[Value]; ARGUMENTS_MAX] = [&[]; ARGUMENTS_MAX];
    arguments.iter_mut().zip(columns).for_each(|(place, column)| *place = column);
    let arguments = &arguments[..question.arguments.len().min(ARGUMENTS_MAX)];
    let done = plan.evaluate(lanes, arguments, &rows[..members.len()], &mut results[..members.len()]);
    let same = members.iter().enumerate().filter(|(_, member)| lambda(member) == one);
    done & same.fold(0, |same, (lane, _)| same | 1 << lane)
}

fn ask_alone(
    question: &Question<'_>,
    member: &mut Member<'_>,
    index: usize,
    scratch: &mut Scratch,
) -> Result<Value, Trouble> {
    let Some(program) = question.library.get(question.program) else { return Ok(Value::NOTHING) };
    let place = Place { program, this: member.this, outside: question.outside, now: question.now, seed: question.seed };
    let row = RowEdit { head: member.row.head, values: member.row.values };
    let mut arguments = [Value::NOTHING; ARGUMENTS_MAX];
    let given = question.arguments.iter().map(|column| column.get(index).copied().unwrap_or_default());
    arguments.iter_mut().zip(given).for_each(|(place, value)| *place = value);
    let count = question.arguments.len().min(ARGUMENTS_MAX);
    evaluate(place, row, question.callee, &arguments[..count], scratch)
}
