//! A message from one object to another: a name and a few values, plain data that can wait in a queue.

use base::{Plain, StringId};

use crate::region::{Full, Spaces};
use crate::row::{Copy, Head, RowView};
use crate::value::Value;

/// How many values a message has room for: its arguments, and what their lists and records hold.
pub const MESSAGE_VALUES: usize = 12;

/// The name of the message that calls a lambda back which was given to an effect. Its first argument is the number the
/// effect got in its place.
pub const CALLBACK: StringId = StringId::new("~callback");

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Plain)]
#[repr(C)]
pub struct Message {
    /// What it is called.
    pub name: StringId,
    /// Who sent it, or nothing.
    pub from: Value,
    head: Head,
    count: u64,
    values: [Value; MESSAGE_VALUES],
}

impl Message {
    /// A message without arguments.
    pub fn new(name: StringId, from: Value) -> Message {
        Message { name, from, head: Head::default(), count: 0, values: [Value::NOTHING; MESSAGE_VALUES] }
    }

    /// A message with arguments. Their parts lie in these spaces.
    pub(crate) fn with(self, arguments: &[Value], spaces: Spaces<'_>) -> Result<Message, Full> {
        let mut message = self;
        let count = arguments.len();
        if count > MESSAGE_VALUES {
            return Err(Full);
        }
        let mut copy = Copy { into: &mut message.values, used: count, spaces };
        for (index, argument) in arguments.iter().enumerate() {
            let argument = if argument.as_lambda().is_some() { Value::NOTHING } else { *argument };
            let argument = copy.value(argument, 0)?;
            copy.into[index] = argument;
        }
        message.count = count as u64;
        Ok(message)
    }

    /// A message with arguments that have no parts; those that have some are nothing.
    pub fn with_atoms(self, arguments: &[Value]) -> Result<Message, Full> {
        let mut message = self;
        let places = message.values.get_mut(..arguments.len()).ok_or(Full)?;
        for (place, argument) in places.iter_mut().zip(arguments) {
            *place = if argument.parts().is_none() { argument.canonical() } else { Value::NOTHING };
        }
        message.count = arguments.len() as u64;
        Ok(message)
    }

    /// Its arguments. Their parts are in [`Message::view`].
    pub fn arguments(&self) -> &[Value] {
        let count = usize::try_from(self.count).unwrap_or(MESSAGE_VALUES);
        self.values.get(..count).unwrap_or(&self.values)
    }

    /// Its values, to be read like a row's.
    pub fn view(&self) -> RowView<'_> {
        RowView { head: &self.head, values: &self.values }
    }
}
