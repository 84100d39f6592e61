//! Raw input of a device as events of a gamepad: a pure function of the device's description and its input.

use relay::device::{DeviceEvent, PadAxis, PadButton};

use super::description::{AxisRange, PadDescription, RawInput};
use super::layout::{AxisPart, PadRule, RuleInput, RuleOutput, is_one_sided, kernel_rules};

/// An axis that acts as a button is down above this part of its way, and up below the other. Between them it stays.
const DOWN_ABOVE: f32 = 0.5;
const UP_BELOW: f32 = 0.4;

/// Turns the input of one device into events.
#[derive(Clone, Debug)]
pub struct PadTranslator {
    number: u8,
    rules: Vec<PadRule>,
    ranges: Vec<AxisRange>,
    /// One bit per button.
    down: u32,
    /// The parts of each axis towards its positive and its negative end.
    parts: [[f32; 2]; PadAxis::ALL.len()],
    told: [f32; PadAxis::ALL.len()],
}

const _: () = assert!(PadButton::ALL.len() <= 32, "a bit per button");

impl PadTranslator {
    pub(super) fn new(number: u8, device: &PadDescription, rules: Vec<PadRule>) -> PadTranslator {
        let (parts, told) = ([[0.0; 2]; PadAxis::ALL.len()], [0.0; PadAxis::ALL.len()]);
        PadTranslator { number, rules, ranges: device.axes.clone(), down: 0, parts, told }
    }

    /// The translator of a device that follows the kernel's gamepad specification; none for other devices.
    #[must_use]
    pub fn of_kernel(number: u8, device: &PadDescription) -> Option<PadTranslator> {
        kernel_rules(device).map(|rules| PadTranslator::new(number, device, rules))
    }

    /// Tells what an input changes.
    pub fn handle(&mut self, input: RawInput, tell: &mut dyn FnMut(DeviceEvent)) {
        for index in 0..self.rules.len() {
            let PadRule { input: wanted, output } = self.rules[index];
            if let Some(way) = self.way(wanted, input) {
                self.apply(way, output, tell);
            }
        }
    }

    /// How far the input of a rule is: −1 to 1 for a whole axis, otherwise 0 to 1. None: another input.
    fn way(&self, wanted: RuleInput, input: RawInput) -> Option<Way> {
        match (wanted, input) {
            (RuleInput::Key(wanted), RawInput::Key { code, is_down }) if wanted == code => {
                Some(Way::Part(if is_down { 1.0 } else { 0.0 }))
            }
            (RuleInput::Axis { code: wanted, part, is_inverted }, RawInput::Axis { code, value }) if wanted == code => {
                let value = self.normal(code, value);
                let value = if is_inverted { -value } else { value };
                Some(match part {
                    AxisPart::Whole => Way::Whole(value),
                    AxisPart::Positive => Way::Part(value.max(0.0)),
                    AxisPart::Negative => Way::Part((-value).max(0.0)),
                })
            }
            _ => None,
        }
    }

    /// A value of an axis from −1 to 1; 0 if its range is empty.
    fn normal(&self, code: u16, value: i32) -> f32 {
        let range = self.ranges.iter().find(|range| range.code == code);
        let Some(AxisRange { min, max, .. }) = range.filter(|range| range.min < range.max) else { return 0.0 };
        let (value, min, max) = (i64::from(value), i64::from(*min), i64::from(*max));
        let twice = (value.clamp(min, max) * 2 - min - max) as f32;
        // The ranges of sticks are often -128 to 127, with their rest at 0.
        if min < 0 && max > 0 && value == 0 { 0.0 } else { twice / (max - min) as f32 }
    }

    fn apply(&mut self, way: Way, output: RuleOutput, tell: &mut dyn FnMut(DeviceEvent)) {
        match output {
            RuleOutput::Button(button) => {
                let part = way.part();
                let bit = 1_u32 << button as u32;
                let was_down = self.down & bit != 0;
                let is_down = part > DOWN_ABOVE || (was_down && part >= UP_BELOW);
                if was_down != is_down {
                    self.down ^= bit;
                    tell(DeviceEvent::PadButton { pad: self.number, button, is_down });
                }
            }
            RuleOutput::Axis(axis, part) => {
                let parts = &mut self.parts[axis as usize];
                match (part, way) {
                    (AxisPart::Positive, way) => parts[0] = way.part(),
                    (AxisPart::Negative, way) => parts[1] = way.part(),
                    (AxisPart::Whole, way) if is_one_sided(axis) => *parts = [way.part(), 0.0],
                    (AxisPart::Whole, Way::Whole(value)) => *parts = [value.max(0.0), (-value).max(0.0)],
                    (AxisPart::Whole, Way::Part(value)) => *parts = [value, 0.0],
                }
                self.tell_axis(axis, tell);
            }
        }
    }

    fn tell_axis(&mut self, axis: PadAxis, tell: &mut dyn FnMut(DeviceEvent)) {
        let [plus, minus] = self.parts[axis as usize];
        // Devices count down the screen, we count up.
        let value = if matches!(axis, PadAxis::LeftY | PadAxis::RightY) { minus - plus } else { plus - minus };
        if value != self.told[axis as usize] {
            self.told[axis as usize] = value;
            tell(DeviceEvent::PadAxis { pad: self.number, axis, value });
        }
    }
}

/// How far an input is.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// From −1 to 1.
    Whole(f32),
    /// From 0 to 1.
    Part(f32),
}

impl Way {
    fn part(self) -> f32 {
        match self {
            Way::Whole(value) => (value + 1.0) / 2.0,
            Way::Part(value) => value,
        }
    }
}
