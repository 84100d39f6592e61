//! The links between objects: owners and attachments. Changed only while painting and setting up.
//!
//! Laws
//! 1. A link is doubly linked or absent. A removed object is unlinked first.
//! 2. Attachments have no cycles, and no chain is longer than [`ATTACHMENT_DEPTH_MAX`].
//! 3. Lists are walked at most as far as there are objects, whatever a loaded block holds, and a link without its back link is
//!    ignored.

use base::{Handle, Quat, StringId, Vec3};
use script::value::Value;
use state::{Block, World};

use crate::condition::Condition;
use crate::limits::ATTACHMENT_DEPTH_MAX;
use crate::object::{FACING, OWNER, Object, POSITION, Stage, TEAM, edit_linked, handle_of, linked, set, value_of};
use crate::pose::PoseVariables;
use crate::prototype::MarkerPlace;
use crate::rules::{Cycle, LEVEL};
use crate::sets::Set;
use crate::warnings::warn;

/// Enters a new object into the spatial hash, the bit sets and its owner's list.
pub fn enter(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>) {
    let (rules, objects) = (cycle.rules, cycle.rules.parts.objects);
    let Object { team, class, .. } = *objects.get(world, handle);
    for set in [Set::All, Set::Team(team), Set::Class(class)] {
        rules.sets.put(world, set, handle, true);
    }
    rules.space.settle(world, handle);
    let owner = objects.values(world, handle).get(OWNER).copied().map_or(Handle::NONE, handle_of);
    give(cycle, world, handle, owner);
}

/// Puts an object on a team.
pub fn join(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, team: u32) {
    let (rules, objects) = (cycle.rules, cycle.rules.parts.objects);
    let before = objects.edit_both(world, handle, |object, values| {
        set(values, TEAM, Value::number(f64::from(team)));
        core::mem::replace(&mut object.team, team)
    });
    if before != team {
        rules.sets.put(world, Set::Team(before), handle, false);
        rules.sets.put(world, Set::Team(team), handle, true);
    }
}

/// Sets or clears a flag of an object.
pub fn flag(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, flag: u32, is_set: bool) {
    let (rules, objects) = (cycle.rules, cycle.rules.parts.objects);
    let mut object = objects.get_mut(world, handle);
    object.flags = if is_set { object.flags | 1 << flag } else { object.flags & !(1 << flag) };
    drop(object);
    rules.sets.put(world, Set::Flag(flag), handle, is_set);
}

/// Gives an object an owner; none if that one does not exist.
pub fn give(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, owner: Handle<Object>) {
    let objects = cycle.rules.parts.objects;
    let is_there = owner != handle && objects.find_raw(world, owner.raw()).is_some();
    let owner = if is_there { owner } else { Handle::NONE };
    leave_owner(cycle, world, handle);
    if is_there {
        let first = core::mem::replace(&mut objects.get_mut(world, owner).first_owned, handle);
        if let Some(mut first) = edit_linked(objects, world, first) {
            first.previous_owned = handle;
        }
        objects.get_mut(world, handle).next_owned = first;
    }
    objects.edit_both(world, handle, |object, values| {
        object.owner = owner;
        set(values, OWNER, value_of(owner));
    });
    debug_assert!(
        owner.is_none() || objects.get(world, owner).first_owned == handle,
        "law 1 of links: {owner:?} does not list {handle:?}, which it owns"
    );
}

/// Unlinks an object that is about to be removed from its owner and from all it owns.
pub fn release(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>) {
    let objects = cycle.rules.parts.objects;
    leave_owner(cycle, world, handle);
    let mut next = objects.get(world, handle).first_owned;
    for _ in 0..objects.capacity() {
        let owned = linked(objects, world, next).filter(|owned| owned.owner == handle).copied();
        let Some(owned) = owned else { break };
        objects.edit_both(world, next, |object, values| {
            (object.owner, object.next_owned, object.previous_owned) = (Handle::NONE, Handle::NONE, Handle::NONE);
            set(values, OWNER, Value::NOTHING);
        });
        next = owned.next_owned;
    }
}

