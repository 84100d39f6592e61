//! Gamepads of Windows and macOS, by gilrs: it knows the places of the buttons of most pads.
//!
//! A thread waits for what it reports and hands it on in the numbers of the Linux kernel, so that everything behind it is the same
//! on all systems.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};
use std::thread;

use gilrs::{Axis, Button, EventType, Gamepad, GamepadId, Gilrs, GilrsBuilder};

use super::description::{AxisRange, PadDescription, PadIdentity, RawInput};
use super::layout::placed_codes;
use crate::limits::{PAD_EVENTS_MAX, PAD_WAIT, PADS_WAITING_MAX};

/// Finds devices. The thread ends when this is dropped.
pub(super) struct PadSystem {
    found: Receiver<PadFound>,
}

pub(super) struct PadDevice {
    description: PadDescription,
    input: Receiver<RawInput>,
}

pub(super) enum PadFound {
    Device(Box<PadDevice>),
    Report(String),
}

/// The device is gone.
#[derive(Debug)]
pub(super) struct PadGone;

impl PadSystem {
    pub(super) fn open() -> PadSystem {
        let (sender, found) = mpsc::sync_channel(PADS_WAITING_MAX);
        let refused = sender.clone();
        if let Err(error) = thread::Builder::new().name("gamepads".into()).spawn(move || watch(&sender)) {
            let _ = refused.try_send(PadFound::Report(format!("gamepads: no thread to look for them: {error}")));
        }
        PadSystem { found }
    }

    pub(super) fn found(&mut self) -> Option<PadFound> {
        // An empty report only tests whether a receiver is left.
        self.found.try_iter().find(|found| !matches!(found, PadFound::Report(report) if report.is_empty()))
    }
}

