//! End, show, tell: the level may end; sounds and visual effects of the cycle are listed; warnings are counted and logged.

use base::StringId;
use state::World;

use crate::condition::Condition;
use crate::limits::CUES_MAX;
use crate::rules::Cycle;
use crate::warnings::{count, warn};

pub(super) fn paint(cycle: &Cycle<'_>, world: &mut World) {
    let parts = &cycle.rules.parts;
    parts.endings.paint(world, |world, stroke| {
        let mut progress = parts.progress.get_mut(world);
        // The first `!EndLevel` counts.
        if progress.is_over == 0 {
            (progress.is_over, progress.result, progress.next) = (1, stroke.payload.result, stroke.payload.next);
        }
    });
    parts.shows.paint(world, |world, stroke| {
        let mut ring = parts.cue_ring.get_mut(world);
        let place = (ring.total % u64::from(CUES_MAX)) as u32;
        ring.total = ring.total.wrapping_add(1);
        drop(ring);
        if let Some(mut cue) = parts.cues.get_mut(world, place) {
            *cue = stroke.payload;
            return;
        }
        // The ring is not full yet.
        parts.cues.push(world, stroke.payload);
    });
    let refused = world.time().entries_refused;
    let before = core::mem::replace(&mut parts.progress.get_mut(world).refused, refused);
    count(cycle, world, Condition::QueueFull, refused.saturating_sub(before).min(u32::MAX.into()) as u32);
    let (looked, cut) = cycle.rules.workspaces.take_query_counts();
    count(cycle, world, Condition::QueryCut, cut.min(u32::MAX.into()) as u32);
    if looked > cycle.rules.level.settings.query_budget {
        warn(cycle, world, Condition::QueryBudget, StringId::default(), base::Handle::NONE);
    }
    parts.warnings.paint(world, |world, stroke| {
        let Some(condition) = stroke.payload.condition() else { return };
        parts.counts.get_mut(world).add(condition, u64::from(stroke.payload.count));
        let object = parts.objects.handle(stroke.target).unwrap_or(base::Handle::NONE);
        let prototype = parts.objects.find_raw(world, object.raw()).map_or(u32::MAX, |(_, found)| found.mind.program);
        let capacity = cycle.rules.capacity_of(condition);
        cycle.rules.log.warn(world.cycle(), (object, prototype), stroke.payload, capacity);
    });
}
