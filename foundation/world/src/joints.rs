//! Joints between the bodies of objects: made, changed and removed; broken ones are reported to their objects.
//!
//! Laws
//! 1. Two objects have at most one joint that is no distance joint: a new one replaces it. Ropes, springs and distances can be
//!    several.
//! 2. A joint ends with either of its bodies. The other object gets a `Break`, as for a broken joint; `!Disconnect` sends none.
//! 3. The order of the two objects does not matter when joints are driven, steered or removed: their order at creation counts.

use base::{Handle, StringId, Vec3};
use physics::joint::JointKind;
use physics::{Body, ContactEvent, Joint};
use script::message::Message;
use script::value::Value;
use state::{Stroke, World};

use crate::condition::Condition;
use crate::object::{Object, value_of};
use crate::parts::JointRequest;
use crate::rules::{Cycle, LEVEL};
use crate::warnings::{warn, warn_missing};

const BREAK: StringId = StringId::new("Break");

/// The bodies at the ends of a joint; none stands for the world itself.
type Bodies = [Handle<Body>; 2];

/// Removes the joints of a body that is about to be removed, and reports to the objects at their other ends.
pub fn release(cycle: &Cycle<'_>, world: &mut World, body: Handle<Body>) {
    let parts = &cycle.rules.parts;
    let owner = parts.owner_of(world, body);
    let mut from = 0;
    while let Some((handle, joint)) = next(cycle, world, (body, from), |_| true) {
        let other = if joint.first == body { joint.second } else { joint.first };
        parts.physics.remove_joint(world, handle);
        if let Some(other) = parts.owner_of(world, other) {
            send_break(cycle, world, other, owner.map_or(Value::NOTHING, value_of), Value::NOTHING);
        }
        from = u32::from(handle.slot()) + 1;
    }
}

/// Reports a broken joint to both objects.
pub fn report_broken(cycle: &Cycle<'_>, world: &mut World, event: &ContactEvent) {
    let parts = &cycle.rules.parts;
    let name = |body: Handle<Body>| if body.is_none() { Some(LEVEL) } else { parts.owner_of(world, body) };
    let (first, second) = (name(event.first), name(event.second));
    let place = Value::vector(event.point);
    for (to, other) in [(first, second), (second, first)] {
        if let Some(to) = to.filter(|to| *to != LEVEL) {
            send_break(cycle, world, to, other.map_or(Value::NOTHING, value_of), place);
        }
    }
}

/// Removes all joints between two bodies.
pub fn disconnect(cycle: &Cycle<'_>, world: &mut World, request: &JointRequest, bodies: Bodies, asker: Handle<Object>) {
    let physics = &cycle.rules.parts.physics;
    let is_found = each_between(cycle, world, bodies, |_| true, |world, handle| physics.remove_joint(world, handle));
    warn_of_missing(cycle, world, request, asker, is_found);
}

/// Changes the motors, springs and steering of all joints between two bodies.
pub fn drive(cycle: &Cycle<'_>, world: &mut World, request: &JointRequest, bodies: Bodies, asker: Handle<Object>) {
    let physics = &cycle.rules.parts.physics;
    let change = |world: &mut World, handle: Handle<Joint>| {
        physics.edit_joint(world, handle, |joint| request.change(joint));
    };
    let is_found = each_between(cycle, world, bodies, |_| true, change);
    warn_of_missing(cycle, world, request, asker, is_found);
}

fn warn_of_missing(
    cycle: &Cycle<'_>,
    world: &mut World,
    request: &JointRequest,
    asker: Handle<Object>,
    is_found: bool,
) {
    if !is_found {
        warn(cycle, world, Condition::NoSuchJoint, request.name, asker);
    }
}

/// Makes a joint between two bodies. One that holds them in place replaces the one before it.
pub fn connect(cycle: &Cycle<'_>, world: &mut World, request: &JointRequest, bodies: Bodies, asker: Handle<Object>) {
    let physics = &cycle.rules.parts.physics;
    if !request.is_distance() {
        let holds = |joint: &Joint| joint.kind() != JointKind::Distance;
        each_between(cycle, world, bodies, holds, |world, handle| physics.remove_joint(world, handle));
    }
    let place = |body: Handle<Body>| physics.parts.bodies.find_raw(world, body.raw()).map(|(_, body)| body.position);
    let [first, second] = bodies.map(place);
    // The world end is at the other's position.
    let places = [first.or(second), second.or(first)].map(|place| place.unwrap_or(Vec3::ZERO));
    let refused = physics.parts.counts.get(world).joints_refused;
    match physics.add_joint(world, &request.draft(bodies, places)) {
        Some(handle) => physics.edit_joint(world, handle, |joint| request.change(joint)),
        None if physics.parts.counts.get(world).joints_refused > refused => {
            warn(cycle, world, Condition::NoRoomForJoint, request.name, asker);
        }
        // An anchor is beyond the end of space.
        None => warn(cycle, world, Condition::NoSuchEffect, request.name, asker),
    }
}

/// The body of a joint's end; `Handle::NONE` for the world. None, with a warning, if there is no object or no body.
pub fn end(
    cycle: &Cycle<'_>,
    world: &mut World,
    (object, asker): (Handle<Object>, Handle<Object>),
    about: StringId,
) -> Option<Handle<Body>> {
    if object == LEVEL {
        return Some(Handle::NONE);
    }
    if cycle.rules.parts.objects.find_raw(world, object.raw()).is_none() {
        let objects = cycle.rules.parts.objects;
        let (target, source) = (objects.address(object), objects.address(asker));
        warn_missing(cycle, world, &Stroke { target, source, payload: () }, about);
        return None;
    }
    let body = cycle.rules.parts.body_of(world, object);
    if body.is_none() {
        warn(cycle, world, Condition::NoBody, about, object);
    }
    body
}

/// Calls `change` for all accepted joints between two bodies. False if there is none.
fn each_between(
    cycle: &Cycle<'_>,
    world: &mut World,
    [one, other]: [Handle<Body>; 2],
    accepts: impl Fn(&Joint) -> bool,
    mut change: impl FnMut(&mut World, Handle<Joint>),
) -> bool {
    let is_between = |joint: &Joint| {
        let ends = (joint.first, joint.second);
        (ends == (one, other) || ends == (other, one)) && accepts(joint)
    };
    // The world may have many joints: the other end is searched.
    let whose = if one.is_none() { other } else { one };
    let mut from = 0;
    while let Some((handle, _)) = next(cycle, world, (whose, from), is_between) {
        change(world, handle);
        from = u32::from(handle.slot()) + 1;
    }
    from > 0
}

/// The first accepted joint of a body, from a slot on.
fn next(
    cycle: &Cycle<'_>,
    world: &World,
    (body, from): (Handle<Body>, u32),
    accepts: impl Fn(&Joint) -> bool,
) -> Option<(Handle<Joint>, Joint)> {
    let mut found = cycle.rules.parts.physics.parts.joints_of(world, body, from);
    found.find(|(_, joint)| accepts(joint)).map(|(handle, joint)| (handle, *joint))
}

fn send_break(cycle: &Cycle<'_>, world: &mut World, to: Handle<Object>, other: Value, place: Value) {
    let parts = &cycle.rules.parts;
    let prototype = cycle.prototypes.get(parts.objects.get(world, to).mind.program);
    if !prototype.is_some_and(|prototype| prototype.wants.broken) {
        return;
    }
    if let Ok(message) = Message::new(BREAK, other).with_atoms(&[other, place]) {
        parts.messages.queue_from(world, parts.objects.address(to), parts.objects.address(to), &message);
    }
}
