//! Enums as plain data.
//!
//! Not every number is a value of an enum, so an enum itself cannot be plain. [`Enum`] stores its number, and reads a
//! number that no variant has as the default variant.
//!
//! ```
//! use base::{Enum, Plain, PlainEnum};
//!
//! #[derive(Clone, Copy, Debug, Default, PartialEq, PlainEnum)]
//! #[repr(u8)]
//! enum Order { #[default] Wait, Attack, Retreat }
//!
//! #[derive(Clone, Copy, Plain)]
//! #[repr(C)]
//! struct Unit { order: Enum<Order> }
//!
//! let mut unit = Unit { order: Order::Attack.into() };
//! assert_eq!(unit.order.get(), Order::Attack);
//! unit = base::plain::pod_read_unaligned(&[77]);
//! assert_eq!(unit.order.get(), Order::Wait);
//! ```
#![allow(
    unsafe_code,
    reason = "a struct around one plain number is plain; the derive cannot say so of an associated type"
)]

use core::fmt;
use core::marker::PhantomData;

use super::{Description, Kind, Plain, Pod, Variant, Zeroable};

/// A fieldless enum with a number type and a default, made with `#[derive(PlainEnum)]`. The default has the number 0,
/// because new datums are zeros.
pub trait PlainEnum: Copy + Default + 'static {
    /// The integer of its `#[repr]`.
    type Number: Plain + PartialEq;

    /// Its name.
    const NAME: &'static str;

    /// Every variant, in the order of declaration.
    const VARIANTS: &'static [Variant];

    /// The variant with this number; the default if there is none.
    fn from_number(number: Self::Number) -> Self;

    /// The number of this variant.
    fn number(self) -> Self::Number;
}

/// An enum, stored as its number. A number that no variant has reads as the default variant, and is stored as that one.
#[repr(transparent)]
pub struct Enum<E: PlainEnum> {
    number: E::Number,
    variant: PhantomData<fn() -> E>,
}

impl<E: PlainEnum> Enum<E> {
    /// The variant.
    #[inline]
    pub fn get(self) -> E {
        E::from_number(self.number)
    }
}

// SAFETY: transparent around a plain number; the marker has no bytes.
unsafe impl<E: PlainEnum> Zeroable for Enum<E> {}
// SAFETY: as above; any number is allowed.
unsafe impl<E: PlainEnum> Pod for Enum<E> {}

impl<E: PlainEnum> Plain for Enum<E> {
    const DESCRIPTION: &'static Description = &Description {
        name: E::NAME,
        bytes: size_of::<E::Number>() as u32,
        kind: Kind::Enum(E::VARIANTS),
        has_floats: false,
    };

    #[inline]
    fn canonicalise(&mut self) {
        self.number = self.get().number();
    }
}

impl<E: PlainEnum> Clone for Enum<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: PlainEnum> Copy for Enum<E> {}

impl<E: PlainEnum> Default for Enum<E> {
    fn default() -> Self {
        E::default().into()
    }
}

impl<E: PlainEnum> From<E> for Enum<E> {
    fn from(variant: E) -> Enum<E> {
        Enum { number: variant.number(), variant: PhantomData }
    }
}

impl<E: PlainEnum> PartialEq for Enum<E> {
    fn eq(&self, other: &Enum<E>) -> bool {
        self.get().number() == other.get().number()
    }
}

impl<E: PlainEnum> PartialEq<E> for Enum<E> {
    fn eq(&self, other: &E) -> bool {
        self.get().number() == other.number()
    }
}

impl<E: PlainEnum + fmt::Debug> fmt::Debug for Enum<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    #[derive(Clone, Copy, Debug, Default, PartialEq, base_derive::PlainEnum)]
    #[repr(u16)]
    enum Order {
        #[default]
        Wait,
        Attack = 7,
        Retreat,
    }

    fn stored(number: u16) -> Enum<Order> {
        super::super::pod_read_unaligned(&number.to_le_bytes())
    }

    #[test]
    fn a_variant_is_stored_as_its_number() {
        let order = Enum::from(Order::Retreat);
        assert_eq!(super::super::bytes_of(&order), 8_u16.to_le_bytes());
        assert!(order == Order::Retreat && order != Order::Wait && order == stored(8));
        assert_eq!(Order::VARIANTS.iter().map(|variant| variant.number).collect::<alloc::vec::Vec<_>>(), [0, 7, 8]);
    }

    #[test]
    fn a_number_without_a_variant_reads_and_is_stored_as_the_default() {
        for number in [1, 6, 9, u16::MAX] {
            let mut order = stored(number);
            assert_eq!(order.get(), Order::Wait);
            order.canonicalise();
            assert_eq!(super::super::bytes_of(&order), [0, 0]);
        }
    }

    #[test]
    fn descriptions_write_the_names_of_variants() {
        let write = |number: u16| {
            let mut text = String::new();
            Enum::<Order>::DESCRIPTION.write_value(&number.to_le_bytes(), &mut text).expect("a string takes any text");
            text
        };
        assert_eq!([write(0), write(7), write(5)], ["Wait", "Attack", "5 (no variant of Order)"]);
    }
}
