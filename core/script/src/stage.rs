//! Event dispatch: delivers messages to handlers, fires timers, invokes callbacks, and hands queued effects to a
//! [`Stage`], which the world implements.
//!
//! Laws
//! 1. A message is dispatched to the handler installed for its name, else to the variable or field `OnName`, else to
//!    `OnMessage` (with the name as first argument), else it is unhandled.
//!    During dispatch `~sender` is the sender of the message; at all other times it is nothing.
//! 2. Due timers fire in the order of their due times, then in the order of creation; each at most once per point in
//!    time, however late it is. Missed periods are skipped.
//! 3. A callback is invoked once.
//! 4. Handlers, timers and callbacks are stored in the object's row. A failed evaluation has consumed its timer or
//!    callback, and has no other effect.

use base::StringId;

use crate::arena::{KEPT, Spaces};
use crate::effect::SEND;
use crate::environment::{EvaluationError, Given, answer, run};
use crate::machine::{EvaluationContext, Scratch};
use crate::message::{CALLBACK, Message};
use crate::program::Program;
use crate::row::{DeepCopy, RowEdit, RowView};
use crate::value::Value;

const ON_MESSAGE: StringId = StringId::new("Message");

/// Performs the effects of scripts: a world, a window, a test.
pub trait Stage {
    /// Announces the next effect, with the function and instruction of the program that issued it.
    fn begin(&mut self, _place: (u32, u32)) {}

    /// Sends a message to an object.
    fn send(&mut self, to: Value, message: &Message);

    /// Performs any other effect.
    fn act(&mut self, act: Act<'_>);

    /// Reports a message that could not be created.
    fn refuse(&mut self, refusal: SendRefusal);
}

/// Why a `!Send` created no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendRefusal {
    /// The target or the name is missing.
    Incomplete,
    /// The name is not a string.
    NoName,
    /// The arguments and their elements are more than [`MESSAGE_VALUES`](crate::message::MESSAGE_VALUES).
    TooLong,
}

/// An effect. Lambdas among its arguments are passed as numbers: a [`CALLBACK`] message with that number first invokes
/// the lambda.
#[derive(Clone, Copy)]
pub struct Act<'a> {
    /// Its name.
    pub name: StringId,
    /// Its arguments.
    pub arguments: &'a [Value],
    spaces: Spaces<'a>,
}

/// The outcome of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The result of the handler.
    Handled(Value),
    /// There is no handler for the message.
    Unhandled,
}

/// Dispatches a message to its handler. The effects are queued in the scratch: [`perform`] them.
pub fn deliver(
    place: EvaluationContext<'_>,
    mut row: RowEdit<'_>,
    message: &Message,
    scratch: &mut Scratch,
) -> Result<Delivery, EvaluationError> {
    let Some((lambda, given)) = handler(place.program, &mut row, message) else {
        // The effects of the previous evaluation belong to another object.
        scratch.begin();
        return Ok(Delivery::Unhandled);
    };
    if let Some(sender) = place.program.sender {
        // Messages are untrusted: a sender with parts becomes nothing, and the previous sender must not remain.
        row.set(sender, if message.from.parts().is_none() { message.from } else { Value::NOTHING });
    }
    let here = RowEdit { head: row.head, values: row.values };
    let result = answer(place, here, lambda, (message, given), scratch);
    if let Some(sender) = place.program.sender {
        row.set(sender, Value::NOTHING);
    }
    result.map(Delivery::Handled)
}

/// The lambda with which an object handles messages of a name: the installed handler, else the variable or field
/// `OnName`. The fallback `OnMessage` is not considered.
pub fn handler_of(program: &Program, row: RowView<'_>, message: StringId) -> Option<Value> {
    let name = Value::string(message);
    let installed = waiting(program, row).iter().find(|entry| entry[1] == name && entry[0] == Value::NOTHING);
    installed.map(|entry| entry[3]).or_else(|| named_handler(program, row, message))
}

/// Fires one due timer of an object. `None` if none is due.
pub fn tick(
    place: EvaluationContext<'_>,
    mut row: RowEdit<'_>,
    scratch: &mut Scratch,
) -> Option<Result<Value, EvaluationError>> {
    let body = take_due(place.program, &mut row, place.now)?;
    Some(run(place, row, body, &[], scratch))
}

/// The due time of an object's next timer, in milliseconds. Until then it may sleep.
pub fn next_due(program: &Program, row: RowView<'_>) -> Option<f64> {
    let due = waiting(program, row).iter().filter_map(|entry| entry[2].as_number().and(entry[1].as_number()));
    due.fold(None, |earliest, due| Some(earliest.map_or(due, |earliest| base::number::double::min(earliest, due))))
}