fn leave_owner(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>) {
    let objects = cycle.rules.parts.objects;
    let Object { owner, next_owned: next, previous_owned: previous, .. } = *objects.get(world, handle);
    if let Some(mut next) = edit_linked(objects, world, next) {
        next.previous_owned = previous;
    }
    if let Some(mut previous) = edit_linked(objects, world, previous) {
        previous.next_owned = next;
    } else if let Some(mut owner) = edit_linked(objects, world, owner) {
        owner.first_owned = next;
    }
    let mut object = objects.get_mut(world, handle);
    (object.owner, object.next_owned, object.previous_owned) = (Handle::NONE, Handle::NONE, Handle::NONE);
}

/// Attaches an object to another at a marker. One with a direction turns the object; otherwise it keeps its orientation.
pub fn attach(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, parent: Handle<Object>, marker: StringId) {
    let objects = cycle.rules.parts.objects;
    if objects.find_raw(world, parent.raw()).is_none() {
        return warn(cycle, world, Condition::NoSuchObject, marker, handle);
    }
    let mut left = objects.capacity();
    match height(cycle, world, parent, handle) {
        None => return warn(cycle, world, Condition::AttachedInCircle, marker, handle),
        Some(height) if height + depth(cycle, world, handle, 0, &mut left) > ATTACHMENT_DEPTH_MAX => {
            return warn(cycle, world, Condition::AttachedTooDeep, marker, handle);
        }
        Some(_) => {}
    }
    detach(cycle, world, handle);
    if !marker.is_none() && marker_of(cycle, world, parent, marker).is_none() {
        warn(cycle, world, Condition::NoSuchMarker, marker, handle);
    }
    let Object { orientation: turned, first_child, .. } = *objects.get(world, parent);
    let direction = marker_of(cycle, world, parent, marker).and_then(|marker| marker.turn);
    let now = world.cycle() as u32;
    let mut object = objects.get_mut(world, handle);
    (object.parent, object.marker, object.next_child, object.placed_at) = (parent, marker, first_child, now);
    object.relative = direction.unwrap_or_else(|| (turned.conjugate() * object.orientation).normal());
    drop(object);
    objects.get_mut(world, parent).first_child = handle;
    debug_assert!(
        height(cycle, world, parent, handle).is_some(),
        "law 2 of links: {handle:?} is attached to itself, through {parent:?}"
    );
    let mut left = objects.capacity();
    place_child(cycle, world, (parent, handle), 0, &mut left);
}

/// Detaches an object. It keeps its position and its velocity.
pub fn detach(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>) {
    let objects = cycle.rules.parts.objects;
    let Object { parent, next_child, .. } = *objects.get(world, handle);
    if parent.is_none() {
        return;
    }
    if let Some(first) = linked(objects, world, parent).map(|parent| parent.first_child) {
        leave_parent(cycle, world, handle, (parent, first, next_child));
    }
    let mut object = objects.get_mut(world, handle);
    (object.parent, object.next_child, object.marker) = (Handle::NONE, Handle::NONE, StringId::default());
    drop(object);
    objects.set_awake(world, handle, true);
}

fn leave_parent(
    cycle: &Cycle<'_>,
    world: &mut World,
    handle: Handle<Object>,
    (parent, first, next): (Handle<Object>, Handle<Object>, Handle<Object>),
) {
    let objects = cycle.rules.parts.objects;
    if first == handle {
        objects.get_mut(world, parent).first_child = next;
        return;
    }
    let mut before = first;
    for _ in 0..objects.capacity() {
        let Some(found) = linked(objects, world, before) else { return };
        if found.next_child == handle {
            objects.get_mut(world, before).next_child = next;
            return;
        }
        before = found.next_child;
    }
}

/// Moves all objects attached to a parent along with it.
pub fn follow(cycle: &Cycle<'_>, world: &mut World, parent: Handle<Object>) {
    let mut left = cycle.rules.parts.objects.capacity();
    follow_on(cycle, world, parent, 0, &mut left);
}

fn follow_on(cycle: &Cycle<'_>, world: &mut World, parent: Handle<Object>, depth: u32, left: &mut u32) {
    let objects = cycle.rules.parts.objects;
    let mut next = objects.get(world, parent).first_child;
    while let Some(child) = linked(objects, world, next).filter(|child| child.parent == parent) {
        let child = (next, child.next_child);
        if *left == 0 {
            return;
        }
        place_child(cycle, world, (parent, child.0), depth, left);
        next = child.1;
    }
}

