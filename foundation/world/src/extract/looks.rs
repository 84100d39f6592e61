//! What changes the look of an instance from within the world: the formulas of its materials and the states of its animation graph.

use base::{Handle, StringId, number};
use script::row::RowView;
use script::source::Span as SourceSpan;
use script::value::Value;
use state::Block;
use view::limits::{CLIPS_MAX, PARAMETERS_MAX};
use view::{ClipPlay, Frame, Parameter, Span};

use super::FrameBudget;
use crate::animation::{ClipTime, Graph, LayerPlan, LayerState, NumberPlan, StatePlan, seconds_at};
use crate::condition::{Condition, Warning};
use crate::object::Object;
use crate::presentation::TagFormulas;
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

    /// The clips that an object plays: for each layer of its graph the state it is in, and the one that is faded out.
    pub(super) fn extract_clips(
        &self,
        block: &Block,
        (handle, object): (Handle<Object>, &Object),
        (graph, first): (&Graph, u32),
        (frame, budget): (&mut Frame, &mut FrameBudget),
    ) -> Span {
        let begin = frame.clips.len();
        let values = self.parts.objects.values(block, handle);
        let own = values.get(first as usize..).unwrap_or_default();
        let seconds = |cycle: u64| seconds_at(cycle, self.milliseconds());
        let (now, born) = (seconds(block.cycle()), seconds(object.born_at));
        for (number, layer) in graph.layers.iter().enumerate() {
            let of_layer = own.get(Graph::layer_places(number)).unwrap_or_default();
            let played = LayerState::read(layer, of_layer, born);
            let weight = self.layer_weight(block, (handle, object, values), (graph, first, layer), budget);
            let part = played.faded(now);
            let mut push = |state: &StatePlan, clip: ClipTime, part: f64| {
                if frame.clips.len() < CLIPS_MAX {
                    frame.clips.push(ClipPlay {
                        animation: state.animation,
                        seconds: state.within(clip.time(now)) as f32,
                        speed: clip.speed as f32,
                        weight: part as f32,
                        loops: state.loops,
                        graph: graph.tag,
                        layer: number as u16,
                        layer_weight: weight,
                    });
                } else {
                    frame.refused += 1;
                }
            };
            if let Some(before) = layer.named(played.previous).filter(|_| part < 1.0) {
                push(before, played.previous_clip, 1.0 - part);
                if let Some(current) = layer.state(played.state) {
                    push(current, played.clip, part);
                }
            } else if let Some(current) = layer.state(played.state) {
                push(current, played.clip, 1.0);
            }
        }
        Span { first: begin as u32, count: (frame.clips.len() - begin) as u32 }
    }

    /// The weight of a layer. A lambda that fails is reported once, and counts as 1.
    fn layer_weight(
        &self,
        block: &Block,
        (handle, object, values): (Handle<Object>, &Object, &[Value]),
        (graph, first, layer): (&Graph, u32, &LayerPlan),
        budget: &mut FrameBudget,
    ) -> f32 {
        let function = match layer.weight {
            NumberPlan::Number(weight) => return number::double::clamp(weight, 0.0, 1.0) as f32,
            NumberPlan::Function(function) => function,
        };
        let of_object = self.prototypes.programs().get(object.mind.program);
        let (Some(own), Some(of_object), true) = (&graph.program, of_object, budget.spend()) else { return 1.0 };
        let found = self.presentation.workspaces.with_row(|row| {
            let from = RowView { head: &object.mind, values };
            let mut head = graph.fill_row((handle, first), (from, of_object), row);
            // The machine reads the fields of the evaluated object itself from the row, which here is the graph's.
            let this = (handle, Value::NOTHING);
            let call = (function, &[][..]);
            self.evaluate_copy(block, &own.program, this, (&mut head, row), call, |value, _, _| value.as_number())
        });
        match found {
            Ok(Some(weight)) if weight.is_finite() => number::double::clamp(weight, 0.0, 1.0) as f32,
            _ => {
                if self.presentation.is_new_fault(graph.tag, function) {
                    self.warn_of(block, handle, Warning::new(Condition::Halted, graph.tag));
                }
                1.0
            }
        }
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
        self.log.warn(block.cycle(), (handle, prototype), warning, None);
    }
}
