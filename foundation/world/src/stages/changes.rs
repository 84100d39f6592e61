//! Tag changes: objects whose tags changed are carried over to what their tags are now.
//!
//! In the cycle in which the content changes, everything still happens by the moulds from before. At its end every object gets
//! the number of its mould in the new content; one whose tag changed gets a row of the new length, into which its variables are
//! carried by name. A timer or a callback goes on if the new tag has the same lambda. One whose tag is gone does nothing until
//! the tag is back; then it begins anew, but for what every object has.
//!
//! The numbers of classes may be others as well: objects are counted as what they are now.

use base::{Handle, StringId};
use script::row::{RowEdit, RowView};
use state::World;

use crate::condition::Condition;
use crate::mould::Moulds;
use crate::object::{Object, VARIABLES, value_of};
use crate::renewal::Carry;
use crate::rules::{Cycle, LEVEL};
use crate::sets::{NO_CLASS, Set};
use crate::stages::motion;
use crate::stages::spawn::first_update;
use crate::telling::tell;

pub(super) fn paint(cycle: &Cycle<'_>, world: &mut World) {
    let rules = cycle.rules;
    let (Some(renewal), false) = (&rules.renewal, cycle.changed.tags.is_empty()) else { return };
    let objects = rules.parts.objects;
    for slot in 0..objects.capacity() {
        let Some((handle, object)) = objects.get_absolute(world, slot as u16) else { continue };
        let (tag, before) = (object.tag.id(), object.mind.program);
        let number = rules.moulds.number(tag);
        match (number, renewal.carry(tag)) {
            (Some(_), Some(carry)) if before == carry.old => carry_over(cycle, world, handle, carry),
            (Some(number), _) if before == Moulds::NONE => begin_anew(cycle, world, handle, number),
            (Some(number), _) => objects.edit(world, handle).mind.program = number,
            (None, _) => {
                objects.edit(world, handle).mind.program = Moulds::NONE;
                tell(cycle, world, Condition::TagLost, tag, handle);
            }
        }
        count_as(cycle, world, handle);
        motion::renew(cycle, world, handle);
    }
}

/// Counts an object as what its mould says it is.
fn count_as(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>) {
    let rules = cycle.rules;
    let mut object = rules.parts.objects.edit(world, handle);
    let class = rules.moulds.get(object.mind.program).map_or(NO_CLASS, |mould| mould.class);
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

/// The tag of an object is back. What it had kept by the old one nobody can read any more.
fn begin_anew(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, number: u32) {
    let rules = cycle.rules;
    let objects = rules.parts.objects;
    let (Some(mould), Some(program)) = (rules.moulds.get(number), rules.moulds.programs().get(number)) else { return };
    let first = first_update(mould, handle, world.cycle());
    if objects.resize(world, handle, mould.row.len() as u32) {
        objects.edit_both(world, handle, |object, values| {
            let kept = VARIABLES.len().min(values.len());
            values[kept..].copy_from_slice(&mould.row[kept..]);
            object.mind.program = number;
            if let Some(variable) = program.variable("this") {
                RowEdit { head: &mut object.mind, values }.set(variable, value_of(handle));
            }
            (object.radius, object.update_at) = (mould.radius, next_update(first, object.update_at));
            (object.agreed, object.timer_at) = (0, 0);
        });
        objects.set_awake(world, handle, true);
    }
    tell(cycle, world, Condition::TagChanged, StringId::default(), handle);
}

/// The cycle of the next update: no later than it would have been, unless there is none any more.
fn next_update(first: u64, before: u64) -> u64 {
    if first == u64::MAX { first } else { first.min(before) }
}

/// Carries one object over.
fn carry_over(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, carry: &Carry) {
    let rules = cycle.rules;
    let objects = rules.parts.objects;
    let programs = (cycle.moulds.programs().get(carry.old), rules.moulds.programs().get(carry.new));
    let ((Some(old), Some(new)), Some(mould)) = (programs, rules.moulds.get(carry.new)) else { return };
    let first = first_update(mould, handle, world.cycle());
    let is_done = rules.minds.with_row(|spare| {
        let head = objects.get(world, handle).mind;
        let values = objects.values(world, handle);
        let length = values.len().min(spare.len());
        spare[..length].copy_from_slice(&values[..length]);
        if !objects.resize(world, handle, mould.row.len() as u32) {
            // It cannot be what its tag says: it does nothing, until the tag changes again.
            objects.edit(world, handle).mind.program = Moulds::NONE;
            return false;
        }
        objects.edit_both(world, handle, |object, values| {
            let before = RowView { head: &head, values: &spare[..length] };
            let carried = before.move_variables((old, new), &carry.functions, &[], values);
            if carried.is_err() {
                // What it kept in lists found no room: it begins anew, but for what every object has.
                let kept = VARIABLES.len().min(length);
                values.copy_from_slice(&mould.row);
                values[..kept].copy_from_slice(&spare[..kept]);
            }
            object.mind.program = carry.new;
            (object.radius, object.update_at) = (mould.radius, next_update(first, object.update_at));
            (object.agreed, object.timer_at) = (0, 0);
            carried.is_ok()
        })
    });
    if !is_done {
        tell(cycle, world, Condition::TagChanged, StringId::default(), handle);
    }
    objects.set_awake(world, handle, true);
}
