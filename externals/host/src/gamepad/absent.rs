//! Systems whose gamepads are not read.

use std::convert::Infallible;

use super::description::{PadDescription, RawInput};

pub(super) struct PadSystem {
    is_told: bool,
}

pub(super) struct PadDevice {
    never: Infallible,
}

#[allow(dead_code, reason = "there are no devices")]
pub(super) enum PadFound {
    Device(Box<PadDevice>),
    Report(String),
}

/// The device is gone.
#[derive(Debug)]
pub(super) struct PadGone;

impl PadSystem {
    pub(super) fn open() -> PadSystem {
        PadSystem { is_told: false }
    }

    pub(super) fn found(&mut self) -> Option<PadFound> {
        let is_first = !std::mem::replace(&mut self.is_told, true);
        is_first.then(|| PadFound::Report("gamepads are read on Linux, Windows and macOS only".to_owned()))
    }
}

pub(super) fn scan_once() -> Vec<PadFound> {
    PadSystem::open().found().into_iter().collect()
}

impl PadDevice {
    pub(super) fn description(&self) -> &PadDescription {
        match self.never {}
    }

    pub(super) fn read(&mut self, _: &mut dyn FnMut(RawInput)) -> Result<(), PadGone> {
        match self.never {}
    }
}
