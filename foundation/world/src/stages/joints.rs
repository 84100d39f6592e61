//! Joints between the bodies of objects: made, changed, taken away, and told of when they break.
//!
//! Laws
//! 1. Two objects have one joint that holds them in place; whoever joins them again gets another in its stead. Ropes, springs
//!    and distances there may be several of besides.
//! 2. A joint ends with the body of one of its two. Whoever is left is told, as when it breaks; not so when it was parted.
//! 3. It does not matter who is called first when joints are driven, steered or taken away: the one who was first when they were
//!    made stays so.

use base::{Handle, StringId, Vec3};
use physics::joint::Kind;
use physics::{Body, Joint, Touch};
use script::message::Message;
use script::value::Value;
use state::{Stroke, World};

use crate::condition::Condition;
use crate::object::{Object, value_of};
use crate::parts::{Joining, JoiningKind};
use crate::rules::{Cycle, LEVEL};
use crate::telling::{count, tell};

const BREAK: StringId = StringId::new("Break");

pub(super) fn paint(cycle: &Cycle<'_>, world: &mut World) {
    cycle.rules.parts.joinings.paint(world, |world, stroke| join(cycle, world, &stroke));
}

/// Takes away what joins a body that is about to go, and tells those who were joined to it.
pub(super) fn release(cycle: &Cycle<'_>, world: &mut World, body: Handle<Body>) {
    let parts = &cycle.rules.parts;
    let owner = parts.owner_of(world, body);
    let mut from = 0;
    while let Some((handle, joint)) = next(cycle, world, (body, from), |_| true) {
        let other = if joint.first == body { joint.second } else { joint.first };
        parts.physics.remove_joint(world, handle);
        if let Some(other) = parts.owner_of(world, other) {
            tell_one(cycle, world, other, owner.map_or(Value::NOTHING, value_of), Value::NOTHING);
        }
        from = u32::from(handle.slot()) + 1;
    }
}

/// Tells both that a joint between them broke.
pub(super) fn tell_broken(cycle: &Cycle<'_>, world: &mut World, touch: &Touch) {
    let parts = &cycle.rules.parts;
    let name = |body: Handle<Body>| if body.is_none() { Some(LEVEL) } else { parts.owner_of(world, body) };
    let (first, second) = (name(touch.first), name(touch.second));
    let place = Value::vector(touch.point);
    for (to, other) in [(first, second), (second, first)] {
        if let Some(to) = to.filter(|to| *to != LEVEL) {
            tell_one(cycle, world, to, other.map_or(Value::NOTHING, value_of), place);
        }
    }
}

fn join(cycle: &Cycle<'_>, world: &mut World, stroke: &Stroke<Joining>) {
    const CONNECT: u32 = JoiningKind::Connect as u32;
    const DISCONNECT: u32 = JoiningKind::Disconnect as u32;
    let parts = &cycle.rules.parts;
    let joining = stroke.payload;
    let asking = parts.objects.handle(stroke.source).unwrap_or(Handle::NONE);
    if joining.one == joining.other {
        return tell(cycle, world, Condition::NoSuchEffect, joining.name, asking);
    }
    let Some(first) = end(cycle, world, joining.one, joining.name) else { return };
    let Some(second) = end(cycle, world, joining.other, joining.name) else { return };
    match joining.kind {
        CONNECT => connect(cycle, world, &joining, [first, second], asking),
        kind => {
            let change = |world: &mut World, handle: Handle<Joint>| match kind {
                DISCONNECT => parts.physics.remove_joint(world, handle),
                _ => parts.physics.edit_joint(world, handle, |joint| joining.change(joint)),
            };
            if !each_between(cycle, world, [first, second], |_| true, change) {
                tell(cycle, world, Condition::NoSuchJoint, joining.name, asking);
            }
        }
    }
}

fn connect(cycle: &Cycle<'_>, world: &mut World, joining: &Joining, bodies: [Handle<Body>; 2], asking: Handle<Object>) {
    let physics = &cycle.rules.parts.physics;
    if !joining.is_distance() {
        let holds = |joint: &Joint| joint.kind() != Kind::Distance;
        each_between(cycle, world, bodies, holds, |world, handle| physics.remove_joint(world, handle));
    }
    let place =
        |body: Handle<Body>| physics.parts.bodies.get_untrusted(world, body.raw()).map(|(_, body)| body.position);
    let [first, second] = bodies.map(place);
    // The world is where the other is.
    let places = [first.or(second), second.or(first)].map(|place| place.unwrap_or(Vec3::ZERO));
    let refused = physics.parts.counts.get(world).joints_refused;
    match physics.add_joint(world, &joining.draft(bodies, places)) {
        Some(handle) => physics.edit_joint(world, handle, |joint| joining.change(joint)),
        None if physics.parts.counts.get(world).joints_refused > refused => {
            tell(cycle, world, Condition::NoRoomForJoint, joining.name, asking);
        }
        // It would reach beyond the end of space.
        None => tell(cycle, world, Condition::NoSuchEffect, joining.name, asking),
    }
}

/// The body at one end of a joint: none for the world itself. Nothing if there is none: that is told.
fn end(cycle: &Cycle<'_>, world: &mut World, object: Handle<Object>, about: StringId) -> Option<Handle<Body>> {
    if object == LEVEL {
        return Some(Handle::NONE);
    }
    if cycle.rules.parts.objects.get_untrusted(world, object.raw()).is_none() {
        count(cycle, world, Condition::NoSuchObject, 1);
        return None;
    }
    let body = cycle.rules.parts.body_of(world, object);
    if body.is_none() {
        tell(cycle, world, Condition::NoBody, about, object);
    }
    body
}

/// Does something with all joints between two that are meant. False if there is none.
fn each_between(
    cycle: &Cycle<'_>,
    world: &mut World,
    [one, other]: [Handle<Body>; 2],
    is_meant: impl Fn(&Joint) -> bool,
    mut change: impl FnMut(&mut World, Handle<Joint>),
) -> bool {
    let is_between = |joint: &Joint| {
        let ends = (joint.first, joint.second);
        (ends == (one, other) || ends == (other, one)) && is_meant(joint)
    };
    // The world may be joined to many.
    let whose = if one.is_none() { other } else { one };
    let mut from = 0;
    while let Some((handle, _)) = next(cycle, world, (whose, from), is_between) {
        change(world, handle);
        from = u32::from(handle.slot()) + 1;
    }
    from > 0
}

/// The first joint of a body that is meant, from a slot on.
fn next(
    cycle: &Cycle<'_>,
    world: &World,
    (body, from): (Handle<Body>, u32),
    is_meant: impl Fn(&Joint) -> bool,
) -> Option<(Handle<Joint>, Joint)> {
    let mut found = cycle.rules.parts.physics.parts.joints_of(world, body, from);
    found.find(|(_, joint)| is_meant(joint)).map(|(handle, joint)| (handle, *joint))
}

fn tell_one(cycle: &Cycle<'_>, world: &mut World, to: Handle<Object>, other: Value, place: Value) {
    let parts = &cycle.rules.parts;
    let mould = cycle.moulds.get(parts.objects.get(world, to).mind.program);
    if !mould.is_some_and(|mould| mould.wants.broken) {
        return;
    }
    if let Ok(message) = Message::new(BREAK, other).with_atoms(&[other, place]) {
        parts.messages.queue_from(world, parts.objects.address(to), parts.objects.address(to), &message);
    }
}
