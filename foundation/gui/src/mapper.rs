//! The mapper: from reports of devices to actions, and from actions to events for the world.
//!
//! Laws
//! 1. No edge is lost: a key that is pressed and released between two safe cycles counts as pressed and as released in the next.
//! 2. What was pressed is released by the same input, whatever contexts and modifiers have become; losing the focus releases
//!    everything.
//! 3. Motions of the mouse and the wheel are summed up until they are taken.
//! 4. Keyboard and mouse are the first player's. A gamepad goes to the first player who has no device yet when a button of it is
//!    pressed.

use alloc::vec::Vec;

use base::number::{abs, clamp, hypot, max, pow};
use base::{StringId, Vec3};
use relay::device::{DeviceEvent, PadAxis};

use crate::answer::Answer;
use crate::classes::controls::{ActionMode, FieldSource, SendTime};
use crate::input::{Input, Motion, WheelTurn};
use crate::limits::{CONTEXTS_MAX, HELD_MAX, PLAYERS_MAX};
use crate::mapping::{ActionField, Control, Mapping};
use crate::outgoing::OutgoingEvent;

/// The deflection from which an axis counts as pressed, and below which as released.
const PRESSED: (f32, f32) = (0.5, 0.4);
/// The most edges that wait for an interface.
const EDGES_MAX: usize = 1024;
/// The most selected objects for which one action sends events in a safe cycle.
const SELECTED_MAX: usize = 64;

/// Turns reports of devices into actions.
#[derive(Clone, Debug, Default)]
pub struct Mapper {
    mapping: Mapping,
    /// For each local player, the state of each action.
    players: Vec<Vec<ActionState>>,
    /// The numbers of the contexts that are on, from the lowest to the highest.
    contexts: Vec<u16>,
    /// The players of gamepads.
    pads: Vec<(u8, u8)>,
    /// Whether the first player has played with the keyboard or the mouse: then the first gamepad is the second player's.
    is_keyboard_used: bool,
    held: Vec<Held>,
    axes: Vec<(u8, PadAxis, f32)>,
    /// Whether the player prefers switching to holding.
    prefers_toggles: bool,
    edges: Vec<ActionEdge>,
}

/// The state of an action.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActionState {
    /// Whether it is used now.
    pub is_used: bool,
    /// Its value now, without motions: the sum of its keys and axes.
    pub value: f32,
    /// How often it was pressed since the last safe cycle.
    pub pressed: u16,
    /// How often it was released since the last safe cycle.
    pub released: u16,
    /// The motion since the last safe cycle.
    pub motion: f32,
    /// The motion since the last picture.
    frame_motion: f32,
    /// The number of inputs that hold it.
    holds: u16,
    /// The sum of the values of the keys that hold it.
    keys: f32,
    /// The value of the last press: what a short press counts as.
    tap: f32,
    axis_is_used: bool,
    repeat_left: f32,
    sent: f32,
}

/// A press or release of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionEdge {
    /// The local player.
    pub player: u8,
    /// The action.
    pub action: StringId,
    /// Whether it was pressed.
    pub is_down: bool,
}

/// An input that is held.
#[derive(Clone, Debug)]
struct Held {
    input: Input,
    pad: Option<u8>,
    /// The player, and the numbers of the bindings that it holds.
    player: u8,
    controls: Vec<u16>,
}

/// What the events of a local player take their fields from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Situation<'a> {
    /// The object under the pointer; 0 if there is none.
    pub pointed_object: u32,
    /// The place under the pointer.
    pub pointed_place: Option<Vec3>,
    /// The direction of the ray through the pointer.
    pub pointed_direction: Vec3,
    /// Where the camera is.
    pub camera_place: Vec3,
    /// Where it looks.
    pub camera_direction: Vec3,
    /// The selected objects.
    pub selection: &'a [u32],
    /// The object of the player; 0 if there is none.
    pub player_object: u32,
}

impl Mapper {
    /// A mapper for this many local players.
    pub fn new(mapping: Mapping, players: usize) -> Mapper {
        let states = alloc::vec![ActionState::default(); mapping.actions.len()];
        let started = mapping.contexts.iter().zip(0..).filter(|(context, _)| context.starts_on);
        Mapper {
            players: alloc::vec![states; players.clamp(1, PLAYERS_MAX)],
            contexts: started.map(|(_, number)| number).collect(),
            mapping,
            ..Mapper::default()
        }
    }

