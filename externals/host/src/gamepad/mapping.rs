//! Mappings of odd pads, in the format of SDL_GameControllerDB: a line per pad,
//! `GUID,name,a:b0,lefty:a1~,dpup:h0.1,platform:Linux,`.

use std::error::Error;
use std::fmt;

use relay::device::{PadAxis, PadButton};

use super::description::PadDescription;
use super::layout::{AXIS_HAT0X, AXIS_HAT3Y, AxisPart, PadRule, RuleInput, RuleOutput, is_one_sided};
use crate::limits::{PAD_MAPPING_LINE_BYTES_MAX, PAD_MAPPINGS_MAX};

/// The mappings of odd pads. Later lines win, so a player's own file is added last.
#[derive(Clone, Debug, Default)]
pub struct MappingTable {
    lines: Vec<PadMapping>,
}

/// A line that is left out, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappingError {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: MappingProblem,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MappingProblem {
    /// The line does not begin with 32 hexadecimal digits.
    Identity,
    /// This part is not `output:input` with a known input such as `b0`, `a1`, `+a2`, `a3~` or `h0.1`.
    Part(String),
    /// The line is too long.
    Length,
    /// There are too many lines.
    Count,
}

impl fmt::Display for MappingError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}: ", self.line)?;
        match &self.problem {
            MappingProblem::Identity => {
                formatter.write_str("expected 32 hexadecimal digits and a comma at the beginning")
            }
            MappingProblem::Part(part) => {
                write!(formatter, "expected a button (b0), an axis (a1, +a1, a1~) or a hat (h0.1), found {part:?}")
            }
            MappingProblem::Length => write!(formatter, "longer than {PAD_MAPPING_LINE_BYTES_MAX} bytes"),
            MappingProblem::Count => write!(formatter, "more than {PAD_MAPPINGS_MAX} lines"),
        }
    }
}

impl Error for MappingError {}

#[derive(Clone, Debug)]
struct PadMapping {
    guid: [u8; 16],
    parts: Vec<(RuleOutput, MappedInput)>,
}

/// An input, counted as SDL counts the inputs of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
enum MappedInput {
    Button(usize),
    Axis { number: usize, part: AxisPart, is_inverted: bool },
    Hat { number: usize, direction: HatDirection },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum HatDirection {
    Up,
    Right,
    Down,
    Left,
}

impl MappingTable {
    /// Adds the lines of a text. Lines of other systems and comments (`#`) are skipped; what cannot be used is returned.
    pub fn add(&mut self, text: &str) -> Vec<MappingError> {
        let mut errors = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut complain = |problem| {
                if errors.len() < PAD_MAPPINGS_MAX {
                    errors.push(MappingError { line: index + 1, problem });
                }
            };
            if self.lines.len() >= PAD_MAPPINGS_MAX {
                complain(MappingProblem::Count);
                break;
            }
            if line.len() > PAD_MAPPING_LINE_BYTES_MAX {
                complain(MappingProblem::Length);
            } else if let Some(mapping) = parse(line, &mut complain) {
                self.lines.push(mapping);
            }
        }
        errors
    }

    /// The rules of a device, if there is a line for it; one for another version of the same model will do.
    pub(super) fn rules_of(&self, device: &PadDescription) -> Option<Vec<PadRule>> {
        let guid = guid_of(device);
        let same = |other: &[u8; 16]| *other == guid;
        let similar = |other: &[u8; 16]| device.identity.vendor != 0 && other[..12] == guid[..12];
        let find = |is_it: &dyn Fn(&[u8; 16]) -> bool| self.lines.iter().rev().find(|line| is_it(&line.guid));
        let mapping = find(&same).or_else(|| find(&similar))?;
        let rules: Vec<PadRule> =
            mapping.parts.iter().flat_map(|(output, input)| rule(device, *output, *input)).collect();
        (!rules.is_empty()).then_some(rules)
    }
}

fn parse(line: &str, complain: &mut dyn FnMut(MappingProblem)) -> Option<PadMapping> {
    let mut fields = line.split(',');
    let Some(guid) = fields.next().and_then(digits) else {
        complain(MappingProblem::Identity);
        return None;
    };
    // The name is for people.
    fields.next();
    let mut parts = Vec::new();
    for field in fields.map(str::trim).filter(|field| !field.is_empty()) {
        let (name, input) = field.split_once(':').unwrap_or((field, ""));
        match name {
            "platform" if input != "Linux" => return None,
            "platform" | "crc" | "hint" | "type" | "face" => {}
            _ => match (outputs(name), parse_input(input)) {
                // New kinds of buttons are added to the format from time to time.
                (_, Some(_)) if outputs(name).is_empty() => {}
                (outputs, Some(input)) => parts.extend(outputs.into_iter().map(|output| (output, input))),
                (_, None) => complain(MappingProblem::Part(field.chars().take(80).collect())),
            },
        }
    }
    Some(PadMapping { guid, parts })
}

fn digits(text: &str) -> Option<[u8; 16]> {
    let text = text.trim();
    if text.len() != 32 || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let mut guid = u128::from_str_radix(text, 16).ok()?.to_be_bytes();
    // Newer lines carry a checksum of the name here.
    (guid[2], guid[3]) = (0, 0);
    Some(guid)
}

