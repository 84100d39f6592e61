//! Simulate: every awake object computes its own next state, in parallel.

use base::{Handle, StringId};
use script::message::Message;
use script::value::Value;
use state::{Item, Workers, World, each_entity_ahead};

use crate::limits::NEAREST_PLAYERS_MAX;
use crate::object::{Object, Stage, handle_of, linked};
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

/// The cycles between two updates by a row of slower ones, counted from 1.
fn cycle_of(prototype: &Prototype, row: u16) -> u64 {
    let row = usize::from(row).checked_sub(1).and_then(|row| prototype.far_updates.get(row));
    row.map_or(prototype.period, |(_, period)| *period)
}

/// The length of some brush cycles, in seconds: as exact as a number of scripts can be.
fn seconds_of(cycles: u64, cycle: &Cycle<'_>) -> f64 {
    cycles as f64 * cycle.rules.level.settings.lengths.brush_nanos as f64 / 1e9
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
    context.advance();
    context.settle();
}

impl ObjectContext<'_, '_> {
    fn update(&mut self, prototype: &Prototype) {
        let now = self.item.cycle();
        if self.item.next.update_at > now {
            return;
        }
        // The period that has passed, which was chosen at the last update.
        let seconds = Value::number(seconds_of(cycle_of(prototype, self.item.next.far_update), self.cycle));
        self.item.next.far_update = self.far_update(prototype);
        self.item.next.update_at = now + cycle_of(prototype, self.item.next.far_update);
        if prototype.on_update != Value::NOTHING {
            self.call(prototype.on_update, &[seconds]);
        }
        if self.item.handle == LEVEL {
            self.pull_triggers();
        }
    }

    /// The row of slower updates that counts for its distance to the nearest player's object, from 1; 0 if none does. All players
    /// count alike, and no camera: so it is the same on every machine.
    fn far_update(&self, prototype: &Prototype) -> u16 {
        if prototype.far_updates.is_empty() || self.item.handle == LEVEL {
            return 0;
        }
        let (parts, frozen) = (&self.cycle.rules.parts, self.item.frozen);
        let position = self.item.next.position;
        let players = parts.players.get(frozen).iter().take(NEAREST_PLAYERS_MAX);
        let players = players.filter_map(|player| linked(parts.objects, frozen, *player));
        let nearest = players.map(|player| player.position.distance(position)).reduce(base::number::min);
        let Some(nearest) = nearest else { return 0 };
        prototype.far_updates.partition_point(|(distance, _)| *distance <= nearest) as u16
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
