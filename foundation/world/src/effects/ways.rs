//! The effect on the goal fields of the level's map.

use base::Handle;
use script::stage::Act;
use state::World;

use super::{EffectContext, finite_vector};
use crate::effects::placement::request;
use crate::object::Object;
use crate::parts::PlacementRequest;
use crate::rules::Cycle;
use crate::way_building::ask_field;

pub(super) const SEEK: u32 = 9;

pub(super) fn queue_seek(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [goal, rest @ ..] = act.arguments else { return false };
    let Some(position) = finite_vector(*goal) else { return false };
    // A level without a map has no fields: the call is allowed, so that objects can be used in any level.
    if let Some(ways) = &context.cycle.rules.ways {
        let radius = rest.first().and_then(|radius| radius.as_number()).map(|radius| radius as f32);
        let number = u32::from(ways.settings.needed(radius));
        let target = context.item.address();
        let asked = PlacementRequest { position, number, ..request(SEEK) };
        context.item.queue(context.cycle.rules.parts.placement_requests, target, &asked);
    }
    true
}

pub(super) fn seek(cycle: &Cycle<'_>, world: &mut World, _: Handle<Object>, request: &PlacementRequest) {
    if let Some(ways) = &cycle.rules.ways {
        ask_field(ways, world, request.position, request.number.min(255) as u8);
    }
}