/// Moves an attached object, and all attached to it, to its marker.
fn place_child(
    cycle: &Cycle<'_>,
    world: &mut World,
    (parent, child): (Handle<Object>, Handle<Object>),
    depth: u32,
    left: &mut u32,
) {
    let objects = cycle.rules.parts.objects;
    *left = left.saturating_sub(1);
    assert!(depth <= ATTACHMENT_DEPTH_MAX, "law 3 of links: attachments are followed {depth} levels deep");
    let Object { position, orientation, .. } = *objects.get(world, parent);
    let Object { marker, relative, position: before, stage, .. } = *objects.get(world, child);
    let offset = marker_of(cycle, world, parent, marker).map_or(Vec3::ZERO, |marker| marker.offset);
    let variables = pose_variables(cycle, world, child);
    let (place, turned) = (position + orientation.rotate(offset), orientation * relative);
    let after = objects.edit_both(world, child, |object, values| {
        put(object, values, place, turned);
        variables.write(object, values);
        object.position
    });
    cycle.rules.space.settle(world, child);
    // A new object reports its trigger volumes when it settles.
    if stage != Stage::New as u16 && before != after {
        cross_trigger_volumes(cycle, world, child, (before, after));
    }
    if depth < ATTACHMENT_DEPTH_MAX {
        follow_on(cycle, world, child, depth + 1, left);
    }
}

/// Reports to the level the trigger volumes that an object was moved into and out of.
pub fn cross_trigger_volumes(
    cycle: &Cycle<'_>,
    world: &mut World,
    handle: Handle<Object>,
    (before, after): (Vec3, Vec3),
) {
    let parts = &cycle.rules.parts;
    for volume in &cycle.rules.level.trigger_volumes {
        if let Some(message) = volume.crossing(value_of(handle), (volume.holds(before), volume.holds(after))) {
            parts.messages.queue_from(world, parts.objects.address(LEVEL), parts.objects.address(handle), &message);
        }
    }
}

/// Sets the position and rotation of an object, if both are finite.
pub fn put(object: &mut Object, values: &mut [Value], place: Vec3, turned: Quat) {
    let (turned, facing) = (turned.normal(), turned.normal().rotate(Vec3::X));
    if !place.is_finite() || !facing.is_finite() || !turned.is_finite() {
        return;
    }
    (object.position, object.orientation, object.facing) = (place.canonical(), turned, facing.canonical());
    set(values, POSITION, Value::vector(object.position));
    set(values, FACING, Value::vector(object.facing));
}

/// The number of objects on the chain from this one up to its root; none if `below` is among them or the chain is too long.
fn height(cycle: &Cycle<'_>, block: &Block, handle: Handle<Object>, below: Handle<Object>) -> Option<u32> {
    let mut at = handle;
    for height in 1..=ATTACHMENT_DEPTH_MAX + 1 {
        if at == below {
            return None;
        }
        at = match linked(cycle.rules.parts.objects, block, at) {
            Some(object) if !object.parent.is_none() => object.parent,
            _ => return Some(height),
        };
    }
    None
}

/// The greatest depth of attachments below an object, visiting at most `left` of them.
fn depth(cycle: &Cycle<'_>, block: &Block, handle: Handle<Object>, above: u32, left: &mut u32) -> u32 {
    let objects = cycle.rules.parts.objects;
    if above > ATTACHMENT_DEPTH_MAX {
        return 0;
    }
    let mut deepest = 0;
    let mut next = linked(objects, block, handle).map_or(Handle::NONE, |object| object.first_child);
    while let Some(child) = linked(objects, block, next).filter(|child| child.parent == handle && *left > 0) {
        *left -= 1;
        deepest = deepest.max(1 + depth(cycle, block, next, above + 1, left));
        next = child.next_child;
    }
    deepest
}

/// Where the row of an object holds the variables of its orientation.
pub fn pose_variables(cycle: &Cycle<'_>, block: &Block, handle: Handle<Object>) -> PoseVariables {
    let program = cycle.rules.parts.objects.get(block, handle).mind.program;
    cycle.prototypes.get(program).map_or(PoseVariables::NONE, |prototype| prototype.pose)
}

fn marker_of(cycle: &Cycle<'_>, block: &Block, parent: Handle<Object>, marker: StringId) -> Option<MarkerPlace> {
    let prototype = cycle.prototypes.get(linked(cycle.rules.parts.objects, block, parent)?.mind.program)?;
    prototype.markers.iter().find(|known| known.name == marker).copied()
}
