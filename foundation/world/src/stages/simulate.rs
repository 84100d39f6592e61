//! Simulate: every awake object works out its own next state, in parallel.

use base::{Handle, StringId};
use script::message::Message;
use script::value::Value;
use state::{Item, Workers, World, each_entity_ahead};

use crate::limits::CYCLE_SECONDS;
use crate::mind::Asking;
use crate::mould::Mould;
use crate::object::{Object, Stage, handle_of};
use crate::rules::{Cycle, LEVEL};

pub(super) fn simulate(cycle: &Cycle<'_>, world: &mut World, workers: &dyn Workers) {
    let objects = cycle.rules.parts.objects;
    let ahead = |object: &Object, values: &[Value]| target(cycle, object, values);
    world.simulate(workers, &[&each_entity_ahead(objects, ahead, |item, values| update(cycle, item, values))]);
}

/// Whom an object's update will look at, as far as that is known.
#[inline]
fn target(cycle: &Cycle<'_>, object: &Object, values: &[Value]) -> Handle<Object> {
    let variable = cycle.moulds.get(object.mind.program).and_then(|mould| mould.looked_at);
    variable.and_then(|variable| values.get(variable as usize)).map_or(Handle::NONE, |value| handle_of(*value))
}

/// The message that tells an object that it is there.
const SPAWNED: StringId = StringId::new("Spawn");

/// One cycle of an object: its timers, its update, its movement.
fn update(cycle: &Cycle<'_>, item: &mut Item<'_, Object>, values: &mut [Value]) {
    let Some(mould) = cycle.moulds.get(item.next.mind.program) else {
        // Its tag is not there: it does nothing until it is.
        item.sleep();
        return;
    };
    let mut asking = Asking { cycle, item, values };
    if mould.has_spawn && asking.item.next.is(Stage::New) {
        asking.deliver(&Message::new(SPAWNED, Value::NOTHING));
    }
    asking.tick();
    asking.update(mould);
    asking.advance();
    asking.settle();
}

impl Asking<'_, '_> {
    fn update(&mut self, mould: &Mould) {
        let now = self.item.cycle();
        if self.item.next.update_at > now {
            return;
        }
        self.item.next.update_at = now + mould.period;
        let seconds = Value::number(f64::from(mould.period as f32 * CYCLE_SECONDS));
        if mould.on_update != Value::NOTHING {
            self.call(mould.on_update, &[seconds]);
        }
        if self.item.handle == LEVEL {
            self.pull_triggers();
        }
    }

    /// Lets those triggers of the level happen of which it is time.
    fn pull_triggers(&mut self) {
        let cycle = self.cycle;
        let Some(program) = cycle.moulds.programs().get(self.item.next.mind.program) else { return };
        let Some(variable) = program.variable("happened").map(|number| number as usize) else { return };
        for (number, trigger) in cycle.rules.level.triggers.iter().enumerate() {
            let happened = self.values.get(variable).and_then(|value| value.as_number()).unwrap_or(0.0) as u64;
            let (Some(when), Some(then)) = (trigger.when, trigger.then) else { continue };
            if happened >> number & 1 == 1 || self.call(Value::function(when), &[]) != Some(Value::TRUE) {
                continue;
            }
            self.call(Value::function(then), &[]);
            if !trigger.repeats
                && let Some(place) = self.values.get_mut(variable)
            {
                *place = Value::number((happened | 1 << number) as f64);
            }
        }
    }
}
