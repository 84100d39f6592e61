//! Tag changes: objects whose tags changed are carried over to the new prototypes.
//!
//! The cycle in which the content changes still runs with the former prototypes. At its end every object gets the number of its new
//! prototype; if its tag changed, its row is resized and its variables are carried over by name. Timers, handlers and callbacks go on
//! with the new text of their lambdas; what has no counterpart in the new tag is dropped with a warning. An object whose tag is gone does nothing until the tag is back; then it restarts with its
//! position, velocity, facing, team and owner.
//!
//! Class numbers may change as well: the bit sets of classes follow.

use base::{Handle, StringId};
use script::migration::dropped;
use script::program::Program;
use script::row::{RowEdit, RowView};
use state::World;

use crate::condition::{Condition, Warning};
use crate::embodiment::renew as renew_body;
use crate::object::{Object, VARIABLES, value_of};
use crate::prototype::{Prototype, Prototypes};
use crate::renewal::PrototypeMapping;
use crate::rules::{Cycle, LEVEL};
use crate::sets::{NO_CLASS, Set};
use crate::stages::spawn::first_update;
use crate::warnings::warn;

pub(super) fn paint(cycle: &Cycle<'_>, world: &mut World) {
    if !cycle.changed.tags.is_empty() {
        carry_all(cycle, world);
    }
}

/// Carries all objects over to the prototypes of the rules; `cycle.prototypes` are the former ones.
pub(crate) fn carry_all(cycle: &Cycle<'_>, world: &mut World) {
    let rules = cycle.rules;
    let Some(renewal) = &rules.renewal else { return };
    let objects = rules.parts.objects;
    for slot in 0..objects.slots_end(world) {
        let Some((handle, object)) = objects.at_slot(world, slot as u16) else { continue };
        let (tag, before) = (object.tag.id(), object.mind.program);
        let number = rules.prototypes.number(tag);
        match (number, renewal.carry(tag)) {
            (Some(_), Some(carry)) if before == carry.old => carry_over(cycle, world, handle, carry),
            (Some(number), _) if before == Prototypes::NONE => restart(cycle, world, handle, number),
            (Some(number), _) => objects.get_mut(world, handle).mind.program = number,
            (None, _) => {
                objects.get_mut(world, handle).mind.program = Prototypes::NONE;
                warn(cycle, world, Condition::TagLost, tag, handle);
            }
        }
        count_as(cycle, world, handle);
        renew_body(cycle, world, handle);
    }
}

/// Moves an object to the bit set of its prototype's class.
fn count_as(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>) {
    let rules = cycle.rules;
    let mut object = rules.parts.objects.get_mut(world, handle);
    let class = rules.prototypes.get(object.mind.program).map_or(NO_CLASS, |prototype| prototype.class);
    let before = core::mem::replace(&mut object.class, class);
    drop(object);
    if before == class || handle == LEVEL {
        return;
    }
    if before != NO_CLASS {
        rules.sets.put(world, Set::Class(before), handle, false);
    }
    if class != NO_CLASS {
        rules.sets.put(world, Set::Class(class), handle, true);
    }
}

/// Restarts an object whose tag is back: its old row cannot be read without the old program.
fn restart(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, number: u32) {
    let rules = cycle.rules;
    let objects = rules.parts.objects;
    let (Some(prototype), Some(program)) = (rules.prototypes.get(number), rules.prototypes.programs().get(number))
    else {
        return;
    };
    let first = first_update(prototype, handle, world.cycle());
    if objects.resize(world, handle, prototype.row.len() as u32) {
        objects.edit_both(world, handle, |object, values| {
            let kept = VARIABLES.len().min(values.len());
            values[kept..].copy_from_slice(&prototype.row[kept..]);
            object.mind.program = number;
            if let Some(variable) = program.variable("this") {
                RowEdit { head: &mut object.mind, values }.set(variable, value_of(handle));
            }
            (object.radius, object.update_at) = (prototype.radius, next_update(first, object.update_at));
            (object.agreed, object.timer_at, object.far_update) = (0, 0, 0);
            prototype.pose.write(object, values);
        });
        keep_spin(cycle, world, handle, prototype);
        objects.set_awake(world, handle, true);
    }
    rules.log.explain_restart(
        handle,
        "its tag is back, and it restarts with its position, velocity, facing, team and owner",
    );
    warn(cycle, world, Condition::TagChanged, StringId::default(), handle);
}

