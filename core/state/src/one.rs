//! A value of which a world has exactly one.

use core::marker::PhantomData;

use base::plain::Plain;

use crate::block::Block;
use crate::phase::Deed;
use crate::plan::{Layout, Life, RegionKind, Reservation};
use crate::world::{Edit, World};

/// The key to the one `T`. It starts as zeros.
pub struct One<T> {
    region: u16,
    offset: u32,
    value: PhantomData<fn() -> T>,
}

impl Layout {
    /// Reserves room for one `T`.
    pub fn one<T: Plain>(&mut self, name: &str) -> One<T> {
        let (number, region) = self.reserve(Reservation {
            name,
            kind: RegionKind::One,
            head: None,
            bit_sets: 0,
            capacity: 1,
            header: None,
            value: T::DESCRIPTION,
            value_align: align_of::<T>(),
            chunk: 0,
            life: |_, _| Life::Always,
        });
        One { region: number, offset: region.elements.start as u32, value: PhantomData }
    }
}

impl<T: Plain> One<T> {
    /// The value.
    #[inline]
    pub fn get(self, block: &Block) -> &T {
        block.value(self.offset as usize)
    }

    /// The value, to be changed.
    #[inline]
    #[track_caller]
    pub fn edit(self, world: &mut World) -> Edit<'_, T> {
        world.edit(self.region, self.offset as usize, Deed::Edit)
    }
}

impl<T> Clone for One<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for One<T> {}
