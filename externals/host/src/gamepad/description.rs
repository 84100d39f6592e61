//! What a gamepad says about itself, and its raw input, in the numbers of the Linux kernel.

use relay::device::PadFamily;

/// What a device says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PadDescription {
    /// Its name.
    pub name: String,
    /// Its maker and model.
    pub identity: PadIdentity,
    /// The codes of its keys and buttons, ascending.
    pub keys: Vec<u16>,
    /// Its axes, by ascending code.
    pub axes: Vec<AxisRange>,
}

/// The maker and the model of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PadIdentity {
    /// How it is connected.
    pub bus: u16,
    /// Its maker.
    pub vendor: u16,
    /// Its model.
    pub product: u16,
    /// Its version.
    pub version: u16,
}

/// The range of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxisRange {
    /// Its code.
    pub code: u16,
    /// Its smallest value.
    pub min: i32,
    /// Its largest value.
    pub max: i32,
}

/// One report of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawInput {
    /// A key or button went down or up.
    Key {
        /// Its code.
        code: u16,
        /// Whether it is down.
        is_down: bool,
    },
    /// An axis has a new value.
    Axis {
        /// Its code.
        code: u16,
        /// The value.
        value: i32,
    },
}

impl PadDescription {
    pub(super) fn has_key(&self, code: u16) -> bool {
        self.keys.binary_search(&code).is_ok()
    }

    pub(super) fn has_axis(&self, code: u16) -> bool {
        self.axes.iter().any(|axis| axis.code == code)
    }
}

impl PadIdentity {
    /// Whose names its buttons have, by its maker.
    pub(super) fn family(self) -> PadFamily {
        match self.vendor {
            0x054c => PadFamily::PlayStation,
            0x057e => PadFamily::Nintendo,
            _ => PadFamily::Xbox,
        }
    }

    /// Whether Steam made it.
    pub(super) fn is_steam(self) -> bool {
        (self.vendor, self.product) == (0x28de, 0x11ff)
    }
}
