//! The effects on bodies: forces, impulses, torques and changed properties.

use base::number::clamp;
use base::{StringId, Vec3};
use physics::{Body, flag};
use script::stage::Act;
use script::value::Value;

use super::{EffectContext, finite_vector};
use crate::condition::Condition;
use crate::embodiment::halt_fixed;
use crate::parts::BodyRequest;

pub(super) const FORCE: u32 = 0;
pub(super) const IMPULSE: u32 = 1;
pub(super) const TORQUE: u32 = 2;
pub(super) const PROPERTY: u32 = 3;
pub(super) const LOCAL_FORCE: u32 = 4;
pub(super) const LOCAL_IMPULSE: u32 = 5;
pub(super) const LOCAL_TORQUE: u32 = 6;

/// A property that `!Body` changes.
struct BodyProperty {
    text: &'static str,
    name: StringId,
    /// The name in older scripts.
    former_text: &'static str,
    former: StringId,
    set: fn(&mut Body, f32),
}

const fn property_row(text: &'static str, former_text: &'static str, set: fn(&mut Body, f32)) -> BodyProperty {
    BodyProperty { text, name: StringId::new(text), former_text, former: StringId::new(former_text), set }
}

/// The names of all properties, and those of older scripts behind them; empty where there is none.
pub(super) static NAMES: [&str; 2 * PROPERTIES.len()] = {
    let mut names = [""; 2 * PROPERTIES.len()];
    let mut index = 0;
    while index < PROPERTIES.len() {
        names[index] = PROPERTIES[index].text;
        names[PROPERTIES.len() + index] = PROPERTIES[index].former_text;
        index += 1;
    }
    names
};

#[rustfmt::skip]
static PROPERTIES: [BodyProperty; 9] = [
    property_row("friction", "", |body, value| body.friction = clamp(value, 0.0, 10.0)),
    property_row("restitution", "", |body, value| body.restitution = clamp(value, 0.0, 1.0)),
    property_row("rolling", "", |body, value| body.rolling_resistance = clamp(value, 0.0, 100.0)),
    property_row("damping", "", |body, value| body.linear_damping = clamp(value, 0.0, 1000.0)),
    property_row("angular_damping", "spin_damping", |body, value| body.angular_damping = clamp(value, 0.0, 1000.0)),
    property_row("gravity", "", |body, value| body.gravity_scale = clamp(value, -100.0, 100.0)),
    property_row("fixed", "", |body, value| set_flag(body, flag::STATIC, value)),
    property_row("trigger", "", |body, value| set_flag(body, flag::TRIGGER, value)),
    property_row("upright", "", |body, value| set_flag(body, flag::FIXED_ROTATION, value)),
];

fn set_flag(body: &mut Body, bit: u32, value: f32) {
    body.flags = if value != 0.0 { body.flags | bit } else { body.flags & !bit };
}

impl EffectContext<'_, '_> {
    fn change_body(&mut self, kind: u32, (object, name): (Value, StringId), vector: Value, point: Option<&Value>) {
        let Some(target) = self.target(object, name) else { return };
        let Some(vector) = finite_vector(vector) else { return self.warn(Condition::NotFinite, name) };
        let point = point.and_then(|point| finite_vector(*point));
        let has_point = u32::from(point.is_some());
        let request = BodyRequest { name, vector, point: point.unwrap_or_default(), kind, has_point };
        self.item.queue(self.cycle.rules.parts.body_requests, target, &request);
    }
}

pub(super) fn queue_force(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [object, force, rest @ ..] = act.arguments else { return false };
    context.change_body(FORCE, (*object, act.name), *force, rest.first());
    true
}

pub(super) fn force(body: &mut Body, request: &BodyRequest) -> bool {
    match request.has_point == 1 {
        _ if body.is(flag::STATIC) => {}
        true => body.add_force_at(request.vector, request.point),
        false => body.add_force(request.vector),
    }
    true
}

pub(super) fn queue_impulse(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [object, impulse, rest @ ..] = act.arguments else { return false };
    context.change_body(IMPULSE, (*object, act.name), *impulse, rest.first());
    true
}

pub(super) fn impulse(body: &mut Body, request: &BodyRequest) -> bool {
    match request.has_point == 1 {
        _ if body.is(flag::STATIC) => {}
        true => body.add_impulse_at(request.vector, request.point),
        false => body.add_impulse(request.vector),
    }
    true
}

pub(super) fn queue_torque(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [object, torque] = act.arguments else { return false };
    context.change_body(TORQUE, (*object, act.name), *torque, None);
    true
}

pub(super) fn torque(body: &mut Body, request: &BodyRequest) -> bool {
    if !body.is(flag::STATIC) {
        body.add_torque(request.vector);
    }
    true
}

pub(super) fn queue_local_force(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [object, force, rest @ ..] = act.arguments else { return false };
    context.change_body(LOCAL_FORCE, (*object, act.name), *force, rest.first());
    true
}

pub(super) fn local_force(body: &mut Body, request: &BodyRequest) -> bool {
    force(body, &in_world(body, request))
}

pub(super) fn queue_local_impulse(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [object, impulse, rest @ ..] = act.arguments else { return false };
    context.change_body(LOCAL_IMPULSE, (*object, act.name), *impulse, rest.first());
    true
}

pub(super) fn local_impulse(body: &mut Body, request: &BodyRequest) -> bool {
    impulse(body, &in_world(body, request))
}

pub(super) fn queue_local_torque(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [object, torque] = act.arguments else { return false };
    context.change_body(LOCAL_TORQUE, (*object, act.name), *torque, None);
    true
}

pub(super) fn local_torque(body: &mut Body, request: &BodyRequest) -> bool {
    torque(body, &in_world(body, request))
}

/// A request in the axes of a body, in those of the world.
fn in_world(body: &Body, request: &BodyRequest) -> BodyRequest {
    let vector = body.rotation.rotate(request.vector);
    BodyRequest { vector, point: body.position + body.rotation.rotate(request.point), ..*request }
}

pub(super) fn queue_property(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [object, name, value] = act.arguments else { return false };
    let Some(name) = name.as_string() else { return false };
    let number = value.as_number().unwrap_or(if *value == Value::TRUE { 1.0 } else { 0.0 });
    context.change_body(PROPERTY, (*object, name), Value::vector(Vec3::splat(number as f32)), None);
    true
}

pub(super) fn property(body: &mut Body, request: &BodyRequest) -> bool {
    let is_it = |row: &&BodyProperty| row.name == request.name || row.former == request.name;
    let Some(property) = PROPERTIES.iter().find(is_it) else { return false };
    (property.set)(body, request.vector.x);
    halt_fixed(body);
    body.wake();
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effects::SIGNATURES;

    #[test]
    fn the_help_of_the_effect_lists_every_property() {
        let help = SIGNATURES.iter().find(|effect| effect.name == "Body").map_or("", |effect| effect.help);
        let listed = help.trim_end_matches('.').rsplit(": ").next().unwrap_or("");
        assert!(listed.split(", ").map(StringId::new).eq(PROPERTIES.iter().map(|row| row.name)), "{listed}");
    }
}
