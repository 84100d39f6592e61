//! Destroy: `OnDestroy` is called, then the object is unlinked and removed.
//!
//! The effects of `OnDestroy` count. Objects attached to it are destroyed in the next cycle, unless they survive their parent.
//! Entries queued for it later are warned of.

use base::{Handle, StringId};
use script::value::Value;
use state::{Item, Workers, World};

use crate::embodiment::disembody;
use crate::links;
use crate::object::{Object, Stage, linked, value_of};
use crate::object_context::ObjectContext;
use crate::rules::{Cycle, LEVEL};
use crate::sets::Set;
use crate::warnings::MissingTargets;

const DESTROY: StringId = StringId::new("Destroy");

pub(super) fn paint(cycle: &Cycle<'_>, world: &mut World, workers: &dyn Workers) {
    let parts = &cycle.rules.parts;
    let mut missing = MissingTargets::default();
    parts.destroys.paint_entities_or(
        world,
        workers,
        parts.objects,
        1,
        |_, item: &mut Item<'_, Object>, values: &mut [Value]| {
            // Several may destroy the same object. The level ends by `!EndLevel` only.
            if item.next.is(Stage::Ending) || item.handle == LEVEL {
                return;
            }
            // Queued before `OnDestroy`, whose effects may fill the queue. If the queue is full, the object lives on.
            let address = item.address();
            if !item.queue(parts.removals, address, &0) {
                return;
            }
            (item.next.stage, item.next.agreed) = (Stage::Ending as u16, 0);
            let prototype = cycle.prototypes.get(item.next.mind.program);
            let on_destroy = prototype.map_or(Value::NOTHING, |prototype| prototype.on_destroy);
            if on_destroy != Value::NOTHING {
                cycle.rules.workspaces.measuring().measure(item.handle, item.next.mind.program, || {
                    ObjectContext { cycle, item, values }.call(on_destroy, &[]);
                });
            }
        },
        |stroke| missing.add(stroke),
    );
    missing.warn(cycle, world, DESTROY);
    parts.removals.paint(world, |world, stroke| {
        if let Some(handle) = parts.objects.handle(stroke.target)
            && parts.objects.find_raw(world, handle.raw()).is_some()
        {
            remove(cycle, world, handle);
        }
    });
}

/// Unlinks and removes an object.
fn remove(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>) {
    let (rules, parts) = (cycle.rules, &cycle.rules.parts);
    let object = *parts.objects.get(world, handle);
    for volume in &rules.level.trigger_volumes {
        if let Some(message) = volume.crossing(value_of(handle), (volume.holds(object.position), false)) {
            parts.messages.queue_from(world, parts.objects.address(LEVEL), parts.objects.address(handle), &message);
        }
    }
    for _ in 0..parts.objects.capacity() {
        let child = parts.objects.get(world, handle).first_child;
        let found = linked(parts.objects, world, child).filter(|child| child.parent == handle).copied();
        let Some(found) = found else { break };
        links::detach(cycle, world, child);
        if !cycle.prototypes.get(found.mind.program).is_some_and(|prototype| prototype.survives_parent) {
            parts.destroys.queue(world, parts.objects.address(child), &0);
        }
    }
    links::detach(cycle, world, handle);
    links::release(cycle, world, handle);
    disembody(cycle, world, handle);
    rules.space.take_out(world, handle);
    let flags = (0..u32::BITS).filter(|flag| object.flags >> flag & 1 == 1).map(Set::Flag);
    let sets = [Set::All, Set::Team(object.team), Set::Class(object.class)];
    sets.into_iter().chain(flags).for_each(|set| rules.sets.put(world, set, handle, false));
    parts.objects.delete(world, handle);
    let mut progress = parts.progress.get_mut(world);
    progress.destroyed = progress.destroyed.saturating_add(1);
}
