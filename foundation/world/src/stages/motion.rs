//! Motion: bodies move, meet and part; their objects go along.
//!
//! | | |
//! |---|---|
//! | follow | a body is put where its object says it is, with the velocity it says it has, if that is not what physics last said |
//! | push | forces, blows and changed properties |
//! | join | joints are made, changed and taken away |
//! | fields | what pulls, and where it is by now |
//! | step | physics |
//! | lead | objects are where their bodies are, and what is attached to them with them |
//! | tell | who met whom, and which joint broke, becomes messages |
//!
//! Laws
//! 1. After every cycle an object with a body says of itself what its body does: position, velocity, facing. Whatever it says
//!    otherwise in the next cycle is its own wish, and the body follows.
//! 2. An object that is attached to another has no body of its own until it is let go.
//! 3. Whoever is told that something came to it is told that it went, though it was destroyed, attached or moved elsewhere.
//! 4. What is fixed has no velocity, whatever it says, and feels no push: it begins from rest when it is let go.

use base::{Handle, StringId, Vec3};
use physics::{Body, Touch, TouchKind, flag};
use script::message::Message;
use script::value::Value;
use state::{Stroke, Workers, World};

use crate::condition::Condition;
use crate::level::{ENTER, LEAVE};
use crate::limits::FAR;
use crate::links;
use crate::mould::Moulds;
use crate::object::{Object, POSITION, Stage, VELOCITY, set, value_of, vector_of};
use crate::parts::{Push, PushKind};
use crate::rules::{Cycle, LEVEL};
use crate::stages::{fields, joints};
use crate::telling::{count, tell};

const COLLIDE: StringId = StringId::new("Collide");
const SEPARATE: StringId = StringId::new("Separate");

pub(super) fn paint(cycle: &Cycle<'_>, world: &mut World, workers: &dyn Workers) {
    let parts = &cycle.rules.parts;
    let bodies = parts.physics.parts.bodies;
    if bodies.count(world) > 0 {
        follow(cycle, world);
    }
    parts.pushes.paint(world, |world, stroke| push(cycle, world, &stroke));
    joints::paint(cycle, world);
    if bodies.count(world) == 0 {
        return;
    }
    fields::set(cycle, world);
    let before = *parts.physics.parts.counts.get(world);
    parts.physics.step(world, cycle.moulds.shapes(), &cycle.rules.level.physics, workers);
    lead(cycle, world);
    tell_touches(cycle, world);
    let after = *parts.physics.parts.counts.get(world);
    let refused = after.contacts_refused - before.contacts_refused + (after.pairs_refused - before.pairs_refused);
    count(cycle, world, Condition::ContactsLeftOut, u32::try_from(refused).unwrap_or(u32::MAX));
    let untold = after.touches_refused - before.touches_refused;
    count(cycle, world, Condition::NoRoomForTouch, u32::try_from(untold).unwrap_or(u32::MAX));
}

/// Gives a new object its body, if its tag describes one.
pub(crate) fn embody(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>) {
    embody_from(cycle, cycle.moulds, world, handle);
}

