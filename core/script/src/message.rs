//! A message from one object to another: a name and a few values, plain data that can wait in a queue.

use base::{Plain, StringId};

use crate::arena::{Full, Spaces};
use crate::row::{DeepCopy, Head, RowView};
use crate::value::Value;

/// The capacity of a message, in values: its arguments, and the parts of their lists and records.
pub const MESSAGE_VALUES: usize = 12;

/// The name of the message that calls a lambda which was passed to an effect. Its first argument is the number that the
/// effect received instead of the lambda.
pub const CALLBACK: StringId = StringId::new("~callback");

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Plain)]
#[repr(C)]
pub struct Message {
    /// Its name.
    pub name: StringId,
    /// The sender, or nothing.
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
        let mut copy = DeepCopy { into: &mut message.values, used: count, spaces };
        for (index, argument) in arguments.iter().enumerate() {
            let argument = if argument.as_lambda().is_some() { Value::NOTHING } else { *argument };
            let argument = copy.value(argument, 0)?;
            copy.into[index] = argument;
        }
        message.count = count as u64;
        Ok(message)
    }

    /// A message with arguments without parts; arguments with parts become nothing.
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

    /// Its values, read like those of a row.
    pub fn view(&self) -> RowView<'_> {
        RowView { head: &self.head, values: &self.values }
    }
}
