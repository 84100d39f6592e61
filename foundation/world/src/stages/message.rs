//! Message, damage, callback: entries are delivered to the handlers of their objects, in parallel; those of one object in order, by
//! one worker.
//!
//! Messages that a handler sends are delivered in the next round, up to the limit in the globals; the rest is carried to the next
//! cycle. Hits and callbacks have stages of their own.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use base::{Plain, StringId};
use script::message::Message;
use script::value::Value;
use state::{Brush, Item, Stroke, Workers, World};

use crate::condition::Condition;
use crate::effects::DAMAGE;
use crate::object::{Object, Stage, value_of};
use crate::object_context::ObjectContext;
use crate::parts::Hit;
use crate::rules::Cycle;
use crate::warnings::{MissingTargets, count};

const MESSAGE: StringId = StringId::new("message");
const CALLBACK: StringId = StringId::new("callback");

pub(super) fn paint_messages(cycle: &Cycle<'_>, world: &mut World, workers: &dyn Workers) {
    let parts = &cycle.rules.parts;
    let handled = paint(cycle, world, workers, (parts.messages, MESSAGE), |context, message| context.deliver(message));
    let mut progress = parts.progress.get_mut(world);
    progress.messages = progress.messages.saturating_add(handled.into());
}

pub(super) fn paint_damages(cycle: &Cycle<'_>, world: &mut World, workers: &dyn Workers) {
    let parts = &cycle.rules.parts;
    let handled = paint(cycle, world, workers, (parts.damages, DAMAGE), |context, hit: &Hit| {
        let kind = if hit.kind.is_none() { Value::NOTHING } else { Value::string(hit.kind) };
        let arguments = [Value::number(hit.amount), kind];
        if let Ok(message) = Message::new(DAMAGE, value_of(hit.from)).with_atoms(&arguments) {
            context.deliver(&message);
        }
    });
    let mut progress = parts.progress.get_mut(world);
    progress.hits = progress.hits.saturating_add(handled.into());
}

pub(super) fn paint_callbacks(cycle: &Cycle<'_>, world: &mut World, workers: &dyn Workers) {
    let parts = &cycle.rules.parts;
    paint(cycle, world, workers, (parts.callbacks, CALLBACK), |context, message| context.deliver(message));
}

/// Paints a brush in rounds. Returns the number of delivered entries.
fn paint<T: Plain + Sync>(
    cycle: &Cycle<'_>,
    world: &mut World,
    workers: &dyn Workers,
    (brush, about): (Brush<T>, StringId),
    handle: impl Fn(&mut ObjectContext<'_, '_>, &T) + Sync,
) -> u32 {
    let (objects, rounds) = (cycle.rules.parts.objects, cycle.rules.level.settings.rounds);
    let work = |stroke: &Stroke<T>, item: &mut Item<'_, Object>, values: &mut [Value]| {
        if item.next.is(Stage::Ending) {
            return;
        }
        let mut context = ObjectContext { cycle, item, values };
        handle(&mut context, &stroke.payload);
        context.settle();
    };
    let measuring = cycle.rules.workspaces.measuring();
    let handled = AtomicU32::new(0);
    let mut missing = MissingTargets::default();
    let paint = |stroke: Stroke<T>, item: &mut Item<'_, Object>, values: &mut [Value]| {
        handled.fetch_add(1, Relaxed);
        measuring.measure(item.handle, item.next.mind.program, || work(&stroke, item, values));
    };
    brush.paint_entities_or(world, workers, objects, rounds, paint, |stroke| missing.add(stroke));
    missing.warn(cycle, world, about);
    let left_over = brush.waiting(world);
    count(cycle, world, Condition::MessagesLeftOver, left_over);
    handled.into_inner()
}