pub(super) fn scan_once() -> Vec<PadFound> {
    match build() {
        Ok(pads) => {
            let device = |(_, pad): (GamepadId, Gamepad<'_>)| PadFound::Device(Box::new(PadDevice::of(&pad).0));
            pads.gamepads().map(device).collect()
        }
        Err(why) => vec![PadFound::Report(why)],
    }
}

impl PadDevice {
    fn of(pad: &Gamepad<'_>) -> (PadDevice, SyncSender<RawInput>) {
        let (sender, input) = mpsc::sync_channel(PAD_EVENTS_MAX);
        let (vendor, product) = (pad.vendor_id().unwrap_or(0), pad.product_id().unwrap_or(0));
        (PadDevice { description: describe(pad.name(), vendor, product), input }, sender)
    }

    pub(super) fn description(&self) -> &PadDescription {
        &self.description
    }

    /// Reads what is there.
    pub(super) fn read(&mut self, tell: &mut dyn FnMut(RawInput)) -> Result<(), PadGone> {
        for _ in 0..PAD_EVENTS_MAX {
            match self.input.try_recv() {
                Ok(input) => tell(input),
                Err(TryRecvError::Empty) => return Ok(()),
                Err(TryRecvError::Disconnected) => return Err(PadGone),
            }
        }
        Ok(())
    }
}

/// Dead zones are a player's settings, so gilrs has no filters; and it need not keep a state that nobody asks for.
fn build() -> Result<Gilrs, String> {
    let built =
        GilrsBuilder::new().with_default_filters(false).with_force_feedback(false).set_update_state(false).build();
    built.map_err(|error| format!("gamepads cannot be read: {error}"))
}

/// Hands on what the pads report, until nobody listens.
fn watch(found: &SyncSender<PadFound>) {
    let mut pads = match build() {
        Ok(pads) => pads,
        Err(why) => return drop(found.send(PadFound::Report(why))),
    };
    let mut known: BTreeMap<usize, (u16, SyncSender<RawInput>)> = BTreeMap::new();
    let connected: Vec<GamepadId> = pads.gamepads().map(|(id, _)| id).collect();
    for id in connected {
        connect(&pads, id, found, &mut known);
    }
    loop {
        let event = pads.next_event_blocking(Some(PAD_WAIT));
        let Some(event) = event else {
            if is_over(found) {
                return;
            }
            continue;
        };
        let number = usize::from(event.id);
        match event.event {
            EventType::Connected => connect(&pads, event.id, found, &mut known),
            EventType::Disconnected => drop(known.remove(&number)),
            report => {
                let Some((vendor, input)) = known.get(&number) else { continue };
                let sent = raw_input(&report, *vendor).map_or(Ok(()), |raw| input.try_send(raw));
                if matches!(sent, Err(mpsc::TrySendError::Disconnected(_))) {
                    known.remove(&number);
                }
            }
        }
    }
}

/// Whether nobody polls any more.
fn is_over(found: &SyncSender<PadFound>) -> bool {
    matches!(found.try_send(PadFound::Report(String::new())), Err(mpsc::TrySendError::Disconnected(_)))
}

fn connect(
    pads: &Gilrs,
    id: GamepadId,
    found: &SyncSender<PadFound>,
    known: &mut BTreeMap<usize, (u16, SyncSender<RawInput>)>,
) {
    let number = usize::from(id);
    let Some(pad) = pads.connected_gamepad(id).filter(|_| !known.contains_key(&number)) else { return };
    let (device, input) = PadDevice::of(&pad);
    let vendor = device.description.identity.vendor;
    // Waits where nothing is polled: then nothing needs to be found either.
    if found.send(PadFound::Device(Box::new(device))).is_ok() {
        known.insert(number, (vendor, input));
    }
}

const STICK_MAX: i32 = 32_767;
const TRIGGER_MAX: i32 = 1_023;

const AXIS_X: u16 = 0;
const AXIS_Y: u16 = 1;
const AXIS_Z: u16 = 2;
const AXIS_RX: u16 = 3;
const AXIS_RY: u16 = 4;
const AXIS_RZ: u16 = 5;
const AXIS_HAT0X: u16 = 0x10;
const AXIS_HAT0Y: u16 = 0x11;

/// Every pad is described as one with all parts: gilrs does not say which are missing.
fn describe(name: &str, vendor: u16, product: u16) -> PadDescription {
    let mut keys: Vec<u16> = BUTTONS.iter().map(|(_, code)| *code).chain([0x133, 0x134]).collect();
    keys.sort_unstable();
    let stick = |code| AxisRange { code, min: -STICK_MAX, max: STICK_MAX };
    let trigger = |code| AxisRange { code, min: 0, max: TRIGGER_MAX };
    PadDescription {
        name: name.chars().filter(|letter| !letter.is_control()).take(100).collect(),
        identity: PadIdentity { vendor, product, ..PadIdentity::default() },
        keys,
        axes: vec![
            stick(AXIS_X),
            stick(AXIS_Y),
            trigger(AXIS_Z),
            stick(AXIS_RX),
            stick(AXIS_RY),
            trigger(AXIS_RZ),
            AxisRange { code: AXIS_HAT0X, min: -1, max: 1 },
            AxisRange { code: AXIS_HAT0Y, min: -1, max: 1 },
        ],
    }
}

/// The buttons with the codes of the kernel; X and Y depend on the maker.
const BUTTONS: &[(Button, u16)] = &[
    (Button::South, 0x130),
    (Button::East, 0x131),
    (Button::LeftTrigger, 0x136),
    (Button::RightTrigger, 0x137),
    (Button::Select, 0x13a),
    (Button::Start, 0x13b),
    (Button::Mode, 0x13c),
    (Button::LeftThumb, 0x13d),
    (Button::RightThumb, 0x13e),
    (Button::DPadUp, 0x220),
    (Button::DPadDown, 0x221),
    (Button::DPadLeft, 0x222),
    (Button::DPadRight, 0x223),
];

fn raw_input(report: &EventType, vendor: u16) -> Option<RawInput> {
    let axis = |code, value: f32, most: i32| {
        let value = if value.is_finite() { value.clamp(-1.0, 1.0) } else { 0.0 };
        Some(RawInput::Axis { code, value: (value * most as f32) as i32 })
    };
    match *report {
        EventType::ButtonPressed(button, _) => key(button, vendor, true),
        EventType::ButtonReleased(button, _) => key(button, vendor, false),
        EventType::ButtonChanged(Button::LeftTrigger2, value, _) => axis(AXIS_Z, value, TRIGGER_MAX),
        EventType::ButtonChanged(Button::RightTrigger2, value, _) => axis(AXIS_RZ, value, TRIGGER_MAX),
        // Up is positive for gilrs, down for the kernel.
        EventType::AxisChanged(Axis::LeftStickX, value, _) => axis(AXIS_X, value, STICK_MAX),
        EventType::AxisChanged(Axis::LeftStickY, value, _) => axis(AXIS_Y, -value, STICK_MAX),
        EventType::AxisChanged(Axis::RightStickX, value, _) => axis(AXIS_RX, value, STICK_MAX),
        EventType::AxisChanged(Axis::RightStickY, value, _) => axis(AXIS_RY, -value, STICK_MAX),
        EventType::AxisChanged(Axis::LeftZ, value, _) => axis(AXIS_Z, value.max(0.0), TRIGGER_MAX),
        EventType::AxisChanged(Axis::RightZ, value, _) => axis(AXIS_RZ, value.max(0.0), TRIGGER_MAX),
        EventType::AxisChanged(Axis::DPadX, value, _) => axis(AXIS_HAT0X, value, 1),
        EventType::AxisChanged(Axis::DPadY, value, _) => axis(AXIS_HAT0Y, -value, 1),
        _ => None,
    }
}

fn key(button: Button, vendor: u16, is_down: bool) -> Option<RawInput> {
    let (west, north) = placed_codes(vendor);
    let code = match button {
        Button::West => west,
        Button::North => north,
        button => BUTTONS.iter().find(|(known, _)| *known == button)?.1,
    };
    Some(RawInput::Key { code, is_down })
}

#[cfg(test)]
mod tests {
    use relay::device::{DeviceEvent, PadAxis, PadButton};

    use super::super::PadTranslator;
    use super::*;

    #[test]
    fn every_button_of_every_maker_is_at_its_place() {
        for vendor in [0x045e, 0x054c, 0x057e] {
            let description = describe("pad", vendor, 1);
            let mut pad = PadTranslator::of_kernel(3, &description).expect("it is a gamepad");
            let mut check = |button: Button, expected: PadButton| {
                let mut told = Vec::new();
                pad.handle(key(button, vendor, true).expect("it has a code"), &mut |event| told.push(event));
                assert_eq!(told, [DeviceEvent::PadButton { pad: 3, button: expected, is_down: true }], "{vendor:x}");
            };
            check(Button::South, PadButton::South);
            check(Button::East, PadButton::East);
            check(Button::West, PadButton::West);
            check(Button::North, PadButton::North);
            check(Button::LeftTrigger, PadButton::LeftShoulder);
            check(Button::Mode, PadButton::Guide);
            check(Button::DPadLeft, PadButton::Left);
            assert_eq!(key(Button::Unknown, vendor, true), None);
        }
    }

    #[test]
    fn axes_have_the_ranges_of_their_description() {
        let description = describe("pad", 0x045e, 1);
        let mut pad = PadTranslator::of_kernel(0, &description).expect("it is a gamepad");
        let mut told = Vec::new();
        for (code, value) in [(AXIS_Y, -STICK_MAX), (AXIS_Z, TRIGGER_MAX)] {
            pad.handle(RawInput::Axis { code, value }, &mut |event| told.push(event));
        }
        let is_told = |axis, value| told.contains(&DeviceEvent::PadAxis { pad: 0, axis, value });
        assert!(is_told(PadAxis::LeftY, -1.0) && is_told(PadAxis::LeftTrigger, 1.0), "{told:?}");
    }
}
