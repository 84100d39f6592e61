//! What an object waits for: timers, handlers and callbacks. They lie in a variable of its row like everything else, so that
//! saves, films and rewinds have them, and an evaluation that ends early leaves none behind.
//!
//! The variable holds a list, four values for each:
//!
//! | | number | when or what | period | body |
//! |---|---|---|---|---|
//! | timer | identifier | number: milliseconds | number: milliseconds; 0 if once | lambda |
//! | handler | nothing | string: the message | nothing | lambda |
//! | callback | identifier | nothing | nothing | lambda |

use base::StringId;
use base::number::double as number;

use super::{Halt, Machine};
use crate::value::Value;

const AFTER: StringId = StringId::new("After");
const EVERY: StringId = StringId::new("Every");
const CANCEL: StringId = StringId::new("Cancel");
const EVENT_HANDLER: StringId = StringId::new("EventHandler");

/// The shortest delay, in milliseconds: a timer that starts itself again must not keep the world from going on.
const PERIOD_MIN: f64 = 1.0;

impl Machine<'_> {
    /// Does what concerns only what the object itself waits for. Nothing if the effect is another.
    pub(super) fn wait(&mut self, name: StringId, arguments: Value, at: (u32, u32)) -> Result<Option<Value>, Halt> {
        let argument = |machine: &Self, index: usize| machine.list(arguments).get(index).copied().unwrap_or_default();
        let (first, second, third) = (argument(self, 0), argument(self, 1), argument(self, 2));
        match name {
            AFTER | EVERY => {
                let delay = number::max(PERIOD_MIN, self.number_of(first, at));
                let (due, period) = (self.place.now + delay, if name == EVERY { delay } else { 0.0 });
                let number = self.ticket();
                self.add_waiting([number, Value::number(due), Value::number(period), second], at)?;
                Ok(Some(number))
            }
            CANCEL => {
                self.keep_waiting(at, |entry| entry[0] != first || first.as_identifier().is_none())?;
                Ok(Some(Value::NOTHING))
            }
            EVENT_HANDLER => {
                if first != self.place.this {
                    self.complain("`~this`: an object handles its own messages", first, at, ());
                } else {
                    self.keep_waiting(at, |entry| entry[1] != second || entry[0] != Value::NOTHING)?;
                    self.add_waiting([Value::NOTHING, second, Value::NOTHING, third], at)?;
                }
                Ok(Some(Value::NOTHING))
            }
            _ => Ok(None),
        }
    }

    /// The arguments of an effect with a number in the place of each lambda, under which whoever performs the effect can
    /// call it back.
    pub(super) fn with_callbacks(&mut self, arguments: Value, at: (u32, u32)) -> Result<Value, Halt> {
        if self.list(arguments).iter().all(|argument| argument.as_lambda().is_none()) {
            return Ok(arguments);
        }
        self.build(|machine| {
            for index in 0..machine.list(arguments).len() {
                let mut argument = machine.list(arguments)[index];
                if argument.as_lambda().is_some() {
                    let body = argument;
                    argument = machine.ticket();
                    machine.add_waiting([argument, Value::NOTHING, Value::NOTHING, body], at)?;
                }
                machine.push(argument)?;
            }
            Ok(())
        })
    }

    fn ticket(&mut self) -> Value {
        self.tickets = self.tickets.wrapping_add(1);
        Value::identifier(self.tickets.cast_signed())
    }

    fn add_waiting(&mut self, entry: [Value; 4], at: (u32, u32)) -> Result<(), Halt> {
        if entry[3].as_lambda().is_none() {
            self.complain("a lambda or a body such as `[ !Log(1) ]`", entry[3], at, ());
            return Ok(());
        }
        self.change_waiting(at, |_| true, &entry)
    }

    fn keep_waiting(&mut self, at: (u32, u32), stays: impl Fn(&[Value; 4]) -> bool) -> Result<(), Halt> {
        self.change_waiting(at, stays, &[])
    }

    fn change_waiting(
        &mut self,
        at: (u32, u32),
        stays: impl Fn(&[Value; 4]) -> bool,
        more: &[Value],
    ) -> Result<(), Halt> {
        let Some(variable) = self.program.waiting else {
            self.complain("a program that can wait", Value::NOTHING, at, ());
            return Ok(());
        };
        let waiting = self.variable(variable);
        let count = self.list(waiting).len();
        self.burn(count as u64)?;
        let list = self.build(|machine| {
            for index in (0..count).step_by(4) {
                let entry = machine.list(waiting).get(index..).and_then(|rest| rest.first_chunk::<4>()).copied();
                if let Some(entry) = entry.filter(|entry| stays(entry)) {
                    entry.into_iter().try_for_each(|value| machine.push(value))?;
                }
            }
            more.iter().try_for_each(|value| machine.push(*value))
        })?;
        self.set_variable(variable, list, at)
    }
}