/// The number by which SDL knows a device.
fn guid_of(device: &PadDescription) -> [u8; 16] {
    let identity = device.identity;
    let mut guid = [0; 16];
    guid[..2].copy_from_slice(&identity.bus.to_le_bytes());
    if identity.vendor != 0 && identity.product != 0 {
        guid[4..6].copy_from_slice(&identity.vendor.to_le_bytes());
        guid[8..10].copy_from_slice(&identity.product.to_le_bytes());
        guid[12..14].copy_from_slice(&identity.version.to_le_bytes());
    } else {
        let name = &device.name.as_bytes()[..device.name.len().min(11)];
        guid[4..4 + name.len()].copy_from_slice(name);
    }
    guid
}

/// What a name of the format does; a trigger is an axis and a button.
fn outputs(name: &str) -> Vec<RuleOutput> {
    let (part, name) = match name.as_bytes() {
        [b'+', ..] => (AxisPart::Positive, &name[1..]),
        [b'-', ..] => (AxisPart::Negative, &name[1..]),
        _ => (AxisPart::Whole, name),
    };
    let axis = |axis| vec![RuleOutput::Axis(axis, part)];
    let button = |button| vec![RuleOutput::Button(button)];
    match name {
        "a" => button(PadButton::South),
        "b" => button(PadButton::East),
        "x" => button(PadButton::West),
        "y" => button(PadButton::North),
        "leftshoulder" => button(PadButton::LeftShoulder),
        "rightshoulder" => button(PadButton::RightShoulder),
        "leftstick" => button(PadButton::LeftStick),
        "rightstick" => button(PadButton::RightStick),
        "back" => button(PadButton::Select),
        "start" => button(PadButton::Start),
        "guide" => button(PadButton::Guide),
        "dpup" => button(PadButton::Up),
        "dpdown" => button(PadButton::Down),
        "dpleft" => button(PadButton::Left),
        "dpright" => button(PadButton::Right),
        "paddle1" => button(PadButton::Paddle1),
        "paddle2" => button(PadButton::Paddle2),
        "paddle3" => button(PadButton::Paddle3),
        "paddle4" => button(PadButton::Paddle4),
        "leftx" => axis(PadAxis::LeftX),
        "lefty" => axis(PadAxis::LeftY),
        "rightx" => axis(PadAxis::RightX),
        "righty" => axis(PadAxis::RightY),
        "lefttrigger" => {
            vec![RuleOutput::Axis(PadAxis::LeftTrigger, AxisPart::Whole), RuleOutput::Button(PadButton::LeftTrigger)]
        }
        "righttrigger" => {
            vec![RuleOutput::Axis(PadAxis::RightTrigger, AxisPart::Whole), RuleOutput::Button(PadButton::RightTrigger)]
        }
        _ => Vec::new(),
    }
}

fn parse_input(text: &str) -> Option<MappedInput> {
    let (part, text) = match text.as_bytes().first()? {
        b'+' => (AxisPart::Positive, &text[1..]),
        b'-' => (AxisPart::Negative, &text[1..]),
        _ => (AxisPart::Whole, text),
    };
    let (is_inverted, text) = text.strip_suffix('~').map_or((false, text), |text| (true, text));
    let number = |text: &str| text.parse::<u16>().ok().map(usize::from);
    match *text.as_bytes().first()? {
        b'b' => Some(MappedInput::Button(number(&text[1..])?)),
        b'a' => Some(MappedInput::Axis { number: number(&text[1..])?, part, is_inverted }),
        b'h' => {
            let (hat, bit) = text[1..].split_once('.')?;
            let direction = match bit {
                "1" => HatDirection::Up,
                "2" => HatDirection::Right,
                "4" => HatDirection::Down,
                "8" => HatDirection::Left,
                _ => return None,
            };
            Some(MappedInput::Hat { number: number(hat)?, direction })
        }
        _ => None,
    }
}

/// The rule for a device, if it has that input.
fn rule(device: &PadDescription, output: RuleOutput, input: MappedInput) -> Option<PadRule> {
    /// The first code of joystick buttons, which SDL counts first.
    const KEY_JOYSTICK: u16 = 0x120;
    let input = match input {
        MappedInput::Button(number) => {
            let split = device.keys.partition_point(|code| *code < KEY_JOYSTICK);
            let (others, buttons) = device.keys.split_at(split);
            RuleInput::Key(*buttons.iter().chain(others).nth(number)?)
        }
        MappedInput::Axis { number, part, is_inverted } => {
            let is_hat = |code: u16| (AXIS_HAT0X..=AXIS_HAT3Y).contains(&code);
            let axis = device.axes.iter().filter(|axis| !is_hat(axis.code)).nth(number)?;
            RuleInput::Axis { code: axis.code, part, is_inverted }
        }
        MappedInput::Hat { number, direction } => {
            let pairs = (AXIS_HAT0X..=AXIS_HAT3Y).step_by(2);
            let x = pairs.filter(|x| device.has_axis(*x) || device.has_axis(x + 1)).nth(number)?;
            let (code, part) = match direction {
                HatDirection::Up => (x + 1, AxisPart::Negative),
                HatDirection::Down => (x + 1, AxisPart::Positive),
                HatDirection::Left => (x, AxisPart::Negative),
                HatDirection::Right => (x, AxisPart::Positive),
            };
            RuleInput::Axis { code, part, is_inverted: false }
        }
    };
    // A trigger that is the positive half of an axis is whole where it is used.
    let output = match output {
        RuleOutput::Axis(axis, _) if is_one_sided(axis) => RuleOutput::Axis(axis, AxisPart::Whole),
        output => output,
    };
    Some(PadRule { input, output })
}
