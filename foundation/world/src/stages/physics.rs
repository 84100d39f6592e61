//! Physics: places, attachments and belongings follow what objects did and asked for. Bodies that touch join here.
//!
//! A move that somebody is against is withdrawn before it is painted: so physics has the last word on where things are.

use base::{Handle, StringId, Vec3};
use script::value::Value;
use state::{Stroke, World};

use crate::condition::Condition;
use crate::links;
use crate::object::{OWNER, Object, POSITION, TEAM, handle_of, set, team_of};
use crate::parts::{Deed, Placing};
use crate::query::flag_number;
use crate::rules::{Cycle, LEVEL};
use crate::stages::motion;
use crate::telling::{count, tell};

pub(super) fn paint(cycle: &Cycle<'_>, world: &mut World) {
    let parts = &cycle.rules.parts;
    deny_moves(cycle, world);
    parts.placings.paint(world, |world, stroke| {
        let Some(handle) = parts.objects.handle(stroke.target) else { return };
        if parts.objects.get_untrusted(world, handle.raw()).is_none() {
            // That somebody moved before its end concerns nobody.
            let is_own = [Deed::Settle as u32, Deed::Follow as u32].contains(&stroke.payload.deed);
            return count(cycle, world, Condition::NoSuchObject, u32::from(!is_own));
        }
        if handle == LEVEL {
            // The level is nowhere, belongs to nobody and is on nobody's side.
            return tell(cycle, world, Condition::NoSuchObject, stroke.payload.name, handle);
        }
        place(cycle, world, handle, &stroke);
    });
}

/// Withdraws moves into closed zones.
fn deny_moves(cycle: &Cycle<'_>, world: &mut World) {
    let (parts, zones) = (&cycle.rules.parts, &cycle.rules.level.zones);
    if !zones.iter().any(|zone| zone.is_closed) {
        return;
    }
    let is_denied = |stroke: &Stroke<Placing>| {
        stroke.payload.deed == Deed::Move as u32
            && zones.iter().any(|zone| zone.is_closed && zone.holds(stroke.payload.position))
    };
    let denied = parts.placings.withdraw(world, is_denied);
    count(cycle, world, Condition::MoveDenied, denied);
}

fn place(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, stroke: &Stroke<Placing>) {
    const SETTLE: u32 = Deed::Settle as u32;
    const MOVE: u32 = Deed::Move as u32;
    const ATTACH: u32 = Deed::Attach as u32;
    const DETACH: u32 = Deed::Detach as u32;
    const FOLLOW: u32 = Deed::Follow as u32;
    const GIVE: u32 = Deed::Give as u32;
    const JOIN: u32 = Deed::Join as u32;
    const FLAG: u32 = Deed::Flag as u32;
    let objects = cycle.rules.parts.objects;
    let Placing { name, position, other, deed, number } = stroke.payload;
    match deed {
        SETTLE => settle(cycle, world, handle),
        MOVE => move_to(cycle, world, handle, position),
        ATTACH => {
            links::attach(cycle, world, handle, other, name);
            if !objects.get(world, handle).parent.is_none() {
                motion::disembody(cycle, world, handle);
            }
        }
        DETACH => {
            links::detach(cycle, world, handle);
            motion::embody(cycle, world, handle);
        }
        FOLLOW => links::follow(cycle, world, handle),
        GIVE => links::give(cycle, world, handle, other),
        JOIN => links::join(cycle, world, handle, number),
        FLAG => match flag_number(&cycle.rules.level.manner.flags, name) {
            Some(flag) => links::flag(cycle, world, handle, flag, number == 1),
            None => tell(cycle, world, Condition::NoSuchFlag, name, handle),
        },
        _ => {}
    }
}

/// The links follow what the object says of itself.
fn settle(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>) {
    let objects = cycle.rules.parts.objects;
    let (object, values) = (*objects.get(world, handle), objects.values(world, handle));
    let said = |variable: usize| values.get(variable).copied();
    let (team, owner) = (said(TEAM).and_then(team_of), said(OWNER).map_or(Handle::NONE, handle_of));
    cycle.rules.space.settle(world, handle);
    if let Some(team) = team.filter(|team| *team != object.team) {
        links::join(cycle, world, handle, team);
    }
    if owner != object.owner {
        links::give(cycle, world, handle, owner);
    }
}

fn move_to(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, position: Vec3) {
    let objects = cycle.rules.parts.objects;
    if !position.is_finite() {
        return tell(cycle, world, Condition::NotFinite, StringId::new("Move"), handle);
    }
    if !objects.get(world, handle).parent.is_none() {
        return;
    }
    // It settles there in its next cycle, and tells which zones it has crossed.
    objects.edit_both(world, handle, |object, values| {
        object.agreed = 0;
        set(values, POSITION, Value::vector(position));
    });
    objects.set_awake(world, handle, true);
}