    /// The mapping.
    pub fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// Changes the mapping. Everything is released first.
    pub fn change<T>(&mut self, change: impl FnOnce(&mut Mapping) -> T) -> T {
        self.release_all();
        let result = change(&mut self.mapping);
        let count = self.mapping.actions.len();
        self.players.iter_mut().for_each(|states| states.resize(count, ActionState::default()));
        result
    }

    /// Takes another mapping, as after a reload. One that does the same keeps everything that is held. Otherwise all is released,
    /// and what does not depend on bindings stays: gamepads have their players, contexts that both have are on or off as before,
    /// and what was released is still told.
    pub fn replace(&mut self, mapping: Mapping, players: usize) {
        if mapping.does_the_same(&self.mapping) && players.clamp(1, PLAYERS_MAX) == self.players.len() {
            self.mapping = mapping;
            return;
        }
        let axes = core::mem::take(&mut self.axes);
        self.release_all();
        let mut next = Mapper::new(mapping, players);
        for (states, former) in next.players.iter_mut().zip(&self.players) {
            for (state, action) in states.iter_mut().zip(&next.mapping.actions) {
                *state = self.mapping.action(action.name).map_or(*state, |number| former[usize::from(number)]);
            }
        }
        let number_in =
            |mapping: &Mapping, name: StringId| mapping.contexts.iter().position(|context| context.name == name);
        let on = self.contexts.iter().map(|number| self.mapping.contexts[usize::from(*number)].name);
        let mut contexts: Vec<u16> = on.filter_map(|name| Some(number_in(&next.mapping, name)? as u16)).collect();
        contexts.extend(
            next.contexts
                .iter()
                .filter(|number| number_in(&self.mapping, next.mapping.contexts[usize::from(**number)].name).is_none()),
        );
        next.contexts = contexts;
        next.pads = core::mem::take(&mut self.pads);
        next.pads.retain(|(_, player)| usize::from(*player) < next.players.len());
        next.edges = core::mem::take(&mut self.edges);
        (next.is_keyboard_used, next.prefers_toggles) = (self.is_keyboard_used, self.prefers_toggles);
        next.axes = axes;
        next.read_axes();
        *self = next;
    }

    /// Whether the player prefers switching to holding, for actions that allow it.
    pub fn set_prefers_toggles(&mut self, prefers_toggles: bool) {
        self.prefers_toggles = prefers_toggles;
    }

    /// Switches a context on, over all others, or off; its actions are then released.
    pub fn set_context(&mut self, name: StringId, is_on: bool) {
        let Some(number) = self.mapping.contexts.iter().position(|context| context.name == name) else { return };
        let number = number as u16;
        let was_on = self.contexts.contains(&number);
        self.contexts.retain(|other| *other != number);
        if is_on && self.contexts.len() < CONTEXTS_MAX {
            self.contexts.push(number);
        }
        if was_on && !is_on {
            for action in 0..self.mapping.actions.len() {
                if self.mapping.actions[action].context == Some(number) {
                    (0..self.players.len()).for_each(|player| self.stop(player, action));
                }
            }
        }
        self.read_axes();
    }

    /// Whether a context is on.
    pub fn is_on(&self, name: StringId) -> bool {
        self.contexts.iter().any(|number| self.mapping.contexts[*number as usize].name == name)
    }

    /// The local player of a gamepad, once it has one.
    pub fn player_of(&self, pad: u8) -> Option<u8> {
        self.pads.iter().find(|(known, _)| *known == pad).map(|(_, player)| *player)
    }

    /// The state of an action of a local player.
    pub fn state(&self, player: u8, action: StringId) -> ActionState {
        let number = self.mapping.action(action).map_or(usize::MAX, usize::from);
        self.players.get(usize::from(player)).and_then(|states| states.get(number)).copied().unwrap_or_default()
    }

    /// The motion of an action since this was last called: for cameras, at the rate of pictures.
    pub fn take_motion(&mut self, player: u8, action: StringId) -> f32 {
        let Some(number) = self.mapping.action(action) else { return 0.0 };
        let state = self.players.get_mut(usize::from(player)).and_then(|states| states.get_mut(usize::from(number)));
        state.map_or(0.0, |state| core::mem::take(&mut state.frame_motion))
    }

