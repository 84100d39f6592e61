//! Simulate: every awake object computes its own next state, in parallel.

use base::{Handle, StringId};
use script::message::Message;
use script::value::Value;
use state::{Item, Workers, World, each_entity_ahead};

use crate::limits::CYCLE_SECONDS;
use crate::object::{Object, Stage, handle_of};
use crate::object_context::ObjectContext;
use crate::prototype::Prototype;
use crate::rules::{Cycle, LEVEL};

pub(super) fn simulate(cycle: &Cycle<'_>, world: &mut World, workers: &dyn Workers) {
    let objects = cycle.rules.parts.objects;
    let ahead = |object: &Object, values: &[Value]| target(cycle, object, values);
    let measuring = cycle.rules.workspaces.measuring();
    let update = |item: &mut Item<'_, Object>, values: &mut [Value]| {
        measuring.measure(item.handle, item.next.mind.program, || update(cycle, item, values));
    };
    world.simulate(workers, &[&each_entity_ahead(objects, ahead, update)]);
}

/// The object that an update will read, if known: it is prefetched.
#[inline]
fn target(cycle: &Cycle<'_>, object: &Object, values: &[Value]) -> Handle<Object> {
    let variable = cycle.prototypes.get(object.mind.program).and_then(|prototype| prototype.followed_variable);
    variable.and_then(|variable| values.get(variable as usize)).map_or(Handle::NONE, |value| handle_of(*value))
}

/// The message to a new object.
const SPAWNED: StringId = StringId::new("Spawn");

/// One cycle of an object: its timers, its update, its movement.
fn update(cycle: &Cycle<'_>, item: &mut Item<'_, Object>, values: &mut [Value]) {
    let Some(prototype) = cycle.prototypes.get(item.next.mind.program) else {
        // Its tag is gone: it does nothing until the tag is back.
        item.sleep();
        return;
    };
    let mut context = ObjectContext { cycle, item, values };
    if prototype.has_spawn && context.item.next.is(Stage::New) {
        context.deliver(&Message::new(SPAWNED, Value::NOTHING));
    }
    context.tick();
    context.update(prototype);
    context.animate(prototype);
    context.advance();
    context.settle();
}

impl ObjectContext<'_, '_> {
    fn update(&mut self, prototype: &Prototype) {
        let now = self.item.cycle();
        if self.item.next.update_at > now {
            return;
        }
        self.item.next.update_at = now + prototype.period;
        let seconds = Value::number(f64::from(prototype.period as f32 * CYCLE_SECONDS));
        if prototype.on_update != Value::NOTHING {
            self.call(prototype.on_update, &[seconds]);
        }
        if self.item.handle == LEVEL {
            self.pull_triggers();
        }
    }

    /// Fires the triggers of the level whose conditions hold.
    fn pull_triggers(&mut self) {
        let cycle = self.cycle;
        let Some(program) = cycle.prototypes.programs().get(self.item.next.mind.program) else { return };
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
