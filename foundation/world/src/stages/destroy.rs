//! Destroy: an object has its last word, and is removed with everything that leads to it.
//!
//! What it did with its last word counts. What is attached to it is destroyed in the next cycle, unless its tag says that it
//! goes on. What others have queued for it finds nobody, and is counted.

use base::Handle;
use script::value::Value;
use state::{Item, Workers, World};

use crate::condition::Condition;
use crate::links;
use crate::mind::Asking;
use crate::object::{Object, Stage, linked, value_of};
use crate::rules::{Cycle, LEVEL};
use crate::sets::Set;
use crate::stages::motion;
use crate::telling::count;

pub(super) fn paint(cycle: &Cycle<'_>, world: &mut World, workers: &dyn Workers) {
    let parts = &cycle.rules.parts;
    let lost = parts.destroys.paint_entities_in_rounds(
        world,
        workers,
        parts.objects,
        1,
        |_, item: &mut Item<'_, Object>, values: &mut [Value]| {
            // Several may want the same end; the level ends otherwise.
            if item.next.is(Stage::Ending) || item.handle == LEVEL {
                return;
            }
            // Asked for before its last word, which may fill all room there is. Without room it lives on, and that is counted.
            let address = item.address();
            if !item.queue(parts.removals, address, &0) {
                return;
            }
            (item.next.stage, item.next.agreed) = (Stage::Ending as u32, 0);
            let mould = cycle.moulds.get(item.next.mind.program);
            let on_destroy = mould.map_or(Value::NOTHING, |mould| mould.on_destroy);
            if on_destroy != Value::NOTHING {
                Asking { cycle, item, values }.call(on_destroy, &[]);
            }
        },
    );
    count(cycle, world, Condition::NoSuchObject, lost);
    parts.removals.paint(world, |world, stroke| {
        if let Some(handle) = parts.objects.handle(stroke.target)
            && parts.objects.get_untrusted(world, handle.raw()).is_some()
        {
            remove(cycle, world, handle);
        }
    });
}

/// Removes an object: nothing leads to it any more.
fn remove(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>) {
    let (rules, parts) = (cycle.rules, &cycle.rules.parts);
    let object = *parts.objects.get(world, handle);
    for zone in &rules.level.zones {
        if let Some(message) = zone.crossing(value_of(handle), (zone.holds(object.position), false)) {
            parts.messages.queue_from(world, parts.objects.address(LEVEL), parts.objects.address(handle), &message);
        }
    }
    for _ in 0..parts.objects.capacity() {
        let child = parts.objects.get(world, handle).first_child;
        let found = linked(parts.objects, world, child).filter(|child| child.parent == handle).copied();
        let Some(found) = found else { break };
        links::detach(cycle, world, child);
        if !cycle.moulds.get(found.mind.program).is_some_and(|mould| mould.survives_parent) {
            parts.destroys.queue(world, parts.objects.address(child), &0);
        }
    }
    links::detach(cycle, world, handle);
    links::release(cycle, world, handle);
    motion::disembody(cycle, world, handle);
    rules.space.take_out(world, handle);
    let flags = (0..u32::BITS).filter(|flag| object.flags >> flag & 1 == 1).map(Set::Flag);
    let sets = [Set::All, Set::Team(object.team), Set::Class(object.class)];
    sets.into_iter().chain(flags).for_each(|set| rules.sets.put(world, set, handle, false));
    parts.objects.delete(world, handle);
    let mut progress = parts.progress.edit(world);
    progress.destroyed = progress.destroyed.saturating_add(1);
}
