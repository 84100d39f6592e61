//! The effects on presentation: sounds, visual effects, interface events and animations. Nothing in the world reads what they do.

use base::{Handle, StringId, number};
use script::stage::Act;
use script::value::{Kind, Value};
use state::{Address, World};

use super::{EffectContext, finite_vector};
use crate::condition::Condition;
use crate::cue::{AnimationState, Cue, GUI_FIRE, PLAY};
use crate::limits::{ANIMATION_FADE, ANIMATION_FADE_MAX, CUE_ARGUMENTS};
use crate::object::{Object, handle_of, linked, value_of};
use crate::parts::PlacementRequest;
use crate::rules::Cycle;

/// The kind of the placement request of `!Animate`.
pub(super) const ANIMATE: u32 = 8;

/// The names in the record of `!Play`.
pub(super) static FIELDS: [&str; 6] = ["marker", "target", "object", "scale", "volume", "pitch"];
const MARKER: StringId = StringId::new("marker");
const TARGET: StringId = StringId::new("target");
const OBJECT: StringId = StringId::new("object");
const SCALE: StringId = StringId::new("scale");
const VOLUME: StringId = StringId::new("volume");
const PITCH: StringId = StringId::new("pitch");

pub(super) fn queue_play(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [path, rest @ ..] = act.arguments else { return false };
    let Some(path) = path.as_string() else { return false };
    let mut cue = context.cue(PLAY, path);
    for argument in rest {
        match argument.kind() {
            Kind::Record => {
                let (pairs, _) = act.parts(*argument).as_chunks::<2>();
                for [name, value] in pairs {
                    let name = name.as_string().unwrap_or_default();
                    if !context.give(&mut cue, name, *value) {
                        context.warn(Condition::NotGiven, name);
                    }
                }
            }
            Kind::Number => {
                context.give(&mut cue, SCALE, *argument);
            }
            Kind::Nothing => {}
            // A point, or the object that is hit.
            _ => {
                context.give(&mut cue, TARGET, *argument);
            }
        }
    }
    context.item.queue(context.cycle.rules.parts.shows, Address::WORLD, &cue);
    true
}

pub(super) fn queue_gui_fire(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [name, rest @ ..] = act.arguments else { return false };
    let Some(name) = name.as_string() else { return false };
    let mut cue = context.cue(GUI_FIRE, name);
    let is_whole = |value: &Value| !matches!(value.kind(), Kind::List | Kind::Record | Kind::Lambda);
    for (place, value) in cue.arguments.iter_mut().zip(rest) {
        *place = if is_whole(value) { value.canonical() } else { Value::NOTHING };
    }
    if rest.len() > CUE_ARGUMENTS || !rest.iter().all(is_whole) {
        context.warn(Condition::NotGiven, name);
    }
    context.item.queue(context.cycle.rules.parts.shows, Address::WORLD, &cue);
    true
}

pub(super) fn queue_animate(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [state, rest @ ..] = act.arguments else { return false };
    let Some(name) = state.as_string() else { return false };
    let fade = rest.first().and_then(|fade| fade.as_number()).unwrap_or(ANIMATION_FADE);
    let number = number::double::clamp(fade, 0.0, ANIMATION_FADE_MAX) as u32;
    let this = value_of(context.item.handle);
    context.place(this, &PlacementRequest { name, number, ..super::placement::request(ANIMATE) });
    true
}

/// Sets the animation of an object. The state it is in already goes on.
pub(super) fn animate(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, request: &PlacementRequest) {
    let (parts, now) = (&cycle.rules.parts, world.cycle());
    let slot = u32::from(handle.slot());
    let Some(mut place) = parts.animations.get_mut(world, slot) else { return };
    let before = if place.object == handle.raw() { *place } else { AnimationState::NONE };
    if before.state == request.name {
        return;
    }
    *place = AnimationState {
        state: request.name,
        previous: before.state,
        since: now,
        previous_since: before.since,
        object: handle.raw(),
        fade: request.number,
    };
}

impl EffectContext<'_, '_> {
    /// A cue at the object itself.
    fn cue(&self, what: StringId, name: StringId) -> Cue {
        Cue::at(what, name, (self.item.handle, self.item.next), self.item.cycle())
    }

    /// Gives a cue one of the values that `!Play` takes; false if it takes none of this name and kind.
    fn give(&self, cue: &mut Cue, name: StringId, value: Value) -> bool {
        let found = |handle| linked(self.cycle.rules.parts.objects, self.item.frozen, handle);
        let number = value.as_number().map(|number| number as f32).filter(|number| number.is_finite());
        match name {
            MARKER => value.as_string().map(|marker| cue.marker = marker).is_some(),
            TARGET => {
                let of_object = || found(handle_of(value)).map(|object| object.position);
                let target = finite_vector(value).or_else(of_object).filter(|target| target.is_finite());
                target.map(|target| (cue.target, cue.has_target) = (target, 1)).is_some()
            }
            OBJECT => {
                let at = found(handle_of(value)).map(|object| (handle_of(value), object.position, object.orientation));
                at.map(|at| (cue.object, cue.position, cue.orientation) = at).is_some()
            }
            SCALE => number.map(|scale| cue.scale = number::clamp(scale, 0.0, 10_000.0)).is_some(),
            VOLUME => number.map(|volume| cue.volume = number::clamp(volume, 0.0, 4.0)).is_some(),
            PITCH => number.map(|pitch| cue.pitch = number::clamp(pitch, 0.01, 16.0)).is_some(),
            _ => false,
        }
    }
}
