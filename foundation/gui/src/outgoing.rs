//! What leaves an interface: events for the world, and requests to the program.

use alloc::string::String;
use alloc::vec::Vec;

use base::{Handle, StringId, Vec3};
use relay::Event;
use relay::table::{EventRefusal, EventTable, FieldKind, FieldValue};

use crate::answer::Answer;

/// An event of a player for the world. Only these change a world.
#[derive(Clone, Debug, PartialEq)]
pub struct OutgoingEvent {
    /// The local player who sends it, from 0.
    pub local_player: u8,
    /// Its name.
    pub name: StringId,
    /// Its fields; a field without a name is the next in the order of the event.
    pub fields: Vec<(StringId, Answer)>,
}

/// Something that the program does for an interface.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Sends an event to the world.
    Event(OutgoingEvent),
    /// Plays a sound.
    Play(StringId),
    /// Changes a setting.
    Setting {
        /// Its name.
        name: String,
        /// Its new value; strings are given as words.
        value: Answer,
    },
    /// Does what a command says: "pause", "save", "quit".
    Command {
        /// Its name.
        name: String,
        /// Its arguments; strings are given as words.
        arguments: Vec<Answer>,
    },
    /// Switches a context of the controls on or off.
    Context {
        /// Its name.
        name: StringId,
        /// Whether it is on.
        is_on: bool,
    },
    /// Writes a line to the developer's log.
    Log(String),
}

impl OutgoingEvent {
    /// The event in the encoding of a level. Numbers, identifiers and truths are converted into each other; a missing field is
    /// zero, no object or the empty string. Fails if the level has no such event, a field has the wrong type, is out of its
    /// range or is not part of the event.
    pub fn encode(&self, table: &EventTable) -> Result<Event, EventRefusal> {
        let kind = table.kind(self.name).ok_or(EventRefusal::UnknownKind)?;
        let mut given: Vec<Option<&Answer>> = alloc::vec![None; kind.fields.len()];
        let mut next = 0;
        for (name, value) in &self.fields {
            let place = if name.is_none() {
                next += 1;
                Some(next - 1)
            } else {
                kind.fields.iter().position(|field| field.name == *name)
            };
            let place = place.and_then(|place| given.get_mut(place));
            let count = EventRefusal::Count { expected: kind.fields.len(), found: self.fields.len() };
            *place.ok_or(count)? = Some(value);
        }
        let mut values = Vec::with_capacity(given.len());
        for (field, value) in kind.fields.iter().zip(given) {
            let refusal = EventRefusal::Kind { field: field.name, expected: field.kind };
            values.push(field_value(field.kind, value.unwrap_or(&Answer::Nothing)).ok_or(refusal)?);
        }
        table.make(self.name, &values)
    }
}

fn field_value(kind: FieldKind, value: &Answer) -> Option<FieldValue> {
    let is_missing = *value == Answer::Nothing;
    Some(match kind {
        FieldKind::Number if is_missing => FieldValue::Number(0.0),
        FieldKind::Number => FieldValue::Number(value.number()? as f32),
        FieldKind::Identifier if is_missing => FieldValue::Identifier(0),
        FieldKind::Identifier => FieldValue::Identifier(base::number::double::round(value.number()?) as i32),
        FieldKind::Truth => match value {
            Answer::Truth(truth) => FieldValue::Truth(*truth),
            Answer::Nothing => FieldValue::Truth(false),
            other => FieldValue::Truth(other.number()? != 0.0),
        },
        FieldKind::Object => match value {
            Answer::Object(raw) => FieldValue::Object(Handle::from_raw(*raw)),
            Answer::Nothing => FieldValue::Object(Handle::NONE),
            _ => return None,
        },
        FieldKind::String => match value {
            Answer::String(id) => FieldValue::String(*id),
            Answer::Words(words) => FieldValue::String(StringId::from(words.as_str())),
            Answer::Nothing => FieldValue::String(StringId::NONE),
            _ => return None,
        },
        FieldKind::Vector => match value {
            Answer::Vector(vector) => FieldValue::Vector(*vector),
            Answer::Nothing => FieldValue::Vector(Vec3::ZERO),
            _ => return None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use relay::table::{EventField, EventKind};

    fn table() -> EventTable {
        let field = |name: &str, kind| EventField { name: StringId::from(name), kind, range: None };
        let fields = alloc::vec![field("power", FieldKind::Number), field("at", FieldKind::Object)];
        EventTable::new(alloc::vec![EventKind { name: StringId::new("fire"), fields, per_batch_max: 8 }]).unwrap()
    }

    fn event(fields: &[(&str, Answer)]) -> OutgoingEvent {
        let fields = fields.iter().map(|(name, value)| (StringId::from(*name), value.clone())).collect();
        OutgoingEvent { local_player: 0, name: StringId::new("fire"), fields }
    }

    #[test]
    fn fields_are_matched_by_name_or_by_order() {
        let table = table();
        let object = Answer::Object(0x8001_0003);
        let by_name = event(&[("at", object.clone()), ("power", Answer::Truth(true))]).encode(&table).unwrap();
        let by_order = event(&[("", Answer::Number(1.0)), ("", object)]).encode(&table).unwrap();
        assert_eq!(by_name, by_order);
        let values: Vec<_> = table.read(&by_name).map(|(_, value)| value).collect();
        assert_eq!(values, [FieldValue::Number(1.0), FieldValue::Object(Handle::from_raw(0x8001_0003))]);
    }

    #[test]
    fn a_missing_field_has_a_default_and_a_wrong_one_is_refused() {
        let table = table();
        assert!(event(&[]).encode(&table).is_ok());
        assert!(matches!(event(&[("at", Answer::Number(1.0))]).encode(&table), Err(EventRefusal::Kind { .. })));
        assert!(matches!(event(&[("speed", Answer::Number(1.0))]).encode(&table), Err(EventRefusal::Count { .. })));
        let unknown = OutgoingEvent { name: StringId::new("jump"), ..event(&[]) };
        assert_eq!(unknown.encode(&table), Err(EventRefusal::UnknownKind));
    }
}
