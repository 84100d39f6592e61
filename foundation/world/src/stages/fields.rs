//! Force fields: those of the level and of objects are gathered for the step.
//!
//! Laws
//! 1. The fields in force are computed anew before every step, from the level and the current poses of objects: first
//!    those of the level, in the order of its list, then those of objects, by slot. The order affects only rounding and
//!    which fields exceed the capacity.
//! 2. A field moves and rotates with its object, with or without a body; its medium is carried along.
//! 3. Fields beyond the capacity of physics are left out and warned of.

use base::Vec3;
use physics::limits::FORCE_FIELDS_MAX;
use physics::{ForceField, flag};
use state::World;

use crate::condition::Condition;
use crate::rules::Cycle;
use crate::warnings::count;

/// Hands the force fields to physics.
pub(super) fn set(cycle: &Cycle<'_>, world: &mut World) {
    let (parts, level) = (&cycle.rules.parts, &cycle.rules.level);
    let mut fields = [ForceField::NONE; FORCE_FIELDS_MAX];
    let mut found = 0;
    for field in &level.fields {
        if let Some(place) = fields.get_mut(found) {
            *place = *field;
        }
        found += 1;
    }
    if cycle.prototypes.has_fields() {
        for slot in 0..parts.objects.slots_end(world) {
            let Some(field) = of_object(cycle, world, slot as u16) else { continue };
            if let Some(place) = fields.get_mut(found) {
                *place = field;
            }
            found += 1;
        }
    }
    let kept = found.min(FORCE_FIELDS_MAX);
    parts.physics.set_force_fields(world, &level.physics, &fields[..kept]);
    count(cycle, world, Condition::FieldsLeftOut, (found - kept) as u32);
}

/// The force field of the object in a slot, in its current pose.
fn of_object(cycle: &Cycle<'_>, world: &World, slot: u16) -> Option<ForceField> {
    let parts = &cycle.rules.parts;
    let (handle, object) = parts.objects.at_slot(world, slot)?;
    let field = cycle.prototypes.get(object.mind.program)?.field?;
    let velocity = match parts.body_of(world, handle) {
        Some(body) => {
            let body = parts.physics.parts.bodies.get(world, body);
            if body.is(flag::STATIC) { Vec3::ZERO } else { body.velocity }
        }
        None if object.parent.is_none() => object.velocity,
        None => Vec3::ZERO,
    };
    Some(ForceField {
        center: object.position + object.orientation.rotate(field.center),
        velocity,
        acceleration: object.orientation.rotate(field.acceleration),
        flow: velocity + object.orientation.rotate(field.flow),
        rotation: object.orientation,
        owner: handle.raw(),
        ..field
    })
}
