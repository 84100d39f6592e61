//! Inputs: keys, buttons, axes and motions by name, and chords of them.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use relay::device::{Key, MouseButton, PadAxis, PadButton};

use crate::limits::CHORD_MAX;

/// A key, button, axis or motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Input {
    /// A key.
    Key(Key),
    /// A button of the mouse.
    Mouse(MouseButton),
    /// The wheel, turned by one line.
    Wheel(WheelTurn),
    /// A button of a gamepad.
    Pad(PadButton),
    /// An axis of a gamepad.
    Axis(PadAxis),
    /// A motion of the mouse, its wheel or fingers.
    Motion(Motion),
}

/// A turn of the wheel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WheelTurn {
    /// Away from the person.
    Up,
    /// Towards the person.
    Down,
}

/// A motion that is summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Motion {
    /// Of the mouse to the right.
    X,
    /// Of the mouse down.
    Y,
    /// Of the wheel to the right.
    WheelX,
    /// Of the wheel away from the person.
    WheelY,
    /// Of one finger on the world to the right.
    DragX,
    /// Of one finger on the world down.
    DragY,
    /// Of two fingers away from each other: 1 for each doubling of their distance.
    Pinch,
}

/// An input with the inputs that are held with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chord {
    /// The input.
    pub input: Input,
    /// What is held with it.
    pub with: Vec<Input>,
}

impl Input {
    /// The input of a device by its name: "key" and "w", "mouse" and "wheel_up".
    pub fn named(device: &str, name: &str) -> Option<Input> {
        match device {
            "key" => Key::named(name).map(Input::Key),
            "mouse" => match name {
                "wheel_up" => Some(Input::Wheel(WheelTurn::Up)),
                "wheel_down" => Some(Input::Wheel(WheelTurn::Down)),
                _ => MouseButton::named(name).map(Input::Mouse),
            },
            "pad" => PadButton::named(name).map(Input::Pad),
            "axis" => PadAxis::named(name).map(Input::Axis),
            "motion" => match name {
                "x" => Some(Input::Motion(Motion::X)),
                "y" => Some(Input::Motion(Motion::Y)),
                "wheel_x" => Some(Input::Motion(Motion::WheelX)),
                "wheel_y" => Some(Input::Motion(Motion::WheelY)),
                "drag_x" => Some(Input::Motion(Motion::DragX)),
                "drag_y" => Some(Input::Motion(Motion::DragY)),
                "pinch" => Some(Input::Motion(Motion::Pinch)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The names of all inputs of a device, for suggestions.
    pub fn names(device: &str) -> Vec<&'static str> {
        match device {
            "key" => Key::ALL.iter().map(|key| key.name()).collect(),
            "mouse" => MouseButton::ALL.iter().map(|it| it.name()).chain(["wheel_up", "wheel_down"]).collect(),
            "pad" => PadButton::ALL.iter().map(|button| button.name()).collect(),
            "axis" => PadAxis::ALL.iter().map(|axis| axis.name()).collect(),
            "motion" => alloc::vec!["x", "y", "wheel_x", "wheel_y", "drag_x", "drag_y", "pinch"],
            _ => Vec::new(),
        }
    }

    /// Its device and its name.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Input::Key(key) => ("key", key.name()),
            Input::Mouse(button) => ("mouse", button.name()),
            Input::Wheel(WheelTurn::Up) => ("mouse", "wheel_up"),
            Input::Wheel(WheelTurn::Down) => ("mouse", "wheel_down"),
            Input::Pad(button) => ("pad", button.name()),
            Input::Axis(axis) => ("axis", axis.name()),
            Input::Motion(Motion::X) => ("motion", "x"),
            Input::Motion(Motion::Y) => ("motion", "y"),
            Input::Motion(Motion::WheelX) => ("motion", "wheel_x"),
            Input::Motion(Motion::WheelY) => ("motion", "wheel_y"),
            Input::Motion(Motion::DragX) => ("motion", "drag_x"),
            Input::Motion(Motion::DragY) => ("motion", "drag_y"),
            Input::Motion(Motion::Pinch) => ("motion", "pinch"),
        }
    }

    /// Whether it belongs to a gamepad.
    pub fn is_of_pad(self) -> bool {
        matches!(self, Input::Pad(_) | Input::Axis(_))
    }

    /// Whether it is usually held with others.
    pub fn is_modifier(self) -> bool {
        use Key::{LeftAlt, LeftControl, LeftShift, LeftSuper, RightAlt, RightControl, RightShift, RightSuper};
        let keys = [LeftShift, RightShift, LeftControl, RightControl, LeftAlt, RightAlt, LeftSuper, RightSuper];
        matches!(self, Input::Key(key) if keys.contains(&key))
    }
}

impl Chord {
    /// An input alone.
    pub fn new(input: Input) -> Chord {
        Chord { input, with: Vec::new() }
    }

    /// The chord of a text such as "key left_control + key s": the input comes last.
    pub fn parse(text: &str) -> Option<Chord> {
        let mut inputs = Vec::new();
        for part in text.split('+').take(CHORD_MAX) {
            let (device, name) = part.trim().split_once(' ')?;
            inputs.push(Input::named(device, name.trim())?);
        }
        let input = inputs.pop()?;
        Some(Chord { input, with: inputs })
    }

    /// Its text, which [`Chord::parse`] reads.
    pub fn text(&self) -> String {
        let parts = self.with.iter().chain([&self.input]).map(|input| {
            let (device, name) = input.words();
            format!("{device} {name}")
        });
        parts.collect::<Vec<String>>().join(" + ").to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_is_found_by_its_words() {
        for device in ["key", "mouse", "pad", "axis", "motion"] {
            for name in Input::names(device) {
                let input = Input::named(device, name).expect(name);
                assert_eq!(input.words(), (device, name));
            }
        }
        assert_eq!((Input::named("key", "ctrl"), Input::named("foot", "left")), (None, None));
    }

    #[test]
    fn chords_are_written_and_read() {
        for text in ["key w", "key left_control + key s", "pad left_shoulder + pad south", "mouse wheel_up"] {
            assert_eq!(Chord::parse(text).expect(text).text(), text);
        }
        for wrong in ["", "key", "key w +", "w", "key w + s"] {
            assert_eq!(Chord::parse(wrong), None, "{wrong}");
        }
    }
}
