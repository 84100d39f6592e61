//! Fields: what pulls at bodies besides the level's gravity, and where it is by now.
//!
//! Laws
//! 1. The fields in force are worked out anew before every step, from the level and from where objects are then: the level's first, in
//!    the order of its list, then those of objects, by slot. Who is first changes only how sums are rounded, and who is left out.
//! 2. A field goes where its object goes, with or without a body, and turns with it; what bodies move in is carried along.
//! 3. There are as many as physics has room for. The rest is left out, and counted.

use base::Vec3;
use physics::limits::PULLS_MAX;
use physics::{Pull, flag};
use state::World;

use crate::condition::Condition;
use crate::rules::Cycle;
use crate::telling::count;

/// Tells physics which fields are in force.
pub(super) fn set(cycle: &Cycle<'_>, world: &mut World) {
    let (parts, level) = (&cycle.rules.parts, &cycle.rules.level);
    let mut fields = [Pull::NONE; PULLS_MAX];
    let mut found = 0;
    for field in &level.fields {
        if let Some(place) = fields.get_mut(found) {
            *place = *field;
        }
        found += 1;
    }
    if cycle.moulds.has_fields() {
        for slot in 0..parts.objects.capacity() {
            let Some(field) = of_object(cycle, world, slot as u16) else { continue };
            if let Some(place) = fields.get_mut(found) {
                *place = field;
            }
            found += 1;
        }
    }
    let kept = found.min(PULLS_MAX);
    parts.physics.set_pulls(world, &level.physics, &fields[..kept]);
    count(cycle, world, Condition::FieldsLeftOut, (found - kept) as u32);
}

/// The field of whoever is in a slot, where it is now.
fn of_object(cycle: &Cycle<'_>, world: &World, slot: u16) -> Option<Pull> {
    let parts = &cycle.rules.parts;
    let (handle, object) = parts.objects.get_absolute(world, slot)?;
    let field = cycle.moulds.get(object.mind.program)?.field?;
    let velocity = match parts.body_of(world, handle) {
        Some(body) => {
            let body = parts.physics.parts.bodies.get(world, body);
            if body.is(flag::FIXED) { Vec3::ZERO } else { body.velocity }
        }
        None if object.parent.is_none() => object.velocity,
        None => Vec3::ZERO,
    };
    Some(Pull {
        centre: object.position + object.orientation.rotate(field.centre),
        velocity,
        vector: object.orientation.rotate(field.vector),
        flow: velocity + object.orientation.rotate(field.flow),
        turn: object.orientation,
        owner: handle.raw(),
        ..field
    })
}