/// Performs the effects of the last evaluation.
pub fn perform(place: EvaluationContext<'_>, row: RowView<'_>, scratch: &Scratch, stage: &mut dyn Stage) {
    let spaces = Spaces { made: scratch.region().all(), kept: row.values, shared: &place.program.shared };
    for effect in scratch.effects() {
        let arguments = scratch.region().parts(effect.arguments);
        stage.begin(effect.place);
        if effect.name != SEND {
            stage.act(Act { name: effect.name, arguments, spaces });
            continue;
        }
        let [to, name, rest @ ..] = arguments else {
            stage.refuse(SendRefusal::Incomplete);
            continue;
        };
        let Some(name) = name.as_string() else {
            stage.refuse(SendRefusal::NoName);
            continue;
        };
        match Message::new(name, place.this).with(rest, spaces) {
            Ok(message) => stage.send(*to, &message),
            Err(_) => stage.refuse(SendRefusal::TooLong),
        }
    }
}

impl Act<'_> {
    /// A message with the arguments from `first` on, for a reply.
    pub fn message(&self, name: StringId, from: Value, first: usize) -> Option<Message> {
        Message::new(name, from).with(self.arguments.get(first..)?, self.spaces).ok()
    }

    /// Copies an argument with all its parts behind the values that are used in another memory, of which `used` is the
    /// number. Where there is no room, the parts are left out.
    pub fn copy(&self, argument: Value, into: &mut [Value], used: &mut usize) -> Option<Value> {
        let mut copy = DeepCopy { into, used: *used, spaces: self.spaces };
        let copied = copy.value(argument, 0).ok()?;
        *used = copy.used;
        Some(copied)
    }

    /// The elements of a list, or the names and values of a record.
    pub fn parts(&self, value: Value) -> &[Value] {
        value.parts().map_or(&[], |elements| self.spaces.parts(elements))
    }
}

/// The handler of a message, and the arguments it receives.
fn handler(program: &Program, row: &mut RowEdit<'_>, message: &Message) -> Option<(Value, Given)> {
    if message.name == CALLBACK {
        let number = message.arguments().first().copied().filter(|number| number.as_identifier().is_some())?;
        let is_it = |entry: &[Value; 4]| entry[0] == number && entry[1] == Value::NOTHING;
        let index = waiting(program, row.view()).iter().position(is_it)?;
        return Some((take(program, row, index)?, Given::From(1)));
    }
    let found = handler_of(program, row.view(), message.name).map(|lambda| (lambda, Given::From(0)));
    found.or_else(|| Some((named_handler(program, row.view(), ON_MESSAGE)?, Given::NameFirst)))
}

fn named_handler(program: &Program, row: RowView<'_>, message: StringId) -> Option<Value> {
    row.at(program, program.handler(message)?).filter(|value| value.as_lambda().is_some())
}

fn waiting<'a>(program: &Program, row: RowView<'a>) -> &'a [[Value; 4]] {
    let value = program.waiting.map_or(Value::NOTHING, |variable| row.get(variable));
    row.parts(value).as_chunks().0
}

/// Returns the body of the timer that is due first. Removes the timer unless it repeats.
fn take_due(program: &Program, row: &mut RowEdit<'_>, now: f64) -> Option<Value> {
    let entries = waiting(program, row.view()).iter().enumerate();
    let timers = entries.filter_map(|(index, entry)| Some((index, entry[1].as_number()?, entry[2].as_number()?)));
    let due = timers.filter(|(_, due, _)| *due <= now);
    let (index, due, period) = due.reduce(|first, other| if other.1 < first.1 { other } else { first })?;
    let next = if due + period > now { due + period } else { now + period };
    // Rows are untrusted: a period that does not advance the due time beyond `now` would keep the timer due forever.
    if period <= 0.0 || next <= now || next.is_nan() {
        return take(program, row, index);
    }
    debug_assert!(next > now, "law 2 of timers: a timer fires once per point in time");
    let entry = entry_mut(program, row, index)?;
    entry[1] = Value::number(next);
    Some(entry[3])
}

/// Removes an entry and returns its body.
fn take(program: &Program, row: &mut RowEdit<'_>, index: usize) -> Option<Value> {
    let body = waiting(program, row.view()).get(index)?[3];
    let variable = program.waiting? as usize;
    let list = *row.values.get(variable)?;
    let elements = list.parts()?;
    let (start, count) = ((elements.start & !KEPT) as usize, elements.count as usize);
    let values = row.values.get_mut(start..start.checked_add(count)?)?;
    values.copy_within((index + 1) * 4.., index * 4);
    row.values[variable] = list.moved(elements.start, elements.count - 4);
    Some(body)
}

fn entry_mut<'a>(program: &Program, row: &'a mut RowEdit<'_>, index: usize) -> Option<&'a mut [Value; 4]> {
    let elements = row.values.get(program.waiting? as usize)?.parts()?;
    let start = (elements.start & !KEPT) as usize;
    row.values.get_mut(start.checked_add(index * 4)?..)?.first_chunk_mut()
}
