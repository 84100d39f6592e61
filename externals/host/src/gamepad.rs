//! Gamepads: which are connected, and what their buttons and axes do.
//!
//! On Linux they are read from the kernel's event devices, which name buttons by their place (the kernel's gamepad
//! specification), so that most pads need no database. For others, lines in the format of SDL_GameControllerDB are read, as a
//! player's own file may have them. On Windows and macOS gilrs reads them, and its reports are handed on in the numbers of the kernel.
//!
//! Laws
//! 1. [`Gamepads::poll`] never waits: devices are opened by a thread of its own, and read without blocking.
//! 2. A pad has a number from 0 while it is connected, the lowest that is free. Its events lie between its `PadConnected` and
//!    its `PadDisconnected`; what it held down then counts as released.
//! 3. A value is told only when it changes.
//!
//! Never: applies dead zones or curves, which are a player's settings.

mod description;

mod layout;

mod mapping;

mod translation;

#[cfg(not(any(target_os = "linux", windows, target_os = "macos")))]
mod absent;
#[cfg(any(windows, target_os = "macos"))]
mod desktop;
#[cfg(target_os = "linux")]
mod linux;

use std::fmt;

use relay::device::DeviceEvent;

#[cfg(not(any(target_os = "linux", windows, target_os = "macos")))]
use absent as system;
#[cfg(any(windows, target_os = "macos"))]
use desktop as system;
#[cfg(target_os = "linux")]
use linux as system;

pub use description::{AxisRange, PadDescription, PadIdentity, RawInput};
pub use mapping::{MappingError, MappingProblem, MappingTable};
pub use translation::PadTranslator;

use crate::limits::PADS_MAX;

/// All gamepads of this machine.
pub struct Gamepads {
    mappings: MappingTable,
    system: system::PadSystem,
    pads: Vec<ConnectedPad>,
    reports: Vec<String>,
}

struct ConnectedPad {
    number: u8,
    name: String,
    device: Box<system::PadDevice>,
    translator: PadTranslator,
    is_steam: bool,
}

impl Gamepads {
    /// Begins to look for gamepads. `mappings` are those of odd pads.
    #[must_use]
    pub fn open(mappings: MappingTable) -> Gamepads {
        let system = system::PadSystem::open();
        Gamepads { mappings, system, pads: Vec::new(), reports: Vec::new() }
    }

    /// Tells what happened since the last call. To be called once per frame.
    pub fn poll(&mut self, tell: &mut dyn FnMut(DeviceEvent)) {
        while let Some(found) = self.system.found() {
            match found {
                system::PadFound::Device(device) => self.connect(device, tell),
                system::PadFound::Report(report) => self.report(report),
            }
        }
        // Steam makes a pad of its own for every real one: those would be heard twice.
        let has_steam = self.pads.iter().any(|pad| pad.is_steam);
        let mut gone = Vec::new();
        for pad in &mut self.pads {
            let is_heard = pad.is_steam || !has_steam;
            let result = pad.device.read(&mut |input| {
                if is_heard {
                    pad.translator.handle(input, tell);
                }
            });
            if result.is_err() {
                gone.push(pad.number);
            }
        }
        for number in gone {
            self.pads.retain(|pad| pad.number != number);
            tell(DeviceEvent::PadDisconnected { pad: number });
        }
    }

    fn connect(&mut self, device: Box<system::PadDevice>, tell: &mut dyn FnMut(DeviceEvent)) {
        let description = device.description();
        let rules = self.mappings.rules_of(description).or_else(|| layout::kernel_rules(description));
        // Not every input device is a gamepad.
        let Some(rules) = rules else { return };
        let free = (0..PADS_MAX).find(|number| self.pads.iter().all(|pad| pad.number != *number));
        let Some(number) = free else {
            return self.report(format!("gamepad {:?} is left out: there are {PADS_MAX} already", description.name));
        };
        let (name, is_steam) = (description.name.clone(), description.identity.is_steam());
        let translator = PadTranslator::new(number, description, rules);
        let family = description.identity.family();
        tell(DeviceEvent::PadConnected { pad: number, name: name.clone(), family });
        self.pads.push(ConnectedPad { number, name, device, translator, is_steam });
    }

    /// The numbers and names of the connected gamepads.
    pub fn connected(&self) -> impl Iterator<Item = (u8, &str)> {
        self.pads.iter().map(|pad| (pad.number, pad.name.as_str()))
    }

    /// What could not be used, and why; each once.
    pub fn take_reports(&mut self) -> Vec<String> {
        std::mem::take(&mut self.reports)
    }

    fn report(&mut self, report: String) {
        if self.reports.len() < crate::limits::PAD_REPORTS_MAX && !self.reports.contains(&report) {
            self.reports.push(report);
        }
    }
}

impl fmt::Debug for Gamepads {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.connected()).finish()
    }
}

/// The names of the gamepads that can be read now, and reports about others. Opens every input device once.
#[must_use]
pub fn survey() -> (Vec<String>, Vec<String>) {
    let (mut names, mut reports) = (Vec::new(), Vec::new());
    for found in system::scan_once() {
        match found {
            system::PadFound::Device(device) if layout::kernel_rules(device.description()).is_some() => {
                names.push(device.description().name.clone());
            }
            system::PadFound::Device(_) => {}
            system::PadFound::Report(report) => reports.push(report),
        }
    }
    (names, reports)
}

#[cfg(test)]
mod tests;
