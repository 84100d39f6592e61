//! Single values: regions with exactly one element.

use core::marker::PhantomData;

use base::plain::Plain;

use crate::block::Block;
use crate::phase::Access;
use crate::plan::{Layout, Life, RegionKind, Reservation};
use crate::world::{Edit, World};

/// The key to a single `T`, which starts as zeros.
pub struct Single<T> {
    region: u16,
    offset: u32,
    value: PhantomData<fn() -> T>,
}

impl Layout {
    /// Reserves a single `T`.
    pub fn single<T: Plain>(&mut self, name: &str) -> Single<T> {
        let (number, region) = self.reserve(Reservation {
            name,
            kind: RegionKind::Single,
            head: None,
            bit_sets: 0,
            capacity: 1,
            header: None,
            value: T::DESCRIPTION,
            value_align: align_of::<T>(),
            chunk: 0,
            life: |_, _| Life::Always,
        });
        Single { region: number, offset: region.elements.start as u32, value: PhantomData }
    }
}

impl<T: Plain> Single<T> {
    /// The value.
    #[inline]
    pub fn get(self, block: &Block) -> &T {
        block.value(self.offset as usize)
    }

    /// Changes the value with `change`, and gives what that returns.
    #[track_caller]
    pub fn edit<R>(self, world: &mut World, change: impl FnOnce(&mut T) -> R) -> R {
        change(&mut self.get_mut(world))
    }

    /// The value, for writing.
    #[inline]
    #[track_caller]
    pub fn get_mut(self, world: &mut World) -> Edit<'_, T> {
        world.edit(self.region, self.offset as usize, Access::Edit)
    }
}

impl<T> Clone for Single<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Single<T> {}
