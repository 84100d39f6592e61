//! A bounded list in the block.
//!
//! Laws
//! 1. Elements keep the order of pushes and insertions.
//! 2. A push to a full list is refused and counted; nothing else changes.

use core::marker::PhantomData;

use base::plain::{self, Plain};

use crate::block::Block;
use crate::life::ListHead;
use crate::phase::Access;
use crate::plan::{Layout, Life, RegionKind, Reservation};
use crate::world::{Edit, World};
use jobs::{Workers, each_chunk};

/// Elements per job of `rewrite`.
const REWRITE_CHUNK: usize = 512;

/// The key to a list of `T`.
pub struct List<T> {
    region: u16,
    head: u32,
    start: u32,
    capacity: u32,
    value: PhantomData<fn() -> T>,
}

impl Layout {
    /// Reserves a list of at most `capacity` elements.
    pub fn list<T: Plain>(&mut self, name: &str, capacity: u32) -> List<T> {
        const { assert!(size_of::<T>() > 0, "a list of values without bytes is a number") };
        let (number, region) = self.reserve(Reservation {
            name,
            kind: RegionKind::List,
            head: Some(ListHead::DESCRIPTION),
            bit_sets: 0,
            capacity,
            header: None,
            value: T::DESCRIPTION,
            value_align: align_of::<T>(),
            chunk: 0,
            life: |head, _| Life::Below(head + core::mem::offset_of!(ListHead, count)),
        });
        let (head, start) = (region.bytes.start as u32, region.elements.start as u32);
        List { region: number, head, start, capacity, value: PhantomData }
    }
}

impl<T: Plain> List<T> {
    /// All elements.
    #[inline]
    pub fn get(self, block: &Block) -> &[T] {
        let start = self.start as usize;
        plain::cast_slice(&block.bytes()[start..start + self.count(block) as usize * size_of::<T>()])
    }

    /// The number of elements.
    #[inline]
    pub fn count(self, block: &Block) -> u32 {
        block.value::<ListHead>(self.head as usize).count
    }

    /// Appends an element; false if the list is full.
    #[track_caller]
    pub fn push(self, world: &mut World, mut value: T) -> bool {
        let mut head = world.edit::<ListHead>(self.region, self.head as usize, Access::Edit);
        if head.count == self.capacity {
            head.refused = head.refused.saturating_add(1);
            return false;
        }
        let at = self.start as usize + head.count as usize * size_of::<T>();
        head.count += 1;
        head.count_max = head.count_max.max(head.count);
        drop(head);
        value.canonicalise();
        let bytes = world.edit_bytes(self.region, at..at + size_of::<T>(), Access::Edit);
        bytes.copy_from_slice(plain::bytes_of(&value));
        true
    }

    /// Inserts an element at this index, or at the end; false if the list is full. Later elements move up by one.
    #[track_caller]
    pub fn insert(self, world: &mut World, index: u32, value: T) -> bool {
        let index = index.min(self.count(world));
        if !self.push(world, value) {
            return false;
        }
        self.tail(world, index).rotate_right(1);
        true
    }

    /// Removes the element at this index, if any. Later elements move down by one.
    #[track_caller]
    pub fn remove(self, world: &mut World, index: u32) {
        let count = self.count(world);
        if index < count {
            self.tail(world, index).rotate_left(1);
            self.truncate(world, count - 1);
        }
    }

    /// All elements from an index on, mutable.
    #[track_caller]
    fn tail(self, world: &mut World, index: u32) -> &mut [T] {
        let at = |index: u32| self.start as usize + index as usize * size_of::<T>();
        let bytes = at(index)..at(self.count(world));
        plain::cast_slice_mut(world.edit_bytes(self.region, bytes, Access::Edit))
    }

    /// An element, mutable. `None` if the index is out of range.
    #[track_caller]
    pub fn get_mut(self, world: &mut World, index: u32) -> Option<Edit<'_, T>> {
        let at = self.start as usize + index as usize * size_of::<T>();
        (index < self.count(world)).then(|| world.edit(self.region, at, Access::Edit))
    }

    /// Overwrites elements from an index on. Panics if the list does not have all of them.
    #[track_caller]
    pub fn write(self, world: &mut World, index: u32, values: &[T]) {
        assert!(
            index as usize + values.len() <= self.count(world) as usize,
            "only elements of the list are overwritten"
        );
        let at = self.start as usize + index as usize * size_of::<T>();
        let bytes = world.edit_bytes(self.region, at..at + size_of_val(values), Access::Edit);
        let own = plain::cast_slice_mut::<u8, T>(bytes);
        own.copy_from_slice(values);
        own.iter_mut().for_each(T::canonicalise);
    }

    /// Replaces the list in parallel by `count` elements, `make(0)` first. Elements beyond the capacity are refused and
    /// counted.
    #[track_caller]
    pub fn rewrite(self, world: &mut World, workers: &dyn Workers, count: u32, make: impl Fn(u32) -> T + Sync) {
        let kept = count.min(self.capacity);
        self.truncate(world, kept);
        let mut head = world.edit::<ListHead>(self.region, self.head as usize, Access::Edit);
        head.refused = head.refused.saturating_add(count - kept);
        head.count = kept;
        head.count_max = head.count_max.max(kept);
        drop(head);
        let start = self.start as usize;
        let bytes = world.edit_bytes(self.region, start..start + kept as usize * size_of::<T>(), Access::Edit);
        each_chunk(workers, plain::cast_slice_mut::<u8, T>(bytes), REWRITE_CHUNK, |first, values| {
            for (index, value) in values.iter_mut().enumerate() {
                *value = make((first + index) as u32);
                value.canonicalise();
            }
        });
    }

    /// Removes all elements from `count` on.
    #[track_caller]
    pub fn truncate(self, world: &mut World, count: u32) {
        let garbage = world.settings.garbage;
        let mut head = world.edit::<ListHead>(self.region, self.head as usize, Access::Edit);
        let kept = count.min(head.count);
        let removed = kept as usize..head.count as usize;
        head.count = kept;
        drop(head);
        let start = self.start as usize;
        let bytes = start + removed.start * size_of::<T>()..start + removed.end * size_of::<T>();
        if !bytes.is_empty() {
            world.edit_bytes(self.region, bytes, Access::Edit).fill(garbage);
        }
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<T> {}
