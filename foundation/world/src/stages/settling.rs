//! Settling: friction curves bring dropped things to rest.
//!
//! A designer's curve says how much friction acts on a body besides that of its surfaces, from the moment it came to a gentle slope; after
//! its last point the friction stays. Steep slopes are left at full speed. So a grenade rolls down a hill as fast as it should, and does not
//! creep for a minute at its foot.
//!
//! Laws
//! 1. The friction is Coulomb's: it opposes the motion relative to the ground, at most by the coefficient times the normal acceleration, and
//!    never reverses it. Rolling and spinning lose the same share as sliding. Nothing holds a body more firmly than its curve says.
//! 2. On a slope steeper than the tag says nothing acts, and the time begins again. It also begins again on a body that was in the air
//!    for longer than [`SETTLING_AIR_SECONDS`], that slept, or that something drove.
//! 3. Something drove a body if it is faster relative to its ground than it was, by more than gravity explains: the speed is that of its
//!    kinetic energy, which friction, rolling and tumbling do not raise. A change below the speed of sleep does not count.
//! 4. The ground is the contact whose normal is nearest to up, the opposite of the acceleration by gravity and force fields.
//! 5. The cost is that of the bodies in use, and a comparison for each contact while a body with a curve is awake.

use base::number::{max, min, sqrt};
use base::{Handle, Vec3};
use physics::{Body, Contact};
use state::World;

use crate::limits::SETTLING_AIR_SECONDS;
use crate::parts::SettlingState;
use crate::prototype::Settling;
use crate::rules::Cycle;

#[cfg(test)]
mod tests;

/// What a cycle looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SettlingVisit {
    /// A slot of bodies.
    Slot,
    /// The prototype of a body's owner.
    Prototype,
    /// A contact.
    Contact,
    /// The ground of a body with a curve.
    Ground,
}

/// Applies the friction curves to all bodies that have one, before the step.
pub(super) fn apply(cycle: &Cycle<'_>, world: &mut World) {
    apply_seen(cycle, world, &mut |_| {});
}

/// The same; `seen` is called for each visit.
fn apply_seen(cycle: &Cycle<'_>, world: &mut World, seen: &mut impl FnMut(SettlingVisit)) {
    if !cycle.prototypes.has_settling() || !begin(cycle, world, seen) {
        return;
    }
    find_grounds(cycle, world, seen);
    let (bodies, states) = (cycle.rules.parts.physics.parts.bodies, cycle.rules.parts.settling);
    for slot in 0..bodies.slots_end(world) {
        seen(SettlingVisit::Slot);
        let Some(state) = states.get(world).get(slot as usize).copied() else { break };
        let Some(body) = bodies.find_raw(world, state.body).map(|(_, body)| *body) else { continue };
        seen(SettlingVisit::Prototype);
        let Some(settling) = settling_of(cycle, world, &body) else { continue };
        let next = act(cycle, world, (&body, settling), &state);
        put(cycle, world, slot, next);
    }
}

/// Marks the awake bodies that have a friction curve, and forgets their grounds; whether there are any. Bodies that sleep are not looked
/// up: they begin anew when they wake.
fn begin(cycle: &Cycle<'_>, world: &mut World, seen: &mut impl FnMut(SettlingVisit)) -> bool {
    let (bodies, states) = (cycle.rules.parts.physics.parts.bodies, cycle.rules.parts.settling);
    let mut is_any = false;
    for slot in 0..bodies.slots_end(world) {
        seen(SettlingVisit::Slot);
        // A loaded block may have too few.
        let Some(before) = states.get(world).get(slot as usize).copied() else { break };
        let body = bodies.at_slot(world, slot as u16).filter(|(_, body)| body.is_dynamic() && body.is_simulated());
        let body = body.filter(|(_, body)| {
            seen(SettlingVisit::Prototype);
            settling_of(cycle, world, body).is_some()
        });
        let next = match body {
            // Another body in the slot begins anew.
            Some((body, _)) if body.raw() == before.body => SettlingState { contact: 0, ..before },
            Some((body, _)) => SettlingState { body: body.raw(), ..SettlingState::default() },
            None => SettlingState::default(),
        };
        is_any |= next.body != 0;
        put(cycle, world, slot, next);
    }
    is_any
}

fn put(cycle: &Cycle<'_>, world: &mut World, slot: u32, next: SettlingState) {
    let states = cycle.rules.parts.settling;
    if states.get(world).get(slot as usize).is_some_and(|before| *before != next)
        && let Some(mut place) = states.get_mut(world, slot)
    {
        *place = next;
    }
}

/// The friction curve of a body, if its tag has one.
fn settling_of<'a>(cycle: &Cycle<'a>, world: &World, body: &Body) -> Option<&'a Settling> {
    let (_, object) = cycle.rules.parts.objects.find_raw(world, body.owner)?;
    cycle.prototypes.get(object.mind.program)?.settling.as_ref()
}

