//! Effects that concern only the object itself: timers, message handlers, callbacks and random numbers.
//!
//! Timers, handlers and callbacks lie in a variable of the row, so that saves, films and rewinds have them, and an
//! evaluation that halts leaves none behind.
//!
//! The variable holds a list, with four values for each:
//!
//! | | number | when or what | period | body |
//! |---|---|---|---|---|
//! | timer | identifier | number: milliseconds | number: milliseconds; 0 if once | lambda |
//! | handler | nothing | string: the message | nothing | lambda |
//! | callback | identifier | nothing | nothing | lambda |

use base::number::double as number;
use base::random::Draw;
use base::{Random, StringId};

use super::{Halt, Machine, Scratch};
use crate::program::Program;
use crate::value::Value;

const AFTER: StringId = StringId::new("After");
const EVERY: StringId = StringId::new("Every");
const CANCEL: StringId = StringId::new("Cancel");
const RANDOM: StringId = StringId::new("Random");
const CHANCE: StringId = StringId::new("Chance");
const PICK: StringId = StringId::new("Pick");
const EVENT_HANDLER: StringId = StringId::new("EventHandler");

/// The purpose of random draws of scripts. No system of a game has this number.
const SCRIPT_LUCK: u32 = u32::MAX;

/// The shortest delay, in milliseconds: a timer that restarts itself must not keep the cycle from ending.
const PERIOD_MIN: f64 = 1.0;

impl Scratch {
    /// Whether the last evaluation ran as a kernel and changed variables at most: it recorded no set, effect or
    /// complaint.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        self.sets.is_empty() && self.effects.is_empty() && self.complaints.is_empty()
    }

    /// Whether the last evaluation set or cancelled timers. Timers that expired before it do not count.
    #[inline]
    pub fn has_set_timers(&self, program: &Program) -> bool {
        self.sets.iter().any(|set| Some(set.variable) == program.waiting)
    }
}

impl Machine<'_> {
    /// Performs an effect on the object itself. `None` for all other effects.
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
            RANDOM => {
                let (least, most) = (self.number_of(first, at), self.number_of(second, at));
                Ok(Some(Value::number(least + (most - least) * self.luck())))
            }
            CHANCE => {
                let share = self.number_of(first, at);
                Ok(Some(Value::truth(self.luck() < share)))
            }
            PICK => {
                let count = self.list(first).len();
                let index = (self.luck() * count as f64) as usize;
                Ok(Some(self.list(first).get(index).copied().unwrap_or_default()))
            }
            EVENT_HANDLER => {
                if second.as_string().is_none() {
                    self.complain("the name of a message: a string", second, at, ());
                } else if first != self.place.this {
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

    /// The arguments of an effect with each lambda replaced by a number, under which the performer of the effect can
    /// call it.
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

    /// A random number from 0 up to 1, exclusive. It follows from the seed of the world, the object, and the object's
    /// counter: so it is repeated after a rewind, and an evaluation that halts has drawn none.
    fn luck(&mut self) -> f64 {
        self.tickets = self.tickets.wrapping_add(1);
        let object =
            self.place.this.as_handle().map_or(0, |(handle, array)| u64::from(handle.raw()) << 16 | u64::from(array));
        let mut draw = Draw::new(self.place.seed, object, SCRIPT_LUCK, self.tickets);
        // A 64-bit float has 53 bits of precision.
        (draw.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
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
