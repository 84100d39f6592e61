//! The map of a level follows its fixed bodies: built at the start, and rebuilt in part when one is added, moved or removed.
//!
//! Laws
//! 1. After every cycle the map is the one that a full build from the fixed bodies would give.
//! 2. Goal fields are computed a bounded number of cells in each cycle.

use base::{Handle, Vec3};
use navigation::fields::{FieldSlot, FieldWork, FieldsEdit};
use navigation::ground::{self, ChangedBox};
use navigation::terrain::standing;
use physics::pose::Pose;
use physics::shapes::Shapes;
use physics::{Body, flag};
use state::{Alone, World};

use crate::rules::{Cycle, Rules};
use crate::way_map::{BuiltSolid, MapSizes, WayMemory, Ways, write_changes};
use crate::way_settings::{FIELDS_MAX, WayKind};
use crate::way_solids::BodySolids;

/// Builds the map of a new world.
pub fn set_up(rules: &Rules, world: &mut World) {
    if let Some(ways) = &rules.ways {
        build(rules, ways, world);
    }
}

/// Builds a map where nothing or nonsense was.
fn build(rules: &Rules, ways: &Ways, world: &mut World) {
    let (keys, sizes) = (&ways.keys, MapSizes::of(&ways.settings));
    keys.cells.rewrite(world, &Alone, sizes.cells, |_| Default::default());
    keys.chunks.rewrite(world, &Alone, sizes.chunks, |_| 0);
    keys.pages.rewrite(world, &Alone, sizes.pages, |_| Default::default());
    keys.solids.rewrite(world, &Alone, rules.level.room_for_bodies.bodies, |_| BuiltSolid::default());
    keys.slots.rewrite(world, &Alone, ways.settings.fields_max, |_| FieldSlot::default());
    keys.costs.rewrite(world, &Alone, sizes.costs, |_| 0);
    keys.links.rewrite(world, &Alone, sizes.links, |_| Default::default());
    edit_fields(ways, world, |fields| fields.clear());
    follow(rules, ways, world, true);
}

/// Whether the lists are as long as a map's. Those of a foreign block may be shorter.
fn is_whole(rules: &Rules, ways: &Ways, world: &World) -> bool {
    let (keys, sizes) = (&ways.keys, MapSizes::of(&ways.settings));
    let bodies = rules.level.room_for_bodies.bodies;
    [
        (keys.cells.count(world), sizes.cells),
        (keys.chunks.count(world), sizes.chunks),
        (keys.pages.count(world), sizes.pages),
        (keys.solids.count(world), bodies),
        (keys.slots.count(world), ways.settings.fields_max),
        (keys.costs.count(world), sizes.costs),
        (keys.links.count(world), sizes.links),
    ]
    .iter()
    .all(|(found, wanted)| found == wanted)
}

/// Brings the map up to date with the fixed bodies, and computes fields.
pub fn follow_bodies(cycle: &Cycle<'_>, world: &mut World) {
    let Some(ways) = &cycle.rules.ways else { return };
    if !is_whole(cycle.rules, ways, world) {
        build(cycle.rules, ways, world);
    }
    // Changed tags may have other shapes under the same numbers.
    let is_changed = follow(cycle.rules, ways, world, !cycle.changed.tags.is_empty());
    if is_changed {
        edit_fields(ways, world, |fields| fields.expire());
    }
    advance_fields(ways, world);
}

/// Asks for a field to a goal, for agents that need a clearance.
pub fn ask_field(ways: &Ways, world: &mut World, goal: Vec3, needed: u8) {
    let found = ways.map(world).and_then(|map| standing(&map, goal, needed));
    if let Some(goal) = found {
        let now = world.cycle();
        edit_fields(ways, world, |fields| {
            fields.ask(goal.cell, needed, now);
        });
    }
}

/// Whether the map has changed.
fn follow(rules: &Rules, ways: &Ways, world: &mut World, is_full: bool) -> bool {
    let shapes = rules.prototypes.shapes();
    ways.memory.with(0, |memory| {
        memory.changed.clear();
        memory.solids.copy_from_slice(ways.keys.solids.get(world));
        let bodies = rules.parts.physics.parts.bodies;
        for slot in 0..memory.solids.len() {
            let found = if slot < bodies.capacity() as usize { bodies.at_slot(world, slot as u16) } else { None };
            let now = found.map_or(BuiltSolid::default(), |(handle, body)| solid_of(handle, body, shapes));
            let before = core::mem::replace(&mut memory.solids[slot], now);
            if before != now {
                let bounds = [before, now].into_iter().filter(|solid| solid.body != 0);
                memory.changed.extend(bounds.map(|solid| ChangedBox { least: solid.least, most: solid.most }));
            }
        }
        if memory.changed.is_empty() && !is_full {
            return false;
        }
        write_changes(ways.keys.solids, world, 0, &memory.solids);
        rebuild(ways, shapes, world, memory, is_full);
        true
    })
}

