//! The class `controls`: what keys, buttons and axes mean.

use base::{StringId, Truth};
use tags::{Choice, Names, Record, Series, Tag, Text};

/// What keys, buttons and axes mean: actions with names, and their bindings.
#[derive(Tag)]
#[tag(class = "controls")]
#[repr(C)]
pub struct Controls {
    /// The contexts: groups of actions that are switched on and off together, as of walking and of driving.
    pub contexts: Series<ContextRow>,
    /// The actions.
    pub actions: Series<ActionRow>,
    /// How inputs are called for people, where the usual names do not fit: the signs of a gamepad's buttons in the game's font.
    pub prompts: Series<PromptRow>,
}

/// How an input is called for people.
#[derive(Record)]
#[repr(C)]
pub struct PromptRow {
    /// The input, as "pad south", "mouse left" or "key space".
    #[tag(key)]
    pub input: StringId,
    /// Its sign or name.
    pub text: Text,
}

/// A group of actions that are switched on and off together.
#[derive(Record)]
#[repr(C)]
pub struct ContextRow {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// Whether it is on at the start.
    #[tag(default = true)]
    pub starts_on: Truth,
    /// Whether it hides the bindings of all contexts below it.
    pub blocks: Truth,
}

/// Something that a player can do.
#[derive(Record)]
#[repr(C)]
pub struct ActionRow {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// The id of its name for people.
    pub string: StringId,
    /// The context it belongs to. None: it is always on.
    pub context: StringId,
    /// What counts as using it.
    #[tag(default = "\"hold\"")]
    pub mode: Choice<ActionMode>,
    /// The time between two repetitions while it is held. 0: it does not repeat.
    #[tag(unit = "s", range(0, 60))]
    pub repeat: f32,
    /// What is pressed and moved for it.
    pub bindings: Series<BindingRow>,
    /// The event that it sends to the world. None: nothing is sent.
    pub sends: StringId,
    /// When it is sent.
    #[tag(default = "\"press\"")]
    pub when: Choice<SendTime>,
    /// The fields of the event.
    pub fields: Series<FieldRow>,
}

/// What counts as using an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum ActionMode {
    /// It is used while it is held.
    Hold,
    /// One press switches it on, the next one off.
    Toggle,
    /// As the player's settings say, which may replace holding by switching.
    Choice,
}

/// When an action sends its event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum SendTime {
    /// For each press, and each repetition.
    Press,
    /// For each release.
    Release,
    /// For each press and release.
    Both,
    /// In each safe cycle in which it is held.
    Held,
    /// In each safe cycle in which its value has changed.
    Change,
}

/// A key, button or axis of an action. One of `key`, `mouse`, `pad`, `axis` and `motion` is given.
#[derive(Record)]
#[repr(C)]
pub struct BindingRow {
    /// The key, by its place on an American keyboard: "w", "space", "left_shift".
    pub key: StringId,
    /// The button of the mouse: "left", "right", "middle", "back", "forward"; or "wheel_up", "wheel_down".
    pub mouse: StringId,
    /// The button of a gamepad, by its place: "south", "left_shoulder".
    pub pad: StringId,
    /// The axis of a gamepad: "left_x", "right_trigger_axis".
    pub axis: StringId,
    /// The motion of the mouse or its wheel: "x", "y", "wheel_x", "wheel_y"; of one finger on the world: "drag_x", "drag_y"; of two:
    /// "pinch".
    pub motion: StringId,
    /// The keys and gamepad buttons that are held with it.
    pub with: Series<StringId>,
    /// The value it gives to the action: −1 for the opposite direction.
    #[tag(range(-1000, 1000), default = 1)]
    pub value: f32,
    /// Of an axis: the deflection up to which it counts as centred.
    #[tag(range(0, 0.95), default = 0.15)]
    pub dead_zone: f32,
    /// Of an axis: the exponent of its curve. 1: linear; 2: finer around the centre.
    #[tag(range(0.1, 8), default = 1)]
    pub curve: f32,
    /// Of an axis: whether its direction is reversed.
    pub invert: Truth,
    /// The number of the local player it belongs to, from 0. Gamepads belong to the player who pressed a button first.
    #[tag(range(0, 7))]
    pub player: u32,
}

/// A field of the event that an action sends.
#[derive(Record)]
#[repr(C)]
pub struct FieldRow {
    /// Its name in the event.
    #[tag(key)]
    pub name: StringId,
    /// Where its value comes from.
    #[tag(default = "\"value\"")]
    pub from: Choice<FieldSource>,
    /// The action whose value is taken. None: this one.
    pub action: StringId,
    /// The value, if it is constant.
    pub number: f32,
    /// The value, if it is a constant string.
    pub string: StringId,
}

/// Where the value of a field comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum FieldSource {
    /// The value of an action: 1 while a key is held, or the position of an axis.
    Value,
    /// Whether an action is used.
    Used,
    /// A constant number.
    Number,
    /// A constant string.
    String,
    /// The object under the pointer.
    PointedObject,
    /// The point under the pointer: on the ground, or at the pointed object.
    PointedPlace,
    /// The direction of the ray through the pointer.
    PointedDirection,
    /// The place of the camera.
    CameraPlace,
    /// The direction of the camera.
    CameraDirection,
    /// The first selected object; with several, one event is sent for each.
    Selected,
    /// The object of the player.
    PlayerObject,
}
