//! The animation of objects: transitions, speeds and keyframe events of their graphs, evaluated by each object about itself.
//!
//! Laws
//! 1. An update reads the object's variables as they are now and everything else from the frozen block; it writes the variables of the
//!    graph in the object's own row, and nothing else.
//! 2. The lambdas of a graph have no effects. One that fails counts as false, or as a speed of 1.
//! 3. In one update a layer takes at most one transition: the first that holds.

use base::{Handle, StringId, number};
use script::environment::{Callee, EvaluationError, evaluate};
use script::machine::EvaluationContext;
use script::message::Message;
use script::program::Program;
use script::row::{Head, RowEdit, RowView};
use script::value::Value;

use crate::animation::{Graph, LayerPlan, LayerState, NumberPlan, StatePlan, seconds_at};
use crate::condition::{Condition, Warning};
use crate::limits::{GRAPH_EVENTS_MAX, GRAPH_LAYERS_MAX, GRAPH_PERIOD};
use crate::object::{Object, value_of};
use crate::object_context::ObjectContext;
use crate::prototype::Prototype;

/// The lowest and the highest speed of a clip: those of the class.
const SPEED_MAX: f64 = 100.0;

/// The keyframe events of one update.
type KeyframeEvents = [(StringId, StringId); GRAPH_EVENTS_MAX * GRAPH_LAYERS_MAX];

impl Graph {
    /// Fills a row of the graph's program with the variables of an object and the smoothed parameters.
    pub(crate) fn fill_row(
        &self,
        (object, first): (Handle<Object>, u32),
        (from, program): (RowView<'_>, &Program),
        into: &mut [Value],
    ) -> Head {
        let (mut head, Some(own)) = (Head::default(), &self.program) else { return Head::default() };
        let mut used = own.row.len().min(into.len());
        into[..used].copy_from_slice(&own.row[..used]);
        let mut row = RowEdit { head: &mut head, values: into };
        for (variable, name) in &own.own {
            if let Some(value) = from.named(program, *name) {
                // A list that does not fit stays as the tag has it.
                let _ = row.append_from(&mut used, *variable, value, (from, program));
            }
        }
        for (index, parameter) in self.parameters.iter().enumerate() {
            let value = from.get(first + self.parameter_place(index) as u32);
            if let (Some(variable), Some(_)) = (parameter.variable, value.as_number()) {
                row.set(variable, value);
            } else if let Some(variable) = parameter.variable
                && from.named(program, parameter.name).is_none()
            {
                row.set(variable, Value::number(parameter.default));
            }
        }
        if let Some(this) = own.program.variable("this") {
            row.set(this, value_of(object));
        }
        head
    }
}

impl ObjectContext<'_, '_> {
    /// Whether the object has a graph that changes by itself.
    pub fn has_live_graph(&self) -> bool {
        let prototype = self.cycle.prototypes.get(self.item.next.mind.program);
        prototype.is_some_and(|own| own.graph.as_ref().is_some_and(|(graph, _)| graph.is_live))
    }

    /// Updates the animation graph, every [`GRAPH_PERIOD`] cycles. Its keyframe events are delivered as messages.
    pub fn animate(&mut self, prototype: &Prototype) {
        let Some((graph, first)) = prototype.graph.as_ref().filter(|(graph, _)| graph.is_live) else { return };
        let phase = self.item.cycle().wrapping_add(u64::from(self.item.handle.slot()));
        if !phase.is_multiple_of(GRAPH_PERIOD) {
            return;
        }
        self.smooth(graph, *first);
        let mut events = [(StringId::NONE, StringId::NONE); GRAPH_EVENTS_MAX * GRAPH_LAYERS_MAX];
        let workspaces = &self.cycle.rules.workspaces;
        let count = workspaces.with_graph_row(self.item.handle, |row| {
            let program = self.cycle.prototypes.programs().get(self.item.next.mind.program);
            let from = RowView { head: &self.item.next.mind, values: self.values };
            let head = program
                .map(|program| graph.fill_row((self.item.handle, *first), (from, program), row))
                .unwrap_or_default();
            self.update_layers((graph, *first), (head, row), &mut events)
        });
        for (name, marker) in &events[..count] {
            let arguments = [if marker.is_none() { Value::NOTHING } else { Value::string(*marker) }];
            if let Ok(message) = Message::new(*name, Value::NOTHING).with_atoms(&arguments) {
                self.deliver(&message);
            }
        }
    }

