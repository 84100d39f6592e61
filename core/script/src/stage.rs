//! What happens to an object: messages reach their handlers, timers come due, callbacks come back. A world offers the
//! [`Stage`] on which effects take place.
//!
//! Laws
//! 1. A message goes to the handler that was installed for its name, else to the variable or field `OnName`, else to
//!    `OnMessage` (with the name first), else to nobody.
//!    While it is handled, `~sender` is whoever sent it; otherwise it is nothing.
//! 2. Due timers go off in the order in which they are due, then in which they were asked for; each at most once at one time,
//!    however late it is. A period that was missed is left out.
//! 3. A callback is called once.
//! 4. All of it is in the object's row. An evaluation that ends early has used up its timer or callback, and nothing else.

use base::StringId;

use crate::environment::{Callee, Given, Trouble, answer, evaluate};
use crate::machine::{Place, Scratch};
use crate::message::{CALLBACK, Message};
use crate::program::Program;
use crate::region::{KEPT, Spaces};
use crate::row::{RowEdit, RowView};
use crate::value::Value;

const ON_MESSAGE: StringId = StringId::new("Message");
const SEND: StringId = StringId::new("Send");

/// Why a message is refused whose arguments, and what they hold, are more than [`MESSAGE_VALUES`](crate::message::MESSAGE_VALUES).
pub const TOO_MUCH: &str = "a message has no room for so much";

/// Where effects take place: a world, a window, a test.
pub trait Stage {
    /// A message is to be sent to an object.
    fn send(&mut self, to: Value, message: &Message);

    /// Any other effect is to take place.
    fn act(&mut self, act: Act<'_>);

    /// An effect cannot take place.
    fn refuse(&mut self, name: StringId, why: &'static str);
}

/// An effect. Lambdas among its arguments are numbers: a [`CALLBACK`] with such a number first calls them back.
#[derive(Clone, Copy)]
pub struct Act<'a> {
    /// Its name.
    pub name: StringId,
    /// Its arguments.
    pub arguments: &'a [Value],
    spaces: Spaces<'a>,
}

/// What came of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// A handler gave this.
    Handled(Value),
    /// Nobody handles such messages.
    Unhandled,
}

/// Lets an object handle a message. The effects are in the scratch: [`perform`] them.
pub fn deliver(
    place: Place<'_>,
    mut row: RowEdit<'_>,
    message: &Message,
    scratch: &mut Scratch,
) -> Result<Delivery, Trouble> {
    let Some((lambda, given)) = handler(place.program, &mut row, message) else {
        // What the last evaluation left belongs to somebody else.
        scratch.begin();
        return Ok(Delivery::Unhandled);
    };
    if let Some(sender) = place.program.sender {
        // A message may come from anywhere: a sender with parts is none, and the last one's handle must not stay.
        row.set(sender, if message.from.parts().is_none() { message.from } else { Value::NOTHING });
    }
    let here = RowEdit { head: row.head, values: row.values };
    let result = answer(place, here, lambda, (message, given), scratch);
    if let Some(sender) = place.program.sender {
        row.set(sender, Value::NOTHING);
    }
    result.map(Delivery::Handled)
}

/// The lambda with which an object handles messages of a name: the one that was installed for it, else that of the variable or
/// field `OnName`. `OnMessage`, which handles what nobody else does, is not asked.
pub fn handler_of(program: &Program, row: RowView<'_>, message: StringId) -> Option<Value> {
    let name = Value::string(message);
    let installed = waiting(program, row).iter().find(|entry| entry[1] == name && entry[0] == Value::NOTHING);
    installed.map(|entry| entry[3]).or_else(|| named_handler(program, row, message))
}

/// Lets one due timer of an object go off. Nothing if none is due.
pub fn tick(place: Place<'_>, mut row: RowEdit<'_>, scratch: &mut Scratch) -> Option<Result<Value, Trouble>> {
    let body = take_due(place.program, &mut row, place.now)?;
    Some(evaluate(place, row, Callee::Lambda(body), &[], scratch))
}

/// When an object's next timer is due, in milliseconds. Until then it may sleep.
pub fn next_due(program: &Program, row: RowView<'_>) -> Option<f64> {
    let due = waiting(program, row).iter().filter_map(|entry| entry[2].as_number().and(entry[1].as_number()));
    due.fold(None, |least, due| Some(least.map_or(due, |least| base::number::double::min(least, due))))
}

/// Has the effects of the last evaluation take place.
pub fn perform(place: Place<'_>, row: RowView<'_>, scratch: &Scratch, stage: &mut dyn Stage) {
    let spaces = Spaces { made: scratch.region().all(), kept: row.values, shared: &place.program.shared };
    for effect in scratch.effects() {
        let arguments = scratch.region().parts(effect.arguments);
        if effect.name != SEND {
            stage.act(Act { name: effect.name, arguments, spaces });
            continue;
        }
        let [to, name, rest @ ..] = arguments else {
            stage.refuse(SEND, "it needs a target and the name of a message");
            continue;
        };
        let Some(name) = name.as_string() else {
            stage.refuse(SEND, "the name of a message is a string");
            continue;
        };
        match Message::new(name, place.this).with(rest, spaces) {
            Ok(message) => stage.send(*to, &message),
            Err(_) => stage.refuse(SEND, TOO_MUCH),
        }
    }
}

impl Act<'_> {
    /// A message with the arguments from `first` on, for whoever answers.
    pub fn message(&self, name: StringId, from: Value, first: usize) -> Option<Message> {
        Message::new(name, from).with(self.arguments.get(first..)?, self.spaces).ok()
    }

    /// The elements of a list, or the names and values of a record.
    pub fn parts(&self, value: Value) -> &[Value] {
        value.parts().map_or(&[], |elements| self.spaces.parts(elements))
    }
}

/// Whoever handles a message, and what it is given of it.
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

/// Takes out the body of the timer that is due first; one that repeats stays.
fn take_due(program: &Program, row: &mut RowEdit<'_>, now: f64) -> Option<Value> {
    let entries = waiting(program, row.view()).iter().enumerate();
    let timers = entries.filter_map(|(index, entry)| Some((index, entry[1].as_number()?, entry[2].as_number()?)));
    let due = timers.filter(|(_, due, _)| *due <= now);
    let (index, due, period) = due.reduce(|first, other| if other.1 < first.1 { other } else { first })?;
    let next = if due + period > now { due + period } else { now + period };
    // A row may hold any period: one that does not bring it beyond this time would keep it due for ever.
    if period <= 0.0 || next <= now || next.is_nan() {
        return take(program, row, index);
    }
    let entry = entry_mut(program, row, index)?;
    entry[1] = Value::number(next);
    Some(entry[3])
}

/// Takes out an entry and gives its body.
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
