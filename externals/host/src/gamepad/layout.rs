//! What the buttons and axes of a device are, by the rules of the Linux kernel's gamepad specification.

use relay::device::{PadAxis, PadButton};

use super::description::PadDescription;

/// One input of a device does one thing of a gamepad.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PadRule {
    pub(super) input: RuleInput,
    pub(super) output: RuleOutput,
}

/// Which input of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RuleInput {
    Key(u16),
    Axis {
        code: u16,
        part: AxisPart,
        /// Whether small values are large.
        is_inverted: bool,
    },
}

/// Which part of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AxisPart {
    /// From one end to the other.
    Whole,
    /// From the middle to the positive end.
    Positive,
    /// From the middle to the negative end.
    Negative,
}

/// What it does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RuleOutput {
    Button(PadButton),
    Axis(PadAxis, AxisPart),
}

/// Whether an axis rests at an end, not in the middle.
pub(super) fn is_one_sided(axis: PadAxis) -> bool {
    matches!(axis, PadAxis::LeftTrigger | PadAxis::RightTrigger | PadAxis::Throttle | PadAxis::Brake)
}

const KEY_SOUTH: u16 = 0x130;
const KEY_NORTH: u16 = 0x133;
const KEY_WEST: u16 = 0x134;
const KEY_LEFT_TRIGGER: u16 = 0x138;
const KEY_RIGHT_TRIGGER: u16 = 0x139;
const KEY_WHEEL: u16 = 0x150;
const KEY_UP: u16 = 0x220;

const AXIS_X: u16 = 0;
const AXIS_Y: u16 = 1;
const AXIS_Z: u16 = 2;
const AXIS_RX: u16 = 3;
const AXIS_RY: u16 = 4;
const AXIS_RZ: u16 = 5;
const AXIS_THROTTLE: u16 = 6;
const AXIS_WHEEL: u16 = 8;
const AXIS_GAS: u16 = 9;
const AXIS_BRAKE: u16 = 10;
pub(super) const AXIS_HAT0X: u16 = 0x10;
pub(super) const AXIS_HAT3Y: u16 = 0x17;
const AXIS_HAT0Y: u16 = 0x11;
const AXIS_HAT2X: u16 = 0x14;
const AXIS_HAT2Y: u16 = 0x15;

const SONY: u16 = 0x054c;
const NINTENDO: u16 = 0x057e;

/// The buttons whose code says their place.
const KEYS: &[(u16, PadButton)] = &[
    (KEY_SOUTH, PadButton::South),
    (0x131, PadButton::East),
    (0x136, PadButton::LeftShoulder),
    (0x137, PadButton::RightShoulder),
    (KEY_LEFT_TRIGGER, PadButton::LeftTrigger),
    (KEY_RIGHT_TRIGGER, PadButton::RightTrigger),
    (0x13a, PadButton::Select),
    (0x13b, PadButton::Start),
    (0x13c, PadButton::Guide),
    (0x13d, PadButton::LeftStick),
    (0x13e, PadButton::RightStick),
    (KEY_UP, PadButton::Up),
    (0x221, PadButton::Down),
    (0x222, PadButton::Left),
    (0x223, PadButton::Right),
    (0x2c4, PadButton::Paddle1),
    (0x2c5, PadButton::Paddle2),
    (0x2c6, PadButton::Paddle3),
    (0x2c7, PadButton::Paddle4),
];

/// The rules of a device that follows the specification; none if it is no gamepad or steering wheel.
pub(super) fn kernel_rules(device: &PadDescription) -> Option<Vec<PadRule>> {
    if !device.has_key(KEY_SOUTH) && !device.has_key(KEY_WHEEL) {
        return None;
    }
    let mut rules = Vec::new();
    let mut key = |code: u16, button: PadButton| {
        if device.has_key(code) {
            rules.push(PadRule { input: RuleInput::Key(code), output: RuleOutput::Button(button) });
        }
    };
    KEYS.iter().for_each(|(code, button)| key(*code, *button));
    let (west, north) = placed_codes(device.identity.vendor);
    key(west, PadButton::West);
    key(north, PadButton::North);
    add_axes(device, &mut rules);
    if !device.has_key(KEY_UP) {
        add_hat(device, &mut rules);
    }
    Some(rules)
}

/// The codes of the left and the upper button. They say their place for these makers only; other drivers use them for the letters of an
/// Xbox pad.
pub(super) fn placed_codes(vendor: u16) -> (u16, u16) {
    match vendor {
        SONY | NINTENDO => (KEY_WEST, KEY_NORTH),
        _ => (KEY_NORTH, KEY_WEST),
    }
}

fn add_axes(device: &PadDescription, rules: &mut Vec<PadRule>) {
    let mut axis = |code: u16, axis: PadAxis| {
        if device.has_axis(code) {
            rules.push(whole(code, RuleOutput::Axis(axis, AxisPart::Whole)));
        }
    };
    axis(AXIS_X, PadAxis::LeftX);
    axis(AXIS_Y, PadAxis::LeftY);
    if device.has_axis(AXIS_WHEEL) {
        axis(AXIS_WHEEL, PadAxis::Wheel);
        axis(AXIS_GAS, PadAxis::Throttle);
        axis(AXIS_BRAKE, PadAxis::Brake);
        return;
    }
    axis(AXIS_THROTTLE, PadAxis::Throttle);
    // Pads that have their right stick at Z have their triggers at the pedals.
    let (left, right) = if device.has_axis(AXIS_RX) && device.has_axis(AXIS_RY) {
        axis(AXIS_RX, PadAxis::RightX);
        axis(AXIS_RY, PadAxis::RightY);
        if device.has_axis(AXIS_HAT2Y) { (AXIS_HAT2Y, AXIS_HAT2X) } else { (AXIS_Z, AXIS_RZ) }
    } else {
        axis(AXIS_Z, PadAxis::RightX);
        axis(AXIS_RZ, PadAxis::RightY);
        (AXIS_BRAKE, AXIS_GAS)
    };
    axis(left, PadAxis::LeftTrigger);
    axis(right, PadAxis::RightTrigger);
    // Mappings may use a trigger as a button on every pad.
    for (code, key, button) in
        [(left, KEY_LEFT_TRIGGER, PadButton::LeftTrigger), (right, KEY_RIGHT_TRIGGER, PadButton::RightTrigger)]
    {
        if device.has_axis(code) && !device.has_key(key) {
            rules.push(whole(code, RuleOutput::Button(button)));
        }
    }
}

fn whole(code: u16, output: RuleOutput) -> PadRule {
    PadRule { input: RuleInput::Axis { code, part: AxisPart::Whole, is_inverted: false }, output }
}

fn add_hat(device: &PadDescription, rules: &mut Vec<PadRule>) {
    for (code, part, button) in [
        (AXIS_HAT0X, AxisPart::Negative, PadButton::Left),
        (AXIS_HAT0X, AxisPart::Positive, PadButton::Right),
        (AXIS_HAT0Y, AxisPart::Negative, PadButton::Up),
        (AXIS_HAT0Y, AxisPart::Positive, PadButton::Down),
    ] {
        if device.has_axis(code) {
            let input = RuleInput::Axis { code, part, is_inverted: false };
            rules.push(PadRule { input, output: RuleOutput::Button(button) });
        }
    }
}
