//! Prompts: what the inputs of an action are called for people, by the device that the player used last.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base::StringId;
use relay::device::{DeviceEvent, PadAxis, PadButton, PadFamily};

use crate::answer::Answer;
use crate::input::{Chord, Input, Motion, WheelTurn};
use crate::key_signs::KeySigns;
use crate::limits::PROMPTED_MAX;
use crate::mapping::Mapping;
use crate::surroundings::Texts;

/// A kind of device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceKind {
    /// Keyboard and mouse.
    #[default]
    Keyboard,
    /// A gamepad.
    Pad,
}

impl DeviceKind {
    /// The device that a report shows to be in use; none if it says nothing about that. A stick that is not at rest only
    /// because it is worn is not in use.
    pub fn used_by(event: &DeviceEvent) -> Option<DeviceKind> {
        const DEFLECTION: f32 = 0.5;
        match event {
            DeviceEvent::Key { is_down: true, .. } | DeviceEvent::MouseButton { is_down: true, .. } => {
                Some(DeviceKind::Keyboard)
            }
            DeviceEvent::PadButton { is_down: true, .. } => Some(DeviceKind::Pad),
            DeviceEvent::PadAxis { value, .. } if base::number::abs(*value) > DEFLECTION => Some(DeviceKind::Pad),
            _ => None,
        }
    }
}

/// What inputs are called.
#[derive(Clone, Copy, Debug)]
pub struct InputNames<'a> {
    /// The mapping, whose own names count more.
    pub mapping: &'a Mapping,
    /// What is printed on the keys.
    pub signs: &'a KeySigns,
    /// Whose names the buttons of the gamepad have.
    pub family: PadFamily,
}

/// What the first input of an action on a device is called; without one, that of another device. None: there is no such action.
pub fn prompt(names: InputNames<'_>, action: StringId, device: DeviceKind) -> Option<String> {
    let mapping = names.mapping;
    mapping.action(action)?;
    let chords = mapping.chords(action);
    let is_of = |chord: &&&Chord| chord.input.is_of_pad() == (device == DeviceKind::Pad);
    let chord = chords.iter().find(is_of).or(chords.first());
    Some(chord.map_or_else(|| String::from(UNBOUND), |chord| chord_name(names, chord)))
}

/// What is shown for an action without inputs.
const UNBOUND: &str = "–";

/// What is shown while a new input is awaited.
const AWAITED: &str = "…";

/// The actions of a mapping as the variable `controls` of interfaces. `waiting` is the action that waits for a new input.
pub fn actions(names: InputNames<'_>, waiting: Option<StringId>) -> Answer {
    let mapping = names.mapping;
    let row = |action: &crate::mapping::Action| {
        let inputs: Vec<String> =
            mapping.chords(action.name).into_iter().map(|chord| chord_name(names, chord)).collect();
        let is_waiting = waiting == Some(action.name);
        let shown = match (is_waiting, inputs.is_empty()) {
            (true, _) => AWAITED.to_string(),
            (false, true) => UNBOUND.to_string(),
            (false, false) => inputs.join(" · "),
        };
        // The words of an id are enough: where they have a text in the player's language, that is shown.
        let title = Answer::Words(match action.title.is_empty() {
            true => spoken(&action.text),
            false => action.title.clone(),
        });
        Answer::Record(alloc::vec![
            (StringId::new("action"), Answer::Words(action.text.clone())),
            (StringId::new("title"), title),
            (StringId::new("inputs"), Answer::Words(shown)),
            (StringId::new("waits"), Answer::Truth(is_waiting)),
        ])
    };
    Answer::List(mapping.actions.iter().take(PROMPTED_MAX).map(row).collect())
}

/// The actions with their titles in the player's language, each with all its inputs on a device: of an action without inputs there, those
/// of others.
pub fn keys(names: InputNames<'_>, device: DeviceKind, texts: &dyn Texts) -> Vec<(String, String)> {
    let mapping = names.mapping;
    let row = |action: &crate::mapping::Action| {
        let title = match action.title.as_str() {
            "" => spoken(&action.text),
            id => texts.text(StringId::from(id), &[]).unwrap_or_else(|| spoken(&action.text)),
        };
        let chords = mapping.chords(action.name);
        let is_of = |chord: &&&Chord| chord.input.is_of_pad() == (device == DeviceKind::Pad);
        let mut shown: Vec<&Chord> = chords.iter().filter(is_of).copied().collect();
        if shown.is_empty() {
            shown = chords;
        }
        let mut inputs: Vec<String> = Vec::new();
        for name in shown.into_iter().map(|chord| chord_name(names, chord)) {
            if inputs.len() < INPUTS_SHOWN && !inputs.contains(&name) {
                inputs.push(name);
            }
        }
        (title, if inputs.is_empty() { String::from(UNBOUND) } else { inputs.join(" · ") })
    };
    mapping.actions.iter().take(PROMPTED_MAX).map(row).collect()
}

