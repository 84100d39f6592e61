//! Input: the players' events become messages to their objects.
//!
//! An event that the table does not allow is dropped with a warning, even if it was checked before: a world trusts no input.

use base::StringId;
use relay::Event;
use relay::limits::CONTENT_PLAYER;
use relay::table::FieldValue;
use script::message::Message;
use script::value::Value;
use state::{Address, World};

use crate::condition::{Condition, Warning};
use crate::developer;
use crate::object::value_of;
use crate::rules::Cycle;

pub(super) fn paint(cycle: &Cycle<'_>, world: &mut World, events: &[(u16, Event)]) {
    let parts = &cycle.rules.parts;
    for (player, event) in events {
        if *player == CONTENT_PLAYER {
            developer::enter(cycle, world, event);
            continue;
        }
        let target = parts.players.get(world).get(usize::from(*player)).copied();
        match target {
            Some(object) => {
                let (target, source) = (parts.objects.address(object), Address::player(*player));
                parts.inputs.queue_from(world, target, source, event);
            }
            None => warn(cycle, world, Condition::NoSuchPlayer, event.kind, *player),
        }
    }
    parts.inputs.paint(world, |world, stroke| {
        let player = stroke.source.as_player().unwrap_or_default();
        let event = stroke.payload;
        if cycle.rules.level.events.check(&event).is_err() {
            warn(cycle, world, Condition::EventRefused, event.kind, player);
            return;
        }
        let mut arguments = [Value::NOTHING; relay::event::EVENT_WORDS];
        let mut count = 0;
        for (_, value) in cycle.rules.level.events.read(&event) {
            arguments[count] = value_from(value);
            count += 1;
        }
        if let Ok(message) = Message::new(event.kind, Value::NOTHING).with_atoms(&arguments[..count]) {
            parts.messages.queue_from(world, stroke.target, stroke.source, &message);
        }
    });
}

fn value_from(value: FieldValue) -> Value {
    match value {
        FieldValue::Number(number) => Value::number(f64::from(number)),
        FieldValue::Identifier(number) => Value::identifier(number),
        FieldValue::Truth(truth) => Value::truth(truth),
        FieldValue::String(id) => Value::string(id),
        FieldValue::Vector(vector) => Value::vector(vector),
        FieldValue::Object(handle) => value_of(handle.cast()),
    }
}

fn warn(cycle: &Cycle<'_>, world: &mut World, condition: Condition, about: StringId, player: u16) {
    let warning = Warning { subject: u32::from(player) + 1, ..Warning::new(condition, about) };
    cycle.rules.parts.warnings.queue_from(world, Address::WORLD, Address::player(player), &warning);
}