/// An object's tag has changed, or only its number: its body is as the tag says now, where it is and as it moves.
pub(crate) fn renew(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>) {
    let parts = &cycle.rules.parts;
    let mould = cycle.rules.moulds.get(parts.objects.get(world, handle).mind.program);
    match (parts.body_of(world, handle), mould.and_then(|mould| mould.body)) {
        (Some(body), Some(template)) => {
            let mut body = parts.physics.parts.bodies.edit(world, body);
            let Body { position, orientation, velocity, spin, last_position, last_orientation, owner, felt, .. } =
                *body;
            let state = body.flags & (flag::ASLEEP | flag::QUARANTINED);
            let next = Body {
                position,
                orientation,
                velocity,
                spin,
                last_position,
                last_orientation,
                owner,
                felt,
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
            set_large(cycle, world, handle, mould.is_some_and(|mould| mould.is_large));
        }
        (Some(_), None) => disembody(cycle, world, handle),
        (None, Some(_)) => embody_from(cycle, &cycle.rules.moulds, world, handle),
        (None, None) => {}
    }
}

fn embody_from(cycle: &Cycle<'_>, moulds: &Moulds, world: &mut World, handle: Handle<Object>) {
    let parts = &cycle.rules.parts;
    let object = *parts.objects.get(world, handle);
    if handle == LEVEL || !object.parent.is_none() || parts.body_of(world, handle).is_some() {
        return;
    }
    let Some(mould) = moulds.get(object.mind.program) else { return };
    let Some(template) = mould.body else {
        if mould.has_no_shape {
            tell(cycle, world, Condition::NoRoomForBody, StringId::default(), handle);
        }
        return;
    };
    let velocity = said_velocity(cycle, world, handle);
    let mut body = Body {
        position: object.position,
        last_position: object.position,
        orientation: object.orientation,
        last_orientation: object.orientation,
        velocity,
        owner: handle.raw(),
        ..template
    };
    halt_fixed(&mut body);
    match parts.physics.add(world, body) {
        Some(body) => {
            if let Some(mut place) = parts.bodies.edit(world, u32::from(handle.slot())) {
                *place = body;
            }
            set_large(cycle, world, handle, mould.is_large);
        }
        None => tell(cycle, world, Condition::NoRoomForBody, StringId::default(), handle),
    }
}

/// Takes an object's body away, if it has one.
pub(crate) fn disembody(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>) {
    let parts = &cycle.rules.parts;
    if let Some(body) = parts.body_of(world, handle) {
        joints::release(cycle, world, body);
        tell_parting(cycle, world, body);
        parts.physics.remove(world, body);
    }
    if let Some(mut place) = parts.bodies.edit(world, u32::from(handle.slot()))
        && !place.is_none()
    {
        *place = Handle::NONE;
    }
    set_large(cycle, world, handle, false);
}

/// An object is among those that every ray looks at, or not.
fn set_large(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, is_large: bool) {
    let list = cycle.rules.parts.large;
    let large = list.get(world);
    match (large.iter().position(|other| *other == handle), large.last().copied()) {
        (None, _) if is_large => {
            list.push(world, handle);
        }
        (Some(index), Some(last)) if !is_large => {
            let count = large.len() as u32;
            if let Some(mut place) = list.edit(world, index as u32) {
                *place = last;
            }
            list.truncate(world, count - 1);
        }
        _ => {}
    }
}

/// A body is where its object says, as fast as it says, if it says something else than physics did.
fn follow(cycle: &Cycle<'_>, world: &mut World) {
    let parts = &cycle.rules.parts;
    let bodies = parts.physics.parts.bodies;
    for slot in 0..bodies.capacity() {
        let Some((handle, body)) = bodies.get_absolute(world, slot as u16) else { continue };
        let body = *body;
        let Some((owner, object)) = parts.objects.get_untrusted(world, body.owner) else {
            // A block from outside may hold a body of nobody.
            joints::release(cycle, world, handle);
            parts.physics.remove(world, handle);
            continue;
        };
        let object = *object;
        let velocity = if body.is(flag::FIXED) { Vec3::ZERO } else { said_velocity(cycle, world, owner) };
        let position = said_position(cycle, world, owner);
        let is_moved = position != body.position || object.orientation != body.orientation;
        if is_moved {
            parts.physics.wake_around(world, handle);
        }
        if is_moved || velocity != body.velocity {
            let mut body = bodies.edit(world, handle);
            if is_moved {
                (body.position, body.orientation) = (position, object.orientation);
                body.flags &= !flag::QUARANTINED;
            }
            if velocity != body.velocity {
                body.velocity = velocity;
            }
            body.wake();
        }
    }
}

/// Where an object says that it is: where it was put in this cycle, after it has settled, counts too.
fn said_position(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>) -> Vec3 {
    let objects = cycle.rules.parts.objects;
    let last = objects.get(world, handle).position;
    let said = objects.values(world, handle).get(POSITION).map_or(last, |value| vector_of(*value, last));
    let sound = said.clamp(Vec3::splat(-FAR), Vec3::splat(FAR)).canonical();
    if sound != said {
        tell(cycle, world, Condition::TooFar, StringId::default(), handle);
    }
    sound
}

fn said_velocity(cycle: &Cycle<'_>, world: &World, handle: Handle<Object>) -> Vec3 {
    let values = cycle.rules.parts.objects.values(world, handle);
    values.get(VELOCITY).map_or(Vec3::ZERO, |value| vector_of(*value, Vec3::ZERO))
}

fn push(cycle: &Cycle<'_>, world: &mut World, stroke: &Stroke<Push>) {
    const FORCE: u32 = PushKind::Force as u32;
    const IMPULSE: u32 = PushKind::Impulse as u32;
    const TORQUE: u32 = PushKind::Torque as u32;
    let parts = &cycle.rules.parts;
    let Some(handle) = parts.objects.handle(stroke.target) else { return };
    if parts.objects.get_untrusted(world, handle.raw()).is_none() {
        return count(cycle, world, Condition::NoSuchObject, 1);
    }
    let Push { name, vector, point, kind, has_point } = stroke.payload;
    let Some(body) = parts.body_of(world, handle) else {
        return tell(cycle, world, Condition::NoBody, name, handle);
    };
    let mut body = parts.physics.parts.bodies.edit(world, body);
    if body.is(flag::FIXED) && [FORCE, IMPULSE, TORQUE].contains(&kind) {
        return;
    }
    match (kind, has_point == 1) {
        (FORCE, false) => body.add_force(vector),
        (FORCE, true) => body.add_force_at(vector, point),
        (IMPULSE, false) => body.add_impulse(vector),
        (IMPULSE, true) => body.add_impulse_at(vector, point),
        (TORQUE, _) => body.add_torque(vector),
        _ => {
            if !change(&mut body, name, vector.x) {
                drop(body);
                tell(cycle, world, Condition::NoSuchEffect, name, handle);
            }
        }
    }
}

/// Changes a property of a body. False if there is no such property.
fn change(body: &mut Body, name: StringId, value: f32) -> bool {
    const FRICTION: StringId = StringId::new("friction");
    const RESTITUTION: StringId = StringId::new("restitution");
    const ROLLING: StringId = StringId::new("rolling");
    const DAMPING: StringId = StringId::new("damping");
    const SPIN_DAMPING: StringId = StringId::new("spin_damping");
    const GRAVITY: StringId = StringId::new("gravity");
    const FIXED: StringId = StringId::new("fixed");
    const TRIGGER: StringId = StringId::new("trigger");
    const UPRIGHT: StringId = StringId::new("upright");
    let some = |least: f32, most: f32| base::number::clamp(value, least, most);
    let mut set = |bit: u32| body.flags = if value != 0.0 { body.flags | bit } else { body.flags & !bit };
    match name {
        FRICTION => body.friction = some(0.0, 10.0),
        RESTITUTION => body.restitution = some(0.0, 1.0),
        ROLLING => body.rolling = some(0.0, 100.0),
        DAMPING => body.damping = some(0.0, 1000.0),
        SPIN_DAMPING => body.spin_damping = some(0.0, 1000.0),
        GRAVITY => body.gravity = some(-100.0, 100.0),
        FIXED => set(flag::FIXED),
        TRIGGER => set(flag::TRIGGER),
        UPRIGHT => set(flag::UPRIGHT),
        _ => return false,
    }
    halt_fixed(body);
    body.wake();
    true
}

/// What is fixed is at rest, and nothing pulls at it.
fn halt_fixed(body: &mut Body) {
    if body.is(flag::FIXED) {
        (body.velocity, body.spin, body.force, body.torque) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
    }
}

/// Objects are where their bodies are.
fn lead(cycle: &Cycle<'_>, world: &mut World) {
    let parts = &cycle.rules.parts;
    let bodies = parts.physics.parts.bodies;
    for slot in 0..bodies.capacity() {
        let Some((_, body)) = bodies.get_absolute(world, slot as u16) else { continue };
        let body = *body;
        let Some((handle, object)) = parts.objects.get_untrusted(world, body.owner) else { continue };
        let before = *object;
        let velocity = Value::vector(body.velocity);
        let is_same = before.position == body.position
            && before.orientation == body.orientation
            && parts.objects.values(world, handle).get(VELOCITY) == Some(&velocity);
        if is_same {
            continue;
        }
        parts.objects.edit_both(world, handle, |object, values| {
            links::put(object, values, body.position, body.orientation);
            // As physics has it, to the last bit: otherwise it would look as if the object wished for something else.
            (object.position, object.orientation) = (body.position, body.orientation);
            set(values, POSITION, Value::vector(body.position));
            object.velocity = body.velocity;
            set(values, VELOCITY, velocity);
            object.agree(values);
        });
        let space = cycle.rules.space;
        if !space.is_same_cell(before.position, body.position) {
            space.settle(world, handle);
        }
        if !before.first_child.is_none() {
            links::follow(cycle, world, handle);
        }
        if before.position != body.position {
            links::cross_zones(cycle, world, handle, (before.position, body.position));
        }
    }
}

/// Who met whom is told to those who want to know.
fn tell_touches(cycle: &Cycle<'_>, world: &mut World) {
    let parts = &cycle.rules.parts;
    for index in 0..parts.physics.parts.touches.count(world) {
        let touch = parts.physics.parts.touches.get(world)[index as usize];
        if touch.is(TouchKind::Broke) {
            joints::tell_broken(cycle, world, &touch);
            continue;
        }
        let owner = |body: Handle<Body>| {
            let (_, body) = parts.physics.parts.bodies.get_untrusted(world, body.raw())?;
            Some((parts.objects.get_untrusted(world, body.owner)?.0, body.is(flag::TRIGGER)))
        };
        let (first, second) = (owner(touch.first), owner(touch.second));
        if touch.is(TouchKind::Quarantined) {
            if let Some((object, _)) = first {
                tell(cycle, world, Condition::BodyQuarantined, StringId::default(), object);
            }
            continue;
        }
        let (Some((first, is_first)), Some((second, is_second))) = (first, second) else { continue };
        tell_one(cycle, world, &touch, (first, is_first), second, touch.normal);
        tell_one(cycle, world, &touch, (second, is_second), first, -touch.normal);
    }
}

/// Tells those who touch a body that is about to go, or have it in them, that they no longer do.
fn tell_parting(cycle: &Cycle<'_>, world: &mut World, body: Handle<Body>) {
    let parts = &cycle.rules.parts;
    let (physics, bodies) = (&parts.physics, parts.physics.parts.bodies);
    let Some(who) = parts.owner_of(world, body) else { return };
    let is_trigger = |world: &World, body: Handle<Body>| bodies.get(world, body).is(flag::TRIGGER);
    let mut from = 0;
    while let Some((other, next)) = physics.touching(world, body, from) {
        from = next;
        let is_left = is_trigger(world, other) || is_trigger(world, body);
        let touch = Touch::of(body, other, if is_left { TouchKind::Left } else { TouchKind::Ended });
        let to = parts.owner_of(world, other);
        // Whoever goes in the same cycle has had its last word.
        let to = to.filter(|to| !parts.objects.get(world, *to).is(Stage::Ending));
        if let Some(to) = to {
            tell_one(cycle, world, &touch, (to, is_trigger(world, other)), who, Vec3::ZERO);
        }
    }
}

/// Tells one of two what happened. The normal points from it to the other.
fn tell_one(
    cycle: &Cycle<'_>,
    world: &mut World,
    touch: &Touch,
    (to, is_trigger): (Handle<Object>, bool),
    other: Handle<Object>,
    normal: Vec3,
) {
    let parts = &cycle.rules.parts;
    let mould = cycle.moulds.get(parts.objects.get(world, to).mind.program);
    let Some(wants) = mould.map(|mould| mould.wants) else { return };
    let blow = [
        value_of(other),
        Value::number(f64::from(touch.speed)),
        Value::number(f64::from(touch.impulse)),
        Value::vector(touch.point),
        Value::vector(normal),
    ];
    let is = |kind: TouchKind| touch.is(kind);
    let message = if is(TouchKind::Entered) && wants.enter && is_trigger {
        Message::new(ENTER, value_of(other)).with_atoms(&[value_of(other), Value::NOTHING])
    } else if is(TouchKind::Left) && wants.leave && is_trigger {
        Message::new(LEAVE, value_of(other)).with_atoms(&[value_of(other), Value::NOTHING])
    } else if (is(TouchKind::Began) || is(TouchKind::Struck)) && wants.collide {
        Message::new(COLLIDE, value_of(other)).with_atoms(&blow)
    } else if is(TouchKind::Ended) && wants.separate {
        Message::new(SEPARATE, value_of(other)).with_atoms(&[value_of(other)])
    } else {
        return;
    };
    if let Ok(message) = message {
        parts.messages.queue_from(world, parts.objects.address(to), parts.objects.address(other), &message);
    }
}
