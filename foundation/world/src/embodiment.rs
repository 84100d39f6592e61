//! The bodies of objects: made, renewed and removed. Changed only while painting and setting up.
//!
//! Laws
//! 1. An object attached to another has no body until it is detached.
//! 2. An object that received `Enter` or `Collide` receives `Leave` or `Separate` too, even if the other was destroyed, attached or moved.
//! 3. A fixed body has no velocity and accumulates no force: it starts from rest when it is freed.

use base::{Handle, StringId, Vec3};
use physics::{Body, ContactEvent, ContactEventKind, flag};
use script::message::Message;
use script::value::Value;
use state::World;

use crate::condition::Condition;
use crate::joints;
use crate::level::{ENTER, LEAVE};
use crate::object::{Object, Stage, VELOCITY, value_of, vector_of};
use crate::parts::SettlingState;
use crate::pose::limited_spin;
use crate::prototype::Prototypes;
use crate::rules::{Cycle, LEVEL};
use crate::warnings::warn;

const COLLIDE: StringId = StringId::new("Collide");
const SEPARATE: StringId = StringId::new("Separate");

/// Gives a new object its body, if its tag describes one.
pub fn embody(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>) {
    embody_from(cycle, cycle.prototypes, world, handle);
}

/// Rebuilds an object's body from its new prototype, keeping its pose, velocities and sleep.
pub fn renew(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>) {
    let parts = &cycle.rules.parts;
    let prototype = cycle.rules.prototypes.get(parts.objects.get(world, handle).mind.program);
    match (parts.body_of(world, handle), prototype.and_then(|prototype| prototype.body)) {
        (Some(body), Some(template)) => {
            let mut body = parts.physics.parts.bodies.get_mut(world, body);
            let Body {
                position,
                rotation,
                velocity,
                angular_velocity,
                last_position,
                last_rotation,
                owner,
                external_acceleration,
                ..
            } = *body;
            let state = body.flags & (flag::ASLEEP | flag::QUARANTINED);
            let next = Body {
                position,
                rotation,
                velocity,
                angular_velocity,
                last_position,
                last_rotation,
                owner,
                external_acceleration,
                ..template
            };
            let next = Body { flags: template.flags | state, force: body.force, torque: body.torque, ..next };
            let mut next = Body { rest_seconds: body.rest_seconds, ..next };
            halt_fixed(&mut next);
            if *body != next {
                *body = next;
                body.wake();
            }
            drop(body);
            if prototype.is_some_and(|prototype| prototype.settling.is_none()) {
                forget_settling(cycle, world, handle);
            }
            set_large(cycle, world, handle, prototype.is_some_and(|prototype| prototype.is_large));
        }
        (Some(_), None) => disembody(cycle, world, handle),
        (None, Some(_)) => embody_from(cycle, &cycle.rules.prototypes, world, handle),
        (None, None) => {}
    }
}

/// A tag without a friction curve may get one again later: then the time begins anew.
fn forget_settling(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>) {
    let (parts, none) = (&cycle.rules.parts, SettlingState::default());
    let Some(slot) = parts.body_of(world, handle).map(|body| u32::from(body.slot())) else { return };
    if parts.settling.get(world).get(slot as usize).is_some_and(|state| *state != none)
        && let Some(mut place) = parts.settling.get_mut(world, slot)
    {
        *place = none;
    }
}

fn embody_from(cycle: &Cycle<'_>, prototypes: &Prototypes, world: &mut World, handle: Handle<Object>) {
    let parts = &cycle.rules.parts;
    let object = *parts.objects.get(world, handle);
    if handle == LEVEL || !object.parent.is_none() || parts.body_of(world, handle).is_some() {
        return;
    }
    let Some(prototype) = prototypes.get(object.mind.program) else { return };
    let Some(template) = prototype.body else {
        if let Some(reason) = prototype.body_error {
            warn(cycle, world, Condition::NoShape, reason, handle);
        }
        return;
    };
    let velocity = stated_velocity(cycle, world, handle);
    let spin = prototype.pose.spin(parts.objects.values(world, handle)).map_or(Vec3::ZERO, limited_spin);
    let mut body = Body {
        position: object.position,
        last_position: object.position,
        rotation: object.orientation,
        last_rotation: object.orientation,
        velocity,
        angular_velocity: spin,
        owner: handle.raw(),
        ..template
    };
    halt_fixed(&mut body);
    match parts.physics.add(world, body) {
        Some(body) => {
            if let Some(mut place) = parts.bodies.get_mut(world, u32::from(handle.slot())) {
                *place = body;
            }
            set_large(cycle, world, handle, prototype.is_large);
        }
        None => warn(cycle, world, Condition::NoRoomForBody, StringId::default(), handle),
    }
}

