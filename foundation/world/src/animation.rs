//! Animation graphs as the world plays them: the states of an object's layers lie in its row, in variables that no script sees.
//!
//! Laws
//! 1. What an object plays follows from its row alone: a loaded or rewound world shows the pose that it showed.
//! 2. States are kept by name. Where a changed graph has no such state, the layer's first state is played.
//! 3. The time within a clip is `offset + speed · now`: it is written only when a state or a speed changes.
//! 4. A graph whose transitions, speeds, parameters and events are all constant costs a cycle nothing.

use alloc::vec::Vec;

use base::StringId;
use base::number::double::{clamp, floor, max, min};
use script::value::Value;
use tags::packed::View;
use tags::{Formula, Library};
use view::classes::Animation;
use view::classes::animation_graph::{AnimationGraph, GraphLayer, GraphState, GraphTransition};

use crate::level::lengths_of;
use crate::limits::{GRAPH_EVENTS_MAX, GRAPH_LAYERS_MAX, GRAPH_PARAMETERS_MAX, GRAPH_PERIOD};
use crate::tag_program::TagProgram;

/// The variables of one layer, in their order.
const LAYER_VALUES: usize = 8;

/// The names of a layer's variables.
macro_rules! layer_names {
    ($layer:literal) => {
        [
            concat!("~animation ", $layer, " state"),
            concat!("~animation ", $layer, " since"),
            concat!("~animation ", $layer, " offset"),
            concat!("~animation ", $layer, " speed"),
            concat!("~animation ", $layer, " fade"),
            concat!("~animation ", $layer, " previous"),
            concat!("~animation ", $layer, " previous offset"),
            concat!("~animation ", $layer, " previous speed"),
        ]
    };
}

/// The names of the variables in a row: those of the layers, then the smoothed parameters. A script cannot write such a name.
const LAYERS: [[&str; LAYER_VALUES]; GRAPH_LAYERS_MAX] =
    [layer_names!("0"), layer_names!("1"), layer_names!("2"), layer_names!("3")];
const PARAMETERS: [&str; GRAPH_PARAMETERS_MAX] = [
    "~animation parameter 0",
    "~animation parameter 1",
    "~animation parameter 2",
    "~animation parameter 3",
    "~animation parameter 4",
    "~animation parameter 5",
    "~animation parameter 6",
    "~animation parameter 7",
];

/// A graph, with what is known of its clips.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Its tag.
    pub tag: StringId,
    /// Its layers, the lowest first.
    pub layers: Vec<LayerPlan>,
    /// Its smoothed parameters.
    pub parameters: Vec<ParameterPlan>,
    /// The program of its lambdas; none if it has none.
    pub program: Option<TagProgram>,
    /// Whether anything in it changes by itself, so that its objects have to be looked at.
    pub is_live: bool,
}

/// A parameter of a graph.
#[derive(Clone, Copy, Debug)]
pub struct ParameterPlan {
    /// Its name.
    pub name: StringId,
    /// Its variable in the program of the graph, if a lambda reads it.
    pub variable: Option<u32>,
    /// Its value, if the object has no such variable.
    pub default: f64,
    /// The part of a change that it follows in one update.
    pub part: f64,
}

/// A number, or a lambda that gives one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NumberPlan {
    /// A number.
    Number(f64),
    /// A function of the graph's program.
    Function(u32),
}

/// A layer of a graph.
#[derive(Clone, Debug)]
pub struct LayerPlan {
    /// Its weight.
    pub weight: NumberPlan,
    /// Its states; the first is that at the start.
    pub states: Vec<StatePlan>,
    /// Its transitions, in the order in which they are tried.
    pub transitions: Vec<TransitionPlan>,
}

/// A state of a layer, with its clip.
#[derive(Clone, Debug)]
pub struct StatePlan {
    /// Its name.
    pub name: StringId,
    /// The animation tag.
    pub animation: StringId,
    /// The speed at which it is played.
    pub speed: NumberPlan,
    /// Whether it repeats.
    pub loops: bool,
    /// Its duration in seconds; 0 if the animation is not there.
    pub duration: f64,
    /// Its keyframe events: the time, the message and the marker.
    pub events: Vec<(f64, StringId, StringId)>,
}

/// A transition of a layer.
#[derive(Clone, Copy, Debug)]
pub struct TransitionPlan {
    /// The state it leaves; none: any.
    pub from: StringId,
    /// The index of the state it leads to.
    pub to: usize,
    /// The function of its condition; none: the clip has ended.
    pub when: Option<u32>,
    /// The duration of the cross-fade in seconds.
    pub fade: f64,
    /// Whether the new clip begins at the phase of the old one.
    pub is_synchronised: bool,
}

/// What a layer of an object plays. Times are in seconds of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerState {
    /// The state.
    pub state: StringId,
    /// When it began.
    pub since: f64,
    /// Its clip.
    pub clip: ClipTime,
    /// The duration of the cross-fade from the state before.
    pub fade: f64,
    /// The state before; none if there was none.
    pub previous: StringId,
    /// Its clip.
    pub previous_clip: ClipTime,
}

