//! Tag changes: objects whose tags changed are carried over to what their tags are now.
//!
//! In the cycle in which the content changes, everything still happens by the moulds from before. At its end every object gets
//! the number of its mould in the new content; one whose tag changed gets a row of the new length, into which its variables are
//! carried by name. A timer or a callback goes on if the new tag has the same lambda.

use base::{Handle, StringId};
use script::row::RowView;
use state::World;

use crate::condition::Condition;
use crate::mould::Moulds;
use crate::object::Object;
use crate::renewal::Carry;
use crate::rules::Cycle;
use crate::telling::tell;

pub(super) fn paint(cycle: &Cycle<'_>, world: &mut World) {
    let rules = cycle.rules;
    let (Some(renewal), false) = (&rules.renewal, cycle.changed.tags.is_empty()) else { return };
    let objects = rules.parts.objects;
    for slot in 0..objects.capacity() {
        let Some((handle, object)) = objects.get_absolute(world, slot as u16) else { continue };
        let tag = object.tag.id();
        let number = rules.moulds.number(tag);
        match (number, renewal.carry(tag)) {
            (Some(_), Some(carry)) => carry_over(cycle, world, handle, carry),
            (Some(number), None) => objects.edit(world, handle).mind.program = number,
            (None, _) => {
                objects.edit(world, handle).mind.program = Moulds::NONE;
                tell(cycle, world, Condition::TagLost, tag, handle);
            }
        }
    }
}

/// Carries one object over.
fn carry_over(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, carry: &Carry) {
    let rules = cycle.rules;
    let objects = rules.parts.objects;
    let programs = (cycle.moulds.programs().get(carry.old), rules.moulds.programs().get(carry.new));
    let ((Some(old), Some(new)), Some(mould)) = (programs, rules.moulds.get(carry.new)) else { return };
    let is_done = rules.minds.with_row(|spare| {
        let head = objects.get(world, handle).mind;
        let values = objects.values(world, handle);
        let length = values.len().min(spare.len());
        spare[..length].copy_from_slice(&values[..length]);
        if !objects.resize(world, handle, mould.row.len() as u32) {
            return false;
        }
        objects.edit_both(world, handle, |object, values| {
            let before = RowView { head: &head, values: &spare[..length] };
            let carried = before.move_variables((old, new), &carry.functions, &[], values);
            if carried.is_err() {
                // What it kept in lists found no room: it begins anew, but for what every object has.
                let first = crate::object::VARIABLES.len();
                values.copy_from_slice(&mould.row);
                values[..first].copy_from_slice(&spare[..first]);
            }
            object.mind.program = carry.new;
            (object.radius, object.class) = (mould.radius, mould.class);
            let is_idle = mould.on_update == script::value::Value::NOTHING && handle != crate::rules::LEVEL;
            object.update_at = if is_idle { u64::MAX } else { object.update_at.min(object.born_at) };
            carried.is_ok()
        })
    });
    if !is_done {
        tell(cycle, world, Condition::TagChanged, StringId::default(), handle);
    }
    objects.set_awake(world, handle, true);
}
