//! Capturing: the next press becomes a binding, with the modifiers that are held with it.

use alloc::vec::Vec;

use base::number::abs;
use relay::device::{DeviceEvent, Key};

use crate::input::{Chord, Input, WheelTurn};
use crate::limits::CHORD_MAX;

/// The deflection of an axis that counts as choosing it.
const CHOSEN_DEFLECTION: f32 = 0.7;

/// Waits for the chord that a player chooses.
#[derive(Clone, Debug, Default)]
pub struct Capture {
    /// The modifiers that were pressed since it began, and are held.
    held: Vec<Input>,
}

/// What a report means while a chord is awaited.
#[derive(Clone, Debug, PartialEq)]
pub enum Captured {
    /// This chord was chosen.
    Chord(Chord),
    /// The player wants none.
    Cancelled,
    /// The report belongs to what is awaited, and nobody else should see it.
    Awaited,
    /// The report does not concern it.
    Other,
}

impl Capture {
    /// Handles a report of a device: a press with the modifiers that are held, the release of a modifier alone, or an axis that is
    /// moved far. Escape cancels.
    pub fn handle(&mut self, event: &DeviceEvent) -> Captured {
        let (input, is_down) = match event {
            DeviceEvent::Key { key: Key::Escape, is_down: true, .. } => return Captured::Cancelled,
            DeviceEvent::Key { key, is_down, is_repeat: false } => (Input::Key(*key), *is_down),
            DeviceEvent::MouseButton { button, is_down: true } => (Input::Mouse(*button), true),
            DeviceEvent::PadButton { button, is_down: true, .. } => (Input::Pad(*button), true),
            DeviceEvent::PadAxis { axis, value, .. } if abs(*value) > CHOSEN_DEFLECTION => (Input::Axis(*axis), true),
            DeviceEvent::Wheel { y, .. } if *y > 0.0 => (Input::Wheel(WheelTurn::Up), true),
            DeviceEvent::Wheel { y, .. } if *y < 0.0 => (Input::Wheel(WheelTurn::Down), true),
            DeviceEvent::Focus(false) => return Captured::Cancelled,
            DeviceEvent::Key { .. } | DeviceEvent::Text(_) => return Captured::Awaited,
            _ => return Captured::Other,
        };
        match (is_down, input.is_modifier()) {
            (true, true) => {
                if !self.held.contains(&input) && self.held.len() + 1 < CHORD_MAX {
                    self.held.push(input);
                }
                Captured::Awaited
            }
            (true, false) => {
                // Modifiers of a keyboard are held with keys and the mouse.
                let with = if input.is_of_pad() { Vec::new() } else { core::mem::take(&mut self.held) };
                Captured::Chord(Chord { input, with })
            }
            (false, true) if self.held.contains(&input) => Captured::Chord(Chord::new(input)),
            (false, _) => Captured::Awaited,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use relay::device::{PadAxis, PadButton};

    fn key(key: Key, is_down: bool) -> DeviceEvent {
        DeviceEvent::Key { key, is_down, is_repeat: false }
    }

    /// The chord that the last of these reports chooses; the others are awaited.
    fn check(reports: &[DeviceEvent], expected: &str) {
        let (last, first) = reports.split_last().unwrap();
        let mut capture = Capture::default();
        for report in first {
            assert_eq!(capture.handle(report), Captured::Awaited, "{report:?}");
        }
        let Captured::Chord(chord) = capture.handle(last) else { panic!("{last:?} chooses nothing") };
        assert_eq!(chord.text(), expected);
    }

    #[test]
    fn a_press_is_captured_with_its_modifiers() {
        check(&[key(Key::G, true)], "key g");
        check(&[key(Key::LeftControl, true), key(Key::Digit1, true)], "key left_control + key 1");
        check(&[key(Key::LeftShift, true), key(Key::LeftShift, false)], "key left_shift");
        // The key that began it is released, and a modifier that was held before is let go.
        check(&[key(Key::Enter, false), key(Key::LeftAlt, false), key(Key::A, true)], "key a");
        let press = DeviceEvent::PadButton { pad: 0, button: PadButton::East, is_down: true };
        check(&[key(Key::LeftShift, true), press], "pad east");
    }

    #[test]
    fn a_stick_must_be_moved_far_and_escape_cancels() {
        let axis = |value| DeviceEvent::PadAxis { pad: 0, axis: PadAxis::RightX, value };
        let mut capture = Capture::default();
        assert_eq!(capture.handle(&axis(0.2)), Captured::Other);
        check(&[axis(-0.9)], "axis right_x");
        assert_eq!(capture.handle(&key(Key::Escape, true)), Captured::Cancelled);
        assert_eq!(capture.handle(&DeviceEvent::PointerLeft), Captured::Other);
    }
}