/// The time within a clip: a line over the time of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipTime {
    /// The time in the clip when the world began.
    pub offset: f64,
    /// The speed at which it is played.
    pub speed: f64,
}

/// The time of the world at a cycle, in seconds, with cycles of so many milliseconds. In doubles: frames count the same.
pub fn seconds_at(cycle: u64, milliseconds: f64) -> f64 {
    cycle as f64 * milliseconds / 1000.0
}

impl ClipTime {
    /// A clip that is at this time now.
    pub fn at(time: f64, speed: f64, now: f64) -> ClipTime {
        ClipTime { offset: time - speed * now, speed }
    }

    /// The time in it, which may be beyond its end.
    pub fn time(self, now: f64) -> f64 {
        self.offset + self.speed * now
    }

    /// The same clip at another speed from now on.
    pub fn with_speed(self, speed: f64, now: f64) -> ClipTime {
        ClipTime::at(self.time(now), speed, now)
    }
}

impl NumberPlan {
    fn of(formula: &Formula) -> NumberPlan {
        let number = || formula.number().filter(|number| number.is_finite()).unwrap_or(1.0);
        formula.function().map_or_else(|| NumberPlan::Number(number()), NumberPlan::Function)
    }
}

impl StatePlan {
    fn of(content: &Library, graph: &View<'_, AnimationGraph>, state: &GraphState) -> StatePlan {
        let clip = graph.each(&graph.clips).iter().find(|clip| clip.name == state.clip);
        let clip = clip.map(|clip| clip.animation.id()).unwrap_or_default();
        let animation = content.get_as::<Animation>(clip);
        let events = animation.map(|animation| {
            let events = animation.each(&animation.events).iter();
            events.map(|event| (f64::from(event.time), event.name, event.marker)).collect()
        });
        StatePlan {
            name: state.name,
            animation: clip,
            speed: NumberPlan::of(&state.speed),
            loops: state.loops.is_true() || animation.is_some_and(|animation| animation.loops.is_true()),
            duration: animation.map_or(0.0, |animation| max(f64::from(animation.duration), 0.0)),
            events: events.unwrap_or_default(),
        }
    }

    /// The time at which it begins: at its end if it is played backwards.
    fn start(&self, speed: f64) -> f64 {
        if speed < 0.0 { self.duration } else { 0.0 }
    }

    /// The time within the clip.
    pub fn within(&self, time: f64) -> f64 {
        if self.duration <= 0.0 || !time.is_finite() {
            return 0.0;
        }
        match self.loops {
            true => time - floor(time / self.duration) * self.duration,
            false => clamp(time, 0.0, self.duration),
        }
    }

    /// Whether a clip that does not repeat has come to its end. A clip that is missing has.
    pub fn has_ended(&self, clip: ClipTime, now: f64) -> bool {
        let time = clip.time(now);
        !self.loops && (if clip.speed < 0.0 { time <= 0.0 } else { time >= self.duration })
    }

    /// The events between two times, the second included, in the order of the list; at most [`GRAPH_EVENTS_MAX`].
    pub fn events_between(&self, from: f64, to: f64) -> impl Iterator<Item = (StringId, StringId)> {
        let duration = self.duration;
        let happens = move |time: f64| {
            let (first, last) = (min(from, to), max(from, to));
            if !self.loops || duration <= 0.0 {
                return if from <= to { first < time && time <= last } else { first <= time && time < last };
            }
            // The number of times that the clip has passed this time.
            let passed = |at: f64| floor((at - time) / duration);
            passed(first) != passed(last)
        };
        let found = self.events.iter().filter(move |(time, ..)| from != to && happens(*time));
        found.map(|(_, name, marker)| (*name, *marker)).take(GRAPH_EVENTS_MAX)
    }
}

impl LayerPlan {
    fn of(content: &Library, graph: &View<'_, AnimationGraph>, layer: &GraphLayer) -> LayerPlan {
        let states: Vec<StatePlan> =
            graph.each(&layer.states).iter().map(|state| StatePlan::of(content, graph, state)).collect();
        let transition = |transition: &GraphTransition| {
            Some(TransitionPlan {
                from: transition.from,
                to: states.iter().position(|state| state.name == transition.to)?,
                when: transition.when.function(),
                fade: max(f64::from(transition.duration), 0.0),
                is_synchronised: transition.synchronised.is_true(),
            })
        };
        let transitions = graph.each(&layer.transitions).iter().filter_map(transition).collect();
        LayerPlan { weight: NumberPlan::of(&layer.weight), states, transitions }
    }

    /// A state by its name, or the first one.
    pub fn state(&self, name: StringId) -> Option<&StatePlan> {
        self.named(name).or_else(|| self.states.first())
    }

    /// A state by its name.
    pub fn named(&self, name: StringId) -> Option<&StatePlan> {
        self.states.iter().find(|state| state.name == name)
    }

    fn is_live(&self) -> bool {
        let changes = |state: &StatePlan| matches!(state.speed, NumberPlan::Function(_)) || !state.events.is_empty();
        !self.transitions.is_empty() || self.states.iter().any(changes)
    }
}