/// Removes an object's body, if it has one.
pub fn disembody(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>) {
    let parts = &cycle.rules.parts;
    if let Some(body) = parts.body_of(world, handle) {
        joints::release(cycle, world, body);
        report_separation(cycle, world, body);
        parts.physics.remove(world, body);
    }
    if let Some(mut place) = parts.bodies.get_mut(world, u32::from(handle.slot()))
        && !place.is_none()
    {
        *place = Handle::NONE;
    }
    set_large(cycle, world, handle, false);
}

/// Adds an object to the list of large objects, or removes it.
fn set_large(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, is_large: bool) {
    let list = cycle.rules.parts.large;
    let large = list.get(world);
    match (large.iter().position(|other| *other == handle), large.last().copied()) {
        (None, _) if is_large => {
            list.push(world, handle);
        }
        (Some(index), Some(last)) if !is_large => {
            let count = large.len() as u32;
            if let Some(mut place) = list.get_mut(world, index as u32) {
                *place = last;
            }
            list.truncate(world, count - 1);
        }
        _ => {}
    }
}

/// The velocity that an object's variables state; zero if they state none.
pub fn stated_velocity(cycle: &Cycle<'_>, world: &World, handle: Handle<Object>) -> Vec3 {
    let values = cycle.rules.parts.objects.values(world, handle);
    values.get(VELOCITY).map_or(Vec3::ZERO, |value| vector_of(*value, Vec3::ZERO))
}

/// Zeroes the velocities and forces of a fixed body.
pub fn halt_fixed(body: &mut Body) {
    if body.is(flag::STATIC) {
        (body.velocity, body.angular_velocity, body.force, body.torque) =
            (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
    }
}

/// Sends `Separate` and `Leave` for all contacts of a body that is about to be removed.
fn report_separation(cycle: &Cycle<'_>, world: &mut World, body: Handle<Body>) {
    let parts = &cycle.rules.parts;
    let (physics, bodies) = (&parts.physics, parts.physics.parts.bodies);
    let Some(owner) = parts.owner_of(world, body) else { return };
    let is_trigger = |world: &World, body: Handle<Body>| bodies.get(world, body).is(flag::TRIGGER);
    let mut from = 0;
    while let Some((other, next)) = physics.touching(world, body, from) {
        from = next;
        let is_left = is_trigger(world, other) || is_trigger(world, body);
        let event =
            ContactEvent::of(body, other, if is_left { ContactEventKind::Left } else { ContactEventKind::Ended });
        let to = parts.owner_of(world, other);
        // An object that is being destroyed in this cycle gets no more messages.
        let to = to.filter(|to| !parts.objects.get(world, *to).is(Stage::Ending));
        if let Some(to) = to {
            send_contact_message(cycle, world, &event, (to, is_trigger(world, other)), owner, Vec3::ZERO);
        }
    }
}

/// Sends one object the message of a contact event. The normal points from it to the other.
pub fn send_contact_message(
    cycle: &Cycle<'_>,
    world: &mut World,
    event: &ContactEvent,
    (to, is_trigger): (Handle<Object>, bool),
    other: Handle<Object>,
    normal: Vec3,
) {
    let parts = &cycle.rules.parts;
    let prototype = cycle.prototypes.get(parts.objects.get(world, to).mind.program);
    let Some(wants) = prototype.map(|prototype| prototype.wants) else { return };
    let arguments = [
        value_of(other),
        Value::number(f64::from(event.speed)),
        Value::number(f64::from(event.impulse)),
        Value::vector(event.point),
        Value::vector(normal),
    ];
    let is = |kind: ContactEventKind| event.is(kind);
    let message = if is(ContactEventKind::Entered) && wants.enter && is_trigger {
        Message::new(ENTER, value_of(other)).with_atoms(&[value_of(other), Value::NOTHING])
    } else if is(ContactEventKind::Left) && wants.leave && is_trigger {
        Message::new(LEAVE, value_of(other)).with_atoms(&[value_of(other), Value::NOTHING])
    } else if (is(ContactEventKind::Began) || is(ContactEventKind::Hit)) && wants.collide {
        Message::new(COLLIDE, value_of(other)).with_atoms(&arguments)
    } else if is(ContactEventKind::Ended) && wants.separate {
        Message::new(SEPARATE, value_of(other)).with_atoms(&[value_of(other)])
    } else {
        return;
    };
    if let Ok(message) = message {
        parts.messages.queue_from(world, parts.objects.address(to), parts.objects.address(other), &message);
    }
}