    /// The presses and releases since this was last called: for interfaces, at the rate of pictures.
    pub fn take_edges(&mut self) -> Vec<ActionEdge> {
        core::mem::take(&mut self.edges)
    }

    /// Handles a report of a device.
    pub fn handle(&mut self, event: &DeviceEvent) {
        match event {
            DeviceEvent::Key { key, is_down, is_repeat } if !is_repeat => {
                self.is_keyboard_used |= is_down;
                self.button(Input::Key(*key), None, *is_down);
            }
            DeviceEvent::MouseButton { button, is_down } => {
                self.is_keyboard_used |= is_down;
                self.button(Input::Mouse(*button), None, *is_down);
            }
            DeviceEvent::PadButton { pad, button, is_down } => {
                if *is_down {
                    self.claim(*pad);
                }
                self.button(Input::Pad(*button), Some(*pad), *is_down);
            }
            DeviceEvent::PadAxis { pad, axis, value } => self.axis(*pad, *axis, *value),
            DeviceEvent::MouseMotion { x, y } => {
                self.motion(Motion::X, *x);
                self.motion(Motion::Y, *y);
            }
            DeviceEvent::Wheel { x, y } => {
                self.motion(Motion::WheelX, *x);
                self.motion(Motion::WheelY, *y);
                if *y != 0.0 && y.is_finite() {
                    let turn = Input::Wheel(if *y > 0.0 { WheelTurn::Up } else { WheelTurn::Down });
                    self.button(turn, None, true);
                    self.button(turn, None, false);
                }
            }
            DeviceEvent::PadDisconnected { pad } => {
                self.release_where(|held| held.pad == Some(*pad));
                self.axes.retain(|(of, ..)| of != pad);
                self.pads.retain(|(of, _)| of != pad);
                self.read_axes();
            }
            DeviceEvent::Focus(false) => self.release_all(),
            _ => {}
        }
    }

    /// Releases everything: the window has lost the keyboard.
    pub fn release_all(&mut self) {
        self.release_where(|_| true);
        self.axes.clear();
        self.read_axes();
        for player in 0..self.players.len() {
            (0..self.mapping.actions.len()).for_each(|action| self.stop(player, action));
        }
    }

    /// Whether an action uses a motion now.
    pub fn uses(&self, motion: Motion) -> bool {
        !self.matching(Input::Motion(motion), 0).is_empty()
    }

    /// Whether the motion of the mouse does something now, other than through its wheel: then a window holds the pointer.
    pub fn uses_mouse_motion(&self) -> bool {
        self.uses(Motion::X) || self.uses(Motion::Y)
    }

    /// A motion goes on by this much.
    pub fn motion(&mut self, motion: Motion, way: f32) {
        if !way.is_finite() || way == 0.0 {
            return;
        }
        for number in self.matching(Input::Motion(motion), 0) {
            let control = self.mapping.controls[usize::from(number)].clone();
            let of = self.owner(&control, 0);
            let way = way * control.value * if control.invert { -1.0 } else { 1.0 };
            let state = &mut self.players[of][usize::from(control.action)];
            state.motion = clamp(state.motion + way, -1e6, 1e6);
            state.frame_motion = clamp(state.frame_motion + way, -1e6, 1e6);
        }
    }

    /// Moves on in time: actions that are held may repeat.
    pub fn update(&mut self, seconds: f32) {
        let seconds = if seconds.is_finite() { clamp(seconds, 0.0, 1.0) } else { 0.0 };
        for (player, states) in self.players.iter_mut().enumerate() {
            for (state, action) in states.iter_mut().zip(&self.mapping.actions) {
                if !state.is_used || action.repeat <= 0.0 {
                    continue;
                }
                state.repeat_left -= seconds;
                if state.repeat_left <= 0.0 {
                    // However long a picture took, it repeats once.
                    state.repeat_left = max(state.repeat_left + action.repeat, 0.0);
                    state.pressed = state.pressed.saturating_add(1);
                    if self.edges.len() < EDGES_MAX {
                        self.edges.push(ActionEdge { player: player as u8, action: action.name, is_down: true });
                    }
                }
            }
        }
    }