/// Finds the ground of every body that has a friction curve.
fn find_grounds(cycle: &Cycle<'_>, world: &mut World, seen: &mut impl FnMut(SettlingVisit)) {
    let (contacts, states) = (cycle.rules.parts.physics.parts.contacts, cycle.rules.parts.settling);
    for index in 0..contacts.count(world) {
        seen(SettlingVisit::Contact);
        let contact = &contacts.get(world)[index as usize];
        if !contact.is_touching() || contact.count() == 0 {
            continue;
        }
        for slot in [contact.first, contact.second] {
            if states.get(world).get(usize::from(slot)).is_some_and(|state| state.body != 0) {
                seen(SettlingVisit::Ground);
                offer_ground(cycle, world, slot, index);
            }
        }
    }
}

/// Takes a contact as that with the ground of a body, if its normal is nearer to up than that of the last one.
fn offer_ground(cycle: &Cycle<'_>, world: &mut World, slot: u16, index: u32) {
    let (bodies, states) = (cycle.rules.parts.physics.parts.bodies, cycle.rules.parts.settling);
    let state = states.get(world)[usize::from(slot)];
    let Some((_, body)) = bodies.find_raw(world, state.body) else { return };
    let up = -body.external_acceleration;
    let height = |contact: u32| ground_of(cycle, world, slot, contact).map_or(0.0, |(normal, _)| normal.dot(up));
    if height(index + 1) > max(height(state.contact), 0.0) {
        put(cycle, world, u32::from(slot), SettlingState { contact: index + 1, ..state });
    }
}

/// The normal of a body's ground, away from it, and the body that is its ground; none without a contact.
fn ground_of<'a>(cycle: &Cycle<'_>, world: &'a World, slot: u16, contact: u32) -> Option<(Vec3, Option<&'a Body>)> {
    let parts = &cycle.rules.parts.physics.parts;
    let Contact { first, second, normal, .. } = *parts.contacts.get(world).get(contact.checked_sub(1)? as usize)?;
    let (other, normal) = if first == slot { (second, -normal) } else { (first, normal) };
    let is_slot = u32::from(other) < parts.bodies.capacity();
    Some((normal, is_slot.then(|| parts.bodies.at_slot(world, other)).flatten().map(|(_, body)| body)))
}

/// Applies the friction to one body; returns its next state.
fn act(
    cycle: &Cycle<'_>,
    world: &mut World,
    (body, settling): (&Body, &Settling),
    state: &SettlingState,
) -> SettlingState {
    let (pull, step) = (body.external_acceleration, cycle.seconds());
    let handle: Handle<Body> = Handle::from_raw(state.body);
    // What gravity may add to the speed by the next step.
    let gain = pull.length() * step;
    let Some((ground, under)) = ground_of(cycle, world, handle.slot(), state.contact) else {
        let air_seconds = min(state.air_seconds + step, 2.0 * SETTLING_AIR_SECONDS);
        let seconds = if air_seconds > SETTLING_AIR_SECONDS { 0.0 } else { state.seconds };
        return SettlingState { seconds, air_seconds, speed: state.speed + gain, ..*state };
    };
    let carried = under.map_or(Vec3::ZERO, |other| other.velocity_at(body.world_center_of_mass()));
    let speed = speed_of(body, carried);
    let normal_pull = -pull.dot(ground);
    if normal_pull < settling.slope_cosine * pull.length() {
        return SettlingState { seconds: 0.0, air_seconds: 0.0, speed: speed + gain, ..*state };
    }
    let is_driven = speed > state.speed + cycle.rules.level.physics.sleep_speed;
    let seconds = if is_driven { 0.0 } else { state.seconds };
    let friction = settling.friction(seconds);
    let along = |vector: Vec3| vector - ground * vector.dot(ground);
    let (slide, spin) = (along(body.velocity - carried), body.angular_velocity);
    // What stops the body within the step, against what acts on it.
    let wanted = -(slide / step + along(pull + body.force * body.inverse_mass));
    let share = min(friction * normal_pull / max(wanted.length(), f32::MIN_POSITIVE), 1.0);
    // The share of its spin that it loses: a body that spins on the spot slides at its rim.
    let rim = max(slide.length(), spin.length() * body.bounding_radius);
    let lost = min(friction * normal_pull * step / max(rim, f32::MIN_POSITIVE), 1.0);
    let mut place = cycle.rules.parts.physics.parts.bodies.get_mut(world, handle);
    let force = wanted * (share / body.inverse_mass);
    place.force += force;
    place.angular_velocity = spin * (1.0 - lost);
    let slowest = if seconds == 0.0 { speed } else { min(speed, state.speed) };
    SettlingState { seconds: seconds + step, air_seconds: 0.0, speed: slowest + gain, ..*state }
}

/// The speed at which a body would have its kinetic energy without turning, relative to a velocity.
fn speed_of(body: &Body, carried: Vec3) -> f32 {
    let turn = (body.rotation * body.principal_axes).rotate_back(body.angular_velocity);
    let moment = |inverse: f32| if inverse > 0.0 { body.inverse_mass / inverse } else { 0.0 };
    let Vec3 { x, y, z } = body.inverse_inertia;
    let turning = turn.x * turn.x * moment(x) + turn.y * turn.y * moment(y) + turn.z * turn.z * moment(z);
    sqrt((body.velocity - carried).length_squared() + turning)
}
