//! The machine asks the world.

use base::{Handle, StringId};

use super::{Halt, Machine, Place};
use crate::kernel;
use crate::query::{Asked, Filter, Hit, Question};
use crate::value::Value;

const CLASS: StringId = StringId::new("class");
const TEAM: StringId = StringId::new("team");
const ENEMY_OF: StringId = StringId::new("enemy_of");
const OWNER: StringId = StringId::new("owner");
const FLAG: StringId = StringId::new("flag");
const EXCEPT: StringId = StringId::new("except");

/// The fields of a filter, as designers write them.
pub(crate) const FILTER: [&str; 6] = ["class", "team", "enemy_of", "owner", "flag", "except"];

impl kernel::Sight for Place<'_> {
    fn look(&self, object: Value, name: StringId) -> Option<Value> {
        let (handle, array) = object.as_handle().filter(|_| object != self.this)?;
        if let Some(value) = self.outside.known(handle, array, name) {
            return Some(value);
        }
        let (program, row) = self.outside.object(handle, array)?;
        row.named(program, name)
    }

    fn is_living(&self, object: Value) -> bool {
        let is_there = object.as_handle().is_some_and(|(handle, array)| self.outside.is_there(handle, array));
        object == self.this || is_there
    }
}

impl Machine<'_> {
    /// Asks the world. The hits are in order when it has answered; that is paid for.
    pub(crate) fn question(&mut self, question: &Question, filter: &Filter) -> Result<Asked, Halt> {
        // Another answer may come in the next cycle to the same arguments.
        self.has_looked = true;
        let outside = self.place.outside;
        self.scratch.hits.clear();
        let asked = outside.ask(question, filter, &mut self.scratch.hits, self.fuel);
        self.burn(asked.cost)?;
        if asked.is_cut {
            return Err(if self.scratch.hits.is_full() { Halt::Memory } else { Halt::Fuel });
        }
        self.scratch.hits.sort();
        self.burn(self.hits().len() as u64)?;
        Ok(asked)
    }

    /// What the last question found.
    pub(crate) fn hits(&self) -> &[Hit] {
        self.scratch.hits.as_slice()
    }

    /// Whether an object is still there.
    pub(crate) fn is_living(&mut self, handle: Handle<()>, array: u16) -> bool {
        self.has_looked = true;
        self.place.this == Value::handle(handle, array) || self.place.outside.is_there(handle, array)
    }

    /// The filter that a record describes. What is wrong in it is told and left out.
    pub(crate) fn filter(&mut self, record: Value) -> Filter {
        let mut filter = Filter::default();
        if record == Value::NOTHING {
            return filter;
        }
        if record.as_record().is_none() {
            return self.complain("a filter such as `{ class \"ship\" }`", record, self.at, filter);
        }
        for index in 0..self.parts(record).as_chunks::<2>().0.len() {
            let [name, value] = self.parts(record).as_chunks::<2>().0[index];
            match name.as_string().unwrap_or_default() {
                CLASS => filter.class = self.string_of(value),
                FLAG => filter.flag = self.string_of(value),
                TEAM => filter.team = self.team_of(value),
                ENEMY_OF => filter.other_than_team = self.team_of(value),
                OWNER => filter.owner = Some(self.handle_of(value)),
                EXCEPT => {
                    let [first, second] = match self.list(value) {
                        [first, second] => [*first, *second],
                        [one] => [*one, Value::NOTHING],
                        _ => [value, Value::NOTHING],
                    };
                    filter.except = [self.handle_of(first), self.handle_of(second)];
                }
                _ => self.complain(
                    "a field of a filter: class, team, enemy_of, owner, flag or except",
                    name,
                    self.at,
                    (),
                ),
            }
        }
        filter
    }

    fn string_of(&mut self, value: Value) -> StringId {
        value.as_string().unwrap_or_else(|| self.complain("a string", value, self.at, StringId::NONE))
    }

    fn team_of(&mut self, value: Value) -> Option<i32> {
        let number = value.as_number().map(|number| base::number::double::floor(number) as i32);
        match number.or(value.as_identifier()) {
            None => self.complain("the number of a team", value, self.at, None),
            team => team,
        }
    }

    /// Nothing names nobody.
    fn handle_of(&mut self, value: Value) -> Handle<()> {
        match value.as_handle() {
            Some((handle, _)) => handle,
            None if value == Value::NOTHING => Handle::NONE,
            None => self.complain("an object's handle", value, self.at, Handle::NONE),
        }
    }
}
