//! Settling: friction curves bring dropped things to rest.
//!
//! A designer's curve says how much friction acts on a body besides that of its surfaces, from the moment it came to a gentle slope; after its
//! last point the body stands still. Steep slopes are left at full speed. So a grenade rolls down a hill as fast as it should, and does not
//! creep for a minute at its foot.
//!
//! Laws
//! 1. The friction is Coulomb's: it opposes the motion relative to the ground, at most by the coefficient times the normal acceleration, and
//!    never reverses it. Rolling and spinning lose the same share as sliding.
//! 2. On a slope steeper than the tag says nothing acts, and the time begins again. In the air the time stands still. Asleep it is zero.
//! 3. The ground is the contact whose normal is nearest to up, the opposite of the acceleration by gravity and force fields.

use base::number::{max, min};
use base::{Handle, Vec3};
use physics::{Body, Contact};
use state::World;

use crate::parts::SettlingState;
use crate::prototype::Settling;
use crate::rules::Cycle;

/// Applies the friction curves to all bodies that have one, before the step.
pub(super) fn apply(cycle: &Cycle<'_>, world: &mut World) {
    if !cycle.prototypes.has_settling() {
        return;
    }
    find_grounds(cycle, world);
    let (bodies, states) = (cycle.rules.parts.physics.parts.bodies, cycle.rules.parts.settling);
    for slot in 0..bodies.capacity() {
        let Some((handle, settling)) = settling_of(cycle, world, slot as u16) else { continue };
        let state = states.get(world)[slot as usize];
        let body = *bodies.get(world, handle);
        let next = SettlingState { seconds: act(cycle, world, (&body, settling), &state, handle), ..state };
        if next != state
            && let Some(mut place) = states.get_mut(world, slot)
        {
            *place = next;
        }
    }
}

/// The friction curve of the body in a slot, if it has one and can move.
fn settling_of<'a>(cycle: &Cycle<'a>, world: &World, slot: u16) -> Option<(Handle<Body>, &'a Settling)> {
    let parts = &cycle.rules.parts;
    let (handle, body) = parts.physics.parts.bodies.at_slot(world, slot)?;
    let (_, object) = parts.objects.find_raw(world, body.owner)?;
    let settling = cycle.prototypes.get(object.mind.program)?.settling.as_ref()?;
    body.is_dynamic().then_some((handle, settling))
}

/// Finds the ground of every body that has a friction curve.
fn find_grounds(cycle: &Cycle<'_>, world: &mut World) {
    let parts = &cycle.rules.parts;
    let states = parts.settling;
    for slot in 0..parts.physics.parts.bodies.capacity() {
        if settling_of(cycle, world, slot as u16).is_none() {
            continue;
        }
        if let Some(state) = states.get(world).get(slot as usize)
            && state.ground != Vec3::ZERO
            && let Some(mut place) = states.get_mut(world, slot)
        {
            (place.ground, place.other) = (Vec3::ZERO, 0);
        }
    }
    for index in 0..parts.physics.parts.contacts.count(world) {
        let contact = parts.physics.parts.contacts.get(world)[index as usize];
        if !contact.is_touching() || contact.count() == 0 {
            continue;
        }
        let Contact { first, second, normal, .. } = contact;
        offer_ground(cycle, world, (first, second), -normal);
        offer_ground(cycle, world, (second, first), normal);
    }
}

/// Takes a contact as the ground of a body, if its normal is nearer to up than that of the last one.
fn offer_ground(cycle: &Cycle<'_>, world: &mut World, (slot, other): (u16, u16), normal: Vec3) {
    let Some((handle, _)) = settling_of(cycle, world, slot) else { return };
    let (bodies, states) = (cycle.rules.parts.physics.parts.bodies, cycle.rules.parts.settling);
    let up = -bodies.get(world, handle).external_acceleration;
    let Some(state) = states.get(world).get(usize::from(slot)) else { return };
    if normal.dot(up) > max(state.ground.dot(up), 0.0)
        && let Some(mut place) = states.get_mut(world, u32::from(slot))
    {
        (place.ground, place.other) = (normal, u32::from(other));
    }
}

/// Applies the friction to one body; returns its time on gentle slopes.
fn act(
    cycle: &Cycle<'_>,
    world: &mut World,
    (body, settling): (&Body, &Settling),
    state: &SettlingState,
    handle: Handle<Body>,
) -> f32 {
    let (pull, ground, step) = (body.external_acceleration, state.ground, cycle.seconds());
    if !body.is_simulated() {
        return 0.0;
    }
    if ground == Vec3::ZERO || pull == Vec3::ZERO {
        return state.seconds;
    }
    let normal_pull = -pull.dot(ground);
    if normal_pull < settling.slope_cosine * pull.length() {
        return 0.0;
    }
    let bodies = cycle.rules.parts.physics.parts.bodies;
    let under = bodies.at_slot(world, state.other as u16).map(|(_, other)| *other);
    let carried = under.map_or(Vec3::ZERO, |other| other.velocity_at(body.world_center_of_mass()));
    let along = |vector: Vec3| vector - ground * vector.dot(ground);
    let (slide, spin) = (along(body.velocity - carried), body.angular_velocity);
    // What stops the body within the step.
    let wanted = -(slide / step + along(pull));
    let share = match settling.friction(state.seconds) {
        None => 1.0,
        Some(friction) => min(friction * normal_pull / max(wanted.length(), f32::MIN_POSITIVE), 1.0),
    };
    // The share of its motion that it loses: a body that spins on the spot slides at its rim.
    let speed = max(slide.length(), spin.length() * body.bounding_radius);
    let lost = match settling.friction(state.seconds) {
        None => 1.0,
        Some(friction) => min(friction * normal_pull * step / max(speed, f32::MIN_POSITIVE), 1.0),
    };
    let mut body = bodies.get_mut(world, handle);
    let force = wanted * (share / body.inverse_mass);
    body.force += force;
    body.angular_velocity = spin * (1.0 - lost);
    state.seconds + step
}