    /// Lets the parameters follow the object's variables.
    fn smooth(&mut self, graph: &Graph, first: u32) {
        let Some(program) = self.cycle.prototypes.programs().get(self.item.next.mind.program) else { return };
        for (index, parameter) in graph.parameters.iter().enumerate().filter(|(_, own)| own.variable.is_some()) {
            let row = RowView { head: &self.item.next.mind, values: self.values };
            let aim = row.named(program, parameter.name).and_then(|value| value.as_number());
            let aim = aim.filter(|aim| aim.is_finite()).unwrap_or(parameter.default);
            let place = first as usize + graph.parameter_place(index);
            let before = row.get(place as u32).as_number();
            let after = before.map_or(aim, |before| before + (aim - before) * parameter.part);
            if let Some(place) = self.values.get_mut(place) {
                *place = Value::number(after).canonical();
            }
        }
    }

    /// Updates all layers. Returns the number of keyframe events.
    fn update_layers(
        &mut self,
        (graph, first): (&Graph, u32),
        (head, row): (Head, &mut [Value]),
        events: &mut KeyframeEvents,
    ) -> usize {
        let seconds = |cycle: u64| seconds_at(cycle, self.cycle.milliseconds());
        let (now, born) = (seconds(self.item.cycle()), seconds(self.item.next.born_at));
        let before = seconds(self.item.cycle().saturating_sub(GRAPH_PERIOD));
        let mut count = 0;
        let mut row = GraphRow { graph, head, values: row };
        for (index, layer) in graph.layers.iter().enumerate() {
            let places = Graph::layer_places(index);
            let Some(values) = self.values.get(first as usize..).and_then(|values| values.get(places.clone())) else {
                return count;
            };
            let read = LayerState::read(layer, values, born);
            let Some(current) = layer.state(read.state) else { continue };
            let (from, to) = (read.clip.time(number::double::max(before, read.since)), read.clip.time(now));
            for (place, event) in events[count..].iter_mut().zip(current.events_between(from, to)) {
                *place = event;
                count += 1;
            }
            let next = self.next_state(layer, (current, read), &mut row, now);
            let values = self.values.get_mut(first as usize..).and_then(|values| values.get_mut(places));
            if let Some(values) = values.filter(|values| next != read || values[0] == Value::NOTHING) {
                next.write(values);
            }
        }
        count
    }

    /// What a layer plays from now on.
    fn next_state(
        &mut self,
        layer: &LayerPlan,
        (current, state): (&StatePlan, LayerState),
        row: &mut GraphRow<'_>,
        now: f64,
    ) -> LayerState {
        for transition in &layer.transitions {
            let (is_from, to) =
                (transition.from.is_none() || transition.from == current.name, layer.states.get(transition.to));
            let Some(to) = to.filter(|to| is_from && to.name != current.name) else { continue };
            let holds = match transition.when {
                None => current.has_ended(state.clip, now),
                Some(function) => self.graph_value(row, function).and_then(|value| value.as_truth()) == Some(true),
            };
            if holds {
                let speed = self.speed(to, row);
                return state.change(layer, to, (speed, transition.fade), transition.is_synchronised, now);
            }
        }
        let speed = self.speed(current, row);
        if speed == state.clip.speed { state } else { LayerState { clip: state.clip.with_speed(speed, now), ..state } }
    }

    /// The speed of a state.
    fn speed(&mut self, state: &StatePlan, row: &mut GraphRow<'_>) -> f64 {
        match state.speed {
            NumberPlan::Number(speed) => speed,
            NumberPlan::Function(function) => {
                let value = self.graph_value(row, function).and_then(|value| value.as_number());
                let value = value.filter(|value| value.is_finite()).unwrap_or(1.0);
                number::double::clamp(value, -SPEED_MAX, SPEED_MAX)
            }
        }
    }

    /// The value of a lambda of the graph; none, with a warning, if it is halted.
    fn graph_value(&mut self, row: &mut GraphRow<'_>, function: u32) -> Option<Value> {
        let program = &row.graph.program.as_ref()?.program;
        let (workspaces, sight) = (&self.cycle.rules.workspaces, self.cycle.sight(self.item.frozen));
        let place = EvaluationContext {
            program,
            // The machine reads the fields of the evaluated object itself from the row, which here is the graph's.
            this: Value::NOTHING,
            outside: &sight,
            now: self.item.cycle() as f64 * self.cycle.milliseconds(),
            seed: self.item.seed(),
        };
        let callee = Callee::Lambda(Value::function(function));
        let result: Result<Value, EvaluationError> = workspaces.with(self.item.handle, |scratch| {
            let edit = RowEdit { head: &mut row.head, values: &mut *row.values };
            evaluate(place, edit, callee, &[], scratch)
        });
        if result.is_err() {
            self.warn(Warning::new(Condition::Halted, row.graph.tag));
        }
        result.ok()
    }
}

/// The row of a graph's program, filled for an object.
struct GraphRow<'a> {
    graph: &'a Graph,
    head: Head,
    values: &'a mut [Value],
}