/// The inputs of an action that are listed.
const INPUTS_SHOWN: usize = 2;

/// What a chord is called.
pub fn chord_name(names: InputNames<'_>, chord: &Chord) -> String {
    let parts: Vec<String> = chord.with.iter().chain([&chord.input]).map(|input| input_name(names, *input)).collect();
    parts.join(" + ")
}

fn input_name(names: InputNames<'_>, input: Input) -> String {
    if let Some((_, name)) = names.mapping.prompts.iter().find(|(known, _)| *known == input) {
        return name.clone();
    }
    let name = match input {
        Input::Key(key) => return names.signs.name(key).unwrap_or_else(|| spoken(key.name())),
        Input::Mouse(button) => return alloc::format!("{} mouse button", spoken(button.name())),
        Input::Wheel(WheelTurn::Up) => "Wheel up",
        Input::Wheel(WheelTurn::Down) => "Wheel down",
        Input::Motion(Motion::X | Motion::Y) => "Mouse",
        Input::Motion(Motion::WheelX | Motion::WheelY) => "Wheel",
        Input::Motion(Motion::DragX | Motion::DragY) => "Finger",
        Input::Motion(Motion::Pinch) => "Two fingers",
        Input::Pad(button) => match BUTTONS.iter().find(|(known, _)| *known == button) {
            Some((_, [xbox, play_station, nintendo])) => match names.family {
                PadFamily::Xbox => xbox,
                PadFamily::PlayStation => play_station,
                PadFamily::Nintendo => nintendo,
            },
            None => return spoken(button.name()),
        },
        Input::Axis(axis) => match axis {
            PadAxis::LeftX | PadAxis::LeftY => "Left stick",
            PadAxis::RightX | PadAxis::RightY => "Right stick",
            other => return spoken(other.name().trim_end_matches("_axis")),
        },
    };
    name.to_string()
}

/// The buttons that are called otherwise than by their places: for Xbox, for PlayStation, for Nintendo.
#[rustfmt::skip]
const BUTTONS: [(PadButton, [&str; 3]); 10] = [
    (PadButton::South,         ["A",      "Cross",    "B"]),
    (PadButton::East,          ["B",      "Circle",   "A"]),
    (PadButton::West,          ["X",      "Square",   "Y"]),
    (PadButton::North,         ["Y",      "Triangle", "X"]),
    (PadButton::LeftShoulder,  ["LB",     "L1",       "L"]),
    (PadButton::RightShoulder, ["RB",     "R1",       "R"]),
    (PadButton::LeftTrigger,   ["LT",     "L2",       "ZL"]),
    (PadButton::RightTrigger,  ["RT",     "R2",       "ZR"]),
    (PadButton::Select,        ["Select", "Share",    "−"]),
    (PadButton::Start,         ["Start",  "Options",  "+"]),
];

/// A name of a tag as words: `left_shift` is `Left shift`, `w` is `W`.
fn spoken(name: &str) -> String {
    let mut letters = name.chars().map(|letter| if letter == '_' { ' ' } else { letter });
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_said_in_words() {
        let mut mapping = Mapping::default();
        let signs = KeySigns::of_text("z=y semicolon=ö");
        let said_of = |mapping: &Mapping, family, text: &str| {
            chord_name(InputNames { mapping, signs: &signs, family }, &Chord::parse(text).unwrap())
        };
        for (text, said) in [
            ("key w", "W"),
            ("key left_control + key z", "Left control + Y"),
            ("key semicolon", "Ö"),
            ("key left_control + key s", "Left control + S"),
            ("mouse left", "Left mouse button"),
            ("pad south", "A"),
            ("axis left_x", "Left stick"),
            ("mouse wheel_up", "Wheel up"),
        ] {
            assert_eq!(said_of(&mapping, PadFamily::Xbox, text), said, "{text}");
        }
        for (family, said) in [(PadFamily::PlayStation, "L1 + Cross"), (PadFamily::Nintendo, "L + B")] {
            assert_eq!(said_of(&mapping, family, "pad left_shoulder + pad south"), said);
        }
        mapping.prompts.push((Chord::parse("pad south").unwrap().input, "✕".into()));
        assert_eq!(said_of(&mapping, PadFamily::Nintendo, "pad south"), "✕");
    }
}
