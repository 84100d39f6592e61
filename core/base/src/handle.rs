//! Generational handles: references between values of the world.
//!
//! A handle is 32 bits: the slot in its array in the lower half, the generation in the upper. The generation is stored
//! beside the value too and changes each time the slot is reused, so that a stale handle is detected instead of naming
//! the successor.
//!
//! Laws
//! 1. A generation lies in 0x8000..=0xffff; a handle with another generation was never issued.
//! 2. Generations of an array start at a number derived from its name and count up, wrapping from 0xffff to 0x8000.
//! 3. `NONE` (all ones) names nothing. Neither does zero, the value of a handle that was never set.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;

use crate::plain::Plain;

/// The lowest generation.
pub const GENERATION_MIN: u16 = 0x8000;

/// The most slots an array may have: slot 0xffff with generation 0xffff would be `NONE`.
pub const SLOTS_MAX: u32 = 0xffff;

/// Names one `T` of the world, or nothing.
#[derive(Plain)]
#[plain(number = Handle)]
#[repr(transparent)]
pub struct Handle<T> {
    raw: u32,
    names: PhantomData<fn() -> T>,
}

impl<T> Handle<T> {
    /// The handle that names nothing.
    pub const NONE: Handle<T> = Handle::from_raw(u32::MAX);

    /// The handle of a slot and its generation.
    pub const fn new(slot: u16, generation: u16) -> Handle<T> {
        Handle::from_raw((generation as u32) << 16 | slot as u32)
    }

    /// Any 32 bits as a handle, valid or not.
    pub const fn from_raw(raw: u32) -> Handle<T> {
        Handle { raw, names: PhantomData }
    }

    /// All 32 bits.
    pub const fn raw(self) -> u32 {
        self.raw
    }

    /// Its slot.
    pub const fn slot(self) -> u16 {
        self.raw as u16
    }

    /// Its generation.
    pub const fn generation(self) -> u16 {
        (self.raw >> 16) as u16
    }

    /// Whether it is `NONE`.
    pub const fn is_none(self) -> bool {
        self.raw == u32::MAX
    }

    /// The same bits with another type. For code that knows arrays only by number.
    pub const fn cast<U>(self) -> Handle<U> {
        Handle::from_raw(self.raw)
    }
}

/// The first generation of an array: its name's first two letters with the top bit set, so that handles of different
/// arrays can be distinguished in a debugger ("script" gives 0xe373).
pub const fn first_generation(name: &str) -> u16 {
    let name = name.as_bytes();
    let first = if name.is_empty() { 0 } else { name[0] };
    let second = if name.len() < 2 { 0 } else { name[1] };
    u16::from_le_bytes([first, second]) | GENERATION_MIN
}

/// The generation after `generation`.
pub const fn next_generation(generation: u16) -> u16 {
    if generation == u16::MAX { GENERATION_MIN } else { generation + 1 }
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

impl<T> Default for Handle<T> {
    fn default() -> Self {
        Handle::NONE
    }
}

impl<T> PartialEq for Handle<T> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl<T> Eq for Handle<T> {}

impl<T> PartialOrd for Handle<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Handle<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.raw.cmp(&other.raw)
    }
}

impl<T> Hash for Handle<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.raw.hash(state);
    }
}

impl<T> fmt::Debug for Handle<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return formatter.write_str("NONE");
        }
        write!(formatter, "{:#010x} (slot {}, generation {:#06x})", self.raw, self.slot(), self.generation())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_generation_comes_from_the_name() {
        assert_eq!(first_generation("script"), 0xe373);
        assert_eq!(first_generation("a"), 0x8061);
        assert_eq!(first_generation(""), 0x8000);
    }

    #[test]
    fn generations_wrap_within_their_half() {
        assert_eq!(next_generation(0x8000), 0x8001);
        assert_eq!(next_generation(0xffff), 0x8000);
    }

    #[test]
    fn a_handle_is_its_slot_and_its_generation() {
        let handle = Handle::<u32>::new(5, 0xe373);
        assert_eq!((handle.slot(), handle.generation(), handle.raw()), (5, 0xe373, 0xe373_0005));
        assert!(Handle::<u32>::NONE.is_none());
        assert!(!handle.is_none());
    }
}
