//! Message, damage, callback: something reaches an object, whose handler is called. In parallel: what reaches one object is
//! handled in order, by one worker.
//!
//! What a handler sends is delivered in the next round, up to as many rounds as the globals say; the rest waits for the next
//! cycle. Messages are told apart by their names: hits and answers have stages of their own.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use base::Plain;
use script::message::Message;
use script::value::Value;
use state::{Brush, Item, Stroke, Workers, World};

use crate::condition::Condition;
use crate::doing::DAMAGE;
use crate::mind::Asking;
use crate::object::{Object, Stage, value_of};
use crate::parts::Hit;
use crate::rules::Cycle;
use crate::telling::count;

pub(super) fn paint_messages(cycle: &Cycle<'_>, world: &mut World, workers: &dyn Workers) {
    let parts = &cycle.rules.parts;
    let handled = paint(cycle, world, workers, parts.messages, |asking, message| asking.deliver(message));
    let mut progress = parts.progress.edit(world);
    progress.messages = progress.messages.saturating_add(handled.into());
}

pub(super) fn paint_damages(cycle: &Cycle<'_>, world: &mut World, workers: &dyn Workers) {
    let parts = &cycle.rules.parts;
    let handled = paint(cycle, world, workers, parts.damages, |asking, hit: &Hit| {
        let kind = if hit.kind.is_none() { Value::NOTHING } else { Value::string(hit.kind) };
        let arguments = [Value::number(hit.amount), kind];
        if let Ok(message) = Message::new(DAMAGE, value_of(hit.from)).with_atoms(&arguments) {
            asking.deliver(&message);
        }
    });
    let mut progress = parts.progress.edit(world);
    progress.hits = progress.hits.saturating_add(handled.into());
}

pub(super) fn paint_callbacks(cycle: &Cycle<'_>, world: &mut World, workers: &dyn Workers) {
    let parts = &cycle.rules.parts;
    paint(cycle, world, workers, parts.callbacks, |asking, message| asking.deliver(message));
}

/// Paints a brush in rounds. Gives how many entries reached somebody.
fn paint<T: Plain + Sync>(
    cycle: &Cycle<'_>,
    world: &mut World,
    workers: &dyn Workers,
    brush: Brush<T>,
    handle: impl Fn(&mut Asking<'_, '_>, &T) + Sync,
) -> u32 {
    let (objects, rounds) = (cycle.rules.parts.objects, cycle.rules.level.manner.rounds);
    let work = |stroke: &Stroke<T>, item: &mut Item<'_, Object>, values: &mut [Value]| {
        if item.next.is(Stage::Ending) {
            return;
        }
        let mut asking = Asking { cycle, item, values };
        handle(&mut asking, &stroke.payload);
        asking.settle();
    };
    let handled = AtomicU32::new(0);
    let lost = brush.paint_entities_in_rounds(world, workers, objects, rounds, |stroke, item, values| {
        handled.fetch_add(1, Relaxed);
        work(&stroke, item, values);
    });
    count(cycle, world, Condition::NoSuchObject, lost);
    let left_over = brush.waiting(world);
    count(cycle, world, Condition::MessagesLeftOver, left_over);
    handled.into_inner()
}
