//! Placement: positions, attachments, owners, teams and flags follow what objects did and asked for.
//!
//! A move into a closed trigger volume is withdrawn before anything is painted; one into a fixed body is denied when it is painted.

use base::{Handle, StringId, Vec3};
use script::value::Value;
use state::{Address, Stroke, World};

use crate::condition::Condition;
use crate::effects;
use crate::level::TriggerVolume;
use crate::links;
use crate::object::{OWNER, Object, TEAM, handle_of, team_of};
use crate::obstacle;
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

/// The most denials of one cycle that are told to the objects. With more, all are counted and none is told.
const DENIALS_TOLD: usize = 256;

/// Withdraws moves into closed trigger volumes.
fn deny_moves(cycle: &Cycle<'_>, world: &mut World) {
    let (parts, volumes) = (&cycle.rules.parts, &cycle.rules.level.trigger_volumes);
    if !volumes.iter().any(|volume| volume.is_closed) {
        return;
    }
    let mut told = [(Address::WORLD, Vec3::ZERO, StringId::NONE); DENIALS_TOLD];
    let mut found = 0;
    let is_denied = |stroke: &Stroke<PlacementRequest>| {
        let position = stroke.payload.position;
        let is_in = |volume: &&TriggerVolume| volume.is_closed && volume.holds(position);
        let Some(volume) = volumes.iter().find(is_in).filter(|_| effects::is_move(&stroke.payload)) else {
            return false;
        };
        if let Some(place) = told.get_mut(found) {
            *place = (stroke.target, position, volume.name);
        }
        found += 1;
        true
    };
    let denied = parts.placement_requests.withdraw(world, is_denied);
    count(cycle, world, Condition::MoveDenied, denied);
    // Queue order depends on workers, the order of addresses does not; but which of very many are told would.
    let told = &mut told[..if found <= DENIALS_TOLD { found } else { 0 }];
    told.sort_unstable_by_key(|(target, to, _)| {
        (parts.objects.handle(*target).map_or(0, Handle::raw), to.to_array().map(f32::to_bits))
    });
    for (target, to, volume) in told.iter() {
        let Some(handle) = parts.objects.handle(*target) else { continue };
        if parts.objects.find_raw(world, handle.raw()).is_some() {
            obstacle::report(cycle, world, handle, (*to, Value::string(*volume)));
        }
    }
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