/// The entry of a body: empty if it is not fixed, or nothing touches it.
fn solid_of(handle: Handle<Body>, body: &Body, shapes: &Shapes) -> BuiltSolid {
    let is_solid = body.is(flag::STATIC) && !body.is(flag::TRIGGER) && !body.is(flag::QUARANTINED);
    let Some(shape) = shapes.get(body.shape).filter(|_| is_solid) else { return BuiltSolid::default() };
    let aabb = shape.aabb(&Pose::new(body.position, body.rotation));
    BuiltSolid {
        body: handle.raw(),
        shape: body.shape,
        position: body.position,
        rotation: body.rotation,
        least: aabb.min,
        most: aabb.max,
    }
}

fn rebuild(ways: &Ways, shapes: &Shapes, world: &mut World, memory: &mut WayMemory, is_full: bool) {
    let (keys, steep) = (&ways.keys, ways.settings.steep);
    let WayMemory { cells, chunks, pages, build, solids, near, changed, .. } = memory;
    let mut geometry = BodySolids { solids, shapes, steep, near };
    match (&ways.settings.kind, build) {
        (WayKind::Ground(settings), _) => {
            cells.copy_from_slice(keys.cells.get(world));
            if is_full {
                ground::build(settings, cells, &mut geometry);
            } else {
                for changed in changed.iter() {
                    ground::rebuild(settings, cells, changed, &mut geometry);
                }
            }
            write_changes(keys.cells, world, 0, cells);
        }
        (WayKind::Space(settings), Some(build)) => {
            chunks.copy_from_slice(keys.chunks.get(world));
            pages.copy_from_slice(keys.pages.get(world));
            if is_full {
                build.build(settings, (chunks, pages), &mut geometry);
            } else {
                for changed in changed.iter() {
                    build.rebuild(settings, (chunks, pages), changed, &mut geometry);
                }
            }
            write_changes(keys.chunks, world, 0, chunks);
            write_changes(keys.pages, world, 0, pages);
        }
        (WayKind::Space(_), None) => {}
    }
}

/// Changes the slots of fields, which are few.
fn edit_fields(ways: &Ways, world: &mut World, change: impl FnOnce(&mut FieldsEdit<'_>)) {
    let mut slots = [FieldSlot::default(); FIELDS_MAX];
    let mut work = *ways.keys.work.get(world);
    let count = ways.keys.slots.get(world).len().min(FIELDS_MAX);
    slots[..count].copy_from_slice(&ways.keys.slots.get(world)[..count]);
    change(&mut FieldsEdit { slots: &mut slots[..count], work: &mut work, costs: &mut [], links: &mut [] });
    store_fields(ways, world, &slots[..count], &work);
}

fn store_fields(ways: &Ways, world: &mut World, slots: &[FieldSlot], work: &FieldWork) {
    write_changes(ways.keys.slots, world, 0, slots);
    if ways.keys.work.get(world) != work {
        *ways.keys.work.get_mut(world) = *work;
    }
}

/// Computes fields, one buffer of which is changed at a time.
fn advance_fields(ways: &Ways, world: &mut World) {
    let keys = &ways.keys;
    let mut slots = [FieldSlot::default(); FIELDS_MAX];
    let count = keys.slots.get(world).len().min(FIELDS_MAX);
    slots[..count].copy_from_slice(&keys.slots.get(world)[..count]);
    let slots = &mut slots[..count];
    let mut work = *keys.work.get(world);
    let edit = FieldsEdit { slots, work: &mut work, costs: &mut [], links: &mut [] };
    if edit.is_done() {
        return;
    }
    if !edit.has_buffer() {
        edit_fields(ways, world, |fields| fields.clear());
        return;
    }
    ways.memory.with(0, |memory| {
        let WayMemory { cells, chunks, pages, costs, links, .. } = memory;
        cells.copy_from_slice(keys.cells.get(world));
        chunks.copy_from_slice(keys.chunks.get(world));
        pages.copy_from_slice(keys.pages.get(world));
        let Some(map) = ways.map_of(cells, chunks, pages) else { return };
        let start = work.buffer() as usize * costs.len();
        let Some(spare) = keys.costs.get(world).get(start..start + costs.len()) else { return };
        costs.copy_from_slice(spare);
        links.copy_from_slice(keys.links.get(world));
        let mut edit = FieldsEdit { slots, work: &mut work, costs, links };
        edit.advance_one(&map, ways.settings.field_cells);
        write_changes(keys.costs, world, start as u32, costs);
        write_changes(keys.links, world, 0, links);
        store_fields(ways, world, slots, &work);
    });
}
