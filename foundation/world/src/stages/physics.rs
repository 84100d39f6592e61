//! Physics: effects on bodies and joints are applied, physics is stepped, and objects follow their bodies.
//!
//! | | |
//! |---|---|
//! | follow | a body takes the position and velocity that its object's variables state, if they changed since the last step |
//! | change_body | forces, impulses, torques and properties |
//! | change_joint | joints are made, changed and removed |
//! | fields | force fields are gathered |
//! | settling | friction curves act on bodies that come to rest |
//! | step | physics is stepped |
//! | lead | objects follow their bodies, with their attachments |
//! | tell | contact events and broken joints become messages |
//!
//! Laws
//! 1. After every cycle the position, velocity, orientation and spin of an object with a body are its body's. If its scripts write others, the
//!    body follows in the next cycle.
//! 2. An attached object has no body until it is detached.
//! 3. Every `Enter` and `Collide` is followed by a `Leave` or `Separate`, even if the other was destroyed, attached or moved.
//! 4. A fixed body has no velocity and ignores forces: it starts from rest when it is freed.

use base::{Handle, StringId, Vec3};
use physics::{Body, ContactEventKind, StepPhase, flag};
use script::value::Value;
use state::{Stroke, Workers, World};

use crate::condition::Condition;
use crate::effects;
use crate::embodiment::{send_contact_message, stated_velocity};
use crate::joints;
use crate::limits::FAR;
use crate::links;
use crate::object::{Object, POSITION, VELOCITY, set, vector_of};
use crate::parts::{BodyRequest, JointRequest};
use crate::pose::limited_spin;
use crate::rules::Cycle;
use crate::stages::{fields, settling};
use crate::warnings::{count, warn, warn_missing};

pub(super) fn paint(cycle: &Cycle<'_>, world: &mut World, workers: &dyn Workers, lap: &mut dyn FnMut(StepPhase)) {
    let parts = &cycle.rules.parts;
    let bodies = parts.physics.parts.bodies;
    if bodies.count(world) > 0 {
        follow(cycle, world);
    }
    parts.body_requests.paint(world, |world, stroke| change_body(cycle, world, &stroke));
    parts.joint_requests.paint(world, |world, stroke| change_joint(cycle, world, &stroke));
    if bodies.count(world) == 0 {
        return;
    }
    fields::set(cycle, world);
    settling::apply(cycle, world);
    let before = *parts.physics.parts.counts.get(world);
    parts.physics.step_in_laps(world, cycle.prototypes.shapes(), &cycle.rules.level.physics, workers, lap);
    lead(cycle, world);
    report_contacts(cycle, world);
    let after = *parts.physics.parts.counts.get(world);
    let refused = after.contacts_refused - before.contacts_refused + (after.pairs_refused - before.pairs_refused);
    count(cycle, world, Condition::ContactsLeftOut, u32::try_from(refused).unwrap_or(u32::MAX));
    let untold = after.events_refused - before.events_refused;
    count(cycle, world, Condition::NoRoomForTouch, u32::try_from(untold).unwrap_or(u32::MAX));
}

/// Applies an effect to the body of its target.
fn change_body(cycle: &Cycle<'_>, world: &mut World, stroke: &Stroke<BodyRequest>) {
    let parts = &cycle.rules.parts;
    let Some(handle) = parts.objects.handle(stroke.target) else { return };
    if parts.objects.find_raw(world, handle.raw()).is_none() {
        return warn_missing(cycle, world, stroke, stroke.payload.name);
    }
    let request = stroke.payload;
    let Some(body) = parts.body_of(world, handle) else {
        return warn(cycle, world, Condition::NoBody, request.name, handle);
    };
    let mut body = parts.physics.parts.bodies.get_mut(world, body);
    if !effects::paint_body(&mut body, &request) {
        drop(body);
        warn(cycle, world, Condition::NoSuchEffect, request.name, handle);
    }
}

/// Applies an effect to the joints between two bodies.
fn change_joint(cycle: &Cycle<'_>, world: &mut World, stroke: &Stroke<JointRequest>) {
    let request = stroke.payload;
    let asker = cycle.rules.parts.objects.handle(stroke.source).unwrap_or(Handle::NONE);
    if request.one == request.other {
        return warn(cycle, world, Condition::NoSuchEffect, request.name, asker);
    }
    let Some(first) = joints::end(cycle, world, (request.one, asker), request.name) else { return };
    let Some(second) = joints::end(cycle, world, (request.other, asker), request.name) else { return };
    effects::paint_joint(cycle, world, &request, [first, second], asker);
}

