//! Placement: positions, attachments, owners, teams and flags follow what objects did and asked for.
//!
//! A move into a closed trigger volume is withdrawn before anything is painted.

use base::Handle;
use state::{Stroke, World};

use crate::condition::Condition;
use crate::effects;
use crate::links;
use crate::object::{OWNER, Object, TEAM, handle_of, team_of};
use crate::parts::{FOLLOW, PlacementRequest, SETTLE};
use crate::rules::{Cycle, LEVEL};
use crate::warnings::{count, warn, warn_missing};

pub(super) fn paint(cycle: &Cycle<'_>, world: &mut World) {
    let parts = &cycle.rules.parts;
    deny_moves(cycle, world);
    parts.placement_requests.paint(world, |world, stroke| {
        let Some(handle) = parts.objects.handle(stroke.target) else { return };
        let request = &stroke.payload;
        if parts.objects.find_raw(world, handle.raw()).is_none() {
            // An object that moved before it was destroyed is no mistake.
            if ![SETTLE, FOLLOW].contains(&request.kind) {
                warn_missing(cycle, world, &stroke, request.name);
            }
            return;
        }
        if handle == LEVEL {
            // The level has no position, owner or team.
            return warn(cycle, world, Condition::NoSuchObject, request.name, handle);
        }
        match request.kind {
            SETTLE => settle(cycle, world, handle),
            FOLLOW => links::follow(cycle, world, handle),
            _ => effects::paint_placement(cycle, world, handle, request),
        }
    });
}

/// Withdraws moves into closed trigger volumes.
fn deny_moves(cycle: &Cycle<'_>, world: &mut World) {
    let (parts, volumes) = (&cycle.rules.parts, &cycle.rules.level.trigger_volumes);
    if !volumes.iter().any(|volume| volume.is_closed) {
        return;
    }
    let is_denied = |stroke: &Stroke<PlacementRequest>| {
        effects::is_move(&stroke.payload)
            && volumes.iter().any(|volume| volume.is_closed && volume.holds(stroke.payload.position))
    };
    let denied = parts.placement_requests.withdraw(world, is_denied);
    count(cycle, world, Condition::MoveDenied, denied);
}

/// Updates the links of an object from its variables.
fn settle(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>) {
    let objects = cycle.rules.parts.objects;
    let (object, values) = (*objects.get(world, handle), objects.values(world, handle));
    let variable_at = |variable: usize| values.get(variable).copied();
    let (team, owner) = (variable_at(TEAM).and_then(team_of), variable_at(OWNER).map_or(Handle::NONE, handle_of));
    cycle.rules.space.settle(world, handle);
    if let Some(team) = team.filter(|team| *team != object.team) {
        links::join(cycle, world, handle, team);
    }
    if owner != object.owner {
        links::give(cycle, world, handle, owner);
    }
}
