//! What changes the look of an instance from within the world: the formulas of its materials and the states of its animation graph.

use base::{Handle, StringId, number};
use script::source::Span as SourceSpan;
use script::value::Value;
use state::Block;
use view::limits::{CLIPS_MAX, PARAMETERS_MAX};
use view::{ClipPlay, Frame, Parameter, Span};

use super::FrameBudget;
use crate::condition::{Condition, Warning};
use crate::cue::AnimationState;
use crate::object::Object;
use crate::presentation::{Graph, GraphPlay, TagFormulas};
use crate::rules::Rules;

impl Rules {
    /// Evaluates the formulas of an object's materials.
    pub(super) fn extract_parameters(
        &self,
        block: &Block,
        handle: Handle<Object>,
        materials: &[TagFormulas],
        (frame, budget): (&mut Frame, &mut FrameBudget),
    ) -> Span {
        let first = frame.parameters.len();
        for material in materials {
            self.extract_formulas(block, handle, (material, material.tag), (frame, budget));
        }
        Span { first: first as u32, count: (frame.parameters.len() - first) as u32 }
    }

    /// Evaluates the formulas of a tag about an object, for a material or for none.
    pub(super) fn extract_formulas(
        &self,
        block: &Block,
        handle: Handle<Object>,
        (tag, material): (&TagFormulas, StringId),
        (frame, budget): (&mut Frame, &mut FrameBudget),
    ) -> Span {
        let first = frame.parameters.len();
        for formula in &tag.formulas {
            if frame.parameters.len() >= PARAMETERS_MAX || !budget.spend() {
                frame.refused += 1;
                continue;
            }
            let read = |value: Value| value.as_number().filter(|number| number.is_finite());
            let call = (formula.function, &[][..]);
            let found = self.evaluate_about(block, &tag.program, handle, call, |value, _, _| read(value));
            let value = match found {
                Ok(Some(value)) => number::clamp(value as f32, formula.range.0, formula.range.1),
                Ok(None) | Err(_) => {
                    if self.presentation.is_new_fault(tag.tag, formula.function) {
                        self.warn_of(block, handle, Warning::new(Condition::Halted, formula.name));
                    }
                    formula.default
                }
            };
            frame.parameters.push(Parameter { name: formula.name, material, value });
        }
        Span { first: first as u32, count: (frame.parameters.len() - first) as u32 }
    }

    /// The clips that an object plays: for each layer of its graph the state that `!Animate` set, or the first one.
    pub(super) fn extract_clips(
        &self,
        block: &Block,
        (handle, object): (Handle<Object>, &Object),
        graph: &Graph,
        frame: &mut Frame,
    ) -> Span {
        let first = frame.clips.len();
        let states = self.parts.animations.get(block);
        let set = states.get(usize::from(handle.slot())).filter(|set| set.object == handle.raw());
        let set = set.copied().unwrap_or(AnimationState::NONE);
        let now = block.cycle();
        for (number, layer) in graph.layers.iter().enumerate() {
            let find = |name| layer.states.iter().find(|state| state.name == name && !set.state.is_none());
            let (current, since) = match find(set.state) {
                Some(current) => (Some(current), set.since),
                None => (layer.states.first(), object.born_at),
            };
            // The state before it: one that was set, or the one at the start.
            let before = match find(set.state) {
                Some(_) if set.previous.is_none() => layer.states.first().map(|state| (state, object.born_at)),
                Some(_) => find(set.previous).map(|state| (state, set.previous_since)),
                None => None,
            };
            let faded = now.saturating_sub(since) as f64 * self.milliseconds();
            let part = if set.fade == 0 { 1.0 } else { number::double::min(faded / f64::from(set.fade), 1.0) } as f32;
            let age = |since: u64| now.saturating_sub(since) as f64 * self.milliseconds() / 1000.0;
            let mut push = |state: &GraphPlay, since: u64, weight: f32| {
                if frame.clips.len() < CLIPS_MAX {
                    frame.clips.push(clip(graph, (number, layer.weight), state, age(since), weight));
                } else {
                    frame.refused += 1;
                }
            };
            if let Some((before, since)) = before.filter(|_| part < 1.0) {
                push(before, since, 1.0 - part);
            }
            if let Some(current) = current {
                push(current, since, part_of(before.is_some(), part));
            }
        }
        Span { first: first as u32, count: (frame.clips.len() - first) as u32 }
    }

    /// Reports that a condition of an object failed, once for its tag. Gives false, for what then counts.
    pub(super) fn report_fault(
        &self,
        block: &Block,
        handle: Handle<Object>,
        function: u32,
        span: Option<SourceSpan>,
    ) -> bool {
        let tag = self.parts.objects.find_raw(block, handle.raw()).map(|(_, object)| object.tag.id());
        if self.presentation.is_new_fault(tag.unwrap_or_default(), function) {
            let condition = if span.is_some() { Condition::Halted } else { Condition::Complained };
            let warning = Warning::new(condition, StringId::default());
            self.warn_of(block, handle, span.map_or(warning, |span| warning.at(function, span)));
        }
        false
    }

    /// Logs a warning about an object. The counters of the world stay as they are.
    fn warn_of(&self, block: &Block, handle: Handle<Object>, warning: Warning) {
        let found = self.parts.objects.find_raw(block, handle.raw());
        let prototype = found.map_or(u32::MAX, |(_, object)| object.mind.program);
        self.log.warn(block.cycle(), handle, prototype, warning);
    }
}

/// The weight of the current state: the whole, unless it is faded in over another.
fn part_of(has_before: bool, part: f32) -> f32 {
    if has_before { part } else { 1.0 }
}

fn clip(
    graph: &Graph,
    (layer, layer_weight): (usize, f32),
    state: &GraphPlay,
    age_seconds: f64,
    weight: f32,
) -> ClipPlay {
    let (duration, speed) = (f64::from(state.duration), f64::from(state.speed));
    let mut seconds = age_seconds * speed;
    if duration > 0.0 && state.loops {
        seconds -= number::double::floor(seconds / duration) * duration;
    } else if duration > 0.0 && speed < 0.0 {
        // Played backwards it begins at its end.
        seconds += duration;
    }
    ClipPlay {
        animation: state.animation,
        seconds: number::double::clamp(seconds, 0.0, number::double::max(duration, 0.0)) as f32,
        speed: state.speed,
        weight,
        loops: state.loops,
        graph: graph.tag,
        layer: layer as u16,
        layer_weight,
    }
}
