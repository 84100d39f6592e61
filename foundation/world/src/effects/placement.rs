//! The effects on an object's position, attachment, owner, team and flags: how they are queued and painted.

use base::{Handle, StringId, Vec3};
use script::stage::Act;
use script::value::Value;
use state::World;

use super::EffectContext;
use crate::condition::Condition;
use crate::embodiment::{disembody, embody};
use crate::links;
use crate::object::{Object, POSITION, handle_of, set, team_of, value_of};
use crate::obstacle;
use crate::parts::PlacementRequest;
use crate::query::flag_number;
use crate::rules::Cycle;
use crate::warnings::warn;

pub(super) const MOVE: u32 = 1;
pub(super) const ATTACH: u32 = 2;
pub(super) const DETACH: u32 = 3;
pub(super) const GIVE: u32 = 5;
pub(super) const JOIN: u32 = 6;
pub(super) const FLAG: u32 = 7;

/// A request without arguments.
pub(super) const fn request(kind: u32) -> PlacementRequest {
    PlacementRequest { name: StringId::NONE, position: Vec3::ZERO, other: Handle::NONE, kind, number: 0 }
}

impl EffectContext<'_, '_> {
    pub(super) fn place(&mut self, object: Value, request: &PlacementRequest) {
        let Some(target) = self.target(object, request.name) else { return };
        self.item.queue(self.cycle.rules.parts.placement_requests, target, request);
    }
}

pub(super) fn queue_move(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [to, rest @ ..] = act.arguments else { return false };
    let Some(position) = to.as_vector() else { return false };
    let target = context.item.address();
    let number = u32::from(rest.first() == Some(&Value::TRUE));
    let moved = PlacementRequest { position, number, ..request(MOVE) };
    context.item.queue(context.cycle.rules.parts.placement_requests, target, &moved);
    true
}

pub(super) fn move_to(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, request: &PlacementRequest) {
    let objects = cycle.rules.parts.objects;
    if !request.position.is_finite() {
        return warn(cycle, world, Condition::NotFinite, StringId::new("Move"), handle);
    }
    if !objects.get(world, handle).parent.is_none() {
        return;
    }
    if request.number == 0
        && let Some(obstacle) = obstacle::find(cycle, world, handle, request.position)
    {
        warn(cycle, world, Condition::MoveBlocked, StringId::new("Move"), handle);
        return obstacle::report(cycle, world, handle, (request.position, value_of(obstacle)));
    }
    // The object settles there in its next cycle and reports the trigger volumes it crossed.
    let now = world.cycle() as u32;
    objects.edit_both(world, handle, |object, values| {
        (object.agreed, object.placed_at) = (0, now);
        set(values, POSITION, Value::vector(request.position));
    });
    objects.set_awake(world, handle, true);
}

pub(super) fn queue_attach(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [child, parent, rest @ ..] = act.arguments else { return false };
    let name = rest.first().and_then(|marker| marker.as_string()).unwrap_or_default();
    context.place(*child, &PlacementRequest { name, other: handle_of(*parent), ..request(ATTACH) });
    true
}

pub(super) fn attach(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, request: &PlacementRequest) {
    links::attach(cycle, world, handle, request.other, request.name);
    if !cycle.rules.parts.objects.get(world, handle).parent.is_none() {
        disembody(cycle, world, handle);
    }
}

pub(super) fn queue_detach(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [child] = act.arguments else { return false };
    context.place(*child, &request(DETACH));
    true
}

pub(super) fn detach(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, _: &PlacementRequest) {
    links::detach(cycle, world, handle);
    embody(cycle, world, handle);
}

pub(super) fn queue_give(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [object, rest @ ..] = act.arguments else { return false };
    let other = rest.first().map_or(Handle::NONE, |to| handle_of(*to));
    context.place(*object, &PlacementRequest { other, ..request(GIVE) });
    true
}

pub(super) fn give(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, request: &PlacementRequest) {
    links::give(cycle, world, handle, request.other);
}

pub(super) fn queue_join(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [object, team] = act.arguments else { return false };
    match team_of(*team) {
        Some(number) => context.place(*object, &PlacementRequest { number, ..request(JOIN) }),
        None => context.warn(Condition::NoSuchTeam, act.name),
    }
    true
}

pub(super) fn join(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, request: &PlacementRequest) {
    links::join(cycle, world, handle, request.number);
}

pub(super) fn queue_flag(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [name, truth] = act.arguments else { return false };
    let Some(name) = name.as_string() else { return false };
    let (this, number) = (value_of(context.item.handle), u32::from(*truth == Value::TRUE));
    context.place(this, &PlacementRequest { name, number, ..request(FLAG) });
    true
}

pub(super) fn flag(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, request: &PlacementRequest) {
    match flag_number(&cycle.rules.level.settings.flags, request.name) {
        Some(flag) => links::flag(cycle, world, handle, flag, request.number == 1),
        None => warn(cycle, world, Condition::NoSuchFlag, request.name, handle),
    }
}
