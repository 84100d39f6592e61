//! A change of an object's animation that a script orders with `!Animate`.

use base::{Handle, StringId};
use state::World;

use crate::animation::{Graph, LayerState, NumberPlan, seconds_at};
use crate::object::Object;
use crate::rules::Cycle;

/// Sets the state of all layers that have one of this name, with a cross-fade of so many milliseconds. Layers that are in it already go
/// on. False if the object's graph has no such state.
pub(crate) fn set_state(
    cycle: &Cycle<'_>,
    world: &mut World,
    handle: Handle<Object>,
    (name, fade): (StringId, u32),
) -> bool {
    let objects = cycle.rules.parts.objects;
    let prototype = cycle.prototypes.get(objects.get(world, handle).mind.program);
    let Some((graph, first)) = prototype.and_then(|own| own.graph.as_ref()) else { return false };
    let (now, fade) = (seconds_at(world.cycle(), cycle.milliseconds()), f64::from(fade) / 1000.0);
    let mut is_known = false;
    objects.edit_both(world, handle, |object, values| {
        let Some(values) = values.get_mut(*first as usize..) else { return };
        for (index, layer) in graph.layers.iter().enumerate() {
            let Some(to) = layer.named(name) else { continue };
            let Some(values) = values.get_mut(Graph::layer_places(index)) else { continue };
            is_known = true;
            let state = LayerState::read(layer, values, seconds_at(object.born_at, cycle.milliseconds()));
            if state.state != name {
                // A speed that is a lambda is evaluated when the object is updated next.
                let speed = if let NumberPlan::Number(speed) = to.speed { speed } else { 1.0 };
                state.change(layer, to, (speed, fade), false, now).write(values);
            }
        }
    });
    is_known
}