impl LayerState {
    /// What a layer plays: its variables, or from the birth of the object on its first state.
    pub fn read(layer: &LayerPlan, values: &[Value], born: f64) -> LayerState {
        let number = |at: usize| values.get(at).and_then(|value| value.as_number()).unwrap_or(0.0);
        let name = |at: usize| values.get(at).and_then(|value| value.as_string());
        let clip = |at: usize| ClipTime { offset: number(at), speed: number(at + 1) };
        let Some(state) = name(0) else {
            let first = layer.states.first();
            let speed = first.map_or(1.0, |state| match state.speed {
                NumberPlan::Number(speed) => speed,
                NumberPlan::Function(_) => 1.0,
            });
            let clip = ClipTime::at(first.map_or(0.0, |state| state.start(speed)), speed, born);
            let state = first.map_or(StringId::NONE, |state| state.name);
            return LayerState { state, since: born, clip, fade: 0.0, previous: StringId::NONE, previous_clip: clip };
        };
        LayerState {
            state,
            since: number(1),
            clip: clip(2),
            fade: number(4),
            previous: name(5).unwrap_or_default(),
            previous_clip: clip(6),
        }
    }

    /// Writes it into the variables of the layer.
    pub fn write(&self, values: &mut [Value]) {
        let name = |name: StringId| if name.is_none() { Value::NOTHING } else { Value::string(name) };
        let written = [
            name(self.state),
            Value::number(self.since),
            Value::number(self.clip.offset),
            Value::number(self.clip.speed),
            Value::number(self.fade),
            name(self.previous),
            Value::number(self.previous_clip.offset),
            Value::number(self.previous_clip.speed),
        ];
        for (place, value) in values.iter_mut().zip(written) {
            *place = value.canonical();
        }
    }

    /// The layer after a change to another state, whose clip is played at this speed. `is_synchronised`: it begins at the phase of
    /// the clip before.
    pub fn change(
        &self,
        layer: &LayerPlan,
        to: &StatePlan,
        (speed, fade): (f64, f64),
        is_synchronised: bool,
        now: f64,
    ) -> LayerState {
        let phase = layer.state(self.state).filter(|before| is_synchronised && before.duration > 0.0);
        let phase = phase.map(|before| before.within(self.clip.time(now)) / before.duration * to.duration);
        LayerState {
            state: to.name,
            since: now,
            clip: ClipTime::at(phase.unwrap_or(to.start(speed)), speed, now),
            fade,
            previous: self.state,
            previous_clip: self.clip,
        }
    }

    /// How far the state is faded in, from 0 to 1.
    pub fn faded(&self, now: f64) -> f64 {
        if self.fade <= 0.0 || self.previous.is_none() { 1.0 } else { clamp((now - self.since) / self.fade, 0.0, 1.0) }
    }
}

impl Graph {
    /// The graph of a tag; none if there is no such graph.
    pub fn of(content: &Library, tag: StringId) -> Option<Graph> {
        let graph = content.get_as::<AnimationGraph>(tag)?;
        let program = TagProgram::of(content, tag);
        let layers = graph.each(&graph.layers).iter().take(GRAPH_LAYERS_MAX);
        let layers: Vec<LayerPlan> = layers.map(|layer| LayerPlan::of(content, &graph, layer)).collect();
        let variable = |name: StringId| {
            let own = program.as_ref()?.own.iter().find(|(_, known)| *known == name)?;
            Some(own.0)
        };
        let seconds = lengths_of(content).brush_nanos as f64 / 1e9 * GRAPH_PERIOD as f64;
        let parameters = graph.each(&graph.parameters).iter().take(GRAPH_PARAMETERS_MAX);
        let parameters: Vec<ParameterPlan> = parameters
            .map(|parameter| ParameterPlan {
                name: parameter.name,
                variable: variable(parameter.name),
                default: f64::from(parameter.default),
                // The implicit step of exponential smoothing: it never overshoots.
                part: seconds / (seconds + max(f64::from(parameter.smoothing), 0.0)),
            })
            .collect();
        let is_live = layers.iter().any(LayerPlan::is_live)
            || parameters.iter().any(|parameter| parameter.variable.is_some() && parameter.part < 1.0);
        Some(Graph { tag, layers, parameters, program, is_live })
    }

    /// The names of the variables that its objects have in their rows, in their order.
    pub fn variables(&self) -> impl Iterator<Item = &'static str> {
        let layers = LAYERS.iter().take(self.layers.len()).flatten();
        layers.chain(PARAMETERS.iter().take(self.parameters.len())).copied()
    }

    /// The name of the first of its variables.
    pub fn first_variable() -> &'static str {
        LAYERS[0][0]
    }

    /// The places of a layer's variables behind the first.
    pub fn layer_places(layer: usize) -> core::ops::Range<usize> {
        layer * LAYER_VALUES..(layer + 1) * LAYER_VALUES
    }

    /// The place of a parameter's variable behind the first.
    pub fn parameter_place(&self, parameter: usize) -> usize {
        self.layers.len() * LAYER_VALUES + parameter
    }
}