    /// The events that actions send in this safe cycle; presses, releases and motions are taken. Each local player has a situation
    /// of its own; for one without, there is nothing to point at.
    pub fn cycle(&mut self, situations: &[Situation<'_>]) -> Vec<OutgoingEvent> {
        let mut events = Vec::new();
        for player in 0..self.players.len() {
            let situation = situations.get(player).copied().unwrap_or_default();
            for number in 0..self.mapping.actions.len() {
                self.send(player, number, &situation, &mut events);
            }
            for state in &mut self.players[player] {
                (state.pressed, state.released, state.motion) = (0, 0, 0.0);
            }
        }
        events
    }

    /// A button of a gamepad is pressed: it belongs to the first player without a device, or else to the first one without a gamepad.
    pub fn claim(&mut self, pad: u8) {
        if self.player_of(pad).is_some() {
            return;
        }
        let count = self.players.len() as u8;
        let has_pad = |player: &u8| self.pads.iter().any(|(_, of)| of == player);
        let beside_keyboard = (u8::from(self.is_keyboard_used)..count).find(|player| !has_pad(player));
        let free = beside_keyboard.or_else(|| (0..count).find(|player| !has_pad(player)));
        self.pads.push((pad, free.unwrap_or(0)));
    }

    fn button(&mut self, input: Input, pad: Option<u8>, is_down: bool) {
        let same = |held: &Held| held.input == input && held.pad == pad;
        if !is_down {
            return self.release_where(same);
        }
        let player = match pad {
            Some(pad) => self.player_of(pad).unwrap_or(0),
            None => 0,
        };
        if self.held.iter().any(same) || self.held.len() >= HELD_MAX {
            return;
        }
        let controls = self.matching(input, player);
        for number in &controls {
            let control = self.mapping.controls[usize::from(*number)].clone();
            let of = self.owner(&control, player);
            self.hold(of, usize::from(control.action), control.value);
        }
        self.held.push(Held { input, pad, player, controls });
    }

    /// The player that a binding belongs to: of a gamepad the one who holds it.
    fn owner(&self, control: &Control, player: u8) -> usize {
        let owner = if control.chord.input.is_of_pad() { player } else { control.player };
        usize::from(owner).min(self.players.len() - 1)
    }

    /// The bindings that an input uses now: those with the most modifiers, and of these those of the highest context.
    fn matching(&self, input: Input, player: u8) -> Vec<u16> {
        let is_held = |needed: &Input| {
            let of_player = |held: &Held| !needed.is_of_pad() || held.player == player;
            self.held.iter().any(|held| held.input == *needed && of_player(held))
        };
        let fitting = self.mapping.controls.iter().enumerate().filter_map(|(number, control)| {
            let fits = control.chord.input == input && control.chord.with.iter().all(is_held);
            let level = self.level(self.mapping.actions[usize::from(control.action)].context)?;
            fits.then_some((number as u16, level, control.chord.with.len()))
        });
        let fitting: Vec<(u16, usize, usize)> = fitting.collect();
        let best = fitting.iter().map(|(_, level, modifiers)| (*modifiers, *level)).max();
        fitting.iter().filter(|(_, level, it)| Some((*it, *level)) == best).map(|(number, ..)| *number).collect()
    }

    /// How high a context is among those that are on; none: it is off, or hidden by one above it.
    fn level(&self, context: Option<u16>) -> Option<usize> {
        let Some(context) = context else { return Some(0) };
        let level = self.contexts.iter().position(|other| *other == context)?;
        let hides = |number: &u16| self.mapping.contexts[usize::from(*number)].blocks;
        (!self.contexts[level + 1..].iter().any(hides)).then_some(level + 1)
    }

    fn release_where(&mut self, is_released: impl Fn(&Held) -> bool) {
        let held = core::mem::take(&mut self.held);
        let (released, kept): (Vec<Held>, Vec<Held>) = held.into_iter().partition(is_released);
        self.held = kept;
        for held in released {
            for number in &held.controls {
                let Some(control) = self.mapping.controls.get(usize::from(*number)).cloned() else { continue };
                let of = self.owner(&control, held.player);
                self.let_go(of, usize::from(control.action), control.value);
            }
        }
    }

    fn is_toggle(&self, action: usize) -> bool {
        match self.mapping.actions[action].mode {
            ActionMode::Hold => false,
            ActionMode::Toggle => true,
            ActionMode::Choice => self.prefers_toggles,
        }
    }

    fn hold(&mut self, player: usize, action: usize, value: f32) {
        let is_toggle = self.is_toggle(action);
        let Some(state) = self.players[player].get_mut(action) else { return };
        state.holds = state.holds.saturating_add(1);
        if is_toggle {
            state.keys = if state.is_used { 0.0 } else { value };
            let is_used = !state.is_used;
            return self.set_used(player, action, is_used, value);
        }
        state.keys += value;
        // A second key for the same action is a press of its own.
        self.set_used(player, action, true, value);
    }

    fn let_go(&mut self, player: usize, action: usize, value: f32) {
        let is_toggle = self.is_toggle(action);
        let Some(state) = self.players[player].get_mut(action).filter(|state| state.holds > 0) else { return };
        state.holds -= 1;
        if is_toggle {
            return;
        }
        state.keys = if state.holds == 0 { 0.0 } else { state.keys - value };
        let is_used = state.holds > 0 || state.axis_is_used;
        self.set_used(player, action, is_used, 0.0);
    }

    /// Releases an action, whatever holds it.
    fn stop(&mut self, player: usize, action: usize) {
        let Some(state) = self.players[player].get_mut(action) else { return };
        (state.holds, state.keys, state.axis_is_used) = (0, 0.0, false);
        self.set_used(player, action, false, 0.0);
        for held in &mut self.held {
            held.controls.retain(|number| usize::from(self.mapping.controls[usize::from(*number)].action) != action);
        }
    }

    fn set_used(&mut self, player: usize, action: usize, is_used: bool, tap: f32) {
        let name = self.mapping.actions[action].name;
        let repeat = self.mapping.actions[action].repeat;
        let state = &mut self.players[player][action];
        let is_edge = is_used != state.is_used || is_used && tap != 0.0;
        state.is_used = is_used;
        if is_edge {
            if is_used {
                state.pressed = state.pressed.saturating_add(1);
                (state.tap, state.repeat_left) = (tap, max(repeat, crate::limits::REPEAT_DELAY));
            } else {
                state.released = state.released.saturating_add(1);
            }
            if self.edges.len() < EDGES_MAX {
                self.edges.push(ActionEdge { player: player as u8, action: name, is_down: is_used });
            }
        }
        self.settle_value(player, action);
    }

    fn axis(&mut self, pad: u8, axis: PadAxis, value: f32) {
        if self.players.len() == 1 {
            self.claim(pad);
        }
        let value = if value.is_finite() { clamp(value, -1.0, 1.0) } else { 0.0 };
        match self.axes.iter().position(|(of, known, _)| *of == pad && *known == axis) {
            Some(place) => self.axes[place].2 = value,
            None if self.axes.len() < HELD_MAX => self.axes.push((pad, axis, value)),
            None => {}
        }
        self.read_axes();
    }

    /// The presses and releases that axes have become.
    fn read_axes(&mut self) {
        for player in 0..self.players.len() {
            for action in 0..self.mapping.actions.len() {
                let value = self.axis_value(player as u8, action);
                let state = &mut self.players[player][action];
                let was = state.axis_is_used;
                state.axis_is_used = abs(value) > if was { PRESSED.1 } else { PRESSED.0 };
                if was != state.axis_is_used {
                    let is_used = state.axis_is_used || state.holds > 0;
                    self.set_used(player, action, is_used, if is_used { value } else { 0.0 });
                }
                self.settle_value(player, action);
            }
        }
    }

    /// The value that the axes of a player's gamepads give to an action.
    fn axis_value(&self, player: u8, action: usize) -> f32 {
        let mut sum = 0.0;
        if self.axes.is_empty() || self.level(self.mapping.actions[action].context).is_none() {
            return sum;
        }
        for control in self.mapping.controls.iter().filter(|control| usize::from(control.action) == action) {
            let Input::Axis(axis) = control.chord.input else { continue };
            for (pad, known, value) in &self.axes {
                if *known == axis && self.player_of(*pad) == Some(player) {
                    let beside = partner(axis).map_or(0.0, |other| self.axis_of(*pad, other));
                    sum += shaped(control, *value, beside);
                }
            }
        }
        sum
    }

    fn axis_of(&self, pad: u8, axis: PadAxis) -> f32 {
        self.axes.iter().find(|(of, known, _)| *of == pad && *known == axis).map_or(0.0, |(.., value)| *value)
    }

    fn settle_value(&mut self, player: usize, action: usize) {
        let most = self.mapping.controls.iter().filter(|control| usize::from(control.action) == action);
        let most = most.fold(1.0, |most, control| max(most, abs(control.value)));
        let axes = self.axis_value(player as u8, action);
        let state = &mut self.players[player][action];
        let keys = if state.is_used { state.keys } else { 0.0 };
        state.value = clamp(keys + axes, -most, most);
    }

    /// The value of an action in this safe cycle: a short press and a motion count.
    fn cycle_value(state: &ActionState) -> f32 {
        let value = if state.pressed > 0 && !state.is_used { state.tap } else { state.value };
        value + state.motion
    }

    fn send(&mut self, player: usize, number: usize, situation: &Situation<'_>, events: &mut Vec<OutgoingEvent>) {
        let action = &self.mapping.actions[number];
        if action.sends.is_none() {
            return;
        }
        let state = &self.players[player][number];
        let value = Mapper::cycle_value(state);
        let is_held = state.is_used || state.pressed > 0 || state.motion != 0.0;
        let (presses, releases) = (usize::from(state.pressed.min(64)), usize::from(state.released.min(64)));
        let times = match action.when {
            SendTime::Press => presses,
            SendTime::Release => releases,
            SendTime::Both => presses + releases,
            SendTime::Held => usize::from(is_held),
            SendTime::Change => usize::from(value != state.sent),
        };
        for time in 0..times {
            // Presses and releases alternate; of both kinds, the last is as it is now.
            let is_down = match action.when {
                SendTime::Both => ((times - 1 - time) % 2 == 0) == state.is_used,
                SendTime::Release => false,
                _ => is_held,
            };
            let is_for_each = action.fields.iter().any(|field| field.from == FieldSource::Selected);
            let count = if is_for_each { situation.selection.len().min(SELECTED_MAX) } else { 1 };
            for selected in 0..count {
                let fields = action
                    .fields
                    .iter()
                    .map(|field| (field.name, self.field(player, number, field, situation, (selected, is_down))));
                let fields = fields.collect();
                events.push(OutgoingEvent { local_player: player as u8, name: action.sends, fields });
            }
        }
        self.players[player][number].sent = value;
    }

    fn field(
        &self,
        player: usize,
        own: usize,
        field: &ActionField,
        situation: &Situation<'_>,
        (selected, is_down): (usize, bool),
    ) -> Answer {
        let state = &self.players[player][usize::from(field.action)];
        let object = |raw: Option<u32>| raw.filter(|raw| *raw != 0).map_or(Answer::Nothing, Answer::Object);
        match field.from {
            FieldSource::Value => Answer::Number(f64::from(Mapper::cycle_value(state))),
            FieldSource::Used if usize::from(field.action) == own => Answer::Truth(is_down),
            FieldSource::Used => Answer::Truth(state.is_used || state.pressed > 0),
            FieldSource::Number => Answer::Number(f64::from(field.number)),
            FieldSource::String => Answer::String(field.string),
            FieldSource::PointedObject => object(Some(situation.pointed_object)),
            FieldSource::PointedPlace => situation.pointed_place.map_or(Answer::Nothing, Answer::Vector),
            FieldSource::PointedDirection => Answer::Vector(situation.pointed_direction),
            FieldSource::CameraPlace => Answer::Vector(situation.camera_place),
            FieldSource::CameraDirection => Answer::Vector(situation.camera_direction),
            FieldSource::Selected => object(situation.selection.get(selected).copied()),
            FieldSource::PlayerObject => object(Some(situation.player_object)),
        }
    }
}

/// The other axis of a stick.
fn partner(axis: PadAxis) -> Option<PadAxis> {
    match axis {
        PadAxis::LeftX => Some(PadAxis::LeftY),
        PadAxis::LeftY => Some(PadAxis::LeftX),
        PadAxis::RightX => Some(PadAxis::RightY),
        PadAxis::RightY => Some(PadAxis::RightX),
        _ => None,
    }
}

/// An axis with its dead zone, which is round for sticks, its curve and its direction.
fn shaped(control: &Control, value: f32, beside: f32) -> f32 {
    let length = hypot(value, beside);
    let zone = clamp(control.dead_zone, 0.0, 0.95);
    if length <= zone {
        return 0.0;
    }
    let reach = clamp((length - zone) / (1.0 - zone), 0.0, 1.0);
    let curved = pow(reach, clamp(control.curve, 0.1, 8.0));
    let way = value / length * curved * control.value;
    if control.invert { -way } else { way }
}