/// Bodies take the position and velocity that their objects' variables state, if those differ from the last step's.
fn follow(cycle: &Cycle<'_>, world: &mut World) {
    let parts = &cycle.rules.parts;
    let bodies = parts.physics.parts.bodies;
    for slot in 0..bodies.slots_end(world) {
        let Some((handle, body)) = bodies.at_slot(world, slot as u16) else { continue };
        let body = *body;
        let Some((owner, object)) = parts.objects.find_raw(world, body.owner) else {
            // A loaded block may hold a body without an object.
            joints::release(cycle, world, handle);
            parts.physics.remove(world, handle);
            continue;
        };
        let object = *object;
        let velocity = if body.is(flag::STATIC) { Vec3::ZERO } else { stated_velocity(cycle, world, owner) };
        let position = stated_position(cycle, world, owner);
        let variables = links::pose_variables(cycle, world, owner);
        let spin = variables.spin(parts.objects.values(world, owner)).map(limited_spin);
        let spin = spin.filter(|spin| *spin != body.angular_velocity && !body.is(flag::STATIC));
        let is_moved = position != body.position || object.orientation != body.rotation;
        if is_moved {
            parts.physics.wake_around(world, handle);
        }
        if is_moved || velocity != body.velocity || spin.is_some() {
            let mut body = bodies.get_mut(world, handle);
            body.angular_velocity = spin.unwrap_or(body.angular_velocity);
            if is_moved {
                (body.position, body.rotation) = (position, object.orientation);
                body.flags &= !flag::QUARANTINED;
            }
            if velocity != body.velocity {
                body.velocity = velocity;
            }
            body.wake();
        }
    }
}

/// The position that an object's variables state, within the limits of space.
fn stated_position(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>) -> Vec3 {
    let objects = cycle.rules.parts.objects;
    let last = objects.get(world, handle).position;
    let stated = objects.values(world, handle).get(POSITION).map_or(last, |value| vector_of(*value, last));
    let valid = stated.clamp(Vec3::splat(-FAR), Vec3::splat(FAR)).canonical();
    if valid != stated {
        warn(cycle, world, Condition::TooFar, StringId::default(), handle);
    }
    valid
}

/// Objects take the position, rotation and velocity of their bodies.
fn lead(cycle: &Cycle<'_>, world: &mut World) {
    let parts = &cycle.rules.parts;
    let bodies = parts.physics.parts.bodies;
    for slot in 0..bodies.slots_end(world) {
        let Some((_, body)) = bodies.at_slot(world, slot as u16) else { continue };
        let body = *body;
        let Some((handle, object)) = parts.objects.find_raw(world, body.owner) else { continue };
        let before = *object;
        let velocity = Value::vector(body.velocity);
        let variables = links::pose_variables(cycle, world, handle);
        let is_same = before.position == body.position
            && before.orientation == body.rotation
            && parts.objects.values(world, handle).get(VELOCITY) == Some(&velocity)
            && variables.has_equal_spin(parts.objects.values(world, handle), body.angular_velocity);
        if is_same {
            continue;
        }
        parts.objects.edit_both(world, handle, |object, values| {
            links::put(object, values, body.position, body.rotation);
            // Bit-equal to the body: any difference would count as a request of the object.
            (object.position, object.orientation) = (body.position, body.rotation);
            set(values, POSITION, Value::vector(body.position));
            object.velocity = body.velocity;
            set(values, VELOCITY, velocity);
            variables.write(object, values);
            variables.set_spin(values, body.angular_velocity);
            object.agree(values);
        });
        debug_assert_eq!(
            parts.objects.get(world, handle).position,
            body.position,
            "law 1 of the stage physics: an object is where its body is"
        );
        let space = cycle.rules.space;
        if !space.is_same_cell(before.position, body.position) {
            space.settle(world, handle);
        }
        if !before.first_child.is_none() {
            links::follow(cycle, world, handle);
        }
        if before.position != body.position {
            links::cross_trigger_volumes(cycle, world, handle, (before.position, body.position));
        }
    }
}

/// Contact events become messages to objects that handle them.
fn report_contacts(cycle: &Cycle<'_>, world: &mut World) {
    let parts = &cycle.rules.parts;
    for index in 0..parts.physics.parts.events.count(world) {
        let event = parts.physics.parts.events.get(world)[index as usize];
        if event.is(ContactEventKind::JointBroke) {
            joints::report_broken(cycle, world, &event);
            continue;
        }
        let owner = |body: Handle<Body>| {
            let (_, body) = parts.physics.parts.bodies.find_raw(world, body.raw())?;
            Some((parts.objects.find_raw(world, body.owner)?.0, body.is(flag::TRIGGER)))
        };
        let (first, second) = (owner(event.first), owner(event.second));
        if event.is(ContactEventKind::Quarantined) {
            if let Some((object, _)) = first {
                warn(cycle, world, Condition::BodyQuarantined, StringId::default(), object);
            }
            continue;
        }
        let (Some((first, is_first)), Some((second, is_second))) = (first, second) else { continue };
        send_contact_message(cycle, world, &event, (first, is_first), second, event.normal);
        send_contact_message(cycle, world, &event, (second, is_second), first, -event.normal);
    }
}
