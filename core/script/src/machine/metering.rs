//! Counting of fuel while a profile is taken. It is kept out of the paths on which nothing is counted.

use alloc::boxed::Box;

use super::{Machine, Scratch};
use crate::kernel::Kernel;
use crate::meter::{Meter, WHOLE};

impl Scratch {
    /// Counts the fuel of evaluations with this meter, or with none.
    pub fn set_meter(&mut self, meter: Option<Box<Meter>>) {
        self.meter = meter;
    }

    /// The meter.
    #[inline]
    pub fn meter(&mut self) -> Option<&mut Meter> {
        self.meter.as_deref_mut()
    }

    #[cold]
    #[inline(never)]
    pub(super) fn meter_kernel(&mut self, number: u32, kernel: &Kernel) {
        if let Some(meter) = self.meter.as_deref_mut().filter(|meter| meter.is_on()) {
            meter.add((number, WHOLE), kernel.fuel);
            meter.end(kernel.fuel);
        }
    }
}

impl Machine<'_> {
    #[cold]
    #[inline(never)]
    pub(super) fn meter(&mut self, place: (u32, u32), fuel: u64) {
        if let Some(meter) = self.scratch.meter.as_deref_mut() {
            meter.add(place, fuel);
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn end_metered(&mut self) {
        let fuel = self.scratch.limits.fuel - self.fuel;
        if let Some(meter) = self.scratch.meter.as_deref_mut() {
            meter.end(fuel);
        }
    }
}