/// The variable `spin` of a new row is that of the body.
fn keep_spin(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, prototype: &Prototype) {
    let parts = &cycle.rules.parts;
    if let Some(body) = parts.body_of(world, handle).filter(|_| prototype.pose.has_spin()) {
        let spin = parts.physics.parts.bodies.get(world, body).angular_velocity;
        parts.objects.edit_both(world, handle, |_, values| prototype.pose.set_spin(values, spin));
    }
}

/// The cycle of the next update: no later than before, unless there is none any more.
fn next_update(first: u64, before: u64) -> u64 {
    if first == u64::MAX { first } else { first.min(before) }
}

/// Carries one object over.
fn carry_over(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, carry: &PrototypeMapping) {
    let rules = cycle.rules;
    let objects = rules.parts.objects;
    const STORAGE: &str = "its lists, records and timers exceed its `storage`; they begin anew, and its timers, handlers and callbacks are dropped";
    const NO_ROOM: &str = "its variables exceed `values_max` of the level; it does nothing until its tag changes again";
    let programs = (cycle.prototypes.programs().get(carry.old), rules.prototypes.programs().get(carry.new));
    let ((Some(old), Some(new)), Some(prototype)) = (programs, rules.prototypes.get(carry.new)) else { return };
    let first = first_update(prototype, handle, world.cycle());
    warn_of_dropped(cycle, world, handle, (carry, old, new));
    let failure = rules.workspaces.with_row(|spare| {
        let head = objects.get(world, handle).mind;
        let values = objects.values(world, handle);
        let length = values.len().min(spare.len());
        spare[..length].copy_from_slice(&values[..length]);
        if !objects.resize(world, handle, prototype.row.len() as u32) {
            // Its row cannot be resized: it does nothing until the tag changes again.
            objects.get_mut(world, handle).mind.program = Prototypes::NONE;
            return Some(NO_ROOM);
        }
        objects.edit_both(world, handle, |object, values| {
            let before = RowView { head: &head, values: &spare[..length] };
            let carried =
                before.move_variables((old, carry.mapped.as_deref().unwrap_or(new)), &carry.functions, &[], values);
            if carried.is_err() {
                // Its lists exceed the storage: it restarts with the variables of every object.
                let kept = VARIABLES.len().min(length);
                values.copy_from_slice(&prototype.row);
                values[..kept].copy_from_slice(&spare[..kept]);
            }
            object.mind.program = carry.new;
            (object.radius, object.update_at) = (prototype.radius, next_update(first, object.update_at));
            (object.agreed, object.timer_at, object.far_update) = (0, 0, 0);
            prototype.pose.write(object, values);
            carried.is_err().then_some(STORAGE)
        })
    });
    if objects.get(world, handle).mind.program == carry.new {
        keep_spin(cycle, world, handle, prototype);
    }
    if let Some(why) = failure {
        rules.log.explain_restart(handle, why);
        warn(cycle, world, Condition::TagChanged, StringId::default(), handle);
    }
    objects.set_awake(world, handle, true);
}

/// Warns of the timers, handlers and callbacks that an object loses, once for each lambda.
fn warn_of_dropped(
    cycle: &Cycle<'_>,
    world: &mut World,
    handle: Handle<Object>,
    (carry, old, new): (&PrototypeMapping, &Program, &Program),
) {
    let parts = &cycle.rules.parts;
    let mut told = 0;
    loop {
        let head = parts.objects.get(world, handle).mind;
        let row = RowView { head: &head, values: parts.objects.values(world, handle) };
        let lost = || dropped(row, (old, new), &carry.functions);
        // Told in their order in the row, each with all that are alike.
        let Some((at, entry)) =
            lost().enumerate().skip(told).find(|(at, entry)| !lost().take(*at).any(|one| one == *entry))
        else {
            return;
        };
        told = at + 1;
        let count = u32::try_from(lost().filter(|one| *one == entry).count()).unwrap_or(u32::MAX);
        let is_gone = carry.functions.get(entry.0 as usize).copied().flatten().is_none();
        cycle.rules.log.explain_dropped(handle, carry.old, entry, is_gone);
        let (function, start) = (entry.0, entry.1 as u32);
        let warning = Warning { count, function, start, ..Warning::new(Condition::TagChanged, StringId::default()) };
        parts.warnings.queue(world, parts.objects.address(handle), &warning);
    }
}
